//! Brings clips to their contract: adds the stages that repair the broken requirements, and checks the result again.

use super::bench::{Bench, Repairing, Subject};
use super::steps::{self, Broken};
use portamento_base::budget::Budget;
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;
use portamento_sets::{ClipName, Contract, Measured, Member, Report, Requirement, Row, Verdict, check};
use portamento_takes::document::{Document, Library, Take, TakeId};
use portamento_takes::evaluate::TakeError;

/// Number of passes over all steps. A later step can break what an earlier one repaired; figures are exact after the second pass.
const MAX_PASSES: usize = 3;

/// Clips after their repair.
#[derive(Clone, Debug, Default)]
pub struct Repaired {
    /// All clips with their figures after the repair.
    pub members: Vec<Member>,
    /// The clips that were changed.
    pub takes: Vec<RepairedTake>,
    /// The check before the repair.
    pub before: Report,
    /// The check after the repair.
    pub after: Report,
    /// The chosen requirements that are not met after the repair.
    pub unmet: Vec<Unmet>,
}

/// A clip with the stages that repair it.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairedTake {
    /// Its name.
    pub name: ClipName,
    /// The take with the added stages.
    pub take: Take,
    /// Number of stages that were added; 0 for a clip that another one takes a pose from.
    pub added: usize,
    /// True if the take is new in the document.
    pub is_new: bool,
}

impl RepairedTake {
    /// Returns the names of the added stages.
    pub fn kinds(&self) -> Vec<&'static str> {
        let first = self.take.stages.len().saturating_sub(self.added);
        self.take.stages[first..].iter().map(|stage| stage.kind.name()).collect()
    }
}

/// A requirement that is not met after a repair.
#[derive(Clone, Debug, PartialEq)]
pub struct Unmet {
    /// The requirement with its figure after the repair.
    pub row: Row,
    /// The figure before the repair.
    pub before: Option<Measured>,
    /// The reason.
    pub why: Message,
}

impl Repaired {
    /// Repairs the rows of the contract that `is_chosen`, and those that the repair breaks. The document is not changed:
    /// [`crate::Session::add_repaired`] adds the result.
    ///
    /// Returns `Err` if `progress` is cancelled, or if the report needs too much memory.
    pub fn bring(
        (document, library): (&Document, &Library),
        subjects: Vec<Subject>,
        contract: &Contract,
        is_chosen: &dyn Fn(&Row) -> bool,
        progress: &Progress,
    ) -> Result<Self, TakeError> {
        let mut bench = Bench::new(document, library, subjects, progress)?;
        let before = check(contract, &bench.members(), &Budget::new())?;
        let met_rows: Vec<&Row> = before.rows.iter().filter(|row| row.verdict() == Verdict::Met).collect();
        let is_wanted = |row: &Row| is_chosen(row) || met_rows.iter().any(|known| is_same(known, row));
        for _ in 0..MAX_PASSES {
            let mut has_changed = false;
            for step in steps::ALL {
                let report = check(contract, &bench.members(), &Budget::new())?;
                let broken = report.rows.into_iter().filter(|row| is_open(row, &before) && is_wanted(row));
                step(&mut bench, &Broken { contract, rows: broken.collect() });
                has_changed |= bench.measure(progress)?;
            }
            if !has_changed {
                break;
            }
        }
        undo_harm(&mut bench, contract, &before, progress)?;
        let after = check(contract, &bench.members(), &Budget::new())?;
        let unmet = after.rows.iter().filter(|row| row.verdict() != Verdict::Met && is_wanted(row));
        let unmet = unmet.map(|row| unmet_row(row, &before, &bench)).collect();
        let takes = bench.repaired(document);
        Ok(Self { members: bench.members(), takes, before, after, unmet })
    }
}

/// True if a requirement is broken, or if its figure was measured `before` and no longer is.
fn is_open(row: &Row, before: &Report) -> bool {
    match row.verdict() {
        Verdict::Broken => true,
        Verdict::NotMeasured => before.rows.iter().any(|known| is_same(known, row) && known.measured.is_some()),
        Verdict::Met => false,
    }
}

/// Measures all clips again and removes the stages of those that meet fewer of their own requirements than before.
/// Returns `Err` if measuring fails or `progress` is cancelled.
fn undo_harm(bench: &mut Bench, contract: &Contract, before: &Report, progress: &Progress) -> Result<(), TakeError> {
    let after = check(contract, &bench.members(), &Budget::new())?;
    let count = |report: &Report, name: &ClipName| {
        let own = report.rows.iter().filter(|row| row.clip.as_ref() == Some(name));
        own.filter(|row| row.verdict() != Verdict::Met).count()
    };
    for clip in &mut bench.clips {
        if count(&after, &clip.name) > count(before, &clip.name) {
            clip.plan = Default::default();
            clip.failure = Some(message!(
                "repair.harm",
                "The clip stays as it is, because every repair breaks more of its requirements. Add stages one by one to decide yourself."
            ));
        }
    }
    bench.measure(progress)?;
    Ok(())
}

impl Bench {
    /// Returns the clips whose plan adds stages, and those that they take poses from.
    fn repaired(&self, document: &Document) -> Vec<RepairedTake> {
        let results: Vec<(&Repairing, Take)> = self.clips.iter().map(|clip| (clip, clip.result())).collect();
        let used: Vec<TakeId> = results.iter().flat_map(|(_, take)| take.used_takes()).collect();
        let added = |clip: &Repairing, take: &Take| take.stages.len() - clip.take.stages.len();
        let is_kept = |(clip, take): &(&Repairing, Take)| {
            let is_new = document.take(clip.id()).is_none();
            added(clip, take) > 0 || is_new && used.contains(&clip.id())
        };
        let repaired = |(clip, take): (&Repairing, Take)| RepairedTake {
            name: clip.name.clone(),
            added: added(clip, &take),
            is_new: document.take(clip.id()).is_none(),
            take,
        };
        results.into_iter().filter(is_kept).map(repaired).collect()
    }
}

/// True if two rows are about the same requirement of the same clips.
pub fn is_same(a: &Row, b: &Row) -> bool {
    a.requirement == b.requirement && a.set == b.set && a.clip == b.clip && a.other == b.other
}

/// Returns `row` with its figure `before` the repair and the reason why it is not met.
fn unmet_row(row: &Row, before: &Report, bench: &Bench) -> Unmet {
    let known = before.rows.iter().find(|known| is_same(known, row));
    let failure = row.clip.as_ref().and_then(|name| bench.clip(name)).and_then(|clip| clip.failure.clone());
    let why = failure.unwrap_or_else(|| reason(row));
    Unmet { row: row.clone(), before: known.and_then(|known| known.measured.clone()), why }
}

/// Returns the reason why no stage meets the requirement of `row`.
fn reason(row: &Row) -> Message {
    match (row.verdict(), row.requirement) {
        (Verdict::NotMeasured, _) => {
            message!("repair.unmeasured", "The figure cannot be measured, so nothing was changed for it.")
        }
        (_, Requirement::Clips) => {
            message!("repair.no_clip", "No stage makes a clip that does not exist. Add the file of the clip.")
        }
        (_, Requirement::RequiredBones | Requirement::AnimatedBones) => {
            message!(
                "repair.no_bone",
                "No stage adds joints or moves joints without keys. Correct the rig or the clip."
            )
        }
        (_, Requirement::StrideCount) => message!(
            "repair.strides",
            "The clips have different numbers of strides. Trim the longer ones, or remove them from the set."
        ),
        (_, Requirement::Climb | Requirement::Turn) => {
            message!(
                "repair.by_hand",
                "No stage changes the owner of this movement automatically. Change the contract or the clip."
            )
        }
        _ => message!("repair.rest", "The stages reduce the figure as far as they can, but not to the limit."),
    }
}
