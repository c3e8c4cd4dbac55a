//! Test fixtures: a document with files, and helpers that build takes of it.

mod additive;
mod allocations;
mod blends;
mod cache;
mod frames;
mod keys;
mod limits;
mod origins;
mod reports;
mod sources;
mod spans;
mod stacks;
mod strangers;
mod workflows;

use std::sync::Arc;

use glam::{DVec3, Quat, Vec3};

use super::*;
use crate::document::stage::{Dynamics, Loop, Stretch};
use crate::document::take::Vertices;
use crate::document::{
    Asset, Character, CrossingRange, Document, FileId, Library, Loaded, ObstacleBox, SceneObject, SourceFile, Stage,
    StageKind, Take, TakeId, TakeSource, Walk,
};
use portamento_anim::geometry::Level;
use portamento_anim::media::image_clip::MemoryFrames;
use portamento_anim::media::{ImageClip, ImageInfo, Pixels, VertexClip};
use portamento_anim::{Clip, Curve, Footage, JointTracks, Model, Roles, Skeleton};
use portamento_base::progress::Progress;
use portamento_dynamics::Chain;
use portamento_stretch::Target;
use portamento_test_support::{LEGGED, skeleton_of};

/// Clips `go` (2 m along Z in ten frames, still in the third and fourth) and `sway` (only its hips turn, for a second).
const HERO: FileId = FileId(1);
/// The same joints in another order with an additional joint, and the clip `wave`.
const COUSIN: FileId = FileId(2);
/// One joint of another name, and the clip `spin`.
const STRANGER: FileId = FileId(3);
/// Twelve images of one pixel, frame k of brightness k.
const IMAGES: FileId = FileId(4);
/// Twelve frames of a triangle that rises by a metre per frame; no clips.
const CACHE: FileId = FileId(5);
/// A floor of 6 by 6 m.
const LEVEL: FileId = FileId(6);

struct Workshop {
    document: Document,
    library: Library,
    cache: TakeCache,
}

impl Workshop {
    fn new() -> Self {
        let mut workshop =
            Self { document: Document::default(), library: Library::default(), cache: TakeCache::default() };
        let clips = vec![go(), sway()];
        workshop.open(HERO, Loaded { model: model("hero", hero(), clips), ..Loaded::default() });
        workshop.open(COUSIN, Loaded { model: cousin(), ..Loaded::default() });
        workshop.open(STRANGER, Loaded { model: stranger(), ..Loaded::default() });
        workshop.open(IMAGES, footage("fire", Footage::Images(images())));
        workshop.open(CACHE, footage("flag", Footage::Vertices(Arc::new(rising()))));
        let corners = [Vec3::ZERO, Vec3::Z * 6.0, Vec3::new(6.0, 0.0, 6.0), Vec3::X * 6.0].to_vec();
        let floor = Level::of_mesh("floor", corners, [[0, 1, 2], [0, 2, 3]]);
        workshop.open(LEVEL, Loaded { level: Some(Arc::new(floor)), ..Loaded::default() });
        workshop
    }

    fn open(&mut self, id: FileId, loaded: Loaded) {
        let roles = Roles::find(&loaded.model.skeleton, &loaded.model.clips);
        self.document.characters.push(Character { file: id, roles });
        let (path, hash) = (loaded.model.name.clone().into(), String::new());
        self.document.files.push(SourceFile { id, path, hash, metres_per_unit: 1.0, up: None, fps: None, sheet: None });
        self.library.insert(id, Asset::new(loaded));
    }

    fn build(&mut self, take: &Take) -> Result<Arc<BuiltTake>, TakeError> {
        self.cache.take(&self.document, &self.library, take, &Progress::new())
    }

    fn refusal(&mut self, take: &Take) -> String {
        self.build(take).unwrap_err().to_string()
    }
}

fn take(source: TakeSource, kinds: Vec<StageKind>) -> Take {
    Take { id: TakeId(9), name: "result".into(), character: HERO, source, stages: Stage::numbered(kinds), loops: None }
}

fn clip(file: FileId, clip: &str) -> TakeSource {
    TakeSource::Clip { file, clip: clip.into() }
}

fn to(target: DVec3) -> StageKind {
    let mut stretch = Stretch::default();
    stretch.settings.target = Some(Target::World(target));
    StageKind::Stretch(Box::new(stretch))
}

fn looped(start: usize, length: usize) -> StageKind {
    let mut looped = Loop::default();
    (looped.settings.start, looped.settings.length) = (start, length);
    StageKind::Loop(Box::new(looped))
}

fn swinging(muted: bool) -> StageKind {
    let mut dynamics = Dynamics::default();
    dynamics.settings.chains.push(Chain { joint: 8, end_length: 0.2, muted, ..Chain::default() });
    StageKind::Dynamics(Box::new(dynamics))
}

fn walk(stops: &[DVec3]) -> TakeSource {
    TakeSource::Walk(Box::new(Walk { level: LEVEL, stops: stops.to_vec(), ..Walk::default() }))
}

fn hero() -> Skeleton {
    let mut skeleton = skeleton_of(&[&LEGGED[..], &[("hair", Some(1))]].concat());
    let down = [0.0, 0.8, 0.0, -0.4, -0.4, 0.0, -0.4, -0.4, 0.3];
    for (joint, down) in skeleton.joints.iter_mut().zip(down) {
        joint.rest.translation = Vec3::Y * down;
    }
    skeleton.joints[2].rest.translation.x = 0.1;
    skeleton.joints[5].rest.translation.x = -0.1;
    skeleton
}

fn go() -> Clip {
    let times: Vec<f32> = (0..=10).map(|frame| frame as f32 / 30.0).collect();
    let steps = [0.0, 0.25, 0.5, 0.5, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0];
    let mut clip = Clip { duration: f64::from(times[10]), ..still("go") };
    clip.tracks[0].translation = Some(Curve::linear(times, steps.map(|z| Vec3::Z * z).to_vec()));
    clip
}

fn sway() -> Clip {
    let mut clip = still("sway");
    let turns = [0.0, 0.2, 0.0].map(Quat::from_rotation_z).to_vec();
    clip.tracks[1].rotation = Some(Curve::linear(vec![0.0, 0.5, 1.0], turns));
    clip
}

fn still(name: &str) -> Clip {
    Clip { name: name.into(), duration: 1.0, tracks: vec![JointTracks::default(); hero().len()] }
}

fn model(name: &str, skeleton: Skeleton, clips: Vec<Clip>) -> Model {
    Model { name: name.into(), skeleton, clips, ..Model::default() }
}

fn cousin() -> Model {
    let skeleton = skeleton_of(&[("tail", None), ("hips", None), ("root", None)]);
    let mut wave = Clip { name: "wave".into(), duration: 1.0, tracks: vec![JointTracks::default(); 3] };
    let turns = || Curve::linear(vec![0.0, 1.0], vec![Quat::IDENTITY, Quat::from_rotation_x(0.5)]);
    (wave.tracks[0].rotation, wave.tracks[1].rotation) = (Some(turns()), Some(turns()));
    model("cousin", skeleton, vec![wave])
}

fn stranger() -> Model {
    let mut spin = Clip { name: "spin".into(), duration: 1.0, tracks: vec![JointTracks::default()] };
    spin.tracks[0].rotation = Some(Curve::linear(vec![0.0], vec![Quat::IDENTITY]));
    model("stranger", skeleton_of(&[("gizmo", None)]), vec![spin])
}

fn footage(name: &str, footage: Footage) -> Loaded {
    let model = Model { name: name.into(), ..footage.model().unwrap() };
    Loaded { model, footage: Some(footage), ..Loaded::default() }
}

fn images() -> ImageClip {
    let info: ImageInfo = portamento_test_support::image_info(1, 1, 12);
    let frames = (0..12).map(|frame| Pixels::U8(vec![[frame, frame, frame, 255]])).collect();
    ImageClip::new("fire", Arc::new(MemoryFrames::new(info, frames)), 1 << 16)
}

fn rising() -> VertexClip {
    let frame = |frame: usize| [Vec3::ZERO, Vec3::X, Vec3::Z].map(|corner| corner + Vec3::Y * frame as f32);
    let positions = (0..12).flat_map(frame).collect();
    VertexClip { name: "flag".into(), fps: 10.0, vertices: 3, positions, faces: vec![0, 1, 2] }
}
