//! Root motion computed from foot contacts.

use super::{BuildError, Built, Input, Report, Settings, smoothed};
use portamento_anim::RootMotion;
use portamento_anim::root_motion::{frame_times, keyed_span, path};
use portamento_anim::root_synthesis::FeetTravel;

/// Speed in metres per second above which the body already travels. Tuned; no derivation recorded.
const MIN_TRAVEL_M_PER_S: f64 = 0.1;

/// Computes the root motion from the feet and smooths it over the set time. Other motion of the body is kept. Returns `Err` if the
/// feet define no travel.
pub(super) fn build(input: &Input, settings: &Settings) -> Result<Built, BuildError> {
    let mut travel = FeetTravel::find(input.skeleton, input.clip, input.roles, input.fps, input.metres_per_unit)?;
    travel.root = carrier(input).unwrap_or(travel.root);
    travel.displacements = match settings.evened >= input.clip.duration {
        // A drift may be keyed below the joint that would become the carrier.
        true => travel.straight(keyed_span(input.clip, input.skeleton.ancestors(travel.root.joint))),
        false => smoothed(&travel.displacements, &travel.times, settings.evened),
    };
    let (clip, root) = (travel.carry(input.skeleton, input.clip)?, travel.root);
    let times = frame_times(&clip, [root.joint], input.fps);
    let ground_path = path(input.skeleton, &clip, root.joint, &times);
    let length: f64 = ground_path.windows(2).map(|pair| (pair[1] - pair[0]).with_y(0.0).length()).sum();
    let joint = input.skeleton.joints[root.joint].name.clone();
    Ok(Built { clip, root, report: Report { joint, length: length * input.metres_per_unit, ..Report::default() } })
}

/// Returns the joint that already moves the body together with its legs; `None` if there is none. Another carrier would have to
/// move against it.
fn carrier(input: &Input) -> Option<RootMotion> {
    let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
    let root = RootMotion::find(skeleton, clip, roles)?;
    let ends = path(skeleton, clip, root.joint, &[0.0, clip.duration]);
    let is_travelling =
        metres_per_unit * (ends[1] - ends[0]).with_y(0.0).length() >= MIN_TRAVEL_M_PER_S * clip.duration;
    let mut feet = roles.legs.iter().map(|leg| leg.foot).filter(|&foot| foot < skeleton.len());
    (is_travelling && feet.all(|foot| skeleton.is_within(foot, root.joint))).then_some(root)
}

#[cfg(test)]
mod tests {
    use super::super::RootTravel;
    use super::*;
    use glam::Vec3;
    use portamento_anim::Curve;
    use portamento_anim::Roles;
    use portamento_base::progress::Progress;
    use portamento_test_support::treadmill;

    #[test]
    fn hips_that_already_travel_stay_the_carrier() {
        let (skeleton, mut clip) = treadmill();
        let roles = Roles::find(&skeleton, &[]);
        let settings = Settings { travel: RootTravel::FromFeet, ..Settings::default() };
        // Metres that the hips travel in the clip's duration of 1 s.
        for (distance, carrier) in [(0.05, 0), (0.15, 1)] {
            let rest = skeleton.joints[1].rest.translation;
            clip.tracks[1].translation = Some(Curve::linear(vec![0.0, 1.0], vec![rest, rest + Vec3::Z * distance]));
            let (skeleton, clip, roles) = (&skeleton, &clip, &roles);
            let input = Input { skeleton, clip, roles, fps: 30.0, metres_per_unit: 1.0, mesh_joints: &[] };
            let built = super::super::build(&input, &settings, &Progress::new()).unwrap();
            assert_eq!(built.root.joint, carrier, "{distance} m");
        }
    }
}
