//! Automatic fitting of the view.

use crate::tests::*;
use crate::viewport::Viewport;
use portamento_anim::Front;
use portamento_session::{Jobs, WindowCommand};
use portamento_takes::document::Stage;

type Window<'a> = Harness<'a, Option<App>>;

/// Returns the index of the take `name` in the project.
fn take_index(window: &mut Window<'_>, name: &str) -> usize {
    app(window).session.document.takes.iter().position(|take| take.name == name).unwrap()
}

/// Returns true if framing everything leaves the view unchanged.
fn is_framed(window: &mut Window<'_>) -> bool {
    let before = app(window).viewport.camera;
    app(window).viewport.request(WindowCommand::FrameAll);
    window.run_steps(2);
    let after = app(window).viewport.camera;
    let far = before.target.distance(after.target) / after.distance;
    far < 0.01 && (before.distance / after.distance - 1.0).abs() < 0.01
}

#[test]
fn a_take_of_another_size_chosen_between_two_frames_is_fitted() {
    in_window("en", |window| {
        let flag = take_index(window, "flag in the wind");
        assert!(is_framed(window), "the leap is framed");
        // The selection changes as by a click in a list: after evaluation and before the view is drawn.
        let at = {
            let rows = window.query_all_by_label("flag in the wind").map(|node| node.rect());
            rows.min_by(|a, b| a.min.x.total_cmp(&b.min.x)).unwrap().center()
        };
        window.event(egui::Event::PointerMoved(at));
        for pressed in [true, false] {
            let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
            window.event(egui::Event::PointerButton { pos: at, button, pressed, modifiers });
            window.run_steps(1);
        }
        window.run_steps(4);
        let id = app(window).session.document.takes[flag].id;
        assert_eq!(app(window).session.selection.shown, Shown::Take(id));
        assert!(is_framed(window), "the view is still as the leap needed it");
    });
}

#[test]
fn the_first_character_is_shown_from_its_front() {
    for front in [Front::PlusZ, Front::MinusZ, Front::PlusX] {
        in_window("en", |window| {
            app(window).viewport = Viewport::new(&eframe::CreationContext::_new_kittest(window.ctx.clone()));
            app(window).session.document.characters[0].roles.front = Some(front);
            window.run_steps(3);
            let camera = app(window).viewport.camera;
            let to_eye = (camera.eye() - camera.target).with_y(0.0).normalize();
            assert!(to_eye.dot(front.direction().as_vec3()) > 0.7, "{front:?}: the eye is at {to_eye}");
            assert!(is_framed(window));
        });
    }
}

#[test]
fn a_take_built_in_parts_is_fitted_again_when_it_is_complete() {
    in_window("en", |window| {
        let (leap, hair) = (take_index(window, "leap to 5 m"), take_index(window, "run with swinging hair and cape"));
        let session = &mut app(window).session;
        let swing = session.document.takes[hair].stages[0].kind.clone();
        let stretch = session.document.takes[leap].stages[0].kind.clone();
        let at_first = session.document.takes[leap].clone();
        let id = session.document.takes[hair].id;
        session.document.takes[hair].source = at_first.source;
        session.document.takes[hair].stages = Stage::numbered(vec![swing, stretch]);
        session.jobs = Jobs::default();
        session.selection.show(Shown::Take(id));
        let mut was_part = false;
        for _ in 0..2000 {
            window.run_steps(1);
            let state = app(window).session.evaluation.frame_state().clone();
            was_part |= state.shown == Shown::Take(id) && !state.is_whole;
            if state.shown == Shown::Take(id) && state.is_whole {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        window.run_steps(2);
        assert!(was_part, "the take was whole at once: nothing is shown by this test");
        assert!(is_framed(window), "the view is still as its source needed it");
    });
}

#[test]
fn several_overlays_are_chosen_and_numbers_typed_before_their_menu_closes() {
    in_window("en", |window| {
        window.get_by_label(&tr("overlays.title")).click();
        window.run_steps(3);
        window.get_by_label(&tr("overlays.joints")).click();
        window.run_steps(3);
        let spin = egui::accesskit::Role::SpinButton;
        window.get_by_role_and_label(spin, &tr("overlays.onion_every")).click();
        window.run_steps(3);
        window.event(egui::Event::Text("4".into()));
        window.run_steps(2);
        window.key_press(egui::Key::Enter);
        window.run_steps(3);
        let overlays = app(window).viewport.overlays;
        assert!(overlays.joints && overlays.onion_every == 4, "{overlays:?}");
    });
}

#[test]
fn a_walk_shown_after_images_and_a_known_take_is_fitted() {
    in_window("en", |window| {
        for name in ["flag in the wind", "flame", "flag in the wind", "run through the yard"] {
            let at = take_index(window, name);
            let id = app(window).session.document.takes[at].id;
            app(window).session.selection.show(Shown::Take(id));
            window.run_steps(8);
        }
        assert!(is_framed(window), "it is looked at as the flag was");
    });
}
