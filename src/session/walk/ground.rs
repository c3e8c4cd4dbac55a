//! A place of the shown level that was asked about: why one can or cannot walk there, and what would let one in.

use std::sync::Arc;

use glam::DVec3;

use crate::evaluate::{Frame, LevelGround};
use crate::message::message;
use crate::session::Jobs;
use crate::systems::navigation::voxels::{Reason, SettingChange, VoxelError, VoxelSettings, way_in, why};

/// A question about the level of a walk, if one was asked.
#[derive(Debug, Default)]
pub struct AskedGround {
    answer: Option<GroundAnswer>,
}

/// The answer for one place.
#[derive(Clone, Debug)]
pub struct GroundAnswer {
    ground: Arc<LevelGround>,
    /// The place, metres.
    pub at: DVec3,
    /// Why one can or cannot walk there.
    pub reason: Reason,
    /// The smallest changes that let one in; `None` while they are looked for.
    pub way_in: Option<Result<Option<Vec<SettingChange>>, VoxelError>>,
}

impl AskedGround {
    /// Asks about a place of the level in `frame`, metres. The changes that would help are looked for as one of `jobs`.
    pub fn ask(&mut self, at: DVec3, frame: Option<&Frame>, jobs: &mut Jobs) {
        let Some(ground) = frame.and_then(ground_in) else { return };
        let reason = why(&ground.map, at);
        let walkable = matches!(reason, Reason::Walkable { .. });
        let way_in_now = walkable.then(|| Ok(Some(Vec::new())));
        self.answer = Some(GroundAnswer { ground: ground.clone(), at, reason, way_in: way_in_now });
        if walkable {
            return;
        }
        jobs.start(
            message!("job.way_in", "Look for a way in"),
            move |progress| way_in(&ground.level, &ground.map, at, progress),
            move |session, outcome| {
                if let Some(answer) = session.asked_ground.answer.as_mut().filter(|answer| answer.at == at) {
                    answer.way_in = Some(outcome);
                }
            },
        );
    }

    /// The answer to the last question, while the level in `frame` is as it was when it was asked.
    pub fn answer(&self, frame: Option<&Frame>) -> Option<&GroundAnswer> {
        let ground = frame.and_then(ground_in)?;
        self.answer.as_ref().filter(|answer| Arc::ptr_eq(&answer.ground, &ground))
    }

    /// Asks no longer.
    pub fn forget(&mut self) {
        self.answer = None;
    }
}

fn ground_in(frame: &Frame) -> Option<Arc<LevelGround>> {
    Some(frame.built.as_ref()?.walked.as_ref()?.ground.clone())
}

impl GroundAnswer {
    /// Makes the changes that let one in.
    pub fn apply(&self, settings: &mut VoxelSettings) {
        if let Some(Ok(Some(changes))) = &self.way_in {
            changes.iter().for_each(|change| change.apply(settings));
        }
    }
}
