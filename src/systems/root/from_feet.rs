//! A body that goes as its standing feet tell.

use super::{BuildError, Built, Input, Report, Settings, evened};
use crate::anim::RootMotion;
use crate::anim::root_motion::{frame_times, keyed_span, path};
use crate::anim::root_synthesis::FeetTravel;

/// Metres per second from which a body goes by itself.
const SLOWEST: f64 = 0.1;

/// As the feet tell, evenly over as long as the user wants: what the body does beside that stays its own.
pub(super) fn build(input: &Input, settings: &Settings) -> Result<Built, BuildError> {
    let mut travel = FeetTravel::find(input.skeleton, input.clip, input.roles, input.fps, input.metres_per_unit)?;
    travel.root = carrier(input).unwrap_or(travel.root);
    travel.ways = match settings.evened >= input.clip.duration {
        // What drifts may hang below the joint that would be carried by itself.
        true => travel.straight(keyed_span(input.clip, input.skeleton.ancestors(travel.root.joint))),
        false => evened(&travel.ways, &travel.times, settings.evened),
    };
    let (clip, root) = (travel.carry(input.skeleton, input.clip)?, travel.root);
    let times = frame_times(&clip, [root.joint], input.fps);
    let way = path(input.skeleton, &clip, root.joint, &times);
    let length: f64 = way.windows(2).map(|pair| (pair[1] - pair[0]).with_y(0.0).length()).sum();
    let joint = input.skeleton.joints[root.joint].name.clone();
    Ok(Built { clip, root, report: Report { joint, length: length * input.metres_per_unit, ..Report::default() } })
}

/// What already takes the body along with its legs, where something does: another joint would have to go against it.
fn carrier(input: &Input) -> Option<RootMotion> {
    let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
    let root = RootMotion::find(skeleton, clip, roles)?;
    let ends = path(skeleton, clip, root.joint, &[0.0, clip.duration]);
    let goes = metres_per_unit * (ends[1] - ends[0]).with_y(0.0).length() >= SLOWEST * clip.duration;
    let mut feet = roles.legs.iter().map(|leg| leg.foot).filter(|&foot| foot < skeleton.len());
    (goes && feet.all(|foot| skeleton.is_within(foot, root.joint))).then_some(root)
}

#[cfg(test)]
mod tests {
    use super::super::RootTravel;
    use super::*;
    use crate::anim::Curve;
    use crate::anim::Roles;
    use crate::anim::root_synthesis::tests::treadmill;
    use crate::progress::Progress;
    use glam::Vec3;

    #[test]
    fn hips_that_go_by_themselves_are_what_the_feet_carry_on() {
        let (skeleton, mut clip) = treadmill();
        let roles = Roles::find(&skeleton, &[]);
        let settings = Settings { travel: RootTravel::FromFeet, ..Settings::default() };
        // Metres that they go in the second that the clip lasts.
        for (way, carrier) in [(0.05, 0), (0.15, 1)] {
            let rest = skeleton.joints[1].rest.translation;
            clip.tracks[1].translation = Some(Curve::linear(vec![0.0, 1.0], vec![rest, rest + Vec3::Z * way]));
            let input = Input { skeleton: &skeleton, clip: &clip, roles: &roles, fps: 30.0, metres_per_unit: 1.0 };
            let built = super::super::build(&input, &settings, &Progress::new()).unwrap();
            assert_eq!(built.root.joint, carrier, "{way} m");
        }
    }
}
