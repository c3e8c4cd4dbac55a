//! Mirrors a motion by swapping left and right.
//!
//! Let G be a joint's world rotation at rest. A pose rotates the joint by Δ = G(t)·G⁻¹ while its parents are at rest. The partner
//! on the other side rotates by the mirror image of Δ from its own rest. In local axes this is
//!
//! ```text
//! l ↦ A · m(l) · B
//! ```
//!
//! with constant A and B, and m linear in the four components of a quaternion. Offsets from rest are multiplied by a constant
//! matrix. Every key therefore keeps its time and splines keep their tangents. The curves are exact mirror images between keys
//! too.
//!
//! This is the mirror image at the plane between left and right. Two successive mirrors are a rotation plus a translation. The
//! image at any other plane is therefore the first image with such a transform applied.
//!
//! If the rest poses of both sides are mirror images, the result is the exact mirror image of the motion. The asymmetry of the
//! rest pose is measured. Blend shapes are swapped if their names contain a side (`smile_L`, `eyeBlinkRight`), otherwise they are
//! unchanged.

mod error;
mod joint;
mod settings;

use glam::{DAffine3, DMat3, DQuat, DVec3, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::curve_rows::map_rows;
pub use error::BuildError;
pub use joint::JointMirror;
use portamento_anim::root_motion::{rest_at, rig_size, turn_of};
use portamento_anim::shape_names::reordered;
use portamento_anim::{Clip, Curve, Front, JointTracks, Skeleton};
use portamento_base::progress::Progress;
pub use settings::Settings;

/// The motion to mirror, with its rig.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Skeleton of the clip.
    pub skeleton: &'a Skeleton,
    /// The incoming motion.
    pub clip: &'a Clip,
    /// Pairs of left and right joints. Joints without a partner map to themselves.
    pub pairs: &'a [(usize, usize)],
    /// Facing direction of the character at rest.
    pub front: Front,
    /// Metres per unit of the file.
    pub metres_per_unit: f64,
    /// For each joint, the partner index of each of its blend shapes, which is its own index if it has no partner. Empty for a
    /// joint whose shapes have no names.
    pub shapes: &'a [Vec<usize>],
}

/// Report of a mirroring.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Number of joint pairs that were swapped.
    pub pairs: usize,
    /// Largest distance of a joint at rest from the mirror image of its partner, relative to the rig size.
    pub asymmetry: f64,
    /// Name of that joint; `None` if both sides are mirror images.
    pub asymmetric: Option<String>,
    /// Number of joints with animated blend shapes that were not swapped, since their names contain no side.
    pub morphs: usize,
}

/// The mirrored motion with its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The mirrored motion; all keys keep their times.
    pub clip: Clip,
    /// Numbers for panels and reports.
    pub report: Report,
}

/// Mirrors the motion of `input` according to `settings`.
///
/// Returns `Err` if
/// - the clip does not fit the skeleton;
/// - an angle is not within [`Settings::ANGLES`], or the offset not within [`Settings::OFFSETS`];
/// - no joint has a partner on the other side;
/// - `progress` is cancelled.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    input.clip.check_fits(input.skeleton)?;
    check(settings)?;
    let partners = partners(input.pairs, input.skeleton.len());
    if partners.iter().enumerate().all(|(joint, &partner)| joint == partner) {
        return Err(BuildError::NoPairs);
    }
    let plane = Plane::from_front(input.front);
    let transform = plane.transform_to(&Plane::from_settings(input, settings));
    let mut clip = Clip { tracks: vec![JointTracks::default(); input.skeleton.len()], ..input.clip.clone() };
    let mut report = Report { pairs: input.pairs.len(), ..Report::default() };
    for (joint, &partner) in partners.iter().enumerate() {
        progress.step(joint, input.skeleton.len())?;
        let map = Map::new(input.skeleton, &plane, &transform, [partner, joint]);
        let twins = input.shapes.get(joint).map_or(&[][..], Vec::as_slice);
        let mut tracks = map.tracks(&input.clip.tracks[partner], &input.clip.tracks[joint]);
        let is_sided = twins.iter().enumerate().any(|(shape, &twin)| shape != twin);
        let moves = tracks.morphs.as_ref().is_some_and(|curve| curve.times.len() > 1);
        report.morphs += usize::from(moves && !is_sided);
        if let Some(curve) = tracks.morphs.as_mut().filter(|_| is_sided) {
            let from: Vec<Option<usize>> = twins.iter().copied().map(Some).collect();
            *curve = reordered(curve, twins.len(), &from);
        }
        clip.tracks[joint] = tracks;
    }
    measure_asymmetry(input, &plane, &partners, &mut report);
    Ok(Built { clip, report })
}

/// Returns `Err` if an angle or the offset is out of range.
fn check(settings: &Settings) -> Result<(), BuildError> {
    let bad = [settings.angle, settings.tilt].into_iter().find(|angle| !Settings::ANGLES.contains(angle));
    if let Some(value) = bad {
        return Err(BuildError::BadAngle { value });
    }
    if !Settings::OFFSETS.contains(&settings.offset) {
        return Err(BuildError::BadOffset { value: settings.offset });
    }
    Ok(())
}

/// Returns for each of as many `joints` its partner on the other side by `pairs`, or the joint itself if it has none.
fn partners(pairs: &[(usize, usize)], joints: usize) -> Vec<usize> {
    let mut partners: Vec<usize> = (0..joints).collect();
    for &(left, right) in pairs.iter().filter(|(left, right)| *left.max(right) < joints && left != right) {
        // A joint in two pairs keeps its first partner.
        if partners[left] == left && partners[right] == right {
            (partners[left], partners[right]) = (right, left);
        }
    }
    partners
}

/// A plane, given by its normal and its distance from the origin along the normal, in the file's unit.
#[derive(Debug)]
struct Plane {
    /// Unit vector.
    normal: DVec3,
    distance: f64,
}

impl Plane {
    /// Returns the plane through the origin between left and right of a character that faces `front`.
    fn from_front(front: Front) -> Self {
        Self { normal: DVec3::Y.cross(front.direction()), distance: 0.0 }
    }

    /// Returns the plane that `settings` define.
    fn from_settings(input: &Input, settings: &Settings) -> Self {
        let front = input.front.direction();
        let turn = DQuat::from_rotation_y(settings.angle.to_radians());
        let lean = DQuat::from_axis_angle(front, settings.tilt.to_radians());
        Self {
            normal: (turn * lean * Self::from_front(input.front).normal).normalize(),
            distance: settings.offset / input.metres_per_unit,
        }
    }

    /// Returns the mirror image of a point.
    fn point(&self, point: DVec3) -> DVec3 {
        self.direction(point) + 2.0 * self.distance * self.normal
    }

    /// Returns the mirror image of a direction or displacement.
    fn direction(&self, direction: DVec3) -> DVec3 {
        direction - 2.0 * self.normal * self.normal.dot(direction)
    }

    /// Returns the mirror image of a rotation: the axis is mirrored and the sense reversed. Linear in the four components.
    fn rotation(&self, rotation: DQuat) -> DQuat {
        let axis = -self.direction(rotation.xyz());
        DQuat::from_xyzw(axis.x, axis.y, axis.z, rotation.w)
    }

    /// Returns the mirror matrix for directions.
    fn matrix(&self) -> DMat3 {
        DMat3::from_cols(self.direction(DVec3::X), self.direction(DVec3::Y), self.direction(DVec3::Z))
    }

    /// Returns the transform from the mirror image at this plane to the image at `other`.
    fn transform_to(&self, other: &Self) -> RigidTransform {
        // A mirror is its own inverse, so mirroring again undoes the first image.
        let both = DAffine3::from_mat3_translation(other.matrix(), other.point(DVec3::ZERO))
            * DAffine3::from_mat3_translation(self.matrix(), self.point(DVec3::ZERO));
        let is_same = both.abs_diff_eq(DAffine3::IDENTITY, 1e-15);
        let turn = if is_same { DQuat::IDENTITY } else { DQuat::from_mat3(&both.matrix3).normalize() };
        RigidTransform { turn, translation: if is_same { DVec3::ZERO } else { both.translation } }
    }
}

/// A rotation about the origin followed by a translation. Lengths are in the file's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RigidTransform {
    turn: DQuat,
    translation: DVec3,
}

impl RigidTransform {
    const IDENTITY: Self = Self { turn: DQuat::IDENTITY, translation: DVec3::ZERO };
}

/// Maps local curves of one joint to those of its partner.
struct Map<'a> {
    plane: &'a Plane,
    /// Left and right factors of the rotation map.
    before: DQuat,
    after: DQuat,
    /// Matrix from offsets of the source joint to offsets of its partner.
    offset: DMat3,
    /// Additional transform for joints without a parent.
    transform: RigidTransform,
    /// Rest translations of the source joint and of its partner.
    rests: [Vec3; 2],
    /// Matrix from scales of the source joint to scales of its partner.
    scale: DMat3,
    /// Constant translation and rotation of a joint without source curves, if it needs curves.
    constant: Option<(Vec3, Quat)>,
}

impl<'a> Map<'a> {
    /// Returns the map from the curves of joint `from` to its partner `to`.
    fn new(skeleton: &Skeleton, plane: &'a Plane, transform: &RigidTransform, [from, to]: [usize; 2]) -> Self {
        let parent =
            |joint: usize| skeleton.joints[joint].parent.map(|parent| rest_at(skeleton, parent)).unwrap_or_default();
        let rest = |joint: usize| skeleton.joints[joint].rest;
        let [parent_from, parent_to] = [parent(from), parent(to)];
        let [turn_from, turn_to] = [turn_of(&parent_from), turn_of(&parent_to)];
        let [rest_from, rest_to] = [rest(from), rest(to)].map(|rest| rest.rotation.as_dquat());
        let transform = if skeleton.joints[to].parent.is_none() { *transform } else { RigidTransform::IDENTITY };
        let from_rest = rest_from.inverse() * turn_from.inverse();
        let offset = parent_to.matrix3.inverse() * plane.matrix() * parent_from.matrix3;
        let axes =
            DMat3::from_quat(turn_to * rest_to).transpose() * plane.matrix() * DMat3::from_quat(turn_from * rest_from);
        let constant = (transform != RigidTransform::IDENTITY).then(|| {
            let position = transform.turn * rest(to).translation.as_dvec3() + transform.translation;
            (position.as_vec3(), (transform.turn * rest_to).as_quat())
        });
        Self {
            plane,
            before: transform.turn * turn_to.inverse() * plane.rotation(turn_from),
            after: plane.rotation(from_rest) * turn_to * rest_to,
            offset: if offset.is_finite() { offset } else { plane.matrix() },
            transform,
            rests: [rest(from).translation, rest(to).translation],
            scale: DMat3::from_cols(squared(axes.x_axis), squared(axes.y_axis), squared(axes.z_axis)),
            constant,
        }
    }

    /// Returns the mirrored curves of a joint from the curves `from` of its partner. Its morph weights stay `own`.
    fn tracks(&self, from: &JointTracks, own: &JointTracks) -> JointTracks {
        let constant = self.constant;
        JointTracks {
            translation: from
                .translation
                .as_ref()
                .map(|curve| self.translation(curve))
                .or_else(|| Some(Curve::linear(vec![0.0], vec![constant?.0]))),
            rotation: from
                .rotation
                .as_ref()
                .map(|curve| map_rows(curve, 1, |_, _, value| self.rotation(value)))
                .or_else(|| Some(Curve::linear(vec![0.0], vec![constant?.1]))),
            scale: from
                .scale
                .as_ref()
                .map(|curve| map_rows(curve, 1, |_, _, value| (self.scale * value.as_dvec3()).as_vec3())),
            morphs: own.morphs.clone(),
            ..JointTracks::default()
        }
    }

    /// Maps a rotation key: `before · m(value) · after`, with m the mirror image of a rotation.
    fn rotation(&self, value: Quat) -> Quat {
        (self.before * self.plane.rotation(value.as_dquat()) * self.after).as_quat()
    }

    /// Returns the translation `curve` mapped: offsets from the rest of `from` become offsets from the rest of `to`.
    fn translation(&self, curve: &Curve<Vec3>) -> Curve<Vec3> {
        let [from, to] = self.rests.map(|rest| rest.as_dvec3());
        map_rows(curve, 1, |_, is_tangent, value| {
            let (value, RigidTransform { turn, translation }) = (value.as_dvec3(), self.transform);
            let moved = if is_tangent {
                turn * (self.offset * value)
            } else {
                turn * (to + self.offset * (value - from)) + translation
            };
            moved.as_vec3()
        })
    }
}

/// Returns the componentwise square.
fn squared(column: DVec3) -> DVec3 {
    column * column
}

/// Sets the asymmetry in `report`: the largest distance of a joint at rest from the mirror image of its partner, with `plane`
/// moved to the middle of the body.
fn measure_asymmetry(input: &Input, plane: &Plane, partners: &[usize], report: &mut Report) {
    // Fraction of the rig size below which both sides count as mirror images. Tuned; no derivation recorded.
    const SYMMETRIC_RIG_FRACTION: f64 = 1e-3;
    let rest_position = |joint: usize| rest_at(input.skeleton, joint).translation;
    let paired: Vec<usize> = (0..partners.len()).filter(|&joint| partners[joint] != joint).collect();
    let middle = paired.iter().map(|&joint| rest_position(joint)).sum::<DVec3>() / paired.len().max(1) as f64;
    let size = rig_size(input.skeleton).max(f64::MIN_POSITIVE);
    let asymmetry_of = |&joint: &usize| {
        (plane.direction(rest_position(partners[joint]) - middle) + middle).distance(rest_position(joint)) / size
    };
    let worst = paired.iter().map(|joint| (asymmetry_of(joint), *joint)).max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((asymmetry, joint)) = worst {
        report.asymmetry = asymmetry;
        report.asymmetric = (asymmetry > SYMMETRIC_RIG_FRACTION).then(|| input.skeleton.joints[joint].name.clone());
    }
}

#[cfg(test)]
mod tests;
