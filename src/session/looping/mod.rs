//! Loops: seam search, cloth sources, and meshes for point caches.

mod cache_mesh;
pub(crate) mod cycle;
pub mod cloth;
pub mod seams;
pub mod sheet_question;
