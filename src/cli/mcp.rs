//! `portamento mcp`: the requests of remote control as tools of the Model Context Protocol, on standard input and output.

use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::stdio;
use rmcp::{ServerHandler, ServiceExt as _};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::oneshot;

use super::{Failure, make};
use portamento_base::message::Message;
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

/// The tool that needs a window.
const NEEDS_WINDOW: &str = "screenshot";

impl Arguments {
    /// Serves until the input ends. Returns `Err` if the connection cannot be made or fails.
    pub(super) fn run(self) -> Result<(), Failure> {
        let (input, output) = stdio();
        serve(self.out, input, output)
    }
}

/// Serves until `input` ends. The protocol runs on a second thread, the session on the calling one. `out` are the folders to which
/// takes may be exported. A line above [`MAX_LINE_BYTES`] is skipped.
fn serve<R, W>(out: Vec<PathBuf>, input: R, output: W) -> Result<(), Failure>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (calls, received) = channel();
    let connection = std::thread::spawn(move || connect(Tools { calls }, input, output));
    let mut session = Session::inline();
    session.preferences.remote_folders =
        out.into_iter().map(|folder| std::path::absolute(&folder).unwrap_or(folder)).collect();
    for Call { request, outcome } in received {
        // An agent that is gone needs no answer.
        let _ = outcome.send(performed(&mut session, request));
    }
    let ended = connection.join().unwrap_or_else(|_| Err("its thread stopped".to_owned()));
    ended.map_err(|why| Failure::Failed(format!("The connection ended: {why}.")))
}

/// Speaks the protocol until `input` ends. Returns `Err` with the reason if the connection cannot be made or breaks.
fn connect<R, W>(tools: Tools, input: R, output: W) -> Result<(), String>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(|why| why.to_string())?;
    let ended = runtime.block_on(async {
        let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_LINE_BYTES);
        match tools.serve(transport).await {
            Ok(service) => service.waiting().await.map(|_| ()).map_err(|why| why.to_string()),
            // The input ended before a session began.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(why) => Err(why.to_string()),
        }
    });
    // A read of standard input cannot be cancelled and is not waited for.
    runtime.shutdown_background();
    ended
}

/// A request of the agent, and the receiver of its outcome.
struct Call {
    request: Request,
    outcome: oneshot::Sender<Result<Value, Message>>,
}

/// The tools that are offered to the agent.
struct Tools {
    calls: Sender<Call>,
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("portamento", VERSION))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            REQUESTS.iter().filter(|tool| tool.name != NEEDS_WINDOW).map(described).collect(),
        ))
    }

    /// Performs a tool. Its errors are results, so that the agent reads them; a tool that is not offered is an error of the protocol.
    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if call.name == NEEDS_WINDOW || REQUESTS.iter().all(|tool| tool.name != call.name) {
            return Err(ErrorData::invalid_params(format!("There is no tool “{}”.", call.name), None));
        }
        let mut request = call.arguments.unwrap_or_default();
        request.insert("request".into(), call.name.into());
        let outcome = match Request::from_json(Value::Object(request)) {
            Ok(request) => self.perform(request).await,
            Err(why) => Err(why),
        };
        Ok(match outcome {
            Ok(result) => CallToolResult::success(vec![ContentBlock::text(result.to_string())]),
            Err(why) => CallToolResult::error(vec![ContentBlock::text(why.to_string())]),
        }
        .into())
    }
}

impl Tools {
    /// Has the session perform a request. Returns `Err` with the reason for the agent.
    async fn perform(&self, request: Request) -> Result<Value, Message> {
        let (outcome, performed) = oneshot::channel();
        // A session that is gone drops the call, which ends the wait below.
        let _ = self.calls.send(Call { request, outcome });
        performed.await.unwrap_or_else(|_| Err(cancelled()))
    }
}

/// Returns a tool with its schema, that of `make` with the schema of recipes.
fn described(tool: &RequestDescription) -> Tool {
    let mut schema = (tool.schema)();
    if let Some(recipe) = schema.pointer_mut("/properties/recipe") {
        *recipe = make::schema();
    }
    let schema = if let Value::Object(schema) = schema { schema } else { serde_json::Map::new() };
    Tool::new(tool.name, tool.about, schema)
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
    answer.try_recv().unwrap_or_else(|_| Err(cancelled()))
}

fn cancelled() -> Message {
    Message::verbatim("The request was cancelled.".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::io::AsyncReadExt as _;

    use super::*;

    /// Room for the answers of a test, bytes.
    const ANSWERS: usize = 1 << 24;

    /// Returns the first line of a session, with a revision of the protocol.
    fn opening(revision: &str) -> String {
        let client = json!({ "name": "test", "version": "1" });
        let parameters = json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": client });
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": parameters }).to_string()
    }

    /// Returns the answers to lines.
    fn exchange(out: Vec<PathBuf>, lines: &[String]) -> Vec<Value> {
        let (mut agent, server) = tokio::io::duplex(ANSWERS);
        let input: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        serve(out, std::io::Cursor::new(input.into_bytes()), server).unwrap();
        let mut answers = String::new();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(agent.read_to_string(&mut answers)).unwrap();
        answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn request(id: u32, method: &str, parameters: Value) -> String {
        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }).to_string()
    }

    fn call(id: u32, name: &str, arguments: Value) -> String {
        request(id, "tools/call", json!({ "name": name, "arguments": arguments }))
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
                opening("2025-03-26"),
                json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string(),
                request(2, "tools/list", json!({})),
                call(3, "open", json!({ "files": [hero] })),
                call(4, "make", json!({ "recipe": recipe, "clips": clips })),
                call(5, "export", json!({ "folder": out, "keep": "alone" })),
                call(6, "export", json!({ "folder": folder.path() })),
                call(7, "inspect", json!({ "file": hero })),
            ],
        );
        assert_eq!(answers.len(), 7, "a notification has no answer");
        let answer = |id: u32| &answers.iter().find(|answer| answer["id"] == id).unwrap()["result"];
        assert_eq!(answer(0)["protocolVersion"], "2025-03-26");
        assert_eq!(answer(0)["serverInfo"], json!({ "name": "portamento", "version": VERSION }));
        let tools = answer(2)["tools"].as_array().unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["status", "revision", "open", "make", "inspect", "export"]);
        let stages = "/inputSchema/properties/recipe/properties/takes/items/properties/stages/items/oneOf";
        assert!(tools[3].pointer(stages).is_some_and(|stages| stages.as_array().unwrap().len() > 5));
        for (id, is_error) in [(3, false), (4, false), (5, false), (6, true), (7, false)] {
            assert_eq!(answer(id)["isError"], is_error, "{}", answer(id));
        }
        let model = portamento_formats::import::import(&out.join("far_leap_strike.glb")).unwrap().model;
        assert_eq!(model.clips[0].name, "far leap_strike");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is written");
    }

    #[test]
    fn lines_that_are_no_requests_do_not_end_the_session() {
        let lines = [
            opening("2099-01-01"),
            "{".to_owned(),
            "x".repeat(MAX_LINE_BYTES + 5),
            request(2, "no/such", json!({})),
            call(3, "screenshot", json!({ "file": "/a.png" })),
            call(4, "make", json!({ "recipe": 5 })),
            request(9, "ping", json!({})),
        ];
        let answers = exchange(Vec::new(), &lines);
        let answer = |id: u32| answers.iter().find(|answer| answer["id"] == id).unwrap();
        assert!(answer(0)["result"]["protocolVersion"].is_string(), "a revision that is spoken is offered");
        assert_eq!(answer(2)["error"]["code"], -32601, "there is no such method");
        assert_eq!(answer(3)["error"]["code"], -32602, "the tool needs a window");
        assert_eq!(answer(4)["result"]["isError"], true, "errors of a tool are results");
        assert!(answer(9)["result"].is_object());
        assert_eq!(answers.len(), 5);
    }

    #[test]
    fn an_input_that_ends_before_a_session_begins_is_no_failure() {
        assert!(exchange(Vec::new(), &[]).is_empty());
    }
}
