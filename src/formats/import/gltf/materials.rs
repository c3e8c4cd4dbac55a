//! Reads metallic-roughness materials and their images (glTF 2.0 §3.9).

use std::borrow::Cow;
use std::path::Path;

use super::Fault;
use super::document::Document;
use super::json_part::{label, list, name, part};
use super::texture_maps::{NamedMap, named_map};
use crate::import::texture::{ImageFile, NamedMaps, decode_all};
use gltf::json::validation::Checked;
use gltf::json::{self, Value};
use portamento_anim::geometry::{AlphaMode, Material, MaterialMaps, Texture, TextureMap};
use portamento_anim::uri::{Target, resolve};
use portamento_base::message::{Message, message};

/// The materials and textures of a file.
pub(super) struct Surfaces {
    pub materials: Vec<Material>,
    /// For each material, the indices of its first and second set of texture coordinates; equal if it uses only one.
    pub uv_sets: Vec<[usize; 2]>,
    pub textures: Vec<Texture>,
}

/// Reads all materials and decodes their images in parallel. Damaged materials are white, and images that cannot be shown
/// are left out, with a warning each.
pub(super) fn load(document: &Document, path: &Path, warnings: &mut Vec<Message>) -> Surfaces {
    let entries = list(document.json, "materials").iter().enumerate();
    let read = entries.map(|(index, entry)| material(&Entry { document, entry, index }, warnings));
    let (mut materials, uv_sets): (Vec<Material>, Vec<[usize; 2]>) = read.unzip();
    let images = images_of(&materials);
    let files = images.iter().map(|&image| image_file(document, path, image)).collect();
    let (textures, texture_of) = decode_all(files, document.progress, warnings);
    let named: Vec<NamedMaps> = materials.iter().map(NamedMaps::of).collect();
    for map in materials.iter_mut().flat_map(|material| material.maps.all_mut()) {
        let index = map.and_then(|map| images.iter().position(|&known| known == map.texture));
        let texture = index.and_then(|index| texture_of[index]);
        *map = map.zip(texture).map(|(map, texture)| TextureMap { texture, ..map });
    }
    named.iter().zip(&mut materials).for_each(|(named, material)| named.replace_missing(material));
    Surfaces { materials, uv_sets, textures }
}

/// Returns the images used by maps, each once. Colour maps come first, because the last images are dropped at the memory limit.
fn images_of(materials: &[Material]) -> Vec<usize> {
    let mut images: Vec<usize> = Vec::new();
    for kind in 0..MaterialMaps::COUNT {
        for map in materials.iter().filter_map(|material| material.maps.all()[kind]) {
            if !images.contains(&map.texture) {
                images.push(map.texture);
            }
        }
    }
    images
}

/// The JSON of one material.
struct Entry<'a> {
    document: &'a Document<'a>,
    entry: &'a Value,
    index: usize,
}

/// Reads a material and the sets of texture coordinates it uses, as [`maps`] returns them. Its maps refer to images
/// of the file, not yet to textures. A damaged material is white, with a warning.
fn material(file: &Entry, warnings: &mut Vec<Message>) -> (Material, [usize; 2]) {
    let label = || label("material", file.entry, file.index);
    let read = part::<json::Material>(file.entry, label).unwrap_or_else(|fault| {
        warnings.push(message!("warning.import.white", "A material is shown white: %{fault}.", fault));
        json::Material::default()
    });
    let glossy = read.extensions.as_ref().and_then(|extensions| extensions.pbr_specular_glossiness.as_ref());
    let glossy = glossy.filter(|_| file.entry.get("pbrMetallicRoughness").is_none());
    let metallic = &read.pbr_metallic_roughness;
    let (color, [metal, roughness]) = match glossy {
        Some(glossy) => (glossy.diffuse_factor.0, [0.0, 1.0 - glossy.glossiness_factor.0]),
        None => (metallic.base_color_factor.0, [metallic.metallic_factor.0, metallic.roughness_factor.0]),
    };
    let finite = color.iter().all(|channel| channel.is_finite());
    if !finite {
        warnings.push(message!(
            "warning.import.broken_colour",
            "%{material} is shown white: its colour is not finite.",
            material = label()
        ));
    }
    let alpha = match read.alpha_mode {
        Checked::Valid(json::material::AlphaMode::Mask) => AlphaMode::Mask(read.alpha_cutoff.unwrap_or_default().0),
        Checked::Valid(json::material::AlphaMode::Blend) => AlphaMode::Blend,
        _ => AlphaMode::Opaque,
    };
    let (maps, uv_sets) = maps(file, glossy.is_some(), warnings);
    let strength = file.number_or_one("/extensions/KHR_materials_emissive_strength/emissiveStrength", 0.0..=f32::MAX);
    let material = Material {
        name: name(file.entry, "material", file.index),
        base_color: if finite { color } else { [1.0; 4] },
        metallic: metal.clamp(0.0, 1.0),
        roughness: roughness.clamp(0.0, 1.0),
        specular: file.number_or_one("/extensions/KHR_materials_specular/specularFactor", 0.0..=1.0),
        normal_scale: file.number_or_one("/normalTexture/scale", f32::MIN..=f32::MAX),
        occlusion_strength: file.number_or_one("/occlusionTexture/strength", 0.0..=1.0),
        emissive: read.emissive_factor.0.map(|channel| channel.max(0.0) * strength),
        maps,
        alpha,
        double_sided: read.double_sided,
        unlit: file.entry.pointer("/extensions/KHR_materials_unlit").is_some(),
    };
    (material, uv_sets)
}

/// Reads the maps of a material, and the indices of its first and second set of texture coordinates.
///
/// The order is that of colour, emissive, normal, metallic-roughness and occlusion map. If the material uses one set,
/// both indices are equal; without maps they are 0. Maps of a third set use the second, with a warning. `glossy`
/// selects the colour map of the specular-glossiness extension.
fn maps(file: &Entry, glossy: bool, warnings: &mut Vec<Message>) -> (MaterialMaps, [usize; 2]) {
    let mut sets: Vec<usize> = Vec::new();
    let mut map = |pointer: &str| {
        let info = file.entry.pointer(pointer)?;
        let left_out = |fault: Fault| message!("warning.import.no_image", "An image is left out: %{fault}.", fault);
        let named = named_map(file.document, info).map_err(|fault| warnings.push(left_out(fault)));
        let NamedMap { map, uv_set } = named.ok().flatten()?;
        if !sets.contains(&uv_set) {
            sets.push(uv_set);
        }
        Some(TextureMap { second_uvs: sets[0] != uv_set, ..map })
    };
    let maps = MaterialMaps {
        color: map(match glossy {
            true => "/extensions/KHR_materials_pbrSpecularGlossiness/diffuseTexture",
            false => "/pbrMetallicRoughness/baseColorTexture",
        }),
        emissive: map("/emissiveTexture"),
        normal: map("/normalTexture"),
        metallic_roughness: map("/pbrMetallicRoughness/metallicRoughnessTexture").filter(|_| !glossy),
        occlusion: map("/occlusionTexture"),
    };
    if sets.len() > 2 {
        warnings.push(message!(
            "warning.import.many_uv_sets",
            "Some images of %{material} may be misplaced: it uses %{count} sets of texture coordinates, and only two are drawn.",
            material = label("material", file.entry, file.index),
            count = sets.len()
        ));
    }
    let first = sets.first().copied().unwrap_or(0);
    (maps, [first, sets.get(1).copied().unwrap_or(first)])
}

impl Entry<'_> {
    /// Returns the number at `pointer` clamped to `range`, or 1 if there is none.
    fn number_or_one(&self, pointer: &str, range: std::ops::RangeInclusive<f32>) -> f32 {
        let number = self.entry.pointer(pointer).and_then(Value::as_f64).map(|number| number as f32);
        number.filter(|number| number.is_finite()).map_or(1.0, |number| number.clamp(*range.start(), *range.end()))
    }
}

/// Returns the bytes of image `image`, embedded or from a file. Returns `Err` if it is missing or outside the folder of the
/// file at `path`.
fn image_file<'a>(document: &Document<'a>, path: &Path, image: usize) -> Result<ImageFile<'a>, Fault> {
    let name = format!("image {image}");
    let entry: json::Image = document.element("images", "image", image)?;
    if let Some(view) = entry.buffer_view {
        return Ok(ImageFile { name, bytes: Cow::Borrowed(document.view(view.value())?.0) });
    }
    let Some(uri) = entry.uri else { return Err(Fault::new(name, "has neither a uri nor bytes")) };
    match resolve(path.parent().unwrap_or(Path::new("")), &uri) {
        Target::Bytes(bytes) => Ok(ImageFile { name, bytes: Cow::Owned(bytes) }),
        Target::Outside => Err(Fault::new(name, format!("(\"{uri}\") is outside the folder of the file"))),
        Target::Garbled => Err(Fault::new(name, "has a uri that cannot be decoded")),
        Target::File(file) => ImageFile::at(&file, name),
    }
}
