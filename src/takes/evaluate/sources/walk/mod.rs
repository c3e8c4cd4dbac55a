//! The walk source, built in parts: the clips that cross, the ground, the search graph, routes, steps. Each part is cached, so that
//! a moved obstacle reuses the clips, a moved goal the graph, and a change to the gait the routes.

mod crosser;
mod graph;
mod origin;
mod recorded;
mod routes;
mod walked_route;
mod warnings;

use std::sync::Arc;

use self::walked_route::WalkedRoute;
use super::source::{Source, resting};
use crate::document::Walk;
use crate::evaluate::inputs::{Inputs, WalkStage};
use crate::evaluate::{BuiltTake, LevelGround, Scenery, TakeError, Walked, memory};
use portamento_anim::{Clip, JointTracks};
use portamento_base::message::Message;
use portamento_base::progress::Progress;
use portamento_walk::navigation::RouteVariant;
use portamento_walk::navigation::voxels::MAX_COLUMNS;

/// Estimated memory of the ground per column of voxels, bytes: spans, neighbours and search data.
const BYTES_PER_COLUMN: u64 = 200;
/// Maximum recording rate of steps, frames per second.
const MAX_RECORDED_FPS: f64 = 60.0;

/// Walks through the level in the first clip file.
pub(super) struct WalkSource<'a>(pub &'a Walk);

impl Source for WalkSource<'_> {
    fn is_slow(&self) -> bool {
        true
    }

    /// Returns the size of the ground as a grid of columns. The steps reserve their memory when their length is known.
    fn bytes(&self, inputs: &Inputs) -> u64 {
        let Some(file) = inputs.clips.files.first() else { return 0 };
        let bounds = file.model.rest_bounds();
        let size = (bounds.high - bounds.low).as_dvec3() * inputs.level_unit / self.0.voxels.cell.max(1e-3);
        // The largest of the three faces of the box, whichever axis points up.
        let largest = (size.x * size.z).max(size.x * size.y).max(size.y * size.z);
        // A level with more columns is refused later with a specific error.
        (largest.min(MAX_COLUMNS) as u64).saturating_mul(BYTES_PER_COLUMN)
    }

    /// Voxelizes the level, or finds the clips that cross. Returns `Err` without a level, if it cannot become ground, or if `progress`
    /// is cancelled.
    fn build(&self, inputs: &Inputs, progress: &Progress) -> Result<BuiltTake, TakeError> {
        if inputs.walk_stage == WalkStage::Clips {
            let crosser = match crosser::find(inputs, self.0, progress) {
                Err(TakeError::Cancelled(cancelled)) => return Err(cancelled.into()),
                found => found.map(Arc::new),
            };
            return Ok(BuiltTake { crosser: Some(crosser), ..resting(inputs, still(inputs)) });
        }
        let file = inputs.clips.files.first().ok_or(TakeError::NoGround)?.clone();
        let scenery = Scenery { file, up: self.0.up, metres_per_unit: inputs.level_unit };
        let ground = Arc::new(LevelGround::voxelised(scenery, &inputs.obstacles, &self.0.voxels, progress)?);
        let warnings = ground.map.warnings.clone();
        Ok(standing(inputs, Walked { ground, graph: None, routes: None, walk: None, missing: None }, warnings))
    }

    /// Builds the search graph, the routes or the steps. A part that cannot be built is stored as missing, and the character stands
    /// at rest. Only a cancel is an error.
    fn build_next(&self, inputs: &Inputs, before: &BuiltTake, progress: &Progress) -> Result<BuiltTake, TakeError> {
        let Some(previous) = before.walked.as_deref() else { return Err(TakeError::NoGround) };
        let mut warnings = before.warnings.clone();
        let outcome = match inputs.walk_stage {
            WalkStage::Clips | WalkStage::Ground => return Ok(before.clone()),
            WalkStage::Graph => graph::build(inputs, &previous.ground, self.0, progress)
                .map(|graph| Walked { graph: Some(Arc::new(graph)), ..previous.clone() }),
            WalkStage::Routes => routes::find_routes(previous, self.0, progress).map(|routes| {
                warnings.extend(routes.notices.iter().cloned());
                Walked { routes: Some(Arc::new(routes)), ..previous.clone() }
            }),
            WalkStage::Steps => match &previous.missing {
                Some(missing) => Err(missing.clone()),
                None => walk_route(inputs, self.0, previous, &mut warnings, progress),
            },
        };
        match outcome {
            Err(TakeError::Cancelled(cancelled)) => Err(cancelled.into()),
            Err(error) => Ok(standing(inputs, Walked { missing: Some(error), ..previous.clone() }, warnings)),
            Ok(Walked { walk: Some(walked), routes, graph, ground, .. }) => {
                let clip = recorded::clip(&walked, "walk", &inputs.character);
                let (fps, root) = (walked.fps, walked.root);
                let complete = Walked { ground, graph, routes, walk: Some(walked), missing: None };
                Ok(BuiltTake { walked: Some(Arc::new(complete)), warnings, fps, root, ..resting(inputs, clip) })
            }
            Ok(walked) => Ok(standing(inputs, walked, warnings)),
        }
    }
}

/// Returns `previous` with the walk along the chosen route. Adds warnings for the user to `warnings`. Returns `Err` if the
/// seed has no route, the character has no joints, or the walk cannot be built.
fn walk_route(
    inputs: &Inputs,
    walk: &Walk,
    previous: &Walked,
    warnings: &mut Vec<Message>,
    progress: &Progress,
) -> Result<Walked, TakeError> {
    let chosen = previous.routes.as_ref().and_then(|routes| routes.of_seed(walk.seed));
    let variant: &RouteVariant = chosen.ok_or(TakeError::NoRoute)?;
    if inputs.character.model.skeleton.is_empty() {
        return Err(TakeError::NoCharacter);
    }
    let ground = &previous.ground;
    let fits = previous.routes.as_ref().map(|routes| &routes.fits);
    let route = WalkedRoute::new(&ground.map.ground, &variant.route, fits).ok_or(TakeError::RouteCrosses)?;
    let narrowed = routes::narrowed(ground, &route, &walk.settings)?;
    let seconds = variant.route.seconds * f64::from(walk.settings.laps.max(1));
    let poses = memory::of_poses(seconds, MAX_RECORDED_FPS, inputs.character.model.skeleton.len());
    let _reservation = progress.budget().reserve(poses, &|| format!("“{}”", inputs.title()))?;
    let walked = routes::walk(inputs, ground, &route, &narrowed.settings, warnings, progress)?;
    warnings.extend(narrowed.warning);
    warnings.extend(routes::missed_stops(&walk.waypoints(), &walked));
    warnings.extend(warnings::of_walk(&walked));
    Ok(Walked { walk: Some(Arc::new(walked)), ..previous.clone() })
}

/// Returns a take in which the character stands at rest. The clip has length 0.
fn standing(inputs: &Inputs, walked: Walked, warnings: Vec<Message>) -> BuiltTake {
    BuiltTake { walked: Some(Arc::new(walked)), warnings, ..resting(inputs, still(inputs)) }
}

/// Returns a clip of length 0 without curves.
fn still(inputs: &Inputs) -> Clip {
    let tracks = vec![JointTracks::default(); inputs.character.model.skeleton.len()];
    Clip { name: "walk".into(), duration: 0.0, tracks }
}
