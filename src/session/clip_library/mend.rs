//! The stages that mend what is found in clips: live, to be undone, the file untouched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::ClipRow;
use crate::anim::foot_shape::soles;
use crate::anim::quality::{self, Finding, Quality, quality};
use crate::document::stage::Ground;
use crate::document::{FileId, Stage, StageKind, Take, TakeId, TakeSource, file};
use crate::evaluate::BuiltTake;
use crate::progress::{Cancelled, Progress};
use crate::session::{Session, Shown};
use crate::systems::root::{self, RootTravel};
use crate::systems::{cleanup, close, ground};

/// Metres from the first height of a body to its last from which it goes up or down.
const CLIMB: f64 = 0.1;

/// Degrees from which a body turns on its way.
const TURN: f64 = 10.0;

/// Metres from its start up to which a body that does not go on evenly stays.
const STAYS: f64 = 0.15;

/// How many times as fast as the body goes its feet go by where it was meant to stay on the spot.
const FAR: f64 = 2.0;

/// Parts of a speed within which another is the same.
const SAME: f64 = 0.1;

/// Parts of the body up to which the end of a motion is about its start: who goes on like that and gets nowhere drifts.
const CYCLE: f64 = 0.2;

/// Parts of the body up to which the end of a loop is from its start: what is farther off does not close.
const LOOPS: f64 = 2e-3;

/// The stages that mend what was found in a clip, in the order in which they act; none where nothing was. Of a way that drifts only
/// that it no longer does: what else is to be mended shows without it.
pub fn mends(quality: &Quality) -> Vec<StageKind> {
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
    let close = closed(quality);
    if is_found(Finding::FeetSlide) || is_found(Finding::Sinks) {
        // A loop is closed before its feet are held: what closes it would have them slide.
        if closes && is_open {
            kinds.push(close.clone());
        }
        // Who climbs keeps the hill.
        let own_heights = !is_found(Finding::Sinks) && quality.way.climb.abs() > CLIMB;
        let settings = ground::Settings { own_heights, ..ground::Settings::default() };
        kinds.push(StageKind::Ground(Box::new(Ground { settings, ..Ground::default() })));
    }
    // What held feet or stilled a pause may have opened a loop; what put single frames back has not.
    let opens = |kind: &StageKind| match kind {
        StageKind::Cleanup(cleanup) => cleanup.jitter,
        StageKind::Ground(_) => true,
        _ => false,
    };
    let may_open = kinds.iter().any(opens) && quality.residue.place <= LOOPS;
    if closes && (may_open || is_open) {
        kinds.push(close);
    }
    kinds
}

/// What has the end lead to the start; a gait on the spot, and who stays, bobs and sways there and comes back from both, a gait round
/// about if it spins.
fn closed(quality: &Quality) -> StageKind {
    let usual = close::Settings::default();
    let turn = quality.way.turn - 360.0 * (quality.way.turn / 360.0).round();
    let comes_back = (quality.way.on_the_spot || stays(quality)) && turn.abs() <= TURN;
    let cycle = if comes_back { close::Cycle::InPlace } else { usual.cycle };
    StageKind::Close(Box::new(close::Settings { seam: usual.seam.min(0.5 * quality.seconds), cycle, ..usual }))
}

/// Whether a body gets nowhere: what a gait on the spot sways until it is cut off is no way.
pub(super) fn stays(quality: &Quality) -> bool {
    !quality.way.goes_on && quality.way.travel < STAYS
}

fn is_long_enough_to_close(quality: &Quality) -> bool {
    // What most clips are made at, where the keys do not tell.
    let rate = quality.key_rate.unwrap_or(30.0);
    quality.seconds * rate + 1.0 >= close::Settings::FEWEST_FRAMES as f64
}

/// All that mending may begin with. Where a body is about as fast as its drift, which no resting foot tells exactly, or goes on evenly
/// in a cycle whose feet slide and tell nothing, all of its way may be drift; where its feet go by much faster, what they tell may be.
pub(super) fn ways_to_mend(quality: &Quality) -> Vec<Vec<StageKind>> {
    let usual = mends(quality);
    let is_exact = quality.feet.is_some_and(|feet| feet.drifts_at_rest);
    let other = match quality.feet.and_then(|feet| feet.drift) {
        Some(drift) if travel_of(drift, quality) == RootTravel::Away => Some(RootTravel::FromFeet),
        Some(drift) => {
            let is_all = (drift - quality.way.speed).abs() <= SAME * drift;
            (is_all && !is_exact).then_some(RootTravel::Away)
        }
        None => {
            let slides = quality.findings.contains(&Finding::FeetSlide);
            let goes_on = slides && quality.way.goes_on && quality.residue.place <= CYCLE;
            goes_on.then_some(RootTravel::Away)
        }
    };
    let otherwise = other.map(|travel| vec![undrifted(quality, travel)]);
    [usual].into_iter().chain(otherwise).collect()
}

/// Whether a stage of that kind may be there to mend.
pub(super) fn may_mend(kind: &StageKind) -> bool {
    match kind {
        StageKind::Cleanup(_) | StageKind::Ground(_) | StageKind::Close(_) => true,
        StageKind::Root(root) => matches!(root.travel, RootTravel::Away | RootTravel::FromFeet),
        _ => false,
    }
}

/// What becomes of the way of a body whose feet go by at `drift`: who was meant to stay on the spot stays there.
fn travel_of(drift: f64, quality: &Quality) -> RootTravel {
    if drift >= FAR * quality.way.speed { RootTravel::Away } else { RootTravel::FromFeet }
}

/// What takes away a drift over the whole clip: the path is what drifts, and the sway stays.
fn undrifted(quality: &Quality, travel: RootTravel) -> StageKind {
    let evened = quality.seconds.min(root::Settings::LONGEST);
    StageKind::Root(Box::new(root::Settings { travel, heading: false, evened }))
}

/// What a clip gets to become a take.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// The take's name.
    pub name: String,
    /// What its stages do, in order.
    pub kinds: Vec<StageKind>,
}

impl Stack {
    /// The take that it makes of a clip of `file`, without a number.
    pub(super) fn over(self, file: FileId, clip: &str) -> Take {
        let source = TakeSource::Clip { file, clip: clip.to_owned() };
        Take { id: TakeId(0), name: self.name, character: file, source, stages: Stage::numbered(self.kinds) }
    }
}

impl Session {
    /// Opens the files of `rows` that are not open yet, then goes on with the clips whose files could be read, by file.
    pub(in crate::session) fn with_clips(
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

    /// Adds a take of a clip of `file` with that stack; answers its id.
    pub fn add_stack(&mut self, file: FileId, clip: &str, stack: Stack) -> TakeId {
        self.add_take(stack.over(file, clip))
    }

    /// Puts the takes that were made of clips of the library, which are those from place `before` on, into a folder and shows the
    /// first, while the user goes on in the library.
    pub(in crate::session) fn gather_made(&mut self, before: usize, folder: &str) {
        let first = self.document.takes.get(before).map(|take| Shown::Take(take.id));
        first.into_iter().for_each(|first| self.selection.show_aside(first));
        self.document.gather_takes(before, folder);
    }
}

/// The figures of what comes out of a take; `None` where it cannot be measured.
pub fn quality_of(built: &BuiltTake) -> Option<Quality> {
    quality_within(built, &Progress::new()).ok().flatten()
}

/// The same while `progress` lets it go on.
pub(in crate::session) fn quality_within(built: &BuiltTake, progress: &Progress) -> Result<Option<Quality>, Cancelled> {
    let (model, roles) = (&built.character.model, &built.roles);
    let input = quality::Input {
        skeleton: &model.skeleton,
        clip: &built.clip,
        roles,
        soles: &soles(model, &roles.legs),
        metres_per_unit: built.metres_per_unit,
    };
    quality(&input, progress)
}
