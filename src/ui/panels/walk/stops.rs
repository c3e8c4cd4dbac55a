//! The places that a walk passes, from its start to its goal.

use egui::{RichText, Ui};
use egui_material_icons::icons::{ICON_ADD_LOCATION, ICON_CLOSE};
use glam::DVec3;

use crate::document::Walk;
use crate::message::{Message, message};
use crate::session::{Session, Shown};
use crate::ui::i18n::tr;
use crate::ui::offer::Offer;
use crate::ui::widgets::number::{Field, Unit, number};
use crate::ui::{theme, widgets};

/// Places in numbers, each with its mark in the viewport.
pub(super) fn ui(ui: &mut Ui, session: &mut Session, walk: &mut Walk) {
    let tokens = theme::of(ui);
    let count = walk.stops.len();
    let mut removed = None;
    for (index, stop) in walk.stops.iter_mut().enumerate() {
        let on = session.selection.stop == Some(index);
        ui.push_id(index, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = theme::SMALL;
                let name = crate::ui::viewport::stop_name(index, count);
                let text = RichText::new(&name).color(if on { tokens.accent } else { tokens.dim });
                let label = egui::Label::new(text).truncate().selectable(false).sense(egui::Sense::CLICK);
                if ui.add_sized([36.0, theme::ROW], label).clicked() {
                    session.selection.stop = Some(index);
                }
                coordinates(ui, stop);
                if widgets::icon_button(ui, ICON_CLOSE, &tr("walk.remove_stop")).clicked() {
                    removed = Some(index);
                }
            });
        });
    }
    if let Some(index) = removed {
        walk.stops.remove(index);
        session.selection.stop = None;
    }
    if count < 2 {
        widgets::caption(ui, tr(if count == 0 { "walk.no_stops" } else { "walk.no_goal" }));
    } else if widgets::text_button(ui, ICON_ADD_LOCATION, &tr("walk.add_stop")).on_hover_text(tr("hint.walk")).clicked()
    {
        session.selection.stop = add(walk);
    }
}

/// One more place halfway to the goal, which is then chosen; none without both ends.
fn add(walk: &mut Walk) -> Option<usize> {
    let [.., before, goal] = walk.stops[..] else { return None };
    let place = walk.stops.len() - 1;
    walk.stops.insert(place, (before + goal) * 0.5);
    Some(place)
}

/// What can be done with the places of the shown walk.
pub fn offers(_: &Session) -> Vec<Offer> {
    let added = Offer::attempt("walk.add_stop", tr("walk.add_stop"), |session| {
        let place = add(shown(session)?);
        session.selection.stop = place;
        place
            .map(drop)
            .ok_or_else(|| message!("notice.no_ends", "Places to pass are between start and goal. Set both first."))
    });
    let removed = Offer::attempt("walk.remove_chosen_stop", tr("walk.remove_chosen_stop"), |session| {
        let chosen = session.selection.stop;
        let walk = shown(session)?;
        let Some(place) = chosen.filter(|&place| place < walk.stops.len()) else {
            return Err(message!(
                "notice.no_stop_chosen",
                "No place is chosen. Click one in the view or the inspector first."
            ));
        };
        walk.stops.remove(place);
        session.selection.stop = None;
        Ok(())
    });
    vec![added, removed]
}

/// The shown walk, or why there is none.
fn shown(session: &mut Session) -> Result<&mut Walk, Message> {
    let id = if let Shown::Take(id) = session.selection.shown { Some(id) } else { None };
    let walk = id.and_then(|id| session.document.take_mut(id)).and_then(|take| take.walk_mut());
    walk.ok_or_else(|| message!("notice.no_walk", "Places to pass belong to a walk. Show one first."))
}

/// Three numbers that leave room for a button.
fn coordinates(ui: &mut Ui, place: &mut DVec3) {
    let width = (ui.available_width() - theme::ROW - 3.0 * theme::SMALL) / 3.0;
    ui.scope(|ui| {
        ui.spacing_mut().button_padding.x = 2.0;
        for (axis, letter) in ["X", "Y", "Z"].into_iter().enumerate() {
            let field = Field { decimals: 2, without_unit: true, ..Field::new(Unit::Metres).wide(width) };
            number(ui, &format!("{} {letter}", tr("form.walk_stop")), &mut place[axis], field);
        }
    });
}
