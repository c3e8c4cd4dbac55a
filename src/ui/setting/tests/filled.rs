//! A stage and a source of every kind with all optional settings filled.

use glam::DVec3;

use portamento_anim::MaskChoice;
use portamento_anim::media::SheetGrid;
use portamento_blend as blend;
use portamento_blend::{
    Action, Additive, BlendSpace, Drive, Event, Link, Node, NodeKind, ParameterKey, Reference, Scenario, Source,
    SpaceSample, SpeedDrive, State, StateEvent, StatePosition, StateWeight, Tree,
};
use portamento_dynamics::cloth;
use portamento_dynamics::{AngleLimit, Chain, Collider, ColliderShape, JointOverride, Profile};
use portamento_looping::{Fade, FadeCurve};
use portamento_repair::{align, cleanup, pose};
use portamento_retarget as retarget;
use portamento_stretch::{Facing, FootPlants, PlantSpan, Target, Window};
use portamento_stretch::{additive, retime, trim};
use portamento_takes::document::stage::{self, Align, Dynamics, Ground, Layer, Loop, RootChoice, Stretch};
use portamento_takes::document::take::{Blend, Retarget, Vertices};
use portamento_takes::document::walk::Pin;
use portamento_takes::document::{CrossingRange, FileId, OwnCrossings, Span, StageKind, StageType, TakeSource, Walk};
use portamento_walk::crossing::CrossingKind;
use portamento_walk::crossing::{self, Moments};
use portamento_walk::locomotion;
use portamento_walk::locomotion::{ClipRoles, GaitClip};
use portamento_walk::navigation::voxels::{AreaStroke, Effect, SurfaceRule, Volume, VolumeShape};

/// Returns a placeholder name.
fn name() -> String {
    "name".into()
}

/// Returns a stage of every kind.
pub(super) fn stages() -> Vec<StageKind> {
    let span = Some(Span::default());
    let knots = vec![retime::SpeedKnot { time: 0.0, speed: 1.0, ease: Default::default() }];
    let mut ground = Ground { span, ..Ground::default() };
    ground.settings.sole = Some(0.1);
    let cleanup =
        cleanup::Settings { rate: Some(30.0), reduce: Some(Default::default()), ..cleanup::Settings::default() };
    let poses = align::Settings { begin: name(), end: name(), ..align::Settings::default() };
    let align = Align { settings: poses, files: vec![FileId(1)] };
    let reference = additive::Settings { clip: name(), reference: additive::Reference::Clip, ..Default::default() };
    let additive = stage::Additive { settings: reference, files: vec![FileId(1)] };
    let moments = Moments { take_off: Some(0.5), near: Some(0.7), far: Some(0.9), landing: Some(1.1) };
    let cross = crossing::Settings { object: name(), rise: Some(0.5), moments, ..crossing::Settings::default() };
    let correction = pose::Correction { joint: name(), turn: Some([0.0; 3]), translation: Some([0.0; 3]) };
    let goal = pose::Goal { joint: name(), of: name(), ..pose::Goal::default() };
    let pose_key = pose::PoseKey { joints: vec![correction], ..pose::PoseKey::default() };
    let filled = [
        stretch(),
        dynamics(),
        layer(),
        looped(),
        StageKind::Retime(Box::new(retime::Settings { knots, length: Some(2.0) })),
        StageKind::Trim(Box::new(trim::Settings { from: 0.0, to: Some(1.0) })),
        StageKind::Ground(Box::new(ground)),
        StageKind::Cleanup(Box::new(cleanup)),
        StageKind::Align(Box::new(align)),
        StageKind::Additive(Box::new(additive)),
        StageKind::Cross(Box::new(cross)),
        StageKind::Pose(Box::new(pose::Settings { keys: vec![pose_key], goals: vec![goal] })),
    ];
    let of_type = |kind: &StageType| {
        let known = filled.iter().find(|stage| stage.stage_type() == Some(*kind));
        known.cloned().unwrap_or_else(|| kind.default_kind())
    };
    StageType::ALL.iter().map(of_type).collect()
}

/// Returns a source of every kind with settings; blends with the standard tree and with every kind of node.
pub(super) fn sources() -> Vec<TakeSource> {
    let vertices = Vertices { file: FileId(1), clip: Some(name()), mesh: Some(FileId(2)), fps: Some(30.0) };
    let sheet = Some(SheetGrid { columns: 1, rows: 1, frames: Some(1) });
    let cloth = cloth::Settings { instance: Some(0), pins: vec![1.0].into(), ..cloth::Settings::default() };
    let blend = |settings| {
        let (files, layout) = (vec![FileId(1)], vec![[0.0; 2]]);
        TakeSource::Scenario(Box::new(Blend { settings, files, layout, length: Some(2.0), ..Blend::default() }))
    };
    vec![
        retarget(),
        TakeSource::Rest { seconds: 2.0 },
        blend(blend::Settings::Scenario(scenario())),
        blend(blend::Settings::Tree(tree())),
        TakeSource::Vertices(vertices),
        TakeSource::Images { file: FileId(1), fps: Some(30.0), sheet, tag: Some(name()) },
        TakeSource::Cloth(Box::new(cloth)),
        walk(),
    ]
}

fn stretch() -> StageKind {
    let mut stretch = Stretch { aim_at: Some(name()), root: RootChoice::Joint(1), ..Stretch::default() };
    let settings = &mut stretch.settings;
    settings.target = Some(Target::Start(DVec3::ONE));
    settings.facing = Facing::Heading(1.0);
    settings.windows = vec![Window {
        facing: Facing::Heading(1.0),
        keep_speed: true,
        ..Window::new(0.0, 1.0, Target::World(DVec3::ONE))
    }];
    settings.aligner = Some(1);
    settings.plants = vec![FootPlants { foot: 1, spans: vec![PlantSpan { start: 0.0, end: 1.0 }] }];
    settings.max_ratio = Some(2.0);
    StageKind::Stretch(Box::new(stretch))
}

fn dynamics() -> StageKind {
    let limits = [AngleLimit::Cone { angle: 1.0 }, AngleLimit::Hinge { axis: DVec3::X, low: -1.0, high: 1.0 }];
    let (center, radius) = (DVec3::X, 0.1);
    let shapes = [
        ColliderShape::Sphere { center, radius },
        ColliderShape::InsideCapsule { a: center, b: center, radius },
        ColliderShape::Plane { point: center, normal: center },
    ];
    let profile = Profile { value: 1.0, curve: vec![(0.0, 1.0)] };
    let single = |limit| JointOverride {
        joint: 1,
        drag: Some(0.1),
        stiffness: Some(0.1),
        gravity: Some(0.1),
        radius: Some(0.1),
        limit: Some(limit),
    };
    let chain = |limit| Chain {
        name: name(),
        drag: profile.clone(),
        stiffness: profile.clone(),
        gravity: profile.clone(),
        radius: profile.clone(),
        limit,
        excluded: vec![2],
        overrides: limits.map(single).to_vec(),
        ignored_colliders: vec![0],
        center: Some(1),
        ..Chain::default()
    };
    let mut dynamics = Dynamics { fps: Some(60.0), span: Some(Span::default()), ..Dynamics::default() };
    dynamics.settings.chains = limits.map(chain).to_vec();
    dynamics.settings.colliders = shapes.map(|shape| Collider { name: name(), joint: Some(0), shape }).to_vec();
    StageKind::Dynamics(Box::new(dynamics))
}

fn mask() -> MaskChoice {
    MaskChoice { from: Some(name()), overrides: vec![(name(), 1.0)], ..MaskChoice::default() }
}

fn event() -> Event {
    Event { action: Action::Go, clip: Some(name()), state: Some(name()), midpoint: 0.2, ..Event::default() }
}

fn layer() -> StageKind {
    let mut layer = Layer { span: Some(Span::default()), files: vec![FileId(1)], ..Layer::default() };
    layer.settings.upper = mask();
    layer.settings.events = vec![event()];
    layer.settings.blend_times = vec![blend::BlendTime::default()];
    StageKind::Layer(Box::new(layer))
}

fn looped() -> StageKind {
    let map = || vec![0.5].into();
    let painted = || Fade { timing: map(), width: map(), shape: map(), ..Fade::default() };
    let mut looped = Loop::default();
    looped.settings.fade = painted();
    looped.settings.outgoing = Some(Fade { curve: FadeCurve::Drawn(vec![[0.0, 0.0]]), ..painted() });
    StageKind::Loop(Box::new(looped))
}

fn retarget() -> TakeSource {
    let settings = retarget::Settings {
        scale: Some(1.0),
        links: vec![retarget::LinkChoice { joint: name(), source: Some(name()) }],
        corrections: vec![retarget::Correction { joint: name(), turn: [1.0; 3] }],
        ..retarget::Settings::default()
    };
    TakeSource::Retarget(Box::new(Retarget { file: FileId(1), clip: name(), settings }))
}

fn scenario() -> Scenario {
    Scenario { upper: mask(), events: vec![event()], ..Scenario::default() }
}

fn tree() -> Tree {
    let in_states = || vec![StateWeight { state: name(), weight: 1.0 }];
    let source = Source { restarts: vec![name()], ..Source::default() };
    let link = Link { in_states: in_states(), mask: mask(), ..Link::default() };
    let additive = Additive {
        base: 0,
        delta: 1,
        reference: Reference::Rest,
        weight: 1.0,
        in_states: in_states(),
        mask: mask(),
        muted: false,
    };
    let space = BlendSpace {
        samples: vec![SpaceSample::default()],
        keys: vec![ParameterKey::default()],
        drive: Drive::Speed(SpeedDrive::default()),
        in_states: vec![StatePosition::default()],
        ..BlendSpace::default()
    };
    let kinds = [
        NodeKind::Source(source),
        NodeKind::Blend(vec![link]),
        NodeKind::Additive(additive),
        NodeKind::Space(Box::new(space)),
        NodeKind::Standard(Box::new(scenario())),
    ];
    let easing = Some(Default::default());
    Tree {
        nodes: kinds.map(|kind| Node { name: name(), kind }).to_vec(),
        root: 0,
        states: vec![State::default()],
        events: vec![StateEvent { trans_time: Some(0.2), easing, ..StateEvent::default() }],
        interrupt: blend::Interrupt::Inertial,
    }
}

fn walk() -> TakeSource {
    let corner = [0.0; 3];
    let shapes = [
        VolumeShape::Box { low: corner, high: corner },
        VolumeShape::Prism { outline: vec![[0.0; 2]], low: 0.0, high: 1.0 },
        VolumeShape::Painted { strokes: vec![AreaStroke { points: vec![corner], radius: 1.0 }] },
    ];
    let mut walk = Walk { stops: vec![DVec3::ONE], pins: vec![Pin { seed: 1, name: name() }], ..Walk::default() };
    walk.crossings = vec![CrossingRange {
        kind: CrossingKind::Vault,
        height: [0.4, 1.2],
        distance: [0.0, 0.8],
        rise: [-0.3, 0.3],
        run_up: [0.6, 2.0],
        landing_room: 0.6,
        seconds: 1.1,
    }];
    walk.own_crossings = OwnCrossings { on: true, ..OwnCrossings::default() };
    walk.voxels.surfaces = vec![SurfaceRule { name: name(), effect: Effect::Speed(0.5) }];
    walk.voxels.volumes = shapes.map(|shape| Volume { name: name(), shape, effect: Effect::Speed(0.5) }).to_vec();
    let clips = ClipRoles {
        idle: Some(name()),
        gaits: vec![GaitClip { clip: name(), slope: Some([0.0, 1.0]) }],
        stop: Some(name()),
        turns: vec![name()],
        crossings: vec![name()],
        start: Some(name()),
        ..ClipRoles::default()
    };
    walk.settings = locomotion::Settings {
        clips,
        start_facing: Some(0.0),
        goal_facing: Some(0.0),
        engine_rate: Some(60.0),
        ..locomotion::Settings::default()
    };
    TakeSource::Walk(Box::new(walk))
}
