//! One moment, ready to be drawn, plotted or checked: plain data.

use std::sync::Arc;

use glam::{Affine3A, Vec3};

use super::content::VertexContent;
use super::dynamics_view::{self, DynamicsView};
use super::{BuiltTake, Content, Overlay, Scenery};
use crate::anim::{Pose, root_motion};
use crate::document::{Asset, Loaded};
use crate::media::{ImageInfo, Pixels};
use crate::systems::dynamics::DynamicsRig;

/// What is shown at one time.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Seconds into the take that were asked for.
    pub time: f64,
    /// The character that is posed, or the file whose content stands in for it.
    pub character: Asset<Loaded>,
    /// Local transforms of the character's joints.
    pub pose: Pose,
    /// World place of every joint, in the file's unit.
    pub world: Vec<Affine3A>,
    /// What is seen in place of the posed character, for takes of vertices and images.
    pub content: FrameContent,
    /// The level around it, for walks.
    pub scenery: Option<Scenery>,
    /// What stays the same over the whole take.
    pub overlay: Arc<Overlay>,
    /// The take, for plots and numbers; absent for a bare rest pose.
    pub built: Option<Arc<BuiltTake>>,
    /// The dynamic bones, if it has any.
    pub dynamics: Option<DynamicsView>,
}

/// What is seen at one moment. Cloning shares it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum FrameContent {
    /// The character in its pose.
    #[default]
    Posed,
    /// The only mesh of the character with its vertices here.
    Vertices {
        /// Positions in the file's unit.
        positions: Arc<[Vec3]>,
        /// Unit normals, as many as positions.
        normals: Arc<[Vec3]>,
    },
    /// The only texture of the character with these pixels.
    Image {
        /// Size and kind of pixels.
        info: ImageInfo,
        /// Rows from the top.
        pixels: Arc<Pixels>,
    },
    /// An image that can no longer be read, and why.
    Unreadable(String),
}

/// The memory of a frame that is no longer shown, for the next one.
#[derive(Debug, Default)]
pub struct FrameBuffers {
    pose: Pose,
    world: Vec<Affine3A>,
}

impl From<Frame> for FrameBuffers {
    fn from(frame: Frame) -> Self {
        Self { pose: frame.pose, world: frame.world }
    }
}

/// The pose of `built` at `time` (seconds) with its overlay; beyond its end a loop goes on, anything else stands still.
pub fn frame_at(built: &Arc<BuiltTake>, overlay: &Arc<Overlay>, time: f64) -> Frame {
    next_frame(FrameBuffers::default(), built, overlay, time)
}

/// The same in `buffers`: of a take that poses joints nothing is allocated from the second frame on.
pub fn next_frame(buffers: FrameBuffers, built: &Arc<BuiltTake>, overlay: &Arc<Overlay>, time: f64) -> Frame {
    let FrameBuffers { mut pose, world } = buffers;
    let (round, within) = round_at(built, time);
    let skeleton = &built.character.model.skeleton;
    pose.set_rest(skeleton);
    built.clip.sample(skeleton, within, &mut pose);
    if round > 0 {
        carry(built, &mut pose, round);
    }
    let frame = posed(&built.character, FrameBuffers { pose, world }, time, overlay.clone(), Some(built.clone()));
    Frame { content: content_at(&built.content, within), ..frame }
}

/// How often a loop has come round at `time`, and the time within it.
fn round_at(built: &BuiltTake, time: f64) -> (i32, f64) {
    let duration = built.clip.duration;
    if built.looped(None).is_none() || duration <= 0.0 || time <= duration {
        return (0, time.clamp(0.0, duration));
    }
    let round = (time / duration).floor();
    (round as i32, (time - round * duration).clamp(0.0, duration))
}

/// Goes on from where `round` rounds have brought the root.
fn carry(built: &BuiltTake, pose: &mut Pose, round: i32) {
    let (skeleton, Some(root)) = (&built.character.model.skeleton, built.root) else { return };
    let place = |time: f64| root_motion::world_at(skeleton, &built.clip, root.joint, time);
    let way = place(built.clip.duration) * place(0.0).inverse();
    let local = &mut pose.locals[root.joint];
    let mut carried = local.to_affine_f64();
    let parent = root_motion::parent_at(skeleton, &built.clip, root.joint, 0.0);
    (0..round).for_each(|_| carried = parent.inverse() * way * parent * carried);
    local.translation = carried.translation.as_vec3();
    local.rotation = root_motion::turn_of(&carried).as_quat();
}

fn content_at(content: &Content, time: f64) -> FrameContent {
    match content {
        Content::Joints => FrameContent::Posed,
        Content::Vertices(vertices) => {
            let mut positions = Vec::new();
            vertices.sample(time, &mut positions);
            shaded(vertices, positions)
        }
        Content::Images(images) => match images.sample(time) {
            Ok(pixels) => FrameContent::Image { info: images.info(), pixels },
            Err(error) => FrameContent::Unreadable(error.to_string()),
        },
    }
}

/// The mesh of `vertices` with its vertices at `positions`.
fn shaded(vertices: &VertexContent, positions: Vec<Vec3>) -> FrameContent {
    let mut normals = Vec::new();
    vertices.shading.normals(&positions, &vertices.clip.faces, &mut normals);
    FrameContent::Vertices { positions: positions.into(), normals: normals.into() }
}

/// `pose` as a frame of `built`, before its dynamic bones: their rotations are already in it.
pub fn live_frame(built: &Arc<BuiltTake>, overlay: &Arc<Overlay>, time: f64, pose: Pose) -> Frame {
    let buffers = FrameBuffers { pose, world: Vec::new() };
    posed(&built.character, buffers, time, overlay.clone(), Some(built.clone()))
}

impl Frame {
    /// Adds the bones of `rig`; `animation` is the pose without them.
    pub fn add_dynamics(&mut self, rig: &DynamicsRig, animation: &Pose) {
        let metres_per_unit = self.built.as_ref().map_or(1.0, |built| built.metres_per_unit);
        let animated = &dynamics_view::with_animated_joints(rig, &self.pose, animation);
        let skeleton = &self.character.model.skeleton;
        let shown = dynamics_view::ShownPose { skeleton, world: &self.world, animated, metres_per_unit };
        self.dynamics = Some(dynamics_view::view(rig, &shown));
    }

    /// Shows a cloth as it is before it falls, whatever the time; anything else stays as it is.
    pub fn show_rest(&mut self) {
        let Some(Content::Vertices(vertices)) = self.built.as_ref().map(|built| &built.content) else { return };
        if let Some(rest) = &vertices.rest {
            self.content = shaded(vertices, rest.frame(0).to_vec());
        }
    }
}

/// A character in its rest pose.
pub fn rest_frame(character: &Asset<Loaded>) -> Frame {
    let buffers = FrameBuffers { pose: Pose::rest(&character.model.skeleton), world: Vec::new() };
    posed(character, buffers, 0.0, Arc::default(), None)
}

/// A character in its rest pose within a level, while nothing more is known of its walk.
pub fn scenery_frame(character: &Asset<Loaded>, scenery: Scenery) -> Frame {
    Frame { scenery: Some(scenery), ..rest_frame(character) }
}

fn posed(
    character: &Asset<Loaded>,
    FrameBuffers { pose, mut world }: FrameBuffers,
    time: f64,
    overlay: Arc<Overlay>,
    built: Option<Arc<BuiltTake>>,
) -> Frame {
    pose.world_from_joints(&character.model.skeleton, &mut world);
    let scenery = built.as_ref().and_then(|built| Some(built.walked.as_ref()?.ground.scenery.clone()));
    Frame {
        time,
        character: character.clone(),
        pose,
        world,
        content: FrameContent::Posed,
        scenery,
        overlay,
        built,
        dynamics: None,
    }
}
