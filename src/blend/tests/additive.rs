//! Additive nodes, also over a base that does not animate every joint.

use super::*;

/// A joint that only the delta animates.
const HAND: usize = 5;

/// Returns an additive node with the difference from the rest pose.
fn add(base: usize, delta: usize, weight: f32) -> Additive {
    let (reference, mask) = (Reference::Rest, MaskChoice::default());
    Additive { base, delta, reference, weight, in_states: Vec::new(), mask, muted: false }
}

fn source(clip: &str) -> NodeKind {
    NodeKind::Source(Source { clip: clip.into(), ..Source::default() })
}

/// Returns a clip in which `joints` are moved by `metres` along X from rest and turned by `degrees` about X.
fn moved_clip(name: &str, metres: f32, degrees: f32, joints: std::ops::Range<usize>) -> Clip {
    let mut clip = Clip { name: name.into(), duration: 1.0, tracks: vec![JointTracks::default(); 12] };
    for joint in joints {
        let position = skeleton().joints[joint].rest.translation + metres * Vec3::X;
        clip.tracks[joint].translation = Some(Curve::linear(vec![0.0], vec![position]));
        clip.tracks[joint].rotation = Some(Curve::linear(vec![0.0], vec![Quat::from_rotation_x(degrees.to_radians())]));
    }
    clip
}

/// Returns a clip of the first joints as base, and one of all joints, which is 2 m and 60° from rest.
fn partial_clips() -> Vec<Clip> {
    vec![moved_clip("legs", 1.0, 30.0, 0..HAND), moved_clip("all", 2.0, 60.0, 0..12)]
}

/// Returns the distance along X from rest and the turn about X of `joint`, metres and degrees.
fn moved(pose: &Pose, joint: usize) -> [f32; 2] {
    let local = &pose.locals[joint];
    let (axis, angle) = local.rotation.to_axis_angle();
    [local.translation.x - skeleton().joints[joint].rest.translation.x, angle.to_degrees() * axis.x.signum()]
}

fn assert_moved(pose: &Pose, joint: usize, expected: [f32; 2], about: &str) {
    let moved = moved(pose, joint);
    assert!(
        moved.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3),
        "{about}: {moved:?} instead of {expected:?}"
    );
}

#[test]
fn an_additive_layer_at_weight_zero_is_the_base() {
    let mut tree = two([1.0, 1.0], Default::default());
    tree.root = tree.add("Add", NodeKind::Additive(add(0, 1, 0.0)));
    let clips = clips();
    assert_eq!(pose(&built(&clips, &Settings::Tree(tree)).unwrap(), 0.3), clips[0].pose_at(&skeleton(), 0.3));
}

#[test]
fn a_difference_is_added_to_the_rest_where_the_base_does_not_animate_a_joint() {
    let clips = partial_clips();
    for weight in [0.25_f32, 0.5, 1.0, 1.5] {
        let mut tree = Tree::default();
        let [base, delta] = ["legs", "all"].map(|clip| tree.add(clip, source(clip)));
        tree.root = tree.add("Sum", NodeKind::Additive(add(base, delta, weight)));
        let built = built(&clips, &Settings::Tree(tree)).unwrap();
        let pose = pose(&built, 0.3);
        // base + w·(delta − rest), with the rest as base where there is none.
        assert_moved(&pose, 0, [1.0 + 2.0 * weight, 30.0 + 60.0 * weight], &format!("covered at {weight}"));
        assert_moved(&pose, HAND, [2.0 * weight, 60.0 * weight], &format!("uncovered at {weight}"));
    }
}

#[test]
fn a_base_without_inputs_is_the_rest_pose() {
    let clips = partial_clips();
    let mut tree = Tree::default();
    let (base, delta) = (tree.add("Nothing", NodeKind::Blend(Vec::new())), tree.add("all", source("all")));
    tree.root = tree.add("Over rest", NodeKind::Additive(add(base, delta, 1.0)));
    assert_eq!(pose(&built(&clips, &Settings::Tree(tree)).unwrap(), 0.3), clips[1].pose_at(&skeleton(), 0.3));
}

#[test]
fn in_a_blend_an_uncovered_joint_has_the_weight_of_its_difference() {
    let mut clips = partial_clips();
    clips.push(moved_clip("other", 3.0, 0.0, 0..12));
    let mut tree = Tree::default();
    let [base, delta, other] = ["legs", "all", "other"].map(|clip| tree.add(clip, source(clip)));
    let sum = tree.add("Sum", NodeKind::Additive(add(base, delta, 0.5)));
    let links = [sum, other].map(|child| Link { child, ..Link::default() });
    tree.root = tree.add("Mix", NodeKind::Blend(links.to_vec()));
    let pose = pose(&built(&clips, &Settings::Tree(tree)).unwrap(), 0.3);
    // (1·(1 + 0.5·2) + 1·3) / 2 where the base has tracks, and (0.5·2 + 1·3) / 1.5 where it has none.
    assert!((moved(&pose, 0)[0] - 2.5).abs() < 1e-4, "{:?}", moved(&pose, 0));
    assert!((moved(&pose, HAND)[0] - 8.0 / 3.0).abs() < 1e-4, "{:?}", moved(&pose, HAND));
}

#[test]
fn a_weight_that_fades_moves_uncovered_joints_by_its_fraction_and_does_not_pop() {
    let clips = partial_clips();
    let mut tree = Tree::default();
    let [base, delta] = ["legs", "all"].map(|clip| tree.add(clip, source(clip)));
    let in_states = vec![StateWeight { state: "on".into(), weight: 1.0 }];
    tree.root = tree.add("Sum", NodeKind::Additive(Additive { in_states, ..add(base, delta, 0.0) }));
    tree.add_state("on");
    let event = StateEvent { time: 0.2, state: "on".into(), trans_time: Some(0.5), ..StateEvent::default() };
    tree.events = vec![event];
    let built = built(&clips, &Settings::Tree(tree)).unwrap();
    let mut last = 0.0;
    for i in 0..=30 {
        let pose = pose(&built, frame(i));
        let ([covered, _], [uncovered, turn]) = (moved(&pose, 0), moved(&pose, HAND));
        // Both move by 2·w metres; the uncovered joint turns by 60·w degrees.
        assert!((covered - 1.0 - uncovered).abs() < 1e-4 && (turn - 30.0 * uncovered).abs() < 1e-2, "{i}: {pose:?}");
        assert!(uncovered >= last, "{i}");
        last = uncovered;
    }
    assert!((last - 2.0).abs() < 1e-5, "{last}");
    let meter = built.pop_meter(FPS, 1.0, &Progress::new()).unwrap();
    assert!(meter.iter().all(|step| !step.pops()), "{:?}", meter.iter().find(|step| step.pops()));
}
