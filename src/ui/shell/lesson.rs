//! The panel of an open lesson: its steps, which are ticked when they are done, and what comes next.

use egui::{Color32, Frame, Label, Margin, Panel as Bar, RichText, ScrollArea, Sense, TextStyle, Ui, Vec2};
use egui_material_icons::icons::ICON_CHECK_CIRCLE;

use super::pictures::{self, Draw};
use super::workspace::Workspace;
use crate::app::App;
use crate::i18n::tr;
use crate::{focus, theme, widgets};
use portamento_session::lessons::{Lesson, LessonRequest, LessonStep};
use portamento_session::{Command, FileCommand, WindowCommand};

/// Width of the panel, points.
const WIDTH: f32 = 224.0;

/// Returns the moving drawing of `lesson`.
pub(super) fn drawing(lesson: Lesson) -> Draw {
    match lesson {
        Lesson::Stretch => pictures::stretch,
        Lesson::Blend => pictures::blend,
        Lesson::Hair => pictures::hair,
        Lesson::Loop => pictures::looped,
        Lesson::Walk => pictures::walk,
        Lesson::Mocap => pictures::mocap,
    }
}

/// Returns the workspace in which `lesson` is done.
pub(super) fn workspace(lesson: Lesson) -> Workspace {
    match lesson {
        Lesson::Stretch | Lesson::Mocap => Workspace::Stretch,
        Lesson::Blend => Workspace::Blend,
        Lesson::Hair => Workspace::Dynamics,
        Lesson::Loop => Workspace::Loop,
        Lesson::Walk => Workspace::Walk,
    }
}

/// Returns the translated title of `lesson`.
pub(super) fn title(lesson: Lesson) -> String {
    tr(&format!("lesson.{}", lesson.name()))
}

/// Returns `command`. If it opens a lesson, its take gets a name in the language of the window.
pub(crate) fn with_title(command: Command) -> Command {
    match command {
        Command::File(FileCommand::OpenLesson(request)) => {
            let title = tr(&format!("lesson.take_{}", request.lesson.name()));
            Command::File(FileCommand::OpenLesson(LessonRequest { title, ..request }))
        }
        other => other,
    }
}

/// The choice of the user in the panel.
enum Choice {
    /// Starts the lesson again.
    Reset,
    /// Begins with a file of the user.
    OwnFile,
    /// Closes the panel.
    Close,
}

impl App {
    /// Draws the panel of an open lesson, left of the other panels, and performs the choice of the user. Restarting discards
    /// changes; opening an own file asks first.
    pub(crate) fn lesson_ui(&mut self, ui: &mut Ui) {
        let Some(lesson) = self.session.lesson else { return };
        let steps = self.session.lesson_steps(lesson);
        let frame = Frame::new().fill(theme::of(ui).panel).inner_margin(Margin::same(12));
        let panel = Bar::left("lesson").exact_size(WIDTH).resizable(false).frame(frame);
        let choice = panel.show(ui, |ui| contents(ui, lesson, &steps)).inner;
        match choice {
            None => {}
            Some(Choice::Reset) => {
                let request = LessonRequest { lesson, title: String::new(), reset: true };
                // The user asked to discard the changes.
                self.session.project.discard_autosave();
                self.leaving = true;
                self.perform(Command::File(FileCommand::OpenLesson(request)));
            }
            Some(Choice::OwnFile) => {
                self.perform(Command::File(FileCommand::New));
                // Changes of the lesson are asked about first; then the start screen offers to open a file.
                if self.dialogs.unsaved.is_none() {
                    self.perform(Command::Window(WindowCommand::AskOpen));
                }
            }
            Some(Choice::Close) => self.session.lesson = None,
        }
    }
}

/// Draws the steps of a lesson with the next one marked. Returns the button that was clicked.
fn contents(ui: &mut Ui, lesson: Lesson, steps: &[LessonStep]) -> Option<Choice> {
    let tokens = theme::of(ui);
    let mut choice = None;
    ui.horizontal(|ui| {
        ui.add(Label::new(RichText::new(title(lesson)).font(theme::strong()).color(tokens.accent)).truncate());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let close = egui_material_icons::icons::ICON_CLOSE;
            if widgets::icon_button(ui, close, &tr("lesson.close")).clicked() {
                choice = Some(Choice::Close);
            }
        });
    });
    ui.add_space(theme::GAP_SMALL);
    ScrollArea::vertical().auto_shrink([false, true]).show(ui, |ui| {
        let next = steps.iter().position(|step| !step.is_done);
        for (index, step) in steps.iter().enumerate() {
            step_row(ui, step, next == Some(index));
            ui.add_space(theme::GAP_MEDIUM);
        }
        if next.is_none() {
            ui.add(Label::new(RichText::new(tr("lesson.done")).color(tokens.ok)).wrap());
        }
        ui.add_space(theme::GAP_MEDIUM);
        let own = tr("lesson.own_file");
        let has_chosen =
            if next.is_none() { widgets::main_button(ui, &own).clicked() } else { ui.button(own).clicked() };
        if has_chosen {
            choice = Some(Choice::OwnFile);
        }
        ui.add_space(theme::GAP_SMALL);
        if ui.button(tr("lesson.reset")).on_hover_text(tr("tip.lesson_reset")).clicked() {
            choice = Some(Choice::Reset);
        }
        focus::scroll_to_focus(ui);
    });
    choice
}

/// Draws a step: its tick or ring, and its text, which is bright if it is the next one.
fn step_row(ui: &mut Ui, step: &LessonStep, is_next: bool) {
    let tokens = theme::of(ui);
    let ink: Color32 = if is_next { tokens.text } else { tokens.dim };
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP_MEDIUM;
        let line = ui.text_style_height(&TextStyle::Body);
        let (room, _) = ui.allocate_exact_size(Vec2::new(theme::ICON, line), Sense::hover());
        let ring = |width: f32, color| {
            ui.painter().circle_stroke(room.center(), 6.0, (width, color));
        };
        match (step.is_done, is_next) {
            (true, _) => widgets::glyph(ui, room.center(), ICON_CHECK_CIRCLE, tokens.ok),
            (_, true) => ring(2.0, tokens.accent),
            _ => ring(1.0, tokens.dim),
        }
        ui.add(Label::new(RichText::new(tr(&format!("step.{}", step.key))).color(ink)).wrap());
    });
}
