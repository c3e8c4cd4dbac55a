//! Motion without joints: the frames of a vertex cache or an image sequence.

use std::sync::Arc;

use glam::{Vec2, Vec3};

use crate::geometry::shading::vertex_normals;
use crate::geometry::{AlphaMode, Material, MaterialMaps, Mesh, MeshInstance, Primitive, Texture, TextureMap};
use crate::math::Transform;
use crate::math::srgb::srgb_of;
use crate::media::image_clip::FrameError;
use crate::media::{ImageClip, ImageInfo, Pixels, VertexClip};
use crate::{Joint, Model, Skeleton};

/// Motion of a file without joints. Clones share the frames.
#[derive(Clone, Debug, PartialEq)]
pub enum Footage {
    /// Positions of a mesh in every frame.
    Vertices(Arc<VertexClip>),
    /// Pixels in every frame.
    Images(ImageClip),
}

impl Footage {
    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        match self {
            Self::Vertices(clip) => clip.frames(),
            Self::Images(clip) => clip.info.frames,
        }
    }

    /// Returns the frames per second.
    pub fn fps(&self) -> f64 {
        match self {
            Self::Vertices(clip) => clip.fps,
            Self::Images(clip) => clip.info.fps,
        }
    }

    /// Returns a preview model of the first frame: the mesh, or a quad of height 1 with the image.
    ///
    /// Returns `Err` if the first image cannot be read.
    pub fn model(&self) -> Result<Model, FrameError> {
        match self {
            Self::Vertices(clip) => Ok(mesh_model(clip)),
            Self::Images(clip) => Ok(picture_quad(&clip.name, &clip.info, &*clip.frame(0)?)),
        }
    }
}

/// Returns the first frame of `clip` as a model of one joint and one double-sided mesh.
pub fn mesh_model(clip: &VertexClip) -> Model {
    let positions = clip.frame(0).to_vec();
    let mut normals = Vec::new();
    vertex_normals(&positions, &clip.faces, &mut normals);
    let part = Primitive { positions, normals, indices: clip.faces.clone(), material: Some(0), ..Primitive::default() };
    let material = Material { name: clip.name.clone(), double_sided: true, ..Material::default() };
    Model { materials: vec![material], ..single(&clip.name, vec![part]) }
}

/// Returns the first frame of `clip` with the primitives and materials of `original`, the model of its vertices; without
/// materials if `original` is another model.
pub fn model_with_materials(clip: &VertexClip, original: &Model) -> Model {
    let (vertices, faces) = original.faces();
    if vertices != clip.vertices || faces != clip.faces {
        return mesh_model(clip);
    }
    let mut normals = Vec::new();
    original.shading().normals(clip.frame(0), &faces, &mut normals);
    let mut first = 0;
    let part = |part: &Primitive| {
        let range = first..first + part.positions.len();
        first = range.end;
        Primitive {
            positions: clip.frame(0)[range.clone()].to_vec(),
            normals: normals[range].to_vec(),
            flat: part.flat,
            uvs: part.uvs.clone(),
            second_uvs: part.second_uvs.clone(),
            colors: part.colors.clone(),
            indices: part.indices.clone(),
            material: part.material,
            ..Primitive::default()
        }
    };
    let parts = original.placed_primitives().map(|(_, each)| each).map(part).collect();
    Model { materials: original.materials.clone(), textures: original.textures.clone(), ..single(&clip.name, parts) }
}

/// Returns a model with one joint in the origin and one mesh of `parts` on it, all called `name`; without materials.
fn single(name: &str, parts: Vec<Primitive>) -> Model {
    let joint =
        Joint { name: name.into(), parent: None, rest: Transform::IDENTITY, node: 0, first_morph: 0, morph_count: 0 };
    Model {
        name: name.into(),
        skeleton: Skeleton { rest_morphs: Vec::new(), joints: vec![joint] },
        meshes: vec![Mesh { name: name.into(), primitives: parts, ..Mesh::default() }],
        instances: vec![MeshInstance { joint: 0, mesh: 0, skin: None }],
        ..Model::default()
    }
}

/// Returns a model of an upright quad that shows `pixels`. It is 1 unit high, as wide as the image requires, stands on the
/// origin and faces +Z.
fn picture_quad(name: &str, info: &ImageInfo, pixels: &Pixels) -> Model {
    let half = 0.5 * info.width as f32 / info.height.max(1) as f32;
    let part = Primitive {
        positions: [(-half, 1.0), (-half, 0.0), (half, 0.0), (half, 1.0)].map(|(x, y)| Vec3::new(x, y, 0.0)).to_vec(),
        normals: vec![Vec3::Z; 4],
        uvs: vec![Vec2::ZERO, Vec2::Y, Vec2::ONE, Vec2::X],
        indices: vec![0, 1, 2, 0, 2, 3],
        material: Some(0),
        ..Primitive::default()
    };
    let surface = Material {
        name: name.into(),
        maps: MaterialMaps { color: Some(TextureMap::of(0)), ..MaterialMaps::default() },
        alpha: AlphaMode::Blend,
        double_sided: true,
        ..Material::default()
    };
    Model { materials: vec![surface], textures: vec![texture(info, pixels)], ..single(name, vec![part]) }
}

/// Converts a frame to straight sRGB with 8 bits; brighter light is clipped.
pub fn texture(info: &ImageInfo, pixels: &Pixels) -> Texture {
    let shown = |[r, g, b, alpha]: [f32; 4]| {
        let divide = if info.premultiplied && alpha > 0.0 { alpha } else { 1.0 };
        let [r, g, b] = [r, g, b].map(|value| if info.linear { srgb_of(value / divide) } else { value / divide });
        [r, g, b, alpha].map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8)
    };
    let as_is = !info.premultiplied && !info.linear;
    let rgba = match pixels {
        Pixels::U8(pixels) if as_is => pixels.as_flattened().to_vec(),
        Pixels::U8(pixels) => {
            pixels.iter().flat_map(|pixel| shown(pixel.map(|value| f32::from(value) / 255.0))).collect()
        }
        Pixels::U16(pixels) => {
            pixels.iter().flat_map(|pixel| shown(pixel.map(|value| f32::from(value) / 65_535.0))).collect()
        }
        Pixels::F32(pixels) => pixels.iter().flat_map(|&pixel| shown(pixel)).collect(),
    };
    Texture { width: info.width, height: info.height, rgba }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Bounds;
    use crate::media::image_clip::MemoryFrames;
    use crate::small_inputs::image_info as info;

    #[test]
    fn the_first_frame_has_a_preview_model() {
        let clip = VertexClip::new("flag", 30.0, 3, vec![Vec3::ZERO, Vec3::Z, Vec3::X], vec![0, 1, 2]).unwrap();
        let model = Footage::Vertices(Arc::new(clip)).model().unwrap();
        assert_eq!(model.rest_bounds(), Bounds { low: Vec3::ZERO, high: Vec3::new(1.0, 0.0, 1.0) });
        assert_eq!(model.meshes[0].primitives[0].normals, [Vec3::Y; 3]);
        let pixels = Pixels::U8(vec![[9, 8, 7, 255]; 8]);
        let images = ImageClip::new("smoke", Arc::new(MemoryFrames::new(info(4, 2, 1), vec![pixels])), 0);
        let picture_quad = Footage::Images(images).model().unwrap();
        assert_eq!(
            picture_quad.rest_bounds(),
            Bounds { low: Vec3::new(-1.0, 0.0, 0.0), high: Vec3::new(1.0, 1.0, 0.0) }
        );
        assert_eq!(picture_quad.textures[0].rgba[..4], [9, 8, 7, 255]);
    }

    #[test]
    fn a_clip_gets_the_materials_of_its_original_model() {
        let part = |from: f32, material| Primitive {
            positions: [0.0, 1.0, 2.0].map(|x| Vec3::new(from + x, x * x, 0.0)).to_vec(),
            uvs: vec![Vec2::splat(from); 3],
            colors: vec![[from, 0.0, 0.0, 1.0]; 3],
            indices: vec![0, 1, 2],
            material: Some(material),
            ..Primitive::default()
        };
        let materials = vec![Material::default(), Material { name: "skin".into(), ..Material::default() }];
        let original = Model { materials, ..single("hero", vec![part(0.0, 1), part(0.5, 0)]) };
        let positions: Vec<Vec3> = (0..12).map(|i| Vec3::new(i as f32, 0.0, (i * i) as f32)).collect();
        let clip = VertexClip::new("run", 30.0, 6, positions.clone(), original.faces().1).unwrap();
        let dressed = model_with_materials(&clip, &original);
        let [first, second] = &dressed.meshes[0].primitives[..] else { panic!("two parts") };
        assert_eq!((&first.positions[..], &second.positions[..]), (&positions[..3], &positions[3..6]));
        assert_eq!((second.uvs[0], second.colors[0][0], second.material), (Vec2::splat(0.5), 0.5, Some(0)));
        assert_eq!(dressed.materials, original.materials);
        let stranger = VertexClip::new("run", 30.0, 3, positions, vec![0, 1, 2]).unwrap();
        assert_eq!(model_with_materials(&stranger, &original), mesh_model(&stranger));
    }

    #[test]
    fn linear_premultiplied_light_becomes_straight_srgb() {
        let exr = ImageInfo { premultiplied: true, linear: true, ..info(1, 1, 1) };
        let shown = texture(&exr, &Pixels::F32(vec![[0.25, 0.5, 2.0, 0.5]]));
        assert_eq!(shown.rgba, [188, 255, 255, 128]);
    }
}
