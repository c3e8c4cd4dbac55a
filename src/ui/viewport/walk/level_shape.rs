//! The faces of a level with their materials.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::theme;
use crate::viewport::look::linear;
use portamento_anim::RestPart;
use portamento_anim::geometry::Material;
use portamento_render::{DrawnModel, LevelPart, LevelShape};
use portamento_takes::evaluate::Scenery;

/// Returns the drawable faces of `scenery`, in metres.
pub fn level_shape(scenery: &Scenery) -> LevelShape {
    match &scenery.file.level {
        // OBJ-like files of faces have no materials; faces are coloured by area.
        Some(_) => LevelShape::new(by_area(scenery), None),
        None => {
            let parts = scenery.file.model.rest_parts();
            let parts = parts.iter().map(|part| surfaced(scenery, part)).collect();
            LevelShape::new(parts, Some(Arc::new(DrawnModel(scenery.file.model.clone()))))
        }
    }
}

/// Returns a primitive's triangles in level space, in metres. A mirrored part gets its triangles turned round.
fn surfaced(scenery: &Scenery, rest: &RestPart) -> LevelPart {
    let materials = &scenery.file.model.materials;
    let material = rest.part.material.and_then(|material| materials.get(material)).cloned();
    let metres =
        |vertex: usize| (scenery.up.turned(rest.positions[vertex]).as_dvec3() * scenery.metres_per_unit).as_vec3();
    let faces = rest.part.indices.as_chunks::<3>().0.iter();
    let order = faces.flat_map(|&[a, b, c]| if rest.mirrored { [a, c, b] } else { [a, b, c] });
    let order: Vec<usize> = order.map(|index| index as usize).collect();
    let texcoords = |vertex: usize| {
        let [first, second] = [&rest.part.uvs, &rest.part.second_uvs].map(|set| set.get(vertex).copied());
        let (first, second) = (first.unwrap_or_default(), second.unwrap_or_default());
        [first.x, first.y, second.x, second.y]
    };
    let color = |vertex: usize| rest.part.colors.get(vertex).copied().unwrap_or([1.0; 4]);
    let normals = order.iter().filter(|_| !rest.part.flat);
    LevelPart {
        material: material.unwrap_or_else(|| ground(None)),
        corners: order.iter().map(|&vertex| metres(vertex)).collect(),
        normals: normals.map(|&vertex| scenery.up.turned(rest.normals[vertex])).collect(),
        uvs: order.iter().map(|&vertex| texcoords(vertex)).collect(),
        colors: order.iter().map(|&vertex| color(vertex)).collect(),
    }
}

/// Returns one part per area, each with a different tone, in metres.
fn by_area(scenery: &Scenery) -> Vec<LevelPart> {
    let level = scenery.file.to_level().placed(scenery.metres_per_unit, scenery.up);
    let mut parts: BTreeMap<Option<u32>, LevelPart> = BTreeMap::new();
    for triangle in &level.triangles {
        let Some(corners) = level.corners(triangle) else { continue };
        let new = || LevelPart { material: ground(triangle.area), ..LevelPart::default() };
        parts.entry(triangle.area).or_insert_with(new).corners.extend(corners);
    }
    parts.into_values().collect()
}

/// Returns a plain material, tinted by area so that borders between areas are visible.
fn ground(area: Option<u32>) -> Material {
    let color = match area {
        Some(area) => theme::mix(theme::GROUND, theme::category(area as usize), 0.22),
        None => theme::GROUND,
    };
    // The shader dims levels; dividing by the same factor keeps this tone.
    let bright = linear(color).map(|channel| (channel / 0.75).min(1.0));
    Material { base_color: bright, ..Material::default() }
}
