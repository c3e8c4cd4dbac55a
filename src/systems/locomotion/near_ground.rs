//! What somebody sees as standing, who knows nothing of how a walk was made: a foot that is low over the ground, hardly rises or
//! falls, and goes at less than half the speed of the body.

use std::ops::Range;

use glam::DVec3;

use super::Input;
use super::foot_plant::FootPlant;
use crate::anim::Pose;

/// Shares of the body's size: how low a sole is, how fast it rises or falls and goes (per second) while it stands, and how fast
/// the body goes at least to count as moving.
const LOW: f64 = 0.02;
const RISES: f64 = 0.12;
pub(super) const GOES: f64 = 0.3;
/// How slow a body is that stands, sizes a second.
const RESTS: f64 = 0.01;
/// How high a foot that drags is raised.
const PEELED: f64 = 0.04;
/// Seconds in which a foot is snatched along the ground at most, to stand on beside where it stood.
const SNATCH: f64 = 0.05;
/// How fast a standing foot goes at most against the body.
const AGAINST_BODY: f64 = 0.5;

/// How a sole moves into a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SoleMotion {
    /// Metres above the height at which it stands.
    pub height: f64,
    /// Speed upwards, m/s.
    pub rises: f64,
    /// m/s along the ground.
    pub goes: f64,
    /// m/s of the body.
    pub body: f64,
}

impl SoleMotion {
    /// Whether a sole of somebody `size` metres tall seems to stand.
    pub(super) fn is_planted(&self, size: f64) -> bool {
        self.height < LOW * size
            && self.rises.abs() < RISES * size
            && self.goes < (AGAINST_BODY * self.body).max(GOES * size)
    }

    /// Whether it touches the ground, however fast it goes along it.
    fn scrapes(&self, size: f64) -> bool {
        self.height < LOW * size && self.rises.abs() < RISES * size
    }
}

/// Height of the rest pose, metres.
pub(super) fn size(input: &Input) -> f64 {
    let rest = Pose::rest(input.skeleton);
    let heights = (0..input.skeleton.len()).map(|joint| rest.world_from_joint(input.skeleton, joint).translation.y);
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    ((high - low) * input.metres_per_unit).max(1e-6)
}

/// What is needed to tell by sight whether a foot stands.
pub(super) struct Sight<'a> {
    /// Where the sole is at each frame, world units.
    pub soles: &'a [DVec3],
    /// Height of the ground under a world point at a frame, and what the playing clips take it to be there; world units.
    pub ground: &'a dyn Fn(usize, DVec3) -> [f64; 2],
    /// m/s of the body into each frame.
    pub speeds: &'a [f64],
    pub metres_per_unit: f64,
    pub fps: f64,
    /// Of the body, metres.
    pub size: f64,
}

impl Sight<'_> {
    /// How high a point is over the ground at a frame, metres.
    fn over_ground(&self, frame: usize, point: DVec3) -> f64 {
        (point.y - (self.ground)(frame, point)[0]) * self.metres_per_unit
    }

    /// Frames in which a foot is snatched along at most.
    fn snatch(&self) -> usize {
        (SNATCH * self.fps).ceil() as usize
    }

    /// Metres over the ground of a sole in its stand.
    fn height(&self, plant: &FootPlant) -> f64 {
        self.over_ground(plant.frames.start, plant.place)
    }

    /// Whether the sole seems to stand at a frame, where it does so at a height over the ground, metres.
    fn is_planted(&self, frame: usize, height: f64) -> bool {
        self.motion(frame, height).is_planted(self.size)
    }

    /// How the sole moves into a frame, where it stands at a height over the ground, metres.
    fn motion(&self, frame: usize, height: f64) -> SoleMotion {
        let before = frame.saturating_sub(1);
        let step = (self.soles[frame] - self.soles[before]) * self.metres_per_unit;
        let [was, is] = [before, frame].map(|frame| self.over_ground(frame, self.soles[frame]));
        let goes = step.with_y(0.0).length() * self.fps;
        let rises = (is - was) * self.fps;
        SoleMotion { height: is - height, rises, goes, body: self.speeds[frame] }
    }

    /// Lengthens `plants` by the frames beside them in which the foot seems to stand there, as long as there stay the frames that a
    /// `step` from one to the next takes; answers whether any was.
    pub(super) fn lengthen(&self, plants: &mut [FootPlant], step: &dyn Fn(&FootPlant, &FootPlant) -> usize) -> bool {
        let before: Vec<Range<usize>> = plants.iter().map(|plant| plant.frames.clone()).collect();
        let snatch = self.snatch();
        for i in 0..plants.len() {
            let height = self.height(&plants[i]);
            let step_to = |k: usize| step(&plants[k - 1], &plants[k]);
            let least = i.checked_sub(1).map_or(0, |last| plants[last].frames.end + step_to(i));
            let after = |next: &FootPlant| next.frames.start.saturating_sub(step_to(i + 1));
            let most = plants.get(i + 1).map_or(self.soles.len(), after);
            let frames = &mut plants[i].frames;
            let earlier = |start: usize| {
                (start.saturating_sub(snatch).max(least)..start).find(|&frame| self.is_planted(frame, height))
            };
            let later = |end: usize| (end..(end + snatch).min(most)).rfind(|&frame| self.is_planted(frame, height));
            while let Some(frame) = earlier(frames.start) {
                frames.start = frame;
            }
            while let Some(frame) = later(frames.end) {
                frames.end = frame + 1;
            }
            // The step that a walk begins with, or goes on with after a turn: the body is still slow, and the foot stays until it lifts.
            let stood = frames.start == 0 || frames.clone().any(|frame| self.speeds[frame] < RESTS * self.size);
            while stood && frames.end < most && self.motion(frames.end, height).scrapes(self.size) {
                frames.end += 1;
            }
        }
        plants.iter().zip(before).any(|(plant, before)| plant.frames != before)
    }

    /// Raises in `offsets` what seems to stand beside `plants` without being held there, as the leg does not reach: a foot that drags
    /// is peeled off the ground instead.
    pub(super) fn peel(&self, plants: &[FootPlant], offsets: &mut [DVec3]) {
        let snatch = self.snatch();
        for (i, plant) in plants.iter().enumerate() {
            let (start, end) = (plant.frames.start, plant.frames.end);
            let least = i.checked_sub(1).map_or(0, |last| plants[last].frames.end);
            let most = plants.get(i + 1).map_or(self.soles.len(), |next| next.frames.start);
            let height = self.height(plant);
            let after: Vec<usize> = (end..most).collect();
            let before: Vec<usize> = (least..start).rev().collect();
            for frames in [after, before] {
                let mut drags = 0;
                while let Some(more) =
                    frames.iter().skip(drags).take(snatch).rposition(|&frame| self.is_planted(frame, height))
                {
                    drags += more + 1;
                }
                let whole = (2 * drags + 4).min(frames.len());
                for (k, &frame) in frames.iter().take(if drags > 0 { whole } else { 0 }).enumerate() {
                    let share = (k + 1) as f64 / (whole + 1) as f64;
                    let bump = (std::f64::consts::PI * share).sin().powi(2);
                    offsets[frame].y += PEELED * self.size / self.metres_per_unit * bump;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(soles: &[DVec3]) -> Sight<'_> {
        Sight { soles, ground: &|_, _| [0.0; 2], speeds: &[2.0; 60], metres_per_unit: 1.0, fps: 60.0, size: 1.7 }
    }

    #[test]
    fn a_stand_on_a_slope_is_as_high_over_the_ground_all_along() {
        // Drags 5 cm up a slope of 45° in five frames, then lifts.
        let sole = |i: usize| {
            let along = 0.01 * i.saturating_sub(20).min(5) as f64;
            DVec3::new(0.0, along + 0.1 * i.saturating_sub(25) as f64, along)
        };
        let soles: Vec<DVec3> = (0..60).map(sole).collect();
        let slope = |_: usize, point: DVec3| [point.z; 2];
        let sight = Sight { ground: &slope, ..sight(&soles) };
        let mut plants = vec![FootPlant { frames: 0..21, place: DVec3::ZERO }];
        assert!(sight.lengthen(&mut plants, &|_, _| 8) && plants[0].frames == (0..26), "{plants:?}");
    }

    #[test]
    fn a_foot_that_drags_after_its_stand_is_raised_and_comes_down_again() {
        let sole = |i: usize| DVec3::Z * 0.003 * i.saturating_sub(20).min(5) as f64;
        let soles: Vec<DVec3> = (0..60).map(|i| sole(i) + DVec3::Z * 0.2 * i.saturating_sub(26) as f64).collect();
        let sight = sight(&soles);
        let mut offsets = vec![DVec3::ZERO; 60];
        sight.peel(&[FootPlant { frames: 0..21, place: DVec3::ZERO }], &mut offsets);
        assert!(offsets[..21].iter().all(|offset| *offset == DVec3::ZERO) && offsets[45] == DVec3::ZERO);
        assert!(offsets[24].y > 0.02 && offsets.iter().all(|offset| (0.0..0.08).contains(&offset.y)), "{offsets:?}");
    }

    #[test]
    fn a_foot_snatched_along_the_ground_in_a_frame_stands_on() {
        // Jumps by 2 cm in frame 21, drags on at 18 cm/s until frame 29 and is off.
        let along = |i: usize| 0.02 * f64::from(u8::from(i > 20)) + 0.003 * i.clamp(21, 29) as f64;
        let soles: Vec<DVec3> =
            (0..60).map(|i| DVec3::Z * along(i) + DVec3::new(0.0, 0.05, 0.1) * i.saturating_sub(29) as f64).collect();
        let mut plants = vec![FootPlant { frames: 0..21, place: DVec3::Z * 0.06 }];
        assert!(sight(&soles).lengthen(&mut plants, &|_, _| 8) && plants[0].frames == (0..30), "{plants:?}");
    }

    #[test]
    fn the_first_step_begins_where_the_foot_lifts() {
        // Goes off at once at 1.2 m/s, and up ten frames later.
        let sole = |i: usize| DVec3::new(0.0, 0.02 * i.saturating_sub(15) as f64, 0.02 * i.saturating_sub(5) as f64);
        let soles: Vec<DVec3> = (0..60).map(sole).collect();
        let lengthened = |start: usize| {
            let mut plants = vec![FootPlant { frames: start..6, place: DVec3::ZERO }];
            sight(&soles).lengthen(&mut plants, &|_, _| 8);
            plants[0].frames.end
        };
        assert_eq!(lengthened(0), 16);
        // After a turn on the spot it begins later on; what lands and lifts again on the way is none.
        let landed: Vec<DVec3> =
            soles.iter().enumerate().map(|(i, sole)| *sole + if i < 3 { DVec3::Y } else { DVec3::ZERO }).collect();
        let mut plants = vec![FootPlant { frames: 3..6, place: DVec3::ZERO }];
        Sight { speeds: &[1.0; 60], ..sight(&landed) }.lengthen(&mut plants, &|_, _| 8);
        assert!(plants[0].frames.end < 10, "{plants:?}");
        let speeds: Vec<f64> = (0..60).map(|i| if i < 5 { 0.0 } else { 0.1 * f64::from(i - 4) }).collect();
        let mut plants = vec![FootPlant { frames: 3..6, place: DVec3::ZERO }];
        Sight { speeds: &speeds, ..sight(&landed) }.lengthen(&mut plants, &|_, _| 8);
        assert_eq!(plants[0].frames, 3..16);
    }

    #[test]
    fn a_stand_lasts_as_long_as_it_is_seen_and_leaves_room_for_a_step() {
        // Still until frame 20, then off at 3 m/s and up.
        let sole = |i: usize| DVec3::new(0.0, 0.01, 0.05) * i.saturating_sub(20) as f64;
        let soles: Vec<DVec3> = (0..60).map(sole).collect();
        let sight = sight(&soles);
        let plant = |frames: Range<usize>| FootPlant { frames, place: DVec3::ZERO };
        let mut plants = vec![plant(5..15)];
        assert!(sight.lengthen(&mut plants, &|_, _| 8));
        assert_eq!(plants, [plant(0..21)]);
        assert!(!sight.lengthen(&mut plants, &|_, _| 8));
        let mut plants = vec![plant(2..10), plant(25..40)];
        sight.lengthen(&mut plants, &|_, _| 8);
        assert_eq!(plants, [plant(0..17), plant(25..40)]);
    }
}
