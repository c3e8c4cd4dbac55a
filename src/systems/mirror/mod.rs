//! A motion with left and right changed.
//!
//! With G the turn of a joint at rest seen from the world, a pose turns it by Δ = G(t)·G⁻¹ while its parents rest. Its partner on the
//! other side turns by the mirror image of Δ from its own rest. Seen from the axes of both this is l ↦ A·m(l)·B with A and B
//! constant and m linear in the four numbers of a quaternion; offsets from rest go by a constant matrix. So every key keeps its
//! time, splines keep their tangents, and between keys the mirrored curves are the mirror image of the curves.
//!
//! Where both sides rest as mirror images of each other, the result is the mirror image of the motion; what they differ by is
//! measured. Blend shapes change places where their names tell sides (`smile_L`, `eyeBlinkRight`), else stay as they are.

mod error;
mod settings;

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::anim::root_motion::{rest_at, rig_size, turn_of};
use crate::anim::shape_names::reordered;
use crate::anim::{Clip, Curve, Front, Interpolation, JointTracks, Skeleton};
use crate::progress::Progress;
pub use error::BuildError;
pub use settings::Settings;

/// What is mirrored.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The skeleton that the clip was made for.
    pub skeleton: &'a Skeleton,
    /// The incoming motion; never changed.
    pub clip: &'a Clip,
    /// Left joint and right joint of the same name; joints without a partner are their own.
    pub pairs: &'a [(usize, usize)],
    /// Where the character looks at rest.
    pub front: Front,
    /// For each joint which of its blend shapes each of them changes places with, itself where it has no twin; joints whose shapes have
    /// no names have none.
    pub shapes: &'a [Vec<usize>],
}

/// What was mirrored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Pairs of joints that changed places.
    pub pairs: usize,
    /// How far a joint at rest is from the mirror image of its partner, at most, as a share of the body's size.
    pub asymmetry: f64,
    /// That joint, by name; none where both sides are mirror images.
    pub asymmetric: Option<String>,
    /// Joints whose blend shapes move and were left as they are: their names tell no sides.
    pub morphs: usize,
}

/// The mirrored motion and its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The motion, with the times of all its keys.
    pub clip: Clip,
    /// Numbers for panels and reports.
    pub report: Report,
}

/// Mirrors `input` as `settings` say.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    input.clip.check_fits(input.skeleton)?;
    if !(-180.0..=180.0).contains(&settings.angle) {
        return Err(BuildError::BadAngle { value: settings.angle });
    }
    let partners = partners(input)?;
    let plane = Plane::from_front(input.front);
    // Mirroring over a turned plane is mirroring and then turning by twice its angle.
    let turn = DQuat::from_rotation_y(2.0 * settings.angle.to_radians());
    let mut clip = Clip { tracks: vec![JointTracks::default(); input.skeleton.len()], ..input.clip.clone() };
    let mut report = Report { pairs: input.pairs.len(), ..Report::default() };
    for (joint, &partner) in partners.iter().enumerate() {
        progress.step(joint, input.skeleton.len())?;
        let map = Map::new(input.skeleton, &plane, turn, [partner, joint]);
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
    measure(input, &plane, &partners, &mut report);
    Ok(Built { clip, report })
}

/// The joint on the other side of each, else itself.
fn partners(input: &Input) -> Result<Vec<usize>, BuildError> {
    let joints = input.skeleton.len();
    let mut partners: Vec<usize> = (0..joints).collect();
    for &(left, right) in input.pairs.iter().filter(|(left, right)| *left.max(right) < joints && left != right) {
        // A joint in two pairs keeps its first partner.
        if partners[left] == left && partners[right] == right {
            (partners[left], partners[right]) = (right, left);
        }
    }
    let changes = partners.iter().enumerate().any(|(joint, &partner)| joint != partner);
    if changes { Ok(partners) } else { Err(BuildError::NoPairs) }
}

/// A plane through the origin that holds +Y, by its normal.
struct Plane {
    normal: DVec3,
}

impl Plane {
    fn from_front(front: Front) -> Self {
        Self { normal: DVec3::Y.cross(front.direction()) }
    }

    fn point(&self, point: DVec3) -> DVec3 {
        point - 2.0 * self.normal * self.normal.dot(point)
    }

    /// The mirror image of a turn: its axis is mirrored and its sense reversed. Linear in the four numbers.
    fn turn(&self, turn: DQuat) -> DQuat {
        let axis = -self.point(turn.xyz());
        DQuat::from_xyzw(axis.x, axis.y, axis.z, turn.w)
    }

    fn matrix(&self) -> DMat3 {
        DMat3::from_cols(self.point(DVec3::X), self.point(DVec3::Y), self.point(DVec3::Z))
    }
}

/// How curves of one joint become those of its partner.
struct Map<'a> {
    plane: &'a Plane,
    before: DQuat,
    after: DQuat,
    offset: DMat3,
    /// Turns what has no parent.
    carried: DQuat,
    rests: [Vec3; 2],
    scale: DMat3,
    /// Whether a curve is needed although the source has none, with what it holds.
    held: Option<(Vec3, Quat)>,
}

impl<'a> Map<'a> {
    fn new(skeleton: &Skeleton, plane: &'a Plane, turn: DQuat, [from, to]: [usize; 2]) -> Self {
        let parent =
            |joint: usize| skeleton.joints[joint].parent.map(|parent| rest_at(skeleton, parent)).unwrap_or_default();
        let rest = |joint: usize| skeleton.joints[joint].rest;
        let [above_from, above_to] = [parent(from), parent(to)];
        let [turn_from, turn_to] = [turn_of(&above_from), turn_of(&above_to)];
        let [rest_from, rest_to] = [rest(from), rest(to)].map(|rest| rest.rotation.as_dquat());
        let carried = if skeleton.joints[to].parent.is_none() { turn } else { DQuat::IDENTITY };
        let from_rest = rest_from.inverse() * turn_from.inverse();
        let offset = above_to.matrix3.inverse() * plane.matrix() * above_from.matrix3;
        let axes =
            DMat3::from_quat(turn_to * rest_to).transpose() * plane.matrix() * DMat3::from_quat(turn_from * rest_from);
        let held = (carried != DQuat::IDENTITY)
            .then(|| ((carried * rest(to).translation.as_dvec3()).as_vec3(), (carried * rest_to).as_quat()));
        Self {
            plane,
            before: carried * turn_to.inverse() * plane.turn(turn_from),
            after: plane.turn(from_rest) * turn_to * rest_to,
            offset: if offset.is_finite() { offset } else { plane.matrix() },
            carried,
            rests: [rest(from).translation, rest(to).translation],
            scale: DMat3::from_cols(squared(axes.x_axis), squared(axes.y_axis), squared(axes.z_axis)),
            held,
        }
    }

    /// The curves of the partner `from`; morph weights stay those of the joint's `own` mesh.
    fn tracks(&self, from: &JointTracks, own: &JointTracks) -> JointTracks {
        let held = self.held;
        JointTracks {
            translation: from
                .translation
                .as_ref()
                .map(|curve| self.translation(curve))
                .or_else(|| Some(still(held?.0))),
            rotation: from
                .rotation
                .as_ref()
                .map(|curve| each(curve, |_, value| self.rotation(value)))
                .or_else(|| Some(still(held?.1))),
            scale: from.scale.as_ref().map(|curve| each(curve, |_, value| (self.scale * value.as_dvec3()).as_vec3())),
            morphs: own.morphs.clone(),
            ..JointTracks::default()
        }
    }

    fn rotation(&self, value: Quat) -> Quat {
        (self.before * self.plane.turn(value.as_dquat()) * self.after).as_quat()
    }

    fn translation(&self, curve: &Curve<Vec3>) -> Curve<Vec3> {
        let [from, to] = self.rests.map(|rest| rest.as_dvec3());
        each(curve, |is_tangent, value| {
            let value = value.as_dvec3();
            let moved = if is_tangent { self.offset * value } else { to + self.offset * (value - from) };
            (self.carried * moved).as_vec3()
        })
    }
}

/// `curve` with each value and tangent changed.
fn each<T: Copy>(curve: &Curve<T>, change: impl Fn(bool, T) -> T) -> Curve<T> {
    let is_spline = curve.interpolation == Interpolation::CubicSpline;
    let changed = |(i, &value): (usize, &T)| change(is_spline && i % 3 != 1, value);
    Curve { values: curve.values.iter().enumerate().map(changed).collect(), ..curve.clone() }
}

fn still<T>(value: T) -> Curve<T> {
    Curve { interpolation: Interpolation::Linear, times: vec![0.0], values: vec![value] }
}

fn squared(column: DVec3) -> DVec3 {
    column * column
}

/// How far both sides are from mirror images at rest, where the middle of the body is the plane.
fn measure(input: &Input, plane: &Plane, partners: &[usize], report: &mut Report) {
    // Below this share of the body sides are as good as mirrored.
    const ALIKE: f64 = 1e-3;
    let place = |joint: usize| rest_at(input.skeleton, joint).translation;
    let paired: Vec<usize> = (0..partners.len()).filter(|&joint| partners[joint] != joint).collect();
    let middle = paired.iter().map(|&joint| place(joint)).sum::<DVec3>() / paired.len().max(1) as f64;
    let size = rig_size(input.skeleton).max(f64::MIN_POSITIVE);
    let away = |&joint: &usize| (plane.point(place(partners[joint]) - middle) + middle).distance(place(joint)) / size;
    let worst = paired.iter().map(|joint| (away(joint), *joint)).max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((asymmetry, joint)) = worst {
        report.asymmetry = asymmetry;
        report.asymmetric = (asymmetry > ALIKE).then(|| input.skeleton.joints[joint].name.clone());
    }
}

#[cfg(test)]
mod tests;
