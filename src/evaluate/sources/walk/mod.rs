//! A walk, part after part: ground, routes, steps. Each part is kept, so that a goal that moves finds the ground as it is, and a
//! change to the gait the routes.

mod recorded;
mod routes;
mod warnings;

use std::sync::Arc;

use super::source::{Source, resting};
use crate::anim::{Clip, JointTracks};
use crate::document::Walk;
use crate::evaluate::inputs::{Inputs, WalkStage};
use crate::evaluate::{BuiltTake, LevelGround, Scenery, TakeError, Walked, memory};
use crate::message::Message;
use crate::progress::Progress;
use crate::systems::navigation::RouteVariant;
use crate::systems::navigation::voxels::MOST_COLUMNS;

/// Bytes of ground per column of voxels: spans, their neighbours and what is found out about them.
const BYTES_PER_COLUMN: u64 = 200;
/// Frames per second at which steps are recorded at most.
const WALKED: f64 = 60.0;

/// The walk of these settings through the first of the clip files.
pub(super) struct WalkSource<'a>(pub &'a Walk);

impl Source for WalkSource<'_> {
    fn is_slow(&self) -> bool {
        true
    }

    /// The ground is a map of columns; what walks over it is asked for where its length is known.
    fn bytes(&self, inputs: &Inputs) -> u64 {
        let Some(file) = inputs.clips.files.first() else { return 0 };
        let bounds = file.model.rest_bounds();
        let size = (bounds.high - bounds.low).as_dvec3() * inputs.level_unit / self.0.voxels.cell.max(1e-3);
        // Whichever of the axes points upwards.
        let largest = (size.x * size.z).max(size.x * size.y).max(size.y * size.z);
        // A level of more columns is refused as that, with what would fit.
        (largest.min(MOST_COLUMNS) as u64).saturating_mul(BYTES_PER_COLUMN)
    }

    /// The level as ground.
    fn build(&self, inputs: &Inputs, progress: &Progress) -> Result<BuiltTake, TakeError> {
        let file = inputs.clips.files.first().ok_or(TakeError::NoGround)?.clone();
        let scenery = Scenery { file, up: self.0.up, metres_per_unit: inputs.level_unit };
        let ground = Arc::new(LevelGround::voxelised(scenery, &self.0.voxels, progress)?);
        let warnings = ground.map.warnings.clone();
        Ok(standing(inputs, Walked { ground, routes: None, walk: None, missing: None }, warnings))
    }

    /// The routes, then the steps. What cannot be built is missing, and the take stands where it is; only a cancel is an error.
    fn build_next(&self, inputs: &Inputs, before: &BuiltTake, progress: &Progress) -> Result<BuiltTake, TakeError> {
        let Some(so_far) = before.walked.as_deref() else { return Err(TakeError::NoGround) };
        let mut warnings = before.warnings.clone();
        let outcome = match inputs.walk_stage {
            WalkStage::Ground => return Ok(before.clone()),
            WalkStage::Routes => routes::find_routes(&so_far.ground, self.0, progress).map(|routes| {
                warnings.extend(routes.notices.iter().cloned());
                Walked { routes: Some(Arc::new(routes)), ..so_far.clone() }
            }),
            WalkStage::Steps => match &so_far.missing {
                Some(missing) => Err(missing.clone()),
                None => steps(inputs, self.0, so_far, &mut warnings, progress),
            },
        };
        match outcome {
            Err(TakeError::Cancelled(cancelled)) => Err(cancelled.into()),
            Err(error) => Ok(standing(inputs, Walked { missing: Some(error), ..so_far.clone() }, warnings)),
            Ok(Walked { walk: Some(walked), routes, ground, .. }) => {
                let clip = recorded::clip(&walked, "walk", &inputs.character);
                let (fps, root) = (walked.fps, walked.root);
                let whole = Walked { ground, routes, walk: Some(walked), missing: None };
                Ok(BuiltTake { walked: Some(Arc::new(whole)), warnings, fps, root, ..resting(inputs, clip) })
            }
            Ok(walked) => Ok(standing(inputs, walked, warnings)),
        }
    }
}

/// The character on the chosen way; `warnings` gets what the animator should know about it.
fn steps(
    inputs: &Inputs,
    walk: &Walk,
    so_far: &Walked,
    warnings: &mut Vec<Message>,
    progress: &Progress,
) -> Result<Walked, TakeError> {
    let chosen = so_far.routes.as_ref().and_then(|routes| routes.of_seed(walk.seed));
    let variant: &RouteVariant = chosen.ok_or(TakeError::NoWay)?;
    if inputs.character.model.skeleton.is_empty() {
        return Err(TakeError::NobodyWalks);
    }
    let path = routes::walk_path(&so_far.ground.map.ground, &variant.route);
    let narrowed = routes::narrowed(&so_far.ground.map.ground, &path, &walk.settings)?;
    let seconds = variant.route.seconds * f64::from(walk.settings.laps.max(1));
    let poses = memory::of_poses(seconds, WALKED, inputs.character.model.skeleton.len());
    let _held = progress.budget().reserve(poses, &|| format!("“{}”", inputs.title()))?;
    let walked = routes::walk(inputs, &so_far.ground, &path, &narrowed.settings, progress)?;
    warnings.extend(narrowed.warning);
    warnings.extend(routes::passed_beside(&walk.way(), &walked));
    warnings.extend(warnings::seen(&walked));
    Ok(Walked { walk: Some(Arc::new(walked)), ..so_far.clone() })
}

/// A take in which the character stands at rest.
fn standing(inputs: &Inputs, walked: Walked, warnings: Vec<Message>) -> BuiltTake {
    let tracks = vec![JointTracks::default(); inputs.character.model.skeleton.len()];
    let clip = Clip { name: "walk".into(), duration: 0.0, tracks };
    BuiltTake { walked: Some(Arc::new(walked)), warnings, ..resting(inputs, clip) }
}
