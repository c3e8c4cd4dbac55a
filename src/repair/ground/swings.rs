//! Swings that leave the ground quickly and come down late, so that a foot near the ground does not slide.

use portamento_anim::contacts::runs;
use portamento_anim::root_motion::{rest_at, rest_ground, size_factor};

use super::Input;
use super::frames::Frames;
use super::plants::Foot;
use glam::DVec3;

/// Height of a toe joint above its ground from which a foot is seen as clear of it, and its rise over the height in a stance,
/// metres, for a body of normal size. Measures of foot skate count contacts below 0.05 m, with joints 0.025 m above the sole.
/// They sample between the frames of a clip, where a foot is up to 4 mm lower.
const CLEAR_MIN_HEIGHT_M: f64 = 0.055;
const CLEAR_MIN_RISE_M: f64 = 0.03;
/// Speed along the ground from which a low foot is seen to slide, metres per second, with a margin to the 0.2 m/s of measures.
const SLIDE_MIN_M_PER_SECOND: f64 = 0.15;
/// Time over which that speed is measured, seconds: one frame at the usual rate of 30.
const SPEED_SECONDS: f64 = 1.0 / 30.0 - 1e-6;
/// Time before and after a raised frame over which the raise fades, seconds.
const FADE_SECONDS: f64 = 0.1;

impl Foot<'_> {
    /// Raises the frames of `path` in which a swinging foot is near the ground and moves along it, by at most `max_raise` (world
    /// units). A foot that is never clear of the ground between two stances is dragged on purpose and stays.
    pub fn clear_swings(&self, input: &Input, frames: Frames, max_raise: f64, path: &mut [DVec3]) {
        let Some(floor) = self.floor(path.len()) else { return };
        let clear = self.clear_height(input);
        let is_low = |i: usize| path[i].y - floor[i] < clear;
        let mut is_free = self.swinging(input, frames.times, is_low);
        let fastest = SLIDE_MIN_M_PER_SECOND / input.metres_per_unit;
        let mut needs = vec![0.0; path.len()];
        let mut to = 0;
        for from in 0..path.len() {
            let Some(end) = (to.max(from)..path.len()).find(|&i| frames.times[i] - frames.times[from] >= SPEED_SECONDS)
            else {
                break;
            };
            to = end;
            let speed = (path[to] - path[from]).with_y(0.0).length() / (frames.times[to] - frames.times[from]);
            if speed > fastest && is_low(from) && is_low(to) {
                // Of both, the frame in the middle of the swing: the foot comes down as late as possible.
                let raised = [from, to].into_iter().filter(|&i| is_free[i]).max_by_key(|&i| self.frames_from_stance(i));
                raised.into_iter().for_each(|i| needs[i] = clear - (path[i].y - floor[i]));
            }
        }
        if needs.iter().all(|&need| need == 0.0) {
            return;
        }
        let last = needs.len() - 1;
        if frames.loops {
            (is_free[0], needs[0]) = (is_free[0] && is_free[last], needs[0].max(needs[last]));
            (is_free[last], needs[last]) = (is_free[0], needs[0]);
        }
        let raises = frames.over_seam(&needs, faded);
        let free = path.iter_mut().zip(raises).zip(is_free).filter(|(_, is_free)| *is_free);
        free.for_each(|((position, raise), _)| position.y += raise.min(max_raise));
    }

    /// Returns the height of the sole joint in a stance at each of `count` frames, interpolated between stances, world units;
    /// `None` without stances.
    fn floor(&self, count: usize) -> Option<Vec<f64>> {
        let (first, last) = (self.stances.first()?, self.stances.last()?);
        let mut floor = vec![last.position.y; count];
        floor[..first.frames.end].fill(first.position.y);
        for pair in self.stances.windows(2) {
            let (from, to) = (pair[0].frames.end - 1, pair[1].frames.end);
            let swing = (pair[1].frames.start - from) as f64;
            for (i, height) in floor[..to].iter_mut().enumerate().skip(from) {
                let share = ((i - from) as f64 / swing).min(1.0);
                *height = pair[0].position.y + share * (pair[1].position.y - pair[0].position.y);
            }
        }
        Some(floor)
    }

    /// Returns the rise over the height in a stance from which the foot is clear of the ground, world units.
    fn clear_height(&self, input: &Input) -> f64 {
        let at_rest = rest_at(input.skeleton, self.sole()).translation.y - rest_ground(input.skeleton);
        let metres = (CLEAR_MIN_HEIGHT_M - at_rest * input.metres_per_unit).clamp(CLEAR_MIN_RISE_M, CLEAR_MIN_HEIGHT_M);
        metres * size_factor(input.skeleton, input.metres_per_unit) / input.metres_per_unit
    }

    /// Returns for each frame whether the foot swings there, within the time span of the stage. `is_low(i)` is true if the foot
    /// is near the ground in frame i; a swing that is low throughout does not count.
    fn swinging(&self, input: &Input, times: &[f64], is_low: impl Fn(usize) -> bool) -> Vec<bool> {
        let [from, to] = input.within;
        let stands = |i: &usize| self.stances.iter().any(|stance| stance.frames.contains(i));
        let moves: Vec<bool> = (0..times.len()).map(|i| !stands(&i)).collect();
        let mut swings = vec![false; times.len()];
        for run in runs(&moves).into_iter().filter(|run| run.clone().any(|i| !is_low(i))) {
            run.for_each(|i| swings[i] = (from..=to).contains(&times[i]));
        }
        swings
    }

    /// Returns the number of frames from frame `i` to the nearest stance; 0 within one, and without stances.
    fn frames_from_stance(&self, i: usize) -> usize {
        let distance = |range: &std::ops::Range<usize>| {
            if i < range.start { range.start - i } else { (i + 1).saturating_sub(range.end) }
        };
        self.stances.iter().map(|stance| distance(&stance.frames)).min().unwrap_or(0)
    }
}

/// Returns the largest of `needs` around each of `times` (seconds), faded over [`FADE_SECONDS`].
fn faded(needs: &[f64], times: &[f64]) -> Vec<f64> {
    let share = |seconds: f64| (std::f64::consts::FRAC_PI_2 * (seconds / FADE_SECONDS).min(1.0)).cos().powi(2);
    let raised: Vec<usize> = (0..needs.len()).filter(|&i| needs[i] > 0.0).collect();
    let raise = |&time: &f64| {
        let first = raised.partition_point(|&i| times[i] < time - FADE_SECONDS);
        let near = raised[first..].iter().take_while(|&&i| times[i] <= time + FADE_SECONDS);
        near.map(|&i| needs[i] * share((times[i] - time).abs())).fold(0.0, f64::max)
    };
    times.iter().map(raise).collect()
}

#[cfg(test)]
mod tests {
    use super::super::plants::Stance;
    use super::*;
    use portamento_anim::{Leg, Roles, RootMotion, Skeleton};
    use portamento_test_support::treadmill;

    /// Raises the swing of a foot at 30 fps that stands, moves 0.5 m in 20 frames up to `height`, and stands again. Returns the
    /// path before and after.
    fn swing(height: f64) -> [Vec<DVec3>; 2] {
        let (skeleton, clip) = treadmill();
        let roles = Roles::find(&skeleton, &[]);
        let leg: Leg = roles.legs[0].clone();
        let times: Vec<f64> = (0..40).map(|i| f64::from(i) / 30.0).collect();
        let share = |i: usize| ((i as f64 - 9.0) / 21.0).clamp(0.0, 1.0);
        let position = |i: usize| DVec3::new(0.0, height * (std::f64::consts::PI * share(i)).sin(), 0.5 * share(i));
        let before: Vec<DVec3> = (0..40).map(position).collect();
        let stance = |frames: std::ops::Range<usize>| Stance { position: before[frames.start], lowest: 0.0, frames };
        let stances = vec![stance(0..10), stance(30..40)];
        let foot = Foot { leg: &leg, soles: before.clone(), stances, mesh: None, loops: false };
        let root = RootMotion::find(&skeleton, &clip, &roles).unwrap();
        let input = input(&skeleton, &clip, &roles, root);
        let mut after = before.clone();
        foot.clear_swings(&input, Frames { times: &times, loops: false }, 0.3, &mut after);
        [before, after]
    }

    fn input<'a>(
        skeleton: &'a Skeleton,
        clip: &'a portamento_anim::Clip,
        roles: &'a Roles,
        root: RootMotion,
    ) -> Input<'a> {
        let within = [0.0, f64::INFINITY];
        let ground = &super::super::level;
        Input { skeleton, clip, root, roles, soles: &[], fps: 30.0, metres_per_unit: 1.0, within, ground }
    }

    #[test]
    fn a_swing_slides_in_no_frame_near_the_ground_and_the_stances_stay() {
        let [before, after] = swing(0.12);
        let size = size_factor(&treadmill().0, 1.0);
        let slides = |path: &[DVec3]| {
            // Both frames of a step less than 0.025 m above a stance, for this size, and faster than 0.2 m/s.
            let is_low = |position: &DVec3| position.y < 0.025 * size;
            let step = |pair: &[DVec3]| 30.0 * (pair[1] - pair[0]).with_y(0.0).length() > 0.2;
            path.windows(2).filter(|pair| pair.iter().all(is_low) && step(pair)).count()
        };
        assert!(slides(&before) >= 2 && slides(&after) == 0, "{} → {}", slides(&before), slides(&after));
        assert_eq!(before[..10], after[..10]);
        assert_eq!(before[30..], after[30..]);
        let raise = before.iter().zip(&after).map(|(before, after)| after.y - before.y).fold(0.0, f64::max);
        assert!(raise < 0.051, "{raise}");
        assert!(before.iter().zip(&after).all(|(before, after)| before.with_y(0.0) == after.with_y(0.0)));
    }

    #[test]
    fn a_foot_that_is_dragged_over_the_ground_stays() {
        let [before, after] = swing(0.02);
        assert_eq!(before, after);
    }
}
