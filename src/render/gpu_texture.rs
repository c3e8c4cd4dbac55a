//! Images on the graphics card, one for each way in which surfaces read it.

use three_d::core::{Context, Interpolation, Texture2D, Wrapping};
use three_d::{CpuTexture, Mipmap, TextureData};

use portamento_anim::Model;
use portamento_anim::geometry::{Filter, Sampler, Texture, TextureMap, Wrap};

/// All images that a model's surfaces show.
pub(super) struct GpuTextures {
    textures: Vec<((usize, Sampler), Texture2D)>,
}

impl GpuTextures {
    /// Sends them to the graphics card.
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

    /// The image of `map` as it wants it read.
    pub fn get(&self, map: &TextureMap) -> Option<&Texture2D> {
        let found = self.textures.iter().find(|(known, _)| *known == (map.texture, map.sampler));
        found.map(|(_, texture)| texture)
    }
}

fn upload(context: &Context, texture: &Texture, sampler: Sampler) -> Texture2D {
    // three-d turns rows upside down to suit OpenGL, glTF counts V from the top row: turned twice, V fits as it is.
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
