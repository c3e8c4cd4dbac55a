//! Inspectors of the retime and trim stages.

use egui::Ui;
use egui_material_icons::icons::{ICON_ADD, ICON_DELETE};

use super::{OpenStage, inspect};
use crate::i18n::tr;
use crate::setting::setting_rows;
use crate::shell::offer::Offer;
use crate::theme;
use crate::widgets::list;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::{self, Readout, form};
use portamento_session::{Session, Shown};
use portamento_stretch::retime::{Built, Report, Settings, SpeedEase, SpeedKnot};
use portamento_stretch::trim;
use portamento_takes::document::TakeId;

/// Draws the knots and the length of the retime stage of take `id` that is open, or its first one; nothing if it has none.
pub(crate) fn retime_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let playhead = session.playback.time;
    inspect(ui, session, id, |ui, settings: &mut Settings, stage: OpenStage<Built>| {
        let report = stage.result.map(|result| &result.report);
        form::section(ui, "retime", true, |ui| {
            if let Some(report) = report {
                outcome(ui, report);
            }
            knots(ui, settings, playhead);
            let reset = form::row(ui, "retime_length", |ui| {
                let mut on = settings.length.is_some();
                if form::tick(ui, &mut on).changed() {
                    settings.length = on.then_some(report.map_or(1.0, |report| report.seconds_after));
                }
                if let Some(length) = &mut settings.length {
                    number(ui, &tr("form.retime_length"), length, Field::new(Unit::Seconds).within(0.01, 86_400.0));
                }
            });
            if reset {
                settings.length = None;
            }
        });
        None
    });
}

/// Draws the figures of the report.
fn outcome(ui: &mut Ui, report: &Report) {
    let tokens = theme::of(ui);
    let values = [
        Readout::new("retime_seconds", Unit::Seconds.text(report.seconds_after, 2), tokens.text),
        Readout::new("retime_speeds", format!("{:.2}–{:.2} ×", report.slowest, report.fastest), tokens.text),
        Readout::new("retime_added", report.added_keys.to_string(), tokens.text),
        Readout::new("retime_deviation", format!("{:.4} %", report.deviation * 100.0), tokens.text),
    ];
    let _ = widgets::readouts(ui, &values);
}

/// Draws time (seconds), speed factor and easing of each knot. A button adds a knot at `playhead`.
fn knots(ui: &mut Ui, settings: &mut Settings, playhead: f64) {
    let mut remove = None;
    for (index, knot) in settings.knots.iter_mut().enumerate() {
        ui.push_id(index, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
                let width = (ui.available_width() - theme::ROW - 3.0 * theme::GAP_SMALL) / 3.0;
                let time = Field::new(Unit::Seconds).within(0.0, 86_400.0).with_width(width);
                number(ui, &tr("retime.time"), &mut knot.time, time);
                let speed = Field::new(Unit::Plain).within(Settings::MIN_SPEED, Settings::MAX_SPEED).with_width(width);
                number(ui, &tr("retime.speed"), &mut knot.speed, speed);
                ease(ui, &mut knot.ease, width);
                if widgets::icon_button(ui, ICON_DELETE, &tr("retime.remove")).clicked() {
                    remove = Some(index);
                }
            });
        });
    }
    if let Some(index) = remove {
        settings.knots.remove(index);
    }
    if widgets::text_button(ui, ICON_ADD, &tr("retime.add")).clicked() {
        add(settings, playhead);
    }
}

/// Adds a knot at `time` seconds with the speed of the last knot before it, so that the speed there stays nearly the same.
fn add(settings: &mut Settings, time: f64) {
    let before = settings.knots.iter().rev().find(|knot| knot.time <= time).or(settings.knots.first());
    let speed = before.map_or(1.0, |knot| knot.speed);
    settings.set_knot(SpeedKnot { time, speed, ease: SpeedEase::default() });
}

/// Returns the offer that adds a knot at the playhead; empty if the shown take has no retime stage.
pub fn offers(session: &Session) -> Vec<Offer> {
    let stage = session.selection.stage;
    let Shown::Take(id) = session.selection.shown else { return Vec::new() };
    if session.document.take(id).and_then(|take| take.settings::<Settings>(None)).is_none() {
        return Vec::new();
    }
    let change = move |session: &mut Session| {
        let playhead = session.playback.time;
        let settings = session.document.take_mut(id).and_then(|take| take.settings_mut(stage));
        settings.into_iter().for_each(|settings| add(settings, playhead));
    };
    vec![Offer::change("retime.add", tr("retime.add"), change)]
}

/// Draws the easing from a knot to the next one. `width` is in points.
fn ease(ui: &mut Ui, ease: &mut SpeedEase, width: f32) {
    let name = |ease: SpeedEase| match ease {
        SpeedEase::Eased => tr("retime.eased"),
        SpeedEase::Linear => tr("retime.linear"),
        SpeedEase::Stepped => tr("retime.stepped"),
    };
    let combo = egui::ComboBox::from_id_salt("ease").width(width).truncate();
    let list = combo.selected_text(name(*ease)).show_ui(ui, |ui| {
        for choice in SpeedEase::ALL {
            list::value(ui, ease, choice, name(choice));
        }
    });
    form::with_name(list.response, &tr("form.easing"));
}

/// Draws the range (seconds) of the trim stage of take `id` that is open, or its first one; nothing if it has none.
pub(crate) fn trim_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    inspect(ui, session, id, |ui, settings: &mut trim::Settings, _: OpenStage<trim::Built>| {
        form::section(ui, "trim", true, |ui| {
            setting_rows(ui, settings, |path| path == "from");
            let reset = form::row(ui, "trim_to", |ui| {
                let mut on = settings.to.is_some();
                if form::tick(ui, &mut on).changed() {
                    settings.to = on.then_some(settings.from + 1.0);
                }
                if let Some(to) = &mut settings.to {
                    number(ui, &tr("form.trim_to"), to, Field::new(Unit::Seconds).within(0.0, 86_400.0));
                }
            });
            if reset {
                settings.to = None;
            }
        });
        None
    });
}
