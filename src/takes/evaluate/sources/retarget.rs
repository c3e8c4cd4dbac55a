//! The retarget source: a clip of another rig transferred to the character limb by limb.

use std::sync::Arc;

use super::clip::no_clip;
use super::source::{Source, unmodified};
use crate::document::{Asset, Loaded, Retarget};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::other_rig::{Rig, same_body};
use crate::evaluate::{BuiltTake, Content, Retargeted, TakeError, memory};
use portamento_anim::foot_shape::soles;
use portamento_anim::rest_match::RestMatch;
use portamento_anim::rig::chains::{Chain, Limb, chains};
use portamento_anim::{Clip, Roles, shape_names};
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;
use portamento_retarget as retarget;
use portamento_retarget::{Body, Input, Report, Undone};

/// Retargets the clip that [`Retarget`] names.
pub(super) struct RetargetSource<'a>(pub &'a Retarget);

/// A motion with its rig.
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
        let clip = inputs.clips.clip(&self.0.clip);
        // The poses of both rigs are in memory at the same time.
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
        let same_body = self.same_body(inputs, &motion);
        // The contacts of an equal body are those of the clip.
        let hold_feet = self.0.settings.hold_feet && same_body.is_none();
        let settings = retarget::Settings { hold_feet, ..self.0.settings.clone() };
        let mut retargeted = retarget::build(&input, &settings, progress)?;
        if let Some(same_body) = same_body {
            retargeted.clip = same_body.transfer(&motion.file.model.skeleton, &motion.clip).clip;
        }
        for (joint, curve) in shape_names::transferred_curves(&motion.file.model, &motion.clip, model) {
            retargeted.clip.tracks[joint].morphs = Some(curve);
        }
        let mut built = unmodified(inputs, retargeted.clip.clone());
        built.fps = input.fps;
        built.warnings.extend(warnings(&retargeted.report));
        built.warnings.extend(undone_warnings(&retargeted.undone));
        built.warnings.extend(unmatched_limbs_warning(&from, &to));
        let Motion { file: source, clip, metres_per_unit, .. } = motion;
        built.retargeted = Some(Arc::new(Retargeted { built: retargeted, source, clip, metres_per_unit }));
        Ok(built)
    }
}

impl RetargetSource<'_> {
    /// Returns the transfer that keeps the motion, if both bodies are equal and no setting asks for another motion.
    fn same_body(&self, inputs: &Inputs, motion: &Motion) -> Option<RestMatch> {
        let is_automatic = self.0.settings == retarget::Settings::default();
        let from =
            Rig { file: motion.file.clone(), roles: motion.roles.clone(), metres_per_unit: motion.metres_per_unit };
        let to = Rig {
            file: inputs.character.clone(),
            roles: inputs.roles.clone(),
            metres_per_unit: inputs.metres_per_unit,
        };
        same_body(&from, Some(&motion.clip), &to).filter(|_| is_automatic)
    }

    /// Returns the output of a take of another character, or the clip of the file. Returns `Err` if there is no such clip
    /// or take, or if the take has no joints.
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
        let found = inputs.clips.clip(name);
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

/// Returns a warning about limbs that only one of the rigs has. Fingers are ignored. `None` if there are none.
fn unmatched_limbs_warning(from: &[Chain], to: &[Chain]) -> Option<Message> {
    let lacks = |chains: &[Chain], limb: Limb| !chains.iter().any(|chain| chain.limb == limb);
    let is_relevant = |limb: &Limb| !matches!(limb, Limb::Finger(..));
    let unmatched = |some: &[Chain], others: &[Chain]| {
        let limbs = some.iter().map(|chain| chain.limb).filter(|&limb| is_relevant(&limb) && lacks(others, limb));
        limbs.map(Limb::name).collect::<Vec<_>>()
    };
    let limbs = [unmatched(from, to), unmatched(to, from)].concat();
    (!limbs.is_empty()).then(|| {
        message!(
            "warning.retarget.limbs",
            "Only one of the two rigs has these limbs, so they are not retargeted: %{limbs}. Set the roles of the other rig, or choose its preset, \
             if that is wrong.",
            limbs = limbs.join(", ")
        )
    })
}

/// Returns warnings about the corrections that were not applied.
fn undone_warnings(undone: &Undone) -> Vec<Message> {
    let feet = undone.feet.as_ref().map(|effect| {
        message!(
            "warning.retarget.feet_undone",
            "Planted feet were not locked, because that would make the motion worse: %{effect}. Check the roles of both rigs, or the \
             travel scale.",
            effect = effect.message()
        )
    });
    let hands = undone.hands.as_ref().map(|effect| {
        message!(
            "warning.retarget.hands_undone",
            "The hands do not keep their contacts, because that would make the motion worse: %{effect}. Check the roles of both \
             rigs, or release the hands.",
            effect = effect.message()
        )
    });
    feet.into_iter().chain(hands).collect()
}

/// Returns warnings from the retarget report.
fn warnings(report: &Report) -> Vec<Message> {
    /// Distance by which a foot or a hand may miss its goal without a warning, metres. Tuned; no derivation recorded.
    const MISSED_MIN_M: f64 = 0.005;
    const MAX_LISTED: usize = 6;
    let mut warnings = Vec::new();
    if let Some(shown) = report.left_out.chunks(MAX_LISTED).next() {
        warnings.push(message!(
            "warning.retarget.left_out",
            "%{count} animated %{count|joint|joints} of the clip's rig %{count|is|are} not mapped to any joint: %{joints}. \
             Map them to joints of the character if needed.",
            count = report.left_out.len(),
            joints = shown.join(", ")
        ));
    }
    if report.short > MISSED_MIN_M {
        warnings.push(message!(
            "warning.retarget.short",
            "A planted foot misses its contact by %{distance} mm because the leg is too short. Lower the travel scale.",
            distance = format!("{:.0}", report.short * 1e3)
        ));
    }
    if report.hands_after > MISSED_MIN_M {
        warnings.push(message!(
            "warning.retarget.short_arm",
            "A hand misses its hold by %{distance} mm because the arm is too short. Lower the travel scale, or release the hands.",
            distance = format!("{:.0}", report.hands_after * 1e3)
        ));
    }
    warnings
}
