//! Inspector of the loop stage: settings and seam quality.

pub(super) mod cache_mesh;
mod seam_order;
pub(crate) mod seams;
pub(super) mod sheet;

use std::ops::RangeInclusive;

use egui::{Color32, RichText, Ui};
use egui_material_icons::icons::ICON_CIRCLE;

use super::results::moment;
use crate::i18n::{tr, tr_with};
use crate::theme::{self, Tokens};
use crate::widgets::curve::rise;
use crate::widgets::number::{IntegerField, Unit, whole_number};
use crate::widgets::rows::share_row;
use crate::widgets::{self, Readout, form};
use portamento_anim::math::easing::Easing;
use portamento_base::message::Moment;
use portamento_looping::{Fade, FadeCurve, LoopTravel, SeamFigure, SeamRating, SeamReport, Settings, Warning};
use portamento_session::Session;
use portamento_takes::document::TakeId;
use portamento_takes::evaluate::{Content, Looped};

/// Draws the loop stage of take `id` that is open, if it is one.
pub(super) fn looping_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let built = session.evaluation.frame_of(&session.selection.shown).and_then(|frame| frame.built.clone());
    let of_stage = session.evaluation.built_for_open_stage(&session.document, &session.selection);
    let at = session.selection.stage_index(&session.document);
    let Some(looped) = session.document.take_mut(id).and_then(|take| take.looped_mut(session.selection.stage)) else {
        return;
    };
    let settings = &mut looped.settings;
    let result = of_stage.as_ref().and_then(|built| built.looped(at));
    // The seam is at the end of the loop.
    let seam =
        of_stage.as_ref().and_then(|built| Some(moment::of_stage(at, built.stages.get(at?)?.clip.duration, None)));
    let asked = result.and_then(|looped| outcome(ui, looped, seam));
    form::section(ui, "loop", true, |ui| window(ui, settings, result));
    form::section(ui, "fade", true, |ui| {
        fade(ui, "in", &mut settings.fade);
        let mut linked = settings.outgoing.is_none();
        let reset = form::row(ui, "fade_linked", |ui| {
            form::tick(ui, &mut linked);
        });
        if linked != settings.outgoing.is_none() || reset {
            let is_separate = !linked && !reset;
            settings.outgoing = is_separate.then(|| settings.fade.clone());
        }
        if let Some(outgoing) = &mut settings.outgoing {
            fade(ui, "out", outgoing);
        }
    });
    if let Some(built) = &built {
        form::section(ui, "mixing", true, |ui| mixing(ui, settings, &built.content));
    }
    moment::go_to(session, asked);
}

/// Returns the colour of a seam rating.
pub fn lamp_color(lamp: SeamRating, tokens: &Tokens) -> Color32 {
    match lamp {
        SeamRating::Green => tokens.ok,
        SeamRating::Yellow => tokens.warning,
        SeamRating::Red => tokens.error,
        SeamRating::Unmeasured => tokens.dim,
    }
}

/// Returns the translated text of a seam rating, which names the figure that decides it.
pub fn lamp_words(report: &SeamReport) -> String {
    let share = |value: Option<f64>| [("share", format!("{:.0}", 100.0 * value.unwrap_or(0.0)))];
    match report.worst() {
        (SeamFigure::Motion, _) => tr_with("seam.motion_lost", &share(report.motion_kept())),
        (SeamFigure::Edges, _) => tr_with("seam.edges_shrink", &share(report.edges.map(|edges| edges.low))),
        (SeamFigure::Ratio, SeamRating::Green) => tr("seam.green"),
        (SeamFigure::Ratio, SeamRating::Yellow) => tr("seam.yellow"),
        (SeamFigure::Ratio, SeamRating::Red) => tr("seam.red"),
        (SeamFigure::Ratio, SeamRating::Unmeasured) => tr("seam.unmeasured"),
    }
}

/// True if the source already loops and this loop is a part of its cycle: the seam may be smooth, but it cuts the cycle.
pub(super) fn cuts_cycle(looped: &Looped) -> bool {
    looped.warnings().iter().any(|warning| matches!(warning, Warning::AlreadyLoops { .. }))
}

/// Draws the rating with its reason, then the figures that were measured, in a fixed order. Returns `seam`, the moment of the
/// seam, if a figure was clicked.
fn outcome(ui: &mut Ui, looped: &Looped, seam: Option<Moment>) -> Option<Moment> {
    let (tokens, report) = (theme::of(ui), looped.report());
    let (decides, rating) = report.worst();
    let lamp = lamp_color(rating, tokens);
    let cuts = cuts_cycle(looped) && rating == SeamRating::Green;
    match cuts {
        true => widgets::remark(ui, ICON_CIRCLE, tokens.warning, &tr("seam.cuts")),
        false => widgets::remark(ui, ICON_CIRCLE, lamp, &lamp_words(report)),
    }
    // Only the figure that decides has a colour.
    let ink = |figure: SeamFigure| if figure == decides && !cuts { lamp } else { tokens.text };
    let figures = [
        ("seam_gap", Some(report.value_gap).filter(|gap| *gap > 0.0), tokens.text),
        ("seam_ratio", report.ratio, ink(SeamFigure::Ratio)),
        ("seam_jolt", report.acceleration_ratio, tokens.text),
        ("seam_dip", report.motion_kept(), ink(SeamFigure::Motion)),
        ("seam_edges", report.edges.map(|edges| edges.low), ink(SeamFigure::Edges)),
    ];
    let values = figures.into_iter().filter_map(|(key, value, color)| {
        let text = format!("{:.*}", if key == "seam_gap" { 6 } else { 2 }, value?);
        Some(Readout::new(key, text, color).at(seam))
    });
    widgets::readouts(ui, &values.collect::<Vec<_>>())
}

/// Draws length and start of the loop in frames of the source. Two cycles must fit the source: a longer loop moves the start
/// back.
fn window(ui: &mut Ui, settings: &mut Settings, looped: Option<&Looped>) {
    let frames = looped.map_or(usize::MAX / 4, |looped| looped.source.frames());
    let longest = (frames.max(3) - 1) / 2;
    let before = settings.length;
    frame_row(ui, "loop_length", &mut settings.length, 1..=longest);
    let latest = frames.saturating_sub(1).saturating_sub(2 * settings.length);
    frame_row(ui, "loop_start", &mut settings.start, 0..=latest);
    if settings.length > before {
        // Increasing the length moves the start back instead of being limited by it.
        settings.start = settings.start.min(latest);
    }
    let Some(looped) = looped else { return };
    form::fact(ui, "loop_seconds", Unit::Seconds.text(settings.length as f64 / looped.fps, 3));
    let [start, middle, end] = [settings.start, settings.start + settings.length, settings.start + 2 * settings.length];
    form::fact(ui, "loop_cycles", format!("{start} … {middle} … {end}  / {}", frames.saturating_sub(1)));
}

/// Draws a row for a number of frames within `frames`; `key` is the key of its label.
fn frame_row(ui: &mut Ui, key: &str, value: &mut usize, frames: RangeInclusive<usize>) {
    form::row(ui, key, |ui| {
        let range = *frames.start()..=*frames.end().max(frames.start());
        let response = whole_number(ui, value, IntegerField::new(0.25).within(range));
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(tr(&format!("form.{key}"))));
    });
}

/// Menu entry of the fade curve.
#[derive(Clone, Copy, PartialEq)]
enum Choice {
    Named(Easing),
    Drawn,
}

/// Draws the curve, softness and reach of a fade. `id` is “in” or “out”.
fn fade(ui: &mut Ui, id: &str, fade: &mut Fade) {
    ui.push_id(id, |ui| {
        curve(ui, id, fade);
        share_row(ui, "fade_softness", &mut fade.softness, 1.0);
        share_row(ui, "fade_reach", &mut fade.reach, 0.5);
    });
}

/// Draws the curve of a fade: a named one, or one drawn by points. Editing the line makes it a drawn one.
fn curve(ui: &mut Ui, id: &str, fade: &mut Fade) {
    let before = match &fade.curve {
        FadeCurve::Named(named) => Choice::Named(*named),
        FadeCurve::Drawn(_) => Choice::Drawn,
    };
    let mut choice = before;
    let key = if id == "in" { "fade_curve" } else { "fade_curve_out" };
    let reset = form::row(ui, key, |ui| {
        let named = Easing::ALL.map(|each| (Choice::Named(each), tr(&format!("easing.{}", each.name()))));
        let mut choices = named.to_vec();
        choices.push((Choice::Drawn, tr("easing.drawn")));
        form::choice(ui, "curve", &mut choice, &choices);
    });
    let line = fade.curve.line(48);
    match choice {
        _ if reset => fade.curve = FadeCurve::default(),
        Choice::Named(named) if choice != before => fade.curve = FadeCurve::Named(named),
        Choice::Drawn if choice != before => fade.curve = FadeCurve::Drawn(fade.curve.line(4)),
        _ => {}
    }
    let mut points = match &fade.curve {
        FadeCurve::Drawn(points) => points.iter().map(|&[x, y]| (f64::from(x), f64::from(y))).collect(),
        FadeCurve::Named(_) => Vec::new(),
    };
    if rise(ui, &tr(&format!("form.{key}")), &mut points, &line).changed() {
        fade.curve = FadeCurve::Drawn(points.iter().map(|&(x, y)| [x as f32, y as f32]).collect());
    }
}

/// Draws the settings that mix both cycles, as far as they apply to `content`.
fn mixing(ui: &mut Ui, settings: &mut Settings, content: &Content) {
    let mut check = |key: &str, on: &mut bool| {
        if form::row(ui, key, |ui| {
            form::tick(ui, on);
        }) {
            *on = false;
        }
    };
    match content {
        Content::Vertices(_) => {
            check("keep_energy", &mut settings.keep_energy);
            check("rigid", &mut settings.rigid);
        }
        Content::Images(_) => {
            check("keep_energy", &mut settings.keep_energy);
            check("linear_light", &mut settings.linear_light);
        }
        Content::Joints => {
            let reset = form::named_row(ui, "loop_travel", &mut settings.travel, "travel.{}");
            if reset {
                settings.travel = LoopTravel::default();
            }
        }
    }
    let dim = theme::of(ui).dim;
    ui.add(egui::Label::new(RichText::new(tr("loop.closing_hint")).font(theme::caption()).color(dim)).wrap());
}
