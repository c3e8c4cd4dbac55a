//! Surfaces: base colour, its image, alpha.

use std::borrow::Cow;
use std::io::Cursor;
use std::path::Path;

use rayon::prelude::*;
use serde_json::Value;

use super::Fault;
use super::nodes::label;
use super::reader::{Document, list, name, number, vector};
use crate::anim::uri::{Target, resolve};
use crate::geometry::{AlphaMode, Material, Texture};

/// Memory all decoded images together may take; larger ones are left out.
const PIXEL_BYTES: u64 = 384 << 20;

/// What the file's surfaces are.
pub(super) struct Surfaces {
    pub materials: Vec<Material>,
    /// For each material, which set of texture coordinates it uses.
    pub uv_sets: Vec<usize>,
    pub textures: Vec<Texture>,
}

/// Reads all materials and decodes the images they show, several at a time.
pub(super) fn load(document: &Document, path: &Path, warnings: &mut Vec<String>) -> Surfaces {
    let entries = list(document.json, "materials");
    let mut images: Vec<usize> = Vec::new();
    let mut materials = Vec::new();
    let mut uv_sets = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let (material, uv_set) = material(document, (index, entry), warnings);
        if let Some(image) = material.texture.filter(|image| !images.contains(image)) {
            images.push(image);
        }
        materials.push(material);
        uv_sets.push(uv_set);
    }
    let (textures, texture_of) = textures(document, path, &images, warnings);
    for material in &mut materials {
        let place = material.texture.and_then(|image| images.iter().position(|&it| it == image));
        material.texture = place.and_then(|place| texture_of[place]);
    }
    Surfaces { materials, uv_sets, textures }
}

/// The material, its `texture` still an image of the file.
fn material(document: &Document, (index, entry): (usize, &Value), warnings: &mut Vec<String>) -> (Material, usize) {
    let part = || label("material", entry, index);
    let glossy = entry.pointer("/extensions/KHR_materials_pbrSpecularGlossiness");
    let (surface, color, texture) = match (entry.get("pbrMetallicRoughness"), glossy) {
        (None, Some(glossy)) => (glossy, "diffuseFactor", "diffuseTexture"),
        (metallic, _) => (metallic.unwrap_or(&Value::Null), "baseColorFactor", "baseColorTexture"),
    };
    let base_color = vector(surface, color, &part).unwrap_or_else(|fault| {
        warnings.push(format!("White is shown instead: {fault}."));
        None
    });
    let reference = surface.get(texture).unwrap_or(&Value::Null);
    let image = image_of(document, reference, &part).unwrap_or_else(|fault| {
        warnings.push(format!("An image is left out: {fault}."));
        None
    });
    let cutoff = entry.get("alphaCutoff").and_then(Value::as_f64).unwrap_or(0.5) as f32;
    let alpha = match entry.get("alphaMode").and_then(Value::as_str) {
        Some("MASK") => AlphaMode::Mask(cutoff),
        Some("BLEND") => AlphaMode::Blend,
        _ => AlphaMode::Opaque,
    };
    let double_sided = entry.get("doubleSided").and_then(Value::as_bool).unwrap_or(false);
    let name = name(entry, "material", index);
    let material = Material { name, base_color: base_color.unwrap_or([1.0; 4]), texture: image, alpha, double_sided };
    (material, number(reference, "texCoord", &part).ok().flatten().unwrap_or(0))
}

/// The image that a texture reference leads to.
fn image_of(document: &Document, reference: &Value, part: &dyn Fn() -> String) -> Result<Option<usize>, Fault> {
    let Some(texture) = number(reference, "index", part)? else { return Ok(None) };
    let entry = document.element("textures", "texture", texture)?;
    let webp = entry.pointer("/extensions/EXT_texture_webp");
    let image = number(webp.unwrap_or(entry), "source", &|| format!("texture {texture}"))?;
    image.map(|image| document.element("images", "image", image).map(|_| image)).transpose()
}

fn textures(
    document: &Document,
    path: &Path,
    images: &[usize],
    warnings: &mut Vec<String>,
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
            warnings.push(format!("An image is not shown: {fault}."));
            None
        }
    });
    let texture_of = texture_of.collect();
    (textures, texture_of)
}

fn image_bytes<'a>(document: &Document<'a>, path: &Path, image: usize) -> Result<Cow<'a, [u8]>, Fault> {
    let part = || format!("image {image}");
    let entry = document.element("images", "image", image)?;
    if let Some(view) = number(entry, "bufferView", &part)? {
        return Ok(Cow::Borrowed(document.view(view)?.0));
    }
    let uri =
        entry.get("uri").and_then(Value::as_str).ok_or_else(|| Fault::new(part(), "has neither a uri nor bytes"))?;
    match resolve(path.parent().unwrap_or(Path::new("")), uri) {
        Target::Bytes(bytes) => Ok(Cow::Owned(bytes)),
        Target::Outside => Err(Fault::new(part(), format!("(\"{uri}\") lies outside the file's folder"))),
        Target::Garbled => Err(Fault::new(part(), "has a uri that cannot be decoded")),
        Target::File(file) => {
            let bytes = std::fs::read(&file);
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
