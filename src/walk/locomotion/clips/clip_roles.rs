//! Clip of each role: as assigned, otherwise proposed from measured speed, root motion and names.

use super::frozen_idle;
use super::in_place_clip::{ClipRole, InPlaceClip, RootCarrier};
use super::transition_clip::{FORWARD_MAX_RADIANS, TransitionClip};
use super::turn_clip::{self, TurnClip};
use crate::locomotion::error::NotProposed;
use crate::locomotion::gaits::gait::Gait;
use crate::locomotion::gaits::slope_sets::{self, SlopeSet};
use crate::locomotion::gaits::stance::{self, NoStance};
use crate::locomotion::segments::pose_match::{limbs, pose_distance};
use crate::locomotion::{GaitClip, Input, Settings, WalkError};
use portamento_anim::math::mean::angle_between;
use portamento_anim::root_synthesis::RootMotionError;
use portamento_anim::{Clip, Pose};
use portamento_base::message::message;

/// The clips of a walk.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClipSet {
    pub idle: InPlaceClip,
    /// True if `idle` is one frozen pose, because no clip stands still.
    pub holds_stand: bool,
    /// At least one: those for any slope by rising speed, then those for a slope range.
    pub gaits: Vec<Gait>,
    /// The gaits of each slope range.
    pub slopes: Vec<SlopeSet>,
    pub start: Option<TransitionClip>,
    pub stop: Option<TransitionClip>,
    /// Gaits whose feet have no stance.
    pub no_stance: Vec<NoStance>,
    /// Clips that turn on the spot; empty until [`ClipSet::find_turns`].
    pub turns: Vec<TurnClip>,
}

/// Finds the clip of every role. Returns `Err` if a required role has no clip or an assigned clip does not fit. Turn clips
/// are left to [`ClipSet::find_turns`].
pub(crate) fn find(input: &Input, carrier: &RootCarrier, settings: &Settings) -> Result<ClipSet, WalkError> {
    if input.clips.is_empty() {
        return Err(WalkError::NoClips);
    }
    let roles = &settings.clips;
    let standing = match &roles.idle {
        Some(name) => {
            let clip = input.clip(name, message!("role.walk.standing", "standing"))?;
            Some(InPlaceClip::new(input, carrier, clip, ClipRole::Cycle))
        }
        None => propose_idle(input, carrier),
    };
    let holds_stand = standing.is_none();
    let idle = standing.or_else(|| frozen_idle::find(input, carrier)).ok_or(WalkError::NoIdle)?;
    let mut gaits = Vec::new();
    for assigned in &roles.gaits {
        let clip = input.clip(&assigned.clip, message!("role.walk.walking", "walking"))?;
        let source = InPlaceClip::new(input, carrier, clip, ClipRole::Cycle);
        let mut gait = Gait::measure(source, input.metres_per_unit)?;
        gait.slope = assigned.slope.unwrap_or(gait.slope);
        gaits.push(gait);
    }
    let no_stance = if gaits.is_empty() {
        gaits = propose_gaits(input, carrier).map_err(|nearest| {
            // For a clip in place, only feet show its speed.
            if input.legs().is_empty() { RootMotionError::NoLegs.into() } else { WalkError::NoGait { nearest } }
        })?;
        stance::without_stance(input, &gaits)
    } else {
        assigned_without_stance(input, carrier, &gaits)
    };
    gaits.sort_by(|a, b| {
        (a.slope != GaitClip::ANY).cmp(&(b.slope != GaitClip::ANY)).then(a.speed().total_cmp(&b.speed()))
    });
    let known = KnownClips { input, carrier, gaits: &gaits, idle: &idle };
    let stop = match &roles.stop {
        Some(name) => {
            let clip = input.clip(name, message!("role.walk.stopping", "stopping"))?;
            Some(TransitionClip::new(input, carrier, clip, ClipRole::ToStand)?)
        }
        None if roles.propose_stop => known.propose_stop(),
        None => None,
    };
    let start = match &roles.start {
        Some(name) => {
            let clip = input.clip(name, message!("role.walk.starting", "starting"))?;
            Some(TransitionClip::new(input, carrier, clip, ClipRole::FromStand)?)
        }
        None if roles.propose_start => known.propose_start(),
        None => None,
    };
    let slopes = slope_sets::sets(&gaits);
    Ok(ClipSet { idle, holds_stand, gaits, slopes, start, stop, no_stance, turns: Vec::new() })
}

/// Returns the assigned `gaits` without stance, each with a proposed replacement. The replacement is the fastest proposed
/// gait, if there is one.
fn assigned_without_stance(input: &Input, carrier: &RootCarrier, gaits: &[Gait]) -> Vec<NoStance> {
    let mut found: Vec<NoStance> = gaits.iter().filter_map(|gait| NoStance::find(input, gait)).collect();
    if found.is_empty() {
        return found;
    }
    let mut others = propose_gaits(input, carrier).unwrap_or_default();
    let skating = stance::without_stance(input, &others);
    others.retain(|other| found.iter().chain(&skating).all(|each| each.clip != other.source.clip.name));
    let fastest = others.iter().max_by(|a, b| a.speed().total_cmp(&b.speed()));
    found.iter_mut().for_each(|each| each.instead = fastest.map(|gait| gait.source.clip.name.clone()));
    found
}

impl ClipSet {
    /// Finds clips that turn on the spot and stores them in [`Self::turns`]. Returns `Err` if an assigned clip does not exist
    /// or does not turn.
    pub(crate) fn find_turns(
        &mut self,
        input: &Input,
        carrier: &RootCarrier,
        settings: &Settings,
    ) -> Result<(), WalkError> {
        let mut standing = Pose::default();
        self.idle.sample(input.skeleton, carrier, 0.0, &mut standing);
        self.turns = turn_clip::find(input, carrier, &settings.clips, &standing)?;
        Ok(())
    }

    /// Returns the slowest gait of the widest slope range.
    pub fn slowest_gait(&self) -> &Gait {
        let first = self.slopes.last().and_then(|slopes| slopes.gaits.first());
        &self.gaits[first.copied().unwrap_or(0)]
    }
}

/// True if `speed` is within 25 % of some gait's.
fn is_gaits_speed(speed: f64, gaits: &[Gait]) -> bool {
    gaits.iter().any(|gait| (speed / gait.speed() - 1.0).abs() < 0.25)
}

/// Returns a sort key: names with one of `words` first, then short names. Equal keys keep the file's order.
fn preference(clip: &Clip, words: &[&str]) -> (bool, usize) {
    let name = clip.name.to_lowercase();
    (!words.iter().any(|word| name.contains(word)), name.len())
}

/// Largest difference between the first and the last pose of a cycle, radians: of an idle clip, and of a gait, whose
/// seam is closed. Tuned; no derivation recorded.
const LOOP_MAX_RADIANS: [f64; 2] = [0.12, 0.25];

/// True if no joint's last pose differs from its first by `limit` radians or more. Travel is ignored.
fn repeats(input: &Input, source: &InPlaceClip, limit: f64) -> bool {
    let [first, last] = [0.0, source.clip.duration].map(|time| source.clip.pose_at(input.skeleton, time));
    let turned = |(a, b): (&portamento_anim::math::Transform, &portamento_anim::math::Transform)| {
        angle_between(a.rotation, b.rotation)
    };
    let body = input.body_joints();
    body.iter().all(|&joint| turned((&first.locals[joint], &last.locals[joint])) < limit)
}
/// Returns the first clip longer than 0.3 s with still feet, an upright pose and no travel whose last pose nearly
/// equals its first. Names with idle or stand come first. `None` if there is none.
fn propose_idle(input: &Input, carrier: &RootCarrier) -> Option<InPlaceClip> {
    let mut clips: Vec<&Clip> = input.clips.iter().filter(|clip| clip.duration > 0.3).collect();
    clips.sort_by_key(|clip| preference(clip, &["idle", "stand"]));
    clips.into_iter().map(|clip| InPlaceClip::new(input, carrier, clip, ClipRole::Cycle)).find(|source| {
        let steady = (0..source.leg_count()).all(|leg| {
            let start = source.sole(leg, 0.0);
            let drift = source.times.iter().map(|&time| source.sole(leg, time).distance(start)).fold(0.0, f64::max);
            drift * input.metres_per_unit < 0.05
        });
        steady
            && source.travel() < 0.1
            && is_upright(input, carrier, source)
            && repeats(input, source, LOOP_MAX_RADIANS[0])
    })
}

/// True if the height of the hips in the first pose differs from rest by less than 20 %, or if the hips are unknown.
fn is_upright(input: &Input, carrier: &RootCarrier, source: &InPlaceClip) -> bool {
    let Some(hips) = input.roles.hips.filter(|&hips| hips < input.skeleton.len()) else { return true };
    let mut pose = Pose::default();
    source.sample(input.skeleton, carrier, 0.0, &mut pose);
    let height = |pose: &Pose| pose.world_from_joint(input.skeleton, hips).translation.y;
    let rest = height(&Pose::rest(input.skeleton));
    (height(&pose) - rest).abs() < 0.2 * rest.abs()
}

/// Returns at least one gait. If any clip has the name of a gait, only such clips are considered. Of gaits with about
/// the same speed and slope, only the first is returned.
///
/// Returns `Err` if there is no gait, with the first candidate and the reason why it was rejected. That is `None` if
/// there is no candidate.
fn propose_gaits(input: &Input, carrier: &RootCarrier) -> Result<Vec<Gait>, Option<(String, NotProposed)>> {
    const WORDS: [&str; 7] = ["walk", "run", "jog", "sprint", "uphill", "downhill", "stairs"];
    const NO_WORDS: [&str; 5] = ["jump", "leap", "roll", "dodge", "strafe"];
    // Seconds: a person's cycles are shorter, but a giant that is called walking takes longer.
    let longest = |clip: &Clip| if preference(clip, &WORDS).0 { 3.0 } else { 10.0 };
    let steps = |clip: &&Clip| clip.duration > 0.2 && clip.duration < longest(clip) && preference(clip, &NO_WORDS).0;
    let mut clips: Vec<&Clip> = input.clips.iter().filter(steps).collect();
    clips.sort_by_key(|clip| preference(clip, &WORDS));
    if clips.iter().any(|clip| !preference(clip, &WORDS).0) {
        clips.retain(|clip| !preference(clip, &WORDS).0);
    }
    let mut gaits: Vec<Gait> = Vec::new();
    let mut nearest: Option<(String, NotProposed)> = None;
    for clip in clips {
        match propose_gait(input, carrier, clip) {
            Ok(gait) => {
                let ratio = |old: &Gait| (old.speed() / gait.speed()).max(gait.speed() / old.speed());
                if gaits.iter().all(|old| old.slope != gait.slope || ratio(old) > 1.25) {
                    gaits.push(gait);
                }
            }
            Err(lack) => nearest = nearest.or(Some((clip.name.clone(), lack))),
        }
    }
    if gaits.is_empty() { Err(nearest) } else { Ok(gaits) }
}

/// Returns the gait of `clip`, or the reason why it is rejected.
fn propose_gait(input: &Input, carrier: &RootCarrier, clip: &Clip) -> Result<Gait, NotProposed> {
    let source = InPlaceClip::new(input, carrier, clip, ClipRole::Cycle);
    if source.off_front() > FORWARD_MAX_RADIANS {
        return Err(NotProposed::OffFront { degrees: source.off_front().to_degrees() });
    }
    if !repeats(input, &source, LOOP_MAX_RADIANS[1]) {
        return Err(NotProposed::DoesNotRepeat);
    }
    let gait = Gait::measure(source, input.metres_per_unit).map_err(|_| NotProposed::NoSteps)?;
    let steps = (0..gait.source.leg_count()).all(|leg| (0.05..0.97).contains(&gait.duty(leg)));
    if steps && gait.speed() > 0.3 { Ok(gait) } else { Err(NotProposed::NoSteps) }
}

/// The known idle and gait clips, to which transition clips are compared.
struct KnownClips<'a> {
    input: &'a Input<'a>,
    carrier: &'a RootCarrier,
    gaits: &'a [Gait],
    idle: &'a InPlaceClip,
}

impl KnownClips<'_> {
    /// Returns the first clip that starts in a gait at its speed, moves straight and ends at rest. `None` if there is
    /// none.
    fn propose_stop(&self) -> Option<TransitionClip> {
        self.transitions("stop", ClipRole::ToStand).find(|stop| {
            let rests = stop.curve.at(stop.source.clip.duration - 0.1) < 0.01;
            is_gaits_speed(stop.first_speed(), self.gaits)
                && rests
                && stop.is_straight()
                && self.is_in_a_gait(&stop.source, 0.0)
        })
    }
    /// Returns the first clip that starts at rest, moves straight and ends in a gait at its speed. `None` if there is
    /// none.
    fn propose_start(&self) -> Option<TransitionClip> {
        self.transitions("start", ClipRole::FromStand).find(|start| {
            let rests = start.curve.at(0.1) > start.curve.length() - 0.01;
            let end = start.source.clip.duration;
            is_gaits_speed(start.last_speed(), self.gaits)
                && rests
                && start.is_straight()
                && self.is_in_a_gait(&start.source, end)
                && !self.is_in_a_gait(&start.source, 0.0)
        })
    }

    /// Returns clips that fit `role`, those named `word` first.
    fn transitions(&self, word: &'static str, role: ClipRole) -> impl Iterator<Item = TransitionClip> {
        let mut clips: Vec<&Clip> = self.input.clips.iter().collect();
        clips.sort_by_key(|clip| preference(clip, &[word]));
        clips.into_iter().filter_map(move |clip| TransitionClip::new(self.input, self.carrier, clip, role).ok())
    }

    /// True if the pose of `source` at `time` (seconds) is at most half as far from some gait pose as from the idle pose.
    fn is_in_a_gait(&self, source: &InPlaceClip, time: f64) -> bool {
        let limbs = limbs(self.input);
        let pose = |source: &InPlaceClip, time: f64| {
            let mut pose = Pose::default();
            source.sample(self.input.skeleton, self.carrier, time, &mut pose);
            pose
        };
        let queried = pose(source, time);
        let distance =
            |source: &InPlaceClip, time: f64| pose_distance(self.input, &limbs, &pose(source, time), &queried);
        let standing = distance(self.idle, 0.0);
        let is_nearer = |gait: &Gait, k: u32| distance(&gait.source, gait.time(f64::from(k) / 32.0)) < 0.5 * standing;
        self.gaits.iter().any(|gait| (0..32).any(|k| is_nearer(gait, k)))
    }
}
