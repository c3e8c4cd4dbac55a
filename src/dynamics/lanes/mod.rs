//! The step of [`mod@super::stepping::step`] for four bones in parallel lanes. Each lane has the same bits as the step of one bone.
//!
//! Closures contain no lane arithmetic: they would not be compiled for wide vectors.
//!
//! Contact, angle limits and large rotations are computed lane by lane. A bone that is too short to have a direction, or
//! that its parent shears, is stepped without lanes.

mod four_bones;
mod four_joints;

use super::chains::bone::{Bone, Tip};
use super::chains::bone_group::BoneGroup;
use super::chains::bone_pose::BonePose;
use super::chains::rig::DynamicsRig;
use super::chains::state::State;
use super::collide::broadphase::FourBounds;
use super::collide::contact::{Contact, Resolved};
use super::settings::{AngleLimit, LengthCorrection};
use super::stepping::bone_step::{BoneProposal, BoneStep, resolve_shown, show_alone, swing_direction};
use super::stepping::step_factors::Follow;
use super::stepping::world_transform::WorldTransform;
use portamento_anim::Pose;
use portamento_anim::math::four::{FOUR, Four, FourVectors, Mask};
use portamento_anim::math::lanes::{LaneKernel, Vectors};

use four_bones::{FourBones, renormalizing_factor, slerp_directions};
use four_joints::{FourLocals, FourParents};

/// One step of all bones of a rig.
pub(super) struct StepLanes<'a> {
    pub rig: &'a DynamicsRig,
    pub state: &'a mut State,
    pub pose: &'a Pose,
    pub step: BoneStep<'a>,
}

impl LaneKernel for StepLanes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(mut self, vectors: V) {
        let rig = self.rig;
        for group in &rig.groups {
            self.step_group(vectors, group);
        }
    }
}

/// New directions and contacts of four bones, simulated or shown.
#[derive(Clone, Copy)]
struct FourDirections<V: Vectors> {
    /// Animated bones that were rotated.
    animated: FourBones<V>,
    direction: FourVectors<V>,
    contacts: [Contact; FOUR],
}

/// Four bones and the directions that they would take without contact.
struct FourProposals<'a, V: Vectors> {
    animated: &'a FourBones<V>,
    /// Directions before the step.
    before: FourVectors<V>,
    /// Directions without limits and colliders.
    wanted: FourVectors<V>,
}

impl StepLanes<'_> {
    /// Simulates the bones of `group` and shows them. Their parents must be stepped before them.
    #[inline(always)]
    fn step_group<V: Vectors>(&mut self, vectors: V, group: &BoneGroup) {
        let bones = group.bones.map(|index| &self.rig.bones[index]);
        let locals = FourLocals::load(vectors, bones, self.pose);
        let tip = self.tips(vectors, group);
        let simulated = self.simulate_group(vectors, group, &locals, tip);
        let is_sound = self.write_simulated(vectors, group, &simulated, tip);
        if let Some(follow) = self.step.factors.follow {
            let shown = self.show_group(vectors, group, &locals, simulated.direction, follow);
            self.write_shown(vectors, group, &shown, is_sound, follow);
        }
    }

    /// Writes the simulated bones, whose tips were at `tip`, and shows them if nothing smooths the shown bones. Returns
    /// the lanes with valid values; the others are simulated without lanes.
    #[inline(always)]
    fn write_simulated<V: Vectors>(
        &mut self,
        vectors: V,
        group: &BoneGroup,
        result: &FourDirections<V>,
        tip: FourVectors<V>,
    ) -> Mask<V> {
        let mut axis = FourVectors::from_fn(vectors, |lane| self.state.axes[group.bones[lane]]);
        let tip = tip.store();
        let placed = result.animated.rotated(vectors, result.direction, &mut axis).store();
        let (axis, buffered) = (axis.store(), result.animated.seen_from_joint(result.direction).store());
        let is_shown = self.step.factors.follow.is_none();
        let (all, is_sound) = self.soundness(result.animated.is_sound);
        for (lane, &index) in group.bones.iter().enumerate().take(group.count) {
            if !all && !is_sound[lane] {
                self.step.simulate_alone(self.rig, self.state, self.pose, index);
                continue;
            }
            let state = &mut *self.state;
            state.previous_tips[index] = tip[lane];
            state.bones[index] = placed[lane];
            state.axes[index] = axis[lane];
            if is_shown {
                state.shown[index] = placed[lane];
                state.buffered[index] = buffered[lane];
                state.contacts[index] = result.contacts[lane];
            }
        }
        result.animated.is_sound
    }

    /// Writes the shown bones. `simulated` are the lanes whose simulated bones are valid; the others are shown without
    /// lanes.
    #[inline(always)]
    fn write_shown<V: Vectors>(
        &mut self,
        vectors: V,
        group: &BoneGroup,
        result: &FourDirections<V>,
        simulated: Mask<V>,
        follow: Follow,
    ) {
        let mut axis = FourVectors::from_fn(vectors, |lane| self.state.axes[group.bones[lane]]);
        let placed = result.animated.rotated(vectors, result.direction, &mut axis).store();
        let (axis, buffered) = (axis.store(), result.animated.seen_from_joint(result.direction).store());
        let (all, is_sound) = self.soundness(simulated.and(result.animated.is_sound));
        for (lane, &index) in group.bones.iter().enumerate().take(group.count) {
            if !all && !is_sound[lane] {
                show_alone(self.rig, self.state, self.pose, index, follow);
                continue;
            }
            let state = &mut *self.state;
            state.shown[index] = placed[lane];
            state.buffered[index] = buffered[lane];
            state.contacts[index] = result.contacts[lane];
            state.axes[index] = axis[lane];
        }
    }

    /// Returns true if all lanes are valid, and the validity of each lane.
    #[inline(always)]
    fn soundness<V: Vectors>(&self, is_sound: Mask<V>) -> (bool, [bool; FOUR]) {
        #[cfg(test)]
        if self.state.one_by_one {
            return (false, [false; FOUR]);
        }
        (is_sound.all(), is_sound.store())
    }

    /// Returns the tips of a group's simulated bones, metres.
    #[inline(always)]
    fn tips<V: Vectors>(&self, vectors: V, group: &BoneGroup) -> FourVectors<V> {
        let bones = group.bones.map(|index| &self.state.bones[index]);
        let position = FourVectors::from_fn(vectors, |lane| bones[lane].joint.position);
        let direction = FourVectors::from_fn(vectors, |lane| bones[lane].direction);
        position + direction * Four::from_fn(vectors, |lane| bones[lane].length)
    }

    /// Returns the joints that the bones of a group hang on, given the transforms of all bones in `parents`.
    #[inline(always)]
    fn parent_joint<V: Vectors>(&self, vectors: V, group: &BoneGroup, parents: &[BonePose]) -> FourParents<V> {
        let (rig, bones) = (self.rig, group.bones.map(|index| &self.rig.bones[index]));
        let world = WorldTransform::world(rig.metres_per_unit);
        let [a, b, c, d] = bones;
        let parent_joints = [
            self.state.parent_joint(rig, a, parents, &world),
            self.state.parent_joint(rig, b, parents, &world),
            self.state.parent_joint(rig, c, parents, &world),
            self.state.parent_joint(rig, d, parents, &world),
        ];
        let (Some(a), Some(b), Some(c), Some(d)) = (a.parent, b.parent, c.parent, d.parent) else {
            return FourParents::load(vectors, parent_joints, None);
        };
        let indices = [a, b, c, d];
        let continues = |lane: usize| rig.bones[indices[lane]].tip == Tip::Joint(bones[lane].joint);
        let parents = std::array::from_fn(|lane| (&parents[indices[lane]], continues(lane)));
        FourParents::load(vectors, parent_joints, Some(parents))
    }

    /// Returns the simulated directions of a group, whose tips are at `tip`, after the step.
    #[inline(always)]
    fn simulate_group<V: Vectors>(
        &mut self,
        vectors: V,
        group: &BoneGroup,
        locals: &FourLocals<V>,
        tip: FourVectors<V>,
    ) -> FourDirections<V> {
        let (rig, factors) = (self.rig, self.step.factors);
        let bones = group.bones.map(|index| &rig.bones[index]);
        let parent_joints = self.parent_joint(vectors, group, &self.state.bones);
        let animated = FourBones::new(&parent_joints, locals, rig.min_bone_length());
        let before = FourVectors::from_fn(vectors, |lane| self.state.bones[group.bones[lane]].direction);
        let previous = FourVectors::from_fn(vectors, |lane| self.state.previous_tips[group.bones[lane]]);
        let gravity = FourVectors::splat(vectors, rig.gravity) * Four::from_fn(vectors, |lane| bones[lane].gravity);
        let across = gravity - before * gravity.dot(before);
        let wind = FourVectors::from_fn(vectors, |lane| self.step.forces[bones[lane].chain].wind);
        let stiffness = Four::from_fn(vectors, |lane| bones[lane].stiffness);
        let acceleration = across + wind + animated.direction * stiffness;
        let retained = Four::from_fn(vectors, |lane| factors.retained_speed[group.bones[lane]]) * factors.inertia;
        let wanted = tip + (tip - previous) * retained + acceleration * Four::splat(vectors, factors.h_squared);
        let published = Mask::from_fn(vectors, |lane| bones[lane].length_correction == LengthCorrection::AsPublished);
        let offset = (wanted - animated.joint.position) / animated.length;
        let direction = swing_directions(vectors, published, before, offset);
        let displacement = animated.joint.position + direction * animated.length - tip;
        let clear = self.clear_bones(vectors, bones, &animated, direction, Some(displacement));
        let moves = |lane: usize| self.step.forces[bones[lane].chain].center_motion.is_none();
        let clear = clear.and(Mask::from_fn(vectors, moves));
        let mut resolved = (direction, [Contact::default(); FOUR]);
        if !clear.all() {
            let proposals = FourProposals { animated: &animated, before, wanted: direction };
            let (step, tip) = (self.step, tip.store());
            resolved = self.resolve_lanes(vectors, group, &proposals, clear, |state, lane, proposal| {
                step.resolve_simulated(rig, state, group.bones[lane], proposal, tip[lane])
            });
        }
        let (direction, contacts) = resolved;
        FourDirections { animated, direction, contacts }
    }

    /// Returns the shown directions of a group whose simulated directions are `simulated`.
    #[inline(always)]
    fn show_group<V: Vectors>(
        &mut self,
        vectors: V,
        group: &BoneGroup,
        locals: &FourLocals<V>,
        simulated: FourVectors<V>,
        follow: Follow,
    ) -> FourDirections<V> {
        let (rig, bones) = (self.rig, group.bones.map(|index| &self.rig.bones[index]));
        let parent_joints = self.parent_joint(vectors, group, &self.state.shown);
        let animated = FourBones::new(&parent_joints, locals, rig.min_bone_length());
        let before = FourVectors::from_fn(vectors, |lane| self.state.shown[group.bones[lane]].direction);
        let buffered = FourVectors::from_fn(vectors, |lane| self.state.buffered[group.bones[lane]]);
        let carried = animated.joint.rotation.rotate(buffered);
        let mut direction = slerp_directions(vectors, carried, simulated, follow.buffer);
        if follow.smoothing < 1.0 {
            direction = slerp_directions(vectors, before, direction, follow.smoothing);
        }
        let clear = self.clear_bones(vectors, bones, &animated, direction, None);
        let mut resolved = (direction, [Contact::default(); FOUR]);
        if !clear.all() {
            let proposals = FourProposals { animated: &animated, before, wanted: direction };
            resolved = self.resolve_lanes(vectors, group, &proposals, clear, |state, lane, proposal| {
                resolve_shown(rig, state, group.bones[lane], proposal)
            });
        }
        let (direction, contacts) = resolved;
        FourDirections { animated, direction, contacts }
    }

    /// Returns the directions and contacts of a group. Lanes that are not `clear` are resolved by `resolve_lane` one at a time.
    #[inline(never)]
    fn resolve_lanes<V: Vectors>(
        &mut self,
        vectors: V,
        group: &BoneGroup,
        proposals: &FourProposals<V>,
        clear: Mask<V>,
        resolve_lane: impl Fn(&mut State, usize, &BoneProposal) -> Resolved,
    ) -> (FourVectors<V>, [Contact; FOUR]) {
        let FourProposals { animated, before, wanted } = proposals;
        let (mut directions, mut contacts) = (wanted.store(), [Contact::default(); FOUR]);
        let (clear, is_sound, before) = (clear.store(), animated.is_sound.store(), before.store());
        for lane in (0..group.count).filter(|&lane| !clear[lane] && is_sound[lane]) {
            let animated_bone = animated.animated_bone(self.rig, &self.rig.bones[group.bones[lane]], lane);
            let proposal = BoneProposal { animated: &animated_bone, before: before[lane], along: directions[lane] };
            let Resolved { direction, contact } = resolve_lane(self.state, lane, &proposal);
            (directions[lane], contacts[lane]) = (direction, contact);
        }
        (FourVectors::from_fn(vectors, |lane| directions[lane]), contacts)
    }

    /// Returns the lanes without angle limit that certainly touch nothing. Their bones point along `direction`, and their
    /// tips moved by `displacement`.
    #[inline(always)]
    fn clear_bones<V: Vectors>(
        &self,
        vectors: V,
        bones: [&Bone; FOUR],
        animated: &FourBones<V>,
        direction: FourVectors<V>,
        displacement: Option<FourVectors<V>>,
    ) -> Mask<V> {
        let radius = Four::from_fn(vectors, |lane| bones[lane].radius);
        let free = Mask::from_fn(vectors, |lane| bones[lane].limit == AngleLimit::Free);
        let tip = animated.joint.position + direction * animated.length;
        // The bounding ball of a bone's full length is centred at its start.
        let (point, reach) =
            if self.rig.segment_contact { (animated.joint.position, animated.length + radius) } else { (tip, radius) };
        self.state.broadphase.are_clear(FourBounds { point, reach, displacement }, free)
    }
}

/// Returns [`swing_direction`] per lane, `published` being the lanes that are corrected as published.
#[inline(always)]
fn swing_directions<V: Vectors>(
    vectors: V,
    published: Mask<V>,
    before: FourVectors<V>,
    offset: FourVectors<V>,
) -> FourVectors<V> {
    let squared = offset.length_squared();
    let (zero, one) = (squared.like(0.0), squared.like(1.0));
    let has_length =
        squared.like(f64::MIN_POSITIVE).is_below(squared).and(squared.is_below(squared.like(f64::INFINITY)));
    let normalized = offset * squared.sqrt().recip();
    if published.and(has_length).all() {
        return normalized;
    }
    let along = offset.dot(before);
    let across = offset - before * along;
    let sine_squared = across.length_squared();
    let direction = before * (one - sine_squared).sqrt() + across;
    let direction = direction * renormalizing_factor(direction.length_squared());
    let direction = published.select_vector(normalized, direction);
    // Below 1 in the lanes that are done.
    let is_near = published.select(has_length.select(zero, one), sine_squared).is_below(one);
    if is_near.all() { direction } else { with_far(vectors, direction, is_near, published, [before, offset]) }
}

/// Returns `direction` with [`swing_direction`] in the lanes that are not `is_near`.
#[cold]
#[inline(never)]
fn with_far<V: Vectors>(
    vectors: V,
    direction: FourVectors<V>,
    is_near: Mask<V>,
    published: Mask<V>,
    [before, offset]: [FourVectors<V>; 2],
) -> FourVectors<V> {
    let [direction, before, offset] = [direction, before, offset].map(FourVectors::store);
    let (is_near, published) = (is_near.store(), published.store());
    FourVectors::from_fn(vectors, |lane| {
        let correction = if published[lane] { LengthCorrection::AsPublished } else { LengthCorrection::EnergyKeeping };
        if is_near[lane] { direction[lane] } else { swing_direction(correction, before[lane], offset[lane]) }
    })
}
