//! Scroll position of the inspector.

use egui::accesskit::Role;
use egui::{Event, MouseWheelUnit, PointerButton, Pos2, Rect, TouchPhase, Vec2};
use egui_kittest::kittest::NodeT;

use crate::tests::files::outliner::choose;
use crate::tests::*;

type Window<'a> = Harness<'a, Option<App>>;

fn take_names(window: &mut Window<'_>) -> Vec<String> {
    app(window).session.document.takes.iter().map(|take| take.name.clone()).collect()
}

/// Returns the name field of the shown take, at the top of the inspector.
fn top(window: &Window<'_>) -> Rect {
    window.get_by_role_and_label(Role::TextInput, &tr("inspector.take")).rect()
}

fn scroll(window: &mut Window<'_>, lines: f32) {
    let (delta, unit, modifiers) = (Vec2::new(0.0, lines), MouseWheelUnit::Line, Modifiers::NONE);
    window.event(Event::PointerMoved(Pos2::new(1150.0, 400.0)));
    window.event(Event::MouseWheel { unit, delta, modifiers, phase: TouchPhase::Move });
    window.run_steps(20);
}

#[test]
fn the_inspector_of_another_take_starts_at_its_top() {
    in_window("en", |window| {
        let names = take_names(window);
        let at_first = top(window);
        scroll(window, -30.0);
        assert!(top(window).max.y < 0.0, "it is scrolled: {}", top(window));
        choose(window, &names[1]);
        window.run_steps(4);
        assert_eq!(top(window).min.y, at_first.min.y);
    });
}

/// Returns the visible measurements with links, from top to bottom.
fn figures(window: &Window<'_>) -> Vec<(String, Rect)> {
    let links = window.query_all_by_role(Role::Button).filter_map(|node| {
        let label = node.accesskit_node().label()?;
        Some((label, node.rect())).filter(|(label, _)| label.contains(", frame "))
    });
    links.filter(|(_, rect)| (80.0..640.0).contains(&rect.min.y)).collect()
}

#[test]
fn clicking_a_measurement_does_not_scroll_the_inspector() {
    in_window("en", |window| {
        let names = take_names(window);
        choose(window, &names[0]);
        window.run_steps(6);
        scroll(window, -40.0);
        assert_eq!(app(window).session.selection.joint, None);
        let before = figures(window);
        let pos = before.first().unwrap().1.center();
        window.event(Event::PointerMoved(pos));
        for pressed in [true, false] {
            let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
            window.event(Event::PointerButton { pos, button, pressed, modifiers });
            window.run_steps(1);
        }
        window.run_steps(6);
        assert!(app(window).session.selection.joint.is_some());
        assert!(window.query_by_label(&tr("section.joint")).is_some(), "its facts have come above");
        assert_eq!(figures(window), before);
    });
}
