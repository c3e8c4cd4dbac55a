//! A clip that turns on the spot: its heading by time, and that heading brought to another angle.
//!
//! The heading is shared out as a stretched path is, each frame's part in proportion to how far the clip itself turns in it
//! ([`displace`]): frames that stand do not turn, and the last one looks exactly where it shall.

use std::f64::consts::PI;

use glam::{DAffine3, DVec3};

use super::gait_clip::name_tokens;
use super::in_place_clip::{RootCarrier, move_body};
use super::pose_match::{limbs, pose_distance};
use super::transition_clip::ContactTrack;
use super::{ClipRoles, Input, WalkError};
use crate::anim::contacts::{ContactLimits, contacts, per_frame};
use crate::anim::root_motion::{frame_times, headings, rest_at, world_at};
use crate::anim::{Clip, Pose, RootKind};
use crate::math::arc_length::{cumulative, locate};
use crate::math::displacement::displace;
use crate::message::message;

/// A measured turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TurnClip {
    pub clip: Clip,
    /// Seconds into the clip, increasing.
    pub times: Vec<f64>,
    /// Radians turned to the left since the first frame.
    yaws: Vec<f64>,
    /// What of the carrier's way is taken out of the pose, world units.
    gone: Vec<DVec3>,
    pub standing: ContactTrack,
}

/// Radians a clip turns at least.
const LEAST: f64 = 20.0 * PI / 180.0;
/// How much of its own angle a clip may be brought to.
const WARP: [f64; 2] = [0.6, 1.4];
/// Radians up to which a turn may go the longer way round, where a clip is nearer to that.
const ROUND: f64 = 200.0 * PI / 180.0;
/// Metres between hands and feet and their places in the standing pose, up to which a clip begins or ends standing.
const STANDS: f64 = 0.2;
/// Metres a turn on the spot may travel.
const SPOT: f64 = 0.6;

/// The turns that `roles` names; else those clips that turn on the spot from standing to standing.
pub(super) fn find(
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
    /// Measures `clip` by its carrier, or by its hips where the carrier does not turn; `None` where neither does.
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
            (since.last()?.abs() >= LEAST).then_some(since)
        };
        let yaws = turned(root.joint).or_else(|| turned(input.roles.hips.filter(|&hips| hips < skeleton.len())?))?;
        let gone = gone(input, carrier, clip, &Headings { times: &times, yaws: &yaws })?;
        let travel = (gone[gone.len() - 1] - gone[0]).length() * input.metres_per_unit;
        let stands = |&joint: &usize| {
            let points: Vec<DVec3> =
                times.iter().map(|&time| world_at(skeleton, clip, joint, time).translation).collect();
            let found = contacts(&points, &times, input.metres_per_unit, &ContactLimits::default());
            per_frame(&found, times.len())
        };
        let standing = ContactTrack::new(times.clone(), soles.iter().map(stands).collect());
        (travel < SPOT).then(|| Self { clip: clip.clone(), times, yaws, gone, standing })
    }

    /// Radians it turns, to the left above 0.
    pub fn angle(&self) -> f64 {
        self.yaws.last().copied().unwrap_or(0.0)
    }

    /// Whether it stands at both ends, or nearly where its name says that it turns.
    fn is_proposed(&self, input: &Input, carrier: &RootCarrier, idle: &Pose) -> bool {
        let named = name_tokens(&self.clip.name).iter().any(|word| ["turn", "turns", "pivot"].contains(&word.as_str()));
        let most = if named { 2.0 * STANDS } else { STANDS };
        let limbs = limbs(input);
        [0.0, self.clip.duration].into_iter().all(|time| {
            let mut pose = Pose::default();
            self.sample(input, carrier, time, &mut pose);
            pose_distance(input, &limbs, &pose, idle) < most
        })
    }

    /// The pose at `time` (seconds) over the spot, its turn taken out.
    pub fn sample(&self, input: &Input, carrier: &RootCarrier, time: f64, pose: &mut Pose) {
        pose.set_rest(input.skeleton);
        self.clip.sample(input.skeleton, time, pose);
        let Some((i, fraction)) = locate(&self.times, time) else { return };
        let gone = self.gone[i].lerp(self.gone[i + 1], fraction);
        let back = DAffine3::from_rotation_y(-mix(&self.times, &self.yaws, time)) * DAffine3::from_translation(-gone);
        move_body(input.skeleton, carrier, &back, pose);
    }

    /// The heading over the clip's times when it turns by `angle` instead.
    pub(super) fn warped(&self, angle: f64) -> Vec<f64> {
        let path: Vec<DVec3> = self.yaws.iter().map(|&yaw| DVec3::X * yaw).collect();
        displace(&path, &cumulative(&path), DVec3::X * angle).into_iter().map(|point| point.x).collect()
    }
}

/// A value over times, between its neighbours.
pub(super) fn mix(times: &[f64], values: &[f64], time: f64) -> f64 {
    locate(times, time).map_or(0.0, |(i, fraction)| values[i] + (values[i + 1] - values[i]) * fraction)
}

/// Which of `turns` comes nearest to `angle` (radians, within half a turn), and the angle it is to turn: a wide one may go the
/// other way round.
pub(super) fn choose(turns: &[TurnClip], angle: f64) -> Option<(&TurnClip, f64)> {
    let round = angle - angle.signum() * 2.0 * PI;
    let ways = [Some(angle), Some(round).filter(|round| round.abs() <= ROUND)];
    let off = |&(turn, angle): &(&TurnClip, f64)| (angle / turn.angle()).ln().abs();
    let fits = |&(turn, angle): &(&TurnClip, f64)| (WARP[0]..=WARP[1]).contains(&(angle / turn.angle()));
    let pairs = turns.iter().flat_map(|turn| ways.into_iter().flatten().map(move |angle| (turn, angle)));
    pairs.filter(fits).min_by(|a, b| off(a).total_cmp(&off(b)))
}

/// How a clip has turned since its start.
struct Headings<'a> {
    /// Seconds, rising.
    times: &'a [f64],
    /// Radians at each of them.
    yaws: &'a [f64],
}

/// The carrier's way over the spot, world units: all of a root's, and of the hips' what the whole turn leaves.
fn gone(input: &Input, carrier: &RootCarrier, clip: &Clip, turned: &Headings) -> Option<Vec<DVec3>> {
    let Headings { times, yaws } = turned;
    let root = carrier.root?;
    let rest = rest_at(input.skeleton, root.joint).translation;
    let place = |time: f64| (world_at(input.skeleton, clip, root.joint, time).translation - rest).with_y(0.0);
    let (first, last) = (place(*times.first()?), place(*times.last()?));
    let angle = yaws.last()?;
    let even = |&yaw: &f64| first + (last - first) * (yaw / angle).clamp(0.0, 1.0);
    Some(match root.kind {
        RootKind::HipsGroundPart => yaws.iter().map(even).collect(),
        _ => times.iter().map(|&time| place(time)).collect(),
    })
}
