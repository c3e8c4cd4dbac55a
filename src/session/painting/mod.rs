//! Painting: one brush for the weights of meshes, images and joints and for rules on ground.
//!
//! [`Painting`] is what is chosen, [`Surface`] what weights lie on, [`BrushSpot`] where the brush is; strokes go from
//! [`Easel::begin`] to [`Easel::end`], and [`WeightOp`] acts on all weights at once.

mod canvas;
mod easel;
mod ground;
mod joint_weights;
mod stroke;
mod surface;
mod surface_index;
mod tool;
mod vertex_attribute;
mod weight_op;

pub use canvas::{Canvas, PaintedWeights};
pub use easel::Easel;
pub use ground::GROUND_RADIUS;
pub use joint_weights::JointDab;
pub use stroke::{Aim, BrushSpot, GroundStroke, Painter, StrokePoint};
pub use surface::Surface;
pub use tool::{BrushReach, PaintLayer, PaintTarget, Painting, StrokeKeys, Tool};
pub use vertex_attribute::VertexAttribute;
pub use weight_op::WeightOp;
