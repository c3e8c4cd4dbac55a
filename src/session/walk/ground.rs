//! Ground queries on the level of a walk: why a point is walkable or not, and which changes would make it walkable.

use std::sync::Arc;

use glam::DVec3;

use crate::{JobKey, Jobs};
use portamento_takes::evaluate::{Frame, LevelGround};
use portamento_walk::navigation::voxels::{
    Obstacle, Reason, SettingChange, VoxelError, VoxelSettings, changes_between, obstacle_between, reason_at,
    suggested_changes,
};

/// The current ground query.
#[derive(Debug, Default)]
pub struct AskedGround {
    answer: Option<GroundAnswer>,
}

/// The answer for one point.
#[derive(Clone, Debug)]
pub struct GroundAnswer {
    ground: Arc<LevelGround>,
    /// The point, metres.
    pub at: DVec3,
    /// The reason why it is walkable or not.
    pub reason: Reason,
    /// The ends of the line that the point bars, metres; `None` for a query of the point alone.
    pub line: Option<[DVec3; 2]>,
    /// The smallest setting changes that make it walkable; `None` while the search is running.
    pub changes_to_reach: Option<Result<Option<Vec<SettingChange>>, VoxelError>>,
}

impl AskedGround {
    /// Queries a point of the level in `frame`, metres. A job searches for setting changes that make it walkable, unless it
    /// is. Does nothing if `frame` shows no walk.
    pub fn ask(&mut self, at: DVec3, frame: Option<&Frame>, jobs: &mut Jobs) {
        let Some(ground) = frame.and_then(ground_in) else { return };
        let reason = reason_at(&ground.map, at);
        self.ask_about(Obstacle { at, reason }, None, &ground, jobs);
    }

    /// Queries what bars the straight line between two points of the level in `frame`, metres. A job searches for setting
    /// changes that make it walkable. The previous answer stays if nothing bars it.
    pub fn ask_line(&mut self, ends: [DVec3; 2], frame: Option<&Frame>, jobs: &mut Jobs) {
        let Some(ground) = frame.and_then(ground_in) else { return };
        if let Some(obstacle) = obstacle_between(&ground.map, ends) {
            self.ask_about(obstacle, Some(ends), &ground, jobs);
        }
    }

    /// Stores the answer about an obstacle, and starts a job that searches for changes if it is not walkable. `line` is the
    /// line it bars.
    fn ask_about(&mut self, found: Obstacle, line: Option<[DVec3; 2]>, ground: &Arc<LevelGround>, jobs: &mut Jobs) {
        let Obstacle { at, reason } = found;
        let is_walkable = reason.is_walkable();
        let changes_to_reach = is_walkable.then(|| Ok(Some(Vec::new())));
        self.answer = Some(GroundAnswer { ground: ground.clone(), at, reason, line, changes_to_reach });
        if is_walkable {
            return;
        }
        let ground = ground.clone();
        jobs.start(
            JobKey::FindWayIn,
            move |progress| match line {
                Some(ends) => changes_between(&ground.level, &ground.map, ends, progress),
                None => suggested_changes(&ground.level, &ground.map, at, progress),
            },
            move |session, outcome| {
                if let Some(answer) = session.asked_ground.answer.as_mut().filter(|answer| answer.at == at) {
                    answer.changes_to_reach = Some(outcome);
                }
            },
        );
    }

    /// Returns the answer to the last query, if the level in `frame` has not changed.
    pub fn answer(&self, frame: Option<&Frame>) -> Option<&GroundAnswer> {
        let ground = frame.and_then(ground_in)?;
        self.answer.as_ref().filter(|answer| Arc::ptr_eq(&answer.ground, &ground))
    }

    /// Clears the answer to the last query. A running search continues, and its result is dropped.
    pub fn forget(&mut self) {
        self.answer = None;
    }
}

/// Returns the ground of the walk in `frame`; `None` if it shows none.
fn ground_in(frame: &Frame) -> Option<Arc<LevelGround>> {
    Some(frame.built.as_ref()?.walked.as_ref()?.ground.clone())
}

impl GroundAnswer {
    /// Applies the changes that make the point walkable to `settings`. Does nothing if there are none or the search is
    /// running.
    pub fn apply(&self, settings: &mut VoxelSettings) {
        if let Some(Ok(Some(changes))) = &self.changes_to_reach {
            changes.iter().for_each(|change| change.apply(settings));
        }
    }
}
