//! Inspector: facts and settings of the selected file, clip or take.

use egui::{RichText, Ui};
use egui_material_icons::icons::{
    ICON_ALL_INCLUSIVE, ICON_ALT_ROUTE, ICON_CONTENT_COPY, ICON_DELETE, ICON_DEPLOYED_CODE, ICON_FLAG, ICON_GRAIN,
    ICON_MOVIE, ICON_ROUTE, ICON_STRAIGHTEN, ICON_VIEW_IN_AR, ICON_WAVES,
};

use super::results::figures;
use super::results::verdict::verdict_ui;
use super::results::warnings;
use super::sources::cloth::cloth_ui;
use super::sources::import_settings::import_settings_ui;
use super::sources::missing_files::missing_files_ui;
use super::sources::rest::rest_ui;
use super::sources::retarget::{retarget_menu, retarget_ui};
use super::sources::source_clip::source_clip_ui;
use crate::dialogs::source_files::name_of;
use crate::i18n::{tr, tr_with};
use crate::panels::blend::blend_ui;
use crate::panels::blend::mask::mask_ui;
use crate::panels::blend::weights::shares_ui;
use crate::panels::clips::or_from_library;
use crate::panels::inspector_scroll as scroll;
use crate::panels::looping::cache_mesh::{mesh_ui, missing_ui};
use crate::panels::looping::sheet::{sheet_ui, tag_ui};
use crate::panels::objects::object_ui;
use crate::panels::outliner::{joint_count, source_commands};
use crate::panels::painting::painting_ui;
use crate::panels::rig::rig_ui;
use crate::panels::stack::stack_ui;
use crate::panels::walk::walk_ui;
use crate::units::Unit;
use crate::widgets::form;
use crate::widgets::name_field::NameField;
use crate::{focus, theme, widgets};
use portamento_anim::Footage;
use portamento_session::{Command, EditCommand, Session, Shown};
use portamento_takes::document::{FileId, Loaded, TakeId};
use portamento_takes::evaluate::FrameContent;

/// Draws the panel for the shown item, or a hint if nothing is shown.
pub fn inspector_ui(ui: &mut Ui, session: &mut Session) {
    let shown = session.selection.shown.clone();
    if shown == Shown::Nothing {
        let hint = or_from_library(session, "inspector.empty_hint");
        return widgets::empty(ui, ICON_DEPLOYED_CODE, &tr("inspector.empty"), &hint);
    }
    let joint = session.selection.joint;
    scroll::area(ui, &shown.clone()).show(ui, |ui| {
        object_ui(ui, session);
        match shown {
            Shown::Nothing => {}
            Shown::File(id) => file(ui, session, id),
            Shown::Clip { character, file, clip } => clip_facts(ui, session, character, file, &clip),
            Shown::Take(id) => take_sections(ui, session, id),
        }
        shares_ui(ui, session);
        focus::scroll_to_focus(ui);
    });
    if session.selection.joint != joint {
        scroll::note_click(ui);
    }
}

/// Draws the heading of the inspector. `kind` is the locale key of the kind of item, `name` the name of the item.
fn heading(ui: &mut Ui, kind: &str, name: &str) {
    ui.add_space(theme::GAP_SMALL);
    widgets::caption(ui, tr(kind));
    ui.add(egui::Label::new(RichText::new(name).font(theme::title())).truncate());
    ui.add_space(theme::GAP_SMALL);
}

/// Draws the inspector of a file: contents, import settings, and the buttons for its kind (level, footage or character).
fn file(ui: &mut Ui, session: &mut Session, id: FileId) {
    let is_level = session.opened().is_level(id);
    let Some(source) = session.document.file(id) else { return };
    let (name, path) = (name_of(source), source.path.display().to_string());
    let asked = file_heading(ui, id, &name);
    form::section(ui, "file", true, |ui| {
        form::fact(ui, "path", path);
        if let Some(loaded) = session.library.get(id) {
            contents(ui, loaded, is_level);
        }
    });
    import_settings_ui(ui, session, id);
    if let Some(asked) = asked {
        return session.perform(asked);
    }
    if is_level {
        if widgets::text_button(ui, ICON_ROUTE, &tr("inspector.walk_this")).clicked() {
            session.perform(Command::Edit(EditCommand::WalkHere(id)));
        }
        if widgets::text_button(ui, ICON_FLAG, &tr("command.hang_mesh")).clicked() {
            session.perform(Command::Edit(EditCommand::HangMesh));
        }
        return reference_this(ui, session, id);
    }
    if session.library.get(id).is_some_and(|loaded| loaded.footage.is_some()) {
        missing_ui(ui, session, id);
        reference_this(ui, session, id);
        loop_this(ui, session);
        if widgets::text_button(ui, ICON_MOVIE, &tr("command.add_take")).clicked() {
            session.perform(Command::Edit(EditCommand::AddTake));
        }
        return;
    }
    reference_this(ui, session, id);
    joint(ui, session);
    rig_ui(ui, session, id);
}

/// Draws the name of a file with the buttons that reload, replace, reveal or remove it. Returns the command of a clicked one.
fn file_heading(ui: &mut Ui, id: FileId, name: &str) -> Option<Command> {
    ui.add_space(theme::GAP_SMALL);
    widgets::caption(ui, tr("inspector.file"));
    let mut asked = None;
    ui.horizontal(|ui| {
        let commands = source_commands(id);
        let width = ui.available_width() - commands.len() as f32 * (theme::ROW + theme::GAP_MEDIUM);
        let title = egui::Label::new(RichText::new(name).font(theme::title())).truncate();
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(egui::Vec2::new(width, theme::ROW), layout, |ui| {
            ui.set_min_width(width);
            ui.add(title).on_hover_text(name);
        });
        for (icon, key, command) in commands {
            if widgets::icon_button(ui, icon, &tr(&format!("command.{key}"))).clicked() {
                asked = Some(command);
            }
        }
    });
    ui.add_space(theme::GAP_SMALL);
    asked
}

/// Draws the contents of a file: frames of footage, or meshes, joints and clips.
fn contents(ui: &mut Ui, loaded: &Loaded, is_level: bool) {
    let model = &loaded.model;
    let Some(footage) = &loaded.footage else {
        form::fact(ui, "mesh_count", model.meshes.len().to_string());
        if !is_level {
            form::fact(ui, "joints", joint_count(model).to_string());
            form::fact(ui, "clips", model.clips.len().to_string());
        }
        return;
    };
    form::fact(ui, "frames", footage.frames().to_string());
    match footage {
        Footage::Vertices(clip) => {
            form::fact(ui, "vertices", clip.vertices.to_string());
            form::fact(ui, "triangles", (clip.faces.len() / 3).to_string());
        }
        Footage::Images(clip) => {
            form::fact(ui, "size", format!("{} × {} px", clip.info.width, clip.info.height));
        }
    }
    form::fact(ui, "rate", format!("{} fps", (footage.fps() * 1000.0).round() / 1000.0));
}

/// Draws the button that adds the mesh of file `id` as a reference; nothing if it has no mesh.
fn reference_this(ui: &mut Ui, session: &mut Session, id: FileId) {
    if !session.opened().has_faces(id) {
        return;
    }
    let button = widgets::text_button(ui, ICON_VIEW_IN_AR, &tr("inspector.reference_this"));
    if button.on_hover_text(tr("tip.reference")).clicked() {
        session.perform(Command::Edit(EditCommand::AddReference(Some(id))));
    }
}

/// Draws the button that creates a loop of the current item.
fn loop_this(ui: &mut Ui, session: &mut Session) {
    if widgets::text_button(ui, ICON_ALL_INCLUSIVE, &tr("command.add_loop")).clicked() {
        session.perform(Command::Edit(EditCommand::AddLoop));
    }
}

/// Draws the inspector of a clip on `character`, with the buttons that make a take of it. `file` contains the clip.
fn clip_facts(ui: &mut Ui, session: &mut Session, character: FileId, file: FileId, clip: &str) {
    heading(ui, "inspector.clip", clip);
    let command = EditCommand::AddStretch { character, clip_file: file, clip: clip.to_owned() };
    if widgets::text_button(ui, ICON_STRAIGHTEN, &tr("inspector.stretch_this")).clicked() {
        session.perform(Command::Edit(command));
    }
    widgets::caption(ui, tr("inspector.stretch_hint"));
    if widgets::text_button(ui, ICON_ALT_ROUTE, &tr("inspector.blend_this")).clicked() {
        let with = Some((file, clip.to_owned()));
        session.perform(Command::Edit(EditCommand::AddScenario { character: Some(character), with }));
    }
    retarget_menu(ui, session, file, clip);
    loop_this(ui, session);
    let has_vertices = session.opened().has_faces(file);
    if has_vertices && widgets::text_button(ui, ICON_GRAIN, &tr("command.add_vertices")).clicked() {
        session.perform(Command::Edit(EditCommand::AddVertices));
    }
    // Below the buttons, so that choosing a joint does not move them.
    joint(ui, session);
    figures::section(ui, session);
    source_facts(ui, session);
    rig_ui(ui, session, character);
}

/// Draws name, length, rate and root of the source of the shown item; nothing while it is not built.
fn source_facts(ui: &mut Ui, session: &Session) {
    let Some(built) = session.frame().and_then(|frame| frame.built.clone()) else { return };
    let skeleton = &built.character.model.skeleton;
    form::section(ui, "source", true, |ui| {
        form::fact(ui, "clip", built.clip_name.clone());
        form::fact(ui, "length", Unit::Seconds.text(built.source.duration, 3));
        form::fact(ui, "rate", format!("{} fps", built.fps));
        let root = built.root.map(|root| skeleton.joints[root.joint].name.clone());
        form::fact(ui, "root_choice", root.unwrap_or_else(|| tr("role.none")));
    });
}

/// Draws the inspector of a take. Sections that do not apply to its source are left out.
fn take_sections(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let Some(take) = session.document.take_mut(id) else { return };
    ui.add_space(theme::GAP_SMALL);
    widgets::caption(ui, tr("inspector.take"));
    let mut edit = None;
    ui.horizontal(|ui| {
        let width = ui.available_width() - 2.0 * (theme::ROW + theme::GAP_MEDIUM);
        NameField::new(&tr("inspector.take")).strong().with_width(width - 16.0).ui(ui, &mut take.name);
        if widgets::icon_button(ui, ICON_CONTENT_COPY, &tr("take.duplicate")).clicked() {
            edit = Some(EditCommand::Duplicate(vec![id]));
        }
        if widgets::icon_button(ui, ICON_DELETE, &tr("take.remove")).clicked() {
            edit = Some(EditCommand::Remove(vec![id]));
        }
    });
    let (title, file) = (take.source.title(), take.source.file().unwrap_or(take.character));
    let clip = if take.source.is_unnamed() { tr(&format!("source.{title}")) } else { title };
    let clip = session.document.clip_title(&clip);
    let path = session.document.file(file).map(|file| file.path.clone()).unwrap_or_default();
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let key = if file.is_empty() { "inspector.made" } else { "inspector.from" };
    widgets::caption(ui, tr_with(key, &[("clip", clip), ("file", file)]));
    missing_files_ui(ui, session, id);
    verdict_ui(ui, session, id);
    loops_ui(ui, session, id);
    let swings = session.document.take(id).is_some_and(|take| take.dynamics(session.selection.stage).is_some());
    let has_joints = session.frame().is_some_and(|frame| frame.content == FrameContent::Posed);
    if !swings && has_joints {
        joint(ui, session);
    }
    // The frames come before the stages that use them.
    sheet_ui(ui, session, id);
    tag_ui(ui, session, id);
    stack_ui(ui, session, id);
    source_clip_ui(ui, session, id);
    retarget_ui(ui, session, id);
    rest_ui(ui, session, id);
    blend_ui(ui, session, id);
    if session.document.take(id).is_some_and(|take| take.edited_layer(session.selection.stage).is_none()) {
        mask_ui(ui, session, id);
    }
    walk_ui(ui, session, id);
    mesh_ui(ui, session, id);
    cloth_ui(ui, session, id);
    painting_ui(ui, session, id);
    if swings {
        joint(ui, session);
    }
    figures::section(ui, session);
    warnings::section(ui, session);
    if let Some(edit) = edit {
        session.perform(Command::Edit(edit));
    }
}

/// Draws whether take `id` is exported as a loop; nothing for images and vertices, whose formats do not say it.
fn loops_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let Some(take) = session.document.take_mut(id).filter(|take| take.moves_joints()) else { return };
    let choices = [None, Some(true), Some(false)].map(|loops| {
        let name = loops.map_or("automatic", |loops| if loops { "yes" } else { "no" });
        (loops, tr(&format!("loops.{name}")))
    });
    let wants_default = form::row(ui, "loops", |ui| {
        form::choice(ui, "loops", &mut take.loops, &choices);
    });
    if wants_default {
        take.loops = None;
    }
}

/// Draws name, parent and world position of the selected joint, in scene units, and the button that makes it dynamic.
fn joint(ui: &mut Ui, session: &mut Session) {
    let (Some(index), Some(frame)) = (session.selection.joint, session.frame()) else { return };
    let mut asked = false;
    let skeleton = &frame.character.model.skeleton;
    let (Some(joint), Some(world)) = (skeleton.joints.get(index), frame.world.get(index)) else { return };
    let top = ui.cursor().min.y;
    form::section(ui, "joint", true, |ui| {
        form::fact(ui, "name", joint.name.clone());
        let parent = joint.parent.map(|parent| skeleton.joints[parent].name.clone());
        form::fact(ui, "parent", parent.unwrap_or_else(|| tr("role.none")));
        let at = world.translation;
        form::fact(ui, "position", format!("{:.3}  {:.3}  {:.3}", at.x, at.y, at.z));
        let button = widgets::text_button(ui, ICON_WAVES, &tr("dynamics.make_dynamic"));
        asked = button.on_hover_text(tr("tip.make_dynamic")).clicked();
    });
    scroll::keep_clicked(ui, top);
    if asked {
        session.perform(Command::Edit(EditCommand::MakeDynamic { character: None, joint: index }));
    }
}
