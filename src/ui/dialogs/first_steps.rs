//! First steps of a workspace, ticked automatically when done.

use egui::{Label, RichText, Sense, TextStyle, Ui, Vec2};
use egui_material_icons::icons::ICON_CHECK_CIRCLE;

use crate::i18n::{tr, tr_with};
use crate::shell::workspace::Workspace;
use crate::{theme, widgets};
use portamento_session::Session;
use portamento_session::first_steps::Lesson;

/// Draws the steps of `workspace`; the free workspace shows those of stretching.
pub(super) fn list(ui: &mut Ui, session: &Session, workspace: Workspace) {
    let (lesson, name) = match workspace {
        Workspace::Stretch | Workspace::Free => (Lesson::Stretch, "stretch"),
        Workspace::Blend => (Lesson::Blend, "blend"),
        Workspace::Dynamics => (Lesson::Dynamics, "dynamics"),
        Workspace::Loop => (Lesson::Loop, "loop"),
        Workspace::Walk => (Lesson::Walk, "walk"),
    };
    let title = tr_with("help.first_steps", &[("workspace", tr(&format!("workspace.{name}")))]);
    ui.label(RichText::new(title).font(theme::strong()).color(theme::of(ui).accent));
    let steps = session.first_steps(lesson);
    let next = steps.iter().position(|step| !step.is_done);
    for (index, step) in steps.iter().enumerate() {
        let tokens = theme::of(ui);
        let ink = if next == Some(index) { tokens.text } else { tokens.dim };
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP_MEDIUM;
            let line = ui.text_style_height(&TextStyle::Body);
            let (room, _) = ui.allocate_exact_size(Vec2::new(theme::ICON, line), Sense::hover());
            let ring = |width: f32, color| {
                ui.painter().circle_stroke(room.center(), 6.0, (width, color));
            };
            match (step.is_done, next == Some(index)) {
                (true, _) => widgets::glyph(ui, room.center(), ICON_CHECK_CIRCLE, tokens.ok),
                (_, true) => ring(2.0, tokens.accent),
                _ => ring(1.0, tokens.dim),
            }
            ui.add(Label::new(RichText::new(tr(&format!("step.{}", step.key))).color(ink)).wrap());
        });
    }
    ui.add_space(theme::GAP_LARGE);
}
