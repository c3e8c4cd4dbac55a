//! Menus of the menu bar.

use egui::Vec2;
use egui_kittest::kittest::NodeT;
use egui_material_icons::icons::ICON_CHEVRON_RIGHT;

use crate::dock::Panel;
use crate::menu::label_with_shortcut;
use crate::shell::workspace::Workspace;
use crate::tests::*;
use portamento_session::Shown;

#[test]
fn every_panel_is_reached_from_the_menu_in_small_and_scaled_windows() {
    for (size, scale) in [([1024.0, 640.0], 1.0), ([1280.0, 800.0], 1.0), ([1920.0, 1080.0], 2.0)] {
        in_window("en", |window| {
            window.set_pixels_per_point(scale);
            window.set_size(Vec2::from(size) / scale);
            window.run_steps(4);
            let named = |window: &Harness<'_, Option<App>>, panel: Panel| {
                let name = tr(&format!("panel.{}", panel.name()));
                window.query_all_by_label(&name).map(|node| node.rect()).collect::<Vec<_>>()
            };
            let before = Panel::ALL.map(|panel| named(window, panel).len());
            window.get_by_label(&tr("menu.view")).click();
            window.run_steps(4);
            let panels = tr("menu.panels");
            let entry = window.get_by_label_contains(&panels);
            // egui's own submenu arrow is in none of the fonts.
            assert!(entry.accesskit_node().label().unwrap().contains(ICON_CHEVRON_RIGHT.codepoint));
            entry.click();
            window.run_steps(6);
            let screen = window.ctx.content_rect();
            for (panel, before) in Panel::ALL.into_iter().zip(before) {
                let rects = named(window, panel);
                assert_eq!(rects.len(), before + 1, "{size:?} × {scale}: {panel:?}");
                assert!(
                    rects.iter().all(|rect| screen.contains_rect(*rect)),
                    "{size:?} × {scale}: {panel:?} {rects:?}"
                );
            }
        });
    }
}

#[test]
fn no_items_of_the_menu_bar_overlap_at_any_window_width() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            for width in [640.0, 700.0, 853.0, 1024.0, 1280.0] {
                window.set_size(egui::vec2(width, 480.0));
                window.run_steps(6);
                let redo = window.get_by_label(&label_with_shortcut("redo")).rect();
                let undo = window.get_by_label(&label_with_shortcut("undo")).rect();
                let bar = |node: &egui_kittest::Node<'_>| node.rect().max.y <= undo.max.y + 8.0;
                let words = ["blend", "dynamics", "loop", "walk", "free"].map(|name| tr(&format!("workspace.{name}")));
                let words = words.iter().flat_map(|word| window.query_all_by_label(word)).filter(bar);
                let rights: Vec<f32> = words.map(|node| node.rect().max.x).collect();
                assert!(rights.iter().all(|right| *right <= undo.min.x), "{language} {width}: {rights:?} {undo}");
                assert!(undo.max.x <= redo.min.x && redo.max.x <= width, "{language} {width}: {undo} {redo}");
            }
            window.set_size(egui::vec2(640.0, 480.0));
            window.run_steps(6);
            let shown = tr("workspace.stretch");
            window
                .get_all_by_label_contains(&shown)
                .min_by(|a, b| a.rect().min.y.total_cmp(&b.rect().min.y))
                .unwrap()
                .click();
            window.run_steps(4);
            window.get_by_label(&tr("workspace.walk")).click();
            window.run_steps(6);
            assert!(window.query_by_label_contains(&tr("workspace.walk")).is_some());
            assert_eq!(app(window).workspace, Workspace::Walk);
        });
    }
}

#[test]
fn curve_names_that_would_overlap_are_omitted() {
    in_window("en", |window| {
        let leap = app(window).session.document.takes.iter().find(|take| take.name == "leap to 5 m").unwrap().id;
        app(window).session.selection.show(Shown::Take(leap));
        let mut seen = Vec::new();
        for width in [640.0, 1280.0] {
            window.set_size(egui::vec2(width, 600.0));
            window.run_steps(6);
            let unit = window.get_by_label("m/s").rect();
            let names = ["plots.source", "plots.uniform", "plots.stretched"].map(tr);
            let rects: Vec<_> =
                names.iter().filter_map(|name| window.query_by_label(name)).map(|name| name.rect()).collect();
            assert!(rects.iter().all(|rect| !rect.intersects(unit)), "{width}: {rects:?} {unit}");
            seen.push(rects.len());
        }
        assert_eq!(seen, [0, 3]);
    });
}

#[test]
fn recent_files_are_opened_from_the_file_menu_and_missing_ones_are_not_listed() {
    in_window("en", |window| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recent.glb");
        let hero = app(window).session.document.files[0].path.clone();
        std::fs::copy(hero, &path).unwrap();
        let before = app(window).session.document.files.len();
        app(window).session.preferences.recent = vec![folder.path().join("gone.glb"), path];
        window.get_by_label(&tr("menu.file")).click();
        window.run_steps(4);
        window.get_by_label_contains(&tr("menu.recent")).click();
        window.run_steps(6);
        assert!(window.query_by_label("gone.glb").is_none());
        window.get_by_label("recent.glb").click();
        window.run_steps(6);
        assert_eq!(app(window).session.document.files.len(), before + 1);
    });
}

#[test]
fn the_help_menu_opens_the_editor_of_shortcuts() {
    in_window("en", |window| {
        window.get_by_label(&tr("menu.help")).click();
        window.run_steps(4);
        window.get_by_label_contains(&tr("command.shortcuts")).click();
        window.run_steps(4);
        assert!(app(window).dialogs.keymap.is_some());
    });
}
