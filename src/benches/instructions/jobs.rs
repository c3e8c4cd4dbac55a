//! Six jobs, one for each kind of work that users wait for, and a plain formula as a reference.

use std::hint::black_box;
use std::sync::Arc;

use glam::{Affine3A, Vec3};
use portamento_anim::geometry::Level;
use portamento_anim::skinning::{MeshTransform, SkinMatrix, deform};
use portamento_anim::{Clip, MaskChoice, Model, Pose, Roles};
use portamento_base::progress::Progress;
use portamento_blend::{Input, Link, NodeKind, Source, Tree};
use portamento_dynamics::{Chain, DynamicsRig, Profile, State, step};
use portamento_looping::{Crossfade, Fade, FadeWeights, Pair, PixelStyle, Settings};
use portamento_walk::navigation::voxels::{VoxelSettings, voxelise};
use portamento_walk::navigation::{Scratch, SearchGraph, SearchSettings, search};

/// The names of all jobs.
pub const NAMES: [&str; 7] = [
    "plain formula",
    "blend of three clips",
    "dynamics",
    "skinning",
    "seam of pixels",
    "varied way",
    "voxels of a level",
];

/// Returns the vector extensions of the processor for which kernels have a second version.
pub fn vectors() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") {
        return "AVX2";
    }
    "no AVX2"
}

/// The counted function; not inlined, so that valgrind finds its name.
#[inline(never)]
fn counted_part(job: &mut dyn FnMut()) {
    job();
}

/// Runs one job on one thread, because the idle work of other pool threads is not reproducible.
pub fn run(job: &str) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
    assert!(pool.is_ok(), "one pool for the whole program");
    match job {
        "plain formula" => plain(),
        "blend of three clips" => blended(),
        "dynamics" => swung(),
        "skinning" => skinned(),
        "seam of pixels" => mixed(),
        "varied way" => searched(),
        "voxels of a level" => voxelised(),
        _ => panic!("no job is called {job}"),
    }
}

fn hero() -> Model {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../assets/hero.glb");
    let bytes = std::fs::read(&path).expect("the sample's character");
    portamento_formats::import::gltf::from_bytes(&path, &bytes).expect("a sound file").model
}

/// Sums and products of numbers in the L1 cache.
fn plain() {
    let mut numbers: Vec<f32> = (0..4096).map(|i| i as f32 / 4096.0).collect();
    counted_part(&mut || {
        for _ in 0..400 {
            numbers.iter_mut().for_each(|number| *number = *number * 0.75 + 0.1 / (*number + 0.5));
            black_box(&mut numbers);
        }
    });
}

fn blended() {
    let model = hero();
    let clips: Vec<&Clip> = model.clips.iter().take(3).collect();
    let mut tree = Tree::default();
    let link = |tree: &mut Tree, clip: &str| {
        let child = tree.add(clip, NodeKind::Source(Source { clip: clip.into(), ..Source::default() }));
        Link { child, weight: 1.0, mask: MaskChoice::default(), ..Link::default() }
    };
    let links = clips.iter().map(|clip| link(&mut tree, &clip.name)).collect();
    tree.root = tree.add("blend", NodeKind::Blend(links));
    let roles = Roles::default();
    let input = Input { skeleton: &model.skeleton, clips: &clips, roles: &roles, markers: &[], travels: &[] };
    let built = portamento_blend::build(&input, &portamento_blend::Settings::Tree(tree), &Progress::new())
        .expect("a sound tree");
    let (mut scratch, mut pose, mut world) = (portamento_blend::Scratch::default(), Pose::default(), Vec::new());
    counted_part(&mut || {
        for frame in 0..60 {
            built.sample(f64::from(frame) / 60.0, &mut scratch, &mut pose);
            pose.world_from_joints(&model.skeleton, &mut world);
        }
    });
}

fn swung() {
    let model = hero();
    let chains = (1..model.skeleton.joints.len()).filter(|joint| model.skeleton.joints[*joint].parent == Some(0));
    let chain =
        |joint| Chain { joint, radius: Profile::constant(0.01), stiffness: Profile::constant(2.0), ..Chain::default() };
    let settings = portamento_dynamics::Settings { chains: chains.map(chain).collect(), ..Default::default() };
    let rig = DynamicsRig::new(&model.skeleton, &settings, 1.0).expect("sound settings");
    let mut pose = Pose::rest(&model.skeleton);
    let mut state = State::at(&rig, &pose);
    counted_part(&mut || {
        for frame in 0..240 {
            let time = f64::from(frame) / 240.0;
            pose.locals[0].translation.x = (5.0 * time).sin() as f32 * 0.2;
            step(&rig, &mut state, &pose, time, 1.0 / 240.0);
        }
    });
}

fn skinned() {
    let model = hero();
    let skin = &model.skins[0];
    let turned = |i: usize| SkinMatrix::from(Affine3A::from_rotation_y(i as f32 * 0.1));
    let palette: Vec<SkinMatrix> = (0..skin.joints.len()).map(turned).collect();
    let part = &model.meshes[0].primitives[0];
    let count = part.positions.len();
    let (mut positions, mut normals) = (vec![Vec3::ZERO; count], vec![Vec3::ZERO; count]);
    counted_part(&mut || {
        for _ in 0..10 {
            deform(part, MeshTransform::Skinned(&palette), &[], &mut positions, &mut normals);
        }
    });
}

/// Blends every kind of image: opaque, transparent and mixed, in sRGB and linear light, painted and unpainted.
fn mixed() {
    const COUNT: usize = 1 << 14;
    let picture = |seed: usize| -> Vec<[u8; 4]> {
        let alpha = |i: usize| if i % 4096 < 2048 { 255 } else { (i * 31 + seed) as u8 };
        (0..COUNT).map(|i| [(i * seed) as u8, (i * 7) as u8, seed as u8, alpha(i)]).collect()
    };
    let (outgoing, incoming) = (picture(5), picture(90));
    let timing: Vec<f32> = (0..COUNT).map(|i| (i * 37 % 1009) as f32 / 1009.0).collect();
    let fades = [Fade::default(), Fade { timing: timing.into(), ..Fade::default() }].map(|fade| {
        FadeWeights::new(&Settings { length: 10, fade, ..Settings::default() }, COUNT, "picture")
            .expect("sound settings")
    });
    let mut out = vec![[0; 4]; COUNT];
    counted_part(&mut || {
        let mut buffer = vec![0.0; COUNT];
        for (fades, linear_light) in fades.iter().flat_map(|fades| [(fades, false), (fades, true)]) {
            let style = PixelStyle { linear_light, ..PixelStyle::default() };
            let pair = Pair { outgoing: &outgoing, incoming: &incoming };
            Crossfade::crossfade(pair, fades.at(4, 0, &mut buffer), style, &mut out);
        }
    });
}

/// Returns hills with a vertex every metre.
fn hills(size: u32) -> Level {
    let height = |x: f32, z: f32| 2.0 * (0.21 * x).sin() + 1.5 * (0.27 * z + 0.05 * x).sin() + 0.4 * (0.9 * x).cos();
    let at = |i: u32, j: u32| Vec3::new(i as f32, height(i as f32, j as f32), j as f32);
    let points = (0..=size).flat_map(|j| (0..=size).map(move |i| at(i, j))).collect();
    let quads = (0..size).flat_map(|j| (0..size).map(move |i| j * (size + 1) + i));
    let faces = quads.flat_map(|a| [[a, a + size + 1, a + 1], [a + 1, a + size + 1, a + size + 2]]);
    Level::of_mesh("hills", points, faces)
}

fn voxel_settings() -> VoxelSettings {
    VoxelSettings { cell: 0.3, cell_height: 0.2, radius: 0.6, height: 2.0, climb: 0.8, ..VoxelSettings::default() }
}

fn searched() {
    let map = voxelise(&hills(40), &voxel_settings(), &Progress::new()).expect("a sound level");
    let graph = SearchGraph::new(Arc::new(map.ground));
    let mut scratch = Scratch::default();
    let ends = [0, graph.ground.cells.len() as u32 - 1];
    counted_part(&mut || {
        let found = search(&graph, &ends, &SearchSettings::default(), &mut scratch, &Progress::new());
        assert!(found.is_ok_and(|found| found.notices.is_empty()));
    });
}

fn voxelised() {
    let (level, settings) = (hills(24), voxel_settings());
    counted_part(&mut || {
        let map = voxelise(&level, &settings, &Progress::new());
        assert!(map.is_ok_and(|map| !map.ground.cells.is_empty()));
    });
}
