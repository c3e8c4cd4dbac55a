//! A joint that goes much farther in one frame of a blend than in the frames beside it, and stands out more than in any of the
//! clips: a fade that adds to the clips' own quick motion. That a clip takes it as far all along, as one that leaps does, makes no
//! throw smooth.

use glam::{Affine3A, Vec3, Vec3A};

use crate::anim::{Clip, Pose, Skeleton};
use crate::evaluate::built::Thrown;
use crate::math::mean::angle_between;

/// Parts of the figure's size that a joint may go beyond the frames beside it, per 60th of a second: about 2 cm of a person.
/// Joints at the tips of heads and feet, which nothing hangs on, make the figure larger than what is seen to move.
const LEAST: f64 = 0.0125;

/// How much more than in its clips a joint may stand out.
const MORE: f64 = 1.25;

/// Parts of a frame after which a clip is looked at besides: frames of a blend fall between those of its clips.
const PHASES: [f64; 4] = [0.0, 0.25, 0.5, 0.75];

/// Radians, and parts of the figure's size, between the ends of a clip that goes round.
const CLOSED: f64 = 0.02;

/// Every frame in which `blend`, made of `sources` and seen at `fps` frames a second, throws a joint beyond its sources, with the
/// joint that is thrown the farthest; in order of time.
pub(super) fn find(skeleton: &Skeleton, blend: &Clip, sources: &[&Clip], fps: f64) -> Vec<Thrown> {
    let limits = limits(skeleton, sources, fps);
    let found = steps(skeleton, blend, fps, 0.0);
    let thrown = |(i, (joint, &limit)): (usize, (usize, &f64))| {
        let (step, beyond) = (found[joint][i], beyond_neighbours(&found[joint], i));
        (beyond > limit).then(|| Thrown { joint, time: (i + 1) as f64 / fps, step, beyond, over: beyond - limit })
    };
    let count = found.first().map_or(0, Vec::len);
    let worst = |i: usize| {
        let joints = limits.iter().enumerate().filter_map(|joint| thrown((i, joint)));
        joints.max_by(|a, b| a.beyond.total_cmp(&b.beyond))
    };
    (0..count).filter_map(worst).collect()
}

/// Per joint how far it may stand out, by what it does in `sources`, wherever frames fall in them.
fn limits(skeleton: &Skeleton, sources: &[&Clip], fps: f64) -> Vec<f64> {
    let least = LEAST * size(skeleton) * 60.0 / fps;
    let mut own = vec![0.0_f64; skeleton.len()];
    for (source, phase) in sources.iter().flat_map(|source| PHASES.map(|phase| (source, phase))) {
        for (own, steps) in own.iter_mut().zip(steps(skeleton, source, fps, phase)) {
            *own = (0..steps.len()).map(|i| beyond_in_cycle(&steps, i)).fold(*own, f64::max);
        }
    }
    own.iter().map(|own| least + MORE * own).collect()
}

/// How tall or long the figure is at rest, file units: arms held out wide make nobody larger.
fn size(skeleton: &Skeleton) -> f64 {
    let mut world: Vec<Affine3A> = Vec::new();
    Pose::rest(skeleton).world_from_joints(skeleton, &mut world);
    let places = || world.iter().map(|place| place.translation);
    let [high, low] = [places().reduce(Vec3A::max), places().reduce(Vec3A::min)].map(Option::unwrap_or_default);
    let extent = high - low;
    f64::from(extent.y.max(extent.z))
}

/// Per joint how far it goes in each frame of `clip`, file units; the first begins `phase` frames on. A clip that goes round is
/// followed over its end.
fn steps(skeleton: &Skeleton, clip: &Clip, fps: f64, phase: f64) -> Vec<Vec<f64>> {
    let rounds = phase > 0.0 && goes_round(skeleton, clip);
    let last = clip.duration * fps - if rounds { 0.0 } else { phase };
    let count = last.floor().clamp(0.0, 1e5) as u32;
    let mut world: Vec<Affine3A> = Vec::new();
    let mut places = |frame: u32| -> Vec<Vec3> {
        let time = (f64::from(frame) + phase) / fps;
        let time = if time > clip.duration { time - clip.duration } else { time };
        clip.pose_at(skeleton, time).world_from_joints(skeleton, &mut world);
        world.iter().map(|place| place.translation.into()).collect()
    };
    let mut steps = vec![Vec::with_capacity(count as usize); skeleton.len()];
    let mut before = places(0);
    for frame in 1..=count {
        let now = places(frame);
        let way = |joint: usize| f64::from(before[joint].distance(now[joint]));
        steps.iter_mut().enumerate().for_each(|(joint, steps)| steps.push(way(joint)));
        before = now;
    }
    steps
}

/// Whether `clip` ends in the pose that it begins with.
fn goes_round(skeleton: &Skeleton, clip: &Clip) -> bool {
    let [first, last] = [0.0, clip.duration].map(|time| clip.pose_at(skeleton, time));
    let near = CLOSED * size(skeleton);
    first.locals.iter().zip(&last.locals).all(|(first, last)| {
        let way = f64::from(first.translation.distance(last.translation));
        angle_between(first.rotation, last.rotation) < CLOSED && way <= near
    })
}

/// By how much a step stands out from the largest of the two on either side; 0 at the ends.
fn beyond_neighbours(steps: &[f64], i: usize) -> f64 {
    if i < 2 || i + 2 >= steps.len() { 0.0 } else { beyond_in_cycle(steps, i) }
}

/// The same where the end runs on into the start: a clip may jump in its last frames too, and does so again in every round.
fn beyond_in_cycle(steps: &[f64], i: usize) -> f64 {
    let count = steps.len();
    if count < 5 {
        return 0.0;
    }
    let beside = [count - 2, count - 1, 1, 2].map(|away| steps[(i + away) % count]);
    (steps[i] - beside.into_iter().fold(0.0, f64::max)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use crate::anim::{Curve, JointTracks};

    /// A joint that goes along `places`, 30 a second.
    fn going(places: &[f32]) -> Clip {
        let times: Vec<f32> = (0..places.len()).map(|key| key as f32 / 30.0).collect();
        let keys = places.iter().map(|&place| Vec3::X * place).collect();
        let duration = f64::from(times[times.len() - 1]);
        let tracks = JointTracks { translation: Some(Curve::linear(times, keys)), ..JointTracks::default() };
        Clip { name: "way".into(), duration, tracks: vec![JointTracks::default(), tracks] }
    }

    #[test]
    fn a_throw_of_a_figure_is_told_however_wide_it_holds_its_arms() {
        let mut skeleton =
            skeleton_of(&[("body", None), ("hand", Some(0)), ("head", Some(0)), ("other hand", Some(0))]);
        skeleton.joints[2].rest.translation = Vec3::Y;
        let [still, thrown] =
            [[0.0; 12], [0.0, 0.0, 0.0, 0.0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.3, 0.3, 0.3]].map(|places| {
                let mut clip = going(&places);
                clip.tracks.resize_with(4, JointTracks::default);
                clip
            });
        let mut found = |wide: f32| {
            skeleton.joints[3].rest.translation = Vec3::X * wide;
            farthest(&skeleton, &thrown, &[&still]).map(|found| found.joint)
        };
        assert_eq!([found(0.1), found(3.0)], [Some(1); 2]);
    }

    #[test]
    fn a_throw_is_found_that_no_source_has_and_a_quick_strike_is_none() {
        let mut skeleton = skeleton_of(&[("body", None), ("hand", Some(0))]);
        skeleton.joints[1].rest.translation = Vec3::Y;
        let still = going(&[0.0; 12]);
        let strike = going(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8]);
        let thrown = going(&[0.0, 0.0, 0.0, 0.0, 0.05, 0.1, 1.1, 1.15, 1.2, 1.2, 1.2, 1.2]);
        let found = farthest(&skeleton, &thrown, &[&still, &strike]);
        assert!(found.is_none(), "stands out no more than 1.25 of the strike: {found:?}");
        let farther = going(&[0.0, 0.0, 0.0, 0.0, 0.05, 0.1, 1.5, 1.55, 1.6, 1.6, 1.6, 1.6]);
        let found = farthest(&skeleton, &farther, &[&still, &strike]).unwrap();
        assert!(found.joint == 1 && (found.time - 0.2).abs() < 1e-9 && (found.step - 1.4).abs() < 1e-5, "{found:?}");
        assert!((found.beyond - 1.35).abs() < 1e-5, "{found:?}");
        assert_eq!(farthest(&skeleton, &strike, &[&still, &strike]), None);
        // What its clip does in its last frames as well is not the blend's.
        let late = going(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.5, 1.5]);
        assert_eq!(farthest(&skeleton, &thrown, &[&still, &late]), None);
        // One that goes twice as far all along stands out nowhere, and is no excuse.
        let leap = going(&[0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 18.0, 20.0, 22.0]);
        assert_eq!(farthest(&skeleton, &leap, &[&still]), None);
        let found = farthest(&skeleton, &thrown, &[&still, &leap]).unwrap();
        assert!(found.joint == 1 && (found.beyond - 0.95).abs() < 1e-5, "{found:?}");
        assert_eq!(farthest(&skeleton, &still, &[]), None);
    }

    #[test]
    fn a_strike_seen_between_its_keys_and_a_jerk_over_the_ends_of_a_cycle_are_no_throws() {
        let mut skeleton = skeleton_of(&[("body", None), ("hand", Some(0))]);
        skeleton.joints[1].rest.translation = Vec3::Y;
        // Over two frames of the clip, so that it stands out only where frames begin in the middle of one.
        let strike = going(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        let late = going(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(find(&skeleton, &late, &[&strike], 30.0), []);
        // A cycle of ten frames that goes in its last one by what it went since its second, twice over.
        let round = [0.0, 0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4];
        let cycle = going(&[&round[..], &[0.0]].concat());
        let twice = going(&[&round[..], &round, &[0.0]].concat());
        assert_eq!(find(&skeleton, &twice, &[&cycle], 30.0), []);
        assert!(!find(&skeleton, &twice, &[&going(&[0.0; 12])], 30.0).is_empty());
    }

    fn farthest(skeleton: &Skeleton, blend: &Clip, sources: &[&Clip]) -> Option<Thrown> {
        find(skeleton, blend, sources, 30.0).into_iter().max_by(|a, b| a.beyond.total_cmp(&b.beyond))
    }
}
