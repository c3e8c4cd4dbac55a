//! The user's work outlives the window: kept when it is due, when the user turns away, and when the program itself fails.

use std::backtrace::Backtrace;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use egui::ViewportCommand;

use super::app::App;
use crate::export::whole_file;
use crate::session::Session;
use crate::session::project::recovery;

/// Marks the picture of kept work among others.
struct KeptPicture;

/// What the last panic said, for the report.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Remembers what a panic says, and where, from now on.
pub fn note_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = format!("{info}\n\n{}", Backtrace::force_capture());
        }
        before(info);
    }));
}

impl App {
    /// Does `act`; where the program fails in it, the user's work is kept before the window ends.
    pub(super) fn guarded(&mut self, act: impl FnOnce(&mut Self)) {
        let Err(panic) = catch_unwind(AssertUnwindSafe(|| act(self))) else { return };
        if let Some(folder) = self.session.recovery_folder().map(Path::to_owned).filter(|_| self.keeps) {
            eprintln!("portamento: {}", rescue(&mut self.session, &folder));
        }
        resume_unwind(panic);
    }

    /// Keeps unsaved work when it is due, and at once when the user turns to another window; wakes this one, hidden or not, when
    /// it is due next.
    pub(super) fn autosave(&mut self, ctx: &egui::Context) {
        let now = Instant::now();
        let turns_away = ctx.input(|input| input.events.contains(&egui::Event::WindowFocused(false)));
        let kept =
            self.session.autosave_tick(now).or_else(|| turns_away.then(|| self.session.autosave_now()).flatten());
        if kept.is_some() {
            self.kept = kept;
            ctx.send_viewport_cmd(ViewportCommand::Screenshot(egui::UserData::new(KeptPicture)));
        }
        self.save_kept_picture(ctx);
        if ctx.input(|input| input.events.contains(&egui::Event::WindowFocused(true))) {
            self.session.reload_changed();
        }
        if let Some(wait) = self.session.autosave_due(now) {
            ctx.request_repaint_after(wait);
        }
    }

    /// The picture of the state that was kept last, once the window has given it.
    fn save_kept_picture(&mut self, ctx: &egui::Context) {
        let is_ours = |data: &egui::UserData| data.data.as_ref().is_some_and(|data| data.is::<KeptPicture>());
        let taken = ctx.input(|input| {
            input.events.iter().find_map(|event| match event {
                egui::Event::Screenshot { image, user_data, .. } if is_ours(user_data) => Some(image.clone()),
                _ => None,
            })
        });
        let Some((image, path)) = taken.and_then(|image| Some((image, self.kept.take()?))) else { return };
        let bytes: Vec<u8> = image.pixels.iter().flat_map(|pixel| pixel.to_array()).collect();
        let picture = image::RgbaImage::from_raw(image.size[0] as u32, image.size[1] as u32, bytes);
        let small = picture.map(|picture| image::DynamicImage::from(picture).thumbnail(320, 200).to_rgb8());
        // Work is kept with or without a picture.
        let _ = small.map(|small| small.save(recovery::picture(&path)));
    }
}

/// Keeps unsaved work and writes a report to `folder`; says where both are.
fn rescue(session: &mut Session, folder: &Path) -> String {
    let kept = catch_unwind(AssertUnwindSafe(|| session.autosave_now())).ok().flatten();
    let said = LAST_PANIC.lock().map(|last| last.clone()).unwrap_or_default();
    let report = format!("Portamento {}\n{}\n\n{said}\n", env!("CARGO_PKG_VERSION"), std::env::consts::OS);
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let path = folder.join(format!("crash-{seconds}-{}.txt", std::process::id()));
    let written = whole_file::write(&path, report.as_bytes()).is_ok();
    let shown = |path: &PathBuf| path.display().to_string();
    let work = kept.as_ref().map_or_else(
        || "what was not saved is kept already, if anything".into(),
        |path| format!("your work is in {}", shown(path)),
    );
    let told = if written { format!("a report is in {}", shown(&path)) } else { "no report could be written".into() };
    format!("The program failed: {work}; {told}. Start it again to go on where you were, and please send the report.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::SceneObject;

    #[test]
    fn work_is_kept_and_reported_when_the_program_fails() {
        let home = tempfile::tempdir().unwrap();
        let mut session = Session::inline();
        session.keep_work(home.path());
        session.document.objects.push(SceneObject { name: "mark".into(), position: glam::DVec3::X });
        let sentence = rescue(&mut session, home.path());
        assert!(sentence.contains(".autosave") && sentence.contains("crash-"), "{sentence}");
        drop(session);
        assert_eq!(recovery::recoverable(home.path()).len(), 1);
        let reports = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().path());
        let reports: Vec<PathBuf> = reports.filter(|path| path.extension().is_some_and(|end| end == "txt")).collect();
        assert!(std::fs::read_to_string(&reports[0]).unwrap().starts_with("Portamento "));
    }
}
