//! Handles of dynamic bones in the viewport: mouse drags, axis constraints, typed numbers, cancelling.

use egui::{Event as Input, Key, Modifiers, PointerButton, Pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use glam::DVec3;

use crate::tests::{App, app, in_window, tr};
use crate::viewport::handles::dynamics;
use crate::viewport::handles::handle::HandlePart;
use portamento_dynamics::{ColliderShape, Settings};
use portamento_session::{Command, DynamicsMode, EditCommand, NewCollider, Shown, TransportCommand};

type Window<'a> = Harness<'a, Option<App>>;

/// Shows the clip `run` with dynamic hair and a ball collider on the head.
fn with_dynamic_hair(check: impl FnOnce(&mut Window<'_>)) {
    in_window("en", |window| {
        let session = &mut app(window).session;
        let file = session.document.files[0].id;
        let find = |name: &str| session.library.get(file).unwrap().model.skeleton.find(name).unwrap();
        let (hair, head) = (find("hair.1"), find("head"));
        session.selection.shown = Shown::Clip { character: file, file, clip: "run".into() };
        session.update(0.0, true);
        session.perform(Command::Edit(EditCommand::MakeDynamic { character: None, joint: hair }));
        session.perform(Command::Edit(EditCommand::AddCollider(NewCollider::Sphere(Some(head)))));
        window.run_steps(6);
        check(window);
    });
}

fn settings(window: &mut Window<'_>) -> Settings {
    app(window).session.shown_take().unwrap().dynamics(None).unwrap().settings.clone()
}

fn ball(window: &mut Window<'_>) -> (DVec3, f64) {
    match settings(window).colliders[0].shape {
        ColliderShape::Sphere { center, radius } => (center, radius),
        other => panic!("{other:?}"),
    }
}

/// Returns the screen position of a handle.
fn handle_pos(window: &mut Window<'_>, part: HandlePart) -> Pos2 {
    let rect = window.get_by_label(&tr("panel.viewport")).rect();
    let app = app(window);
    let handles = dynamics::shown_handles(&app.viewport, &app.session, app.session.frame().unwrap());
    let handle = handles.iter().find(|handle| handle.part == part).unwrap();
    let at = app.viewport.camera.project(handle.at.as_vec3(), glam::Vec2::new(rect.width(), rect.height())).unwrap();
    rect.min + egui::Vec2::new(at.x, at.y)
}

fn button(window: &mut Window<'_>, pos: Pos2, pressed: bool) {
    window.event(Input::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE });
    window.run_steps(2);
}

/// Grabs a handle and moves it without releasing the button. Returns the pointer position.
fn grab(window: &mut Window<'_>, part: HandlePart, by: egui::Vec2) -> Pos2 {
    let from = handle_pos(window, part);
    window.event(Input::PointerMoved(from));
    window.run_steps(2);
    button(window, from, true);
    for i in 1..=4 {
        window.event(Input::PointerMoved(from + by * (i as f32 / 4.0)));
        window.run_steps(1);
    }
    assert!(app(window).viewport.is_dragging(), "{part:?} was not grabbed");
    from + by
}

fn write(window: &mut Window<'_>, text: &str) {
    for c in text.chars() {
        window.event(Input::Text(c.to_string()));
        window.run_steps(1);
    }
}

#[test]
fn a_collider_is_resized_and_moved_by_its_dots_and_each_drag_is_one_undo_step() {
    with_dynamic_hair(|window| {
        let (center, radius) = ball(window);
        let at = grab(window, HandlePart::Radius, egui::vec2(30.0, 0.0));
        button(window, at, false);
        let larger = ball(window);
        assert!(larger.1 > radius * 1.2 && larger.0 == center, "{larger:?}");
        let at = grab(window, HandlePart::Center, egui::vec2(0.0, -25.0));
        button(window, at, false);
        let moved = ball(window);
        assert!(moved.0.distance(center) > 0.02 && moved.1 == larger.1, "{moved:?}");
        for wanted in [larger, (center, radius)] {
            window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
            window.run_steps(3);
            assert_eq!(ball(window), wanted);
        }
    });
}

#[test]
fn a_number_typed_during_a_drag_is_the_value_and_escape_restores_it() {
    with_dynamic_hair(|window| {
        let (center, radius) = ball(window);
        let at = grab(window, HandlePart::Radius, egui::vec2(20.0, 5.0));
        write(window, "5cm");
        button(window, at, false);
        assert_eq!(ball(window), (center, 0.05));
        let at = grab(window, HandlePart::Center, egui::vec2(15.0, 10.0));
        write(window, "y12cm");
        button(window, at, false);
        assert_eq!(ball(window).0, DVec3::new(center.x, 0.12, center.z));
        let before = ball(window);
        let at = grab(window, HandlePart::Radius, egui::vec2(40.0, 0.0));
        write(window, "2");
        assert_eq!(ball(window).1, 2.0);
        window.key_press(Key::Escape);
        window.run_steps(2);
        button(window, at, false);
        assert_eq!(ball(window), before);
        assert_ne!(before.1, radius);
    });
}

#[test]
fn the_wind_is_turned_by_its_arrow_and_its_strength_typed() {
    with_dynamic_hair(|window| {
        let Shown::Take(id) = app(window).session.selection.shown else { panic!() };
        let dynamics = app(window).session.document.take_mut(id).unwrap().dynamics_mut(None).unwrap();
        dynamics.settings.wind.strength = 2.0;
        window.run_steps(4);
        let before = settings(window).wind;
        let at = grab(window, HandlePart::Wind, egui::vec2(-60.0, -70.0));
        button(window, at, false);
        let turned = settings(window).wind;
        assert!(turned.direction.angle_between(before.direction) > 0.3, "{:?}", turned.direction);
        let at = grab(window, HandlePart::Wind, egui::vec2(2.0, 2.0));
        write(window, "7.5");
        button(window, at, false);
        assert_eq!(settings(window).wind.strength, 7.5);
    });
}

#[test]
fn a_collider_is_resized_while_the_bones_simulate_and_the_clip_plays() {
    with_dynamic_hair(|window| {
        app(window).perform(Command::Transport(TransportCommand::Watch(DynamicsMode::Live)));
        window.run_steps(4);
        let at = grab(window, HandlePart::Radius, egui::vec2(20.0, 0.0));
        let snapped_radius = ball(window).1;
        app(window).perform(Command::Transport(TransportCommand::PlayPause));
        let time = app(window).session.playback.time;
        window.event(Input::PointerMoved(at + egui::vec2(25.0, 0.0)));
        window.run_steps(2);
        let larger = ball(window).1;
        assert!(larger > snapped_radius, "{larger} after {snapped_radius}");
        let app = app(window);
        assert!(app.session.playback.playing && app.session.playback.time != time && app.session.dynamics.is_live());
        let ColliderShape::Sphere { radius, .. } =
            app.session.frame().unwrap().dynamics.as_ref().unwrap().colliders[0].shape
        else {
            panic!("no ball")
        };
        assert!((radius - larger).abs() < 1e-9, "the bones already meet it so large");
        button(window, at, false);
    });
}

#[test]
fn dragging_the_character_shakes_its_hair_and_releasing_it_returns_it() {
    with_dynamic_hair(|window| {
        app(window).perform(Command::Transport(TransportCommand::Watch(DynamicsMode::Live)));
        window.run_steps(30);
        let angle = |window: &mut Window<'_>| {
            let bone = app(window).session.frame().unwrap().dynamics.as_ref().unwrap().bones.last().unwrap().clone();
            (bone.tip - bone.head).normalize()
        };
        let calm = angle(window);
        let at = grab(window, HandlePart::Body, egui::vec2(120.0, 0.0));
        assert!(app(window).session.dynamics.held && app(window).session.dynamics.pull.length() > 0.1);
        assert_eq!(app(window).hint(), tr("hint.shaking"), "what is said of colliders is not for it");
        let shaken = angle(window).angle_between(calm);
        assert!(shaken > 0.01, "{shaken}");
        write(window, "x0.5");
        assert_eq!(app(window).session.dynamics.pull, DVec3::X * 0.5);
        button(window, at, false);
        window.run_steps(90);
        assert!(!app(window).session.dynamics.held && app(window).session.dynamics.pull.length() < 0.01);
    });
}

#[test]
fn the_palette_offers_the_actions_on_dynamic_bones() {
    with_dynamic_hair(|window| {
        let say = |window: &mut Window<'_>, words: &str| {
            window.key_press_modifiers(Modifiers::COMMAND, Key::P);
            window.run_steps(3);
            window.event(Input::Text(words.into()));
            window.run_steps(3);
            window.key_press(Key::Enter);
            window.run_steps(4);
        };
        for (words, mode) in [
            ("live simulation", DynamicsMode::Live),
            ("show without dynamics", DynamicsMode::Off),
            ("show recording", DynamicsMode::Recorded),
        ] {
            say(window, words);
            assert_eq!(app(window).session.dynamics.mode, mode);
        }
        say(window, "preset antenna");
        assert_eq!(settings(window).chains[0].drag.value, 0.05);
        let session = &mut app(window).session;
        let file = session.document.files[0].id;
        session.selection.joint = session.library.get(file).unwrap().model.skeleton.find("head");
        say(window, "fit collider");
        assert_eq!(settings(window).colliders.len(), 2);
        say(window, "selected joint dynamic");
        assert_eq!(settings(window).chains.len(), 2);
    });
}
