//! Writes poses into a clip as keys over a span of time; outside the span the clip is unchanged.

use super::curve_keys::{Keyed, row_at, with_keys_at};
use crate::{Clip, Curve, Interpolation, JointTracks, Pose, Skeleton};

/// Poses at consecutive frames of a clip; the first and the last may equal the clip's own.
#[derive(Clone, Copy, Debug)]
pub struct PoseSpan<'a> {
    /// All frame times of the clip, seconds: exact f32 values, ascending.
    pub times: &'a [f64],
    /// The frame of the first pose.
    pub first: usize,
    /// One pose per frame from `first` on.
    pub poses: &'a [Pose],
}

/// Writes `span` into `clip`, which animates `skeleton`.
///
/// Curves whose values differ get a key on every frame of the span and keep their values at all other frames, bit for
/// bit. Cubic curves that differ become linear between frames, and so do step curves: exporters write resting joints
/// as steps, which would lag behind their moving parents between frames. Jumps of a step curve stay jumps.
///
/// A changed rotation is written as the quaternion nearer to the previous key. Players that interpolate without checking
/// signs would otherwise take the long path.
pub fn write_poses(skeleton: &Skeleton, clip: &mut Clip, span: &PoseSpan) {
    for (joint, node) in skeleton.joints.iter().enumerate() {
        let rest = node.rest;
        let local = |pose: &Pose| pose.locals[joint];
        let JointTracks { translation, rotation, scale, morphs, .. } = &mut clip.tracks[joint];
        write_track(translation, span, &[rest.translation], &|pose| vec![local(pose).translation]);
        write_track(rotation, span, &[rest.rotation], &|pose| vec![local(pose).rotation]);
        write_track(scale, span, &[rest.scale], &|pose| vec![local(pose).scale]);
        let rows = node.first_morph..node.first_morph + node.morph_count;
        if !rows.is_empty() {
            write_track(morphs, span, &skeleton.rest_morphs[rows.clone()], &|pose| pose.morphs[rows.clone()].to_vec());
        }
    }
}

/// Writes the `value` of each pose of `span` into `track`; a track without keys counts as `rest`. The track stays as it is if
/// no value differs from its own.
fn write_track<T: Keyed>(track: &mut Option<Curve<T>>, span: &PoseSpan, rest: &[T], value: &dyn Fn(&Pose) -> Vec<T>) {
    let width = rest.len();
    let mut rows: Vec<Vec<T>> = span.poses.iter().map(value).collect();
    let frames = &span.times[span.first..span.first + rows.len()];
    let source = track.clone().filter(|curve| !curve.times.is_empty());
    let source = source.unwrap_or_else(|| Curve::linear(vec![0.0], rest.to_vec()));
    let is_changed = |(time, row): (&f64, &Vec<T>)| row_at(&source, width, *time) != *row;
    let changed: Vec<bool> = frames.iter().zip(&rows).map(is_changed).collect();
    if changed.contains(&true) {
        let mut before = span.first.checked_sub(1).map(|frame| row_at(&source, width, span.times[frame]));
        for (row, is_changed) in rows.iter_mut().zip(changed) {
            if let Some(before) = before.as_ref().filter(|_| is_changed) {
                row.iter_mut().zip(before).for_each(|(value, before)| *value = value.nearer_to(*before));
            }
            before = Some(row.clone());
        }
        *track = Some(with_rows(&source, width, span, &rows));
    }
}

/// Returns `source` with `rows` as its keys from the span's first frame to its last. Each row has `width` values.
fn with_rows<T: Keyed>(source: &Curve<T>, width: usize, span: &PoseSpan, rows: &[Vec<T>]) -> Curve<T> {
    let smooth = source.interpolation == Interpolation::CubicSpline;
    let jumps = jumps(source, width);
    let source = &straight(source, width, &jumps);
    let all: Vec<f32> = span.times.iter().map(|&time| time as f32).collect();
    let frames = &all[span.first..span.first + rows.len()];
    let [Some(&start), Some(&end)] = [frames.first(), frames.last()] else { return source.clone() };
    let base = if smooth {
        let values = span.times.iter().flat_map(|&time| row_at(source, width, time)).collect();
        Curve::linear(all.clone(), values)
    } else {
        with_keys_at(source, width, &keys_around(source, width, span, rows))
    };
    let from = base.times.partition_point(|&time| time < start);
    let until = base.times.partition_point(|&time| time <= end);
    let mut times = base.times[..from].to_vec();
    let mut values = base.values[..from * width].to_vec();
    for (i, (&frame, row)) in frames.iter().zip(rows).enumerate() {
        times.push(frame);
        values.extend(row);
        let jump = frames.get(i + 1).filter(|&&next| jumps.contains(&next) && next.next_down() > frame);
        if let Some(next) = jump {
            times.push(next.next_down());
            values.extend(row);
        }
    }
    times.extend_from_slice(&base.times[until..]);
    values.extend_from_slice(&base.values[until * width..]);
    Curve { interpolation: base.interpolation, times: times.into(), values: values.into() }
}

/// Returns the frames around `span`, and its first and last, that need keys to keep their values if the first or last
/// row in `rows` changes.
///
/// These are the frames up to the next key of `source`, or the next frame if no key follows and the curve is constant
/// there.
fn keys_around<T: Keyed>(source: &Curve<T>, width: usize, span: &PoseSpan, rows: &[Vec<T>]) -> Vec<f32> {
    let all: Vec<f32> = span.times.iter().map(|&time| time as f32).collect();
    let (first, last) = (span.first, span.first + rows.len() - 1);
    let (start, end) = (all[first], all[last]);
    let is_unchanged = |frame: usize| row_at(source, width, span.times[frame]) == rows[frame - first];
    let (starts_as_before, ends_as_before) = (is_unchanged(first), is_unchanged(last));
    let is_before = |key: &&f32| if starts_as_before { **key <= start } else { **key < start };
    let is_after = |key: &&f32| if ends_as_before { **key >= end } else { **key > end };
    let frame_before = first.checked_sub(1).filter(|_| !starts_as_before).map_or(start, |frame| all[frame]);
    let frame_after = all.get(last + 1).filter(|_| !ends_as_before).copied().unwrap_or(end);
    let before = source.times.iter().rev().find(is_before).copied().unwrap_or(frame_before);
    let after = source.times.iter().find(is_after).copied().unwrap_or(frame_after);
    let is_near = |time: &f32| (before..=start).contains(time) || (end..=after).contains(time);
    all.into_iter().filter(is_near).collect()
}

/// Returns the times in seconds at which a step curve with `width` values per key changes; empty for other curves.
pub fn jumps<T: Keyed>(curve: &Curve<T>, width: usize) -> Vec<f32> {
    let changes =
        |key: &usize| curve.values[(key - 1) * width..key * width] != curve.values[key * width..(key + 1) * width];
    let keys = (1..curve.times.len()).filter(|_| curve.interpolation == Interpolation::Step);
    keys.filter(changes).map(|key| curve.times[key]).collect()
}

/// Returns `curve`, with one value per key, without steps: a step curve becomes a linear one that jumps.
pub fn without_steps<T: Keyed>(curve: &Curve<T>) -> Curve<T> {
    straight(curve, 1, &jumps(curve, 1))
}

/// Returns a step curve as a linear one: each change takes place within one f32 time step before each of `jumps`.
fn straight<T: Keyed>(curve: &Curve<T>, width: usize, jumps: &[f32]) -> Curve<T> {
    if curve.interpolation != Interpolation::Step {
        return curve.clone();
    }
    let keys_before_jumps: Vec<f32> = jumps.iter().map(|time| time.next_down()).collect();
    Curve { interpolation: Interpolation::Linear, ..with_keys_at(curve, width, &keys_before_jumps) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::skeleton_of;
    use glam::{Quat, Vec3};

    #[test]
    fn written_rotations_never_change_hemisphere_and_others_keep_their_bits() {
        let skeleton = skeleton_of(&[("a", None), ("b", Some(0))]);
        let times: Vec<f64> = (0..=20).map(|i| f64::from(i as f32 / 20.0)).collect();
        // The signs vary as in real sources: every third key is in the other hemisphere.
        let turn = |i: usize| Quat::from_rotation_y(0.4 * i as f32) * if i.is_multiple_of(3) { -1.0 } else { 1.0 };
        let keys = Curve::linear(times.iter().map(|&time| time as f32).collect(), (0..=20).map(turn).collect());
        let tracks = vec![JointTracks { rotation: Some(keys.clone()), ..JointTracks::default() }; 2];
        let source = Clip { name: "turn".into(), duration: 1.0, tracks };
        let pose = |i: usize| {
            let mut pose = source.pose_at(&skeleton, times[i]);
            pose.locals[0].rotation = Quat::from_rotation_x(0.1) * pose.locals[0].rotation;
            pose
        };
        let mut result = source.clone();
        let poses: Vec<Pose> = (5..=15).map(pose).collect();
        write_poses(&skeleton, &mut result, &PoseSpan { times: &times, first: 5, poses: &poses });
        let written = &result.tracks[0].rotation.as_ref().unwrap().values;
        assert!(written[4..=15].windows(2).all(|pair| pair[0].dot(pair[1]) > 0.0), "{written:?}");
        assert!(written[5..=15].iter().zip(&poses).all(|(a, b)| a.dot(b.locals[0].rotation).abs() > 0.999_999));
        assert_eq!((&written[..5], &written[16..]), (&keys.values[..5], &keys.values[16..]));
        assert_eq!(result.tracks[1], source.tracks[1]);
    }

    #[test]
    fn frames_around_the_span_keep_their_bits_with_any_keys() {
        let skeleton = skeleton_of(&[("a", None)]);
        let times: Vec<f64> = (0..=20).map(|i| f64::from(i as f32 / 20.0)).collect();
        let time_of = |frame: usize| times[frame] as f32;
        let turn = |by: f32| Quat::from_rotation_y(by);
        // Curves that begin late or end early, and distant keys on the first and the last written frame.
        for keys in [[5, 7, 13, 15], [0, 5, 15, 20], [7, 8, 9, 10]] {
            let values = [0.1, 0.9, 0.4, 1.3].map(turn).to_vec();
            let curve = Curve::linear(keys.map(time_of).to_vec(), values);
            let tracks = vec![JointTracks { rotation: Some(curve), ..JointTracks::default() }];
            let source = Clip { name: "turn".into(), duration: 1.0, tracks };
            let shown = |clip: &Clip, frame: usize| clip.pose_at(&skeleton, times[frame]).locals[0].rotation;
            let mut result = source.clone();
            let mut pose = source.pose_at(&skeleton, 0.0);
            pose.locals[0].rotation = turn(-0.5);
            write_poses(&skeleton, &mut result, &PoseSpan { times: &times, first: 5, poses: &vec![pose; 11] });
            let changed: Vec<usize> =
                (0..=20).filter(|&frame| shown(&source, frame) != shown(&result, frame)).collect();
            assert_eq!(changed, (5..=15).collect::<Vec<_>>(), "keys on frames {keys:?}");
        }
    }

    fn clip(interpolation: Interpolation) -> Clip {
        let values = [0.0, 0.3, 1.0, 0.9].map(|x| Vec3::new(x, 2.0 * x, 0.7)).to_vec();
        let values = match interpolation {
            Interpolation::CubicSpline => values.iter().flat_map(|&value| [Vec3::X, value, Vec3::X]).collect(),
            _ => values,
        };
        let curve = Curve { interpolation, times: vec![0.0, 0.3, 0.7, 1.0].into(), values: values.into() };
        let tracks = vec![JointTracks { translation: Some(curve), ..JointTracks::default() }; 2];
        Clip { name: "go".into(), duration: 1.0, tracks }
    }

    #[test]
    fn step_curves_become_linear_between_frames_except_at_their_jumps() {
        let skeleton = skeleton_of(&[("a", None), ("b", Some(0))]);
        let times = [0.0, 0.25, 0.5, 0.75, 1.0];
        let at = |clip: &Clip, joint: usize, time: f64| clip.pose_at(&skeleton, time).locals[joint].translation;
        let mut source = clip(Interpolation::Step);
        let still =
            Curve { interpolation: Interpolation::Step, times: vec![0.0, 1.0].into(), values: vec![Vec3::Z; 2].into() };
        source.tracks[1].translation = Some(still);
        source.tracks[0].translation.as_mut().unwrap().times = vec![0.0, 0.25, 0.5, 1.0].into();
        let poses: Vec<Pose> = times[1..=3]
            .iter()
            .map(|&time| {
                let mut pose = source.pose_at(&skeleton, time);
                pose.locals.iter_mut().for_each(|local| local.translation += time as f32 * Vec3::Y);
                pose
            })
            .collect();
        let mut result = source.clone();
        write_poses(&skeleton, &mut result, &PoseSpan { times: &times, first: 1, poses: &poses });
        assert_eq!(at(&result, 1, 0.375), Vec3::new(0.0, 0.375, 1.0), "resting joints move along between frames");
        assert_eq!(at(&result, 0, 0.625), at(&source, 0, 0.625) + 0.625 * Vec3::Y);
        // There is a jump before 0.5, and the value before it stays, as do all values outside the span.
        assert_eq!(at(&result, 0, 0.45), at(&source, 0, 0.45) + 0.25 * Vec3::Y);
        for time in [0.0, 0.1, 0.2] {
            assert_eq!(at(&result, 0, time), at(&source, 0, time), "{time}");
        }
        assert_eq!(at(&result, 0, 1.0), at(&source, 0, 1.0));
    }

    #[test]
    fn the_span_holds_the_poses_and_every_other_frame_keeps_its_bits() {
        let skeleton = skeleton_of(&[("a", None), ("b", Some(0))]);
        let times: Vec<f64> = (0..=20).map(|i| f64::from(i as f32 / 20.0)).collect();
        for interpolation in [Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline] {
            let source = clip(interpolation);
            for (first, last) in [(0, 7), (4, 13), (9, 20)] {
                let pose = |i: usize| {
                    let mut pose = source.pose_at(&skeleton, times[i]);
                    if first < i && i < last {
                        pose.locals[0].translation += Vec3::Y;
                        pose.locals[0].rotation = Quat::from_rotation_x(0.2);
                    }
                    pose
                };
                let poses: Vec<Pose> = (first..=last).map(pose).collect();
                let mut result = source.clone();
                write_poses(&skeleton, &mut result, &PoseSpan { times: &times, first, poses: &poses });
                for (i, &time) in times.iter().enumerate() {
                    assert_eq!(result.pose_at(&skeleton, time), pose(i), "{interpolation:?} {first} {i}");
                }
                assert_eq!(result.tracks[1], source.tracks[1]);
                assert_eq!(result.tracks[0].scale, None);
            }
        }
    }

    #[test]
    fn weights_of_several_shapes_change_in_the_written_frames_only() {
        let mut skeleton = skeleton_of(&[("face", None)]);
        (skeleton.joints[0].morph_count, skeleton.rest_morphs) = (3, vec![0.0; 3]);
        let times: Vec<f64> = (0..=20).map(|i| f64::from(i as f32 / 20.0)).collect();
        let rows = (0..=20).flat_map(|i| [0.05, 0.03, 0.01].map(|each| each * i as f32)).collect();
        let keys = Curve::linear(times.iter().map(|&time| time as f32).collect(), rows);
        let tracks = vec![JointTracks { morphs: Some(keys), ..JointTracks::default() }];
        let source = Clip { name: "speak".into(), duration: 1.0, tracks };
        let mut pose = Pose::rest(&skeleton);
        pose.morphs = vec![0.7, 0.2, 0.9];
        let mut result = source.clone();
        write_poses(&skeleton, &mut result, &PoseSpan { times: &times, first: 5, poses: &vec![pose.clone(); 11] });
        for (frame, &time) in times.iter().enumerate() {
            let expected = if (5..=15).contains(&frame) { pose.clone() } else { source.pose_at(&skeleton, time) };
            assert_eq!(result.pose_at(&skeleton, time).morphs, expected.morphs, "frame {frame}");
        }
    }
}
