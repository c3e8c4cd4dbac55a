//! The clips of a folder in the library panel.

use crate::dock::{Dock, Panel, region};
use crate::shell::workspace::Workspace;
use crate::tests::*;
use portamento_session::clip_library::Stack;
use portamento_session::clip_library::columns::COLUMNS;
use portamento_session::{Command, FileCommand, PairCommand, WindowCommand};

/// Lists the clips of the folder that contains only the hero.
pub(crate) fn listed(window: &mut Harness<'_, Option<App>>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let hero = portamento_test_support::asset("hero.glb");
    std::fs::copy(hero, folder.path().join("hero.glb")).unwrap();
    app(window).list_clips(vec![folder.path().to_owned()]);
    window.run_steps(4);
    folder
}

pub(crate) fn shown(window: &mut Harness<'_, Option<App>>) -> Vec<String> {
    let clips = &mut app(window).session.clips;
    clips.shown().iter().map(|&at| clips.rows()[at].clip.clone()).collect()
}

#[test]
fn a_click_on_a_column_head_sorts_and_the_chosen_row_is_opened() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let _folder = listed(window);
            let clip = COLUMNS.iter().position(|column| column.key == "clip").unwrap();
            window.get_by_role_and_label(egui::accesskit::Role::Button, &tr("clips.column_clip")).click();
            window.run_steps(3);
            assert_eq!(app(window).session.clips.order.column, clip);
            let names = shown(window);
            assert!(names.is_sorted() && names.len() > 5, "{names:?}");
            // A row is wider than its visible part.
            let row = window.get_by_label("hero.glb cast").rect().left_center() + egui::vec2(20.0, 0.0);
            window.event(egui::Event::PointerMoved(row));
            for pressed in [true, false] {
                let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
                window.event(egui::Event::PointerButton { pos: row, button, pressed, modifiers });
                window.run_steps(1);
            }
            window.get_by_role_and_label(egui::accesskit::Role::Button, &tr("clips.open")).click();
            window.run_steps(4);
            let session = &app(window).session;
            assert!(matches!(&session.selection.shown, Shown::Clip { clip, .. } if clip == "cast"));
            assert_eq!(session.clips.chosen.len(), 1);
        });
    }
}

#[test]
fn a_folder_of_clips_dropped_on_the_window_is_listed_and_one_of_pictures_opened() {
    in_window("en", |window| {
        let assets = portamento_test_support::asset("");
        let clips = tempfile::tempdir().unwrap();
        std::fs::create_dir(clips.path().join("more")).unwrap();
        std::fs::copy(assets.join("hero.glb"), clips.path().join("more/hero.glb")).unwrap();
        let pictures = tempfile::tempdir().unwrap();
        for frame in 0..3 {
            image::RgbaImage::new(4, 4).save(pictures.path().join(format!("flame{frame}.png"))).unwrap();
        }
        let before = app(window).session.document.files.len();
        for folder in [&clips, &pictures] {
            window.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(folder.path().to_owned())));
        }
        window.run_steps(6);
        assert!(shown(window).len() > 5);
        let session = &app(window).session;
        assert_eq!(session.document.files.len(), before + 1);
        assert!(session.notices.all().is_empty(), "{:?}", session.notices.all());
    });
}

#[test]
fn a_folder_that_was_listed_is_offered_again_and_listed_by_a_click() {
    in_window("en", |window| {
        let folder = listed(window);
        assert_eq!(app(window).session.preferences.recent[0], folder.path());
        app(window).session.clips = Default::default();
        app(window).dock = Dock::for_workspace(Workspace::default());
        app(window).dock.show_panel(Panel::Clips);
        window.run_steps(3);
        window.get_by_label_contains(&folder.path().display().to_string()).click();
        window.run_steps(6);
        assert!(shown(window).len() > 5);
        let [view, list] =
            [Panel::Viewport, Panel::Clips].map(|panel| window.get_by_label(&region(panel)).rect().height());
        assert!(list > 0.8 * view, "with room for rows: {list} below {view}");
        // A folder can be opened like a file.
        app(window).session.clips = Default::default();
        app(window).perform(Command::File(FileCommand::Open(vec![folder.path().to_owned()])));
        window.run_steps(6);
        assert!(shown(window).len() > 5);
    });
}

#[test]
fn chosen_rows_are_tagged_and_found_by_their_tag() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let _folder = listed(window);
            let clips = &mut app(window).session.clips;
            clips.chosen = (0..clips.rows().len()).filter(|&at| clips.rows()[at].clip.starts_with("walk")).collect();
            let count = clips.chosen.len();
            assert!(count > 1);
            window.run_steps(2);
            window.get_by_role_and_label(egui::accesskit::Role::Button, &tr("clips.tags")).click();
            window.run_steps(3);
            window.event(egui::Event::Text("night, ".into()));
            window.run_steps(1);
            window.key_press(egui::Key::Enter);
            window.run_steps(3);
            let clips = &mut app(window).session.clips;
            assert_eq!(clips.tags_of_chosen(), [("night".to_owned(), true)]);
            clips.order.words = "NIGHT".into();
            window.run_steps(2);
            assert_eq!(shown(window).len(), count);
            window.get_by_role_and_label(egui::accesskit::Role::CheckBox, "night").click();
            window.run_steps(3);
            assert!(app(window).session.clips.tags_of_chosen().is_empty() && shown(window).is_empty());
        });
    }
}

#[test]
fn chosen_rows_get_the_stages_of_a_take_by_a_click() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let folder = listed(window);
            let session = &mut app(window).session;
            session.perform(Command::File(FileCommand::Open(vec![folder.path().join("hero.glb")])));
            window.run_steps(4);
            let session = &mut app(window).session;
            let file = session.document.files.last().unwrap().id;
            let before = session.document.takes.len();
            let mirror = vec![portamento_takes::document::StageKind::Mirror(Default::default())];
            session.add_stack(file, "run", Stack { name: "turned round".into(), kinds: mirror });
            session.clips.chosen = [2, 3].into();
            window.run_steps(4);
            window.get_by_role_and_label(egui::accesskit::Role::Button, &tr("clips.stack")).click();
            window.run_steps(4);
            let offered = window.query_all_by_role_and_label(egui::accesskit::Role::Button, "turned round");
            offered.last().expect("it is offered").click();
            window.run_steps(6);
            let session = &app(window).session;
            let new_takes = &session.document.takes[before..];
            assert_eq!(new_takes.len(), 3);
            assert!(new_takes[1..].iter().all(|take| take.stages == new_takes[0].stages));
        });
    }
}

#[test]
fn two_chosen_clips_are_shown_side_by_side_and_closed_by_button_cross_and_escape() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let _folder = listed(window);
            let (before, document) =
                (app(window).session.selection.shown.clone(), app(window).session.document.clone());
            let button = |window: &mut Harness<'_, Option<App>>, name: &str| {
                window.get_by_role_and_label(egui::accesskit::Role::Button, &tr(name)).click();
                window.run_steps(6);
            };
            for leaves in ["clips.side_by_side", "pair.leave", ""] {
                let clips = &mut app(window).session.clips;
                let at = |name: &str| clips.rows().iter().position(|row| row.clip == name).unwrap();
                clips.chosen = [at("run"), at("leap_strike")].into();
                window.run_steps(2);
                button(window, "clips.side_by_side");
                let session = &app(window).session;
                let [first, second] =
                    [session.frame(), session.pair().unwrap().frame()].map(|frame| frame.unwrap().time);
                assert_eq!(first, second);
                assert!(window.query_by_label(&tr("pair.view")).is_some(), "{language}");
                match leaves {
                    "" => window.key_press(Key::Escape),
                    name => button(window, name),
                }
                window.run_steps(4);
                assert!(app(window).session.pair().is_none(), "{leaves}");
                assert!(
                    window.query_by_label(&tr("pair.view")).is_none() && app(window).session.selection.shown == before
                );
            }
            let session = &app(window).session;
            assert_eq!((&session.document.takes, &session.document.objects), (&document.takes, &document.objects));
        });
    }
}

#[test]
fn both_halves_share_one_camera_which_is_restored_afterwards() {
    in_window("en", |window| {
        let _folder = listed(window);
        let alone = app(window).viewport.camera;
        app(window).session.clips.chosen = [0, 1].into();
        window.run_steps(2);
        app(window).session.perform(Command::Pair(PairCommand::Toggle));
        window.run_steps(6);
        let before = app(window).viewport.camera;
        let at = window.get_by_label(&tr("pair.view")).rect().center();
        let button = egui::PointerButton::Middle;
        for (pos, pressed) in [(at, Some(true)), (at + egui::vec2(60.0, 0.0), None), (at, Some(false))] {
            window.event(egui::Event::PointerMoved(pos));
            if let Some(pressed) = pressed {
                window.event(egui::Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE });
            }
            window.run_steps(2);
            if pressed.is_none() {
                assert_ne!(app(window).viewport.camera.yaw, before.yaw);
            }
        }
        app(window).session.perform(Command::Pair(PairCommand::Leave));
        window.run_steps(3);
        assert_eq!(app(window).viewport.camera, alone);
    });
}

/// Types a path, as on systems without a file dialog.
fn type_path(window: &mut Harness<'_, Option<App>>, path: &std::path::Path) {
    window.run_steps(4);
    assert!(app(window).dialogs.files.without_dialog.is_some(), "a path is asked for");
    window.event(egui::Event::Text(path.display().to_string()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    window.run_steps(6);
}

/// Clicks with `button` at `at`.
fn press(window: &mut Harness<'_, Option<App>>, at: egui::Pos2, button: egui::PointerButton) {
    window.event(egui::Event::PointerMoved(at));
    window.run_steps(1);
    for pressed in [true, false] {
        window.event(egui::Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE });
        window.run_steps(1);
    }
    window.run_steps(4);
}

#[test]
fn a_take_is_saved_as_a_recipe_from_its_menu_and_applied_to_chosen_rows() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            app(window).dialogs.files.are_typed = true;
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("hair.recipe.json");
            let take = "run with swinging hair and cape";
            let row =
                window.query_all_by_label(take).map(|node| node.rect()).min_by(|a, b| a.min.x.total_cmp(&b.min.x));
            press(window, row.unwrap().center(), egui::PointerButton::Secondary);
            let icon = egui_material_icons::icons::ICON_RECEIPT_LONG.codepoint;
            window.get_by_label(&format!("{icon}  {}", tr("command.save_recipe"))).click();
            type_path(window, &path);
            assert!(path.is_file(), "{:?}", app(window).session.notices.all());
            std::fs::write(&path, "somebody else's").unwrap();
            let id = app(window).session.document.takes.iter().find(|known| known.name == take).unwrap().id;
            app(window).perform(Command::Window(WindowCommand::AskSaveRecipe(Some(id))));
            type_path(window, &path);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "somebody else's", "Enter alone replaces nothing");
            window.get_by_role_and_label(egui::accesskit::Role::Button, &tr("path.replace")).click();
            window.run_steps(6);
            assert!(std::fs::read_to_string(&path).unwrap().contains("slot:clip"));

            let _listed = listed(window);
            let before = app(window).session.document.takes.len();
            app(window).session.clips.chosen = [1, 3].into();
            window.run_steps(4);
            window.get_by_role_and_label(egui::accesskit::Role::Button, &tr("clips.stack")).click();
            window.run_steps(4);
            window.get_by_role_and_label(egui::accesskit::Role::Button, &tr("clips.recipe")).click();
            type_path(window, &path);
            let takes = &app(window).session.document.takes;
            let new_takes: Vec<&str> = takes[before..].iter().map(|take| take.name.as_str()).collect();
            assert_eq!(new_takes, ["walk with swinging hair and cape", "run with swinging hair and cape 2"]);
        });
    }
}

#[test]
fn a_recipe_dropped_on_the_window_is_applied_to_the_chosen_rows() {
    in_window("en", |window| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("turned.json");
        let recipe = r#"{ "takes": [{ "name": "turned", "source": "slot:clip", "stages": [{ "mirror": {} }] }] }"#;
        std::fs::write(&path, recipe).unwrap();
        let _listed = listed(window);
        let before = app(window).session.document.takes.len();
        app(window).session.clips.chosen = [1].into();
        window.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(path)));
        window.run_steps(3);
        assert_eq!(app(window).session.document.takes[before..][0].name, "walk turned");
    });
}

/// Clicks the row at index `row` of the shown rows, with `modifiers`.
fn click_row(window: &mut Harness<'_, Option<App>>, index: usize, modifiers: Modifiers) {
    let name = shown(window)[index].clone();
    // A row is wider than its visible part.
    let row = window.get_by_label(&format!("hero.glb {name}")).rect().left_center() + egui::vec2(20.0, 0.0);
    window.event(egui::Event::ModifiersChanged(modifiers));
    window.event(egui::Event::PointerMoved(row));
    for pressed in [true, false] {
        window.event(egui::Event::PointerButton { pos: row, button: egui::PointerButton::Primary, pressed, modifiers });
        window.run_steps(1);
    }
    window.event(egui::Event::ModifiersChanged(Modifiers::NONE));
    // Prevents two clicks from becoming a double-click.
    window.run_steps(40);
}

/// Returns the names of the chosen rows in display order.
pub(crate) fn chosen(window: &mut Harness<'_, Option<App>>) -> Vec<String> {
    let clips = &mut app(window).session.clips;
    let shown = clips.shown();
    assert!(clips.chosen.iter().all(|row| shown.contains(row)), "what is not shown is chosen");
    shown.iter().filter(|row| clips.chosen.contains(row)).map(|&at| clips.rows()[at].clip.clone()).collect()
}

#[test]
fn clicks_with_shift_and_ctrl_choose_a_range_and_one_more_and_ctrl_a_all_that_are_shown() {
    in_window("en", |window| {
        let _folder = listed(window);
        let names = shown(window);
        click_row(window, 1, Modifiers::NONE);
        click_row(window, 4, Modifiers::SHIFT);
        assert_eq!(chosen(window), names[1..=4]);
        // The range keeps its start.
        click_row(window, 3, Modifiers::SHIFT);
        assert_eq!(chosen(window), names[1..=3]);
        click_row(window, 2, Modifiers::COMMAND);
        assert_eq!(chosen(window), [names[1].clone(), names[3].clone()]);
        click_row(window, 2, Modifiers::COMMAND);
        assert_eq!(chosen(window), names[1..=3]);

        app(window).session.clips.order.words = "walk".into();
        window.run_steps(2);
        let walks = shown(window);
        assert!((2..names.len()).contains(&walks.len()), "{walks:?}");
        window.key_press_modifiers(Modifiers::COMMAND, Key::A);
        window.run_steps(2);
        assert_eq!(chosen(window), walks);
    });
}

#[test]
fn ctrl_a_in_the_search_field_selects_its_text_and_no_rows() {
    in_window("en", |window| {
        let _folder = listed(window);
        app(window).session.clips.order.words = "walk".into();
        window.run_steps(2);
        let fields = window.query_all_by_role(egui::accesskit::Role::TextInput);
        let is_search = |node: &egui_kittest::Node<'_>| node.value().as_deref() == Some("walk");
        fields.into_iter().find(is_search).expect("the search field").focus();
        window.run_steps(2);
        window.key_press_modifiers(Modifiers::COMMAND, Key::A);
        window.run_steps(2);
        assert!(chosen(window).is_empty());
    });
}
