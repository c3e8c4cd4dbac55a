//! Requests whose structure is damaged: they are answered at once and write only where they may.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use portamento_anim::math::random::{SplitMix64, spread};
use portamento_test_support::{damaged_json, mutants};

use super::*;

/// Longest time until a damaged request is answered, in a development build with other work on the machine.
const ANSWER_TIME: Duration = Duration::from_secs(10);

/// Sound requests of every kind about the files in `controlled`.
fn requests(controlled: &Controlled) -> Vec<Value> {
    let (hero, exchange) = (controlled.at("hero.glb"), controlled.at("exchange"));
    let recipe = json!({
        "files": [hero],
        "takes": [
            { "name": "far {clip}", "source": "slot:clip", "stages": stretch() },
            { "name": "own", "character": 1, "source": { "clip": { "file": 1, "clip": "run" } }, "stages": stretch() },
        ],
    });
    vec![
        json!({ "request": "status" }),
        json!({ "request": "revision" }),
        json!({ "request": "open", "files": vec![&hero; 1000] }),
        json!({ "request": "make", "recipe": recipe, "clips": [{ "file": hero, "clip": "run" }] }),
        json!({ "request": "inspect", "file": hero }),
        json!({ "request": "export", "folder": exchange.join("out"), "takes": [], "keep": "alone", "fps": 24.0 }),
        json!({ "request": "screenshot", "file": exchange.join("a.png"), "replace": true }),
    ]
}

/// Answers `request` and returns true if it succeeded. Pictures are not taken.
fn is_done(session: &mut Session, request: Request) -> bool {
    let (sender, answers) = channel();
    session.answer(
        request,
        Box::new(move |answer| {
            let _ = sender.send(answer.is_ok());
        }),
    );
    loop {
        session.update(0.0, true);
        match answers.try_recv() {
            Ok(is_ok) => return is_ok,
            Err(_) if session.remote.picture.take().is_some() => return true,
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Returns the names of the files in `folder`, folders not included.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.path().is_file());
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn requests_with_damaged_structure_are_answered_at_once_and_write_only_where_they_may() {
    let mut controlled = Controlled::new();
    let seeds = requests(&controlled);
    for request in &seeds {
        let (request, begun) = (Request::from_json(request.clone()).unwrap(), Instant::now());
        assert!(is_done(&mut controlled.session, request.clone()), "{request:?}");
        assert!(begun.elapsed() < ANSWER_TIME, "{request:?}");
    }
    let (hero, document) = (controlled.at("hero.glb"), controlled.session.document.clone());
    let (source, files) = (std::fs::read(&hero).unwrap(), names(controlled.folder.path()));
    let (count, mut parsed, mut done, mut slowest) = (mutants(240), 0, 0, Duration::ZERO);
    for number in 0..count {
        let seed = seeds[number as usize % seeds.len()].to_string();
        let damaged = damaged_json(seed.as_bytes(), &mut SplitMix64::new(spread(number)));
        let Ok(json) = serde_json::from_slice(&damaged) else { continue };
        let Ok(request) = Request::from_json(json) else { continue };
        let begun = Instant::now();
        parsed += 1;
        done += u64::from(is_done(&mut controlled.session, request));
        slowest = slowest.max(begun.elapsed());
        assert!(slowest < ANSWER_TIME, "{number}: {slowest:?}");
        if controlled.session.document != document {
            controlled.session.document = document.clone();
        }
    }
    println!("{parsed} of {count} understood, {done} done, the slowest in {slowest:?}");
    assert!(parsed > count / 10 && done > 0 && done < count, "{parsed} {done}");
    assert!(std::fs::read(&hero).unwrap() == source, "a source was changed");
    assert_eq!(names(controlled.folder.path()), files);
}
