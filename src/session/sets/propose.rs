//! Proposes sets from the clips of the open files.

use crate::delivery::{Bench, Subject};
use crate::{JobKey, Session, Severity};
use portamento_base::message::message;
use portamento_base::progress::Progress;
use portamento_sets::{ClipRequirements, Contract, SetRequirements, propose};
use portamento_takes::document::TakeSource;
use portamento_takes::document::clip_set::{ClipSet, MemberClip, SetMember};

impl Session {
    /// Starts a job that measures all clips of open files and adds the sets that their names and figures suggest. Sets of a
    /// known name are left out. Adds a notice.
    pub(crate) fn propose_sets(&mut self) {
        let subjects = self.subjects(&[]);
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

    /// Adds the sets of `contract` whose names are new, and a notice with their number.
    fn add_proposed(&mut self, contract: &Contract, subjects: &[Subject]) {
        let known: Vec<String> = self.document.sets.iter().map(|set| set.name.clone()).collect();
        let mut count = 0;
        for (name, set) in contract.sets.iter().filter(|(name, _)| !known.contains(name)) {
            self.document.add_set(set_of(name, set, contract, subjects));
            count += 1;
        }
        let (severity, message) = match count {
            0 => (
                Severity::Info,
                message!(
                    "notice.no_sets",
                    "No new sets were found. Sets are found by the names of clips, such as walk and walk_left, or start and stop."
                ),
            ),
            count => (Severity::Done, message!("notice.sets", "Added %{count} %{count|set|sets}.", count)),
        };
        self.notices.add(severity, message);
    }
}

/// Returns the set named `name` with its members found in `subjects`. Clips that are not found are left out.
fn set_of(name: &str, set: &SetRequirements, contract: &Contract, subjects: &[Subject]) -> ClipSet {
    let named = |selector: &String| {
        let alone = SetRequirements { clips: vec![selector.clone()], ..SetRequirements::default() };
        subjects.iter().find(|subject| alone.has_member(&subject.name))
    };
    let member = |subject: &Subject| SetMember {
        clip: clip_of(subject),
        requirements: ClipRequirements::of(&contract.clips, &subject.name.file, &subject.name.clip),
    };
    ClipSet {
        name: name.to_owned(),
        members: set.clips.iter().filter_map(named).map(member).collect(),
        stance: set.stance.as_ref().and_then(named).map(clip_of),
        requirements: SetRequirements { clips: Vec::new(), stance: None, ..set.clone() },
    }
}

/// Returns the member clip of `subject`: its clip, or else its take.
fn clip_of(subject: &Subject) -> MemberClip {
    match &subject.take.source {
        TakeSource::Clip { file, clip } => MemberClip::Clip { file: *file, clip: clip.clone() },
        _ => MemberClip::Take(subject.take.id),
    }
}
