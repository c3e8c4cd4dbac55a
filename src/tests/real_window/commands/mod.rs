//! Runs every command of the palette and every entry of the menus in the real window and checks the result: files, the
//! saved project or the picture.
//!
//! `cargo test --test window commands -- --ignored` runs them one after the other in about six minutes.

mod edits;
mod files;
mod library;
mod menus;
mod views;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use portamento::session::command;
use serde_json::Value;

use super::{ALL, Area, Display, Rgb, SIZE, Window, pause};
use crate::skipped;

/// Everything between the menu bar and the status bar.
const MIDDLE: Area = Area { x: (0, SIZE.0), y: (42, 772) };
/// The right side of the view, in which messages appear.
const MESSAGES: Area = Area { x: (600, 990), y: (40, 480) };
/// Time within which a command must take effect.
const PATIENCE: Duration = Duration::from_secs(20);
/// Number of times that a command is given, because a busy machine may lose a click.
const ATTEMPTS: usize = 3;
/// Time after which a click counts as lost.
const REACTION: Duration = Duration::from_secs(4);
/// A point at the edge of the outliner, and the red part of its colour without a dialog.
const EDGE: (usize, usize) = (4, 600);
const PANEL_RED: u8 = 0x1B;
/// Time for all trials in one window; then the others fail.
const ALL_TRIALS: Duration = Duration::from_secs(150);
/// Time without changes after which the window counts as idle.
const REST: Duration = Duration::from_millis(150);
/// Time without changes after which a take is completely shown: its strips and maps appear later than its first picture.
const SHOWN: Duration = Duration::from_millis(700);
/// Number of changed pixels below which a command did nothing; a caret has less.
const MIN_CHANGED_PIXELS: usize = 40;

type Outcome = Result<(), String>;

/// A command of the catalogue and the check of its effect.
type Trial = (&'static str, fn(&Bench, &str) -> Outcome);

/// A window on the sample project for several trials.
struct Bench<'a> {
    window: &'a Window<'a>,
    folder: &'a Path,
    menus: menus::Menus,
    /// The name of the shown take.
    shown: RefCell<String>,
    /// The saved project before the first edit.
    before: RefCell<Option<Value>>,
}

/// Each command is run once: by its menu entry, otherwise by the palette.
#[test]
fn every_command_of_the_palette_is_tried_in_the_window() {
    let mut tried: Vec<&str> = [files::TRIALS, edits::TRIALS, views::TRIALS, library::TRIALS]
        .into_iter()
        .flatten()
        .map(|(command, _)| *command)
        .collect();
    let mut all: Vec<&str> = command::catalogue().iter().map(|entry| entry.name).collect();
    tried.sort_unstable();
    all.sort_unstable();
    assert_eq!(tried, all);
}

/// Opens the sample project, runs `prepare` and all `trials`, and fails with a list of the commands without effect.
fn try_all(trials: &[Trial], prepare: impl FnOnce(&Bench) -> Outcome) {
    let display = match Display::open() {
        Ok(display) => display,
        Err(reason) => return skipped(&reason),
    };
    let folder = tempfile::tempdir().unwrap();
    let window = match Window::open(&display, folder.path()) {
        Ok(window) => window,
        Err(reason) => return skipped(&reason),
    };
    let bench = Bench {
        window: &window,
        folder: folder.path(),
        menus: menus::Menus::default(),
        shown: RefCell::default(),
        before: RefCell::default(),
    };
    bench.leave();
    window.still();
    prepare(&bench).unwrap();
    let deadline = Instant::now() + ALL_TRIALS;
    let failed = trials.iter().filter_map(|(command, check)| {
        if Instant::now() > deadline {
            return Some(format!("{command}: not tried, because there is no time left"));
        }
        let begun = Instant::now();
        let outcome = check(&bench, command);
        eprintln!("{command}: {:.1} s {outcome:?}", begun.elapsed().as_secs_f64());
        let reason = outcome.err()?;
        bench.keep_picture(command);
        // An open dialog or menu would spoil the next trials.
        (0..2).for_each(|_| window.key("Escape"));
        Some(format!("{command}: {reason}"))
    });
    let failed: Vec<String> = failed.collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

impl Bench<'_> {
    /// Repeats `question` until it returns a value. Returns `Err` with `what` if it never does.
    fn until<T>(&self, what: &str, mut question: impl FnMut() -> Option<T>) -> Result<T, String> {
        let deadline = Instant::now() + PATIENCE;
        let mut nudged = Instant::now();
        while Instant::now() < deadline {
            self.window.nudge(&mut nudged);
            if let Some(answer) = question() {
                return Ok(answer);
            }
            pause();
        }
        Err(format!("waited in vain: {what}"))
    }

    /// Writes the picture of the window to the folder for test output.
    fn keep_picture(&self, name: &str) {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("command-{name}.png"));
        let bytes = self.window.pixels().concat();
        image::RgbImage::from_raw(SIZE.0 as u32, SIZE.1 as u32, bytes).unwrap().save(path).unwrap();
    }

    /// Returns the pixels once the window is idle.
    fn still(&self) -> Vec<Rgb> {
        self.window.still_for(REST)
    }

    /// Moves the pointer to a corner, where nothing reacts to it.
    fn leave(&self) {
        self.window.point((SIZE.0 - 2, SIZE.1 - 2));
    }

    /// Shows the take `name` and waits until it is drawn.
    fn show(&self, name: &str) {
        if self.shown.replace(name.to_owned()) != name {
            self.window.palette(name);
            self.window.still_for(SHOWN);
        }
    }

    /// Runs `command` by its menu entry, or by the palette if no menu has it.
    fn run(&self, command: &str) -> Outcome {
        match menus::Entry::of(command) {
            Some(entry) => {
                entry.choose(self)?;
                self.leave();
                Ok(())
            }
            None => {
                self.window.palette(command);
                Ok(())
            }
        }
    }

    /// Checks that `command` changes the picture in `area`.
    fn changes(&self, command: &str, area: Area) -> Outcome {
        let before = self.still();
        self.run(command)?;
        // The palette and menus change the picture too, so it must stay changed after they closed.
        let stays_changed = || (changed(&before, &self.still(), area) >= MIN_CHANGED_PIXELS).then_some(());
        self.until("the picture changes", stays_changed)
    }

    /// Checks that `command` changes the picture in `area` and that `back` restores it.
    fn comes_and_goes(&self, command: &str, area: Area, back: impl FnOnce(&Window)) -> Outcome {
        let before = self.still();
        self.changes(command, area)?;
        back(self.window);
        // Messages appear and disappear independently.
        let restored = || (changed_outside_messages(&before, &self.window.pixels(), area) == 0).then_some(());
        self.until("the picture returns", restored)
    }

    /// Checks that `command` keeps the picture in `area` moving and that `back` ends that.
    fn moves(&self, command: &str, area: Area, back: impl FnOnce(&Window)) -> Outcome {
        self.still();
        self.run(command)?;
        let mut last = self.window.pixels();
        let mut count = 0;
        let moved = || {
            let now = self.window.pixels();
            count += usize::from(changed(&last, &now, area) >= MIN_CHANGED_PIXELS);
            last = now;
            (count >= 5).then_some(())
        };
        self.until("the picture moves", moved)?;
        back(self.window);
        self.still();
        Ok(())
    }

    /// Returns the saved project.
    fn saved(&self) -> Value {
        serde_json::from_str(&std::fs::read_to_string(&self.window.project).unwrap()).unwrap()
    }

    /// Saves changed work and returns the project.
    fn save(&self) -> Result<Value, String> {
        let is_unsaved = |unsaved: bool| move || (self.window.is_unsaved() == unsaved).then_some(());
        self.until("the project changes", is_unsaved(true))?;
        self.window.key("ctrl+s");
        self.until("the project is saved", is_unsaved(false))?;
        Ok(self.saved())
    }

    /// Checks that `command` changes the document as `fits` expects of the state before and after, then takes it back. If
    /// undo does not restore the state before, the next edit fails.
    fn edits(&self, command: &str, fits: impl Fn(&Value, &Value) -> bool) -> Outcome {
        let before = self.before.borrow_mut().get_or_insert_with(|| self.saved()).clone();
        let mut attempts = 0..ATTEMPTS;
        let after = loop {
            attempts.next().ok_or("the project does not change")?;
            self.run(command)?;
            let deadline = Instant::now() + REACTION;
            while !self.window.is_unsaved() && Instant::now() < deadline {
                pause();
            }
            if self.window.is_unsaved() {
                self.settle()?;
                let after = self.saved();
                if after["document"] != before["document"] {
                    break after;
                }
            }
        };
        self.window.key("ctrl+z");
        self.until("the edit is undone", || self.window.is_unsaved().then_some(()))?;
        if count(&after["document"], "takes") != count(&before["document"], "takes") {
            // Undo removes the shown take.
            self.shown.take();
        }
        match fits(&before["document"], &after["document"]) {
            true => Ok(()),
            false => Err("another change than the expected one".into()),
        }
    }

    /// Saves what edits left unsaved.
    fn settle(&self) -> Outcome {
        self.window.key("ctrl+s");
        self.until("the project is saved", || (!self.window.is_unsaved()).then_some(()))
    }

    /// Waits for the dialog that asks for a path and answers it.
    fn answer(&self, path: &Path) -> Outcome {
        self.until("the dialog opens", || self.is_dimmed().then_some(()))?;
        self.still();
        self.window.text(&path.display().to_string());
        self.still();
        self.window.key("Return");
        Ok(())
    }

    /// True if a dialog dims the window: the edge of the outliner is darker than its panel.
    fn is_dimmed(&self) -> bool {
        let [red, ..] = self.window.pixels()[EDGE.1 * SIZE.0 + EDGE.0];
        red < PANEL_RED - 4
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// Returns the number of different pixels in `area`.
fn changed(before: &[Rgb], after: &[Rgb], area: Area) -> usize {
    let all = (area.y.0..area.y.1).flat_map(|y| (area.x.0..area.x.1).map(move |x| y * SIZE.0 + x));
    all.filter(|&at| before[at] != after[at]).count()
}

/// Returns the number of different pixels in `area` outside of the room for messages.
fn changed_outside_messages(before: &[Rgb], after: &[Rgb], area: Area) -> usize {
    let all = (area.y.0..area.y.1).flat_map(|y| (area.x.0..area.x.1).map(move |x| (x, y)));
    let is_message =
        |(x, y): (usize, usize)| (MESSAGES.x.0..MESSAGES.x.1).contains(&x) && (MESSAGES.y.0..MESSAGES.y.1).contains(&y);
    all.filter(|&at| !is_message(at) && before[at.1 * SIZE.0 + at.0] != after[at.1 * SIZE.0 + at.0]).count()
}

/// Returns the number of entries of a list in the document.
fn count(document: &Value, list: &str) -> usize {
    document[list].as_array().map_or(0, Vec::len)
}

fn nothing(_: &Bench) -> Outcome {
    Ok(())
}
