//! Surfaces: colour, what light does to them, and the images that vary both.

use glam::Affine2;

/// A surface, as glTF's metallic-roughness model has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The file's name, or `material 1`.
    pub name: String,
    /// Linear RGBA factor.
    pub base_color: [f32; 4],
    /// 0 for what is no metal, 1 for bare metal.
    pub metallic: f32,
    /// 0 for a mirror, 1 for matte.
    pub roughness: f32,
    /// How much of what is no metal mirrors, 0…1; 1 as most things do.
    pub specular: f32,
    /// How far the normal map leans normals over; 1 as the map has it.
    pub normal_scale: f32,
    /// How much of the occlusion map counts, 0…1.
    pub occlusion_strength: f32,
    /// Linear RGB of the light it gives off; above 1 where it is brighter than white.
    pub emissive: [f32; 3],
    /// Images on it.
    pub maps: MaterialMaps,
    /// How alpha is read.
    pub alpha: AlphaMode,
    /// Back faces are drawn too.
    pub double_sided: bool,
    /// Shown in its base colour whatever the light.
    pub unlit: bool,
}

/// Images that vary a surface; `None` also where an image is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaterialMaps {
    /// sRGB and alpha, times the base colour.
    pub color: Option<TextureMap>,
    /// Green times the roughness, blue times the metal.
    pub metallic_roughness: Option<TextureMap>,
    /// Normals in the surface's own space: red along U, green against V, blue out of it.
    pub normal: Option<TextureMap>,
    /// Red: how much of the surroundings' light arrives.
    pub occlusion: Option<TextureMap>,
    /// sRGB, times the light it gives off.
    pub emissive: Option<TextureMap>,
}

/// An image and how it lies on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureMap {
    /// Index into [`crate::anim::Model::textures`].
    pub texture: usize,
    /// Where on the image: (0, 0) its upper left corner, (1, 1) its lower right, from texture coordinates.
    pub placing: Affine2,
    /// Placed by the second set of texture coordinates.
    pub second_uvs: bool,
    /// How it is read between and outside its pixels.
    pub sampler: Sampler,
}

/// How an image is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// What lies left and right of the image.
    pub wrap_u: Wrap,
    /// What lies above and below it.
    pub wrap_v: Wrap,
    /// Between its pixels where they are larger than those of the screen.
    pub magnify: Filter,
    /// Between its pixels where they are smaller.
    pub minify: Filter,
    /// Smaller copies of it stand in for it far away.
    pub mipmaps: bool,
}

/// What is seen between two pixels of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// Their mixture.
    #[default]
    Smooth,
    /// The nearer one.
    Sharp,
}

/// What lies outside an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    /// The image again.
    #[default]
    Repeat,
    /// The image as a mirror shows it, then again.
    Mirror,
    /// Its outermost pixels.
    Clamp,
}

/// How a surface's alpha is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Below this alpha nothing is drawn.
    Mask(f32),
    /// Mixed with what lies behind.
    Blend,
}

/// An image: sRGB for colours, plain numbers for all else.
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
    /// How many maps a surface has at most.
    pub const COUNT: usize = 5;

    /// All maps, those of colours before those that only shade them.
    pub fn all(&self) -> [Option<&TextureMap>; Self::COUNT] {
        [&self.color, &self.emissive, &self.normal, &self.metallic_roughness, &self.occlusion].map(Option::as_ref)
    }

    /// The same, to be changed.
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
    /// The whole image once over the first texture coordinates.
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
