//! Moves characters onto the ground whose file has its origin at the hips, at the chest, next to the body or below the ground.

use glam::{DVec3, Vec3};

use portamento_anim::foot_place::sole;
use portamento_anim::foot_shape::{SolePart, lowest, soles};
use portamento_anim::root_motion::{frame_times, rig_size};
use portamento_anim::{Clip, Curve, Interpolation, Leg, Model, Pose, Roles, Skeleton};
use portamento_base::message::{Message, message};

/// Largest distance of the feet from height 0 that counts as standing on 0, as a fraction of the rig's size. The soles of usual
/// files are within 0.04.
const ON_GROUND_MAX_RATIO: f64 = 0.05;
/// Largest horizontal distance of the origin from the box around the hip joints at rest, as a fraction of the rig's size.
/// The origin of usual files is within 0.1.
const OFF_LEGS_MAX_RATIO: f64 = 0.2;
/// Largest distance of a root joint from the box around hip joints and feet at rest, as a fraction of the rig's size, for a
/// root below the body. Chosen.
const BELOW_BODY_MAX_RATIO: f64 = 0.1;
/// Largest horizontal distance of a root joint below the body from the origin, as a fraction of the rig's size. Chosen;
/// that of usual files is at the origin.
const ROOT_AT_ORIGIN_MAX_RATIO: f64 = 0.03;
/// Maximum number of examined clips, and samples per second.
const MAX_CLIPS: usize = 32;
const SAMPLE_RATE: f64 = 10.0;

/// A character that was moved onto the origin.
pub(super) struct OnOrigin {
    pub skeleton: Skeleton,
    pub clips: Vec<Clip>,
    /// The movement of its clips, world units.
    pub shift: DVec3,
}

impl OnOrigin {
    /// Moves the skeleton of `model` and `clips` so that the feet are at height 0 around the origin; `None` if they are
    /// there already. `None` too without usable legs or clips.
    pub fn find(model: &Model, roles: &Roles, clips: &[Clip]) -> Option<Self> {
        let skeleton = &model.skeleton;
        let feet = Feet { skeleton, roles, soles: soles(model, &roles.legs), size: rig_size(skeleton) };
        let sideways = feet.shift_to_root().unwrap_or_else(|| feet.shift_to_legs());
        let shift = feet.in_clips(clips)? + sideways;
        let rest_shift = feet.at_rest()? + sideways;
        if shift == DVec3::ZERO && rest_shift == DVec3::ZERO {
            return None;
        }
        let mut moved = Self { skeleton: skeleton.clone(), clips: clips.to_vec(), shift };
        for root in feet.roots() {
            let rest = skeleton.joints[root].rest.translation;
            moved.skeleton.joints[root].rest.translation += rest_shift.as_vec3();
            for tracks in moved.clips.iter_mut().filter_map(|clip| clip.tracks.get_mut(root)) {
                let curve = tracks.translation.get_or_insert_with(|| Curve::linear(vec![0.0], vec![rest]));
                move_keys(curve, shift.as_vec3());
            }
        }
        Some(moved)
    }

    /// Returns the warning that the walk moves the character onto the origin, with the distances in metres.
    /// `metres_per_unit` is that of the character.
    pub fn message(&self, metres_per_unit: f64) -> Message {
        let metres = |length: f64| format!("{:.2}", length * metres_per_unit);
        message!(
            "warning.walk.moved_to_origin",
            "In the file, the feet are not at the origin. The walk moves the character up by %{up} m and sideways by %{side} m, so \
             that it stands on the ground.",
            up = metres(self.shift.y),
            side = metres(self.shift.with_y(0.0).length())
        )
    }
}

/// Adds `shift` to every key; tangents stay.
fn move_keys(curve: &mut Curve<Vec3>, shift: Vec3) {
    let is_spline = curve.interpolation == Interpolation::CubicSpline;
    let values = curve.values.iter_mut().enumerate().filter(|(i, _)| !is_spline || i % 3 == 1);
    values.for_each(|(_, value)| *value += shift);
}

/// The feet of a character.
struct Feet<'a> {
    skeleton: &'a Skeleton,
    roles: &'a Roles,
    soles: Vec<Vec<SolePart>>,
    /// The size of the rig, in the unit of its joints.
    size: f64,
}

impl Feet<'_> {
    /// Returns the roots of the joints that belong to the body. Other roots, such as those of props, stay.
    fn roots(&self) -> Vec<usize> {
        let feet = self.roles.legs.iter().flat_map(|leg| [leg.thigh, leg.foot]);
        let joints =
            self.roles.body(self.skeleton).into_iter().chain(feet).filter(|&joint| joint < self.skeleton.len());
        let mut roots: Vec<usize> = joints.filter_map(|joint| self.skeleton.ancestors(joint).last()).collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// Returns the height of the lowest foot in `pose`: of its mesh, or of its last joint without one. In world units.
    /// `None` without usable legs.
    fn lowest(&self, pose: &Pose) -> Option<f64> {
        let legs = self.roles.legs.iter().enumerate().filter(|(_, leg)| leg.is_bendable(self.skeleton));
        let height = |(index, leg): (usize, &Leg)| {
            let mesh = self.soles.get(index).and_then(|parts: &Vec<SolePart>| lowest(self.skeleton, parts, pose));
            mesh.unwrap_or_else(|| sole(self.skeleton, leg, pose).y)
        };
        legs.map(height).filter(|height| height.is_finite()).min_by(f64::total_cmp)
    }

    /// Returns the upward shift that puts feet at `height` on 0; zero for a small one.
    fn up(&self, height: f64) -> DVec3 {
        if height.abs() <= ON_GROUND_MAX_RATIO * self.size { DVec3::ZERO } else { DVec3::Y * -height }
    }

    /// Returns the upward shift of `clips`, by the median of their lowest feet. It is zero if one of them stands on height 0,
    /// because in others the character may fly or fall. `None` if no height can be measured. At most [`MAX_CLIPS`] are
    /// examined.
    fn in_clips(&self, clips: &[Clip]) -> Option<DVec3> {
        let of_clip = |clip: &Clip| {
            let times = frame_times(clip, [], SAMPLE_RATE);
            let heights = times.iter().filter_map(|&time| self.lowest(&clip.pose_at(self.skeleton, time)));
            heights.min_by(f64::total_cmp)
        };
        let mut heights: Vec<f64> = clips.iter().take(MAX_CLIPS).filter_map(of_clip).collect();
        heights.sort_by(f64::total_cmp);
        let median = *heights.get(heights.len() / 2)?;
        let is_on_ground = heights.iter().any(|&height| self.up(height) == DVec3::ZERO);
        Some(if is_on_ground { DVec3::ZERO } else { self.up(median) })
    }

    /// Returns the upward shift of the rest pose. `None` without usable legs.
    fn at_rest(&self) -> Option<DVec3> {
        self.lowest(&Pose::rest(self.skeleton)).map(|height| self.up(height))
    }

    /// Returns the horizontal shift that puts the root joint of a resting body at the origin; zero if it is near it.
    /// Returns `None` if the body has several roots, if the hips are its root, or if the root is not below the body.
    fn shift_to_root(&self) -> Option<DVec3> {
        let [root] = self.roots()[..] else { return None };
        let rest = Pose::rest(self.skeleton);
        let at = |joint: usize| rest.world_from_joint(self.skeleton, joint).translation.with_y(0.0);
        let legs = self.roles.legs.iter().filter(|leg| leg.is_bendable(self.skeleton));
        let points: Vec<DVec3> = legs.flat_map(|leg| [leg.thigh, leg.foot]).map(at).collect();
        let low = points.iter().copied().reduce(DVec3::min)?;
        let high = points.iter().copied().reduce(DVec3::max)?;
        let position = Some(at(root)).filter(|_| self.roles.hips != Some(root))?;
        let outside = position.distance(position.clamp(low, high));
        let is_below_body = outside.is_finite() && outside <= BELOW_BODY_MAX_RATIO * self.size;
        let is_off = position.length() > ROOT_AT_ORIGIN_MAX_RATIO * self.size;
        is_below_body.then_some(if is_off { -position } else { DVec3::ZERO })
    }

    /// Returns the horizontal shift that puts the origin between the hip joints of the resting body; zero if it is near them.
    fn shift_to_legs(&self) -> DVec3 {
        let rest = Pose::rest(self.skeleton);
        let legs = self.roles.legs.iter().filter(|leg| leg.is_bendable(self.skeleton));
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for hip in legs.map(|leg| rest.world_from_joint(self.skeleton, leg.thigh).translation) {
            (low, high) = (low.min(hip), high.max(hip));
        }
        let outside = DVec3::ZERO.clamp(low.min(high), high.max(low)).with_y(0.0).length();
        let is_far = outside.is_finite() && outside > OFF_LEGS_MAX_RATIO * self.size;
        if is_far { -(low.midpoint(high)).with_y(0.0) } else { DVec3::ZERO }
    }
}
