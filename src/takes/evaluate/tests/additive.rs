//! Additive clips in blend trees.

use glam::Quat;

use portamento_anim::math::Transform;
use portamento_anim::{Clip, Curve, JointTracks, Model, Pose, Roles};
use portamento_base::progress::Progress;
use portamento_blend::{self as blend, NodeKind, Source, Tree};
use portamento_stretch::additive::{self, Reference, Settings};
use portamento_test_support::hero;

/// Returns `clip` as the difference from its pose at `at` seconds of `reference`.
fn difference(model: &Model, clip: &Clip, reference: &Clip, at: f64) -> Clip {
    let input = additive::Input { skeleton: &model.skeleton, clip, fps: 60.0, reference: Some(reference) };
    let settings = Settings { reference: Reference::Clip, clip: reference.name.clone(), at, ..Settings::default() };
    let name = format!("{} on {}", clip.name, reference.name);
    Clip { name, ..additive::build(&input, &settings, &Progress::new()).unwrap().clip }
}

/// Returns a clip that holds the pose of `clip` at `at` seconds.
fn held(model: &Model, clip: &Clip, at: f64) -> Clip {
    let tracks = |local: &Transform| JointTracks {
        translation: Some(Curve::linear(vec![0.0], vec![local.translation])),
        rotation: Some(Curve::linear(vec![0.0], vec![local.rotation])),
        scale: Some(Curve::linear(vec![0.0], vec![local.scale])),
        ..JointTracks::default()
    };
    let pose = clip.pose_at(&model.skeleton, at);
    Clip { name: "still".into(), duration: 1.0, tracks: pose.locals.iter().map(tracks).collect() }
}

/// Returns the pose at `time` of the sum of `base` and the `deltas` with their weights.
fn sum(model: &Model, base: &Clip, deltas: &[(&Clip, f32)], time: f64) -> Pose {
    let mut tree = Tree::default();
    let source = |clip: &Clip| NodeKind::Source(Source { clip: clip.name.clone(), ..Source::default() });
    tree.root = tree.add("base", source(base));
    for (clip, weight) in deltas {
        let delta = tree.add("delta", source(clip));
        let (mask, in_states) = Default::default();
        let additive = blend::Additive {
            base: tree.root,
            delta,
            reference: blend::Reference::Rest,
            weight: *weight,
            in_states,
            mask,
            muted: false,
        };
        tree.root = tree.add("sum", NodeKind::Additive(additive));
    }
    let clips: Vec<&Clip> = std::iter::once(base).chain(deltas.iter().map(|(clip, _)| *clip)).collect();
    let roles = Roles::default();
    let input = blend::Input { skeleton: &model.skeleton, clips: &clips, roles: &roles, markers: &[], travels: &[] };
    let built = blend::build(&input, &blend::Settings::Tree(tree), &Progress::new()).unwrap();
    let (mut scratch, mut pose) = (blend::Scratch::default(), Pose::default());
    built.sample(time, &mut scratch, &mut pose);
    pose
}

/// Checks that the poses are equal but for rounding.
fn assert_equal(a: &Pose, b: &Pose, what: &str) {
    for (joint, (a, b)) in a.locals.iter().zip(&b.locals).enumerate() {
        let turned = if a.rotation.dot(b.rotation) < 0.0 { -b.rotation } else { b.rotation };
        let off =
            (a.rotation - turned).length().max(a.translation.distance(b.translation)).max(a.scale.distance(b.scale));
        assert!(off < 2e-6, "{what}: joint {joint} is {off} off");
    }
}

#[test]
fn a_blend_tree_adds_an_additive_clip_to_its_reference_and_gives_the_clip_again() {
    let model = hero();
    let [cast, run] = ["cast", "run"].map(|name| model.clip(name).unwrap());
    let delta = difference(&model, cast, run, 0.2);
    let still = held(&model, run, 0.2);
    for time in [0.0, 0.1, 0.35, 0.5] {
        let pose = sum(&model, &still, &[(&delta, 1.0)], time);
        assert_equal(&pose, &cast.pose_at(&model.skeleton, time), &format!("{time} s"));
    }
}

/// Godot adds each track by its distance from the rest pose: `rotation · slerp(1, rest⁻¹ · track, amount)` and
/// `translation + (track − rest) · amount`.
#[test]
fn two_additive_clips_are_added_as_in_godot() {
    let model = hero();
    let [cast, run] = ["cast", "run"].map(|name| model.clip(name).unwrap());
    let deltas = [difference(&model, cast, run, 0.2), difference(&model, run, cast, 0.1)];
    let (time, weights) = (0.3, [0.6_f32, 0.25]);
    let pose = sum(&model, run, &[(&deltas[0], weights[0]), (&deltas[1], weights[1])], time);
    let mut wanted = run.pose_at(&model.skeleton, time);
    for (delta, amount) in deltas.iter().zip(weights) {
        let delta = delta.pose_at(&model.skeleton, time);
        for (joint, node) in model.skeleton.joints.iter().enumerate() {
            let (local, track) = (&mut wanted.locals[joint], delta.locals[joint]);
            let turn = node.rest.rotation.conjugate() * track.rotation;
            local.rotation *= Quat::IDENTITY.slerp(turn, amount);
            local.translation += (track.translation - node.rest.translation) * amount;
            local.scale += (track.scale - node.rest.scale) * amount;
        }
    }
    assert_equal(&pose, &wanted, "the sum");
}
