//! Exports a model and its clips as binary FBX 7.4 with +Y up, for Unity, Unreal, Blender, Maya and 3ds Max.
//!
//! Every joint is a `LimbNode`, so that readers build a skeleton, and rests at scale 1.
//! Meshes are at the top of the scene, each with its skin and blend shapes. Materials keep base colour, opacity and image.
//! Each clip is an animation stack. Rotations become Euler angles in an order chosen per joint.
//! They have the keys of the clip, and more where the angles would leave the arc between two keys.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::export::ExportError;
use crate::export::markers::ClipMarkers;
use crate::export::texture_png::texture_png;
use portamento_anim::Model;

mod bind_offsets;
mod curves;
mod geometry;
mod objects;
mod record;
mod rotation_order;
mod scene;
mod stacks;
mod topmost_bone;
mod rest_scale;

pub use topmost_bone::topmost_kept_joint;

/// The length unit of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LengthUnit {
    /// The unit of Unreal, Maya and 3ds Max.
    #[default]
    Centimetres,
    /// The unit of Unity.
    Metres,
}

portamento_base::named!(LengthUnit { Centimetres: "cm", Metres: "m" });

impl LengthUnit {
    /// Returns its length in centimetres, the unit of the format.
    fn centimetres(self) -> f64 {
        match self {
            Self::Centimetres => 1.0,
            Self::Metres => 100.0,
        }
    }
}

/// Options of an FBX export.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The unit of all lengths.
    pub unit: LengthUnit,
    /// Markers of clips by clip name, written as user properties of their stacks.
    pub markers: Vec<ClipMarkers>,
    /// The joint to become the topmost bone, if the joints above it can be left out ([`topmost_kept_joint`]). `None` keeps
    /// all joints.
    pub top: Option<usize>,
    /// The stem of the image files; `None` uses that of the file.
    pub images: Option<String>,
}

/// Returns `model`, in metres, with all its clips as the FBX at `path`, and its images as PNG files in the same folder. A
/// texture with too few pixels becomes one white pixel.
///
/// Returns `Err` if the file would exceed the limit of the format (4 GiB).
pub fn encode(path: &Path, model: &Model, options: &Options) -> Result<Vec<(PathBuf, Vec<u8>)>, ExportError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let stem = options.images.clone().unwrap_or(stem);
    let folder = path.parent().unwrap_or(Path::new(""));
    let images: Vec<String> = (0..model.textures.len()).map(|index| format!("{stem}_{index}.png")).collect();
    let pictures = model.textures.iter().zip(&images);
    let mut files: Vec<(PathBuf, Vec<u8>)> =
        pictures.map(|(texture, name)| (folder.join(name), texture_png(texture))).collect();
    files.push((path.to_owned(), to_bytes(model, &images, options)?));
    Ok(files)
}

/// Returns the bytes of the FBX. `images` are the file names of the model's images.
///
/// Returns `Err` if the file would exceed the limit of the format (4 GiB). `model` is in metres.
pub fn to_bytes(model: &Model, images: &[String], options: &Options) -> Result<Vec<u8>, ExportError> {
    let model = super::gltf::scaled_model(model, 100.0 / options.unit.centimetres() as f32);
    let mut figure = rest_scale::unscaled(model);
    let top = options.top.map(|joint| topmost_kept_joint(&figure.model, joint));
    let is_left_out = top.map_or_else(Vec::new, |joint| topmost_bone::make_topmost(&mut figure.model, joint));
    let records = scene::records(&figure, &is_left_out, images, options);
    record::to_bytes(&records).ok_or(ExportError::TooLarge { bytes: u32::MAX as usize })
}

#[cfg(test)]
mod tests;
