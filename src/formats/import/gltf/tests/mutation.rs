//! Fuzz tests of glTF: import returns a result for any bytes, quickly and within its memory limit.

use std::path::Path;

use glam::{Affine3A, Quat, Vec3};
use serde_json::{Value, json};

use crate::export::gltf::{ClipEdit, ClipEdits, Keep, from_model, to_glb_bytes, write};
use crate::import::Imported;
use crate::import::gltf::from_bytes;
use portamento_anim::Skeleton;
use portamento_anim::geometry::{
    AlphaMode, Filter, Material, MaterialMaps, Primitive, Sampler, Skin, Texture, TextureMap, Wrap,
};
use portamento_anim::geometry::{Mesh, MeshInstance, MorphTarget};
use portamento_anim::math::Transform;
use portamento_anim::math::random::SplitMix64;
use portamento_anim::{Clip, Curve, GltfSource, Interpolation, Joint, JointTracks, Model};

/// Random choices that are the same in every run.
struct Dice(SplitMix64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        (self.0.bits() % sides.max(1) as u64) as usize
    }
}

/// Returns a small model with one of everything.
pub(crate) fn small_model() -> Model {
    let joint = |node: usize, parent, first_morph, morph_count| Joint {
        name: format!("joint {node}"),
        parent,
        rest: Transform::from_translation(Vec3::Y),
        node,
        first_morph,
        morph_count,
    };
    let skeleton = Skeleton {
        joints: vec![joint(0, None, 0, 0), joint(1, Some(0), 0, 0), joint(2, Some(1), 0, 0), joint(3, None, 0, 2)],
        rest_morphs: vec![0.0, 0.5],
    };
    let part = Primitive {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE],
        normals: vec![Vec3::Z; 4],
        uvs: vec![glam::Vec2::ZERO; 4],
        second_uvs: vec![glam::Vec2::X; 4],
        flat: false,
        colors: vec![[1.0; 4]; 4],
        indices: vec![0, 1, 2, 2, 1, 3],
        influences: 8,
        joints: [[0, 1, 2, 0, 3, 0, 0, 0]; 4].concat(),
        weights: [[0.25, 0.25, 0.25, 0.0, 0.25, 0.0, 0.0, 0.0]; 4].concat(),
        morphs: vec![MorphTarget { positions: vec![Vec3::X; 4], normals: vec![Vec3::Z; 4] }; 2],
        material: Some(0),
        joint_sets: Default::default(),
    };
    let mut tracks = vec![JointTracks::default(); 4];
    tracks[0].translation = Some(Curve::linear(vec![0.0, 0.5, 1.0], vec![Vec3::ZERO, Vec3::X, Vec3::Y]));
    let half = Quat::from_rotation_y(0.5);
    tracks[1].rotation = Some(Curve {
        interpolation: Interpolation::CubicSpline,
        times: vec![0.0, 1.0].into(),
        values: vec![Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), half, half, half, Quat::IDENTITY, half].into(),
    });
    tracks[2].scale =
        Some(Curve { interpolation: Interpolation::Step, times: vec![0.25].into(), values: vec![Vec3::ONE].into() });
    tracks[3].morphs = Some(Curve::linear(vec![0.0, 1.0], vec![0.0, 1.0, 1.0, 0.0]));
    Model {
        name: "small".into(),
        skeleton,
        meshes: vec![Mesh {
            name: "body".into(),
            primitives: vec![part],
            morph_names: vec!["smile".into(), "frown".into()],
        }],
        skins: vec![Skin { joints: vec![0, 1, 2, 3], inverse_bind: vec![Affine3A::IDENTITY; 4] }],
        instances: vec![MeshInstance { joint: 3, mesh: 0, skin: Some(0) }],
        materials: vec![surface()],
        textures: vec![Texture { width: 2, height: 2, rgba: vec![200; 16] }],
        clips: vec![Clip { name: "move".into(), duration: 1.0, tracks }],
        ..Model::default()
    }
}

/// Returns a material with one of everything.
fn surface() -> Material {
    let plain = Some(TextureMap::of(0));
    let sampler = Sampler { wrap_u: Wrap::Mirror, wrap_v: Wrap::Clamp, magnify: Filter::Sharp, ..Sampler::default() };
    let placing = glam::Affine2::from_scale_angle_translation(glam::Vec2::new(2.0, 3.0), 0.5, glam::Vec2::X);
    let placed = Some(TextureMap { placing, second_uvs: true, sampler, ..TextureMap::of(0) });
    Material {
        name: "skin".into(),
        base_color: [0.5, 0.25, 1.0, 0.75],
        metallic: 0.25,
        roughness: 0.5,
        specular: 0.25,
        normal_scale: 0.75,
        occlusion_strength: 0.5,
        emissive: [2.0, 0.5, 0.25],
        maps: MaterialMaps {
            color: plain,
            metallic_roughness: plain,
            normal: placed,
            occlusion: placed,
            emissive: placed,
        },
        alpha: AlphaMode::Mask(0.25),
        double_sided: true,
        unlit: true,
    }
}

/// Returns the small model with a sparse accessor and an interleaved view, which the exporter does not write.
fn seed() -> GltfSource {
    let mut source = from_model(&small_model(), None);
    let positions = source.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
    let at = positions.as_u64().unwrap() as usize;
    let view = source.json["accessors"][at]["bufferView"].clone();
    source.json["accessors"][at]["sparse"] = json!({ "count": 1,
        "indices": { "bufferView": view, "byteOffset": 0, "componentType": 5121 },
        "values": { "bufferView": view, "byteOffset": 12 } });
    source
}

fn mutated(seed: &GltfSource, dice: &mut Dice) -> Vec<u8> {
    let mut source = seed.clone();
    if dice.roll(4) > 0 {
        for _ in 0..=dice.roll(3) {
            edit(&mut source.json, dice);
        }
    }
    let mut bytes = if dice.roll(8) == 0 {
        source.json.to_string().into_bytes()
    } else {
        glb(&source.json, source.buffers.first().map_or(&[][..], |bytes| &bytes[..]))
    };
    match dice.roll(6) {
        0 => flip(&mut bytes, dice),
        1 => bytes.truncate(dice.roll(bytes.len())),
        // The lengths of the file and the JSON chunk, and any other bytes.
        2 => {
            let at = [8, 12, 16, dice.roll(bytes.len() / 4) * 4][dice.roll(4)];
            let lie = [0, 1, 3, 0x7FFF_FFFF, u32::MAX, bytes.len() as u32][dice.roll(6)];
            bytes.get_mut(at..at + 4).into_iter().for_each(|four| four.copy_from_slice(&lie.to_le_bytes()));
        }
        _ => {}
    }
    bytes
}

/// Returns a GLB of exactly this JSON and this chunk, even if they do not match.
fn glb(json: &Value, bin: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut out = b"glTF".to_vec();
    out.extend(2_u32.to_le_bytes());
    out.extend((28 + text.len() as u32 + bin.len() as u32).to_le_bytes());
    for (kind, bytes) in [(0x4E4F_534A_u32, &text[..]), (0x004E_4942, bin)] {
        out.extend((bytes.len() as u32).to_le_bytes());
        out.extend(kind.to_le_bytes());
        out.extend(bytes);
    }
    out
}

fn flip(bytes: &mut [u8], dice: &mut Dice) {
    for _ in 0..=dice.roll(16) {
        let at = dice.roll(bytes.len());
        bytes[at] ^= 1 << dice.roll(8);
    }
}

/// Changes one value below `value`.
fn edit(value: &mut Value, dice: &mut Dice) {
    let deeper = dice.roll(8) > 0;
    match value {
        Value::Array(list) if deeper && !list.is_empty() => {
            let at = dice.roll(list.len());
            match dice.roll(12) {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                2 => list.swap(at, 0),
                _ => edit(&mut list[at], dice),
            }
        }
        Value::Object(fields) if deeper && !fields.is_empty() => {
            let at = dice.roll(fields.len());
            let key = fields.keys().nth(at).cloned().unwrap();
            if dice.roll(12) == 0 {
                fields.shift_remove(&key);
            } else {
                edit(&mut fields[&key], dice);
            }
        }
        _ => *value = strange(dice),
    }
}

fn strange(dice: &mut Dice) -> Value {
    let choices = [
        json!(-1),
        json!(0),
        json!(1),
        json!(2),
        json!(3),
        json!(7),
        json!(255),
        json!(4_000_000_000_u64),
        json!(u64::MAX),
        json!(1e300),
        json!(-0.5),
        json!("text"),
        json!(null),
        json!([]),
        json!({}),
        json!([0, 0, 0]),
        json!(5120),
        json!(5125),
        json!("MAT4"),
        json!("SCALAR"),
        json!("VEC4"),
        json!("CUBICSPLINE"),
        json!(true),
        json!("../outside.bin"),
        json!("data:;base64,AAAA"),
        json!(200_000_000),
        json!(1_000_000),
        json!("weights"),
    ];
    choices[dice.roll(choices.len())].clone()
}

/// Checks that an opened file can be written in every way and opened again.
fn export(imported: &Imported, number: usize) {
    let (source, model) = (imported.source.as_ref().unwrap(), &imported.model);
    let open = |source: &GltfSource| from_bytes(&source.path, &to_glb_bytes(source).unwrap());
    assert!(open(source).is_ok(), "mutant {number}");
    assert!(open(&from_model(model, None)).is_ok(), "mutant {number} rewritten");
    let Some(clip) = model.clips.first() else { return };
    let renamed = Clip { name: "again".into(), ..clip.clone() };
    for (keep, clip) in [(Keep::Append, &renamed), (Keep::Replace, clip), (Keep::Alone, clip)] {
        let edits = ClipEdits { keep, clips: vec![ClipEdit { clip, original: Some((0, clip)) }] };
        if let Ok(out) = write(source, &model.skeleton, &edits) {
            let again = open(&out).unwrap_or_else(|error| panic!("mutant {number} {keep:?}: {error}"));
            let written = again.model.clips.iter().find(|written| written.name == clip.name);
            let written = written.unwrap_or_else(|| panic!("mutant {number} {keep:?} lacks {:?}", clip.name));
            let rotations = |clip: &Clip| clip.tracks.iter().filter(|track| track.rotation.is_some()).count();
            assert_eq!(rotations(written), rotations(clip), "mutant {number} {keep:?}");
        }
    }
}

/// Reads `count` mutants. Those that open must be playable and exportable.
fn read_mutants(count: usize, first: u64) {
    let seed = seed();
    let mut opened = 0;
    for number in 0..count {
        let mut dice = Dice(SplitMix64::new(first.wrapping_add(number as u64).wrapping_mul(0xA076_1D64_78BD_642F)));
        let bytes = mutated(&seed, &mut dice);
        let begun = std::time::Instant::now();
        if let Ok(imported) = from_bytes(Path::new("/nowhere/mutant.glb"), &bytes) {
            opened += 1;
            let model = &imported.model;
            for clip in &model.clips {
                let pose = clip.pose_at(&model.skeleton, 0.4);
                assert!(pose.locals.iter().all(|local| local.is_finite()), "mutant {number}");
            }
            export(&imported, number);
        }
        assert!(begun.elapsed().as_secs() < 5, "mutant {number} took {:?}", begun.elapsed());
    }
    assert!(opened > count / 20 && opened < count, "{opened} of {count} opened: the mutations test too little");
}

#[test]
fn no_broken_file_panics_or_hangs() {
    read_mutants(1_000, 0);
}

#[test]
#[ignore = "minutes: set PORTAMENTO_MUTANTS to choose how many"]
fn no_broken_file_panics_or_hangs_however_many() {
    let count = std::env::var("PORTAMENTO_MUTANTS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    read_mutants(count, 1 << 32);
}
