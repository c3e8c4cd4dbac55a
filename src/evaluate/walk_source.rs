//! A walk as the source of a take, part after part: ground, ways, steps. Each part is kept, so that a goal that moves finds the
//! ground as it is, and a change to the gait the ways.

use std::sync::Arc;

use glam::DVec3;

use super::inputs::Inputs;
use super::walking::{self, LevelRoutes, Walker};
use super::{BuiltTake, TakeError, source};
use crate::anim::{Clip, JointTracks};
use crate::document::{Asset, Loaded, Walk};
use crate::geometry::triangle_bvh::{Faces, TriangleBvh};
use crate::geometry::{Level, UpAxis};
use crate::progress::Progress;
use crate::systems::locomotion;
use crate::systems::navigation::voxels::{VoxelMap, VoxelSettings, voxelise};
use crate::systems::navigation::{RouteVariant, SearchGraph};

/// How much of a walk is built. Parts before the last need no character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkStage {
    /// The level as ground.
    Ground,
    /// The ways across it.
    Routes,
    /// The character on one of them.
    Steps,
}

/// A walk as far as it could be built.
#[derive(Clone, Debug)]
pub struct Walked {
    /// The level.
    pub ground: Arc<LevelGround>,
    /// The ways between the stops; `None` while there is none.
    pub routes: Option<Arc<LevelRoutes>>,
    /// The character on its way; `None` while it cannot walk.
    pub walk: Option<Arc<locomotion::Walk>>,
    /// Why a part is missing.
    pub missing: Option<TakeError>,
}

/// A level made ready to be walked on.
#[derive(Debug)]
pub struct LevelGround {
    /// What is drawn.
    pub scenery: Scenery,
    /// The triangles, metres, Y up.
    pub level: Level,
    /// Three indices per triangle of `level`.
    pub indices: Vec<u32>,
    /// A tree over the triangles, for the cursor.
    pub tree: TriangleBvh,
    /// The voxels.
    pub map: VoxelMap,
    /// The ground for searches.
    pub graph: SearchGraph,
}

/// A level as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenery {
    /// The file.
    pub file: Asset<Loaded>,
    /// Which of its axes is up.
    pub up: UpAxis,
    /// The length of its unit.
    pub metres_per_unit: f64,
}

/// Metres beyond a face from which the next one is looked for.
const PAST: f64 = 1e-3;

impl LevelGround {
    /// The ground of `scenery`. Errors when level or settings make no sense, or on a cancel.
    pub fn of(scenery: Scenery, voxels: &VoxelSettings, progress: &Progress) -> Result<Self, TakeError> {
        let level = scenery.file.to_level().placed(scenery.metres_per_unit, scenery.up);
        let map = voxelise(&level, voxels, progress)?;
        let indices: Vec<u32> = level.triangles.iter().flat_map(|triangle| triangle.corners).collect();
        let tree = TriangleBvh::build(Faces { positions: &level.points, indices: &indices });
        let graph = SearchGraph::new(Arc::new(map.ground.clone()));
        Ok(Self { scenery, level, indices, tree, map, graph })
    }

    /// Where a ray first meets the outside of a face, metres.
    pub fn hit(&self, origin: DVec3, direction: DVec3) -> Option<DVec3> {
        let faces = Faces { positions: &self.level.points, indices: &self.indices };
        let mut from = origin;
        loop {
            let hit = self.tree.hit(faces, from.as_vec3(), direction.as_vec3())?;
            let at = from + direction * f64::from(hit.distance);
            let [a, b, c] = faces.corners(hit.face)?;
            if (b - a).cross(c - a).dot(direction.as_vec3()) < 0.0 {
                return Some(at);
            }
            // Ceilings are looked through from above, and a step past them finds what lies below.
            let past = at + direction * PAST.max(f64::from(hit.distance) * 1e-6);
            from = past;
        }
    }

    /// Height of the first triangle under a point half a metre above `place` (metres), at most a metre down.
    pub fn height(&self, place: DVec3) -> Option<f64> {
        let hit = self.hit(place + DVec3::Y * 0.5, DVec3::NEG_Y)?;
        Some(hit.y).filter(|height| place.y - height <= 0.5)
    }
}

impl WalkStage {
    /// The part that must be there first.
    pub fn before(self) -> Option<Self> {
        match self {
            Self::Ground => None,
            Self::Routes => Some(Self::Ground),
            Self::Steps => Some(Self::Routes),
        }
    }

    /// `walk` without what this part does not depend on.
    pub fn of(self, walk: &Walk) -> Walk {
        let Walk { level, up, voxels, .. } = walk.clone();
        let ground = Walk { level, up, voxels, ..Walk::default() };
        match self {
            Self::Ground => ground,
            Self::Routes => Walk {
                stops: walk.stops.clone(),
                routes: walk.routes.clone(),
                pins: walking::seeds_beside(walk)
                    .map(|seed| crate::document::walk::Pin { seed, name: String::new() })
                    .collect(),
                ..ground
            },
            Self::Steps => Walk { pins: WalkStage::Routes.of(walk).pins, ..walk.clone() },
        }
    }
}

/// The first part: the level of `inputs` as ground.
pub(super) fn begin(inputs: &Inputs, walk: &Walk, progress: &Progress) -> Result<BuiltTake, TakeError> {
    let file = inputs.clip_files.first().ok_or(TakeError::NoGround)?.clone();
    let scenery = Scenery { file, up: walk.up, metres_per_unit: inputs.level_unit };
    let ground = Arc::new(LevelGround::of(scenery, &walk.voxels, progress)?);
    let warnings = ground.map.warnings.clone();
    Ok(standing(inputs, Walked { ground, routes: None, walk: None, missing: None }, warnings))
}

/// The next part after `before`. What cannot be built is missing, and the take stands where it is; only a cancel is an error.
pub(super) fn go_on(
    inputs: &Inputs,
    walk: &Walk,
    before: &BuiltTake,
    progress: &Progress,
) -> Result<BuiltTake, TakeError> {
    let Some(so_far) = before.walked.as_deref() else { return Err(TakeError::NoGround) };
    let mut warnings = before.warnings.clone();
    let outcome = match inputs.part {
        WalkStage::Ground => return Ok(before.clone()),
        WalkStage::Routes => walking::find_routes(&so_far.ground, walk, progress).map(|routes| {
            warnings.extend(routes.notices.iter().cloned());
            Walked { routes: Some(Arc::new(routes)), ..so_far.clone() }
        }),
        WalkStage::Steps => match &so_far.missing {
            Some(missing) => Err(missing.clone()),
            None => steps(inputs, walk, so_far, progress).map(|(walked, notices)| {
                warnings.extend(notices);
                walked
            }),
        },
    };
    match outcome {
        Err(TakeError::Cancelled(cancelled)) => Err(cancelled.into()),
        Err(error) => Ok(standing(inputs, Walked { missing: Some(error), ..so_far.clone() }, warnings)),
        Ok(Walked { walk: Some(walked), routes, ground, .. }) => {
            let clip = walking::clip(&walked, "walk", &inputs.character);
            let (fps, root) = (walked.fps, walked.root);
            let whole = Walked { ground, routes, walk: Some(walked), missing: None };
            Ok(BuiltTake { walked: Some(Arc::new(whole)), warnings, fps, root, ..source::resting(inputs, clip) })
        }
        Ok(walked) => Ok(standing(inputs, walked, warnings)),
    }
}

/// The last part, and what the animator should know about it.
fn steps(
    inputs: &Inputs,
    walk: &Walk,
    so_far: &Walked,
    progress: &Progress,
) -> Result<(Walked, Vec<String>), TakeError> {
    let chosen = so_far.routes.as_ref().and_then(|routes| routes.of_seed(walk.seed));
    let variant: &RouteVariant = chosen.ok_or(TakeError::NoWay)?;
    if inputs.character.model.skeleton.is_empty() {
        return Err(TakeError::NobodyWalks);
    }
    let path = walking::walk_path(&so_far.ground.map.ground, &variant.route);
    let (settings, narrowed) = walking::narrowed(&so_far.ground.map.ground, &path, &walk.settings)?;
    let walker = Walker { character: &inputs.character, roles: &inputs.roles, metres_per_unit: inputs.metres_per_unit };
    let walked = walker.walk(&so_far.ground, &path, &settings, progress)?;
    let mut notices: Vec<String> = narrowed.into_iter().collect();
    notices.extend(walking::passed_beside(&walk.stops, &walked.path.points));
    Ok((Walked { walk: Some(Arc::new(walked)), ..so_far.clone() }, notices))
}

/// A take in which the character stands at rest.
fn standing(inputs: &Inputs, walked: Walked, warnings: Vec<String>) -> BuiltTake {
    let tracks = vec![JointTracks::default(); inputs.character.model.skeleton.len()];
    let clip = Clip { name: "walk".into(), duration: 0.0, tracks };
    BuiltTake { walked: Some(Arc::new(walked)), warnings, ..source::resting(inputs, clip) }
}
