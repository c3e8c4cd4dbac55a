//! Measures a fitted crossing.

use glam::DVec3;

use super::flight::{Arc, Flight};
use super::limits::GRAVITY;
use super::plan::on_path;
use super::profile::body_points;
use super::report::{ContactError, Penetration};
use super::settle::Settle;
use super::tracks::Tracks;
use super::{ContactLimb, CrossingKind, Input, Obstacle, Report, Support};
use portamento_anim::limb_ik::LimbBones;
use portamento_anim::{Clip, Pose};

/// Fewest frames of a flight from which its acceleration is measured.
const FALL_MIN_FRAMES: usize = 5;
/// Sine of the bend of an elbow or knee below which it has no side.
const BEND_MIN_SINE: f64 = 0.2;
/// Rate at which penetration and elbows are measured, frames per second.
const FPS: f64 = 60.0;

/// Returns the figures of `fitted`, which crosses `obstacle`; both are in the clip's space.
pub(super) fn report(settle: &Settle, obstacle: &Obstacle, fitted: &Clip) -> Report {
    let (clip, plan) = (settle.clip, settle.plan);
    let result = Input { clip: fitted, ..*settle.input };
    let tracks = Tracks::new(&result);
    let played = |flight: &Flight| [flight.start, flight.end].map(|time| settle.played(time));
    let falls = |tracks: &Tracks, span: &dyn Fn(&Flight) -> [f64; 2]| {
        let deviations = clip.flights.iter().filter_map(|flight| fall_deviation(tracks, span(flight)));
        deviations.reduce(f64::max)
    };
    let own_fall = falls(&clip.tracks, &|flight| [flight.start, flight.end]);
    let gravity = own_fall.zip(falls(&tracks, &played)).map(|(own, after)| [own, after]);
    let sum = |of: fn(&Arc) -> f64, add: fn(f64, f64) -> f64| {
        let own = clip.flights.iter().map(|flight| of(&flight.arc())).reduce(add)?;
        Some([own, plan.arcs.iter().map(of).reduce(add)?])
    };
    let moments = clip.moments.map(|moment| settle.played(moment));
    Report {
        kind: clip.kind,
        moments,
        edge: edge_error(settle, &tracks, obstacle),
        landing: foot_error(settle, &tracks, Support::After, |error| error.length()),
        standing: foot_error(settle, &tracks, Support::Before, |error| error.y.abs()),
        gravity,
        airtime: sum(|arc| arc.seconds, |a, b| a + b),
        take_off_speed: sum(Arc::take_off_speed, f64::max),
        ratio: plan.ratio,
        penetration: penetration(settle, &result, obstacle, [moments[0], moments[3]]),
        own_penetration: penetration(settle, settle.input, &clip.obstacle, [clip.moments[0], clip.moments[3]]),
        flipped: flipped(settle, fitted),
        seconds: [settle.input.clip.duration, fitted.duration],
    }
}

/// Returns the worst distance of a contact on the obstacle from its point there.
fn edge_error(settle: &Settle, tracks: &Tracks, obstacle: &Obstacle) -> Option<ContactError> {
    let clip = settle.clip;
    let feet = foot_error(settle, tracks, Support::Obstacle, |error| error.length());
    let mut worst = feet;
    for contact in clip.contacts_on(Support::Obstacle) {
        let ContactLimb::Hand(hand) = contact.limb else { continue };
        let own = &clip.tracks.hands[hand];
        let frames = clip.tracks.frames(contact.span);
        let offset = contact.point - own.points[frames.clone()].iter().sum::<DVec3>() / frames.len() as f64;
        let across = (contact.point - obstacle.start).dot(clip.heading.cross(DVec3::Y));
        let edges = [&clip.obstacle.near, &obstacle.near].map(|edge| on_path(clip, edge, across));
        let [Some(own_edge), Some(edge)] = edges else { continue };
        let inset = settle.inset(contact.point, own_edge);
        for frame in tracks.frames(contact.span.map(|time| settle.played(time))) {
            let point = tracks.hands[hand].points[frame] + offset;
            let error = point.distance(edge + clip.heading * inset);
            note(&mut worst, error, &own.name, tracks.times[frame]);
        }
    }
    worst
}

/// Returns the worst error of a foot on `support`: the `size` of its displacement from its contact. `None` if no foot
/// has a contact there.
fn foot_error(settle: &Settle, tracks: &Tracks, support: Support, size: impl Fn(DVec3) -> f64) -> Option<ContactError> {
    let clip = settle.clip;
    let shift = match support {
        Support::Before => DVec3::ZERO,
        Support::Obstacle => settle.plan.near,
        Support::After => settle.plan.landing,
    };
    let mut worst = None;
    for contact in clip.contacts_on(support) {
        let ContactLimb::Foot(foot) = contact.limb else { continue };
        let own = &clip.tracks.feet[foot];
        for frame in tracks.frames(contact.span.map(|time| settle.played(time))) {
            let before = clip.tracks.sampled(&own.points, settle.before(tracks.times[frame]));
            let error = size(tracks.feet[foot].points[frame] - before - shift);
            note(&mut worst, error, &own.name, tracks.times[frame]);
        }
    }
    worst
}

/// Replaces `worst` by the given error if it is larger.
fn note(worst: &mut Option<ContactError>, error: f64, joint: &str, time: f64) {
    if worst.as_ref().is_none_or(|worst| error > worst.error) {
        *worst = Some(ContactError { error, joint: joint.to_owned(), time });
    }
}

/// Returns the relative deviation of the acceleration of the hips from gravity within `span`, by least squares; `None` if there are too
/// few frames.
fn fall_deviation(tracks: &Tracks, span: [f64; 2]) -> Option<f64> {
    let frames = tracks.frames(span);
    if frames.len() < FALL_MIN_FRAMES {
        return None;
    }
    let middle = 0.5 * (span[0] + span[1]);
    let mut rows = glam::DMat3::ZERO;
    let mut sums = DVec3::ZERO;
    for frame in frames {
        let time = tracks.times[frame] - middle;
        let row = DVec3::new(1.0, time, 0.5 * time * time);
        rows += glam::DMat3::from_cols(row * row.x, row * row.y, row * row.z);
        sums += row * tracks.body[frame].y;
    }
    let fitted = rows.inverse() * sums;
    fitted.is_finite().then(|| (fitted.z + GRAVITY).abs() / GRAVITY)
}

/// Returns the penetration of `obstacle` by the body of `input` within `span`, seconds.
fn penetration(settle: &Settle, input: &Input, obstacle: &Obstacle, span: [f64; 2]) -> Option<Penetration> {
    let solid = Solid::new(settle, obstacle)?;
    let frames = ((span[1] - span[0]) * FPS).ceil().max(0.0) as usize;
    let mut depths = Vec::new();
    let (mut worst, mut at) = (0.0, span[0]);
    for frame in 0..=frames {
        let time = (span[0] + frame as f64 / FPS).min(span[1]);
        let pose = input.clip.pose_at(input.skeleton, time);
        for point in body_points(input, &pose) {
            let depth = solid.depth(point * input.metres_per_unit);
            if depth > worst {
                (worst, at) = (depth, time);
            }
            depths.push(depth);
        }
    }
    depths.sort_by(f64::total_cmp);
    let percentile_99 = *depths.get((0.99 * (depths.len().checked_sub(1)? as f64)).ceil() as usize)?;
    Some(Penetration { percentile_99, worst, time: at })
}

/// The solid that the body must stay out of: the ground below a height between two distances along the heading.
struct Solid<'a> {
    settle: &'a Settle<'a>,
    /// Distances and heights of its parts, metres.
    parts: Vec<([f64; 2], f64)>,
}

impl<'a> Solid<'a> {
    /// Returns the solid of `obstacle`; `None` if its near edge does not cross the path.
    fn new(settle: &'a Settle<'a>, obstacle: &Obstacle) -> Option<Self> {
        let clip = settle.clip;
        let edge = |edge| on_path(clip, edge, 0.0).map(|point| (clip.along(point), point.y));
        let (near, top) = edge(&obstacle.near)?;
        let far = obstacle.far.as_ref().and_then(edge);
        let before = ([f64::NEG_INFINITY, near], obstacle.start.y);
        let parts = match (obstacle.kind, far) {
            (CrossingKind::Vault, far) => vec![([near, far.map_or(near, |far| far.0)], top)],
            (CrossingKind::Mantle | CrossingKind::HopUp, _) => vec![([near, f64::INFINITY], top)],
            (CrossingKind::DropDown, _) => vec![before],
            (CrossingKind::JumpAcross, far) => {
                vec![before, ([far.map_or(near, |far| far.0), f64::INFINITY], obstacle.landing.y)]
            }
        };
        Some(Self { settle, parts })
    }

    /// Returns the shortest distance by which `point` (metres) leaves the solid; 0 outside.
    fn depth(&self, point: DVec3) -> f64 {
        let along = self.settle.clip.along(point);
        let depth = |&([from, to], top): &([f64; 2], f64)| (top - point.y).min(along - from).min(to - along);
        self.parts.iter().map(depth).fold(0.0, f64::max)
    }
}

/// Returns the number of frames in which an elbow or knee bends to the other side than in the incoming motion.
fn flipped(settle: &Settle, fitted: &Clip) -> usize {
    let input = settle.input;
    let ends = super::tracks::hands(input).chain(settle.legs.iter().map(|leg| leg.foot));
    let limbs: Vec<LimbBones> =
        ends.filter_map(|end| LimbBones::of(input.skeleton, input.roles, input.limbs, end)).collect();
    let frames = (fitted.duration * FPS).floor() as usize;
    let flips = |frame: &usize| {
        let time = *frame as f64 / FPS;
        let before = input.clip.pose_at(input.skeleton, settle.before(time));
        let after = fitted.pose_at(input.skeleton, time);
        limbs.iter().any(|bones| {
            let [own, new] = [&before, &after].map(|pose| bend(input, bones, pose));
            own.length() > BEND_MIN_SINE && new.length() > BEND_MIN_SINE && own.dot(new) < 0.0
        })
    };
    (0..=frames).filter(flips).count()
}

/// Returns the axis about which the limb bends, with the sine of the angle as its length.
fn bend(input: &Input, bones: &LimbBones, pose: &Pose) -> DVec3 {
    let limb = bones.positions(input.skeleton, pose);
    let [upper, lower] = [limb.knee - limb.hip, limb.ankle - limb.knee].map(DVec3::normalize_or_zero);
    upper.cross(lower)
}
