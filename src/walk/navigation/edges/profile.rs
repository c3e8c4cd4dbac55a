//! The surroundings of one point of a line: the fall in front of it and the room around it.

use glam::{DVec2, DVec3};

use super::EDGE_MIN_HEIGHT_M;
use super::surface::{Surface, level_vector};

/// Distance of the probes from the line, metres. Small, so that the ends of a piece are exact at any angle.
const PROBE_M: f64 = 0.002;
/// Height of the horizontal probe over the line, metres.
const FRONT_PROBE_HEIGHT_M: f64 = 0.05;
/// A gap that is narrower than this is a crack that a foot steps over, metres.
const CRACK_MAX_M: f64 = 0.25;
/// Largest cosine between the front of a line and the normal of a face that forms a crack with it: 30° from opposite.
const CRACK_MAX_COSINE: f64 = -0.87;
/// Spacing of the probes in front of the line, metres.
const STEP_M: f64 = 0.05;
/// Largest horizontal distance from the line to the foot of a leaning wall, metres.
const FOOT_MAX_M: f64 = 1.0;
/// Smallest fall per metre of a ledge; less is a slope: tan 60°.
const LEDGE_MIN_FALL: f64 = 1.73;
/// Room that counts as unlimited, metres.
pub(super) const MAX_ROOM_M: f64 = 5.0;
/// Height over the line at which the room behind it is measured, metres.
const BEHIND_HEIGHT_M: f64 = 0.5;

/// Height that is no slope at any distance, metres.
const JUMP_M: f64 = 0.02;
/// Height from which the back of a face above may be a deck, metres; nobody passes below a lower one.
const DECK_MIN_HEIGHT_M: f64 = 1.0;

/// The fall in front of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fall {
    /// Down to walkable ground: height in metres, and horizontal distance to the foot.
    Ground { height: f64, foot: f64 },
    /// Without walkable ground below.
    Bottomless,
}

/// The surroundings of a point of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Profile {
    /// Fall in front.
    pub fall: Fall,
    /// Free height above, metres, at most [`MAX_ROOM_M`].
    pub above: f64,
    /// Free horizontal distance behind, half a metre above the line, metres, at most [`MAX_ROOM_M`].
    pub behind: f64,
}

/// Returns the surroundings of `at`; `None` if the ground does not fall in the direction `front` there, or if the
/// point is inside a solid.
pub(super) fn profile(surface: &Surface, at: DVec3, front: DVec2) -> Option<Profile> {
    let ahead = level_vector(front);
    let behind = at - ahead * PROBE_M + DVec3::Y * (2.0 * PROBE_M);
    let over = at + DVec3::Y * FRONT_PROBE_HEIGHT_M;
    let is_wall = surface.cast(behind, ahead).is_some_and(|hit| hit.distance < 2.0 * PROBE_M);
    let is_crack =
        surface.cast(over, ahead).is_some_and(|hit| hit.distance < CRACK_MAX_M && hit.cosine < CRACK_MAX_COSINE);
    if is_wall || is_crack {
        return None;
    }
    let fall = fall(surface, at, ahead)?;
    let in_front = at + ahead * PROBE_M + DVec3::Y * (2.0 * PROBE_M);
    let room = |from: DVec3| room_above(surface, from, fall != Fall::Bottomless);
    let above = room(behind)?.min(room(in_front)?);
    let behind = surface.free(at + DVec3::Y * BEHIND_HEIGHT_M, -ahead, MAX_ROOM_M);
    Some(Profile { fall, above, behind })
}

/// Returns the free height above a point; `None` if it is inside a solid or below the ground.
fn room_above(surface: &Surface, from: DVec3, has_ground: bool) -> Option<f64> {
    let Some(hit) = surface.cast(from, DVec3::Y) else { return Some(MAX_ROOM_M) };
    let is_deck = || has_ground && hit.distance > DECK_MIN_HEIGHT_M && is_below_deck(surface, from);
    (hit.is_outside() || is_deck()).then(|| hit.distance.min(MAX_ROOM_M))
}

/// True if most faces around a point show their outside. A deck of one face looks like the inside of a solid from below,
/// but not from the side.
fn is_below_deck(surface: &Surface, from: DVec3) -> bool {
    let sides = [DVec3::X, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Z];
    let hits: Vec<bool> =
        sides.iter().filter_map(|side| surface.cast(from, *side)).map(|hit| hit.is_outside()).collect();
    let outside = hits.iter().filter(|is_outside| **is_outside).count();
    hits.is_empty() || outside > hits.len() - outside
}

/// Returns the fall in front of `at`; `None` if the ground goes on, or falls as a slope.
fn fall(surface: &Surface, at: DVec3, ahead: DVec3) -> Option<Fall> {
    let mut foot: Option<[f64; 2]> = None;
    let (mut is_steep, mut step) = (false, 0);
    loop {
        let distance = (f64::from(step) * STEP_M).max(PROBE_M);
        let raised = if step == 0 { 2.0 * PROBE_M } else { FRONT_PROBE_HEIGHT_M };
        let probe = surface.cast(at + ahead * distance + DVec3::Y * raised, DVec3::NEG_Y);
        if let Some(hit) = probe {
            let drop = hit.distance - raised;
            is_steep = !hit.is_walkable;
            // Behind the foot the ground may rise as a slope; a steeper rise is the other side of a crack.
            let lowest = foot.map_or(f64::INFINITY, |[drop, foot]| drop - (distance - foot) - JUMP_M);
            if hit.is_walkable && drop < EDGE_MIN_HEIGHT_M.min(lowest) {
                return None;
            }
            if hit.is_walkable && foot.is_none() {
                foot = Some([drop, distance]);
            }
        }
        let is_done = foot.is_some() || !is_steep || distance >= FOOT_MAX_M;
        if distance >= CRACK_MAX_M && is_done {
            break;
        }
        step += 1;
    }
    match foot {
        Some([height, foot]) => (height >= LEDGE_MIN_FALL * (foot - STEP_M)).then_some(Fall::Ground { height, foot }),
        None if is_steep => {
            let probe = surface.cast(at + ahead * FOOT_MAX_M + DVec3::Y * FRONT_PROBE_HEIGHT_M, DVec3::NEG_Y);
            let is_cliff = probe.is_none_or(|hit| hit.distance >= LEDGE_MIN_FALL * FOOT_MAX_M);
            is_cliff.then_some(Fall::Bottomless)
        }
        None => Some(Fall::Bottomless),
    }
}
