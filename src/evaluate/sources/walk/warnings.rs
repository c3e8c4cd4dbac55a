//! Sentences about what somebody would see of a walk that does not look right: each names the clip and the place.

use glam::DVec3;

use crate::message::{Message, message};
use crate::systems::locomotion::{FootFigure, FrameReport, NoStance, Walk};

/// Metres by which a leg may fall short of its foot's place unseen.
const SHORT: f64 = 0.02;
/// Degrees that a joint may turn in a frame beyond the frames beside it.
const POP: f64 = 20.0;
/// cm/s that a standing foot may slide: what is slower is not seen at the distance of a game's camera.
const SLIDE: f64 = 2.0;
/// Metres that a foot may be dragged in one stand, which is a rare one where it does not slide in general.
const DRAG: f64 = 0.05;

/// Everything about `walk` that the animator should look at.
pub(super) fn seen(walk: &Walk) -> Vec<Message> {
    let feet = walk.report.feet.iter();
    [holds_stand(walk), too_fast(walk), leg_too_short(walk), pop(walk), thrown(walk)]
        .into_iter()
        .chain(walk.report.no_stance.iter().map(|each| Some(no_stance(each))))
        .chain(feet.clone().map(hardly_stands))
        .chain(feet.clone().map(slides))
        .chain(feet.map(|foot| drags(walk, foot)))
        .flatten()
        .collect()
}

/// A place as it is written: metres.
fn place(walk: &Walk, time: f64) -> String {
    let DVec3 { x, y, z } = walk.place_at(time).at;
    format!("{x:.1}, {y:.1}, {z:.1}")
}

fn holds_stand(walk: &Walk) -> Option<Message> {
    walk.report.holds_stand.then(|| {
        message!(
            "warning.walk.holds_stand",
            "No clip stands still, so one pose of '%{clip}' is held wherever the character stands. Assign a clip for standing.",
            clip = walk.report.idle.clone()
        )
    })
}

fn too_fast(walk: &Walk) -> Option<Message> {
    let first = walk.report.frames.iter().find(|frame| frame.limited)?;
    let told = message!(
        "warning.walk.too_fast",
        "The ground passes faster than '%{clip}' may be played for %{seconds} s, first at %{time} s (%{place}). Lower the \
         speed there, allow a higher play rate, or add a faster gait.",
        clip = first.clip.clone(),
        seconds = format!("{:.2}", walk.report.too_fast),
        time = format!("{:.2}", first.time),
        place = place(walk, first.time)
    );
    Some(told.at(first.time, None))
}

fn leg_too_short(walk: &Walk) -> Option<Message> {
    let worse = |a: &&FrameReport, b: &&FrameReport| a.leg_too_short.total_cmp(&b.leg_too_short);
    let worst = walk.report.frames.iter().max_by(worse).filter(|frame| frame.leg_too_short > SHORT)?;
    let told = message!(
        "warning.walk.leg_too_short",
        "In '%{clip}' at %{time} s (%{place}) a leg is %{centimetres} cm too short for where its foot stands, so the knee is \
         pulled straight. Slow down there, or choose a clip for such ground.",
        clip = worst.clip.clone(),
        time = format!("{:.2}", worst.time),
        place = place(walk, worst.time),
        centimetres = format!("{:.1}", worst.leg_too_short * 100.0)
    );
    Some(told.at(worst.time, None))
}

fn pop(walk: &Walk) -> Option<Message> {
    let pop = walk.report.pop.as_ref().filter(|pop| pop.degrees > POP)?;
    let told = message!(
        "warning.walk.pop",
        "'%{joint}' turns %{degrees}° in one frame in '%{clip}' at %{time} s (%{place}), far more than in the frames beside \
         it. Look there.",
        joint = pop.joint.clone(),
        degrees = format!("{:.0}", pop.degrees),
        clip = pop.clip.clone(),
        time = format!("{:.2}", pop.time),
        place = place(walk, pop.time)
    );
    Some(told.at(pop.time, None))
}

fn thrown(walk: &Walk) -> Option<Message> {
    let thrown = walk.report.thrown.as_ref()?;
    let told = message!(
        "warning.walk.thrown",
        "'%{joint}' turns %{degrees}° in one frame in '%{clip}' at %{time} s (%{place}), far more than its clips ever turn it. \
         Look there.",
        joint = thrown.joint.clone(),
        degrees = format!("{:.0}", thrown.degrees),
        clip = thrown.clip.clone(),
        time = format!("{:.2}", thrown.time),
        place = place(walk, thrown.time)
    );
    Some(told.at(thrown.time, None))
}

fn no_stance(found: &NoStance) -> Message {
    let NoStance { clip, stands, walks, instead } = found;
    let stands = format!("{:.0}", stands * 100.0);
    match instead {
        Some(instead) if *walks => message!(
            "warning.walk.no_stance",
            "'%{clip}' is no gait to walk by: its feet stand in only %{stands} % of a step, so the walk skates. Use \
             '%{instead}' in its place.",
            clip,
            stands,
            instead
        ),
        Some(instead) => message!(
            "warning.walk.left_out",
            "'%{clip}' is not used: its feet stand in only %{stands} % of a step, so a walk by it would skate. '%{instead}' \
             is used in its place, at its own speed; to walk by '%{clip}' all the same, assign it.",
            clip,
            stands,
            instead
        ),
        None => message!(
            "warning.walk.no_stance_alone",
            "'%{clip}' is no gait to walk by: its feet stand in only %{stands} % of a step, so the walk skates. The character has no \
             clip that steps better; add one.",
            clip,
            stands
        ),
    }
}

fn hardly_stands(foot: &FootFigure) -> Option<Message> {
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    foot.skates().then(|| {
        message!(
            "warning.walk.skates",
            "'%{joint}' stands in %{stands} % of the frames in which the body moves, in its clips in %{own} %: it skates. \
             Choose gaits for the speed of the way.",
            joint = foot.joint.clone(),
            stands = percent(foot.stands),
            own = percent(foot.own)
        )
    })
}

fn drags(walk: &Walk, foot: &FootFigure) -> Option<Message> {
    let drag = Some(&foot.drag).filter(|drag| drag.metres > DRAG && foot.slide <= SLIDE)?;
    let told = message!(
        "warning.walk.drags",
        "'%{foot}' is dragged %{centimetres} cm along the ground in '%{clip}' at %{time} s (%{place}). Look there.",
        foot = foot.joint.clone(),
        centimetres = format!("{:.0}", drag.metres * 100.0),
        clip = drag.clip.clone(),
        time = format!("{:.2}", drag.time),
        place = place(walk, drag.time)
    );
    Some(told.at(drag.time, None))
}

fn slides(foot: &FootFigure) -> Option<Message> {
    (foot.slide > SLIDE).then(|| {
        message!(
            "warning.walk.slides",
            "'%{joint}' slides at %{slide} cm/s while it stands. Lock the feet, or choose gaits for the speed of the way.",
            joint = foot.joint.clone(),
            slide = format!("{:.1}", foot.slide)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::locomotion::{Pop, Report};

    #[test]
    fn what_looks_wrong_is_told_with_its_clip_and_place_and_a_good_walk_is_silent() {
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
        let good = Report {
            frames: vec![frame(0.0, false, 0.01)],
            feet: vec![foot(0.35, 1.0)],
            pop: pop(5.0),
            ..Report::default()
        };
        assert_eq!(seen(&walk(good)), []);
        let frames = vec![frame(0.0, false, 0.01), frame(0.5, true, 0.07)];
        let without = |walks: bool, instead: Option<&str>| NoStance {
            clip: "skate".into(),
            stands: 0.04,
            walks,
            instead: instead.map(Into::into),
        };
        let bad = Report {
            frames,
            feet: vec![foot(0.2, 9.0)],
            pop: pop(50.0),
            too_fast: 0.25,
            idle: "run".into(),
            holds_stand: true,
            no_stance: vec![without(true, Some("walk")), without(false, Some("jog")), without(true, None)],
            ..Report::default()
        };
        let said: Vec<String> = seen(&walk(bad)).iter().map(ToString::to_string).collect();
        let words = [
            "one pose of 'run' is held",
            "'run' may be played for 0.25 s, first at 0.50 s (0.0, 0.0, 0.0)",
            "7.0 cm too short",
            "'knee' turns 50°",
            "4 % of a step, so the walk skates. Use 'walk'",
            "'skate' is not used",
            "The character has no clip that steps better",
            "20 %",
            "9.0 cm/s",
        ];
        assert!(said.len() == 9 && said.iter().zip(words).all(|(said, words)| said.contains(words)), "{said:?}");
    }
}
