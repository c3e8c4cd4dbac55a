//! A clip of another rig, put on the character limb by limb.

use std::sync::Arc;

use super::clip::no_clip;
use super::source::{Source, unmodified};
use crate::anim::foot_shape::soles;
use crate::anim::rig::chains::{Chain, Limb, chains};
use crate::anim::{Clip, Roles, shape_names};
use crate::document::{Asset, Loaded, Retarget};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, Content, Retargeted, TakeError, memory};
use crate::message::{Message, message};
use crate::progress::Progress;
use crate::systems::retarget::{self, Body, Input, Report};

/// The clip that `Retarget` names, on the character.
pub(super) struct RetargetSource<'a>(pub &'a Retarget);

/// A motion with the rig it was made for.
struct Motion {
    file: Asset<Loaded>,
    clip: Arc<Clip>,
    roles: Roles,
    metres_per_unit: f64,
}

impl Source for RetargetSource<'_> {
    fn is_slow(&self) -> bool {
        true
    }

    fn bytes(&self, inputs: &Inputs) -> u64 {
        let clip = inputs.clips.files.iter().find_map(|file| Some((file, file.model.clip(&self.0.clip)?)));
        // Poses of both rigs are held at once.
        clip.map_or(0, |(file, clip)| {
            let joints = file.model.skeleton.len() + inputs.character.model.skeleton.len();
            memory::of_poses(clip.duration, clip.fps(), joints)
        })
    }

    fn build(&self, inputs: &Inputs, progress: &Progress) -> Result<BuiltTake, TakeError> {
        let motion = self.motion(inputs)?;
        let model = &inputs.character.model;
        let [from, to] = [chains(&motion.file.model, &motion.roles), chains(model, &inputs.roles)];
        let feet = [soles(&motion.file.model, &motion.roles.legs), soles(model, &inputs.roles.legs)];
        let input = Input {
            source: Body {
                skeleton: &motion.file.model.skeleton,
                roles: &motion.roles,
                chains: &from,
                soles: &feet[0],
                metres_per_unit: motion.metres_per_unit,
            },
            clip: &motion.clip,
            target: Body {
                skeleton: &model.skeleton,
                roles: &inputs.roles,
                chains: &to,
                soles: &feet[1],
                metres_per_unit: inputs.metres_per_unit,
            },
            fps: motion.clip.fps(),
        };
        let mut made = retarget::build(&input, &self.0.settings, progress)?;
        for (joint, curve) in shape_names::carried(&motion.file.model, &motion.clip, model) {
            made.clip.tracks[joint].morphs = Some(curve);
        }
        let mut built = unmodified(inputs, made.clip.clone());
        built.fps = input.fps;
        built.warnings.extend(warnings(&made.report));
        built.warnings.extend(lone_limbs(&from, &to));
        let Motion { file: source, clip, metres_per_unit, .. } = motion;
        built.retargeted = Some(Arc::new(Retargeted { built: made, source, clip, metres_per_unit }));
        Ok(built)
    }
}

impl RetargetSource<'_> {
    /// What comes out of a take of another character, or the clip of the file.
    fn motion(&self, inputs: &Inputs) -> Result<Motion, TakeError> {
        let name = &self.0.clip;
        if let Some(take) = inputs.clips.takes.iter().find(|take| take.name == *name) {
            let used = take.built.get().ok_or_else(|| TakeError::NotLoaded(name.clone()))?;
            if !matches!(used.content, Content::Joints) {
                return Err(TakeError::NotJoints { take: name.clone(), content: used.content.name() });
            }
            return Ok(Motion {
                file: used.character.clone(),
                clip: used.clip.clone(),
                roles: used.roles.clone(),
                metres_per_unit: used.metres_per_unit,
            });
        }
        let found = inputs.clips.files.iter().find_map(|file| Some((file, file.model.clip(name)?)));
        let (file, clip) = found.ok_or_else(|| no_clip(&inputs.clips, name))?;
        let rig = inputs.source_rig.as_ref();
        Ok(Motion {
            file: file.clone(),
            clip: Arc::new(clip.clone()),
            roles: rig.map(|rig| rig.roles.fitting(&file.model.skeleton)).unwrap_or_default(),
            metres_per_unit: rig.map_or(1.0, |rig| rig.metres_per_unit),
        })
    }
}

/// What is said of limbs that one rig has and the other lacks; fingers go with their hands.
fn lone_limbs(from: &[Chain], to: &[Chain]) -> Option<Message> {
    let lacks = |chains: &[Chain], limb: Limb| !chains.iter().any(|chain| chain.limb == limb);
    let counts = |limb: &Limb| !matches!(limb, Limb::Finger(..));
    let lone = |some: &[Chain], others: &[Chain]| {
        let limbs = some.iter().map(|chain| chain.limb).filter(|&limb| counts(&limb) && lacks(others, limb));
        limbs.map(Limb::name).collect::<Vec<_>>()
    };
    let limbs = [lone(from, to), lone(to, from)].concat();
    (!limbs.is_empty()).then(|| {
        message!(
            "warning.retarget.limbs",
            "Only one of the two rigs has these limbs, so nothing follows there: %{limbs}. Set the roles of that rig, or choose its preset, \
             if that is wrong.",
            limbs = limbs.join(", ")
        )
    })
}

/// What is said of what did not fit.
fn warnings(report: &Report) -> Vec<Message> {
    /// Metres that a foot or a hand may miss its place by without a word.
    const MISSED: f64 = 0.005;
    const SHOWN: usize = 6;
    let mut warnings = Vec::new();
    if let Some(shown) = report.left_out.chunks(SHOWN).next() {
        warnings.push(message!(
            "warning.retarget.left_out",
            "%{count} %{count|joint of the clip's rig turns|joints of the clip's rig turn} without anything that follows: %{joints}. \
             Choose who follows, if it matters.",
            count = report.left_out.len(),
            joints = shown.join(", ")
        ));
    }
    if report.short > MISSED {
        warnings.push(message!(
            "warning.retarget.short",
            "A standing foot stays %{distance} mm from its place because the leg is too short. Lower the ratio of travel.",
            distance = format!("{:.0}", report.short * 1e3)
        ));
    }
    if report.hands_after > MISSED {
        warnings.push(message!(
            "warning.retarget.short_arm",
            "A hand stays %{distance} mm from what it holds because the arm is too short. Lower the ratio of travel, or let hands go.",
            distance = format!("{:.0}", report.hands_after * 1e3)
        ));
    }
    warnings
}
