//! Shader uniforms of a material.

use three_d::core::{Program, Texture2D};
use three_d::{Mat4, Vec2, Vec3, Vec4};

use super::gpu_texture::GpuTextures;
use portamento_anim::geometry::{AlphaMode, Material, MaterialMaps, TextureMap};

/// Uniform names of each map in the order of [`MaterialMaps::all`]: the sampler and the UV matrix.
const MAPS: [[&str; 2]; MaterialMaps::COUNT] = [
    ["color_map", "color_uv_matrix"],
    ["emissive_map", "emissive_uv_matrix"],
    ["normal_map", "normal_uv_matrix"],
    ["metallic_roughness_map", "metallic_roughness_uv_matrix"],
    ["occlusion_map", "occlusion_uv_matrix"],
];

/// Sets the uniforms of `material`, whose images are in `textures`. `white` is bound for maps without an image, which the shader
/// ignores.
pub(crate) fn set_material(program: &Program, material: &Material, textures: &GpuTextures, white: &Texture2D) {
    program.use_uniform("base", Vec4::from(material.base_color));
    program.use_uniform("emissive", Vec3::from(material.emissive));
    program.use_uniform("metallic_roughness", Vec2::new(material.metallic, material.roughness));
    program.use_uniform("specular", material.specular);
    program.use_uniform("normal_scale", material.normal_scale);
    program.use_uniform("occlusion", material.occlusion_strength);
    program.use_uniform("cutoff", if let AlphaMode::Mask(cutoff) = material.alpha { cutoff } else { 0.0 });
    program.use_uniform("opaque", if material.alpha == AlphaMode::Blend { 0.0_f32 } else { 1.0 });
    program.use_uniform("unlit", if material.unlit { 1.0_f32 } else { 0.0 });
    for (map, [image, uv_matrix]) in material.maps.all().into_iter().zip(MAPS) {
        let shown = map.and_then(|map| Some((map, textures.get(map)?)));
        program.use_texture(image, shown.map_or(white, |(_, texture)| texture));
        program.use_uniform(uv_matrix, shown.map_or_else(no_uv_matrix, |(map, _)| uv_matrix_of(map)));
    }
}

/// Returns the UV matrix of `map` for the shader. Columns 0 and 1 give U and V from both UV sets. Column 2 is the offset and a
/// flag that the map exists.
fn uv_matrix_of(map: &TextureMap) -> Mat4 {
    let axes = map.placing.matrix2;
    let row = |[along_u, along_v]: [f32; 2]| match map.second_uvs {
        true => Vec4::new(0.0, 0.0, along_u, along_v),
        false => Vec4::new(along_u, along_v, 0.0, 0.0),
    };
    let offset = map.placing.translation;
    let rest = Vec4::new(0.0, 0.0, 0.0, 0.0);
    let [u, v] = [[axes.x_axis.x, axes.y_axis.x], [axes.x_axis.y, axes.y_axis.y]].map(row);
    Mat4::from_cols(u, v, Vec4::new(offset.x, offset.y, 1.0, 0.0), rest)
}

/// Returns the UV matrix of a missing map.
fn no_uv_matrix() -> Mat4 {
    let nothing = Vec4::new(0.0, 0.0, 0.0, 0.0);
    Mat4::from_cols(nothing, nothing, nothing, nothing)
}
