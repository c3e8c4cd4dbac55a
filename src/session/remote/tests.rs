use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use portamento_dynamics::cloth::ClothShape;
use serde_json::{Value, json};

use super::*;
use crate::{Command, EditCommand, FileCommand};

mod blender;
mod damaged;

/// A session with remote control on, and a folder with a character.
struct Controlled {
    session: Session,
    folder: tempfile::TempDir,
}

impl Controlled {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(portamento_test_support::asset("hero.glb"), folder.path().join("hero.glb")).unwrap();
        let mut session = Session::inline();
        session.begin_remote(folder.path(), || ());
        assert!(session.notices.all().is_empty() && session.remote.port().is_some());
        Self { session, folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn address(&self) -> (u16, String) {
        let address: Value = serde_json::from_slice(&std::fs::read(self.at(ADDRESS_FILE)).unwrap()).unwrap();
        (address["port"].as_u64().unwrap() as u16, address["token"].as_str().unwrap().to_owned())
    }

    /// Sends `request` with the token, and updates the session until the answer is there.
    fn ask(&mut self, request: Value) -> Result<Value, String> {
        let line = self.line(request);
        self.send(line)
    }

    fn line(&self, mut request: Value) -> Vec<u8> {
        request["token"] = self.address().1.into();
        format!("{request}\n").into_bytes()
    }

    fn send(&mut self, line: Vec<u8>) -> Result<Value, String> {
        let answer = self.begin(line);
        while !answer.is_finished() {
            self.session.update(0.0, true);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        answer.join().unwrap()
    }

    fn begin(&self, line: Vec<u8>) -> JoinHandle<Result<Value, String>> {
        let port = self.address().0;
        std::thread::spawn(move || exchanged(port, &line))
    }
}

/// Returns the result of the first answer, or its error.
fn exchanged(port: u16, bytes: &[u8]) -> Result<Value, String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    // A refused line ends the connection, perhaps before all of it is sent.
    let _ = stream.write_all(bytes);
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).map_err(|error| error.to_string())?;
    let mut answer: Value = serde_json::from_str(&line).map_err(|error| format!("{error} in {line:?}"))?;
    match answer["ok"] == true {
        true => Ok(answer["result"].take()),
        false => Err(answer["error"].as_str().unwrap().to_owned()),
    }
}

fn stretch() -> Value {
    json!([{ "stretch": { "settings": { "target": { "world": [0, 0, 7] } } } }])
}

#[test]
fn a_program_opens_makes_inspects_and_exports() {
    let mut controlled = Controlled::new();
    let (hero, out) = (controlled.at("hero.glb"), controlled.at("exchange/out"));
    let opened = controlled.ask(json!({ "request": "open", "files": [hero] })).unwrap();
    let clips = opened["files"][0]["clips"].as_array().unwrap();
    assert!(clips.contains(&json!("leap_strike")), "{opened}");
    let recipe = json!({ "takes": [{ "name": "far {clip}", "source": "slot:clip", "stages": stretch() }] });
    let clip = json!({ "file": hero, "clip": "leap_strike" });
    let created = controlled.ask(json!({ "request": "make", "recipe": recipe, "clips": [clip] })).unwrap();
    assert_eq!(created["takes"][0]["name"], "far leap_strike");
    let inspected = controlled.ask(json!({ "request": "inspect", "file": hero })).unwrap();
    assert_eq!(inspected["roles"]["head"], "head");
    let export = json!({ "request": "export", "folder": out, "keep": "alone" });
    let exported = controlled.ask(export.clone()).unwrap();
    assert_eq!(exported["takes"][0]["state"], "written", "{exported}");
    let file = PathBuf::from(exported["takes"][0]["files"][0].as_str().unwrap());
    let model = portamento_formats::import::import(&file).unwrap().model;
    assert_eq!(model.clips[0].name, "far leap_strike");
    assert_eq!(controlled.ask(export).unwrap()["takes"][0]["state"], "kept", "unchanged takes are not written again");
    assert_eq!(controlled.session.document.takes.len(), 1);
    controlled.session.perform(Command::Edit(EditCommand::Undo));
    assert!(controlled.session.document.takes.is_empty(), "a request is one step of undo");
}

#[test]
fn a_recipe_with_its_own_files_joins_a_project_with_other_ids() {
    let mut controlled = Controlled::new();
    let (hero, jog) = (controlled.at("hero.glb"), controlled.at("jog.bvh"));
    std::fs::copy(portamento_test_support::asset("mocap.bvh"), &jog).unwrap();
    controlled.ask(json!({ "request": "open", "files": [jog] })).unwrap();
    let take = |id: u32, name: &str, clip: &str| {
        let source = json!({ "clip": { "file": 1, "clip": clip } });
        json!({ "id": id, "name": name, "character": 1, "source": source, "stages": stretch() })
    };
    let takes = json!([take(1, "far", "leap_strike"), take(2, "farther", "take:1")]);
    let recipe = json!({ "files": [hero], "takes": takes });
    let created = controlled.ask(json!({ "request": "make", "recipe": recipe })).unwrap();
    let status = controlled.ask(json!({ "request": "status" })).unwrap();
    assert_eq!(status["takes"][0]["character"], json!(hero));
    let first = &created["takes"][0]["id"];
    assert_eq!(status["takes"][1]["source_clip"], json!(format!("take:{first}")), "{status}");
    let broken = json!({ "files": [hero], "takes": [take(1, "a", "run"), { "name": "b", "character": 9,
        "source": { "clip": { "file": 9, "clip": "run" } } }] });
    let refused = controlled.ask(json!({ "request": "make", "recipe": broken })).unwrap_err();
    assert!(refused.contains("“b”"), "{refused}");
    assert_eq!(controlled.session.document.takes.len(), 2, "nothing of a refused recipe is added");
}

#[test]
fn a_file_that_is_sent_again_leaves_the_shown_take_in_view() {
    let mut controlled = Controlled::new();
    let (hero, other) = (controlled.at("hero.glb"), controlled.at("other.glb"));
    std::fs::copy(&hero, &other).unwrap();
    controlled.ask(json!({ "request": "open", "files": [hero] })).unwrap();
    let recipe = json!({ "takes": [{ "name": "{clip}", "source": "slot:clip", "stages": stretch() }] });
    let clips = json!([{ "file": hero, "clip": "run" }]);
    controlled.ask(json!({ "request": "make", "recipe": recipe, "clips": clips })).unwrap();
    controlled.session.selection.shown = crate::Shown::Take(controlled.session.document.takes[0].id);
    let again = controlled.ask(json!({ "request": "open", "files": [hero] })).unwrap();
    assert_eq!(again["takes"][0]["is_shown"], true);
    let opened = controlled.ask(json!({ "request": "open", "files": [hero, other] })).unwrap();
    assert_eq!(opened["takes"][0]["is_shown"], false, "a new file is shown");
}

#[test]
fn the_fingerprint_of_a_take_changes_with_its_result() {
    let mut controlled = Controlled::new();
    let hero = controlled.at("hero.glb");
    controlled.ask(json!({ "request": "open", "files": [hero] })).unwrap();
    let recipe = json!({ "takes": [{ "name": "{clip}", "source": "slot:clip", "stages": stretch() }] });
    let clips = json!([{ "file": hero, "clip": "run" }, { "file": hero, "clip": "leap_strike" }]);
    controlled.ask(json!({ "request": "make", "recipe": recipe, "clips": clips })).unwrap();
    let fingerprints = |controlled: &mut Controlled| {
        let status = controlled.ask(json!({ "request": "status" })).unwrap();
        [0, 1].map(|index| status["takes"][index]["fingerprint"].clone())
    };
    let before = fingerprints(&mut controlled);
    assert_eq!(fingerprints(&mut controlled), before);
    controlled.session.document.takes[0].stages.clear();
    let after = fingerprints(&mut controlled);
    assert!(after[0] != before[0] && after[1] == before[1], "{after:?}");
}

#[test]
fn the_revision_is_answered_without_the_session_and_changes_with_takes_and_after_edits() {
    let mut controlled = Controlled::new();
    let hero = controlled.at("hero.glb");
    let port = controlled.address().0;
    // The session is not updated meanwhile.
    let line = controlled.line(json!({ "request": "revision" }));
    let revision = || exchanged(port, &line).unwrap().as_u64().unwrap();
    let mut last = revision();
    let opened = controlled.ask(json!({ "request": "open", "files": [hero] })).unwrap();
    assert!(opened["revision"] == revision() && revision() > last, "{opened}");
    let unchanged = revision();
    controlled.session.update(0.1, true);
    assert_eq!(
        (controlled.ask(json!({ "request": "status" })).unwrap()["revision"].as_u64(), revision()),
        (Some(unchanged), unchanged)
    );
    controlled.session.perform(Command::Edit(EditCommand::AddCloth(ClothShape::Flag)));
    for calm in [true, false, true] {
        last = revision();
        controlled.session.update(0.0, calm);
        assert!(revision() > last, "{calm}");
    }
    let mut later = Session::inline();
    later.begin_remote(controlled.folder.path(), || ());
    let line = controlled.line(json!({ "request": "revision" }));
    assert!(
        exchanged(controlled.address().0, &line).unwrap().as_u64().unwrap() > revision(),
        "another window has others"
    );
}

#[test]
fn lines_without_token_too_long_or_malformed_are_refused_and_end_the_connection() {
    let controlled = Controlled::new();
    let (port, token) = controlled.address();
    let long = format!("{{\"token\":\"{token}\",\"request\":\"{}\"}}\n", "x".repeat(MAX_LINE_BYTES));
    let mut refused = 0;
    for (line, part) in [
        ("{\"request\":\"status\"}\n".to_owned(), "token"),
        ("{\"token\":5,\"request\":\"status\"}\n".to_owned(), "token"),
        (format!("{{\"token\":\"{}\",\"request\":\"status\"}}\n", &token[..63]), "token"),
        (format!("{{\"token\":\"{}\",\"request\":\"status\"}}\n", "0".repeat(64)), "token"),
        ("[]\n".to_owned(), "one JSON object"),
        ("{\n".to_owned(), "one JSON object"),
        // A page in a browser can send requests to this computer, but no line with the token.
        ("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".to_owned(), "one JSON object"),
        ("\u{0}\u{1}\n".to_owned(), "one JSON object"),
        (long, "bytes"),
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let _ = stream.write_all(line.as_bytes());
        let _ = stream.write_all(format!("{{\"token\":\"{token}\",\"request\":\"status\"}}\n").as_bytes());
        let mut all = Vec::new();
        // A connection that is closed with unread input may be reset.
        let _ = stream.read_to_end(&mut all);
        let answers = String::from_utf8(all).unwrap();
        assert!(answers.lines().count() <= 1, "{answers}");
        let is_refused = answers.contains("\"ok\":false") && answers.contains(part);
        assert!(answers.is_empty() || is_refused, "{answers}");
        refused += usize::from(is_refused);
    }
    assert!(refused >= 5, "{refused} refusals arrived");
}

#[test]
fn requests_that_are_not_understood_are_answered_and_the_connection_goes_on() {
    let mut controlled = Controlled::new();
    for (request, part) in [
        (json!({ "request": "format_disk" }), "format_disk"),
        (json!({ "request": "open" }), "files"),
        (json!({ "request": "open", "files": ["hero.glb"] }), "relative path"),
        (json!({ "request": "open", "files": [controlled.at("none.glb")] }), "none.glb"),
        (json!({ "request": "open", "files": [], "more": 1 }), "more"),
        (json!({ "request": "make", "recipe": { "takes": [{ "name": "a" }] } }), "not a recipe"),
        (json!({ "request": "inspect", "file": "/etc" }), "etc"),
        (json!({ "request": "export", "folder": controlled.at("exchange"), "preset": "none" }), "use unreal"),
        (json!({ "request": "export", "folder": controlled.at("exchange"), "takes": [77] }), "77"),
    ] {
        let refused = controlled.ask(request.clone()).unwrap_err();
        assert!(refused.contains(part), "{request}: {refused}");
    }
    let both = [controlled.line(json!({ "request": "no" })), controlled.line(json!({ "request": "status" }))].concat();
    let port = controlled.address().0;
    let client = std::thread::spawn(move || {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(&both).unwrap();
        let lines = BufReader::new(stream).lines().take(2).map(Result::unwrap);
        lines.map(|line| line.contains("\"ok\":true")).collect::<Vec<_>>()
    });
    while !client.is_finished() {
        controlled.session.update(0.0, true);
    }
    assert_eq!(client.join().unwrap(), [false, true]);
}

#[test]
fn files_are_written_only_to_folders_that_the_user_gave_and_never_over_a_source() {
    let mut controlled = Controlled::new();
    let [hero, given, other] = ["hero.glb", "given", "other"].map(|name| controlled.at(name));
    [&given, &other].iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
    controlled.session.preferences.remote_folders = vec![given.clone()];
    controlled.ask(json!({ "request": "open", "files": [hero] })).unwrap();
    let recipe = json!({ "takes": [{ "name": "{clip}", "source": "slot:clip", "stages": [] }] });
    let clips = json!([{ "file": hero, "clip": "run" }]);
    controlled.ask(json!({ "request": "make", "recipe": recipe, "clips": clips })).unwrap();
    let mut outside = vec![other.clone(), given.join("../other"), PathBuf::from("given"), controlled.at("given2")];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&other, given.join("link")).unwrap();
        outside.push(given.join("link/deeper"));
    }
    for folder in outside {
        for request in [
            json!({ "request": "export", "folder": folder, "replace": true }),
            json!({ "request": "screenshot", "file": folder.join("a.png") }),
        ] {
            let refused = controlled.ask(request).unwrap_err();
            assert!(refused.contains("folders that the user gave"), "{}: {refused}", folder.display());
        }
    }
    assert_eq!(std::fs::read_dir(&other).unwrap().count(), 0);
    controlled.ask(json!({ "request": "export", "folder": given.join("new/deep"), "keep": "alone" })).unwrap();
    assert!(given.join("new/deep/run.glb").exists());
    // A source in a folder that may be written is not replaced.
    let source = given.join("run.glb");
    std::fs::copy(&hero, &source).unwrap();
    controlled.ask(json!({ "request": "open", "files": [source] })).unwrap();
    let export = json!({ "request": "export", "folder": given, "keep": "alone", "replace": true });
    let outcome = controlled.ask(export).unwrap();
    assert_eq!(outcome["takes"][0]["state"], "failed", "{outcome}");
    assert_eq!(std::fs::read(&source).unwrap(), std::fs::read(&hero).unwrap());
}

#[test]
fn a_picture_is_written_when_the_window_gives_it() {
    let mut controlled = Controlled::new();
    let file = controlled.at("exchange/a.png");
    let line = controlled.line(json!({ "request": "screenshot", "file": file }));
    let answer = controlled.begin(line);
    while controlled.session.remote.wanted_picture().is_none() {
        controlled.session.update(0.0, true);
    }
    controlled.session.give_picture([2, 1], vec![1, 2, 3, 4, 5, 6]);
    assert_eq!(answer.join().unwrap().unwrap()["file"], json!(file));
    assert_eq!(image::open(&file).unwrap().into_rgb8().as_raw(), &[1, 2, 3, 4, 5, 6]);
    controlled.session.end_remote();
    assert!(Session::inline().remote.port().is_none());
}

#[test]
fn requests_that_change_something_wait_until_nothing_is_edited() {
    let mut controlled = Controlled::new();
    let line = controlled.line(json!({ "request": "open", "files": [controlled.at("hero.glb")] }));
    let answer = controlled.begin(line);
    for _ in 0..50 {
        controlled.session.update(0.0, false);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert!(controlled.session.document.files.is_empty() && !answer.is_finished());
    let status = controlled.line(json!({ "request": "status" }));
    let status = controlled.begin(status);
    while !status.is_finished() {
        controlled.session.update(0.0, false);
    }
    assert!(status.join().unwrap().is_ok(), "the status is read while something is edited");
    while !answer.is_finished() {
        controlled.session.update(0.0, true);
    }
    assert!(answer.join().unwrap().is_ok());
}

#[test]
fn unsaved_work_is_not_replaced_by_a_project() {
    let mut controlled = Controlled::new();
    let project = controlled.at("a.portamento");
    let hero = controlled.at("hero.glb");
    controlled.ask(json!({ "request": "open", "files": [hero] })).unwrap();
    controlled.session.perform(Command::File(FileCommand::SaveAs(project.clone())));
    controlled.ask(json!({ "request": "open", "files": [project] })).unwrap();
    controlled.session.perform(Command::Edit(EditCommand::AddCloth(ClothShape::Flag)));
    let refused = controlled.ask(json!({ "request": "open", "files": [project] })).unwrap_err();
    assert!(refused.contains("unsaved changes"), "{refused}");
    assert_eq!(controlled.session.document.takes.len(), 1);
}

#[test]
fn the_address_is_private_new_each_time_and_removed_at_the_end() {
    let mut controlled = Controlled::new();
    let path = controlled.at(ADDRESS_FILE);
    let (port, token) = controlled.address();
    assert_eq!(token.len(), 64);
    #[cfg(unix)]
    for (path, mode) in [(&path, 0o600), (&controlled.at("exchange"), 0o700)] {
        let permissions = std::fs::metadata(path).unwrap().permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&permissions) & 0o777, mode);
    }
    let mut later = Session::inline();
    later.begin_remote(controlled.folder.path(), || ());
    let (other_port, other_token) = controlled.address();
    assert!(port != other_port && token != other_token);
    controlled.session.end_remote();
    assert!(path.exists(), "the file of the later window stays");
    drop(later);
    assert!(wait_until(|| !path.exists()), "the file is removed");
    assert!(wait_until(|| TcpStream::connect(("127.0.0.1", port)).is_err()), "nothing listens");
}

#[test]
fn seventeen_idle_connections_do_not_stop_the_window_and_end_with_it() {
    let mut controlled = Controlled::new();
    let port = controlled.address().0;
    let mut idle: Vec<TcpStream> = (0..17).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    let line = controlled.line(json!({ "request": "status" }));
    assert!(exchanged(port, &line).is_err(), "there is room for sixteen");
    idle.clear();
    let mut answered = || controlled.send(line.clone()).is_ok();
    assert!(wait_until(&mut answered), "closed connections make room");
}

fn wait_until(mut is_true: impl FnMut() -> bool) -> bool {
    (0..500).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        is_true()
    })
}

#[test]
fn the_schema_of_every_request_fits_its_fields() {
    let folder = Path::new("/folder");
    for request in REQUESTS {
        let schema = (request.schema)();
        let mut example = json!({ "request": request.name });
        for (name, field) in schema["properties"].as_object().unwrap() {
            example[name] = match (field["type"].as_str(), name.as_str()) {
                (_, "recipe") => json!({}),
                (_, "preset") => "godot".into(),
                (_, "keep") => "alone".into(),
                (Some("array"), _) => json!([]),
                (Some("boolean"), _) => true.into(),
                (Some("number"), _) => 30.into(),
                _ => json!(folder),
            };
        }
        Request::from_json(example.clone()).unwrap_or_else(|error| panic!("{example}: {error}"));
        for required in schema["required"].as_array().unwrap() {
            let mut without = example.clone();
            without.as_object_mut().unwrap().remove(required.as_str().unwrap());
            assert!(Request::from_json(without).is_err() || required == "folder", "{}: {required}", request.name);
        }
    }
}
