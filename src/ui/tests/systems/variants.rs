//! The variants dialog of a take.

use egui::accesskit::Role;

use crate::i18n::tr_with;
use crate::tests::*;
use portamento_session::variants::{Look, Seen};
use portamento_session::{EditCommand, WindowCommand};

fn open(window: &mut Harness<'_, Option<App>>) {
    open_of(window, "leap to 5 m");
}

fn open_of(window: &mut Harness<'_, Option<App>>, name: &str) {
    let session = &mut app(window).session;
    let leap = session.document.takes.iter().find(|take| take.name == name).unwrap().id;
    session.selection.show(Shown::Take(leap));
    session.perform(Command::Window(WindowCommand::AskVariants));
    window.run_steps(6);
}

fn add(count: usize) -> String {
    tr_with("variants.add", &[("count", count.to_string())])
}

#[test]
fn variants_are_drawn_as_they_are_typed_and_become_takes_that_one_undo_removes() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let before = app(window).session.document.takes.len();
            open(window);
            assert!(window.query_by_role_and_label(Role::Button, &add(5)).is_some());
            let draft = |window: &mut Harness<'_, Option<App>>, values: &str| {
                let variants = app(window).dialogs.variants.as_mut().unwrap();
                variants.write(values);
                window.run_steps(6);
            };
            draft(window, "3..6:0.1");
            let preview = &app(window).session.variants;
            assert!(preview.drawn().len() == 24 && preview.drawn().iter().all(|drawn| matches!(drawn, Some(Ok(_)))));
            let far = |at: usize| preview.drawn()[at].as_ref().unwrap().as_ref().unwrap().travel.unwrap();
            assert!((far(0) - 3.0).abs() < 1e-4 && (far(23) - 5.3).abs() < 1e-4, "{} {}", far(0), far(23));
            let reach = |at: usize| {
                let look = preview.drawn()[at].as_ref().unwrap().as_ref().unwrap();
                look.motion().unwrap().reach.size().z
            };
            assert!((reach(23) - reach(0) - 2.3).abs() < 0.05, "{} {}", reach(0), reach(23));
            draft(window, "three");
            assert!(window.query_by_label_contains("three").is_some(), "what cannot be read is told");
            assert!(app(window).session.variants.drawn().is_empty());
            draft(window, "3, 4.5");
            window.get_by_role_and_label(Role::Button, &add(2)).click();
            window.run_steps(6);
            assert!(app(window).dialogs.variants.is_none());
            let session = &mut app(window).session;
            let names: Vec<&str> = session.document.takes[before..].iter().map(|take| &*take.name).collect();
            assert_eq!(names, ["3", "4.5"].map(|far| format!("leap to 5 m - {} Z {far} m", tr("section.target"))));
            session.perform(Command::Edit(EditCommand::Undo));
            assert_eq!(session.document.takes.len(), before);
        });
    }
}

#[test]
fn a_tap_opens_the_list_of_settings_over_the_dialog() {
    in_window("en", |window| {
        let tap = |window: &mut Harness<'_, Option<App>>, pos: egui::Pos2| {
            let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
            let press = |pressed| Event::PointerButton { pos, button, pressed, modifiers };
            window.input_mut().events.extend([Event::PointerMoved(pos), press(true), press(false)]);
            window.run_steps(4);
        };
        // After opening and closing the list once, its position is known.
        for _ in 0..2 {
            open(window);
            let list = window.get_by_role_and_label(Role::Button, &tr("form.vary")).rect().center();
            tap(window, list);
            let row = window.get_by_label_contains("displacement").rect().center();
            let on_top = window.ctx.layer_id_at(row).map(|layer| layer.order);
            assert_eq!(on_top, Some(egui::Order::Foreground));
            tap(window, row);
            assert!(app(window).dialogs.variants.as_ref().unwrap().varied().ends_with("/method"));
            window.key_press(Key::Escape);
            window.run_steps(4);
            assert!(app(window).dialogs.variants.is_none());
        }
    });
}

#[test]
fn without_a_take_the_variants_dialog_explains_what_it_needs() {
    in_window("en", |window| {
        app(window).session.selection.show(Shown::Nothing);
        app(window).session.perform(Command::Window(WindowCommand::AskVariants));
        window.run_steps(3);
        assert!(app(window).dialogs.variants.is_none());
        assert!(window.query_by_label_contains("Select a take to vary first").is_some());
    });
}

/// Returns the images drawn in the window, without text and plain rectangles.
fn images(window: &Harness<'_, Option<App>>) -> usize {
    fn count(shape: &egui::Shape) -> usize {
        match shape {
            egui::Shape::Vec(shapes) => shapes.iter().map(count).sum(),
            egui::Shape::Mesh(mesh) => usize::from(mesh.texture_id != egui::TextureId::default()),
            egui::Shape::Rect(rect) => usize::from(rect.fill_texture_id() != egui::TextureId::default()),
            _ => 0,
        }
    }
    window.output().shapes.iter().map(|clipped| count(&clipped.shape)).sum()
}

#[test]
fn variants_of_images_are_shown_as_images() {
    in_window("en", |window| {
        open_of(window, "flame");
        // Some lengths are impossible; their cells show the reason.
        let looks: Vec<Look> = app(window).session.variants.drawn().iter().flatten().flatten().cloned().collect();
        let seen = looks.iter().filter(|look| matches!(look.seen, Some(Seen::Pictures(_)))).count();
        assert!(seen == looks.len() && seen > 1, "{seen} of {}", looks.len());
        assert!(window.query_by_role_and_label(Role::Button, &add(seen)).is_some(), "what fails is not added");
        let with_them = images(window);
        window.key_press(Key::Escape);
        window.run_steps(4);
        // Each image has a checkerboard behind it.
        assert_eq!(with_them - images(window), 2 * seen);
    });
}

#[test]
fn values_are_read_and_written_in_the_words_of_the_panels() {
    use portamento_stretch::Method;
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let before = app(window).session.document.takes.len();
            open(window);
            let mut varied = |ending: &str| {
                app(window).dialogs.variants.as_mut().unwrap().vary(ending);
                window.run_steps(6);
                app(window).dialogs.variants.as_ref().unwrap().values().to_owned()
            };
            assert_eq!(varied("/feet"), format!("{}, {}", tr("setting.off"), tr("setting.on")));
            let methods = ["displacement", "uniform", "shear"].map(|word| tr(&format!("method.{word}")));
            assert_eq!(varied("/method"), methods.join(", "));
            assert_eq!(varied("mirrored"), format!("{}, {}", tr("setting.off"), tr("setting.on")));
            assert_eq!(varied("stages/0/on"), format!("{}, {}", tr("setting.off"), tr("setting.on")));
            assert_eq!(varied("stages/0/influence"), "0..1:0.25");
            varied("/method");
            // The list separator depends on the language.
            let typed = format!("{}，{}", methods[1].to_uppercase(), methods[2]);
            app(window).dialogs.variants.as_mut().unwrap().write(&typed);
            window.run_steps(6);
            window.get_by_role_and_label(Role::Button, &add(2)).click();
            window.run_steps(6);
            let new_takes = &app(window).session.document.takes[before..];
            let names: Vec<&str> = new_takes.iter().map(|take| &*take.name).collect();
            assert_eq!(names, [1, 2].map(|at| format!("leap to 5 m - {} {}", tr("form.method"), methods[at])));
            let method = |at: usize| new_takes[at].stages[0].kind.as_stretch().unwrap().settings.method;
            assert_eq!([method(0), method(1)], [Method::Uniform, Method::Shear]);
        });
    }
}

#[test]
fn an_unknown_option_is_reported_with_the_known_ones() {
    in_window("en", |window| {
        open(window);
        let variants = app(window).dialogs.variants.as_mut().unwrap();
        variants.vary("/method");
        variants.write("evenly, no such word");
        window.run_steps(6);
        let known = tr("method.displacement");
        let refusal = window.query_by_label_contains(&known);
        assert!(refusal.is_some() && window.query_by_label_contains("unknown variant").is_none());
    });
}

#[test]
fn the_values_field_does_not_move_when_the_number_of_variants_changes() {
    in_window("en", |window| {
        open(window);
        let mut fields = Vec::new();
        for values in ["3..7:1", "3", "3..", "2..8:0.5", "2..8:1"] {
            app(window).dialogs.variants.as_mut().unwrap().write(values);
            window.run_steps(6);
            fields.push(window.get_by_label(&tr("variants.values")).rect());
        }
        assert!(fields.iter().all(|each| *each == fields[0]), "{fields:?}");
        let add = window.get_by_role_and_label(Role::Button, &add(7)).rect();
        assert!(window.ctx.content_rect().contains_rect(add), "{add}");
    });
}
