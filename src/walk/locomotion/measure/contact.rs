//! Perceived contact and slide of the feet, judged from the result alone.
//!
//! A foot is planted if it looks planted for at least three frames, so that a pass near the ground does not count. A
//! clip's own share is measured in the same manner along the clip's own path.

use glam::DVec3;

use super::super::clips::clip_roles::ClipSet;
use super::super::feet::foot_lock::soles;
use super::super::feet::near_ground;
use super::super::feet::sole_tracks::{SoleTracks, clip_stance_share, share};
use super::super::recording::Recording;
use super::super::report::{Drag, FootFigure, FrameReport};
use super::super::segments::segment::Rig;

/// Returns the stance and slide of each leg's foot over the whole walk.
pub(super) fn figures(rig: Rig, clips: &ClipSet, recording: &Recording, frames: &[FrameReport]) -> Vec<FootFigure> {
    let unit = rig.input.metres_per_unit;
    let size = near_ground::body_height(rig.input);
    let legs = rig.input.legs();
    let figure = |(k, leg): (usize, &&portamento_anim::Leg)| {
        let over_ground = |(frame, sole): (usize, DVec3)| (sole - DVec3::Y * recording.ground(frame, sole)[0]) * unit;
        let soles: Vec<DVec3> =
            soles(rig.input, leg, &recording.poses).into_iter().enumerate().map(over_ground).collect();
        let body = recording.placements.iter().map(|body| body.at).collect();
        let tracks = SoleTracks { soles, body, fps: rig.settings.fps, size };
        let (standing, moving) = (tracks.standing(), tracks.moving());
        let own: Vec<f64> = clips.gaits.iter().map(|gait| clip_stance_share(gait, k, size, unit)).collect();
        let in_gait = |frame: &FrameReport| clips.gaits.iter().position(|gait| gait.source.clip.name == frame.clip);
        let wanted = frames.iter().zip(&moving).filter(|(_, moves)| **moves).filter_map(|(frame, _)| in_gait(frame));
        let wanted: Vec<f64> = wanted.map(|gait| own[gait]).collect();
        let (start, metres) = tracks.drag(&standing);
        let clip = frames.get(start).map_or_else(String::new, |frame| frame.clip.clone());
        FootFigure {
            joint: rig.input.skeleton.joints[leg.toe.unwrap_or(leg.foot)].name.clone(),
            stands: share(standing.iter().zip(&moving).filter(|(_, moves)| **moves).map(|(planted, _)| *planted)),
            own: wanted.iter().sum::<f64>() / wanted.len().max(1) as f64,
            slide: tracks.slide(&standing),
            drag: Drag { metres, time: start as f64 / rig.settings.fps, clip },
        }
    };
    legs.iter().enumerate().map(figure).collect()
}
