//! The frames of a seam and their closed poses: every joint is changed so that its end continues into its start.

use glam::{DAffine3, DQuat, DVec3};

use super::cycle::{CycleMap, LocalMap};
use super::fade::Fade;
use super::{BuildError, Input};
use portamento_anim::clip_fit::BrokenClip;
use portamento_anim::math::Transform;
use portamento_anim::{Curve, Interpolation, JointTracks, Pose};

/// The loop point and the frames that are changed.
pub(crate) struct Seam<'a> {
    pub input: &'a Input<'a>,
    /// Seconds of all frames; exact f32 values.
    pub times: &'a [f64],
    pub cycle: CycleMap,
    /// Fraction of the correction on the start side: 0, 0.5 or 1.
    pub weight: f64,
    /// The first unchanged frame after the start; 0 if the start is unchanged.
    pub first: usize,
    /// The last unchanged frame before the end; the last frame if the end is unchanged.
    pub last: usize,
}

/// Poses of a seam: from the first frame to [`Seam::first`], and from [`Seam::last`] to the last frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SeamPoses {
    pub start: Vec<Pose>,
    pub end: Vec<Pose>,
}

/// Returns the frame next to the start and the one next to the end. They are at least 0.2 frames away from it, so that keys close
/// to an end do not amplify rounding.
pub(crate) fn inner_frames(times: &[f64], fps: f64) -> [usize; 2] {
    let last = times.len() - 1;
    let (after, before) = (0.2 / fps, times[last] - 0.2 / fps);
    let first = times.partition_point(|&time| time < after).min(last);
    [first, times.partition_point(|&time| time <= before).saturating_sub(1)]
}

impl Seam<'_> {
    /// Returns the incoming poses of the seam's frames. Returns `Err` if one is not finite.
    pub fn incoming(&self) -> Result<SeamPoses, BuildError> {
        let pose = |&time: &f64| -> Result<Pose, BrokenClip> {
            let pose = self.input.clip.pose_at(self.input.skeleton, time);
            match pose.locals.iter().position(|local| !local.is_finite()) {
                None => Ok(pose),
                Some(joint) => {
                    let joint = self.input.skeleton.joints[joint].name.clone();
                    Err(BrokenClip { joint, time })
                }
            }
        };
        let start = self.times[..=self.first].iter().map(pose).collect::<Result<_, _>>()?;
        let end = self.times[self.last..].iter().map(pose).collect::<Result<_, _>>()?;
        Ok(SeamPoses { start, end })
    }

    /// Returns `incoming` with both ends closed.
    pub fn closed(&self, incoming: &SeamPoses) -> SeamPoses {
        let mut poses = incoming.clone();
        let [after, before] = inner_frames(self.times, self.input.fps);
        let at = |frame: usize| self.input.clip.pose_at(self.input.skeleton, self.times[frame]);
        let last = self.times.len() - 1;
        let around = [at(0), at(after), at(before), at(last)];
        let maps = LocalMap::of_joints(self.input, &self.cycle);
        for (joint, tracks) in self.input.clip.tracks.iter().enumerate() {
            let ends = Ends {
                local: around.each_ref().map(|pose| pose.locals[joint]),
                steps: [self.times[after] - self.times[0], self.times[last] - self.times[before]],
                weight: self.weight,
                map: maps[joint],
            };
            self.close_joint(tracks, joint, &ends, &mut poses);
            let node = &self.input.skeleton.joints[joint];
            for weight in node.first_morph..node.first_morph + node.morph_count {
                let values = around.each_ref().map(|pose| f64::from(pose.morphs[weight]));
                self.close_weight(weight, values, &ends, is_step(&tracks.morphs), &mut poses);
            }
        }
        poses
    }

    /// Closes rotation, translation and scale of `joint` in `poses`. A channel without a curve changes only if the cycle
    /// transform moves the joint, and scale not even then.
    fn close_joint(&self, tracks: &JointTracks, joint: usize, ends: &Ends, poses: &mut SeamPoses) {
        let local = ends.local;
        let map = &ends.map.affine;
        if tracks.rotation.is_some() || ends.map != LocalMap::NONE {
            let targets = ends.rotations();
            let offset = |frame: usize, at: Transform| turn_between(at.rotation.as_dquat(), targets[frame]);
            let offsets = [0, 1, 2, 3].map(|i| offset(i, local[i]));
            let set = |pose: &mut Pose, offset: DVec3| {
                let turned = pose.locals[joint].rotation.as_dquat() * DQuat::from_scaled_axis(offset);
                pose.locals[joint].rotation = turned.normalize().as_quat();
            };
            self.fade(offsets, Channel { in_steps: is_step(&tracks.rotation), rounding: 1e-7 }, ends, &set, poses);
        }
        if tracks.translation.is_some() || ends.map != LocalMap::NONE {
            let positions = local.map(|local| local.translation.as_dvec3());
            let offsets = ends.offsets(positions, map);
            let set = |pose: &mut Pose, offset: DVec3| {
                pose.locals[joint].translation = (pose.locals[joint].translation.as_dvec3() + offset).as_vec3();
            };
            let size = positions.iter().map(|position| position.length()).fold(0.0, f64::max);
            self.fade(
                offsets,
                Channel { in_steps: is_step(&tracks.translation), rounding: 1e-7 * size },
                ends,
                &set,
                poses,
            );
        }
        if tracks.scale.is_some() {
            let offsets = ends.offsets(local.map(|local| local.scale.as_dvec3()), &DAffine3::IDENTITY);
            let set = |pose: &mut Pose, offset: DVec3| {
                pose.locals[joint].scale = (pose.locals[joint].scale.as_dvec3() + offset).as_vec3();
            };
            self.fade(offsets, Channel { in_steps: is_step(&tracks.scale), rounding: 1e-7 }, ends, &set, poses);
        }
    }

    /// Closes the morph weight at index `weight` of the pose. `values` are those at the four frames of `ends`, and `step` is true
    /// for step interpolation.
    fn close_weight(&self, weight: usize, values: [f64; 4], ends: &Ends, step: bool, poses: &mut SeamPoses) {
        let offsets = ends.offsets(values.map(DVec3::splat), &DAffine3::IDENTITY);
        let set = |pose: &mut Pose, offset: DVec3| {
            pose.morphs[weight] = (f64::from(pose.morphs[weight]) + offset.x) as f32;
        };
        self.fade(offsets, Channel { in_steps: step, rounding: 1e-7 }, ends, &set, poses);
    }

    /// Adds `offsets` faded over the seam to `poses` by `set`. They are given at the first frame, its neighbour, the neighbour of
    /// the last frame, and the last frame. Does nothing if all are within `rounding`. Step curves jump at the end instead.
    fn fade(
        &self,
        offsets: [DVec3; 4],
        Channel { in_steps, rounding }: Channel,
        ends: &Ends,
        set: &dyn Fn(&mut Pose, DVec3),
        poses: &mut SeamPoses,
    ) {
        if offsets.iter().all(|offset| offset.length() <= rounding) {
            return;
        }
        let [start, after, before, end] = offsets;
        if in_steps {
            // The start is unchanged: a step curve has no speed to match.
            let jump = end - start;
            poses.end.last_mut().into_iter().for_each(|pose| set(pose, jump));
            return;
        }
        // Unchanged poses must stay bit-identical.
        let add = |pose: &mut Pose, offset: DVec3| {
            if offset != DVec3::ZERO {
                set(pose, offset);
            }
        };
        let times = self.times;
        let last = times.len() - 1;
        if self.first > 0 {
            let length = times[self.first];
            let fade = Fade::through(start, after, ends.steps[0] / length);
            let positions_in_seam = times.iter().map(|time| 1.0 - time / length);
            poses.start.iter_mut().zip(positions_in_seam).for_each(|(pose, s)| add(pose, fade.at(s)));
        }
        if self.last < last {
            let length = times[last] - times[self.last];
            let fade = Fade::through(end, before, ends.steps[1] / length);
            let positions_in_seam = times[self.last..].iter().map(|time| 1.0 - (times[last] - time) / length);
            poses.end.iter_mut().zip(positions_in_seam).for_each(|(pose, s)| add(pose, fade.at(s)));
        }
    }
}

/// A changed channel: translation, rotation, scale or a morph weight.
#[derive(Clone, Copy)]
struct Channel {
    /// True for step interpolation.
    in_steps: bool,
    /// Offsets up to this are ignored.
    rounding: f64,
}

/// One joint around the seam.
struct Ends {
    /// Local transforms at the first frame, its neighbour, the neighbour of the last frame, and the last frame.
    local: [Transform; 4],
    /// Time between the first two and the last two of these frames, seconds.
    steps: [f64; 2],
    /// Fraction of the correction on the start side, as in [`Seam`].
    weight: f64,
    /// The cycle transform in the space of the joint's parent.
    map: LocalMap,
}

impl Ends {
    /// Returns the local rotations at the four frames with which the joint closes.
    fn rotations(&self) -> [DQuat; 4] {
        let [q0, q1, qb, qn] = self.local.map(|local| local.rotation.as_dquat().normalize());
        let carried = self.map.turn.inverse() * qn;
        let start = q0 * DQuat::from_scaled_axis(turn_between(q0, carried) * self.weight);
        // In the joint's own axes, the cycle transform does not change a speed.
        let speeds = [turn_between(q0, q1) / self.steps[0], turn_between(qb, qn) / self.steps[1]];
        let speed = speeds[0].lerp(speeds[1], self.weight);
        let end = self.map.turn * start;
        let [after, before] = [speed * self.steps[0], speed * -self.steps[1]].map(DQuat::from_scaled_axis);
        [start, start * after, end * before, end]
    }

    /// Returns the offsets that close `values` at the four frames, for a cycle transform `map`.
    fn offsets(&self, values: [DVec3; 4], map: &DAffine3) -> [DVec3; 4] {
        let (matrix, offset) = (map.matrix3, map.translation);
        let [v0, v1, vb, vn] = values;
        let back = matrix.inverse();
        let start = v0.lerp(back * (vn - offset), self.weight);
        let speeds = [(v1 - v0) / self.steps[0], back * (vn - vb) / self.steps[1]];
        let speed = speeds[0].lerp(speeds[1], self.weight);
        let end = matrix * start + offset;
        let wanted = [start, start + speed * self.steps[0], end - matrix * speed * self.steps[1], end];
        [0, 1, 2, 3].map(|i| wanted[i] - values[i])
    }
}

/// Returns the shorter rotation from `a` to `b` in the axes of `a`, as a rotation vector in radians.
pub(crate) fn turn_between(a: DQuat, b: DQuat) -> DVec3 {
    let turn = a.inverse() * b;
    (if turn.w < 0.0 { -turn } else { turn }).to_scaled_axis()
}

/// True for a curve with step interpolation.
fn is_step<T>(curve: &Option<Curve<T>>) -> bool {
    curve.as_ref().is_some_and(|curve| curve.interpolation == Interpolation::Step)
}
