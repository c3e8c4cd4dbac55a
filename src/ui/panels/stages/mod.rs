//! Views of the kinds of stages: icon, inspector, workspace and result. Systems with several panels have their own folder.

mod additive;
mod align;
mod cleanup;
mod close;
mod cross;
mod ground;
mod layer;
mod mirror;
mod offset;
mod pose;
mod pose_goals;
pub(crate) mod retime;
mod root;
mod stride;

use egui::Ui;
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{
    ICON_ALIGN_HORIZONTAL_CENTER, ICON_ALL_INCLUSIVE, ICON_CLEANING_SERVICES, ICON_CONTENT_CUT, ICON_CYCLE,
    ICON_DIRECTIONS_WALK, ICON_EXPOSURE, ICON_FLIP, ICON_HELP, ICON_LAYERS, ICON_LINE_START, ICON_PIN_DROP, ICON_SPEED,
    ICON_SPORTS_GYMNASTICS, ICON_STEPS, ICON_STRAIGHTEN, ICON_TERRAIN, ICON_WARNING, ICON_WAVES,
};

use super::dynamics::dynamics_ui;
use super::looping::{cuts_cycle, lamp_color, looping_ui};
use super::results::moment::go_to;
use super::stretch::stretch_ui;
use crate::i18n::{localized, tr_with};
use crate::shell::workspace::Workspace;
use crate::theme::{self, Tokens};
use crate::units::Unit;
use crate::widgets::{self, Figure};
use portamento_anim::quality::SideEffect;
use portamento_base::message::{Moment, Tell};
use portamento_looping::{SeamFigure, SeamRating};
use portamento_repair::cleanup::Report;
use portamento_session::Session;
use portamento_stretch::WarningKind;
use portamento_takes::document::stage::StageSettings;
use portamento_takes::document::{StageType, TakeId};
use portamento_takes::evaluate::{BuiltTake, Looped, ResultOfKind, StageResult};

/// The view of a kind of stage.
#[derive(Debug)]
pub(crate) struct StageView {
    /// The icon in menus, cards and lists.
    pub icon: MaterialIcon,
    /// Draws the settings and results of the open stage of a take.
    pub inspector: fn(&mut Ui, &mut Session, TakeId),
    /// The workspace in which takes with such a stage open.
    pub workspace: Option<Workspace>,
}

impl StageView {
    /// Returns the view of `kind`.
    pub fn of(kind: StageType) -> Self {
        let view = |icon, inspector, workspace| Self { icon, inspector, workspace };
        match kind {
            StageType::Layer => view(ICON_LAYERS, layer::layer_ui, Some(Workspace::Blend)),
            StageType::Stretch => view(ICON_STRAIGHTEN, stretch_ui, Some(Workspace::Stretch)),
            StageType::Cleanup => view(ICON_CLEANING_SERVICES, cleanup::cleanup_ui, None),
            StageType::Ground => view(ICON_TERRAIN, ground::ground_ui, None),
            StageType::Retime => view(ICON_SPEED, retime::retime_ui, None),
            StageType::Trim => view(ICON_CONTENT_CUT, retime::trim_ui, None),
            StageType::Mirror => view(ICON_FLIP, mirror::mirror_ui, None),
            StageType::Root => view(ICON_PIN_DROP, root::root_ui, None),
            StageType::Dynamics => view(ICON_WAVES, dynamics_ui, Some(Workspace::Dynamics)),
            StageType::Loop => view(ICON_ALL_INCLUSIVE, looping_ui, Some(Workspace::Loop)),
            StageType::Close => view(ICON_CYCLE, close::close_ui, Some(Workspace::Loop)),
            StageType::Offset => view(ICON_LINE_START, offset::offset_ui, None),
            StageType::Stride => view(ICON_DIRECTIONS_WALK, stride::stride_ui, None),
            StageType::Align => view(ICON_ALIGN_HORIZONTAL_CENTER, align::align_ui, None),
            StageType::Cross => view(ICON_STEPS, cross::cross_ui, None),
            StageType::Additive => view(ICON_EXPOSURE, additive::additive_ui, None),
            StageType::Pose => view(ICON_SPORTS_GYMNASTICS, pose::pose_ui, None),
        }
    }
}

/// Returns the icon of the kind of stage with this name; a question mark for an unknown name.
pub(crate) fn stage_icon(kind: &str) -> MaterialIcon {
    StageType::named(kind).map_or(ICON_HELP, |kind| StageView::of(kind).icon)
}

/// The open stage, as far as it is built.
#[derive(Debug)]
struct OpenStage<'a, R> {
    /// The take, built with it.
    built: Option<&'a BuiltTake>,
    /// Its index among the active stages.
    at: Option<usize>,
    /// Its result.
    result: Option<&'a R>,
}

/// Draws the settings and the result of the open stage of take `id`, or of its first stage of this kind, with `body`. Goes to the
/// moment that `body` returns. Draws nothing without such a stage. If the stage was not applied, the reason is drawn instead of
/// its result.
fn inspect<S: StageSettings, R: ResultOfKind>(
    ui: &mut Ui,
    session: &mut Session,
    id: TakeId,
    body: impl FnOnce(&mut Ui, &mut S, OpenStage<R>) -> Option<Moment>,
) {
    let built = session.evaluation.built_for_open_stage(&session.document, &session.selection);
    let at = session.selection.stage_index(&session.document);
    let stage = session.selection.stage;
    let Some(settings) = session.document.take_mut(id).and_then(|take| take.settings_mut::<S>(stage)) else { return };
    let undone = built.as_ref().and_then(|built| built.undone::<R>(at));
    let result = built.as_ref().filter(|_| undone.is_none()).and_then(|built| built.result::<R>(at));
    if let Some(effect) = undone {
        let figure = undone_figure(theme::of(ui), effect);
        widgets::remark(ui, ICON_WARNING, figure.color, &figure.text);
    }
    let asked = body(ui, settings, OpenStage { built: built.as_deref(), at, result });
    go_to(session, asked);
}

/// Returns the reason why a stage was not applied, in the warning colour.
fn undone_figure(tokens: &Tokens, effect: &SideEffect) -> Figure {
    Figure::new(tr_with("stack.undone", &[("why", localized(&effect.message()))]), tokens.warning)
}

/// Returns the one-line result of the stage at `index` of `built`, in a warning colour if it is bad or was not applied. `None` if
/// it was not built.
pub(crate) fn figure(tokens: &Tokens, built: &BuiltTake, index: usize) -> Option<Figure> {
    let stage = built.stages.get(index)?;
    let metres = built.metres_per_unit;
    if let Some(effect) = &stage.undone {
        return Some(undone_figure(tokens, effect));
    }
    Some(match &stage.result {
        StageResult::Layer(layer) => {
            let part = [("held", layer.held_frames.to_string()), ("frames", layer.weights.len().to_string())];
            let color = if layer.held_frames > 0 { tokens.ok } else { tokens.warning };
            Figure::new(tr_with("stack.layer", &part), color)
        }
        StageResult::Stretch(stretch) => {
            let (error, ratio) = (stretch.report.end_error * metres * 1e3, stretch.report.ratio);
            let part = [("error", Unit::Millimetres.text(error, 1)), ("ratio", format!("{ratio:.2}"))];
            let pulses = stretch.report.warnings.iter().any(|warning| warning.kind == WarningKind::OnTheSpot);
            Figure::judged(tokens, tr_with("stack.stretch", &part), error < 0.1 && !pulses, tokens.warning)
        }
        StageResult::Dynamics(dynamics) => {
            let depth = 100.0 * dynamics.report.penetration;
            let part = [("joints", dynamics.joints.len().to_string()), ("depth", format!("{depth:.1}"))];
            Figure::judged(tokens, tr_with("stack.dynamics", &part), depth < 0.1, tokens.warning)
        }
        StageResult::Close(closed) => close::figure(tokens, &closed.report),
        StageResult::Retime(retimed) => {
            let report = &retimed.report;
            let part = [
                ("before", Unit::Seconds.text(report.seconds_before, 2)),
                ("after", Unit::Seconds.text(report.seconds_after, 2)),
            ];
            Figure::new(tr_with("stack.retime", &part), tokens.ok)
        }
        StageResult::Trim(trimmed) => {
            let (from, to) = (trimmed.report.from, trimmed.report.to);
            let part = [("from", Unit::Seconds.text(from, 2)), ("to", Unit::Seconds.text(to, 2))];
            Figure::new(tr_with("stack.trim", &part), tokens.ok)
        }
        StageResult::Cleanup(cleaned) => cleanup(tokens, &cleaned.report),
        StageResult::Mirror(mirrored) => mirror::figure(tokens, &mirrored.report),
        StageResult::Root(rooted) => {
            let report = &rooted.report;
            let part = [("joint", report.joint.clone()), ("length", Unit::Metres.text(report.length, 2))];
            Figure::judged(tokens, tr_with("stack.root", &part), report.moved <= 2.0 * report.bound, tokens.warning)
        }
        StageResult::Ground(grounded) => {
            let [off, slide] = [grounded.report.off_ground[1], grounded.report.slide[1]].map(|metres| metres * 1e3);
            let part = [("off", Unit::Millimetres.text(off, 1)), ("slide", Unit::Millimetres.text(slide, 1))];
            Figure::judged(tokens, tr_with("stack.ground", &part), off < 5.0 && slide < 10.0, tokens.warning)
        }
        StageResult::Loop(looped) => loop_figure(tokens, looped),
        StageResult::Offset(offset) => offset::figure(tokens, &offset.report),
        StageResult::Stride(stride) => stride::figure(tokens, &stride.report),
        StageResult::Align(aligned) => align::figure(tokens, &aligned.report),
        StageResult::Cross(crossed) => cross::figure(tokens, crossed),
        StageResult::Additive(additive) => additive::figure(tokens, &additive.report),
        StageResult::Pose(posed) => pose::figure(tokens, posed),
    })
}

/// Returns the length of the loop and the worst of its seam figures, in the colour of its rating. A good seam that cuts a cycle
/// is a warning.
fn loop_figure(tokens: &Tokens, looped: &Looped) -> Figure {
    let report = looped.report();
    let (decides, rating) = report.worst();
    let (key, value) = match decides {
        SeamFigure::Ratio => ("stack.loop", report.ratio),
        SeamFigure::Motion => ("stack.loop_motion", report.motion_kept()),
        SeamFigure::Edges => ("stack.loop_edges", report.edges.map(|edges| edges.low)),
    };
    let value = value.map_or_else(|| "–".into(), |value| format!("{value:.2}"));
    let part = [("frames", looped.window.length.to_string()), ("value", value)];
    match rating {
        SeamRating::Green if cuts_cycle(looped) => Figure::new(tr_with("stack.loop_cuts", &part), tokens.warning),
        _ => Figure::new(tr_with(key, &part), lamp_color(rating, tokens)),
    }
}

/// Returns the number of joints that a clean-up changed and of frames with pops that are left. Any such frame makes it a warning.
fn cleanup(tokens: &Tokens, report: &Report) -> Figure {
    let pops_left = report.after.as_ref().map_or(0, |after| after.pops.frames);
    let part = [("joints", report.changed.len().to_string()), ("pops", pops_left.to_string())];
    Figure::judged(tokens, tr_with("stack.cleanup", &part), pops_left == 0, tokens.warning)
}
