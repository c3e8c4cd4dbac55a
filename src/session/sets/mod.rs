//! The sets of the document: proposals, figures and repair.

mod aim_grid;
mod bring;
mod members;
mod propose;
#[cfg(test)]
mod tests;

pub use aim_grid::AimGridRequest;

use std::collections::BTreeMap;

use crate::delivery::{Bench, Subject, is_same};
use crate::{JobKey, OpenDocument, Session};
use portamento_base::budget::Budget;
use portamento_base::message::Message;
use portamento_base::progress::Progress;
use portamento_sets::{ClipName, ClipRequirements, Contract, Report, Requirement, Row, SetRequirements, check};
use portamento_takes::document::clip_set::{ClipSet, MemberClip};
use portamento_takes::document::{Document, Library, Take, TakeId, TakeSource, free_name};

/// File name of takes in the names of members.
const TAKE_FILE: &str = "take";

/// The figures of all sets of the document.
#[derive(Debug, Default)]
pub struct SetTable {
    /// True while sets are shown. Only then they are measured.
    pub is_shown: bool,
    /// The result of the last search for sets, if it found none.
    pub note: Option<Message>,
    /// Index of the set that got members last, until the window shows it.
    pub extended: Option<usize>,
    measured: Option<MeasuredSets>,
    /// Requirements that the last repair did not meet, with the reason.
    unmet: Vec<UnmetCell>,
}

/// The reports of all sets of one state of the document.
#[derive(Debug)]
struct MeasuredSets {
    document: Document,
    library: Library,
    /// One per set; `None` if a set could not be measured.
    reports: Vec<Option<Report>>,
}

/// A requirement that a repair did not meet.
#[derive(Clone, Debug, PartialEq)]
struct UnmetCell {
    set: String,
    member: Option<usize>,
    requirement: Requirement,
    why: Message,
}

/// A requirement of a set with its figure.
#[derive(Clone, Debug, PartialEq)]
pub struct SetCell {
    /// Index of the member; `None` for a figure of the whole set.
    pub member: Option<usize>,
    /// The requirement with its figure.
    pub row: Row,
    /// The reason why the last repair did not meet it.
    pub why: Option<Message>,
}

/// The requirements that a repair is to meet.
#[derive(Clone, Debug, PartialEq)]
pub struct BringRequest {
    /// Index of the set.
    pub set: usize,
    /// The only requirement to repair; `None` for all.
    pub only: Option<Row>,
}

impl BringRequest {
    /// True if the requirement `row` is to be repaired.
    fn wants(&self, row: &Row) -> bool {
        self.only.as_ref().is_none_or(|only| is_same(only, row))
    }
}

impl OpenDocument<'_> {
    /// Returns the member `clip` as subject of a measurement; `None` if its file or take is not open.
    fn subject(&self, clip: &MemberClip) -> Option<Subject> {
        match clip {
            MemberClip::Take(id) => {
                let take = self.document.take(*id)?.clone();
                Some(Subject { name: ClipName { file: TAKE_FILE.into(), clip: take.name.clone() }, take })
            }
            MemberClip::Clip { file, clip } => {
                let source = self.document.file(*file)?;
                self.library.get(*file)?.model.clip(clip)?;
                let name = source.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let take = Take {
                    id: TakeId(0),
                    name: clip.clone(),
                    character: *file,
                    source: TakeSource::Clip { file: *file, clip: clip.clone() },
                    stages: Vec::new(),
                    loops: None,
                };
                Some(Subject { name: ClipName { file: name, clip: clip.clone() }, take })
            }
        }
    }

    /// Returns the members of `set` as subjects, with the stance at the end. `None` for those that are not open. Members of equal
    /// names get a number.
    fn subjects_of(&self, set: &ClipSet) -> Vec<Option<Subject>> {
        let members = set.members.iter().map(|member| &member.clip);
        let mut subjects: Vec<Option<Subject>> = members.chain(&set.stance).map(|clip| self.subject(clip)).collect();
        number_equal_names(subjects[..set.members.len()].iter_mut().flatten());
        subjects
    }
}

/// Adds a number to the names of those `subjects` that are named like an earlier one.
fn number_equal_names<'a>(subjects: impl Iterator<Item = &'a mut Subject>) {
    let mut used: Vec<ClipName> = Vec::new();
    for Subject { name, .. } in subjects {
        let is_used = |clip: &str| used.iter().any(|other| other.file == name.file && other.clip == clip);
        let clip = free_name(&name.clip, is_used);
        name.clip = clip;
        used.push(name.clone());
    }
}

/// Returns the contract of `set`, whose members and stance are `subjects`.
fn contract_of(set: &ClipSet, subjects: &[Option<Subject>]) -> Contract {
    let name = |at: usize| match subjects.get(at) {
        Some(Some(subject)) => subject.name.to_string(),
        // No clip has such a name, so the member is reported as missing.
        _ => match set.members.get(at).map(|member| &member.clip) {
            Some(MemberClip::Clip { clip, .. }) => format!("{clip}:"),
            _ => format!("{}:", at + 1),
        },
    };
    let members = 0..set.members.len();
    let stance = set.stance.as_ref().map(|_| name(set.members.len()));
    let requirements =
        SetRequirements { clips: members.clone().map(name).collect(), stance, ..set.requirements.clone() };
    let own = members.map(|at| (name(at), set.members[at].requirements.clone()));
    let own: BTreeMap<String, ClipRequirements> =
        own.filter(|(_, requirements)| *requirements != ClipRequirements::default()).collect();
    Contract { clips: own, sets: BTreeMap::from([(set.name.clone(), requirements)]), ..Contract::default() }
}

/// Returns the index of the member called `name`. The stance follows the last member. `None` if there is none.
fn member_index(subjects: &[Option<Subject>], name: &ClipName) -> Option<usize> {
    subjects.iter().position(|subject| subject.as_ref().is_some_and(|subject| subject.name == *name))
}

impl Session {
    /// Returns all requirements of the set at `index` with their figures; `None` while they are being measured, or if there
    /// is no such set.
    pub fn set_cells(&self, index: usize) -> Option<Vec<SetCell>> {
        let measured = self.sets.measured.as_ref()?;
        let (set, report) = (self.document.sets.get(index)?, measured.reports.get(index)?.as_ref()?);
        let known = measured.document.sets.get(index).filter(|known| *known == set)?;
        let opened = OpenDocument { document: &measured.document, library: &measured.library };
        let subjects = opened.subjects_of(known);
        let cell = |row: &Row| {
            let member = row.clip.as_ref().and_then(|name| member_index(&subjects, name));
            let unmet =
                self.sets.unmet.iter().find(|unmet| {
                    unmet.set == set.name && unmet.member == member && unmet.requirement == row.requirement
                });
            SetCell { member, row: row.clone(), why: unmet.map(|unmet| unmet.why.clone()) }
        };
        let is_of_set =
            |row: &&Row| row.requirement != Requirement::Clips || row.verdict() != portamento_sets::Verdict::Met;
        Some(report.rows.iter().filter(is_of_set).map(cell).collect())
    }

    /// Returns the name of the member of a set. It is empty for a take that no longer exists.
    pub fn member_name(&self, clip: &MemberClip) -> String {
        match clip {
            MemberClip::Clip { clip, .. } => clip.clone(),
            MemberClip::Take(id) => self.document.take(*id).map_or_else(String::new, |take| take.name.clone()),
        }
    }

    /// True while sets are measured, proposed or repaired.
    pub fn is_working_on_sets(&self) -> bool {
        [JobKey::MeasureSets, JobKey::ProposeSets, JobKey::AddToSet, JobKey::BringSet]
            .iter()
            .any(|key| self.jobs.is_running(key))
    }

    /// Starts a job that measures the sets if they are shown and the document changed; does nothing unless `calm` (no drag or text
    /// input is active).
    pub(crate) fn measure_sets(&mut self, calm: bool) {
        let is_current =
            |measured: &MeasuredSets| measured.document == self.document && measured.library == self.library;
        let is_idle = !self.sets.is_shown || self.document.sets.is_empty() || !calm || self.is_working_on_sets();
        if is_idle || self.sets.measured.as_ref().is_some_and(is_current) {
            return;
        }
        let (document, library) = (self.document.clone(), self.library.clone());
        let work = move |progress: &Progress| {
            let reports = document.sets.iter().map(|set| report(&document, &library, set, progress)).collect();
            MeasuredSets { document, library, reports }
        };
        self.jobs.start(JobKey::MeasureSets, work, |session, measured| session.sets.measured = Some(measured));
    }
}

/// Measures and checks `set`; `None` if the work is cancelled or the report needs too much memory.
fn report(document: &Document, library: &Library, set: &ClipSet, progress: &Progress) -> Option<Report> {
    let subjects = OpenDocument { document, library }.subjects_of(set);
    let contract = contract_of(set, &subjects);
    let bench = Bench::new(document, library, subjects.into_iter().flatten().collect(), progress).ok()?;
    check(&contract, &bench.members(), &Budget::new()).ok()
}
