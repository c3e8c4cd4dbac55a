//! Surfaces without joints: meshes and their materials, shading, capsules around points, levels, what lies beside what and how
//! far over the surface, painted weights, and a tree for rays and brushes.
//!
//! Metres once placed, the file's unit before; right-handed, +Y up; triangles counter-clockwise seen from outside.

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
