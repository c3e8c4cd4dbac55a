//! Perceived contact, judged from the result alone: a foot looks planted if it is close to the ground, hardly rises or
//! falls, and moves at less than half the body's speed.

use std::ops::Range;

use glam::DVec3;

use super::foot_plant::FootPlant;
use crate::locomotion::Input;
use portamento_anim::Pose;

/// Limits of perceived contact relative to body height: sole height, vertical speed and ground speed (per second).
/// Tuned; no derivation recorded.
const STANCE_MAX_HEIGHT: f64 = 0.02;
const STANCE_MAX_VERTICAL_SPEED: f64 = 0.12;
pub(super) const STANCE_MAX_SPEED: f64 = 0.3;
/// Largest speed of a standing body, body heights per second.
const BODY_REST_MAX_SPEED: f64 = 0.01;
/// Height to which a dragging foot is raised, body heights.
const PEEL_HEIGHT: f64 = 0.04;
/// Longest move along the ground between two perceived contacts that still count as one, seconds.
const SLIP_MAX_SECONDS: f64 = 0.05;
/// Largest ratio of foot speed to body speed during stance.
const STANCE_MAX_BODY_SPEED_RATIO: f64 = 0.5;

/// Motion of a sole into one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SoleMotion {
    /// Height above the stance height, metres.
    pub height: f64,
    /// Upward speed, m/s.
    pub vertical_speed: f64,
    /// Speed along the ground, m/s.
    pub speed: f64,
    /// Speed of the body, m/s.
    pub body: f64,
}

impl SoleMotion {
    /// True if the sole of a character `size` metres tall looks planted.
    pub(crate) fn is_planted(&self, size: f64) -> bool {
        self.height < STANCE_MAX_HEIGHT * size
            && self.vertical_speed.abs() < STANCE_MAX_VERTICAL_SPEED * size
            && self.speed < (STANCE_MAX_BODY_SPEED_RATIO * self.body).max(STANCE_MAX_SPEED * size)
    }

    /// True if the sole touches the ground at any ground speed.
    fn scrapes(&self, size: f64) -> bool {
        self.height < STANCE_MAX_HEIGHT * size && self.vertical_speed.abs() < STANCE_MAX_VERTICAL_SPEED * size
    }
}

/// Returns the height of the joints in the rest pose in metres, above 0.
pub(crate) fn body_height(input: &Input) -> f64 {
    let rest = Pose::rest(input.skeleton);
    let heights = (0..input.skeleton.len()).map(|joint| rest.world_from_joint(input.skeleton, joint).translation.y);
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    ((high - low) * input.metres_per_unit).max(1e-6)
}

/// Input of perceived contact for one sole.
pub(super) struct PerceivedContact<'a> {
    /// Sole position at each frame, world units.
    pub soles: &'a [DVec3],
    /// Two heights at a world point and frame, in world units: the real ground, and the ground that the active clips
    /// assume.
    pub ground: &'a dyn Fn(usize, DVec3) -> [f64; 2],
    /// Speed of the body into each frame, m/s.
    pub speeds: &'a [f64],
    pub metres_per_unit: f64,
    pub fps: f64,
    /// Height of the body, metres.
    pub size: f64,
}

impl PerceivedContact<'_> {
    /// Returns the height of a point over the ground at a frame, metres.
    fn over_ground(&self, frame: usize, point: DVec3) -> f64 {
        (point.y - (self.ground)(frame, point)[0]) * self.metres_per_unit
    }

    /// Returns the largest number of frames of a slip.
    fn slip_frames(&self) -> usize {
        (SLIP_MAX_SECONDS * self.fps).ceil() as usize
    }

    /// Returns the height over the ground of a planted sole, metres.
    fn height(&self, plant: &FootPlant) -> f64 {
        self.over_ground(plant.frames.start, plant.position)
    }

    /// True if the sole looks planted at a frame; `height` is its stance height over the ground in metres.
    fn is_planted(&self, frame: usize, height: f64) -> bool {
        self.motion(frame, height).is_planted(self.size)
    }

    /// Returns the motion of the sole into a frame; `height` is its stance height over the ground in metres.
    fn motion(&self, frame: usize, height: f64) -> SoleMotion {
        let before = frame.saturating_sub(1);
        let step = (self.soles[frame] - self.soles[before]) * self.metres_per_unit;
        let [height_before, height_now] = [before, frame].map(|frame| self.over_ground(frame, self.soles[frame]));
        let speed = step.with_y(0.0).length() * self.fps;
        let vertical_speed = (height_now - height_before) * self.fps;
        SoleMotion { height: height_now - height, vertical_speed, speed, body: self.speeds[frame] }
    }

    /// Lengthens `plants` by neighbouring frames in which the foot looks planted. The frames that a `step` between two
    /// plants needs stay free. Returns true if any plant changed.
    pub(super) fn lengthen(&self, plants: &mut [FootPlant], step: &dyn Fn(&FootPlant, &FootPlant) -> usize) -> bool {
        let before: Vec<Range<usize>> = plants.iter().map(|plant| plant.frames.clone()).collect();
        let slip_frames = self.slip_frames();
        for i in 0..plants.len() {
            let height = self.height(&plants[i]);
            let step_to = |k: usize| step(&plants[k - 1], &plants[k]);
            let first_free = i.checked_sub(1).map_or(0, |last| plants[last].frames.end + step_to(i));
            let after = |next: &FootPlant| next.frames.start.saturating_sub(step_to(i + 1));
            let end_free = plants.get(i + 1).map_or(self.soles.len(), after);
            let frames = &mut plants[i].frames;
            let earlier = |start: usize| {
                (start.saturating_sub(slip_frames).max(first_free)..start).find(|&frame| self.is_planted(frame, height))
            };
            let later =
                |end: usize| (end..(end + slip_frames).min(end_free)).rfind(|&frame| self.is_planted(frame, height));
            while let Some(frame) = earlier(frames.start) {
                frames.start = frame;
            }
            while let Some(frame) = later(frames.end) {
                frames.end = frame + 1;
            }
            // The first step of a walk or after a turn: the body is still slow, and the foot stays until it lifts.
            let starts_at_rest =
                frames.start == 0 || frames.clone().any(|frame| self.speeds[frame] < BODY_REST_MAX_SPEED * self.size);
            while starts_at_rest && frames.end < end_free && self.motion(frames.end, height).scrapes(self.size) {
                frames.end += 1;
            }
        }
        plants.iter().zip(before).any(|(plant, before)| plant.frames != before)
    }

    /// Raises in `offsets` the frames next to `plants` that look planted but are not, because the leg does not reach.
    /// A dragging foot is thus peeled off the ground.
    pub(super) fn peel(&self, plants: &[FootPlant], offsets: &mut [DVec3]) {
        let slip_frames = self.slip_frames();
        for (i, plant) in plants.iter().enumerate() {
            let (start, end) = (plant.frames.start, plant.frames.end);
            let first_free = i.checked_sub(1).map_or(0, |last| plants[last].frames.end);
            let end_free = plants.get(i + 1).map_or(self.soles.len(), |next| next.frames.start);
            let height = self.height(plant);
            let after: Vec<usize> = (end..end_free).collect();
            let before: Vec<usize> = (first_free..start).rev().collect();
            for frames in [after, before] {
                let mut drags = 0;
                while let Some(more) =
                    frames.iter().skip(drags).take(slip_frames).rposition(|&frame| self.is_planted(frame, height))
                {
                    drags += more + 1;
                }
                let bump_frames = (2 * drags + 4).min(frames.len());
                for (k, &frame) in frames.iter().take(if drags > 0 { bump_frames } else { 0 }).enumerate() {
                    let share = (k + 1) as f64 / (bump_frames + 1) as f64;
                    let bump = (std::f64::consts::PI * share).sin().powi(2);
                    offsets[frame].y += PEEL_HEIGHT * self.size / self.metres_per_unit * bump;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn perceived(soles: &[DVec3]) -> PerceivedContact<'_> {
        PerceivedContact {
            soles,
            ground: &|_, _| [0.0; 2],
            speeds: &[2.0; 60],
            metres_per_unit: 1.0,
            fps: 60.0,
            size: 1.7,
        }
    }

    #[test]
    fn a_stance_on_a_slope_is_measured_over_the_sloping_ground() {
        // Drags 5 cm up a slope of 45° in five frames, then lifts.
        let sole = |i: usize| {
            let along = 0.01 * i.saturating_sub(20).min(5) as f64;
            DVec3::new(0.0, along + 0.1 * i.saturating_sub(25) as f64, along)
        };
        let soles: Vec<DVec3> = (0..60).map(sole).collect();
        let slope = |_: usize, point: DVec3| [point.z; 2];
        let perceived = PerceivedContact { ground: &slope, ..perceived(&soles) };
        let mut plants = vec![FootPlant { frames: 0..21, position: DVec3::ZERO }];
        assert!(perceived.lengthen(&mut plants, &|_, _| 8) && plants[0].frames == (0..26), "{plants:?}");
    }

    #[test]
    fn a_foot_that_drags_after_its_stance_is_raised_and_lowered_again() {
        let sole = |i: usize| DVec3::Z * 0.003 * i.saturating_sub(20).min(5) as f64;
        let soles: Vec<DVec3> = (0..60).map(|i| sole(i) + DVec3::Z * 0.2 * i.saturating_sub(26) as f64).collect();
        let perceived = perceived(&soles);
        let mut offsets = vec![DVec3::ZERO; 60];
        perceived.peel(&[FootPlant { frames: 0..21, position: DVec3::ZERO }], &mut offsets);
        assert!(offsets[..21].iter().all(|offset| *offset == DVec3::ZERO) && offsets[45] == DVec3::ZERO);
        assert!(offsets[24].y > 0.02 && offsets.iter().all(|offset| (0.0..0.08).contains(&offset.y)), "{offsets:?}");
    }

    #[test]
    fn a_foot_that_slips_for_one_frame_stays_planted() {
        // Jumps by 2 cm in frame 21, drags on at 18 cm/s until frame 29 and lifts.
        let along = |i: usize| 0.02 * f64::from(u8::from(i > 20)) + 0.003 * i.clamp(21, 29) as f64;
        let soles: Vec<DVec3> =
            (0..60).map(|i| DVec3::Z * along(i) + DVec3::new(0.0, 0.05, 0.1) * i.saturating_sub(29) as f64).collect();
        let mut plants = vec![FootPlant { frames: 0..21, position: DVec3::Z * 0.06 }];
        assert!(perceived(&soles).lengthen(&mut plants, &|_, _| 8) && plants[0].frames == (0..30), "{plants:?}");
    }

    #[test]
    fn the_first_step_begins_where_the_foot_lifts() {
        // Moves off at once at 1.2 m/s, and lifts ten frames later.
        let sole = |i: usize| DVec3::new(0.0, 0.02 * i.saturating_sub(15) as f64, 0.02 * i.saturating_sub(5) as f64);
        let soles: Vec<DVec3> = (0..60).map(sole).collect();
        let lengthened = |start: usize| {
            let mut plants = vec![FootPlant { frames: start..6, position: DVec3::ZERO }];
            perceived(&soles).lengthen(&mut plants, &|_, _| 8);
            plants[0].frames.end
        };
        assert_eq!(lengthened(0), 16);
        // After a turn on the spot it begins later; a foot that lands and lifts again within the walk does not count.
        let landed: Vec<DVec3> =
            soles.iter().enumerate().map(|(i, sole)| *sole + if i < 3 { DVec3::Y } else { DVec3::ZERO }).collect();
        let mut plants = vec![FootPlant { frames: 3..6, position: DVec3::ZERO }];
        PerceivedContact { speeds: &[1.0; 60], ..perceived(&landed) }.lengthen(&mut plants, &|_, _| 8);
        assert!(plants[0].frames.end < 10, "{plants:?}");
        let speeds: Vec<f64> = (0..60).map(|i| if i < 5 { 0.0 } else { 0.1 * f64::from(i - 4) }).collect();
        let mut plants = vec![FootPlant { frames: 3..6, position: DVec3::ZERO }];
        PerceivedContact { speeds: &speeds, ..perceived(&landed) }.lengthen(&mut plants, &|_, _| 8);
        assert_eq!(plants[0].frames, 3..16);
    }

    #[test]
    fn a_stance_lasts_as_long_as_it_looks_planted_and_leaves_room_for_a_step() {
        // Still until frame 20, then off at 3 m/s and up.
        let sole = |i: usize| DVec3::new(0.0, 0.01, 0.05) * i.saturating_sub(20) as f64;
        let soles: Vec<DVec3> = (0..60).map(sole).collect();
        let perceived = perceived(&soles);
        let plant = |frames: Range<usize>| FootPlant { frames, position: DVec3::ZERO };
        let mut plants = vec![plant(5..15)];
        assert!(perceived.lengthen(&mut plants, &|_, _| 8));
        assert_eq!(plants, [plant(0..21)]);
        assert!(!perceived.lengthen(&mut plants, &|_, _| 8));
        let mut plants = vec![plant(2..10), plant(25..40)];
        perceived.lengthen(&mut plants, &|_, _| 8);
        assert_eq!(plants, [plant(0..17), plant(25..40)]);
    }
}
