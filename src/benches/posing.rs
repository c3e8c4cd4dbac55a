//! Drawing cost of many vertices and of many characters, with vertices posed on the CPU and on the GPU. Measures the
//! program's own work (the same meshes without faces) and the whole picture. Needs a display; without a graphics card
//! the CPU draws in both cases.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use eframe::{CreationContext, Frame};
use egui::Ui;
use glam::{Affine3A, Quat, Vec3};
use portamento::anim::{Joint, Model, Skeleton};
use portamento::geometry::{Mesh, MeshInstance, Primitive, Skin};
use portamento::math::Transform;
use portamento::render::{Actor, Camera, DrawnModel, Palette, Renderer, Scene, Skinning};

#[path = "shared/sheet.rs"]
mod sheet;
#[path = "shared/shortest.rs"]
mod shortest;

use shortest::shortest;

const JOINTS: usize = 64;
/// Number of times each picture is drawn; the shortest time counts.
const TIMES: usize = 20;
/// Pixels per side; few, so that vertex work dominates.
const SIDE: u32 = 64;

/// Returns a sheet with `side` vertices per side and four joints per vertex, with or without faces.
fn model(side: usize, has_faces: bool) -> Model {
    let count = side * side;
    let joint = |node: usize| Joint {
        name: format!("joint {node}"),
        parent: None,
        rest: Transform::IDENTITY,
        node,
        first_morph: 0,
        morph_count: 0,
    };
    let sheet = sheet::sheet(side);
    let part = Primitive {
        indices: if has_faces { sheet.indices } else { Vec::new() },
        influences: 4,
        joints: (0..4 * count).map(|i| ((i / 4 * JOINTS / count + i % 4) % JOINTS) as u16).collect(),
        weights: [0.4, 0.3, 0.2, 0.1].repeat(count),
        ..sheet
    };
    let skin = Skin { joints: (0..JOINTS).collect(), inverse_bind: vec![Affine3A::IDENTITY; JOINTS] };
    Model {
        skeleton: Skeleton { joints: (0..JOINTS).map(joint).collect(), rest_morphs: Vec::new() },
        meshes: vec![Mesh { primitives: vec![part], ..Mesh::default() }],
        skins: vec![skin],
        instances: vec![MeshInstance { joint: 0, mesh: 0, skin: Some(0) }],
        ..Model::default()
    }
}

/// Returns figures of one shape next to each other, each in a different pose.
fn scene(side: usize, figures: usize, has_faces: bool) -> Scene {
    let shape = Arc::new(DrawnModel(model(side, has_faces)));
    let place = |figure: usize, joint: usize| {
        let turn = Quat::from_rotation_y(0.01 * (figure + joint) as f32);
        Affine3A::from_rotation_translation(
            turn,
            Vec3::new(0.02 * (figure % 20) as f32, 0.0, 0.05 * (figure / 20) as f32),
        )
    };
    let actor = |figure: usize| Actor {
        shape: shape.clone(),
        world: (0..JOINTS).map(|joint| place(figure, joint)).collect(),
        morphs: Vec::new(),
        cloud: None,
        hidden: Vec::new(),
        has_shadow: true,
        fades_in_front: false,
        ghost: None,
    };
    let black = [0.0; 3];
    let palette = Palette { sky: black, ground: black, grid: black, axis_x: black, axis_z: black, shadow: 0.0 };
    Scene {
        actors: (0..figures).map(actor).collect(),
        // Far from the ground, so that there is no shadow, which costs the same in both cases.
        floor: -10.0,
        grid: false,
        ..Scene::empty(palette)
    }
}

/// Returns the time until the pixels of a picture are available.
fn time(renderer: &mut Renderer, scene: &Scene) -> Duration {
    let camera = Camera::default();
    shortest(TIMES, || drop(black_box(renderer.image(scene, &camera, SIDE, SIDE))))
}

/// Returns the number of pixels that differ by more than rounding, and of non-empty pixels.
fn apart([one, other]: &mut [Renderer; 2], scene: &Scene) -> [usize; 2] {
    let [one, other] = [one, other].map(|renderer| renderer.image(scene, &Camera::default(), SIDE, SIDE));
    let far = |(a, b): &(&[u8; 4], &[u8; 4])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 8);
    [one.iter().zip(&other).filter(far).count(), one.iter().filter(|pixel| pixel[0] > 8).count()]
}

struct Bench(Option<[Renderer; 2]>);

impl Bench {
    fn new(context: &CreationContext<'_>) -> Self {
        let of = |skinning| Renderer::with_skinning(context.gl.clone()?, skinning).ok();
        Self(of(Skinning::Cpu).zip(of(Skinning::Gpu)).map(<[Renderer; 2]>::from))
    }
}

impl eframe::App for Bench {
    fn ui(&mut self, ui: &mut Ui, _: &mut Frame) {
        let Some(renderers) = &mut self.0 else { return };
        for (what, side, figures) in [("200 704 vertices", 448, 1), ("200 characters of 5 041 vertices", 71, 200)] {
            let [apart, drawn] = apart(renderers, &scene(side, figures, true));
            let [processor, card] = &mut *renderers;
            let [own, whole] = [false, true].map(|has_faces| {
                let scene = scene(side, figures, has_faces);
                [time(processor, &scene), time(card, &scene)].map(|time| time.as_secs_f64() * 1000.0)
            });
            println!(
                "posing, {what}: the program itself {:.2} ms a picture with vertices posed by the processor, {:.2} ms by the card, \
                 ratio {:.1}; whole pictures {:.2} ms and {:.2} ms, {apart} of {drawn} pixels apart",
                own[0],
                own[1],
                own[0] / own[1],
                whole[0],
                whole[1]
            );
        }
        self.0 = None;
        ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
    }
}

fn main() {
    if std::env::var_os("DISPLAY").is_none() && std::env::var_os("WAYLAND_DISPLAY").is_none() {
        println!("skipped: no display");
        return;
    }
    let options = portamento::ui::options([720.0, 480.0], None);
    if let Err(error) = eframe::run_native("posing", options, Box::new(|context| Ok(Box::new(Bench::new(context))))) {
        println!("skipped: the window did not open: {error}");
    }
}
