//! The large allocations of a built take.

use std::sync::Arc;

use super::{BuiltTake, LoopKind, StageResult};
use crate::evaluate::content::Content;
use portamento_anim::{Clip, Pose};

/// A large allocation, possibly shared by several takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::evaluate) struct Holding {
    /// The address, which identifies the allocation.
    pub address: usize,
    /// Size, bytes.
    pub bytes: usize,
}

impl BuiltTake {
    /// Returns the large allocations: keys, poses, recordings, vertices and ground. An allocation may be listed twice.
    pub(in crate::evaluate) fn holdings(&self) -> Vec<Holding> {
        let clips = [&self.source, &self.clip].into_iter().chain(self.stages.iter().map(|stage| &stage.clip));
        let mut holdings: Vec<Holding> = clips.map(|clip| holding(clip, clip.bytes())).collect();
        holdings.push(holding(&self.recordings, self.recordings.bytes()));
        holdings.extend(self.stages.iter().map(|stage| of_stage(&stage.result)));
        if let Content::Vertices(vertices) = &self.content {
            holdings.push(holding(&vertices.clip, size_of_val(&vertices.clip.positions[..])));
        }
        if let Some(walked) = &self.walked {
            holdings.push(holding(&walked.ground, walked.ground.bytes()));
            holdings.extend(walked.walk.iter().map(|walk| holding(walk, walk.frames().iter().map(of_pose).sum())));
        }
        holdings
    }
}

fn holding<T>(part: &Arc<T>, bytes: usize) -> Holding {
    Holding { address: Arc::as_ptr(part).cast::<()>() as usize, bytes }
}

/// Returns the allocation of a stage in addition to its output clip.
fn of_stage(result: &StageResult) -> Holding {
    match result {
        StageResult::Layer(built) => {
            holding(built, built.clip.bytes() + built.clips.iter().map(Clip::bytes).sum::<usize>())
        }
        StageResult::Stretch(built) => holding(built, built.clip().bytes()),
        StageResult::Dynamics(built) => holding(built, built.bytes()),
        StageResult::Loop(built) => match &built.kind {
            LoopKind::Joints(joints) => {
                holding(joints, (0..joints.frames()).map(|frame| of_pose(joints.cycle_frame(frame))).sum())
            }
            LoopKind::Vertices(_) | LoopKind::Images(_) => holding(built, 0),
        },
        StageResult::Close(built) => holding(built, built.clip.bytes()),
        StageResult::Retime(built) => holding(built, built.clip.bytes()),
        StageResult::Trim(built) => holding(built, built.clip.bytes()),
        StageResult::Ground(built) => holding(built, built.clip.bytes()),
        StageResult::Mirror(built) => holding(built, built.clip.bytes()),
        StageResult::Root(built) => holding(built, built.clip.bytes()),
        StageResult::Cleanup(built) => holding(built, built.clip.bytes()),
    }
}

fn of_pose(pose: &Pose) -> usize {
    size_of_val(&pose.locals[..]) + size_of_val(&pose.morphs[..])
}
