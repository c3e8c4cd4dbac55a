//! Goals: pinned hands, feet and hips, and looks.

use glam::DVec3;

use super::*;
use portamento_anim::rig::chains::chains;
use portamento_anim::root_motion::{rest_at, turn_of};

fn with_goals(figure: &Figure, clip: &Clip, goals: Vec<Goal>, fps: f64) -> Built {
    let (skeleton, roles) = (&figure.model.skeleton, &figure.roles);
    let input = Input { skeleton, clip, root: None, roles, fps, metres_per_unit: figure.metres_per_unit };
    let limbs = chains(&figure.model, roles);
    build(&input, &limbs, &Settings { keys: Vec::new(), goals }, &Progress::new()).unwrap()
}

/// Returns the position of `joint` at `time`, metres.
fn position(figure: &Figure, clip: &Clip, joint: usize, time: f64) -> DVec3 {
    let pose = clip.pose_at(&figure.model.skeleton, time);
    pose.world_from_joint(&figure.model.skeleton, joint).translation * figure.metres_per_unit
}

fn goal(figure: &Figure, joint: usize, target: DVec3, span: [f64; 2]) -> Goal {
    Goal {
        joint: figure.model.skeleton.joints[joint].name.clone(),
        target: target.to_array(),
        start: span[0],
        end: span[1],
        fade_in: 0.1,
        fade_out: 0.1,
        ..Goal::default()
    }
}

/// Returns the figures of the corpus with a clip that is long enough.
fn figures() -> Vec<(&'static str, Figure, Clip)> {
    let names = [("hero", "walk"), ("characters/knight.glb", "Walking_A"), ("characters/fox.glb", "Walk")];
    let open = |(name, clip): (&'static str, &str)| {
        let figure = Figure::open(name)?;
        let clip = figure.model.clips.iter().find(|each| each.name == clip).cloned().unwrap();
        Some((name, figure, clip))
    };
    names.into_iter().filter_map(open).collect()
}

#[test]
fn a_pinned_hand_or_foot_stays_on_its_goal_at_every_rate_and_the_rest_keeps_its_bits() {
    let mut looked_at = 0;
    for (name, figure, clip) in figures() {
        let skeleton = &figure.model.skeleton;
        let ends = figure.roles.hands.iter().copied().chain(figure.roles.legs.iter().map(|leg| leg.foot));
        for joint in ends {
            let middle = 0.5 * clip.duration;
            let span = [middle - 0.1, middle + 0.1];
            // Nearer to the body than any position in the span, so that the limb can reach it throughout.
            let parents: Vec<usize> = skeleton.ancestors(joint).collect();
            let top = parents.get(2).copied().unwrap_or(joint);
            let target = position(&figure, &clip, joint, middle).lerp(position(&figure, &clip, top, middle), 0.5);
            for fps in [24.0, 30.0, 60.0, 120.0] {
                let built = with_goals(&figure, &clip, vec![goal(&figure, joint, target, span)], fps);
                let times = (0..=100).map(|i| span[0] + (span[1] - span[0]) * f64::from(i) / 100.0);
                let far = times.map(|time| position(&figure, &built.clip, joint, time).distance(target));
                let far = far.fold(0.0, f64::max);
                // Between keys a limb leaves its goal by a·h²/8: the body of a run accelerates by about 16 m/s², and h is 1/96 s at
                // 24 frames per second.
                let limit = if fps < 60.0 { 2.5e-4 } else { 1e-4 };
                assert!(far < limit, "{name} joint {joint} at {fps}: {} mm, {:?}", 1e3 * far, built.report.goals);
                for time in frame_times(&clip, 0..skeleton.len(), fps) {
                    if (span[0]..=span[1]).contains(&time) {
                        let far = position(&figure, &built.clip, joint, time).distance(target);
                        assert!(far < 1e-5, "{name} joint {joint} on the frame at {time}: {} mm", 1e3 * far);
                    }
                }
                for time in frame_times(&clip, 0..skeleton.len(), fps) {
                    if time < span[0] - 0.1 - 1.0 / fps || time > span[1] + 0.1 + 1.0 / fps {
                        let [was, is] = [&clip, &built.clip].map(|clip| clip.pose_at(skeleton, time));
                        assert!(was == is, "{name} joint {joint} at {time}");
                    }
                }
                looked_at += 1;
            }
        }
    }
    assert!(looked_at >= 16, "{looked_at}");
}

#[test]
fn a_goal_out_of_reach_reports_how_far_the_limb_is_too_short() {
    let figure = Figure::open("hero").unwrap();
    let clip = figure.model.clip("idle").unwrap();
    let [upper, lower, hand] = ["upper_arm.L", "lower_arm.L", "hand.L"].map(|name| figure.joint(name));
    let target = DVec3::new(3.0, 1.0, 0.5);
    let built = with_goals(&figure, clip, vec![goal(&figure, hand, target, [0.3, 0.3])], 30.0);
    let [shoulder, elbow, wrist] = [upper, lower, hand].map(|joint| position(&figure, clip, joint, 0.3));
    let length = shoulder.distance(elbow) + elbow.distance(wrist);
    let expected = shoulder.distance(target) - length;
    let report = &built.report.goals[0];
    assert!((report.gap - expected).abs() < 1e-4, "{} {expected}", report.gap);
    assert!(built.report.warns() && built.report.warnings().len() == 1);
    let straight = position(&figure, &built.clip, hand, 0.3) - shoulder;
    assert!(straight.normalize().dot((target - shoulder).normalize()) > 1.0 - 1e-6);
    assert!((straight.length() - length).abs() < 1e-4, "bones are not stretched");
}

#[test]
fn the_elbow_stays_on_its_side_and_the_hand_keeps_its_direction() {
    let figure = Figure::open("hero").unwrap();
    let clip = figure.model.clip("run").unwrap();
    let skeleton = &figure.model.skeleton;
    let [upper, lower, hand] = ["upper_arm.R", "lower_arm.R", "hand.R"].map(|name| figure.joint(name));
    let shift = DVec3::new(0.05, 0.1, 0.05);
    let target = position(&figure, clip, hand, 0.3) + shift;
    let built = with_goals(&figure, clip, vec![goal(&figure, hand, target, [0.3, 0.3])], 30.0);
    let side = |clip: &Clip| {
        let [shoulder, elbow, wrist] = [upper, lower, hand].map(|joint| position(&figure, clip, joint, 0.3));
        (elbow - shoulder).cross(wrist - elbow).normalize()
    };
    assert!(side(clip).dot(side(&built.clip)) > 0.7, "{} {}", side(clip), side(&built.clip));
    let direction = |clip: &Clip| turn_of(&clip.pose_at(skeleton, 0.3).world_from_joint(skeleton, hand));
    assert!(direction(clip).dot(direction(&built.clip)).abs() > 1.0 - 1e-8);
}

#[test]
fn a_hand_pinned_to_the_other_one_moves_with_it_and_hips_are_moved_exactly() {
    let figure = Figure::open("hero").unwrap();
    let clip = figure.model.clip("idle").unwrap();
    let skeleton = &figure.model.skeleton;
    let [left, right, hips] = ["hand.L", "hand.R", "hips"].map(|name| figure.joint(name));
    let from_right = |clip: &Clip, time: f64| {
        let of = clip.pose_at(skeleton, time).world_from_joint(skeleton, right);
        let between = position(&figure, clip, left, time) - of.translation * figure.metres_per_unit;
        turn_of(&of).inverse() * between
    };
    let offset = from_right(clip, 0.4) * 0.9;
    let pinned = Goal { of: "hand.R".into(), ..goal(&figure, left, offset, [0.2, 0.8]) };
    let target = position(&figure, clip, hips, 0.5) + DVec3::new(0.02, -0.05, 0.03);
    let moved = goal(&figure, hips, target, [0.2, 0.8]);
    // Hips that are listed last still carry the hands first.
    let built = with_goals(&figure, clip, vec![pinned, moved], 30.0);
    for time in [0.2, 0.35, 0.5, 0.8] {
        assert!(from_right(&built.clip, time).distance(offset) < 1e-4, "{time}");
        assert!(position(&figure, &built.clip, hips, time).distance(target) < 1e-5, "{time}");
    }
}

#[test]
fn a_look_faces_its_target_within_its_limit() {
    for (name, figure, clip) in figures() {
        let skeleton = &figure.model.skeleton;
        let head = figure.roles.head.unwrap();
        let front = figure.roles.front.unwrap_or_default().direction();
        let gaze = |clip: &Clip| {
            let world = clip.pose_at(skeleton, 0.3).world_from_joint(skeleton, head);
            (
                world.translation * figure.metres_per_unit,
                turn_of(&world) * turn_of(&rest_at(skeleton, head)).inverse() * front,
            )
        };
        let (eyes, incoming) = gaze(&clip);
        let across = DVec3::Y.cross(incoming).normalize();
        for (degrees, limit) in [(40.0_f64, 70.0), (40.0, 25.0)] {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let target = eyes + 5.0 * (incoming * cos + across * sin);
            let look = Goal { kind: GoalKind::Look, limit, ..goal(&figure, head, target, [0.3, 0.3]) };
            let built = with_goals(&figure, &clip, vec![look], 30.0);
            let (eyes, facing) = gaze(&built.clip);
            let turned = facing.angle_between(incoming).to_degrees();
            if limit > degrees {
                let off = facing.angle_between(target - eyes).to_degrees();
                assert!(off < 0.01, "{name}: {off}° off");
            } else {
                assert!((turned - limit).abs() < 0.01, "{name}: turned {turned}°");
            }
        }
    }
}

#[test]
fn a_goal_without_influence_or_joint_changes_nothing() {
    let figure = Figure::open("hero").unwrap();
    let clip = figure.model.clip("run").unwrap();
    let hand = figure.joint("hand.L");
    let none = Goal { influence: 0.0, ..goal(&figure, hand, DVec3::Y, [0.2, 0.4]) };
    assert!(with_goals(&figure, clip, vec![none], 30.0).clip == *clip);
    let missing = Goal { joint: "tail".into(), ..goal(&figure, hand, DVec3::Y, [0.2, 0.4]) };
    let built = with_goals(&figure, clip, vec![missing], 30.0);
    assert!(built.clip == *clip && built.report.goals[0].is_missing && built.report.warns());
}
