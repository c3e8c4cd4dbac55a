//! Requests that only the window can serve: dialogs, panels, theme and the viewport.

use egui::ViewportCommand;

use super::dock::Panel;
use super::palette::Palette;
use crate::app::App;
use crate::dialogs::keymap::KeymapEditor;
use crate::dialogs::{export, guide, recipes, sets, source_files, variants};
use crate::panels::clips;
use portamento_session::appearance::ThemeChoice;
use portamento_session::clip_library::LibraryCommand;
use portamento_session::export::file_stems;
use portamento_session::painting::PaintTarget;
use portamento_session::{Session, Shown, WindowCommand};

impl App {
    /// Serves the requests since the last frame.
    pub(crate) fn window_requests(&mut self, ctx: &egui::Context) {
        for request in std::mem::take(&mut self.session.window_requests) {
            match request {
                WindowCommand::CopyStagesText => {
                    let copied = self.session.copied_stages.as_ref();
                    copied.into_iter().for_each(|copied| ctx.copy_text(copied.text.clone()));
                }
                WindowCommand::AskVariants => variants::open(self),
                WindowCommand::AskSets => sets::open(self),
                WindowCommand::AskSaveRecipe(take) => recipes::ask_save(self, take),
                WindowCommand::AskApplyRecipe => recipes::ask_apply(self),
                WindowCommand::AskReplaceFile(file) => source_files::ask_replacement(self, file),
                WindowCommand::RevealFile(file) => source_files::reveal(self, ctx, file),
                WindowCommand::ShowRig(file) => self.session.selection.show(Shown::File(file)),
                WindowCommand::Library(command) => self.library_request(ctx, command),
                other => self.window_request(ctx, other),
            }
        }
        if let Some(topic) = guide::requested(ctx) {
            guide::open(self, ctx, Some(topic));
        }
    }

    /// Serves a library command. If its effect is visible in the clip panel only, shows that panel first.
    fn library_request(&mut self, ctx: &egui::Context, command: LibraryCommand) {
        if clips::is_seen_in_panel(command) && command.fits(&self.session.clips).is_ok() {
            self.dock.show_panel(Panel::Clips);
        }
        self.clips.perform(ctx, &mut self.session, command);
    }

    /// Carries out a request to the window. The viewport gets those that are for the view.
    fn window_request(&mut self, ctx: &egui::Context, request: WindowCommand) {
        let preferences = &mut self.session.preferences;
        match request {
            WindowCommand::AskOpen => self.dialogs.files.ask_open(),
            WindowCommand::AskSaveAs => self.dialogs.files.ask_save(self.session.project.path.as_deref()),
            WindowCommand::AskSavePreset(index) => {
                let name = preferences.presets.get(index).map(|preset| preset.name.clone()).unwrap_or_default();
                self.dialogs.files.ask_save_preset(index, &name);
            }
            WindowCommand::AskRecover => self.dialogs.recovery.open(ctx, &self.session, true),
            WindowCommand::AskFilm => self.dialogs.files.ask_film(&film_name(&self.session), false),
            WindowCommand::AskPicture => self.dialogs.files.ask_film(&film_name(&self.session), true),
            WindowCommand::AskClips => self.dialogs.files.ask_clips(),
            WindowCommand::AskFindMissing => self.dialogs.files.ask_missing(),
            WindowCommand::ListRecent(index) => {
                let folder = self.session.preferences.recent.get(index).cloned();
                folder.into_iter().for_each(|folder| self.list_clips(vec![folder]));
            }
            WindowCommand::AskExport => export::open(self),
            WindowCommand::AskExportFolder(take) => {
                let folder = self.session.document.folder_of(take);
                let takes: Vec<_> = folder.into_iter().flat_map(|folder| &folder.takes).copied().collect();
                export::open_with(self, &takes);
            }
            WindowCommand::RemoteControl => self.dialogs.remote = true,
            WindowCommand::AskRemoteFolder => self.dialogs.files.ask_remote_folder(),
            WindowCommand::AskSaveAddOn => self.dialogs.files.ask_save_add_on(),
            WindowCommand::Preferences => self.dialogs.preferences = true,
            WindowCommand::Rename => {
                self.dock.show_panel(Panel::Outliner);
                self.outliner.begin_rename(&mut self.session);
            }
            WindowCommand::Guide => guide::open(self, ctx, None),
            WindowCommand::Help => (self.dialogs.help, self.dialogs.help_opens) = (true, true),
            WindowCommand::Shortcuts => self.dialogs.keymap = Some(KeymapEditor::default()),
            WindowCommand::Palette => self.palette = Some(Palette::default()),
            WindowCommand::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
            WindowCommand::ToggleTheme => {
                let is_dark = ctx.theme() == egui::Theme::Dark;
                preferences.appearance.theme = if is_dark { ThemeChoice::Light } else { ThemeChoice::Dark };
            }
            WindowCommand::TogglePaint => self.session.selection.painting.toggle(PaintTarget::Weights),
            WindowCommand::ToggleLanguage => {
                preferences.language = if preferences.language == "en" { "zh-CN" } else { "en" }.into();
            }
            WindowCommand::MaximizePanel => self.dock.toggle_maximized(ctx),
            WindowCommand::NextPanel => self.dock.move_panel_focus(ctx, 1),
            WindowCommand::PreviousPanel => self.dock.move_panel_focus(ctx, -1),
            WindowCommand::ResetLayout => self.arrange(self.workspace),
            view => self.viewport.request(view),
        }
    }
}

/// Returns the default file name of a film without extension: that of the shown take, or `view`.
fn film_name(session: &Session) -> String {
    let take = session.shown_take();
    file_stems(take.iter().map(|take| &*take.name), false).pop().unwrap_or_else(|| "view".into())
}
