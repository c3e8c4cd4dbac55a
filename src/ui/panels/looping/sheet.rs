//! Grid of a sprite sheet used as the source of a take.

use egui::Ui;

use crate::i18n::tr;
use crate::widgets::form;
use crate::widgets::number::{IntegerField, whole_number};
use portamento_anim::Footage;
use portamento_anim::media::SheetGrid;
use portamento_session::Session;
use portamento_takes::document::{TakeId, TakeSource};

/// Grid that uses the image as a single frame.
const SINGLE_FRAME: SheetGrid = SheetGrid { columns: 1, rows: 1, frames: None };

/// Maximum number of columns or rows.
const MAX_CELLS_PER_SIDE: usize = 1024;

/// Draws the choice of the animation of take `id` if its source is an image file with named animations. Reset chooses the first
/// one.
pub fn tag_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let Some(TakeSource::Images { file, tag, .. }) = session.document.take(id).map(|take| take.source.clone()) else {
        return;
    };
    let Some(Footage::Images(clip)) = session.library.get(file).and_then(|loaded| loaded.footage.clone()) else {
        return;
    };
    if clip.tags.is_empty() {
        return;
    }
    let mut chosen = tag.as_ref().and_then(|tag| clip.tags.iter().position(|each| each.name == *tag));
    let named = clip.tags.iter().enumerate().map(|(index, tag)| (Some(index), tag.name.clone()));
    let choices: Vec<(Option<usize>, String)> = named.chain([(None, tr("value.sheet_tag_all"))]).collect();
    let reset = form::row(ui, "sheet_tag", |ui| {
        form::choice(ui, "sheet tag", &mut chosen, &choices);
    });
    let chosen = if reset { Some(0) } else { chosen }.map(|index| clip.tags[index].name.clone());
    if chosen != tag
        && let Some(TakeSource::Images { tag, .. }) = session.document.take_mut(id).map(|take| &mut take.source)
    {
        *tag = chosen;
    }
}

/// Draws columns, rows and frames of take `id` if its source is a single image. One column and row means no sheet.
pub fn sheet_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let Some(TakeSource::Images { file, sheet, .. }) = session.document.take(id).map(|take| take.source.clone()) else {
        return;
    };
    let footage = session.library.get(file).and_then(|loaded| loaded.footage.as_ref());
    let is_single = footage.is_some_and(|footage| footage.frames() == 1);
    if sheet.is_none() && !is_single {
        return;
    }
    let mut grid = sheet.unwrap_or(SINGLE_FRAME);
    form::section(ui, "sheet", true, |ui| {
        let mut columns = grid.columns as usize;
        let mut rows = grid.rows as usize;
        count_row(ui, "sheet_columns", &mut columns, MAX_CELLS_PER_SIDE, 1);
        count_row(ui, "sheet_rows", &mut rows, MAX_CELLS_PER_SIDE, 1);
        let room = columns * rows;
        let mut frames = grid.frames.unwrap_or(room).min(room);
        count_row(ui, "sheet_frames", &mut frames, room, room);
        let all = frames == room || columns != grid.columns as usize || rows != grid.rows as usize;
        grid = SheetGrid { columns: columns as u32, rows: rows as u32, frames: (!all).then_some(frames) };
    });
    let chosen = (grid != SINGLE_FRAME).then_some(grid);
    if chosen != sheet
        && let Some(TakeSource::Images { sheet, .. }) = session.document.take_mut(id).map(|take| &mut take.source)
    {
        *sheet = chosen;
    }
}

/// Draws a number field from 1 to `max`. `plain` is its default, `key` its translation key.
fn count_row(ui: &mut Ui, key: &str, value: &mut usize, max: usize, plain: usize) {
    let reset = form::row(ui, key, |ui| {
        let response = whole_number(ui, value, IntegerField::new(0.05).within(1..=max));
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(tr(&format!("form.{key}"))));
    });
    if reset {
        *value = plain;
    }
}
