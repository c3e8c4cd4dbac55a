//! Writing takes as clips: which, in which form, where to; and the command line that does the same.

use std::path::PathBuf;

use egui::{RichText, Ui};
use egui_material_icons::icons::{ICON_CONTENT_COPY, ICON_FOLDER_OPEN};

use super::{buttons, files, window};
use crate::document::{TakeId, TakeSource};
use crate::session::{
    Beside, Command, ExportFormat, ExportRequest, FileCommand, ImageForm, Keep, MeshForm, RouteFormat, Session,
};
use crate::systems::pathing::walk::Sign;
use crate::ui::app::App;
use crate::ui::i18n::tr;
use crate::ui::widgets::form;
use crate::ui::widgets::number::{Field, Unit, number};
use crate::ui::{theme, widgets};

/// What is chosen so far.
#[derive(Debug)]
pub struct Export {
    /// Where to, as typed.
    pub folder: String,
    left_out: Vec<TakeId>,
    format: ExportFormat,
    meshes: MeshForm,
    images: ImageForm,
    keep: Keep,
    resampled: bool,
    beside: Beside,
    closing: Option<bool>,
    fps: f64,
}

impl Default for Export {
    fn default() -> Self {
        Self {
            folder: String::new(),
            left_out: Vec::new(),
            format: ExportFormat::default(),
            meshes: MeshForm::default(),
            images: ImageForm::default(),
            keep: Keep::default(),
            resampled: false,
            beside: Beside::default(),
            closing: None,
            fps: 30.0,
        }
    }
}

impl Export {
    fn request(&self, session: &Session) -> ExportRequest {
        let takes = session.document.takes.iter().map(|take| take.id).filter(|id| !self.left_out.contains(id));
        ExportRequest {
            takes: takes.collect(),
            destination: PathBuf::from(self.folder.trim()),
            format: self.format,
            meshes: self.meshes,
            images: self.images,
            keep: self.keep,
            fps: self.resampled.then_some(self.fps),
            beside: self.beside,
            closing: self.closing,
            ..ExportRequest::default()
        }
    }
}

/// Draws the dialog while it is open.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(mut export) = app.dialogs.export.take() else { return };
    if export.folder.is_empty() {
        export.folder = first_folder(&app.session);
    }
    let App { session, dialogs, .. } = app;
    let (answer, close) = window(ctx, "export", 520.0, |ui| {
        takes(ui, session, &mut export);
        settings(ui, &mut export);
        forms(ui, session, &mut export);
        beside(ui, session, &mut export.beside);
        if session.document.takes.iter().any(|take| take.looped().is_some()) {
            form::row(ui, "closing", |ui| {
                let choices = [None, Some(true), Some(false)].map(|each| (each, tr(closing(each))));
                form::choice(ui, "closing", &mut export.closing, &choices);
            });
        }
        form::row(ui, "folder", |ui| folder(ui, &mut export.folder, &mut dialogs.files));
        command_line(ui, session, &export);
        let request = export.request(session);
        let ready = !request.takes.is_empty() && !export.folder.trim().is_empty();
        buttons(ui, |ui| {
            let go = ui.add_enabled_ui(ready, |ui| widgets::main_button(ui, &tr("export.go")).clicked()).inner;
            let cancel = ui.button(tr("unsaved.cancel")).clicked();
            if go { Some(Some(request)) } else { cancel.then_some(None) }
        })
    });
    match answer.or((close && !dialogs.files.is_waiting()).then_some(None)) {
        Some(Some(request)) => session.perform(Command::File(FileCommand::Export(request))),
        Some(None) => {}
        None => dialogs.export = Some(export),
    }
}

/// What may be written beside the clips there are.
fn beside(ui: &mut Ui, session: &Session, beside: &mut Beside) {
    let takes = &session.document.takes;
    if takes.iter().any(|take| take.blend().is_some()) {
        form::row(ui, "weights_json", |ui| {
            ui.checkbox(&mut beside.weights, tr("export.weights"));
        });
    }
    if takes.iter().any(|take| take.walk().is_some()) {
        form::row(ui, "routes", |ui| {
            let formats = RouteFormat::ALL.map(|format| (Some(format), format.extension().to_uppercase()));
            let choices = [(None, tr("export.no_routes"))].into_iter().chain(formats).collect::<Vec<_>>();
            form::choice(ui, "routes", &mut beside.routes, &choices);
        });
        form::row(ui, "distance_curve", |ui| {
            let signs = Sign::ALL.map(|sign| (Some(sign), tr(&format!("sign.{}", sign.name()))));
            let choices = [(None, tr("export.no_routes"))].into_iter().chain(signs).collect::<Vec<_>>();
            form::choice(ui, "distance_curve", &mut beside.distance_curve, &choices);
        });
        form::row(ui, "voxels", |ui| {
            ui.checkbox(&mut beside.voxels, tr("export.voxels"));
        });
    }
}

fn closing(choice: Option<bool>) -> &'static str {
    match choice {
        None => "closing.usual",
        Some(true) => "closing.with",
        Some(false) => "closing.without",
    }
}

fn first_folder(session: &Session) -> String {
    let near = session.project_path.clone().or_else(|| session.document.files.first().map(|file| file.path.clone()));
    near.and_then(|path| path.parent().map(|folder| folder.join("export").display().to_string())).unwrap_or_default()
}

fn takes(ui: &mut Ui, session: &Session, export: &mut Export) {
    if session.document.takes.is_empty() {
        ui.label(RichText::new(tr("export.no_takes")).color(theme::of(ui).dim));
        return;
    }
    form::row(ui, "takes", |ui| {
        ui.vertical(|ui| {
            let rows = (session.document.takes.len() as f32 * (theme::ROW + theme::SMALL)).min(144.0);
            egui::ScrollArea::vertical().max_height(144.0).min_scrolled_height(rows).show(ui, |ui| {
                ui.set_min_width(ui.available_width());
                for take in &session.document.takes {
                    let mut on = !export.left_out.contains(&take.id);
                    if ui.checkbox(&mut on, &take.name).changed() {
                        export.left_out.retain(|id| *id != take.id);
                        export.left_out.extend((!on).then_some(take.id));
                    }
                }
            });
        });
    });
}

fn settings(ui: &mut Ui, export: &mut Export) {
    form::row(ui, "format", |ui| {
        let choices = [(ExportFormat::Glb, tr("format.glb")), (ExportFormat::Gltf, tr("format.gltf"))];
        form::choice(ui, "format", &mut export.format, &choices);
    });
    form::row(ui, "keep", |ui| {
        let choices =
            [(Keep::Append, tr("keep.append")), (Keep::Replace, tr("keep.replace")), (Keep::Alone, tr("keep.alone"))];
        form::choice(ui, "keep", &mut export.keep, &choices);
    });
    form::row(ui, "keys", |ui| {
        let choices = [(false, tr("keys.source")), (true, tr("keys.every"))];
        ui.horizontal(|ui| {
            let rest = if export.resampled { 96.0 } else { 0.0 };
            ui.allocate_ui([ui.available_width() - rest, theme::ROW].into(), |ui| {
                form::choice(ui, "keys", &mut export.resampled, &choices);
            });
            if export.resampled {
                let field = Field { per_pixel: 0.2, decimals: 2, ..Field::new(Unit::Plain).within(1.0, 240.0) };
                number(ui, &tr("form.fps"), &mut export.fps, field);
            }
        });
    });
}

/// What takes without joints become, where there are such.
fn forms(ui: &mut Ui, session: &Session, export: &mut Export) {
    let takes = || session.document.takes.iter().map(|take| &take.source);
    if takes().any(|source| matches!(source, TakeSource::Vertices(_) | TakeSource::Cloth(_))) {
        form::row(ui, "meshes", |ui| {
            let choices = MeshForm::ALL.map(|each| (each, tr(&format!("mesh_form.{}", each.name()))));
            form::choice(ui, "meshes", &mut export.meshes, &choices);
        });
    }
    if takes().any(|source| matches!(source, TakeSource::Images { .. })) {
        form::row(ui, "images", |ui| {
            let choices = ImageForm::ALL.map(|each| (each, tr(&format!("image_form.{}", each.name()))));
            form::choice(ui, "images", &mut export.images, &choices);
        });
    }
}

fn folder(ui: &mut Ui, folder: &mut String, files: &mut files::Files) {
    let width = ui.available_width() - theme::ROW - theme::MEDIUM;
    ui.add(widgets::text_field(folder, "").desired_width(width - 16.0));
    if widgets::icon_button(ui, ICON_FOLDER_OPEN, &tr("export.choose")).clicked() {
        files.ask_folder();
    }
}

fn command_line(ui: &mut Ui, session: &Session, export: &Export) {
    form::row(ui, "command_line", |ui| match &session.project_path {
        None => {
            widgets::caption(ui, tr("export.save_first"));
        }
        Some(project) => {
            let line = session.command_line(&export.request(session), project);
            let width = ui.available_width() - theme::ROW - theme::MEDIUM;
            let text = egui::Label::new(RichText::new(&line).font(theme::caption())).truncate();
            ui.add_sized([width, theme::ROW], text).on_hover_text(&line);
            if widgets::icon_button(ui, ICON_CONTENT_COPY, &tr("export.copy")).clicked() {
                ui.copy_text(line);
            }
        }
    });
}
