//! Warnings about visible problems of a walk. Each names the clip and the position.

use glam::DVec3;

use portamento_base::message::{Message, message};
use portamento_walk::locomotion::{CrossingReport, FootFigure, FrameReport, NoStance, OpenGait, Walk};

/// Distance by which a leg may miss its foot goal without a warning, metres. Tuned; no derivation recorded.
const LEG_TOO_SHORT_MIN_M: f64 = 0.02;
/// Rotation in one frame, in excess of the neighbouring frames, above which a pop is reported, degrees. Tuned; no derivation
/// recorded.
const POP_MIN_DEGREES: f64 = 20.0;
/// Foot slide above which it is reported, cm/s. Slower slides are invisible at the camera distance of a game.
const SLIDE_MIN_CM_PER_S: f64 = 2.0;
/// Distance dragged in one stance above which it is reported, metres, if the foot does not slide in general. Tuned; no derivation
/// recorded.
const DRAG_MIN_M: f64 = 0.05;

/// Returns all warnings about `walk`.
pub(super) fn of_walk(walk: &Walk) -> Vec<Message> {
    let feet = walk.report.feet.iter();
    [missing_idle(walk), too_fast(walk), leg_too_short(walk), pop(walk), thrown(walk)]
        .into_iter()
        .chain(walk.report.no_stance.iter().map(|each| Some(no_stance(each))))
        .chain(walk.report.open_gaits.iter().map(|each| Some(open_gait(each))))
        .chain(feet.clone().map(skating))
        .chain(feet.clone().map(slides))
        .chain(feet.map(|foot| drags(walk, foot)))
        .flatten()
        .chain(walk.report.crossings.iter().flat_map(crossing))
        .collect()
}

/// Play rate of a run-up below which it is reported. Tuned; no derivation recorded.
const RUN_UP_MIN_RATE: f64 = 0.7;

/// Returns the warnings about a crossing: figures of its fit beyond their limits, and a run-up that is too short.
fn crossing(crossing: &CrossingReport) -> Vec<Message> {
    let slow = (crossing.rates[0] < RUN_UP_MIN_RATE).then(|| {
        message!(
            "warning.walk.short_run_up",
            "“%{clip}” begins at %{percent} % of its speed, because the run-up is too short. Move the start away from the obstacle.",
            clip = crossing.clip.clone(),
            percent = format!("{:.0}", 100.0 * crossing.rates[0])
        )
    });
    let all = crossing.fit.warnings().into_iter().chain(slow);
    all.map(|warning| warning.at(crossing.begins, None)).collect()
}

/// Formats the position at `time` for a message, metres.
fn position_text(walk: &Walk, time: f64) -> String {
    let DVec3 { x, y, z } = walk.placement_at(time).at;
    format!("{x:.1}, {y:.1}, {z:.1}")
}

/// Returns a warning if the walk holds one pose while it stands, because there is no idle clip.
fn missing_idle(walk: &Walk) -> Option<Message> {
    walk.report.holds_stand.then(|| {
        message!(
            "warning.walk.holds_stand",
            "The character has no idle clip, so one pose of '%{clip}' is held while it stands. Assign an idle clip.",
            clip = walk.report.idle.clone()
        )
    })
}

/// Returns a warning at the first frame whose gait would need a higher play rate than allowed.
fn too_fast(walk: &Walk) -> Option<Message> {
    let first = walk.report.frames.iter().find(|frame| frame.limited)?;
    let warning = message!(
        "warning.walk.too_fast",
        "The walk is faster than '%{clip}' may be played for %{seconds} s, first at %{time} s (%{place}). Lower the \
         speed there, allow a higher play rate, or add a faster gait.",
        clip = first.clip.clone(),
        seconds = format!("{:.2}", walk.report.too_fast),
        time = format!("{:.2}", first.time),
        place = position_text(walk, first.time)
    );
    Some(warning.at(first.time, None))
}

/// Returns a warning at the frame in which a leg misses its foot goal most, if that is by more than [`LEG_TOO_SHORT_MIN_M`].
fn leg_too_short(walk: &Walk) -> Option<Message> {
    let worse = |a: &&FrameReport, b: &&FrameReport| a.leg_too_short.total_cmp(&b.leg_too_short);
    let worst = walk.report.frames.iter().max_by(worse).filter(|frame| frame.leg_too_short > LEG_TOO_SHORT_MIN_M)?;
    let warning = message!(
        "warning.walk.leg_too_short",
        "In '%{clip}' at %{time} s (%{place}) a leg is %{centimetres} cm too short for its foot contact, so the knee is \
         stretched straight. Slow down there, or choose a clip for such ground.",
        clip = worst.clip.clone(),
        time = format!("{:.2}", worst.time),
        place = position_text(walk, worst.time),
        centimetres = format!("{:.1}", worst.leg_too_short * 100.0)
    );
    Some(warning.at(worst.time, None))
}

/// Returns a warning about the largest pop relative to the neighbouring frames, if it exceeds [`POP_MIN_DEGREES`].
fn pop(walk: &Walk) -> Option<Message> {
    let pop = walk.report.pop.as_ref().filter(|pop| pop.degrees > POP_MIN_DEGREES)?;
    let warning = message!(
        "warning.walk.pop",
        "'%{joint}' turns %{degrees}° in one frame in '%{clip}' at %{time} s (%{place}), far more than in the neighbouring \
         frames. Check that moment.",
        joint = pop.joint.clone(),
        degrees = format!("{:.0}", pop.degrees),
        clip = pop.clip.clone(),
        time = format!("{:.2}", pop.time),
        place = position_text(walk, pop.time)
    );
    Some(warning.at(pop.time, None))
}

/// Returns a warning about the joint that turns far more in one frame than in any of its clips.
fn thrown(walk: &Walk) -> Option<Message> {
    let thrown = walk.report.thrown.as_ref()?;
    let warning = message!(
        "warning.walk.thrown",
        "'%{joint}' turns %{degrees}° in one frame in '%{clip}' at %{time} s (%{place}), far more than in any of its clips. \
         Check that moment.",
        joint = thrown.joint.clone(),
        degrees = format!("{:.0}", thrown.degrees),
        clip = thrown.clip.clone(),
        time = format!("{:.2}", thrown.time),
        place = position_text(walk, thrown.time)
    );
    Some(warning.at(thrown.time, None))
}

/// Returns the warning about a gait whose feet are hardly planted; it names a better clip if there is one.
fn no_stance(found: &NoStance) -> Message {
    let NoStance { clip, stands, instead, .. } = found;
    let stands = format!("{:.0}", stands * 100.0);
    match instead {
        Some(instead) => message!(
            "warning.walk.no_stance",
            "The feet of '%{clip}' are planted for only %{stands} % of a step, so the walk may skate. Its speed is that of the \
             few contacts. For steady feet, assign '%{instead}' as the only gait.",
            clip,
            stands,
            instead
        ),
        None => message!(
            "warning.walk.no_stance_alone",
            "The feet of '%{clip}' are planted for only %{stands} % of a step, so the walk may skate. The character has no better \
             clip; add one.",
            clip,
            stands
        ),
    }
}

/// Returns the warning about a gait whose last frame differs from its first.
fn open_gait(found: &OpenGait) -> Message {
    message!(
        "warning.walk.open_gait",
        "'%{clip}' does not loop: '%{joint}' turns %{degrees}° from its last frame to its first. The walk spreads this over the \
         cycle. For a clean gait, add the stage Close to a take of '%{clip}', and use that take.",
        clip = found.clip.clone(),
        joint = found.joint.clone(),
        degrees = format!("{:.0}", found.degrees)
    )
}

/// Returns a warning if the foot is planted for a much smaller share of the frames than in its clips, or hardly at all.
fn skating(foot: &FootFigure) -> Option<Message> {
    let percent = |fraction: f64| format!("{:.0}", fraction * 100.0);
    foot.skates().then(|| {
        message!(
            "warning.walk.skates",
            "'%{joint}' is planted in %{stands} % of the frames in which the body moves, but in %{own} % in its clips: it skates. \
             Choose gaits for the speed of the route.",
            joint = foot.joint.clone(),
            stands = percent(foot.stands),
            own = percent(foot.own)
        )
    })
}

/// Returns a warning about the longest drag of a foot in one stance, if it exceeds [`DRAG_MIN_M`] and the foot does not slide
/// in general.
fn drags(walk: &Walk, foot: &FootFigure) -> Option<Message> {
    let drag = Some(&foot.drag).filter(|drag| drag.metres > DRAG_MIN_M && foot.slide <= SLIDE_MIN_CM_PER_S)?;
    let warning = message!(
        "warning.walk.drags",
        "'%{foot}' is dragged %{centimetres} cm along the ground in '%{clip}' at %{time} s (%{place}). Check that moment.",
        foot = foot.joint.clone(),
        centimetres = format!("{:.0}", drag.metres * 100.0),
        clip = drag.clip.clone(),
        time = format!("{:.2}", drag.time),
        place = position_text(walk, drag.time)
    );
    Some(warning.at(drag.time, None))
}

/// Returns a warning if the foot slides faster than [`SLIDE_MIN_CM_PER_S`] while planted.
fn slides(foot: &FootFigure) -> Option<Message> {
    (foot.slide > SLIDE_MIN_CM_PER_S).then(|| {
        message!(
            "warning.walk.slides",
            "'%{joint}' slides at %{slide} cm/s while planted. Lock the feet, or choose gaits for the speed of the route.",
            joint = foot.joint.clone(),
            slide = format!("{:.1}", foot.slide)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_walk::locomotion::{Pop, Report};

    #[test]
    fn problems_are_reported_with_clip_and_position_and_a_good_walk_has_no_warnings() {
        let frame = |time: f64, limited: bool, leg_too_short: f64| FrameReport {
            time,
            clip: "run".into(),
            limited,
            leg_too_short,
            ..FrameReport::default()
        };
        let foot = |stands: f64, slide: f64| FootFigure {
            joint: "toe".into(),
            stands,
            own: 0.4,
            slide,
            ..FootFigure::default()
        };
        let pop = |degrees: f64| Some(Pop { joint: "knee".into(), degrees, time: 0.5, clip: "run".into() });
        let walk = |report: Report| {
            let mut walk = Walk::default();
            walk.report.clone_from(&report);
            walk
        };
        let frames = vec![frame(0.0, false, 0.01)];
        let good = Report { frames, feet: vec![foot(0.35, 1.0)], pop: pop(5.0), ..Report::default() };
        assert_eq!(of_walk(&walk(good)), []);
        let frames = vec![frame(0.0, false, 0.01), frame(0.5, true, 0.07)];
        let without = |instead: Option<&str>| NoStance {
            clip: "skate".into(),
            stands: 0.04,
            walks: true,
            instead: instead.map(Into::into),
        };
        let bad = Report {
            frames,
            feet: vec![foot(0.2, 9.0)],
            pop: pop(50.0),
            too_fast: 0.25,
            idle: "run".into(),
            holds_stand: true,
            no_stance: vec![without(Some("walk")), without(None)],
            open_gaits: vec![OpenGait { clip: "limp".into(), joint: "arm".into(), degrees: 23.0 }],
            ..Report::default()
        };
        let warnings: Vec<String> = of_walk(&walk(bad)).iter().map(ToString::to_string).collect();
        let words = [
            "one pose of 'run' is held",
            "'run' may be played for 0.25 s, first at 0.50 s (0.0, 0.0, 0.0)",
            "7.0 cm too short",
            "'knee' turns 50°",
            "assign 'walk' as the only gait",
            "The character has no better clip",
            "'limp' does not loop: 'arm' turns 23°",
            "20 %",
            "9.0 cm/s",
        ];
        assert!(
            warnings.len() == 9 && warnings.iter().zip(words).all(|(warning, words)| warning.contains(words)),
            "{warnings:?}"
        );
    }
}
