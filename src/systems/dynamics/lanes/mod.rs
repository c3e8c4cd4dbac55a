//! The step of [`mod@super::step`] for four bones side by side, each lane with the bits of one bone alone.
//!
//! No closure holds arithmetic of lanes: it would not be compiled for wide vectors.
//!
//! Lanes leave the common way where they must: contact, angle limits and large turns are computed lane by lane, and a bone that is too
//! short to have a direction, or that its parent shears, is stepped by itself.

mod four_bones;
mod four_joints;

use super::bone::{Bone, Tip};
use super::bone_group::BoneGroup;
use super::bone_pose::BonePose;
use super::bone_step::{BoneStep, Settling, settled_as_shown, show_alone, swung};
use super::broadphase::FourWays;
use super::contact::{Contact, Resolved};
use super::rig::DynamicsRig;
use super::settings::AngleLimit;
use super::state::State;
use super::step_factors::Follow;
use super::world_transform::WorldTransform;
use crate::anim::Pose;
use crate::math::four::{FOUR, Four, FourVectors, Mask};
use crate::math::lanes::{LaneKernel, Vectors};

use four_bones::{FourBones, polish, slerp_directions};
use four_joints::{FourAbove, FourLocals};

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

/// How four bones come to lie, simulated or shown.
#[derive(Clone, Copy)]
struct Laid<V: Vectors> {
    /// What they were rotated from.
    animated: FourBones<V>,
    direction: FourVectors<V>,
    contacts: [Contact; FOUR],
}

/// How four bones turn in a step, before anything hinders them.
struct FourSettling<'a, V: Vectors> {
    animated: &'a FourBones<V>,
    /// Their directions before the step.
    before: FourVectors<V>,
    /// Where they want to point.
    wanted: FourVectors<V>,
}

impl StepLanes<'_> {
    #[inline(always)]
    fn step_group<V: Vectors>(&mut self, vectors: V, group: &BoneGroup) {
        let bones = group.bones.map(|index| &self.rig.bones[index]);
        let locals = FourLocals::load(vectors, bones, self.pose);
        let tip = self.tips(vectors, group);
        let simulated = self.simulated(vectors, group, &locals, tip);
        let is_sound = self.write_simulated(vectors, group, &simulated, tip);
        if let Some(follow) = self.step.factors.follow {
            let shown = self.shown(vectors, group, &locals, simulated.direction, follow);
            self.write_shown(vectors, group, &shown, is_sound, follow);
        }
    }

    /// Writes where bones, whose tips were at `tip`, are, and shows them there where nothing else is shown; answers in which lanes that was right.
    #[inline(always)]
    fn write_simulated<V: Vectors>(
        &mut self,
        vectors: V,
        group: &BoneGroup,
        laid: &Laid<V>,
        tip: FourVectors<V>,
    ) -> Mask<V> {
        let mut axis = FourVectors::from_fn(vectors, |lane| self.state.axes[group.bones[lane]]);
        let tip = tip.store();
        let placed = laid.animated.rotated(vectors, laid.direction, &mut axis).store();
        let (axis, buffered) = (axis.store(), laid.animated.seen_from_joint(laid.direction).store());
        let is_shown = self.step.factors.follow.is_none();
        let (all, is_sound) = self.soundness(laid.animated.is_sound);
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
                state.contacts[index] = laid.contacts[lane];
            }
        }
        laid.animated.is_sound
    }

    /// Writes where bones are shown; `simulated` tells in which lanes what they follow was right.
    #[inline(always)]
    fn write_shown<V: Vectors>(
        &mut self,
        vectors: V,
        group: &BoneGroup,
        laid: &Laid<V>,
        simulated: Mask<V>,
        follow: Follow,
    ) {
        let mut axis = FourVectors::from_fn(vectors, |lane| self.state.axes[group.bones[lane]]);
        let placed = laid.animated.rotated(vectors, laid.direction, &mut axis).store();
        let (axis, buffered) = (axis.store(), laid.animated.seen_from_joint(laid.direction).store());
        let (all, is_sound) = self.soundness(simulated.and(laid.animated.is_sound));
        for (lane, &index) in group.bones.iter().enumerate().take(group.count) {
            if !all && !is_sound[lane] {
                show_alone(self.rig, self.state, self.pose, index, follow);
                continue;
            }
            let state = &mut *self.state;
            state.shown[index] = placed[lane];
            state.buffered[index] = buffered[lane];
            state.contacts[index] = laid.contacts[lane];
            state.axes[index] = axis[lane];
        }
    }

    /// Whether all lanes are right, and which.
    #[inline(always)]
    fn soundness<V: Vectors>(&self, is_sound: Mask<V>) -> (bool, [bool; FOUR]) {
        #[cfg(test)]
        if self.state.one_by_one {
            return (false, [false; FOUR]);
        }
        (is_sound.all(), is_sound.store())
    }

    #[inline(always)]
    fn tips<V: Vectors>(&self, vectors: V, group: &BoneGroup) -> FourVectors<V> {
        let bones = group.bones.map(|index| &self.state.bones[index]);
        let position = FourVectors::from_fn(vectors, |lane| bones[lane].joint.position);
        let direction = FourVectors::from_fn(vectors, |lane| bones[lane].direction);
        position + direction * Four::from_fn(vectors, |lane| bones[lane].length)
    }

    /// What the bones hang on where their parents are in `parents`.
    #[inline(always)]
    fn above<V: Vectors>(&self, vectors: V, group: &BoneGroup, parents: &[BonePose]) -> FourAbove<V> {
        let (rig, bones) = (self.rig, group.bones.map(|index| &self.rig.bones[index]));
        let world = WorldTransform::world(rig.metres_per_unit);
        let [a, b, c, d] = bones;
        let above = [
            self.state.above(rig, a, parents, &world),
            self.state.above(rig, b, parents, &world),
            self.state.above(rig, c, parents, &world),
            self.state.above(rig, d, parents, &world),
        ];
        let (Some(a), Some(b), Some(c), Some(d)) = (a.parent, b.parent, c.parent, d.parent) else {
            return FourAbove::load(vectors, above, None);
        };
        let indices = [a, b, c, d];
        let continues = |lane: usize| rig.bones[indices[lane]].tip == Tip::Joint(bones[lane].joint);
        let parents = std::array::from_fn(|lane| (&parents[indices[lane]], continues(lane)));
        FourAbove::load(vectors, above, Some(parents))
    }

    /// Where the bones of a group, whose tips are at `tip`, go in the step.
    #[inline(always)]
    fn simulated<V: Vectors>(
        &mut self,
        vectors: V,
        group: &BoneGroup,
        locals: &FourLocals<V>,
        tip: FourVectors<V>,
    ) -> Laid<V> {
        let (rig, factors) = (self.rig, self.step.factors);
        let bones = group.bones.map(|index| &rig.bones[index]);
        let above = self.above(vectors, group, &self.state.bones);
        let animated = FourBones::new(&above, locals, rig.shortest());
        let before = FourVectors::from_fn(vectors, |lane| self.state.bones[group.bones[lane]].direction);
        let previous = FourVectors::from_fn(vectors, |lane| self.state.previous_tips[group.bones[lane]]);
        let gravity = FourVectors::splat(vectors, rig.gravity) * Four::from_fn(vectors, |lane| bones[lane].gravity);
        let across = gravity - before * gravity.dot(before);
        let wind = FourVectors::from_fn(vectors, |lane| self.step.forces[bones[lane].chain].wind);
        let stiffness = Four::from_fn(vectors, |lane| bones[lane].stiffness);
        let acceleration = across + wind + animated.direction * stiffness;
        let kept = Four::from_fn(vectors, |lane| factors.kept_speed[group.bones[lane]]) * factors.inertia;
        let wanted = tip + (tip - previous) * kept + acceleration * Four::splat(vectors, factors.h_squared);
        let direction = swings(vectors, before, (wanted - animated.joint.position) / animated.length);
        let way = animated.joint.position + direction * animated.length - tip;
        let clear = self.clear_bones(vectors, bones, &animated, direction, Some(way));
        let moves = |lane: usize| self.step.forces[bones[lane].chain].center_motion.is_none();
        let clear = clear.and(Mask::from_fn(vectors, moves));
        let mut settled = (direction, [Contact::default(); FOUR]);
        if !clear.all() {
            let turning = FourSettling { animated: &animated, before, wanted: direction };
            let (step, tip) = (self.step, tip.store());
            settled = self.settled(vectors, group, &turning, clear, |state, lane, settling| {
                step.settled(rig, state, group.bones[lane], settling, tip[lane])
            });
        }
        let (direction, contacts) = settled;
        Laid { animated, direction, contacts }
    }

    /// Where the bones of a group are shown that now point along `simulated`.
    #[inline(always)]
    fn shown<V: Vectors>(
        &mut self,
        vectors: V,
        group: &BoneGroup,
        locals: &FourLocals<V>,
        simulated: FourVectors<V>,
        follow: Follow,
    ) -> Laid<V> {
        let (rig, bones) = (self.rig, group.bones.map(|index| &self.rig.bones[index]));
        let above = self.above(vectors, group, &self.state.shown);
        let animated = FourBones::new(&above, locals, rig.shortest());
        let before = FourVectors::from_fn(vectors, |lane| self.state.shown[group.bones[lane]].direction);
        let buffered = FourVectors::from_fn(vectors, |lane| self.state.buffered[group.bones[lane]]);
        let carried = animated.joint.rotation.rotate(buffered);
        let mut direction = slerp_directions(vectors, carried, simulated, follow.buffer);
        if follow.smoothing < 1.0 {
            direction = slerp_directions(vectors, before, direction, follow.smoothing);
        }
        let clear = self.clear_bones(vectors, bones, &animated, direction, None);
        let mut settled = (direction, [Contact::default(); FOUR]);
        if !clear.all() {
            let turning = FourSettling { animated: &animated, before, wanted: direction };
            settled = self.settled(vectors, group, &turning, clear, |state, lane, settling| {
                settled_as_shown(rig, state, group.bones[lane], settling)
            });
        }
        let (direction, contacts) = settled;
        Laid { animated, direction, contacts }
    }

    /// Where the bones of a group come to lie: those that are not `clear` as `settle` has each.
    #[inline(never)]
    fn settled<V: Vectors>(
        &mut self,
        vectors: V,
        group: &BoneGroup,
        turning: &FourSettling<V>,
        clear: Mask<V>,
        settle: impl Fn(&mut State, usize, &Settling) -> Resolved,
    ) -> (FourVectors<V>, [Contact; FOUR]) {
        let FourSettling { animated, before, wanted } = turning;
        let (mut directions, mut contacts) = (wanted.store(), [Contact::default(); FOUR]);
        let (clear, is_sound, before) = (clear.store(), animated.is_sound.store(), before.store());
        for lane in (0..group.count).filter(|&lane| !clear[lane] && is_sound[lane]) {
            let alone = animated.alone(self.rig, &self.rig.bones[group.bones[lane]], lane);
            let settling = Settling { animated: &alone, before: before[lane], along: directions[lane] };
            let Resolved { direction, contact } = settle(self.state, lane, &settling);
            (directions[lane], contacts[lane]) = (direction, contact);
        }
        (FourVectors::from_fn(vectors, |lane| directions[lane]), contacts)
    }

    /// Which of `bones` may point along `direction`, their tips having gone `way` in the step, and surely touch nothing.
    #[inline(always)]
    fn clear_bones<V: Vectors>(
        &self,
        vectors: V,
        bones: [&Bone; FOUR],
        animated: &FourBones<V>,
        direction: FourVectors<V>,
        way: Option<FourVectors<V>>,
    ) -> Mask<V> {
        let radius = Four::from_fn(vectors, |lane| bones[lane].radius);
        let free = Mask::from_fn(vectors, |lane| bones[lane].limit == AngleLimit::Free);
        let tip = animated.joint.position + direction * animated.length;
        // All of a bone that collides lies in a ball around its start.
        let (point, reach) =
            if self.rig.segment_contact { (animated.joint.position, animated.length + radius) } else { (tip, radius) };
        self.state.broadphase.are_clear(FourWays { point, reach, way }, free)
    }
}

/// Each lane is what [`swung`] gives.
#[inline(always)]
fn swings<V: Vectors>(vectors: V, before: FourVectors<V>, offset: FourVectors<V>) -> FourVectors<V> {
    let along = offset.dot(before);
    let across = offset - before * along;
    let sine_squared = across.length_squared();
    let one = along.like(1.0);
    let direction = before * (one - sine_squared).sqrt() + across;
    let direction = direction * polish(direction.length_squared());
    let is_near = sine_squared.is_below(one);
    if is_near.all() { direction } else { with_far(vectors, direction, is_near, [before, offset]) }
}

#[cold]
#[inline(never)]
fn with_far<V: Vectors>(
    vectors: V,
    direction: FourVectors<V>,
    is_near: Mask<V>,
    [before, offset]: [FourVectors<V>; 2],
) -> FourVectors<V> {
    let ([direction, before, offset], is_near) = ([direction, before, offset].map(FourVectors::store), is_near.store());
    FourVectors::from_fn(
        vectors,
        |lane| if is_near[lane] { direction[lane] } else { swung(before[lane], offset[lane]) },
    )
}
