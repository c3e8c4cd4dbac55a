//! Simulated user input during frame measurements: scrubbing, dragging a target, painting, dragging a goal.

use std::path::Path;

use glam::{Affine3A, DVec3, Vec2, Vec3};
use portamento::anim::{Clip, Curve, Joint, JointTracks, Model, Skeleton};
use portamento::document::{StageKind, Take, TakeSource};
use portamento::export::gltf::{from_model, to_glb_bytes};
use portamento::geometry::{Mesh, MeshInstance, Primitive, Skin};
use portamento::math::Transform;
use portamento::session::painting::{Aim, PaintTarget, StrokeKeys, StrokePoint};
use portamento::session::{Command, EditCommand, FileCommand, Session, Shown};
use portamento::systems::stretch::Target;

use super::sheet;

/// Vertices per side of the painted mesh: 99 856 in all.
const SIDE: usize = 316;
/// Side of the level, metres: a million voxels of 0.3 m.
const LEVEL: usize = 300;

/// A kind of input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hand {
    /// Moves the playhead back and forth over a scenario.
    Scrub,
    /// Moves the target of a stretch.
    Drag,
    /// Moves a brush back and forth over a mesh of 100 000 vertices.
    Paint,
    /// Moves the goal of a walk over a level of a million voxels.
    Goal,
}

impl Hand {
    /// Shows the edited item; its files are in `folder`.
    pub fn take_up(self, session: &mut Session, folder: &Path) {
        let open = |session: &mut Session, names: &[&str]| {
            let files = names.iter().map(|name| folder.join(name)).collect();
            session.perform(Command::File(FileCommand::Open(files)));
        };
        match self {
            Self::Scrub => show(session, |take| matches!(take.source, TakeSource::Scenario(_))),
            Self::Drag => show(session, |take| target(take).is_some()),
            Self::Paint => open(session, &["sheet.glb"]),
            Self::Goal => open(session, &["hero.glb", "hills.obj"]),
        }
    }

    /// Prepares the input after loading.
    pub fn begin(self, session: &mut Session) {
        match self {
            Self::Scrub | Self::Drag => {}
            Self::Paint => {
                session.perform(Command::Edit(EditCommand::AddVertices));
                session.selection.painting.target = Some(PaintTarget::Weights);
            }
            Self::Goal => session.perform(Command::Edit(EditCommand::AddWalk)),
        }
    }

    /// Performs the input of frame `frame`.
    pub fn act(self, session: &mut Session, frame: usize) {
        let swing = (frame as f64 * 0.13).sin();
        match self {
            Self::Scrub => session.playback.pause_at(0.5 * (1.0 + swing) * session.playback.duration),
            Self::Drag => {
                let shown = session.selection.shown.clone();
                let mut takes = session.document.takes.iter_mut();
                let take = takes.find(|take| shown == Shown::Take(take.id));
                if let Some(Target::World(point) | Target::Start(point)) = take.and_then(target_mut) {
                    point.x += 0.02 * swing;
                }
            }
            Self::Paint => paint(session, swing, frame == 0),
            Self::Goal => {
                let walk = session.document.takes.iter_mut().find_map(Take::walk_mut);
                if let Some(goal) = walk.and_then(|walk| walk.stops.last_mut()) {
                    *goal = DVec3::new(200.0 + 40.0 * swing, goal.y, 180.0);
                }
            }
        }
    }
}

fn show(session: &mut Session, is_meant: impl Fn(&Take) -> bool) {
    if let Some(take) = session.document.takes.iter().find(|take| is_meant(take)) {
        session.selection.shown = Shown::Take(take.id);
    }
}

fn target(take: &Take) -> Option<Target> {
    take.stages.iter().find_map(|stage| match &stage.kind {
        StageKind::Stretch(stretch) if stretch.aim_at.is_none() => stretch.settings.target,
        _ => None,
    })
}

fn target_mut(take: &mut Take) -> Option<&mut Target> {
    take.stages.iter_mut().find_map(|stage| match &mut stage.kind {
        StageKind::Stretch(stretch) => stretch.settings.target.as_mut(),
        _ => None,
    })
}

fn paint(session: &mut Session, swing: f64, begins: bool) {
    let at = Vec2::new(0.5 + 0.3 * swing as f32, 0.5);
    let aim = Aim::Ray { origin: at.extend(3.0), direction: Vec3::NEG_Z };
    session.easel().aim(Some(aim));
    if begins {
        session.easel().begin(StrokeKeys::default());
    }
    let point = StrokePoint { at: at * 600.0, points_per_unit: 600.0, aim: &|_| aim };
    session.easel().go_to(&point, StrokeKeys::default());
}

/// Returns a skinned sheet of 1 m that slides along x for two seconds.
pub fn sheet() -> Vec<u8> {
    let count = SIDE * SIDE;
    let (joints, weights) = (vec![0; 4 * count], [1.0, 0.0, 0.0, 0.0].repeat(count));
    let part = Primitive { influences: 4, joints, weights, ..sheet::sheet(SIDE) };
    let joint = Joint {
        name: "sheet".into(),
        parent: None,
        rest: Transform::IDENTITY,
        node: 0,
        first_morph: 0,
        morph_count: 0,
    };
    let times: Vec<f32> = (0..=20).map(|key| key as f32 * 0.1).collect();
    let slid = times.iter().map(|&time| Vec3::X * 0.01 * (3.0 * time).sin()).collect();
    let track = JointTracks { translation: Some(Curve::linear(times, slid)), ..JointTracks::default() };
    let model = Model {
        name: "sheet".into(),
        skeleton: Skeleton { joints: vec![joint], rest_morphs: Vec::new() },
        meshes: vec![Mesh { name: "sheet".into(), primitives: vec![part], ..Mesh::default() }],
        skins: vec![Skin { joints: vec![0], inverse_bind: vec![Affine3A::IDENTITY] }],
        instances: vec![MeshInstance { joint: 0, mesh: 0, skin: Some(0) }],
        clips: vec![Clip { name: "slide".into(), duration: 2.0, tracks: vec![track] }],
        ..Model::default()
    };
    to_glb_bytes(&from_model(&model, None)).expect("a small file")
}

/// Returns hills with a vertex every metre, as a level.
pub fn hills() -> String {
    let height = |x: usize, z: usize| 2.0 * (0.05 * x as f64).sin() + 1.5 * (0.07 * z as f64).sin();
    let all = |size: usize| (0..size).flat_map(move |z| (0..size).map(move |x| (x, z)));
    let points = all(LEVEL + 1).map(|(x, z)| format!("v {x} {:.4} {z}\n", height(x, z)));
    let faces = all(LEVEL).map(|(x, z)| {
        let a = z * (LEVEL + 1) + x + 1;
        let (b, c, d) = (a + 1, a + LEVEL + 1, a + LEVEL + 2);
        format!("f {a} {c} {b}\nf {b} {c} {d}\n")
    });
    points.chain(faces).collect()
}
