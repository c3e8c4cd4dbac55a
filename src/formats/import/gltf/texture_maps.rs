//! Reads texture maps: image, transform and sampler (glTF 2.0 §3.8, KHR_texture_transform).

use glam::{Affine2, Vec2};
use gltf::json::{self, Value};

use super::Fault;
use super::document::Document;
use portamento_anim::geometry::{Filter, Sampler, TextureMap, Wrap};

/// A map that still refers to an image of the file.
pub(super) struct NamedMap {
    /// The map. `texture` is the index of an image of the file, and `second_uvs` is not set yet.
    pub map: TextureMap,
    /// Index of its set of texture coordinates.
    pub uv_set: usize,
}

/// Reads the map that `info`, a glTF textureInfo, describes. Returns `None` if it has no image.
///
/// Errors name the missing element.
pub(super) fn named_map(document: &Document, info: &Value) -> Result<Option<NamedMap>, Fault> {
    let Some(index) = whole_number(info.get("index")) else { return Ok(None) };
    let texture: json::Texture = document.element("textures", "texture", index)?;
    let Some(image) = image_of(document, &texture)? else { return Ok(None) };
    let transform = info.pointer("/extensions/KHR_texture_transform");
    let uv_set =
        whole_number(transform.and_then(|transform| transform.get("texCoord"))).or(whole_number(info.get("texCoord")));
    let sampler = texture.sampler.map(|sampler| document.element::<Value>("samplers", "sampler", sampler.value()));
    let map = TextureMap {
        texture: image,
        placing: transform.map_or(Affine2::IDENTITY, texture_transform),
        second_uvs: false,
        sampler: sampler.transpose()?.map_or_else(Sampler::default, |entry| sampler_of(&entry)),
    };
    Ok(Some(NamedMap { map, uv_set: uv_set.unwrap_or(0) }))
}

/// Returns the index of the texture's image, `None` if it has none; `Err` if the image does not exist.
fn image_of(document: &Document, texture: &json::Texture) -> Result<Option<usize>, Fault> {
    // The crate has no types for these extensions. With them, `source` is a fallback image.
    let named = |name: &str| {
        let extension = texture.extensions.as_ref().and_then(|extensions| extensions.others.get(name));
        extension.and_then(|found| whole_number(found.get("source")))
    };
    let source = Some(texture.source.value()).filter(|&image| image != u32::MAX as usize);
    // KTX 2 comes last, because only Basis Universal can be decoded here.
    let found = named("EXT_texture_webp").or(source).or_else(|| named("KHR_texture_basisu"));
    let Some(image) = found else { return Ok(None) };
    document.element::<json::Image>("images", "image", image).map(|_| Some(image))
}

/// Returns the texture transform: scale, then rotation, then offset.
/// V points down, so a positive angle rotates texture coordinates counterclockwise.
fn texture_transform(transform: &Value) -> Affine2 {
    let pair = |key: &str, missing: f32| {
        let part = |index: usize| transform.get(key).and_then(|list| list.get(index)?.as_f64());
        Vec2::from([0, 1].map(|index| part(index).map_or(missing, |value| value as f32)))
    };
    let angle = transform.get("rotation").and_then(Value::as_f64).unwrap_or(0.0);
    let texture_transform =
        Affine2::from_scale_angle_translation(pair("scale", 1.0), -angle as f32, pair("offset", 0.0));
    if texture_transform.is_finite() { texture_transform } else { Affine2::IDENTITY }
}

/// Reads a sampler. The numbers are OpenGL constants.
fn sampler_of(entry: &Value) -> Sampler {
    let wrap = |key: &str| match whole_number(entry.get(key)) {
        Some(33071) => Wrap::Clamp,
        Some(33648) => Wrap::Mirror,
        _ => Wrap::Repeat,
    };
    let minify = whole_number(entry.get("minFilter"));
    let sharp = |is_sharp: bool| if is_sharp { Filter::Sharp } else { Filter::Smooth };
    Sampler {
        wrap_u: wrap("wrapS"),
        wrap_v: wrap("wrapT"),
        magnify: sharp(whole_number(entry.get("magFilter")) == Some(9728)),
        minify: sharp(matches!(minify, Some(9728 | 9984 | 9986))),
        mipmaps: !matches!(minify, Some(9728 | 9729)),
    }
}

/// Reads a whole number, including one written as `3.0`; `None` if it is negative, fractional or 10⁹ or more.
fn whole_number(value: Option<&Value>) -> Option<usize> {
    let number = value?.as_f64().filter(|number| number.fract() == 0.0 && (0.0..1e9).contains(number))?;
    Some(number as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rotation_and_scale_transform_corners_as_the_extension_specifies() {
        let half = texture_transform(&json!({ "scale": [0.5, 2.0], "offset": [0.25, 0.5] }));
        assert_eq!(half.transform_point2(Vec2::ONE), Vec2::new(0.75, 2.5));
        let turned = texture_transform(&json!({ "rotation": std::f32::consts::FRAC_PI_2 }));
        assert!(turned.transform_point2(Vec2::X).abs_diff_eq(Vec2::NEG_Y, 1e-6), "U turns to where V comes from");
        let both = texture_transform(
            &json!({ "scale": [2.0, 1.0], "rotation": std::f32::consts::FRAC_PI_2, "offset": [1.0, 0.0] }),
        );
        assert!(both.transform_point2(Vec2::X).abs_diff_eq(Vec2::new(1.0, -2.0), 1e-6), "scaled before it is turned");
        assert_eq!(texture_transform(&json!({ "scale": [1e300, 1.0], "offset": "nowhere" })), Affine2::IDENTITY);
    }

    #[test]
    fn samplers_use_opengl_constants_and_repeat_by_default() {
        let read = sampler_of(&json!({ "wrapS": 33071, "wrapT": 33648, "magFilter": 9728, "minFilter": 9729 }));
        let expected = Sampler {
            wrap_u: Wrap::Clamp,
            wrap_v: Wrap::Mirror,
            magnify: Filter::Sharp,
            minify: Filter::Smooth,
            mipmaps: false,
        };
        assert_eq!(read, expected);
        assert_eq!(sampler_of(&json!({})), Sampler::default());
    }
}
