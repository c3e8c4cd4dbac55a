//! How a sole goes against the body, frame by frame, and when it seems to stand.

use glam::DVec3;

use super::gait::Gait;
use super::near_ground::{GOES, SoleMotion};

/// Places of a sole and of the body, frame by frame, metres; heights of the sole count from the ground.
pub(super) struct SoleTracks {
    pub soles: Vec<DVec3>,
    pub body: Vec<DVec3>,
    pub fps: f64,
    /// Of the character, metres.
    pub size: f64,
}

/// The share in which the leg stands in the gait's own clip on its own path.
pub(super) fn own_share(gait: &Gait, leg: usize, size: f64, unit: f64) -> f64 {
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
    share(SoleTracks { soles, body, fps: FPS, size }.standing().into_iter())
}

/// The share of the frames in which something holds.
pub(super) fn share(holds: impl Iterator<Item = bool>) -> f64 {
    let (count, sum) = holds.fold((0_usize, 0_usize), |(count, sum), holds| (count + 1, sum + usize::from(holds)));
    sum as f64 / count.max(1) as f64
}

impl SoleTracks {
    /// Metres a second along the ground into each frame.
    fn speeds(&self, points: &[DVec3]) -> Vec<f64> {
        let step = |i: usize| (points[i] - points[i.saturating_sub(1)]).with_y(0.0).length() * self.fps;
        (0..points.len()).map(step).collect()
    }

    /// Whether the body moves, frame by frame.
    pub fn moving(&self) -> Vec<bool> {
        self.speeds(&self.body).into_iter().map(|speed| speed > GOES * self.size).collect()
    }

    /// Whether the foot stands, frame by frame.
    pub fn standing(&self) -> Vec<bool> {
        let count = self.soles.len();
        let mut heights: Vec<f64> = self.soles.iter().map(|sole| sole.y).collect();
        heights.sort_by(f64::total_cmp);
        // The lowest tenth, so that one frame in the ground is not taken for the height of a sole.
        let low = heights.get(count / 10).copied().unwrap_or(0.0);
        let (goes, body) = (self.speeds(&self.soles), self.speeds(&self.body));
        let stands = |i: usize| {
            let rises = (self.soles[i].y - self.soles[i.saturating_sub(1)].y) * self.fps;
            SoleMotion { height: self.soles[i].y - low, rises, goes: goes[i], body: body[i] }.is_planted(self.size)
        };
        let near: Vec<bool> = (0..count).map(stands).collect();
        (0..count).map(|i| near[i.saturating_sub(1)] && near[i] && near[(i + 1).min(count - 1)]).collect()
    }

    /// The first frame of the stand in which the sole goes the farthest along the ground, and how far, metres.
    pub fn drag(&self, standing: &[bool]) -> (usize, f64) {
        let (speeds, mut start, mut gone, mut worst) = (self.speeds(&self.soles), 0, 0.0, (0, 0.0));
        for (frame, &stands) in standing.iter().enumerate() {
            if !stands {
                (start, gone) = (frame + 1, 0.0);
                continue;
            }
            gone += speeds[frame] / self.fps;
            worst = if gone > worst.1 { (start, gone) } else { worst };
        }
        worst
    }

    /// Speed that 95 of 100 standing frames do not pass, cm/s.
    pub fn slide(&self, standing: &[bool]) -> f64 {
        let speeds = self.speeds(&self.soles);
        let standing = speeds.iter().zip(standing).filter(|(_, stands)| **stands);
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
    fn a_single_stand_that_drags_is_found_where_all_others_hold() {
        // Ten stands of 30 frames; in the fifth the foot goes a decimetre.
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
