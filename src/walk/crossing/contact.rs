//! Contacts of hands and feet in a clip that crosses something.

use std::ops::Range;

use glam::DVec3;

use super::Input;
use super::tracks::{LimbTrack, Tracks, legs};
use portamento_anim::contacts::stances;
use portamento_anim::foot_contacts::{FootMotion, foot_contacts};
use portamento_anim::foot_place::sole_heights;

/// A limb that touches something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactLimb {
    /// A hand, by its index in the roles.
    Hand(usize),
    /// A foot, by the index of its leg among the legs that IK can bend.
    Foot(usize),
}

/// Surface that a limb touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// The ground before the obstacle.
    Before,
    /// The obstacle.
    Obstacle,
    /// The ground behind the obstacle, or on top of it if the clip ends there.
    After,
}

/// A contact of a hand or foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The limb.
    pub limb: ContactLimb,
    /// Start and end, seconds.
    pub span: [f64; 2],
    /// Mean position, metres: of the hand or toe joint, at the height of the limb's lowest point.
    pub point: DVec3,
    /// The surface.
    pub support: Support,
}

/// Speeds below which a hand or foot comes to rest, and above which it moves again, metres per second.
const STILL_SPEEDS: [f64; 2] = [0.25, 0.45];
/// Shortest time that a hand or foot rests on something above the ground, seconds. At the apex of a jump a foot rests for less.
const STILL_MIN_SECONDS: f64 = 0.12;
/// Shortest time in which both neighbours of a frame show that a limb rests, seconds.
const STILL_CORE_SECONDS: f64 = 0.06;
/// Height over its contact up to which a rolling foot touches the ground, metres.
const ROLL_MAX_HEIGHT_M: f64 = 0.008;
/// Height over the ground from which a resting hand may hold, metres. Lower hands crawl.
const HOLD_MIN_HEIGHT_M: f64 = 0.2;
/// Travel of the body during a hold, metres. A character that only stands still travels less.
const HOLD_MIN_TRAVEL_M: f64 = 0.15;

/// Returns the contacts of feet in order of their start, all with [`Support::Before`].
pub(super) fn foot_spans(input: &Input, tracks: &Tracks) -> Vec<Contact> {
    let (legs, unit) = (legs(input), input.metres_per_unit);
    let soles: Vec<Vec<DVec3>> =
        tracks.feet.iter().map(|foot| foot.points.iter().map(|point| *point / unit).collect()).collect();
    let body: Vec<DVec3> = tracks.body.iter().map(|point| *point / unit).collect();
    let heights = sole_heights(input.skeleton, input.roles, &legs.iter().collect::<Vec<_>>());
    let motion =
        FootMotion { soles: &soles, heights: &heights, body: &body, times: &tracks.times, metres_per_unit: unit };
    let walked = foot_contacts(&motion);
    let mut all = Vec::new();
    for (foot, (track, walked)) in tracks.feet.iter().zip(walked).enumerate() {
        let mut is_down = vec![false; tracks.times.len()];
        walked.into_iter().chain(still(track, &tracks.times)).flatten().for_each(|frame| is_down[frame] = true);
        let runs = portamento_anim::contacts::runs(&is_down);
        let runs = runs.into_iter().map(|frames| contact(tracks, track, ContactLimb::Foot(foot), frames));
        let has_mesh = !input.body.is_empty();
        all.extend(runs.map(|contact| if has_mesh { rolled(tracks, track, contact) } else { contact }));
    }
    all.sort_by(|a: &Contact, b: &Contact| a.span[0].total_cmp(&b.span[0]));
    all
}

/// Returns the holds of hands above the `ground` height (metres) in order of their start, all with [`Support::Obstacle`].
pub(super) fn holds(tracks: &Tracks, feet: &[Contact], ground: f64) -> Vec<Contact> {
    let mut all = Vec::new();
    for (hand, track) in tracks.hands.iter().enumerate() {
        for frames in still(track, &tracks.times) {
            let hold = Contact {
                support: Support::Obstacle,
                ..contact(tracks, track, ContactLimb::Hand(hand), frames.clone())
            };
            let travel = (tracks.body[frames.end - 1] - tracks.body[frames.start]).length();
            let is_standing = |&time: &f64| feet.iter().any(|foot| foot.span[0] <= time && time <= foot.span[1]);
            let hangs = !tracks.times[frames].iter().all(is_standing);
            let rests = hold.span[1] - hold.span[0] >= STILL_MIN_SECONDS;
            if rests && hold.point.y - ground >= HOLD_MIN_HEIGHT_M && (travel >= HOLD_MIN_TRAVEL_M || hangs) {
                all.push(hold);
            }
        }
    }
    all.sort_by(|a, b| a.span[0].total_cmp(&b.span[0]));
    all
}

/// Returns the frames in which the limb rests.
fn still(track: &LimbTrack, times: &[f64]) -> Vec<Range<usize>> {
    let last = times.len() - 1;
    stances(times, STILL_CORE_SECONDS, |i, is_down| {
        let (a, b) = (i.saturating_sub(1), (i + 1).min(last));
        let seconds = times[b] - times[a];
        seconds > 0.0 && (track.points[b] - track.points[a]).length() <= STILL_SPEEDS[usize::from(is_down)] * seconds
    })
}

/// Returns `frames` of a contact with the first and the last frame at which the limb rests. The speed of a frame is measured from both
/// neighbours, so that a frame beside a fast movement seems to move, and one beside a slow movement seems to rest.
fn bounded(track: &LimbTrack, times: &[f64], frames: Range<usize>) -> Range<usize> {
    /// Speed of a limb that arrives or leaves, metres per second.
    const MOVING_SPEED: f64 = 0.1;
    /// Largest number of frames by which an end moves.
    const MAX_FRAMES: usize = 3;
    let moves = |i: usize| (track.points[i + 1] - track.points[i]).length() > MOVING_SPEED * (times[i + 1] - times[i]);
    let (mut start, mut end) = (frames.start, frames.end);
    while start > 0 && frames.start - start < MAX_FRAMES && !moves(start - 1) {
        start -= 1;
    }
    while end < times.len() && end - frames.end < MAX_FRAMES && !moves(end - 1) {
        end += 1;
    }
    while start + 1 < end && start > 0 && start < frames.start + MAX_FRAMES && moves(start) {
        start += 1;
    }
    while start + 1 < end && end < times.len() && end + MAX_FRAMES > frames.end && moves(end - 2) {
        end -= 1;
    }
    start..end
}

/// Returns the contact of a foot with the frames before it in which the foot rolls from the heel: its mesh touches the ground, but its
/// toe joint still moves.
fn rolled(tracks: &Tracks, track: &LimbTrack, contact: Contact) -> Contact {
    /// Longest roll of a foot from heel to toe, seconds.
    const ROLL_MAX_SECONDS: f64 = 0.1;
    let [start, end] = contact.span;
    let touches = |&frame: &usize| {
        let is_low = (track.lowest[frame] - contact.point.y).abs() <= ROLL_MAX_HEIGHT_M;
        is_low && start - tracks.times[frame] <= ROLL_MAX_SECONDS
    };
    let first = (0..tracks.frames(contact.span).start).rev().take_while(touches).last();
    Contact { span: [first.map_or(start, |frame| tracks.times[frame]), end], ..contact }
}

/// Returns the contact of a limb during `frames`.
fn contact(tracks: &Tracks, track: &LimbTrack, limb: ContactLimb, frames: Range<usize>) -> Contact {
    let frames = bounded(track, &tracks.times, frames);
    let count = frames.len() as f64;
    let mean = track.points[frames.clone()].iter().sum::<DVec3>() / count;
    let height = track.lowest[frames.clone()].iter().sum::<f64>() / count;
    let span = [tracks.times[frames.start], tracks.times[frames.end - 1]];
    Contact { limb, span, point: mean.with_y(height), support: Support::Before }
}
