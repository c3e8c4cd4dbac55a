//! Surfaces: base colour, its image, alpha.

use std::borrow::Cow;
use std::path::Path;

use super::Fault;
use super::document::{Document, label, list, name, part};
use crate::anim::uri::{Target, resolve};
use crate::geometry::{AlphaMode, Material, Texture};
use crate::import::texture::{ImageFile, decode_all};
use crate::message::{Message, message};
use gltf::json::validation::Checked;
use gltf::json::{self, Value};

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
    let files = images.iter().map(|&image| image_file(document, path, image)).collect();
    let (textures, texture_of) = decode_all(files, document.progress, warnings);
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
    // The crate has no types for these extensions; where they are, `source` is the picture for programs that do not know them.
    let named = |name: &str| {
        let extension = texture.extensions.as_ref().and_then(|extensions| extensions.others.get(name));
        extension.and_then(|found| found.get("source")?.as_u64()).and_then(|image| usize::try_from(image).ok())
    };
    let source = Some(texture.source.value()).filter(|&image| image != u32::MAX as usize);
    // Basis Universal comes last: it is not decoded here.
    let found = named("EXT_texture_webp").or(source).or_else(|| named("KHR_texture_basisu"));
    let Some(image) = found else { return Ok(None) };
    document.element::<json::Image>("images", "image", image).map(|_| Some(image))
}

fn image_file<'a>(document: &Document<'a>, path: &Path, image: usize) -> Result<ImageFile<'a>, Fault> {
    let name = format!("image {image}");
    let entry: json::Image = document.element("images", "image", image)?;
    if let Some(view) = entry.buffer_view {
        return Ok(ImageFile { name, bytes: Cow::Borrowed(document.view(view.value())?.0) });
    }
    let Some(uri) = entry.uri else { return Err(Fault::new(name, "has neither a uri nor bytes")) };
    match resolve(path.parent().unwrap_or(Path::new("")), &uri) {
        Target::Bytes(bytes) => Ok(ImageFile { name, bytes: Cow::Owned(bytes) }),
        Target::Outside => Err(Fault::new(name, format!("(\"{uri}\") lies outside the file's folder"))),
        Target::Garbled => Err(Fault::new(name, "has a uri that cannot be decoded")),
        Target::File(file) => ImageFile::at(&file, name),
    }
}
