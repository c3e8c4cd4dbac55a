//! Motion of a sole and of its body frame by frame, and perceived contact.

use glam::DVec3;

use super::near_ground::{STANCE_MAX_SPEED, SoleMotion};
use crate::locomotion::gaits::gait::Gait;

/// Positions of a sole and of its body at each frame, metres; sole heights count from the ground.
pub(crate) struct SoleTracks {
    pub soles: Vec<DVec3>,
    pub body: Vec<DVec3>,
    pub fps: f64,
    /// Height of the character, metres.
    pub size: f64,
}

/// Returns the share of the cycle in which the leg is planted in the gait's own clip along its own path. `size` is the height
/// of the character in metres, and `unit` the metres per world unit.
pub(crate) fn clip_stance_share(gait: &Gait, leg: usize, size: f64, unit: f64) -> f64 {
    const FPS: f64 = 60.0;
    let duration = gait.source.clip.duration;
    let keys = gait.source.clip.fps().clamp(10.0, FPS);
    // Two cycles, so that the seam is inside.
    let count = (2.0 * duration * FPS).round().max(8.0) as usize;
    let time = |frame: usize| frame as f64 / FPS;
    // Linear between keys: joints turn evenly there, so a sole that rests at every key dips between them.
    let sole = |frame: usize| {
        let key = time(frame) * keys + 1e-6;
        let [from, to] = [0.0, 1.0].map(|next| gait.source.sole_along_path(leg, (key.floor() + next) / keys));
        from.lerp(to, key.fract()) * unit
    };
    let soles = (0..count).map(sole).collect();
    let body = (0..count).map(|frame| DVec3::Z * gait.speed() * time(frame)).collect();
    share(SoleTracks { soles, body, fps: FPS, size }.standing().into_iter())
}

/// Returns the share of true values. Returns 0 without values.
pub(crate) fn share(holds: impl Iterator<Item = bool>) -> f64 {
    let (count, sum) = holds.fold((0_usize, 0_usize), |(count, sum), holds| (count + 1, sum + usize::from(holds)));
    sum as f64 / count.max(1) as f64
}

impl SoleTracks {
    /// Returns the ground-plane speed into each frame, m/s.
    fn speeds(&self, points: &[DVec3]) -> Vec<f64> {
        let step = |i: usize| (points[i] - points[i.saturating_sub(1)]).with_y(0.0).length() * self.fps;
        (0..points.len()).map(step).collect()
    }

    /// Returns true for each frame in which the body moves faster than 0.3 times its height per second.
    pub fn moving(&self) -> Vec<bool> {
        self.speeds(&self.body).into_iter().map(|speed| speed > STANCE_MAX_SPEED * self.size).collect()
    }

    /// Returns true for each frame in which the foot is perceived as planted, as in the frames before and after it.
    pub fn standing(&self) -> Vec<bool> {
        let count = self.soles.len();
        let mut heights: Vec<f64> = self.soles.iter().map(|sole| sole.y).collect();
        heights.sort_by(f64::total_cmp);
        // The lowest tenth, so that a single frame below ground does not define the sole's height.
        let low = heights.get(count / 10).copied().unwrap_or(0.0);
        let (speeds, body) = (self.speeds(&self.soles), self.speeds(&self.body));
        let planted = |i: usize| {
            let vertical_speed = (self.soles[i].y - self.soles[i.saturating_sub(1)].y) * self.fps;
            SoleMotion { height: self.soles[i].y - low, vertical_speed, speed: speeds[i], body: body[i] }
                .is_planted(self.size)
        };
        let candidates: Vec<bool> = (0..count).map(planted).collect();
        (0..count)
            .map(|i| candidates[i.saturating_sub(1)] && candidates[i] && candidates[(i + 1).min(count - 1)])
            .collect()
    }

    /// Returns the first frame of the stance with the longest drag along the ground, and the drag in metres.
    pub fn drag(&self, standing: &[bool]) -> (usize, f64) {
        let (speeds, mut start, mut gone, mut worst) = (self.speeds(&self.soles), 0, 0.0, (0, 0.0));
        for (frame, &planted) in standing.iter().enumerate() {
            if !planted {
                (start, gone) = (frame + 1, 0.0);
                continue;
            }
            gone += speeds[frame] / self.fps;
            worst = if gone > worst.1 { (start, gone) } else { worst };
        }
        worst
    }

    /// Returns the 95th percentile of the sole's speed in planted frames, cm/s. Returns 0 without planted frames.
    pub fn slide(&self, standing: &[bool]) -> f64 {
        let speeds = self.speeds(&self.soles);
        let standing = speeds.iter().zip(standing).filter(|(_, planted)| **planted);
        let mut slides: Vec<f64> = standing.map(|(speed, _)| *speed).collect();
        slides.sort_by(f64::total_cmp);
        let last = slides.len().saturating_sub(1);
        slides.get((last as f64 * 0.95).round() as usize).map_or(0.0, |slide| slide * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_dragging_stance_is_found_among_fixed_ones() {
        // Ten stances of 30 frames; in the fifth the foot moves 10 cm.
        let along = |i: usize| 0.1 * ((i as f64 - 155.0) / 15.0).clamp(0.0, 1.0) + (i / 30) as f64;
        let soles: Vec<DVec3> =
            (0..300).map(|i| DVec3::new(0.0, if i % 30 == 0 { 0.1 } else { 0.0 }, along(i))).collect();
        let body = (0..300).map(|i| DVec3::Z * (i as f64 / 30.0)).collect();
        let tracks = SoleTracks { soles, body, fps: 60.0, size: 1.7 };
        let standing = tracks.standing();
        let (start, gone) = tracks.drag(&standing);
        assert!((150..155).contains(&start) && (gone - 0.1).abs() < 1e-9, "{start} {gone}");
    }
}
