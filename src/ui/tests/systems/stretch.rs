//! Stretches in the window: stretch windows on the timeline, targets in the viewport, warnings with links.

use egui::{Event as Input, Modifiers, PointerButton, Pos2, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use glam::DVec3;

use crate::tests::{App, app, in_window, tr};
use crate::viewport::camera::bounds;
use portamento_base::message::Message;
use portamento_session::{Command, Shown, WindowCommand};
use portamento_stretch::{Report, Settings, Target, Window as Part};

type Window<'a> = Harness<'a, Option<App>>;

fn report(window: &mut Window<'_>) -> Report {
    let frame = app(window).session.frame().unwrap();
    frame.built.as_ref().unwrap().stretch(None).unwrap().report.clone()
}

fn settings<'w>(window: &'w mut Window<'_>) -> &'w mut Settings {
    let Shown::Take(id) = app(window).session.selection.shown else { panic!("no take is shown") };
    &mut app(window).session.document.take_mut(id).unwrap().stretch_mut(None).unwrap().settings
}

/// Returns the shown stretch with two windows, one per half, that change nothing.
fn with_two_windows(window: &mut Window<'_>) {
    let duration = app(window).session.playback.duration;
    let before = report(window);
    let [middle, end] = [0.5, 1.0].map(|share| before.stretched_at(share * duration));
    let settings = settings(window);
    settings.target = None;
    settings.add_window(0.0, 0.4 * duration, middle);
    settings.add_window(0.5 * duration, duration, end);
    window.run_steps(4);
}

fn drag(window: &mut Window<'_>, from: Pos2, by: Vec2) {
    window.event(Input::PointerMoved(from));
    window.run_steps(2);
    let button = |pos, pressed| Input::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.event(button(from, true));
    window.run_steps(1);
    for i in 1..=4 {
        window.event(Input::PointerMoved(from + by * (i as f32 / 4.0)));
        window.run_steps(1);
    }
    window.event(button(from + by, false));
    window.run_steps(4);
}

/// Returns the screen position of a scene position.
fn seen(window: &mut Window<'_>, at: DVec3) -> Pos2 {
    let rect = window.get_by_label(&tr("panel.viewport")).rect();
    let camera = app(window).viewport.camera;
    let at = camera.project(at.as_vec3(), glam::Vec2::new(rect.width(), rect.height())).unwrap();
    rect.min + Vec2::new(at.x, at.y)
}

/// Returns the rectangle of the timeline's lanes.
fn lanes_room(window: &Window<'_>) -> egui::Rect {
    let sliders = window.get_all_by_role(egui::accesskit::Role::Slider).map(|node| node.rect());
    sliders.filter(|rect| rect.width() > 900.0).reduce(|_, last| last).unwrap()
}

#[test]
fn the_target_of_every_window_is_dragged_by_its_own_ring() {
    in_window("en", |window| {
        with_two_windows(window);
        let targets: Vec<DVec3> = app(window).session.frame().unwrap().overlay.targets.clone();
        assert_eq!(targets.len(), 2);
        let at = seen(window, targets[0]);
        drag(window, at + Vec2::new(-8.0, 4.0), Vec2::new(40.0, 10.0));
        assert_eq!(app(window).session.selection.window, Some(0));
        let windows: Vec<Part> = settings(window).windows.clone();
        let Target::World(first) = windows[0].target else { panic!("{:?}", windows[0].target) };
        assert!(first.distance(targets[0]) > 0.05 && first.y == targets[0].y, "{first} from {}", targets[0]);
        assert_eq!(windows[1].target, Target::World(targets[1]), "the other stays");
    });
}

#[test]
fn drawing_does_not_change_a_window_longer_than_the_motion() {
    in_window("en", |window| {
        with_two_windows(window);
        settings(window).windows[1].end += 2.0;
        let before = settings(window).windows.clone();
        window.run_steps(4);
        assert_eq!(settings(window).windows, before);
    });
}

#[test]
fn a_stretch_window_is_moved_by_its_band() {
    in_window("en", |window| {
        with_two_windows(window);
        let before = settings(window).windows.clone();
        let lanes = lanes_room(window);
        // The lane of the first stage is under the ruler; its name is left of the time axis.
        let y = lanes.min.y + 24.0 + 11.0;
        let at = Pos2::new(lanes.min.x + 0.3 * lanes.width(), y);
        drag(window, at, Vec2::new(60.0, 0.0));
        let after = settings(window).windows.clone();
        let length = |part: &Part| part.end - part.start;
        assert!(after[0].start > before[0].start + 0.02, "{after:?}");
        assert!((length(&after[0]) - length(&before[0])).abs() < 1e-9);
        assert_eq!((after[1], app(window).session.selection.window), (before[1], Some(0)));
        drag(window, Pos2::new(at.x + 60.0, y), Vec2::new(900.0, 0.0));
        assert!((settings(window).windows[0].end - before[1].start).abs() < 1e-9, "it stops at the next one");
    });
}

#[test]
fn contacts_of_feet_are_trimmed_added_and_removed_on_their_lane() {
    in_window("en", |window| {
        settings(window).feet = true;
        window.run_steps(4);
        let found = report(window).plants;
        let (foot, span) = (found[0].foot, found[0].spans[0]);
        let lanes = lanes_room(window);
        let duration = app(window).session.playback.duration;
        // Ruler, stage, keys, motion; the first foot is in the upper half of the next lane.
        let row = ((lanes.height() - 24.0) / 4.0).clamp(12.0, 22.0);
        let y = lanes.min.y + 24.0 + 3.25 * row;
        let times = egui::Rangef::new(lanes.min.x + crate::timeline::lanes::NAMES + 12.0, lanes.max.x - 12.0);
        let x = |time: f64| times.min + times.span() * (time / duration) as f32;
        drag(window, Pos2::new(x(span.end), y), Vec2::new(-40.0, 0.0));
        let edited = settings(window).plants.clone();
        assert_eq!((edited.len(), edited[0].foot), (1, foot), "{edited:?}");
        assert!(edited[0].spans[0].end < span.end - 0.01 && edited[0].spans[0].start == span.start);
        assert_eq!(report(window).plants[0], edited[0]);
        window.event(Input::PointerMoved(Pos2::new(x(0.5 * (span.start + edited[0].spans[0].end)), y)));
        window.run_steps(2);
        window.key_press(egui::Key::Delete);
        window.run_steps(3);
        assert_eq!(settings(window).plants[0].spans.len(), edited[0].spans.len() - 1);
    });
}

#[test]
fn a_take_restores_its_playhead_range_and_view() {
    in_window("en", |window| {
        let takes: Vec<Shown> = app(window).session.document.takes.iter().map(|take| Shown::Take(take.id)).collect();
        let show = |window: &mut Window<'_>, at: usize| {
            app(window).session.selection.show(takes[at].clone());
            window.run_steps(4);
        };
        show(window, 0);
        let left = (0.4, Some((0.2, 0.8)));
        (app(window).session.playback.time, app(window).session.playback.range) = left;
        app(window).viewport.camera.distance *= 0.5;
        window.run_steps(3);
        let camera = app(window).viewport.camera;
        show(window, 1);
        assert_ne!(app(window).viewport.camera, camera, "another take fills the view");
        app(window).session.playback.time = 0.1;
        app(window).session.playback.range = None;
        window.run_steps(3);
        show(window, 0);
        assert_eq!((app(window).session.playback.time, app(window).session.playback.range), left);
        assert_eq!(app(window).viewport.camera, camera);
    });
}

#[test]
fn f_frames_the_mesh_and_not_its_path() {
    in_window("en", |window| {
        let session = &mut app(window).session;
        session.playback.time = session.playback.duration;
        window.run_steps(3);
        let far = app(window).viewport.camera.distance;
        app(window).perform(Command::Window(WindowCommand::FrameSelection));
        window.run_steps(3);
        let (camera, session) = (app(window).viewport.camera, &app(window).session);
        let mesh = bounds::mesh(session, session.frame().unwrap()).unwrap();
        assert!(camera.distance < far && camera.target.distance(mesh.center()) < 0.2 * mesh.size().length());
        let rect = window.get_by_label(&tr("panel.viewport")).rect();
        let size = glam::Vec2::new(rect.width(), rect.height());
        let seen =
            mesh.corners().map(|corner| (camera.project(corner, size).unwrap() / size - 0.5).abs().max_element());
        let widest = seen.into_iter().fold(0.0, f32::max);
        assert!((0.35..=0.5).contains(&widest), "it fills the view: {widest}");
    });
}

#[test]
fn a_click_on_a_warning_goes_to_its_moment_and_joint() {
    in_window("en", |window| {
        settings(window).target = Some(Target::World(DVec3::new(0.0, 0.0, -1.0)));
        window.run_steps(4);
        let built = app(window).session.frame().unwrap().built.clone().unwrap();
        let warning: &Message = built.warnings.iter().find(|each| each.moment.is_some()).unwrap();
        let moment = *warning.moment.clone().unwrap();
        assert!(moment.seconds > 0.0 && app(window).session.playback.time == 0.0);
        // The row may be outside the visible part of the inspector.
        window.get_all_by_label(&warning.to_string()).last().unwrap().click_accesskit();
        window.run_steps(3);
        assert_eq!(app(window).session.playback.time, built.output_time_of(moment));
    });
}

#[test]
fn another_window_changes_nothing_until_it_is_dragged() {
    in_window("en", |window| {
        let Shown::Take(id) = app(window).session.selection.shown else { panic!("no take is shown") };
        let duration = app(window).session.playback.duration;
        let first = report(window).stretched_at(0.5 * duration) + glam::DVec3::new(0.3, 0.0, 0.4);
        let settings = |window: &mut Harness<'_, Option<App>>, change: &dyn Fn(&mut portamento_stretch::Settings)| {
            change(&mut app(window).session.document.take_mut(id).unwrap().stretch_mut(None).unwrap().settings);
            window.run_steps(4);
        };
        settings(window, &|settings| {
            settings.target = None;
            settings.add_window(0.0, 0.5 * duration, first);
        });
        let before = report(window);
        assert!(before.stretched_at(0.5 * duration).distance(first) < 1e-6);
        let end = before.stretched_at(duration);
        settings(window, &|settings| settings.add_window(0.5 * duration, duration, end));
        let after = report(window);
        assert_eq!(after.windows.len(), 2);
        let furthest = before.stretched.points.iter().zip(&after.stretched.points).map(|(a, b)| a.distance(*b));
        assert!(furthest.fold(0.0, f64::max) < 1e-6, "the new window moves the motion");
    });
}
