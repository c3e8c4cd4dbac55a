//! Clips of which something was found become takes that mend it. What mends is built and looked at again for what it left or brought.

use rayon::prelude::*;

use super::mend::{quality_within, stays, ways_to_mend};
use super::{ClipRow, Stack, mends};
use crate::anim::quality::{Finding, Quality};
use crate::document::{Document, FileId, Library, StageKind, Take};
use crate::evaluate::TakeCache;
use crate::message::{Message, message};
use crate::progress::Progress;
use crate::session::background::in_background;
use crate::session::{OpenDocument, Session, Severity};

/// How often what mends is added to.
const ROUNDS: usize = 4;

/// Feet that slide and bodies that sink are mended where no more than this share is left, or no more than can be seen.
const LEFT: f64 = 0.1;
const UNSEEN_SLIDE_CM_PER_S: f64 = 1.0;
const UNSEEN_SINKING_CM: f64 = 1.0;

/// How much of the time it takes to build and to measure a take goes into building it, about.
const BUILDING: f64 = 0.5;

/// Parts of the body up to which the end of a loop is where it began.
const CLOSED: f64 = 1e-5;

/// Clips to be mended, and what the takes that mend them are called.
#[derive(Clone, Debug, PartialEq)]
pub struct MendRequest {
    /// The clips; those that need nothing are only counted.
    pub rows: Vec<ClipRow>,
    /// What a take is called, with `%{clip}` for its clip.
    pub take: String,
    /// What the folder of several takes is called.
    pub folder: String,
}

impl MendRequest {
    /// Those clips with the names that files get, the same in every language.
    pub fn new(rows: Vec<ClipRow>) -> Self {
        Self { rows, take: "%{clip} mended".into(), folder: "mended".into() }
    }
}

/// A clip of an open file with something to mend.
struct FoundClip {
    file: FileId,
    row: ClipRow,
    quality: Quality,
}

/// Stages and what is found in what they make; `None` where that cannot be built or measured.
#[derive(Clone, Default)]
struct MendedClip {
    kinds: Vec<StageKind>,
    left: Option<Quality>,
}

/// The open files as they were when work with them began.
pub(super) struct OpenFiles {
    pub document: Document,
    pub library: Library,
}

impl Session {
    /// Makes a take of each of the clips whose findings can be mended, after opening the files that are not open yet.
    pub(in crate::session) fn mend_clips(&mut self, request: MendRequest) {
        let can = |row: &ClipRow| row.quality.as_ref().is_some_and(|quality| !mends(quality).is_empty());
        let rows: Vec<ClipRow> = request.rows.iter().filter(|row| can(row)).cloned().collect();
        self.with_clips(rows, |session, clips| {
            let found = |(file, row): (FileId, ClipRow)| {
                let quality = row.quality.clone()?;
                Some(FoundClip { file, row, quality })
            };
            let clips: Vec<FoundClip> = clips.into_iter().filter_map(found).collect();
            let name = mending(&clips);
            let open = OpenFiles { document: session.document.clone(), library: session.library.clone() };
            let work = move |progress: &Progress| {
                let mended = open.all_mended(&clips, progress);
                clips.into_iter().zip(mended).collect()
            };
            session.jobs.start(name, work, move |session, clips| session.add_mended(&request, clips));
        });
    }

    /// Keeps what was made.
    fn add_mended(&mut self, request: &MendRequest, clips: Vec<(FoundClip, MendedClip)>) {
        let (before, mut left) = (self.document.takes.len(), 0);
        for (found, MendedClip { kinds, left: after }) in clips {
            // It may have been closed meanwhile.
            if self.document.files.iter().any(|file| file.id == found.file) {
                let name = request.take.replace("%{clip}", &found.row.clip);
                let id = self.add_stack(found.file, &found.row.clip, Stack { name, kinds });
                left += usize::from(after.as_ref().is_none_or(|after| !after.findings.is_empty()));
                let opened = OpenDocument { document: &self.document, library: &self.library };
                let made = self.document.take(id);
                made.into_iter().for_each(|take| self.clips.keep_mended(take, opened, after.clone()));
            }
        }
        self.gather_made(before, &request.folder);
        let made = self.document.takes.len() - before;
        // Why nothing was made of them was told where their files were opened.
        if made > 0 {
            self.notices.say(Severity::Done, made_takes(made, left, &request.rows));
        }
    }
}

/// What is told of `count` takes of which `left` still have findings.
fn made_takes(count: usize, left: usize, rows: &[ClipRow]) -> Message {
    let is_sound = |row: &&ClipRow| row.quality.as_ref().is_some_and(|quality| quality.findings.is_empty());
    match rows.iter().filter(is_sound).count() {
        0 => message!("notice.mended", "Mended clips: %{count}, with findings left: %{left}.", count, left),
        sound => message!(
            "notice.mended_some",
            "Mended clips: %{count}, with findings left: %{left}; %{sound} of %{all} clips needed nothing.",
            count,
            left,
            sound,
            all = rows.len()
        ),
    }
}

/// What the job is called: one of the same name is taken for the same work.
fn mending(clips: &[FoundClip]) -> Message {
    let clip = clips.first().map(|found| found.row.clip.clone()).unwrap_or_default();
    match clips.len() {
        0 | 1 => message!("job.mend", "Mend %{clip}", clip),
        count => message!("job.mend_several", "Mend %{clip} and %{count} more", clip, count = count - 1),
    }
}

impl OpenFiles {
    fn all_mended(&self, clips: &[FoundClip], progress: &Progress) -> Vec<MendedClip> {
        let of_clip = |clip: &FoundClip| {
            let part = progress.one_of(clips.len());
            let mended = self.best(clip, &part);
            // Nobody takes the result of what was cancelled.
            let _ = part.finish();
            mended
        };
        in_background(|| clips.par_iter().map(of_clip).collect())
    }

    /// What mends a clip: the first way that leaves nothing, else the one that leaves least.
    fn best(&self, clip: &FoundClip, progress: &Progress) -> MendedClip {
        let mut cache = TakeCache::default();
        let mut best: Option<MendedClip> = None;
        for kinds in ways_to_mend(&clip.quality) {
            let mended = self.in_rounds(clip, kinds, &mut cache, progress);
            if best.as_ref().is_none_or(|best| mended.left_of(clip) < best.left_of(clip)) {
                best = Some(mended);
            }
            if best.as_ref().is_some_and(MendedClip::is_whole) {
                break;
            }
        }
        best.unwrap_or_default()
    }

    /// `kinds` and what mends what they leave, up to the round that leaves least: one may leave what only the next one mends.
    fn in_rounds(
        &self,
        clip: &FoundClip,
        kinds: Vec<StageKind>,
        cache: &mut TakeCache,
        progress: &Progress,
    ) -> MendedClip {
        let mut last = self.mended(clip, kinds, cache, progress);
        let mut best = last.clone();
        for _ in 0..ROUNDS {
            let Some(more) = last.next_mends(clip) else { break };
            last = self.mended(clip, [&last.kinds[..], &more].concat(), cache, progress);
            if last.left_of(clip) < best.left_of(clip) {
                best = last.clone();
            }
        }
        best
    }

    /// What `kinds` make of a clip, without a last closing where it repeats anyway, or as well as it did: that would only blur it.
    fn mended(
        &self,
        clip: &FoundClip,
        mut kinds: Vec<StageKind>,
        cache: &mut TakeCache,
        progress: &Progress,
    ) -> MendedClip {
        if let Some((StageKind::Close(_), others)) = kinds.split_last()
            && let Some(left) = self.after(clip, others, cache, progress).filter(|left| repeats(&clip.quality, left))
        {
            kinds.pop();
            return MendedClip { kinds, left: Some(left) };
        }
        let left = self.after(clip, &kinds, cache, progress);
        MendedClip { kinds, left }
    }

    fn after(
        &self,
        clip: &FoundClip,
        kinds: &[StageKind],
        cache: &mut TakeCache,
        progress: &Progress,
    ) -> Option<Quality> {
        // What a motion is called tells whether it is meant to repeat.
        let stack = Stack { name: clip.row.clip.clone(), kinds: kinds.to_vec() };
        let take = stack.over(clip.file, &clip.row.clip);
        // Nobody knows how many there will be, so each gets half of what is left.
        let part = progress.share(0.5 * (1.0 - f64::from(progress.fraction())));
        let figures = self.figures(&take, cache, &part);
        let _ = part.finish();
        figures.map(|after| with_unmended(&clip.quality, after))
    }

    /// What is measured of `take`; `None` where it cannot be built or measured.
    pub fn figures(&self, take: &Take, cache: &mut TakeCache, progress: &Progress) -> Option<Quality> {
        let building = progress.share(BUILDING);
        let built = cache.take(&self.document, &self.library, take, &building).ok()?;
        building.finish().ok()?;
        quality_within(&built, progress).ok().flatten()
    }
}

impl MendedClip {
    /// Whether nothing is found any more, and nobody sees what is left of a slide: another way may leave less.
    fn is_whole(&self) -> bool {
        self.left
            .as_ref()
            .is_some_and(|left| left.findings.is_empty() && slide_on_the_way(left) <= UNSEEN_SLIDE_CM_PER_S)
    }

    /// What mends what is left of `clip`: its feet as long as they are seen to slide, but no drift that was just taken away, for a way
    /// that drifts without it was meant so.
    fn next_mends(&self, clip: &FoundClip) -> Option<Vec<StageKind>> {
        let mut left = self.left.clone()?;
        let slid = clip.quality.findings.contains(&Finding::FeetSlide);
        let slides = left.findings.contains(&Finding::FeetSlide);
        if slid && !slides && slide_on_the_way(&left) > UNSEEN_SLIDE_CM_PER_S {
            left.findings.push(Finding::FeetSlide);
        }
        if matches!(self.kinds.last(), Some(StageKind::Root(_))) {
            left.feet.iter_mut().for_each(|feet| feet.drift = None);
        }
        Some(mends(&left)).filter(|more| !more.is_empty())
    }

    /// What is left of `clip`, to be compared: findings, those of them that it did not have, how fast its feet still slide, whole
    /// millimetres per second, and how deep it sinks, whole centimetres. All of it where a gait has lost its way: on the spot feet are
    /// not even asked.
    fn left_of(&self, clip: &FoundClip) -> [f64; 4] {
        let drifted = clip.quality.feet.is_some_and(|feet| feet.drift.is_some());
        let has_way = !clip.quality.way.on_the_spot && !stays(&clip.quality) && !drifted;
        let loses_way = |left: &Quality| left.way.on_the_spot && has_way;
        let Some(left) = self.left.as_ref().filter(|left| !loses_way(left)) else { return [f64::INFINITY; 4] };
        let brought = left.findings.iter().filter(|finding| !clip.quality.findings.contains(finding)).count();
        let slide = (10.0 * slide_on_the_way(left)).round();
        [left.findings.len() as f64, brought as f64, slide, sinking(left).round()]
    }
}

/// How fast feet slide of a body that goes somewhere, centimetres per second: of a gait on the spot it says nothing of a fault.
fn slide_on_the_way(quality: &Quality) -> f64 {
    if quality.way.on_the_spot { 0.0 } else { slide(quality) }
}

/// How fast feet slide, centimetres per second.
fn slide(quality: &Quality) -> f64 {
    quality.feet.and_then(|feet| feet.slide).unwrap_or(0.0)
}

/// How deep a body sinks, centimetres.
fn sinking(quality: &Quality) -> f64 {
    quality.feet.map_or(0.0, |feet| feet.sinking)
}

/// Whether a motion ends as it began, or as near to that as it did where nobody found it open.
fn repeats(before: &Quality, after: &Quality) -> bool {
    let was_open = before.findings.contains(&Finding::DoesNotClose);
    let open = if was_open { CLOSED } else { before.residue.place + CLOSED };
    after.residue.place <= open && !after.findings.contains(&Finding::DoesNotClose)
}

/// `after` with what was found `before` among its findings as long as too much of it is left.
pub(super) fn with_unmended(before: &Quality, mut after: Quality) -> Quality {
    // Who was raised out of the ground climbs no hill.
    after.way.climb = before.way.climb;
    let was_open = before.findings.contains(&Finding::DoesNotClose);
    if was_open && after.residue.place > CLOSED && !after.findings.contains(&Finding::DoesNotClose) {
        after.findings.push(Finding::DoesNotClose);
    }
    let figures = [
        (Finding::FeetSlide, slide(before), slide(&after), UNSEEN_SLIDE_CM_PER_S),
        (Finding::Sinks, sinking(before), sinking(&after), UNSEEN_SINKING_CM),
    ];
    for (finding, was, is, unseen) in figures {
        let is_left = before.findings.contains(&finding) && is > (LEFT * was).max(unseen);
        if is_left && !after.findings.contains(&finding) {
            after.findings.push(finding);
        }
    }
    after
}

#[cfg(test)]
mod tests;
