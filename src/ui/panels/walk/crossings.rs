//! Crossings of a walk: the clips, the preference for each kind, and results.

use egui::{PopupCloseBehavior, Ui};

use crate::i18n::tr;
use crate::panels::blend::{Choice, title};
use crate::panels::clip_drop::dropped;
use crate::widgets::filter::Filter;
use crate::widgets::form;
use crate::widgets::number::{Field, Unit};
use crate::widgets::rows::number_row;
use portamento_takes::document::{OwnCrossings, Walk};
use portamento_walk::crossing::CrossingKind;
use portamento_walk::locomotion::{CrossingReport, Report};

/// Draws whether the character crosses obstacles, and then its clips and the factor of each kind.
pub(super) fn crossings_ui(ui: &mut Ui, walk: &mut Walk, names: &[Choice], report: Option<&Report>) {
    let reset = form::row(ui, "walk_cross", |ui| {
        form::tick(ui, &mut walk.own_crossings.on);
    });
    walk.own_crossings.on &= !reset;
    if !walk.own_crossings.on {
        return;
    }
    clips(ui, &mut walk.settings.clips.crossings, names);
    let plain = OwnCrossings::default();
    for kind in CrossingKind::ALL {
        let (mut crossings, field) = (plain, Field::new(Unit::Plain).within(0.0, 10.0));
        number_row(ui, key(kind), walk.own_crossings.factor_mut(kind), field, *crossings.factor_mut(kind));
    }
    report.into_iter().flat_map(|report| &report.crossings).for_each(|crossing| crossing_row(ui, crossing));
}

/// Returns the key of the row of a kind.
fn key(kind: CrossingKind) -> &'static str {
    match kind {
        CrossingKind::Vault => "walk_cross_vault",
        CrossingKind::Mantle => "walk_cross_mantle",
        CrossingKind::HopUp => "walk_cross_hop_up",
        CrossingKind::JumpAcross => "walk_cross_jump_across",
        CrossingKind::DropDown => "walk_cross_drop_down",
    }
}

/// Draws the list in which the clips are ticked; a clip can also be dropped there. Without any they are found automatically.
fn clips(ui: &mut Ui, chosen: &mut Vec<String>, names: &[Choice]) {
    let titles: Vec<String> = chosen.iter().map(|clip| title(names, clip)).collect();
    let reset = form::row(ui, "walk_crossings", |ui| {
        let shown = if chosen.is_empty() { tr("walk.automatic") } else { titles.join(&tr("list.comma")) };
        let width = ui.available_width();
        let combo = egui::ComboBox::from_id_salt("crossings").width(width).truncate().selected_text(&shown);
        // The menu stays open so that several can be chosen.
        let slot = combo.close_behavior(PopupCloseBehavior::CloseOnClickOutside).show_ui(ui, |ui| {
            let filter = Filter::show(ui, names.len());
            for choice in names.iter().filter(|choice| filter.fits(&choice.label())) {
                let mut on = chosen.contains(&choice.clip);
                if ui.checkbox(&mut on, choice.label()).changed() {
                    chosen.retain(|each| *each != choice.clip);
                    chosen.extend(on.then(|| choice.clip.clone()));
                }
            }
        });
        let is_new = |choice: &&Choice| !chosen.contains(&choice.clip);
        form::drop_down(ui, slot.response.clone(), &shown);
        let new = dropped(ui, &slot.response, names).filter(is_new).map(|choice| choice.clip.clone());
        chosen.extend(new);
    });
    if reset {
        chosen.clear();
    }
}

/// Draws the clip, the time and the contact errors of a crossing.
fn crossing_row(ui: &mut Ui, crossing: &CrossingReport) {
    let contacts = [&crossing.fit.edge, &crossing.fit.landing].into_iter().flatten();
    let worst = contacts.map(|contact| contact.error).fold(0.0, f64::max);
    let (begins, seconds) =
        (Unit::Seconds.text(crossing.begins, 2), Unit::Seconds.text(crossing.ends - crossing.begins, 2));
    let error = Unit::Millimetres.text(worst * 1e3, 1);
    form::fact(ui, "walk_crossed", format!("{}   {begins}   {seconds}   {error}", crossing.clip));
}
