//! The open pose stage at the playhead.

use super::{Mode, Session, Shown};
use portamento_anim::math::euler;
use portamento_anim::root_motion::local_at;
use portamento_repair::pose::{Correction, Settings};
use portamento_takes::document::stage::StageSettings;
use portamento_takes::document::{StageId, TakeId};

/// The open pose stage at the playhead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseSite {
    /// The shown take.
    pub take: TakeId,
    /// Its open stage.
    pub stage: StageId,
    /// The playhead in the motion that enters the stage, seconds.
    pub time: f64,
    /// Distance from the playhead within which a key is at it, seconds: half a frame.
    pub tolerance: f64,
    /// Index of the key at the playhead.
    pub key: Option<usize>,
}

impl Session {
    /// Returns the open pose stage at the playhead; `None` if no stage or another kind of stage is open.
    pub fn pose_site(&self) -> Option<PoseSite> {
        let Shown::Take(take) = self.selection.shown else { return None };
        let shown = self.document.take(take)?;
        let stage = self.selection.open_stage(&self.document)?;
        let settings: &Settings = StageSettings::of(&shown.stage(stage)?.kind)?;
        let time = self.evaluation.seconds_into(shown, stage, self.playback.time).max(0.0);
        let tolerance = 0.5 / self.playback.fps.max(1.0);
        Some(PoseSite { take, stage, time, tolerance, key: settings.key_near(time, tolerance) })
    }

    /// Returns the correction of `joint` at `site`, with turn and offset: of the key there, else what the stage adds there at
    /// present. `None` if the character has no such joint or the stage is not built.
    pub fn correction_at(&self, site: &PoseSite, joint: &str) -> Option<Correction> {
        let key = site.key.and_then(|key| self.pose_settings(site)?.keys.get(key));
        let known = self.keyed_correction(site, joint).unwrap_or_else(|| Correction::of(joint));
        if known.turn.is_some() && known.translation.is_some() {
            return Some(known);
        }
        let current = self.current_correction(site, joint, key.map_or(Mode::Additive, |key| key.mode))?;
        Some(Correction {
            turn: known.turn.or(current.turn),
            translation: known.translation.or(current.translation),
            ..known
        })
    }

    /// Returns the correction in this `mode` that leaves `joint` as it is at `site`. `None` if the stage is not built.
    fn current_correction(&self, site: &PoseSite, joint: &str, mode: Mode) -> Option<Correction> {
        let built = self.frame()?.built.as_ref()?;
        let skeleton = &built.character.model.skeleton;
        let index = self.document.take(site.take)?.built_index(site.stage)?;
        let at = skeleton.find(joint)?;
        let incoming = local_at(skeleton, built.before_stage(index), at, site.time);
        let outgoing = local_at(skeleton, &built.stages.get(index)?.clip, at, site.time);
        let (turn, offset) = match mode {
            Mode::Additive if outgoing == incoming => Default::default(),
            Mode::Additive => {
                let turn = incoming.rotation.as_dquat().normalize().inverse() * outgoing.rotation.as_dquat();
                (turn, (outgoing.translation - incoming.translation).as_dvec3())
            }
            Mode::Absolute => (outgoing.rotation.as_dquat(), outgoing.translation.as_dvec3()),
        };
        // Rounded to 0.001°, finer than any rig needs.
        let degrees = euler::degrees(turn.normalize()).map(|angle| (angle * 1e3).round() / 1e3);
        Some(Correction { joint: joint.to_owned(), turn: Some(degrees), translation: Some(offset.to_array()) })
    }
}
