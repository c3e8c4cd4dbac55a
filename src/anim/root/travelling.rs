//! Detects gaits on the spot: the body stays in place while its feet walk.

use glam::DVec3;

use super::root_motion::{frame_times, path, rig_size};
use super::root_synthesis::{Agreement, FeetTravel, usable_legs};
use crate::{Clip, Roles, RootMotion, Skeleton};

/// Maximum distance of a body on the spot from its first position, metres. Tuned; no derivation recorded.
const MAX_SWAY_M: f64 = 0.2;
/// Minimum speed that the feet of a gait on the spot imply, metres per second. Tuned; no derivation recorded.
const MIN_M_PER_SECOND: f64 = 0.1;
/// Maximum distance between the end and the start of a foot in a cycle, as a fraction of the body's size. Tuned; no
/// derivation recorded.
const CYCLE_MAX_GAP: f64 = 0.1;
/// Minimum travel of a motion that is no cycle, as a fraction of the body's size; less is a step into another stance.
/// Tuned; no derivation recorded.
const ONE_SHOT_MIN_TRAVEL: f64 = 0.5;
/// Maximum fraction of the contact time in which feet of a gait rest: a kick has a standing leg. Tuned; no derivation
/// recorded.
const RESTING_MAX_FRACTION: f64 = 0.5;
/// Minimum height difference between the forward and the backward motion of the feet, as a fraction of their reach.
/// A shuffle on the spot brings feet back at the same height. Tuned; no derivation recorded.
const LIFT_MIN_FRACTION: f64 = 0.055;

/// A gait on the spot, converted to one that travels.
#[derive(Clone, Debug, PartialEq)]
pub struct Travelling {
    /// The gait with the travel that its feet imply.
    pub clip: Clip,
    /// The joint that carries it; only its translations differ from the original.
    pub root: RootMotion,
    /// Speed along the ground, metres per second.
    pub speed: f64,
}

/// Returns `clip` with travel if it is a gait on the spot, else `None`. Parameters as for [`FeetTravel::find`].
///
/// A gait on the spot fulfils all of these:
/// - The body stays within 0.2 m and is slower than 0.1 m/s.
/// - The standing feet imply a higher speed and rest for less than half of their contact time.
/// - They move forward higher than they move back.
/// - The clip is a cycle, or covers more than a step.
pub fn travelling(
    skeleton: &Skeleton,
    clip: &Clip,
    roles: &Roles,
    fps: f64,
    metres_per_unit: f64,
) -> Option<Travelling> {
    let body = RootMotion::find(skeleton, clip, roles)?.joint;
    let positions = path(skeleton, clip, body, &frame_times(clip, skeleton.ancestors(body), fps));
    let from_start = |position: &DVec3| metres_per_unit * (*position - positions[0]).with_y(0.0).length();
    let displacement = positions.last().map_or(0.0, from_start);
    if displacement >= MIN_M_PER_SECOND * clip.duration
        || positions.iter().map(from_start).any(|distance| distance >= MAX_SWAY_M)
    {
        return None;
    }
    let travel = FeetTravel::find(skeleton, clip, roles, fps, metres_per_unit).ok()?;
    let Agreement { standing, agreed: rests } = travel.agreement(DVec3::ZERO, MIN_M_PER_SECOND / metres_per_unit);
    if rests > RESTING_MAX_FRACTION * standing || travel.lift() < LIFT_MIN_FRACTION {
        return None;
    }
    let (result, root) = (travel.carry(skeleton, clip).ok()?, travel.root);
    let ends = path(skeleton, &result, root.joint, &[0.0, clip.duration]);
    let speed = metres_per_unit * (ends[1] - ends[0]).with_y(0.0).length() / clip.duration;
    let size = metres_per_unit * rig_size(skeleton);
    let is_gait = speed * clip.duration >= ONE_SHOT_MIN_TRAVEL * size || comes_back(skeleton, clip, roles);
    (speed >= MIN_M_PER_SECOND && is_gait).then_some(Travelling { clip: result, root, speed })
}

/// True if all soles end about where they began, within a tenth of the body's size.
fn comes_back(skeleton: &Skeleton, clip: &Clip, roles: &Roles) -> bool {
    let nearby = CYCLE_MAX_GAP * rig_size(skeleton);
    let mut soles = usable_legs(skeleton, roles).map(|leg| leg.toe.unwrap_or(leg.foot));
    soles.all(|sole| {
        let ends = path(skeleton, clip, sole, &[0.0, clip.duration]);
        ends[0].distance(ends[1]) <= nearby
    })
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::root_motion::world_at;
    use crate::root_synthesis::synthesize_root_motion;
    use crate::small_inputs::treadmill;
    use crate::{JointTracks, Leg};

    #[test]
    fn only_a_gait_on_the_spot_gets_travel() {
        let (skeleton, clip) = treadmill();
        let leg = |foot: usize| Leg { thigh: foot - 2, shin: foot - 1, foot, toe: None };
        let roles = Roles { hips: Some(1), legs: vec![leg(4), leg(7)], ..Roles::default() };
        let gait = travelling(&skeleton, &clip, &roles, 30.0, 1.0).unwrap();
        assert!((gait.speed - 0.8).abs() < 0.05, "{}", gait.speed);
        assert_eq!(travelling(&skeleton, &gait.clip, &roles, 30.0, 1.0), None, "it travels");
        let still = Clip { tracks: vec![JointTracks::default(); 8], ..clip };
        assert_eq!(travelling(&skeleton, &still, &roles, 30.0, 1.0), None, "it stands");
    }

    #[test]
    fn a_kick_with_a_standing_leg_is_no_gait_on_the_spot() {
        let (skeleton, mut clip) = treadmill();
        let roles = Roles::find(&skeleton, &[]);
        assert!(travelling(&skeleton, &clip, &roles, 30.0, 1.0).is_some());
        clip.tracks[4] = JointTracks::default();
        assert_eq!(travelling(&skeleton, &clip, &roles, 30.0, 1.0), None);
        let carried = synthesize_root_motion(&skeleton, &clip, &roles, 30.0, 1.0).unwrap().0;
        let end = world_at(&skeleton, &carried, 0, 1.0).translation;
        assert!(end.length() > MIN_M_PER_SECOND, "the other foot alone implies travel: {end}");
    }

    #[test]
    fn a_shuffle_on_the_ground_is_no_gait_on_the_spot() {
        let (skeleton, mut clip) = treadmill();
        let roles = Roles::find(&skeleton, &[]);
        // The feet come back hardly higher than they went but faster, so they still imply travel.
        let slides = |at: f32| match at <= 0.8 {
            true => Vec3::new(0.0, 0.0, 0.2 - 0.5 * at),
            false => Vec3::new(0.0, 0.02, -0.2 + 2.0 * (at - 0.8)),
        };
        for (foot, half) in [(4, 0.0), (7, 0.5)] {
            let curve = clip.tracks[foot].translation.as_mut().unwrap();
            let values = curve.times.iter().map(|time| slides((time + half).rem_euclid(1.0)));
            curve.values = values.collect();
        }
        let travel = FeetTravel::find(&skeleton, &clip, &roles, 30.0, 1.0).unwrap();
        assert!(travel.displacements[travel.displacements.len() - 1].length() > 0.1, "{:?}", travel.displacements);
        assert_eq!(travelling(&skeleton, &clip, &roles, 30.0, 1.0), None);
    }
}
