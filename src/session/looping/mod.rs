//! Loops: seam search, cloth sources, and meshes for point caches.

mod cache_mesh;
pub mod cloth;
pub mod seams;
pub mod sheet_question;
