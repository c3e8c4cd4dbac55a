//! What is to be drawn: plain data in the scene's unit, colours linear unless said otherwise.

use std::sync::Arc;

use glam::{Affine3A, Vec3};

use super::{DrawnModel, Land, PlacedLevel};
use portamento_anim::math::Bounds;

/// One figure in one pose.
#[derive(Clone, Debug)]
pub struct Actor {
    /// What it is.
    pub shape: Arc<DrawnModel>,
    /// World place of every joint.
    pub world: Vec<Affine3A>,
    /// Morph weights of every joint.
    pub morphs: Vec<f32>,
    /// Where the vertices of the only mesh are instead, if they move without joints.
    pub cloud: Option<Cloud>,
    /// Placed meshes that are not drawn, by their place in the model's list.
    pub hidden: Vec<usize>,
    /// Whether a shadow lies under its joints.
    pub has_shadow: bool,
    /// Whether it gives way where it hides what is to be seen, as a level does.
    pub gives_way: bool,
    /// A ghost: one colour and how much of it covers what lies behind; `None` for the figure itself.
    pub ghost: Option<[f32; 4]>,
}

/// A mesh at one moment, vertex by vertex; as many as its first primitive has.
#[derive(Clone, Debug)]
pub struct Cloud {
    /// One point per vertex, in the scene's unit.
    pub positions: Arc<[Vec3]>,
    /// Unit normals, as many as positions.
    pub normals: Arc<[Vec3]>,
    /// Linear RGBA in place of the model's own colours.
    pub colors: Option<Arc<[[f32; 4]]>>,
}

/// A joint to be drawn over the figure: a slim octahedron from `head` to `tail`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Where it turns.
    pub head: Vec3,
    /// Where its child turns, or a short way on.
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

/// A round mark of constant size on screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// The middle of the mark, in the scene's unit.
    pub at: Vec3,
    /// Linear RGBA, 0…1.
    pub color: [f32; 4],
    /// Diameter on screen in pixels.
    pub size: f32,
    /// Drawn over everything else.
    pub on_top: bool,
}

/// A small solid of handles: a cone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// Middle of the cone's base.
    pub base: Vec3,
    /// The cone's apex.
    pub tip: Vec3,
    /// Radius of the base.
    pub radius: f32,
    /// Linear RGBA, 0…1.
    pub color: [f32; 4],
}

/// The colours of the surroundings, sRGB 0…1 as the theme has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette {
    /// Upper edge of the background.
    pub sky: [f32; 3],
    /// Lower edge of the background.
    pub ground: [f32; 3],
    /// Lines of the ground grid.
    pub grid: [f32; 3],
    /// The ground's X axis.
    pub axis_x: [f32; 3],
    /// The ground's Z axis.
    pub axis_z: [f32; 3],
    /// How dark the contact shadow is, 0…1.
    pub shadow: f32,
}

/// Everything that is drawn in one frame.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Figures and ghosts; ghosts last.
    pub actors: Vec<Actor>,
    /// What they walk among.
    pub level: Option<PlacedLevel>,
    /// What lies over it.
    pub lands: Vec<Arc<Land>>,
    /// The box around what walls must not hide, in the scene's unit.
    pub in_sight: Option<Bounds>,
    /// Joints over the figures.
    pub joints: Vec<Joint>,
    /// Paths, rings, axes.
    pub lines: Vec<Line>,
    /// Frames and keys on paths.
    pub dots: Vec<Dot>,
    /// Heads of arrows on handles.
    pub solids: Vec<Solid>,
    /// Scene units per metre: grid and shadow are in metres.
    pub units_per_metre: f32,
    /// Height of the ground that shadows fall on.
    pub floor: f32,
    /// Whether the ground grid is shown.
    pub grid: bool,
    /// Colours of the surroundings.
    pub palette: Palette,
}

impl Scene {
    /// Nothing but the surroundings, a unit a metre.
    pub fn empty(palette: Palette) -> Self {
        Self {
            actors: Vec::new(),
            level: None,
            lands: Vec::new(),
            in_sight: None,
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
