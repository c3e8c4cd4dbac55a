//! A flag, a strip or a cape in the wind: a source of motion that never repeats, to make loops from.
//!
//! Extended position-based dynamics with many small steps (Macklin, Müller, Chentanez 2016; Macklin et al. 2019): each step
//! moves every point by its velocity, then corrects edge lengths there and back in a fixed order, and takes velocities from where
//! points came to lie. No point gets further from where its row is held than the cloth reaches (long range attachments: Kim,
//! Chentanez, Müller 2012), and no edge longer than a limit (Provot 1995). Wind presses on triangles by their area and how they
//! face it; gusts are sums of slow sines whose phases come from the seed. One thread, no clock: the same settings give the same
//! frames.
//!
//! A mesh made elsewhere hangs from where it is held as it stands there, with the seams of its file closed.
//!
//! Limits: the cloth passes through itself; the only obstacle is the upright body behind a cape. A mesh has at most 50 000
//! different vertex places.

mod body;
mod gusts;
mod mesh;
mod settings;
mod vertices;

use glam::{DVec3, Vec3};

use crate::media::VertexClip;
use crate::progress::Progress;
use body::{ClothBody, DistanceConstraint};
use gusts::Gusts;
pub use mesh::ClothMesh;
pub use settings::{BuildError, ClothShape, Settings};

/// Mass of a cubic metre of air, kg.
const AIR: f64 = 1.2;

/// Length of an edge, in parts of its length at rest, beyond which it gives no more.
const MOST_STRETCH: f64 = 1.03;

/// Frames that take more than this in memory are refused.
const MOST_BYTES: usize = 2 << 30;

/// Frames of a cloth and what held it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClothClip {
    /// In the mesh's unit, of a shape in metres.
    pub clip: VertexClip,
    /// 1 for each vertex that was held, 0 for the others.
    pub pins: Vec<f32>,
    /// Where each vertex is before the cloth falls, in the unit of the frames.
    pub rest: Vec<Vec3>,
}

/// Simulates `settings` and returns the frames; `mesh` is what hangs where a mesh is chosen.
pub fn build(settings: &Settings, mesh: Option<&ClothMesh<'_>>, progress: &Progress) -> Result<ClothClip, BuildError> {
    settings::check(settings)?;
    let (body, vertices) = vertices::lay_out(settings, mesh)?;
    check_size(settings.frames, vertices.count())?;
    let mut cloth = Cloth::new(body, settings.seed);
    let lead = (settings.pre_roll * settings.fps).round() as usize;
    let whole = lead + settings.frames;
    let mut rest = Vec::with_capacity(vertices.count());
    vertices.write(&cloth.points, &cloth.body.held, &mut rest);
    let mut positions = Vec::with_capacity(settings.frames * vertices.count());
    for frame in 0..whole {
        progress.step(frame, whole)?;
        // Frames of the lead-in are simulated and not kept: the cloth falls from its rest shape at first.
        if frame >= lead {
            vertices.write(&cloth.points, &cloth.body.held, &mut positions);
        }
        for _ in 0..settings.steps {
            cloth.step(settings);
        }
    }
    let pins = vertices.pins(&cloth.body.held);
    let count = vertices.count();
    let (name, faces) = match mesh {
        Some(mesh) => (mesh.name, mesh.faces.to_vec()),
        None => (settings.shape.name(), cloth.body.faces),
    };
    let clip = VertexClip { name: name.into(), fps: settings.fps, vertices: count, positions, faces };
    Ok(ClothClip { clip, pins, rest })
}

/// Refuses frames that would fill the memory, before any of it is taken.
fn check_size(frames: usize, vertices: usize) -> Result<(), BuildError> {
    let bytes = frames.saturating_mul(vertices).saturating_mul(size_of::<Vec3>());
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(BuildError::TooLarge { frames, vertices, bytes, most: MOST_BYTES })
}

struct Cloth {
    body: ClothBody,
    points: Vec<DVec3>,
    velocities: Vec<DVec3>,
    previous: Vec<DVec3>,
    forces: Vec<DVec3>,
    /// 1/mass; 0 where held.
    inverse_masses: Vec<f64>,
    gusts: Gusts,
    time: f64,
}

impl Cloth {
    fn new(body: ClothBody, seed: u64) -> Self {
        let count = body.points.len();
        // A held point has no inverse mass, so that no correction moves it.
        let inverse_mass = |(&held, mass): (&bool, &f64)| if held { 0.0 } else { 1.0 / mass };
        let inverse_masses = body.held.iter().zip(&body.masses).map(inverse_mass).collect();
        Self {
            points: body.points.clone(),
            velocities: vec![DVec3::ZERO; count],
            previous: body.points.clone(),
            forces: vec![DVec3::ZERO; count],
            inverse_masses,
            gusts: Gusts::new(seed),
            time: 0.0,
            body,
        }
    }

    fn step(&mut self, settings: &Settings) {
        let h = 1.0 / (settings.fps * settings.steps as f64);
        self.apply_wind(settings, h);
        // The exponential, so that the loss per second does not depend on the number of steps.
        let keep = (-settings.drag * h).exp();
        // Nothing moves further than half an edge in a step: corrections beyond that would turn the cloth inside out.
        let furthest = 0.5 * self.body.span;
        self.previous.copy_from_slice(&self.points);
        for (i, place) in self.points.iter_mut().enumerate().filter(|(i, _)| self.inverse_masses[*i] > 0.0) {
            let pull = self.forces[i] * self.inverse_masses[i] - DVec3::Y * settings.gravity;
            let speed = (self.velocities[i] + pull * h) * keep;
            *place += (speed * h).clamp_length_max(furthest);
        }
        let (points, inverse_masses, body) = (&mut self.points, &self.inverse_masses, &self.body);
        body.bends.iter().for_each(|bend| solve_distance(points, inverse_masses, bend, settings.bend / (h * h)));
        body.tethers.iter().for_each(|tether| apply_tether(points, tether));
        // Lengths have the last word, there and back: one way alone carries a pull only in the order of the edges. Twice,
        // because the body pushes them apart again.
        for _ in 0..2 {
            let there_and_back = body.edges.iter().chain(body.edges.iter().rev());
            there_and_back.for_each(|edge| solve_distance(points, inverse_masses, edge, settings.stretch / (h * h)));
            body.keep_out(points);
        }
        self.limit_strain();
        for (i, speed) in self.velocities.iter_mut().enumerate() {
            *speed = (self.points[i] - self.previous[i]) / h;
        }
        self.time += h;
    }

    /// Pulls in the edges that still are too long, mostly near where the cloth is held, until none is left.
    fn limit_strain(&mut self) {
        let (points, inverse_masses, body) = (&mut self.points, &self.inverse_masses, &self.body);
        for _ in 0..body.strain_rounds {
            let mut tight = true;
            for edge in body.edges.iter().chain(body.edges.iter().rev()) {
                let most = edge.length * MOST_STRETCH;
                if points[edge.a as usize].distance_squared(points[edge.b as usize]) > most * most {
                    solve_distance(points, inverse_masses, &DistanceConstraint { length: most, ..*edge }, 0.0);
                    tight = false;
                }
            }
            if tight {
                return;
            }
            body.keep_out(points);
        }
    }

    /// Pressure of the air on every triangle, shared by its corners.
    fn apply_wind(&mut self, settings: &Settings, h: f64) {
        self.forces.fill(DVec3::ZERO);
        let wind = DVec3::from_array(settings.wind);
        for face in self.body.faces.as_chunks::<3>().0 {
            let corners = face.map(|index| index as usize);
            let [a, b, c] = corners.map(|i| self.points[i]);
            // Air presses by its speed against the cloth: what flies along with the wind feels none.
            let speed = corners.map(|i| self.velocities[i]).into_iter().sum::<DVec3>() / 3.0;
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

fn solve_distance(points: &mut [DVec3], inverse_masses: &[f64], edge: &DistanceConstraint, compliance: f64) {
    let (a, b) = (edge.a as usize, edge.b as usize);
    let sum = inverse_masses[a] + inverse_masses[b];
    let apart = points[a] - points[b];
    let length = apart.length();
    // Both held, or at one place, where the edge has no direction to be corrected along.
    if sum <= 0.0 || length <= 0.0 {
        return;
    }
    let shift = apart * ((length - edge.length) / (length * (sum + compliance)));
    points[a] -= shift * inverse_masses[a];
    points[b] += shift * inverse_masses[b];
}

/// The far end of `tether` no further from the held one than the cloth between them is long.
fn apply_tether(points: &mut [DVec3], tether: &DistanceConstraint) {
    let held = points[tether.a as usize];
    let free = &mut points[tether.b as usize];
    *free = held + (*free - held).clamp_length_max(tether.length);
}

#[cfg(test)]
mod tests;
