//! How fast an ankle in the air sweeps about its hip.
//!
//! Down a steep slope the hips come down for the foot below, to where the foot above them is on its way. Kept off the hip, as a knee
//! folds only so far, it goes around it, and would do so within a few frames. It takes the same way in the time of the frames beside
//! these too.

use glam::DVec3;

/// Fastest sweep of an ankle about its hip, radians a second, unless its clip sweeps faster.
const FASTEST: f64 = 7.0;
/// By how much what is led may pass what the clip does.
pub(super) const OVER_CLIP: f64 = 1.25;
/// Highest speed against the mean of a way that begins and ends at rest.
const PEAK: f64 = 1.5;
/// Seconds to either side over which a sweep is spread at most.
const AROUND: f64 = 0.3;

/// One leg's ankle as seen from its hip.
pub(super) struct AnkleSweep<'a> {
    /// From hip to ankle in the clip, frame by frame.
    pub own: &'a [DVec3],
    /// Frames in which the foot stands: these stay as they are.
    pub stands: &'a [bool],
    /// How near to the hip an ankle is kept off it: farther away it goes as it is led. In the file's unit.
    pub near: f64,
    pub fps: f64,
}

impl AnkleSweep<'_> {
    /// Slows down in `ways` (from hip to ankle, frame by frame) what sweeps too fast close to the hip.
    pub fn slow(&self, ways: &mut [DVec3]) {
        let mut start = 0;
        while let Some(first) = (start..ways.len()).find(|&i| !self.stands[i]) {
            let end = (first..ways.len()).find(|&i| self.stands[i]).unwrap_or(ways.len());
            // With the stands on both sides, between which it goes.
            self.slow_swing(
                &mut ways[first.saturating_sub(1)..(end + 1).min(self.stands.len())],
                first.saturating_sub(1),
            );
            start = end;
        }
    }

    /// Slows down one swing, both ends of which stay; `first` is its first frame.
    fn slow_swing(&self, ways: &mut [DVec3], first: usize) {
        let around = (AROUND * self.fps).ceil() as usize;
        // A swing has a few such places at most; where there is no room for one it stays too fast, and more rounds do not help.
        for _ in 0..8 {
            let Some((worst, excess)) = self.worst(ways, first).filter(|(_, excess)| *excess > 1e-6) else { return };
            let mut span = worst - 1..worst;
            let (least, most) = (worst.saturating_sub(around), (worst + around).min(ways.len() - 1));
            while PEAK * length(&ways[span.start..=span.end]) > self.room(ways, span.clone(), first) {
                if span.start <= least && span.end >= most {
                    break;
                }
                span = span.start.saturating_sub(1).max(least)..(span.end + 1).min(most);
            }
            let mut evened = ways.to_vec();
            even(&mut evened[span.start..=span.end]);
            if self.worst(&evened, first).is_none_or(|(_, left)| left >= excess) {
                return;
            }
            ways.copy_from_slice(&evened);
        }
    }

    /// The frame into which the ankle sweeps the most beyond what it may, and by how many radians; `None` where nothing moves.
    fn worst(&self, ways: &[DVec3], first: usize) -> Option<(usize, f64)> {
        let excess = |i: usize| ways[i].angle_between(ways[i - 1]) - self.allowed(first + i);
        (1..ways.len())
            .filter(|&i| ways[i].length().min(ways[i - 1].length()) < self.near)
            .map(|i| (i, excess(i)))
            .filter(|(_, excess)| excess.is_finite())
            .max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Radians that the ankle may sweep into a frame.
    fn allowed(&self, frame: usize) -> f64 {
        let own = self.own[frame].angle_between(self.own[frame.saturating_sub(1)]);
        (FASTEST / self.fps).max(OVER_CLIP * own)
    }

    /// How far the ankle may go in the frames of `span`, in the file's unit.
    fn room(&self, ways: &[DVec3], span: std::ops::Range<usize>, first: usize) -> f64 {
        let nearest = ways[span.start..=span.end].iter().map(|way| way.length()).fold(f64::INFINITY, f64::min);
        (span.start + 1..=span.end).map(|i| self.allowed(first + i) * nearest).sum()
    }
}

/// How far it is from one place to the next, about the hip and away from it.
fn step(from: DVec3, to: DVec3) -> f64 {
    let [near, far] = [from.length(), to.length()];
    (from.angle_between(to) * 0.5 * (near + far)).hypot(far - near)
}

fn length(ways: &[DVec3]) -> f64 {
    ways.windows(2).map(|pair| step(pair[0], pair[1])).sum()
}

/// Goes along `ways` from rest to rest, in the same frames.
fn even(ways: &mut [DVec3]) {
    let places = ways.to_vec();
    let mut gone = vec![0.0];
    for pair in places.windows(2) {
        gone.push(gone[gone.len() - 1] + step(pair[0], pair[1]));
    }
    let last = places.len() - 1;
    for (i, way) in ways.iter_mut().enumerate().take(last).skip(1) {
        let wanted = gone[last] * crate::math::easing::Easing::Smoothstep.at(i as f64 / last as f64);
        let next = gone.partition_point(|&gone| gone <= wanted).clamp(1, last);
        let share = (wanted - gone[next - 1]) / (gone[next] - gone[next - 1]).max(f64::MIN_POSITIVE);
        *way = about_hip(places[next - 1], places[next], share.clamp(0.0, 1.0));
    }
}

/// The `share` (0…1) of the way between two places, about the hip.
fn about_hip(from: DVec3, to: DVec3, share: f64) -> DVec3 {
    let (axis, angle) = (from.cross(to).normalize_or_zero(), from.angle_between(to));
    let far = from.length() + (to.length() - from.length()) * share;
    if axis == DVec3::ZERO || !angle.is_finite() {
        return from.lerp(to, share);
    }
    glam::DQuat::from_axis_angle(axis, angle * share) * from.normalize_or_zero() * far
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From behind the hip to before it: 100° in the frames 18…22, at `0.15`.
    fn passing() -> Vec<DVec3> {
        let angle = |i: i32| f64::from((i - 20).clamp(-2, 2)) * 0.44 + f64::from(i - 20) * 0.01;
        (0..40).map(|i| DVec3::new(0.0, -angle(i).cos(), angle(i).sin()) * 0.15).collect()
    }

    fn fastest(ways: &[DVec3]) -> f64 {
        ways.windows(2).map(|pair| pair[0].angle_between(pair[1])).fold(0.0, f64::max)
    }

    #[test]
    fn an_ankle_that_passes_its_hip_takes_the_time_beside_and_stands_stay() {
        let stands: Vec<bool> = (0..40).map(|i| !(4..36).contains(&i)).collect();
        let mut ways = passing();
        AnkleSweep { own: &[DVec3::NEG_Y; 40], stands: &stands, near: 0.2, fps: 60.0 }.slow(&mut ways);
        assert!(fastest(&passing()) > 0.4 && fastest(&ways) < 1.05 * FASTEST / 60.0, "{}", fastest(&ways));
        assert!((0..40).filter(|&i| stands[i]).all(|i| ways[i] == passing()[i]));
        assert!(ways.iter().all(|way| (way.length() - 0.15).abs() < 1e-9), "{ways:?}");
        assert!(ways.windows(2).all(|pair| pair[1].z >= pair[0].z - 1e-9));
    }

    #[test]
    fn a_leg_swings_as_fast_as_its_clip_does_and_a_slow_one_keeps_its_bits() {
        let own = passing();
        let mut ways = own.clone();
        AnkleSweep { own: &own, stands: &[false; 40], near: 0.2, fps: 60.0 }.slow(&mut ways);
        assert_eq!(ways, own);
        // Far from the hip it goes as it is led.
        AnkleSweep { own: &[DVec3::NEG_Y; 40], stands: &[false; 40], near: 0.1, fps: 60.0 }.slow(&mut ways);
        assert_eq!(ways, own);
        let slow: Vec<DVec3> = (0..40).map(|i| DVec3::new(0.0, -1.0, 0.02 * f64::from(i))).collect();
        let mut ways = slow.clone();
        AnkleSweep { own: &[DVec3::NEG_Y; 40], stands: &[false; 40], near: 0.2, fps: 60.0 }.slow(&mut ways);
        assert_eq!(ways, slow);
    }

    #[test]
    fn where_there_is_no_room_nothing_is_thrown_about() {
        let stands: Vec<bool> = (0..40).map(|i| !(19..22).contains(&i)).collect();
        let mut ways = passing();
        ways[30] = DVec3::ZERO;
        AnkleSweep { own: &[DVec3::NEG_Y; 40], stands: &stands, near: 0.2, fps: 60.0 }.slow(&mut ways);
        assert!(ways.iter().all(|way| way.is_finite()) && fastest(&ways[..29]) <= fastest(&passing()[..29]));
    }

    #[test]
    fn the_room_of_a_way_is_that_at_its_nearest_place_wherever_that_comes() {
        let sweep = AnkleSweep { own: &[DVec3::NEG_Y; 3], stands: &[false; 3], near: 0.2, fps: 60.0 };
        let room = |far: [f64; 3]| sweep.room(&far.map(|far| DVec3::NEG_Y * far), 0..2, 0);
        let [first, last] = [room([0.05, 0.2, 0.2]), room([0.2, 0.2, 0.05])];
        assert!((first - last).abs() < 1e-12 && room([0.2; 3]) > 3.9 * last, "{first} {last}");
    }
}
