//! Travel of the character from cycle to cycle.
//!
//! Along the ground, the travel is the mean over both cycles. Vertically most characters only bob, and a mean of that
//! would make them drift. A climb therefore counts only if both cycles climb in the same direction, and by more than the
//! root bobs about the straight line. It must also be a visible share of the figure, since breathing raises the root for
//! a while too. Travel along a curve continues straight, with a warning.

use glam::{DMat3, DVec3, Vec3A};

use super::Input;
use crate::{CycleWindow, LoopTravel, Warning};
use portamento_anim::Pose;
use portamento_anim::root_motion::{self, headings, parent_at, wrap};

/// Rotation between the cycles above which a warning is given, degrees. Tuned; no derivation recorded.
const TURN_WARNING_DEGREES: f64 = 10.0;

/// Minimum climb per cycle relative to the figure: 9 cm of a person, a third of a stair per step.
const MIN_CLIMB_FIGURE_SHARE: f64 = 0.05;

/// Minimum size of a discarded climb relative to the bobbing for a warning. Tuned; no derivation recorded.
const LOST_CLIMB_MIN_BOB_SHARE: f64 = 0.2;

/// Minimum size of a discarded climb relative to the figure for a warning. Tuned; no derivation recorded.
const LOST_CLIMB_MIN_FIGURE_SHARE: f64 = 0.01;

/// Mean travel of the root over both cycles.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RootTravel {
    joint: usize,
    /// Displacement per frame, world units.
    pub(super) per_frame: DVec3,
    /// Linear map of directions from world space to the space of the joint's parent.
    local_from_world: DMat3,
}

impl RootTravel {
    /// Moves the root of `pose` by the travel of `frames` frames, which may be negative.
    pub(super) fn carry(&self, pose: &mut Pose, frames: f64) {
        if self.per_frame != DVec3::ZERO {
            pose.locals[self.joint].translation += (self.local_from_world * (self.per_frame * frames)).as_vec3();
        }
    }
}

/// Returns the travel within `window`; zero if `travel` does not treat the root separately, or if there is no root. Adds warnings
/// about a missing root, a turn and a discarded climb.
pub(super) fn root_travel(
    input: &Input,
    travel: LoopTravel,
    window: CycleWindow,
    warnings: &mut Vec<Warning>,
) -> RootTravel {
    let Some(root) = input.root.filter(|_| travel != LoopTravel::Ordinary) else {
        if travel != LoopTravel::Ordinary {
            warnings.push(Warning::NoRoot);
        }
        return RootTravel::default();
    };
    let times: Vec<f64> = (0..=2 * window.length).map(|offset| (window.start + offset) as f64 / input.fps).collect();
    let path = root_motion::path(input.skeleton, input.clip, root.joint, &times);
    let turns = headings(input.skeleton, input.clip, root.joint, &[times[0], times[window.length]]);
    let degrees = wrap(turns[1] - turns[0]).to_degrees().abs();
    let along = (path[2 * window.length] - path[0]).with_y(0.0) / (2 * window.length) as f64;
    if degrees > TURN_WARNING_DEGREES && along.length() > 0.0 {
        warnings.push(Warning::Turns { degrees });
    }
    let climb = climb(&path, figure_size(input, times[0]));
    if let Some(height) = climb.left_out {
        warnings.push(Warning::ClimbLost { height });
    }
    let displacement = along.with_y(climb.per_frame);
    // The parent of a root joint usually rests; otherwise its transform at the start of the loop is used.
    let parent = parent_at(input.skeleton, input.clip, root.joint, times[0]).matrix3;
    let usable = parent.determinant().abs() > f64::MIN_POSITIVE && displacement.is_finite();
    let per_frame = if usable { displacement } else { DVec3::ZERO };
    let local_from_world = if usable { parent.inverse() } else { DMat3::IDENTITY };
    RootTravel { joint: root.joint, per_frame, local_from_world }
}

/// Vertical travel of a path over two cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Climb {
    /// Climb per frame that continues from cycle to cycle.
    per_frame: f64,
    /// Height per cycle that is discarded although both cycles climb.
    left_out: Option<f64>,
}

/// Returns the climb of `path`, one position per frame over two cycles, for a figure of size `size` in the same unit.
fn climb(path: &[DVec3], size: f64) -> Climb {
    let length = path.len() / 2;
    let height = |frame: usize| path[frame].y - path[0].y;
    let [first, second] = [height(length), height(2 * length) - height(length)];
    let per_frame = height(2 * length) / (2 * length) as f64;
    let bobs = (0..path.len()).map(|frame| height(frame) - per_frame * frame as f64);
    let (low, high) = bobs.fold((0.0_f64, 0.0_f64), |(low, high), bob| (low.min(bob), high.max(bob)));
    let per_cycle = per_frame * length as f64;
    // One cycle that climbs far more than the other is a single step and no gait.
    let alike = first * second > 0.0 && first.abs().min(second.abs()) > 0.5 * per_cycle.abs();
    if alike && per_cycle.abs() > (high - low).max(MIN_CLIMB_FIGURE_SHARE * size) {
        return Climb { per_frame, left_out: None };
    }
    let notable =
        alike && per_cycle.abs() > (LOST_CLIMB_MIN_BOB_SHARE * (high - low)).max(LOST_CLIMB_MIN_FIGURE_SHARE * size);
    Climb { per_frame: 0.0, left_out: notable.then_some(per_cycle) }
}

/// Returns the longest side of the bounding box of all joints at `time`, world units.
fn figure_size(input: &Input, time: f64) -> f64 {
    let mut world = Vec::new();
    input.clip.pose_at(input.skeleton, time).world_from_joints(input.skeleton, &mut world);
    let nothing = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
    let (low, high) =
        world.iter().fold(nothing, |(low, high), joint| (low.min(joint.translation), high.max(joint.translation)));
    f64::from((high - low).max_element()).max(0.0)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use portamento_anim::{Clip, Curve, JointTracks};

    fn path(height: impl Fn(usize) -> f64) -> Vec<DVec3> {
        (0..=40).map(|frame| DVec3::new(0.0, height(frame), frame as f64)).collect()
    }

    #[test]
    fn stairs_are_climbed_and_bobbing_is_no_climb() {
        let bob = |frame: usize| 0.05 * (frame as f64 * 0.6).sin();
        let stairs = climb(&path(|frame| 0.02 * frame as f64 + bob(frame)), 1.8);
        assert!((stairs.per_frame - 0.02).abs() < 0.003 && stairs.left_out.is_none(), "{stairs:?}");
        assert_eq!(climb(&path(bob), 1.8).per_frame, 0.0);
        assert_eq!(climb(&path(|_| 3.0), 1.8), Climb { per_frame: 0.0, left_out: None });
        let down = climb(&path(|frame| -0.1 * frame as f64), 1.8);
        assert!((down.per_frame + 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_climb_smaller_than_the_bobbing_is_reported_and_neither_a_single_step_nor_a_breath_is_a_climb() {
        let slope =
            climb(&path(|frame| 0.003 * frame as f64 + 0.05 * (frame as f64 * std::f64::consts::PI / 5.0).sin()), 1.8);
        assert!(
            slope.per_frame == 0.0 && slope.left_out.is_some_and(|height| (height - 0.06).abs() < 0.01),
            "{slope:?}"
        );
        let step = climb(&path(|frame| if frame < 20 { 0.0 } else { 1.0 }), 1.8);
        assert_eq!(step, Climb { per_frame: 0.0, left_out: None });
        // A chest that rises while it breathes in: a centimetre of a person within this window.
        let breath = climb(&path(|frame| 0.0005 * frame as f64), 1.8);
        assert_eq!(breath, Climb { per_frame: 0.0, left_out: None });
    }

    #[test]
    fn the_size_of_a_figure_is_the_longest_side_of_its_bounding_box() {
        let skeleton = portamento_test_support::skeleton_of(&[("root", None), ("arm", Some(0)), ("hand", Some(1))]);
        let mut clip = Clip { name: "still".into(), duration: 1.0, tracks: vec![JointTracks::default(); 3] };
        let at = |position: Vec3| Some(Curve::linear(vec![0.0], vec![position]));
        (clip.tracks[1].translation, clip.tracks[2].translation) = (at(Vec3::X * 2.0), at(Vec3::new(-0.5, 3.0, 1.0)));
        let input = Input { skeleton: &skeleton, clip: &clip, root: None, fps: 30.0 };
        assert!((figure_size(&input, 0.5) - 3.0).abs() < 1e-6, "{}", figure_size(&input, 0.5));
    }
}
