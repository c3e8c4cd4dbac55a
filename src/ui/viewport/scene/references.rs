//! Meshes that stand beside the figure, as they rest.

use std::sync::Arc;

use glam::Affine3A;

use super::{PLAIN, has_surface};
use crate::viewport::references::Reference;
use portamento_anim::Pose;
use portamento_render::{Actor, DrawnModel, Scene};
use portamento_takes::document::{Asset, Loaded};

/// The drawable parts of those that were shown last.
#[derive(Default)]
pub struct Rested {
    known: Vec<(Asset<Loaded>, Actor)>,
}

impl Rested {
    /// Adds `references` to `scene`.
    pub fn draw(&mut self, scene: &mut Scene, references: &[Reference]) {
        self.known.retain(|(file, _)| references.iter().any(|reference| reference.file == *file));
        for Reference { file, place, .. } in references {
            let rested = self.actor(file);
            let world = rested.world.iter().map(|joint| *place * *joint).collect();
            scene.actors.push(Actor { world, ..rested.clone() });
        }
    }

    fn actor(&mut self, file: &Asset<Loaded>) -> &Actor {
        let at = self.known.iter().position(|(known, _)| known == file).unwrap_or_else(|| {
            self.known.push((file.clone(), rested(file)));
            self.known.len() - 1
        });
        &self.known[at].1
    }
}

fn rested(file: &Loaded) -> Actor {
    let pose = Pose::rest(&file.model.skeleton);
    let mut world: Vec<Affine3A> = Vec::new();
    pose.world_from_joints(&file.model.skeleton, &mut world);
    let mut model = file.model.clone();
    // Files of faces alone have no normals; those that are made up would melt every edge.
    let (is_bare, is_flat) = (!has_surface(&model), file.level.is_some());
    for part in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        part.flat |= is_flat;
        if is_bare {
            part.colors = vec![PLAIN; part.positions.len()];
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
        gives_way: true,
        ghost: None,
    }
}
