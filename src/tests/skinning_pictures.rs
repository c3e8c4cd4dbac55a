//! CPU and GPU skinning produce the same picture.

use std::path::Path;

use glam::{Affine3A, Quat, Vec3};
use portamento::anim::{Clip, Curve, Joint, JointTracks, Model, Skeleton};
use portamento::export::gltf::{from_model, to_glb_bytes};
use portamento::geometry::{AlphaMode, Material, Mesh, MeshInstance, MorphTarget, Primitive, Skin};
use portamento::math::Transform;

use super::real_window::{Display, Rgb, VIEW, samples};
use super::skipped;

/// Number of joints in the bending chain.
const CHAIN_JOINTS: usize = 9;
/// Number of vertices around and along the tube.
const VERTICES_AROUND: usize = 24;
const VERTICES_ALONG: usize = 60;

/// Returns a tube of 2 m along Y with a shape that bulges its middle.
fn tube(radius: f32) -> Primitive {
    let angle = |i: usize| std::f32::consts::TAU * (i % VERTICES_AROUND) as f32 / VERTICES_AROUND as f32;
    let direction = |i: usize| Vec3::new(angle(i).sin(), 0.0, angle(i).cos());
    let height = |i: usize| 2.0 * (i / VERTICES_AROUND) as f32 / (VERTICES_ALONG - 1) as f32;
    let count = VERTICES_AROUND * VERTICES_ALONG;
    let quad = |i: usize| {
        let (a, b) = (i as u32, (i / VERTICES_AROUND * VERTICES_AROUND + (i + 1) % VERTICES_AROUND) as u32);
        let (c, d) = (a + VERTICES_AROUND as u32, b + VERTICES_AROUND as u32);
        [a, b, c, c, b, d]
    };
    let swell = |i: usize| 0.25 * (-20.0 * (height(i) - 1.0).powi(2)).exp();
    let slope = |i: usize| Vec3::Y * 40.0 * (height(i) - 1.0) * swell(i);
    Primitive {
        positions: (0..count).map(|i| direction(i) * radius + Vec3::Y * height(i)).collect(),
        normals: (0..count).map(direction).collect(),
        indices: (0..count - VERTICES_AROUND).flat_map(quad).collect(),
        morphs: vec![MorphTarget {
            positions: (0..count).map(|i| direction(i) * swell(i)).collect(),
            normals: (0..count).map(slope).collect(),
        }],
        ..Primitive::default()
    }
}

/// Returns the tube with eight joints per vertex; weights do not sum to 1 and some are zero.
fn bound(radius: f32, material: usize) -> Primitive {
    let tube = tube(radius);
    let height = |vertex: usize| tube.positions[vertex].y * (CHAIN_JOINTS - 1) as f32 / 2.0;
    let first = |vertex: usize| (height(vertex) - 3.0).clamp(0.0, (CHAIN_JOINTS - 8) as f32) as usize;
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

/// Writes a chain that bends in a tube and a transparent shell, with an unskinned tube at its end; all have shapes.
fn bending(folder: &Path) -> std::path::PathBuf {
    let joint = |name: &str, parent: Option<usize>, at: Vec3, node: usize, morphs: [usize; 2]| Joint {
        name: name.into(),
        parent,
        rest: Transform { translation: at, ..Transform::IDENTITY },
        node,
        first_morph: morphs[0],
        morph_count: morphs[1],
    };
    let step = 2.0 / (CHAIN_JOINTS - 1) as f32;
    let bone =
        |i: usize| joint(&format!("bone {i}"), i.checked_sub(1), Vec3::Y * if i == 0 { 0.0 } else { step }, i, [0, 0]);
    let mut joints: Vec<Joint> = (0..CHAIN_JOINTS).map(bone).collect();
    joints.push(joint("tube", None, Vec3::ZERO, CHAIN_JOINTS, [0, 1]));
    joints.push(joint("flag", Some(CHAIN_JOINTS - 1), Vec3::new(0.3, -0.2, 0.0), CHAIN_JOINTS + 1, [1, 1]));
    let times: Vec<f32> = [0.0, 1.0].into();
    let bent = JointTracks {
        rotation: Some(Curve::linear(times.clone(), vec![Quat::IDENTITY, Quat::from_rotation_z(-0.25)])),
        ..JointTracks::default()
    };
    let swells = |most: f32| JointTracks {
        morphs: Some(Curve::linear(times.clone(), vec![0.0, most])),
        ..JointTracks::default()
    };
    let tracks = vec![bent; CHAIN_JOINTS].into_iter().chain([swells(1.0), swells(0.4)]).collect();
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
        skins: vec![Skin { joints: (0..CHAIN_JOINTS).collect(), inverse_bind: (0..CHAIN_JOINTS).map(bind).collect() }],
        instances: vec![placed(CHAIN_JOINTS, 0, Some(0)), placed(CHAIN_JOINTS + 1, 1, None)],
        materials: vec![Material { base_color: [0.8, 0.3, 0.2, 1.0], ..Material::default() }, shell],
        clips: vec![Clip { name: "bend".into(), duration: 1.0, tracks }],
        ..Model::default()
    };
    let path = folder.join("bending.glb");
    std::fs::write(&path, to_glb_bytes(&from_model(&model, None)).unwrap()).unwrap();
    path
}

/// Takes a screenshot of `file` with the skinning method `method`.
fn seen(display: &Display, file: &Path, time: &str, method: &str) -> Result<Vec<Rgb>, String> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("picture.png");
    let mut command = display.program(&folder.path().join("home"));
    command
        .env("PORTAMENTO_SKINNING", method)
        .arg("screenshot")
        .arg(file)
        .args(["--time", time])
        .arg("--out")
        .arg(&out);
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

/// Returns the number of pixels with a channel difference above rounding.
fn apart(a: &[Rgb], b: &[Rgb]) -> usize {
    let far = |(a, b): &(&Rgb, &Rgb)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 8);
    a.iter().zip(b).filter(far).count()
}

/// Checks that both methods show `file` equally at `time`, and differently from its start.
#[track_caller]
fn check(display: &Display, file: &Path, time: &str) -> Result<(), String> {
    let [first, processor, card] =
        [("0", "cpu"), (time, "cpu"), (time, "gpu")].map(|(time, method)| seen(display, file, time, method));
    let (first, processor, card) = (first?, processor?, card?);
    let (moved, apart) = (apart(&first, &processor), apart(&processor, &card));
    assert!(moved > 1500, "{}: {moved} pixels show that it moves", file.display());
    // At edges through a sample and at coincident surfaces, the last bit decides.
    assert!(apart <= 20, "{}: {apart} pixels are apart", file.display());
    Ok(())
}

#[test]
fn joints_and_shapes_give_equal_vertices_on_cpu_and_gpu() {
    let display = match Display::open() {
        Ok(display) => display,
        Err(reason) => return skipped(&reason),
    };
    let folder = tempfile::tempdir().unwrap();
    // The project contains ghosts, an image and a shadow.
    for (file, time) in [(bending(folder.path()), "0.8"), (samples(folder.path()), "0.5")] {
        if let Err(reason) = check(&display, &file, time) {
            return skipped(&reason);
        }
    }
}
