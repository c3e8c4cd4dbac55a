//! A flag, a strip or a cape in the wind: a source of motion that never repeats, to make loops from.
//!
//! Extended position-based dynamics with many small steps (Macklin, Müller, Chentanez 2016; Macklin et al. 2019): each step
//! moves every point by its speed, then corrects edge lengths there and back in a fixed order, and takes speeds from where
//! points came to lie. No point gets further from where its row is held than the cloth reaches (long range attachments: Kim,
//! Chentanez, Müller 2012), and no edge longer than a limit (Provot 1995). Wind presses on triangles by their area and how they
//! face it; gusts are sums of slow sines whose phases come from the seed. One thread, no clock: the same settings give the same
//! frames.
//!
//! A mesh made elsewhere hangs from where it is held as it stands there, with the seams of its file closed.
//!
//! Limits: the cloth passes through itself; the only obstacle is the upright body behind a cape. A mesh has at most 50 000
//! places for vertices.

mod grid;
mod kept;
mod settings;
mod sheet;

use glam::{DVec3, Vec3};

use crate::media::VertexClip;
use crate::progress::Progress;
use grid::{Edge, Grid};
pub use settings::{ClothError, Settings, Shape};
pub use sheet::Sheet;

/// Mass of a cubic metre of air, kg.
const AIR: f64 = 1.2;

/// Length of an edge, in parts of its length at rest, beyond which it gives no more.
const MOST_STRETCH: f64 = 1.03;

/// Most rounds that pull in long edges, per step: of a shape, and of a mesh, where a pull meets edges of any length.
const SWEEPS: [usize; 2] = [24, 64];

/// Frames of a cloth and what held it.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// In the mesh's unit, of a shape in metres.
    pub clip: VertexClip,
    /// 1 for each vertex that was held, 0 for the others.
    pub pins: Vec<f32>,
}

/// Simulates `settings` and returns the frames; `sheet` is what hangs where a mesh is chosen.
pub fn simulate(settings: &Settings, sheet: Option<&Sheet<'_>>, progress: &Progress) -> Result<Simulated, ClothError> {
    settings::check(settings)?;
    let (grid, vertices) = kept::laid_out(settings, sheet)?;
    let mut cloth = Cloth::new(grid, settings.seed);
    let lead = (settings.pre_roll * settings.fps).round() as usize;
    let whole = lead + settings.frames;
    let mut positions = Vec::with_capacity(settings.frames * vertices.count());
    for frame in 0..whole {
        progress.step(frame, whole)?;
        if frame >= lead {
            vertices.write(&cloth.places, &cloth.grid.held, &mut positions);
        }
        for _ in 0..settings.steps {
            cloth.step(settings);
        }
    }
    let pins = vertices.pins(&cloth.grid.held);
    let count = vertices.count();
    let (name, faces) = match sheet {
        Some(sheet) => (sheet.name, sheet.faces.to_vec()),
        None => (settings.shape.name(), cloth.grid.faces),
    };
    Ok(Simulated { clip: VertexClip { name: name.into(), fps: settings.fps, vertices: count, positions, faces }, pins })
}

struct Cloth {
    grid: Grid,
    places: Vec<DVec3>,
    speeds: Vec<DVec3>,
    before: Vec<DVec3>,
    forces: Vec<DVec3>,
    /// 1/mass; 0 where held.
    lightness: Vec<f64>,
    gusts: Gusts,
    time: f64,
}

impl Cloth {
    fn new(grid: Grid, seed: u64) -> Self {
        let count = grid.places.len();
        let light = |(&held, mass): (&bool, &f64)| if held { 0.0 } else { 1.0 / mass };
        let lightness = grid.held.iter().zip(&grid.masses).map(light).collect();
        Self {
            places: grid.places.clone(),
            speeds: vec![DVec3::ZERO; count],
            before: grid.places.clone(),
            forces: vec![DVec3::ZERO; count],
            lightness,
            gusts: Gusts::new(seed),
            time: 0.0,
            grid,
        }
    }

    fn step(&mut self, settings: &Settings) {
        let h = 1.0 / (settings.fps * settings.steps as f64);
        self.blow(settings, h);
        let keep = (-settings.drag * h).exp();
        // Nothing moves further than half an edge in a step: corrections beyond that would tear the sheet inside out.
        let furthest = 0.5 * self.grid.span;
        self.before.copy_from_slice(&self.places);
        for (i, place) in self.places.iter_mut().enumerate().filter(|(i, _)| self.lightness[*i] > 0.0) {
            let pull = self.forces[i] * self.lightness[i] - DVec3::Y * settings.gravity;
            let speed = (self.speeds[i] + pull * h) * keep;
            *place += (speed * h).clamp_length_max(furthest);
        }
        let (places, lightness, grid) = (&mut self.places, &self.lightness, &self.grid);
        grid.folds.iter().for_each(|fold| correct(places, lightness, fold, settings.bend / (h * h)));
        grid.leashes.iter().for_each(|leash| hold_back(places, leash));
        // Lengths have the last word, there and back: one way alone carries a pull only in the order of the edges. Twice,
        // because the body pushes them apart again.
        for _ in 0..2 {
            let there_and_back = grid.edges.iter().chain(grid.edges.iter().rev());
            there_and_back.for_each(|edge| correct(places, lightness, edge, settings.stretch / (h * h)));
            grid.keep_out(places);
        }
        self.tighten();
        for (i, speed) in self.speeds.iter_mut().enumerate() {
            *speed = (self.places[i] - self.before[i]) / h;
        }
        self.time += h;
    }

    /// Pulls in the edges that still are too long, mostly near where the cloth is held, until none is left.
    fn tighten(&mut self) {
        let (places, lightness, grid) = (&mut self.places, &self.lightness, &self.grid);
        for _ in 0..grid.sweeps {
            let mut tight = true;
            for edge in grid.edges.iter().chain(grid.edges.iter().rev()) {
                let most = edge.length * MOST_STRETCH;
                if places[edge.a as usize].distance_squared(places[edge.b as usize]) > most * most {
                    correct(places, lightness, &Edge { length: most, ..*edge }, 0.0);
                    tight = false;
                }
            }
            if tight {
                return;
            }
            grid.keep_out(places);
        }
    }

    /// Pressure of the air on every triangle, shared by its corners.
    fn blow(&mut self, settings: &Settings, h: f64) {
        self.forces.fill(DVec3::ZERO);
        let wind = DVec3::from_array(settings.wind);
        for face in self.grid.faces.as_chunks::<3>().0 {
            let corners = face.map(|index| index as usize);
            let [a, b, c] = corners.map(|i| self.places[i]);
            let speed = corners.map(|i| self.speeds[i]).into_iter().sum::<DVec3>() / 3.0;
            let across = (b - a).cross(c - a);
            let Some(normal) = across.try_normalize() else { continue };
            let area = across.length() / 2.0;
            let gust = self.gusts.at((a + b + c) / 3.0, self.time) * settings.gusts;
            let toward =
                (wind * (1.0 + gust.x) + DVec3::new(-wind.z, 0.3 * wind.length(), wind.x) * gust.y - speed).dot(normal);
            // Air slows a triangle down to its own speed at most, which bounds the force over one step.
            let most = toward.abs() * 3.0 * settings.weight * area / h;
            let push = (AIR * area * toward * toward.abs()).clamp(-most, most);
            corners.iter().for_each(|&i| self.forces[i] += normal * (push / 3.0));
        }
    }
}

fn correct(places: &mut [DVec3], lightness: &[f64], edge: &Edge, give: f64) {
    let (a, b) = (edge.a as usize, edge.b as usize);
    let sum = lightness[a] + lightness[b];
    let apart = places[a] - places[b];
    let length = apart.length();
    if sum <= 0.0 || length <= 0.0 {
        return;
    }
    let shift = apart * ((length - edge.length) / (length * (sum + give)));
    places[a] -= shift * lightness[a];
    places[b] += shift * lightness[b];
}

/// The far end of `leash` no further from the held one than the cloth between them is long.
fn hold_back(places: &mut [DVec3], leash: &Edge) {
    let held = places[leash.a as usize];
    let free = &mut places[leash.b as usize];
    *free = held + (*free - held).clamp_length_max(leash.length);
}

/// Sines of different pace that travel through space.
struct Gusts([[f64; 4]; 10]);

impl Gusts {
    fn new(seed: u64) -> Self {
        let mut state = seed;
        // SplitMix64 (Steele, Lea, Flood 2014).
        let mut random = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut sines = [[0.0; 4]; 10];
        for (i, sine) in sines.iter_mut().enumerate() {
            // From a gust every five seconds to three a second.
            let pace = std::f64::consts::TAU * 0.2 * 1.35f64.powi(i as i32) * (0.8 + 0.4 * random());
            *sine = [pace, std::f64::consts::TAU * random(), 2.0 * random() - 1.0, 2.0 * random() - 1.0];
        }
        Self(sines)
    }

    /// Two numbers about −1…1: more or less wind, and wind from the side.
    fn at(&self, place: DVec3, time: f64) -> glam::DVec2 {
        let value = |which: usize| {
            let sine = |&[pace, phase, x, y]: &[f64; 4]| {
                (pace * time + phase + pace * 0.4 * (x * place.x + y * place.y + 0.5 * place.z)).sin()
            };
            self.0.iter().skip(which).step_by(2).map(sine).sum::<f64>() / 5f64.sqrt()
        };
        glam::DVec2::new(value(0), value(1))
    }
}

/// Greatest length of an edge in parts of its length at rest, over all frames of `clip`, which was simulated from the others.
pub fn greatest_stretch(clip: &VertexClip, settings: &Settings, sheet: Option<&Sheet<'_>>) -> Result<f64, ClothError> {
    let (grid, vertices) = kept::laid_out(settings, sheet)?;
    let (vertex_of, metres) = (vertices.of_points(), vertices.metres_per_unit());
    let longest = |frame: &[Vec3]| {
        let place = |point: u32| frame[vertex_of[point as usize]];
        let ratio = |edge: &Edge| f64::from(place(edge.a).distance(place(edge.b))) * metres / edge.length;
        grid.edges.iter().map(ratio).fold(0.0, f64::max)
    };
    Ok((0..clip.frames()).map(|frame| longest(clip.frame(frame))).fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::looping::{self, vertex};
    use std::sync::Arc;

    fn small(shape: Shape) -> Settings {
        Settings { shape, columns: 12, rows: 8, frames: 61, pre_roll: 1.0, top: 0.0, ..Settings::default() }
    }

    fn run(settings: &Settings) -> VertexClip {
        simulate(settings, None, &Progress::new()).unwrap().clip
    }

    fn motion(clip: &VertexClip) -> f32 {
        let last = clip.frames() - 1;
        let moved = (0..clip.vertices).map(|i| clip.frame(last)[i].distance(clip.frame(last - 1)[i]));
        moved.fold(0.0, f32::max)
    }

    #[test]
    fn every_shape_moves_in_the_wind_holds_its_pins_and_hardly_stretches() {
        for shape in [Shape::Flag, Shape::Strip, Shape::Cape] {
            let fine = Settings { shape, frames: 61, pre_roll: 1.0, top: 0.0, ..Settings::default() };
            let behind = Settings { wind: [0.0, 0.0, -8.0], ..small(shape) };
            for settings in [small(shape), behind, fine] {
                let clip = run(&settings);
                assert_eq!((clip.frames(), clip.vertices), (61, (settings.columns + 1) * (settings.rows + 1)));
                let grid = Grid::new(&settings).unwrap();
                for frame in 0..61 {
                    for i in (0..clip.vertices).filter(|&i| grid.held[i]) {
                        assert_eq!(clip.frame(frame)[i], grid.places[i].as_vec3());
                    }
                }
                assert!(motion(&clip) > 1e-3, "{shape:?} moves");
                let stretch = greatest_stretch(&clip, &settings, None).unwrap();
                println!("{shape:?} of {} columns stretches to {stretch:.3}", settings.columns);
                assert!(stretch < 1.06, "{settings:?} {stretch}");
                assert!(clip.clone().with_faces(clip.faces.clone()).is_ok());
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_bits_and_another_one_other_gusts() {
        let settings = small(Shape::Flag);
        assert_eq!(run(&settings), run(&settings));
        assert_ne!(run(&settings), run(&Settings { seed: 2, ..settings }));
    }

    #[test]
    fn a_cloth_that_hangs_higher_moves_just_the_same() {
        let (low, high) = (small(Shape::Flag), Settings { top: 2.0, ..small(Shape::Flag) });
        for (low, high) in run(&low).positions.iter().zip(&run(&high).positions) {
            assert!((*low + Vec3::Y * 2.0).abs_diff_eq(*high, 1e-6));
        }
    }

    #[test]
    fn without_wind_it_comes_to_rest_hanging_down() {
        let settings = Settings { wind: [0.0; 3], pre_roll: 12.0, drag: 2.0, frames: 2, ..small(Shape::Strip) };
        let clip = run(&settings);
        assert!(motion(&clip) < 1e-3, "{}", motion(&clip));
        let lowest = clip.frame(1).iter().map(|it| it.y).fold(f32::MAX, f32::min);
        assert!((lowest + 1.0).abs() < 0.05, "{lowest}");
    }

    #[test]
    fn a_cape_stays_outside_the_body() {
        let settings = Settings { wind: [0.0, 0.0, 8.0], ..small(Shape::Cape) };
        let radius = Grid::new(&settings).unwrap().body.unwrap() as f32;
        assert!(run(&settings).positions.iter().all(|it| it.x.hypot(it.z) >= radius - 1e-4));
    }

    #[test]
    fn no_setting_within_its_range_breaks_it_and_none_outside_is_taken() {
        let wild = Settings {
            wind: [100.0, -100.0, 100.0],
            gusts: 2.0,
            weight: 0.01,
            steps: 1,
            fps: 1.0,
            stretch: 0.0,
            bend: 0.0,
            frames: 20,
            ..small(Shape::Flag)
        };
        assert!(run(&wild).positions.iter().all(|it| it.is_finite()));
        assert!(
            run(&Settings { columns: 1, rows: 1, frames: 3, ..wild.clone() }).positions.iter().all(|it| it.is_finite())
        );
        for broken in [
            Settings { width: f64::NAN, ..wild.clone() },
            Settings { fps: 0.0, ..wild.clone() },
            Settings { columns: 0, ..wild },
        ] {
            assert!(matches!(simulate(&broken, None, &Progress::new()), Err(ClothError::OutOfRange { .. })));
        }
        let progress = Progress::new();
        progress.cancel();
        assert!(matches!(simulate(&small(Shape::Flag), None, &progress), Err(ClothError::Cancelled(_))));
    }

    #[test]
    fn a_flag_loops_as_smoothly_as_it_flies() {
        let clip = Arc::new(run(&Settings { frames: 241, ..small(Shape::Flag) }));
        // A single seam may lie where the flag just snaps; over many the seam is as smooth as the rest.
        let ratio = |start: usize| {
            let settings = looping::Settings { start, length: 60, ..looping::Settings::default() };
            let built = vertex::build(&clip, &settings, &Progress::new()).unwrap();
            assert_eq!(built.report().value_gap, 0.0);
            built.report().ratio
        };
        let ratios: Vec<f64> = (0..=120).step_by(12).map(ratio).collect();
        println!("seam ratios of a flag: {ratios:.2?}");
        assert!(ratios.iter().sum::<f64>() / ratios.len() as f64 <= 1.2, "{ratios:.2?}");
    }
}
