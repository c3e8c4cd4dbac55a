//! Chooses the stages that finish one motion. A stage that does not help, or that makes a figure worse, is left out and
//! reported with the reason.

use std::sync::Arc;

use super::figures::{FinishFigure, FinishFigures};
use super::{FinishStep, Finished, StepOutcome};
use crate::clip_library::{
    Faulty, MendedClip, OpenFiles, closed, grounded, is_long_enough_to_close, is_stationary, mends, with_stages,
};
use portamento_anim::quality::{Finding, Quality};
use portamento_anim::{Clip, RootKind};
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;
use portamento_repair::cleanup;
use portamento_takes::document::{StageKind, Take, TakeSource};
use portamento_takes::evaluate::{BuiltTake, Content, TakeCache};

/// Figures that tell whether standing feet got better.
const FEET: [FinishFigure; 3] = [FinishFigure::FootSkate, FinishFigure::Slide, FinishFigure::Depth];

/// Figures that cleared swings must improve. The mean slide of contacts is left out: a foot that is raised earlier has shorter contacts,
/// and their mean may rise although each step slides less.
const CLEARED_FEET: [FinishFigure; 3] = [FinishFigure::FootSkate, FinishFigure::ToeSpeed, FinishFigure::Depth];

/// Figures that a stage must not make worse.
const BODY: [FinishFigure; 6] = [
    FinishFigure::FootSkate,
    FinishFigure::Slide,
    FinishFigure::Depth,
    FinishFigure::Pops,
    FinishFigure::Knees,
    FinishFigure::Moved,
];

/// Figures that root motion must not make worse. Feet stay where they are; their figures depend on the joint that carries the body.
const ROOTED: [FinishFigure; 2] = [FinishFigure::Moved, FinishFigure::LoopGap];

/// Names of the stages that are dropped together if stages do harm, in the order in which they are tried.
const DROPPED: [&[&str]; 5] = [&[], &["close"], &["ground"], &["cleanup"], &["close", "ground"]];

/// Loop gap up to which a motion counts as a closed loop, fraction of the body's size.
const CLOSED_MAX_GAP: f64 = 2e-3;

/// Names of the stages that finishing may add, in the order of the report.
const STAGES: [&str; 4] = ["cleanup", "ground", "root", "close"];

/// The search for the stages of one motion.
struct Search<'a> {
    open: &'a OpenFiles,
    motion: Faulty,
    /// The motion before any added stage.
    before: Arc<Clip>,
    /// The figures before any added stage.
    figures: FinishFigures,
    cache: TakeCache,
    progress: &'a Progress,
    /// The chosen stages.
    kinds: Vec<StageKind>,
    /// Reasons why stages are not added, by stage name.
    reasons: Vec<(&'static str, Message)>,
}

/// Finishes `take`.
///
/// Returns `Err` if the take cannot be built or measured, or if `progress` is cancelled.
pub(super) fn finished(open: &OpenFiles, take: Take, progress: &Progress) -> Result<Finished, Message> {
    let mut cache = TakeCache::default();
    let (built, quality) = open.built(&take, &mut cache, &progress.share(0.2))?;
    if !matches!(built.content, Content::Joints) {
        return Err(message!(
            "finish.no_joints",
            "Only motions of joints can be finished. Choose a clip of a skeleton."
        ));
    }
    let (before, warnings) = (built.clip.clone(), built.warnings.clone());
    let figures = FinishFigures::measure(&built, &quality, &before);
    let motion = Faulty { take, quality };
    let (kinds, reasons) = (Vec::new(), Vec::new());
    let mut search = Search { open, motion, before, figures, cache, progress, kinds, reasons };
    search.mend();
    search.ground();
    search.drop_harmful();
    search.close();
    search.root(&built);
    let steps = search.steps()?;
    let take = with_stages(&search.motion.take, search.kinds.clone());
    let after = steps.iter().rev().find_map(FinishStep::after).unwrap_or(search.figures);
    progress.finish().map_err(|cancelled| cancelled.message())?;
    Ok(Finished { take, before: search.figures, after, steps, warnings })
}

impl Search<'_> {
    /// Chooses the stages that fix the findings; notes the reason if they would do harm.
    fn mend(&mut self) {
        let wanted = mends(&self.motion.quality);
        if wanted.is_empty() {
            return;
        }
        let part = self.part();
        let MendedClip { kinds, harm, left } = self.open.best(&self.motion, &mut self.cache, &part);
        match harm {
            None if left.is_some() => self.kinds = kinds.into_iter().filter_map(in_place).collect(),
            harm => {
                let why = harm.unwrap_or_else(unknown);
                self.reasons.extend(wanted.iter().map(|kind| (kind.name(), refused(&why))));
            }
        }
    }

    /// Chooses stages that lock the feet and clear their swings, if that improves them; notes the reason if not.
    fn ground(&mut self) {
        let quality = &self.motion.quality;
        if quality.way.on_the_spot {
            let why = message!("finish.on_the_spot", "The motion walks on the spot, so its feet are meant to slide.");
            return self.leave("ground", why);
        }
        let mut kinds = self.kinds.clone();
        if !self.has("ground") {
            kinds.push(grounded(quality));
            // Locked feet may open a loop.
            if quality.residue.place <= CLOSED_MAX_GAP && is_long_enough_to_close(quality) {
                kinds.push(StageKind::Close(Box::new(closed(quality))));
            }
        }
        for clears in [true, false] {
            for kind in &mut kinds {
                if let StageKind::Ground(ground) = kind {
                    ground.settings.clear_swings = clears;
                }
            }
            match self.better_feet(kinds.clone(), if clears { &CLEARED_FEET } else { &FEET }) {
                Ok(better) => return self.kinds = better,
                Err(why) => self.leave("ground", why),
            }
        }
    }

    /// Returns `kinds`, without a close stage that is not needed, if they improve the feet in `figures`; else `Err` with the reason.
    fn better_feet(&mut self, kinds: Vec<StageKind>, figures: &[FinishFigure]) -> Result<Vec<StageKind>, Message> {
        let part = self.part();
        let tried = self.open.mended(&self.motion, kinds, &mut self.cache, &part);
        let (now, after) = (self.tried(&self.kinds.clone())?, self.tried(&tried.kinds)?);
        match tried.harm {
            Some(harm) => Err(refused(&harm)),
            None if after.improves_on(&now, figures) => Ok(tried.kinds),
            None => Err(message!("finish.feet_stand", "The stage would not improve the feet.")),
        }
    }

    /// Removes stages until no figure is visibly worse than before and the body is hardly moved. Notes the reasons.
    fn drop_harmful(&mut self) {
        let all = merged(std::mem::take(&mut self.kinds));
        let mut worse = None;
        for dropped in DROPPED {
            let kinds = merged(all.iter().filter(|kind| !dropped.contains(&kind.name())).cloned().collect());
            if kinds.is_empty() || !dropped.iter().all(|name| all.iter().any(|kind| kind.name() == *name)) {
                continue;
            }
            match self.tried(&kinds).map(|after| after.worse_than(&self.figures, &BODY)) {
                Ok(None) => {
                    self.kinds = kinds;
                    break;
                }
                Ok(Some(why)) => worse = worse.or(Some(refused(&why))),
                Err(why) => worse = worse.or(Some(why)),
            }
        }
        let names: Vec<&str> = all.iter().map(StageKind::name).filter(|name| !self.has(name)).collect();
        for name in STAGES.into_iter().filter(|name| names.contains(name)) {
            self.leave(name, worse.clone().unwrap_or_else(|| refused(&unknown())));
        }
    }

    /// Notes why the motion is not closed. This has no effect if it is.
    fn close(&mut self) {
        let quality = &self.motion.quality;
        let why = match quality.residue.place <= CLOSED_MAX_GAP {
            true => message!("finish.is_closed", "The last frame equals the first one already."),
            false => message!("finish.no_cycle", "The motion does not end near its start, so it is no cycle."),
        };
        self.leave("close", why);
    }

    /// Adds the stage that moves the travel of `built` into the root; notes the reason if it does not help.
    fn root(&mut self, built: &BuiltTake) {
        let quality = &self.motion.quality;
        let is_rooted = built.root.is_some_and(|root| root.kind == RootKind::Root);
        if is_stationary(quality) || quality.way.on_the_spot || self.has("root") {
            return self.leave("root", message!("finish.stays", "The body does not travel."));
        }
        if is_rooted {
            return self.leave("root", message!("finish.is_rooted", "The root carries the travel already."));
        }
        let kinds = [&self.kinds[..], &[StageKind::Root(Box::default())]].concat();
        let now = self.tried(&self.kinds.clone());
        // Only a closed loop can be opened.
        let is_closed = |now: &FinishFigures| {
            now.get(FinishFigure::LoopGap).is_some_and(|percent| percent <= 100.0 * CLOSED_MAX_GAP)
        };
        let judged = |now: &FinishFigures| if is_closed(now) { &ROOTED[..] } else { &ROOTED[..1] };
        match now.and_then(|now| Ok(self.tried(&kinds)?.worse_than(&now, judged(&now)))) {
            Ok(None) => self.kinds = kinds,
            Ok(Some(why)) => self.leave("root", refused(&why)),
            Err(why) => self.leave("root", why),
        }
    }

    /// Returns the figures after `kinds`; `Err` with the reason if one of them cannot be applied.
    fn tried(&mut self, kinds: &[StageKind]) -> Result<FinishFigures, Message> {
        let take = with_stages(&self.motion.take, kinds.to_vec());
        let part = self.part();
        let (built, quality) = self.open.built(&take, &mut self.cache, &part)?;
        let own = built.stages.len().saturating_sub(kinds.len());
        match built.stages[own..].iter().find_map(|stage| stage.undone.as_ref()) {
            Some(effect) => Err(refused(&effect.message())),
            None => Ok(FinishFigures::measure(&built, &quality, &self.before)),
        }
    }

    /// Returns the steps with their figures before and after, and the stages that were left out with their reasons. Returns
    /// `Err` if a step cannot be built or measured.
    fn steps(&mut self) -> Result<Vec<FinishStep>, Message> {
        let mut steps = Vec::new();
        if matches!(self.motion.take.source, TakeSource::Retarget(_)) {
            steps.push(FinishStep {
                name: "retarget",
                outcome: StepOutcome::Done { before: None, after: self.figures },
            });
        }
        let mut before = self.figures;
        for count in 1..=self.kinds.len() {
            let kinds = self.kinds[..count].to_vec();
            let take = with_stages(&self.motion.take, kinds);
            let part = self.part();
            let (built, quality) = self.open.built(&take, &mut self.cache, &part)?;
            let after = FinishFigures::measure(&built, &quality, &self.before);
            let outcome = StepOutcome::Done { before: Some(before), after };
            steps.push(FinishStep { name: self.kinds[count - 1].name(), outcome });
            before = after;
        }
        for name in STAGES.into_iter().filter(|name| !self.has(name)) {
            let known = self.reasons.iter().find(|(stage, _)| *stage == name).map(|(_, why)| why.clone());
            let why = known.unwrap_or_else(|| nothing_found(&self.motion.quality));
            steps.push(FinishStep { name, outcome: StepOutcome::Left(why) });
        }
        Ok(steps)
    }

    /// True if a chosen stage has that name.
    fn has(&self, name: &str) -> bool {
        self.kinds.iter().any(|kind| kind.name() == name)
    }

    /// Remembers the reason why a stage is not added; the first one counts.
    fn leave(&mut self, name: &'static str, why: Message) {
        self.reasons.push((name, why));
    }

    /// Returns the progress of the next build. Their number is unknown, so each gets a part of the rest.
    fn part(&self) -> Progress {
        self.progress.share(0.2 * (1.0 - f64::from(self.progress.fraction())))
    }
}

/// Returns `kinds` with one stage for consecutive stages of one kind: cleanups are combined, and of others the first is kept.
fn merged(kinds: Vec<StageKind>) -> Vec<StageKind> {
    let mut merged: Vec<StageKind> = Vec::with_capacity(kinds.len());
    for kind in kinds {
        match (merged.last_mut(), &kind) {
            (Some(StageKind::Cleanup(last)), StageKind::Cleanup(next)) => {
                last.pops |= next.pops;
                last.jitter |= next.jitter;
                last.rotations |= next.rotations;
            }
            (Some(last), _) if last.name() == kind.name() => {}
            _ => merged.push(kind),
        }
    }
    merged
}

/// Returns the part of a stage that keeps the place and the travel of the body; `None` if there is none.
fn in_place(kind: StageKind) -> Option<StageKind> {
    match kind {
        StageKind::Root(_) => None,
        StageKind::Cleanup(cleanup) => {
            let kept = cleanup::Settings { origin: false, ..*cleanup };
            (kept.pops || kept.jitter || kept.rotations).then(|| StageKind::Cleanup(Box::new(kept)))
        }
        other => Some(other),
    }
}

/// Returns the reason why a motion is not cleaned up.
fn nothing_found(quality: &Quality) -> Message {
    let cleaned = [Finding::Pops, Finding::Jitters, Finding::BadRotations];
    match cleaned.iter().any(|finding| quality.findings.contains(finding)) {
        true => message!("finish.not_better", "The stage would not improve the motion."),
        false => message!("finish.nothing_found", "No jumps, no noise and no broken rotations were found."),
    }
}

/// Returns the reason that a stage does harm. `harm` is a clause.
fn refused(harm: &Message) -> Message {
    message!("finish.refused", "The stage would make the motion worse: %{harm}.", harm = harm.clone())
}

/// Returns the clause that a result cannot be measured.
fn unknown() -> Message {
    message!("finish.unknown", "its result cannot be measured")
}
