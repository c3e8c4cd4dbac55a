//! How a sole goes against the body, frame by frame, and when it seems to stand.

use glam::DVec3;

use super::gait::Gait;
use super::near_ground::{GOES, SoleMotion};

/// Share of the body's size under which a sole that goes along the ground touches it: the low swing of short legs passes higher.
const TOUCHES: f64 = 0.01;

/// Places of a sole and of the body, frame by frame, metres; heights of the sole count from the ground.
pub(super) struct SoleTracks {
    pub soles: Vec<DVec3>,
    pub body: Vec<DVec3>,
    pub fps: f64,
    /// Of the character, metres.
    pub size: f64,
}

/// A run of frames in which a sole goes along the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Dragged {
    /// Its first frame.
    pub start: usize,
    /// How far it goes, metres.
    pub metres: f64,
}

/// The share in which the leg stands in the gait's own clip on its own path.
pub(super) fn own_share(gait: &Gait, leg: usize, size: f64, unit: f64) -> f64 {
    share(own_tracks(gait, leg, size, unit).standing().into_iter())
}

/// The leg's sole in the gait's own clip on its own path.
pub(super) fn own_tracks(gait: &Gait, leg: usize, size: f64, unit: f64) -> SoleTracks {
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
    SoleTracks { soles, body, fps: FPS, size }
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
        let near: Vec<bool> = self.motions().iter().map(|motion| motion.is_planted(self.size)).collect();
        let last = near.len().saturating_sub(1);
        (0..near.len()).map(|i| near[i.saturating_sub(1)] && near[i] && near[(i + 1).min(last)]).collect()
    }

    /// How the sole moves into each frame.
    fn motions(&self) -> Vec<SoleMotion> {
        let count = self.soles.len();
        let mut heights: Vec<f64> = self.soles.iter().map(|sole| sole.y).collect();
        heights.sort_by(f64::total_cmp);
        // The lowest tenth, so that one frame in the ground is not taken for the height of a sole.
        let low = heights.get(count / 10).copied().unwrap_or(0.0);
        let (goes, body) = (self.speeds(&self.soles), self.speeds(&self.body));
        let motion = |i: usize| {
            let rises = (self.soles[i].y - self.soles[i.saturating_sub(1)].y) * self.fps;
            SoleMotion { height: self.soles[i].y - low, rises, goes: goes[i], body: body[i] }
        };
        (0..count).map(motion).collect()
    }

    /// The stand in which the sole goes the farthest along the ground.
    pub fn drag(&self, standing: &[bool]) -> Dragged {
        self.farthest(standing)
    }

    /// The run of frames in which the sole goes the farthest along the ground without `standing`: slower than the body, which a
    /// swing overtakes. One that ends in a stand is a foot that comes down and brakes.
    pub fn scrape(&self, standing: &[bool]) -> Dragged {
        let motions = self.motions();
        let scrapes = |i: usize| {
            let SoleMotion { height, goes, body, .. } = motions[i];
            !standing[i] && motions[i].scrapes(self.size) && height < TOUCHES * self.size && goes < body
        };
        let mut scraping: Vec<bool> = (0..motions.len()).map(scrapes).collect();
        let mut lands = false;
        for i in (0..scraping.len()).rev() {
            lands = standing[i] || lands && scraping[i];
            scraping[i] &= !lands;
        }
        self.farthest(&scraping)
    }

    /// The run of frames that count in which the sole goes the farthest.
    fn farthest(&self, counts: &[bool]) -> Dragged {
        let speeds = self.speeds(&self.soles);
        let (mut run, mut worst) = (Dragged::default(), Dragged::default());
        for (frame, &counts) in counts.iter().enumerate() {
            if !counts {
                run = Dragged { start: frame + 1, metres: 0.0 };
                continue;
            }
            run.metres += speeds[frame] / self.fps;
            worst = if run.metres > worst.metres { run } else { worst };
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
        let Dragged { start, metres } = tracks.drag(&standing);
        assert!((150..155).contains(&start) && (metres - 0.1).abs() < 1e-9, "{start} {metres}");
    }

    #[test]
    fn a_foot_drawn_along_the_ground_more_slowly_than_the_body_is_found_and_a_swing_is_not() {
        // Every second half of a second the foot comes after the body: twice as fast in the air, or late and low at first. Seen
        // backwards it is low at last, as a foot that comes down.
        let along = |i: usize, late: bool| {
            let (step, share) = ((i / 60) as f64, (i % 60) as f64 / 60.0);
            let swing = (2.0 * share - 1.0).max(0.0);
            let early = if late { 0.7 * (share - 0.25).clamp(0.0, 0.25) } else { 0.0 };
            step + early.max(swing)
        };
        let up = |i: usize| 0.2 * (std::f64::consts::TAU * (i % 60) as f64 / 60.0).sin().min(0.0).abs();
        let body: Vec<DVec3> = (0..240).map(|i| DVec3::Z * (i as f64 / 60.0)).collect();
        let soles = |late: bool| (0..240).map(move |i| DVec3::new(0.0, up(i), along(i, late)));
        let scraped = |soles: Vec<DVec3>, body: Vec<DVec3>| {
            let tracks = SoleTracks { soles, body, fps: 60.0, size: 1.0 };
            tracks.scrape(&tracks.standing())
        };
        let backwards = |places: Vec<DVec3>| -> Vec<DVec3> {
            places.into_iter().rev().map(|place| place.with_z(4.0 - place.z)).collect()
        };
        let swings = scraped(soles(false).collect(), body.clone());
        assert!(swings.metres < 0.01, "{swings:?}");
        let lands = scraped(backwards(soles(true).collect()), backwards(body.clone()));
        assert!(lands.metres < 0.01, "{lands:?}");
        let late = scraped(soles(true).collect(), body);
        assert!((0.16..0.18).contains(&late.metres) && (12..20).contains(&(late.start % 60)), "{late:?}");
    }
}
