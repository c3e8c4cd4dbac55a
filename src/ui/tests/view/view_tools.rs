//! Viewing tools: ruler, pair overlay, automatic camera and films.

use egui::{Event as Input, Key, Modifiers, PointerButton};
use egui_kittest::kittest::Queryable;
use glam::Vec3;

use crate::tests::{App, app, in_window, tr};
use crate::viewport::references;
use portamento_formats::export::Replace;
use portamento_session::{Command, EditCommand, PairCommand, Shown, WindowCommand};
use portamento_takes::document::FileId;

type Window<'a> = egui_kittest::Harness<'a, Option<App>>;

/// Returns the screen position of `position`, in the file's unit.
fn on_screen(window: &mut Window<'_>, position: Vec3) -> egui::Pos2 {
    let rect = window.get_by_label(&tr("panel.viewport")).rect();
    let size = glam::Vec2::new(rect.width(), rect.height());
    let at = app(window).viewport.camera.project(position, size).unwrap();
    let pos = rect.min + egui::vec2(at.x, at.y);
    assert!(rect.contains(pos), "{position} is not seen");
    pos
}

/// Clicks at `position`.
fn click(window: &mut Window<'_>, position: Vec3) {
    let pos = on_screen(window, position);
    window.event(Input::PointerMoved(pos));
    window.run_steps(2);
    for pressed in [true, false] {
        window.event(Input::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE });
        window.run_steps(1);
    }
    window.run_steps(2);
}

fn ruler_ends(window: &mut Window<'_>) -> [Option<Vec3>; 2] {
    let app = app(window);
    app.viewport.ruler.end_positions(app.session.frame().unwrap())
}

#[test]
fn two_clicks_measure_on_the_ground_and_from_a_joint_that_moves() {
    in_window("en", |window| {
        app(window).perform(Command::Window(WindowCommand::FrameAll));
        window.run_steps(3);
        window.key_press(Key::M);
        window.run_steps(3);
        let ends = [Vec3::new(1.2, 0.0, 0.4), Vec3::new(1.2, 0.0, 2.4)];
        let target = app(window).session.document.clone();
        ends.into_iter().for_each(|end| click(window, end));
        let [Some(first), Some(second)] = ruler_ends(window) else { panic!("two ends") };
        assert!((first.distance(second) - 2.0).abs() < 0.02, "{first} {second}");

        // The third click starts a new measurement at the joint under it.
        let head = |window: &mut Window<'_>| {
            let frame = app(window).session.frame().unwrap();
            Vec3::from(frame.world[frame.character.model.skeleton.find("head").unwrap()].translation)
        };
        let at = head(window);
        click(window, at);
        assert_eq!(ruler_ends(window)[0], Some(at));
        let session = &mut app(window).session;
        session.playback.time = session.playback.duration;
        window.run_steps(3);
        let then = head(window);
        assert!(then.distance(at) > 0.1);
        assert_eq!(ruler_ends(window)[0], Some(then), "the end goes with its joint");
        assert_eq!(app(window).session.document, target, "nothing was edited");

        window.key_press(Key::Escape);
        window.run_steps(2);
        assert!(!app(window).viewport.ruler.is_on);
        assert_eq!(ruler_ends(window), [None, None]);
    });
}

#[test]
fn a_button_toggles_the_overlay_of_a_pair() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let file = app(window).session.document.files[0].id;
            let clip = Shown::Clip { character: file, file, clip: "run".into() };
            app(window).session.perform(Command::Pair(PairCommand::With(clip)));
            window.run_steps(6);
            let width = |window: &mut Window<'_>| window.get_by_label(&tr("panel.viewport")).rect().width();
            let half = width(window);
            window.get_by_label(&tr("pair.lay_over")).click();
            window.run_steps(4);
            assert!(width(window) > 1.9 * half, "{language}");
            let app_ = app(window);
            let over = app_.viewport.pair.laid_over(&app_.session).expect("it is drawn");
            assert_eq!(over.world.len(), app_.session.pair().unwrap().frame().unwrap().world.len());
            assert!(over.ghost.is_some());
            window.get_by_label(&tr("pair.beside")).click();
            window.run_steps(4);
            assert_eq!(width(window), half);
        });
    }
}

#[test]
fn the_camera_follows_walks_and_other_takes_only_if_enabled() {
    in_window("en", |window| {
        let went = |window: &mut Window<'_>| {
            let before = app(window).viewport.camera.target;
            app(window).session.playback.playing = true;
            window.run_steps(12);
            app(window).session.playback.playing = false;
            app(window).viewport.camera.target.distance(before)
        };
        let show = |window: &mut Window<'_>, name: &str| {
            let take = app(window).session.document.takes.iter().find(|take| take.name == name).unwrap().id;
            app(window).session.selection.show(Shown::Take(take));
            window.run_steps(8);
            app(window).session.playback.time = 0.5 * app(window).session.playback.duration;
            window.run_steps(3);
        };
        show(window, "run through the yard");
        assert!(went(window) > 0.1);
        app(window).viewport.overlays.follow = Some(false);
        assert_eq!(went(window), 0.0);
        app(window).viewport.overlays.follow = None;
        show(window, "run, cast, stop, end");
        assert_eq!(went(window), 0.0);
        app(window).viewport.overlays.follow = Some(true);
        app(window).session.playback.time = 0.2;
        assert!(went(window) > 0.1);
    });
}

#[test]
fn the_turntable_turns_until_it_is_stopped() {
    in_window("en", |window| {
        let turn = |window: &mut Window<'_>| {
            let before = app(window).viewport.camera.yaw;
            window.run_steps(5);
            app(window).viewport.camera.yaw - before
        };
        assert_eq!(turn(window), 0.0);
        for turns in [true, false] {
            app(window).perform(Command::Window(WindowCommand::ToggleTurntable));
            window.run_steps(2);
            assert_eq!(turn(window) > 0.0, turns);
        }
    });
}

#[test]
fn a_film_of_an_unknown_format_is_refused_and_escape_cancels_a_recording() {
    in_window("en", |window| {
        let folder = tempfile::tempdir().unwrap();
        app(window).begin_film(folder.path().join("a.avi"), Replace::Refuse, false);
        assert!(app(window).filming.is_none());
        assert!(app(window).session.notices.all().iter().any(|notice| notice.text().contains(".apng")));
        app(window).session.playback.time = 0.3;
        app(window).begin_film(folder.path().join("a.apng"), Replace::Refuse, false);
        window.run_steps(5);
        assert!(app(window).viewport.is_filmed && app(window).session.playback.frame() == 0);
        assert!(window.query_by_label(&tr("overlays.title")).is_none(), "tools are not in the picture");
        window.key_press(Key::Escape);
        window.run_steps(3);
        assert!(app(window).filming.is_none() && !folder.path().join("a.apng").exists());
        assert_eq!(app(window).session.playback.time, 0.3);
    });
}

#[test]
fn the_camera_of_a_film_follows_the_character_if_it_does_in_playback() {
    in_window("en", |window| {
        let folder = tempfile::tempdir().unwrap();
        for follows in [false, true] {
            app(window).viewport.overlays.follow = Some(follows);
            app(window).begin_film(folder.path().join("a.apng"), Replace::Allow, false);
            window.run_steps(6);
            let before = app(window).viewport.camera.target;
            app(window).filming.as_mut().unwrap().now = 40;
            window.run_steps(6);
            assert_eq!(app(window).viewport.camera.target.distance(before) > 0.5, follows);
            window.key_press(Key::Escape);
            window.run_steps(3);
        }
    });
}

#[test]
fn a_film_of_a_walk_shows_the_level_without_the_bar_of_its_views() {
    in_window("en", |window| {
        let is_walk = |take: &&portamento_takes::document::Take| take.name == "run through the yard";
        let take = app(window).session.document.takes.iter().find(is_walk).unwrap().id;
        app(window).session.selection.show(Shown::Take(take));
        window.run_steps(8);
        assert!(window.query_by_label(&tr("level.solid")).is_some());
        let folder = tempfile::tempdir().unwrap();
        app(window).begin_film(folder.path().join("a.apng"), Replace::Refuse, false);
        window.run_steps(3);
        assert!(app(window).filming.is_some() && window.query_by_label(&tr("level.solid")).is_none());
    });
}

#[test]
fn the_film_dialog_proposes_a_file_name_and_format() {
    in_window("en", |window| {
        app(window).dialogs.files.are_typed = true;
        let folder = tempfile::tempdir().unwrap();
        app(window).perform(Command::Window(WindowCommand::AskFilm));
        window.run_steps(3);
        window.event(Input::Text(folder.path().join("review").display().to_string()));
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(2);
        assert!(app(window).filming.is_some());
    });
}

/// Adds the first file to the scene as the only reference mesh.
fn add_reference(window: &mut Window<'_>) -> FileId {
    let file = app(window).session.document.files[0].id;
    app(window).session.document.objects.clear();
    app(window).perform(Command::Edit(EditCommand::AddReference(Some(file))));
    file
}

#[test]
fn a_reference_mesh_is_drawn_dragged_restored_and_hidden() {
    in_window("en", |window| {
        add_reference(window);
        app(window).perform(Command::Window(WindowCommand::FrameAll));
        window.run_steps(3);
        let object_position = |window: &mut Window<'_>| app(window).session.document.objects[0].position;
        let seen = |window: &mut Window<'_>| references::visible_references(&app(window).session, 0.01);
        app(window).session.document.objects[0].position = glam::DVec3::new(1.0, 0.0, 1.0);
        window.run_steps(3);
        let [reference] = <[_; 1]>::try_from(seen(window)).unwrap();
        assert_eq!(reference.transform.transform_point3(Vec3::X), Vec3::new(200.0, 0.0, 100.0), "in the view's unit");
        for cancels in [true, false] {
            let at = on_screen(window, Vec3::new(1.0, 0.0, 1.0));
            let button = |pos, pressed| {
                let button = PointerButton::Primary;
                Input::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE }
            };
            window.event(Input::PointerMoved(at));
            window.run_steps(2);
            window.event(button(at, true));
            window.run_steps(1);
            window.event(Input::PointerMoved(at + egui::vec2(24.0, 6.0)));
            window.run_steps(2);
            assert!(object_position(window).distance(glam::DVec3::new(1.0, 0.0, 1.0)) > 0.01);
            if cancels {
                window.key_press(Key::Escape);
                window.run_steps(2);
            }
            window.event(button(at + egui::vec2(24.0, 6.0), false));
            window.run_steps(3);
            assert_eq!(object_position(window) == glam::DVec3::new(1.0, 0.0, 1.0), cancels);
        }
        assert_eq!(object_position(window).y, 0.0, "over the ground");
        window.get_by_role_and_label(egui::accesskit::Role::CheckBox, &tr("form.object_seen")).click_accesskit();
        window.run_steps(3);
        assert!(seen(window).is_empty());
    });
}

#[test]
fn a_reference_mesh_is_selected_by_a_click_unless_a_figure_is_hit_and_framed() {
    in_window("en", |window| {
        let file = add_reference(window);
        app(window).session.document.objects[0].position = glam::DVec3::new(2.5, 0.0, -1.5);
        app(window).session.selection.object = None;
        window.key_press(Key::A);
        window.run_steps(3);
        let metres = app(window).session.document.file(file).unwrap().metres_per_unit;
        let bounds =
            |window: &mut Window<'_>| references::visible_references(&app(window).session, metres)[0].bounds().unwrap();
        let body = bounds(window).center();
        bounds(window).corners().into_iter().for_each(|corner| assert!(on_screen(window, corner).x > 0.0));
        let selected = |window: &mut Window<'_>| {
            let selection = &app(window).session.selection;
            (selection.object, selection.joint)
        };
        let head = |window: &mut Window<'_>| {
            let frame = app(window).session.frame().unwrap();
            let joint = frame.character.model.skeleton.find("head").unwrap();
            (joint, Vec3::from(frame.world[joint].translation))
        };
        let (joint, at) = head(window);
        click(window, at);
        assert_eq!(selected(window), (None, Some(joint)));
        click(window, body);
        assert_eq!(selected(window), (Some(0), None));
        let far = app(window).viewport.camera.distance;
        window.key_press(Key::F);
        window.run_steps(3);
        let camera = app(window).viewport.camera;
        assert!(camera.target.distance(body) < 1e-3 && camera.distance < 0.8 * far, "{camera:?}");
        window.key_press(Key::A);
        window.run_steps(3);
        assert_eq!(app(window).viewport.camera.distance, far);

        // A click on the figure selects no object, whichever is nearer, unless the figure is hidden.
        let eye = app(window).viewport.camera.eye();
        let (_, at) = head(window);
        let ray = portamento_render::Ray { origin: eye, direction: (at - eye).normalize() };
        app(window).session.document.objects[0].position = glam::DVec3::ZERO;
        let middle = bounds(window).center();
        let parts = app(window).session.library.get(file).unwrap().model.instances.len();
        for share in [0.5, 1.5] {
            let position = (eye + (at - eye) * share - middle).as_dvec3() * metres;
            app(window).session.document.objects[0].position = position;
            for hidden in [Vec::new(), (0..parts).map(|part| (file, part)).collect()] {
                let expected = Some(0).filter(|_| !hidden.is_empty());
                app(window).session.selection.hidden = hidden.into_iter().collect();
                assert_eq!(references::object_at(&app(window).session, metres, ray), expected, "{share}");
            }
        }
    });
}

#[test]
fn the_place_of_the_view_is_known_between_frames_when_films_are_cut_out() {
    in_window("en", |window| {
        let view = window.get_by_label(&tr("panel.viewport")).rect();
        assert_eq!(app(window).viewport.drawn_rect, Some(view));
    });
}
