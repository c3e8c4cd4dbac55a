//! Gaits of a walk: clips, slope ranges and playback schedule.

use egui::{PopupCloseBehavior, RichText, Sense, Ui, Vec2};

use crate::i18n::tr;
use crate::panels::blend::{Choice, title};
use crate::panels::clip_drop::dropped;
use crate::theme;
use crate::widgets::filter::Filter;
use crate::widgets::form;
use crate::widgets::number::{Field, Unit, number};
use portamento_session::Session;
use portamento_walk::locomotion::{ClipSpan, GaitClip, GaitReport, Report};

/// Draws the gait menu, the slope range of each chosen gait and the measured gaits.
pub(super) fn gaits_ui(ui: &mut Ui, gaits: &mut Vec<GaitClip>, names: &[Choice], report: Option<&Report>) {
    let reset = form::row(ui, "walk_gaits", |ui| menu(ui, gaits, names));
    if reset {
        gaits.clear();
    }
    for (index, band) in gaits.iter_mut().enumerate() {
        ui.push_id(index, |ui| slopes(ui, band, &title(names, &band.clip)));
    }
    report.iter().flat_map(|report| &report.gaits).for_each(|gait| measured(ui, gait));
}

/// Draws the list in which the clips of gaits are ticked; clips can be dropped on it. Without any, the gaits are automatic.
fn menu(ui: &mut Ui, gaits: &mut Vec<GaitClip>, names: &[Choice]) {
    let chosen: Vec<String> = gaits.iter().map(|band| title(names, &band.clip)).collect();
    let shown = if chosen.is_empty() { tr("walk.automatic") } else { chosen.join(&tr("list.comma")) };
    let width = ui.available_width();
    let combo = egui::ComboBox::from_id_salt("gaits").width(width).truncate().selected_text(&shown);
    // The menu stays open so that several can be chosen.
    let slot = combo.close_behavior(PopupCloseBehavior::CloseOnClickOutside).show_ui(ui, |ui| {
        let filter = Filter::show(ui, names.len());
        for choice in names.iter().filter(|choice| filter.fits(&choice.label())) {
            let mut on = gaits.iter().any(|band| band.clip == choice.clip);
            if ui.checkbox(&mut on, choice.label()).changed() {
                gaits.retain(|band| band.clip != choice.clip);
                gaits.extend(on.then(|| GaitClip::from(choice.clip.as_str())));
            }
        }
    });
    let is_new = |choice: &&Choice| gaits.iter().all(|band| band.clip != choice.clip);
    form::drop_down(ui, slot.response.clone(), &shown);
    if let Some(choice) = dropped(ui, &slot.response, names).filter(is_new) {
        gaits.push(GaitClip::from(choice.clip.as_str()));
    }
}

/// Draws the slope range of the gait `name`: a preset, and two custom slopes in degrees if set. Uphill is positive.
fn slopes(ui: &mut Ui, band: &mut GaitClip, name: &str) {
    let mut slope = band.slope;
    let reset = form::row(ui, "walk_band", |ui| {
        let known = [None, Some(GaitClip::ANY), Some(GaitClip::UPHILL), Some(GaitClip::DOWNHILL)];
        let words = ["automatic", "any_slope", "uphill", "downhill"].map(|key| tr(&format!("walk.{key}")));
        let mut choices: Vec<(Option<[f64; 2]>, String)> =
            known.into_iter().zip(words).map(|(slope, word)| (slope, format!("{name}: {word}"))).collect();
        if !known.contains(&slope) {
            choices.push((slope, format!("{name}: {}", tr("walk.between"))));
        }
        form::choice(ui, "slopes", &mut slope, &choices);
    });
    band.slope = slope.filter(|_| !reset);
    if let Some([low, high]) = &mut band.slope {
        form::row(ui, "walk_slopes", |ui| {
            let width = (ui.available_width() - theme::GAP_SMALL) * 0.5 - 2.0;
            let field = |low: f64, high: f64| Field::new(Unit::Degrees).within(low, high).with_width(width);
            number(ui, &tr("form.walk_slopes"), low, field(-90.0, *high - 1.0));
            number(ui, &tr("form.walk_slopes"), high, field(*low + 1.0, 90.0));
        });
    }
}

/// Draws speed, stride and slopes of a gait, each in its displayed unit.
fn measured(ui: &mut Ui, gait: &GaitReport) {
    ui.horizontal(|ui| {
        let dim = theme::of(ui).dim;
        let in_place = if gait.in_place { format!("   {}", tr("walk.in_place")) } else { String::new() };
        let [low, high] = gait.slope;
        let slope = if gait.slope == GaitClip::ANY {
            String::new()
        } else {
            format!("   {}…{}", Unit::Degrees.number(low, 0), Unit::Degrees.text(high, 0))
        };
        let (speed, stride) = (Unit::Speed.text(gait.speed, 2), Unit::Metres.text(gait.stride, 2));
        let text = format!("{}   {speed}   {stride}{slope}{in_place}", gait.clip);
        ui.add(egui::Label::new(RichText::new(text).font(theme::caption()).color(dim)).truncate());
    });
}

/// Draws the playback schedule, with the part at the playhead highlighted. A click on a row moves the playhead to its start.
pub(super) fn plan_ui(ui: &mut Ui, session: &mut Session, report: &Report) {
    let time = session.playback.time;
    for (index, part) in report.plan.iter().enumerate() {
        let on = time >= part.begins && (time < part.ends || index + 1 == report.plan.len());
        if row(ui, part, on) {
            session.playback.pause_at(part.begins);
        }
    }
    if report.start_stretched != 0.0 {
        form::fact(ui, "walk_start_stretch", Unit::Metres.signed(report.start_stretched, 3));
    }
    if report.off_slopes > 0.0 {
        form::fact(ui, "walk_off_slopes", Unit::Seconds.text(report.off_slopes, 2));
    }
}

/// Draws one row of the schedule, highlighted if `on`. Returns true if clicked.
fn row(ui: &mut Ui, part: &ClipSpan, on: bool) -> bool {
    let tokens = *theme::of(ui);
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), theme::ROW), Sense::click());
    response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::SelectableLabel, true, on, &part.clip));
    if on || response.hovered() {
        let amount = if response.hovered() { 0.10 } else { 0.05 };
        ui.painter().rect_filled(rect, theme::RADIUS, theme::mix(tokens.panel, tokens.text, amount));
    }
    let ink = if on { tokens.accent } else { tokens.text };
    let middle = rect.left_center();
    let slope = if part.slope.abs() < 1.0 { String::new() } else { Unit::Degrees.signed(part.slope, 0) };
    let span = format!("{} – {}", Unit::Seconds.number(part.begins, 2), Unit::Seconds.text(part.ends, 2));
    let columns = [(0.0, span, tokens.dim), (0.42, part.clip.clone(), ink), (0.88, slope, tokens.dim)];
    for (share, text, color) in columns {
        let at = middle + Vec2::new(theme::GAP_SMALL + rect.width() * share, 0.0);
        ui.painter().with_clip_rect(rect).text(at, egui::Align2::LEFT_CENTER, text, theme::body(), color);
    }
    response.clicked()
}
