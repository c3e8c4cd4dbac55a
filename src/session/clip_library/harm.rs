//! Figures that a fix must not make worse. A fix that does is not used.

use portamento_anim::foot_place::leg_positions;
use portamento_anim::foot_shape::body_points;
use portamento_anim::quality::{ComparedBody, Feet, Finding, Quality};
use portamento_anim::{Clip, Pose};
use portamento_base::message::{Message, Tell, message};
use portamento_repair::ground;
use portamento_takes::evaluate::BuiltTake;

/// A measured figure before and after a fix.
struct Figure {
    finding: Finding,
    name: Message,
    values: [f64; 2],
    /// The increase, and the value, up to which a figure is not visible.
    unseen: [f64; 2],
}

/// Returns what the fix `built` of `clip` makes worse, by the figures `before` and `after`; `None` if nothing. The message
/// is a clause that completes “every fix makes the motion worse: …”.
pub(super) fn harm(built: &BuiltTake, clip: &Clip, [before, after]: [&Quality; 2]) -> Option<Message> {
    let figures = figures(before, after);
    let travel = || changed_travel([before, after], || stands_on_legs(built));
    worse_figure(&figures, [before, after]).or_else(travel).or_else(|| side_effect(built, clip))
}

/// Share of its travel that a body keeps, and inverse of the factor by which it may grow, unless its feet stand then. Chosen.
const MIN_REMAINING_TRAVEL: f64 = 0.5;

/// Share of the frames in which feet stand from which they step. Chosen: half of the least of a run in public packs.
const MIN_STEPPING: f64 = 0.15;

/// Speed below which travel may be the drift of a captured body at rest, m/s: less than that of a crawl. Chosen.
const MAX_RESTING_DRIFT_M_PER_S: f64 = 0.25;

/// Height of a hip above its foot from which the leg carries the body, as a fraction of the leg. Chosen: kneeling is below it.
const MIN_CARRYING_HEIGHT: f64 = 0.5;

/// Frames at which legs are looked at.
const POSTURE_FRAMES: u32 = 24;

/// Returns the travel of a fix that takes most of it away, or multiplies it, although nothing says that it was wrong: no feet stand then,
/// as in a cartwheel, or the body does not stand on its legs, as that of a swimmer. Returns `None` if it keeps the travel.
pub(super) fn changed_travel([before, after]: [&Quality; 2], stands_on_legs: impl FnOnce() -> bool) -> Option<Message> {
    let [was, is] = [before, after].map(|quality| quality.way.travel);
    let is_similar = (MIN_REMAINING_TRAVEL * was..=was / MIN_REMAINING_TRAVEL).contains(&is);
    let is_changed = before.way.goes_on && !is_similar && before.way.speed > MAX_RESTING_DRIFT_M_PER_S;
    let steps = |feet: Feet| feet.standing >= MIN_STEPPING;
    let name = || message!("figure.travel", "the travel in m");
    (is_changed && !(after.feet.is_some_and(steps) && stands_on_legs())).then(|| worse(name(), [was, is]))
}

/// True if a leg carries the body in most of the clip: its hip is well above its foot.
fn stands_on_legs(built: &BuiltTake) -> bool {
    let (skeleton, clip, legs) = (&built.character.model.skeleton, &built.clip, &built.roles.legs);
    let carries = |pose: &Pose| {
        legs.iter()
            .map(|leg| leg_positions(skeleton, leg, pose))
            .any(|leg| leg.hip.y - leg.ankle.y >= MIN_CARRYING_HEIGHT * leg.length())
    };
    let at = |frame: u32| clip.pose_at(skeleton, clip.duration * f64::from(frame) / f64::from(POSTURE_FRAMES));
    let carrying = (0..=POSTURE_FRAMES).filter(|&frame| carries(&at(frame))).count();
    2 * carrying > POSTURE_FRAMES as usize
}

/// Returns the clause that a figure is worse after a fix than before.
fn worse(figure: Message, [was, is]: [f64; 2]) -> Message {
    message!(
        "figure.worse",
        "%{figure} would be %{after} instead of %{before}",
        figure,
        after = format!("{is:.2}"),
        before = format!("{was:.2}")
    )
}

/// Returns the figures that a fix may change, with their values before and after it.
fn figures(before: &Quality, after: &Quality) -> [Figure; 6] {
    let both = |value: fn(&Quality) -> f64| [value(before), value(after)];
    let figure = |finding, name, values, unseen| Figure { finding, name, values, unseen };
    let slide = |quality: &Quality| {
        let slide = quality.feet.and_then(|feet| feet.slide).unwrap_or(0.0);
        if quality.way.on_the_spot { 0.0 } else { slide }
    };
    let jitter = |quality: &Quality| quality.jitter.as_ref().map_or(0.0, |jitter| jitter.degrees);
    [
        figure(Finding::FeetSlide, message!("figure.slide", "the foot slide in cm/s"), both(slide), [1.0, 10.0]),
        figure(
            Finding::Sinks,
            message!("figure.sinking", "the depth in the ground in cm"),
            both(|quality| quality.feet.map_or(0.0, |feet| feet.sinking)),
            [1.0, 4.0],
        ),
        figure(
            Finding::Pops,
            message!("figure.pops", "the number of frames with jumps"),
            both(|quality| quality.pops.frames as f64),
            [0.0, 0.0],
        ),
        figure(
            Finding::Jitters,
            message!("figure.jitter", "the noise in degrees per frame"),
            both(jitter),
            [0.25, 0.25],
        ),
        figure(
            Finding::DoesNotClose,
            message!("figure.gap", "the loop gap in percent of the body size"),
            both(|quality| 100.0 * quality.residue.place),
            [2.0, 2.0],
        ),
        figure(
            Finding::StartsOffOrigin,
            message!("figure.origin", "the distance from the origin in m"),
            both(|quality| quality.way.off_origin),
            [0.1, 0.25],
        ),
    ]
}

/// Returns the first of `figures` that grows visibly, or that is a new finding.
fn worse_figure(figures: &[Figure], [before, after]: [&Quality; 2]) -> Option<Message> {
    let is_new = |finding: Finding| after.findings.contains(&finding) && !before.findings.contains(&finding);
    let is_worse = |figure: &&Figure| {
        let ([was, is], [increase, value]) = (figure.values, figure.unseen);
        is > was + increase && is > value || is_new(figure.finding)
    };
    let Figure { name, values, .. } = figures.iter().find(is_worse)?;
    Some(worse(name.clone(), *values))
}

/// Returns the first figure in which `built` is visibly worse than `clip`, the motion before; `None` if there is none.
fn side_effect(built: &BuiltTake, clip: &Clip) -> Option<Message> {
    let (model, roles) = (&built.character.model, &built.roles);
    let body = ComparedBody {
        skeleton: &model.skeleton,
        roles,
        points: &body_points(model, roles),
        metres_per_unit: built.metres_per_unit,
        ground: &ground::level,
    };
    body.side_effect(clip, &built.clip, built.fps).as_ref().map(Tell::message)
}
