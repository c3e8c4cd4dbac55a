//! Map of the changes made by the open stage, joints by frames.

use std::sync::Arc;

use egui::{Color32, ColorImage, Pos2, Rect, Sense, TextureHandle, TextureOptions, Ui, Vec2};

use crate::i18n::{tr, tr_with};
use crate::units::Unit;
use crate::viewport::legend::ramp_in;
use crate::{theme, widgets};
use portamento_session::Session;
use portamento_takes::evaluate::BuiltTake;
use portamento_takes::evaluate::changes::{Changes, JointChange};

/// Cached map of one stage.
#[derive(Clone)]
struct Drawn {
    built: Arc<BuiltTake>,
    stage: usize,
    changes: Arc<Changes>,
    picture: TextureHandle,
}

/// Width of the joint names left of the map, points.
const NAMES_WIDTH: f32 = 110.0;
/// Width of the colour legend, points.
const LEGEND_WIDTH: f32 = 80.0;
/// Smallest row height at which names stay readable, points.
const READABLE_HEIGHT: f32 = 11.0;

/// Draws the changes of the stage with index `stage` of `built`. A click or drag moves the playhead. Returns false if the stage
/// has no map.
pub(super) fn changes_ui(ui: &mut Ui, session: &mut Session, built: &Arc<BuiltTake>, stage: usize) -> bool {
    let Some(drawn) = drawn(ui, built, stage) else { return false };
    let changes = &drawn.changes;
    let largest = changes.largest();
    let joints = built.character.model.skeleton.len();
    let values = [
        ("joints", changes.joints.len().to_string()),
        ("all", joints.to_string()),
        ("turn", Unit::Degrees.text(f64::from(largest.degrees), 1)),
        ("move", Unit::Centimetres.text(100.0 * f64::from(largest.metres), 1)),
    ];
    ui.horizontal(|ui| {
        let counts = widgets::caption(ui, tr_with("changes.counts", &values));
        if !changes.joints.is_empty() && ui.available_width() > LEGEND_WIDTH + 60.0 {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), legend);
        }
        counts
    });
    if changes.joints.is_empty() {
        widgets::caption(ui, tr("changes.none"));
        return true;
    }
    let room = ui.available_rect_before_wrap();
    // A few joints need only one text row each.
    let height = room.height().min(changes.joints.len() as f32 * theme::ROW);
    let room = room.with_max_y(room.min.y + height);
    let map = room.with_min_x(room.min.x + NAMES_WIDTH);
    names(ui, room, map, changes, built);
    let response = ui.interact(map, ui.id().with("changes"), Sense::click_and_drag());
    let name = tr("changes.map");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, &name));
    let unit_rect = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
    ui.painter().image(drawn.picture.id(), map, unit_rect, Color32::WHITE);
    let end = changes.times.last().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
    let x = map.min.x + map.width() * (session.playback.time / end).clamp(0.0, 1.0) as f32;
    ui.painter().vline(x, map.y_range(), (1.0, theme::of(ui).playhead));
    if let Some(at) = response.hover_pos() {
        response.clone().on_hover_text_at_pointer(tooltip(changes, built, (at - map.min) / map.size()));
    }
    if let Some(at) = response.interact_pointer_pos() {
        session.playback.pause_at(end * f64::from(((at.x - map.min.x) / map.width()).clamp(0.0, 1.0)));
    }
    ui.advance_cursor_after_rect(room);
    true
}

/// Draws the colour legend from right to left, as percent of the largest rotation or displacement.
fn legend(ui: &mut Ui) {
    widgets::caption(ui, "100 %");
    let (bar, _) = ui.allocate_exact_size(Vec2::new(LEGEND_WIDTH, 6.0), Sense::hover());
    ramp_in(ui.painter(), bar);
    widgets::caption(ui, "0");
}

/// Returns the map, cached as long as the take and stage are unchanged. `None` if the stage has no changes to show.
fn drawn(ui: &Ui, built: &Arc<BuiltTake>, stage: usize) -> Option<Drawn> {
    let id = ui.id().with("drawn changes");
    let known = ui.data(|data| data.get_temp::<Drawn>(id));
    if let Some(known) = known.filter(|known| Arc::ptr_eq(&known.built, built) && known.stage == stage) {
        return Some(known);
    }
    let changes = Arc::new(built.changes(stage)?);
    let picture = ui.ctx().load_texture("changes", picture(&changes), TextureOptions::NEAREST);
    let drawn = Drawn { built: built.clone(), stage, changes, picture };
    ui.data_mut(|data| data.insert_temp(id, drawn.clone()));
    Some(drawn)
}

/// Returns the map as an image, one pixel per frame and joint: brighter for larger changes relative to the largest (by the square
/// root), transparent where nothing changed.
fn picture(changes: &Changes) -> ColorImage {
    let (width, height) = (changes.times.len(), changes.joints.len().max(1));
    let largest = changes.largest();
    let share = |value: f32, of: f32| if of > 0.0 { value / of } else { 0.0 };
    let color = |cell: JointChange| match cell == JointChange::default() {
        true => Color32::TRANSPARENT,
        false => theme::ramp(share(cell.degrees, largest.degrees).max(share(cell.metres, largest.metres)).sqrt()),
    };
    let pixels = (0..width * height).map(|i| color(changes.at(i / width, i % width))).collect();
    ColorImage::new([width, height], pixels)
}

/// Draws the joint names in `room`, left of `map`. Skips rows where they would overlap.
fn names(ui: &Ui, room: Rect, map: Rect, changes: &Changes, built: &BuiltTake) {
    let tokens = theme::of(ui);
    let height = map.height() / changes.joints.len() as f32;
    let step = (READABLE_HEIGHT / height).ceil().max(1.0) as usize;
    let painter = ui.painter().with_clip_rect(room.with_max_x(map.min.x - theme::GAP_SMALL));
    let mut last = f32::NEG_INFINITY;
    for (row, &joint) in changes.joints.iter().enumerate().step_by(step) {
        let middle = map.min.y + height * (row as f32 + 0.5);
        // The first and last name are moved inwards so that they are not clipped.
        let half = 0.5 * READABLE_HEIGHT.min(room.height());
        let at = Pos2::new(room.min.x, middle.clamp(room.min.y + half, room.max.y - half));
        let name = &built.character.model.skeleton.joints[joint].name;
        // The first name may have been moved down onto the next.
        if at.y < last + READABLE_HEIGHT {
            continue;
        }
        last = at.y;
        painter.text(at, egui::Align2::LEFT_CENTER, name, theme::caption(), tokens.dim);
    }
}

/// Returns the tooltip of the cell at `at`, as fractions 0 … 1 of the map: joint, time, rotation and displacement.
fn tooltip(changes: &Changes, built: &BuiltTake, at: Vec2) -> String {
    let index = |part: f32, count: usize| ((part.clamp(0.0, 1.0) * count as f32) as usize).min(count.saturating_sub(1));
    let (row, frame) = (index(at.y, changes.joints.len()), index(at.x, changes.times.len()));
    let cell = changes.at(row, frame);
    let values = [
        ("joint", built.character.model.skeleton.joints[changes.joints[row]].name.clone()),
        ("time", Unit::Seconds.text(changes.times[frame], 2)),
        ("turn", Unit::Degrees.text(f64::from(cell.degrees), 2)),
        ("move", Unit::Centimetres.text(100.0 * f64::from(cell.metres), 2)),
    ];
    tr_with("changes.at", &values)
}
