//! Paths of root, body, hands and feet of a clip, in metres.

use glam::DVec3;

use super::Input;
use portamento_anim::foot_place::{sole, sole_heights};
use portamento_anim::foot_shape::{lowest, standing_ground};
use portamento_anim::root_motion::{all_at_rest, frame_times};
use portamento_anim::{Leg, Pose};

/// The path of a hand or foot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LimbTrack {
    /// Name of the joint.
    pub name: String,
    /// Position of the hand, or of the toe of a foot (the ankle if it has none), at each frame, metres.
    pub points: Vec<DVec3>,
    /// Height of the lowest point of the mesh (of the joints without a mesh) at each frame, metres.
    pub lowest: Vec<f64>,
}

/// The paths of a clip.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tracks {
    /// Frame times, seconds.
    pub times: Vec<f64>,
    /// Positions of the root joint, metres.
    pub root: Vec<DVec3>,
    /// Positions of the hips, metres.
    pub body: Vec<DVec3>,
    /// Hands, in the order of the roles.
    pub hands: Vec<LimbTrack>,
    /// Feet, in the order of the legs.
    pub feet: Vec<LimbTrack>,
}

impl Tracks {
    /// Returns the paths of the clip of `input`.
    pub fn new(input: &Input) -> Self {
        let (skeleton, unit) = (input.skeleton, input.metres_per_unit);
        // Between two keys a limb leaves its contact by the error of the interpolation.
        let times = frame_times(input.clip, 0..skeleton.len(), input.fps);
        let hips = body_joint(input);
        let limb = |joint: usize| LimbTrack {
            name: skeleton.joints[joint].name.clone(),
            points: Vec::with_capacity(times.len()),
            lowest: Vec::with_capacity(times.len()),
        };
        let hands: Vec<usize> = hands(input).collect();
        let legs = legs(input);
        let soles = rest_soles(input, &legs);
        let mut tracks = Self {
            root: Vec::with_capacity(times.len()),
            body: Vec::with_capacity(times.len()),
            hands: hands.iter().map(|&hand| limb(hand)).collect(),
            feet: legs.iter().map(|leg| limb(leg.foot)).collect(),
            times: Vec::new(),
        };
        let mut pose = Pose::rest(skeleton);
        for &time in &times {
            pose.set_rest(skeleton);
            input.clip.sample(skeleton, time, &mut pose);
            let at = |joint: usize| pose.world_from_joint(skeleton, joint).translation * unit;
            tracks.root.push(at(input.root.joint));
            tracks.body.push(at(hips));
            for (track, &hand) in tracks.hands.iter_mut().zip(&hands) {
                track.points.push(at(hand));
                track.lowest.push(lowest_of(input, hand, &pose));
            }
            for ((track, leg), rest) in tracks.feet.iter_mut().zip(&legs).zip(&soles) {
                let point = sole(skeleton, leg, &pose) * unit;
                let mesh = mesh_lowest(input, leg.foot, &pose).map(|height| height * unit);
                track.points.push(point);
                track.lowest.push(mesh.unwrap_or(point.y - rest));
            }
        }
        Self { times, ..tracks }
    }

    /// Returns the position at `time` (seconds) on a path with one point per frame.
    pub fn sampled(&self, path: &[DVec3], time: f64) -> DVec3 {
        let after = self.times.partition_point(|&frame| frame < time).clamp(1, self.times.len() - 1);
        let [from, to] = [self.times[after - 1], self.times[after]];
        path[after - 1].lerp(path[after], ((time - from) / (to - from)).clamp(0.0, 1.0))
    }

    /// Returns the frames within the span `[start, end]`, seconds; at least one.
    pub fn frames(&self, [start, end]: [f64; 2]) -> std::ops::Range<usize> {
        let slack = 1e-4;
        let first = self.times.partition_point(|&time| time < start - slack).min(self.times.len() - 1);
        first..self.times.partition_point(|&time| time <= end + slack).max(first + 1)
    }
}

/// Returns the joint whose height follows gravity: the hips, or the root without them.
pub(super) fn body_joint(input: &Input) -> usize {
    input.roles.hips.filter(|&hips| hips < input.skeleton.len()).unwrap_or(input.root.joint)
}

/// Returns the hands that the skeleton has.
pub(super) fn hands<'a>(input: &'a Input) -> impl Iterator<Item = usize> + 'a {
    input.roles.hands.iter().copied().filter(|&hand| hand < input.skeleton.len())
}

/// Returns the legs that IK can bend.
pub(super) fn legs(input: &Input) -> Vec<Leg> {
    input.roles.legs.iter().filter(|leg| leg.is_bendable(input.skeleton)).cloned().collect()
}

/// Returns the heights of the soles above the ground at rest, metres.
fn rest_soles(input: &Input, legs: &[Leg]) -> Vec<f64> {
    let rest = Pose::rest(input.skeleton);
    let ground = standing_ground(input.skeleton, legs, &[]);
    let all: Vec<&Leg> = legs.iter().collect();
    let differences = sole_heights(input.skeleton, input.roles, &all);
    let soles = || legs.iter().map(|leg| sole(input.skeleton, leg, &rest).y - ground);
    let lowest = soles().fold(f64::INFINITY, f64::min);
    differences.iter().map(|height| (height + lowest.max(0.0)) * input.metres_per_unit).collect()
}

/// Returns the height of the lowest mesh point of `joint` and the joints below it in `pose`, in the file's unit; `None` without a
/// mesh.
fn mesh_lowest(input: &Input, joint: usize, pose: &Pose) -> Option<f64> {
    let parts: Vec<_> = input.body.iter().filter(|part| input.skeleton.is_within(part.joint, joint)).cloned().collect();
    lowest(input.skeleton, &parts, pose)
}

/// Returns the height of the lowest point of a hand in `pose`, metres: of its mesh, else of its joints.
fn lowest_of(input: &Input, hand: usize, pose: &Pose) -> f64 {
    let joints = || {
        let heights = input.skeleton.subtree(hand).into_iter();
        heights.map(|joint| pose.world_from_joint(input.skeleton, joint).translation.y).fold(f64::INFINITY, f64::min)
    };
    mesh_lowest(input, hand, pose).unwrap_or_else(joints) * input.metres_per_unit
}

/// Returns the height of the lowest joint of the rest pose, metres.
pub(super) fn rest_height(input: &Input) -> f64 {
    let heights = all_at_rest(input.skeleton).into_iter().map(|world| world.translation.y);
    let [low, high] = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], y| [low.min(y), high.max(y)]);
    (high - low).max(0.0) * input.metres_per_unit
}
