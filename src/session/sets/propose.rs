//! Proposes sets from the clips of the open files and the takes.

use super::number_equal_names;
use crate::delivery::{Bench, Subject};
use crate::{JobKey, Session, Severity};
use portamento_base::message::message;
use portamento_base::progress::Progress;
use portamento_sets::{ClipRequirements, Contract, SetRequirements, propose};
use portamento_takes::document::clip_set::{ClipSet, MemberClip, SetMember};
use portamento_takes::document::{TakeId, TakeSource};

/// Smallest number of members of a proposed set.
const MIN_MEMBERS: usize = 2;

impl Session {
    /// Starts a job that measures all clips of open files and all takes, and adds the sets that their names and figures suggest.
    /// Sets of a known name are left out. Adds a notice with their number; if none is found while sets are shown, that is a note
    /// of their table instead.
    pub(crate) fn propose_sets(&mut self) {
        self.sets.note = None;
        let subjects = self.candidates();
        let (document, library) = (self.document.clone(), self.library.clone());
        let work = move |progress: &Progress| {
            let bench = Bench::new(&document, &library, subjects.clone(), progress);
            let members = bench.map(|bench| bench.members()).unwrap_or_default();
            (propose(&members), subjects)
        };
        self.jobs.start(JobKey::ProposeSets, work, |session, (contract, subjects)| {
            session.add_proposed(&contract, &subjects);
        });
    }

    /// Returns the takes that are in no set and the clips of open files. Takes come first: where one clip of several is used, it
    /// is a take.
    fn candidates(&self) -> Vec<Subject> {
        let takes = self.document.takes.iter().filter(|take| take.moves_joints());
        let members = takes.map(|take| MemberClip::Take(take.id));
        let is_free = |clip: &MemberClip| !self.document.sets.iter().any(|set| set.has(clip));
        let opened = self.opened();
        let mut subjects: Vec<Subject> =
            members.filter(is_free).filter_map(|clip| opened.subject(&clip)).chain(self.subjects(&[])).collect();
        number_equal_names(subjects.iter_mut());
        subjects
    }

    /// Adds the sets of `contract` whose names are new, and a notice with their number.
    fn add_proposed(&mut self, contract: &Contract, subjects: &[Subject]) {
        let known: Vec<String> = self.document.sets.iter().map(|set| set.name.clone()).collect();
        let new = contract.sets.iter().filter(|(name, _)| !known.contains(name));
        let new = new.map(|(name, set)| set_of(name, set, contract, subjects));
        let new: Vec<ClipSet> = new.filter(|set| set.members.len() >= MIN_MEMBERS).collect();
        let count = new.len();
        new.into_iter().for_each(|set| self.document.add_set(set));
        if count > 0 {
            let message = message!("notice.sets", "Added %{count} %{count|set|sets}.", count);
            return self.notices.add(Severity::Done, message);
        }
        let message = message!(
            "notice.no_sets",
            "No new sets were found. Sets are found by the names of clips and takes, such as walk and walk_left, or start and stop."
        );
        match self.sets.is_shown {
            true => self.sets.note = Some(message),
            false => self.notices.add(Severity::Info, message),
        }
    }
}

/// Returns the set named `name` with its members found in `subjects`. Clips that are not found are left out, and those of which
/// a take is a member.
pub(super) fn set_of(name: &str, set: &SetRequirements, contract: &Contract, subjects: &[Subject]) -> ClipSet {
    let named = |selector: &String| {
        let alone = SetRequirements { clips: vec![selector.clone()], ..SetRequirements::default() };
        subjects.iter().find(|subject| alone.has_member(&subject.name))
    };
    let found: Vec<&Subject> = set.clips.iter().filter_map(named).collect();
    let is_replaced = |subject: &Subject| {
        let is_its_take = |other: &&Subject| is_take(other) && other.take.source == subject.take.source;
        !is_take(subject) && found.iter().any(is_its_take)
    };
    let member =
        |subject: &&Subject| SetMember { clip: clip_of(subject), requirements: requirements_of(subject, contract) };
    ClipSet {
        name: name.to_owned(),
        members: found.iter().filter(|subject| !is_replaced(subject)).map(member).collect(),
        stance: set.stance.as_ref().and_then(named).map(clip_of),
        requirements: SetRequirements { clips: Vec::new(), stance: None, ..set.clone() },
    }
}

/// Returns what `contract` requires of `subject` alone.
pub(super) fn requirements_of(subject: &Subject, contract: &Contract) -> ClipRequirements {
    ClipRequirements::of(&contract.clips, &subject.name.file, &subject.name.clip)
}

/// Returns the member clip of `subject`: its take if the document has it, or else its clip.
pub(super) fn clip_of(subject: &Subject) -> MemberClip {
    match &subject.take.source {
        TakeSource::Clip { file, clip } if !is_take(subject) => MemberClip::Clip { file: *file, clip: clip.clone() },
        _ => MemberClip::Take(subject.take.id),
    }
}

/// True if `subject` is a take of the document.
fn is_take(subject: &Subject) -> bool {
    subject.take.id != TakeId(0)
}
