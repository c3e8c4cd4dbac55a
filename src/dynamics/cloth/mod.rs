//! Cloth in the wind: a flag, strip, cape or mesh as a source of motion that never repeats, for creating loops.
//!
//! Extended position-based dynamics with many small steps (Macklin, Müller, Chentanez 2016; Macklin et al. 2019). Each
//! step moves every point by its velocity, corrects edge lengths forwards and backwards in a fixed order, and takes
//! velocities from the corrected positions. Long range attachments limit the distance of each point from its pin (Kim,
//! Chentanez, Müller 2012), and a strain limit the length of each edge (Provot 1995). Wind presses on triangles by their
//! area and orientation; gusts are sums of slow sines whose phases come from the seed. One thread, no clock: the same
//! settings give the same frames.
//!
//! A mesh from a file hangs from its pins in its rest position, with the seams of the file closed.
//!
//! Limits: the cloth passes through itself; the only obstacle is the upright body behind a cape. A mesh has at most 50
//! 000 different vertex positions.

mod body;
mod gusts;
mod mesh;
mod settings;
mod vertices;

use glam::{DVec3, Vec3};

use body::{ClothBody, DistanceConstraint};
use gusts::Gusts;
pub use mesh::ClothMesh;
use portamento_anim::media::VertexClip;
use portamento_base::progress::Progress;
pub use settings::{BuildError, ClothShape, Settings};

/// Density of air near sea level, kg/m³.
const AIR_DENSITY_KG_M3: f64 = 1.2;

/// Maximum length of an edge relative to its rest length. Tuned; no derivation recorded.
const MAX_STRETCH_RATIO: f64 = 1.03;

/// Maximum size of the frames in memory, bytes: 2 GiB. No derivation recorded.
const MAX_BYTES: usize = 2 << 30;

/// Frames of a simulated cloth and its pins.
#[derive(Clone, Debug, PartialEq)]
pub struct ClothClip {
    /// Frames in the mesh's unit; for a shape in metres.
    pub clip: VertexClip,
    /// 1 for each pinned vertex, 0 for the others.
    pub pins: Vec<f32>,
    /// Vertices before the simulation, in the unit of the frames.
    pub rest: Vec<Vec3>,
}

/// Simulates `settings` and returns the frames. `mesh` is the cloth for [`ClothShape::Mesh`].
///
/// Returns `Err` if
/// - a setting is out of range, or the shape is a mesh and `mesh` is `None`;
/// - the mesh has no faces, coordinates that are not finite, too many points, or a longest side outside 1 cm…1 km;
/// - the painted pins have another vertex count, pin nothing, or leave a piece without a pin;
/// - the frames would need more than 2 GiB, or `progress` is cancelled.
pub fn build(settings: &Settings, mesh: Option<&ClothMesh<'_>>, progress: &Progress) -> Result<ClothClip, BuildError> {
    settings::check(settings)?;
    let (body, vertices) = vertices::body_and_vertices(settings, mesh)?;
    check_size(settings.frames, vertices.count())?;
    let mut cloth = Cloth::new(body, settings.seed);
    let pre_roll_frames = (settings.pre_roll * settings.fps).round() as usize;
    let frame_count = pre_roll_frames + settings.frames;
    let mut rest = Vec::with_capacity(vertices.count());
    vertices.write(&cloth.points, &cloth.body.pinned, &mut rest);
    let mut positions = Vec::with_capacity(settings.frames * vertices.count());
    for frame in 0..frame_count {
        progress.step(frame, frame_count)?;
        // Frames of the pre-roll are simulated but not recorded, while the cloth falls from its rest shape.
        if frame >= pre_roll_frames {
            vertices.write(&cloth.points, &cloth.body.pinned, &mut positions);
        }
        for _ in 0..settings.steps {
            cloth.step(settings);
        }
    }
    let pins = vertices.pins(&cloth.body.pinned);
    let count = vertices.count();
    let (name, faces) = match mesh {
        Some(mesh) => (mesh.name, mesh.faces.to_vec()),
        None => (settings.shape.name(), cloth.body.faces),
    };
    let clip = VertexClip { name: name.into(), fps: settings.fps, vertices: count, positions, faces };
    Ok(ClothClip { clip, pins, rest })
}

/// Returns `Err` if the frames need more than [`MAX_BYTES`], before any of it is allocated.
fn check_size(frames: usize, vertices: usize) -> Result<(), BuildError> {
    let bytes = frames.saturating_mul(vertices).saturating_mul(size_of::<Vec3>());
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    Err(BuildError::TooLarge { frames, vertices, bytes, most: MAX_BYTES })
}

/// Cloth during the simulation: positions in metres, speeds in m/s, forces in newtons, time in seconds.
struct Cloth {
    body: ClothBody,
    points: Vec<DVec3>,
    velocities: Vec<DVec3>,
    previous: Vec<DVec3>,
    forces: Vec<DVec3>,
    /// 1/mass, 1/kg; 0 for pinned points.
    inverse_masses: Vec<f64>,
    gusts: Gusts,
    time: f64,
}

impl Cloth {
    /// Creates the cloth at rest, at time 0. The gusts follow from `seed`.
    fn new(body: ClothBody, seed: u64) -> Self {
        let count = body.points.len();
        // A pinned point has no inverse mass, so that no correction moves it.
        let inverse_mass = |(&pinned, mass): (&bool, &f64)| if pinned { 0.0 } else { 1.0 / mass };
        let inverse_masses = body.pinned.iter().zip(&body.masses).map(inverse_mass).collect();
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

    /// Advances the cloth by one step of 1/(`fps` · `steps`) seconds.
    fn step(&mut self, settings: &Settings) {
        let h = 1.0 / (settings.fps * settings.steps as f64);
        self.apply_wind(settings, h);
        // Exponential, so that the loss per second does not depend on the number of steps.
        let keep = (-settings.drag * h).exp();
        // No point moves further than half an edge in a step: larger corrections would turn the cloth inside out.
        let furthest = 0.5 * self.body.span;
        self.previous.copy_from_slice(&self.points);
        for (i, point) in self.points.iter_mut().enumerate().filter(|(i, _)| self.inverse_masses[*i] > 0.0) {
            let pull = self.forces[i] * self.inverse_masses[i] - DVec3::Y * settings.gravity;
            let speed = (self.velocities[i] + pull * h) * keep;
            *point += (speed * h).clamp_length_max(furthest);
        }
        let (points, inverse_masses, body) = (&mut self.points, &self.inverse_masses, &self.body);
        body.bends.iter().for_each(|bend| solve_distance(points, inverse_masses, bend, settings.bend / (h * h)));
        body.tethers.iter().for_each(|tether| apply_tether(points, tether));
        // Lengths are corrected last, forwards and backwards: a single pass transmits a pull only in the order of the
        // edges. Twice, because the obstacle moves points again.
        for _ in 0..2 {
            let there_and_back = body.edges.iter().chain(body.edges.iter().rev());
            there_and_back.for_each(|edge| solve_distance(points, inverse_masses, edge, settings.stretch / (h * h)));
            body.push_out(points);
        }
        self.limit_strain();
        for (i, speed) in self.velocities.iter_mut().enumerate() {
            *speed = (self.points[i] - self.previous[i]) / h;
        }
        self.time += h;
    }

    /// Shortens the edges that exceed [`MAX_STRETCH_RATIO`], mostly near pins, until none is left or the rounds are used up.
    fn limit_strain(&mut self) {
        let (points, inverse_masses, body) = (&mut self.points, &self.inverse_masses, &self.body);
        for _ in 0..body.strain_rounds {
            let mut tight = true;
            for edge in body.edges.iter().chain(body.edges.iter().rev()) {
                let max_length = edge.length * MAX_STRETCH_RATIO;
                if points[edge.a as usize].distance_squared(points[edge.b as usize]) > max_length * max_length {
                    solve_distance(points, inverse_masses, &DistanceConstraint { length: max_length, ..*edge }, 0.0);
                    tight = false;
                }
            }
            if tight {
                return;
            }
            body.push_out(points);
        }
    }

    /// Sets the force of the air on every point in newtons: the pressure on each triangle, divided equally among its corners.
    /// `h` is the step in seconds.
    fn apply_wind(&mut self, settings: &Settings, h: f64) {
        self.forces.fill(DVec3::ZERO);
        let wind = DVec3::from_array(settings.wind);
        for face in self.body.faces.as_chunks::<3>().0 {
            let corners = face.map(|index| index as usize);
            let [a, b, c] = corners.map(|i| self.points[i]);
            // The pressure depends on the air's speed relative to the cloth: cloth that moves with the wind feels none.
            let speed = corners.map(|i| self.velocities[i]).into_iter().sum::<DVec3>() / 3.0;
            let across = (b - a).cross(c - a);
            let Some(normal) = across.try_normalize() else { continue };
            let area = across.length() / 2.0;
            let gust = self.gusts.at((a + b + c) / 3.0, self.time) * settings.gusts;
            let toward =
                (wind * (1.0 + gust.x) + DVec3::new(-wind.z, 0.3 * wind.length(), wind.x) * gust.y - speed).dot(normal);
            // Air slows a triangle at most to its own speed, which bounds the force over one step.
            let max_force = toward.abs() * 3.0 * settings.weight * area / h;
            let push = (AIR_DENSITY_KG_M3 * area * toward * toward.abs()).clamp(-max_force, max_force);
            corners.iter().for_each(|&i| self.forces[i] += normal * (push / 3.0));
        }
    }
}

/// Moves both ends of `edge` towards its rest length, weighted by their inverse masses; `compliance` is in m/N divided by
/// the squared step.
fn solve_distance(points: &mut [DVec3], inverse_masses: &[f64], edge: &DistanceConstraint, compliance: f64) {
    let (a, b) = (edge.a as usize, edge.b as usize);
    let sum = inverse_masses[a] + inverse_masses[b];
    let offset = points[a] - points[b];
    let length = offset.length();
    // Both ends pinned, or at the same position, where the edge has no direction.
    if sum <= 0.0 || length <= 0.0 {
        return;
    }
    let shift = offset * ((length - edge.length) / (length * (sum + compliance)));
    points[a] -= shift * inverse_masses[a];
    points[b] += shift * inverse_masses[b];
}

/// Limits the distance of the free end of `tether` from its pin to the tether's length.
fn apply_tether(points: &mut [DVec3], tether: &DistanceConstraint) {
    let pin = points[tether.a as usize];
    let free = &mut points[tether.b as usize];
    *free = pin + (*free - pin).clamp_length_max(tether.length);
}

#[cfg(test)]
mod tests;
