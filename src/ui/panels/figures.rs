//! The figures of the shown motion, each with the joint and the frame that it comes from: a click goes there.

use egui::{Align, Color32, CursorIcon, FontId, Label, Layout, RichText, Sense, Ui, WidgetInfo, WidgetType};
use egui_material_icons::icons::ICON_HEALING;

use crate::anim::Skeleton;
use crate::anim::quality::{Finding, Pop, Quality, WorstFrame};
use crate::evaluate::FrameContent;
use crate::session::clip_library::{ClipRow, mends};
use crate::session::{Command, FiguresOfShown, FileCommand, Session, Shown};
use crate::ui::i18n::{tr, tr_with};
use crate::ui::panels::clips::to_mend;
use crate::ui::panels::moment::{go_to, of_worst};
use crate::ui::theme::{self, Tokens};
use crate::ui::units::Unit;
use crate::ui::widgets::{self, Figure, form, go_to_tip, middle};

/// A figure and where it comes from.
struct Line {
    /// `outcome.KEY` is its name, `tip.outcome_KEY` what it means.
    key: &'static str,
    figure: Figure,
    worst: Option<WorstFrame>,
}

/// Draws them in a section of their own; of vertices and images nothing is measured.
pub(super) fn section(ui: &mut Ui, session: &mut Session) {
    let posed = session.frame().filter(|frame| frame.content == FrameContent::Posed);
    let Some(built) = posed.and_then(|frame| frame.built.clone()) else { return };
    let (mut asked, mut mends) = (None, None);
    form::section(ui, "figures", true, |ui| {
        let FiguresOfShown { quality, is_current } = session.evaluation.figures();
        let skeleton = &built.character.model.skeleton;
        let tokens = theme::of(ui);
        let lines = quality.as_ref().map_or_else(|| unmeasured(tokens), |quality| lines(tokens, quality, skeleton));
        // What was measured before the last change stands there paler until it is measured again.
        ui.scope(|ui| {
            ui.set_opacity(if is_current { 1.0 } else { 0.5 });
            let widths = lines.iter().map(|line| middle::width(ui, &line.figure.text, &theme::strong()));
            let number = widths.fold(0.0, f32::max).ceil();
            for line in &lines {
                let place = line.worst.map(|worst| place(session, worst, skeleton, built.fps));
                if row(ui, line, place, number) && is_current {
                    asked = line.worst;
                }
            }
        });
        mends = quality.filter(|_| is_current).and_then(|quality| mend(ui, session, quality));
    });
    mends.into_iter().for_each(|mends| session.perform(mends));
    go_to(session, asked.map(|worst| of_worst(None, worst)));
}

/// Offers to mend the shown clip, where something was found in it that can be.
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

/// Names of what is measured, in order.
const KEYS: [&str; 6] =
    ["figure_pops", "figure_beyond", "figure_slide", "figure_sinking", "figure_residue", "figure_jitter"];

fn unmeasured(tokens: &Tokens) -> Vec<Line> {
    KEYS.map(|key| Line { key, figure: Figure::unmeasured(tokens), worst: None }).into()
}

fn lines(tokens: &Tokens, quality: &Quality, skeleton: &Skeleton) -> Vec<Line> {
    let ink = |finding: Finding| if quality.findings.contains(&finding) { tokens.warning } else { tokens.ok };
    let of_pop = |pop: &Pop| Some(WorstFrame { joint: skeleton.find(&pop.joint)?, time: pop.time });
    let told = |value: Option<(String, Color32)>| match value {
        Some((text, color)) => Figure::new(text, color),
        None => Figure::unmeasured(tokens),
    };
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
        // What is no loop need not close: only what nearly does is judged.
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
    let line = |(key, (value, worst))| Line { key, figure: told(value), worst };
    KEYS.into_iter().zip(figures).map(line).collect()
}

/// Where a figure comes from.
struct Place {
    /// The frame or second.
    time: String,
    /// The same in as few letters as can be.
    short_time: String,
    joint: String,
}

impl Place {
    /// What is told of it in full.
    fn whole(&self) -> String {
        format!("{} · {}", self.time, self.joint)
    }

    /// What of it has `room`, points: the frame, and the joint as far as it can be told from others.
    fn within(&self, ui: &Ui, font: &FontId, room: f32) -> String {
        let time = format!("{} · ", self.short_time);
        let left = room - middle::width(ui, &time, font);
        time + &middle::shortened(ui, &self.joint, font, left)
    }
}

fn place(session: &Session, worst: WorstFrame, skeleton: &Skeleton, fps: f64) -> Place {
    let joint = skeleton.joints.get(worst.joint).map_or_else(String::new, |joint| joint.name.clone());
    let frame = format!("{:.0}", worst.time * fps);
    let in_frames = |key: &str| tr_with(key, &[("frame", frame.clone())]);
    let [time, short_time] = match session.preferences.ruler_in_seconds {
        true => [(); 2].map(|()| format!("{:.2} s", worst.time)),
        false => ["figures.frame", "figures.frame_short"].map(in_frames),
    };
    Place { time, short_time, joint }
}

/// Widths of name and number: shares of the row, and most points; what follows is not to be cut.
const NAME: (f32, f32) = (0.34, 84.0);
const NUMBER: (f32, f32) = (0.30, 78.0);

/// Draws a line with as much room for its number as the widest has, points; answers whether it was clicked and leads somewhere.
fn row(ui: &mut Ui, line: &Line, place: Option<Place>, number: f32) -> bool {
    let tokens = theme::of(ui);
    let name = tr(&format!("outcome.{}", line.key));
    let drawn = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::SMALL;
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
        fixed(ui, share(NAME), RichText::new(&name).color(tokens.dim));
        fixed(
            ui,
            share(NUMBER).max(number),
            RichText::new(&line.figure.text).font(theme::strong()).color(line.figure.color),
        );
        if let Some(place) = &place {
            let text = place.within(ui, &theme::caption(), ui.available_width());
            let text = RichText::new(text).font(theme::caption()).color(tokens.dim).underline();
            ui.add(Label::new(text).truncate().selectable(false));
        }
        ui.allocate_space(egui::Vec2::new(ui.available_width(), 1.0));
    });
    let rect = drawn.response.rect;
    let tip = tr(&format!("tip.outcome_{}", line.key));
    let Some(place) = place.map(|place| place.whole()) else {
        ui.interact(rect, ui.id().with(line.key), Sense::hover()).on_hover_text(tip);
        return false;
    };
    let whole = ui.interact(rect, ui.id().with(line.key), Sense::click());
    whole
        .widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, format!("{name} {}, {place}", line.figure.text)));
    // Whole, since the name of a joint may be long.
    whole.on_hover_text(format!("{place}\n{}", go_to_tip(&tip))).on_hover_cursor(CursorIcon::PointingHand).clicked()
}
