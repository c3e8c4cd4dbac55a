//! Crossing: a character gets over an obstacle or across a gap with a clip of its own.
//!
//! [`CrossingClip`] recognises from a clip alone what its hands and feet touch and when, and which obstacle it crosses as it is.
//! [`build`] fits the clip to another obstacle:
//!
//! 1. The airtime of each flight is that of free fall ([`flight`]); the clip is retimed within it.
//! 2. Windows of displacement stretching ([`portamento_stretch`]) move the body. They lie between the contacts: run-up, take-off to
//!    near edge, obstacle to landing. While hands or feet touch the obstacle, the body keeps its displacement. After the landing the
//!    motion is moved rigidly.
//! 3. In flight the height of the hips is a parabola. Before the take-off and after the landing the body gains and loses the
//!    difference in speed; feet stay where they are.
//! 4. Hands that hold are pinned on the edge by two-bone IK, which keeps the side of the elbow.
//! 5. The motion is turned to the approach and moved to the start.
//!
//! All lengths are in metres, except in clips and skeletons.

mod clip;
mod contact;
mod error;
mod fitted;
pub mod flight;
mod input;
pub mod limits;
mod measure;
mod moments;
mod obstacle;
mod plan;
mod profile;
mod range;
mod report;
mod settings;
mod settle;
mod stage;
mod tracks;

pub use clip::CrossingClip;
pub use contact::{Contact, ContactLimb, Support};
pub use error::BuildError;
pub use fitted::{FitCost, Fitted};
pub use input::Input;
pub use moments::Moments;
pub use obstacle::{ClipRange, CrossingKind, EdgeLine, Obstacle};
pub use report::{ContactError, Penetration, Report};
pub use settings::{KindChoice, Place, Settings, Shape};
pub use stage::{Crossed, cross};

use glam::{DAffine3, DQuat, DVec3};

use limits::{MAX_APPROACH_DEGREES, MAX_CONTACT_ERROR_M};
use plan::Plan;
use portamento_anim::{Clip, RootKind, RootMotion};
use portamento_base::progress::Progress;
use portamento_stretch::retime::{self, SpeedEase, SpeedKnot, TimeMap};
use portamento_stretch::{FootPlants, PlantSpan, Target, Window, ZeroMotion};
use settle::Settle;

/// A clip fitted to an obstacle, with its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The fitted motion.
    pub clip: Clip,
    /// The map from the time of the incoming motion to that of the clip; `None` if they are equal.
    pub map: Option<TimeMap>,
    /// Figures for panels and reports.
    pub report: Report,
}

/// Fits the motion of `input`, recognised as `clip`, to `obstacle`. With `gravity`, the height of the hips in flight is a parabola of
/// free fall; otherwise it keeps the deviation of the incoming motion from one.
///
/// Returns `Err` if
/// - the obstacle has another kind, is not finite, or its edges do not cross the line from its start to its landing within
///   [`limits::MAX_APPROACH_DEGREES`];
/// - a foot would land before the far edge;
/// - a window, a speed or an airtime exceeds a limit of a person;
/// - a hand or foot misses its contact by more than [`limits::MAX_CONTACT_ERROR_M`];
/// - the windows cannot be stretched, as listed at [`portamento_stretch::build`];
/// - `progress` is cancelled.
pub fn build(
    input: &Input,
    clip: &CrossingClip,
    obstacle: &Obstacle,
    gravity: bool,
    progress: &Progress,
) -> Result<Built, BuildError> {
    if obstacle.kind != clip.kind {
        let [own, other] = [clip.kind, obstacle.kind].map(|kind| Box::new(kind.message()));
        return Err(BuildError::OtherKind { clip: own, obstacle: other });
    }
    let placement = placement(clip, obstacle)?;
    let local = in_clip_space(obstacle, placement.inverse());
    let plan = Plan::new(clip, &local, gravity)?;
    progress.step(0, 4)?;
    let (retimed, map) = retime(input, clip, &plan, progress)?;
    progress.step(1, 4)?;
    let stretched = stretch(&Input { clip: &retimed, ..*input }, clip, &plan, map.as_ref(), progress)?;
    progress.step(2, 4)?;
    let settle = Settle::new(input, clip, &plan, &local, map.as_ref(), &stretched);
    let mut fitted = stretched.clone();
    settle.apply(&mut fitted);
    progress.step(3, 4)?;
    let report = measure::report(&settle, &local, &fitted);
    if let Some(error) = missed(&report) {
        return Err(error);
    }
    settle.place(&mut fitted, placement);
    Ok(Built { clip: fitted, map, report })
}

/// Returns the transform from the space of the clip to that of the obstacle: from the start and heading of one to the
/// other. Returns `Err` as [`approach`].
fn placement(clip: &CrossingClip, obstacle: &Obstacle) -> Result<DAffine3, BuildError> {
    let heading = approach(obstacle)?;
    let yaw = |direction: DVec3| direction.x.atan2(direction.z);
    let own = &clip.obstacle;
    // An unchanged approach must not turn by rounding.
    let is_same = heading.abs_diff_eq(clip.heading, 1e-12);
    let turn = if is_same { DQuat::IDENTITY } else { DQuat::from_rotation_y(yaw(heading) - yaw(clip.heading)) };
    Ok(DAffine3::from_rotation_translation(turn, obstacle.start - turn * own.start))
}

/// Returns the direction in which `obstacle` is crossed, a horizontal unit vector.
///
/// Returns `Err` if a point of the obstacle is not finite or its near edge has no length. Returns `Err` too if it is
/// approached at more than [`MAX_APPROACH_DEGREES`].
fn approach(obstacle: &Obstacle) -> Result<DVec3, BuildError> {
    let edges = [Some(obstacle.near), obstacle.far].into_iter().flatten().flatten();
    let is_finite = edges.chain([obstacle.start, obstacle.landing]).all(DVec3::is_finite);
    let normal = DVec3::Y.cross(obstacle.near[1] - obstacle.near[0]).with_y(0.0);
    if !is_finite || normal.length() < 1e-6 {
        return Err(BuildError::BadObstacle);
    }
    let travel = (obstacle.landing - obstacle.start).with_y(0.0);
    let ahead = (obstacle.near[0].midpoint(obstacle.near[1]) - obstacle.start).with_y(0.0);
    let normal = normal.normalize() * ahead.dot(normal).signum();
    // A climb on the spot heads straight at the edge.
    let heading = if travel.length() < 1e-3 { normal } else { travel.normalize() };
    let degrees = heading.dot(normal).clamp(-1.0, 1.0).acos().to_degrees();
    if degrees > MAX_APPROACH_DEGREES {
        return Err(BuildError::Angle { degrees, most: MAX_APPROACH_DEGREES });
    }
    Ok(heading)
}

/// Returns `obstacle` moved by `by`.
fn in_clip_space(obstacle: &Obstacle, by: DAffine3) -> Obstacle {
    let point = |point: DVec3| if by == DAffine3::IDENTITY { point } else { by.transform_point3(point) };
    Obstacle {
        kind: obstacle.kind,
        near: obstacle.near.map(point),
        far: obstacle.far.map(|edge| edge.map(point)),
        start: point(obstacle.start),
        landing: point(obstacle.landing),
    }
}

/// Returns the clip of `input` with the airtimes of `plan`, and the map to its time if one differs.
fn retime(
    input: &Input,
    clip: &CrossingClip,
    plan: &Plan,
    progress: &Progress,
) -> Result<(Clip, Option<TimeMap>), BuildError> {
    let mut knots = vec![SpeedKnot { time: 0.0, speed: 1.0, ease: SpeedEase::Stepped }];
    for (flight, arc) in clip.flights.iter().zip(&plan.arcs) {
        let speed = (flight.end - flight.start) / arc.seconds;
        if (speed - 1.0).abs() > 1e-9 {
            knots.retain(|knot| knot.time < flight.start);
            knots.push(SpeedKnot { time: flight.start, speed, ease: SpeedEase::Stepped });
            knots.push(SpeedKnot { time: flight.end, speed: 1.0, ease: SpeedEase::Stepped });
        }
    }
    if knots.len() == 1 {
        return Ok((input.clip.clone(), None));
    }
    let source = retime::Input { skeleton: input.skeleton, clip: input.clip };
    let retimed = retime::build(&source, &retime::Settings { knots, length: None }, progress)?;
    Ok((retimed.clip, Some(retimed.map)))
}

/// Returns the retimed clip of `input` with its body moved by the windows of `plan`. Planted feet stay planted.
fn stretch(
    input: &Input,
    clip: &CrossingClip,
    plan: &Plan,
    map: Option<&TimeMap>,
    progress: &Progress,
) -> Result<Clip, BuildError> {
    let unit = input.metres_per_unit;
    let played = |time: f64| map.map_or(time, |map| map.at(time)).min(input.clip.duration);
    let at = |time: f64| portamento_anim::root_motion::path(input.skeleton, input.clip, input.root.joint, &[time])[0];
    let window = |window: &plan::Window| {
        let [start, end] = window.span;
        let flies = clip.flights.iter().any(|flight| flight.start < end && flight.end > start);
        let [start, end] = [played(start), f64::from(played(end) as f32)];
        let target = Target::World(at(end) + window.shift / unit);
        let soft_edges = if flies { 0.0 } else { Window::DEFAULT_SOFT_EDGES };
        Window { soft_edges, ..Window::new(start, end, target) }
    };
    let feet = tracks::legs(input);
    let plants = feet.iter().enumerate().map(|(foot, leg)| {
        let own = clip.contacts.iter().filter(|contact| contact.limb == ContactLimb::Foot(foot));
        let spans = own.map(|contact| contact.span.map(played)).map(|[start, end]| PlantSpan { start, end });
        FootPlants { foot: leg.foot, spans: spans.collect() }
    });
    let settings = portamento_stretch::Settings {
        windows: plan.windows.iter().map(window).collect(),
        zero_motion: ZeroMotion::Uniform,
        feet: true,
        plants: plants.collect(),
        ..portamento_stretch::Settings::default()
    };
    let source = stretch_input(input);
    Ok(portamento_stretch::build(&source, &settings, progress)?.clip().clone())
}

/// Returns the input of a stretch that moves the body in all three axes.
fn stretch_input<'a>(input: &Input<'a>) -> portamento_stretch::Input<'a> {
    portamento_stretch::Input {
        skeleton: input.skeleton,
        clip: input.clip,
        roles: input.roles,
        root: RootMotion { kind: RootKind::Root, ..input.root },
        fps: input.fps,
        metres_per_unit: input.metres_per_unit,
        mesh_joints: input.mesh_joints,
    }
}

/// Returns the error of the contact that is missed most; `None` if none is missed by more than
/// [`MAX_CONTACT_ERROR_M`].
fn missed(report: &Report) -> Option<BuildError> {
    let contacts = [&report.edge, &report.landing, &report.standing].into_iter().flatten();
    let worst = contacts.max_by(|a, b| a.error.total_cmp(&b.error))?;
    let is_missed = worst.error > MAX_CONTACT_ERROR_M;
    is_missed.then(|| BuildError::Reach { joint: worst.joint.clone(), time: worst.time, gap: worst.error })
}

#[cfg(test)]
mod tests;
