//! Measured error, in metres, of a conversion to VRM spring bones.

use glam::DVec3;

use crate::chains::bone::{Bone, Tip};
use crate::chains::rig::DynamicsRig;
use crate::error::BuildError;
use crate::input::Input;
use crate::recording::bake::Built;
use crate::recording::recordings::build;
use crate::settings::Settings;
use crate::spring_bone::{SpringState, settings_from_spring_bones, simulated_joints};
use portamento_anim::{Pose, Skeleton, SpringBones};
use portamento_base::progress::Progress;

/// Frame rate at which the format's formula agrees with this solver, frames per second.
const RATE_FPS: f64 = 60.0;

/// Errors of the bone ends after a conversion, metres; the maximum over all bones and all frames at 60 fps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deviation {
    /// This solver with the parameters converted there and back, compared with the original parameters.
    pub parameters: f64,
    /// The format's algorithm with the converted parameters, compared with this solver. A loop is simulated twice; the
    /// second pass counts.
    pub elsewhere: f64,
}

/// Simulates `input` with `settings`, with the settings read back from `bones`, and with the format's algorithm. Returns the
/// errors of the latter two. The maxima are in metres. Returns `Err` if the settings are invalid or `progress` is cancelled.
pub fn deviation(
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
    let built_again = if back.chains.is_empty() { None } else { Some(build(input, &back, progress)?) };
    let frames = (input.duration * RATE_FPS + 1e-6).floor() as usize;
    let mut worst = Deviation::default();
    let mut state: Option<SpringState> = None;
    for lap in 0..=usize::from(input.looping) {
        for frame in 0..=frames {
            let time = frame as f64 / RATE_FPS;
            let mut driven = Pose::rest(skeleton);
            (input.driver)(time, &mut driven);
            let mut theirs = driven.clone();
            // The format pulls bones to the pose of the file, not to the animation.
            for each in simulated_joints(bones, skeleton) {
                theirs.locals[each.joint].rotation = skeleton.joints[each.joint].rest.rotation;
            }
            let state = state.get_or_insert_with(|| SpringState::at(bones, skeleton, &theirs));
            state.step(bones, skeleton, &mut theirs, 1.0 / RATE_FPS);
            if lap == usize::from(input.looping) {
                let wanted = tips.in_pose(&sample_recording(Some(&ours), time, &driven));
                let known = tips.in_pose(&sample_recording(built_again.as_ref(), time, &driven));
                worst.parameters = worst.parameters.max(max_distance(&wanted, &known));
                worst.elsewhere = worst.elsewhere.max(max_distance(&wanted, &tips.in_pose(&theirs)));
            }
        }
    }
    Ok(worst)
}

/// Returns `driven` with the recorded rotations at `time` (seconds), or as it is without a recording.
fn sample_recording(built: Option<&Built>, time: f64, driven: &Pose) -> Pose {
    let mut pose = driven.clone();
    if let Some(built) = built {
        built.sample(time, &mut pose);
    }
    pose
}

fn max_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Computes the ends of all bones.
struct Tips<'a> {
    rig: DynamicsRig,
    skeleton: &'a Skeleton,
}

impl Tips<'_> {
    /// Returns the ends of all bones in `pose`, metres.
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
    use crate::LengthCorrection;
    use crate::spring_bone::spring_bones_from_settings;
    use crate::tests::{hanging, loose, swaying};
    use portamento_anim::SpringBoneFormat;

    #[test]
    fn deviation_is_sampled_at_sixty_fps_within_the_duration() {
        let (skeleton, mut settings) = (hanging(3, 0.1), loose(0.4));
        // Chains that are read from a format correct lengths as published.
        settings.chains[0].length_correction = LengthCorrection::AsPublished;
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
        assert!((0..=150).all(|frame| asked.contains(&(f64::from(frame) / RATE_FPS))));
        // The format pulls to the rest pose instead of the animation, so its bones end elsewhere.
        assert!(found.parameters < 1e-3 && found.elsewhere < 0.3, "{found:?}");
    }
}
