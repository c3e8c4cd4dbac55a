//! A path typed by hand, where the system has no file dialog.

use std::path::PathBuf;

use egui::{Key, RichText};

use super::files::{Asks, Chosen, ending_in};
use super::{buttons, window};
use crate::ui::app::App;
use crate::ui::i18n::tr;
use crate::ui::{theme, widgets};

/// Asks for what a dialog of the system would have asked for.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(asks) = app.dialogs.files.without_dialog else { return };
    let typed = &mut app.dialogs.typed_path;
    let (used, close) = window(ctx, "path", 480.0, |ui| {
        ui.add(egui::Label::new(tr("path.text")).wrap());
        let field = ui.add(widgets::text_field(typed, "/home/me/hero.glb").desired_width(f32::INFINITY));
        if !field.has_focus() && !field.lost_focus() {
            field.request_focus();
        }
        let chosen = chosen(asks, typed);
        if chosen.is_none() && !typed.trim().is_empty() {
            ui.label(RichText::new(tr("path.missing")).font(theme::caption()).color(theme::of(ui).warning));
        }
        let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        buttons(ui, |ui| {
            let use_it = ui.add_enabled_ui(chosen.is_some(), |ui| widgets::main_button(ui, &tr("path.use")).clicked());
            let cancel = ui.button(tr("unsaved.cancel")).clicked();
            (chosen.filter(|_| use_it.inner || enter), cancel)
        })
    });
    let (chosen, cancel) = used;
    if chosen.is_some() || cancel || close {
        app.dialogs.files.without_dialog = None;
    }
    if let Some(chosen) = chosen {
        app.dialogs.typed_path.clear();
        app.take_chosen(ctx, chosen);
    }
}

/// What is typed as an answer; `None` while it cannot be one.
fn chosen(asks: Asks, typed: &str) -> Option<Chosen> {
    let paths: Vec<PathBuf> =
        typed.split(';').map(str::trim).filter(|path| !path.is_empty()).map(PathBuf::from).collect();
    let first = paths.first()?.clone();
    let has_folder = || first.parent().is_some_and(|folder| folder.as_os_str().is_empty() || folder.is_dir());
    match asks {
        Asks::Open => paths.iter().all(|path| path.exists()).then_some(Chosen::Open(paths)),
        Asks::Save => has_folder().then(|| Chosen::Save(ending_in(&first, crate::document::file::EXTENSION))),
        Asks::Preset(index) => {
            let path = ending_in(&first, crate::session::dynamics::presets::EXTENSION);
            has_folder().then_some(Chosen::Preset(index, path))
        }
        Asks::SaveRecipe(take) => has_folder().then(|| Chosen::SaveRecipe(take, ending_in(&first, "json"))),
        Asks::ApplyRecipe => first.is_file().then_some(Chosen::ApplyRecipe(first)),
        Asks::Missing => first.is_dir().then_some(Chosen::Missing(first)),
        Asks::Clips => first.is_dir().then_some(Chosen::Clips(first)),
        // A folder is made where it is missing.
        Asks::Folder => Some(Chosen::Folder(first)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_are_there_are_opened_and_projects_get_their_extension() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.glb");
        std::fs::write(&file, b"").unwrap();
        let typed = format!(" {} ; {} ", file.display(), file.display());
        assert_eq!(chosen(Asks::Open, &typed), Some(Chosen::Open(vec![file.clone(), file.clone()])));
        assert_eq!(chosen(Asks::Open, &format!("{}; /no/such/file", file.display())), None);
        assert_eq!(chosen(Asks::Save, &format!("{}/missing/p", folder.path().display())), None);
        let project = folder.path().join("p");
        let saved = Chosen::Save(project.with_extension(crate::document::file::EXTENSION));
        assert_eq!(chosen(Asks::Save, &project.display().to_string()), Some(saved));
        let saved = |name: &str| chosen(Asks::Save, &folder.path().join(name).display().to_string());
        let named = |name: &str| Some(Chosen::Save(folder.path().join(name)));
        assert_eq!(saved("a.v2"), named("a.v2.portamento"));
        assert_eq!(saved("a.portamento"), named("a.portamento"));
        assert_eq!(saved("a.Portamento"), named("a.Portamento.portamento"), "another name to this program");
    }
}
