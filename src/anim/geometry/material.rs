//! Materials: colour, response to light, and texture maps.

use glam::Affine2;

/// A surface in glTF's metallic-roughness model.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The file's name, or `material 1`.
    pub name: String,
    /// Linear RGBA factor.
    pub base_color: [f32; 4],
    /// Metalness: 0 for a dielectric, 1 for a metal.
    pub metallic: f32,
    /// Roughness: 0 for a mirror, 1 for matte.
    pub roughness: f32,
    /// Specular strength of dielectrics, 0…1; 1 is usual.
    pub specular: f32,
    /// Strength of the normal map; 1 is unchanged.
    pub normal_scale: f32,
    /// Strength of the occlusion map, 0…1.
    pub occlusion_strength: f32,
    /// Linear RGB emission; may exceed 1.
    pub emissive: [f32; 3],
    /// Texture maps.
    pub maps: MaterialMaps,
    /// Interpretation of alpha.
    pub alpha: AlphaMode,
    /// True if back faces are drawn too.
    pub double_sided: bool,
    /// True if the base colour is shown without lighting.
    pub unlit: bool,
}

/// Texture maps of a surface; `None` also if an image is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaterialMaps {
    /// sRGB and alpha, multiplied with the base colour.
    pub color: Option<TextureMap>,
    /// Green is multiplied with the roughness, blue with the metalness.
    pub metallic_roughness: Option<TextureMap>,
    /// Tangent-space normals: red along U, green against V, blue outwards.
    pub normal: Option<TextureMap>,
    /// Red: fraction of the ambient light that arrives.
    pub occlusion: Option<TextureMap>,
    /// sRGB, multiplied with the emission.
    pub emissive: Option<TextureMap>,
}

/// A texture and its mapping onto a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureMap {
    /// Index into [`crate::Model::textures`].
    pub texture: usize,
    /// Transform from texture coordinates to image coordinates: (0, 0) is the upper left corner, (1, 1) the lower
    /// right.
    pub placing: Affine2,
    /// True if the second set of texture coordinates is used.
    pub second_uvs: bool,
    /// Filtering and wrapping.
    pub sampler: Sampler,
}

/// Filtering and wrapping of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// Wrapping along U.
    pub wrap_u: Wrap,
    /// Wrapping along V.
    pub wrap_v: Wrap,
    /// Filter if texture pixels are larger than screen pixels.
    pub magnify: Filter,
    /// Filter if texture pixels are smaller than screen pixels.
    pub minify: Filter,
    /// True if smaller copies are used at a distance.
    pub mipmaps: bool,
}

/// The value between two texture pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// Linear interpolation.
    #[default]
    Smooth,
    /// The nearest pixel.
    Sharp,
}

/// The value outside an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    /// The image repeats.
    #[default]
    Repeat,
    /// The image repeats, mirrored every second time.
    Mirror,
    /// The edge pixels continue.
    Clamp,
}

/// Interpretation of a surface's alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Alpha test: nothing is drawn below this alpha.
    Mask(f32),
    /// Alpha blending with the background.
    Blend,
}

/// An image: sRGB for colours, linear values for all other maps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// RGBA, 8 bits each, rows from the top, alpha not premultiplied.
    pub rgba: Vec<u8>,
}

impl MaterialMaps {
    /// Number of maps.
    pub const COUNT: usize = 5;

    /// Returns all maps, colour maps first.
    pub fn all(&self) -> [Option<&TextureMap>; Self::COUNT] {
        [&self.color, &self.emissive, &self.normal, &self.metallic_roughness, &self.occlusion].map(Option::as_ref)
    }

    /// Returns all maps for modification, in the order of [`MaterialMaps::all`].
    pub fn all_mut(&mut self) -> [&mut Option<TextureMap>; Self::COUNT] {
        [&mut self.color, &mut self.emissive, &mut self.normal, &mut self.metallic_roughness, &mut self.occlusion]
    }
}

impl Default for Sampler {
    fn default() -> Self {
        let (wrap, filter) = (Wrap::default(), Filter::default());
        Self { wrap_u: wrap, wrap_v: wrap, magnify: filter, minify: filter, mipmaps: true }
    }
}

impl TextureMap {
    /// Maps the texture with the index `texture` once over the first texture coordinates, with default filtering and wrapping.
    pub fn of(texture: usize) -> Self {
        Self { texture, placing: Affine2::IDENTITY, second_uvs: false, sampler: Sampler::default() }
    }
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            metallic: 0.0,
            roughness: 0.9,
            specular: 1.0,
            normal_scale: 1.0,
            occlusion_strength: 1.0,
            emissive: [0.0; 3],
            maps: MaterialMaps::default(),
            alpha: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
        }
    }
}
