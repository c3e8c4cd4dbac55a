//! Autodesk FBX, binary and text, 6.1 to 7.7: skeleton, skinned meshes, blend shapes, surfaces, and every animation stack as a clip.
//!
//! Read through `ufbx`, which knows how each exporter bends the format: pivots, pre- and post-rotations, scale that is not
//! inherited, offsets of geometry alone, axes and units. What comes out is in metres with +Y up, whatever the file says it is in;
//! what glTF cannot express (a scale that children do not follow, geometry off its node) is folded into joints or vertices.
//!
//! Left out, and told: cameras, lights, empty nodes beside the figure, surfaces that are not polygons, point caches, and all influences of a vertex after the
//! eight strongest.

use std::collections::BTreeSet;
use std::path::Path;

use ufbx::{
    AllocatorOpts, CoordinateAxes, ErrorType, FileFormat, GeometryTransformHandling, InheritModeHandling, LoadOpts,
    MirrorAxis, ProgressCb, ProgressResult, Scene, SceneRoot, SpaceConversion, WarningType,
};

use scale_inheritance::ScaleInheritance;

use super::{Fault, ImportError, Imported, file_name};
use crate::anim::Model;
use crate::budget::OverBudget;
use crate::message::{Message, message};
use crate::progress::{Cancelled, Progress};

mod clips;
mod geometry_offset;
mod keyframe_fit;
mod layered;
mod materials;
mod meshes;
mod name;
mod node_motion;
mod nodes;
mod played;
mod properties;
mod scale_inheritance;
mod shape_weights;
mod skins;
mod stack_times;

/// How a binary FBX begins.
pub(super) const MAGIC: &[u8] = b"Kaydara FBX Binary";

/// Reads the FBX in `bytes`; `path` is where it came from and where its images are looked for.
///
/// Errors when it is damaged beyond use or of a version before 6.1; lesser damage becomes warnings.
pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Imported, ImportError> {
    within(path, bytes, &Progress::new())
}

/// [`from_bytes`] that can be stopped and takes its memory from the budget of `progress`.
pub(super) fn within(path: &Path, bytes: &[u8], progress: &Progress) -> Result<Imported, ImportError> {
    let scene = load(path, bytes, progress)?;
    let what = || file_name(path);
    let _held = progress.budget().reserve(scene.metadata.result_memory_used as u64, &what)?;
    let mut warnings = left_out(&scene);
    let surfaces = materials::load(path, &scene, progress, &mut warnings);
    let images = surfaces.images.clone();
    let model = model(path, &scene, surfaces, progress, &mut warnings)?;
    // What says metres and would be a giant was made in centimetres, as in a glTF.
    let metres_per_unit = super::unit::of_gltf(&model);
    Ok(Imported { model, images, metres_per_unit, warnings, ..Imported::default() })
}

fn load(path: &Path, bytes: &[u8], progress: &Progress) -> Result<SceneRoot, ImportError> {
    let left = progress.budget().left();
    // Both are full at the same time.
    let half = usize::try_from(left / 2).unwrap_or(usize::MAX).max(1);
    let limit = || AllocatorOpts { memory_limit: half, ..Default::default() };
    let step = |done: &ufbx::Progress| match progress.step(done.bytes_read as usize, 2 * bytes.len()) {
        Ok(()) => ProgressResult::Continue,
        Err(_) => ProgressResult::Cancel,
    };
    let options = LoadOpts {
        temp_allocator: limit(),
        result_allocator: limit(),
        file_format: FileFormat::Fbx,
        target_axes: CoordinateAxes::right_handed_y_up(),
        target_unit_meters: 1.0,
        space_conversion: SpaceConversion::ModifyGeometry,
        geometry_transform_handling: GeometryTransformHandling::Preserve,
        inherit_mode_handling: InheritModeHandling::Preserve,
        handedness_conversion_axis: MirrorAxis::X,
        generate_missing_normals: true,
        progress_cb: ProgressCb::Ref(&step),
        ..LoadOpts::default()
    };
    ufbx::load_memory(bytes, options).map_err(|error| match error.type_ {
        ErrorType::OutOfMemory | ErrorType::MemoryLimit | ErrorType::AllocationLimit => {
            ImportError::OverBudget(OverBudget {
                what: file_name(path),
                needed: left.saturating_add(1),
                left,
                limit: left,
            })
        }
        ErrorType::Cancelled => Cancelled.into(),
        _ => {
            let reason = match error.info() {
                "" => error.description.to_string(),
                info => format!("{}: {info}", &*error.description),
            };
            Fault::new("the FBX", format!("cannot be read ({reason})")).in_file(path)
        }
    })
}

fn model(
    path: &Path,
    scene: &Scene,
    surfaces: materials::Surfaces,
    progress: &Progress,
    warnings: &mut Vec<Message>,
) -> Result<Model, ImportError> {
    let stacks = played::stacks(scene, progress.budget(), warnings)?;
    let mut nodes = nodes::load(scene, ScaleInheritance::new(scene, &stacks));
    let beside = scene.nodes.iter().filter(|node| !node.is_root && nodes.of_node(node).is_none()).count();
    if beside > 0 {
        warnings.push(message!(
            "warning.import.fbx_beside",
            "%{beside} %{beside|node beside the figure is|nodes beside the figure are} left out: cameras, lights, what they look \
             at, and empty ones.",
            beside
        ));
    }
    let mut model = Model {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        skeleton: std::mem::take(&mut nodes.skeleton),
        materials: surfaces.materials,
        textures: surfaces.textures,
        ..Model::default()
    };
    meshes::load(scene, &nodes, &mut model, progress, warnings)?;
    model.clips = clips::load(&stacks, scene, &nodes, &model, progress, warnings)?;
    Ok(model)
}

/// What of the scene is not shown here at all.
fn left_out(scene: &Scene) -> Vec<Message> {
    let mut warnings = Vec::new();
    let is_minor = |kind| matches!(kind, WarningType::MissingExternalFile | WarningType::DuplicateConnection);
    let odd = scene.metadata.warnings.iter().filter(|warning| !is_minor(warning.type_));
    let odd: BTreeSet<String> = odd.map(|warning| warning.description.to_string()).collect();
    for told in odd {
        warnings.push(message!(
            "warning.import.fbx_oddity",
            "The FBX is read, but not all is sound in it: %{told}.",
            told
        ));
    }
    let surfaces = scene.nurbs_surfaces.len() + scene.nurbs_curves.len() + scene.line_curves.len();
    if surfaces > 0 {
        warnings.push(message!(
            "warning.import.fbx_surfaces",
            "%{surfaces} %{surfaces|curve or surface is left out: it is|curves or surfaces are left out: they are} not polygons.",
            surfaces
        ));
    }
    if !scene.cache_deformers.is_empty() {
        let caches = scene.cache_deformers.len();
        warnings.push(message!(
            "warning.import.fbx_caches",
            "%{caches} %{caches|point cache is|point caches are} not played. Open the cache %{caches|file itself|files themselves} \
             instead.",
            caches
        ));
    }
    // 3ds Max says of every skin that it blends both ways, and of each vertex how much: nothing, unless somebody painted it.
    if scene.skin_deformers.iter().flat_map(|skin| &skin.vertices).any(|vertex| vertex.dq_weight > 0.0) {
        warnings.push(message!(
            "warning.import.fbx_dual_quaternions",
            "The file skins by dual quaternions; it is shown with linear skinning, as engines do, and elbows may look thinner.",
        ));
    }
    warnings
}

#[cfg(test)]
mod tests;
