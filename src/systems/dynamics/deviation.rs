//! What a conversion to VRM spring bones costs, in metres: measured, not guessed.

use glam::DVec3;

use super::bake::Built;
use super::bone::{Bone, Tip};
use super::error::BuildError;
use super::input::Input;
use super::recordings::build;
use super::rig::DynamicsRig;
use super::settings::Settings;
use super::spring_bone::{SpringState, settings_from_spring_bones, simulated_joints};
use crate::anim::{Pose, Skeleton, SpringBones};
use crate::progress::Progress;

/// The rate at which the format's own formula agrees with ours, frames per second.
const RATE: f64 = 60.0;

/// How far bone ends go astray by a conversion, metres, worst over all bones and all frames at 60 fps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Deviation {
    /// Our solver with the parameters converted there and back, against our solver with the original ones.
    pub parameters: f64,
    /// The format's own algorithm with the converted parameters, against our solver; a loop is run through twice.
    pub elsewhere: f64,
}

/// Simulates `input` with `settings`, with `bones` read back, and with the algorithm of the format.
pub(crate) fn deviation(
    input: &Input,
    settings: &Settings,
    bones: &SpringBones,
    progress: &Progress,
) -> Result<Deviation, BuildError> {
    let (skeleton, unit) = (input.skeleton, input.metres_per_unit);
    let tips = Tips { rig: DynamicsRig::new(skeleton, settings, unit)?, skeleton };
    let ours = build(input, settings, progress)?;
    let (back, _) = settings_from_spring_bones(bones, skeleton, unit);
    let Settings { pre_roll, loop_clean, teleport, segment_contact, .. } = *settings;
    let back = Settings { pre_roll, loop_clean, teleport, segment_contact, ..back };
    let again = if back.chains.is_empty() { None } else { Some(build(input, &back, progress)?) };
    let frames = (input.duration * RATE + 1e-6).floor() as usize;
    let mut worst = Deviation::default();
    let mut state: Option<SpringState> = None;
    for lap in 0..=usize::from(input.looping) {
        for frame in 0..=frames {
            let time = frame as f64 / RATE;
            let mut driven = Pose::rest(skeleton);
            (input.driver)(time, &mut driven);
            let mut theirs = driven.clone();
            // The format's bones return to the pose of the file, not to the animation.
            for each in simulated_joints(bones, skeleton) {
                theirs.locals[each.joint].rotation = skeleton.joints[each.joint].rest.rotation;
            }
            let state = state.get_or_insert_with(|| SpringState::at(bones, skeleton, &theirs));
            state.step(bones, skeleton, &mut theirs, 1.0 / RATE);
            if lap == usize::from(input.looping) {
                let wanted = tips.in_pose(&recorded(Some(&ours), time, &driven));
                let known = tips.in_pose(&recorded(again.as_ref(), time, &driven));
                worst.parameters = worst.parameters.max(apart(&wanted, &known));
                worst.elsewhere = worst.elsewhere.max(apart(&wanted, &tips.in_pose(&theirs)));
            }
        }
    }
    Ok(worst)
}

fn recorded(built: Option<&Built>, time: f64, driven: &Pose) -> Pose {
    let mut pose = driven.clone();
    if let Some(built) = built {
        built.sample(time, &mut pose);
    }
    pose
}

fn apart(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// The ends of all bones.
struct Tips<'a> {
    rig: DynamicsRig,
    skeleton: &'a Skeleton,
}

impl Tips<'_> {
    /// Where they are in `pose`, metres.
    fn in_pose(&self, pose: &Pose) -> Vec<DVec3> {
        let unit = self.rig.metres_per_unit;
        let tip = |bone: &Bone| match bone.tip {
            Tip::Joint(tip) => pose.world_from_joint(self.skeleton, tip).translation * unit,
            Tip::Added { direction, length } => {
                let world = pose.world_from_joint(self.skeleton, bone.joint);
                world.translation * unit + (world.matrix3 * direction).normalize_or(DVec3::Y) * length
            }
        };
        self.rig.bones.iter().map(tip).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::anim::SpringBoneFormat;
    use crate::systems::dynamics::spring_bone::spring_bones_from_settings;
    use crate::systems::dynamics::tests::{hanging, loose, swaying};

    #[test]
    fn it_is_measured_sixty_times_a_second_over_the_motion_and_no_longer() {
        let (skeleton, settings) = (hanging(3, 0.1), loose(0.4));
        let (bones, _) = spring_bones_from_settings(&settings, &skeleton, 1.0, SpringBoneFormat::Vrm1).unwrap();
        let asked = Mutex::new(Vec::new());
        let driver = |time: f64, pose: &mut Pose| {
            asked.lock().unwrap().push(time);
            swaying(time, pose);
        };
        let input = Input { skeleton: &skeleton, driver: &driver, duration: 2.5, looping: false, metres_per_unit: 1.0 };
        let found = deviation(&input, &settings, &bones, &Progress::new()).unwrap();
        let asked = asked.into_inner().unwrap();
        assert!(asked.iter().all(|time| *time <= 2.5 + 1e-9), "{:?}", asked.iter().copied().fold(0.0, f64::max));
        assert!((0..=150).all(|frame| asked.contains(&(f64::from(frame) / RATE))));
        // The format leaves the animation for the rest pose, and what swings there ends elsewhere.
        assert!(found.parameters < 1e-3 && found.elsewhere < 0.3, "{found:?}");
    }
}
