//! The model data that the renderer draws.

use portamento_anim::Model;

/// The drawable part of a model, shared by all its actors. The renderer keeps its buffers as long as an `Arc` to it exists.
#[derive(Debug)]
pub struct DrawnModel(pub Model);
