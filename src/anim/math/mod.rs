//! Mathematics without a skeleton: transforms, boxes, weighted means, arc length, bridged gaps, path displacement,
//! easing curves, keyframes.
//!
//! Units are metres, seconds and radians; right-handed, +Y up; unit quaternions xyzw. Sums over frames are in f64.

pub mod arc_length;
pub mod bounds;
pub mod bridge;
pub mod displacement;
pub mod easing;
pub mod euler;
pub mod four;
pub mod great_arc;
pub mod key_curve;
pub mod lanes;
pub mod mean;
pub mod number;
pub mod random;
pub mod simd;
pub mod srgb;
pub mod transform;
pub mod weight_map;

pub use bounds::Bounds;
pub use transform::Transform;
pub use weight_map::WeightMap;
