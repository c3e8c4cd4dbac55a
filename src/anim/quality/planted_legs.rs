//! Legs that follow their feet: who lands hard, takes off or lunges turns hip, knee and ankle within a frame, and the foot stays or goes
//! on as it went.

use glam::DVec3;

use super::pauses::turned;
use super::{Input, Jump};
use crate::anim::root_motion::{turn_of, world_at};
use crate::anim::{Leg, Skeleton};

/// Part of the way and of the turn on which a jump by itself would take the foot, up to which the foot goes on as it went.
const SMOOTH: f64 = 1.0 / 3.0;
/// Part of that way by which the hip then goes over the foot, or is abrupt there: of a knee that turns over it is neither.
const GOES: f64 = 0.125;

/// Whether a joint that jumps in one of the frames at `times` is that of a leg whose foot stays where it was or goes on as it went,
/// since the hip is as abrupt.
pub fn follows_its_foot(input: &Input, times: &[f64], joint: usize, jump: &Jump) -> bool {
    let Some(leg) = input.roles.legs.iter().find(|leg| is_of(input.skeleton, leg, joint)) else { return false };
    let steps = LegSteps { input, times, leg, joint };
    let back = (jump.out_for > 0).then_some(jump.frame + jump.out_for);
    let mut changes = [Some(jump.frame), back].into_iter().flatten();
    jump.out_for == 0 && steps.folds(jump) || changes.any(|frame| steps.follow(frame, jump.degrees))
}

/// Whether `joint` is one of `leg`, from the thigh to the foot.
fn is_of(skeleton: &Skeleton, leg: &Leg, joint: usize) -> bool {
    let joints = [leg.thigh, leg.shin, leg.foot].into_iter().chain(leg.toe);
    let is_known = joints.max().is_some_and(|last| last < skeleton.len());
    is_known && skeleton.is_within(leg.foot, joint) && skeleton.is_within(joint, leg.thigh)
}

/// A leg of which `joint` jumps, from each of `times` to the next.
struct LegSteps<'a> {
    input: &'a Input<'a>,
    times: &'a [f64],
    leg: &'a Leg,
    joint: usize,
}

impl LegSteps<'_> {
    /// Whether the leg folds or stretches over the foot.
    fn folds(&self, jump: &Jump) -> bool {
        let Leg { thigh, foot, .. } = *self.leg;
        let [before, after] = [jump.frame - 1, jump.frame];
        let reach = |frame: usize| self.place(frame, thigh).distance(self.place(frame, foot));
        let sweep = self.place(before, self.joint).distance(self.place(before, foot)) * jump.degrees.to_radians();
        let stays = self.step(after, foot).way.length() <= SMOOTH * sweep;
        self.joint != foot && stays && (reach(after) - reach(before)).abs() >= GOES * sweep
    }

    /// Whether the sole goes and turns to `frame` as it does before or after or not at all, and the hip is abrupt over it.
    fn follow(&self, frame: usize, degrees: f64) -> bool {
        let sole = self.leg.toe.unwrap_or(self.leg.foot);
        let from = if self.joint == sole { self.leg.shin } else { self.joint };
        let sweep = self.place(frame - 1, from).distance(self.place(frame - 1, sole)) * degrees.to_radians();
        let goes = |frame: usize| [sole, self.leg.thigh].map(|joint| self.step(frame, joint));
        let [foot, hip] = goes(frame);
        let beside = [frame - 1, frame + 1].into_iter().filter(|frame| (1..self.times.len()).contains(frame));
        let beside: Vec<[Step; 2]> = beside.map(goes).collect();
        let is_smooth = |usual: &Step| {
            let [way, turn] = [foot.way.distance(usual.way), foot.degrees.distance(usual.degrees)];
            way <= SMOOTH * sweep && turn <= SMOOTH * degrees
        };
        let is_abrupt = |[other_foot, other_hip]: &[Step; 2]| {
            (hip.way - foot.way).distance(other_hip.way - other_foot.way) >= GOES * sweep
        };
        let feet = beside.iter().map(|[foot, _]| foot).chain([&Step::REST]);
        beside.iter().any(is_abrupt) && feet.into_iter().any(is_smooth)
    }

    fn place(&self, frame: usize, joint: usize) -> DVec3 {
        world_at(self.input.skeleton, self.input.clip, joint, self.times[frame]).translation
    }

    /// How `joint` goes to `frame`.
    fn step(&self, frame: usize, joint: usize) -> Step {
        let world = |frame: usize| world_at(self.input.skeleton, self.input.clip, joint, self.times[frame]);
        let [before, after] = [world(frame - 1), world(frame)];
        let turn = turn_of(&after) * turn_of(&before).inverse();
        Step { way: after.translation - before.translation, degrees: turned(turn.as_quat()) }
    }
}

/// How a joint goes from one time to the next.
struct Step {
    way: DVec3,
    /// About an axis in the world.
    degrees: DVec3,
}

impl Step {
    const REST: Self = Self { way: DVec3::ZERO, degrees: DVec3::ZERO };
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use crate::anim::foot_place::{FootPlace, put_foot};
    use crate::anim::pose_keys::{PoseSpan, write_poses};
    use crate::anim::quality::Finding;
    use crate::anim::quality::tests::Figure;
    use crate::anim::{Clip, Pose};

    /// The hero, who stands on his feet while his hips go by `by`, metres, from one frame to the next.
    fn lunge(hero: &Figure, by: Vec3) -> Clip {
        let skeleton = &hero.model.skeleton;
        let mut clip = hero.model.clip("idle").unwrap().clone();
        let times: Vec<f64> = (0..=40).map(|frame| f64::from((f64::from(frame) / 30.0) as f32)).collect();
        let pose = |(frame, &time): (usize, &f64)| {
            let mut pose: Pose = clip.pose_at(skeleton, time);
            let feet: Vec<FootPlace> =
                hero.roles.legs.iter().map(|leg| FootPlace::from_pose(skeleton, leg, &pose)).collect();
            pose.locals[hero.roles.hips.unwrap()].translation += if frame < 15 { Vec3::ZERO } else { by };
            hero.roles.legs.iter().zip(&feet).for_each(|(leg, foot)| {
                put_foot(skeleton, leg, foot, &mut pose);
            });
            pose
        };
        let poses: Vec<Pose> = times.iter().enumerate().map(pose).collect();
        write_poses(skeleton, &mut clip, &PoseSpan { times: &times, first: 0, poses: &poses });
        clip
    }

    #[test]
    fn legs_over_standing_feet_do_not_jump_however_quick_the_hips_are_and_one_that_does_is_found() {
        let hero = Figure::open("hero").unwrap();
        for by in [Vec3::new(0.0, -0.2, 0.0), Vec3::new(0.0, -0.1, 0.2), Vec3::new(0.2, -0.1, 0.0)] {
            let lunges = lunge(&hero, by);
            assert_eq!(hero.quality(&lunges).pops.worst, None, "{by}");
            let leg = &hero.roles.legs[0];
            for joint in [leg.thigh, leg.shin, leg.foot] {
                for frames in [10..11, 20..41] {
                    let mut damaged = lunges.clone();
                    let turns = damaged.tracks[joint].rotation.as_mut().unwrap();
                    turns.values[frames.clone()].iter_mut().for_each(|turn| *turn *= Quat::from_rotation_z(0.9));
                    let found = hero.quality(&damaged).pops.worst;
                    let name = &hero.model.skeleton.joints[joint].name;
                    assert!(found.is_some_and(|pop| pop.joint == *name), "{name} {frames:?} {by}");
                }
            }
        }
    }

    #[test]
    fn a_thigh_that_twists_by_itself_in_a_crouch_jumps() {
        let Some(figure) = Figure::open("characters/knight.glb") else { return };
        let sound = figure.model.clip("PickUp").unwrap();
        assert_eq!(figure.quality(sound).pops.worst, None);
        let mut damaged = sound.clone();
        let turns = damaged.tracks[figure.roles.legs[1].thigh].rotation.as_mut().unwrap();
        turns.values[5..]
            .iter_mut()
            .for_each(|turn| *turn *= Quat::from_xyzw(-0.0403, 0.1514, 0.0776, 0.9846).normalize());
        assert!(figure.quality(&damaged).findings.contains(&Finding::Pops));
    }

    #[test]
    fn a_hard_landing_is_no_jump_and_a_leg_that_jumps_is() {
        let Some(figure) = Figure::open("characters/knight.glb") else { return };
        for clip in ["1H_Melee_Attack_Chop", "1H_Melee_Attack_Stab"] {
            let sound = figure.model.clip(clip).unwrap();
            assert_eq!(figure.quality(sound).pops.worst, None, "{clip}");
            let mut damaged = sound.clone();
            let shin = figure.roles.legs[0].shin;
            let turns = damaged.tracks[shin].rotation.as_mut().unwrap();
            let from = turns.values.len() / 4;
            turns.values[from..].iter_mut().for_each(|turn| *turn *= Quat::from_rotation_x(0.9));
            assert!(figure.quality(&damaged).findings.contains(&Finding::Pops), "{clip}");
        }
    }

    #[test]
    fn no_leg_jumps_of_who_draws_back_over_a_foot_that_stands() {
        let Some(knight) = Figure::open("characters/knight.glb") else { return };
        let shot = knight.model.clip("Spellcast_Shoot").unwrap();
        assert_eq!(knight.quality(shot).pops.worst, None);
    }
}
