//! Drawing of reference meshes in their rest pose.

use std::sync::Arc;

use glam::Affine3A;

use super::{PLAIN_COLOR, has_surface};
use crate::viewport::references::Reference;
use portamento_anim::Pose;
use portamento_render::{Actor, DrawnModel, Scene};
use portamento_takes::document::{Asset, Loaded};

/// Drawable data of the reference meshes that were shown last.
#[derive(Default)]
pub struct ReferenceCache {
    known: Vec<(Asset<Loaded>, Actor)>,
}

impl ReferenceCache {
    /// Adds `references` to the scene. Forgets the drawable data of other files.
    pub fn draw(&mut self, scene: &mut Scene, references: &[Reference]) {
        self.known.retain(|(file, _)| references.iter().any(|reference| reference.file == *file));
        for Reference { file, transform, .. } in references {
            let rest_actor = self.actor(file);
            let world = rest_actor.world.iter().map(|joint| *transform * *joint).collect();
            scene.actors.push(Actor { world, ..rest_actor.clone() });
        }
    }

    /// Returns the cached actor of `file`.
    fn actor(&mut self, file: &Asset<Loaded>) -> &Actor {
        let at = self.known.iter().position(|(known, _)| known == file).unwrap_or_else(|| {
            self.known.push((file.clone(), rest_actor(file)));
            self.known.len() - 1
        });
        &self.known[at].1
    }
}

/// Returns the meshes of a file in rest pose. Levels are drawn flat, and meshes without any colour in a plain one.
fn rest_actor(file: &Loaded) -> Actor {
    let pose = Pose::rest(&file.model.skeleton);
    let mut world: Vec<Affine3A> = Vec::new();
    pose.world_from_joints(&file.model.skeleton, &mut world);
    let mut model = file.model.clone();
    // Files without normals are drawn flat; smooth normals would blur every edge.
    let (has_no_surface, is_flat) = (!has_surface(&model), file.level.is_some());
    for part in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        part.flat |= is_flat;
        if has_no_surface {
            part.colors = vec![PLAIN_COLOR; part.positions.len()];
        }
    }
    let shape = Arc::new(DrawnModel(model));
    Actor {
        shape,
        world,
        morphs: pose.morphs,
        cloud: None,
        hidden: Vec::new(),
        has_shadow: false,
        fades_in_front: true,
        ghost: None,
    }
}
