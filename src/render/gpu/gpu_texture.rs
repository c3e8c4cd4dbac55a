//! Images on the GPU, one texture per image and sampler.

use three_d::core::{Context, Interpolation, Texture2D, Wrapping};
use three_d::{CpuTexture, Mipmap, TextureData};

use portamento_anim::Model;
use portamento_anim::geometry::{Filter, Sampler, Texture, TextureMap, Wrap};

/// All textures that a model's materials use.
pub(crate) struct GpuTextures {
    textures: Vec<((usize, Sampler), Texture2D)>,
}

impl GpuTextures {
    /// Uploads the textures that the materials of `model` use, each once per sampler.
    pub fn of(context: &Context, model: &Model) -> Self {
        let mut textures: Vec<((usize, Sampler), Texture2D)> = Vec::new();
        for map in model.materials.iter().flat_map(|material| material.maps.all()).flatten() {
            let (key, image) = ((map.texture, map.sampler), model.textures.get(map.texture));
            if let Some(image) = image.filter(|_| !textures.iter().any(|(known, _)| *known == key)) {
                textures.push((key, upload(context, image, map.sampler)));
            }
        }
        Self { textures }
    }

    /// Returns the texture of `map` with its sampler; `None` if the model has no such texture.
    pub fn get(&self, map: &TextureMap) -> Option<&Texture2D> {
        let found = self.textures.iter().find(|(known, _)| *known == (map.texture, map.sampler));
        found.map(|(_, texture)| texture)
    }
}

/// Uploads one image.
fn upload(context: &Context, texture: &Texture, sampler: Sampler) -> Texture2D {
    // three-d flips rows for OpenGL, and glTF counts V from the top row. A second flip here lets V stay unchanged.
    let row = 4 * texture.width as usize;
    let rows = texture.rgba.chunks_exact(row.max(4)).rev();
    let data = rows.flat_map(|row| row.as_chunks::<4>().0).copied().collect();
    let texture = CpuTexture {
        data: TextureData::RgbaU8(data),
        width: texture.width,
        height: texture.height,
        min_filter: filter(sampler.minify),
        mag_filter: filter(sampler.magnify),
        mipmap: sampler.mipmaps.then(Mipmap::default),
        wrap_s: wrapping(sampler.wrap_u),
        wrap_t: wrapping(sampler.wrap_v),
        ..CpuTexture::default()
    };
    Texture2D::new(context, &texture)
}

fn filter(filter: Filter) -> Interpolation {
    match filter {
        Filter::Smooth => Interpolation::Linear,
        Filter::Sharp => Interpolation::Nearest,
    }
}

fn wrapping(wrap: Wrap) -> Wrapping {
    match wrap {
        Wrap::Repeat => Wrapping::Repeat,
        Wrap::Mirror => Wrapping::MirroredRepeat,
        Wrap::Clamp => Wrapping::ClampToEdge,
    }
}
