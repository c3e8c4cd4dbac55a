//! Rows of the outliner under the keys.

use super::*;
use egui::Event;

fn take_names(window: &mut Harness<'_, Option<App>>) -> Vec<String> {
    app(window).session.document.takes.iter().map(|take| take.name.clone()).collect()
}

/// Presses the row called `name`, as a mouse does.
fn choose(window: &mut Harness<'_, Option<App>>, name: &str) {
    let at = window.query_all_by_label(name).map(|node| node.rect()).min_by(|a, b| a.min.x.total_cmp(&b.min.x));
    let at = at.unwrap().center();
    window.event(Event::PointerMoved(at));
    for pressed in [true, false] {
        window.event(Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
        window.run_steps(1);
    }
    window.run_steps(2);
}

#[test]
fn f2_renames_a_take_in_its_row_and_esc_gives_it_up() {
    in_window("en", |window| {
        let names = take_names(window);
        choose(window, &names[0]);
        window.key_press(Key::F2);
        window.run_steps(3);
        window.event(Event::Text("first leap".into()));
        window.run_steps(1);
        window.key_press(Key::Enter);
        window.run_steps(3);
        assert_eq!(take_names(window)[0], "first leap", "all of the old name was chosen and typed over");

        choose(window, &names[1]);
        window.key_press(Key::F2);
        window.run_steps(3);
        window.event(Event::Text("never".into()));
        window.run_steps(1);
        window.key_press(Key::Escape);
        window.run_steps(3);
        assert_eq!(take_names(window)[1], names[1]);
    });
}

#[test]
fn delete_removes_the_chosen_take_and_one_undo_brings_it_back() {
    in_window("en", |window| {
        let names = take_names(window);
        for chosen in [&names[0], names.last().unwrap()] {
            choose(window, chosen);
            window.key_press(Key::Delete);
            window.run_steps(3);
            assert!(!take_names(window).contains(chosen), "{chosen}");
            window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
            window.run_steps(3);
            assert_eq!(take_names(window), names);
        }
    });
}
