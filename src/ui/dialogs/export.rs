//! Export dialog: takes, formats, folder, and the equivalent command line.

use egui::{Align, Button, Key, Layout, Popup, RichText, ScrollArea, Ui, UiBuilder};
use egui_material_icons::icons::{ICON_CONTENT_COPY, ICON_FOLDER_OPEN};

use super::{Placement, buttons, files, window_at};
use crate::app::App;
use crate::i18n::{localized, tr, tr_with};
use crate::widgets::form;
use crate::widgets::number::{Field, IntegerField, Unit, number, whole_number};
use crate::{focus, theme, widgets};
use portamento_anim::Tolerance;
use portamento_session::export::RelevantSettings;
use portamento_session::{
    Command, ExportChoice, ExportFormat, ExportRequest, FileCommand, ImageFormat, ImageLayout, Preferences, Preset,
    RouteFormat, Session, Shown, Sidecars,
};
use portamento_takes::document::TakeId;
use portamento_walk::locomotion::Sign;

/// Distance of the dialog from the top of the window, points. Fixed, so that the list stays in place when rows appear.
const DIALOG_TOP: f32 = 40.0;
/// Height of title, folder, command line and buttons around the scrolling rows, points.
const FIXED_HEIGHT: f32 = 196.0;
/// Height of the dialog without its take list, points.
const HEIGHT_WITHOUT_LIST: f32 = 640.0;

/// Scroll state of the dialog.
#[derive(Debug, Default)]
pub struct Rows {
    /// Largest height the rows needed so far, points. The dialog never shrinks, so that its buttons stay in place.
    height: f32,
    /// True once the first ticked take was scrolled into view.
    is_revealed: bool,
}

/// Opens the dialog with the takes selected in the outliner ticked, or only the shown one. If neither exists, the ticks of
/// the last time stay.
pub(crate) fn open(app: &mut App) {
    let chosen = app.session.selection.chosen_takes(&app.session.document);
    let shown = shown_take(&app.session);
    let ticked = if chosen.is_empty() { shown.into_iter().collect() } else { chosen };
    open_with(app, &ticked);
}

/// Returns the shown take of the project; a shown clip is none.
fn shown_take(session: &Session) -> Option<TakeId> {
    let Shown::Take(id) = session.selection.shown else { return None };
    session.document.take(id).map(|take| take.id)
}

/// Opens the dialog with the takes `ids` ticked; without any, the ticks of the last time stay.
pub(crate) fn open_with(app: &mut App, ids: &[TakeId]) {
    if !ids.is_empty() {
        app.session.exports.choice.only(&app.session.document, ids);
    }
    app.dialogs.export_rows = Rows::default();
    app.dialogs.export = true;
}

/// Draws the dialog while it is open. Confirming it starts the export.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    if !app.dialogs.export {
        return;
    }
    let App { session, dialogs, .. } = app;
    // A copy is edited, because the rows read the session.
    let mut choice = session.exports.choice.clone();
    let default_folder = default_folder(session);
    if choice.folder.is_empty() {
        choice.folder.clone_from(&default_folder);
    }
    let placement = Placement { width: 576.0, top: Some(DIALOG_TOP), dims: true, stays: true };
    let (answer, close) = window_at(ctx, "export", placement, |ui| {
        let mut is_entered = is_entered(ui);
        let room = ui.ctx().content_rect().height() - DIALOG_TOP - FIXED_HEIGHT;
        dialogs.export_rows.ui(ui, room, session, &mut choice);
        form::row(ui, "folder", |ui| is_entered |= folder(ui, &mut choice.folder, &mut dialogs.files));
        let request = choice.request(&session.document);
        command_line(ui, session, &request);
        let ready = !request.takes.is_empty() && !choice.folder.trim().is_empty();
        buttons(ui, |ui| {
            let name = tr_with("export.go", &[("count", request.takes.len().to_string())]);
            let go = ui.add_enabled_ui(ready, |ui| widgets::main_button(ui, &name).clicked()).inner;
            let cancel = ui.button(tr("unsaved.cancel")).clicked();
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| as_i_work(ui, &request, &mut choice));
            if go || (is_entered && ready) { Some(Some(request)) } else { cancel.then_some(None) }
        })
    });
    let chosen_folder = choice.folder.trim().to_owned();
    if choice.folder == default_folder {
        // The default folder is not stored, so that it follows the project when that is saved.
        choice.folder.clear();
    }
    if matches!(answer, Some(Some(_))) {
        session.preferences.export_folder = chosen_folder;
    }
    session.exports.choice = choice;
    if let Some(answer) = answer.or((close && !dialogs.files.is_waiting()).then_some(None)) {
        dialogs.export = false;
        answer.into_iter().for_each(|request| session.perform(Command::File(FileCommand::Export(request))));
    }
}

impl Rows {
    /// Draws the rows in their largest height so far, at most `room` points.
    fn ui(&mut self, ui: &mut Ui, room: f32, session: &Session, choice: &mut ExportChoice) {
        if self.height == 0.0 {
            self.height = height_of_all(ui, session, choice);
            ui.ctx().request_discard("the height of the rows became known");
        }
        let height = self.height.min(room);
        let area = ScrollArea::vertical().id_salt("rows").auto_shrink([true, false]).max_height(height);
        let drawn = area.min_scrolled_height(height).show(ui, |ui| {
            let top = ui.cursor().min.y;
            rows(ui, session, choice, &mut self.is_revealed);
            focus::scroll_to_focus(ui);
            ui.cursor().min.y - top
        });
        self.height = self.height.max(drawn.inner);
    }
}

/// Returns the height of the rows with all takes ticked, points.
fn height_of_all(ui: &mut Ui, session: &Session, choice: &ExportChoice) -> f32 {
    let mut choice = choice.clone();
    choice.all();
    let mut unseen = ui.new_child(UiBuilder::new().invisible().id_salt("unseen"));
    rows(&mut unseen, session, &mut choice, &mut true);
    unseen.cursor().min.y - ui.cursor().min.y
}

/// Draws all rows.
fn rows(ui: &mut Ui, session: &Session, choice: &mut ExportChoice, is_revealed: &mut bool) {
    takes(ui, session, choice, is_revealed);
    let asks = choice.asks(&session.document);
    clips(ui, asks, choice);
    formats(ui, asks, choice);
    sidecars(ui, asks, &mut choice.settings.sidecars);
    if asks.clips && choice.takes(&session.document).nth(1).is_some() {
        form::row(ui, "index", |ui| {
            ui.checkbox(&mut choice.settings.sidecars.index, tr("export.index"));
        });
    }
    if asks.closing {
        form::row(ui, "closing", |ui| {
            let choices = [None, Some(true), Some(false)].map(|each| (each, tr(closing_key(each))));
            form::choice(ui, "closing", &mut choice.settings.closing, &choices);
        });
    }
}

/// Draws the optional files written in addition to the clips, as far as the ticked takes have them.
fn sidecars(ui: &mut Ui, asks: RelevantSettings, sidecars: &mut Sidecars) {
    if asks.weights {
        form::row(ui, "weights_json", |ui| {
            ui.checkbox(&mut sidecars.weights, tr("export.weights"));
        });
    }
    if asks.ways {
        form::row(ui, "routes", |ui| {
            let formats = RouteFormat::ALL.map(|format| (Some(format), format.extension().to_uppercase()));
            let choices = [(None, tr("export.no_routes"))].into_iter().chain(formats).collect::<Vec<_>>();
            form::choice(ui, "routes", &mut sidecars.routes, &choices);
        });
        form::row(ui, "distance_curve", |ui| {
            let signs = Sign::ALL.map(|sign| (Some(sign), tr(&format!("sign.{}", sign.name()))));
            let choices = [(None, tr("export.no_routes"))].into_iter().chain(signs).collect::<Vec<_>>();
            form::choice(ui, "distance_curve", &mut sidecars.distance_curve, &choices);
        });
        form::row(ui, "voxels", |ui| {
            ui.checkbox(&mut sidecars.voxels, tr("export.voxels"));
        });
    }
}

/// Returns the locale key of the choice to repeat the first frame at the end.
fn closing_key(choice: Option<bool>) -> &'static str {
    match choice {
        None => "closing.usual",
        Some(true) => "closing.with",
        Some(false) => "closing.without",
    }
}

/// Returns `export` next to the project, for unsaved projects the folder of the last export of any project, and before the
/// first one `Portamento` in the user's documents. Folders of opened files are not written to, as libraries are shared.
fn default_folder(session: &Session) -> String {
    let project = session.project.path.as_ref().and_then(|path| path.parent());
    let last = &session.preferences.export_folder;
    match project {
        Some(folder) => folder.join("export").display().to_string(),
        None if !last.is_empty() => last.clone(),
        None => Preferences::documents().map(|folder| folder.display().to_string()).unwrap_or_default(),
    }
}

/// True if Enter was pressed and no control or open list takes it.
fn is_entered(ui: &Ui) -> bool {
    let is_taken = ui.memory(|memory| memory.focused().is_some()) || Popup::is_any_open(ui.ctx());
    !is_taken && ui.input(|input| input.key_pressed(Key::Enter))
}

/// Draws the list of takes with a check box each. Scrolls to the first ticked one unless `is_revealed`.
fn takes(ui: &mut Ui, session: &Session, choice: &mut ExportChoice, is_revealed: &mut bool) {
    if session.document.takes.is_empty() {
        ui.label(RichText::new(tr("export.no_takes")).color(theme::of(ui).dim));
        return;
    }
    form::row(ui, "takes", |ui| {
        ui.vertical(|ui| {
            *is_revealed &= !ticked(ui, session, choice);
            let room = (ui.ctx().content_rect().height() - DIALOG_TOP - HEIGHT_WITHOUT_LIST).max(4.0 * theme::ROW);
            ui.spacing_mut().item_spacing.y = 0.0;
            let rows = room.min(session.document.takes.len() as f32 * theme::ROW);
            ScrollArea::vertical().max_height(room).min_scrolled_height(rows).show(ui, |ui| {
                ui.set_min_width(ui.available_width());
                for take in &session.document.takes {
                    let mut on = choice.has(take.id);
                    let row = ui.checkbox(&mut on, &take.name);
                    if on && !std::mem::replace(is_revealed, true) {
                        row.scroll_to_me(None);
                    }
                    if row.changed() {
                        choice.set(take.id, on);
                    }
                }
                focus::scroll_to_focus(ui);
            });
        });
    });
}

/// Draws the number of ticked takes and buttons that tick several. Returns true if a button was used.
fn ticked(ui: &mut Ui, session: &Session, choice: &mut ExportChoice) -> bool {
    let document = &session.document;
    let before = choice.clone();
    ui.horizontal(|ui| {
        let (some, all) = (choice.takes(document).count(), document.takes.len());
        let count = tr_with("export.count", &[("some", some.to_string()), ("all", all.to_string())]);
        ui.label(RichText::new(count).color(theme::of(ui).dim));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let shown = shown_take(session);
            let only = ui.add_enabled(shown.is_some(), Button::new(tr("export.only")));
            if let Some(id) = shown.filter(|_| only.clicked()) {
                choice.only(document, &[id]);
            }
            let chosen = session.selection.chosen_takes(&session.document);
            let only = ui.add_enabled(!chosen.is_empty(), Button::new(tr("export.only_chosen")));
            if only.on_disabled_hover_text(tr("tip.only_chosen")).clicked() {
                choice.only(document, &chosen);
            }
            if ui.add_enabled(some < all, Button::new(tr("export.all"))).clicked() {
                choice.all();
            }
        });
    });
    *choice != before
}

/// Draws the options for takes with clips: preset, file format, files, FBX unit and root, keys and names. `asks` marks
/// the options that the ticked takes need.
fn clips(ui: &mut Ui, asks: RelevantSettings, choice: &mut ExportChoice) {
    if asks.clips {
        preset(ui, choice);
    }
    if asks.format {
        form::row(ui, "format", |ui| {
            let choices = ExportFormat::ALL.map(|each| (each, tr(&format!("format.{}", each.extension()))));
            form::choice(ui, "format", &mut choice.settings.format, &choices);
        });
    }
    if asks.clips {
        let reset = form::row(ui, "export_files", |ui| {
            let choices = [(false, tr("export.per_take")), (true, tr("export.per_character"))];
            form::choice(ui, "export_files", &mut choice.settings.per_character, &choices);
        });
        choice.settings.per_character &= !reset;
    }
    if asks.format && choice.settings.format == ExportFormat::Fbx {
        form::named_row(ui, "fbx_unit", &mut choice.settings.unit, "fbx_unit.{}");
        if asks.clips {
            form::row(ui, "fbx_root", |ui| {
                ui.checkbox(&mut choice.settings.root_on_top, tr("export.root_on_top"))
                    .on_hover_text(tr("tip.root_on_top"));
            });
        }
    }
    if !asks.clips {
        return;
    }
    form::named_row(ui, "keep", &mut choice.settings.keep, "keep.{}");
    form::row(ui, "keys", |ui| {
        let choices = [((false, false), "keys.source"), ((true, false), "keys.every"), ((true, true), "keys.whole")];
        let is_resampled = choice.settings.fps.is_some();
        let mut chosen = (is_resampled, is_resampled && choice.settings.whole_frames);
        ui.horizontal(|ui| {
            let rest = if is_resampled { 96.0 } else { 0.0 };
            ui.allocate_ui([ui.available_width() - rest, theme::ROW].into(), |ui| {
                form::choice(ui, "keys", &mut chosen, &choices.map(|(each, key)| (each, tr(key))));
            });
            if is_resampled {
                let field = Field { per_pixel: 0.2, decimals: 2, ..Field::new(Unit::Plain).within(1.0, 240.0) };
                number(ui, &tr("form.fps"), &mut choice.fps, field);
            }
            (choice.settings.fps, choice.settings.whole_frames) = (chosen.0.then_some(choice.fps), chosen.1);
        });
    });
    details(ui, choice);
}

/// Draws the engine preset and its description. A chosen preset replaces all clip settings.
fn preset(ui: &mut Ui, choice: &mut ExportChoice) {
    let before = Preset::matching(&choice.settings);
    let mut chosen = before;
    let row = form::row(ui, "engine", |ui| {
        let named = |preset: Preset| (Some(preset), tr(&format!("engine.{}", preset.name())));
        let choices: Vec<_> = [(None, tr("engine.custom"))].into_iter().chain(Preset::ALL.map(named)).collect();
        form::choice(ui, "engine", &mut chosen, &choices);
    });
    if row || chosen != before {
        choice.set_clips(chosen.filter(|_| !row).map(Preset::settings).unwrap_or_default());
    }
    if let Some(preset) = Preset::matching(&choice.settings) {
        widgets::caption(ui, localized(&preset.message()));
    }
}

/// Draws clip names, file names, key reduction, markers, the set index and the import files of the engines.
fn details(ui: &mut Ui, choice: &mut ExportChoice) {
    form::row(ui, "clip_names", |ui| {
        let width = ui.available_width() - 96.0;
        form::named(ui.add(widgets::text_field(&mut choice.settings.names.pattern, "{take}").desired_width(width)));
        ui.checkbox(&mut choice.settings.names.loop_suffix, "-loop").on_hover_text(tr("tip.loop_suffix"));
    });
    form::row(ui, "file_names", |ui| {
        ui.checkbox(&mut choice.settings.names.spaces, tr("export.spaces")).on_hover_text(tr("tip.spaces"));
    });
    form::row(ui, "reduce", |ui| {
        let mut on = choice.settings.tolerance.is_some();
        if ui.checkbox(&mut on, tr("export.reduce")).changed() {
            choice.settings.tolerance = on.then(Tolerance::default);
        }
        if let Some(Tolerance { millimetres }) = &mut choice.settings.tolerance {
            let field = Field { per_pixel: 0.001, ..Field::new(Unit::Millimetres).with_width(96.0) };
            number(ui, &tr("form.reduce"), millimetres, field.within(0.0, 100.0));
        }
    });
    form::row(ui, "markers", |ui| {
        ui.checkbox(&mut choice.settings.markers, tr("export.markers"));
    });
    form::row(ui, "set_index", |ui| {
        ui.checkbox(&mut choice.settings.set_index, tr("export.set_index")).on_hover_text(tr("tip.set_index"));
    });
    if matches!(choice.settings.format, ExportFormat::Glb | ExportFormat::Gltf) {
        form::row(ui, "godot_import", |ui| {
            ui.checkbox(&mut choice.settings.godot_import, tr("export.godot_import"))
                .on_hover_text(tr("tip.godot_import"));
        });
    }
    if choice.settings.format == ExportFormat::Fbx {
        form::row(ui, "unity_import", |ui| {
            ui.checkbox(&mut choice.settings.unity_import, tr("export.unity_import"))
                .on_hover_text(tr("tip.unity_import"));
        });
        form::row(ui, "unreal_import", |ui| {
            ui.checkbox(&mut choice.settings.unreal_import, tr("export.unreal_import"))
                .on_hover_text(tr("tip.unreal_import"));
        });
    }
}

/// Draws the formats of takes without joints.
fn formats(ui: &mut Ui, asks: RelevantSettings, choice: &mut ExportChoice) {
    if asks.meshes {
        form::named_row(ui, "meshes", &mut choice.settings.meshes, "mesh_format.{}");
    }
    if asks.images {
        form::named_row(ui, "images", &mut choice.settings.images, "image_format.{}");
        image_layout(ui, choice.settings.images, &mut choice.settings.image_layout);
    }
}

/// Draws frame numbering or sprite sheet layout, depending on the format.
fn image_layout(ui: &mut Ui, format: ImageFormat, layout: &mut ImageLayout) {
    let count_field = |ui: &mut Ui, value: &mut u32, max: u32| {
        form::named(whole_number(ui, value, IntegerField::new(0.1).within(0..=max).narrow()))
    };
    match format {
        ImageFormat::Png | ImageFormat::Exr | ImageFormat::Tga => {
            form::row(ui, "first_number", |ui| {
                count_field(ui, &mut layout.first, 999_999);
            });
        }
        ImageFormat::Sheet => {
            form::row(ui, "columns", |ui| {
                let mut columns = layout.sheet.columns.unwrap_or(0);
                let field = IntegerField::new(0.1).within(0..=4096).narrow().zero(tr("export.columns_square"));
                form::named(whole_number(ui, &mut columns, field));
                layout.sheet.columns = Some(columns).filter(|&columns| columns > 0);
            });
            form::row(ui, "padding", |ui| {
                count_field(ui, &mut layout.sheet.padding, 256);
                ui.label("px");
            });
            form::row(ui, "power_of_two", |ui| {
                ui.checkbox(&mut layout.sheet.power_of_two, tr("export.power_of_two"));
            });
        }
        ImageFormat::Gif | ImageFormat::Apng | ImageFormat::Webp => {}
    }
}

/// Draws the folder with a button that opens the folder dialog. Returns true if Enter was pressed in the field.
fn folder(ui: &mut Ui, folder: &mut String, files: &mut files::Files) -> bool {
    let width = ui.available_width() - theme::ROW - theme::GAP_MEDIUM;
    let field = ui.add(widgets::text_field(folder, "").desired_width(width - 16.0));
    let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    form::named(field);
    if widgets::icon_button(ui, ICON_FOLDER_OPEN, &tr("export.choose")).clicked() {
        files.ask_folder();
    }
    is_entered
}

/// Draws the check box that repeats the export after every change. It is disabled if `request` cannot be repeated.
fn as_i_work(ui: &mut Ui, request: &ExportRequest, choice: &mut ExportChoice) {
    let (can_repeat, mut is_off) = (request.repeats(), false);
    let on = if can_repeat { &mut choice.as_i_work } else { &mut is_off };
    ui.add_enabled(can_repeat, egui::Checkbox::new(on, tr("export.as_i_work")))
        .on_hover_text(tr("tip.as_i_work"))
        .on_disabled_hover_text(tr("tip.as_i_work_unavailable"));
}

/// Draws the command that exports the same on the command line, with a copy button; a hint if the project was never saved.
fn command_line(ui: &mut Ui, session: &Session, request: &ExportRequest) {
    form::row(ui, "command_line", |ui| match &session.project.path {
        None => {
            widgets::caption(ui, tr("export.save_first"));
        }
        Some(project) => {
            let line = session.command_line(request, project);
            let width = ui.available_width() - theme::ROW - theme::GAP_MEDIUM;
            let text = egui::Label::new(RichText::new(&line).font(theme::caption())).truncate();
            ui.add_sized([width, theme::ROW], text).on_hover_text(&line);
            if widgets::icon_button(ui, ICON_CONTENT_COPY, &tr("export.copy")).clicked() {
                ui.copy_text(line);
            }
        }
    });
}
