//! Minimum duration of a step.
//!
//! Two distant stances of different clips in quick succession would move the foot too fast. It lifts
//! earlier and lands later instead.

use glam::DVec3;

use crate::locomotion::feet::ankle_sweep::CLIP_SPEED_FACTOR;
use crate::locomotion::feet::foot_plant::FootPlant;
use crate::locomotion::feet::foot_plants::STEP_MIN_SECONDS;

/// Sweep speed of a leg about its hip over a whole step, radians per second, unless its clip is faster. Tuned; no
/// derivation recorded.
const SWEEP_RAD_PER_S: f64 = 4.0;

/// One leg over all frames.
pub(crate) struct StepTime<'a> {
    /// Vector from hip to ankle in the clip at each frame, world units.
    pub own: &'a [DVec3],
    /// Sole position in each frame, world units.
    pub soles: &'a [DVec3],
    pub fps: f64,
}

impl StepTime<'_> {
    /// Returns the smallest number of frames for the step from `before` to `after`.
    pub fn frames(&self, before: &FootPlant, after: &FootPlant) -> usize {
        let (from, to) = (before.frames.end - 1, after.frames.start);
        let led = |frame: usize, target: DVec3| self.own[frame] + target - self.soles[frame];
        let sweep = led(from, before.position).angle_between(led(to, after.position));
        let own = self.own[from].angle_between(self.own[to]);
        let seconds = to.saturating_sub(from) as f64 / self.fps;
        let fastest = SWEEP_RAD_PER_S.max(CLIP_SPEED_FACTOR * own / seconds);
        // A leg without length has no sweep.
        let needed = if sweep.is_finite() && fastest.is_finite() { sweep / fastest } else { 0.0 };
        (needed.max(STEP_MIN_SECONDS) * self.fps).ceil() as usize
    }

    /// Shortens the longer stance next to each step that has too few frames. Stances at `anchors` keep these frames.
    pub fn make_room(&self, plants: &mut [FootPlant], anchors: &[usize]) {
        let shortest = (STEP_MIN_SECONDS * self.fps).ceil() as usize;
        let gives = |plant: &FootPlant, edge: usize| plant.frames.len() > shortest && !anchors.contains(&edge);
        for i in 1..plants.len() {
            let [before, after] = &mut plants[i - 1..=i] else { continue };
            while before.frames.end < after.frames.start
                && after.frames.start - before.frames.end < self.frames(before, after)
            {
                let earlier = gives(before, before.frames.end - 1);
                let later = gives(after, after.frames.start);
                match () {
                    () if later && (!earlier || after.frames.len() >= before.frames.len()) => after.frames.start += 1,
                    () if earlier => before.frames.end -= 1,
                    () => break,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_step_takes_its_time_from_the_longer_stance_and_a_short_one_takes_none() {
        // A hanging leg of half a metre, and stances 8 frames apart.
        let (own, soles) = (vec![DVec3::NEG_Y * 0.5; 100], vec![DVec3::ZERO; 100]);
        let time = StepTime { own: &own, soles: &soles, fps: 60.0 };
        let roomy = |to: f64, anchors: &[usize]| {
            let plant = |frames, z: f64| FootPlant { frames, position: DVec3::Z * z };
            let mut plants = vec![plant(0..10, -to), plant(18..100, to)];
            time.make_room(&mut plants, anchors);
            (plants[0].frames.end, plants[1].frames.start)
        };
        assert_eq!(roomy(0.05, &[0, 99]), (10, 18));
        let (end, start) = roomy(0.3, &[0, 99]);
        assert!(end == 10 && (26..28).contains(&start), "{end} {start}");
        // If both ends are fixed, there is no room.
        assert_eq!(roomy(0.3, &[9, 18]), (10, 18));
    }

    #[test]
    fn a_step_of_the_clip_keeps_its_duration() {
        let own: Vec<DVec3> = (0..40).map(|i| DVec3::new(0.0, -0.5, 0.08 * (f64::from(i) - 15.0))).collect();
        let soles: Vec<DVec3> = own.iter().map(|ankle| *ankle + DVec3::Y * 0.5).collect();
        let time = StepTime { own: &own, soles: &soles, fps: 60.0 };
        let mut plants: Vec<FootPlant> = [(0..11, 10), (19..40, 19)]
            .map(|(frames, at): (std::ops::Range<usize>, usize)| FootPlant { frames, position: soles[at] })
            .to_vec();
        let before = plants.clone();
        time.make_room(&mut plants, &[0, 39]);
        assert_eq!(plants, before);
    }
}
