//! Recognition of a crossing in a clip: contacts, moments, kind, and the clip's own obstacle.

use glam::DVec3;

use super::contact::{Contact, ContactLimb, Support, foot_spans, holds};
use super::flight::Flight;
use super::profile::{clear_thickness, profile};
use super::tracks::{Tracks, rest_height};
use super::{BuildError, ClipRange, CrossingKind, Input, Moments, Obstacle};
use portamento_anim::root_motion::headings;

/// Height by which a contact may differ from the ground on which it counts as standing, metres.
const GROUND_TOLERANCE_M: f64 = 0.12;
/// Rise of the ground from which a clip goes up or down, metres: a low step.
const RISE_MIN_M: f64 = 0.15;
/// Drop from which a clip without hands jumps down instead of across, metres.
const DROP_MIN_M: f64 = 0.3;
/// Shortest time without any contact that counts as flight, seconds.
const FLIGHT_MIN_SECONDS: f64 = 0.1;
/// Shortest flight of a jump on level ground, seconds. The flights of a run are shorter.
const JUMP_MIN_SECONDS: f64 = 0.2;
/// Distance from the toe joint to the tip of a person's foot, metres.
const TOE_TIP_M: f64 = 0.1;
/// Distance from the toe joint back to the heel of a person's foot, metres.
pub(super) const HEEL_M: f64 = 0.2;
/// Half of the length of the clip's own edges, metres.
const EDGE_HALF_LENGTH_M: f64 = 1.0;
/// Travel below which a clip has no direction of its own, metres.
const TRAVEL_MIN_M: f64 = 0.1;
/// A mantle rises by at least this fraction of the height of its hold.
const MANTLE_RISE_FRACTION: f64 = 0.6;

/// A clip that crosses something, as far as the clip alone shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossingClip {
    /// How it crosses.
    pub kind: CrossingKind,
    /// Direction of travel, a horizontal unit vector.
    pub heading: DVec3,
    /// All contacts, in order of their start.
    pub contacts: Vec<Contact>,
    /// Take-off, near edge, far edge and landing, seconds: the feet leave the ground, the obstacle or edge is reached, it is left,
    /// the first foot lands.
    pub moments: [f64; 4],
    /// Flights between take-off and landing.
    pub flights: Vec<Flight>,
    /// The obstacle that the clip crosses as it is, in the clip's space: the largest one for the contacts that it has.
    pub obstacle: Obstacle,
    /// Duration, seconds.
    pub seconds: f64,
    pub(super) tracks: Tracks,
}

/// A clip with its ground heights, before the obstacle is known.
struct Draft<'a> {
    tracks: &'a Tracks,
    heading: DVec3,
    /// Heights of the ground before and after, metres.
    grounds: [f64; 2],
    contacts: Vec<Contact>,
    /// Start and end of the part in which the obstacle is touched or flown over, seconds.
    core: [f64; 2],
}

impl CrossingClip {
    /// Recognises the crossing of the clip of `input`. `moments` and `kind` replace those that the clip shows.
    ///
    /// Returns `Err` if
    /// - the clip does not fit the skeleton, or its frame rate, unit or length is out of range;
    /// - the clip does not travel, or neither jumps nor climbs;
    /// - the moments are not in order, at least two frames apart.
    pub fn recognise(input: &Input, moments: &Moments, kind: Option<CrossingKind>) -> Result<Self, BuildError> {
        check(input)?;
        let tracks = Tracks::new(input);
        let heading = heading(input, &tracks)?;
        let no_crossing = || BuildError::NoCrossing { clip: input.clip.name.clone() };
        let draft = Draft::new(&tracks, heading, foot_spans(input, &tracks)).ok_or_else(no_crossing)?;
        let kind = kind.unwrap_or_else(|| draft.kind());
        let flights = draft.flights();
        let moments = draft.moments(moments, input.fps)?;
        let obstacle = draft.obstacle(input, kind);
        Ok(Self {
            kind,
            heading,
            flights,
            moments,
            obstacle,
            seconds: input.clip.duration,
            contacts: draft.contacts,
            tracks,
        })
    }

    /// Returns the obstacles that the clip can cross within the limits of a person ([`super::limits`]). Each range is for the other
    /// sizes of the clip's own obstacle.
    pub fn range(&self) -> ClipRange {
        super::range::range(self)
    }

    /// Returns the contacts on `support`.
    pub fn contacts_on(&self, support: Support) -> impl Iterator<Item = &Contact> {
        self.contacts.iter().filter(move |contact| contact.support == support)
    }

    /// Returns the length of the path of root or hips, whichever is longer, between two times in seconds; metres.
    pub(super) fn path_length(&self, [start, end]: [f64; 2]) -> f64 {
        let frames = self.tracks.frames([start, end]);
        let length =
            |path: &[DVec3]| path[frames.clone()].windows(2).map(|pair| (pair[1] - pair[0]).length()).sum::<f64>();
        length(&self.tracks.root).max(length(&self.tracks.body))
    }

    /// Returns the distance of `point` from the start along the heading, metres.
    pub fn along(&self, point: DVec3) -> f64 {
        (point - self.obstacle.start).dot(self.heading)
    }
}

/// Returns `Err` if the clip, its frame rate or its unit is invalid.
fn check(input: &Input) -> Result<(), BuildError> {
    /// Longest clip, seconds.
    const MAX_SECONDS: f64 = 3600.0;
    input.clip.check_fits(input.skeleton)?;
    let numbers = [
        (input.fps, (1.0..=1000.0).contains(&input.fps)),
        (input.metres_per_unit, input.metres_per_unit > 0.0 && input.metres_per_unit.is_finite()),
        (input.clip.duration, input.clip.duration > 0.0 && input.clip.duration <= MAX_SECONDS),
    ];
    match numbers.into_iter().find(|number| !number.1) {
        Some((value, _)) => Err(BuildError::BadNumber { value }),
        None => Ok(()),
    }
}

/// Returns the horizontal unit vector from the first to the last position of the root. If they are closer than
/// [`TRAVEL_MIN_M`] in the ground plane, returns the facing direction.
///
/// Returns `Err` if they are closer than that with their heights too, or if a position is not finite.
fn heading(input: &Input, tracks: &Tracks) -> Result<DVec3, BuildError> {
    let (first, last) = (tracks.root[0], tracks.root[tracks.root.len() - 1]);
    if let Some(frame) = tracks.body.iter().chain(&tracks.root).position(|point| !point.is_finite()) {
        let joint = input.skeleton.joints[input.root.joint].name.clone();
        let time = tracks.times[frame % tracks.times.len()];
        return Err(portamento_anim::clip_fit::BrokenClip { joint, time }.into());
    }
    let travel = last - first;
    if travel.with_y(0.0).length() >= TRAVEL_MIN_M {
        return Ok(travel.with_y(0.0).normalize());
    }
    if travel.length() < TRAVEL_MIN_M {
        return Err(BuildError::NoTravel { clip: input.clip.name.clone() });
    }
    let turn = headings(input.skeleton, input.clip, input.root.joint, &[0.0]).first().copied().unwrap_or(0.0);
    let front = input.roles.front.unwrap_or_default().direction();
    Ok(glam::DQuat::from_rotation_y(turn) * front)
}

impl<'a> Draft<'a> {
    /// Returns the contacts with their surfaces; `None` if the clip crosses nothing.
    fn new(tracks: &'a Tracks, heading: DVec3, feet: Vec<Contact>) -> Option<Self> {
        let grounds = [feet.first()?.point.y, feet.last()?.point.y];
        let is_on = |contact: &Contact, ground: f64| (contact.point.y - ground).abs() <= GROUND_TOLERANCE_M;
        let top = grounds[0].max(grounds[1]) + RISE_MIN_M;
        let holds = holds(tracks, &feet, grounds[0]);
        let on_top: Vec<&Contact> = feet.iter().filter(|contact| contact.point.y > top).collect();
        let core = if let (Some(first), false) = (holds.first(), holds.is_empty()) {
            [first.span[0], holds.iter().map(|hold| hold.span[1]).fold(first.span[1], f64::max)]
        } else if let (Some(first), Some(last)) = (on_top.first(), on_top.last()) {
            [first.span[0], last.span[1]]
        } else {
            let all = gaps(&feet);
            let longest = all.into_iter().max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])))?;
            let rises = (grounds[1] - grounds[0]).abs() >= RISE_MIN_M;
            let shortest = if rises { FLIGHT_MIN_SECONDS } else { JUMP_MIN_SECONDS };
            (longest[1] - longest[0] >= shortest).then_some(longest)?
        };
        let is_held = !holds.is_empty();
        let support = |contact: &Contact| {
            if contact.point.y > top && !is_held {
                Support::Obstacle
            } else if contact.span[0] < core[0] && (is_on(contact, grounds[0]) || !is_held) {
                Support::Before
            } else if is_on(contact, grounds[1]) || contact.span[0] >= core[1] {
                Support::After
            } else {
                Support::Obstacle
            }
        };
        let mut contacts: Vec<Contact> = feet.iter().map(|foot| Contact { support: support(foot), ..*foot }).collect();
        contacts.extend(holds);
        contacts.sort_by(|a, b| a.span[0].total_cmp(&b.span[0]));
        let has = |support| contacts.iter().any(|contact| contact.support == support);
        (has(Support::Before) && has(Support::After)).then_some(Self { tracks, heading, grounds, contacts, core })
    }

    fn on(&self, support: Support) -> impl Iterator<Item = &Contact> {
        self.contacts.iter().filter(move |contact| contact.support == support)
    }

    /// Returns the rise of the ground, metres.
    fn rise(&self) -> f64 {
        self.grounds[1] - self.grounds[0]
    }

    /// Returns the kind of crossing, by the contacts on the obstacle and the rise from the ground before it to that
    /// behind it.
    fn kind(&self) -> CrossingKind {
        let hold = self.on(Support::Obstacle).find(|contact| matches!(contact.limb, ContactLimb::Hand(_)));
        let rise = self.rise();
        match hold {
            Some(hold) if rise > MANTLE_RISE_FRACTION * (hold.point.y - self.grounds[0]) => CrossingKind::Mantle,
            Some(hold) if rise < -DROP_MIN_M && hold.point.y - self.grounds[0] < DROP_MIN_M => CrossingKind::DropDown,
            Some(_) => CrossingKind::Vault,
            None if self.on(Support::Obstacle).next().is_some() => CrossingKind::Vault,
            None if rise > RISE_MIN_M => CrossingKind::HopUp,
            None if rise < -DROP_MIN_M => CrossingKind::DropDown,
            None => CrossingKind::JumpAcross,
        }
    }

    /// Returns the end of the last contact before the obstacle, seconds.
    fn take_off(&self) -> f64 {
        self.on(Support::Before).map(|contact| contact.span[1]).fold(0.0, f64::max)
    }

    /// Returns the start of the first contact behind the obstacle, seconds.
    fn landing(&self) -> f64 {
        self.on(Support::After).map(|contact| contact.span[0]).fold(f64::INFINITY, f64::min)
    }

    /// Returns the flights from the take-off to the landing.
    fn flights(&self) -> Vec<Flight> {
        let slack = 1e-6;
        let within = |gap: &[f64; 2]| gap[0] >= self.take_off() - slack && gap[1] <= self.landing() + slack;
        let gaps = gaps(&self.contacts).into_iter().filter(within);
        let at = |time: f64| self.tracks.body[self.tracks.frames([time, time]).start];
        gaps.map(|[start, end]| Flight { start, end, from: at(start), to: at(end), heading: self.heading }).collect()
    }

    /// Returns take-off, near edge, far edge and landing, seconds, as far as `set` does not replace them.
    fn moments(&self, set: &Moments, fps: f64) -> Result<[f64; 4], BuildError> {
        let (take_off, landing) = (self.take_off(), self.landing());
        let touched = self.on(Support::Obstacle).next().is_some();
        let [near, far] = match touched {
            true => self.core,
            false => [1.0, 2.0].map(|third| take_off + (landing - take_off) * third / 3.0),
        };
        let found = [take_off, near, far, landing];
        let set = [set.take_off, set.near, set.far, set.landing];
        let moments: [f64; 4] = std::array::from_fn(|i| set[i].unwrap_or(found[i]));
        let end = self.tracks.times[self.tracks.times.len() - 1];
        if let Some(&bad) = moments.iter().find(|moment| !(0.0..=end).contains(*moment)) {
            return Err(BuildError::BadMoments { first: end, next: bad });
        }
        // A clip may touch the obstacle while it stands before or behind it; only moments that somebody sets must be in order.
        let is_set = |i: usize| set[i].is_some() || set[i + 1].is_some();
        match (0..3).find(|&i| is_set(i) && moments[i + 1] - moments[i] < 2.0 / fps) {
            Some(i) => Err(BuildError::BadMoments { first: moments[i], next: moments[i + 1] }),
            None => Ok(moments),
        }
    }

    /// Returns the clip's own obstacle.
    fn obstacle(&self, input: &Input, kind: CrossingKind) -> Obstacle {
        let root = &self.tracks.root;
        let start = root[0].with_y(self.grounds[0]);
        let landing = root[root.len() - 1].with_y(self.grounds[1]);
        let along = |point: DVec3| (point - start).dot(self.heading);
        let across = self.heading.cross(DVec3::Y) * EDGE_HALF_LENGTH_M;
        let edge = |distance: f64, height: f64| {
            let middle = (start + self.heading * distance).with_y(height);
            [middle - across, middle + across]
        };
        let extreme = |support: Support, of: fn(f64, f64) -> f64, from: f64| {
            self.on(support).map(|contact| along(contact.point)).fold(from, of)
        };
        let toe = extreme(Support::Before, f64::max, f64::NEG_INFINITY) + TOE_TIP_M;
        let heel = extreme(Support::After, f64::min, f64::INFINITY) - HEEL_M;
        let touched: Vec<DVec3> = self.first_touch();
        let mean =
            |of: &dyn Fn(DVec3) -> f64| touched.iter().map(|&point| of(point)).sum::<f64>() / touched.len() as f64;
        let [distance, height] = match kind {
            _ if !touched.is_empty() => [mean(&along), mean(&|point| point.y)],
            CrossingKind::HopUp => [heel.max(0.0), self.grounds[1]],
            _ => [toe, self.grounds[0]],
        };
        let far = match kind {
            CrossingKind::Vault => {
                let profile = profile(input, start, self.heading);
                let limit = (heel - distance).max(0.0).min(rest_height(input));
                Some(edge(distance + clear_thickness(&profile, distance, height, limit), height))
            }
            CrossingKind::JumpAcross => Some(edge(heel.max(distance), self.grounds[1])),
            _ => None,
        };
        Obstacle { kind, near: edge(distance, height), far, start, landing }
    }

    /// Returns the positions of the first contacts on the obstacle: those that begin before the first one ends. Hands count before
    /// feet.
    fn first_touch(&self) -> Vec<DVec3> {
        let is_hand = |contact: &&Contact| matches!(contact.limb, ContactLimb::Hand(_));
        let first = self.on(Support::Obstacle).find(is_hand).or_else(|| self.on(Support::Obstacle).next());
        let Some(first) = first else { return Vec::new() };
        let together = self
            .on(Support::Obstacle)
            .filter(|contact| contact.span[0] <= first.span[1] && is_hand(contact) == is_hand(&first));
        together.map(|contact| contact.point).collect()
    }
}

/// Returns the spans of at least [`FLIGHT_MIN_SECONDS`] between `contacts`, which are in order of their start.
fn gaps(contacts: &[Contact]) -> Vec<[f64; 2]> {
    let Some(mut until) = contacts.first().map(|contact| contact.span[1]) else { return Vec::new() };
    let mut gaps = Vec::new();
    for contact in contacts {
        if contact.span[0] - until >= FLIGHT_MIN_SECONDS {
            gaps.push([until, contact.span[0]]);
        }
        until = until.max(contact.span[1]);
    }
    gaps
}
