//! Imports Autodesk FBX, binary and text, 6.1 to 7.7: skeleton, skinned meshes, blend shapes, materials, and each stack as a clip.
//!
//! Reading uses `ufbx`, which handles the variants of the exporters: pivots, pre- and post-rotations, scale inheritance,
//! geometry offsets, axes and units. The result is in metres with +Y up, regardless of the file.
//! Scale that children do not inherit and geometry offsets have no glTF equivalent, so they are baked into joints or vertices.
//!
//! Left out with a warning: cameras, lights, empty nodes outside the figure, surfaces that are not polygons, point caches,
//! and all influences of a vertex after the eight strongest.

use std::collections::BTreeSet;
use std::path::Path;

use ufbx::{
    AllocatorOpts, CoordinateAxes, ErrorType, FileFormat, GeometryTransformHandling, InheritModeHandling, LoadOpts,
    MirrorAxis, ProgressCb, ProgressResult, Scene, SceneRoot, SpaceConversion, WarningType,
};

use scale_inheritance::ScaleInheritance;

use super::{Fault, ImportError, Imported, file_name};
use portamento_anim::Model;
use portamento_base::budget::OverBudget;
use portamento_base::message::{Message, message};
use portamento_base::progress::{Cancelled, Progress};

mod clips;
mod geometry_offset;
mod keyframe_fit;
mod layered;
mod materials;
mod meshes;
mod name;
mod node_motion;
mod nodes;
mod prepared_stack;
mod properties;
mod scale_inheritance;
mod shape_weights;
mod skins;
mod stack_times;

/// The first bytes of a binary FBX.
pub(super) const MAGIC: &[u8] = b"Kaydara FBX Binary";

/// Reads the FBX in `bytes`. `path` is its origin; images are resolved against it.
///
/// Returns `Err` if it is damaged beyond use or older than version 6.1. Lesser damage becomes a warning.
pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Imported, ImportError> {
    read_bytes(path, bytes, &Progress::new())
}

/// [`from_bytes`] with cancellation. Memory is taken from the budget of `progress`.
pub(super) fn read_bytes(path: &Path, bytes: &[u8], progress: &Progress) -> Result<Imported, ImportError> {
    let scene = load(path, bytes, progress)?;
    let what = || file_name(path);
    let _reservation = progress.budget().reserve(scene.metadata.result_memory_used as u64, &what)?;
    let mut warnings = left_out_warnings(&scene);
    let surfaces = materials::load(path, &scene, progress, &mut warnings);
    let images = surfaces.images.clone();
    let model = model(path, &scene, surfaces, progress, &mut warnings)?;
    // The model was converted from the unit that the file declares.
    let mut guesses = Vec::new();
    super::unit::check_declared(&model, &mut guesses);
    Ok(Imported { model, images, metres_per_unit: 1.0, warnings, guesses, ..Imported::default() })
}

/// Parses the file with `ufbx`. The scene is in metres with +Y up. Returns `Err` if the file is damaged, exceeds the
/// budget, or the user cancels.
fn load(path: &Path, bytes: &[u8], progress: &Progress) -> Result<SceneRoot, ImportError> {
    let left = progress.budget().left();
    // Both allocators may reach their limits at the same time.
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

/// Converts the scene to a model. Nodes left out give a warning.
fn model(
    path: &Path,
    scene: &Scene,
    surfaces: materials::Surfaces,
    progress: &Progress,
    warnings: &mut Vec<Message>,
) -> Result<Model, ImportError> {
    let stacks = prepared_stack::stacks(scene, progress.budget(), warnings)?;
    let mut nodes = nodes::load(scene, ScaleInheritance::new(scene, &stacks));
    let skipped = scene.nodes.iter().filter(|node| !node.is_root && nodes.of_node(node).is_none()).count();
    if skipped > 0 {
        warnings.push(message!(
            "warning.import.fbx_beside",
            "%{beside} %{beside|node outside the figure is|nodes outside the figure are} left out: cameras, lights, their \
             targets and empty nodes.",
            beside = skipped
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

/// Returns warnings about content of the scene that is not shown.
fn left_out_warnings(scene: &Scene) -> Vec<Message> {
    let mut warnings = Vec::new();
    let is_minor = |kind| matches!(kind, WarningType::MissingExternalFile | WarningType::DuplicateConnection);
    let oddities = scene.metadata.warnings.iter().filter(|warning| !is_minor(warning.type_));
    let oddities: BTreeSet<String> = oddities.map(|warning| warning.description.to_string()).collect();
    for oddity in oddities {
        warnings.push(message!(
            "warning.import.fbx_oddity",
            "The FBX was read, but it has a fault: %{told}.",
            told = oddity
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
    // 3ds Max marks every skin as blending both methods, so check whether any vertex has a dual-quaternion weight.
    if scene.skin_deformers.iter().flat_map(|skin| &skin.vertices).any(|vertex| vertex.dq_weight > 0.0) {
        warnings.push(message!(
            "warning.import.fbx_dual_quaternions",
            "The file skins by dual quaternions; it is shown with linear skinning, as in engines, so bent elbows may look thinner.",
        ));
    }
    warnings
}

#[cfg(test)]
mod tests;
