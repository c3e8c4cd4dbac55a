//! How far a clip is from playing on at its start.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::frames::Frames;
use super::{Input, WorstFrame};
use crate::anim::root_motion::rig_size;

/// What differs between the end and the start, one cycle on: travel, climb on the way and turn of the body do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Residue {
    /// Largest distance of a joint, in parts of the body's size.
    pub place: f64,
    /// Largest difference of a joint's speed over the last frame and over the first, metres per second.
    pub velocity: f64,
    /// Largest turn of a joint against its parent, degrees.
    pub turn: f64,
    /// Share of the joints that turn at all whose turn at the end is that at the start.
    pub closed: f64,
    /// The largest distance in parts of the farthest that a joint is from its start on the way.
    #[serde(default)]
    pub of_motion: f64,
    /// How fast the joints are over the last eighth of the time, in parts of how fast they are over all of it: who has come to
    /// rest is done.
    #[serde(default)]
    pub ends_at: f64,
    /// How far the joints are from where they began, all together, in parts of the farthest they are on the way.
    #[serde(default)]
    pub away: f64,
    /// After which part of its time they would be back where they began, as fast as they come back over the last eighth of it; `None`
    /// where they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_in: Option<f64>,
    /// The joint of the largest distance, at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place_at: Option<WorstFrame>,
}

/// Degrees that a joint turns from its first frame from which it is one that turns.
const TURNS: f64 = 1.0;
/// Parts of the body's size from which it climbs on its way; less is where it is in its bobbing.
const CLIMB: f64 = 0.05;
/// Degrees up to which a turn is none.
const CLOSED: f64 = 0.1;

impl Residue {
    pub(super) fn measure(input: &Input, frames: &Frames) -> Self {
        let last = frames.poses.len() - 1;
        let [start, after, before, end] =
            [0, 1.min(last), last.saturating_sub(1), last].map(|frame| frames.beside_root(input, frame));
        let size = rig_size(input.skeleton).max(f64::MIN_POSITIVE);
        let climb = climb(frames, size);
        // What hangs beside the body stays behind while it goes.
        let body = body(input, frames.carrier);
        let joints = input.skeleton.subtree(body);
        let turned = |frame: usize, joint: usize| -> f64 {
            let [from, to] = [0, frame].map(|frame| frames.poses[frame].locals[joint].rotation.as_dquat().normalize());
            2.0 * from.dot(to).abs().min(1.0).acos().to_degrees()
        };
        let turns = |joint: &usize| *joint != frames.carrier && (1..=last).any(|frame| turned(frame, *joint) > TURNS);
        let ends: Vec<f64> = joints.iter().copied().filter(turns).map(|joint| turned(last, joint)).collect();
        let apart = |joint: &usize| (start[*joint] + climb).distance(end[*joint]);
        let farthest = joints.iter().copied().max_by(|a, b| apart(a).total_cmp(&apart(b)));
        let place = farthest.as_ref().map_or(0.0, apart);
        let motion = Motion::measure(input, frames, &joints);
        let change = |joint: usize| ((after[joint] - start[joint]) - (end[joint] - before[joint])).length();
        Self {
            place: place / size,
            velocity: input.metres_per_unit * joints.iter().copied().map(change).fold(0.0, f64::max)
                / frames.step.max(f64::MIN_POSITIVE),
            turn: ends.iter().copied().fold(0.0, f64::max),
            closed: ends.iter().filter(|turn| **turn <= CLOSED).count() as f64 / ends.len().max(1) as f64,
            of_motion: place / motion.farthest.max(f64::MIN_POSITIVE),
            ends_at: motion.ends_at,
            away: motion.away,
            back_in: motion.back_in,
            place_at: farthest.map(|joint| WorstFrame { joint, time: frames.times[last] }),
        }
    }
}

/// How joints move beside the place on the ground under the body.
struct Motion {
    /// The farthest that one is from its start, in the file's unit.
    farthest: f64,
    /// Their mean speed over the last eighth of the time in parts of that over all of it.
    ends_at: f64,
    /// How far they are from their start at the end, all together, in parts of the farthest.
    away: f64,
    /// After which part of the time they would be back there; `None` where they do not come back.
    back_in: Option<f64>,
}

impl Motion {
    fn measure(input: &Input, frames: &Frames, joints: &[usize]) -> Self {
        let start = frames.beside_root(input, 0);
        let (mut before, mut farthest, mut steps, mut away) = (start.clone(), 0.0_f64, Vec::new(), vec![0.0]);
        for frame in 1..frames.poses.len() {
            let places = frames.beside_root(input, frame);
            let ways = |from: &[DVec3]| joints.iter().map(|&joint| places[joint].distance(from[joint])).collect();
            let (step, from_start): (Vec<f64>, Vec<f64>) = (ways(&before), ways(&start));
            steps.push(step.iter().sum::<f64>());
            farthest = from_start.iter().copied().fold(farthest, f64::max);
            away.push(from_start.iter().map(|way| way * way).sum::<f64>().sqrt());
            before = places;
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

/// What holds the head and the hands too: hips may carry the legs alone.
fn body(input: &Input, carrier: usize) -> usize {
    let Input { skeleton, roles, .. } = *input;
    let holds_all = |joint: &usize| {
        let ends = roles.hands.iter().chain(&roles.head);
        ends.filter(|&&end| end < skeleton.len()).all(|&end| skeleton.is_within(end, *joint))
    };
    skeleton.ancestors(carrier).find(holds_all).unwrap_or(carrier)
}

/// `values` without peaks of a frame or two, but for the two at either end; all that rises or falls on is kept.
fn without_spikes(values: &[f64]) -> Vec<f64> {
    let count = values.len();
    let near = |values: &[f64], i: usize, of: fn(f64, f64) -> f64| {
        values[i.saturating_sub(1)..(i + 2).min(count)].iter().copied().fold(values[i], of)
    };
    let low: Vec<f64> = (0..count).map(|i| near(values, i, f64::min)).collect();
    let of_frame = |i: usize| if i < 2 || i + 2 >= count { values[i] } else { near(&low, i, f64::max) };
    (0..count).map(of_frame).collect()
}

/// How far a body that is `size` goes up or down on a way that is longer than that.
fn climb(frames: &Frames, size: f64) -> DVec3 {
    let way = frames.root[frames.root.len() - 1] - frames.root[0];
    let climbs = way.y.abs() >= CLIMB * size && way.y.abs() <= way.with_y(0.0).length();
    if climbs { DVec3::Y * way.y } else { DVec3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::without_spikes;
    use crate::anim::quality::tests::Figure;

    #[test]
    fn peaks_of_a_frame_or_two_go_and_all_else_stays() {
        let way = [0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 3.0, 2.0, 1.0, 2.0, 3.0];
        assert_eq!(without_spikes(&way), way);
        for frames in [4..5, 6..8, 3..5] {
            let mut spiked = way;
            spiked[frames].iter_mut().for_each(|value| *value += 5.0);
            assert!(without_spikes(&spiked).iter().all(|&value| value <= 4.0), "{spiked:?}");
        }
        assert_eq!([without_spikes(&[]), without_spikes(&[1.0, 9.0])], [vec![], vec![1.0, 9.0]]);
    }

    #[test]
    fn a_climb_on_the_way_is_no_residue_and_a_fall_on_the_spot_is() {
        let hero = Figure::open("hero").unwrap();
        let place = |clip: &str| hero.quality(hero.model.clip(clip).unwrap()).residue.place;
        assert!(place("walk_uphill") < 1e-3, "{}", place("walk_uphill"));
        let mut falls = hero.model.clip("idle").unwrap().clone();
        hero.move_body(&mut falls, |time| -0.3 * time * glam::Vec3::Y);
        assert!(hero.quality(&falls).residue.place > 0.1);
    }

    #[test]
    fn hands_that_do_not_hang_on_the_hips_are_looked_at_too() {
        let Some(gdbot) = Figure::open("wild/gdbot.glb") else { return };
        let still = gdbot.model.clip("jump").unwrap();
        assert!(gdbot.quality(still).residue.place < 1e-6);
        let mut turns = still.clone();
        let tracks = &mut turns.tracks[gdbot.roles.hands[0]];
        let from = tracks.rotation.as_ref().unwrap().sample(0.0).unwrap();
        let to = from * glam::Quat::from_rotation_x(0.25);
        tracks.rotation = Some(crate::anim::Curve::linear(vec![0.0, turns.duration as f32], vec![from, to]));
        assert!(gdbot.quality(&turns).findings.contains(&crate::anim::quality::Finding::DoesNotClose));
    }
}
