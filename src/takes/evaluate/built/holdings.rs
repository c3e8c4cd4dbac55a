//! The large allocations of a built take.

use std::sync::Arc;

use super::BuiltTake;
use crate::evaluate::content::Content;
use crate::evaluate::memory;
use crate::evaluate::stages::Outcome;

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
        holdings.extend(self.stages.iter().map(|stage| of_stage(stage.result.outcome())));
        if let Content::Vertices(vertices) = &self.content {
            holdings.push(holding(&vertices.clip, size_of_val(&vertices.clip.positions[..])));
        }
        holdings.extend(self.crosser.iter().flatten().map(|crosser| holding(crosser, crosser.bytes())));
        if let Some(walked) = &self.walked {
            holdings.push(holding(&walked.ground, walked.ground.bytes()));
            holdings.extend(walked.graph.iter().map(|graph| holding(graph, graph.bytes())));
            holdings
                .extend(walked.walk.iter().map(|walk| holding(walk, walk.frames().iter().map(memory::of_pose).sum())));
        }
        holdings
    }
}

fn holding<T>(part: &Arc<T>, bytes: usize) -> Holding {
    Holding { address: Arc::as_ptr(part).cast::<()>() as usize, bytes }
}

fn of_stage(outcome: &dyn Outcome) -> Holding {
    Holding { address: std::ptr::from_ref(outcome).cast::<()>() as usize, bytes: outcome.bytes() }
}
