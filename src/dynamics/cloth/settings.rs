//! User settings of a cloth, their validation, and the errors of a build.

use serde::{Deserialize, Serialize};

use portamento_anim::math::WeightMap;
use portamento_base::message::{Message, message, messages};
use portamento_base::progress::Cancelled;

/// Shape of the cloth and the edge it hangs from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClothShape {
    /// Rectangle pinned along its left side, as on a pole.
    #[default]
    Flag,
    /// Rectangle pinned along its top.
    Strip,
    /// Cloth pinned along its top around the shoulders of an upright body, which it must not enter.
    Cape,
    /// Mesh of a file, in its rest position.
    Mesh,
}

impl ClothShape {
    /// Returns the name in names of clips and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Strip => "strip",
            Self::Cape => "cape",
            Self::Mesh => "mesh",
        }
    }
}

/// Settings of a cloth. Metres, seconds, kilograms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Shape of the cloth.
    pub shape: ClothShape,
    /// Index of the mesh instance of a model, for [`ClothShape::Mesh`]; `None` for all instances.
    pub instance: Option<usize>,
    /// Painted weights per vertex: from ½ on the vertex is pinned. If empty, the shape decides; a mesh is pinned at its
    /// upper edges.
    #[serde(skip_serializing_if = "WeightMap::is_empty")]
    pub pins: WeightMap,
    /// Width, 0.01 … 100 m.
    pub width: f64,
    /// Height, 0.01 … 100 m.
    pub height: f64,
    /// Height of the upper edge above ground at rest, −1000 … 1000 m.
    pub top: f64,
    /// Squares across, 1 … 200.
    pub columns: usize,
    /// Squares down, 1 … 200.
    pub rows: usize,
    /// Mass per square metre, 0.01 … 10 kg.
    pub weight: f64,
    /// Compliance to stretching, m/N; 0 for none.
    pub stretch: f64,
    /// Compliance to bending, m/N; large values are soft.
    pub bend: f64,
    /// Rate at which speed is lost, 1/s, 0 … 100: speed decays by exp(−drag·t).
    pub drag: f64,
    /// Acceleration downwards, m/s².
    pub gravity: f64,
    /// Velocity of the air, m/s.
    pub wind: [f64; 3],
    /// Size of the gusts as a share of the wind, 0 … 2.
    pub gusts: f64,
    /// Seed of the gusts; equal seeds give equal gusts.
    pub seed: u64,
    /// Frames per second, 1 … 240.
    pub fps: f64,
    /// Number of recorded frames.
    pub frames: usize,
    /// Seconds simulated before the first recorded frame.
    pub pre_roll: f64,
    /// Steps per frame, 1 … 64.
    pub steps: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            shape: ClothShape::Flag,
            instance: None,
            pins: WeightMap::default(),
            width: 1.5,
            height: 1.0,
            top: 2.4,
            columns: 30,
            rows: 20,
            weight: 0.15,
            stretch: 1e-7,
            bend: 0.05,
            drag: 0.3,
            gravity: 9.81,
            wind: [6.0, 0.0, 1.5],
            gusts: 0.4,
            seed: 1,
            fps: 30.0,
            frames: 240,
            pre_roll: 4.0,
            steps: 24,
        }
    }
}

messages! {
/// Error of a build.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A setting is out of range.
    OutOfRange {
        /// Name of the setting.
        what: Message,
        /// Value of the setting.
        value: f64,
        /// Smallest allowed value.
        low: f64,
        /// Largest allowed value.
        high: f64,
    } => message!(
        "error.cloth.out_of_range",
        "%{what} is %{value}, which cannot be simulated. Choose a number from %{low} to %{high}.",
        what = what, value, low, high
    ),
    /// No mesh is selected.
    NoMesh => message!(
        "error.cloth.no_mesh",
        "No mesh is chosen for the cloth. Choose a mesh of an open file, or a flag, a strip or a cape."
    ),
    /// A coordinate is not finite.
    NotFinite {
        /// Name of the mesh.
        mesh: String,
        /// Index of the vertex, counted from 0.
        vertex: usize,
    } => message!(
        "error.cloth.not_finite",
        "Vertex %{vertex} of \"%{mesh}\" is not a finite number. Export the mesh again.",
        vertex, mesh
    ),
    /// The mesh has no triangle with an area.
    NoFaces {
        /// Name of the mesh.
        mesh: String,
    } => message!(
        "error.cloth.no_faces",
        "\"%{mesh}\" has no faces that could be cloth. Choose a mesh with triangles.",
        mesh
    ),
    /// The mesh is too small or too large.
    Size {
        /// Name of the mesh.
        mesh: String,
        /// Its longest side, metres.
        metres: f64,
        /// Smallest allowed size, metres.
        low: f64,
        /// Largest allowed size, metres.
        high: f64,
    } => message!(
        "error.cloth.size",
        "\"%{mesh}\" is %{metres} m large; the size must be %{low} m to %{high} m. Set the unit of its file, or \
         choose another mesh.",
        mesh, metres, low, high
    ),
    /// The mesh has too many points to simulate in a reasonable time.
    TooMany {
        /// Name of the mesh.
        mesh: String,
        /// Number of points; vertices at the same position count once.
        points: usize,
        /// Maximum number of points.
        most: usize,
    } => message!(
        "error.cloth.too_many",
        "\"%{mesh}\" has %{points} points; cloth can have at most %{most}. Choose a mesh with fewer points.",
        mesh, points, most
    ),
    /// The frames need too much memory.
    TooLarge {
        /// Number of frames.
        frames: usize,
        /// Number of vertices per frame.
        vertices: usize,
        /// Required size, bytes.
        bytes: usize,
        /// Maximum size, bytes.
        most: usize,
    } => message!(
        "error.cloth.too_large",
        "%{frames} frames of %{vertices} vertices need %{needed} GB of memory; the maximum is %{kept} GB. Choose fewer \
         frames or a coarser cloth.",
        frames, vertices, needed = gigabytes(*bytes), kept = gigabytes(*most)
    ),
    /// The pins were painted for another number of vertices.
    OtherPins {
        /// Number of painted weights.
        painted: usize,
        /// Number of vertices of the cloth.
        vertices: usize,
    } => message!(
        "error.cloth.other_pins",
        "Pins are painted for %{painted} vertices, but the cloth has %{vertices} vertices. Remove the painted pins, or \
         select the cloth they were painted for.",
        painted, vertices
    ),
    /// No vertex is pinned.
    NoPins => message!(
        "error.cloth.nothing_holds",
        "This cloth has no pins. Paint pins where it should hang, or remove the painted pins."
    ),
    /// Some pieces have no pin.
    UnpinnedPieces {
        /// Number of vertices in those pieces.
        vertices: usize,
    } => message!(
        "error.cloth.falls",
        "%{vertices} vertices would fall: they are in pieces without pins. Paint a pin on every piece, or remove the \
         painted pins.",
        vertices
    ),
    /// Cancelled by the user.
    Cancelled(#[from] error: Cancelled) => error.message(),
}
}

fn gigabytes(bytes: usize) -> String {
    format!("{:.1}", bytes as f64 / 1e9)
}

/// Returns `Err` if a number is outside its range.
pub(super) fn check(settings: &Settings) -> Result<(), BuildError> {
    let [x, y, z] = settings.wind;
    let rows = [
        (message!("setting.cloth.width", "The width"), settings.width, 0.01, 100.0),
        (message!("setting.cloth.height", "The height"), settings.height, 0.01, 100.0),
        (message!("setting.cloth.top", "The height above ground"), settings.top, -1000.0, 1000.0),
        (message!("setting.cloth.columns", "The number of columns"), settings.columns as f64, 1.0, 200.0),
        (message!("setting.cloth.rows", "The number of rows"), settings.rows as f64, 1.0, 200.0),
        (message!("setting.cloth.weight", "The weight"), settings.weight, 0.01, 10.0),
        (message!("setting.cloth.stretch", "The stretch"), settings.stretch, 0.0, 1.0),
        (message!("setting.cloth.bend", "The bending softness"), settings.bend, 0.0, 1e6),
        (message!("setting.cloth.drag", "The drag"), settings.drag, 0.0, 100.0),
        (message!("setting.cloth.gravity", "The gravity"), settings.gravity, -100.0, 100.0),
        (message!("setting.cloth.wind_right", "The rightward wind"), x, -100.0, 100.0),
        (message!("setting.cloth.wind_up", "The upward wind"), y, -100.0, 100.0),
        (message!("setting.cloth.wind_front", "The forward wind"), z, -100.0, 100.0),
        (message!("setting.cloth.gusts", "The strength of gusts"), settings.gusts, 0.0, 2.0),
        (message!("setting.cloth.fps", "The frame rate"), settings.fps, 1.0, 240.0),
        (message!("setting.cloth.frames", "The number of frames"), settings.frames as f64, 1.0, 20_000.0),
        (message!("setting.cloth.pre_roll", "The time before the first frame"), settings.pre_roll, 0.0, 600.0),
        (message!("setting.cloth.steps", "The number of steps"), settings.steps as f64, 1.0, 64.0),
    ];
    match rows.into_iter().find(|(_, value, low, high)| !(low..=high).contains(&value)) {
        Some((what, value, low, high)) => Err(BuildError::OutOfRange { what, value, low, high }),
        None => Ok(()),
    }
}
