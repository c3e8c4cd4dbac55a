//! Opening of files, folders and screenshots, at startup and later.

use std::path::PathBuf;

use super::app::{App, Start};
use super::capture::picture::{Outcome, Picture};
use super::dialogs::export;
use super::dialogs::guide::Guide;
use super::shell::dock::Panel;
use super::shell::palette::Palette;
use super::shell::workspace::WORKSPACES;
use portamento_cli::Screenshot;
use portamento_guide::Address;
use portamento_session::appearance::ThemeChoice;
use portamento_session::clip_library::is_clip_folder;
use portamento_session::{Command, FileCommand, Preferences, Severity};

impl App {
    /// Processes the start arguments. To open files, it first loads the preferences and offers the recovery of unsaved work.
    pub(super) fn begin(&mut self, ctx: &egui::Context, start: Start, outcome: Outcome) {
        match start {
            Start::Files(files) => {
                if let Some(folder) = Preferences::folder() {
                    self.session.project.keep_work(&folder.join("recovery"));
                    self.session.exports.ask_about_noted(&folder.join("recovery"));
                    self.session.clips.keep_in(&folder);
                    let (preferences, warnings) = Preferences::load(&folder.join("preferences.json"));
                    warnings.into_iter().for_each(|warnings| self.session.notices.add(Severity::Warning, warnings));
                    self.saved_preferences = preferences.clone();
                    self.session.preferences = preferences;
                }
                self.dialogs.recovery.open(ctx, &self.session, false);
                self.open(files);
            }
            Start::Picture(wanted) => self.begin_picture(wanted, outcome),
        }
    }

    /// Opens `paths`: folders of clips in the library, all others as files. Asks first if that would discard unsaved work.
    pub(super) fn open(&mut self, paths: Vec<PathBuf>) {
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(|path| is_clip_folder(path));
        if !folders.is_empty() {
            self.list_clips(folders);
        }
        if !files.is_empty() {
            self.perform(Command::File(FileCommand::Open(files)));
        }
    }

    /// Lists the clips of `folders` in the library, starts the job that measures them, and enlarges the panel.
    pub fn list_clips(&mut self, folders: Vec<PathBuf>) {
        self.session.perform(Command::File(FileCommand::MeasureClips(folders)));
        self.dock.show_panel(Panel::Clips);
        self.dock.enlarge_tabs(Panel::Clips);
    }

    /// Prepares the session for the screenshot `wanted`: theme, language, project and panel. An unknown panel is reported to
    /// `outcome`.
    fn begin_picture(&mut self, wanted: Screenshot, outcome: Outcome) {
        let theme = if wanted.theme == "dark" { ThemeChoice::Dark } else { ThemeChoice::Light };
        self.session.preferences.appearance.theme = theme;
        self.session.preferences.language = wanted.lang.clone();
        match &wanted.project {
            Some(folder) if folder.is_dir() && wanted.panel.as_deref() == Some(Panel::Clips.name()) => {
                self.list_clips(vec![folder.clone()]);
            }
            Some(project) => self.session.perform(Command::File(FileCommand::Open(vec![project.clone()]))),
            None => {}
        }
        if let Some(name) = wanted.panel.as_ref().filter(|name| !self.activate(name)) {
            outcome.fail(unknown_panel(name));
        }
        self.picture = Some(Picture::new(wanted, outcome));
    }

    /// Activates a panel, workspace or dialog. Returns false if none has that name.
    fn activate(&mut self, name: &str) -> bool {
        let panel = Panel::parse(name).ok();
        let workspace = WORKSPACES.iter().find(|(_, word)| *word == name);
        match (name, panel, workspace) {
            (_, Some(panel), _) => self.dock.show_panel(panel),
            (_, _, Some((workspace, _))) => self.arrange(*workspace),
            ("export", ..) => export::open(self),
            ("preferences", ..) => self.dialogs.preferences = true,
            ("help", ..) => self.dialogs.help = true,
            ("guide", ..) => self.dialogs.guide = Some(Guide::at(Address::start())),
            ("palette", ..) => self.palette = Some(Palette::default()),
            _ => return false,
        }
        true
    }
}

/// Returns the error that there is no panel called `name`, with all known names.
fn unknown_panel(name: &str) -> String {
    let panels = Panel::ALL.iter().map(|panel| panel.name());
    let known: Vec<&str> = panels.chain(WORKSPACES.iter().map(|(_, word)| *word)).collect();
    format!("there is no panel {name}. Choose one of {}, export, preferences, help, guide, palette.", known.join(", "))
}
