//! Valid files of every kind, small enough to be damaged thousands of times.

use image::{ImageFormat, Rgba, RgbaImage};

use super::{fbx_nodes, fbx_text};
use crate::import::ktx2;
use crate::import::ktx2::tests::Supercompression;
use crate::import::npz::tests as npz;
use portamento_anim::GltfSource;
use portamento_anim::math::random::SplitMix64;
use portamento_test_support::{damaged, number, random_below};

const BVH: &str = "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
    JOINT leg\n{\nOFFSET 0 -1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 -1 0\n}\n}\n}\n\
    MOTION\nFrames: 3\nFrame Time: 0.0333333\n0 1 0 0 0 0 0 0 0\n0 1 1 0 10 0 5 0 0\n0 1 2 0 20 0 0 9 0\n";

const OBJ: &str = "mtllib a.mtl\no floor\nv 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nvt 0 0\nvt 1 1\nusemtl wood\ng all\nf 1/1 2/2 3 4\n\
    f -4 -3 -2\nf 1//1 2/1/1 4\n";

/// A small valid file.
pub(super) struct Seed {
    pub name: &'static str,
    pub bytes: Vec<u8>,
    /// Damages these bytes, or those after the JSON of a GLB.
    pub damage: Damage,
}

type Damage = fn(&[u8], &mut SplitMix64) -> Vec<u8>;

/// Returns a small valid file of each kind.
pub(super) fn seeds() -> Vec<Seed> {
    let picture = RgbaImage::from_fn(6, 5, |x, y| Rgba([40 * x as u8, 50 * y as u8, 90, 255 - 20 * x as u8]));
    let encoded = |format| {
        let mut bytes = std::io::Cursor::new(Vec::new());
        let picture = image::DynamicImage::from(picture.clone());
        let written = match format {
            ImageFormat::Jpeg => picture.to_rgb8().write_to(&mut bytes, format),
            ImageFormat::OpenExr => picture.to_rgba32f().write_to(&mut bytes, format),
            _ => picture.write_to(&mut bytes, format),
        };
        written.unwrap();
        bytes.into_inner()
    };
    let mut gif = Vec::new();
    let frames = (0..3).map(|_| image::Frame::new(picture.clone()));
    image::codecs::gif::GifEncoder::new(&mut gif).encode_frames(frames).unwrap();
    let small = crate::import::gltf::tests::small_model();
    let fixture = |name: &str| std::fs::read(portamento_test_support::fixture(name)).unwrap();
    let small_fbx = crate::export::fbx::to_bytes(&small, &["a.png".into()], &Default::default()).unwrap();
    let bytes = |(name, bytes)| Seed { name, bytes, damage: damaged };
    let structured = [
        Seed { name: "d.fbx", bytes: fixture("figure.fbx"), damage: fbx_nodes::damaged },
        Seed { name: "e.fbx", bytes: small_fbx.clone(), damage: fbx_nodes::damaged },
        Seed { name: "e.glb", bytes: with_ktx2(ktx2::tests::packed(Supercompression::BasisLz)), damage: ktx2_head },
        Seed { name: "f.glb", bytes: with_ktx2(ktx2::tests::packed(Supercompression::Zstd)), damage: ktx2_head },
        Seed { name: "g.glb", bytes: with_ktx2(fixture("textures/etc1s.ktx2")), damage: ktx2_head },
        Seed { name: "h.glb", bytes: with_ktx2(fixture("textures/uastc.ktx2")), damage: ktx2_head },
        Seed { name: "a.npz", bytes: npz::npz(&npz::amass(3), false), damage: npz_arrays },
        Seed { name: "f.fbx", bytes: fixture("bend.fbx"), damage: fbx_text::damaged },
    ];
    let plain = [
        ("a.bvh", BVH.into()),
        ("a.obj", OBJ.into()),
        ("a.mdd", mdd()),
        ("a.pc2", pc2()),
        ("a.fbx", fixture("figure.fbx")),
        ("b.fbx", fixture("bend.fbx")),
        ("c.fbx", small_fbx),
        ("a.glb", fixture("everything.glb")),
        ("b.glb", fixture("compressed/everything_draco.glb")),
        ("c.glb", fixture("compressed/everything_meshopt_high.glb")),
        ("d.glb", with_ktx2(ktx2::tests::small(163))),
        ("i.glb", with_ktx2(fixture("textures/etc1s.ktx2"))),
        ("j.glb", with_ktx2(fixture("textures/uastc.ktx2"))),
        ("b.npz", npz::npz(&npz::amass(3), true)),
        ("c.npz", fixture("arrays/soma.npz")),
        ("a.npy", fixture("arrays/humanml.npy")),
        ("a.gltf", fixture("everything.gltf")),
        ("a.gif", gif),
        ("a.apng", apng()),
        ("a0.png", encoded(ImageFormat::Png)),
        ("a0.jpg", encoded(ImageFormat::Jpeg)),
        ("a0.webp", encoded(ImageFormat::WebP)),
        ("a0.exr", encoded(ImageFormat::OpenExr)),
        ("a0.tga", encoded(ImageFormat::Tga)),
    ];
    plain.into_iter().map(bytes).chain(structured).collect()
}

/// Returns a GLB whose only material uses a KTX 2 texture.
fn with_ktx2(texture: Vec<u8>) -> Vec<u8> {
    let json = serde_json::json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "name": "hips" }],
        "buffers": [{ "byteLength": texture.len() }],
        "bufferViews": [{ "buffer": 0, "byteLength": texture.len() }],
        "images": [{ "mimeType": "image/ktx2", "bufferView": 0 }],
        "textures": [{ "extensions": { "KHR_texture_basisu": { "source": 0 } } }],
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
    });
    let source =
        GltfSource { path: "d.glb".into(), json, buffers: vec![texture.into()], binary: true, chunks: Vec::new() };
    crate::export::gltf::to_glb_bytes(&source).unwrap()
}

/// Damages the numbers of a KTX 2 file: sizes, offsets of levels, of the descriptor and of the global data.
fn ktx2_head(seed: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    const NUMBERS: usize = 80 + 3 * 24 + 44;
    let mut bytes = if random_below(random, 4) == 0 { damaged(seed, random) } else { seed.to_vec() };
    if let Some(at) = bytes.windows(ktx2::MAGIC.len()).position(|part| part == ktx2::MAGIC) {
        let first = at + ktx2::MAGIC.len();
        for _ in 0..=random_below(random, 3) {
            number(&mut bytes, first + 4 * random_below(random, NUMBERS / 4 - 3), random);
        }
    }
    bytes
}

/// Packs arrays again after one of them was damaged, so that the checksums are right.
fn npz_arrays(_: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut arrays = npz::amass(3);
    let index = random_below(random, arrays.len());
    let bytes = &mut arrays[index].1;
    // Half of the time only the header, in which lengths and types are.
    let end = if random_below(random, 2) == 0 { bytes.len() } else { bytes.len().min(90) };
    let rest = bytes.split_off(end);
    *bytes = [damaged(bytes, random), rest].concat();
    npz::npz(&arrays, random_below(random, 2) == 0)
}

/// Returns an MDD with two frames of two points.
fn mdd() -> Vec<u8> {
    let head = [2_i32, 2].iter().flat_map(|count| count.to_be_bytes());
    let times = [0.0_f32, 0.5].iter().flat_map(|time| time.to_be_bytes());
    head.chain(times).chain((0..12).flat_map(|number| (number as f32).to_be_bytes())).collect()
}

fn pc2() -> Vec<u8> {
    let mut bytes = crate::import::point_cache::PC2_MAGIC.to_vec();
    bytes.extend([1_i32, 2].iter().flat_map(|count| count.to_le_bytes()));
    bytes.extend([0.0_f32, 1.0].iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(2_i32.to_le_bytes());
    bytes.extend((0..12).flat_map(|number| (number as f32).to_le_bytes()));
    bytes
}

/// Returns an APNG with three frames of 4 × 3 pixels.
fn apng() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 4, 3);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_animated(3, 0).unwrap();
    let mut writer = encoder.write_header().unwrap();
    (0..3).for_each(|frame| writer.write_image_data(&[60 * frame; 48]).unwrap());
    writer.finish().unwrap();
    bytes
}
