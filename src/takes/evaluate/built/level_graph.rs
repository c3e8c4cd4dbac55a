//! The ground of a level as a search graph, with links over the obstacles that a character crosses.

use std::sync::Arc;

use super::LinkFit;
use portamento_anim::foot_shape::SolePart;
use portamento_anim::rig::chains::Chain;
use portamento_anim::{Clip, Roles, Skeleton};
use portamento_base::message::Message;
use portamento_base::progress::{Cancelled, Progress};
use portamento_walk::crossing::{BuildError, ClipRange, FitCost};
use portamento_walk::locomotion::{self, CrossingBody, CrossingMotion};
use portamento_walk::navigation::SearchGraph;
use portamento_walk::navigation::links::Link;

/// The ground of a level as a search graph.
#[derive(Clone, Debug)]
pub struct LevelGraph {
    /// The ground with its links; without links if nothing crosses.
    pub search: SearchGraph,
    /// The character whose clips cross; `None` if it does not cross.
    pub(in crate::evaluate) crosser: Option<Arc<Crosser>>,
    /// Notices for the user.
    pub(in crate::evaluate) notices: Vec<Message>,
}

impl LevelGraph {
    /// Returns the size of its cells and links, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.search.bytes()
    }
}

/// A character and its clips that cross.
#[derive(Debug)]
pub(in crate::evaluate) struct Crosser {
    /// The character on the origin.
    pub skeleton: Skeleton,
    /// All its clips.
    pub clips: Vec<Clip>,
    pub roles: Roles,
    pub metres_per_unit: f64,
    pub limbs: Vec<Chain>,
    pub mesh_joints: Vec<bool>,
    pub points: Vec<SolePart>,
    /// The clips that cross.
    pub motions: Vec<CrossingMotion>,
}

impl Crosser {
    /// Returns the sizes of obstacles that each clip can cross.
    pub fn ranges(&self) -> Vec<ClipRange> {
        self.motions.iter().map(|motion| motion.crossing.range()).collect()
    }

    /// Returns the time and the change of the clip of `link`; `None` if it cannot do the link.
    pub fn cost(&self, link: &Link) -> Option<FitCost> {
        self.motions.get(link.clip)?.cost(&link.obstacle).ok()
    }

    /// Fits the clip of `link`. Returns `None` if it cannot do the link, `Err` on a cancel.
    pub fn fit(&self, link: &Link, progress: &Progress) -> Result<Option<LinkFit>, Cancelled> {
        let Some(motion) = self.motions.get(link.clip) else { return Ok(None) };
        match motion.fitted(&self.input(), &self.body(), &link.obstacle, progress) {
            Ok(fitted) => Ok(Some(LinkFit { clip: motion.name.clone(), fitted: Arc::new(fitted) })),
            Err(BuildError::Cancelled(cancelled)) => Err(cancelled),
            Err(_) => Ok(None),
        }
    }

    /// Returns the character as input of a walk.
    pub fn input(&self) -> locomotion::Input<'_> {
        locomotion::Input {
            skeleton: &self.skeleton,
            clips: &self.clips,
            roles: &self.roles,
            metres_per_unit: self.metres_per_unit,
            ground: None,
        }
    }

    /// Returns the body that touches obstacles.
    pub fn body(&self) -> CrossingBody<'_> {
        CrossingBody { limbs: &self.limbs, mesh_joints: &self.mesh_joints, points: &self.points }
    }

    /// Returns the size of its clips in bytes.
    pub fn bytes(&self) -> usize {
        self.clips.iter().chain(self.motions.iter().map(|motion| &motion.clip)).map(Clip::bytes).sum()
    }
}
