//! `portamento mcp`: the requests of remote control as tools of the Model Context Protocol, on standard input and output.

use std::io::{BufRead, Read as _, Write};
use std::path::PathBuf;
use std::sync::mpsc::channel;

use serde_json::{Map, Value, json};

use super::{Failure, make};
use portamento_base::message::Message;
use portamento_base::system_reason::system_reason;
use portamento_session::remote::{MAX_LINE_BYTES, REQUESTS, Request, RequestDescription};
use portamento_session::{Session, VERSION};

/// Serves a project without a window to an agent: the Model Context Protocol on standard input and output.
///
/// The tools are status, revision, open, make, inspect and export. Sources are never written, other files only to the given folders.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder to which takes may be exported; may be given several times.
    #[arg(short, long, value_name = "FOLDER", num_args = 1..)]
    out: Vec<PathBuf>,
}

/// Revisions of the protocol that are spoken, newest first. They are equal in all that is offered here.
const PROTOCOLS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The tool that needs a window.
const NEEDS_WINDOW: &str = "screenshot";

// Error codes of JSON-RPC 2.0.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;

impl Arguments {
    /// Serves until the input ends. Returns `Err` if reading or writing fails.
    pub(super) fn run(self) -> Result<(), Failure> {
        serve(self.out, &mut std::io::stdin().lock(), &mut std::io::stdout().lock())
            .map_err(|error| Failure::Failed(format!("The connection ended: {}.", system_reason(&error))))
    }
}

/// Answers the lines of `input` until it ends. `out` are the folders to which takes may be exported. A line that is too
/// long is answered with an error and ends the service.
fn serve(out: Vec<PathBuf>, input: &mut impl BufRead, output: &mut impl Write) -> std::io::Result<()> {
    let mut session = Session::inline();
    session.preferences.remote_folders =
        out.into_iter().map(|folder| std::path::absolute(&folder).unwrap_or(folder)).collect();
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let is_too_long = line.len() > MAX_LINE_BYTES;
        if let Some(answer) = answer(&mut session, &line) {
            output.write_all(format!("{answer}\n").as_bytes())?;
            output.flush()?;
        }
        if is_too_long {
            // The rest of the line is no line.
            return Ok(());
        }
    }
}

/// Performs the message of a line, or all of a batch, and returns the answer; `None` if nothing is to be answered. A line
/// that is too long or no JSON gets an error with the id null.
fn answer(session: &mut Session, line: &[u8]) -> Option<Value> {
    let parsed = Some(line).filter(|line| line.len() <= MAX_LINE_BYTES);
    let parsed = parsed.and_then(|line| portamento_base::json::parse::<Value>(line).ok());
    match parsed {
        None => Some(error(&Value::Null, PARSE_ERROR, "A line must be one JSON value.")),
        Some(Value::Array(batch)) if !batch.is_empty() => {
            let answers: Vec<Value> = batch.iter().filter_map(|message| answer_message(session, message)).collect();
            (!answers.is_empty()).then_some(Value::Array(answers))
        }
        Some(message) => answer_message(session, &message),
    }
}

/// Performs a JSON-RPC request and returns the response. `None` for a notification, which has a method but no id and is not
/// performed. A message without a method gets an error with the id null.
fn answer_message(session: &mut Session, message: &Value) -> Option<Value> {
    let Some(method) = message.get("method").and_then(Value::as_str) else {
        return Some(error(&Value::Null, INVALID_REQUEST, "The message has no method."));
    };
    let id = message.get("id")?;
    if !(id.is_string() || id.is_number()) {
        return Some(error(&Value::Null, INVALID_REQUEST, "The id must be a text or a number."));
    }
    let parameters = message.get("params").cloned().unwrap_or_default();
    let result = match method {
        "initialize" => Ok(initialized(&parameters)),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({ "tools": tools() })),
        "tools/call" => called(session, &parameters),
        _ => Err((METHOD_NOT_FOUND, format!("There is no method {method}."))),
    };
    Some(match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err((code, text)) => error(id, code, &text),
    })
}

/// Returns the JSON-RPC response to the request `id` with an error.
fn error(id: &Value, code: i32, text: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text } })
}

/// Returns the result of `initialize`, with the revision that the client asks for if it is among [`PROTOCOLS`], else the
/// newest.
fn initialized(parameters: &Value) -> Value {
    let wanted = parameters.get("protocolVersion").and_then(Value::as_str);
    json!({
        "protocolVersion": PROTOCOLS.iter().find(|known| Some(**known) == wanted).unwrap_or(&PROTOCOLS[0]),
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "portamento", "version": VERSION },
    })
}

/// Returns the tools with their schemas.
fn tools() -> Vec<Value> {
    let with_schema = |tool: &RequestDescription| {
        let mut schema = (tool.schema)();
        if let Some(recipe) = schema.pointer_mut("/properties/recipe") {
            *recipe = make::schema();
        }
        json!({ "name": tool.name, "description": tool.about, "inputSchema": schema })
    };
    REQUESTS.iter().filter(|tool| tool.name != NEEDS_WINDOW).map(with_schema).collect()
}

/// Performs the tool that `parameters` name, with their `arguments`. Errors of a tool are results with `isError`, so
/// that the agent reads them. Returns `Err` with a JSON-RPC error code and a text if there is no such tool.
fn called(session: &mut Session, parameters: &Value) -> Result<Value, (i32, String)> {
    let name = parameters.get("name").and_then(Value::as_str).unwrap_or_default();
    if name == NEEDS_WINDOW || REQUESTS.iter().all(|tool| tool.name != name) {
        return Err((INVALID_PARAMS, format!("There is no tool “{name}”.")));
    }
    let mut request: Map<String, Value> =
        parameters.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default();
    request.insert("request".into(), name.into());
    let outcome = Request::from_json(Value::Object(request)).and_then(|request| performed(session, request));
    let (text, is_error) = match outcome {
        Ok(result) => (result.to_string(), false),
        Err(why) => (why.to_string(), true),
    };
    Ok(json!({ "content": [{ "type": "text", "text": text }], "isError": is_error }))
}

/// Performs a request in a session whose jobs run at once. Returns `Err` with the reason for the agent.
fn performed(session: &mut Session, request: Request) -> Result<Value, Message> {
    let (sender, answer) = channel();
    let reply = move |outcome| {
        // The receiver is below.
        let _ = sender.send(outcome);
    };
    session.answer(request, Box::new(reply));
    session.update(0.0, true);
    answer.try_recv().unwrap_or_else(|_| Err(Message::verbatim("The request was cancelled.".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the answers to lines.
    fn exchange(out: Vec<PathBuf>, lines: &[String]) -> Vec<Value> {
        let mut output = Vec::new();
        serve(out, &mut lines.join("\n").as_bytes(), &mut output).unwrap();
        output
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect()
    }

    fn call(id: u32, name: &str, arguments: Value) -> String {
        let parameters = json!({ "name": name, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": parameters }).to_string()
    }

    #[test]
    fn an_agent_lists_the_tools_opens_makes_and_exports() {
        let folder = tempfile::tempdir().unwrap();
        let hero = folder.path().join("hero.glb");
        std::fs::copy(portamento_test_support::asset("hero.glb"), &hero).unwrap();
        let out = folder.path().join("out");
        let stage = json!({ "stretch": { "settings": { "target": { "world": [0, 0, 7] } } } });
        let recipe = json!({ "takes": [{ "name": "far {clip}", "source": "slot:clip", "stages": [stage] }] });
        let clips = json!([{ "file": hero, "clip": "leap_strike" }]);
        let answers = exchange(
            vec![out.clone()],
            &[
                json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-03-26" } }).to_string(),
                json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string(),
                json!({ "jsonrpc": "2.0", "id": "two", "method": "tools/list" }).to_string(),
                call(3, "open", json!({ "files": [hero] })),
                call(4, "make", json!({ "recipe": recipe, "clips": clips })),
                call(5, "export", json!({ "folder": out, "keep": "alone" })),
                call(6, "export", json!({ "folder": folder.path() })),
                call(7, "inspect", json!({ "file": hero })),
            ],
        );
        assert_eq!(answers.len(), 7, "a notification has no answer");
        assert_eq!(answers[0]["result"]["protocolVersion"], "2025-03-26");
        let tools = answers[1]["result"]["tools"].as_array().unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(
            (names, &answers[1]["id"]),
            (vec!["status", "revision", "open", "make", "inspect", "export"], &json!("two"))
        );
        let stages = "/inputSchema/properties/recipe/properties/takes/items/properties/stages/items/oneOf";
        assert!(tools[3].pointer(stages).is_some_and(|stages| stages.as_array().unwrap().len() > 5));
        for (answer, is_error) in answers[2..].iter().zip([false, false, false, true, false]) {
            assert_eq!(answer["result"]["isError"], is_error, "{answer}");
        }
        let model = portamento_formats::import::import(&out.join("far_leap_strike.glb")).unwrap().model;
        assert_eq!(model.clips[0].name, "far leap_strike");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is written");
    }

    #[test]
    fn the_revision_is_one_that_is_spoken_and_a_batch_is_answered_as_one() {
        let initialize = |id: u32, revision: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "initialize", "params": { "protocolVersion": revision } });
        let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let batch = json!([initialize(1, "2025-06-18"), notification, initialize(2, "2099-01-01")]);
        let answers = exchange(Vec::new(), &[batch.to_string(), json!([notification]).to_string()]);
        assert_eq!(answers.len(), 1, "a batch of notifications has no answer");
        let revisions: Vec<&Value> =
            answers[0].as_array().unwrap().iter().map(|answer| &answer["result"]["protocolVersion"]).collect();
        assert_eq!(revisions, ["2025-06-18", PROTOCOLS[0]]);
    }

    #[test]
    fn malformed_messages_have_the_error_codes_of_json_rpc() {
        let lines = [
            "{".to_owned(),
            json!({ "jsonrpc": "2.0", "id": 1 }).to_string(),
            json!({ "jsonrpc": "2.0", "id": null, "method": "ping" }).to_string(),
            json!([]).to_string(),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/list" }).to_string(),
            call(3, "screenshot", json!({ "file": "/a.png" })),
            "x".repeat(MAX_LINE_BYTES + 5),
            json!({ "jsonrpc": "2.0", "id": 9, "method": "ping" }).to_string(),
        ];
        let codes: Vec<i64> =
            exchange(Vec::new(), &lines).iter().map(|answer| answer["error"]["code"].as_i64().unwrap()).collect();
        assert_eq!(
            codes,
            [-32700, -32600, -32600, -32600, -32601, -32602, -32700],
            "nothing follows a line that is too long"
        );
    }
}
