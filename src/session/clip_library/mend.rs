//! The stages that fix the findings of a clip: live, undoable, without changing the file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::ClipRow;
use crate::{Session, Shown};
use portamento_anim::foot_shape::soles;
use portamento_anim::quality::{self, Finding, Quality, quality};
use portamento_base::progress::{Cancelled, Progress};
use portamento_repair::{cleanup, close, ground};
use portamento_stretch::root::{self, RootTravel};
use portamento_takes::document::stage::Ground;
use portamento_takes::document::{FileId, Stage, StageKind, Take, TakeId, TakeSource, file};
use portamento_takes::evaluate::BuiltTake;

/// Height difference between first and last frame from which a motion climbs, m. Tuned; no derivation recorded.
const CLIMB_MIN_M: f64 = 0.1;

/// Turn between first and last frame from which a motion turns, degrees. Tuned; no derivation recorded.
const TURN_MIN_DEGREES: f64 = 10.0;

/// Travel below which a body without steady travel counts as stationary, m. Tuned; no derivation recorded.
const STATIONARY_MAX_TRAVEL_M: f64 = 0.15;

/// Ratio of foot speed to body speed from which the clip was meant to be in place. Tuned; no derivation recorded.
const IN_PLACE_SPEED_RATIO: f64 = 2.0;

/// Relative difference up to which two speeds are equal. Tuned; no derivation recorded.
const EQUAL_SPEED_TOLERANCE: f64 = 0.1;

/// Loop gap up to which a motion is a cycle, fraction of the body size. If such a motion travels although its feet slide,
/// the travel may be drift. Tuned; no derivation recorded.
const CYCLE_MAX_GAP: f64 = 0.2;

/// Loop gap up to which a loop is closed, fraction of the body size. Tuned; no derivation recorded.
const CLOSED_MAX_GAP: f64 = 2e-3;

/// Returns the stages that fix the findings of a clip, in order; empty without findings.
pub fn mends(quality: &Quality) -> Vec<StageKind> {
    if quality.findings.is_empty() { Vec::new() } else { remedies(quality) }
}

/// Returns the stages that fix the findings and the drift of a clip, in order. For a drifting path only the drift is removed: other
/// findings are measured again afterwards.
pub(super) fn remedies(quality: &Quality) -> Vec<StageKind> {
    if let Some(drift) = quality.feet.and_then(|feet| feet.drift) {
        return vec![undrifted(quality, travel_of(drift, quality))];
    }
    let is_found = |finding: Finding| quality.findings.contains(&finding);
    let cleanup = cleanup::Settings {
        pops: is_found(Finding::Pops),
        jitter: is_found(Finding::Jitters),
        rotations: is_found(Finding::BadRotations),
        origin: is_found(Finding::StartsOffOrigin),
        ..cleanup::Settings::default()
    };
    let mut kinds = Vec::new();
    if cleanup.pops || cleanup.jitter || cleanup.rotations || cleanup.origin {
        kinds.push(StageKind::Cleanup(Box::new(cleanup)));
    }
    let (closes, is_open) = (is_long_enough_to_close(quality), is_found(Finding::DoesNotClose));
    let close = StageKind::Close(Box::new(closed(quality)));
    if is_found(Finding::FeetSlide) || is_found(Finding::Sinks) {
        // Close a loop before locking its feet: closing afterwards would make them slide.
        if closes && is_open {
            kinds.push(close.clone());
        }
        kinds.push(grounded(quality));
    }
    // Locked feet and removed jitter may have opened a loop; restored single frames have not.
    let opens = |kind: &StageKind| match kind {
        StageKind::Cleanup(cleanup) => cleanup.jitter,
        StageKind::Ground(_) => true,
        _ => false,
    };
    let may_open = kinds.iter().any(opens) && quality.residue.place <= CLOSED_MAX_GAP;
    if closes && (may_open || is_open) {
        kinds.push(close);
    }
    kinds
}

/// Returns the stage that locks the feet. A climbing motion keeps its ground heights unless it sinks.
pub(crate) fn grounded(quality: &Quality) -> StageKind {
    let own_heights = !quality.findings.contains(&Finding::Sinks) && quality.way.climb.abs() > CLIMB_MIN_M;
    let settings = ground::Settings { own_heights, ..ground::Settings::default() };
    StageKind::Ground(Box::new(Ground { settings, ..Ground::default() }))
}

/// Returns the settings that close the loop, with a seam of at most half the length. In-place and stationary motions
/// without a turn are closed in place.
pub(crate) fn closed(quality: &Quality) -> close::Settings {
    let usual = close::Settings::default();
    let turn = quality.way.turn - 360.0 * (quality.way.turn / 360.0).round();
    let comes_back = (quality.way.on_the_spot || is_stationary(quality)) && turn.abs() <= TURN_MIN_DEGREES;
    let cycle = if comes_back { close::Cycle::InPlace } else { usual.cycle };
    close::Settings { seam: usual.seam.min(0.5 * quality.seconds), cycle, ..usual }
}

/// True if a body does not travel. The sway of a cut-off in-place gait is not travel.
pub(crate) fn is_stationary(quality: &Quality) -> bool {
    !quality.way.goes_on && quality.way.travel < STATIONARY_MAX_TRAVEL_M
}

/// True if the motion has enough frames at its own rate for a closing stage.
pub(crate) fn is_long_enough_to_close(quality: &Quality) -> bool {
    // 30 fps is the most common rate; used if the keys do not reveal one.
    let rate = quality.key_rate.unwrap_or(30.0);
    quality.seconds * rate + 1.0 >= close::Settings::MIN_FRAMES as f64
}

/// Returns the alternative first stages of a fix, the usual one first. The alternatives remove all travel, or compute
/// it from the feet, if the drift estimate is uncertain.
pub(super) fn alternatives(quality: &Quality) -> Vec<Vec<StageKind>> {
    let usual = mends(quality);
    let is_exact = quality.feet.is_some_and(|feet| feet.drifts_at_rest);
    let other = match quality.feet.and_then(|feet| feet.drift) {
        Some(drift) if travel_of(drift, quality) == RootTravel::Away => Some(RootTravel::FromFeet),
        Some(drift) => {
            let is_all = (drift - quality.way.speed).abs() <= EQUAL_SPEED_TOLERANCE * drift;
            (is_all && !is_exact).then_some(RootTravel::Away)
        }
        None => {
            let slides = quality.findings.contains(&Finding::FeetSlide);
            let goes_on = slides && quality.way.goes_on && quality.residue.place <= CYCLE_MAX_GAP;
            goes_on.then_some(RootTravel::Away)
        }
    };
    let otherwise = other.map(|travel| vec![undrifted(quality, travel)]);
    [usual].into_iter().chain(otherwise).collect()
}

/// True if a stage of that kind can be part of a fix.
pub(super) fn may_mend(kind: &StageKind) -> bool {
    match kind {
        StageKind::Cleanup(_) | StageKind::Ground(_) | StageKind::Close(_) => true,
        StageKind::Root(root) => matches!(root.travel, RootTravel::Away | RootTravel::FromFeet),
        _ => false,
    }
}

/// Returns the root travel for a body whose feet slip at `drift` m/s: in place if that is much faster than the body,
/// otherwise from the feet.
fn travel_of(drift: f64, quality: &Quality) -> RootTravel {
    if drift >= IN_PLACE_SPEED_RATIO * quality.way.speed { RootTravel::Away } else { RootTravel::FromFeet }
}

/// Returns the stage that removes drift over the whole clip; the sway remains. The travel is smoothed over at most
/// [`root::Settings::MAX_SMOOTHING_SECONDS`].
fn undrifted(quality: &Quality, travel: RootTravel) -> StageKind {
    let evened = quality.seconds.min(root::Settings::MAX_SMOOTHING_SECONDS);
    StageKind::Root(Box::new(root::Settings { travel, heading: false, evened }))
}

/// The name and stages of a new take.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// The take's name.
    pub name: String,
    /// The stage kinds, in order.
    pub kinds: Vec<StageKind>,
}

impl Stack {
    /// Returns the take of `clip` of `file`, without an id.
    pub(crate) fn over(self, file: FileId, clip: &str) -> Take {
        let source = TakeSource::Clip { file, clip: clip.to_owned() };
        Take {
            id: TakeId(0),
            name: self.name,
            character: file,
            source,
            stages: Stage::numbered(self.kinds),
            loops: None,
        }
    }
}

/// Returns `take` with further stages of these kinds at the end. Their ids follow the highest one of `take`.
pub(crate) fn with_stages(take: &Take, kinds: Vec<StageKind>) -> Take {
    let own = take.stages.iter().map(|stage| stage.id.0).max().unwrap_or(0);
    let mut take = take.clone();
    take.stages.extend(Stage::numbered(kinds).into_iter().map(|mut stage| {
        stage.id.0 += own;
        stage
    }));
    take
}

impl Session {
    /// Opens the files of `rows` that are not open yet in a job, then calls `done` with the clips whose files are open.
    /// Calls it at once if all files are open. The selection stays; unreadable files are reported.
    pub(crate) fn with_clips(
        &mut self,
        rows: Vec<ClipRow>,
        done: impl FnOnce(&mut Session, Vec<(FileId, ClipRow)>) + Send + 'static,
    ) {
        let mut wanted: BTreeMap<PathBuf, Vec<ClipRow>> = BTreeMap::new();
        for row in rows {
            let path = file::absolute(&row.file);
            wanted.entry(path).or_default().push(row);
        }
        let is_open = |path: &Path| self.document.files.iter().any(|file| file.path == path);
        let missing: Vec<PathBuf> = wanted.keys().filter(|path| !is_open(path)).cloned().collect();
        self.open_then(missing, move |session| {
            let opened = |path: &Path| session.document.files.iter().find(|file| file.path == path).map(|file| file.id);
            let of_file = |(path, rows): (PathBuf, Vec<ClipRow>)| {
                let file = opened(&path);
                rows.into_iter().filter_map(move |row| Some((file?, row)))
            };
            let clips = wanted.into_iter().flat_map(of_file).collect();
            done(session, clips);
        });
    }

    /// Adds a take of a clip of `file` with these stages and returns its id.
    pub fn add_stack(&mut self, file: FileId, clip: &str, stack: Stack) -> TakeId {
        self.add_take(stack.over(file, clip))
    }

    /// Shows the first of the takes from index `before` on without leaving the library, and moves them into a folder named
    /// `folder`.
    pub(crate) fn gather_new_takes(&mut self, before: usize, folder: &str) {
        let first = self.document.takes.get(before).map(|take| Shown::Take(take.id));
        first.into_iter().for_each(|first| self.selection.show_aside(first));
        self.document.group_takes(before, folder);
    }
}

/// Measures the result of a take; `None` if it cannot be measured. Takes long for long motions.
pub fn quality_of(built: &BuiltTake) -> Option<Quality> {
    quality_within(built, &Progress::new()).ok().flatten()
}

/// Like [`quality_of`], with progress and cancellation. Returns `Err` if cancelled.
pub(crate) fn quality_within(built: &BuiltTake, progress: &Progress) -> Result<Option<Quality>, Cancelled> {
    with_input(built, |input| quality(input, progress))
}

/// Calls `measure` with the result of a take as input of a measurement.
pub(crate) fn with_input<T>(built: &BuiltTake, measure: impl FnOnce(&quality::Input) -> T) -> T {
    let (model, roles) = (&built.character.model, &built.roles);
    measure(&quality::Input {
        skeleton: &model.skeleton,
        clip: &built.clip,
        roles,
        soles: &soles(model, &roles.legs),
        metres_per_unit: built.metres_per_unit,
    })
}
