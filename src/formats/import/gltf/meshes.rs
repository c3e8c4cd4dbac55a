//! Reads meshes and their primitives.

use super::document::Document;
use super::primitive::Reader;
use portamento_anim::geometry::Mesh;
use portamento_base::message::{Message, message};

/// Reads every mesh. `uv_sets` gives the sets of texture coordinates of each material. Primitives that cannot be read are
/// left out with a warning. Stops early if the user cancels.
pub(super) fn load(document: &Document, uv_sets: &[[usize; 2]], warnings: &mut Vec<Message>) -> Vec<Mesh> {
    let mut meshes = Vec::with_capacity(document.meshes.len());
    for entry in &document.meshes {
        let mut primitives = Vec::new();
        for (number, primitive) in entry.primitives.iter().enumerate() {
            if document.progress.step(meshes.len(), 2 * document.meshes.len()).is_err() {
                return meshes;
            }
            let label = || format!("part {number} of {}", entry.label);
            let reader = Reader { document, uv_sets, label: &label };
            match primitive.as_ref().map_err(Clone::clone).and_then(|primitive| reader.read(primitive, warnings)) {
                Ok(primitive) => primitives.push(primitive),
                Err(fault) => warnings.push(message!(
                    "warning.import.no_part",
                    "A part of %{mesh} is left out: %{fault}.",
                    mesh = entry.label.to_string(),
                    fault
                )),
            }
        }
        meshes.push(Mesh { name: entry.name.clone(), primitives, morph_names: entry.morph_names.clone() });
    }
    meshes
}
