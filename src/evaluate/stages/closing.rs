//! What keeps the end of a clip that repeats from running on into its start, in sentences.

use crate::anim::{Clip, Pose, RootMotion, Skeleton};
use crate::math::mean;
use crate::message::{Message, message};
use crate::systems::dynamics::Report;

/// A turn of a joint from the last pose to the first beyond this is a hitch, in degrees.
const TURN: f64 = 3.0;

/// Bones deeper in a collider than this part of both radii are seen in it.
const DEPTH: f64 = 1e-3;

/// Where `clip` does not end as it begins, and how far it is off. What carries the character, `root`, may turn and travel.
pub(super) fn open_clip(clip: &Clip, skeleton: &Skeleton, root: Option<RootMotion>) -> Option<Message> {
    let [mut first, mut last] = [Pose::rest(skeleton), Pose::rest(skeleton)];
    clip.sample(skeleton, 0.0, &mut first);
    clip.sample(skeleton, clip.duration, &mut last);
    let turn =
        |joint: usize| mean::angle_between(first.locals[joint].rotation, last.locals[joint].rotation).to_degrees();
    let joints = (0..skeleton.len()).filter(|&joint| root.is_none_or(|root| root.joint != joint));
    let (joint, degrees) = joints.map(|joint| (joint, turn(joint))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let name = skeleton.joints[joint].name.as_str();
    (degrees > TURN).then(|| {
        message!(
            "warning.dynamics.open_clip",
            "The clip “%{clip}” does not end as it begins: “%{joint}” turns %{degrees}° from its last pose to its first, and \
             what swings with it jerks there. Choose a clip that closes, or add a loop before the dynamics.",
            clip = &clip.name,
            joint = name,
            degrees = format!("{degrees:.0}")
        )
    })
}

/// How deep closing the loop carries bones into colliders, where that is to be seen.
pub(super) fn into_colliders(report: &Report) -> Option<Message> {
    let depth = report.penetration;
    (report.closing.is_some() && depth > DEPTH).then(|| {
        message!(
            "warning.dynamics.closing_collides",
            "Mixing the last two cycles carries a bone into a collider, by %{percent} % of both radii. More drag lets the swing \
             repeat by itself.",
            percent = format!("{:.1}", 100.0 * depth)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::import;
    use crate::support::corpus;

    #[test]
    fn a_clip_whose_ends_differ_is_told_with_its_worst_joint() {
        let told = |path: &std::path::Path, clip: &str| {
            let model = import(path).unwrap().model;
            open_clip(model.clip(clip).unwrap(), &model.skeleton, None).map(|told| told.to_string())
        };
        let Some(characters) = corpus("characters") else { return };
        let sentence = told(&characters.join("quadruped.glb"), "Run").unwrap();
        assert!(sentence.contains("“Back_Leg_Lower_L” turns 72°") && sentence.contains("“Run”"), "{sentence}");
        assert_eq!(told(&characters.join("fox.glb"), "Run"), None);
    }

    #[test]
    fn bones_that_closing_carries_into_a_collider_are_told() {
        let report = |penetration, closing| Report { penetration, closing, ..Report::default() };
        assert!(into_colliders(&report(0.087, Some(0.0))).unwrap().to_string().contains("8.7 %"));
        assert_eq!(into_colliders(&report(1e-6, Some(0.0))), None);
        assert_eq!(into_colliders(&report(0.087, None)), None);
    }
}
