//! Gaits on the spot: a body that stays where it is while its feet go.

use glam::DVec3;

use super::root_motion::{frame_times, path, rig_size};
use super::root_synthesis::{Agreement, FeetTravel, usable_legs};
use super::{Clip, Roles, RootMotion, Skeleton};

/// A body that stays within so many metres of its first place sways, but goes nowhere.
const SWAY: f64 = 0.2;
/// Metres per second below which feet on the spot tell of no gait.
const SLOWEST: f64 = 0.1;
/// Parts of the body's size up to which a foot is where it was.
const SAME: f64 = 0.1;
/// Parts of the body's size from which a way is more than a step into another stance.
const LONG: f64 = 0.5;
/// Share of the time in which feet are down and rest, from which a motion is none on the spot: who kicks stands on the other leg.
const RESTS: f64 = 0.5;
/// How much higher feet come forward than they go back, in parts of how far they do: who shuffles on the spot brings them back as he took
/// them there.
const LIFT: f64 = 0.055;

/// A gait whose body stays where it is, as it would travel.
#[derive(Clone, Debug, PartialEq)]
pub struct Travelling {
    /// The gait with the way that its feet tell.
    pub clip: Clip,
    /// What carries it there; only its translations differ from the gait's.
    pub root: RootMotion,
    /// Metres per second along the ground.
    pub speed: f64,
}

/// `clip` as it would travel if it is a gait on the spot: the body stays within 0.2 m and goes slower than 0.1 m/s while the standing
/// feet tell of more, rest for less than half of their time and come forward higher than they go back, in a cycle or over more than a
/// step. `None` for everything else. Parameters as of [`FeetTravel::find`].
pub fn travelling(
    skeleton: &Skeleton,
    clip: &Clip,
    roles: &Roles,
    fps: f64,
    metres_per_unit: f64,
) -> Option<Travelling> {
    let body = RootMotion::find(skeleton, clip, roles)?.joint;
    let way = path(skeleton, clip, body, &frame_times(clip, skeleton.ancestors(body), fps));
    let from_start = |place: &DVec3| metres_per_unit * (*place - way[0]).with_y(0.0).length();
    let goes = way.last().map_or(0.0, from_start);
    if goes >= SLOWEST * clip.duration || way.iter().map(from_start).any(|distance| distance >= SWAY) {
        return None;
    }
    let travel = FeetTravel::find(skeleton, clip, roles, fps, metres_per_unit).ok()?;
    let Agreement { standing, agreed: rests } = travel.agreement(DVec3::ZERO, SLOWEST / metres_per_unit);
    if rests > RESTS * standing || travel.lift() < LIFT {
        return None;
    }
    let (made, root) = (travel.carry(skeleton, clip).ok()?, travel.root);
    let ends = path(skeleton, &made, root.joint, &[0.0, clip.duration]);
    let speed = metres_per_unit * (ends[1] - ends[0]).with_y(0.0).length() / clip.duration;
    let size = metres_per_unit * rig_size(skeleton);
    let is_gait = speed * clip.duration >= LONG * size || comes_back(skeleton, clip, roles);
    (speed >= SLOWEST && is_gait).then_some(Travelling { clip: made, root, speed })
}

/// Whether all soles end about where they began.
fn comes_back(skeleton: &Skeleton, clip: &Clip, roles: &Roles) -> bool {
    let nearby = SAME * rig_size(skeleton);
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
    use crate::anim::root_motion::world_at;
    use crate::anim::root_synthesis::synthesize_root_motion;
    use crate::anim::root_synthesis::tests::treadmill;
    use crate::anim::{JointTracks, Leg};

    #[test]
    fn only_a_gait_on_the_spot_is_taken_along() {
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
    fn who_stands_on_one_leg_while_the_other_foot_kicks_is_no_gait_on_the_spot() {
        let (skeleton, mut clip) = treadmill();
        let roles = Roles::find(&skeleton, &[]);
        assert!(travelling(&skeleton, &clip, &roles, 30.0, 1.0).is_some());
        clip.tracks[4] = JointTracks::default();
        assert_eq!(travelling(&skeleton, &clip, &roles, 30.0, 1.0), None);
        let carried = synthesize_root_motion(&skeleton, &clip, &roles, 30.0, 1.0).unwrap().0;
        let end = world_at(&skeleton, &carried, 0, 1.0).translation;
        assert!(end.length() > SLOWEST, "the other foot alone tells of a way: {end}");
    }

    #[test]
    fn who_shuffles_to_and_fro_on_the_ground_is_no_gait_on_the_spot() {
        let (skeleton, mut clip) = treadmill();
        let roles = Roles::find(&skeleton, &[]);
        // The feet come back hardly higher than they went, but quicker, so that they tell of a way all the same.
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
        assert!(travel.ways[travel.ways.len() - 1].length() > 0.1, "{:?}", travel.ways);
        assert_eq!(travelling(&skeleton, &clip, &roles, 30.0, 1.0), None);
    }
}
