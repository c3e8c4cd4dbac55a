//! Reads files that move without joints: vertex caches with their mesh, OBJ sequences, images and sprite sheets.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::obj_sequence::{ObjFrame, ObjSequence};
use super::point_cache::CachedClip;
use super::sequence::NumberPosition;
use super::{ImportError, Imported, file, gltf, images, obj, obj_sequence, point_cache, sequence, sprite_sheet, unit};
use portamento_anim::footage::{mesh_model, model_with_materials};
use portamento_anim::media::VertexClip;
use portamento_anim::media::image_clip::CACHE_BYTES;
use portamento_anim::{Footage, Model};
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;

/// The extensions read here.
pub(super) const EXTENSIONS: [&str; 12] =
    ["mdd", "pc2", "obj", "png", "apng", "jpg", "jpeg", "webp", "exr", "tga", "gif", "json"];

/// Frames per second of files that store no time, until the user sets another rate.
pub const RATE: f64 = 30.0;

/// Opens `path`, a file or a folder of numbered files. Returns `None` if its extension is not one of [`EXTENSIONS`]. A
/// folder is always read. Returns `Err` if a file is damaged, frames are missing, or the user cancels.
pub fn read(path: &Path, progress: &Progress) -> Result<Option<Imported>, ImportError> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    let mut level = None;
    let read = match extension.as_str() {
        _ if path.is_dir() => folder(path, progress)?,
        "mdd" | "pc2" => cache(path, &extension, progress)?,
        "obj" => match is_sequence(path).then(|| obj_sequence::read(path, RATE, progress)) {
            Some(Ok(read)) => read.into(),
            Some(Err(error)) if !matches!(error, ImportError::Sequence { .. }) => return Err(error),
            // Unrelated levels may have numbered names too.
            sequence_error => {
                level = Some(Arc::new(obj::read_bytes(path, &file::read_within_budget(path, progress)?, progress)?));
                let opened_alone = |error: ImportError| {
                    message!(
                        "warning.import.opened_alone",
                        "%{error} %{file} is opened on its own.",
                        error = error.message(),
                        file = super::file_name(path)
                    )
                };
                let warnings = sequence_error.and_then(Result::err).map(opened_alone).into_iter().collect();
                Read { warnings, ..mesh(path, progress)?.into() }
            }
        },
        known if EXTENSIONS.contains(&known) => sheet_or_images(path, progress)?,
        _ => return Ok(None),
    };
    let Read { footage, textured_model, warnings, mut guesses } = read;
    let model = match (&footage, textured_model) {
        (Footage::Vertices(clip), Some(textured_model)) => model_with_materials(clip, &textured_model),
        _ => footage.model().map_err(|error| super::Fault::new("the first frame", error.reason).in_file(path))?,
    };
    let is_figure = matches!(footage, Footage::Vertices(_)) && level.is_none();
    let metres_per_unit = if is_figure { unit::of_figure(&model, &mut guesses) } else { 1.0 };
    let footage = Some(footage);
    Ok(Some(Imported { model, footage, level, metres_per_unit, warnings, guesses, ..Imported::default() }))
}

/// The footage of a file, before its model is built.
struct Read {
    footage: Footage,
    /// A model with the same vertices and faces that supplies the materials and texture coordinates.
    textured_model: Option<Model>,
    warnings: Vec<Message>,
    guesses: Vec<Message>,
}

impl From<Footage> for Read {
    fn from(footage: Footage) -> Self {
        Self { footage, textured_model: None, warnings: Vec::new(), guesses: Vec::new() }
    }
}

impl From<ObjSequence> for Read {
    fn from(ObjSequence { clip, uvs }: ObjSequence) -> Self {
        let mut textured_model = mesh_model(&clip);
        textured_model.meshes[0].primitives[0].uvs = uvs;
        Self { textured_model: Some(textured_model), ..Footage::Vertices(Arc::new(clip)).into() }
    }
}

/// Reads the sprite sheet of a JSON description, either `path` or the file of the same name next to the image `path`.
/// Without a description, reads the animation, the numbered images or the single image that `path` belongs to.
fn sheet_or_images(path: &Path, progress: &Progress) -> Result<Read, ImportError> {
    let read = match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("json") => sprite_sheet::read(path, RATE, CACHE_BYTES)?,
        _ => match sprite_sheet::find_description(path) {
            Some(description) => sprite_sheet::read(&description, RATE, CACHE_BYTES)?,
            None => images::read(path, RATE, CACHE_BYTES, progress)?,
        },
    };
    Ok(Read { warnings: read.warnings, guesses: read.guesses, ..Footage::Images(read.clip).into() })
}

/// Reads the OBJ sequence in a folder, or its images if it has none.
fn folder(path: &Path, progress: &Progress) -> Result<Read, ImportError> {
    if sequence::find(path, &["obj"], NumberPosition::End).is_ok() {
        return Ok(obj_sequence::read(path, RATE, progress)?.into());
    }
    sheet_or_images(path, progress)
}

/// True if `path` belongs to an OBJ sequence of more than one file. False if a number is missing.
fn is_sequence(path: &Path) -> bool {
    sequence::find(path, &["obj"], NumberPosition::End).is_ok_and(|sequence| sequence.files.len() > 1)
}

/// Reads the mesh of an OBJ without a number as a clip of one frame. Returns `Err` if it has no vertices.
fn mesh(path: &Path, progress: &Progress) -> Result<ObjSequence, ImportError> {
    let ObjFrame { positions, faces, uvs } =
        obj_sequence::from_bytes(path, &file::read_within_budget(path, progress)?)?;
    if positions.is_empty() {
        return Err(super::Fault::new("the mesh", "has no vertices").in_file(path));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let clip = VertexClip::new(name, RATE, positions.len(), positions, faces)
        .map_err(|error| super::Fault::new("the mesh", format!("is not usable ({error})")).in_file(path))?;
    Ok(ObjSequence { clip, uvs })
}

/// Reads a vertex cache. Faces and materials come from the mesh with the same name in the same folder, if there is one. A
/// mesh with another number of vertices is ignored with a warning.
fn cache(path: &Path, extension: &str, progress: &Progress) -> Result<Read, ImportError> {
    let bytes = file::read_within_budget(path, progress)?;
    progress.budget().take(bytes.len() as u64, &|| super::file_name(path))?;
    let CachedClip { clip, is_resampled, has_guessed_rate } = match extension {
        "mdd" => point_cache::from_mdd(path, &bytes)?,
        _ => {
            CachedClip { clip: point_cache::from_pc2(path, &bytes, RATE)?, is_resampled: false, has_guessed_rate: true }
        }
    };
    let mut warnings = Vec::new();
    if is_resampled {
        progress.budget().take(size_of_val(&clip.positions[..]) as u64, &|| super::file_name(path))?;
        warnings.push(message!(
            "warning.import.cache_resampled",
            "The frames are unevenly spaced in time; they are resampled at their times to %{rate} frames per second.",
            rate = plain_number(clip.fps)
        ).harmless());
    }
    let mut guesses = Vec::new();
    if has_guessed_rate {
        guesses.push(guessed_rate(clip.fps));
    }
    let plain = |clip, warnings, guesses| Ok(Read { warnings, guesses, ..Footage::Vertices(Arc::new(clip)).into() });
    let Some(mesh_path) = find_mesh(path) else { return plain(clip, warnings, guesses) };
    let textured_model = read_model(&mesh_path, progress)?;
    let (points, faces) = textured_model.faces();
    if points != clip.vertices {
        let (mesh, cached) = (super::file_name(&mesh_path), clip.vertices);
        warnings.push(message!(
            "warning.import.not_its_mesh",
            "%{mesh} has %{points} vertices but the cache has %{cached}, so the cache is shown without faces.",
            mesh,
            points,
            cached
        ));
        return plain(clip, warnings, guesses);
    }
    let clip = clip.with_faces(faces);
    let clip =
        clip.map_err(|error| super::Fault::new("the mesh", format!("does not fit ({error})")).in_file(&mesh_path))?;
    Ok(Read { textured_model: Some(textured_model), warnings, guesses, ..Footage::Vertices(Arc::new(clip)).into() })
}

/// Returns the message of a file without a frame rate that is played at `rate` frames per second.
pub(super) fn guessed_rate(rate: f64) -> Message {
    message!(
        "warning.import.cache_rate",
        "The file does not say how fast it plays; it plays at %{rate} frames per second.",
        rate = plain_number(rate)
    )
    .harmless()
}

/// Returns `number` with up to three decimals, without trailing zeros.
fn plain_number(number: f64) -> String {
    format!("{number:.3}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the mesh file with the same name in the same folder, first OBJ, then GLB, then glTF; `None` if there is none.
fn find_mesh(path: &Path) -> Option<PathBuf> {
    ["obj", "glb", "gltf"].map(|extension| path.with_extension(extension)).into_iter().find(|path| path.is_file())
}

/// Reads the model in `path`: an OBJ if the extension is exactly `obj`, otherwise a glTF. Returns `Err` if it cannot
/// be read or `progress` is cancelled.
fn read_model(path: &Path, progress: &Progress) -> Result<Model, ImportError> {
    if path.extension().is_some_and(|extension| extension == "obj") {
        let read = Read::from(mesh(path, progress)?);
        return Ok(read.textured_model.unwrap_or_default());
    }
    Ok(gltf::read_bytes(path, file::read_within_budget(path, progress)?, progress)?.model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::import;

    fn frames(path: &Path) -> VertexClip {
        match import(path).unwrap().footage {
            Some(Footage::Vertices(clip)) => VertexClip::clone(&clip),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_cache_finds_the_mesh_of_its_name_and_refuses_another() {
        let wave = portamento_test_support::wave();
        let sequence = frames(wave.path());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wave.mdd");
        let cache = crate::export::point_cache::mdd(&sequence, crate::export::point_cache::ClosingKey::Without);
        std::fs::write(&path, cache.unwrap()).unwrap();
        assert!(frames(&path).faces.is_empty());
        std::fs::copy(wave.path().join("wave0.obj"), path.with_extension("obj")).unwrap();
        let with_mesh = frames(&path);
        assert_eq!((&with_mesh.faces, with_mesh.faces.len()), (&sequence.faces, 60));
        std::fs::write(path.with_extension("obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        let imported = import(&path).unwrap();
        assert!(
            imported.warnings.iter().any(|warning| warning.to_string().contains("has 3 vertices")),
            "{:?}",
            imported.warnings
        );
    }

    #[test]
    fn unrelated_numbered_files_open_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("level1.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        std::fs::write(path("level2.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3 4\n").unwrap();
        for (name, triangles) in [("level1.obj", 1), ("level2.obj", 2)] {
            let imported = import(&path(name)).unwrap();
            assert_eq!(imported.level.unwrap().triangles.len(), triangles);
            assert!(
                imported.warnings[0].to_string().contains("frame 1 (level2.obj) has 4 vertices"),
                "{:?}",
                imported.warnings
            );
            assert!(imported.warnings[0].to_string().ends_with(&format!("{name} is opened on its own.")));
        }
    }

    #[test]
    fn a_folder_a_numbered_file_and_a_single_mesh_are_distinguished() {
        let wave = portamento_test_support::wave();
        let folder = frames(wave.path());
        assert_eq!(folder, frames(&wave.path().join("wave3.obj")));
        assert_eq!(folder.frames(), 11);
        let lone = tempfile::tempdir().unwrap();
        let path = lone.path().join("leaf.obj");
        std::fs::write(&path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        assert_eq!((frames(&path).frames(), frames(&path).faces), (1, vec![0, 1, 2]));
        let pictures = tempfile::tempdir().unwrap();
        for number in 1..=8_u8 {
            let picture = image::RgbaImage::from_pixel(4, 3, image::Rgba([number; 4]));
            picture.save(pictures.path().join(format!("robot{number}.png"))).unwrap();
        }
        let robot = import(pictures.path()).unwrap();
        assert_eq!(robot.footage.unwrap().frames(), 8);
        assert_eq!(robot.model.textures.len(), 1);
    }

    #[test]
    fn only_a_cache_that_does_not_say_how_fast_it_plays_is_warned_of() {
        let folder = tempfile::tempdir().unwrap();
        let head = [2_i32, 1].iter().flat_map(|count| count.to_be_bytes());
        let numbers = [0.0_f32, 0.5].into_iter().chain((0..6).map(|number| number as f32));
        let mdd: Vec<u8> = head.chain(numbers.flat_map(f32::to_be_bytes)).collect();
        let mut pc2 = crate::import::point_cache::PC2_MAGIC.to_vec();
        pc2.extend([1_i32, 1].iter().flat_map(|count| count.to_le_bytes()));
        pc2.extend([0.0_f32, 1.0].iter().flat_map(|number| number.to_le_bytes()));
        pc2.extend(2_i32.to_le_bytes().into_iter().chain((0..6).flat_map(|number| (number as f32).to_le_bytes())));
        for (name, bytes, is_warned) in [("a.mdd", mdd, false), ("a.pc2", pc2, true)] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let guesses = import(&path).unwrap().guesses;
            assert_eq!(guesses.iter().any(|guess| guess.to_string().contains("how fast")), is_warned, "{guesses:?}");
        }
    }
}
