//! Export of vertex and image takes; the file extension selects the format.

use std::path::{Path, PathBuf};

use super::formats::ImageLayout;
use super::report::TextureReport;
use portamento_anim::Model;
use portamento_base::progress::Progress;
use portamento_formats::export::animated_webp::animated_webp;
use portamento_formats::export::gltf::{self, Between, MorphClip, MorphedMesh};
use portamento_formats::export::image_sequence::{self, Numbered, Still};
use portamento_formats::export::images::{self, ImageFrames};
use portamento_formats::export::point_cache::{self, ClosingKey};
use portamento_formats::export::sprite_sheet;
use portamento_formats::export::vat::{self, Texels};
use portamento_formats::export::{ExportError, FileSet};
use portamento_takes::evaluate::content::{ImageContent, VertexContent};

/// The files written for a take.
pub(super) struct WrittenFootage {
    pub files: Vec<PathBuf>,
    /// Precision of a vertex animation texture, if one was written.
    pub texture: Option<TextureReport>,
    /// Number of frames of a GIF that leaves frames out.
    pub gif_frames: Option<usize>,
}

impl From<Vec<PathBuf>> for WrittenFootage {
    fn from(files: Vec<PathBuf>) -> Self {
        Self { files, texture: None, gif_frames: None }
    }
}

/// The destination of a vertex take.
#[derive(Clone, Copy)]
pub(super) struct FootageFile<'a> {
    /// The name of the animation in a glTF.
    pub name: &'a str,
    pub path: &'a Path,
}

/// Adds `vertices` to `set` as `file`: .mdd, .pc2, .glb or .gltf (morph targets), .png or .exr (vertex animation textures
/// with mesh and description). `model` is the first frame. `closing` is true if loops repeat their first frame at the end;
/// `None` for the default of the format.
///
/// Returns `Err` for another extension.
pub(super) fn vertices(
    set: &mut FileSet,
    vertices: &VertexContent,
    model: &Model,
    file: FootageFile,
    closing: Option<bool>,
    progress: &Progress,
) -> Result<WrittenFootage, ExportError> {
    let FootageFile { name, path } = file;
    let clip = vertices.to_clip();
    let key = key(closing);
    match extension(path).as_str() {
        "mdd" => written(set, path, &point_cache::mdd(&clip, key)?).map(WrittenFootage::from),
        "pc2" => written(set, path, &point_cache::pc2(&clip, key)?).map(WrittenFootage::from),
        "glb" | "gltf" => {
            // Without a loop there is no closing key.
            let closes = closing.unwrap_or(true) && vertices.looped.is_some();
            let closing = if closes { ClosingKey::With } else { ClosingKey::Without };
            let mesh = MorphedMesh { model, shading: &vertices.shading };
            let play = MorphClip { name, closing, between: Between::default() };
            gltf::save(set, path, &gltf::from_vertex_clip(&clip, mesh, play)?)?;
            Ok(vec![path.to_owned()].into())
        }
        "png" => textures(set, vertices, model, path, Texels::Png16, progress),
        "exr" => textures(set, vertices, model, path, Texels::Exr, progress),
        _ => Err(unknown(path, "choose .glb, .gltf, .mdd, .pc2, .png or .exr for a mesh")),
    }
}

/// The destination of an image take.
pub(super) struct ImageTarget<'a> {
    pub path: &'a Path,
    /// True if loops repeat their first frame at the end; `None` for the default of the format.
    pub closing: Option<bool>,
    pub layout: ImageLayout,
}

/// Adds `images` to `set`: .gif, .apng, .webp, .json (sprite sheet with description), or numbered .png, .exr or .tga files.
/// A path without extension is a folder of PNG files. Returns the files.
///
/// Returns `Err` for another extension, or if a frame cannot be read.
pub(super) fn images(
    set: &mut FileSet,
    images: &ImageContent,
    ImageTarget { path, closing, layout }: ImageTarget,
    progress: &Progress,
) -> Result<WrittenFootage, ExportError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let read = |frame: usize| images.frame(frame);
    let frames = ImageFrames { name: &stem, info: images.info(), frame: &read };
    let folder = path.parent().unwrap_or(Path::new(""));
    let numbered = |set: &mut FileSet, still, folder: &Path| {
        let numbering = Numbered { folder, stem: &stem, first: layout.first as usize };
        image_sequence::sequence(set, &frames, key(closing), still, numbering, progress)
    };
    let files = match extension(path).as_str() {
        "gif" => written(set, path, &images::gif(&frames, progress)?),
        "apng" => written(set, path, &images::apng(&frames, progress)?),
        "webp" => written(set, path, &animated_webp(&frames, progress)?),
        "json" => sheet(set, &frames, layout, path, progress),
        "png" => numbered(set, Still::Png, folder),
        "exr" => numbered(set, Still::Exr, folder),
        "tga" => numbered(set, Still::Tga, folder),
        "" => numbered(set, Still::Png, path),
        _ => Err(unknown(path, "choose .gif, .apng, .webp, .png, .exr, .tga or .json (a sheet) for images")),
    };
    let gif_frames = (extension(path) == "gif").then(|| images::gif_frame_count(&frames.info));
    Ok(WrittenFootage { gif_frames: gif_frames.filter(|&count| count < frames.info.frames), ..files?.into() })
}

/// Returns if files contain the closing key; they do only on request.
fn key(closing: Option<bool>) -> ClosingKey {
    if closing == Some(true) { ClosingKey::With } else { ClosingKey::Without }
}

/// Returns the extension of `path` in lower case; empty if it has none.
fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Returns the error for an extension that no format for this content has. `instead` completes it with the possible ones.
fn unknown(path: &Path, instead: &str) -> ExportError {
    ExportError::OtherKind { file: path.display().to_string(), instead: instead.into() }
}

/// Adds a file with `bytes` to `set` and returns its path as the only one.
fn written(set: &mut FileSet, path: &Path, bytes: &[u8]) -> Result<Vec<PathBuf>, ExportError> {
    set.write(path, bytes)?;
    Ok(vec![path.to_owned()])
}

/// Adds a sprite sheet: its JSON file at `path` and its PNG image in the same folder. Returns both paths.
fn sheet(
    set: &mut FileSet,
    frames: &ImageFrames,
    layout: ImageLayout,
    path: &Path,
    progress: &Progress,
) -> Result<Vec<PathBuf>, ExportError> {
    let image = path.with_extension("png");
    let name = image.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (bytes, json) = sprite_sheet::sheet(frames, layout.sheet, &name, progress)?;
    set.write(path, json.as_bytes())?;
    set.write(&image, &bytes)?;
    Ok(vec![path.to_owned(), image])
}

/// Adds both textures, the description, and a mesh of the first frame. Its second UV set addresses each vertex's
/// texel; the first set is a copy if the mesh has no own UVs.
fn textures(
    set: &mut FileSet,
    vertices: &VertexContent,
    model: &Model,
    path: &Path,
    texels: Texels,
    progress: &Progress,
) -> Result<WrittenFootage, ExportError> {
    let clip = vertices.to_clip();
    let textures_of_clip = vat::vat(&clip, &vertices.shading, texels, progress)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let named = |end: &str| path.with_file_name(format!("{stem}{end}"));
    let ending = extension(path);
    let mut model = MorphedMesh { model, shading: &vertices.shading }.first(&clip);
    let mut first = 0;
    for part in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        part.second_uvs = textures_of_clip.uvs[first..first + part.positions.len()].to_vec();
        first += part.positions.len();
        if part.uvs.is_empty() {
            part.uvs.clone_from(&part.second_uvs);
        }
    }
    // Material maps of the second UV set are removed, because that set now addresses texels.
    for map in model.materials.iter_mut().flat_map(|material| material.maps.all_mut()) {
        *map = map.filter(|map| !map.second_uvs);
    }
    let normals = named(&format!("_vnrm.{ending}"));
    let (remap, mesh) = (named("-remap_info.json"), named("-mesh.glb"));
    set.write(path, &textures_of_clip.offsets)?;
    set.write(&normals, &textures_of_clip.normals)?;
    set.write(&remap, textures_of_clip.remap.as_bytes())?;
    gltf::save(set, &mesh, &gltf::from_model(&model, None))?;
    let texture = TextureReport {
        texels: texels.name(),
        largest_error: textures_of_clip.measured,
        error_bound: textures_of_clip.error,
    };
    Ok(WrittenFootage { files: vec![path.to_owned(), normals, remap, mesh], texture: Some(texture), gif_frames: None })
}
