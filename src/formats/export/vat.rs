//! Writes vertex animation textures in OpenVAT's layout: one texel per vertex and frame, offsets from the first frame.
//!
//! Columns are vertices and rows are frames. Meshes wider than the texture continue in a further block of rows.
//! ```text
//! position = first_frame + min + texel * (max - min)    min and max from the JSON
//! normal   = 2 * texel - 1                              from the normal texture
//! ```
//! The first frame is not repeated at the end: shaders take the next frame modulo the number of frames.

use std::io::Cursor;

use glam::{Vec2, Vec3};
use image::{DynamicImage, ImageBuffer, ImageFormat};
use serde_json::json;

use super::ExportError;
use portamento_anim::geometry::Shading;
use portamento_anim::media::VertexClip;
use portamento_base::progress::Progress;

/// Largest side of a texture in texels, supported by every current graphics card.
const MAX_SIDE_TEXELS: usize = 16_384;

/// Largest value of a 16-bit texel.
const MAX_TEXEL_VALUE: f32 = 65_535.0;

/// Format of the texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Texels {
    /// 16-bit PNG over the range of the offsets: finer than half floats.
    #[default]
    Png16,
    /// OpenEXR with 32-bit floats, lossless.
    Exr,
}

/// The data that an engine needs in addition to the mesh of the first frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Vat {
    /// The offset texture, a complete PNG or EXR file.
    pub offsets: Vec<u8>,
    /// The normal texture in the same format.
    pub normals: Vec<u8>,
    /// The content of `…-remap_info.json`: the range of the offsets and the number of frames.
    pub remap: String,
    /// Texture coordinates of each vertex in the first row, with (0, 0) in the upper left corner.
    pub uvs: Vec<Vec2>,
    /// Distance between the rows of successive frames, in texture coordinates.
    pub row: f32,
    /// Upper bound of the error of a decoded position, in the mesh's unit.
    pub error: f64,
    /// Measured largest error over all vertices and frames after decoding, in the mesh's unit.
    pub measured: f64,
}

/// Packs `clip` into textures. `shading` gives its normals.
/// Returns `Err` if vertices times frames do not fit one texture. Returns `Err` too if the clip has no frames or no
/// vertices, or if the user cancels.
pub fn vat(clip: &VertexClip, shading: &Shading, texels: Texels, progress: &Progress) -> Result<Vat, ExportError> {
    let (frames, width) = (clip.frames(), clip.vertices.min(MAX_SIDE_TEXELS));
    if frames == 0 || width == 0 {
        return Err(ExportError::EmptyClip { clip: clip.name.clone() });
    }
    let height = clip.vertices.div_ceil(width).saturating_mul(frames);
    if height > MAX_SIDE_TEXELS {
        let reason =
            format!("{} vertices in {frames} frames need {height} rows, more than {MAX_SIDE_TEXELS}", clip.vertices);
        return Err(ExportError::Image { name: clip.name.clone(), reason });
    }
    let (low, high) = range(clip);
    let (mut offsets, mut normals) = (vec![[0.0; 3]; width * height], vec![[0.5; 3]; width * height]);
    let (mut frame_normals, mut measured) = (Vec::new(), 0.0_f64);
    for frame in 0..frames {
        progress.step(frame, frames)?;
        shading.normals(clip.frame(frame), &clip.faces, &mut frame_normals);
        for (vertex, (point, base)) in clip.frame(frame).iter().zip(clip.frame(0)).enumerate() {
            let at = (vertex / width * frames + frame) * width + vertex % width;
            offsets[at] = std::array::from_fn(|i| fraction_of_range(point[i] - base[i], low[i], high[i]));
            let decoded = *base + low + texels.decode(offsets[at]) * (high - low);
            measured = measured.max(f64::from(decoded.distance(*point)));
            normals[at] = (frame_normals[vertex] * 0.5 + 0.5).to_array();
        }
    }
    let uv = |vertex: usize| {
        let (x, y) = (vertex % width, vertex / width * frames);
        Vec2::new((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32)
    };
    let remap = json!({"os-remap": {"Min": low.to_array(), "Max": high.to_array(), "Frames": frames}});
    Ok(Vat {
        offsets: texture(&offsets, [width, height], texels, &clip.name)?,
        normals: texture(&normals, [width, height], texels, &clip.name)?,
        remap: format!("{remap:#}"),
        uvs: (0..clip.vertices).map(uv).collect(),
        row: 1.0 / height as f32,
        error: error_of(low, high, texels),
        measured,
    })
}

impl Texels {
    /// Returns the name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png16 => "16-bit integers",
            Self::Exr => "32-bit floats",
        }
    }

    /// Returns the value that a shader reads for `texel`. PNG rounds it to 16 bits; EXR leaves it.
    fn decode(self, texel: [f32; 3]) -> Vec3 {
        match self {
            Self::Png16 => Vec3::from_array(texel.map(|channel| (channel * MAX_TEXEL_VALUE).round() / MAX_TEXEL_VALUE)),
            Self::Exr => texel.into(),
        }
    }
}

/// Returns the largest error of a stored offset between `low` and `high`, in the unit of the clip: half a quantisation step on
/// every axis for 16 bits, or the rounding error for floats.
fn error_of(low: Vec3, high: Vec3, texels: Texels) -> f64 {
    let span = (high - low).as_dvec3();
    // Decoding multiplies and adds floats; four roundings of the largest value bound the error.
    let rounding = 4.0 * f64::from(f32::EPSILON) * f64::from(low.abs().max(high.abs()).max_element());
    match texels {
        Texels::Png16 => span.length() / 65_535.0 / 2.0 + rounding,
        Texels::Exr => rounding,
    }
}

/// Returns the lowest and the highest offset from the first frame per axis, in the unit of the clip. Both include 0.
fn range(clip: &VertexClip) -> (Vec3, Vec3) {
    let base = clip.frame(0);
    let offsets = clip.positions.iter().enumerate().map(|(i, &point)| point - base[i % clip.vertices]);
    offsets.fold((Vec3::ZERO, Vec3::ZERO), |(low, high), offset| (low.min(offset), high.max(offset)))
}

/// Maps `value` from the range to 0…1. Values outside are clamped; an empty range gives 0.
fn fraction_of_range(value: f32, low: f32, high: f32) -> f32 {
    if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 }
}

/// Encodes `values`, which are 0…1, as an image of `width` × `height` texels. `name` is for messages. Returns `Err` if the
/// size differs from the number of values.
fn texture(
    values: &[[f32; 3]],
    [width, height]: [usize; 2],
    texels: Texels,
    name: &str,
) -> Result<Vec<u8>, ExportError> {
    let (width, height) = (width as u32, height as u32);
    let (image, format) = match texels {
        Texels::Png16 => {
            let values =
                values.as_flattened().iter().map(|channel| (channel * MAX_TEXEL_VALUE).round() as u16).collect();
            (ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageRgb16), ImageFormat::Png)
        }
        Texels::Exr => {
            let values = values.as_flattened().to_vec();
            (ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageRgb32F), ImageFormat::OpenExr)
        }
    };
    let refused = |reason: String| ExportError::Image { name: name.into(), reason };
    let mut bytes = Cursor::new(Vec::new());
    let image = image.ok_or_else(|| refused("the texture size differs from its texels".into()))?;
    image.write_to(&mut bytes, format).map_err(|error| refused(error.to_string()))?;
    Ok(bytes.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(vertices: usize, frames: usize) -> VertexClip {
        let point = |frame: usize, i: usize| {
            let t = (frame * 3 + i) as f32 * 0.31;
            Vec3::new(i as f32 * 0.1 + 0.02 * t.cos(), 0.4 * t.sin(), 0.003 * (i + frame) as f32)
        };
        let positions = (0..frames).flat_map(|frame| (0..vertices).map(move |i| point(frame, i))).collect();
        let faces = (0..vertices as u32 - 2).flat_map(|i| [i, i + 1, i + 2]).collect();
        VertexClip::new("flag", 30.0, vertices, positions, faces).unwrap()
    }

    /// Decodes as a shader does: samples the texel of the vertex in the row of `frame` and maps it to the range.
    fn decode(vat: &Vat, clip: &VertexClip, frame: usize, vertex: usize) -> Vec3 {
        let image = image::load_from_memory(&vat.offsets).unwrap();
        let remap: serde_json::Value = serde_json::from_str(&vat.remap).unwrap();
        let corner = |name: &str| {
            let value = |i: usize| remap["os-remap"][name][i].as_f64().unwrap() as f32;
            Vec3::new(value(0), value(1), value(2))
        };
        assert_eq!(remap["os-remap"]["Frames"], clip.frames());
        let uv = vat.uvs[vertex] + Vec2::Y * vat.row * frame as f32;
        let (x, y) = ((uv.x * image.width() as f32) as u32, (uv.y * image.height() as f32) as u32);
        let texel = match &image {
            DynamicImage::ImageRgb16(image) => {
                Vec3::from_array(image.get_pixel(x, y).0.map(|channel| f32::from(channel) / 65_535.0))
            }
            image => Vec3::from_array(image.to_rgb32f().get_pixel(x, y).0),
        };
        clip.frame(0)[vertex] + corner("Min") + texel * (corner("Max") - corner("Min"))
    }

    #[test]
    fn decoded_positions_stay_within_the_stated_error() {
        let clip = wave(40, 12);
        for texels in [Texels::Png16, Texels::Exr] {
            let vat = vat(&clip, &Shading::default(), texels, &Progress::new()).unwrap();
            // The mesh spans metres and its offsets less than one: a hundredth of a millimetre at 16 bits.
            assert!(vat.error < 2e-5, "{}", vat.error);
            for (frame, vertex) in [(0, 0), (1, 39), (5, 7), (11, 20)] {
                let apart = decode(&vat, &clip, frame, vertex).distance(clip.frame(frame)[vertex]);
                assert!(f64::from(apart) <= vat.error + 1e-6, "{texels:?} {apart}");
                assert!(f64::from(apart) <= vat.measured, "{texels:?} {apart}");
            }
            assert!(vat.measured <= vat.error, "{texels:?} {} {}", vat.measured, vat.error);
        }
    }

    #[test]
    fn normals_match_the_faces_of_each_frame_to_a_tenth_of_a_degree() {
        let clip = wave(40, 6);
        let vat = vat(&clip, &Shading::default(), Texels::Png16, &Progress::new()).unwrap();
        let image = image::load_from_memory(&vat.normals).unwrap().to_rgb16();
        let mut expected = Vec::new();
        for frame in 0..6 {
            Shading::default().normals(clip.frame(frame), &clip.faces, &mut expected);
            for (vertex, expected) in expected.iter().enumerate() {
                let texel =
                    image.get_pixel(vertex as u32, frame as u32).0.map(|channel| f32::from(channel) / MAX_TEXEL_VALUE);
                let normal = Vec3::from_array(texel) * 2.0 - 1.0;
                assert!(normal.angle_between(*expected).to_degrees() <= 0.1);
            }
        }
    }

    #[test]
    fn wide_meshes_continue_in_a_second_block_and_too_large_ones_are_refused() {
        let clip = wave(MAX_SIDE_TEXELS + 10, 2);
        let vat = vat(&clip, &Shading::default(), Texels::Png16, &Progress::new()).unwrap();
        assert_eq!(image::load_from_memory(&vat.offsets).unwrap().height(), 4);
        let vertex = MAX_SIDE_TEXELS + 3;
        assert!(decode(&vat, &clip, 1, vertex).distance(clip.frame(1)[vertex]) < 1e-3);
        let long = VertexClip::new("long", 30.0, 1, vec![Vec3::ZERO; MAX_SIDE_TEXELS + 1], Vec::new()).unwrap();
        assert!(super::vat(&long, &Shading::default(), Texels::Png16, &Progress::new()).is_err());
    }
}
