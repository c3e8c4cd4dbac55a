//! Warnings about loops of dynamic bones that do not close.

use portamento_anim::math::mean;
use portamento_anim::{Clip, Pose, RootMotion, Skeleton};
use portamento_base::message::{Message, message};
use portamento_dynamics::Report;

/// Rotation of a joint from the last pose to the first above which a clip counts as open, degrees. Tuned; no derivation recorded.
const OPEN_LOOP_MIN_DEGREES: f64 = 3.0;

/// Penetration above which it is reported, as a fraction of the sum of both radii. Tuned; no derivation recorded.
const PENETRATION_MIN_RATIO: f64 = 1e-3;

/// Returns a warning if `clip` does not end as it begins, with the worst joint. The joint of `root` is ignored.
pub(in crate::evaluate::stages) fn open_clip(
    clip: &Clip,
    skeleton: &Skeleton,
    root: Option<RootMotion>,
) -> Option<Message> {
    let [mut first, mut last] = [Pose::rest(skeleton), Pose::rest(skeleton)];
    clip.sample(skeleton, 0.0, &mut first);
    clip.sample(skeleton, clip.duration, &mut last);
    let turn =
        |joint: usize| mean::angle_between(first.locals[joint].rotation, last.locals[joint].rotation).to_degrees();
    let joints = (0..skeleton.len()).filter(|&joint| root.is_none_or(|root| root.joint != joint));
    let (joint, degrees) = joints.map(|joint| (joint, turn(joint))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let name = skeleton.joints[joint].name.as_str();
    (degrees > OPEN_LOOP_MIN_DEGREES).then(|| {
        message!(
            "warning.dynamics.open_clip",
            "The clip “%{clip}” does not loop: “%{joint}” turns %{degrees}° from its last pose to its first, so the \
             dynamic bones jerk at the seam. Choose a looping clip, or add a loop before the dynamics.",
            clip = &clip.name,
            joint = name,
            degrees = format!("{degrees:.0}")
        )
    })
}

/// Returns a warning if closing the loop pushes bones into colliders visibly.
pub(in crate::evaluate::stages) fn closing_collision(report: &Report) -> Option<Message> {
    let depth = report.penetration;
    (report.closing.is_some() && depth > PENETRATION_MIN_RATIO).then(|| {
        message!(
            "warning.dynamics.closing_collides",
            "Blending the last two cycles pushes a bone into a collider, by %{percent} % of both radii. Increase the drag so that \
             the swing repeats without blending.",
            percent = format!("{:.1}", 100.0 * depth)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_formats::import::import;
    use portamento_test_support::corpus;

    #[test]
    fn an_open_clip_is_reported_with_its_worst_joint() {
        let warning = |path: &std::path::Path, clip: &str| {
            let model = import(path).unwrap().model;
            open_clip(model.clip(clip).unwrap(), &model.skeleton, None).map(|warning| warning.to_string())
        };
        let Some(characters) = corpus("characters") else { return };
        let sentence = warning(&characters.join("quadruped.glb"), "Run").unwrap();
        assert!(sentence.contains("“Back_Leg_Lower_L” turns 72°") && sentence.contains("“Run”"), "{sentence}");
        assert_eq!(warning(&characters.join("fox.glb"), "Run"), None);
    }

    #[test]
    fn collisions_by_closing_the_loop_are_reported() {
        let report = |penetration, closing| Report { penetration, closing, ..Report::default() };
        assert!(closing_collision(&report(0.087, Some(0.0))).unwrap().to_string().contains("8.7 %"));
        assert_eq!(closing_collision(&report(1e-6, Some(0.0))), None);
        assert_eq!(closing_collision(&report(0.087, None)), None);
    }
}
