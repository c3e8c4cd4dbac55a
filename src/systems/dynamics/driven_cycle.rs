//! The animation of a cycle, kept while the cycle is simulated again and again: sampling it costs as much as many bones do.

use super::rig::{DynamicsRig, Tip};
use crate::anim::Pose;
use crate::math::Transform;

/// What the simulation reads of the animation at every substep of a cycle.
#[derive(Debug, Default)]
pub(super) struct DrivenCycle {
    /// The joints that bones or colliders hang on, and the bones' own.
    joints: Vec<usize>,
    /// Substep after substep, one per joint.
    locals: Vec<Transform>,
    /// Most that may be kept.
    room: usize,
}

/// Transforms kept at most: 160 MiB.
const MOST: usize = 1 << 22;

impl DrivenCycle {
    /// Room for `substeps` substeps of a cycle; none is kept where there are too many.
    pub fn new(rig: &DynamicsRig, substeps: usize) -> Self {
        let own = rig.bones.iter().map(|bone| bone.joint);
        let tips = rig.bones.iter().filter_map(|bone| if let Tip::Joint(tip) = bone.tip { Some(tip) } else { None });
        let mut joints: Vec<usize> = rig.kinematic.iter().map(|each| each.joint).chain(own).chain(tips).collect();
        joints.sort_unstable();
        joints.dedup();
        let room = joints.len().saturating_mul(substeps);
        Self { joints, locals: Vec::new(), room: if room <= MOST { room } else { 0 } }
    }

    /// Writes what was kept at `substep` over `pose`; whether it was.
    pub fn write(&self, substep: usize, pose: &mut Pose) -> bool {
        let count = self.joints.len();
        let Some(row) = self.locals.get(substep * count..(substep + 1) * count) else { return false };
        self.joints.iter().zip(row).for_each(|(&joint, &local)| pose.locals[joint] = local);
        true
    }

    /// Keeps `pose`, which the animation has at the next substep that is not kept yet; `substep` is which one it is.
    pub fn keep(&mut self, substep: usize, pose: &Pose) {
        let count = self.joints.len();
        if self.locals.len() == substep * count && self.locals.len() + count <= self.room {
            self.locals.reserve_exact(self.room - self.locals.len());
            self.locals.extend(self.joints.iter().map(|&joint| pose.locals[joint]));
        }
    }
}
