//! The cross stage: recognises the crossing of a motion and fits it to the obstacle of the settings.

use glam::DVec3;

use super::{BuildError, Built, CrossingClip, EdgeLine, Input, Obstacle, Settings, build};
use portamento_anim::Clip;
use portamento_base::message::{Message, Tell};
use portamento_base::progress::Progress;
use portamento_stretch::retime::TimeMap;

/// The result of a cross stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossed {
    /// The crossing of the incoming motion.
    pub clip: CrossingClip,
    /// The obstacle, metres.
    pub obstacle: Obstacle,
    /// Points by which the obstacle is dragged, metres: see [`Settings::handles`].
    pub handles: Vec<DVec3>,
    /// The fitted motion, or the limit that refuses the obstacle. Then the motion stays as it is.
    pub fitted: Result<Built, BuildError>,
}

impl Crossed {
    /// Returns the motion, if it was fitted.
    pub fn motion(&self) -> Option<&Clip> {
        self.fitted.as_ref().ok().map(|built| &built.clip)
    }

    /// Returns the map to the time of the fitted motion, if it differs.
    pub fn map(&self) -> Option<&TimeMap> {
        self.fitted.as_ref().ok()?.map.as_ref()
    }

    /// Returns the warnings: the limit that refuses the obstacle, or figures beyond their limits.
    pub fn warnings(&self) -> Vec<Message> {
        match &self.fitted {
            Ok(built) => built.report.warnings(),
            Err(limit) => vec![limit.message()],
        }
    }

    /// Returns the outlines of the obstacle as open lines, metres: the edges, and their height over the ground.
    pub fn outlines(&self) -> Vec<Vec<DVec3>> {
        let Obstacle { near, far, start, .. } = self.obstacle;
        let ground = |point: DVec3| point.with_y(start.y);
        let standing = |edge: EdgeLine| vec![ground(edge[0]), edge[0], edge[1], ground(edge[1]), ground(edge[0])];
        let mut lines = vec![standing(near)];
        if let Some(far) = far {
            lines.push(standing(far));
            let joined = (0..2).map(|end| vec![near[end], far[end]]);
            lines.extend(joined);
        }
        lines
    }
}

/// Recognises the crossing of the motion of `input` and fits it to the obstacle of `settings`. `object` is the position of the scene
/// object that the settings name, metres.
///
/// Returns `Err` if the motion has no crossing or is invalid, as listed at [`CrossingClip::recognise`], or `progress` is cancelled. A
/// limit that refuses the obstacle is part of the result.
pub fn cross(
    input: &Input,
    settings: &Settings,
    object: Option<DVec3>,
    progress: &Progress,
) -> Result<Crossed, BuildError> {
    let clip = CrossingClip::recognise(input, &settings.moments, settings.kind.kind())?;
    let base = settings.base(&clip, object);
    let planned = settings.obstacle(&clip, object);
    let obstacle = planned.as_ref().copied().unwrap_or(clip.obstacle);
    let fitted = match planned.and_then(|obstacle| build(input, &clip, &obstacle, settings.gravity, progress)) {
        Err(error) if !error.is_refusal() => return Err(error),
        fitted => fitted,
    };
    let handles = settings.handles(&clip, base);
    Ok(Crossed { clip, obstacle, handles, fitted })
}
