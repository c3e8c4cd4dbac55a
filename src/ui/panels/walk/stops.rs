//! Waypoints of a walk, from start to goal.

use egui::{RichText, Ui};
use egui_material_icons::icons::{ICON_ADD_LOCATION, ICON_CLOSE};
use glam::DVec3;

use crate::i18n::tr;
use crate::shell::offer::Offer;
use crate::widgets::number::{Field, Unit, number};
use crate::{theme, widgets};
use portamento_base::message::{Message, message};
use portamento_session::{Session, Shown};
use portamento_takes::document::Walk;

/// Draws the coordinates (metres) of the waypoints, with buttons that remove or add one. A click on a name selects the waypoint.
pub(super) fn ui(ui: &mut Ui, session: &mut Session, walk: &mut Walk) {
    let tokens = theme::of(ui);
    let count = walk.stops.len();
    let mut removed = None;
    for (index, stop) in walk.stops.iter_mut().enumerate() {
        let on = session.selection.stop == Some(index);
        ui.push_id(index, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
                let name = crate::viewport::stop_name(index, count);
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

/// Inserts a waypoint before the goal, halfway from the point before it, and returns its index. Returns `None` unless both ends
/// are set.
fn add(walk: &mut Walk) -> Option<usize> {
    let [.., before, goal] = walk.stops[..] else { return None };
    let index = walk.stops.len() - 1;
    walk.stops.insert(index, (before + goal) * 0.5);
    Some(index)
}

/// Returns the offers that add a waypoint to the shown walk and remove the selected one. They report what they need.
pub fn offers(_: &Session) -> Vec<Offer> {
    let added = Offer::attempt("walk.add_stop", tr("walk.add_stop"), |session| {
        let index = add(shown_walk(session)?);
        session.selection.stop = index;
        index
            .map(drop)
            .ok_or_else(|| message!("notice.no_ends", "Waypoints lie between start and goal. Set both first."))
    });
    let removed = Offer::attempt("walk.remove_chosen_stop", tr("walk.remove_chosen_stop"), |session| {
        let chosen = session.selection.stop;
        let walk = shown_walk(session)?;
        let Some(index) = chosen.filter(|&index| index < walk.stops.len()) else {
            return Err(message!(
                "notice.no_stop_chosen",
                "No waypoint is selected. Click one in the viewport or the inspector first."
            ));
        };
        walk.stops.remove(index);
        session.selection.stop = None;
        Ok(())
    });
    vec![added, removed]
}

/// Returns the shown walk, or `Err` if there is none.
fn shown_walk(session: &mut Session) -> Result<&mut Walk, Message> {
    let id = if let Shown::Take(id) = session.selection.shown { Some(id) } else { None };
    let walk = id.and_then(|id| session.document.take_mut(id)).and_then(|take| take.walk_mut());
    walk.ok_or_else(|| message!("notice.no_walk", "No walk is shown. Select a walk first."))
}

/// Draws three number fields for `position` (metres) that leave room for a button.
fn coordinates(ui: &mut Ui, position: &mut DVec3) {
    let width = (ui.available_width() - theme::ROW - 3.0 * theme::GAP_SMALL) / 3.0;
    ui.scope(|ui| {
        ui.spacing_mut().button_padding.x = 2.0;
        for (axis, letter) in ["X", "Y", "Z"].into_iter().enumerate() {
            let field = Field { decimals: 2, without_unit: true, ..Field::new(Unit::Metres).with_width(width) };
            number(ui, &format!("{} {letter}", tr("form.walk_stop")), &mut position[axis], field);
        }
    });
}
