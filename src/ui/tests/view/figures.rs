//! Measurements in panels link to the frame they come from.

use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT, Queryable};

use crate::tests::{App, app, in_window, tr};
use portamento_session::command::stage::StageCommand;
use portamento_session::{Command, EditCommand, FiguresOfShown, Shown};
use portamento_takes::document::{Asset, Loaded, StageType};

type Window<'a> = egui_kittest::Harness<'a, Option<App>>;

/// Clicks the button whose name starts with `name`, at any scroll position.
fn press(window: &mut Window<'_>, name: &str) {
    let buttons = window.query_all_by_role(Role::Button);
    let begins =
        |node: &egui_kittest::Node<'_>| node.accesskit_node().label().is_some_and(|label| label.starts_with(name));
    buttons.into_iter().find(begins).unwrap_or_else(|| panic!("no figure {name}")).click_accesskit();
    window.run_steps(3);
}

#[test]
fn clicking_the_largest_pop_selects_its_joint_and_frame() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let session = &mut app(window).session;
            let file = session.document.files[0].id;
            session.selection.show(Shown::Clip { character: file, file, clip: "leap_strike".into() });
            window.run_steps(6);
            let session = &mut app(window).session;
            let figures = session.evaluation.figures();
            assert!(figures.is_current, "they are measured by themselves");
            let beyond = figures.quality.unwrap().pops.beyond.unwrap();
            let skeleton = session.frame().unwrap().character.model.skeleton.clone();
            assert_eq!((session.playback.time, session.selection.joint), (0.0, None));
            assert!(beyond.time > 0.0);
            press(window, &tr("outcome.figure_beyond"));
            let session = &app(window).session;
            assert!((session.playback.time - beyond.time).abs() < 1e-6, "{language}: {}", session.playback.time);
            assert_eq!(session.selection.joint, skeleton.find(&beyond.joint));
        });
    }
}

#[test]
fn a_joint_selected_by_a_measurement_is_brought_into_view() {
    in_window("en", |window| {
        let session = &mut app(window).session;
        let file = session.document.files[0].id;
        session.selection.show(Shown::Clip { character: file, file, clip: "leap_strike".into() });
        window.run_steps(8);
        let view = window.get_by_label(&tr("panel.viewport")).rect();
        let seen = |window: &mut Window<'_>, joint: usize| {
            let joint_position: glam::Vec3 = app(window).session.frame().unwrap().world[joint].translation.into();
            let size = glam::Vec2::new(view.width(), view.height());
            let at = app(window).viewport.camera.project(joint_position, size);
            at.is_some_and(|at| at.x > 0.0 && at.y > 0.0 && at.x < size.x && at.y < size.y)
        };
        app(window).viewport.camera.target += glam::Vec3::new(20.0, 0.0, 0.0);
        press(window, &tr("outcome.figure_slide"));
        window.run_steps(3);
        let joint = app(window).session.selection.joint.unwrap();
        assert!(seen(window, joint));
        // A joint inside the view does not move the camera.
        let camera = app(window).viewport.camera;
        press(window, &tr("outcome.figure_slide"));
        window.run_steps(3);
        assert_eq!(app(window).viewport.camera, camera);
    });
}

#[test]
fn no_motion_shows_the_measurements_of_another() {
    in_window("en", |window| {
        let pops = tr("outcome.figure_pops");
        assert!(app(window).session.evaluation.figures().is_current && window.query_by_label(&pops).is_some());
        let file = app(window).session.document.files[0].id;
        app(window).session.selection.show(Shown::Clip { character: file, file, clip: "leap_strike".into() });
        app(window).session.update(0.0, false);
        assert_eq!(app(window).session.evaluation.figures(), FiguresOfShown { quality: None, is_current: false });
        window.run_steps(4);
        assert!(app(window).session.evaluation.figures().is_current);
        let flag = app(window).session.document.takes.iter().find(|take| take.name == "flag in the wind").unwrap().id;
        app(window).session.selection.show(Shown::Take(flag));
        window.run_steps(6);
        assert!(app(window).session.evaluation.figures().quality.is_none() && window.query_by_label(&pops).is_none());
    });
}

#[test]
fn measurements_are_updated_when_the_motion_changes() {
    in_window("en", |window| {
        let residue = |window: &mut Window<'_>| {
            window.run_steps(4);
            let figures = app(window).session.evaluation.figures();
            assert!(figures.is_current);
            figures.quality.unwrap().way.travel
        };
        let before = residue(window);
        let Shown::Take(id) = app(window).session.selection.shown else { panic!("no take is shown") };
        let target = portamento_stretch::Target::World(glam::DVec3::new(0.0, 0.0, 9.0));
        let take = app(window).session.document.take_mut(id).unwrap();
        take.stretch_mut(None).unwrap().settings.target = Some(target);
        let after = residue(window);
        assert!((after - before).abs() > 1.0, "{before} {after}");
    });
}

#[test]
fn clicking_a_measurement_of_a_stage_moves_to_its_time() {
    in_window("en", |window| {
        let end = app(window).session.playback.duration;
        assert_eq!(app(window).session.playback.time, 0.0);
        press(window, &tr("outcome.end"));
        assert!((app(window).session.playback.time - end).abs() < 1e-6);
    });
}

/// Makes `idle` drift from its feet at 0.3 m/s, and shows it.
fn show_drifting(window: &mut Window<'_>) {
    let session = &mut app(window).session;
    let file = session.document.files[0].id;
    let loaded = session.library.get(file).unwrap();
    let mut model = loaded.model.clone();
    let root = session.document.character(file).unwrap().roles.root_motion.unwrap();
    let rest = model.skeleton.joints[root].rest.translation;
    let idle = model.clips.iter_mut().find(|clip| clip.name == "idle").unwrap();
    let end = idle.duration as f32;
    let away = rest + 0.3 * end * glam::Vec3::X;
    idle.tracks[root].translation = Some(portamento_anim::Curve::linear(vec![0.0, end], vec![rest, away]));
    let drifting = Loaded { model, source: loaded.source.clone(), ..Loaded::default() };
    session.library.insert(file, Asset::new(drifting));
    session.selection.show(Shown::Clip { character: file, file, clip: "idle".into() });
    window.run_steps(8);
}

#[test]
fn a_shown_clip_is_fixed_by_the_button_under_its_measurements() {
    in_window("en", |window| {
        let mend = tr("clips.mend");
        let offered = |window: &Window<'_>| window.query_all_by_label_contains(&mend).count();
        let file = app(window).session.document.files[0].id;
        app(window).session.selection.show(Shown::Clip { character: file, file, clip: "idle".into() });
        window.run_steps(8);
        assert_eq!(offered(window), 0, "nothing is found in it");
        show_drifting(window);
        window.query_all_by_label_contains(&mend).next().expect("it drifts").click_accesskit();
        window.run_steps(8);
        let session = &app(window).session;
        let fixed_take = session.document.takes.last().unwrap();
        let stages: Vec<&str> = fixed_take.stages.iter().map(|stage| stage.kind.name()).collect();
        assert_eq!((fixed_take.name.as_str(), stages), ("idle fixed", vec!["root"]));
        assert_eq!(session.selection.shown, Shown::Take(fixed_take.id));
    });
}

#[test]
fn a_difference_has_no_figures_of_a_body_on_the_ground() {
    in_window("en", |window| {
        let sinking = tr("outcome.figure_sinking");
        window.run_steps(4);
        assert!(window.query_by_label(&sinking).is_some());
        app(window).perform(Command::Edit(EditCommand::Stage(StageCommand::Add(StageType::Additive))));
        window.run_steps(8);
        assert!(app(window).session.evaluation.figures().is_current);
        assert!(window.query_by_label(&sinking).is_none());
        assert!(window.query_by_label(&tr("outcome.figure_pops")).is_some());
    });
}
