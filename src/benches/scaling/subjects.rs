//! The workloads of the scaling benchmark.

use std::sync::Arc;

use glam::{Affine3A, DVec3, Quat, Vec3};
use portamento::anim::skinning::{MeshTransform, SkinMatrix, deform};
use portamento::anim::{Clip, Curve, Joint, JointTracks, MaskChoice, Pose, Roles, Skeleton};
use portamento::geometry::{Level, Primitive};
use portamento::math::Transform;
use portamento::progress::Progress;
use portamento::systems::blend::{self, Input, Link, NodeKind, Source, Tree};
use portamento::systems::dynamics::{
    Chain, Collider, ColliderShape, DynamicsRig, Profile, STEP, Settings, State, step,
};
use portamento::systems::navigation::voxels::{VoxelSettings, floors};
use portamento::systems::stretch::LengthMeasure;
use portamento::systems::stretch::formula::{displacement, lengths};

/// One call of the measured work.
type Run = Box<dyn FnMut()>;

/// A workload of variable size.
pub struct Subject {
    pub name: &'static str,
    pub title: &'static str,
    pub sizes: &'static [usize],
    /// Size from which the constant cost of a call is negligible, so that the cost per unit should be constant.
    pub from: f64,
    /// The reason why the cost per unit varies.
    pub reason: &'static str,
    /// Returns the number of units of a size.
    pub units: fn(usize) -> f64,
    /// Prepares the work of a size.
    pub at: fn(usize) -> Run,
}

fn same(size: usize) -> f64 {
    size as f64
}

/// All workloads.
pub const SUBJECTS: &[Subject] = &[
    Subject {
        name: "joints",
        title: "three clips blended, to model space: joints",
        sizes: &[16, 64, 256, 1024, 4096],
        from: 64.0,
        reason: "what each call takes besides weighs more on few",
        units: same,
        at: |joints| blended(joints, 3),
    },
    Subject {
        name: "layers",
        title: "clips blended, 64 joints: layers",
        sizes: &[1, 2, 4, 8, 16],
        from: 4.0,
        reason: "what a pose takes besides its layers is shared by more",
        units: same,
        at: |layers| blended(64, layers),
    },
    Subject {
        name: "chains",
        title: "dynamics, chains of ten bones: bones",
        sizes: &[10, 40, 100, 400, 1000, 4000, 10_000],
        from: 40.0,
        reason: "each step's rest weighs on few; many leave the cache",
        units: same,
        at: |bones| swung(bones / 10, 0),
    },
    Subject {
        name: "colliders",
        title: "dynamics of 1 000 bones: colliders + 1",
        sizes: &[1, 2, 5, 9, 17, 33, 65],
        from: 17.0,
        reason: "what the step takes without any is shared by more",
        units: same,
        at: |colliders| swung(100, colliders - 1),
    },
    Subject {
        name: "vertices",
        title: "skinning, four joints each: vertices",
        sizes: &[1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000],
        from: 1000.0,
        reason: "72 bytes each, read and written, leave the cache",
        units: same,
        at: skinned,
    },
    Subject {
        name: "frames",
        title: "a path stretched: frames",
        sizes: &[10, 30, 100, 300, 1000, 3000, 10_000],
        from: 300.0,
        reason: "what each call takes besides weighs more on few",
        units: same,
        at: stretched,
    },
    Subject {
        name: "voxels",
        title: "a level to eroded floors: voxels of ground",
        sizes: &[30, 60, 120, 240, 480, 845],
        from: 40_000.0,
        reason: "large levels take new memory, which the system clears",
        units: |size| (size as f64 / 0.3).powi(2),
        at: voxelised,
    },
];

fn noise(i: usize, prime: usize) -> f32 {
    ((i * prime) % 1009) as f32 / 1009.0
}

fn joint(name: String, parent: Option<usize>, offset: Vec3) -> Joint {
    Joint { name, parent, rest: Transform::from_translation(offset), node: 0, first_morph: 0, morph_count: 0 }
}

fn blended(joints: usize, layers: usize) -> Run {
    let parent = |node: usize| node.checked_sub(1).map(|before| before - before % 3 / 2);
    let own = (0..joints).map(|node| joint(format!("{node}"), parent(node), Vec3::new(0.02, 0.1, 0.0)));
    let skeleton = Skeleton { joints: own.collect(), rest_morphs: Vec::new() };
    let times: Vec<f32> = (0..61).map(|key| key as f32 / 30.0).collect();
    let track = |number: usize, joint: usize| JointTracks {
        rotation: Some(Curve::linear(
            times.clone(),
            (0..61).map(|key| Quat::from_rotation_x(noise(key + joint + 61 * number, 37))).collect(),
        )),
        ..JointTracks::default()
    };
    let clip = |number: usize| Clip {
        name: format!("clip {number}"),
        duration: 2.0,
        tracks: (0..joints).map(|joint| track(number, joint)).collect(),
    };
    let clips: Vec<Clip> = (0..layers).map(clip).collect();
    let mut tree = Tree::default();
    let link = |tree: &mut Tree, clip: &Clip| {
        let child = tree.add(&clip.name, NodeKind::Source(Source { clip: clip.name.clone(), ..Source::default() }));
        Link { child, weight: 1.0, mask: MaskChoice::default(), ..Link::default() }
    };
    let links = clips.iter().map(|clip| link(&mut tree, clip)).collect();
    tree.root = tree.add("blend", NodeKind::Blend(links));
    let (clips, roles): (Vec<&Clip>, Roles) = (clips.iter().collect(), Roles::default());
    let input = Input { skeleton: &skeleton, clips: &clips, roles: &roles, markers: &[], travels: &[] };
    let built = blend::build(&input, &blend::Settings::Tree(tree), &Progress::new()).expect("a sound tree");
    let (mut scratch, mut pose, mut world) = (blend::Scratch::default(), Pose::default(), Vec::new());
    let mut time = 0.0;
    Box::new(move || {
        time = (time + 1.0 / 60.0) % 2.0;
        built.sample(time, &mut scratch, &mut pose);
        pose.world_from_joints(&skeleton, &mut world);
    })
}

fn swung(chains: usize, colliders: usize) -> Run {
    const BONES: usize = 10;
    let mut joints = vec![joint("head".into(), None, Vec3::Y)];
    for chain in 0..chains {
        let angle = chain as f32 / chains as f32 * std::f32::consts::TAU;
        joints.push(joint(format!("{chain}"), Some(0), Vec3::new(angle.cos() * 0.1, 0.1, angle.sin() * 0.1)));
        for link in 1..=BONES {
            joints.push(joint(format!("{chain} {link}"), Some(joints.len() - 1), Vec3::NEG_Y * 0.03));
        }
    }
    let skeleton = Skeleton { joints, rest_morphs: Vec::new() };
    let chain = |i: usize| Chain {
        joint: 1 + i * (BONES + 1),
        radius: Profile::constant(0.01),
        stiffness: Profile::constant(2.0),
        ..Chain::default()
    };
    let ball = |i: usize| {
        let angle = i as f64 * 2.4;
        let center = DVec3::new(0.09 * angle.cos(), 0.08 - 0.4 * i as f64 / colliders as f64, 0.09 * angle.sin());
        Collider { name: "ball".into(), joint: Some(0), shape: ColliderShape::Sphere { center, radius: 0.03 } }
    };
    let settings = Settings {
        chains: (0..chains).map(chain).collect(),
        colliders: (0..colliders).map(ball).collect(),
        ..Settings::default()
    };
    let rig = DynamicsRig::new(&skeleton, &settings, 1.0).expect("sound settings");
    let mut pose = Pose::rest(&skeleton);
    let mut state = State::at(&rig, &pose);
    let mut time = 0.0;
    Box::new(move || {
        time += STEP;
        pose.locals[0].translation.x = (5.0 * time).sin() as f32 * 0.2;
        step(&rig, &mut state, &pose, time, STEP);
    })
}

fn skinned(count: usize) -> Run {
    const JOINTS: usize = 64;
    let point = |i: usize| Vec3::new(noise(i, 7) - 0.5, noise(i, 31) * 1.8, noise(i, 101) - 0.5);
    let weights = (0..count).flat_map(|i| {
        let raw: [f32; 4] = std::array::from_fn(|k| noise(4 * i + k, 37) + 0.01);
        let sum: f32 = raw.iter().sum();
        raw.map(|weight| weight / sum)
    });
    let part = Primitive {
        positions: (0..count).map(point).collect(),
        normals: (0..count).map(|i| (point(i + 3) - Vec3::Y).normalize()).collect(),
        influences: 4,
        joints: (0..4 * count).map(|i| (i * 13 % JOINTS) as u16).collect(),
        weights: weights.collect(),
        ..Primitive::default()
    };
    let place =
        |i: usize| Affine3A::from_rotation_translation(Quat::from_rotation_x(i as f32 * 0.1), Vec3::Y * noise(i, 7));
    let palette: Vec<SkinMatrix> = (0..JOINTS).map(|i| place(i).into()).collect();
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    Box::new(move || deform(&part, MeshTransform::Skinned(&palette), &[], &mut positions, &mut normals))
}

fn stretched(frames: usize) -> Run {
    let times: Vec<f64> = (0..frames).map(|i| i as f64 / 30.0).collect();
    let point = |t: f64| DVec3::new((0.7 * t).sin() * 3.0, (5.0 * t).sin().max(0.0), 1.4 * t);
    let path: Vec<DVec3> = times.iter().map(|&time| point(time)).collect();
    let target = DVec3::new(30.0, 2.0, 700.0);
    Box::new(move || {
        std::hint::black_box(displacement(&path, &lengths(&path, &times, LengthMeasure::Full, 0.1), target));
    })
}

/// Prepares hills of `size` metres per side. Beyond 848 the program requires larger voxels.
fn voxelised(size: usize) -> Run {
    let size = size as u32;
    let height = |x: f32, z: f32| 4.0 * (0.11 * x).sin() + 3.0 * (0.17 * z + 0.05 * x).sin() + 0.7 * (0.9 * x).cos();
    let at = |i: u32, j: u32| Vec3::new(i as f32, height(i as f32, j as f32), j as f32);
    let points = (0..=size).flat_map(|j| (0..=size).map(move |i| at(i, j))).collect();
    let quads = (0..size).flat_map(|j| (0..size).map(move |i| j * (size + 1) + i));
    let faces = quads.flat_map(|a| [[a, a + size + 1, a + 1], [a + 1, a + size + 1, a + size + 2]]);
    let level = Arc::new(Level::of_mesh("hills", points, faces));
    let settings =
        VoxelSettings { cell: 0.3, cell_height: 0.2, radius: 0.6, height: 2.0, climb: 0.8, ..VoxelSettings::default() };
    Box::new(move || {
        std::hint::black_box(floors(&level, &settings, &Progress::new()).expect("a level"));
    })
}
