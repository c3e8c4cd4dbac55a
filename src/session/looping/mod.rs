//! What loops: seams to choose from, cloth as a source, meshes for caches that have only points.

mod cache_mesh;
pub mod cloth;
pub mod seams;
