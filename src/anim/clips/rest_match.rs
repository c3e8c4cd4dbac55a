//! Transfers a clip to another file of the same body without a change of its motion in the world.
//!
//! Two files of one character often differ in the nodes above the hips, the joint axes and the unit. Every joint of one file then
//! differs from its joint in the other by a constant:
//!
//! ```text
//! target frame  =  source frame · A                     in every pose, A a rotation and a scale
//! target local  =  L · source local · A
//! L             =  between⁻¹ · A(parent)⁻¹ · between     nodes without a joint in the other file lie between
//! ```
//!
//! A file with another origin has its ground elsewhere. Its motion is then moved to where the target rests, at its top joint.
//!
//! A is known if both rest poses agree in the world. It is the identity if both skeletons have the same joint offsets in the
//! frames of their parents, in whatever pose they rest. Otherwise the bodies differ, and the motion has to be retargeted.

use glam::{DAffine3, DQuat, DVec3};

use super::clip_match::{MatchedClip, joint_pairs};
use super::curve::{Curve, Interpolation};
use crate::root_motion::all_at_rest;
use crate::{Clip, JointTracks, Pose, Skeleton};

/// A skeleton with its unit.
#[derive(Clone, Copy, Debug)]
pub struct RestBody<'a> {
    /// The joints at rest.
    pub skeleton: &'a Skeleton,
    /// Metres per unit of its file.
    pub metres_per_unit: f64,
}

/// Tolerance of a joint offset, as a fraction of its length: files of one character are rounded and reposed slightly.
const OFFSET_TOLERANCE: f64 = 0.01;
/// Tolerance of a joint offset, as a fraction of the size of the body.
const SIZE_TOLERANCE: f64 = 0.002;
/// Rotation between two joint frames up to which they count as equal, radians.
const FRAME_TOLERANCE_RADIANS: f64 = 1e-3;
/// Distance between the rest positions of a body in both files up to which they have the same origin, as a fraction of its size.
/// Chosen: a rest that crouches or is lifted by a shoe is nearer.
const SAME_ORIGIN_MAX_RATIO: f64 = 0.1;
/// Number of frames in which the lowest point of a motion is searched.
const GROUND_SAMPLES: u32 = 32;
/// Relative difference of scales up to which they count as equal.
const SCALE_TOLERANCE: f64 = 1e-3;

/// The constant differences between the animated joints of two files of one body.
#[derive(Clone, Debug)]
pub struct RestMatch {
    /// For each joint of the source: the joint of the target, and the differences.
    joints: Vec<Option<MatchedJoint>>,
    /// The number of joints of the target.
    target_len: usize,
}

/// A joint of the target for one of the source, and how its curves change.
#[derive(Clone, Copy, Debug)]
struct MatchedJoint {
    /// Index of the joint in the target's skeleton.
    target: usize,
    /// Converts a local transform; `None` if it is the same in both files.
    change: Option<FrameChange>,
    /// True if the joint has a different number of morph weights.
    other_morphs: bool,
}

/// `L` and `A` of one joint.
#[derive(Clone, Copy, Debug)]
struct FrameChange {
    /// `L`: rotation, scale and translation.
    before: Similarity,
    /// `A`: rotation and scale.
    after: Similarity,
}

/// A rotation, a uniform scale and a translation. Scale is applied first and translation last.
#[derive(Clone, Copy, Debug)]
struct Similarity {
    rotation: DQuat,
    scale: f64,
    translation: DVec3,
}

impl RestMatch {
    /// Compares the bodies of two files at the joints that `clip` moves, or at all joints without a clip. Returns `None` if the
    /// bodies differ there, or if no moved joint has a counterpart.
    pub fn find(from: &RestBody, clip: Option<&Clip>, to: &RestBody) -> Option<Self> {
        let comparison = Comparison::new(from, clip, to)?;
        let joints = comparison.by_rest().or_else(|| comparison.by_offsets())?;
        Some(Self { joints, target_len: to.skeleton.len() })
    }

    /// Returns the joint of the target for `joint` of the source; `None` if it has no counterpart.
    pub fn target(&self, joint: usize) -> Option<usize> {
        self.joints.get(joint)?.map(|matched| matched.target)
    }

    /// Returns `clip` on the joints of the target. Keys keep their times and interpolation.
    pub fn transfer(&self, from: &Skeleton, clip: &Clip) -> MatchedClip {
        let mut tracks = vec![JointTracks::default(); self.target_len];
        let mut unmatched = Vec::new();
        for (joint, own) in clip.tracks.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
            match self.joints.get(joint).copied().flatten() {
                Some(matched) => tracks[matched.target] = matched.tracks(own),
                None => unmatched.push(from.joints[joint].name.clone()),
            }
        }
        MatchedClip { clip: Clip { name: clip.name.clone(), duration: clip.duration, tracks }, unmatched }
    }
}

impl MatchedJoint {
    /// Returns the curves `own` of the source's joint in the local space of the target's joint. Morph curves are left out if
    /// the joints have different numbers of morph weights.
    fn tracks(&self, own: &JointTracks) -> JointTracks {
        let mut tracks = own.clone();
        if self.other_morphs {
            tracks.morphs = None;
        }
        let Some(FrameChange { before, after }) = self.change else { return tracks };
        if let Some(curve) = &mut tracks.translation {
            let is_tangent = tangents(curve);
            for (i, value) in curve.values.iter_mut().enumerate() {
                let moved = before.rotation * value.as_dvec3() * before.scale;
                *value = if is_tangent(i) { moved } else { moved + before.translation }.as_vec3();
            }
        }
        if let Some(curve) = &mut tracks.rotation {
            let turned = |value: glam::Quat| {
                let [x, y, z, w] = value.to_array().map(f64::from);
                (before.rotation * DQuat::from_xyzw(x, y, z, w) * after.rotation).as_quat()
            };
            curve.values.iter_mut().for_each(|value| *value = turned(*value));
        }
        if let Some(curve) = &mut tracks.scale {
            curve.values.iter_mut().for_each(|value| *value *= (before.scale * after.scale) as f32);
        }
        tracks
    }
}

/// Returns a function that is true for the indices of tangents among the values of `curve`.
fn tangents<T>(curve: &Curve<T>) -> impl Fn(usize) -> bool + use<T> {
    let is_cubic = curve.interpolation == Interpolation::CubicSpline;
    move |i| is_cubic && i % 3 != 1
}

/// A joint of the source with its joint of the target, and both relative to the nearest ancestors that are matched too.
struct Pair {
    source: usize,
    target: usize,
    /// Index of the pair of the nearest matched ancestor; `None` for a top joint.
    parent: Option<usize>,
    /// The nodes between that ancestor, or the world, and the joint: of the source and of the target, in metres for a top joint.
    between: [DAffine3; 2],
    /// The rest frames in the world, of the source and of the target, metres.
    world: [DAffine3; 2],
    is_animated: bool,
}

/// The joints that both files have, paired by name, with the inputs of the comparison.
struct Comparison<'a> {
    from: &'a RestBody<'a>,
    clip: Option<&'a Clip>,
    to: &'a RestBody<'a>,
    /// Parents first.
    pairs: Vec<Pair>,
    /// The diagonal of the box of the compared joints at rest, metres.
    size: f64,
}

impl<'a> Comparison<'a> {
    /// Pairs the joints. Returns `None` if none is animated, or if their hierarchies differ.
    fn new(from: &'a RestBody<'a>, clip: Option<&'a Clip>, to: &'a RestBody<'a>) -> Option<Self> {
        let targets = joint_pairs(from.skeleton, to.skeleton, 0..from.skeleton.len());
        let is_animated = |joint: usize| clip.is_none_or(|clip| moves(clip.tracks.get(joint)));
        let mut involved = vec![false; from.skeleton.len()];
        for joint in (0..involved.len()).rev() {
            involved[joint] |= is_animated(joint) && targets[joint].is_some();
            if let Some(parent) = from.skeleton.joints[joint].parent.filter(|_| involved[joint]) {
                involved[parent] = true;
            }
        }
        let rests = [all_at_rest(from.skeleton), all_at_rest(to.skeleton)];
        let mut comparison = Self { from, clip, to, pairs: Vec::new(), size: 0.0 };
        let mut pair_of_target = vec![None; to.skeleton.len()];
        for source in (0..involved.len()).filter(|&joint| involved[joint]) {
            let Some(target) = targets[source] else { continue };
            let [above, target_above] = [(from.skeleton, source), (to.skeleton, target)]
                .map(|(skeleton, joint)| skeleton.ancestors(joint).skip(1).collect::<Vec<_>>());
            let source_parent = above.iter().position(|&each| targets[each].is_some());
            let target_parent = target_above.iter().position(|&each| pair_of_target[each].is_some());
            let parent = target_parent.and_then(|at| pair_of_target[target_above[at]]);
            if source_parent.and_then(|at| targets[above[at]]) != target_parent.map(|at| target_above[at]) {
                return None;
            }
            let nodes = &above[..source_parent.unwrap_or(above.len())];
            let target_nodes = &target_above[..target_parent.unwrap_or(target_above.len())];
            let source_between = comparison.between(nodes)?;
            let target_between = product(target_nodes.iter().map(|&joint| to.skeleton.joints[joint].rest));
            let units = [from.metres_per_unit, to.metres_per_unit];
            let scaled = |unit: f64| DAffine3::from_scale(DVec3::splat(if parent.is_none() { unit } else { 1.0 }));
            pair_of_target[target] = Some(comparison.pairs.len());
            comparison.pairs.push(Pair {
                source,
                target,
                parent,
                between: [scaled(units[0]) * source_between, scaled(units[1]) * target_between],
                world: [
                    DAffine3::from_scale(DVec3::splat(units[0])) * rests[0][source],
                    DAffine3::from_scale(DVec3::splat(units[1])) * rests[1][target],
                ],
                is_animated: is_animated(source),
            });
        }
        let corners = comparison.pairs.iter().map(|pair| pair.world[1].translation).map(|at| [at, at]);
        let corners = corners.reduce(|[low, high], [at, _]| [low.min(at), high.max(at)])?;
        comparison.size = (corners[1] - corners[0]).length();
        comparison.pairs.iter().any(|pair| pair.is_animated).then_some(comparison)
    }

    /// Returns the product of the constant locals of `nodes`, nearest first. Returns `None` if one of them moves.
    fn between(&self, nodes: &[usize]) -> Option<DAffine3> {
        let mut locals = Vec::with_capacity(nodes.len());
        for &node in nodes {
            let mut local = self.from.skeleton.joints[node].rest;
            if let Some(tracks) = self.clip.and_then(|clip| clip.tracks.get(node)) {
                local.translation =
                    constant(tracks.translation.as_ref(), |a, b| a.distance(b))?.unwrap_or(local.translation);
                local.rotation =
                    constant(tracks.rotation.as_ref(), |a, b| a.angle_between(b))?.unwrap_or(local.rotation);
                local.scale = constant(tracks.scale.as_ref(), |a, b| a.distance(b))?.unwrap_or(local.scale);
            }
            locals.push(local);
        }
        Some(product(locals.into_iter()))
    }

    /// Returns true if two offsets from the same joint, in metres, count as equal.
    fn are_near(&self, a: DVec3, b: DVec3) -> bool {
        a.distance(b) <= OFFSET_TOLERANCE * a.length().max(b.length()) + SIZE_TOLERANCE * self.size
    }

    /// Returns the differences if both rest poses have the same joint positions in the world, relative to the top joints; else
    /// `None`.
    fn by_rest(&self) -> Option<Vec<Option<MatchedJoint>>> {
        let mut after = Vec::with_capacity(self.pairs.len());
        for pair in &self.pairs {
            if let Some(parent) = pair.parent.map(|parent| &self.pairs[parent]) {
                let offset = |side: usize| pair.world[side].translation - parent.world[side].translation;
                if !self.are_near(offset(0), offset(1)) {
                    return None;
                }
            }
            let [source, target] = [similarity(pair.world[0])?, similarity(pair.world[1])?];
            after.push(Similarity {
                rotation: source.rotation.inverse() * target.rotation,
                scale: target.scale / source.scale,
                translation: DVec3::ZERO,
            });
        }
        self.matched(&after, self.origin_offset())
    }

    /// Returns the index of the pair of the body's top joint, and the offset in metres from the origin of the source to that of
    /// the target. The offset is 0 along axes on which the motion is already where the target rests. Returns `None` without a
    /// clip.
    fn origin_offset(&self) -> Option<(usize, DVec3)> {
        let clip = self.clip?;
        let mut top = vec![0; self.pairs.len()];
        for (at, pair) in self.pairs.iter().enumerate() {
            top[at] = pair.parent.map_or(at, |parent| top[parent]);
        }
        let count = |of: usize| top.iter().filter(|&&each| each == of).count();
        let body = (0..top.len()).filter(|&at| top[at] == at).max_by_key(|&at| count(at))?;
        let [source, target] = self.pairs[body].world.map(|world| world.translation);
        let limit = SAME_ORIGIN_MAX_RATIO * self.size;
        let poses = (0..=GROUND_SAMPLES).map(|i| {
            let time = clip.duration * f64::from(i) / f64::from(GROUND_SAMPLES);
            clip.pose_at(self.from.skeleton, time)
        });
        let poses: Vec<Pose> = poses.collect();
        let position = |pose: &Pose, joint: usize| {
            self.from.metres_per_unit * pose.world_from_joint(self.from.skeleton, joint).translation
        };
        let joints = || self.pairs.iter().zip(&top).filter(|(_, top)| **top == body).map(|(pair, _)| pair);
        let heights = poses.iter().flat_map(|pose| joints().map(|pair| position(pose, pair.source).y));
        let lowest = heights.fold(f64::INFINITY, f64::min);
        let [rest, wanted] =
            [0, 1].map(|side| joints().map(|pair| pair.world[side].translation.y).fold(f64::INFINITY, f64::min));
        let start = position(&poses[0], self.pairs[body].source);
        let is_nearer = |own: f64, other: f64| own < other && (target - source).length() > limit;
        let flat = |position: DVec3| (start - position).with_y(0.0).length();
        let is_beside = (target - source).with_y(0.0).length() > limit && is_nearer(flat(source), flat(target));
        let is_below = (wanted - rest).abs() > limit && is_nearer((lowest - rest).abs(), (lowest - wanted).abs());
        let along = if is_beside { (target - source).with_y(0.0) } else { DVec3::ZERO };
        let up = if is_below { wanted - rest } else { 0.0 };
        Some((body, along + DVec3::Y * up)).filter(|(_, offset)| offset.is_finite())
    }

    /// Returns the differences if both skeletons have the same joint offsets in the frames of their parents, else `None`. Joints
    /// that are not animated must then rest alike.
    fn by_offsets(&self) -> Option<Vec<Option<MatchedJoint>>> {
        let mut after: Vec<Similarity> = Vec::with_capacity(self.pairs.len());
        for pair in &self.pairs {
            let [source, target] = [similarity(pair.world[0])?, similarity(pair.world[1])?];
            let scale = target.scale / source.scale;
            after.push(Similarity { rotation: DQuat::IDENTITY, scale, translation: DVec3::ZERO });
            let rest = |skeleton: &Skeleton, joint: usize| skeleton.joints[joint].rest.to_affine_f64();
            let locals = [
                pair.between[0] * rest(self.from.skeleton, pair.source),
                pair.between[1] * rest(self.to.skeleton, pair.target),
            ];
            if let Some(parent) = pair.parent.map(|parent| &self.pairs[parent]) {
                let metres = |side: usize| Some(similarity(parent.world[side])?.scale * locals[side].translation);
                if !self.are_near(metres(0)?, metres(1)?) {
                    return None;
                }
            }
            let [a, b] = [similarity(locals[0])?, similarity(locals[1])?];
            if !pair.is_animated && a.rotation.angle_between(b.rotation) > FRAME_TOLERANCE_RADIANS {
                return None;
            }
        }
        self.matched(&after, None)
    }

    /// Returns the match of every joint of the source, given the `A` of each pair. `moved` is the pair of a top joint and the
    /// offset of its motion, metres.
    ///
    /// Returns `None` if a resulting `L` is mirrored, sheared or flat, or if the axes of an animated joint with uneven scales
    /// change.
    fn matched(&self, after: &[Similarity], moved: Option<(usize, DVec3)>) -> Option<Vec<Option<MatchedJoint>>> {
        let mut joints = vec![None; self.from.skeleton.len()];
        let mut changes = Vec::with_capacity(self.pairs.len());
        for (at, (pair, after)) in self.pairs.iter().zip(after).enumerate() {
            let offset = moved.filter(|(top, _)| *top == at).map_or(DVec3::ZERO, |(_, offset)| offset);
            let parent = pair.parent.map_or(DAffine3::from_translation(-offset), |parent| {
                DAffine3::from_scale_rotation_translation(
                    DVec3::splat(after_of(&changes, parent).scale),
                    after_of(&changes, parent).rotation,
                    DVec3::ZERO,
                )
            });
            let before = similarity(pair.between[1].inverse() * parent.inverse() * pair.between[0])?;
            changes.push(FrameChange { before, after: *after });
        }
        let is_same = self.pairs.iter().zip(&changes).all(|(pair, change)| self.is_identity(pair, change));
        for (pair, change) in self.pairs.iter().zip(changes) {
            if !is_same && pair.is_animated && !self.keeps_scale_axes(pair.source, &change) {
                return None;
            }
            let morphs = [&self.from.skeleton.joints[pair.source], &self.to.skeleton.joints[pair.target]];
            joints[pair.source] = Some(MatchedJoint {
                target: pair.target,
                change: (!is_same).then_some(change),
                other_morphs: morphs[0].morph_count != morphs[1].morph_count,
            });
        }
        Some(joints)
    }

    /// True if `change` leaves the local transforms of `pair` unchanged within the tolerances.
    fn is_identity(&self, pair: &Pair, change: &FrameChange) -> bool {
        let unit = pair.parent.map_or(self.to.metres_per_unit, |parent| {
            similarity(self.pairs[parent].world[1]).map_or(1.0, |world| world.scale)
        });
        [&change.before, &change.after].into_iter().all(|part| {
            part.rotation.angle_between(DQuat::IDENTITY) <= FRAME_TOLERANCE_RADIANS
                && (part.scale - 1.0).abs() <= SCALE_TOLERANCE
                && part.translation.length() * unit <= SIZE_TOLERANCE * self.size
        })
    }

    /// True if the scales of `joint` are uniform or its axes stay.
    fn keeps_scale_axes(&self, joint: usize, change: &FrameChange) -> bool {
        let is_uniform = |scale: &glam::Vec3| scale.max_element() - scale.min_element() <= SCALE_TOLERANCE as f32;
        let scale = self.clip.and_then(|clip| clip.tracks.get(joint)?.scale.as_ref());
        change.after.rotation.angle_between(DQuat::IDENTITY) <= FRAME_TOLERANCE_RADIANS
            || scale.is_none_or(|curve| (0..curve.times.len()).all(|key| is_uniform(&curve.key(key))))
    }
}

fn after_of(changes: &[FrameChange], pair: usize) -> Similarity {
    changes[pair].after
}

/// True if a joint with these tracks has a curve of translation, rotation or scale.
fn moves(tracks: Option<&JointTracks>) -> bool {
    tracks.is_some_and(|own| own.translation.is_some() || own.rotation.is_some() || own.scale.is_some())
}

/// Returns the first key of a curve whose keys are all equal to it, `Some(None)` without keys, and `None` if the value changes.
/// Keys are equal if `apart` of both is at most [`FRAME_TOLERANCE_RADIANS`].
fn constant<T: super::curve::Animated>(curve: Option<&Curve<T>>, apart: impl Fn(T, T) -> f32) -> Option<Option<T>> {
    let Some(curve) = curve.filter(|curve| !curve.times.is_empty()) else { return Some(None) };
    let first = curve.key(0);
    let is_still = (1..curve.times.len()).all(|key| apart(first, curve.key(key)) <= FRAME_TOLERANCE_RADIANS as f32);
    is_still.then_some(Some(first))
}

/// Returns the product of locals that are given nearest to the joint first.
fn product(locals: impl Iterator<Item = crate::math::Transform>) -> DAffine3 {
    locals.fold(DAffine3::IDENTITY, |below, local| local.to_affine_f64() * below)
}

/// Returns an affine transform as rotation, uniform scale and translation; `None` if it is mirrored, sheared or flat.
fn similarity(affine: DAffine3) -> Option<Similarity> {
    let axes = affine.matrix3;
    let lengths = [axes.x_axis, axes.y_axis, axes.z_axis].map(DVec3::length);
    let scale = axes.determinant().cbrt();
    let is_uniform = lengths.iter().all(|length| (length - scale).abs() <= SCALE_TOLERANCE * scale);
    (scale > 0.0 && scale.is_finite() && is_uniform && affine.translation.is_finite()).then(|| Similarity {
        rotation: DQuat::from_mat3(&(axes * scale.recip())).normalize(),
        scale,
        translation: affine.translation,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::small_inputs::skeleton_of;
    use glam::{Quat, Vec3};

    /// Returns hips, a spine and a hand 0.5 m to its side, in metres and with the axes of the world.
    fn upright() -> Skeleton {
        let mut skeleton = skeleton_of(&[("Hips", None), ("Spine", Some(0)), ("Hand", Some(1))]);
        let offsets = [Vec3::Y, Vec3::new(0.0, 0.4, 0.1), Vec3::X * 0.5];
        skeleton.joints.iter_mut().zip(offsets).for_each(|(joint, offset)| joint.rest.translation = offset);
        skeleton
    }

    /// Returns that body with other joint axes, under a node turned by −90° and scaled by 100, like rigs that Blender exports.
    fn under_a_node() -> Skeleton {
        let mut skeleton =
            skeleton_of(&[("Armature", None), ("rig:Hips", Some(0)), ("rig:Spine", Some(1)), ("rig:Hand", Some(2))]);
        let axes = [0.3, -1.1, 0.7].map(|turn| DQuat::from_euler(glam::EulerRot::XYZ, turn, 2.0 * turn, -turn));
        let node = DAffine3::from_scale_rotation_translation(
            DVec3::splat(100.0),
            DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2),
            DVec3::ZERO,
        );
        // The file is in centimetres, so the node makes a unit of its children a metre.
        let plain = all_at_rest(&upright());
        let worlds: Vec<DAffine3> = std::iter::once(node)
            .chain(plain.iter().zip(axes).map(|(world, axes)| {
                DAffine3::from_scale_rotation_translation(DVec3::splat(100.0), axes, 100.0 * world.translation)
            }))
            .collect();
        for (i, joint) in skeleton.joints.iter_mut().enumerate() {
            let parent = joint.parent.map_or(DAffine3::IDENTITY, |parent| worlds[parent]);
            let local = similarity(parent.inverse() * worlds[i]).unwrap();
            joint.rest = Transform {
                translation: local.translation.as_vec3(),
                rotation: local.rotation.as_quat(),
                scale: Vec3::splat(local.scale as f32),
            };
        }
        skeleton
    }

    /// Moves and turns the joints from `first` on, with cubic tangents on the translation of the first.
    fn motion(skeleton: &Skeleton, first: usize) -> Clip {
        let mut tracks = vec![JointTracks::default(); skeleton.len()];
        for (i, joint) in skeleton.joints.iter().enumerate().skip(first) {
            let turn = |angle: f32| joint.rest.rotation * Quat::from_euler(glam::EulerRot::XYZ, angle, -angle, 0.5);
            tracks[i].rotation = Some(Curve::linear(vec![0.0, 1.0], vec![turn(0.2), turn(0.9)]));
        }
        let at = skeleton.joints[first].rest.translation;
        let values = vec![Vec3::ZERO, at, Vec3::ONE, Vec3::X, at * 1.5, Vec3::ZERO];
        let times = vec![0.0, 1.0];
        tracks[first].translation =
            Some(Curve { interpolation: Interpolation::CubicSpline, times: times.into(), values: values.into() });
        Clip { name: "move".into(), duration: 1.0, tracks }
    }

    fn body(skeleton: &Skeleton, metres_per_unit: f64) -> RestBody<'_> {
        RestBody { skeleton, metres_per_unit }
    }

    fn apart(from: &RestBody, clip: &Clip, to: &RestBody, moved: &Clip, shift: usize) -> f64 {
        let at = |body: &RestBody, clip: &Clip, joint: usize, time: f64| {
            body.metres_per_unit * clip.pose_at(body.skeleton, time).world_from_joint(body.skeleton, joint).translation
        };
        let times = (0..=20).map(|i| f64::from(i) / 20.0);
        let joints = || 0..to.skeleton.len().min(from.skeleton.len());
        times
            .flat_map(|time| joints().map(move |joint| (joint, time)))
            .filter(|(joint, _)| joint + shift < from.skeleton.len())
            .map(|(joint, time)| at(from, clip, joint + shift, time).distance(at(to, moved, joint, time)))
            .fold(0.0, f64::max)
    }

    #[test]
    fn bodies_with_other_nodes_axes_and_units_move_alike_in_the_world() {
        let (plain, turned) = (upright(), under_a_node());
        let [from, to] = [body(&turned, 0.01), body(&plain, 1.0)];
        let clip = motion(&turned, 1);
        let found = RestMatch::find(&from, Some(&clip), &to).unwrap();
        let MatchedClip { clip: moved, unmatched } = found.transfer(&turned, &clip);
        assert!(unmatched.is_empty());
        let off = apart(&from, &clip, &to, &moved, 1);
        assert!(off < 1e-5, "{off}");
        // A pose of the rest in between shows that the test sees a difference at all.
        assert!(apart(&from, &clip, &to, &Clip::default(), 1) > 0.1);
    }

    #[test]
    fn equal_files_keep_their_bits_and_other_bodies_are_refused() {
        let plain = upright();
        let clip = motion(&plain, 0);
        let same = RestMatch::find(&body(&plain, 1.0), Some(&clip), &body(&plain, 1.0)).unwrap();
        assert_eq!(same.transfer(&plain, &clip).clip, clip);
        let mut taller = plain.clone();
        taller.joints.iter_mut().for_each(|joint| joint.rest.translation *= 1.2);
        assert!(RestMatch::find(&body(&plain, 1.0), Some(&clip), &body(&taller, 1.0)).is_none());
        // Equal numbers in another unit describe another body.
        assert!(RestMatch::find(&body(&plain, 0.01), Some(&clip), &body(&plain, 1.0)).is_none());
        let mut bent = plain.clone();
        bent.joints[1].rest.translation = Vec3::new(0.0, 0.1, 0.4);
        assert!(RestMatch::find(&body(&plain, 1.0), Some(&clip), &body(&bent, 1.0)).is_none());
    }

    #[test]
    fn a_motion_of_a_file_with_another_origin_is_moved_to_where_the_target_rests() {
        let plain = upright();
        let clip = {
            let mut clip = motion(&plain, 0);
            // The body walks at the height of its rest.
            clip.tracks[0].translation = Some(Curve::linear(vec![0.0, 1.0], vec![Vec3::Y, Vec3::new(0.0, 1.02, 1.0)]));
            clip
        };
        for by in [Vec3::new(0.0, -0.96, 0.0), Vec3::new(2.0, -0.96, -1.0), Vec3::X * 2.0, Vec3::Y * 0.5] {
            let (mut other, mut moved) = (plain.clone(), clip.clone());
            other.joints[0].rest.translation += by;
            moved.tracks[0].translation.as_mut().unwrap().values.iter_mut().for_each(|value| *value += by);
            let found = RestMatch::find(&body(&other, 1.0), Some(&moved), &body(&plain, 1.0)).unwrap();
            let back = found.transfer(&other, &moved).clip;
            let off = apart(&body(&plain, 1.0), &clip, &body(&plain, 1.0), &back, 0);
            assert!(off < 1e-5, "{by}: {off}");
            // A rest at another place whose clip is where the target rests: the clip stays as it is.
            let found = RestMatch::find(&body(&other, 1.0), Some(&clip), &body(&plain, 1.0)).unwrap();
            assert_eq!(found.transfer(&other, &clip).clip, clip, "{by}");
        }
    }

    #[test]
    fn one_skeleton_resting_in_two_poses_keeps_its_keys() {
        let plain = upright();
        let mut posed = plain.clone();
        posed.joints[1].rest.rotation = Quat::from_rotation_z(0.8);
        posed.joints[0].rest.translation += Vec3::Z;
        let clip = motion(&plain, 0);
        let found = RestMatch::find(&body(&posed, 1.0), Some(&clip), &body(&plain, 1.0)).unwrap();
        assert_eq!(found.transfer(&posed, &clip).clip, clip);
        // If the posed joint is not animated, its pose would be lost.
        let mut partial = clip.clone();
        partial.tracks[1] = JointTracks::default();
        assert!(RestMatch::find(&body(&posed, 1.0), Some(&partial), &body(&plain, 1.0)).is_none());
    }

    #[test]
    fn a_moving_node_without_a_counterpart_is_refused() {
        let (plain, turned) = (upright(), under_a_node());
        let mut clip = motion(&turned, 1);
        let travel = Curve::linear(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::Z]);
        clip.tracks[0].translation = Some(travel);
        assert!(RestMatch::find(&body(&turned, 0.01), Some(&clip), &body(&plain, 1.0)).is_none());
        let still = Curve::linear(vec![0.0, 1.0], vec![Vec3::ZERO; 2]);
        clip.tracks[0].translation = Some(still);
        assert!(RestMatch::find(&body(&turned, 0.01), Some(&clip), &body(&plain, 1.0)).is_some());
    }
}
