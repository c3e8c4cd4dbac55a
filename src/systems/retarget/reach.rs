//! Stands that a leg does not reach from end to end.
//!
//! A stand keeps the way that the source's foot goes meanwhile. Where its first or last frames lie further from the hips than a leg
//! reaches, the foot would be dragged along; the whole stand then takes place a little nearer.

use std::ops::Range;

use glam::DVec3;

use crate::anim::foot_place::{FootPlace, drop_needed, leg_place, sole};
use crate::anim::{Leg, Pose, Skeleton};

/// How straight a leg gets that is led, and how far hips come down for it, as shares of the leg: inside what [`drop_needed`] allows.
const STRAIGHT: f64 = 0.945;
const DOWN: f64 = 0.145;
/// How often a stand is moved towards what each of its frames reaches.
const ROUNDS: usize = 24;

/// For every frame how far its stand moves along the ground: nothing where all of the stand is within reach.
pub(super) fn nearer(
    skeleton: &Skeleton,
    leg: &Leg,
    stands: &[Range<usize>],
    wanted: &[Option<DVec3>],
    poses: &[Pose],
) -> Vec<DVec3> {
    let mut nearer = vec![DVec3::ZERO; poses.len()];
    for stand in stands {
        let led = stand.clone().filter_map(|i| {
            let own = leg_place(skeleton, leg, &poses[i]);
            let shift = wanted[i]? - sole(skeleton, leg, &poses[i]);
            let ankle = FootPlace::from_pose(skeleton, leg, &poses[i]).moved(shift).ankle;
            Some((own, ankle))
        });
        let led: Vec<_> = led.collect();
        if led.iter().all(|(own, ankle)| drop_needed(own, *ankle).is_some()) {
            continue;
        }
        let mut offset = DVec3::ZERO;
        for _ in 0..ROUNDS {
            for (own, ankle) in &led {
                let flat = (*ankle + offset - own.hip).with_y(0.0);
                let height = (own.hip.y - ankle.y - DOWN * own.length()).max(0.0);
                let reach = ((STRAIGHT * own.length()).powi(2) - height * height).max(0.0).sqrt();
                offset -= flat * (1.0 - reach / flat.length().max(reach).max(f64::MIN_POSITIVE));
            }
        }
        nearer[stand.clone()].fill(offset);
    }
    nearer
}
