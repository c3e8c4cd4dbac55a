//! A new blend: which clips run, stand and cast is proposed from their names and from how fast they travel.

mod bent;
mod entry;
pub mod fades;
mod hurried;
pub mod tree;

use crate::anim::{Clip, Model, Roles, RootMotion, root_motion};
use crate::document::take::Blend;
use crate::document::{FileId, Take, TakeId, TakeSource};
use crate::message::message;
use crate::session::{OpenDocument, Session, Severity, Shown};
use crate::systems::blend::{Action, Event, Scenario, Settings};

/// Names of clips for the parts of a scenario; empty where nothing fits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Proposal {
    /// For run events.
    pub run: String,
    /// For stand and stop events.
    pub stand: String,
    /// For cast events.
    pub skill: String,
}

/// Words in the names of clips, the most telling first.
const RUN: [&str; 6] = ["run", "sprint", "jog", "walk", "跑", "走"];
const STAND: [&str; 6] = ["idle", "stand", "breath", "wait", "待机", "站"];
const SKILL: [&str; 10] = ["cast", "skill", "shoot", "attack", "strike", "spell", "throw", "slash", "施法", "攻击"];

/// The clips of `model` that run, stand and cast by their names; where no name tells, the fastest and the slowest by metres per
/// second of travel, and for the skill any other.
pub(super) fn propose(model: &Model, roles: &Roles, metres_per_unit: f64) -> Proposal {
    let named = |words: &[&str], taken: &[&str]| {
        words.iter().find_map(|word| by_word(&model.clips, word, taken)).map(|clip| clip.name.clone())
    };
    let speeds: Vec<f64> = model.clips.iter().map(|clip| speed(model, clip, roles) * metres_per_unit).collect();
    let by_speed = |sign: f64, taken: &[&str]| {
        let free = (0..speeds.len()).filter(|&i| !taken.contains(&&*model.clips[i].name));
        free.max_by(|&a, &b| (sign * speeds[a]).total_cmp(&(sign * speeds[b]))).map(|i| model.clips[i].name.clone())
    };
    let run = named(&RUN, &[]).or_else(|| by_speed(1.0, &[])).unwrap_or_default();
    let stand = named(&STAND, &[&run]).or_else(|| by_speed(-1.0, &[&run])).unwrap_or_default();
    let skill = named(&SKILL, &[&run, &stand]).or_else(|| by_speed(-1.0, &[&run, &stand])).unwrap_or_default();
    Proposal { run, stand, skill }
}

/// The clip with `word` in its name; the shortest name has the least besides.
fn by_word<'c>(clips: &'c [Clip], word: &str, taken: &[&str]) -> Option<&'c Clip> {
    let fits = |clip: &&Clip| clip.name.to_lowercase().contains(word) && !taken.contains(&&*clip.name);
    clips.iter().filter(fits).min_by_key(|clip| clip.name.chars().count())
}

/// Units per second between the ends of a clip, over the ground.
fn speed(model: &Model, clip: &Clip, roles: &Roles) -> f64 {
    let Some(root) = RootMotion::find(&model.skeleton, clip, roles).filter(|_| clip.duration > 0.0) else { return 0.0 };
    let path = root_motion::path(&model.skeleton, clip, root.joint, &[0.0, clip.duration]);
    let way = path[1] - path[0];
    way.x.hypot(way.z) / clip.duration
}

impl Session {
    /// A scenario on `character` (or what is shown, or the first that has clips); `with` takes the part its name tells, else
    /// the skill's.
    pub(in crate::session) fn add_scenario(&mut self, character: Option<FileId>, with: Option<(FileId, String)>) {
        let Some(character) = character.or_else(|| self.opened().character_at_hand(&self.selection.shown)) else {
            let message = message!(
                "notice.nobody_to_blend",
                "There is nobody to blend clips on. Open a character with clips first.",
            );
            return self.notices.say(Severity::Warning, message);
        };
        let Some(loaded) = self.library.get(character).cloned() else { return };
        let roles = self.document.character(character).map(|known| known.roles.clone()).unwrap_or_default();
        let unit = self.document.file(character).map_or(1.0, |file| file.metres_per_unit);
        let mut proposal = propose(&loaded.model, &roles.fitting(&loaded.model.skeleton), unit);
        let mut files = Vec::new();
        if let Some((file, clip)) = with {
            files.extend((file != character).then_some(file));
            part_for(&mut proposal, &clip).clone_from(&clip);
        }
        let settings = Settings::Scenario(scenario(&proposal));
        self.add_take(Take {
            id: TakeId(0),
            name: "run cast stop".into(),
            character,
            source: TakeSource::Scenario(Box::new(Blend { settings, files, ..Blend::default() })),
            stages: Vec::new(),
        });
    }
}

impl OpenDocument<'_> {
    /// The character of `shown`, or the first with clips.
    pub(in crate::session) fn character_at_hand(self, shown: &Shown) -> Option<FileId> {
        let has_clips = |id: &FileId| self.library.get(*id).is_some_and(|loaded| !loaded.model.clips.is_empty());
        let files = self.document.files.iter().map(|file| file.id);
        shown.character(self.document).into_iter().chain(files).find(has_clips)
    }
}

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

/// Runs, casts on the run, stops in the middle of it, and is done: every kind of transition once.
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
