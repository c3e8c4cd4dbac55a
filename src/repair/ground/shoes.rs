//! Ground contact of foot meshes: the tip of a shoe can be lower than any joint.

use glam::DVec3;

use super::plants::{Foot, ground_below, sole_height};
use super::{CHANGE_MIN_M, Input, Settings};
use portamento_anim::Pose;
use portamento_anim::foot_place::{FootTransform, leg_positions};
use portamento_anim::quality::WorstFrame;
use portamento_anim::root_motion::rest_at;

/// Foot meshes and the ground they must stay out of.
#[derive(Clone, Copy)]
pub(super) struct Shoes<'a> {
    pub input: &'a Input<'a>,
    pub settings: &'a Settings,
    pub feet: &'a [Foot<'a>],
}

/// The deepest point of a shoe in the ground.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deepest {
    /// Depth; 0 if no shoe is in the ground.
    pub metres: f64,
    /// Its foot and time.
    pub at: Option<WorstFrame>,
}

impl Shoes<'_> {
    /// Raises the `targets` of each foot until its mesh is out of the ground, frame by frame. Feet above the ground stay
    /// bit-identical. Returns the largest remaining depth in each frame, world units; it is positive if the leg cannot be folded
    /// further.
    pub(super) fn raise_out(&self, poses: &[Pose], targets: &mut [Vec<FootTransform>]) -> Vec<f64> {
        let mut stuck = vec![0.0_f64; poses.len()];
        for (foot, targets) in self.feet.iter().zip(targets) {
            for ((pose, target), stuck) in poses.iter().zip(targets).zip(&mut stuck) {
                let room = leg_positions(self.input.skeleton, foot.leg, pose).room_above(target.ankle);
                let depth = self.depth(foot, pose, target.sole);
                let up = depth.min(room);
                *stuck = stuck.max(depth - up);
                if up * self.input.metres_per_unit > CHANGE_MIN_M {
                    *target = target.moved(DVec3::Y * up);
                }
            }
        }
        stuck
    }

    /// Returns the largest depth in `poses`, one for each of `times`.
    pub fn deepest(&self, poses: &[Pose], times: &[f64]) -> Deepest {
        let mut worst = Deepest::default();
        for foot in self.feet {
            let joint = foot.sole();
            for (pose, &time) in poses.iter().zip(times) {
                let position = pose.world_from_joint(self.input.skeleton, joint).translation;
                let metres = self.depth(foot, pose, position) * self.input.metres_per_unit;
                if metres > worst.metres {
                    worst = Deepest { metres, at: Some(WorstFrame { joint, time }) };
                }
            }
        }
        worst
    }

    /// Returns the depth in the ground of the mesh of `foot`, rotated as in `pose`, with its sole joint at `position`, world
    /// units. Returns 0 above the ground, and without mesh or ground.
    fn depth(&self, foot: &Foot, pose: &Pose, position: DVec3) -> f64 {
        let Self { input, settings, .. } = *self;
        let (Some(mesh), Some(ground)) = (&foot.mesh, ground_below(input, position)) else { return 0.0 };
        let joint = foot.sole();
        let now = pose.world_from_joint(input.skeleton, joint).translation;
        let offset = ground + sole_height(input, settings, joint) - rest_at(input.skeleton, joint).translation.y;
        let depth = mesh.depth(input.skeleton, pose) + offset - (position.y - now.y);
        if depth.is_finite() { depth.max(0.0) } else { 0.0 }
    }
}
