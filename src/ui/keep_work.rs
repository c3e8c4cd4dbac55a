//! Protects the user's work: autosaves regularly, when the window loses focus, and when the program panics.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;

use egui::ViewportCommand;

use super::app::App;
use portamento_session::project::recovery;
use portamento_session::{Session, fault_report};

/// Marks the screenshot that becomes an autosave's thumbnail.
struct AutosavePicture;

/// Environment variable for tests: if it names an existing file, the window panics.
const PANIC_FILE_VARIABLE: &str = "PORTAMENTO_FAILS_WHERE";

impl App {
    /// Runs `act`. If it panics, saves the user's work and a fault report, prints where they are, then resumes the panic. A
    /// window for a picture saves nothing.
    pub(super) fn save_work_on_panic(&mut self, act: impl FnOnce(&mut Self)) {
        let Err(panic) = catch_unwind(AssertUnwindSafe(|| act(self))) else { return };
        if let Some(folder) = self.session.project.recovery_folder().map(Path::to_owned).filter(|_| self.persists) {
            eprintln!("portamento: {}", save_after_panic(&mut self.session, &folder));
        }
        resume_unwind(panic);
    }

    /// Panics if the file named by [`PANIC_FILE_VARIABLE`] exists, as a test requests.
    pub(super) fn panic_if_requested(&self) {
        let asked = std::env::var_os(PANIC_FILE_VARIABLE).is_some_and(|file| Path::new(&file).exists());
        assert!(!asked, "failed on purpose: {PANIC_FILE_VARIABLE} names a file");
    }

    /// Autosaves when due or when the window loses focus, with a thumbnail, and schedules a repaint for the next autosave. When
    /// the window gets the focus, reloads changed source files.
    pub(super) fn autosave(&mut self, ctx: &egui::Context) {
        let now = Instant::now();
        let turns_away = ctx.input(|input| input.events.contains(&egui::Event::WindowFocused(false)));
        let autosaved =
            self.session.autosave_tick(now).or_else(|| turns_away.then(|| self.session.autosave_now()).flatten());
        if autosaved.is_some() {
            self.autosave_without_picture = autosaved;
            ctx.send_viewport_cmd(ViewportCommand::Screenshot(egui::UserData::new(AutosavePicture)));
        }
        self.save_autosave_picture(ctx);
        if ctx.input(|input| input.events.contains(&egui::Event::WindowFocused(true))) {
            self.session.reload_changed();
        }
        if let Some(wait) = self.session.project.autosave_due(self.session.preferences.autosave_interval(), now) {
            ctx.request_repaint_after(wait);
        }
    }

    /// Saves the thumbnail of the last autosave once its screenshot arrives.
    fn save_autosave_picture(&mut self, ctx: &egui::Context) {
        let is_ours = |data: &egui::UserData| data.data.as_ref().is_some_and(|data| data.is::<AutosavePicture>());
        let taken = ctx.input(|input| {
            input.events.iter().find_map(|event| match event {
                egui::Event::Screenshot { image, user_data, .. } if is_ours(user_data) => Some(image.clone()),
                _ => None,
            })
        });
        let Some((image, path)) = taken.and_then(|image| Some((image, self.autosave_without_picture.take()?))) else {
            return;
        };
        let bytes: Vec<u8> = image.pixels.iter().flat_map(|pixel| pixel.to_array()).collect();
        let picture = image::RgbaImage::from_raw(image.size[0] as u32, image.size[1] as u32, bytes);
        let small = picture.map(|picture| image::DynamicImage::from(picture).thumbnail(320, 200).to_rgb8());
        // The autosave is valid without a thumbnail.
        let _ = small.map(|small| small.save(recovery::picture(&path)));
    }
}

/// Autosaves and writes a fault report to `folder`. Returns a sentence that names both files.
fn save_after_panic(session: &mut Session, folder: &Path) -> String {
    let autosaved = catch_unwind(AssertUnwindSafe(|| session.autosave_now())).ok().flatten();
    let report = fault_report::write(folder);
    let shown = |path: &PathBuf| path.display().to_string();
    let work = autosaved.as_ref().map_or_else(
        || "unsaved work was autosaved earlier, if there was any".into(),
        |path| format!("your work is in {}", shown(path)),
    );
    let report_text = report
        .as_ref()
        .map_or_else(|| "no report could be written".into(), |path| format!("a report is in {}", shown(path)));
    format!("The program failed: {work}; {report_text}. Start it again to continue, and please send the report.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_takes::document::SceneObject;

    #[test]
    fn work_is_saved_and_a_report_written_when_the_program_panics() {
        let home = tempfile::tempdir().unwrap();
        let mut session = Session::inline();
        session.project.keep_work(home.path());
        session.document.objects.push(SceneObject::point("mark", glam::DVec3::X));
        let sentence = save_after_panic(&mut session, home.path());
        assert!(sentence.contains(".autosave") && sentence.contains("crash-"), "{sentence}");
        drop(session);
        assert_eq!(recovery::recoverable(home.path()).len(), 1);
        let reports = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().path());
        let reports: Vec<PathBuf> = reports.filter(|path| path.extension().is_some_and(|end| end == "txt")).collect();
        assert!(std::fs::read_to_string(&reports[0]).unwrap().starts_with("Portamento "));
    }
}
