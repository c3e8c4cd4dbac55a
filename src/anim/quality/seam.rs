//! The loop gap of a clip: the difference between its end and its start.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::frames::Frames;
use super::{Input, WorstFrame};
use crate::root_motion::rig_size;

/// Difference between the end and the start, one cycle on. Travel, climb along the way and turn of the body do not
/// count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopGap {
    /// Largest distance between the end and the start of a joint, as a fraction of the body's size.
    pub place: f64,
    /// Largest difference between a joint's velocity over the last frame and over the first, metres per second.
    pub velocity: f64,
    /// Largest rotation difference of a joint relative to its parent, degrees.
    pub turn: f64,
    /// Fraction of the rotating joints whose rotation at the end equals that at the start.
    pub closed: f64,
    /// The largest distance `place` as a fraction of the largest distance of a joint from its start during the clip.
    #[serde(default)]
    pub of_motion: f64,
    /// Mean speed of the joints over the last eighth of the clip, as a fraction of their mean speed over all of it.
    /// Near 0 if the motion has come to rest.
    #[serde(default)]
    pub ends_at: f64,
    /// Combined distance of all joints from their start at the end, as a fraction of the largest during the clip.
    #[serde(default)]
    pub away: f64,
    /// Time in which the joints would be back at their start, at their speed of return over the last eighth of the
    /// clip, in clip lengths; `None` if they do not return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_in: Option<f64>,
    /// The joint of the largest distance, at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place_at: Option<WorstFrame>,
}

/// Rotation from the first frame above which a joint counts as rotating.
const ROTATING_MIN_DEGREES: f64 = 1.0;
/// Height difference from which a body climbs, as a fraction of its size. Less is a phase of its bobbing.
const CLIMB_MIN_SIZE_FRACTION: f64 = 0.05;
/// Maximum rotation difference of a joint that returned.
const RETURNED_MAX_DEGREES: f64 = 0.1;

impl LoopGap {
    /// Measures the gap between the last frame and the first, at the joints of the body.
    pub(super) fn measure(input: &Input, frames: &Frames) -> Self {
        let last = frames.poses.len() - 1;
        let [start, after, before, end] =
            [0, 1.min(last), last.saturating_sub(1), last].map(|frame| frames.relative_to_root(input, frame));
        let size = rig_size(input.skeleton).max(f64::MIN_POSITIVE);
        let climb = climb(frames, size);
        // Joints outside the body's subtree stay behind while it travels, so they are ignored.
        let body = body(input, frames.carrier);
        let joints = input.skeleton.subtree(body);
        let turned = |frame: usize, joint: usize| -> f64 {
            let [from, to] = [0, frame].map(|frame| frames.poses[frame].locals[joint].rotation.as_dquat().normalize());
            2.0 * from.dot(to).abs().min(1.0).acos().to_degrees()
        };
        let turns = |joint: &usize| {
            *joint != frames.carrier && (1..=last).any(|frame| turned(frame, *joint) > ROTATING_MIN_DEGREES)
        };
        let ends: Vec<f64> = joints.iter().copied().filter(turns).map(|joint| turned(last, joint)).collect();
        let apart = |joint: &usize| (start[*joint] + climb).distance(end[*joint]);
        let farthest = joints.iter().copied().max_by(|a, b| apart(a).total_cmp(&apart(b)));
        let gap = farthest.as_ref().map_or(0.0, apart);
        let motion = Motion::measure(input, frames, &joints);
        let change = |joint: usize| ((after[joint] - start[joint]) - (end[joint] - before[joint])).length();
        Self {
            place: gap / size,
            velocity: input.metres_per_unit * joints.iter().copied().map(change).fold(0.0, f64::max)
                / frames.step.max(f64::MIN_POSITIVE),
            turn: ends.iter().copied().fold(0.0, f64::max),
            closed: ends.iter().filter(|turn| **turn <= RETURNED_MAX_DEGREES).count() as f64 / ends.len().max(1) as f64,
            of_motion: gap / motion.farthest.max(f64::MIN_POSITIVE),
            ends_at: motion.ends_at,
            away: motion.away,
            back_in: motion.back_in,
            place_at: farthest.map(|joint| WorstFrame { joint, time: frames.times[last] }),
        }
    }
}

/// Motion of the joints relative to the ground point under the body.
struct Motion {
    /// Largest distance of a joint from its start, in the file's unit.
    farthest: f64,
    /// Mean speed over the last eighth of the clip, as a fraction of that over all of it.
    ends_at: f64,
    /// Combined distance from the start at the end, as a fraction of the largest.
    away: f64,
    /// Time until the joints would be back at their start, in clip lengths; `None` if they do not return.
    back_in: Option<f64>,
}

impl Motion {
    /// Measures the motion of `joints` over all frames.
    fn measure(input: &Input, frames: &Frames, joints: &[usize]) -> Self {
        let start = frames.relative_to_root(input, 0);
        let (mut before, mut farthest, mut steps, mut away) = (start.clone(), 0.0_f64, Vec::new(), vec![0.0]);
        for frame in 1..frames.poses.len() {
            let positions = frames.relative_to_root(input, frame);
            let distances =
                |from: &[DVec3]| joints.iter().map(|&joint| positions[joint].distance(from[joint])).collect();
            let (step, from_start): (Vec<f64>, Vec<f64>) = (distances(&before), distances(&start));
            steps.push(step.iter().sum::<f64>());
            farthest = from_start.iter().copied().fold(farthest, f64::max);
            away.push(from_start.iter().map(|distance| distance * distance).sum::<f64>().sqrt());
            before = positions;
        }
        let away = without_spikes(&away);
        let mean = |steps: &[f64]| steps.iter().sum::<f64>() / steps.len().max(1) as f64;
        let (last, eighth) = (steps.len(), steps.len().div_ceil(8));
        let comes_back = away[last - eighth] - away[last];
        let back_in = away[last] / comes_back * eighth as f64 / last.max(1) as f64;
        Self {
            farthest,
            ends_at: mean(&steps[last - eighth..]) / mean(&steps).max(f64::MIN_POSITIVE),
            away: away[last] / away.iter().copied().fold(f64::MIN_POSITIVE, f64::max),
            back_in: (comes_back > 0.0).then_some(back_in).filter(|part| part.is_finite()),
        }
    }
}

/// Returns the nearest joint from `carrier` upwards that carries the head and the hands too; the hips may carry the legs only.
/// Returns `carrier` if there is none.
fn body(input: &Input, carrier: usize) -> usize {
    let Input { skeleton, roles, .. } = *input;
    let carries_all = |joint: &usize| {
        let ends = roles.hands.iter().chain(&roles.head);
        ends.filter(|&&end| end < skeleton.len()).all(|&end| skeleton.is_within(end, *joint))
    };
    skeleton.ancestors(carrier).find(carries_all).unwrap_or(carrier)
}

/// Returns `values` without peaks of one or two frames. The two values at either end and all longer rises and falls
/// stay.
fn without_spikes(values: &[f64]) -> Vec<f64> {
    let count = values.len();
    let near = |values: &[f64], i: usize, of: fn(f64, f64) -> f64| {
        values[i.saturating_sub(1)..(i + 2).min(count)].iter().copied().fold(values[i], of)
    };
    let low: Vec<f64> = (0..count).map(|i| near(values, i, f64::min)).collect();
    let of_frame = |i: usize| if i < 2 || i + 2 >= count { values[i] } else { near(&low, i, f64::max) };
    (0..count).map(of_frame).collect()
}

/// Returns the height difference between the ends of the path as a vector in the file's unit, or zero if the body does not
/// climb. A climb is at least [`CLIMB_MIN_SIZE_FRACTION`] of `size` and at most the distance along the ground.
fn climb(frames: &Frames, size: f64) -> DVec3 {
    let travel = frames.root[frames.root.len() - 1] - frames.root[0];
    let climbs = travel.y.abs() >= CLIMB_MIN_SIZE_FRACTION * size && travel.y.abs() <= travel.with_y(0.0).length();
    if climbs { DVec3::Y * travel.y } else { DVec3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::without_spikes;

    #[test]
    fn peaks_of_one_or_two_frames_are_removed_and_all_else_stays() {
        let values = [0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 3.0, 2.0, 1.0, 2.0, 3.0];
        assert_eq!(without_spikes(&values), values);
        for frames in [4..5, 6..8, 3..5] {
            let mut spiked = values;
            spiked[frames].iter_mut().for_each(|value| *value += 5.0);
            assert!(without_spikes(&spiked).iter().all(|&value| value <= 4.0), "{spiked:?}");
        }
        assert_eq!([without_spikes(&[]), without_spikes(&[1.0, 9.0])], [vec![], vec![1.0, 9.0]]);
    }
}
