//! Feet as somebody sees them who knows nothing of how the walk was made: which are near the ground, and how they slide there.
//!
//! A foot stands where it seems to for at least three frames, so that passing by is not standing. A clip's own share is measured
//! in the same way on the clip's own even path.

use glam::DVec3;

use super::super::clip_roles::ClipSet;
use super::super::foot_lock::soles;
use super::super::gait::Gait;
use super::super::near_ground::{self, GOES, SoleMotion};
use super::super::recording::Recording;
use super::super::report::{FootFigure, FrameReport};
use super::super::segment::Rig;

/// Places of a sole and of the body, frame by frame, metres; heights of the sole count from the ground.
struct Tracks {
    soles: Vec<DVec3>,
    body: Vec<DVec3>,
    fps: f64,
    /// Of the character, metres.
    size: f64,
}

/// What each leg's foot does over the whole walk.
pub(super) fn figures(rig: Rig, clips: &ClipSet, recording: &Recording, frames: &[FrameReport]) -> Vec<FootFigure> {
    let unit = rig.input.metres_per_unit;
    let size = near_ground::size(rig.input);
    let legs = rig.input.legs();
    let figure = |(k, leg): (usize, &&crate::anim::Leg)| {
        let over_ground = |(frame, sole): (usize, DVec3)| (sole - DVec3::Y * recording.ground(frame, sole)[0]) * unit;
        let soles: Vec<DVec3> =
            soles(rig.input, leg, &recording.poses).into_iter().enumerate().map(over_ground).collect();
        let body = recording.places.iter().map(|place| place.0).collect();
        let tracks = Tracks { soles, body, fps: rig.settings.fps, size };
        let (standing, moving) = (tracks.standing(), tracks.moving());
        let own: Vec<f64> = clips.gaits.iter().map(|gait| own_share(gait, k, size, unit)).collect();
        let in_gait = |frame: &FrameReport| clips.gaits.iter().position(|gait| gait.source.clip.name == frame.clip);
        let wanted = frames.iter().zip(&moving).filter(|(_, moves)| **moves).filter_map(|(frame, _)| in_gait(frame));
        let wanted: Vec<f64> = wanted.map(|gait| own[gait]).collect();
        FootFigure {
            joint: rig.input.skeleton.joints[leg.toe.unwrap_or(leg.foot)].name.clone(),
            stands: share(standing.iter().zip(&moving).filter(|(_, moves)| **moves).map(|(stands, _)| *stands)),
            own: wanted.iter().sum::<f64>() / wanted.len().max(1) as f64,
            slide: tracks.slide(&standing),
        }
    };
    legs.iter().enumerate().map(figure).collect()
}

/// The share in which the leg stands in the gait's own clip on its own path.
fn own_share(gait: &Gait, leg: usize, size: f64, unit: f64) -> f64 {
    const FPS: f64 = 60.0;
    let duration = gait.source.clip.duration;
    let keys = gait.source.clip.fps().clamp(10.0, FPS);
    // Two rounds, so that the seam lies inside.
    let count = (2.0 * duration * FPS).round().max(8.0) as usize;
    let time = |frame: usize| frame as f64 / FPS;
    // Straight from key to key: joints turn evenly there, so that a sole that rests in every key dips between them.
    let sole = |frame: usize| {
        let key = time(frame) * keys + 1e-6;
        let [from, to] = [0.0, 1.0].map(|next| gait.source.sole_on_the_way(leg, (key.floor() + next) / keys));
        from.lerp(to, key.fract()) * unit
    };
    let soles = (0..count).map(sole).collect();
    let body = (0..count).map(|frame| DVec3::Z * gait.speed() * time(frame)).collect();
    share(Tracks { soles, body, fps: FPS, size }.standing().into_iter())
}

fn share(holds: impl Iterator<Item = bool>) -> f64 {
    let (count, sum) = holds.fold((0_usize, 0_usize), |(count, sum), holds| (count + 1, sum + usize::from(holds)));
    sum as f64 / count.max(1) as f64
}

impl Tracks {
    /// Metres a second along the ground into each frame.
    fn speeds(&self, points: &[DVec3]) -> Vec<f64> {
        let step = |i: usize| (points[i] - points[i.saturating_sub(1)]).with_y(0.0).length() * self.fps;
        (0..points.len()).map(step).collect()
    }

    fn moving(&self) -> Vec<bool> {
        self.speeds(&self.body).into_iter().map(|speed| speed > GOES * self.size).collect()
    }

    fn standing(&self) -> Vec<bool> {
        let count = self.soles.len();
        let mut heights: Vec<f64> = self.soles.iter().map(|sole| sole.y).collect();
        heights.sort_by(f64::total_cmp);
        // The lowest tenth, so that one frame in the ground is not taken for the height of a sole.
        let low = heights.get(count / 10).copied().unwrap_or(0.0);
        let (goes, body) = (self.speeds(&self.soles), self.speeds(&self.body));
        let stands = |i: usize| {
            let rises = (self.soles[i].y - self.soles[i.saturating_sub(1)].y) * self.fps;
            SoleMotion { height: self.soles[i].y - low, rises, goes: goes[i], body: body[i] }.stands(self.size)
        };
        let near: Vec<bool> = (0..count).map(stands).collect();
        (0..count).map(|i| near[i.saturating_sub(1)] && near[i] && near[(i + 1).min(count - 1)]).collect()
    }

    /// Speed that 95 of 100 standing frames do not pass, cm/s.
    fn slide(&self, standing: &[bool]) -> f64 {
        let speeds = self.speeds(&self.soles);
        let standing = speeds.iter().zip(standing).filter(|(_, stands)| **stands);
        let mut slides: Vec<f64> = standing.map(|(speed, _)| *speed).collect();
        slides.sort_by(f64::total_cmp);
        let last = slides.len().saturating_sub(1);
        slides.get((last as f64 * 0.95).round() as usize).map_or(0.0, |slide| slide * 100.0)
    }
}
