//! The pose stage in the window: handles of a joint, numbers in the inspector and keys on the timeline.

use egui::{Event as Input, Key, Modifiers, PointerButton, Pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::stack::lanes;
use crate::tests::{App, app, in_window, tr};
use crate::timeline::lanes::Lanes;
use crate::timeline::read;
use crate::viewport::handles::pose;
use portamento_repair::pose::{Correction, PoseKey};
use portamento_session::command::stage::StageCommand;
use portamento_session::posing::{PoseAxes, PoseTool};
use portamento_session::{Command, EditCommand, Shown};
use portamento_takes::document::StageType;

type Window<'a> = Harness<'a, Option<App>>;

const ARM: &str = "upper_arm.L";

/// Opens a window with a pose stage on the hero's run, the left upper arm selected and the playhead at 0.2 s.
fn with_a_posed_arm(tool: PoseTool, axes: PoseAxes, check: impl FnOnce(&mut Window<'_>)) {
    in_window("en", |window| {
        let session = &mut app(window).session;
        let file = session.document.files[0].id;
        let arm = session.library.get(file).unwrap().model.skeleton.find(ARM).unwrap();
        session.selection.show(Shown::Clip { character: file, file, clip: "run".into() });
        session.update(0.0, true);
        session.perform(Command::Edit(EditCommand::Stage(StageCommand::Add(StageType::Pose))));
        session.selection.joint = Some(arm);
        session.selection.posing = (tool, axes);
        session.playback.playing = false;
        session.playback.time = 0.2;
        window.run_steps(6);
        check(window);
    });
}

fn keys(window: &mut Window<'_>) -> Vec<PoseKey> {
    let session = &app(window).session;
    session.pose_settings(&session.pose_site().unwrap()).unwrap().keys.clone()
}

fn correction(window: &mut Window<'_>) -> Correction {
    keys(window)[0].correction(ARM).cloned().unwrap()
}

fn button(window: &mut Window<'_>, pos: Pos2, pressed: bool) {
    window.event(Input::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE });
    window.run_steps(2);
}

/// Presses at the first point and drags to the second.
fn drag(window: &mut Window<'_>, [from, to]: [Pos2; 2]) {
    window.event(Input::PointerMoved(from));
    window.run_steps(2);
    button(window, from, true);
    for i in 1..=4 {
        window.event(Input::PointerMoved(from + (to - from) * (i as f32 / 4.0)));
        window.run_steps(1);
    }
    let app = app(window);
    assert!(app.viewport.is_dragging() || app.timeline.is_dragging(), "nothing was grabbed");
}

/// Returns two points on the ring about `axis`, one eighth of a turn apart, where no other ring is as near.
fn ring_points(window: &mut Window<'_>, axis: usize) -> [Pos2; 2] {
    let rect = window.get_by_label(&tr("panel.viewport")).rect();
    let app = app(window);
    let rings = pose::handles(&app.session).unwrap().rings;
    let camera = &app.viewport.camera;
    let others = |at: Pos2| {
        let points = (0..3).filter(|&other| other != axis).flat_map(|other| rings.points(other, camera, rect));
        points.map(|point| point.distance(at)).fold(f32::INFINITY, f32::min)
    };
    let points = rings.points(axis, camera, rect);
    let start = (0..points.len() - 6).max_by(|&a, &b| others(points[a]).total_cmp(&others(points[b]))).unwrap();
    [points[start], points[start + 6]]
}

#[test]
fn a_ring_turns_the_joint_about_its_axis_in_one_undo_step() {
    for axes in [PoseAxes::Local, PoseAxes::Parent, PoseAxes::World] {
        with_a_posed_arm(PoseTool::Turn, axes, |window| {
            for axis in 0..3 {
                let points = ring_points(window, axis);
                drag(window, points);
                button(window, points[1], false);
                window.run_steps(4);
                assert_eq!(keys(window).len(), 1, "{axes:?} {axis}");
                let turned = correction(window);
                assert!((keys(window)[0].time - 0.2).abs() < 0.02 && turned.translation.is_none());
                let degrees = 2.0 * turned.rotation().w.abs().min(1.0).acos().to_degrees();
                assert!(degrees > 5.0, "{axes:?} {axis}: {turned:?}");
                if axes == PoseAxes::Local {
                    let others = (0..3).filter(|&other| other != axis).map(|other| turned.turn.unwrap()[other].abs());
                    assert!(others.fold(0.0, f64::max) < 1e-3, "{axis}: {turned:?}");
                }
                window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
                window.run_steps(4);
                assert!(keys(window).is_empty(), "{axes:?} {axis}");
            }
        });
    }
}

#[test]
fn degrees_can_be_typed_and_escape_restores_the_stage() {
    with_a_posed_arm(PoseTool::Turn, PoseAxes::Local, |window| {
        let points = ring_points(window, 1);
        drag(window, points);
        for c in "z-30".chars() {
            window.event(Input::Text(c.to_string()));
            window.run_steps(1);
        }
        button(window, points[1], false);
        window.run_steps(4);
        assert_eq!(correction(window).turn, Some([0.0, 0.0, -30.0]));
        let points = ring_points(window, 0);
        drag(window, points);
        assert_ne!(correction(window).turn, Some([0.0, 0.0, -30.0]));
        window.key_press(Key::Escape);
        window.run_steps(2);
        button(window, points[1], false);
        assert_eq!(correction(window).turn, Some([0.0, 0.0, -30.0]));
    });
}

#[test]
fn an_arrow_moves_the_joint_along_its_axis_in_the_world() {
    with_a_posed_arm(PoseTool::Move, PoseAxes::World, |window| {
        let position = |window: &mut Window<'_>| {
            let session = &app(window).session;
            let world = session.frame().unwrap().world[session.selection.joint.unwrap()];
            glam::Vec3::from(world.translation)
        };
        let before = position(window);
        let rect = window.get_by_label(&tr("panel.viewport")).rect();
        let tip = {
            let app = app(window);
            pose::handles(&app.session).unwrap().tip(1, &app.viewport.camera, rect).unwrap()
        };
        let from = tip + egui::vec2(0.0, 4.0);
        drag(window, [from, from - egui::vec2(0.0, 40.0)]);
        button(window, from - egui::vec2(0.0, 40.0), false);
        window.run_steps(4);
        let moved = position(window) - before;
        assert!(moved.y > 0.02 && moved.x.hypot(moved.z) < 1e-4 * moved.y.max(1.0), "{moved}");
        assert!(correction(window).turn.is_none());
    });
}

#[test]
fn keys_are_dragged_and_removed_on_the_timeline() {
    with_a_posed_arm(PoseTool::Turn, PoseAxes::Local, |window| {
        let session = &mut app(window).session;
        let site = session.pose_site().unwrap();
        session.set_correction(&site, Correction { turn: Some([20.0, 0.0, 0.0]), ..Correction::of(ARM) });
        window.run_steps(6);
        let (rect, x) = lanes(window);
        let y = Lanes::within(rect, &read::model(&app(window).session), 0.0).stages[0].center().y;
        let from = Pos2::new(x(0.2), y);
        drag(window, [from, from + egui::vec2(60.0, 0.0)]);
        button(window, from + egui::vec2(60.0, 0.0), false);
        window.run_steps(4);
        assert!(keys(window)[0].time > 0.21, "{}", keys(window)[0].time);
        window.key_press(Key::Delete);
        window.run_steps(4);
        assert!(keys(window).is_empty());
    });
}
