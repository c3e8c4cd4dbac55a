//! Inspector of the stretch stage: settings and results.

pub(super) mod target;
mod windows;

use egui::{RichText, Ui};

use super::results::moment::{go_to, of_stage};
use crate::i18n::tr;
use crate::panels::stretch::target::{facing_rows, target_rows};
use crate::panels::stretch::windows::{add_at, windows_ui};
use crate::shell::offer::Offer;
use crate::theme;
use crate::widgets::joint_choice::joint_choice;
use crate::widgets::list;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::{self, Readout, form};
use portamento_anim::Skeleton;
use portamento_base::message::Moment;
use portamento_session::{Playback, Session, Shown};
use portamento_stretch::{LengthMeasure, Method, Report, Settings, WindowReport, ZeroMotion};
use portamento_takes::document::TakeId;
use portamento_takes::document::stage::RootChoice;

/// Playhead, duration and frame rate of the clip.
#[derive(Clone, Copy, Debug)]
struct Clock {
    /// Playhead, seconds.
    pub playhead: f64,
    /// Duration of the clip, seconds.
    pub duration: f64,
    /// Frames per second.
    pub fps: f64,
}

/// Draws the stretch stage of take `id` that is open: result, target, windows, facing, feet and limits.
pub(super) fn stretch_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let built = session.frame().and_then(|frame| frame.built.clone());
    let of_stage = session.evaluation.built_for_open_stage(&session.document, &session.selection);
    let metres_per_unit = built.as_ref().map_or(1.0, |built| built.metres_per_unit);
    let objects: Vec<String> = session.document.objects.iter().map(|object| object.name.clone()).collect();
    let playhead = session.playback.time;
    let (duration, fps) = (session.playback.duration, session.playback.fps);
    let at = session.selection.stage_index(&session.document);
    let Some(stretch) = session.document.take_mut(id).and_then(|take| take.stretch_mut(session.selection.stage)) else {
        return;
    };
    let report = of_stage.as_ref().and_then(|built| built.stretch(at)).map(|built| &built.report);
    let asked = report.and_then(|report| outcome(ui, report, metres_per_unit, at));
    form::section(ui, "target", true, |ui| {
        if stretch.settings.windows.is_empty() {
            target_rows(ui, stretch, &objects, metres_per_unit, report);
        } else {
            ui.label(RichText::new(tr("stretch.by_windows")).font(theme::caption()).color(theme::of(ui).dim));
        }
        method(ui, &mut stretch.settings);
        if let Some(built) = &built {
            root(ui, &mut stretch.root, &built.character.model.skeleton);
        }
    });
    form::section(ui, "windows", !stretch.settings.windows.is_empty(), |ui| {
        let time = Clock { playhead, duration, fps };
        windows_ui(ui, &mut stretch.settings, &time, metres_per_unit, report);
    });
    form::section(ui, "facing", false, |ui| facing_rows(ui, "facing", &mut stretch.settings.facing));
    form::section(ui, "feet", false, |ui| {
        let settings = &mut stretch.settings;
        form::row(ui, "keep_feet", |ui| {
            form::tick(ui, &mut settings.feet);
        });
        if let Some(built) = &built {
            aligner(ui, &mut settings.aligner, &built.character.model.skeleton);
        }
    });
    form::section(ui, "limits", false, |ui| limits(ui, &mut stretch.settings));
    go_to(session, asked);
}

/// Returns the offer that adds a window at the playhead; empty if the shown take has no stretch.
pub fn offers(session: &Session) -> Vec<Offer> {
    let stage = session.selection.stage;
    let Shown::Take(id) = session.selection.shown else { return Vec::new() };
    if session.document.take(id).and_then(|take| take.stretch(stage)).is_none() {
        return Vec::new();
    }
    let change = move |session: &mut Session| {
        let of_stage = session.evaluation.built_for_open_stage(&session.document, &session.selection);
        let at = session.selection.stage_index(&session.document);
        let report = of_stage.as_ref().and_then(|built| built.stretch(at)).map(|built| &built.report);
        let Playback { time: playhead, duration, fps, .. } = session.playback;
        let stretch = session.document.take_mut(id).and_then(|take| take.stretch_mut(stage));
        let clock = Clock { playhead, duration, fps };
        stretch.into_iter().for_each(|stretch| add_at(&mut stretch.settings, &clock, report));
    };
    vec![Offer::change("windows.add", tr("windows.add"), change)]
}

/// Draws the result figures in a fixed order. Returns the moment of a clicked figure. `stage` is the index of the stage.
fn outcome(ui: &mut Ui, report: &Report, metres_per_unit: f64, stage: Option<usize>) -> Option<Moment> {
    let tokens = theme::of(ui);
    let still = report.still.iter().filter(|&&still| still).count();
    let reversed = report.reversed.iter().filter(|&&reversed| reversed).count();
    let exact = report.end_error * metres_per_unit < 1e-4;
    let first = |frames: &[bool]| frames.iter().position(|&is_one| is_one).and_then(|frame| report.times.get(frame));
    let at = |seconds: f64| of_stage(stage, seconds, None);
    let end_of_worst = |figure: fn(&WindowReport) -> f64| {
        report.windows.iter().max_by(|a, b| figure(a).total_cmp(&figure(b))).map(|window| at(window.end))
    };
    let values = [
        Readout::new("ratio", format!("{:.2}", report.ratio), tokens.text).at(end_of_worst(|window| window.ratio)),
        Readout::new(
            "end",
            Unit::Millimetres.text(report.end_error * metres_per_unit * 1000.0, 1),
            if exact { tokens.ok } else { tokens.warning },
        )
        .at(end_of_worst(|window| window.end_error)),
        Readout::new("still", still.to_string(), tokens.text).at(first(&report.still).map(|&seconds| at(seconds))),
        Readout::new("reversed", reversed.to_string(), if reversed == 0 { tokens.text } else { tokens.warning })
            .at(first(&report.reversed).map(|&seconds| at(seconds))),
    ];
    ui.add_space(theme::GAP_SMALL);
    widgets::readouts(ui, &values)
}

/// Draws the method of the stretch, the measure of its length and its axes.
fn method(ui: &mut Ui, settings: &mut Settings) {
    let reset = form::named_row(ui, "method", &mut settings.method, "method.{}");
    if reset {
        settings.method = Method::default();
    }
    let reset = form::named_row(ui, "measure", &mut settings.measure, "measure.{}");
    if reset {
        settings.measure = LengthMeasure::default();
    }
    let reset = form::row(ui, "axes", |ui| {
        for (axis, on) in settings.axes.iter_mut().enumerate() {
            axis_toggle(ui, axis, on);
        }
    });
    if reset {
        settings.axes = [true; 3];
    }
}

/// Draws the letter of `axis` (0 … 2), highlighted while `on`. A click switches it.
fn axis_toggle(ui: &mut Ui, axis: usize, on: &mut bool) {
    let tokens = theme::of(ui);
    let color = if *on { theme::AXES[axis] } else { theme::mix(tokens.panel, tokens.dim, 0.6) };
    let fill = if *on { tokens.raised } else { tokens.window };
    let name = ["X", "Y", "Z"][axis];
    let text = RichText::new(name).font(theme::strong()).color(color);
    let response = ui.add(egui::Button::new(text).fill(fill).min_size([32.0, theme::ROW].into()));
    if response.clicked() {
        *on = !*on;
    }
    let shown = *on;
    response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Checkbox, true, shown, name));
}

/// Draws the choice of the root: found automatically, created, or a joint.
fn root(ui: &mut Ui, root: &mut RootChoice, skeleton: &Skeleton) {
    let reset = form::row(ui, "root_choice", |ui| {
        let name = |choice: RootChoice| match choice {
            RootChoice::Found => tr("root.found"),
            RootChoice::Made => tr("root.made"),
            RootChoice::Joint(joint) => {
                skeleton.joints.get(joint).map_or_else(|| tr("root.found"), |joint| joint.name.clone())
            }
        };
        let joints = (0..skeleton.len()).map(RootChoice::Joint);
        let combo = egui::ComboBox::from_id_salt("root_choice").width(ui.available_width()).truncate();
        let list = combo.selected_text(name(*root)).show_ui(ui, |ui| {
            for choice in [RootChoice::Found, RootChoice::Made].into_iter().chain(joints) {
                list::value(ui, root, choice, name(choice));
            }
        });
        form::drop_down(ui, list.response, &name(*root));
    });
    if reset {
        *root = RootChoice::default();
    }
}

/// Draws the joint that is aligned with the path; the root if there is none.
fn aligner(ui: &mut Ui, aligner: &mut Option<usize>, skeleton: &Skeleton) {
    let reset = form::row(ui, "aligner", |ui| {
        joint_choice(ui, "aligner", aligner, Some(&tr("aligner.root")), skeleton);
    });
    if reset {
        *aligner = None;
    }
}

/// Draws the dead zone (m/s), the largest ratio, which can be off, and the treatment of a motion without travel.
fn limits(ui: &mut Ui, settings: &mut Settings) {
    let reset = form::row(ui, "dead_zone", |ui| {
        number(ui, &tr("form.dead_zone"), &mut settings.dead_zone, Field::new(Unit::Speed).within(0.0, 100.0));
    });
    if reset {
        settings.dead_zone = 0.0;
    }
    let reset = form::row(ui, "max_ratio", |ui| {
        let mut on = settings.max_ratio.is_some();
        if form::tick(ui, &mut on).changed() {
            settings.max_ratio = on.then_some(1.0);
        }
        if let Some(ratio) = &mut settings.max_ratio {
            number(ui, &tr("form.max_ratio"), ratio, Field::new(Unit::Plain).within(0.0, 100.0));
        }
    });
    if reset {
        settings.max_ratio = None;
    }
    let reset = form::named_row(ui, "zero_motion", &mut settings.zero_motion, "zero.{}");
    if reset {
        settings.zero_motion = ZeroMotion::default();
    }
}
