//! A sample take with a full stage stack: a walk around the yard with two casts and a stop at a mark.
//! Its feet are planted, hair and cape are simulated, and it is closed to a cycle.

use glam::{DVec2, dvec2};

use crate::level::on_ground;
use portamento_blend::{Action, Event, LayerSettings};
use portamento_repair::close;
use portamento_stretch as stretch;
use portamento_stretch::{Target, Window};
use portamento_takes::document::stage::{Dynamics, Ground, Layer, Stretch};
use portamento_takes::document::{FileId, Span, StageKind, TakeSource, Walk};
use portamento_walk::locomotion::GaitClip;

/// Start of the walk, and its end after the stretch: x and z in metres.
const MARK: DVec2 = dvec2(7.0, 0.0);
/// Corners of the route: x and z in metres.
const CORNERS: [DVec2; 3] = [dvec2(14.0, 1.0), dvec2(15.0, -5.0), dvec2(8.0, -6.0)];
/// End of the walk before the stretch, short of the mark.
const STOP: DVec2 = dvec2(7.0, -0.4);
/// Stretch window in seconds: from just before the run-to-stop clip to its end.
const STOP_WINDOW: [f64; 2] = [8.0, 10.5];
/// Span of foot planting in seconds, from the stop to the end of the cast at the mark.
/// There the stretch and the skill's own steps would slide a little.
const PLANTED_SPAN: Span = Span { start: 8.0, end: 14.8, fade_in: 0.2, fade_out: 0.2 };
/// Times of both casts and their ends in seconds: one while running past a corner, one standing at the mark.
const CASTS: [(f64, Action); 4] = [(4.0, Action::Cast), (6.2, Action::End), (12.0, Action::Cast), (14.2, Action::End)];

/// Returns the walk through the yard in `level`.
pub(super) fn source(level: FileId) -> TakeSource {
    let stops = [MARK].into_iter().chain(CORNERS).chain([STOP]).map(on_ground).collect();
    let mut walk = Walk { level, stops, ..Walk::default() };
    walk.settings.clips.gaits = ["walk", "run"].map(GaitClip::from).to_vec();
    (walk.settings.start_facing, walk.settings.goal_facing) = (Some(90.0), Some(90.0));
    walk.settings.rest = 4.0;
    TakeSource::Walk(Box::new(walk))
}

/// Returns the stages of the take. `swing` simulates the hero's hair and cape.
pub(super) fn stages(swing: Dynamics) -> Vec<StageKind> {
    let event = |(time, action)| Event { time, action, ..Event::default() };
    let events = CASTS.map(event).to_vec();
    let settings = LayerSettings { skill: "cast".into(), events, ..LayerSettings::default() };
    let layer = Layer { settings, ..Layer::default() };
    let [start, end] = STOP_WINDOW;
    let window = Window { soft_edges: 0.0, ..Window::new(start, end, Target::World(on_ground(MARK))) };
    let settings = stretch::Settings { windows: vec![window], feet: true, ..stretch::Settings::default() };
    let stretch = Stretch { settings, ..Stretch::default() };
    let close = close::Settings { cycle: close::Cycle::InPlace, ..close::Settings::default() };
    vec![
        StageKind::Layer(Box::new(layer)),
        StageKind::Stretch(Box::new(stretch)),
        StageKind::Ground(Box::new(Ground { span: Some(PLANTED_SPAN), ..Ground::default() })),
        StageKind::Close(Box::new(close)),
        StageKind::Dynamics(Box::new(swing)),
    ]
}
