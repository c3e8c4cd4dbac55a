//! Context menus of the outliner rows.

use std::collections::BTreeSet;

use egui::{Button, RichText, Ui};
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{
    ICON_ALT_ROUTE, ICON_AUTO_FIX_HIGH, ICON_CONTENT_COPY, ICON_CONTENT_PASTE, ICON_CONVERSION_PATH,
    ICON_CREATE_NEW_FOLDER, ICON_DATASET, ICON_DELETE, ICON_EDIT, ICON_FILE_COPY, ICON_FILTER_CENTER_FOCUS,
    ICON_FOLDER, ICON_FOLDER_OFF, ICON_FOLDER_OPEN, ICON_LAYERS, ICON_MOVE_DOWN, ICON_OUTPUT, ICON_RECEIPT_LONG,
    ICON_REFRESH, ICON_ROUTE, ICON_STRAIGHTEN, ICON_SWAP_HORIZ, ICON_VERTICAL_SPLIT, ICON_VIEW_IN_AR, ICON_VISIBILITY,
    ICON_VISIBILITY_OFF, ICON_WAVES,
};

use super::row::{clips_of, takes_of};
use super::{Rename, Row};
use crate::i18n::{localized, tr, tr_with};
use crate::panels::stack;
use crate::widgets::characters;
use crate::widgets::submenu;
use portamento_session::{Command, EditCommand, FileCommand, PairCommand, Session, Shown, WindowCommand};
use portamento_takes::document::clip_ref::{FileClip, take_ref};
use portamento_takes::document::clip_set::MemberClip;
use portamento_takes::document::{FileId, Folder, TakeDestination, TakeId};

/// Draws the menu of a clip: stretch or blend it on its own character, use it on another open one, add a stage, finish or compare
/// it. The commands of clicked items are added to `asked`.
pub(super) fn clip_menu(ui: &mut Ui, session: &Session, clip_file: FileId, clip: &str, asked: &mut Vec<Command>) {
    let shown = Shown::Clip { character: clip_file, file: clip_file, clip: clip.to_owned() };
    let own = session.library.get(clip_file).filter(|loaded| !loaded.model.skeleton.is_empty());
    if let Some(own) = own {
        let onto = Onto { character: clip_file, name: &own.model.name };
        use_items(ui, &onto, FileClip { file: clip_file, clip }, asked);
    }
    let others = session.opened().other_rigs(clip_file);
    characters::submenu_of(ui, ICON_MOVE_DOWN, "outliner.on_character", &others, |ui, character, name| {
        submenu(ui, name, |ui| {
            let onto = Onto { character, name };
            retarget_item(ui, &onto, FileClip { file: clip_file, clip }, asked);
            use_items(ui, &onto, FileClip { file: clip_file, clip }, asked);
        });
    });
    stage_items(ui, session, &shown, asked);
    finish_item(ui, vec![(clip_file, clip.to_owned())], asked);
    pair_item(ui, session, shown, asked);
}

/// Target character of a clip.
struct Onto<'a> {
    character: FileId,
    name: &'a str,
}

/// Draws the items that stretch or blend a clip on a character. Adds the command of a click to `asked`.
fn use_items(ui: &mut Ui, onto: &Onto, clip: FileClip, asked: &mut Vec<Command>) {
    let FileClip { file: clip_file, clip } = clip;
    let character = onto.character;
    let text = tr_with("outliner.stretch_on", &[("character", onto.name.to_owned())]);
    if ui.button(item(ICON_STRAIGHTEN, &text)).clicked() {
        asked.push(Command::Edit(EditCommand::AddStretch { character, clip_file, clip: clip.to_owned() }));
        ui.close();
    }
    let text = tr_with("outliner.blend_on", &[("character", onto.name.to_owned())]);
    if ui.button(item(ICON_ALT_ROUTE, &text)).clicked() {
        let with = Some((clip_file, clip.to_owned()));
        asked.push(Command::Edit(EditCommand::AddScenario { character: Some(character), with }));
        ui.close();
    }
}

/// Draws the item that retargets a clip or take to a character.
fn retarget_item(ui: &mut Ui, onto: &Onto, clip: FileClip, asked: &mut Vec<Command>) {
    let FileClip { file, clip } = clip;
    let character = onto.character;
    let text = tr_with("outliner.retarget_to", &[("character", onto.name.to_owned())]);
    if ui.button(item(ICON_MOVE_DOWN, &text)).clicked() {
        asked.push(Command::Edit(EditCommand::AddRetarget { character, file, clip: clip.to_owned() }));
        ui.close();
    }
}

/// Draws the submenu that retargets `clips` (file and clip name or take reference) to a character. A character that all clips
/// belong to is not offered.
fn retarget_all(ui: &mut Ui, session: &Session, clips: &[(FileId, String)], asked: &mut Vec<Command>) {
    let rigs = session.opened().rigs();
    // A file is no target of its own clips.
    let is_target = |file: &FileId| clips.iter().any(|(from, _)| from != file);
    let rigs: Vec<(FileId, String)> = rigs.into_iter().filter(|(file, _)| is_target(file)).collect();
    characters::submenu_of(ui, ICON_MOVE_DOWN, "retarget.onto", &rigs, |ui, character, name| {
        if ui.button(name).clicked() {
            asked.push(Command::Edit(EditCommand::RetargetClips { character, clips: clips.to_vec() }));
            ui.close();
        }
    });
}

/// Draws the item that asks to finish `clips` (file and clip name or take reference), if there are any.
fn finish_item(ui: &mut Ui, clips: Vec<(FileId, String)>, asked: &mut Vec<Command>) {
    if !clips.is_empty() && ui.button(item(ICON_AUTO_FIX_HIGH, &tr("command.finish"))).clicked() {
        asked.push(Command::Edit(EditCommand::AskFinish(clips)));
        ui.close();
    }
}

/// Draws the submenu that adds a stage, if the row is the shown clip or take.
fn stage_items(ui: &mut Ui, session: &Session, row: &Shown, asked: &mut Vec<Command>) {
    if session.selection.shown != *row {
        return;
    }
    submenu(ui, item(ICON_LAYERS, &tr("stack.add")), |ui| {
        asked.extend(stack::stage_items(ui, session));
    });
}

/// Draws the item that compares `other`, the item of the row, side by side with the shown clip or take. Draws nothing if they are
/// the same.
fn pair_item(ui: &mut Ui, session: &Session, other: Shown, asked: &mut Vec<Command>) {
    let shown = &session.selection.shown;
    let is_motion = matches!(shown, Shown::Clip { .. } | Shown::Take(_));
    if is_motion && *shown != other && ui.button(item(ICON_VERTICAL_SPLIT, &tr("outliner.beside"))).clicked() {
        asked.push(Command::Pair(PairCommand::With(other)));
        ui.close();
    }
}

/// Draws the menu of a file: add its mesh as reference, walk through a level, blend, retarget or finish its clips, and the file
/// commands.
pub(super) fn file_menu(ui: &mut Ui, session: &Session, file: FileId, asked: &mut Vec<Command>) {
    if session.opened().has_faces(file) && ui.button(item(ICON_VIEW_IN_AR, &tr("inspector.reference_this"))).clicked() {
        asked.push(Command::Edit(EditCommand::AddReference(Some(file))));
        ui.close();
    }
    if session.opened().is_level(file) {
        if ui.button(item(ICON_ROUTE, &tr("inspector.walk_this"))).clicked() {
            asked.push(Command::Edit(EditCommand::WalkHere(file)));
            ui.close();
        }
    } else if session.opened().rigs().iter().any(|(rig, _)| *rig == file) {
        if ui.button(item(ICON_ALT_ROUTE, &tr("command.add_scenario"))).clicked() {
            asked.push(Command::Edit(EditCommand::AddScenario { character: Some(file), with: None }));
            ui.close();
        }
        let clips = clips_of(session, &[Row::File(file.0)]);
        retarget_all(ui, session, &clips, asked);
        finish_item(ui, clips, asked);
    }
    if session.library.get(file).is_some() {
        ui.separator();
    }
    source_items(ui, file, asked);
}

/// Draws the items that reload, replace, reveal or remove a file.
fn source_items(ui: &mut Ui, file: FileId, asked: &mut Vec<Command>) {
    for (icon, name, command) in source_commands(file) {
        if ui.button(item(icon, &tr(&format!("command.{name}")))).clicked() {
            asked.push(command);
            ui.close();
        }
    }
}

/// Returns the commands that reload, replace, reveal or remove a file, each with icon and the locale key without `command.`.
pub(crate) fn source_commands(file: FileId) -> [(MaterialIcon, &'static str, Command); 4] {
    [
        (ICON_REFRESH, "reload_file", Command::File(FileCommand::Reload(Some(file)))),
        (ICON_SWAP_HORIZ, "replace_file", Command::Window(WindowCommand::AskReplaceFile(Some(file)))),
        (ICON_FOLDER_OPEN, "reveal_file", Command::Window(WindowCommand::RevealFile(Some(file)))),
        (ICON_DELETE, "remove_file", Command::Edit(EditCommand::RemoveFile(Some(file)))),
    ]
}

/// Draws the menu of the object at `index`: rename, hide its mesh, or remove. Returns true if it should be renamed; adds other
/// commands to `asked`.
pub(super) fn object_menu(ui: &mut Ui, session: &Session, index: usize, asked: &mut Vec<Command>) -> bool {
    let renames = rename_item(ui);
    let mesh = session.document.objects.get(index).and_then(|object| object.mesh.as_ref());
    let (icon, key) = match mesh.is_some_and(|mesh| mesh.hidden) {
        true => (ICON_VISIBILITY, "mesh.show"),
        false => (ICON_VISIBILITY_OFF, "mesh.hide"),
    };
    if mesh.is_some() && ui.button(item(icon, &tr(key))).clicked() {
        asked.push(Command::Edit(EditCommand::ToggleObject(index)));
        ui.close();
    }
    if ui.button(item(ICON_DELETE, &tr("object.remove"))).clicked() {
        asked.push(Command::Edit(EditCommand::RemoveObject(index)));
        ui.close();
    }
    renames
}

/// Draws the item that makes a joint and its children dynamic.
pub fn joint_menu(ui: &mut Ui, character: FileId, joint: usize, asked: &mut Vec<Command>) {
    if ui.button(item(ICON_WAVES, &tr("dynamics.make_dynamic"))).clicked() {
        asked.push(Command::Edit(EditCommand::MakeDynamic { character: Some(character), joint }));
        ui.close();
    }
}

/// Draws the item that makes the joints among `rows` dynamic. Returns false and draws nothing if there are none or they belong to
/// several files.
fn joints_menu(ui: &mut Ui, rows: &[Row], asked: &mut Vec<Command>) -> bool {
    let joint = |row: &Row| if let Row::Joint(file, joint) = row { Some((*file, *joint)) } else { None };
    let joints: Vec<_> = rows.iter().filter_map(joint).collect();
    let Some(&(file, _)) = joints.first().filter(|first| joints.iter().all(|joint| joint.0 == first.0)) else {
        return false;
    };
    let text = tr_with("dynamics.make_all", &[("count", joints.len().to_string())]);
    if ui.button(item(ICON_WAVES, &text)).clicked() {
        let joints = joints.iter().map(|joint| joint.1).collect();
        asked.push(Command::Edit(EditCommand::MakeAllDynamic { character: Some(FileId(file)), joints }));
        ui.close();
    }
    true
}

/// Draws the menu of several rows: the actions for their takes and clips, or else their joints. Returns the rename of a new
/// folder, if one is created.
pub(super) fn rows_menu(ui: &mut Ui, session: &Session, rows: &[Row], asked: &mut Vec<Command>) -> Option<Rename> {
    let (takes, clips) = (takes_of(session, rows), clips_of(session, rows));
    if takes.is_empty() && clips.is_empty() && joints_menu(ui, rows, asked) {
        return None;
    }
    if takes.is_empty() && clips.is_empty() {
        ui.label(tr("outliner.nothing_for_all"));
        return None;
    }
    retarget_all(ui, session, &clips, asked);
    let members = clips.iter().map(|(file, clip)| MemberClip::of(*file, clip)).collect();
    finish_item(ui, clips, asked);
    set_item(ui, members, asked);
    if takes.is_empty() {
        return None;
    }
    let rename = folder_items(ui, session, &takes, asked);
    all_items(ui, session, takes, WindowCommand::AskExport, asked);
    rename
}

/// Draws the item that makes a clip set of `members`, if there are several.
fn set_item(ui: &mut Ui, members: Vec<MemberClip>, asked: &mut Vec<Command>) {
    if members.len() > 1 && ui.button(item(ICON_DATASET, &tr("outliner.make_set"))).clicked() {
        asked.push(Command::Edit(EditCommand::AddToSet { set: None, members }));
        ui.close();
    }
}

/// Draws the items that paste stages to `takes`, duplicate, remove or export them. `export` opens the export dialog with them.
fn all_items(ui: &mut Ui, session: &Session, takes: Vec<TakeId>, export: WindowCommand, asked: &mut Vec<Command>) {
    let count = takes.len();
    let mut all = |icon: MaterialIcon, key: &str, command: Command| {
        if ui.button(item(icon, &tr_with(key, &[("count", count.to_string())]))).clicked() {
            asked.push(command);
            ui.close();
        }
    };
    if session.copied_stages.is_some() {
        all(ICON_CONTENT_PASTE, "outliner.paste_stages", Command::Edit(EditCommand::PasteStages(takes.clone())));
    }
    all(ICON_CONTENT_COPY, "outliner.duplicate_takes", Command::Edit(EditCommand::Duplicate(takes.clone())));
    all(ICON_DELETE, "outliner.remove_takes", Command::Edit(EditCommand::Remove(takes)));
    all(ICON_OUTPUT, "outliner.export_takes", Command::Window(export));
}

/// Draws the submenu that moves `takes` to a folder. Returns the rename of a newly created folder.
fn folder_items(ui: &mut Ui, session: &Session, takes: &[TakeId], asked: &mut Vec<Command>) -> Option<Rename> {
    let document = &session.document;
    let mut rename = None;
    submenu(ui, item(ICON_FOLDER, &tr("outliner.move_to")), |ui| {
        let mut move_to = |place: TakeDestination| {
            asked.push(Command::Edit(EditCommand::Place { takes: takes.to_vec(), place }));
        };
        for folder in &document.folders {
            if ui.button(item(ICON_FOLDER, &folder.name)).clicked() {
                move_to(TakeDestination { folder: Some(folder.name.clone()), before: None });
                ui.close();
            }
        }
        if ui.button(item(ICON_CREATE_NEW_FOLDER, &tr("outliner.new_folder"))).clicked() {
            let name = document.free_folder_name(&tr("outliner.folder"));
            rename = Some(Rename::of_folder(&name));
            // The folder appears at the position of its first take.
            move_to(TakeDestination { folder: Some(name), before: takes.first().copied() });
            ui.close();
        }
        let is_in_one = takes.iter().any(|&take| document.folder_of(take).is_some());
        if is_in_one && ui.button(item(ICON_FOLDER_OFF, &tr("outliner.no_folder"))).clicked() {
            move_to(TakeDestination::default());
            ui.close();
        }
    });
    rename
}

/// Draws the menu of a folder: rename, ungroup, and the actions for its takes. Returns the rename that starts, if any.
pub(super) fn folder_menu(ui: &mut Ui, session: &Session, folder: &Folder, asked: &mut Vec<Command>) -> Option<Rename> {
    let takes: Vec<TakeId> = folder.takes.iter().copied().collect();
    let rename = rename_item(ui).then(|| Rename::of_folder(&folder.name));
    if ui.button(item(ICON_FOLDER_OFF, &tr("outliner.ungroup"))).clicked() {
        let takes = takes.clone();
        let destination = TakeDestination { folder: None, before: takes.first().copied() };
        asked.push(Command::Edit(EditCommand::Place { takes, place: destination }));
        ui.close();
    }
    set_item(ui, takes.iter().copied().map(MemberClip::Take).collect(), asked);
    if let Some(&first) = takes.first() {
        all_items(ui, session, takes, WindowCommand::AskExportFolder(first), asked);
    }
    rename
}

/// Draws the menu of a take. Returns the rename that starts, if any.
pub(super) fn take_menu(ui: &mut Ui, session: &Session, id: TakeId, asked: &mut Vec<Command>) -> Option<Rename> {
    let mut rename = rename_item(ui).then(|| Rename::begin(session, Row::Take(id.0))).flatten();
    pair_item(ui, session, Shown::Take(id), asked);
    if let Some(take) = session.document.take(id).filter(|take| take.moves_joints()) {
        let others = session.opened().other_rigs(take.character);
        characters::submenu_of(ui, ICON_MOVE_DOWN, "retarget.onto", &others, |ui, character, name| {
            let clip = FileClip { file: take.character, clip: &take_ref(id) };
            retarget_item(ui, &Onto { character, name }, clip, asked);
        });
        finish_item(ui, vec![(take.character, take_ref(id))], asked);
    }
    stage_items(ui, session, &Shown::Take(id), asked);
    if ui.button(item(ICON_CONVERSION_PATH, &tr("take.derive"))).clicked() {
        asked.push(Command::Edit(EditCommand::Derive(id)));
        ui.close();
    }
    if ui.button(item(ICON_CONTENT_COPY, &tr("take.duplicate"))).clicked() {
        asked.push(Command::Edit(EditCommand::Duplicate(vec![id])));
        ui.close();
    }
    stage_clipboard(ui, session, id, asked);
    rename = folder_items(ui, session, &[id], asked).or(rename);
    recipe_item(ui, session, id, asked);
    if ui.button(item(ICON_DELETE, &tr("take.remove"))).clicked() {
        asked.push(Command::Edit(EditCommand::Remove(vec![id])));
        ui.close();
    }
    rename
}

/// Draws the items that copy the stages of a take and paste stages to it.
fn stage_clipboard(ui: &mut Ui, session: &Session, id: TakeId, asked: &mut Vec<Command>) {
    let has_stages = session.document.take(id).is_some_and(|take| !take.stages.is_empty());
    let has_copied = session.copied_stages.is_some();
    let items = [
        (ICON_FILE_COPY, "take.copy_stages", has_stages, EditCommand::CopyStages(id)),
        (ICON_CONTENT_PASTE, "take.paste_stages", has_copied, EditCommand::PasteStages(vec![id])),
    ];
    for (icon, key, is_enabled, command) in items {
        if ui.add_enabled(is_enabled, Button::new(item(icon, &tr(key)))).clicked() {
            asked.push(Command::Edit(command));
            ui.close();
        }
    }
}

/// Draws the item that saves the stages of a take as a recipe.
fn recipe_item(ui: &mut Ui, session: &Session, id: TakeId, asked: &mut Vec<Command>) {
    let fits = session.opened().may_be_recipe(id);
    let button = ui.add_enabled(fits.is_ok(), Button::new(item(ICON_RECEIPT_LONG, &tr("command.save_recipe"))));
    let button = match fits {
        Ok(()) => button.on_hover_text(tr("tip.save_recipe")),
        Err(reason) => button.on_disabled_hover_text(localized(&reason)),
    };
    if button.clicked() {
        asked.push(Command::Window(WindowCommand::AskSaveRecipe(Some(id))));
        ui.close();
    }
}

/// Draws the menu entry for renaming. Returns true if it was clicked.
fn rename_item(ui: &mut Ui) -> bool {
    let chosen = ui.button(item(ICON_EDIT, &tr("outliner.rename"))).clicked();
    if chosen {
        ui.close();
    }
    chosen
}

/// Draws the menu of the mesh `this` (file and index), one of `count` in its file: hide it, show only it, or show all. Changes
/// `hidden` at once.
pub(super) fn mesh_menu(ui: &mut Ui, this: (FileId, usize), count: usize, hidden: &mut BTreeSet<(FileId, usize)>) {
    let is_hidden = hidden.contains(&this);
    let (icon, key) = if is_hidden { (ICON_VISIBILITY, "mesh.show") } else { (ICON_VISIBILITY_OFF, "mesh.hide") };
    if ui.button(item(icon, &tr(key))).clicked() {
        if !hidden.remove(&this) {
            hidden.insert(this);
        }
        ui.close();
    }
    if ui.button(item(ICON_FILTER_CENTER_FOCUS, &tr("mesh.isolate"))).clicked() {
        hidden.extend((0..count).map(|other| (this.0, other)));
        hidden.remove(&this);
        ui.close();
    }
    if ui.button(item(ICON_VISIBILITY, &tr("mesh.show_all"))).clicked() {
        hidden.retain(|(file, _)| *file != this.0);
        ui.close();
    }
}

/// Returns the label of a menu entry with an icon.
fn item(icon: MaterialIcon, words: &str) -> RichText {
    RichText::new(format!("{}  {words}", icon.codepoint))
}
