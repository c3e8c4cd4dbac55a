//! A clip that turns on the spot: its heading over time, and that heading warped to another angle.
//!
//! The angle is distributed like a stretched path: each frame's share is proportional to its own rotation
//! ([`displace`]). Frames that stand still do not turn, and the last one reaches the requested heading exactly.

use std::f64::consts::PI;

use glam::{DAffine3, DVec3};

use super::in_place_clip::{RootCarrier, move_body};
use super::transition_clip::ContactTrack;
use crate::locomotion::gaits::gait_clip::name_tokens;
use crate::locomotion::segments::pose_match::{limbs, pose_distance};
use crate::locomotion::{ClipRoles, Input, WalkError};
use portamento_anim::contacts::{ContactLimits, contacts, per_frame};
use portamento_anim::math::arc_length::{cumulative, locate};
use portamento_anim::math::displacement::displace;
use portamento_anim::root_motion::{frame_times, headings, rest_at, world_at};
use portamento_anim::{Clip, Pose, RootKind};
use portamento_base::message::message;

/// A measured turn on the spot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TurnClip {
    pub clip: Clip,
    /// Seconds into the clip, increasing.
    pub times: Vec<f64>,
    /// Angle turned to the left since the first frame, radians.
    yaws: Vec<f64>,
    /// Travel of the carrier that is removed from the pose, world units.
    removed_travel: Vec<DVec3>,
    pub standing: ContactTrack,
}

/// Smallest turn of a turn clip, radians.
const TURN_MIN_RADIANS: f64 = 20.0 * PI / 180.0;
/// Range of factors to which a clip's own angle may be warped. Tuned; no derivation recorded.
const WARP_RANGE: [f64; 2] = [0.6, 1.4];
/// Largest turn in the longer direction, radians, if a clip is nearer to it.
const LONG_TURN_MAX_RADIANS: f64 = 200.0 * PI / 180.0;
/// Largest mean distance of hands and feet from the idle pose at which a clip counts as standing, metres. Tuned; no
/// derivation recorded.
const STAND_MAX_DISTANCE_M: f64 = 0.2;
/// Largest travel of a turn on the spot, metres. Tuned; no derivation recorded.
const TRAVEL_MAX_M: f64 = 0.6;

/// Returns the turns named by `roles`, otherwise the clips that turn on the spot from stand to stand. Returns `Err` if
/// a named clip does not exist or does not turn on the spot. The result is empty if none is named and proposals are
/// off.
pub(crate) fn find(
    input: &Input,
    carrier: &RootCarrier,
    roles: &ClipRoles,
    idle: &Pose,
) -> Result<Vec<TurnClip>, WalkError> {
    if !roles.turns.is_empty() {
        let named = |name: &String| {
            let clip = input.clip(name, message!("role.walk.turning", "turning"))?;
            TurnClip::measure(input, carrier, clip).ok_or_else(|| WalkError::NoTurn { clip: name.clone() })
        };
        return roles.turns.iter().map(named).collect();
    }
    if !roles.propose_turns {
        return Ok(Vec::new());
    }
    let short = input.clips.iter().filter(|clip| clip.duration > 0.2 && clip.duration < 4.0);
    let mut turns: Vec<TurnClip> = short.filter_map(|clip| TurnClip::measure(input, carrier, clip)).collect();
    turns.retain(|turn| turn.is_proposed(input, carrier, idle));
    Ok(turns)
}

impl TurnClip {
    /// Measures `clip` by its carrier, or by its hips if the carrier does not turn. Returns `None` if neither turns by
    /// 20° or the carrier travels 60 cm or more.
    fn measure(input: &Input, carrier: &RootCarrier, clip: &Clip) -> Option<Self> {
        let (skeleton, root) = (input.skeleton, carrier.root?);
        let soles = input.legs().into_iter().map(|leg| leg.toe.unwrap_or(leg.foot));
        let soles: Vec<usize> = soles.collect();
        let chain = soles.iter().flat_map(|&joint| skeleton.ancestors(joint));
        let times = frame_times(clip, chain, 60.0);
        let turned = |joint: usize| -> Option<Vec<f64>> {
            let yaws = headings(skeleton, clip, joint, &times);
            let first = *yaws.first()?;
            let since: Vec<f64> = yaws.iter().map(|yaw| yaw - first).collect();
            (since.last()?.abs() >= TURN_MIN_RADIANS).then_some(since)
        };
        let yaws = turned(root.joint).or_else(|| turned(input.roles.hips.filter(|&hips| hips < skeleton.len())?))?;
        let removed_travel = carrier_travel(input, carrier, clip, &Headings { times: &times, yaws: &yaws })?;
        let travel = (removed_travel[removed_travel.len() - 1] - removed_travel[0]).length() * input.metres_per_unit;
        let contact_row = |&joint: &usize| {
            let points: Vec<DVec3> =
                times.iter().map(|&time| world_at(skeleton, clip, joint, time).translation).collect();
            let found = contacts(&points, &times, input.metres_per_unit, &ContactLimits::default());
            per_frame(&found, times.len())
        };
        let standing = ContactTrack::new(times.clone(), soles.iter().map(contact_row).collect());
        (travel < TRAVEL_MAX_M).then(|| Self { clip: clip.clone(), times, yaws, removed_travel, standing })
    }

    /// Returns the angle turned, radians, positive to the left.
    pub fn angle(&self) -> f64 {
        self.yaws.last().copied().unwrap_or(0.0)
    }

    /// True if the clip stands at both ends. Clips named as turns get twice the tolerance.
    fn is_proposed(&self, input: &Input, carrier: &RootCarrier, idle: &Pose) -> bool {
        let named = name_tokens(&self.clip.name).iter().any(|word| ["turn", "turns", "pivot"].contains(&word.as_str()));
        let limit = if named { 2.0 * STAND_MAX_DISTANCE_M } else { STAND_MAX_DISTANCE_M };
        let limbs = limbs(input);
        [0.0, self.clip.duration].into_iter().all(|time| {
            let mut pose = Pose::default();
            self.sample(input, carrier, time, &mut pose);
            pose_distance(input, &limbs, &pose, idle) < limit
        })
    }

    /// Samples the pose at `time` (seconds) over the origin, with its turn removed.
    pub fn sample(&self, input: &Input, carrier: &RootCarrier, time: f64, pose: &mut Pose) {
        pose.set_rest(input.skeleton);
        self.clip.sample(input.skeleton, time, pose);
        let Some((i, fraction)) = locate(&self.times, time) else { return };
        let removed_travel = self.removed_travel[i].lerp(self.removed_travel[i + 1], fraction);
        let back = DAffine3::from_rotation_y(-mix(&self.times, &self.yaws, time))
            * DAffine3::from_translation(-removed_travel);
        move_body(input.skeleton, carrier, &back, pose);
    }

    /// Returns the heading at each of the clip's times for a turn of `angle`, both in radians.
    pub(crate) fn warped(&self, angle: f64) -> Vec<f64> {
        let path: Vec<DVec3> = self.yaws.iter().map(|&yaw| DVec3::X * yaw).collect();
        displace(&path, &cumulative(&path), DVec3::X * angle).into_iter().map(|point| point.x).collect()
    }
}

/// Returns the value interpolated at `time` between `values`, which are those at `times` (seconds).
pub(crate) fn mix(times: &[f64], values: &[f64], time: f64) -> f64 {
    locate(times, time).map_or(0.0, |(i, fraction)| values[i] + (values[i + 1] - values[i]) * fraction)
}

/// Returns the turn whose angle is nearest to `angle` (radians, within half a turn), and the angle to turn. A wide turn may
/// go in the other direction. Returns `None` if no clip can be warped that far.
pub(crate) fn choose(turns: &[TurnClip], angle: f64) -> Option<(&TurnClip, f64)> {
    let other_direction = angle - angle.signum() * 2.0 * PI;
    let angles =
        [Some(angle), Some(other_direction).filter(|other_direction| other_direction.abs() <= LONG_TURN_MAX_RADIANS)];
    let deviation = |&(turn, angle): &(&TurnClip, f64)| (angle / turn.angle()).ln().abs();
    let fits = |&(turn, angle): &(&TurnClip, f64)| (WARP_RANGE[0]..=WARP_RANGE[1]).contains(&(angle / turn.angle()));
    let pairs = turns.iter().flat_map(|turn| angles.into_iter().flatten().map(move |angle| (turn, angle)));
    pairs.filter(fits).min_by(|a, b| deviation(a).total_cmp(&deviation(b)))
}

/// Heading of a clip since its start.
struct Headings<'a> {
    /// Seconds, rising.
    times: &'a [f64],
    /// Angle turned at each time, radians.
    yaws: &'a [f64],
}

/// Returns the carrier's travel over the origin at each time, world units: all travel of a root; for hips only the
/// constant drift of the whole turn. Returns `None` without a carrier joint.
fn carrier_travel(input: &Input, carrier: &RootCarrier, clip: &Clip, turned: &Headings) -> Option<Vec<DVec3>> {
    let Headings { times, yaws } = turned;
    let root = carrier.root?;
    let rest = rest_at(input.skeleton, root.joint).translation;
    let position = |time: f64| (world_at(input.skeleton, clip, root.joint, time).translation - rest).with_y(0.0);
    let (first, last) = (position(*times.first()?), position(*times.last()?));
    let angle = yaws.last()?;
    let drift = |&yaw: &f64| first + (last - first) * (yaw / angle).clamp(0.0, 1.0);
    Some(match root.kind {
        RootKind::HipsGroundPart => yaws.iter().map(drift).collect(),
        _ => times.iter().map(|&time| position(time)).collect(),
    })
}
