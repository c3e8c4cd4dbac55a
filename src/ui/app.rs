//! The window's frame: input becomes commands, the session steps, the five places are drawn.

use std::path::PathBuf;
use std::time::Instant;

use egui::{Frame, Margin, Panel as Bar, Rect, Ui, ViewportCommand};

use super::dialogs::{Dialogs, Leave, files};
use super::dock::{Dock, Panel};
use super::filming::Filming;
use super::followed::Followed;
use super::i18n::{self, tr, tr_with};
use super::palette::{Outcome as Choice, Palette};
use super::panels::frame_times::{FrameTimes, Part};
use super::picture::{Outcome, Picture};
use super::toasts::Toasts;
use super::widgets::padded;
use super::workspace::Workspace;
use super::{
    focus, fonts, graph, menu, panels, shortcuts, start, status, theme, timeline, units, viewport::Viewport, widgets,
};
use portamento_base::message::Message;
use portamento_cli::Screenshot;
use portamento_formats::export::Replace;
use portamento_session::clip_library::is_clip_folder;
use portamento_session::{Command, FileCommand, Preferences, Session, Severity};
use portamento_takes::document::file;

/// What the window opens with.
#[derive(Debug)]
pub enum Start {
    /// These files; none means the start screen.
    Files(Vec<PathBuf>),
    /// A picture, then it closes.
    Picture(Screenshot),
}

/// The window's state: the session and what only the window knows.
pub struct App {
    pub(super) session: Session,
    pub(super) dock: Dock,
    pub(super) workspace: Workspace,
    /// Where the panels of other workspaces were left.
    pub(super) docks: Vec<(Workspace, Dock)>,
    /// What was shown in the last frame, and how takes were left.
    pub(super) followed: Followed,
    pub(super) viewport: Viewport,
    pub(super) dialogs: Dialogs,
    pub(super) palette: Option<Palette>,
    timeline: timeline::Timeline,
    pub(super) graph: graph::Graph,
    pub(super) outliner: panels::outliner::Outliner,
    log: panels::log::Log,
    pub(super) frame_times: FrameTimes,
    seams: panels::looping::seams::Seams,
    pub(super) clips: panels::clips::Clips,
    toasts: Toasts,
    pub(super) picture: Option<Picture>,
    /// The film of the view that is being taken.
    pub(super) filming: Option<Filming>,
    /// Whether preferences, layout and autosaves of the user are read and written.
    pub(super) keeps: bool,
    pub(super) has_chinese: bool,
    pub(super) saved_preferences: Preferences,
    title: String,
    pub(super) leaving: bool,
    /// The state whose picture is still to come.
    pub(super) kept: Option<PathBuf>,
}

/// Names under which the layout is kept between starts.
const KEPT: (&str, &str) = ("dock", "workspace");

impl App {
    /// The window as it was left, or as on the first start.
    pub fn new(context: &eframe::CreationContext<'_>, start: Start, outcome: Outcome) -> Self {
        let ctx = &context.egui_ctx;
        ctx.add_plugin(focus::ToldFocus);
        ctx.add_plugin(focus::KeyboardFocus::default());
        let has_chinese = fonts::install(ctx, fonts::chinese());
        let is_picture = matches!(start, Start::Picture(_));
        let storage = context.storage.filter(|_| !is_picture);
        let kept = |name: &str| storage.and_then(|storage| storage.get_string(name));
        let mut app = Self {
            session: Session::default(),
            dock: kept(KEPT.0).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            workspace: kept(KEPT.1).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            docks: Vec::new(),
            followed: Followed::default(),
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
            keeps: !is_picture,
            has_chinese,
            saved_preferences: Preferences::default(),
            title: String::new(),
            leaving: false,
            kept: None,
        };
        app.dialogs.files.wakes = Some(ctx.clone());
        app.begin(ctx, start, outcome);
        app.follow_preferences(ctx);
        ctx.options_mut(|options| options.zoom_with_keyboard = false);
        app
    }

    /// What the window shows and edits, for those who drive it by other means than pointer and keys.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Carries out `command`, after asking where it would lose unsaved work.
    pub fn perform(&mut self, command: Command) {
        if let Command::File(FileCommand::Open(paths)) = &command
            && paths.iter().any(|path| is_clip_folder(path))
        {
            return self.open(paths.clone());
        }
        let leave = match &command {
            Command::File(FileCommand::New) => Some(Leave::New),
            Command::File(FileCommand::OpenSamples) => Some(Leave::Samples),
            Command::File(FileCommand::Open(paths)) if paths.iter().any(|path| file::is_project(path)) => {
                Some(Leave::Open(paths.clone()))
            }
            _ => None,
        };
        match leave {
            Some(leave) if self.session.is_unsaved() && !self.leaving => self.dialogs.unsaved = Some(leave),
            _ => self.session.perform(command),
        }
        self.leaving = false;
    }

    /// Puts the panels where `workspace` has them on the first start.
    pub(super) fn arrange(&mut self, workspace: Workspace) {
        self.workspace = workspace;
        self.dock = Dock::for_workspace(workspace);
    }

    /// Whether a job runs in the background.
    pub fn is_working(&self) -> bool {
        self.session.jobs.running().next().is_some()
    }

    /// Theme, language and size as preferred; saved when they changed.
    fn follow_preferences(&mut self, ctx: &egui::Context) {
        let preferences = &mut self.session.preferences;
        if preferences.language != "en" && !self.has_chinese {
            preferences.language = "en".into();
            self.session.notices.say(Severity::Warning, fonts::no_chinese());
        }
        let preferences = &self.session.preferences;
        theme::apply(ctx, preferences.appearance);
        i18n::use_language(&preferences.language);
        units::use_units(preferences.units, self.session.playback.fps);
        shortcuts::use_keymap(&preferences.keymap);
        ctx.set_zoom_factor(preferences.scale.clamp(0.75, 2.0));
        if *preferences != self.saved_preferences && self.keeps {
            self.saved_preferences = preferences.clone();
            let saved = Preferences::folder().map(|folder| preferences.save(&folder.join("preferences.json")));
            if let Some(Err(error)) = saved {
                self.session.notices.say(Severity::Warning, Message::verbatim(error.to_string()));
            }
        }
    }

    fn input(&mut self, ctx: &egui::Context) {
        let dragging = self.viewport.is_dragging() || self.timeline.is_dragging();
        if !dragging {
            widgets::reset::take(ctx);
        }
        if !self.dialogs.is_open() && self.palette.is_none() {
            self.viewport.keys(ctx);
            shortcuts::take(ctx, dragging).into_iter().for_each(|command| self.perform(command));
        }
        let dropped: Vec<PathBuf> =
            ctx.input(|input| input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect());
        if !dropped.is_empty() {
            self.open(dropped);
        }
        for chosen in self.dialogs.files.chosen() {
            self.take_chosen(ctx, chosen);
        }
        if ctx.input(|input| input.viewport().close_requested()) {
            self.close_requested(ctx);
        }
    }

    /// What a file dialog came back with.
    pub(super) fn take_chosen(&mut self, ctx: &egui::Context, chosen: files::Chosen) {
        match chosen {
            files::Chosen::Open(paths) => self.perform(Command::File(FileCommand::Open(paths))),
            files::Chosen::Save(path) => {
                self.perform(Command::File(FileCommand::SaveAs(path)));
                self.dialogs.saved(&mut self.session, ctx);
            }
            files::Chosen::Preset(index, path) => self.perform(Command::File(FileCommand::SavePreset(index, path))),
            files::Chosen::SaveRecipe(take, path) => self.perform(Command::File(FileCommand::SaveRecipe(take, path))),
            files::Chosen::ApplyRecipe(path) => {
                let rows = self.session.clips.chosen_rows();
                self.perform(Command::File(FileCommand::ApplyRecipe(rows, path)));
            }
            files::Chosen::Missing(folder) => self.perform(Command::File(FileCommand::FindMissing(folder))),
            files::Chosen::Clips(folder) => self.list_clips(vec![folder]),
            files::Chosen::Film { path, still } => self.begin_film(path, Replace::Allow, still),
            files::Chosen::Folder(folder) => self.session.exports.choice.folder = folder.display().to_string(),
        }
    }

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

    fn show_title(&mut self, ctx: &egui::Context) {
        let name = self.session.project.stem().unwrap_or_else(|| tr("app.untitled"));
        let mark = if self.session.is_unsaved() { "*" } else { "" };
        let title = format!("{name}{mark} – Portamento");
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    fn places(&mut self, ui: &mut Ui) {
        let Self { session, dock, viewport, timeline, graph, outliner, log, frame_times, seams, clips, .. } = self;
        let low = timeline::rests(session).then_some(timeline::LOW);
        dock.ui(ui, low, &mut |ui, panel| match panel {
            Panel::Viewport => frame_times.timed(Part::View, || viewport.ui(ui, session)),
            Panel::Timeline => timeline::ui(ui, session, timeline),
            Panel::Outliner => padded(ui, |ui| outliner.ui(ui, session)),
            Panel::Inspector => padded(ui, |ui| panels::inspector::inspector_ui(ui, session)),
            Panel::Graph => padded(ui, |ui| graph.ui(ui, session)),
            Panel::Plots => padded(ui, |ui| panels::plots::plots_ui(ui, session)),
            Panel::History => padded(ui, |ui| panels::history::history_ui(ui, session)),
            Panel::Clips => padded(ui, |ui| clips.ui(ui, session)),
            Panel::Seams => padded(ui, |ui| seams.ui(ui, session)),
            Panel::Log => padded(ui, |ui| log.ui(ui, session)),
            Panel::FrameTimes => padded(ui, |ui| frame_times.ui(ui)),
        });
    }

    fn above(&mut self, ctx: &egui::Context, middle: Rect) {
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
        if self.picture.is_none() {
            let room = self.viewport.place.take().unwrap_or(middle);
            if self.toasts.ui(ctx, &mut self.session.notices, room) {
                self.dock.show_panel(Panel::Log);
            }
        }
    }

    pub(super) fn hint(&self) -> String {
        if let Some((taken, all)) = self.filming.as_ref().map(Filming::progress) {
            return tr_with("hint.filming", &[("taken", taken.to_string()), ("all", all.to_string())]);
        }
        if self.session.is_empty() { tr("hint.start") } else { self.viewport.hint(&self.session) }
    }
}

/// The longest step of time between two frames, seconds: what comes after a pause of the program is no playback.
const LONGEST_STEP: f32 = 0.1;

impl App {
    /// One step of everything that needs no window: jobs, playback, autosave.
    pub fn step(&mut self, ctx: &egui::Context) {
        let seconds = f64::from(ctx.input(|input| input.unstable_dt).min(LONGEST_STEP));
        let calm = !ctx.input(|input| input.pointer.any_down()) && !ctx.text_edit_focused();
        self.session.update(seconds, calm);
        self.follow_take();
        if self.keeps {
            self.autosave(ctx);
        }
        self.viewport.is_filmed = self.filming.is_some();
        if let Some(picture) = &mut self.picture
            && let Some((film, replace)) = picture.step(ctx, &mut self.session, self.filming.is_some())
        {
            self.begin_film(film, replace, false);
        }
        self.film(ctx);
        if self.session.playback.playing || self.session.dynamics.moves() {
            ctx.request_repaint();
        } else if self.is_working() {
            ctx.request_repaint_after_secs(0.05);
        }
    }

    /// Input becomes commands, then everything is drawn.
    pub fn draw(&mut self, ui: &mut Ui) {
        self.fail_if_asked();
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
        let places = if self.session.is_empty() { ground } else { Frame::new() };
        let middle = egui::CentralPanel::default().frame(places).show(ui, |ui| {
            if self.session.is_empty() {
                let asked = start::screen(ui, &self.session);
                asked.into_iter().for_each(|command| self.perform(command));
            } else {
                self.places(ui);
            }
        });
        asked.inner.commands.into_iter().for_each(|command| self.perform(command));
        asked.inner.workspace.into_iter().for_each(|workspace| self.arrange(workspace));
        asked.inner.panel.into_iter().for_each(|panel| self.dock.show_panel(panel));
        self.above(&ctx, middle.response.rect);
        let is_calm = ctx.input(|input| input.events.is_empty());
        // What panels changed is evaluated at the start of the next frame; work that they began is looked for soon.
        let wait = if is_calm { self.is_working().then_some(0.05) } else { Some(0.0) };
        wait.into_iter().for_each(|seconds| ctx.request_repaint_after_secs(seconds));
    }
}

impl eframe::App for App {
    fn logic(&mut self, ctx: &egui::Context, frame: &mut eframe::Frame) {
        self.frame_times.add(Part::Scene, self.viewport.take_drawing());
        self.frame_times.next(frame.info().cpu_usage);
        let begun = Instant::now();
        self.guarded(|app| app.step(ctx));
        self.frame_times.add(Part::Session, begun.elapsed());
    }

    fn ui(&mut self, ui: &mut Ui, _: &mut eframe::Frame) {
        let begun = Instant::now();
        self.guarded(|app| app.draw(ui));
        self.frame_times.drawn(begun.elapsed());
    }

    /// The ground of the docked panels: laid under each of them it would be drawn twice, which takes long without a graphics card.
    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        theme::tokens(visuals.dark_mode).panel.to_normalized_gamma_f32()
    }

    /// A pointer that happens to rest over the window is not part of its picture.
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
        if self.keeps {
            storage.set_string(KEPT.0, serde_json::to_string(&self.dock).unwrap_or_default());
            storage.set_string(KEPT.1, serde_json::to_string(&self.workspace).unwrap_or_default());
        }
    }

    fn persist_egui_memory(&self) -> bool {
        self.keeps
    }
}
