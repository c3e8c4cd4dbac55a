//! New blends: proposes the run, stand and skill clips from clip names and travel speeds.

mod fade_midpoints;
mod entry;
pub mod fades;
mod fade_lengths;
pub mod tree;

use crate::{OpenDocument, Session, Severity, Shown};
use portamento_anim::{Clip, Model, Roles, RootMotion, root_motion};
use portamento_base::message::message;
use portamento_blend::{Action, Event, Scenario, Settings};
use portamento_takes::document::take::Blend;
use portamento_takes::document::{FileId, Take, TakeId, TakeSource};

/// Proposed clip names for a scenario; empty if no clip fits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Proposal {
    /// For run events.
    pub run: String,
    /// For stand and stop events.
    pub stand: String,
    /// For cast events.
    pub skill: String,
}

/// Name fragments that identify a clip, most specific first.
const RUN: [&str; 6] = ["run", "sprint", "jog", "walk", "跑", "走"];
const STAND: [&str; 6] = ["idle", "stand", "breath", "wait", "待机", "站"];
const SKILL: [&str; 10] = ["cast", "skill", "shoot", "attack", "strike", "spell", "throw", "slash", "施法", "攻击"];

/// Proposes the run, stand and skill clips of `model` by name. Without a matching name, run is the fastest clip,
/// stand the slowest and skill the slowest remaining one.
pub(super) fn propose(model: &Model, roles: &Roles, metres_per_unit: f64) -> Proposal {
    let named = |words: &[&str], used: &[&str]| {
        words.iter().find_map(|word| by_word(&model.clips, word, used)).map(|clip| clip.name.clone())
    };
    let speeds: Vec<f64> = model.clips.iter().map(|clip| speed(model, clip, roles) * metres_per_unit).collect();
    let by_speed = |sign: f64, used: &[&str]| {
        let free = (0..speeds.len()).filter(|&i| !used.contains(&&*model.clips[i].name));
        free.max_by(|&a, &b| (sign * speeds[a]).total_cmp(&(sign * speeds[b]))).map(|i| model.clips[i].name.clone())
    };
    let run = named(&RUN, &[]).or_else(|| by_speed(1.0, &[])).unwrap_or_default();
    let stand = named(&STAND, &[&run]).or_else(|| by_speed(-1.0, &[&run])).unwrap_or_default();
    let skill = named(&SKILL, &[&run, &stand]).or_else(|| by_speed(-1.0, &[&run, &stand])).unwrap_or_default();
    Proposal { run, stand, skill }
}

/// Returns the unused clip with the shortest name that contains `word`, which is lower case; `None` if there is none.
fn by_word<'c>(clips: &'c [Clip], word: &str, used: &[&str]) -> Option<&'c Clip> {
    let fits = |clip: &&Clip| clip.name.to_lowercase().contains(word) && !used.contains(&&*clip.name);
    clips.iter().filter(fits).min_by_key(|clip| clip.name.chars().count())
}

/// Returns the ground speed between the first and last pose of a clip, file units per second. 0 without root motion.
fn speed(model: &Model, clip: &Clip, roles: &Roles) -> f64 {
    let Some(root) = RootMotion::find(&model.skeleton, clip, roles).filter(|_| clip.duration > 0.0) else { return 0.0 };
    let path = root_motion::path(&model.skeleton, clip, root.joint, &[0.0, clip.duration]);
    let travel = path[1] - path[0];
    travel.x.hypot(travel.z) / clip.duration
}

impl Session {
    /// Adds a scenario take on `character`, or on the shown character, or on the first one, and shows it. Parts for which it has
    /// no clip are filled from the clips of other files. The clip `with` fills the part that its name suggests, otherwise the
    /// skill. Adds a notice if there is no character.
    pub(crate) fn add_scenario(&mut self, character: Option<FileId>, with: Option<(FileId, String)>) {
        let Some(character) = character.or_else(|| self.opened().blended_character(&self.selection.shown)) else {
            let message =
                message!("notice.nobody_to_blend", "No character to blend on. Open a character with clips first.",);
            return self.notices.add(Severity::Warning, message);
        };
        let Some(loaded) = self.library.get(character).cloned() else { return };
        let roles = self.document.character(character).map(|known| known.roles.clone()).unwrap_or_default();
        let unit = self.document.file(character).map_or(1.0, |file| file.metres_per_unit);
        let mut proposal = propose(&loaded.model, &roles.fitting(&loaded.model.skeleton), unit);
        let mut files = self.opened().fill_from_other_files(&mut proposal, character);
        if let Some((file, clip)) = with {
            files.extend((file != character && !files.contains(&file)).then_some(file));
            part_for(&mut proposal, &clip).clone_from(&clip);
        }
        let settings = Settings::Scenario(scenario(&proposal));
        self.add_take(Take {
            id: TakeId(0),
            name: "run cast stop".into(),
            character,
            source: TakeSource::Scenario(Box::new(Blend { settings, files, ..Blend::default() })),
            stages: Vec::new(),
            loops: None,
        });
    }
}

impl OpenDocument<'_> {
    /// Returns the character of `shown` if it has clips, else the first file with clips; `None` if no file has clips.
    pub(crate) fn shown_or_first_character(self, shown: &Shown) -> Option<FileId> {
        let files = self.document.files.iter().map(|file| file.id);
        shown.character(self.document).into_iter().chain(files).find(|&id| self.has_clips(id))
    }

    /// Returns the character to blend on: that of `shown` if it has a mesh, else the first one with clips and a mesh, or with a
    /// mesh, else that of `shown` or the first one with clips. One without clips is blended from those of other files; `None` if
    /// no file has clips.
    fn blended_character(self, shown: &Shown) -> Option<FileId> {
        let has_hips = |id: FileId| self.document.character(id).is_some_and(|known| known.roles.hips.is_some());
        let is_drawn = |id: &FileId| self.has_faces(*id) && (self.has_clips(*id) || has_hips(*id));
        let files = || self.document.files.iter().map(|file| file.id);
        let with_clips = self.shown_or_first_character(shown)?;
        let shown = shown.character(self.document).filter(is_drawn);
        let complete = || files().find(|id| self.has_clips(*id) && is_drawn(id));
        Some(shown.or_else(complete).or_else(|| files().find(is_drawn)).unwrap_or(with_clips))
    }

    /// True if file `id` has clips.
    fn has_clips(self, id: FileId) -> bool {
        self.library.get(id).is_some_and(|loaded| !loaded.model.clips.is_empty())
    }

    /// Fills the empty parts of `proposal` for `character` with clips of other files whose names fit. Returns the files used.
    fn fill_from_other_files(self, proposal: &mut Proposal, character: FileId) -> Vec<FileId> {
        let others = self.document.files.iter().map(|file| file.id).filter(|&file| file != character);
        let others: Vec<(FileId, &[Clip])> =
            others.filter_map(|file| Some((file, &*self.library.get(file)?.model.clips))).collect();
        let mut used = Vec::new();
        let parts = [(&mut proposal.run, &RUN[..]), (&mut proposal.stand, &STAND), (&mut proposal.skill, &SKILL)];
        for (part, words) in parts.into_iter().filter(|(part, _)| part.is_empty()) {
            let found = words
                .iter()
                .find_map(|word| others.iter().find_map(|&(file, clips)| Some((file, by_word(clips, word, &[])?))));
            if let Some((file, clip)) = found {
                part.clone_from(&clip.name);
                used.extend((!used.contains(&file)).then_some(file));
            }
        }
        used
    }
}

/// Returns the field of `proposal` that the name of `clip` fits by its words; the skill if none fits.
fn part_for<'p>(proposal: &'p mut Proposal, clip: &str) -> &'p mut String {
    let name = clip.to_lowercase();
    let tells = |words: &[&str]| words.iter().any(|word| name.contains(word));
    match () {
        () if tells(&SKILL) => &mut proposal.skill,
        () if tells(&STAND) => &mut proposal.stand,
        () if tells(&RUN) => &mut proposal.run,
        () => &mut proposal.skill,
    }
}

/// Returns a scenario that runs, casts, stops during the cast and ends: one of each transition.
fn scenario(clips: &Proposal) -> Scenario {
    let events = [(0.0, Action::Run), (0.8, Action::Cast), (1.4, Action::Stop), (2.2, Action::End)];
    let event = |(time, action)| Event { time, action, ..Event::default() };
    Scenario {
        run: clips.run.clone(),
        stand: clips.stand.clone(),
        skill: clips.skill.clone(),
        events: events.map(event).to_vec(),
        ..Scenario::default()
    }
}

#[cfg(test)]
mod tests;
