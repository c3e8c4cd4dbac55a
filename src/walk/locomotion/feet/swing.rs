//! Path of a foot through the air between two stances.

use std::ops::Range;

use glam::DVec3;

use super::foot_plant::{FootPlant, ReleaseLimits, SAME_PLANT_MAX_M};
use portamento_anim::foot_place::smoothed_maximum;
use portamento_anim::math::easing::Easing;

/// Swing of a foot from one stance to the next. All positions are in the unit of the rig. Arguments named `soles` have the
/// position of the sole at every frame of the clip.
pub(super) struct Swing {
    /// Position of the sole in the stance before.
    pub start: DVec3,
    /// Position of the sole in the stance after.
    pub end: DVec3,
    /// The frames between both stances.
    pub frames: Range<usize>,
}

impl Swing {
    /// Returns the progress of a frame within the swing, 0…1.
    fn share(&self, frame: usize) -> f64 {
        (frame + 1 - self.frames.start) as f64 / (self.frames.len() + 1) as f64
    }

    /// Returns the smallest lift of a step of this length, metres, so that the toes clear the ground. Between 6 and 12 cm; 0
    /// for a step shorter than 3 cm.
    fn height(&self, metres_per_unit: f64) -> f64 {
        let length = self.start.distance(self.end) * metres_per_unit;
        if length < SAME_PLANT_MAX_M { 0.0 } else { (0.06 + length / 10.0).min(0.12) }
    }

    /// True if the clip lifts the foot by at least 40 % of [`Self::height`]. The lift starts at the lower one of the first and
    /// the last frame of the swing. A swing without frames counts as lifted.
    pub(super) fn is_lifted(&self, soles: &[DVec3], metres_per_unit: f64) -> bool {
        let (Some(first), Some(last)) = (self.frames.clone().next(), self.frames.clone().next_back()) else {
            return true;
        };
        let lowest = soles[first].y.min(soles[last].y);
        let highest = soles[self.frames.clone()].iter().map(|sole| sole.y).fold(f64::NEG_INFINITY, f64::max);
        (highest - lowest) * metres_per_unit >= 0.4 * self.height(metres_per_unit)
    }

    /// Sets offsets that move straight from one stance to the next, as high as the clip lifts, and arrive before
    /// landing.
    pub fn straight(&self, [before, after]: [&FootPlant; 2], soles: &[DVec3], offsets: &mut [DVec3]) {
        let gap = (self.frames.len() + 1) as f64;
        let [leave, arrive] =
            [before.position.y - soles[before.frames.end - 1].y, after.position.y - soles[after.frames.start].y];
        let landing = self.lands(soles, soles[after.frames.start].y) as f64;
        for i in self.frames.clone() {
            let past = (i + 1 - self.frames.start) as f64;
            let position = before.position.lerp(after.position, Easing::Smoothstep.at(past / landing));
            let share = Easing::Smoothstep.at(past / gap);
            offsets[i] = (position - soles[i]).with_y(leave + (arrive - leave) * share);
        }
    }

    /// Returns the number of frames after which the clip's sole is down at `height`, within a quarter of its lift; at
    /// least half of all.
    fn lands(&self, soles: &[DVec3], height: f64) -> usize {
        let highest = self.frames.clone().map(|i| soles[i].y - height).fold(0.0, f64::max);
        let last_up = self.frames.clone().rfind(|&i| soles[i].y - height > 0.25 * highest);
        last_up.map_or(self.frames.len(), |i| i + 1 - self.frames.start).max(self.frames.len() / 2).max(1)
    }

    /// Sets offsets that move from one stance to the next while the foot is lifted.
    pub(super) fn step_over(&self, soles: &[DVec3], offsets: &mut [DVec3]) {
        // A foot lifts before it moves and arrives before it lands.
        const LIFT_SHARE: f64 = 0.15;
        for i in self.frames.clone() {
            let share = Easing::Smoothstep.at((self.share(i) - LIFT_SHARE) / (1.0 - 2.0 * LIFT_SHARE));
            let line = self.start.y + (self.end.y - self.start.y) * self.share(i);
            offsets[i] = self.start.lerp(self.end, share).with_y(line) - soles[i];
        }
    }

    /// Raises a step that its clip hardly lifts over the line between its stances.
    pub fn lift(&self, soles: &[DVec3], offsets: &mut [DVec3], metres_per_unit: f64) {
        let wanted = self.height(metres_per_unit) / metres_per_unit;
        let line = |i: usize| self.start.y + (self.end.y - self.start.y) * self.share(i);
        let highest = self.frames.clone().map(|i| soles[i].y + offsets[i].y - line(i)).fold(0.0, f64::max);
        for i in self.frames.clone() {
            // Smooth at both ends: a foot that leaves at full speed would jerk the knee.
            offsets[i].y += (wanted - highest).max(0.0) * (std::f64::consts::PI * self.share(i)).sin().powi(2);
        }
    }

    /// Raises a step over ground that it would pass through, by `limits.highest` at most.
    pub fn clear(
        &self,
        soles: &[DVec3],
        offsets: &mut [DVec3],
        ground: &dyn Fn(usize, DVec3) -> [f64; 2],
        limits: ReleaseLimits,
    ) {
        // Rises and falls quickly at the ends, so that the edge of a stair is cleared too.
        let shape = |i: usize| (std::f64::consts::PI * self.share(i)).sin().powf(0.7);
        // Toes hang a little during a swing; half their stance height is enough.
        let clearance = 0.5 * (self.start.y - ground(self.frames.start, self.start)[0]).max(0.0);
        let missing = |i: usize| {
            let position = soles[i] + offsets[i];
            (ground(i, position)[0] + clearance - position.y).max(0.0)
        };
        let needs: Vec<f64> = self.frames.clone().map(missing).collect();
        let peak = self.frames.clone().zip(&needs).map(|(i, need)| need / shape(i)).fold(0.0, f64::max);
        // Without a limit, a high obstacle would move the foot off its stance within a frame.
        let frame_limit = |i: usize| limits.rise * (i + 1 - self.frames.start).min(self.frames.end - i) as f64;
        // Penetration right next to a stance alone must not raise the middle of the step much higher. Likewise, one
        // obstacle must not raise a foot for a whole swing of seconds.
        let widest = (3.0 * limits.release).ceil() as usize;
        let average = smoothed_maximum(&needs, (self.frames.len() / 4).min(widest).max(1));
        for (i, average) in self.frames.clone().zip(average) {
            offsets[i].y += (peak.min(limits.highest) * shape(i)).min(average).min(frame_limit(i));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: ReleaseLimits = ReleaseLimits { release: 9.0, metres_per_unit: 1.0, highest: 0.35, rise: 0.025 };

    /// One metre in 29 frames, lifted by 10 cm in the middle and down from frame 24 on.
    fn step() -> (Swing, Vec<DVec3>) {
        let lift = |i: usize| 0.1 * (std::f64::consts::PI * (i.clamp(10, 34) - 10) as f64 / 24.0).sin();
        let soles = (0..50).map(|i| DVec3::new(0.0, lift(i), 0.0)).collect();
        (Swing { start: DVec3::ZERO, end: DVec3::Z, frames: 10..39 }, soles)
    }

    #[test]
    fn ground_next_to_a_stance_does_not_raise_the_middle_of_a_step() {
        let (swing, soles) = step();
        let along = |i: usize| DVec3::Z * swing.share(i);
        let raised = |ground: &dyn Fn(usize, DVec3) -> [f64; 2]| {
            let mut offsets: Vec<DVec3> =
                (0..50).map(|i| if swing.frames.contains(&i) { along(i) } else { DVec3::ZERO }).collect();
            swing.clear(&soles, &mut offsets, ground, LIMITS);
            offsets
        };
        // 2 cm too low in the last frame.
        let edge = |i: usize, _: DVec3| [if i == 38 { soles[38].y + 0.02 } else { 0.0 }; 2];
        let offsets = raised(&edge);
        assert!((offsets[38].y - 0.02).abs() < 1e-9, "{offsets:?}");
        assert!(offsets.iter().all(|offset| offset.y < 0.021), "{offsets:?}");
        // A rock of 20 cm in the middle is cleared.
        let rock = |_: usize, point: DVec3| [if (0.4..0.6).contains(&point.z) { 0.2 } else { 0.0 }; 2];
        let offsets = raised(&rock);
        let under = |i: &usize| (0.4..0.6).contains(&along(*i).z);
        assert!(swing.frames.clone().filter(under).all(|i| soles[i].y + offsets[i].y > 0.2 - 1e-9), "{offsets:?}");
        assert!(offsets[10].y < 0.08 && offsets[38].y < 0.08, "{offsets:?}");
    }

    #[test]
    fn a_wall_on_the_path_does_not_pull_a_foot_off_its_stance_in_one_frame() {
        let (swing, soles) = step();
        let along = |i: usize| DVec3::Z * swing.share(i);
        let mut offsets: Vec<DVec3> =
            (0..50).map(|i| if swing.frames.contains(&i) { along(i) } else { DVec3::ZERO }).collect();
        let wall = |_: usize, point: DVec3| [if (0.01..0.99).contains(&point.z) { 0.6 } else { 0.0 }; 2];
        swing.clear(&soles, &mut offsets, &wall, LIMITS);
        assert!(offsets.windows(2).all(|pair| (pair[1].y - pair[0].y).abs() < 0.0251), "{offsets:?}");
        assert!(offsets[24].y > 0.34, "{offsets:?}");
    }

    #[test]
    fn the_last_step_does_not_glide_into_its_stance() {
        let (swing, soles) = step();
        let plant = |frames: Range<usize>, position: DVec3| FootPlant { frames, position };
        let (before, after) = (plant(0..10, swing.start), plant(39..50, swing.end));
        let mut offsets = vec![DVec3::ZERO; 50];
        swing.straight([&before, &after], &soles, &mut offsets);
        let position = |i: usize| soles[i] + offsets[i];
        let low = |i: &usize| position(*i).y < 0.02;
        for i in (30..39).filter(low) {
            assert!(
                position(i).distance(position(i - 1).with_y(position(i).y)) < 1e-9,
                "{i}: {} {}",
                position(i - 1),
                position(i)
            );
        }
        assert!((11..39).all(|i| position(i).z >= position(i - 1).z && position(i).z - position(i - 1).z < 0.08));
    }
}
