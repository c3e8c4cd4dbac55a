//! Feet as their meshes have them: the tip of a shoe is lower than any joint once the foot points down.

use glam::DVec3;

use super::plants::{Foot, sole_height, under};
use super::{Input, NONE, Settings};
use crate::anim::Pose;
use crate::anim::foot_place::{FootPlace, leg_place};
use crate::anim::quality::WorstFrame;
use crate::anim::root_motion::rest_at;

/// The meshes of feet and the ground that they must not be in.
#[derive(Clone, Copy)]
pub(super) struct Shoes<'a> {
    pub input: &'a Input<'a>,
    pub settings: &'a Settings,
    pub feet: &'a [Foot<'a>],
}

/// Where a shoe is deepest in the ground.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deepest {
    /// 0 where none is.
    pub metres: f64,
    pub at: Option<WorstFrame>,
}

impl Shoes<'_> {
    /// Raises the `targets` of each foot to where its mesh is not in the ground. It is done frame by frame: a shoe that touches is
    /// as high as its turn has it, and what is not in the ground keeps its bits. Answers how far at most one still is in it in each
    /// frame, because its leg cannot be folded more, world units.
    pub(super) fn raise_out(&self, poses: &[Pose], targets: &mut [Vec<FootPlace>]) -> Vec<f64> {
        let mut stuck = vec![0.0_f64; poses.len()];
        for (foot, targets) in self.feet.iter().zip(targets) {
            for ((pose, target), stuck) in poses.iter().zip(targets).zip(&mut stuck) {
                let room = leg_place(self.input.skeleton, foot.leg, pose).room_above(target.ankle);
                let depth = self.depth(foot, pose, target.sole);
                let up = depth.min(room);
                *stuck = stuck.max(depth - up);
                if up * self.input.metres_per_unit > NONE {
                    *target = target.moved(DVec3::Y * up);
                }
            }
        }
        stuck
    }

    /// The deepest that one is in the ground in `poses`, one for each of `times`.
    pub fn deepest(&self, poses: &[Pose], times: &[f64]) -> Deepest {
        let mut worst = Deepest::default();
        for foot in self.feet {
            let joint = foot.sole();
            for (pose, &time) in poses.iter().zip(times) {
                let place = pose.world_from_joint(self.input.skeleton, joint).translation;
                let metres = self.depth(foot, pose, place) * self.input.metres_per_unit;
                if metres > worst.metres {
                    worst = Deepest { metres, at: Some(WorstFrame { joint, time }) };
                }
            }
        }
        worst
    }

    /// How far the mesh of `foot`, turned as in `pose`, is under the ground while its sole's joint is at `place`, world units; 0 over
    /// it, and where there is no mesh or no ground.
    fn depth(&self, foot: &Foot, pose: &Pose, place: DVec3) -> f64 {
        let Self { input, settings, .. } = *self;
        let (Some(mesh), Some(ground)) = (&foot.mesh, under(input, place)) else { return 0.0 };
        let joint = foot.sole();
        let now = pose.world_from_joint(input.skeleton, joint).translation;
        let at_rest = ground + sole_height(input, settings, joint) - rest_at(input.skeleton, joint).translation.y;
        let depth = mesh.depth(input.skeleton, pose) + at_rest - (place.y - now.y);
        if depth.is_finite() { depth.max(0.0) } else { 0.0 }
    }
}
