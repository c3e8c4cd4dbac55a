//! Sets of members that the user chooses.

use super::propose::{clip_of, requirements_of, set_of};
use crate::delivery::{Bench, Subject};
use crate::{JobKey, Session, Severity, Shown, WindowCommand};
use portamento_base::message::message;
use portamento_base::progress::Progress;
use portamento_sets::{ClipRequirements, Contract, SetRequirements, propose};
use portamento_takes::document::clip_set::{ClipSet, MemberClip, SetMember};

/// Name of a set whose members have no common begin of a name.
const USUAL_NAME: &str = "set";
/// Smallest number of letters of a common begin of names that names a set. Chosen: shorter ones are prefixes of files.
const NAME_MIN_LETTERS: usize = 3;

impl Session {
    /// Returns the selected takes, or else the shown clip or take, without those that cannot become members of the set at
    /// `index` (`None` for a new set): they move no joints, or are members already.
    pub fn new_members(&self, index: Option<usize>) -> Vec<MemberClip> {
        let set = index.and_then(|index| self.document.sets.get(index));
        let is_new = |clip: &MemberClip| !set.is_some_and(|set| set.has(clip)) && self.may_be_member(clip);
        self.selected_motions().into_iter().filter(is_new).collect()
    }

    /// Starts a job that adds `members` to the set at `index`, or to a new one (`None`); without members, the selected takes, or
    /// else the shown clip or take. A set that was empty gets the kind that its members suggest, or else stays free. The result is
    /// one undo step. It is dropped if the set was changed meanwhile. Adds a notice if there is nothing to add.
    pub(crate) fn add_to_set(&mut self, index: Option<usize>, members: Vec<MemberClip>) {
        let before = match index.map(|index| self.document.sets.get(index)) {
            Some(Some(set)) => set.clone(),
            Some(None) => return,
            None => ClipSet::default(),
        };
        let mut set = before.clone();
        for clip in if members.is_empty() { self.selected_motions() } else { members } {
            if !set.has(&clip) && self.may_be_member(&clip) {
                set.members.push(SetMember { clip, requirements: ClipRequirements::default() });
            }
        }
        let from = before.members.len();
        if set.members.len() == from {
            let message = message!(
                "notice.no_new_members",
                "No take is selected that could join the set. Select takes in the outliner."
            );
            return self.notices.add(Severity::Info, message);
        }
        let subjects: Vec<Subject> = self.opened().subjects_of(&set).into_iter().flatten().collect();
        let (document, library) = (self.document.clone(), self.library.clone());
        let work = move |progress: &Progress| {
            let bench = Bench::new(&document, &library, subjects.clone(), progress);
            let members = bench.map(|bench| bench.members()).unwrap_or_default();
            with_proposal(set, from, &propose(&members), &subjects)
        };
        self.jobs.start(JobKey::AddToSet, work, move |session, set| session.use_extended(index, &before, set));
    }

    /// Replaces the set at `index`, which was `before`, by `set`, or adds it, and asks the window to show it. Adds a notice. Does
    /// nothing if the set was changed meanwhile.
    fn use_extended(&mut self, index: Option<usize>, before: &ClipSet, set: ClipSet) {
        let count = set.members.len() - before.members.len();
        let index = match index {
            None => {
                self.document.add_set(set);
                self.document.sets.len() - 1
            }
            Some(index) => match self.document.sets.get_mut(index).filter(|known| *known == before) {
                Some(known) => {
                    *known = set;
                    index
                }
                None => return,
            },
        };
        let set = &self.document.sets[index].name;
        let message =
            message!("notice.members_added", "Added %{count} %{count|member|members} to the set “%{set}”.", count, set);
        self.notices.add(Severity::Done, message);
        (self.sets.note, self.sets.extended) = (None, Some(index));
        self.window_requests.push(WindowCommand::AskSets);
    }

    /// Returns the selected takes, or else the shown clip or take. A clip that is shown on another character is left out.
    fn selected_motions(&self) -> Vec<MemberClip> {
        let takes = self.selection.chosen_takes(&self.document);
        match &self.selection.shown {
            _ if !takes.is_empty() => takes.into_iter().map(MemberClip::Take).collect(),
            Shown::Take(id) => vec![MemberClip::Take(*id)],
            Shown::Clip { character, file, clip } if character == file => vec![MemberClip::of(*file, clip)],
            _ => Vec::new(),
        }
    }

    /// True if `clip` is open and moves joints.
    fn may_be_member(&self, clip: &MemberClip) -> bool {
        self.opened().subject(clip).is_some_and(|subject| subject.take.moves_joints())
    }
}

/// Returns `set` with the requirements that `contract` suggests for its members from index `from` on, which are among `subjects`.
/// If all of them are new and the set has no requirements yet, a proposed set that has all of them gives the kind, the order and
/// the stance. A set without a name gets one.
fn with_proposal(mut set: ClipSet, from: usize, contract: &Contract, subjects: &[Subject]) -> ClipSet {
    if from == 0 && set.requirements == SetRequirements::default() {
        let proposed = contract.sets.iter().map(|(name, set)| set_of(name, set, contract, subjects));
        let has_all = |proposed: &ClipSet| set.members.iter().all(|member| proposed.has(&member.clip));
        if let Some(proposed) = proposed.into_iter().find(has_all) {
            let name = if set.name.is_empty() { proposed.name.clone() } else { set.name };
            return ClipSet { name, ..proposed };
        }
    }
    for member in &mut set.members[from..] {
        let subject = subjects.iter().find(|subject| clip_of(subject) == member.clip);
        member.requirements = subject.map(|subject| requirements_of(subject, contract)).unwrap_or_default();
    }
    if set.name.is_empty() {
        set.name = common_name(subjects.iter().map(|subject| &*subject.name.clip));
    }
    set
}

/// Returns the letters with which all `names` begin, without separators at the end, or else [`USUAL_NAME`].
fn common_name<'a>(mut names: impl Iterator<Item = &'a str>) -> String {
    let first = names.next().unwrap_or_default();
    let both = |begin: &'a str, name: &str| {
        let equal = begin.char_indices().zip(name.chars()).take_while(|((_, a), b)| a == b);
        &begin[..equal.map(|((at, letter), _)| at + letter.len_utf8()).last().unwrap_or(0)]
    };
    let common = names.fold(first, both).trim_end_matches(|letter: char| !letter.is_alphanumeric());
    if common.chars().count() >= NAME_MIN_LETTERS { common.to_owned() } else { USUAL_NAME.to_owned() }
}
