//! The application window: turns input into commands, updates the session and draws the panels.

use std::path::PathBuf;
use std::time::Instant;

use egui::{Frame, Margin, Panel as Bar, Rect, Ui, ViewportCommand};

use super::capture::filming::Filming;
use super::capture::picture::{Outcome, Picture};
use super::dialogs::{Dialogs, Leave, files};
use super::i18n::{self, tr, tr_with};
use super::panels::frame_times::{FrameTimes, Part};
use super::shell::dock::{Dock, Panel};
use super::shell::followed::ShownHistory;
use super::shell::palette::{Outcome as Choice, Palette};
use super::shell::toasts::Toasts;
use super::shell::workspace::Workspace;
use super::shell::{lesson, menu, shortcuts, start, status};
use super::viewport::Viewport;
use super::widgets::padded;
use super::{focus, fonts, graph, panels, remote, theme, timeline, units, widgets};
use portamento_base::message::Message;
use portamento_cli::Screenshot;
use portamento_formats::export::Replace;
use portamento_session::clip_library::is_clip_folder;
use portamento_session::{Command, FileCommand, Preferences, Session, Severity, WindowCommand};
use portamento_takes::document::file;

/// The initial content of the window.
#[derive(Debug)]
pub enum Start {
    /// Opens these files; without files the start screen appears.
    Files(Vec<PathBuf>),
    /// Takes a screenshot, then closes the window.
    Picture(Screenshot),
}

/// The window: the session and all state that only the window needs.
pub struct App {
    pub(super) session: Session,
    pub(super) dock: Dock,
    pub(super) workspace: Workspace,
    /// Layouts of the workspaces that were active before.
    pub(super) docks: Vec<(Workspace, Dock)>,
    /// The last shown item and the saved view of each take.
    pub(super) followed: ShownHistory,
    pub(super) viewport: Viewport,
    pub(super) dialogs: Dialogs,
    pub(super) palette: Option<Palette>,
    pub(super) timeline: timeline::Timeline,
    pub(super) graph: graph::Graph,
    pub(super) outliner: panels::outliner::Outliner,
    log: panels::log::Log,
    pub(super) frame_times: FrameTimes,
    seams: panels::looping::seams::Seams,
    pub(super) clips: panels::clips::Clips,
    toasts: Toasts,
    pub(super) picture: Option<Picture>,
    /// The film being recorded.
    pub(super) filming: Option<Filming>,
    /// True if the user's preferences, layout and autosaves are read and written.
    pub(super) persists: bool,
    pub(super) has_chinese: bool,
    pub(super) saved_preferences: Preferences,
    title: String,
    /// True while a picture for another program is being taken.
    is_picture_asked: bool,
    pub(super) leaving: bool,
    /// The autosaved state that still waits for its thumbnail.
    pub(super) autosave_without_picture: Option<PathBuf>,
}

/// Storage keys of the layout and the workspace.
const LAYOUT_KEYS: (&str, &str) = ("dock", "workspace");

impl App {
    /// Creates the window with the stored layout, or the default one on first start and for a picture, and opens `start`. The
    /// reason why a picture was not written goes to `outcome`.
    pub fn new(context: &eframe::CreationContext<'_>, start: Start, outcome: Outcome) -> Self {
        let ctx = &context.egui_ctx;
        ctx.add_plugin(focus::ValidFocus);
        ctx.add_plugin(focus::KeyboardFocus::default());
        let has_chinese = fonts::install(ctx, fonts::chinese());
        let is_picture = matches!(start, Start::Picture(_));
        let storage = context.storage.filter(|_| !is_picture);
        let stored = |name: &str| storage.and_then(|storage| storage.get_string(name));
        let mut app = Self {
            session: Session::default(),
            dock: stored(LAYOUT_KEYS.0).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            workspace: stored(LAYOUT_KEYS.1).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            docks: Vec::new(),
            followed: ShownHistory::default(),
            viewport: Viewport::new(context),
            dialogs: Dialogs::default(),
            palette: None,
            timeline: timeline::Timeline::default(),
            graph: graph::Graph::default(),
            outliner: panels::outliner::Outliner::default(),
            log: panels::log::Log::default(),
            frame_times: FrameTimes::default(),
            seams: panels::looping::seams::Seams::default(),
            clips: panels::clips::Clips::default(),
            toasts: Toasts::default(),
            picture: None,
            filming: None,
            persists: !is_picture,
            has_chinese,
            saved_preferences: Preferences::default(),
            title: String::new(),
            is_picture_asked: false,
            leaving: false,
            autosave_without_picture: None,
        };
        app.dialogs.files.wakes = Some(ctx.clone());
        if app.persists {
            let woken = ctx.clone();
            app.session.watch_sources(move || woken.request_repaint());
        }
        app.begin(ctx, start, outcome);
        app.follow_preferences(ctx);
        ctx.options_mut(|options| options.zoom_with_keyboard = false);
        app
    }

    /// Returns the session, for tests and callers that drive the window without pointer and keyboard.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Performs `command`. If it would discard unsaved work, opens the confirmation dialog instead. A command to open a clip
    /// folder lists its clips in the library.
    pub fn perform(&mut self, command: Command) {
        if let Command::File(FileCommand::Open(paths)) = &command
            && paths.iter().any(|path| is_clip_folder(path))
        {
            return self.open(paths.clone());
        }
        let command = lesson::with_title(command);
        let leaves = match &command {
            Command::File(FileCommand::New | FileCommand::OpenSamples | FileCommand::OpenLesson(_)) => true,
            Command::File(FileCommand::Open(paths)) => paths.iter().any(|path| file::is_project(path)),
            _ => false,
        };
        match command {
            Command::File(command) if leaves && self.session.is_unsaved() && !self.leaving => {
                self.dialogs.unsaved = Some(Leave::File(Box::new(command)));
            }
            command => self.session.perform(command),
        }
        self.leaving = false;
    }

    /// Activates `workspace` with its default layout. The present layout is lost.
    pub(super) fn arrange(&mut self, workspace: Workspace) {
        self.workspace = workspace;
        self.dock = Dock::for_workspace(workspace);
    }

    /// True if a background job is running.
    pub fn is_working(&self) -> bool {
        self.session.jobs.running().next().is_some()
    }

    /// Applies theme, language, units, keys and scale from the preferences and saves changed preferences. Without a Chinese font,
    /// the language becomes English with a warning.
    fn follow_preferences(&mut self, ctx: &egui::Context) {
        let preferences = &mut self.session.preferences;
        if preferences.language != "en" && !self.has_chinese {
            preferences.language = "en".into();
            self.session.notices.add(Severity::Warning, fonts::no_chinese());
        }
        let preferences = &self.session.preferences;
        theme::apply(ctx, preferences.appearance);
        i18n::use_language(&preferences.language);
        units::use_units(preferences.units, self.session.playback.fps);
        shortcuts::use_keymap(&preferences.keymap);
        ctx.set_zoom_factor(preferences.scale.clamp(0.75, 2.0));
        if *preferences != self.saved_preferences && self.persists {
            self.saved_preferences = preferences.clone();
            let saved = Preferences::folder().map(|folder| preferences.save(&folder.join("preferences.json")));
            if let Some(Err(error)) = saved {
                self.session.notices.add(Severity::Warning, Message::verbatim(error.to_string()));
            }
        }
    }

    /// Handles keys, dropped files, answers of file dialogs and a request to close the window. Shortcuts do nothing while a
    /// dialog or the palette is open.
    fn input(&mut self, ctx: &egui::Context) {
        let dragging = self.viewport.is_dragging() || self.timeline.is_dragging();
        if !dragging {
            widgets::reset::take_backspace(ctx);
        }
        if !Dialogs::is_open(ctx) && self.palette.is_none() {
            self.viewport.keys(ctx, &mut self.session);
            shortcuts::take_commands(ctx, dragging).into_iter().for_each(|command| self.perform(command));
        } else if shortcuts::takes(ctx, &Command::Window(WindowCommand::Guide)) {
            self.perform(Command::Window(WindowCommand::Guide));
        }
        let dropped: Vec<PathBuf> =
            ctx.input(|input| input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect());
        if !dropped.is_empty() {
            self.open(dropped);
        }
        for chosen in self.dialogs.files.take_results() {
            self.perform_dialog_result(ctx, chosen);
        }
        if ctx.input(|input| input.viewport().close_requested()) {
            self.close_requested(ctx);
        }
    }

    /// Performs the action of a closed file dialog.
    pub(super) fn perform_dialog_result(&mut self, ctx: &egui::Context, chosen: files::DialogResult) {
        match chosen {
            files::DialogResult::Open(paths) => self.perform(Command::File(FileCommand::Open(paths))),
            files::DialogResult::Save(path) => {
                self.perform(Command::File(FileCommand::SaveAs(path)));
                self.dialogs.saved(&mut self.session, ctx);
            }
            files::DialogResult::Preset(index, path) => {
                self.perform(Command::File(FileCommand::SavePreset(index, path)))
            }
            files::DialogResult::SaveRecipe(take, path) => {
                self.perform(Command::File(FileCommand::SaveRecipe(take, path)))
            }
            files::DialogResult::ApplyRecipe(path) => {
                let rows = self.session.clips.chosen_rows();
                self.perform(Command::File(FileCommand::ApplyRecipe(rows, path)));
            }
            files::DialogResult::ReplaceFile(file, path) => {
                self.perform(Command::File(FileCommand::ReplaceFile(file, path)));
            }
            files::DialogResult::Missing(folder) => self.perform(Command::File(FileCommand::FindMissing(folder))),
            files::DialogResult::Clips(folder) => self.list_clips(vec![folder]),
            files::DialogResult::Film { path, still } => self.begin_film(path, Replace::Allow, still),
            files::DialogResult::AddOn(path) => self.perform(Command::File(FileCommand::SaveAddOn(path))),
            files::DialogResult::RemoteFolder(folder) => {
                let folders = &mut self.session.preferences.remote_folders;
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
            files::DialogResult::Folder(folder) => self.session.exports.choice.folder = folder.display().to_string(),
        }
    }

    /// Keeps the window open and asks if an export is running or the project is unsaved.
    fn close_requested(&mut self, ctx: &egui::Context) {
        let must_ask = self.session.is_unsaved() && !self.leaving && self.picture.is_none();
        if self.session.exports.is_running(&self.session.jobs) && self.picture.is_none() {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            self.dialogs.exporting = true;
        } else if must_ask {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            self.dialogs.unsaved = Some(Leave::Quit);
        }
    }

    /// Sets the window title to the project name, with an asterisk if unsaved.
    fn show_title(&mut self, ctx: &egui::Context) {
        let name = self.session.project.stem().unwrap_or_else(|| tr("app.untitled"));
        let mark = if self.session.is_unsaved() { "*" } else { "" };
        let title = format!("{name}{mark} – Portamento");
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    /// Draws all docked panels. While nothing can be played, the timeline is only as high as its buttons.
    fn panels_ui(&mut self, ui: &mut Ui) {
        let Self { session, dock, viewport, timeline, graph, outliner, log, frame_times, seams, clips, .. } = self;
        let low = timeline::is_static(session).then_some(timeline::TRANSPORT_ONLY_HEIGHT);
        dock.ui(ui, low, &mut |ui, panel| match panel {
            Panel::Viewport => frame_times.timed(Part::View, || viewport.ui(ui, session)),
            Panel::Timeline => timeline::ui(ui, session, timeline),
            Panel::Outliner => padded(ui, |ui| outliner.ui(ui, session)),
            Panel::Inspector => padded(ui, |ui| panels::inspector::inspector_ui(ui, session)),
            Panel::Graph => padded(ui, |ui| graph.ui(ui, session)),
            Panel::Plots => padded(ui, |ui| panels::results::plots::plots_ui(ui, session)),
            Panel::History => padded(ui, |ui| panels::history::history_ui(ui, session)),
            Panel::Clips => padded(ui, |ui| clips.ui(ui, session)),
            Panel::Seams => padded(ui, |ui| seams.ui(ui, session)),
            Panel::Log => padded(ui, |ui| log.ui(ui, session)),
            Panel::FrameTimes => padded(ui, |ui| frame_times.ui(ui)),
        });
    }

    /// Draws the palette, the dialogs and the toasts over the panels, and carries out the choice in the palette. Toasts are
    /// inside the viewport, or inside `middle` (the area of all panels, points) if the viewport is hidden.
    fn overlays_ui(&mut self, ctx: &egui::Context, middle: Rect) {
        if let Some(palette) = &mut self.palette {
            let chosen = palette.ui(ctx, &mut self.session);
            if chosen != Choice::Open {
                self.palette = None;
            }
            match chosen {
                Choice::Open | Choice::Close => {}
                Choice::Perform(command) => self.perform(command),
                Choice::Change(change) => change.make(&mut self.session),
                Choice::Show(shown) => self.session.selection.show(shown),
                Choice::Arrange(workspace) => self.arrange(workspace),
                Choice::ShowPanel(panel) => self.dock.show_panel(panel),
            }
        }
        Dialogs::ui(self, ctx);
        // A film shows the view only.
        if self.picture.is_none() && self.filming.is_none() {
            let room = self.viewport.message_room().unwrap_or(middle);
            if self.toasts.ui(ctx, &mut self.session.notices, room) {
                self.dock.show_panel(Panel::Log);
            }
        }
    }

    /// Returns the text of the status bar: the progress of filming, or what the mouse does in the view.
    pub(super) fn hint(&self) -> String {
        if let Some((taken, all)) = self.filming.as_ref().map(Filming::progress) {
            return tr_with("hint.filming", &[("taken", taken.to_string()), ("all", all.to_string())]);
        }
        if self.session.is_empty() { tr("hint.start") } else { self.viewport.hint(&self.session) }
    }
}

/// Longest playback step of one frame in seconds, after pauses such as a suspended process. Origin not recorded.
const MAX_STEP_SECONDS: f32 = 0.1;

impl App {
    /// Advances everything that needs no drawing: jobs, playback, autosave, filming. Call it once per frame, before
    /// [`Self::draw`].
    pub fn step(&mut self, ctx: &egui::Context) {
        let seconds = f64::from(ctx.input(|input| input.unstable_dt).min(MAX_STEP_SECONDS));
        let calm = !ctx.input(|input| input.pointer.any_down()) && !ctx.text_edit_focused();
        self.session.update(seconds, calm);
        self.follow_take();
        if self.persists {
            self.autosave(ctx);
        }
        self.viewport.is_filmed = self.filming.is_some();
        if let Some(picture) = &mut self.picture
            && let Some((film, replace)) = picture.step(ctx, &mut self.session, self.filming.is_some())
        {
            self.viewport.overlays.follow = Some(picture.follows());
            self.begin_film(film, replace, false);
        }
        self.film(ctx);
        if self.filming.is_none() {
            remote::take_picture(&mut self.session, ctx, &mut self.is_picture_asked);
        }
        if self.session.playback.playing || self.session.dynamics.moves() {
            ctx.request_repaint();
        } else if self.is_working() {
            ctx.request_repaint_after_secs(0.05);
        }
    }

    /// Handles input and draws the window.
    pub fn draw(&mut self, ui: &mut Ui) {
        self.panic_if_requested();
        let ctx = ui.ctx().clone();
        self.session.playback.next_hover();
        self.input(&ctx);
        self.window_requests(&ctx);
        self.follow_preferences(&ctx);
        self.show_title(&ctx);
        let ground = Frame::new().fill(theme::of(ui).window);
        let bar = ground.inner_margin(Margin::symmetric(12, 0));
        let asked = Bar::top("menu")
            .exact_size(40.0)
            .frame(bar)
            .show_separator_line(false)
            .show(ui, |ui| menu::bar(ui, &self.session, self.workspace));
        let hint = self.hint();
        Bar::bottom("status").exact_size(26.0).frame(bar).show_separator_line(false).show(ui, |ui| {
            status::line(ui, &mut self.session, &hint);
        });
        let frame = if self.session.is_empty() { ground } else { Frame::new() };
        self.viewport.begin_frame();
        self.lesson_ui(ui);
        let middle = egui::CentralPanel::default().frame(frame).show(ui, |ui| {
            if self.session.is_empty() {
                let asked = start::screen(ui, &self.session, !Dialogs::is_open(ui.ctx()));
                asked.into_iter().for_each(|command| self.perform(command));
            } else {
                self.panels_ui(ui);
            }
        });
        asked.inner.commands.into_iter().for_each(|command| self.perform(command));
        asked.inner.workspace.into_iter().for_each(|workspace| self.arrange(workspace));
        asked.inner.panel.into_iter().for_each(|panel| self.dock.show_panel(panel));
        self.overlays_ui(&ctx, middle.response.rect);
        let is_calm = ctx.input(|input| input.events.is_empty());
        // Changes made by panels are evaluated at the start of the next frame. Jobs they started are polled soon.
        let wait = if is_calm { self.is_working().then_some(0.05) } else { Some(0.0) };
        wait.into_iter().for_each(|seconds| ctx.request_repaint_after_secs(seconds));
    }
}

impl eframe::App for App {
    fn logic(&mut self, ctx: &egui::Context, frame: &mut eframe::Frame) {
        self.frame_times.add(Part::Scene, self.viewport.take_drawing());
        self.frame_times.store_frame(frame.info().cpu_usage);
        let begun = Instant::now();
        self.save_work_on_panic(|app| app.step(ctx));
        self.frame_times.add(Part::Session, begun.elapsed());
    }

    fn ui(&mut self, ui: &mut Ui, _: &mut eframe::Frame) {
        let begun = Instant::now();
        self.save_work_on_panic(|app| app.draw(ui));
        self.frame_times.drawn(begun.elapsed());
    }

    /// Clears with the panel colour. Panels do not fill their area again, which is slow on software renderers.
    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        theme::tokens(visuals.dark_mode).panel.to_normalized_gamma_f32()
    }

    /// Removes pointer movement while a picture or film is taken, so that hover effects are not in it. A film also ignores clicks
    /// and the mouse wheel.
    fn raw_input_hook(&mut self, _: &egui::Context, input: &mut egui::RawInput) {
        if self.picture.is_some() || self.filming.is_some() {
            input.events.retain(|event| !matches!(event, egui::Event::PointerMoved(_)));
        }
        if self.filming.is_some() {
            let moves = |event: &egui::Event| {
                matches!(event, egui::Event::PointerButton { .. } | egui::Event::MouseWheel { .. })
            };
            input.events.retain(|event| !moves(event));
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        if self.persists {
            storage.set_string(LAYOUT_KEYS.0, serde_json::to_string(&self.dock).unwrap_or_default());
            storage.set_string(LAYOUT_KEYS.1, serde_json::to_string(&self.workspace).unwrap_or_default());
        }
    }

    fn persist_egui_memory(&self) -> bool {
        self.persists
    }
}
