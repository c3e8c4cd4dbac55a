//! Figures posed by the processor and by the graphics card look the same.

use std::path::Path;

use glam::{Affine3A, Quat, Vec3};
use portamento::anim::{Clip, Curve, Joint, JointTracks, Model, Skeleton};
use portamento::export::gltf::{from_model, to_glb_bytes};
use portamento::geometry::{AlphaMode, Material, Mesh, MeshInstance, MorphTarget, Primitive, Skin};
use portamento::math::Transform;

use super::real_window::{Display, Rgb, VIEW, samples};
use super::skipped;

/// Joints of the chain that bends.
const CHAIN: usize = 9;
/// Vertices around the tube and along it.
const AROUND: usize = 24;
const ALONG: usize = 60;

/// A tube along Y of 2 m with a shape that swells its middle.
fn tube(radius: f32) -> Primitive {
    let angle = |i: usize| std::f32::consts::TAU * (i % AROUND) as f32 / AROUND as f32;
    let way = |i: usize| Vec3::new(angle(i).sin(), 0.0, angle(i).cos());
    let height = |i: usize| 2.0 * (i / AROUND) as f32 / (ALONG - 1) as f32;
    let count = AROUND * ALONG;
    let quad = |i: usize| {
        let (a, b) = (i as u32, (i / AROUND * AROUND + (i + 1) % AROUND) as u32);
        let (c, d) = (a + AROUND as u32, b + AROUND as u32);
        [a, b, c, c, b, d]
    };
    let swell = |i: usize| 0.25 * (-20.0 * (height(i) - 1.0).powi(2)).exp();
    let slope = |i: usize| Vec3::Y * 40.0 * (height(i) - 1.0) * swell(i);
    Primitive {
        positions: (0..count).map(|i| way(i) * radius + Vec3::Y * height(i)).collect(),
        normals: (0..count).map(way).collect(),
        indices: (0..count - AROUND).flat_map(quad).collect(),
        morphs: vec![MorphTarget {
            positions: (0..count).map(|i| way(i) * swell(i)).collect(),
            normals: (0..count).map(slope).collect(),
        }],
        ..Primitive::default()
    }
}

/// The tube under eight joints a vertex, whose weights do not sum to 1 and of which some count nothing.
fn bound(radius: f32, material: usize) -> Primitive {
    let tube = tube(radius);
    let height = |vertex: usize| tube.positions[vertex].y * (CHAIN - 1) as f32 / 2.0;
    let first = |vertex: usize| (height(vertex) - 3.0).clamp(0.0, (CHAIN - 8) as f32) as usize;
    let entries = || (0..tube.positions.len()).flat_map(|vertex| (0..8).map(move |entry| (vertex, entry)));
    let weight = |(vertex, entry)| {
        let away: f32 = height(vertex) - (first(vertex) + entry) as f32;
        if away.abs() < 1.5 { 1.5 - away.abs() } else { 0.0 }
    };
    Primitive {
        influences: 8,
        joints: entries().map(|(vertex, entry)| (first(vertex) + entry) as u16).collect(),
        weights: entries().map(weight).collect(),
        material: Some(material),
        ..tube
    }
}

/// A chain that bends within a tube and a see-through shell, and on its end a tube that no skin carries; all swell.
fn bending(folder: &Path) -> std::path::PathBuf {
    let joint = |name: &str, parent: Option<usize>, at: Vec3, node: usize, morphs: [usize; 2]| Joint {
        name: name.into(),
        parent,
        rest: Transform { translation: at, ..Transform::IDENTITY },
        node,
        first_morph: morphs[0],
        morph_count: morphs[1],
    };
    let step = 2.0 / (CHAIN - 1) as f32;
    let bone =
        |i: usize| joint(&format!("bone {i}"), i.checked_sub(1), Vec3::Y * if i == 0 { 0.0 } else { step }, i, [0, 0]);
    let mut joints: Vec<Joint> = (0..CHAIN).map(bone).collect();
    joints.push(joint("tube", None, Vec3::ZERO, CHAIN, [0, 1]));
    joints.push(joint("flag", Some(CHAIN - 1), Vec3::new(0.3, -0.2, 0.0), CHAIN + 1, [1, 1]));
    let times: Vec<f32> = [0.0, 1.0].into();
    let bent = JointTracks {
        rotation: Some(Curve::linear(times.clone(), vec![Quat::IDENTITY, Quat::from_rotation_z(-0.25)])),
        ..JointTracks::default()
    };
    let swells = |most: f32| JointTracks {
        morphs: Some(Curve::linear(times.clone(), vec![0.0, most])),
        ..JointTracks::default()
    };
    let tracks = vec![bent; CHAIN].into_iter().chain([swells(1.0), swells(0.4)]).collect();
    let bind = |i: usize| Affine3A::from_translation(Vec3::NEG_Y * step * i as f32);
    let shell = Material { base_color: [0.1, 0.4, 0.9, 0.4], alpha: AlphaMode::Blend, ..Material::default() };
    let placed = |joint: usize, mesh: usize, skin: Option<usize>| MeshInstance { joint, mesh, skin };
    let skinned = vec![bound(0.12, 0), bound(0.2, 1)];
    let meshes = [skinned, vec![tube(0.05)]].map(|primitives| Mesh {
        name: "tube".into(),
        primitives,
        morph_names: vec!["swell".into()],
    });
    let model = Model {
        name: "bending".into(),
        skeleton: Skeleton { joints, rest_morphs: vec![0.0; 2] },
        meshes: meshes.into(),
        skins: vec![Skin { joints: (0..CHAIN).collect(), inverse_bind: (0..CHAIN).map(bind).collect() }],
        instances: vec![placed(CHAIN, 0, Some(0)), placed(CHAIN + 1, 1, None)],
        materials: vec![Material { base_color: [0.8, 0.3, 0.2, 1.0], ..Material::default() }, shell],
        clips: vec![Clip { name: "bend".into(), duration: 1.0, tracks }],
        ..Model::default()
    };
    let path = folder.join("bending.glb");
    std::fs::write(&path, to_glb_bytes(&from_model(&model, None)).unwrap()).unwrap();
    path
}

/// The view on `file` with vertices posed that way.
fn seen(display: &Display, file: &Path, time: &str, way: &str) -> Result<Vec<Rgb>, String> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("picture.png");
    let mut command = display.program(&folder.path().join("home"));
    command.env("PORTAMENTO_SKINNING", way).arg("screenshot").arg(file).args(["--time", time]).arg("--out").arg(&out);
    let done = command.output().unwrap();
    let words = String::from_utf8_lossy(&done.stderr);
    if words.contains("the window did not open") {
        return Err(words.into());
    }
    assert!(done.status.success(), "{words}");
    let picture = image::open(&out).unwrap().to_rgb8();
    let (x, y) = (VIEW.x.0 as u32..VIEW.x.1 as u32, VIEW.y.0 as u32..VIEW.y.1 as u32);
    Ok(y.flat_map(|y| x.clone().map(move |x| [x, y])).map(|[x, y]| picture.get_pixel(x, y).0).collect())
}

/// Pixels of which some channel is further apart than what is rounded.
fn apart(a: &[Rgb], b: &[Rgb]) -> usize {
    let far = |(a, b): &(&Rgb, &Rgb)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 8);
    a.iter().zip(b).filter(far).count()
}

/// Both ways show `file` alike at `time`, and not as it is at its start.
#[track_caller]
fn check(display: &Display, file: &Path, time: &str) -> Result<(), String> {
    let [first, processor, card] =
        [("0", "cpu"), (time, "cpu"), (time, "gpu")].map(|(time, way)| seen(display, file, time, way));
    let (first, processor, card) = (first?, processor?, card?);
    let (moved, apart) = (apart(&first, &processor), apart(&processor, &card));
    assert!(moved > 1500, "{}: {moved} pixels show that it moves", file.display());
    // Where an edge passes through a sample, or two surfaces lie in each other, the last bit decides.
    assert!(apart <= 20, "{}: {apart} pixels are apart", file.display());
    Ok(())
}

#[test]
fn joints_and_shapes_put_vertices_alike_on_the_processor_and_on_the_card() {
    let display = match Display::open() {
        Ok(display) => display,
        Err(reason) => return skipped(&reason),
    };
    let folder = tempfile::tempdir().unwrap();
    // The project shows ghosts, an image and a shadow.
    for (file, time) in [(bending(folder.path()), "0.8"), (samples(folder.path()), "0.5")] {
        if let Err(reason) = check(&display, &file, time) {
            return skipped(&reason);
        }
    }
}
