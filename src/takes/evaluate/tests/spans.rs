//! Tests of time spans, and of events mapped through stages.

use super::*;
use crate::document::Span;
use crate::document::stage::{Ground, Layer};
use portamento_blend::{Action, BlendTime, Event, LayerSettings};
use portamento_stretch::retime::{self, SpeedEase, SpeedKnot};
use portamento_stretch::trim;

/// Returns a layer of `sway` on the full body from the start, within `span`.
fn swaying(span: Option<Span>) -> StageKind {
    let event = |action| Event { action, ..Event::default() };
    let events = vec![event(Action::Stand), event(Action::Cast)];
    let settings = LayerSettings { skill: "sway".into(), events, ..LayerSettings::default() };
    StageKind::Layer(Box::new(Layer { settings, span, ..Layer::default() }))
}

fn hips(built: &BuiltTake, time: f64) -> Quat {
    built.clip.pose_at(&hero(), time).locals[1].rotation
}

#[test]
fn a_layer_within_a_span_leaves_the_rest_bit_identical() {
    let mut workshop = Workshop::new();
    let mut over = |span| workshop.build(&take(clip(HERO, "go"), vec![swaying(span)])).unwrap();
    let frame = |frame: i32| f64::from(frame) / 30.0;
    let full_span = over(None);
    let span = Span { start: frame(3), end: frame(8), fade_in: frame(2), fade_out: frame(1) };
    let part = over(Some(span));
    for i in 0..=1000 {
        let time = f64::from(i) / 1000.0 * part.clip.duration;
        let is_outside = time <= span.start || time >= span.end;
        // Key times are f32, so near an edge both values are valid.
        if [span.start, span.end].iter().any(|edge| (edge - time).abs() < 1e-6) {
            continue;
        }
        let source = part.source.pose_at(&hero(), time);
        assert_eq!(part.clip.pose_at(&hero(), time) == source, is_outside, "{time}");
    }
    let full = [5, 6, 7].map(|full| f64::from((f64::from(full) / 30.0) as f32));
    assert!(full.iter().all(|&time| hips(&part, time) == hips(&full_span, time)));
    let half = f64::from(frame(4) as f32);
    let [mixed, all] = [hips(&part, half), hips(&full_span, half)].map(|turn| turn.angle_between(Quat::IDENTITY));
    assert!((mixed - 0.5 * all).abs() < 1e-4 && all > 0.01, "{mixed} of {all}");
    assert_eq!(
        (part.report()["layer"]["held_frames"].clone(), full_span.report()["layer"]["held_frames"].clone()),
        (4.into(), 10.into())
    );
}

#[test]
fn a_joint_takes_its_own_time_into_a_skill() {
    let mut workshop = Workshop::new();
    let mut over = |times: &[(&str, f64)], trans_time: f64| {
        let mut kind = swaying(None);
        let StageKind::Layer(layer) = &mut kind else { panic!("a layer") };
        let settings = &mut layer.settings;
        settings.events[1] = Event { time: 0.1, trans_time, ..settings.events[1].clone() };
        let time = |&(joint, factor): &(&str, f64)| BlendTime { joint: joint.into(), factor };
        settings.blend_times = times.iter().map(time).collect();
        workshop.build(&take(clip(HERO, "go"), vec![kind])).unwrap()
    };
    let name = hero().joints[1].name.clone();
    let plain = over(&[], 0.2);
    assert_eq!(over(&[(&name, 1.0)], 0.2).clip, plain.clip);
    let quick = over(&[(&name, 0.5)], 0.2);
    let cut = over(&[], 0.1);
    for frame in 0..=10 {
        let time = f64::from((f64::from(frame) / 30.0) as f32);
        assert_eq!(hips(&quick, time), hips(&cut, time), "{frame}");
    }
    assert!((3..7).any(|frame| hips(&quick, f64::from(frame) / 30.0) != hips(&plain, f64::from(frame) / 30.0)));
}

#[test]
fn a_jump_at_an_edge_without_fade_is_reported() {
    let mut workshop = Workshop::new();
    let mut warnings_of = |span: Span| {
        let built = workshop.build(&take(clip(HERO, "go"), vec![swaying(Some(span))])).unwrap();
        let sentences = built.warnings.iter().map(ToString::to_string);
        sentences.filter(|sentence| sentence.contains("edge of the span")).collect::<Vec<_>>()
    };
    let hard = Span { start: 0.24, end: 0.3, ..Span::default() };
    let sentences = warnings_of(hard);
    assert!(
        sentences.len() == 2 && sentences[0].contains("0.24 s") && sentences[1].contains("0.30 s"),
        "{sentences:?}"
    );
    assert_eq!(warnings_of(Span { fade_in: 0.02, fade_out: 0.02, ..hard }), [""; 0]);
    // There is no motion before the start or after the end.
    assert_eq!(warnings_of(Span { start: 0.0, end: 9.0, ..hard }), [""; 0]);
}

#[test]
fn a_span_between_frames_changes_only_rounding_outside() {
    let mut workshop = Workshop::new();
    let span = Span { start: 0.11, end: 0.24, ..Span::default() };
    let built = workshop.build(&take(clip(HERO, "sway"), vec![swinging(false), swaying(Some(span))])).unwrap();
    let before = &built.stages[0].clip;
    for i in 0..=1000 {
        let time = f64::from(i) / 1000.0;
        let [is, was] = [&built.clip, before].map(|clip| clip.pose_at(&hero(), time).locals[1].rotation);
        let is_outside = time <= span.start || time >= span.end;
        assert!(!is_outside || is.angle_between(was) < 1e-3, "{time}");
    }
}

#[test]
fn dynamics_and_ground_act_within_their_span() {
    let mut workshop = Workshop::new();
    let mut acts = |kind: StageKind| {
        let built = workshop.build(&take(clip(HERO, "go"), vec![kind])).unwrap();
        let differs = |frame: &i32| {
            let time = f64::from((f64::from(*frame) / 30.0) as f32);
            built.clip.pose_at(&hero(), time) != built.source.pose_at(&hero(), time)
        };
        (0..=10).filter(differs).collect::<Vec<i32>>()
    };
    let mut bones = swinging(false);
    let all = acts(bones.clone());
    assert!(all.len() > 7, "{all:?}");
    *bones.span_mut().unwrap() = Some(Span { start: 0.2, end: 1.0, ..Span::default() });
    assert_eq!(acts(bones.clone()), [7, 8, 9, 10]);
    *bones.span_mut().unwrap() = Some(Span { start: 0.2, end: 0.1, ..Span::default() });
    let refused = workshop.refusal(&take(clip(HERO, "go"), vec![bones]));
    assert!(refused.contains("0.2 s to 0.1 s"), "{refused}");
    let ground = StageKind::Ground(Box::new(Ground { span: Some(Span::soft(0.1, 0.2)), ..Ground::default() }));
    assert!(ground.has_span() && !looped(0, 4).has_span() && looped(0, 4).span_mut().is_none());
}

#[test]
fn events_are_mapped_through_retime_and_trim() {
    let mut workshop = Workshop::new();
    let slow = retime::Settings {
        knots: vec![SpeedKnot { time: 0.0, speed: 0.5, ease: SpeedEase::Stepped }],
        ..retime::Settings::default()
    };
    let cut = trim::Settings { from: 0.1, to: Some(0.5) };
    let event = |time| Event { time, action: Action::Cast, trans_time: 0.1, ..Event::default() };
    let settings =
        LayerSettings { skill: "sway".into(), events: [0.02, 0.1, 0.3].map(event).to_vec(), ..Default::default() };
    let layer = StageKind::Layer(Box::new(Layer { settings, ..Layer::default() }));
    let kinds = vec![layer, StageKind::Retime(Box::new(slow)), StageKind::Trim(Box::new(cut))];
    let built = workshop.build(&take(clip(HERO, "go"), kinds)).unwrap();
    let events: Vec<(f64, f64)> = built.events.iter().map(|event| (event.time, event.trans_time)).collect();
    // At half speed 0.02, 0.1 and 0.3 s become 0.04, 0.2 and 0.6 s; the trimmed part is 0.1…0.5 s.
    assert!(events.len() == 1 && (events[0].0 - 0.1).abs() < 1e-6 && (events[0].1 - 0.2).abs() < 1e-6, "{events:?}");
    assert!((built.report()["events"][0]["time"].as_f64().unwrap() - 0.1).abs() < 1e-6);
    assert!((built.output_time(0, 0.1) - 0.1).abs() < 1e-6 && (built.input_time(0, 0.1) - 0.1).abs() < 1e-6);
    assert!((built.input_time(1, 0.3) - 0.2).abs() < 1e-6 && (built.input_time(2, 0.3) - 0.4).abs() < 1e-6);
    let used = Take { id: TakeId(3), name: "used".into(), ..take(clip(HERO, "go"), vec![swaying(None)]) };
    workshop.document.takes.push(used);
    let user = workshop.build(&take(clip(HERO, "take:3"), Vec::new())).unwrap();
    assert_eq!(user.events.len(), 2, "events of a take used as a clip are kept");
}
