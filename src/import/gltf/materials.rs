//! Surfaces: base colour, its image, alpha.

use std::borrow::Cow;
use std::io::Cursor;
use std::path::Path;

use gltf::json::validation::Checked;
use gltf::json::{self, Value};
use rayon::prelude::*;

use super::Fault;
use super::document::{Document, label, list, name, part};
use crate::anim::uri::{Target, resolve};
use crate::geometry::{AlphaMode, Material, Texture};
use crate::message::{Message, message};

/// Memory all decoded images together may take; larger ones are left out.
const PIXEL_BYTES: u64 = 384 << 20;

/// Most bytes of an image file that are read; what is longer is damaged for its decoder.
const IMAGE_FILE_BYTES: u64 = 256 << 20;

/// What the file's surfaces are.
pub(super) struct Surfaces {
    pub materials: Vec<Material>,
    /// For each material, which set of texture coordinates it uses.
    pub uv_sets: Vec<usize>,
    pub textures: Vec<Texture>,
}

/// Reads all materials and decodes the images they show, several at a time.
pub(super) fn load(document: &Document, path: &Path, warnings: &mut Vec<Message>) -> Surfaces {
    let entries = list(document.json, "materials");
    let mut images: Vec<usize> = Vec::new();
    let mut materials = Vec::new();
    let mut uv_sets = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let (material, uv_set) = material(document, entry, index, warnings);
        if let Some(image) = material.texture.filter(|image| !images.contains(image)) {
            images.push(image);
        }
        materials.push(material);
        uv_sets.push(uv_set);
    }
    let (textures, texture_of) = textures(document, path, &images, warnings);
    for material in &mut materials {
        let place = material.texture.and_then(|image| images.iter().position(|&known| known == image));
        material.texture = place.and_then(|place| texture_of[place]);
    }
    Surfaces { materials, uv_sets, textures }
}

/// The material, its `texture` still an image of the file, and its set of texture coordinates.
fn material(document: &Document, entry: &Value, index: usize, warnings: &mut Vec<Message>) -> (Material, usize) {
    let label = || label("material", entry, index);
    let read = part::<json::Material>(entry, label).unwrap_or_else(|fault| {
        warnings.push(message!("warning.import.white", "White is shown instead: %{fault}.", fault));
        json::Material::default()
    });
    let metallic = &read.pbr_metallic_roughness;
    let glossy = read.extensions.as_ref().and_then(|extensions| extensions.pbr_specular_glossiness.as_ref());
    let (color, texture) = match glossy.filter(|_| entry.get("pbrMetallicRoughness").is_none()) {
        Some(glossy) => (glossy.diffuse_factor.0, &glossy.diffuse_texture),
        None => (metallic.base_color_factor.0, &metallic.base_color_texture),
    };
    let finite = color.iter().all(|channel| channel.is_finite());
    if !finite {
        warnings.push(message!(
            "warning.import.broken_colour",
            "White is shown instead: %{material} has a colour that is not finite.",
            material = label()
        ));
    }
    let image = texture.as_ref().and_then(|texture| {
        let image = image_of(document, texture.index.value());
        let left_out = |fault: Fault| message!("warning.import.no_image", "An image is left out: %{fault}.", fault);
        image.map_err(|fault| warnings.push(left_out(fault))).ok().flatten()
    });
    let alpha = match read.alpha_mode {
        Checked::Valid(json::material::AlphaMode::Mask) => AlphaMode::Mask(read.alpha_cutoff.unwrap_or_default().0),
        Checked::Valid(json::material::AlphaMode::Blend) => AlphaMode::Blend,
        _ => AlphaMode::Opaque,
    };
    let material = Material {
        name: name(entry, "material", index),
        base_color: if finite { color } else { [1.0; 4] },
        texture: image,
        alpha,
        double_sided: read.double_sided,
    };
    (material, texture.as_ref().map_or(0, |texture| texture.tex_coord as usize))
}

/// The image that texture `index` leads to.
fn image_of(document: &Document, index: usize) -> Result<Option<usize>, Fault> {
    let texture: json::Texture = document.element("textures", "texture", index)?;
    // The crate has no type for this extension; where it is, `source` is the picture for programs that do not know it.
    let webp = texture.extensions.as_ref().and_then(|extensions| extensions.others.get("EXT_texture_webp"));
    let webp = webp.and_then(|webp| webp.get("source")?.as_u64()).and_then(|image| usize::try_from(image).ok());
    let source = Some(texture.source.value()).filter(|&image| image != u32::MAX as usize);
    let Some(image) = webp.or(source) else { return Ok(None) };
    document.element::<json::Image>("images", "image", image).map(|_| Some(image))
}

fn textures(
    document: &Document,
    path: &Path,
    images: &[usize],
    warnings: &mut Vec<Message>,
) -> (Vec<Texture>, Vec<Option<usize>>) {
    let mut left = PIXEL_BYTES;
    let files: Vec<_> = images
        .iter()
        .map(|&image| {
            let bytes = image_bytes(document, path, image)?;
            let size = dimensions(&bytes, image)?;
            left = left.checked_sub(size).ok_or_else(|| Fault::new(format!("image {image}"), "is too large"))?;
            Ok((image, bytes))
        })
        .collect();
    let decoded: Vec<Result<Texture, Fault>> =
        files.into_par_iter().map(|file| file.and_then(|(image, bytes)| decode(&bytes, image))).collect();
    let mut textures = Vec::new();
    let texture_of = decoded.into_iter().map(|texture| match texture {
        Ok(texture) => {
            textures.push(texture);
            Some(textures.len() - 1)
        }
        Err(fault) => {
            warnings.push(message!("warning.import.image_not_shown", "An image is not shown: %{fault}.", fault));
            None
        }
    });
    let texture_of = texture_of.collect();
    (textures, texture_of)
}

fn image_bytes<'a>(document: &Document<'a>, path: &Path, image: usize) -> Result<Cow<'a, [u8]>, Fault> {
    let part = || format!("image {image}");
    let entry: json::Image = document.element("images", "image", image)?;
    if let Some(view) = entry.buffer_view {
        return Ok(Cow::Borrowed(document.view(view.value())?.0));
    }
    let uri = entry.uri.ok_or_else(|| Fault::new(part(), "has neither a uri nor bytes"))?;
    match resolve(path.parent().unwrap_or(Path::new("")), &uri) {
        Target::Bytes(bytes) => Ok(Cow::Owned(bytes)),
        Target::Outside => Err(Fault::new(part(), format!("(\"{uri}\") lies outside the file's folder"))),
        Target::Garbled => Err(Fault::new(part(), "has a uri that cannot be decoded")),
        Target::File(file) => {
            let bytes = crate::import::file::beginning(&file, IMAGE_FILE_BYTES);
            bytes
                .map(Cow::Owned)
                .map_err(|reason| Fault::new(part(), format!("(\"{uri}\") could not be read ({reason})")))
        }
    }
}

fn open(bytes: &[u8], image: usize) -> Result<image::ImageReader<Cursor<&[u8]>>, Fault> {
    let mut reader = image::ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| Fault::new(format!("image {image}"), format!("could not be read ({error})")))?;
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(256 << 20);
    reader.limits(limits);
    Ok(reader)
}

fn dimensions(bytes: &[u8], image: usize) -> Result<u64, Fault> {
    let size = open(bytes, image)?.into_dimensions();
    let (width, height) =
        size.map_err(|error| Fault::new(format!("image {image}"), format!("could not be read ({error})")))?;
    Ok(4 * u64::from(width) * u64::from(height))
}

fn decode(bytes: &[u8], image: usize) -> Result<Texture, Fault> {
    let decoded = open(bytes, image)?.decode();
    let rgba =
        decoded.map_err(|error| Fault::new(format!("image {image}"), format!("could not be decoded ({error})")))?;
    let rgba = rgba.into_rgba8();
    Ok(Texture { width: rgba.width(), height: rgba.height(), rgba: rgba.into_raw() })
}
