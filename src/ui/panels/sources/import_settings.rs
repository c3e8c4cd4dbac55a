//! Import settings of a file: unit, upward axis and frame rate.

use egui::Ui;
use egui_material_icons::icons::ICON_GRID_ON;

use crate::i18n::tr;
use crate::panels::unit::unit;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::{self, form};
use portamento_anim::Footage;
use portamento_anim::geometry::UpAxis;
use portamento_anim::media::SheetGrid;
use portamento_session::Session;
use portamento_takes::document::{FileId, Loaded};

/// Draws the import settings that fit the content of file `id`: unit and upward axis, frame rate, or sprite sheet. Changes apply
/// at once.
pub(crate) fn import_settings_ui(ui: &mut Ui, session: &mut Session, id: FileId) {
    let Some(loaded) = session.library.get(id).cloned() else { return };
    let read_unit = session.read.unit(id).unwrap_or(1.0);
    let Some(file) = session.document.files.iter_mut().find(|file| file.id == id) else { return };
    let (mut up, mut asks) = (None, false);
    form::section(ui, "import", true, |ui| {
        if !loaded.is_images() {
            unit(ui, &mut file.metres_per_unit, read_unit);
            up = up_row(ui, &loaded);
        }
        if let Some(footage) = loaded.footage.as_ref().filter(|footage| footage.frames() > 1) {
            rate_row(ui, footage.fps(), &mut file.fps);
        }
        if loaded.footage.as_ref().is_some_and(|footage| loaded.is_images() && footage.frames() == 1) {
            asks = sheet_row(ui, &mut file.sheet);
            if file.sheet.is_some() {
                rate_row(ui, loaded.footage.as_ref().map_or(1.0, Footage::fps), &mut file.fps);
            }
        }
    });
    if asks {
        session.ask_about_sheet(id);
    }
    if let Some(up) = up {
        session.set_up_axis(id, Some(up));
    }
}

/// Draws the choice of a file's upward axis. Returns the new axis if it was changed; reset returns the one read from the file.
fn up_row(ui: &mut Ui, loaded: &Loaded) -> Option<UpAxis> {
    let mut up = loaded.up;
    let mut changed = false;
    let reset = form::row(ui, "file_up", |ui| {
        let choices = [(UpAxis::Y, "Y".to_owned()), (UpAxis::Z, "Z".to_owned())];
        changed = form::choice(ui, "file up", &mut up, &choices);
    });
    let read = loaded.as_read.as_ref().map_or(loaded.up, |read| read.up);
    if reset { Some(read) } else { changed.then_some(up) }
}

/// Draws the grid of a sprite sheet; reset removes it. Returns true if the button was clicked that opens the grid over the
/// picture.
fn sheet_row(ui: &mut Ui, sheet: &mut Option<SheetGrid>) -> bool {
    let text = sheet.map_or_else(|| tr("sheet_question.none"), |grid| format!("{} × {}", grid.columns, grid.rows));
    let mut asks = false;
    let reset = form::row(ui, "file_sheet", |ui| {
        let button = widgets::text_button(ui, ICON_GRID_ON, &text);
        asks = button.on_hover_text(tr("sheet_question.change")).clicked();
    });
    if reset {
        *sheet = None;
    }
    asks
}

/// Draws the frame rate (frames per second) of images or a cache. `read` is the rate that the file states, for which `fps` is
/// `None`.
fn rate_row(ui: &mut Ui, read: f64, fps: &mut Option<f64>) {
    let mut shown = fps.unwrap_or(read);
    let before = shown;
    let reset = form::row(ui, "file_fps", |ui| {
        let field = Field { per_pixel: 0.1, decimals: 3, ..Field::new(Unit::Plain).within(1.0, 1000.0) };
        number(ui, &tr("form.file_fps"), &mut shown, field);
    });
    if reset {
        *fps = None;
    } else if shown != before {
        *fps = Some(shown).filter(|shown| *shown != read);
    }
}
