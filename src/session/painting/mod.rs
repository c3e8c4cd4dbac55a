//! Painting with one brush: weights of meshes, images and joints, and area rules on the ground.
//!
//! [`Painting`] holds the tool settings, [`Surface`] is what is painted, [`BrushSpot`] is the brush position. A
//! stroke runs from [`PaintContext::begin`] to [`PaintContext::end`]; [`WeightOp`] changes all weights at once.

mod paint_view;
mod paint_context;
mod ground;
mod joint_weights;
mod stroke;
mod surface;
mod surface_index;
mod tool;
mod vertex_attribute;
mod weight_op;

pub use ground::GROUND_RADIUS;
pub use joint_weights::JointDab;
pub use paint_context::PaintContext;
pub use paint_view::{Canvas, PaintedWeights};
pub use stroke::{Aim, BrushSpot, GroundStroke, Painter, StrokePoint};
pub use surface::Surface;
pub use tool::{BrushReach, PaintLayer, PaintTarget, Painting, StrokeKeys, Tool};
pub use vertex_attribute::VertexAttribute;
pub use weight_op::WeightOp;
