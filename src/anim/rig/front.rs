//! Which way a character looks: by the way its planted feet pass under it, by spine, sides and toes.

use glam::DVec3;

use super::body::Body;
use crate::anim::root_motion::{frame_times, headings, path};
use crate::anim::{Clip, Front, Leg, Roles};

/// One witness: what it saw and how much it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Witness {
    pub(super) front: Front,
    pub(super) weight: f64,
}

/// Clips looked at, and frames of each: enough to find a gait among dozens, little enough to open at once.
const CLIPS: usize = 96;
const FRAMES: f64 = 120.0;
/// Feet of a gait go one way while they are down: their path is hardly longer than it leads.
const CONSISTENT: f64 = 0.7;

/// All witnesses of where `roles` look.
pub(super) fn witnesses(body: &Body, roles: &Roles, clips: &[Clip]) -> Vec<Witness> {
    let says = |direction: Option<DVec3>, weight: f64| Some(Witness { front: Front::nearest(direction?)?, weight });
    let four = roles.legs.len() > 2;
    [
        says(planted(body, roles, clips), 3.0),
        says(along_spine(body, roles).filter(|_| four), 3.0),
        says(across(body, roles), 2.0),
        says(toes(body, &roles.legs).filter(|_| !four), 1.0),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What witnesses agree on.
pub(super) struct Verdict {
    /// The front most weight speaks for.
    pub front: Front,
    /// How much more speaks for it than for all others, −1 … 1: 1 where nobody disagrees.
    pub margin: f64,
}

/// What `witnesses` agree on; `None` where nothing speaks for any front.
pub(super) fn verdict(witnesses: &[Witness]) -> Option<Verdict> {
    let total = |front: Front| {
        witnesses.iter().filter(|witness| witness.front == front).map(|witness| witness.weight).sum::<f64>()
    };
    let best = Front::ALL.into_iter().max_by(|&a, &b| total(a).total_cmp(&total(b)))?;
    let all: f64 = witnesses.iter().map(|witness| witness.weight).sum();
    (all > 0.0).then(|| Verdict { front: best, margin: (2.0 * total(best) - all) / all })
}

/// Forwards as the standing feet tell it: over all clips they pass backwards under the body.
fn planted(body: &Body, roles: &Roles, clips: &[Clip]) -> Option<DVec3> {
    let hips = roles.hips?;
    clips.iter().take(CLIPS).filter_map(|clip| travelled(body, roles, clip, hips)).reduce(|sum, way| sum + way)
}

/// The direction in which one clip goes in the hips' own heading, as long as it is consistent: 0 … 1. `None` for a clip that is
/// no gait: whose feet do not all pass one way while they are down.
fn travelled(body: &Body, roles: &Roles, clip: &Clip, hips: usize) -> Option<DVec3> {
    let fps = (FRAMES / clip.duration.max(1e-3)).min(30.0);
    let ends: Vec<usize> = roles.legs.iter().map(|leg| leg.toe.unwrap_or(leg.foot)).collect();
    let times = frame_times(clip, [], fps);
    let middle = path(body.skeleton, clip, hips, &times);
    let turned = headings(body.skeleton, clip, hips, &times);
    let mut whole = DVec3::ZERO;
    for &end in &ends {
        let (mut along, mut length) = (DVec3::ZERO, 0.0);
        let foot = path(body.skeleton, clip, end, &times);
        let low = foot.iter().map(|place| place.y).fold(f64::INFINITY, f64::min);
        for at in 1..times.len() {
            let is_down = foot[at - 1].y.max(foot[at].y) < low + 0.04 * body.height;
            let step = (foot[at] - middle[at]) - (foot[at - 1] - middle[at - 1]);
            let step = glam::DQuat::from_rotation_y(-turned[at]) * DVec3::new(step.x, 0.0, step.z);
            if is_down && step.is_finite() {
                along -= step;
                length += step.length();
            }
        }
        // Less than a tenth of the body's height a second is swaying; feet that go to and fro, or sideways to each other, fight.
        let passes = length > 0.1 * body.height * clip.duration && along.length() > CONSISTENT * length;
        if !passes {
            return None;
        }
        whole += along / length;
    }
    let count = ends.len() as f64;
    (whole.length() > CONSISTENT * count).then(|| whole / count)
}

/// From hips to head, where that leads more forwards than up.
fn along_spine(body: &Body, roles: &Roles) -> Option<DVec3> {
    let way = body.places[roles.head?] - body.places[roles.hips?];
    let flat = DVec3::new(way.x, 0.0, way.z);
    (flat.length() > 0.4 * way.length()).then_some(flat)
}

/// Square to the line from right to left: +Y is up, so left × up is the front.
fn across(body: &Body, roles: &Roles) -> Option<DVec3> {
    let left: DVec3 = roles.pairs.iter().map(|&(left, right)| body.places[left] - body.places[right]).sum();
    (left.length() > 1e-3 * body.height).then(|| left.cross(DVec3::Y))
}

/// From ankles to toes.
fn toes(body: &Body, legs: &[Leg]) -> Option<DVec3> {
    let way: DVec3 = legs.iter().filter_map(|leg| Some(body.places[leg.toe?] - body.places[leg.foot])).sum();
    (way.length() > 1e-2 * body.height).then_some(way)
}
