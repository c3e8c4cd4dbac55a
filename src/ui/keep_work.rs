//! The user's work outlives the window: kept when it is due, when the user turns away, and when the program itself fails.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;

use egui::ViewportCommand;

use super::app::App;
use portamento_session::project::recovery;
use portamento_session::{Session, fault_report};

/// Marks the picture of kept work among others.
struct KeptPicture;

/// Where this names a file that is there, the window fails: so tests see what becomes of the work.
const FAILS: &str = "PORTAMENTO_FAILS_WHERE";

impl App {
    /// Does `act`; where the program fails in it, the user's work is kept before the window ends.
    pub(super) fn guarded(&mut self, act: impl FnOnce(&mut Self)) {
        let Err(panic) = catch_unwind(AssertUnwindSafe(|| act(self))) else { return };
        if let Some(folder) = self.session.project.recovery_folder().map(Path::to_owned).filter(|_| self.keeps) {
            eprintln!("portamento: {}", rescue(&mut self.session, &folder));
        }
        resume_unwind(panic);
    }

    /// Fails where a test asks for it.
    pub(super) fn fail_if_asked(&self) {
        let asked = std::env::var_os(FAILS).is_some_and(|place| Path::new(&place).exists());
        assert!(!asked, "failed on purpose: {FAILS} names a file");
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
        if let Some(wait) = self.session.project.autosave_due(self.session.preferences.autosave_interval(), now) {
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
    let report = fault_report::write(folder);
    let shown = |path: &PathBuf| path.display().to_string();
    let work = kept.as_ref().map_or_else(
        || "what was not saved is kept already, if anything".into(),
        |path| format!("your work is in {}", shown(path)),
    );
    let told = report
        .as_ref()
        .map_or_else(|| "no report could be written".into(), |path| format!("a report is in {}", shown(path)));
    format!("The program failed: {work}; {told}. Start it again to go on where you were, and please send the report.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_takes::document::SceneObject;

    #[test]
    fn work_is_kept_and_reported_when_the_program_fails() {
        let home = tempfile::tempdir().unwrap();
        let mut session = Session::inline();
        session.project.keep_work(home.path());
        session.document.objects.push(SceneObject::point("mark", glam::DVec3::X));
        let sentence = rescue(&mut session, home.path());
        assert!(sentence.contains(".autosave") && sentence.contains("crash-"), "{sentence}");
        drop(session);
        assert_eq!(recovery::recoverable(home.path()).len(), 1);
        let reports = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().path());
        let reports: Vec<PathBuf> = reports.filter(|path| path.extension().is_some_and(|end| end == "txt")).collect();
        assert!(std::fs::read_to_string(&reports[0]).unwrap().starts_with("Portamento "));
    }
}
