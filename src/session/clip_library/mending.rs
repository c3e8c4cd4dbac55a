//! Creates takes that fix listed clips. Each result is built and measured again to find what remains or was
//! introduced.

use std::cmp::Ordering;
use std::sync::Arc;

use rayon::prelude::*;

use super::harm::harm;
use super::mend::{alternatives, is_stationary, quality_within, remedies, with_stages};
use super::{ClipRow, Stack, mends};
use crate::background::in_background;
use crate::{JobKey, OpenDocument, Session, Severity};
use portamento_anim::quality::{Finding, Quality};
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;
use portamento_takes::document::{Document, FileId, Library, StageKind, Take};
use portamento_takes::evaluate::{BuiltTake, TakeCache};

/// Maximum number of passes that add stages. Tuned; no derivation recorded.
const MAX_PASSES: usize = 4;

/// Slide and penetration count as fixed below this share of the original, or below the visible limits.
const MAX_REMAINING_SHARE: f64 = 0.1;
const UNSEEN_SLIDE_CM_PER_S: f64 = 1.0;
const UNSEEN_SINKING_CM: f64 = 1.0;

/// Approximate share of building in the time to build and measure a take.
const BUILD_TIME_SHARE: f64 = 0.5;

/// Loop gap up to which a fixed loop is closed, fraction of the body size.
const CLOSED_MAX_GAP: f64 = 1e-5;

/// A request to fix clips, with the names of the takes.
#[derive(Clone, Debug, PartialEq)]
pub struct MendRequest {
    /// The clips; those without findings are only counted.
    pub rows: Vec<ClipRow>,
    /// The name of a take, with `%{clip}` for its clip.
    pub take: String,
    /// The name of the folder that groups several takes.
    pub folder: String,
}

impl MendRequest {
    /// Returns a request with language-independent names, for files.
    pub fn new(rows: Vec<ClipRow>) -> Self {
        Self { rows, take: "%{clip} mended".into(), folder: "mended".into() }
    }
}

/// A motion to fix.
pub(crate) struct Faulty {
    /// The take without the fixing stages. Its name indicates whether the motion is meant to loop.
    pub take: Take,
    /// The figures of the take.
    pub quality: Quality,
}

/// The fixing stages and the figures after them; `None` if the result cannot be built or measured.
#[derive(Clone, Default)]
pub(crate) struct MendedClip {
    /// The fixing stages, in order.
    pub kinds: Vec<StageKind>,
    /// The figures after the stages, with the findings that are left.
    pub left: Option<Quality>,
    /// The figure that the stages make worse, if any.
    pub harm: Option<Message>,
}

/// The figures of a built fix.
struct Measured {
    /// The figures after the stages, with the findings that are left.
    left: Quality,
    /// The figure that the stages make worse, if any.
    harm: Option<Message>,
}

/// A snapshot of the open files for background work.
pub(crate) struct OpenFiles {
    pub document: Document,
    pub library: Library,
}

impl Session {
    /// Starts a job that finds a fix for each clip with fixable findings; their takes are added when it ends. Opens files
    /// first if needed.
    pub(crate) fn mend_clips(&mut self, request: MendRequest) {
        let can = |row: &ClipRow| row.quality.as_ref().is_some_and(|quality| !mends(quality).is_empty());
        let rows: Vec<ClipRow> = request.rows.iter().filter(|row| can(row)).cloned().collect();
        self.with_clips(rows, |session, clips| {
            let found = |(file, row): (FileId, ClipRow)| {
                let quality = row.quality.clone()?;
                let take = Stack { name: row.clip.clone(), kinds: Vec::new() }.over(file, &row.clip);
                Some((row, Faulty { take, quality }))
            };
            let (rows, motions): (Vec<ClipRow>, Vec<Faulty>) = clips.into_iter().filter_map(found).unzip();
            let clip = |motion: &Faulty| (motion.take.character, motion.take.name.clone());
            let key = JobKey::Mend(motions.iter().map(clip).collect());
            let open = OpenFiles { document: session.document.clone(), library: session.library.clone() };
            let work = move |progress: &Progress| {
                let mended = open.all_mended(&motions, progress);
                let files = motions.iter().map(|motion| motion.take.character);
                files.zip(rows).zip(mended).collect()
            };
            session.jobs.start(key, work, move |session, clips| session.add_mended(&request, clips));
        });
    }

    /// Adds the finished takes to the document. A clip that every fix would make worse is left unchanged and reported.
    /// Shows the first new take, groups several in a folder, and adds notices.
    fn add_mended(&mut self, request: &MendRequest, clips: Vec<((FileId, ClipRow), MendedClip)>) {
        let (before, mut left) = (self.document.takes.len(), 0);
        self.clips.refused.clear();
        for ((file, row), MendedClip { kinds, left: after, harm }) in clips {
            // The file may have been closed meanwhile.
            if let Some(harm) = harm {
                self.clips.refused.push((row, harm));
            } else if self.document.files.iter().any(|open| open.id == file) {
                let name = request.take.replace("%{clip}", &row.clip);
                let id = self.add_stack(file, &row.clip, Stack { name, kinds });
                left += usize::from(after.as_ref().is_none_or(|after| !after.findings.is_empty()));
                let opened = OpenDocument { document: &self.document, library: &self.library };
                let added = self.document.take(id);
                added.into_iter().for_each(|take| self.clips.keep_mended(take, opened, after.clone()));
            }
        }
        self.notices.add_all(Severity::Warning, refused_message(&self.clips.refused));
        self.gather_new_takes(before, &request.folder);
        let added = self.document.takes.len() - before;
        // If no take was added, opening the files already reported why.
        if added > 0 {
            self.notices.add(Severity::Done, result_message(added, left, &request.rows));
        }
    }
}

/// Returns the message for `count` new takes of which `left` still have findings.
fn result_message(count: usize, left: usize, rows: &[ClipRow]) -> Message {
    let is_sound = |row: &&ClipRow| row.quality.as_ref().is_some_and(|quality| quality.findings.is_empty());
    match rows.iter().filter(is_sound).count() {
        0 => message!(
            "notice.mended",
            "Fixed %{count} %{count|clip|clips}; %{left} still %{left|has|have} findings.",
            count,
            left
        ),
        sound => message!(
            "notice.mended_some",
            "Fixed %{count} %{count|clip|clips}; %{left} still %{left|has|have} findings. %{sound} of %{all} %{all|clip|clips} needed no fix.",
            count,
            left,
            sound,
            all = rows.len()
        ),
    }
}

/// Returns the message about clips that were left unchanged; `None` if there are none.
fn refused_message(refused: &[(ClipRow, Message)]) -> Option<Message> {
    let (first, harm) = refused.first()?;
    Some(message!(
        "notice.mends_refused",
        "%{count} %{count|clip was|clips were} not fixed, because every fix makes the motion worse. With “%{clip}”, %{harm}. Add \
         stages one by one to decide yourself.",
        count = refused.len(),
        clip = &first.clip,
        harm = harm
    ))
}

impl OpenFiles {
    /// Returns the best repair of each clip, in the order of `clips`. The result is incomplete if cancelled. Clips are
    /// fixed in parallel.
    fn all_mended(&self, clips: &[Faulty], progress: &Progress) -> Vec<MendedClip> {
        let of_clip = |clip: &Faulty| {
            let part = progress.one_of(clips.len());
            let mended = self.best(clip, &mut TakeCache::default(), &part);
            // The result of a cancelled job is not used.
            let _ = part.finish();
            mended
        };
        in_background(|| clips.par_iter().map(of_clip).collect())
    }

    /// Returns the best fix of a clip: the alternative without remaining findings whose feet stand longest, otherwise the one
    /// with the fewest findings. If each alternative makes a figure worse, parts of them are tried. Its harm is set if no part of a fix is
    /// harmless.
    pub fn best(&self, clip: &Faulty, cache: &mut TakeCache, progress: &Progress) -> MendedClip {
        let mut best: Option<MendedClip> = None;
        for kinds in alternatives(&clip.quality) {
            let mended = self.mended_in_passes(clip, kinds, cache, progress);
            if best.as_ref().is_none_or(|best| mended.is_better(best, clip)) {
                best = Some(mended);
            }
        }
        let best = best.unwrap_or_default();
        if best.harm.is_none() {
            return best;
        }
        let parts = alternatives(&clip.quality).into_iter().flat_map(parts);
        let mended = parts.map(|kinds| self.mended(clip, kinds, cache, progress));
        let harmless = mended.filter(|part| part.harm.is_none() && part.left.is_some());
        harmless
            .min_by(|a, b| a.remaining(clip).partial_cmp(&b.remaining(clip)).unwrap_or(Ordering::Equal))
            .unwrap_or(best)
    }

    /// Adds fixing stages in passes and returns the best pass; a pass may leave findings that only the next one
    /// fixes. Begins with `kinds` and adds stages at most [`MAX_PASSES`] times.
    fn mended_in_passes(
        &self,
        clip: &Faulty,
        kinds: Vec<StageKind>,
        cache: &mut TakeCache,
        progress: &Progress,
    ) -> MendedClip {
        let mut last = self.mended(clip, kinds, cache, progress);
        let mut best = last.clone();
        for _ in 0..MAX_PASSES {
            let Some(more) = last.next_mends(clip) else { break };
            last = self.mended(clip, [&last.kinds[..], &more].concat(), cache, progress);
            if last.remaining(clip) < best.remaining(clip) {
                best = last.clone();
            }
        }
        best
    }

    /// Builds and measures `kinds`. Drops a final close stage if the loop is closed without it, because closing blurs
    /// the motion. The figures are `None` if the result cannot be built or measured.
    pub fn mended(
        &self,
        clip: &Faulty,
        mut kinds: Vec<StageKind>,
        cache: &mut TakeCache,
        progress: &Progress,
    ) -> MendedClip {
        if let Some((StageKind::Close(_), others)) = kinds.split_last()
            && let Ok(measured) = self.measured(clip, others, cache, progress)
            && repeats(&clip.quality, &measured.left)
        {
            kinds.pop();
            return MendedClip { kinds, left: Some(measured.left), harm: measured.harm };
        }
        match self.measured(clip, &kinds, cache, progress) {
            Ok(Measured { left, harm }) => MendedClip { kinds, left: Some(left), harm },
            Err(_) => MendedClip { kinds, left: None, harm: None },
        }
    }

    /// Builds `clip` with the additional stages `kinds` and returns the figures of the result and its harm. Returns `Err` if it
    /// cannot be built or measured, or if cancelled.
    fn measured(
        &self,
        clip: &Faulty,
        kinds: &[StageKind],
        cache: &mut TakeCache,
        progress: &Progress,
    ) -> Result<Measured, Message> {
        let take = with_stages(&clip.take, kinds.to_vec());
        // The number of takes is unknown, so each one gets half of the remaining progress.
        let part = progress.share(0.5 * (1.0 - f64::from(progress.fraction())));
        let figures = self.built(&take, cache, &part);
        let _ = part.finish();
        let (built, after) = figures?;
        let left = with_unmended(&clip.quality, after);
        let own = clip.take.stages.iter().filter(|stage| stage.is_active()).count();
        // A stage that was not applied fixes nothing.
        let undone = built.stages.iter().skip(own).find_map(|stage| stage.undone.as_ref()).map(Tell::message);
        let harm = undone.or_else(|| harm(&built, built.before_stage(own), [&clip.quality, &left]));
        Ok(Measured { left, harm })
    }

    /// Builds and measures `take`. Returns `Err` if it cannot be built or measured. An error is also returned if cancelled.
    pub fn built(
        &self,
        take: &Take,
        cache: &mut TakeCache,
        progress: &Progress,
    ) -> Result<(Arc<BuiltTake>, Quality), Message> {
        let building = progress.share(BUILD_TIME_SHARE);
        let built = cache.take(&self.document, &self.library, take, &building).map_err(|error| error.message())?;
        building.finish().map_err(|cancelled| cancelled.message())?;
        let quality = quality_within(&built, progress).map_err(|cancelled| cancelled.message())?;
        quality.map(|quality| (built, quality)).ok_or_else(|| {
            message!(
                "error.motion.unmeasured",
                "The motion cannot be measured. Check that its joints move for at most an hour."
            )
        })
    }
}

impl MendedClip {
    /// True if this fix of `clip` is better than `other`: of two that leave nothing the one whose feet stand longer, since locked feet
    /// of a body that drifts must catch up; else the one that leaves less.
    fn is_better(&self, other: &Self, clip: &Faulty) -> bool {
        let standing = |fix: &Self| fix.left.as_ref().and_then(|left| left.feet).map_or(0.0, |feet| feet.standing);
        let both = self.is_complete(clip) && other.is_complete(clip);
        if both { standing(self) > standing(other) } else { self.remaining(clip) < other.remaining(clip) }
    }

    /// True if no finding is left and the remaining slide is invisible.
    fn is_complete(&self, clip: &Faulty) -> bool {
        let is_seen = |slide: f64| slide > UNSEEN_SLIDE_CM_PER_S;
        self.remaining(clip)[0] == 0.0 && self.left.as_ref().is_some_and(|left| !is_seen(travelling_slide(left)))
    }

    /// Returns stages for the remaining findings, including visible foot slide. Drift is ignored directly after its removal:
    /// travel that then remains is intended. `None` if nothing is left to fix or the result was not measured.
    fn next_mends(&self, clip: &Faulty) -> Option<Vec<StageKind>> {
        let mut left = self.left.clone()?;
        let slid = clip.quality.findings.contains(&Finding::FeetSlide);
        let slides = left.findings.contains(&Finding::FeetSlide);
        if slid && !slides && travelling_slide(&left) > UNSEEN_SLIDE_CM_PER_S {
            left.findings.push(Finding::FeetSlide);
        }
        if matches!(self.kinds.last(), Some(StageKind::Root(_))) {
            left.feet.iter_mut().for_each(|feet| feet.drift = None);
        }
        Some(remedies(&left)).filter(|more| !more.is_empty())
    }

    /// Returns the remaining faults for comparison: number of findings, new findings, slide (mm/s, rounded) and
    /// penetration (cm, rounded). Infinite if the result lost its root travel or is worse in any figure.
    fn remaining(&self, clip: &Faulty) -> [f64; 4] {
        let drifted = clip.quality.feet.is_some_and(|feet| feet.drift.is_some());
        let has_travel = !clip.quality.way.on_the_spot && !is_stationary(&clip.quality) && !drifted;
        let loses_travel = |left: &Quality| left.way.on_the_spot && has_travel;
        let Some(left) = self.left.as_ref().filter(|left| !loses_travel(left) && self.harm.is_none()) else {
            return [f64::INFINITY; 4];
        };
        let brought = left.findings.iter().filter(|finding| !clip.quality.findings.contains(finding)).count();
        let slide = (10.0 * travelling_slide(left)).round();
        [left.findings.len() as f64, brought as f64, slide, sinking(left).round()]
    }
}

/// Returns the parts of a fix that are applied on their own: all but the last stages, and single stages.
fn parts(kinds: Vec<StageKind>) -> Vec<Vec<StageKind>> {
    let starts = (1..kinds.len()).rev().map(|count| kinds[..count].to_vec());
    let single = kinds.iter().skip(1).map(|kind| vec![kind.clone()]);
    starts.chain(single).collect()
}

/// Returns the foot slide of a travelling body, cm/s; 0 for in-place motions, where sliding is expected.
fn travelling_slide(quality: &Quality) -> f64 {
    if quality.way.on_the_spot { 0.0 } else { slide(quality) }
}

/// Returns the foot slide, cm/s.
fn slide(quality: &Quality) -> f64 {
    quality.feet.and_then(|feet| feet.slide).unwrap_or(0.0)
}

/// Returns the ground penetration, cm.
fn sinking(quality: &Quality) -> f64 {
    quality.feet.map_or(0.0, |feet| feet.sinking)
}

/// True if the loop is closed, or as closed as before if it had no such finding.
fn repeats(before: &Quality, after: &Quality) -> bool {
    let was_open = before.findings.contains(&Finding::DoesNotClose);
    let open = if was_open { CLOSED_MAX_GAP } else { before.residue.place + CLOSED_MAX_GAP };
    after.residue.place <= open && !after.findings.contains(&Finding::DoesNotClose)
}

/// Returns `after` with the findings of `before` added as long as too much of them remains.
pub(super) fn with_unmended(before: &Quality, mut after: Quality) -> Quality {
    // Lifting a sunken body must not count as climbing.
    after.way.climb = before.way.climb;
    let was_open = before.findings.contains(&Finding::DoesNotClose);
    if was_open && after.residue.place > CLOSED_MAX_GAP && !after.findings.contains(&Finding::DoesNotClose) {
        after.findings.push(Finding::DoesNotClose);
    }
    let figures = [
        (Finding::FeetSlide, slide(before), slide(&after), UNSEEN_SLIDE_CM_PER_S),
        (Finding::Sinks, sinking(before), sinking(&after), UNSEEN_SINKING_CM),
    ];
    for (finding, was, is, unseen) in figures {
        let is_left = before.findings.contains(&finding) && is > (MAX_REMAINING_SHARE * was).max(unseen);
        if is_left && !after.findings.contains(&finding) {
            after.findings.push(finding);
        }
    }
    after
}

#[cfg(test)]
mod tests;
