//! The data to draw: lengths in scene units, colours linear unless stated otherwise.

use std::sync::Arc;

use glam::{Affine3A, Vec3};

use super::{DrawnModel, LevelOverlay, PlacedLevel};
use portamento_anim::math::Bounds;

/// A figure in one pose.
#[derive(Clone, Debug)]
pub struct Actor {
    /// The model. Its instances and materials are drawn.
    pub shape: Arc<DrawnModel>,
    /// World transform of every joint, in the order of the skeleton.
    pub world: Vec<Affine3A>,
    /// Morph weights of all joints, in the order of the skeleton's rest weights.
    pub morphs: Vec<f32>,
    /// Vertex positions that replace the pose if the mesh is animated without joints.
    pub cloud: Option<Cloud>,
    /// Indices of mesh instances that are not drawn.
    pub hidden: Vec<usize>,
    /// True if its joints cast contact shadows.
    pub has_shadow: bool,
    /// True if parts that hide `Scene::keep_visible` are drawn transparent, as for a level.
    pub fades_in_front: bool,
    /// Linear RGBA of a ghost, alpha being its opacity; `None` for a normal figure.
    pub ghost: Option<[f32; 4]>,
}

/// Per-vertex positions of a mesh at one time, in the vertex order of its first primitive.
#[derive(Clone, Debug)]
pub struct Cloud {
    /// One point per vertex, in the scene's unit.
    pub positions: Arc<[Vec3]>,
    /// Unit normals, as many as positions.
    pub normals: Arc<[Vec3]>,
    /// Linear RGBA that replaces the model's colours.
    pub colors: Option<Arc<[[f32; 4]]>>,
}

/// A joint drawn as a slim octahedron from `head` to `tail`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Position of the joint.
    pub head: Vec3,
    /// Position of its child, or a point a short distance away.
    pub tail: Vec3,
    /// Linear RGBA, 0…1.
    pub color: [f32; 4],
}

/// A polyline with a colour per point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Points from end to end, in the scene's unit.
    pub points: Vec<Vec3>,
    /// Linear RGBA, one per point.
    pub colors: Vec<[f32; 4]>,
    /// Width on screen in pixels.
    pub width: f32,
    /// Drawn over everything else.
    pub on_top: bool,
}

/// A round marker of constant screen size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// The centre in scene units.
    pub at: Vec3,
    /// Linear RGBA, 0…1.
    pub color: [f32; 4],
    /// Diameter in pixels.
    pub size: f32,
    /// Drawn over everything else.
    pub on_top: bool,
}

/// A cone, used for handles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// Centre of the cone's base.
    pub base: Vec3,
    /// The cone's apex.
    pub tip: Vec3,
    /// Radius of the base.
    pub radius: f32,
    /// Linear RGBA, 0…1.
    pub color: [f32; 4],
}

/// The colours of the surroundings, sRGB 0 … 1 as in the theme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette {
    /// Top of the background.
    pub sky: [f32; 3],
    /// Bottom of the background.
    pub ground: [f32; 3],
    /// Lines of the ground grid.
    pub grid: [f32; 3],
    /// The ground's X axis.
    pub axis_x: [f32; 3],
    /// The ground's Z axis.
    pub axis_z: [f32; 3],
    /// Darkness of the contact shadow, 0 … 1.
    pub shadow: f32,
}

/// Everything drawn in one frame.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Figures, then ghosts.
    pub actors: Vec<Actor>,
    /// The level, if one is shown.
    pub level: Option<PlacedLevel>,
    /// Overlays on the level, such as voxels.
    pub lands: Vec<Arc<LevelOverlay>>,
    /// The box that walls must not hide, in scene units.
    pub keep_visible: Option<Bounds>,
    /// Joints over the figures.
    pub joints: Vec<Joint>,
    /// Paths, rings, axes.
    pub lines: Vec<Line>,
    /// Frames and keys on paths.
    pub dots: Vec<Dot>,
    /// Heads of arrows on handles.
    pub solids: Vec<Solid>,
    /// Scene units per metre, for the grid and the shadow.
    pub units_per_metre: f32,
    /// Height of the ground that receives shadows.
    pub floor: f32,
    /// True if the ground grid is shown.
    pub grid: bool,
    /// Colours of the surroundings.
    pub palette: Palette,
}

impl Scene {
    /// Returns a scene with only the surroundings and one unit per metre.
    pub fn empty(palette: Palette) -> Self {
        Self {
            actors: Vec::new(),
            level: None,
            lands: Vec::new(),
            keep_visible: None,
            joints: Vec::new(),
            lines: Vec::new(),
            dots: Vec::new(),
            solids: Vec::new(),
            units_per_metre: 1.0,
            floor: 0.0,
            grid: true,
            palette,
        }
    }
}
