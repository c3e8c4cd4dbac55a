//! Quality figures of the current motion, each with the joint and frame of its worst value. A click jumps there.

use egui::{Align, Color32, CursorIcon, FontId, Label, Layout, RichText, Sense, Ui, WidgetInfo, WidgetType};
use egui_material_icons::icons::ICON_HEALING;

use super::moment::{go_to, of_worst};
use crate::dialogs::guide;
use crate::i18n::{tr, tr_with};
use crate::panels::clips::to_mend;
use crate::theme::{self, Tokens};
use crate::units::Unit;
use crate::widgets::{self, Figure, form, go_to_tip, middle};
use portamento_anim::Skeleton;
use portamento_anim::quality::{Finding, Pop, Quality, WorstFrame};
use portamento_session::clip_library::{ClipRow, mends};
use portamento_session::{Command, FiguresOfShown, FileCommand, Session, Shown};
use portamento_takes::document::Take;
use portamento_takes::evaluate::FrameContent;

/// A figure and the frame of its worst value.
struct Line {
    /// Label key: `outcome.KEY` is the name, `tip.outcome_KEY` the tooltip.
    key: &'static str,
    figure: Figure,
    worst: Option<WorstFrame>,
}

impl Line {
    /// Returns the finding that the figure measures.
    fn finding(&self) -> Finding {
        match self.key {
            "figure_slide" => Finding::FeetSlide,
            "figure_sinking" => Finding::Sinks,
            "figure_residue" => Finding::DoesNotClose,
            "figure_jitter" => Finding::Jitters,
            _ => Finding::Pops,
        }
    }
}

/// Draws the figures section; a click on a figure jumps to its worst frame. Vertex and image takes have no figures. Nothing is
/// drawn until the take is built.
pub(crate) fn section(ui: &mut Ui, session: &mut Session) {
    let posed = session.frame().filter(|frame| frame.content == FrameContent::Posed);
    let posed = posed.filter(|_| !session.evaluation.is_outdated());
    let Some(built) = posed.and_then(|frame| frame.built.clone()) else { return };
    let (mut asked, mut fix_command) = (None, None);
    form::section(ui, "figures", true, |ui| {
        let FiguresOfShown { quality, is_current } = session.evaluation.figures();
        let skeleton = &built.character.model.skeleton;
        let tokens = theme::of(ui);
        let scope = FigureScope::of(session);
        let measured = |quality| lines(tokens, quality, skeleton, scope);
        let lines = quality.as_ref().map_or_else(|| unmeasured(tokens), measured);
        // Outdated figures are dimmed until they are measured again.
        ui.scope(|ui| {
            ui.set_opacity(if is_current { 1.0 } else { 0.5 });
            let widths = lines.iter().map(|line| middle::width(ui, &line.figure.text, &theme::strong()));
            let number = widths.fold(0.0, f32::max).ceil();
            for line in &lines {
                let label = line.worst.map(|worst| frame_label(session, worst, skeleton, built.fps));
                let topic = (line.figure.color == tokens.warning).then(|| guide::of_finding(line.finding()));
                let name = tr(&format!("outcome.{}", line.key));
                let is_clicked = guide::marked_row(ui, topic, &name, |ui| row(ui, line, label, number));
                if is_clicked && is_current {
                    asked = line.worst;
                }
            }
        });
        fix_command = quality.filter(|_| is_current).and_then(|quality| mend(ui, session, quality));
    });
    fix_command.into_iter().for_each(|fix_command| session.perform(fix_command));
    go_to(session, asked.map(|worst| of_worst(None, worst)));
}

/// Draws the button that fixes the shown clip, if it has fixable findings and is shown on its own character. Returns the command
/// when clicked.
fn mend(ui: &mut Ui, session: &Session, quality: Quality) -> Option<Command> {
    let Shown::Clip { character, file, clip } = &session.selection.shown else { return None };
    let path = session.document.file(*file).filter(|_| character == file)?.path.clone();
    if mends(&quality).is_empty() {
        return None;
    }
    let button = widgets::text_button(ui, ICON_HEALING, &tr("clips.mend")).on_hover_text(tr("tip.mend_this"));
    let row = ClipRow { file: path, clip: clip.clone(), quality: Some(quality), tags: Vec::new() };
    button.clicked().then(|| Command::File(FileCommand::MendClips(to_mend(vec![row]))))
}

/// Label keys of the figures, in display order.
const FIGURE_KEYS: [&str; 6] =
    ["figure_pops", "figure_beyond", "figure_slide", "figure_sinking", "figure_residue", "figure_jitter"];

/// Returns the lines of all figures without values.
fn unmeasured(tokens: &Tokens) -> Vec<Line> {
    FIGURE_KEYS.map(|key| Line { key, figure: Figure::unmeasured(tokens), worst: None }).into()
}

/// The figures that mean something for the shown motion.
#[derive(Clone, Copy)]
struct FigureScope {
    /// True if a gap between end and start counts: a take that repeats has to close, a walk to a goal and a crossing have not. `None`
    /// if only a measurement can tell.
    closes: Option<bool>,
    /// True if the body has a place: a difference is added to another motion.
    is_placed: bool,
}

impl FigureScope {
    /// Returns the scope of the shown take or clip.
    fn of(session: &Session) -> Self {
        let take = match session.selection.shown {
            Shown::Take(id) => session.document.take(id),
            _ => None,
        };
        let closes = match take {
            Some(Take { loops: Some(loops), .. }) => Some(*loops),
            Some(take) if !take.repeats() => (take.walk().is_some() || take.crosses()).then_some(false),
            _ => Some(true),
        };
        Self { closes, is_placed: !take.is_some_and(Take::is_difference) }
    }
}

/// Returns the faults of the shown take as translated texts, each with its figure if it has one. `quality` is that of its motion.
pub(super) fn faults(tokens: &Tokens, session: &Session, quality: &Quality, skeleton: &Skeleton) -> Vec<String> {
    let scope = FigureScope::of(session);
    let lines = lines(tokens, quality, skeleton, scope);
    let figures = lines.iter().filter(|line| line.figure.color == tokens.warning);
    let figures = figures.map(|line| format!("{} {}", tr(&format!("outcome.{}", line.key)), line.figure.text));
    // These have no figure. A walk starts where the level says.
    let is_walk = session.shown_take().is_some_and(|take| take.walk().is_some());
    let others = [(Finding::StartsOffOrigin, scope.is_placed && !is_walk), (Finding::BadRotations, true)].into_iter();
    let others = others.filter(|(finding, applies)| *applies && quality.findings.contains(finding));
    figures.chain(others.map(|(finding, _)| tr(&format!("verdict.{}", finding.key())))).collect()
}

/// Returns the measured figures that `scope` allows. A figure with a finding has the warning colour.
fn lines(tokens: &Tokens, quality: &Quality, skeleton: &Skeleton, scope: FigureScope) -> Vec<Line> {
    let has_gap = scope.closes.unwrap_or_else(|| quality.findings.contains(&Finding::DoesNotClose));
    // On the spot, feet are meant to slide.
    let slides = !quality.way.on_the_spot;
    let applies = |key: &str| match key {
        "figure_residue" => has_gap,
        "figure_slide" => scope.is_placed && slides,
        "figure_sinking" => scope.is_placed,
        _ => true,
    };
    let ink = |finding: Finding| if quality.findings.contains(&finding) { tokens.warning } else { tokens.ok };
    let of_pop = |pop: &Pop| Some(WorstFrame { joint: skeleton.find(&pop.joint)?, time: pop.time });
    let Quality { pops, feet, residue, jitter, .. } = quality;
    let beyond = pops.beyond.as_ref();
    let jitter = jitter.as_ref();
    let figures = [
        (Some((pops.frames.to_string(), ink(Finding::Pops))), pops.worst.as_ref().and_then(of_pop)),
        (beyond.map(|pop| (Unit::Degrees.text(pop.degrees, 1), ink(Finding::Pops))), beyond.and_then(of_pop)),
        (
            feet.and_then(|feet| feet.slide)
                .map(|slide| (Unit::CentimetresPerSecond.text(slide, 1), ink(Finding::FeetSlide))),
            feet.and_then(|feet| feet.slides_at),
        ),
        (
            feet.map(|feet| (Unit::Centimetres.text(feet.sinking, 1), ink(Finding::Sinks))),
            feet.and_then(|feet| feet.sinks_at),
        ),
        // A motion that is not a loop has a gap anyway. The gap is coloured only for clips that are reported as open loops.
        (
            Some((
                format!("{:.2} %", 100.0 * residue.place),
                if quality.findings.contains(&Finding::DoesNotClose) { tokens.warning } else { tokens.text },
            )),
            residue.place_at,
        ),
        (
            jitter.map(|jitter| (Unit::Degrees.text(jitter.degrees, 3), ink(Finding::Jitters))),
            jitter.and_then(|jitter| jitter.trembles_at),
        ),
    ];
    let line = |(key, (value, worst)): (&'static str, (Option<(String, Color32)>, _))| {
        let (text, color) = value.filter(|_| applies(key))?;
        Some(Line { key, figure: Figure::new(text, color), worst })
    };
    FIGURE_KEYS.into_iter().zip(figures).filter_map(line).collect()
}

/// Display strings of a worst frame.
struct FrameLabel {
    /// Frame number or seconds.
    time: String,
    /// Shortened frame number or seconds.
    short_time: String,
    joint: String,
}

impl FrameLabel {
    /// Returns the full text: time and joint.
    fn full(&self) -> String {
        format!("{} · {}", self.time, self.joint)
    }

    /// Returns the text shortened to `room` points in `font`: the time, and as much of the joint name as fits.
    fn within(&self, ui: &Ui, font: &FontId, room: f32) -> String {
        let time = format!("{} · ", self.short_time);
        let left = room - middle::width(ui, &time, font);
        time + &middle::shorten_middle(ui, &self.joint, font, left)
    }
}

/// Returns the label of a figure's worst frame, in seconds or frames as on the ruler. `fps` is the rate of the motion.
fn frame_label(session: &Session, worst: WorstFrame, skeleton: &Skeleton, fps: f64) -> FrameLabel {
    let joint = skeleton.joints.get(worst.joint).map_or_else(String::new, |joint| joint.name.clone());
    let frame = format!("{:.0}", worst.time * fps);
    let in_frames = |key: &str| tr_with(key, &[("frame", frame.clone())]);
    let [time, short_time] = match session.preferences.ruler_in_seconds {
        true => [(); 2].map(|()| format!("{:.2} s", worst.time)),
        false => ["figures.frame", "figures.frame_short"].map(in_frames),
    };
    FrameLabel { time, short_time, joint }
}

/// Widths of name and number: fraction of the row and maximum in points. The position text gets the rest.
const NAME_WIDTH: (f32, f32) = (0.34, 84.0);
const NUMBER_WIDTH: (f32, f32) = (0.30, 78.0);

/// Draws one row. `number` is the width of the widest figure in points. Returns true if it was clicked and has a `label`.
fn row(ui: &mut Ui, line: &Line, label: Option<FrameLabel>, number: f32) -> bool {
    let tokens = theme::of(ui);
    let name = tr(&format!("outcome.{}", line.key));
    let drawn = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
        ui.set_min_height(theme::ROW);
        let room = ui.available_width();
        let share = |(share, most): (f32, f32)| (room * share).min(most);
        let fixed = |ui: &mut Ui, width: f32, text: RichText| {
            let layout = Layout::left_to_right(Align::Center);
            ui.allocate_ui_with_layout(egui::Vec2::new(width, theme::ROW), layout, |ui| {
                ui.set_min_width(width);
                ui.add(Label::new(text).truncate().selectable(false));
            });
        };
        fixed(ui, share(NAME_WIDTH), RichText::new(&name).color(tokens.dim));
        fixed(
            ui,
            share(NUMBER_WIDTH).max(number),
            RichText::new(&line.figure.text).font(theme::strong()).color(line.figure.color),
        );
        if let Some(label) = &label {
            let text = label.within(ui, &theme::caption(), ui.available_width());
            let text = RichText::new(text).font(theme::caption()).color(tokens.dim).underline();
            ui.add(Label::new(text).truncate().selectable(false));
        }
        ui.allocate_space(egui::Vec2::new(ui.available_width(), 1.0));
    });
    let rect = drawn.response.rect;
    let tip = tr(&format!("tip.outcome_{}", line.key));
    let Some(label) = label.map(|label| label.full()) else {
        ui.interact(rect, ui.id().with(line.key), Sense::hover()).on_hover_text(tip);
        return false;
    };
    let response = ui.interact(rect, ui.id().with(line.key), Sense::click());
    response
        .widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, format!("{name} {}, {label}", line.figure.text)));
    response.on_hover_text(format!("{label}\n{}", go_to_tip(&tip))).on_hover_cursor(CursorIcon::PointingHand).clicked()
}
