//! A character that crosses obstacles and gaps: its clips, and their fits to the links of a route.

use std::borrow::Cow;
use std::sync::Arc;

use super::origin::OnOrigin;
use super::routes::character_clips;
use crate::document::Walk;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{LinkFit, TakeError};
use portamento_anim::foot_shape::{SolePart, body_points};
use portamento_anim::rig::chains::{Chain, chains};
use portamento_anim::{Clip, Skeleton};
use portamento_base::progress::{Cancelled, Progress};
use portamento_walk::crossing::{BuildError, ClipRange, FitCost};
use portamento_walk::locomotion::{self, CrossingBody, CrossingMotion, WalkError, crossing_clips};
use portamento_walk::navigation::links::Link;

/// A character and its clips that cross.
pub(super) struct Crosser<'a> {
    inputs: &'a Inputs,
    /// The character on the origin.
    skeleton: Cow<'a, Skeleton>,
    clips: Vec<Clip>,
    limbs: Vec<Chain>,
    mesh_joints: Vec<bool>,
    points: Vec<SolePart>,
    motions: Vec<CrossingMotion>,
}

impl<'a> Crosser<'a> {
    /// Finds the clips with which the character of `inputs` crosses. Returns `Err` if a named clip crosses nothing or
    /// `progress` is cancelled.
    pub fn find(inputs: &'a Inputs, walk: &Walk, progress: &Progress) -> Result<Self, TakeError> {
        let model = &inputs.character.model;
        let clips = character_clips(inputs)?;
        let moved = OnOrigin::find(model, &inputs.roles, &clips);
        let (skeleton, clips) = match moved {
            Some(moved) => (Cow::Owned(moved.skeleton), moved.clips),
            None => (Cow::Borrowed(&model.skeleton), clips.into_owned()),
        };
        let (limbs, points) = (chains(model, &inputs.roles), body_points(model, &inputs.roles));
        let mut crosser =
            Self { inputs, skeleton, clips, limbs, mesh_joints: model.mesh_joints(), points, motions: Vec::new() };
        let names = &walk.settings.clips.crossings;
        crosser.motions = crossing_clips(&crosser.input(), &crosser.body(), names, &walk.settings, progress)?;
        Ok(crosser)
    }

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

    fn input(&self) -> locomotion::Input<'_> {
        locomotion::Input {
            skeleton: &self.skeleton,
            clips: &self.clips,
            roles: &self.inputs.roles,
            metres_per_unit: self.inputs.metres_per_unit,
            ground: None,
        }
    }

    fn body(&self) -> CrossingBody<'_> {
        CrossingBody { limbs: &self.limbs, mesh_joints: &self.mesh_joints, points: &self.points }
    }
}

/// True if `error` says that the character cannot walk at all, which the walk itself reports.
pub(super) fn cannot_walk(error: &TakeError) -> bool {
    let named = |error: &WalkError| matches!(error, WalkError::NoSuchClip { .. } | WalkError::NoCrossing { .. });
    matches!(error, TakeError::Walk(error) if !named(error) && !matches!(error, WalkError::Cancelled(_)))
}
