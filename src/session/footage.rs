//! Writing takes of vertices and images: the extension decides.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::anim::{Clip, JointTracks, Model, Skeleton, VertexClip, footage};
use crate::evaluate::content::{Images, Vertices};
use crate::export::images::{self, Frames, Still};
use crate::export::point_cache::{self, ClosingKey};
use crate::export::vat::{self, Texels};
use crate::export::{ExportError, gltf, whole_file};
use crate::progress::Progress;

/// Writes `vertices` to `path`: .mdd, .pc2, .glb or .gltf (morph targets), .png or .exr (textures for shaders, with a mesh and
/// a description beside them). The animation in a glTF is called `name`. Gives the files.
pub(super) fn vertices(
    vertices: &Vertices,
    name: &str,
    path: &Path,
    closing: Option<bool>,
    progress: &Progress,
) -> Result<Vec<PathBuf>, ExportError> {
    let clip = vertices.to_clip();
    let key = key(closing);
    match extension(path).as_str() {
        "mdd" => written(path, &point_cache::mdd(&clip, key)?),
        "pc2" => written(path, &point_cache::pc2(&clip, key)?),
        "glb" | "gltf" => {
            // What never repeats has nothing to close with.
            let closes = closing.unwrap_or(true) && vertices.looped.is_some();
            gltf::save(path, &gltf::from_model(&morphing(&clip, name, closes), None))?;
            Ok(vec![path.to_owned()])
        }
        "png" => textures(&clip, path, Texels::Png16, progress),
        "exr" => textures(&clip, path, Texels::Exr, progress),
        _ => Err(unknown(path, "choose .glb, .gltf, .mdd, .pc2, .png or .exr for a mesh")),
    }
}

/// Writes `images` to `path`: .gif, .apng, .json (a sheet with its description), or numbered files: .png, .exr, or no extension
/// for PNG in that folder. Gives the files.
pub(super) fn images(
    images: &Images,
    path: &Path,
    closing: Option<bool>,
    progress: &Progress,
) -> Result<Vec<PathBuf>, ExportError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let read = |frame: usize| images.frame(frame);
    let frames = Frames { name: &stem, info: images.info(), frame: &read };
    let folder = path.parent().unwrap_or(Path::new(""));
    let numbered = |still, folder: &Path| images::sequence(&frames, key(closing), still, folder, &stem, progress);
    match extension(path).as_str() {
        "gif" => written(path, &images::gif(&frames, progress)?),
        "apng" => written(path, &images::apng(&frames, progress)?),
        "json" => sheet(&frames, path, progress),
        "png" => numbered(Still::Png, folder),
        "exr" => numbered(Still::Exr, folder),
        "" => {
            std::fs::create_dir_all(path)
                .map_err(|reason| ExportError::Unwritable { file: path.display().to_string(), reason })?;
            numbered(Still::Png, path)
        }
        _ => Err(unknown(path, "choose .gif, .apng, .png, .exr or .json (a sheet) for images")),
    }
}

fn key(closing: Option<bool>) -> ClosingKey {
    if closing == Some(true) { ClosingKey::With } else { ClosingKey::Without }
}

fn extension(path: &Path) -> String {
    path.extension().map(|it| it.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn unknown(path: &Path, instead: &str) -> ExportError {
    ExportError::OtherKind { file: path.display().to_string(), instead: instead.into() }
}

fn written(path: &Path, bytes: &[u8]) -> Result<Vec<PathBuf>, ExportError> {
    whole_file::write(path, bytes)?;
    Ok(vec![path.to_owned()])
}

/// The sheet nearest to a square.
fn sheet(frames: &Frames, path: &Path, progress: &Progress) -> Result<Vec<PathBuf>, ExportError> {
    let (width, height) = (frames.info.width.max(1) as f64, frames.info.height as f64);
    let columns = (frames.info.frames as f64 * height / width).sqrt().ceil() as usize;
    let image = path.with_extension("png");
    let name = image.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (bytes, json) = images::sheet(frames, columns, &name, progress)?;
    whole_file::write(path, json.as_bytes())?;
    whole_file::write(&image, &bytes)?;
    Ok(vec![path.to_owned(), image])
}

/// Both textures, the description, and the first frame with the texture coordinates that find each vertex.
fn textures(clip: &VertexClip, path: &Path, texels: Texels, progress: &Progress) -> Result<Vec<PathBuf>, ExportError> {
    let made = vat::vat(clip, texels, progress)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let beside = |end: &str| path.with_file_name(format!("{stem}{end}"));
    let ending = extension(path);
    let mut model = footage::mesh_model(clip);
    model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives).for_each(|part| part.uvs.clone_from(&made.uvs));
    let normals = beside(&format!("_vnrm.{ending}"));
    let (remap, mesh) = (beside("-remap_info.json"), beside("-mesh.glb"));
    whole_file::write(path, &made.offsets)?;
    whole_file::write(&normals, &made.normals)?;
    whole_file::write(&remap, made.remap.as_bytes())?;
    gltf::save(&mesh, &gltf::from_model(&model, None))?;
    Ok(vec![path.to_owned(), normals, remap, mesh])
}

/// The first frame with every later one as a morph target, and the clip `name` that plays them.
fn morphing(clip: &Arc<VertexClip>, name: &str, closing: bool) -> Model {
    let mut model = footage::mesh_model(clip);
    let targets = clip.morph_targets();
    let Skeleton { joints, rest_morphs } = &mut model.skeleton;
    joints.iter_mut().for_each(|joint| joint.morph_count = targets.len());
    *rest_morphs = vec![0.0; targets.len()];
    model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives).for_each(|part| part.morphs.clone_from(&targets));
    let weights = clip.morph_weights(closing);
    let duration = weights.times.last().map_or(0.0, |&time| f64::from(time));
    let tracks = vec![JointTracks { morphs: Some(weights), ..JointTracks::default() }];
    model.clips = vec![Clip { name: name.into(), duration, tracks }];
    model
}
