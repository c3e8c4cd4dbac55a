//! Figures that a fix must not make worse. A fix that does is not used.

use portamento_anim::Clip;
use portamento_anim::foot_shape::body_points;
use portamento_anim::quality::{ComparedBody, Finding, Quality};
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
    worse_figure(&figures, [before, after]).or_else(|| side_effect(built, clip))
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
    let Figure { name, values: [was, is], .. } = figures.iter().find(is_worse)?;
    Some(message!(
        "figure.worse",
        "%{figure} would be %{after} instead of %{before}",
        figure = name,
        after = format!("{is:.2}"),
        before = format!("{was:.2}")
    ))
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
