//! One moment of a take, ready to be drawn, plotted or checked: plain data.

use std::sync::Arc;

use glam::{Affine3A, Vec3};

use super::content::VertexContent;
use super::dynamics_view::{self, DynamicsView};
use super::{BuiltTake, Content, Overlay, Scenery};
use crate::document::{Asset, Loaded};
use portamento_anim::media::{ImageInfo, Pixels};
use portamento_anim::{Pose, root_motion};
use portamento_dynamics::DynamicsRig;

/// The state shown at one time.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The requested time in the take, seconds.
    pub time: f64,
    /// The posed character, or the file whose content is shown.
    pub character: Asset<Loaded>,
    /// Local transforms of the character's joints.
    pub pose: Pose,
    /// World transform of every joint, in the file's unit.
    pub world: Vec<Affine3A>,
    /// The content shown instead of the posed character, for takes of vertices and images.
    pub content: FrameContent,
    /// The level, for walks.
    pub scenery: Option<Scenery>,
    /// Graphics that are constant over the take.
    pub overlay: Arc<Overlay>,
    /// The take, for plots and figures; `None` for a plain rest pose.
    pub built: Option<Arc<BuiltTake>>,
    /// The dynamic bones, if the take has any.
    pub dynamics: Option<DynamicsView>,
}

/// The visible content at one moment. Cloning shares it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum FrameContent {
    /// The character in its pose.
    #[default]
    Posed,
    /// The character's only mesh with these vertices.
    Vertices {
        /// Positions in the file's unit.
        positions: Arc<[Vec3]>,
        /// Unit normals, as many as positions.
        normals: Arc<[Vec3]>,
    },
    /// The character's only texture with these pixels.
    Image {
        /// Size and pixel format.
        info: ImageInfo,
        /// Rows from top to bottom.
        pixels: Arc<Pixels>,
    },
    /// An image that can no longer be read; the reason.
    Unreadable(String),
}

/// Buffers of a previous frame, reused by the next one.
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

/// Returns the frame of `built` at `time` (seconds) with its overlay. After the end a loop continues; other takes are clamped.
pub fn frame_at(built: &Arc<BuiltTake>, overlay: &Arc<Overlay>, time: f64) -> Frame {
    next_frame(FrameBuffers::default(), built, overlay, time)
}

/// Returns the frame like [`frame_at`], reusing `buffers`. Takes with joints allocate nothing from the second frame on.
/// `time` is in seconds.
pub fn next_frame(buffers: FrameBuffers, built: &Arc<BuiltTake>, overlay: &Arc<Overlay>, time: f64) -> Frame {
    let FrameBuffers { mut pose, world } = buffers;
    let (cycle, within) = cycle_at(built, time);
    let skeleton = &built.character.model.skeleton;
    pose.set_rest(skeleton);
    built.clip.sample(skeleton, within, &mut pose);
    if cycle > 0 {
        apply_loop_travel(built, &mut pose, cycle);
    }
    let frame = posed(&built.character, FrameBuffers { pose, world }, time, overlay.clone(), Some(built.clone()));
    Frame { content: content_at(&built.content, within), ..frame }
}

/// Returns the number of completed loop cycles at `time`, and the time within the current cycle. Both are 0 and the clamped
/// time for takes that do not loop. Times are in seconds.
fn cycle_at(built: &BuiltTake, time: f64) -> (i32, f64) {
    let duration = built.clip.duration;
    if built.looped(None).is_none() || duration <= 0.0 || time <= duration {
        return (0, time.clamp(0.0, duration));
    }
    let cycle = (time / duration).floor();
    (cycle as i32, (time - cycle * duration).clamp(0.0, duration))
}

/// Moves the root of `pose` by the travel of `cycle` loop cycles; changes nothing without a root or if `cycle` is not positive.
fn apply_loop_travel(built: &BuiltTake, pose: &mut Pose, cycle: i32) {
    let (skeleton, Some(root)) = (&built.character.model.skeleton, built.root) else { return };
    let root_at = |time: f64| root_motion::world_at(skeleton, &built.clip, root.joint, time);
    let travel = root_at(built.clip.duration) * root_at(0.0).inverse();
    let local = &mut pose.locals[root.joint];
    let mut carried = local.to_affine_f64();
    let parent = root_motion::parent_at(skeleton, &built.clip, root.joint, 0.0);
    (0..cycle).for_each(|_| carried = parent.inverse() * travel * parent * carried);
    local.translation = carried.translation.as_vec3();
    local.rotation = root_motion::turn_of(&carried).as_quat();
}

/// Returns the content at `time` (seconds within the first cycle).
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

/// Returns the mesh of `vertices` with these positions and their normals.
fn shaded(vertices: &VertexContent, positions: Vec<Vec3>) -> FrameContent {
    let mut normals = Vec::new();
    vertices.shading.normals(&positions, &vertices.clip.faces, &mut normals);
    FrameContent::Vertices { positions: positions.into(), normals: normals.into() }
}

/// Returns a frame of `built` with `pose`, which already contains the rotations of dynamic bones. Their view is not added
/// yet. `time` is in seconds.
pub fn live_frame(built: &Arc<BuiltTake>, overlay: &Arc<Overlay>, time: f64, pose: Pose) -> Frame {
    let buffers = FrameBuffers { pose, world: Vec::new() };
    posed(&built.character, buffers, time, overlay.clone(), Some(built.clone()))
}

impl Frame {
    /// Adds the view of the dynamic bones of `rig`. `animation` is the pose without simulation.
    pub fn add_dynamics(&mut self, rig: &DynamicsRig, animation: &Pose) {
        let metres_per_unit = self.built.as_ref().map_or(1.0, |built| built.metres_per_unit);
        let animated = &dynamics_view::with_animated_joints(rig, &self.pose, animation);
        let skeleton = &self.character.model.skeleton;
        let shown = dynamics_view::ShownPose { skeleton, world: &self.world, animated, metres_per_unit };
        self.dynamics = Some(dynamics_view::view(rig, &shown));
    }

    /// Shows the initial shape of a cloth, whatever the time. Other content is unchanged.
    pub fn show_rest(&mut self) {
        let Some(Content::Vertices(vertices)) = self.built.as_ref().map(|built| &built.content) else { return };
        if let Some(rest) = &vertices.rest {
            self.content = shaded(vertices, rest.frame(0).to_vec());
        }
    }
}

/// Returns a frame of the character in its rest pose.
pub fn rest_frame(character: &Asset<Loaded>) -> Frame {
    let buffers = FrameBuffers { pose: Pose::rest(&character.model.skeleton), world: Vec::new() };
    posed(character, buffers, 0.0, Arc::default(), None)
}

/// Returns a frame of the character in its rest pose with a level, for a walk that is not built.
pub fn scenery_frame(character: &Asset<Loaded>, scenery: Scenery) -> Frame {
    Frame { scenery: Some(scenery), ..rest_frame(character) }
}

/// Returns the frame of the character in the pose of the buffers, with the scenery of a walk. It has no vertices, images or
/// dynamic bones yet.
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
