//! A joint between a segment and a motion that is not a gait, at which the character moves on.

use glam::DVec3;

use crate::crossing::Fitted;
use crate::locomotion::clips::in_place_clip::RootCarrier;
use crate::locomotion::paths::speed_profile::SpeedProfile;
use crate::locomotion::{Input, Settings, SmoothPath};
use portamento_anim::Pose;
use portamento_anim::root_motion::world_at;

/// Speed below which a crossing begins or ends with a stand, m/s. A walk is faster.
const STAND_MAX_SPEED: f64 = 0.4;
/// Time over which the speed at an end of a clip is measured, seconds.
const SPEED_SECONDS: f64 = 0.1;
/// Distance beyond the braking or accelerating distance in which the speed limits of the ground are raised, metres.
const SPEED_MARGIN_M: f64 = 0.5;

/// The motion at a joint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MovingJoint {
    /// Speed of the body, m/s.
    pub speed: f64,
    /// Pose of the other motion.
    pub pose: Pose,
}

impl MovingJoint {
    /// Returns the joints at the start and the end of a crossing; `None` where the character stands.
    pub fn of_crossing(input: &Input, carrier: &RootCarrier, fitted: &Fitted) -> [Option<Self>; 2] {
        let end = fitted.clip.duration;
        let ahead = DVec3::new(fitted.heading.sin(), 0.0, fitted.heading.cos());
        let joint = |[from, to]: [f64; 2], time: f64| {
            let root = carrier.root?.joint;
            let at = |time: f64| world_at(input.skeleton, &fitted.clip, root, time).translation;
            let speed = (at(to) - at(from)).dot(ahead) * input.metres_per_unit / (to - from);
            (speed >= STAND_MAX_SPEED).then(|| Self { speed, pose: fitted.clip.pose_at(input.skeleton, time) })
        };
        let part = SPEED_SECONDS.min(end);
        [joint([0.0, part], 0.0), joint([end - part, end], end)]
    }
}

/// Raises the limits of `path` so that the speeds of `joints` can be reached and left. Returns these speeds, m/s; 0 for a stand.
pub(super) fn allow_speeds(path: &mut SmoothPath, settings: &Settings, joints: &[Option<MovingJoint>; 2]) -> [f64; 2] {
    let length = path.length();
    let speeds = joints.each_ref().map(|joint| joint.as_ref().map_or(0.0, |joint| joint.speed));
    let reaches = [
        settings.braking.distance(speeds[0]) + SPEED_MARGIN_M,
        speeds[1] * speeds[1] / (2.0 * settings.acceleration) + SPEED_MARGIN_M,
    ];
    for (limit, along) in path.limits.iter_mut().zip(&path.lengths) {
        let raised = [(speeds[0], *along, reaches[0]), (speeds[1], length - along, reaches[1])];
        for (speed, distance, reach) in raised {
            if speed > 0.0 && distance <= reach {
                *limit = limit.max(speed);
            }
        }
    }
    speeds
}

/// Returns the profile along `path` between the motions of `joints`, without the time in which a start clip stands.
pub(crate) fn profile(path: &mut SmoothPath, settings: &Settings, joints: &[Option<MovingJoint>; 2]) -> SpeedProfile {
    let ends = allow_speeds(path, settings, joints);
    SpeedProfile::between(path, settings, ends, 0.0)
}
