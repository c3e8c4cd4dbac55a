//! What is drawn of a model.

use portamento_anim::Model;

/// The drawable part of a model, shared by all its actors; the renderer keeps its buffers as long as somebody holds it.
#[derive(Debug)]
pub struct DrawnModel(pub Model);
