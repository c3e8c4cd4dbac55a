//! Recovery of unsaved work in the real window, after the last window was killed or failed.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::real_window::{Display, Window, samples, wait};
use crate::{skipped, target};

/// Creates a folder with the sample project and an autosave interval of `seconds`.
fn project_folder(seconds: u32) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    samples(folder.path());
    let home = home(&folder);
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("preferences.json"), format!(r#"{{"autosave_seconds": {seconds}}}"#)).unwrap();
    folder
}

fn home(folder: &TempDir) -> PathBuf {
    folder.path().join("home")
}

/// Returns the stored states in the user folder, oldest first.
fn stored_states(folder: &TempDir) -> Vec<Value> {
    let mut paths = files(folder, "autosave");
    // File names start with the project, followed by the time.
    paths.sort_by_key(|path| path.to_string_lossy().split('-').rev().nth(1).map(str::to_owned));
    let read = |path: &PathBuf| serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok();
    paths.iter().filter_map(read).collect()
}

fn files(folder: &TempDir, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home(folder).join("recovery")).into_iter().flatten().flatten();
    let is_wanted = |path: &PathBuf| path.extension().is_some_and(|end| end == extension);
    entries.map(|entry| entry.path()).filter(is_wanted).collect()
}

fn of_project(state: &Value) -> Option<&str> {
    state["recovery"]["project"].as_str()
}

fn saved(folder: &TempDir) -> String {
    std::fs::read_to_string(folder.path().join("samples.portamento")).unwrap()
}

/// Opens a window, or says why the test is skipped.
macro_rules! window_or_skip {
    ($display:ident, $folder:ident, $argument:expr, $title:expr) => {
        match Window::start(&$display, $folder.path(), $argument, $title) {
            Ok(window) => window,
            Err(reason) => return skipped(&reason),
        }
    };
}

macro_rules! display_or_skip {
    () => {
        match Display::open() {
            Ok(display) => display,
            Err(reason) => return skipped(&reason),
        }
    };
}

/// Moves the target of the first take.
fn move_target(window: &Window) {
    let ring = window.ring();
    window.drag(ring, &[(ring.0 + 40, ring.1 - 20), (ring.0 + 80, ring.1 - 20)]);
    window.wait_unsaved(true);
}

/// Returns the newest stored state of the project in which the target has moved.
fn moved_state(folder: &TempDir) -> Value {
    let before = target(&saved(folder));
    wait("the moved target is kept", || {
        let newest = stored_states(folder).into_iter().rfind(|state| of_project(state).is_some())?;
        (target(&newest.to_string()) != before).then_some(newest)
    })
}

#[test]
fn work_of_a_killed_window_is_offered_recovered_and_saved() {
    let (display, folder) = (display_or_skip!(), project_folder(1));
    let project = folder.path().join("samples.portamento");
    let window = window_or_skip!(display, folder, Some(&project), "^samples");
    let before = saved(&folder);
    move_target(&window);
    let state = moved_state(&folder);
    // Killed without a chance to save.
    drop(window);
    assert_eq!(saved(&folder), before);
    let window = window_or_skip!(display, folder, None, "^untitled");
    window.press_main_button(|| window.title().starts_with("samples"));
    assert!(!stored_states(&folder).is_empty(), "opening removes nothing");
    assert_eq!(target(&window.save()), target(&state.to_string()));
    wait("what was saved is no longer kept", || stored_states(&folder).is_empty().then_some(()));
}

#[test]
fn a_window_killed_before_an_autosave_leaves_the_saved_project() {
    let (display, folder) = (display_or_skip!(), project_folder(3600));
    let project = folder.path().join("samples.portamento");
    let window = window_or_skip!(display, folder, Some(&project), "^samples");
    let before = saved(&folder);
    move_target(&window);
    drop(window);
    assert_eq!((saved(&folder), stored_states(&folder)), (before.clone(), Vec::new()));
    let starts: [(Option<&Path>, &str); 2] = [(Some(&project), "^samples"), (None, "^untitled")];
    for (argument, title) in starts {
        let window = window_or_skip!(display, folder, argument, title);
        // Without an offer, the viewport is the first thing to respond.
        if argument.is_some() {
            window.ring();
            assert_eq!(window.main_buttons(), []);
        }
        assert!(!window.title().contains('*'), "{}", window.title());
    }
    assert_eq!(saved(&folder), before);
}

#[test]
fn work_of_each_of_two_windows_is_offered_after_it_ended() {
    let (display, folder) = (display_or_skip!(), project_folder(1));
    let project = folder.path().join("samples.portamento");
    let first = window_or_skip!(display, folder, Some(&project), "^samples");
    move_target(&first);
    let named = moved_state(&folder);
    // A character only: a project that was never saved.
    let hero = folder.path().join("hero.glb");
    let second = window_or_skip!(display, folder, Some(&hero), "^untitled");
    let untitled =
        |folder: &TempDir| stored_states(folder).into_iter().filter(|state| of_project(state).is_none()).collect();
    let states = |count: usize| {
        wait(&format!("{count} states without a name are kept"), || {
            let all: Vec<Value> = untitled(&folder);
            (all.len() == count).then_some(all)
        })
    };
    let state = states(1).remove(0);
    drop(second);
    // The first window is still open, so only the second's work is offered.
    let third = window_or_skip!(display, folder, None, "^untitled");
    third.press_main_button(|| third.is_unsaved());
    let again = states(2);
    assert_eq!(again[0]["document"], state["document"]);
    assert_eq!(again[1]["recovery"]["state"], state["recovery"]["state"], "what was opened is what was kept");
    drop((first, third));
    let fourth = window_or_skip!(display, folder, Some(&project), "^samples");
    assert!(!fourth.title().contains('*'), "the project is opened as it was saved");
    // Newest first, with the main button; the oldest belongs to the project.
    wait("all three are offered", || (fourth.main_buttons().len() == 1).then_some(()));
    fourth.press_by_keys(5);
    wait("it is opened", || fourth.is_unsaved().then_some(()));
    assert_eq!(target(&fourth.save()), target(&named.to_string()));
    wait("only what was never saved is kept still", || {
        stored_states(&folder).iter().all(|of| of_project(of).is_none()).then_some(())
    });
    assert_eq!(stored_states(&folder).len(), 2);
}

#[test]
fn a_failing_window_stores_its_work_and_the_next_one_offers_it() {
    let (display, folder) = (display_or_skip!(), project_folder(3600));
    let project = folder.path().join("samples.portamento");
    let window = window_or_skip!(display, folder, Some(&project), "^samples");
    let before = saved(&folder);
    move_target(&window);
    let words = window.fail();
    assert!(words.contains("your work is in") && words.contains("a report is in"), "{words}");
    let reports = files(&folder, "txt");
    assert!(reports.len() == 1 && words.contains(&reports[0].display().to_string()), "{reports:?}");
    assert!(std::fs::read_to_string(&reports[0]).unwrap().contains("failed on purpose"));
    assert_eq!(saved(&folder), before);
    let state = moved_state(&folder);
    let window = window_or_skip!(display, folder, None, "^untitled");
    window.press_main_button(|| window.title().starts_with("samples"));
    assert_eq!(target(&window.save()), target(&state.to_string()));
}
