//! Weight curves of a blend over time, and the contributions to the selected joint at the playhead.

use egui::{Color32, RichText, Sense, Stroke, Ui, Vec2};

use crate::i18n::tr;
use crate::widgets::{form, time_plot};
use crate::{theme, widgets};
use portamento_blend::{Action, Weights};
use portamento_session::Session;
use portamento_takes::evaluate::Blended;

/// One curve: key of its label, colour, value.
type Curve = (&'static str, Color32, fn(&Weights) -> f32);

fn curves(ui: &Ui) -> [Curve; 4] {
    let tokens = theme::of(ui);
    [
        ("weights.skill_on_upper", theme::action(Action::Cast, tokens), |at| at.skill_on_upper),
        ("weights.skill_on_lower", theme::mix(theme::action(Action::Cast, tokens), tokens.error, 0.6), |at| {
            at.skill_on_lower
        }),
        ("weights.cur_ani", theme::action(Action::Run, tokens), |at| at.cur_ani),
        ("weights.pre_ani", tokens.dim, |at| at.pre_ani),
    ]
}

/// Draws the weight curves of `blended`; a click or drag moves the playhead.
pub fn weights_ui(ui: &mut Ui, session: &mut Session, blended: &Blended) {
    let now = blended.built.weights(session.playback.time).unwrap_or_default();
    let curves = curves(ui);
    ui.horizontal(|ui| {
        for (key, color, value) in &curves {
            let (rect, _) = ui.allocate_exact_size(Vec2::new(14.0, theme::ROW), Sense::hover());
            ui.painter().line_segment([rect.left_center(), rect.right_center()], Stroke::new(2.5, *color));
            widgets::caption(ui, tr(key));
            let text = RichText::new(format!("{:.2}", value(&now))).font(theme::strong());
            ui.add_sized([32.0, theme::ROW], egui::Label::new(text));
        }
    });
    let plot = time_plot::time_plot("weights", theme::of(ui)).include_y(1.0);
    time_plot::show(ui, plot, &mut session.playback, |plot| {
        for (_, color, value) in &curves {
            let points = blended.weights.iter().map(|at| [at.time, f64::from(value(at))]);
            plot.line(time_plot::line(points, Stroke::new(2.0, *color)));
        }
    });
}

/// Draws the contributions to the selected joint at the playhead as bars. Draws nothing without a selected joint.
pub fn shares_ui(ui: &mut Ui, session: &Session) {
    let (Some(joint), Some(frame)) = (session.selection.joint, session.frame()) else { return };
    let Some(blend) = frame.built.as_ref().and_then(|built| built.blend()) else { return };
    let tokens = theme::of(ui);
    form::section(ui, "shares", true, |ui| {
        for share in blend.shares(session.playback.time, joint) {
            ui.horizontal(|ui| {
                let width = ui.available_width();
                let (rect, _) = ui.allocate_exact_size(Vec2::new(width, theme::ROW - 4.0), Sense::hover());
                let mut bar = rect;
                bar.set_width(rect.width() * share.share.clamp(0.0, 1.0));
                ui.painter().rect_filled(rect, 2.0, tokens.window);
                ui.painter().rect_filled(bar, 2.0, theme::mix(tokens.panel, tokens.accent, 0.35));
                let left = rect.left_center() + Vec2::new(6.0, 0.0);
                ui.painter().text(left, egui::Align2::LEFT_CENTER, &share.from, theme::caption(), tokens.text);
                let right = rect.right_center() - Vec2::new(6.0, 0.0);
                let number = format!("{:.1} %", share.share * 100.0);
                ui.painter().text(right, egui::Align2::RIGHT_CENTER, number, theme::caption(), tokens.text);
            });
        }
    });
}
