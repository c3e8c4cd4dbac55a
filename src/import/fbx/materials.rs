//! Surfaces: base colour, its image, alpha.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use ufbx::{Scene, Texture};

use super::name::name;
use crate::anim::uri::{Target, resolve};
use crate::geometry::{AlphaMode, Material, MaterialMaps, TextureMap};
use crate::import::Fault;
use crate::import::texture::{ImageFile, decode_all};
use crate::message::Message;
use crate::progress::Progress;

/// What the file's surfaces are; materials in the file's order.
pub(super) struct Surfaces {
    pub materials: Vec<Material>,
    pub textures: Vec<crate::geometry::Texture>,
    /// Where those lie that the file only names.
    pub images: Vec<PathBuf>,
}

/// Reads all materials and decodes the images they show.
pub(super) fn load(path: &Path, scene: &Scene, progress: &Progress, warnings: &mut Vec<Message>) -> Surfaces {
    let mut shown: Vec<&Texture> = Vec::new();
    let mut materials: Vec<Material> = Vec::new();
    for (index, material) in scene.materials.iter().enumerate() {
        let (colour, diffuse) = (&material.pbr.base_color, &material.fbx.diffuse_color);
        let map = if colour.has_value || colour.texture.is_some() { colour } else { diffuse };
        let image =
            map.texture.as_ref().filter(|_| map.texture_enabled).and_then(|texture| texture.file_textures.first());
        let texture = image.map(|image| {
            let same = |known: &&Texture| known.element.typed_id == image.element.typed_id;
            shown.iter().position(same).unwrap_or_else(|| {
                shown.push(image);
                shown.len() - 1
            })
        });
        let opacity = if material.pbr.opacity.has_value { material.pbr.opacity.value_vec4.x as f32 } else { 1.0 };
        let channel = |value: f64| if value.is_finite() { (value as f32).clamp(0.0, 1.0) } else { 1.0 };
        let value = &map.value_vec4;
        let [red, green, blue] = match map.has_value && texture.is_none() {
            true => [value.x, value.y, value.z].map(channel),
            // An image stands in place of the colour.
            false => [1.0; 3],
        };
        let alpha = if opacity.is_finite() { opacity.clamp(0.0, 1.0) } else { 1.0 };
        materials.push(Material {
            name: name(&material.element.name, "material", index),
            base_color: [red, green, blue, alpha],
            maps: MaterialMaps { color: texture.map(TextureMap::of), ..MaterialMaps::default() },
            alpha: if alpha < 1.0 { AlphaMode::Blend } else { AlphaMode::Opaque },
            double_sided: material.features.double_sided.enabled,
            ..Material::default()
        });
    }
    let files = shown.iter().enumerate().map(|(index, texture)| image_file(path, texture, index)).collect();
    let (textures, place_of) = decode_all(files, progress, warnings);
    for map in materials.iter_mut().map(|material| &mut material.maps.color) {
        *map = map.and_then(|map| place_of[map.texture]).map(TextureMap::of);
    }
    let images = shown.iter().filter(|texture| content(texture).is_empty()).filter_map(|texture| place(path, texture));
    Surfaces { materials, textures, images: images.collect() }
}

/// The image inside the file, else the one beside it that its names lead to.
fn image_file<'a>(path: &Path, texture: &'a Texture, index: usize) -> Result<ImageFile<'a>, Fault> {
    let named = names(texture);
    let label = match named.iter().map(|name| base(name)).find(|name| !name.is_empty()) {
        Some(file) => format!("image \"{file}\""),
        None => format!("image {index}"),
    };
    let content = content(texture);
    if !content.is_empty() {
        return Ok(ImageFile { name: label, bytes: Cow::Borrowed(content) });
    }
    match place(path, texture) {
        Some(file) => ImageFile::at(&file, label),
        None => Err(Fault::new(label, "is neither in the file nor beside it")),
    }
}

/// The image as the file holds it; empty where it does not.
fn content(texture: &Texture) -> &[u8] {
    let video = texture.video.as_ref().map_or(&texture.content, |video| &video.content);
    if texture.content.is_empty() { video } else { &texture.content }
}

fn names(texture: &Texture) -> [&str; 3] {
    [&texture.relative_filename, &texture.filename, &texture.absolute_filename]
}

/// The last part of a path of whatever system.
fn base(name: &str) -> String {
    name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

/// Where the image lies that the names of `texture` lead to.
fn place(path: &Path, texture: &Texture) -> Option<PathBuf> {
    let named = names(texture);
    let folder = path.parent().unwrap_or(Path::new(""));
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    // As written, beside the file, and where Autodesk's programs unpack what is embedded.
    let beside = named.iter().map(|name| base(name)).filter(|name| !name.is_empty());
    let beside = beside.flat_map(|file| [file.clone(), format!("textures/{file}"), format!("{stem}.fbm/{file}")]);
    let places = named.iter().map(|name| name.to_string()).filter(|name| !name.is_empty()).chain(beside);
    let mut found = places.filter_map(|place| match resolve(folder, &place.replace('%', "%25")) {
        Target::File(file) => Some(file).filter(|file| file.is_file()),
        _ => None,
    });
    found.next()
}
