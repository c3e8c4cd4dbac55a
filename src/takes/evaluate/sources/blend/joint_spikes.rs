//! Detection of joint spikes in a blend: steps much longer than the neighbouring steps, and more abrupt than in any of the clips.
//! They occur when a fade adds to quick motion of the clips. Uniform fast motion in a clip, such as a leap, does not excuse a
//! spike.

use glam::{Affine3A, Vec3, Vec3A};

use crate::evaluate::built::JointSpike;
use portamento_anim::math::mean::angle_between;
use portamento_anim::{Clip, Pose, Skeleton};

/// Allowed excess of a step over its neighbours, as a fraction of the figure's size per 1/60 s: about 2 cm for a person. End
/// joints of head and feet make the figure larger than its visible part.
const SPIKE_MIN_SIZE_RATIO: f64 = 0.0125;

/// Allowed ratio between the excess in the blend and in its clips. Tuned; no derivation recorded.
const SPIKE_VS_CLIPS_RATIO: f64 = 1.25;

/// Offsets, in frames, at which clips are sampled additionally, since frames of a blend fall between frames of its clips.
const PHASES: [f64; 4] = [0.0, 0.25, 0.5, 0.75];

/// Tolerance between the ends of a looping clip: radians, and fraction of the figure's size. Tuned; no derivation recorded.
const CLOSED_TOLERANCE: f64 = 0.02;

/// Returns the frames of `blend`, in time order, in which a joint exceeds its limit from `sources`, with the worst joint of each
/// frame. `fps` is the sampling rate.
pub(super) fn find(skeleton: &Skeleton, blend: &Clip, sources: &[&Clip], fps: f64) -> Vec<JointSpike> {
    let limits = limits(skeleton, sources, fps);
    let found = steps(skeleton, blend, fps, 0.0);
    let thrown = |(i, (joint, &limit)): (usize, (usize, &f64))| {
        let (step, beyond) = (found[joint][i], excess(&found[joint], i));
        (beyond > limit).then(|| JointSpike { joint, time: (i + 1) as f64 / fps, step, beyond, over: beyond - limit })
    };
    let count = found.first().map_or(0, Vec::len);
    let worst = |i: usize| {
        let joints = limits.iter().enumerate().filter_map(|joint| thrown((i, joint)));
        joints.max_by(|a, b| a.beyond.total_cmp(&b.beyond))
    };
    (0..count).filter_map(worst).collect()
}

/// Returns the allowed excess of each joint, based on its motion in `sources` at all phases. It is in the file's unit per
/// frame. `fps` is the sampling rate.
fn limits(skeleton: &Skeleton, sources: &[&Clip], fps: f64) -> Vec<f64> {
    let base = SPIKE_MIN_SIZE_RATIO * size(skeleton) * 60.0 / fps;
    let mut own = vec![0.0_f64; skeleton.len()];
    for (source, phase) in sources.iter().flat_map(|source| PHASES.map(|phase| (source, phase))) {
        for (own, steps) in own.iter_mut().zip(steps(skeleton, source, fps, phase)) {
            *own = (0..steps.len()).map(|i| excess_in_cycle(&steps, i)).fold(*own, f64::max);
        }
    }
    own.iter().map(|own| base + SPIKE_VS_CLIPS_RATIO * own).collect()
}

/// Returns the height or depth of the figure at rest, whichever is larger, in file units. The width is ignored because of the
/// arms.
fn size(skeleton: &Skeleton) -> f64 {
    let mut world: Vec<Affine3A> = Vec::new();
    Pose::rest(skeleton).world_from_joints(skeleton, &mut world);
    let positions = || world.iter().map(|position| position.translation);
    let [high, low] = [positions().reduce(Vec3A::max), positions().reduce(Vec3A::min)].map(Option::unwrap_or_default);
    let extent = high - low;
    f64::from(extent.y.max(extent.z))
}

/// Returns the step length of each joint in each frame of `clip`, in file units; the first frame is offset by `phase` frames. A
/// looping clip is continued past its end. `fps` is the sampling rate.
fn steps(skeleton: &Skeleton, clip: &Clip, fps: f64, phase: f64) -> Vec<Vec<f64>> {
    let wraps = phase > 0.0 && is_closed(skeleton, clip);
    let last = clip.duration * fps - if wraps { 0.0 } else { phase };
    let count = last.floor().clamp(0.0, 1e5) as u32;
    let mut world: Vec<Affine3A> = Vec::new();
    let mut positions = |frame: u32| -> Vec<Vec3> {
        let time = (f64::from(frame) + phase) / fps;
        let time = if time > clip.duration { time - clip.duration } else { time };
        clip.pose_at(skeleton, time).world_from_joints(skeleton, &mut world);
        world.iter().map(|position| position.translation.into()).collect()
    };
    let mut steps = vec![Vec::with_capacity(count as usize); skeleton.len()];
    let mut before = positions(0);
    for frame in 1..=count {
        let now = positions(frame);
        let distance = |joint: usize| f64::from(before[joint].distance(now[joint]));
        steps.iter_mut().enumerate().for_each(|(joint, steps)| steps.push(distance(joint)));
        before = now;
    }
    steps
}

/// True if `clip` ends in its first pose. Up to [`CLOSED_TOLERANCE`].
fn is_closed(skeleton: &Skeleton, clip: &Clip) -> bool {
    let [first, last] = [0.0, clip.duration].map(|time| clip.pose_at(skeleton, time));
    let tolerance = CLOSED_TOLERANCE * size(skeleton);
    first.locals.iter().zip(&last.locals).all(|(first, last)| {
        let distance = f64::from(first.translation.distance(last.translation));
        angle_between(first.rotation, last.rotation) < CLOSED_TOLERANCE && distance <= tolerance
    })
}

/// Returns the excess of step `i` over the largest of the two steps before and after it; 0 at the ends. It is in the unit
/// of `steps`.
fn excess(steps: &[f64], i: usize) -> f64 {
    if i < 2 || i + 2 >= steps.len() { 0.0 } else { excess_in_cycle(steps, i) }
}

/// Returns the excess like [`excess`] for a looping clip: a jump at the seam repeats in every cycle.
fn excess_in_cycle(steps: &[f64], i: usize) -> f64 {
    let count = steps.len();
    if count < 5 {
        return 0.0;
    }
    let neighbours = [count - 2, count - 1, 1, 2].map(|offset| steps[(i + offset) % count]);
    (steps[i] - neighbours.into_iter().fold(0.0, f64::max)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::{Curve, JointTracks};
    use portamento_test_support::skeleton_of;

    /// Returns a clip whose joint 1 moves along X through `positions`, at 30 frames per second.
    fn going(positions: &[f32]) -> Clip {
        let times: Vec<f32> = (0..positions.len()).map(|key| key as f32 / 30.0).collect();
        let keys = positions.iter().map(|&position| Vec3::X * position).collect();
        let duration = f64::from(times[times.len() - 1]);
        let tracks = JointTracks { translation: Some(Curve::linear(times, keys)), ..JointTracks::default() };
        Clip { name: "move".into(), duration, tracks: vec![JointTracks::default(), tracks] }
    }

    #[test]
    fn a_spike_is_found_whatever_the_arm_span() {
        let mut skeleton =
            skeleton_of(&[("body", None), ("hand", Some(0)), ("head", Some(0)), ("other hand", Some(0))]);
        skeleton.joints[2].rest.translation = Vec3::Y;
        let [still, thrown] =
            [[0.0; 12], [0.0, 0.0, 0.0, 0.0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.3, 0.3, 0.3]].map(|positions| {
                let mut clip = going(&positions);
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
    fn a_spike_is_found_unless_a_source_has_it() {
        let mut skeleton = skeleton_of(&[("body", None), ("hand", Some(0))]);
        skeleton.joints[1].rest.translation = Vec3::Y;
        let still = going(&[0.0; 12]);
        let strike = going(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8]);
        let thrown = going(&[0.0, 0.0, 0.0, 0.0, 0.05, 0.1, 1.1, 1.15, 1.2, 1.2, 1.2, 1.2]);
        let found = farthest(&skeleton, &thrown, &[&still, &strike]);
        assert!(found.is_none(), "the excess is within 1.25 of the strike: {found:?}");
        let farther = going(&[0.0, 0.0, 0.0, 0.0, 0.05, 0.1, 1.5, 1.55, 1.6, 1.6, 1.6, 1.6]);
        let found = farthest(&skeleton, &farther, &[&still, &strike]).unwrap();
        assert!(found.joint == 1 && (found.time - 0.2).abs() < 1e-9 && (found.step - 1.4).abs() < 1e-5, "{found:?}");
        assert!((found.beyond - 1.35).abs() < 1e-5, "{found:?}");
        assert_eq!(farthest(&skeleton, &strike, &[&still, &strike]), None);
        // A spike that a clip has in its last frames is not caused by the blend.
        let late = going(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.5, 1.5]);
        assert_eq!(farthest(&skeleton, &thrown, &[&still, &late]), None);
        // A uniform fast motion has no excess, and does not excuse a spike.
        let leap = going(&[0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 18.0, 20.0, 22.0]);
        assert_eq!(farthest(&skeleton, &leap, &[&still]), None);
        let found = farthest(&skeleton, &thrown, &[&still, &leap]).unwrap();
        assert!(found.joint == 1 && (found.beyond - 0.95).abs() < 1e-5, "{found:?}");
        assert_eq!(farthest(&skeleton, &still, &[]), None);
    }

    #[test]
    fn strikes_between_frames_and_jumps_at_the_seam_are_no_spikes() {
        let mut skeleton = skeleton_of(&[("body", None), ("hand", Some(0))]);
        skeleton.joints[1].rest.translation = Vec3::Y;
        // The strike spans two frames of the clip, so that it exceeds its neighbours only at intermediate phases.
        let strike = going(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        let late = going(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(find(&skeleton, &late, &[&strike], 30.0), []);
        // A cycle of ten frames that jumps back in its last frame, played twice.
        let cycle_positions = [0.0, 0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4];
        let cycle = going(&[&cycle_positions[..], &[0.0]].concat());
        let twice = going(&[&cycle_positions[..], &cycle_positions, &[0.0]].concat());
        assert_eq!(find(&skeleton, &twice, &[&cycle], 30.0), []);
        assert!(!find(&skeleton, &twice, &[&going(&[0.0; 12])], 30.0).is_empty());
    }

    fn farthest(skeleton: &Skeleton, blend: &Clip, sources: &[&Clip]) -> Option<JointSpike> {
        find(skeleton, blend, sources, 30.0).into_iter().max_by(|a, b| a.beyond.total_cmp(&b.beyond))
    }
}
