//! Vertex animation textures in OpenVAT's layout: one texel per vertex and frame, offsets from the first frame.
//!
//! Column = vertex, row = frame; one row further down is one frame later. Meshes wider than the texture go on in a second
//! block of rows below. A texel t decodes to min + t·(max − min), the range being in the JSON; normals n are stored as (n + 1)/2 in
//! a texture of their own. There is no closing row: shaders take the frame after the last modulo the number of frames.

use std::io::Cursor;

use glam::{Vec2, Vec3};
use image::{DynamicImage, ImageBuffer, ImageFormat};
use serde_json::json;

use super::ExportError;
use crate::geometry::Shading;
use crate::media::VertexClip;
use crate::progress::Progress;

/// Largest side of a texture; what every current graphics card takes.
const MOST_TEXELS: usize = 16_384;

/// Steps of a 16-bit texel.
const STEPS: f32 = 65_535.0;

/// How texels are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Texels {
    /// 16 bits, a tight range over 65 535 steps: finer than half floats.
    #[default]
    Png16,
    /// OpenEXR with 32-bit floats, which lose nothing.
    Exr,
}

/// Everything an engine needs beside the mesh of the first frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Vat {
    /// The texture of offsets, a whole PNG or EXR file.
    pub offsets: Vec<u8>,
    /// The texture of normals, the same format.
    pub normals: Vec<u8>,
    /// Where the limits of the offsets are written, `…-remap_info.json`.
    pub remap: String,
    /// Where each vertex finds its texel in the first row, (0, 0) the upper left corner.
    pub uvs: Vec<Vec2>,
    /// How far down the next frame is, in texture coordinates.
    pub row: f32,
    /// Largest possible error of a decoded position, in the mesh's unit.
    pub error: f64,
    /// Largest error of any vertex in any frame once its texel is decoded, in the mesh's unit.
    pub measured: f64,
}

/// Packs `clip`, whose vertices shade as `shading` has it, into textures. Errors when it has too many vertices times frames
/// for one texture.
pub fn vat(clip: &VertexClip, shading: &Shading, texels: Texels, progress: &Progress) -> Result<Vat, ExportError> {
    let (frames, width) = (clip.frames(), clip.vertices.min(MOST_TEXELS));
    if frames == 0 || width == 0 {
        return Err(ExportError::EmptyClip { clip: clip.name.clone() });
    }
    let height = clip.vertices.div_ceil(width).saturating_mul(frames);
    if height > MOST_TEXELS {
        let reason =
            format!("{} vertices in {frames} frames need {height} rows, more than {MOST_TEXELS}", clip.vertices);
        return Err(ExportError::Image { name: clip.name.clone(), reason });
    }
    let (low, high) = range(clip);
    let (mut offsets, mut normals) = (vec![[0.0; 3]; width * height], vec![[0.5; 3]; width * height]);
    let (mut facing, mut measured) = (Vec::new(), 0.0_f64);
    for frame in 0..frames {
        progress.step(frame, frames)?;
        shading.normals(clip.frame(frame), &clip.faces, &mut facing);
        for (vertex, (point, base)) in clip.frame(frame).iter().zip(clip.frame(0)).enumerate() {
            let at = (vertex / width * frames + frame) * width + vertex % width;
            offsets[at] = std::array::from_fn(|i| part(point[i] - base[i], low[i], high[i]));
            let decoded = *base + low + texels.decoded(offsets[at]) * (high - low);
            measured = measured.max(f64::from(decoded.distance(*point)));
            normals[at] = (facing[vertex] * 0.5 + 0.5).to_array();
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
    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png16 => "16-bit integers",
            Self::Exr => "32-bit floats",
        }
    }

    /// What a shader reads where `texel` was written.
    fn decoded(self, texel: [f32; 3]) -> Vec3 {
        match self {
            Self::Png16 => Vec3::from_array(texel.map(|channel| (channel * STEPS).round() / STEPS)),
            Self::Exr => texel.into(),
        }
    }
}

/// Half a step of the coarsest axis in each direction at 16 bits; float rounding otherwise.
fn error_of(low: Vec3, high: Vec3, texels: Texels) -> f64 {
    let span = (high - low).as_dvec3();
    // Decoding multiplies and adds floats; four roundings of the largest number bound it.
    let rounding = 4.0 * f64::from(f32::EPSILON) * f64::from(low.abs().max(high.abs()).max_element());
    match texels {
        Texels::Png16 => span.length() / 65_535.0 / 2.0 + rounding,
        Texels::Exr => rounding,
    }
}

fn range(clip: &VertexClip) -> (Vec3, Vec3) {
    let base = clip.frame(0);
    let offsets = clip.positions.iter().enumerate().map(|(i, &point)| point - base[i % clip.vertices]);
    offsets.fold((Vec3::ZERO, Vec3::ZERO), |(low, high), offset| (low.min(offset), high.max(offset)))
}

fn part(value: f32, low: f32, high: f32) -> f32 {
    if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 }
}

fn texture(
    values: &[[f32; 3]],
    [width, height]: [usize; 2],
    texels: Texels,
    name: &str,
) -> Result<Vec<u8>, ExportError> {
    let (width, height) = (width as u32, height as u32);
    let (image, format) = match texels {
        Texels::Png16 => {
            let values = values.as_flattened().iter().map(|channel| (channel * STEPS).round() as u16).collect();
            (ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageRgb16), ImageFormat::Png)
        }
        Texels::Exr => {
            let values = values.as_flattened().to_vec();
            (ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageRgb32F), ImageFormat::OpenExr)
        }
    };
    let refused = |reason: String| ExportError::Image { name: name.into(), reason };
    let mut bytes = Cursor::new(Vec::new());
    let image = image.ok_or_else(|| refused("the texture has another size than its texels".into()))?;
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

    /// What a shader does: the texel at the vertex's place, so many rows down, back into its range.
    fn decoded(vat: &Vat, clip: &VertexClip, frame: usize, vertex: usize) -> Vec3 {
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
    fn decoded_positions_are_off_by_no_more_than_stated() {
        let clip = wave(40, 12);
        for texels in [Texels::Png16, Texels::Exr] {
            let vat = vat(&clip, &Shading::default(), texels, &Progress::new()).unwrap();
            // The mesh spans metres, its offsets less than one: a hundredth of a millimetre at 16 bits.
            assert!(vat.error < 2e-5, "{}", vat.error);
            for (frame, vertex) in [(0, 0), (1, 39), (5, 7), (11, 20)] {
                let apart = decoded(&vat, &clip, frame, vertex).distance(clip.frame(frame)[vertex]);
                assert!(f64::from(apart) <= vat.error + 1e-6, "{texels:?} {apart}");
                assert!(f64::from(apart) <= vat.measured, "{texels:?} {apart}");
            }
            assert!(vat.measured <= vat.error, "{texels:?} {} {}", vat.measured, vat.error);
        }
    }

    #[test]
    fn normals_are_those_of_each_frames_faces_to_a_tenth_of_a_degree() {
        let clip = wave(40, 6);
        let vat = vat(&clip, &Shading::default(), Texels::Png16, &Progress::new()).unwrap();
        let image = image::load_from_memory(&vat.normals).unwrap().to_rgb16();
        let mut expected = Vec::new();
        for frame in 0..6 {
            Shading::default().normals(clip.frame(frame), &clip.faces, &mut expected);
            for (vertex, expected) in expected.iter().enumerate() {
                let texel = image.get_pixel(vertex as u32, frame as u32).0.map(|channel| f32::from(channel) / STEPS);
                let normal = Vec3::from_array(texel) * 2.0 - 1.0;
                assert!(normal.angle_between(*expected).to_degrees() <= 0.1);
            }
        }
    }

    #[test]
    fn wide_meshes_go_on_in_a_second_block_and_too_large_ones_are_refused() {
        let clip = wave(MOST_TEXELS + 10, 2);
        let vat = vat(&clip, &Shading::default(), Texels::Png16, &Progress::new()).unwrap();
        assert_eq!(image::load_from_memory(&vat.offsets).unwrap().height(), 4);
        let vertex = MOST_TEXELS + 3;
        assert!(decoded(&vat, &clip, 1, vertex).distance(clip.frame(1)[vertex]) < 1e-3);
        let long = VertexClip::new("long", 30.0, 1, vec![Vec3::ZERO; MOST_TEXELS + 1], Vec::new()).unwrap();
        assert!(super::vat(&long, &Shading::default(), Texels::Png16, &Progress::new()).is_err());
    }
}
