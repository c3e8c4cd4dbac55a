//! Legs that fold or stretch within a frame while their feet stay: who lands hard or takes off.

use super::{Input, Jump};
use crate::anim::Leg;
use crate::anim::root_motion::world_at;

/// Part of the way on which a jump by itself would sweep the foot, up to which the foot stayed.
const STAYS: f64 = 1.0 / 3.0;
/// Part of it by which the foot then comes nearer to the hip or goes away from it: a knee that turns over does neither.
const FOLDS: f64 = 0.125;

/// Whether a joint that jumps to another place at once, in one of the frames at `times`, is that of a leg which folds or stretches
/// over its foot.
pub fn folds_a_leg(input: &Input, times: &[f64], joint: usize, jump: &Jump) -> bool {
    let Input { skeleton, clip, roles, .. } = *input;
    let of_joint = |leg: &&Leg| {
        let is_known = leg.foot.max(leg.thigh) < skeleton.len();
        is_known && joint != leg.foot && skeleton.is_within(leg.foot, joint) && skeleton.is_within(joint, leg.thigh)
    };
    let leg = roles.legs.iter().find(of_joint).filter(|_| jump.out_for == 0);
    leg.is_some_and(|leg| {
        let [before, after] = [times[jump.frame - 1], times[jump.frame]];
        let place = |time: f64, joint: usize| world_at(skeleton, clip, joint, time).translation;
        let reach = |time: f64| place(time, leg.thigh).distance(place(time, leg.foot));
        let sweep = place(before, joint).distance(place(before, leg.foot)) * jump.degrees.to_radians();
        let moved = place(before, leg.foot).distance(place(after, leg.foot));
        moved <= STAYS * sweep && (reach(after) - reach(before)).abs() >= FOLDS * sweep
    })
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use crate::anim::quality::Finding;
    use crate::anim::quality::tests::Figure;

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
}
