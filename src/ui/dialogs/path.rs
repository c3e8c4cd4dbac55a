//! Path input for systems without a file dialog.

use std::path::PathBuf;

use egui::{Key, RichText};

use super::files::{ADD_ON_ENDING, DialogPurpose, DialogResult, ending_in, with_film_extension};
use super::{buttons, window};
use crate::app::App;
use crate::i18n::tr;
use crate::{theme, widgets};

/// Draws the path dialog for a file dialog that the system did not show. The typed path is used like the answer of that dialog.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(purpose) = app.dialogs.files.without_dialog else { return };
    let typed = &mut app.dialogs.typed_path;
    let (used, close) = window(ctx, title_key(purpose), 480.0, |ui| {
        ui.add(egui::Label::new(tr(if purpose == DialogPurpose::Open { "path.texts" } else { "path.text" })).wrap());
        let field = ui.add(widgets::text_field(typed, example(purpose)).desired_width(f32::INFINITY));
        if !field.has_focus() && !field.lost_focus() {
            field.request_focus();
        }
        let chosen = dialog_result(purpose, typed);
        if chosen.is_none() && !typed.trim().is_empty() {
            ui.label(RichText::new(tr(error_key(purpose))).font(theme::caption()).color(theme::of(ui).warning));
        }
        let replaces = chosen.as_ref().is_some_and(replaces);
        if replaces {
            ui.label(RichText::new(tr("path.replaces")).font(theme::caption()).color(theme::of(ui).warning));
        }
        // Enter does not replace an existing file.
        let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) && !replaces;
        let use_it = tr(if replaces { "path.replace" } else { "path.use" });
        buttons(ui, |ui| {
            let use_it = ui.add_enabled_ui(chosen.is_some(), |ui| widgets::main_button(ui, &use_it).clicked());
            let cancel = ui.button(tr("unsaved.cancel")).clicked();
            (chosen.filter(|_| use_it.inner || enter), cancel)
        })
    });
    let (chosen, cancel) = used;
    if chosen.is_some() || cancel || close {
        app.dialogs.files.without_dialog = None;
        // The next request may be a different one.
        app.dialogs.typed_path.clear();
    }
    if let Some(chosen) = chosen {
        app.perform_dialog_result(ctx, chosen);
    }
}

/// Returns the locale key of the title, without `dialog.`.
fn title_key(purpose: DialogPurpose) -> &'static str {
    match purpose {
        DialogPurpose::Open => "open",
        DialogPurpose::Save => "save",
        DialogPurpose::Preset(_) => "save_preset",
        DialogPurpose::SaveRecipe(_) => "save_recipe",
        DialogPurpose::ApplyRecipe => "apply_recipe",
        DialogPurpose::ReplaceFile(_) => "replace_file",
        DialogPurpose::AddOn => "save_add_on",
        DialogPurpose::RemoteFolder => "remote_folder",
        DialogPurpose::Missing => "find_missing",
        DialogPurpose::Clips => "clips",
        DialogPurpose::Folder => "folder",
        DialogPurpose::Film { still: true } => "picture",
        DialogPurpose::Film { still: false } => "film",
    }
}

/// Returns an example path, which the empty field shows.
fn example(purpose: DialogPurpose) -> &'static str {
    match purpose {
        DialogPurpose::Open | DialogPurpose::ReplaceFile(_) => "/home/me/hero.glb",
        DialogPurpose::Save => "/home/me/hero.portamento",
        DialogPurpose::Preset(_) => "/home/me/hair.bonepreset",
        DialogPurpose::SaveRecipe(_) | DialogPurpose::ApplyRecipe => "/home/me/hair.recipe.json",
        DialogPurpose::AddOn => "/home/me/portamento_blender.zip",
        DialogPurpose::RemoteFolder | DialogPurpose::Missing | DialogPurpose::Clips | DialogPurpose::Folder => {
            "/home/me/clips"
        }
        DialogPurpose::Film { still: true } => "/home/me/hero.png",
        DialogPurpose::Film { still: false } => "/home/me/hero.apng",
    }
}

/// Returns the label key of the error for an invalid path.
fn error_key(purpose: DialogPurpose) -> &'static str {
    match purpose {
        DialogPurpose::Open | DialogPurpose::ApplyRecipe | DialogPurpose::ReplaceFile(_) => "path.missing",
        DialogPurpose::Save
        | DialogPurpose::Preset(_)
        | DialogPurpose::SaveRecipe(_)
        | DialogPurpose::AddOn
        | DialogPurpose::RemoteFolder
        | DialogPurpose::Missing
        | DialogPurpose::Clips
        | DialogPurpose::Folder
        | DialogPurpose::Film { .. } => "path.no_folder",
    }
}

/// True if an existing file would be replaced. A system dialog would have asked.
fn replaces(chosen: &DialogResult) -> bool {
    match chosen {
        DialogResult::Save(path)
        | DialogResult::Preset(_, path)
        | DialogResult::SaveRecipe(_, path)
        | DialogResult::AddOn(path)
        | DialogResult::Film { path, .. } => path.exists(),
        DialogResult::Open(_)
        | DialogResult::ReplaceFile(..)
        | DialogResult::Folder(_)
        | DialogResult::RemoteFolder(_)
        | DialogResult::Missing(_)
        | DialogResult::Clips(_)
        | DialogResult::ApplyRecipe(_) => false,
    }
}

/// Returns the typed path as the answer to `purpose`. A file to save gets its extension; several files to open are separated by
/// `;`.
///
/// Returns `None` if nothing is typed, or if one of these does not exist: a file to open, the folder of a file to save, or a
/// folder to read. A folder to export to need not exist.
fn dialog_result(purpose: DialogPurpose, typed: &str) -> Option<DialogResult> {
    let path = PathBuf::from(typed.trim());
    if path.as_os_str().is_empty() {
        return None;
    }
    let has_folder = || path.parent().is_some_and(|folder| folder.as_os_str().is_empty() || folder.is_dir());
    match purpose {
        DialogPurpose::Open => {
            let paths = typed.split(';').map(str::trim).filter(|path| !path.is_empty()).map(PathBuf::from);
            // A semicolon may be part of a file name.
            let paths: Vec<PathBuf> = if path.exists() { vec![path] } else { paths.collect() };
            let are_there = !paths.is_empty() && paths.iter().all(|path| path.exists());
            are_there.then_some(DialogResult::Open(paths))
        }
        DialogPurpose::Save => {
            has_folder().then(|| DialogResult::Save(ending_in(&path, portamento_takes::document::file::EXTENSION)))
        }
        DialogPurpose::Preset(index) => {
            let file = ending_in(&path, portamento_session::dynamics::presets::EXTENSION);
            has_folder().then_some(DialogResult::Preset(index, file))
        }
        DialogPurpose::Film { still } => {
            has_folder().then(|| DialogResult::Film { path: with_film_extension(&path, still), still })
        }
        DialogPurpose::SaveRecipe(take) => {
            has_folder().then(|| DialogResult::SaveRecipe(take, ending_in(&path, "json")))
        }
        DialogPurpose::AddOn => has_folder().then(|| DialogResult::AddOn(ending_in(&path, ADD_ON_ENDING))),
        DialogPurpose::RemoteFolder => path.is_dir().then_some(DialogResult::RemoteFolder(path)),
        DialogPurpose::ReplaceFile(file) => path.exists().then_some(DialogResult::ReplaceFile(file, path)),
        DialogPurpose::ApplyRecipe => path.is_file().then_some(DialogResult::ApplyRecipe(path)),
        DialogPurpose::Missing => path.is_dir().then_some(DialogResult::Missing(path)),
        DialogPurpose::Clips => path.is_dir().then_some(DialogResult::Clips(path)),
        // A missing folder is created.
        DialogPurpose::Folder => Some(DialogResult::Folder(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_existing_files_are_opened_and_projects_get_their_extension() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.glb");
        std::fs::write(&file, b"").unwrap();
        let typed = format!(" {} ; {} ", file.display(), file.display());
        assert_eq!(
            dialog_result(DialogPurpose::Open, &typed),
            Some(DialogResult::Open(vec![file.clone(), file.clone()]))
        );
        assert_eq!(dialog_result(DialogPurpose::Open, &format!("{}; /no/such/file", file.display())), None);
        assert_eq!(dialog_result(DialogPurpose::Save, &format!("{}/missing/p", folder.path().display())), None);
        let project = folder.path().join("p");
        let saved = DialogResult::Save(project.with_extension(portamento_takes::document::file::EXTENSION));
        assert_eq!(dialog_result(DialogPurpose::Save, &project.display().to_string()), Some(saved));
        let saved = |name: &str| dialog_result(DialogPurpose::Save, &folder.path().join(name).display().to_string());
        let named = |name: &str| Some(DialogResult::Save(folder.path().join(name)));
        assert_eq!(saved("one; two"), named("one; two.portamento"), "one file is saved, whatever its name");
        let odd = folder.path().join("b;c.glb");
        std::fs::write(&odd, b"").unwrap();
        assert_eq!(dialog_result(DialogPurpose::Open, &odd.display().to_string()), Some(DialogResult::Open(vec![odd])));
        assert_eq!(dialog_result(DialogPurpose::Open, " ; "), None);
        assert_eq!(saved("a.v2"), named("a.v2.portamento"));
        assert_eq!(saved("a.portamento"), named("a.portamento"));
        std::fs::write(folder.path().join("there.portamento"), b"").unwrap();
        assert!(replaces(&saved("there").unwrap()) && !replaces(&saved("elsewhere").unwrap()));
        assert_eq!(saved("a.Portamento"), named("a.Portamento.portamento"), "another name to this program");
    }

    #[test]
    fn every_path_dialog_has_the_title_of_the_system_dialog() {
        let take = portamento_takes::document::TakeId(1);
        let single = [
            DialogPurpose::Open,
            DialogPurpose::Save,
            DialogPurpose::Preset(0),
            DialogPurpose::SaveRecipe(take),
            DialogPurpose::ApplyRecipe,
            DialogPurpose::ReplaceFile(portamento_takes::document::FileId(1)),
        ];
        let films = [true, false].map(|still| DialogPurpose::Film { still });
        for purpose in single
            .into_iter()
            .chain([
                DialogPurpose::AddOn,
                DialogPurpose::RemoteFolder,
                DialogPurpose::Missing,
                DialogPurpose::Clips,
                DialogPurpose::Folder,
            ])
            .chain(films)
        {
            for key in [format!("dialog.{}", title_key(purpose)), error_key(purpose).to_owned()] {
                assert_ne!(tr(&key), key);
            }
        }
    }
}
