//! The cloth source: a generated sheet, or a mesh of a file.

use std::sync::Arc;

use super::source::{Source, of_footage};
use crate::evaluate::content::Content;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, TakeError, memory};
use portamento_anim::media::VertexClip;
use portamento_anim::{Clip, Footage, Model};
use portamento_base::progress::Progress;
use portamento_dynamics::cloth::{self, BuildError, ClothMesh, Settings};

/// Simulates a cloth. If a mesh is chosen, it is the mesh of the first clip file in its rest pose.
pub(super) struct ClothSource<'a>(pub &'a Settings);

impl Source for ClothSource<'_> {
    fn is_slow(&self) -> bool {
        true
    }

    fn bytes(&self, inputs: &Inputs) -> u64 {
        let sheet = self.0.columns.saturating_add(1).saturating_mul(self.0.rows.saturating_add(1));
        let points = inputs.clips.files.first().map_or(sheet, memory::vertices);
        // Counted twice: the simulation and the resulting clip.
        memory::of_points(2 * (self.0.frames as u64).min(u64::MAX / 2), points)
    }

    /// Builds the simulated cloth. Without a file, it is a generated sheet. Returns `Err` if the file has no mesh
    /// instance of the chosen index. Returns `Err` too if the settings or the mesh are invalid, or if `progress` is
    /// cancelled.
    fn build(&self, inputs: &Inputs, progress: &Progress) -> Result<BuiltTake, TakeError> {
        let model = match inputs.clips.files.first() {
            Some(file) => Some(with_instances(&file.model, self.0.instance).ok_or(BuildError::NoMesh)?),
            None => None,
        };
        let rest = match &model {
            Some(model) => Some(at_rest(model, self.0.fps, progress)?),
            None => None,
        };
        let metres_per_unit = inputs.metres_per_unit;
        let mesh = rest.as_ref().map(|rest| ClothMesh {
            name: &rest.name,
            points: &rest.positions,
            faces: &rest.faces,
            metres_per_unit,
        });
        let cloth = cloth::build(self.0, mesh.as_ref(), progress)?;
        let (name, faces) = (cloth.clip.name.clone(), cloth.clip.faces.clone());
        let rest = VertexClip { name, positions: cloth.rest, faces, ..cloth.clip };
        let mut built = of_footage(inputs, Footage::Vertices(Arc::new(cloth.clip)), model.iter())?;
        if let Content::Vertices(vertices) = &mut built.content {
            (vertices.pins, vertices.rest) = (cloth.pins.into(), Some(Arc::new(rest)));
        }
        Ok(built)
    }
}

/// Returns the rest pose of `model` as a cache of one frame, named after its mesh if there is only one. Returns `Err`
/// as [`Model::to_vertex_clip`] does.
fn at_rest(model: &Model, fps: f64, progress: &Progress) -> Result<VertexClip, TakeError> {
    let name = match model.instances[..] {
        [only] => model.meshes[only.mesh].name.clone(),
        _ => model.name.clone(),
    };
    Ok(model.to_vertex_clip(&Clip { name, ..Clip::default() }, fps, progress)?)
}

/// Returns `model` with only the mesh instance of index `instance`, or with all of them for `None`. Returns `None` if
/// the instance does not exist.
fn with_instances(model: &Model, instance: Option<usize>) -> Option<Model> {
    let instances = match instance {
        Some(instance) => vec![*model.instances.get(instance)?],
        None => model.instances.clone(),
    };
    Some(Model { instances, ..model.clone() })
}
