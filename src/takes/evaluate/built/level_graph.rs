//! The ground of a level as a search graph, with links over the obstacles that a character crosses.

use std::sync::{Arc, Mutex, PoisonError};

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
    /// The last fits of the crosser's clips, newest last.
    pub(in crate::evaluate) fits: Arc<Mutex<Vec<KnownFit>>>,
}

/// A link with the fit of its clip; `None` if the clip does not fit.
type KnownFit = (Link, Option<LinkFit>);

/// Maximum number of fits that a graph remembers. A route has a few crossings.
const MAX_FITS: usize = 32;

impl LevelGraph {
    /// Returns the size of its cells and links, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.search.bytes()
    }

    /// Returns the clip of `link`, from memory if it was fitted before; `None` if there is no crosser or the clip does not fit.
    /// Returns `Err` on a cancel.
    pub(in crate::evaluate) fn fit(&self, link: &Link, progress: &Progress) -> Result<Option<LinkFit>, Cancelled> {
        let Some(crosser) = &self.crosser else { return Ok(None) };
        let known = || self.fits.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, fit)) = known().iter().find(|(fitted, _)| fitted == link) {
            return Ok(fit.clone());
        }
        let fit = crosser.fit(link, progress)?;
        let mut fits = known();
        if fits.len() >= MAX_FITS {
            fits.remove(0);
        }
        fits.push((link.clone(), fit.clone()));
        Ok(fit)
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
    /// The sizes of obstacles that each of them can cross.
    pub ranges: Vec<ClipRange>,
}

impl Crosser {
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

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_walk::crossing::{CrossingKind, Obstacle};
    use portamento_walk::navigation::Ground;

    #[test]
    fn a_graph_remembers_the_last_fits() {
        let crosser = Crosser {
            skeleton: Skeleton::default(),
            clips: Vec::new(),
            roles: Roles::default(),
            metres_per_unit: 1.0,
            limbs: Vec::new(),
            mesh_joints: Vec::new(),
            points: Vec::new(),
            motions: Vec::new(),
            ranges: Vec::new(),
        };
        let search = SearchGraph::new(Arc::new(Ground::default()));
        let graph = LevelGraph { search, crosser: Some(Arc::new(crosser)), notices: Vec::new(), fits: Arc::default() };
        let ends = [glam::DVec3::ZERO, glam::DVec3::X];
        let [start, landing] = ends;
        let obstacle = Obstacle { kind: CrossingKind::Vault, near: ends, far: None, start, landing };
        let link = |edge: usize| Link { clip: 0, edge, obstacle, from: 0, to: 1, seconds: 1.0 };
        let known = || graph.fits.lock().unwrap().iter().map(|(link, _)| link.edge).collect::<Vec<_>>();
        for edge in [0, 1, 0] {
            assert_eq!(graph.fit(&link(edge), &Progress::new()), Ok(None));
        }
        assert_eq!(known(), [0, 1]);
        for edge in 0..=MAX_FITS {
            graph.fit(&link(edge), &Progress::new()).unwrap();
        }
        assert_eq!(known(), (1..=MAX_FITS).collect::<Vec<_>>());
    }
}
