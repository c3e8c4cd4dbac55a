//! Geometry without a skeleton: meshes and materials, shading, capsules, levels, adjacency and geodesic distance,
//! painted weights, and a triangle tree for rays and brushes.
//!
//! Units are metres once placed, before that the file's unit. Coordinates are right-handed with +Y up; triangles are
//! counter-clockwise as seen from outside.

pub mod adjacency;
pub mod capsule_fit;
pub mod geodesic;
pub mod joint_sets;
pub mod level;
pub mod material;
pub mod mesh;
pub mod shading;
pub mod triangle_bvh;
pub mod weight_paint;

pub use adjacency::Adjacency;
pub use capsule_fit::Capsule;
pub use joint_sets::JointSets;
pub use level::{Level, Triangle, UpAxis};
pub use material::{AlphaMode, Filter, Material, MaterialMaps, Sampler, Texture, TextureMap, Wrap};
pub use mesh::{Mesh, MeshInstance, MorphTarget, Primitive, Skin};
pub use shading::Shading;
pub use triangle_bvh::TriangleBvh;
