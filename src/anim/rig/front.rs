//! Detects the facing direction from planted feet, spine, sides and toes.

use glam::DVec3;

use super::body::Body;
use crate::root_motion::{frame_times, headings, path};
use crate::{Clip, Front, Leg, Roles};

/// One piece of evidence: the suggested facing direction and its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Witness {
    pub(super) front: Front,
    pub(super) weight: f64,
}

/// Maximum number of clips examined, and of frames per clip: enough to find a gait among dozens, few enough to open a
/// file without delay.
const MAX_CLIPS: usize = 96;
const MAX_FRAMES: f64 = 120.0;
/// Minimum ratio between the displacement of planted feet and their path length in a gait: they move in one
/// direction.
const CONSISTENCY_MIN: f64 = 0.7;

/// Returns all evidence of where `roles` face.
pub(super) fn witnesses(body: &Body, roles: &Roles, clips: &[Clip]) -> Vec<Witness> {
    let witness = |direction: Option<DVec3>, weight: f64| Some(Witness { front: Front::nearest(direction?)?, weight });
    let four = roles.legs.len() > 2;
    [
        witness(planted(body, roles, clips), 3.0),
        witness(along_spine(body, roles).filter(|_| four), 3.0),
        witness(across(body, roles), 2.0),
        witness(toes(body, &roles.legs).filter(|_| !four), 1.0),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The conclusion from all witnesses.
pub(super) struct Verdict {
    /// The direction with the largest weight.
    pub front: Front,
    /// Weight for `front` minus all other weight, as a fraction of all weight, −1 … 1. 1 means no contradiction.
    pub margin: f64,
}

/// Returns the direction with the largest weight among `witnesses`; `None` if their weights sum to 0.
pub(super) fn verdict(witnesses: &[Witness]) -> Option<Verdict> {
    let total = |front: Front| {
        witnesses.iter().filter(|witness| witness.front == front).map(|witness| witness.weight).sum::<f64>()
    };
    let best = Front::ALL.into_iter().max_by(|&a, &b| total(a).total_cmp(&total(b)))?;
    let all: f64 = witnesses.iter().map(|witness| witness.weight).sum();
    (all > 0.0).then(|| Verdict { front: best, margin: (2.0 * total(best) - all) / all })
}

/// Returns the forward direction implied by planted feet: over all clips they pass backwards under the body. It is
/// the sum of the vectors of [`travelled`] over the first [`MAX_CLIPS`] clips, not of length 1. Returns `None`
/// without hips, or if no clip is a gait.
fn planted(body: &Body, roles: &Roles, clips: &[Clip]) -> Option<DVec3> {
    let hips = roles.hips?;
    clips
        .iter()
        .take(MAX_CLIPS)
        .filter_map(|clip| travelled(body, roles, clip, hips))
        .reduce(|sum, direction| sum + direction)
}

/// Returns the travel direction of one clip in the heading of the hips, with its consistency, 0 … 1, as length.
/// Returns `None` for a clip that is no gait, in which not all feet pass in one direction while they are down.
fn travelled(body: &Body, roles: &Roles, clip: &Clip, hips: usize) -> Option<DVec3> {
    let fps = (MAX_FRAMES / clip.duration.max(1e-3)).min(30.0);
    let ends: Vec<usize> = roles.legs.iter().map(|leg| leg.toe.unwrap_or(leg.foot)).collect();
    let times = frame_times(clip, [], fps);
    let middle = path(body.skeleton, clip, hips, &times);
    let turned = headings(body.skeleton, clip, hips, &times);
    let mut total = DVec3::ZERO;
    for &end in &ends {
        let (mut along, mut length) = (DVec3::ZERO, 0.0);
        let foot = path(body.skeleton, clip, end, &times);
        let low = foot.iter().map(|position| position.y).fold(f64::INFINITY, f64::min);
        for at in 1..times.len() {
            let is_down = foot[at - 1].y.max(foot[at].y) < low + 0.04 * body.height;
            let step = (foot[at] - middle[at]) - (foot[at - 1] - middle[at - 1]);
            let step = glam::DQuat::from_rotation_y(-turned[at]) * DVec3::new(step.x, 0.0, step.z);
            if is_down && step.is_finite() {
                along -= step;
                length += step.length();
            }
        }
        // Less than a tenth of the body's height per second is swaying; feet that move back and forth, or sideways
        // against each other, cancel out.
        let passes = length > 0.1 * body.height * clip.duration && along.length() > CONSISTENCY_MIN * length;
        if !passes {
            return None;
        }
        total += along / length;
    }
    let count = ends.len() as f64;
    (total.length() > CONSISTENCY_MIN * count).then(|| total / count)
}

/// Returns the horizontal part of the line from hips to head, not normalised. Returns `None` if that line is at most 24° from
/// upright, or without hips or head.
fn along_spine(body: &Body, roles: &Roles) -> Option<DVec3> {
    let direction = body.positions[roles.head?] - body.positions[roles.hips?];
    let flat = DVec3::new(direction.x, 0.0, direction.z);
    // 0.4 is the sine of 24°.
    (flat.length() > 0.4 * direction.length()).then_some(flat)
}

/// Returns the direction perpendicular to the line from right to left: +Y is up, so left × up is the front. `None` if that
/// line is at most a thousandth of the body's height long.
fn across(body: &Body, roles: &Roles) -> Option<DVec3> {
    let left: DVec3 = roles.pairs.iter().map(|&(left, right)| body.positions[left] - body.positions[right]).sum();
    (left.length() > 1e-3 * body.height).then(|| left.cross(DVec3::Y))
}

/// Returns the sum of the vectors from ankles to toes at rest; `None` if it is at most a hundredth of the body's height long.
fn toes(body: &Body, legs: &[Leg]) -> Option<DVec3> {
    let direction: DVec3 =
        legs.iter().filter_map(|leg| Some(body.positions[leg.toe?] - body.positions[leg.foot])).sum();
    (direction.length() > 1e-2 * body.height).then_some(direction)
}
