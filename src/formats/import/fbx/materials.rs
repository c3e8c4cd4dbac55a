//! Reads materials: base colour with its image, and alpha.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use ufbx::{Scene, Texture};

use super::name::name;
use crate::import::Fault;
use crate::import::texture::{ImageFile, NamedMaps, decode_all};
use portamento_anim::geometry::{AlphaMode, Material, MaterialMaps, TextureMap};
use portamento_anim::uri::{Target, resolve};
use portamento_base::message::Message;
use portamento_base::progress::Progress;

/// The materials of a file in its order, and their textures.
pub(super) struct Surfaces {
    pub materials: Vec<Material>,
    pub textures: Vec<portamento_anim::geometry::Texture>,
    /// Paths of the images that the file refers to without embedding them.
    pub images: Vec<PathBuf>,
}

/// Reads all materials and decodes their images. Textures that cannot be shown give a warning.
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
            // An image replaces the colour.
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
    let (textures, texture_of_file) = decode_all(files, progress, warnings);
    let named: Vec<NamedMaps> = materials.iter().map(NamedMaps::of).collect();
    for map in materials.iter_mut().map(|material| &mut material.maps.color) {
        *map = map.and_then(|map| texture_of_file[map.texture]).map(TextureMap::of);
    }
    named.iter().zip(&mut materials).for_each(|(named, material)| named.replace_missing(material));
    let images =
        shown.iter().filter(|texture| content(texture).is_empty()).filter_map(|texture| find_image(path, texture));
    Surfaces { materials, textures, images: images.collect() }
}

/// Returns the embedded image, or else the image file that the names of `texture` refer to. Returns `Err` if there is
/// neither. `index` names an image without a name in messages.
fn image_file<'a>(path: &Path, texture: &'a Texture, index: usize) -> Result<ImageFile<'a>, Fault> {
    let named = names(texture);
    let label = match named.iter().map(|name| base_name(name)).find(|name| !name.is_empty()) {
        Some(file) => format!("image \"{file}\""),
        None => format!("image {index}"),
    };
    let content = content(texture);
    if !content.is_empty() {
        return Ok(ImageFile { name: label, bytes: Cow::Borrowed(content) });
    }
    match find_image(path, texture) {
        Some(file) => ImageFile::at(&file, label),
        None => Err(Fault::new(label, "is neither in the file nor in its folder")),
    }
}

/// Returns the embedded bytes of the image, or an empty slice.
fn content(texture: &Texture) -> &[u8] {
    let video = texture.video.as_ref().map_or(&texture.content, |video| &video.content);
    if texture.content.is_empty() { video } else { &texture.content }
}

/// Returns the relative and absolute names of the image file of the texture.
fn names(texture: &Texture) -> [&str; 3] {
    [&texture.relative_filename, &texture.filename, &texture.absolute_filename]
}

/// Returns the last component of a Unix or Windows path.
fn base_name(name: &str) -> String {
    name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

/// Returns the path of an existing image file that the names of `texture` refer to, in the folder of `path` or where Autodesk's
/// programs unpack images; `None` if there is none.
fn find_image(path: &Path, texture: &Texture) -> Option<PathBuf> {
    let named = names(texture);
    let folder = path.parent().unwrap_or(Path::new(""));
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    // Candidates: the name as written, in the folder of the file, and in the folders to which Autodesk's programs unpack images.
    let in_folders = named.iter().map(|name| base_name(name)).filter(|name| !name.is_empty());
    let in_folders =
        in_folders.flat_map(|file| [file.clone(), format!("textures/{file}"), format!("{stem}.fbm/{file}")]);
    let candidates = named.iter().map(|name| name.to_string()).filter(|name| !name.is_empty()).chain(in_folders);
    let mut found = candidates.filter_map(|candidate| match resolve(folder, &candidate.replace('%', "%25")) {
        Target::File(file) => Some(file).filter(|file| file.is_file()),
        _ => None,
    });
    found.next()
}
