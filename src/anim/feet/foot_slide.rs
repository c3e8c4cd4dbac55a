//! Slide of planted feet: the speed of the soles along the ground during their contacts.
//!
//! ```text
//! L(a, b) = Σ |p(i + k) − p(i)|           i = a, a + k, … , b;  p along the ground;  k frames last 0.1 s
//! mean    = Σ L(first, last) / Σ duration            over all contacts
//! peak    = max L(i, i + 0.5 s) / 0.5 s              over all frames of all contacts
//! ```
//! A foot that slides back to its start has travelled twice the distance, so its displacement says nothing. Steps of
//! 0.1 s leave out the tremor of captured feet. A foot that turns or rolls on the spot hardly travels.

use std::ops::Range;

use glam::DVec3;

/// Seconds at the start and the end of a contact in which a foot comes down or lifts: one frame at the usual rate of
/// 30.
const SETTLING_SECONDS: f64 = 1.0 / 30.0 - 1e-6;
/// Duration of the steps in which the path of a foot is measured, seconds. A tremor of 1 mm then adds 1 cm/s.
const PATH_STEP_SECONDS: f64 = 0.1;
/// Duration of the interval over which the peak is measured, seconds: about one stance of a walk.
const PEAK_SECONDS: f64 = 0.5;

/// Soles on the ground.
#[derive(Clone, Copy, Debug)]
pub struct PlantedSoles<'a> {
    /// World positions of each sole, one per frame, in the file's unit.
    pub paths: &'a [&'a [DVec3]],
    /// Frames in which each sole is on the ground, as half-open ranges in order.
    pub contacts: &'a [Vec<Range<usize>>],
    /// Seconds between two frames.
    pub step: f64,
    /// Length of the file's unit, metres.
    pub metres_per_unit: f64,
}

/// The slide of all feet of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootSlide {
    /// Mean speed along the ground, metres per second.
    pub mean: f64,
    /// Highest speed along the ground over half a second, metres per second.
    pub peak: f64,
    /// Index of the sole that slides farthest during one contact.
    pub foot: usize,
    /// The frame that this sole reaches fastest.
    pub frame: usize,
}

impl FootSlide {
    /// Measures the slide of `soles`; `None` if no contact is longer than it takes to come down and lift, or if `step` is
    /// not positive.
    pub fn measure(soles: &PlantedSoles) -> Option<Self> {
        let &PlantedSoles { paths, contacts, step, metres_per_unit } = soles;
        let frames = |seconds: f64| ((seconds / step).round() as usize).max(1);
        let settling = (SETTLING_SECONDS / step).ceil().max(1.0);
        if !(step > 0.0 && settling < f64::from(u32::MAX)) {
            return None;
        }
        let settling = settling as usize;
        let inner = |range: &Range<usize>| range.start + settling..range.end.saturating_sub(settling);
        let lengths = [frames(PATH_STEP_SECONDS), frames(PEAK_SECONDS)];
        let of_foot = |(foot, (path, contacts)): (usize, (&&[DVec3], &Vec<Range<usize>>))| {
            let ranges = contacts.iter().map(inner).filter(|range| range.len() > 1);
            ranges.map(|range| ContactSlide::measure(foot, path, range, lengths)).collect::<Vec<_>>()
        };
        let all: Vec<ContactSlide> = paths.iter().zip(contacts).enumerate().flat_map(of_foot).collect();
        let farthest = all.iter().max_by(|a, b| a.distance.total_cmp(&b.distance))?;
        let seconds = all.iter().map(|slide| slide.steps as f64).sum::<f64>() * step;
        let peak = all.iter().map(|slide| slide.peak).fold(0.0, f64::max);
        Some(Self {
            mean: metres_per_unit * all.iter().map(|slide| slide.distance).sum::<f64>() / seconds,
            peak: metres_per_unit * peak / (lengths[1] as f64 * step),
            foot: farthest.foot,
            frame: farthest.fastest,
        })
    }
}

/// The slide of a sole during one contact, in the file's unit.
struct ContactSlide {
    foot: usize,
    /// Length of the path along the ground.
    distance: f64,
    /// Frames of the contact without the first one.
    steps: usize,
    /// Largest length of the path over the duration of the peak.
    peak: f64,
    /// The frame reached by the largest step.
    fastest: usize,
}

impl ContactSlide {
    /// Measures `path` in `range`, which has two or more frames. The path is measured in steps of `step` frames, and the peak
    /// over `window` frames.
    fn measure(foot: usize, path: &[DVec3], range: Range<usize>, [step, window]: [usize; 2]) -> Self {
        let (first, last) = (range.start, range.end - 1);
        let along = |from: usize, to: usize| (path[to] - path[from]).with_y(0.0).length();
        let length = |from: usize, to: usize| -> f64 {
            (from..to).step_by(step).map(|frame| along(frame, (frame + step).min(to))).sum()
        };
        let fastest = (first + 1..=last).max_by(|&a, &b| along(a - 1, a).total_cmp(&along(b - 1, b)));
        Self {
            foot,
            distance: length(first, last),
            steps: last - first,
            peak: (first..last).map(|frame| length(frame, (frame + window).min(last))).fold(0.0, f64::max),
            fastest: fastest.unwrap_or(last),
        }
    }
}

/// Shortest drag, seconds. A quick step or a dodging hop, whose feet hardly rise, is shorter.
const DRAG_MIN_SECONDS: f64 = 0.5;

/// Returns the frames between and around the `contacts` of a sole in which it stays within `max_lift` of the line between
/// them for half a second or longer: it slides faster than a planted foot. A sole without contacts is compared with the height `ground`, or with its
/// lowest one if it is below.
/// All lengths are in the unit of `path`; its frames are `step` seconds apart.
pub fn dragged(
    path: &[DVec3],
    contacts: &[Range<usize>],
    step: f64,
    [ground, max_lift]: [f64; 2],
) -> Vec<Range<usize>> {
    let lowest = path.iter().map(|position| position.y).fold(ground, f64::min);
    let starts = std::iter::once(0).chain(contacts.iter().map(|range| range.end));
    let ends = contacts.iter().map(|range| range.start).chain([path.len()]);
    let is_low = |gap: &Range<usize>| {
        let before = gap.start.checked_sub(1).map(|frame| path[frame].y);
        let after = path.get(gap.end).map(|position| position.y);
        let (from, to) = (before.or(after).unwrap_or(lowest), after.or(before).unwrap_or(lowest));
        let part = |frame: usize| (frame + 1 - gap.start) as f64 / (gap.len() + 1) as f64;
        gap.clone().all(|frame| (path[frame].y - from - (to - from) * part(frame)).abs() <= max_lift)
    };
    let lasts = |gap: &Range<usize>| gap.len() as f64 * step >= DRAG_MIN_SECONDS;
    let gaps = starts.zip(ends).map(|(start, end)| start..end);
    gaps.filter(|gap| !gap.is_empty() && lasts(gap) && is_low(gap)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FPS: f64 = 30.0;

    /// Measures one sole that is on the ground in all 91 frames of 3 s, at `z` metres at each time in seconds.
    fn slide(z: impl Fn(f64) -> f64) -> FootSlide {
        let path: Vec<DVec3> = (0..=90).map(|i| DVec3::new(0.3, 0.02, z(f64::from(i) / FPS))).collect();
        let contacts = [std::iter::once(0..91).collect()];
        FootSlide::measure(&PlantedSoles {
            paths: &[&path],
            contacts: &contacts,
            step: 1.0 / FPS,
            metres_per_unit: 1.0,
        })
        .unwrap()
    }

    #[test]
    fn a_foot_that_slides_forth_and_back_has_the_speed_of_its_path() {
        // The mean of |2π·a·f·cos| is 4·a·f: 12 cm/s for a = 6 cm at 0.5 Hz. It returns to its start after 2 s.
        let back = slide(|time| 0.06 * (std::f64::consts::PI * time).sin());
        assert!((back.mean - 0.12).abs() < 0.006, "{back:?}");
        // The fastest half second is centred where the foot passes the middle.
        let peak = 2.0 * 0.06 * (std::f64::consts::PI * 0.25).sin() / 0.5;
        assert!((back.peak - peak).abs() < 0.005, "{back:?} {peak}");
        let even = slide(|time| 0.3 * time);
        assert!((even.mean - 0.3).abs() < 1e-9 && (even.peak - 0.3).abs() < 1e-9, "{even:?}");
    }

    #[test]
    fn a_short_slide_in_a_long_contact_is_the_peak_and_its_fastest_frame() {
        // 15 cm in 0.3 s, from 1 s on: half of the clip's third second.
        let short = slide(|time| 0.5 * (time - 1.0).clamp(0.0, 0.3));
        assert!((short.peak - 0.15 / 0.5).abs() < 1e-9 && short.mean < 0.06, "{short:?}");
        assert!((31..=39).contains(&short.frame), "{short:?}");
    }

    #[test]
    fn the_tremor_of_a_captured_foot_is_no_slide() {
        let trembling = slide(|time| 0.0005 * if ((time * FPS).round() as i32) % 2 == 0 { 1.0 } else { -1.0 });
        // 88 frames are 30 steps, the last one shorter; each adds 1 mm.
        assert!(trembling.mean <= 30.0 * 0.001 / (88.0 / FPS) + 1e-9, "{trembling:?}");
    }

    #[test]
    fn a_foot_that_stays_low_between_its_contacts_is_dragged_and_a_step_is_not() {
        let path = |lift: f64| -> Vec<DVec3> {
            let at = |i: i32| if (10..20).contains(&i) { lift } else { 0.0 };
            (0..30).map(|i| DVec3::new(0.0, 0.1 * f64::from(i) + at(i), f64::from(i))).collect()
        };
        let contacts = [0..10, 20..30];
        let found = |lift: f64| dragged(&path(lift), &contacts, 0.1, [5.0, 0.02]).len();
        assert_eq!([found(0.0), found(0.019), found(0.021), found(-0.03)], [1, 1, 0, 0]);
        let all = dragged(&[DVec3::Y; 9], &[], 0.1, [1.0, 0.02]);
        assert!(all.len() == 1 && all[0] == (0..9), "{all:?}");
        let found = |ground: f64| dragged(&[DVec3::Y; 9], &[], 0.1, [ground, 0.02]).len();
        assert_eq!([found(0.0), found(1.5)], [0, 1], "a foot in the air, and one in the ground");
        assert!(dragged(&path(0.0), &contacts, 0.04, [5.0, 0.02]).is_empty(), "a quick step of 0.4 s");
    }

    #[test]
    fn contacts_that_are_too_short_have_no_slide() {
        let path = [DVec3::ZERO; 9];
        let measured = |contact: Range<usize>, step: f64| {
            let contacts = [vec![contact]];
            FootSlide::measure(&PlantedSoles { paths: &[&path], contacts: &contacts, step, metres_per_unit: 1.0 })
        };
        assert_eq!([measured(2..5, 1.0 / FPS), measured(0..9, 0.0), measured(0..9, f64::NAN)], [None; 3]);
        assert!(measured(2..6, 1.0 / FPS).is_some_and(|slide| slide.mean == 0.0 && slide.peak == 0.0));
    }
}
