//! The large parts of a built take in memory.

use std::sync::Arc;

use super::{BuiltTake, LoopKind, StageResult};
use crate::anim::{Clip, Pose};
use crate::evaluate::content::Content;

/// One large part; takes that share it hold the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::evaluate) struct Holding {
    /// Where it lies: equal for equal parts only.
    pub address: usize,
    /// Bytes that it takes.
    pub bytes: usize,
}

impl BuiltTake {
    /// Its large parts: keys, poses, recordings, vertices and ground. A part may come twice.
    pub(in crate::evaluate) fn holdings(&self) -> Vec<Holding> {
        let clips = [&self.source, &self.clip].into_iter().chain(self.stages.iter().map(|stage| &stage.clip));
        let mut held: Vec<Holding> = clips.map(|clip| holding(clip, clip.bytes())).collect();
        held.push(holding(&self.recordings, self.recordings.bytes()));
        held.extend(self.stages.iter().map(|stage| of_stage(&stage.result)));
        if let Content::Vertices(vertices) = &self.content {
            held.push(holding(&vertices.clip, size_of_val(&vertices.clip.positions[..])));
        }
        if let Some(walked) = &self.walked {
            held.push(holding(&walked.ground, walked.ground.bytes()));
            held.extend(walked.walk.iter().map(|walk| holding(walk, walk.frames().iter().map(of_pose).sum())));
        }
        held
    }
}

fn holding<T>(part: &Arc<T>, bytes: usize) -> Holding {
    Holding { address: Arc::as_ptr(part).cast::<()>() as usize, bytes }
}

/// What a stage keeps beside the clip that comes out of it.
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
