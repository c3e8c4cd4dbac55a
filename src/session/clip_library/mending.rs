//! Clips of which something was found become takes that mend it. What mends is built and looked at again for what it left or brought.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::mend::{quality_within, ways_to_mend};
use super::{ClipRow, Stack, mends};
use crate::anim::quality::{Finding, Quality};
use crate::document::{Document, FileId, Library, StageKind};
use crate::evaluate::TakeCache;
use crate::message::{Message, message};
use crate::progress::Progress;
use crate::session::{Session, Severity};

/// How often what mends is added to.
const ROUNDS: usize = 3;

/// Feet that slide and bodies that sink are mended where no more than this share is left, or no more than can be seen.
const LEFT: f64 = 0.1;
const UNSEEN_SLIDE_CM_PER_S: f64 = 1.0;
const UNSEEN_SINKING_CM: f64 = 0.5;

/// Parts of the body up to which the end of a loop is where it began.
const CLOSED: f64 = 1e-5;

/// A clip of an open file with something to mend.
struct FoundClip {
    file: FileId,
    clip: String,
    quality: Quality,
}

/// Stages and what is found in what they make; `None` where that cannot be built or measured.
#[derive(Clone)]
struct MendedClip {
    kinds: Vec<StageKind>,
    left: Option<Quality>,
}

/// The open files as they were when mending began.
struct OpenFiles {
    document: Document,
    library: Library,
}

impl Session {
    /// Makes a take of each of `rows` whose findings can be mended, after opening the files that are not open yet.
    pub(in crate::session) fn mend_clips(&mut self, rows: Vec<ClipRow>) {
        self.with_clips(rows, |session, clips| {
            let found = |(file, row): (FileId, ClipRow)| {
                let quality = row.quality.filter(|quality| !mends(quality).is_empty())?;
                Some(FoundClip { file, clip: row.clip, quality })
            };
            let clips: Vec<FoundClip> = clips.into_iter().filter_map(found).collect();
            let name = mending(&clips);
            let open = OpenFiles { document: session.document.clone(), library: session.library.clone() };
            let work = move |progress: &Progress| {
                let kinds = open.all_kinds(&clips, progress);
                clips.into_iter().zip(kinds).collect()
            };
            session.jobs.start(name, work, Session::add_mended);
        });
    }

    fn add_mended(&mut self, clips: Vec<(FoundClip, Vec<StageKind>)>) {
        let before = self.document.takes.len();
        for (found, kinds) in clips {
            // It may have been closed meanwhile.
            if self.document.files.iter().any(|file| file.id == found.file) {
                self.add_stack(found.file, &found.clip, Stack { name: format!("{} mended", found.clip), kinds });
            }
        }
        self.document.gather_takes(before, "mended");
        let message = message!(
            "notice.mended",
            "%{count} takes were made that mend what was found. Their stages show what was changed.",
            count = self.document.takes.len() - before
        );
        self.notices.say(Severity::Done, message);
    }
}

/// What the job is called: one of the same name is taken for the same work.
fn mending(clips: &[FoundClip]) -> Message {
    let clip = clips.first().map(|found| found.clip.clone()).unwrap_or_default();
    match clips.len() {
        0 | 1 => message!("job.mend", "Mend %{clip}", clip),
        count => message!("job.mend_several", "Mend %{clip} and %{count} more", clip, count = count - 1),
    }
}

impl OpenFiles {
    fn all_kinds(&self, clips: &[FoundClip], progress: &Progress) -> Vec<Vec<StageKind>> {
        let done = AtomicUsize::new(0);
        let of_clip = |clip: &FoundClip| {
            let kinds = self.kinds(clip, &progress.part());
            // Nobody takes the result of what was cancelled.
            let _ = progress.step(done.fetch_add(1, Ordering::Relaxed) + 1, clips.len());
            kinds
        };
        clips.par_iter().map(of_clip).collect()
    }

    /// What mends a clip: the first way that leaves nothing, else the one that leaves least.
    fn kinds(&self, clip: &FoundClip, progress: &Progress) -> Vec<StageKind> {
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
        best.map_or_else(Vec::new, |best| best.kinds)
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
            let more = last.left.as_ref().map(mends).filter(|more| !more.is_empty());
            let Some(more) = more else { break };
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
        let stack = Stack { name: String::new(), kinds: kinds.to_vec() };
        let take = stack.over(clip.file, &clip.clip);
        let built = cache.take(&self.document, &self.library, &take, progress).ok()?;
        let after = quality_within(&built, progress).ok().flatten()?;
        Some(with_unmended(&clip.quality, after))
    }
}

impl MendedClip {
    fn is_whole(&self) -> bool {
        self.left.as_ref().is_some_and(|left| left.findings.is_empty())
    }

    /// What is left of `clip`, to be compared: findings, those of them that it did not have, and how fast its feet still slide.
    fn left_of(&self, clip: &FoundClip) -> [f64; 3] {
        let Some(left) = &self.left else { return [f64::INFINITY; 3] };
        let brought = left.findings.iter().filter(|finding| !clip.quality.findings.contains(finding)).count();
        let slide = left.feet.and_then(|feet| feet.slide).filter(|_| left.findings.contains(&Finding::FeetSlide));
        [left.findings.len() as f64, brought as f64, slide.unwrap_or(0.0)]
    }
}

/// Whether a motion ends as it began, or as near to that as it did where nobody found it open.
fn repeats(before: &Quality, after: &Quality) -> bool {
    let was_open = before.findings.contains(&Finding::DoesNotClose);
    let open = if was_open { CLOSED } else { before.residue.place.max(CLOSED) };
    after.residue.place <= open && !after.findings.contains(&Finding::DoesNotClose)
}

/// `after` with what was found `before` among its findings as long as too much of it is left.
fn with_unmended(before: &Quality, mut after: Quality) -> Quality {
    // Who was raised out of the ground climbs no hill.
    after.way.climb = before.way.climb;
    let slide = |quality: &Quality| quality.feet.and_then(|feet| feet.slide).unwrap_or(0.0);
    let sinking = |quality: &Quality| quality.feet.map_or(0.0, |feet| feet.sinking);
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
mod tests {
    use super::*;
    use crate::anim::quality::tests::Figure;
    use crate::anim::quality::{Feet, Input, quality};
    use crate::anim::{Clip, Model, Rig};
    use crate::document::{Asset, Loaded};
    use crate::session::{Command, FileCommand};
    use crate::support::character;
    use glam::{Quat, Vec3};
    use std::path::Path;

    fn figures(model: &Model, clip: &Clip) -> Quality {
        let (skeleton, roles) = (&model.skeleton, &Rig::of_model(model).roles);
        let soles = &crate::anim::foot_shape::soles(model, &roles.legs);
        quality(&Input { skeleton, clip, roles, soles, metres_per_unit: 1.0 }, &Progress::new()).unwrap().unwrap()
    }

    fn heros_run() -> Quality {
        let hero = crate::samples::hero();
        figures(&hero, hero.clip("run").unwrap())
    }

    /// The hero's run after `change`, of which `findings` are known.
    fn found_run(change: impl FnOnce(&mut Model), findings: Vec<Finding>) -> (OpenFiles, FoundClip) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/hero.glb");
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![path.clone()])));
        let file = session.document.files[0].id;
        let mut model = crate::import::import(&path).unwrap().model;
        change(&mut model);
        let quality = Quality { findings, ..figures(&model, model.clip("run").unwrap()) };
        session.library.insert(file, Asset::new(Loaded { model, ..Loaded::default() }));
        let open = OpenFiles { document: session.document.clone(), library: session.library.clone() };
        (open, FoundClip { file, clip: "run".into(), quality })
    }

    /// Turns the head by 90° in one frame of the run.
    fn turn_head(model: &mut Model) {
        let at = model.clips.iter().position(|clip| clip.name == "run").unwrap();
        let head = model.skeleton.find("head").unwrap();
        let turns = model.clips[at].tracks[head].rotation.as_mut().unwrap();
        let middle = turns.values.len() / 2;
        turns.values[middle] *= Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    }

    #[test]
    fn clips_are_not_mended_in_place_of_others() {
        let quality = heros_run();
        let named = |clips: &[&str]| {
            let found = |clip: &&str| FoundClip { file: FileId(1), clip: (*clip).into(), quality: quality.clone() };
            mending(&clips.iter().map(found).collect::<Vec<_>>())
        };
        assert_eq!(named(&["run", "walk"]), named(&["run", "walk"]));
        let all = [named(&["run"]), named(&["walk"]), named(&["run", "walk"]), named(&["walk", "run"])];
        assert!((1..all.len()).all(|at| !all[..at].contains(&all[at])), "{all:?}");
    }

    #[test]
    fn what_mending_brings_is_mended_too() {
        let (open, run) = found_run(turn_head, vec![Finding::Sinks]);
        let findings = |kinds: &[StageKind]| {
            open.after(&run, kinds, &mut TakeCache::default(), &Progress::new()).unwrap().findings
        };
        assert_eq!(findings(&mends(&run.quality)), [Finding::Pops]);
        let kinds = open.kinds(&run, &Progress::new());
        assert_eq!(kinds[0].name(), "ground");
        assert_eq!(findings(&kinds), []);
    }

    /// Clip `name` of a stranger after `change`, and what is found in it; `None` where that file is not here.
    fn found_in(file: &str, name: &str, change: impl FnOnce(&mut Clip)) -> Option<(OpenFiles, FoundClip)> {
        let figure = Figure::open(file)?;
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![character(file)?])));
        let file = session.document.files[0].id;
        let mut model = figure.model.clone();
        let clip = model.clips.iter_mut().find(|clip| clip.name == name)?;
        change(clip);
        let quality = figure.quality(clip);
        session.library.insert(file, Asset::new(Loaded { model, ..Loaded::default() }));
        let open = OpenFiles { document: session.document.clone(), library: session.library.clone() };
        Some((open, FoundClip { file, clip: name.into(), quality }))
    }

    fn left(open: &OpenFiles, clip: &FoundClip) -> Vec<Finding> {
        let kinds = open.kinds(clip, &Progress::new());
        open.after(clip, &kinds, &mut TakeCache::default(), &Progress::new()).unwrap().findings
    }

    #[test]
    fn what_a_round_only_leaves_otherwise_is_mended_in_the_next_one() {
        let cut = |clip: &mut Clip| clip.duration *= 0.88;
        let Some((open, chop)) = found_in("characters/knight.glb", "1H_Melee_Attack_Chop", cut) else { return };
        assert_eq!(chop.quality.findings, [Finding::Pops, Finding::DoesNotClose]);
        assert_eq!(left(&open, &chop), []);
    }

    #[test]
    fn a_gait_on_the_spot_that_is_cut_high_comes_back_down() {
        let cut = |clip: &mut Clip| clip.duration *= 0.88;
        let Some((open, run)) = found_in("characters/fox.glb", "Run", cut) else { return };
        assert!(run.quality.findings.contains(&Finding::DoesNotClose));
        assert_eq!(left(&open, &run), []);
    }

    #[test]
    fn who_falls_while_he_drifts_stays_where_he_falls() {
        let Some(knight) = Figure::open("characters/knight.glb") else { return };
        let drifts = |clip: &mut Clip| knight.move_body(clip, |time| 0.3 * time * Vec3::new(0.8, 0.0, 0.6));
        let (open, falls) = found_in("characters/knight.glb", "Death_B", drifts).unwrap();
        let kinds = open.kinds(&falls, &Progress::new());
        let after = open.after(&falls, &kinds, &mut TakeCache::default(), &Progress::new()).unwrap();
        assert!(after.findings.is_empty() && after.way.travel < 0.01, "{:?}", after.way);
    }

    #[test]
    fn what_still_repeats_with_its_feet_held_is_not_closed_once_more() {
        let (open, run) = found_run(|_| {}, vec![Finding::Sinks]);
        let names = |kinds: &[StageKind]| kinds.iter().map(StageKind::name).collect::<Vec<_>>();
        assert_eq!(names(&mends(&run.quality)), ["ground", "close"]);
        assert_eq!(names(&open.kinds(&run, &Progress::new())), ["ground"]);
    }

    #[test]
    fn what_slides_and_sinks_is_mended_where_a_tenth_is_left_or_what_nobody_sees() {
        let run = heros_run();
        let feet = |slide: f64, sinking: f64| Some(Feet { slide: Some(slide), sinking, ..run.feet.unwrap() });
        let found = vec![Finding::FeetSlide, Finding::Sinks];
        let before = Quality { feet: feet(20.0, 8.0), findings: found.clone(), ..run };
        let left = |slide: f64, sinking: f64| {
            let after = Quality { feet: feet(slide, sinking), findings: Vec::new(), ..before.clone() };
            with_unmended(&before, after).findings
        };
        assert_eq!(left(1.9, 0.7), []);
        assert_eq!(left(2.1, 0.7), [Finding::FeetSlide]);
        assert_eq!(left(2.1, 0.9), found);
        let unfound = Quality { findings: Vec::new(), ..before.clone() };
        assert_eq!(with_unmended(&unfound, unfound.clone()).findings, []);
    }
}
