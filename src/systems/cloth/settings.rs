//! What the user chooses about a cloth.

use serde::{Deserialize, Serialize};

use crate::math::WeightMap;
use crate::message::{Message, message, tell};
use crate::progress::Cancelled;

/// What hangs where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClothShape {
    /// Held along its left side, like from a pole.
    #[default]
    Flag,
    /// Held along its top.
    Strip,
    /// Held along its top around the shoulders, with a body to keep out of.
    Cape,
    /// A mesh that was made elsewhere, where it stands.
    Mesh,
}

impl ClothShape {
    /// The word for it in names and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Strip => "strip",
            Self::Cape => "cape",
            Self::Mesh => "mesh",
        }
    }
}

/// What is simulated. Metres, seconds, kilograms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// What hangs where.
    pub shape: ClothShape,
    /// Which of the placed meshes of a model hangs where a mesh is chosen; `None` all of them.
    pub instance: Option<usize>,
    /// Painted per vertex: from ½ on it is held. Empty where the shape decides, and where a mesh hangs by its upper edges.
    #[serde(skip_serializing_if = "WeightMap::is_empty")]
    pub pins: WeightMap,
    /// From side to side, 0.01 … 100 m.
    pub width: f64,
    /// From top to bottom, 0.01 … 100 m.
    pub height: f64,
    /// Of the upper edge at rest over the ground, −1000 … 1000 m.
    pub top: f64,
    /// Squares across, 1 … 200.
    pub columns: usize,
    /// Squares down, 1 … 200.
    pub rows: usize,
    /// Mass of a square metre, 0.01 … 10 kg.
    pub weight: f64,
    /// How much it gives when pulled, m/N; 0 not at all.
    pub stretch: f64,
    /// How much it gives when bent, m/N; large is soft.
    pub bend: f64,
    /// Part of the speed lost per second to nothing in particular, 0 … 100.
    pub drag: f64,
    /// Acceleration downwards, m/s².
    pub gravity: f64,
    /// Where the air goes, m/s.
    pub wind: [f64; 3],
    /// How much gusts add and take, in parts of the wind, 0 … 2.
    pub gusts: f64,
    /// Seed of the gusts; equal seeds blow alike.
    pub seed: u64,
    /// Frames per second, 1 … 240.
    pub fps: f64,
    /// Frames to keep.
    pub frames: usize,
    /// Seconds simulated before the first frame that is kept.
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

/// Why nothing was simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A setting out of range.
    OutOfRange {
        /// Name of the refused setting.
        what: Message,
        /// What it holds.
        value: f64,
        /// Smallest that works.
        low: f64,
        /// Largest that works.
        high: f64,
    },
    /// Nothing to hang.
    NoMesh,
    /// A coordinate that is not a finite number.
    NotFinite {
        /// Name of the mesh with the broken coordinate.
        mesh: String,
        /// Counted from 0.
        vertex: usize,
    },
    /// Points, lines or triangles of no area.
    NoFaces {
        /// Name of the mesh without faces.
        mesh: String,
    },
    /// Too small or too large to be cloth.
    Size {
        /// Name of the mesh of that size.
        mesh: String,
        /// Its longest side.
        metres: f64,
        /// Smallest that works.
        low: f64,
        /// Largest that works.
        high: f64,
    },
    /// More than can be simulated in a useful time.
    TooMany {
        /// Name of the mesh with too many points.
        mesh: String,
        /// Its points, those at one place counted once.
        points: usize,
        /// Most that are taken.
        most: usize,
    },
    /// Frames that would fill the memory.
    TooLarge {
        /// Frames asked for.
        frames: usize,
        /// Vertices of each.
        vertices: usize,
        /// What they take.
        bytes: usize,
        /// What can be kept.
        most: usize,
    },
    /// Pins that were painted on something else.
    OtherPins {
        /// How many weights were painted.
        painted: usize,
        /// How many vertices the mesh has.
        vertices: usize,
    },
    /// No pin at all.
    NothingHolds,
    /// Pieces without a pin.
    Falls {
        /// How many vertices no pin holds.
        vertices: usize,
    },
    /// Stopped on request.
    Cancelled(#[from] Cancelled),
}

tell!(BuildError {
    Self::OutOfRange { what, value, low, high } => message!(
        "error.cloth.out_of_range",
        "%{what} is %{value}, which cannot be simulated. Choose a number from %{low} to %{high}.",
        what = what, value, low, high
    ),
    Self::NoMesh => message!(
        "error.cloth.no_mesh",
        "No mesh is chosen for the cloth. Choose a mesh of an open file, or a flag, a strip or a cape."
    ),
    Self::NotFinite { mesh, vertex } => message!(
        "error.cloth.not_finite",
        "Vertex %{vertex} of \"%{mesh}\" is not a finite number. Export the mesh again.",
        vertex, mesh
    ),
    Self::NoFaces { mesh } => message!(
        "error.cloth.no_faces",
        "\"%{mesh}\" has no faces to make cloth of. Choose a mesh with triangles.",
        mesh
    ),
    Self::Size { mesh, metres, low, high } => message!(
        "error.cloth.size",
        "\"%{mesh}\" is %{metres} m large; cloth from %{low} m to %{high} m can be simulated. Set the unit of its file, or \
         choose another mesh.",
        mesh, metres, low, high
    ),
    Self::TooMany { mesh, points, most } => message!(
        "error.cloth.too_many",
        "\"%{mesh}\" has %{points} points; cloth of up to %{most} can be simulated. Choose a mesh with fewer.",
        mesh, points, most
    ),
    Self::TooLarge { frames, vertices, bytes, most } => message!(
        "error.cloth.too_large",
        "%{frames} frames of %{vertices} vertices take %{needed} GB in memory; up to %{kept} GB can be kept. Choose fewer \
         frames, or a coarser cloth.",
        frames, vertices, needed = gigabytes(*bytes), kept = gigabytes(*most)
    ),
    Self::OtherPins { painted, vertices } => message!(
        "error.cloth.other_pins",
        "Pins are painted for %{painted} vertices, but the cloth has %{vertices}. Take the painted pins off, or choose what \
         they were painted on.",
        painted, vertices
    ),
    Self::NothingHolds => message!(
        "error.cloth.nothing_holds",
        "Nothing holds this cloth. Paint pins where it hangs, or take the painted pins off."
    ),
    Self::Falls { vertices } => message!(
        "error.cloth.falls",
        "%{vertices} vertices would fall: they are in pieces that no pin holds. Paint a pin on every piece, or take the \
         painted pins off.",
        vertices
    ),
    Self::Cancelled(error) => error.message(),
});

fn gigabytes(bytes: usize) -> String {
    format!("{:.1}", bytes as f64 / 1e9)
}

/// Whether every number lies in its range.
pub(super) fn check(settings: &Settings) -> Result<(), BuildError> {
    let [x, y, z] = settings.wind;
    let rows = [
        (message!("setting.cloth.width", "The width"), settings.width, 0.01, 100.0),
        (message!("setting.cloth.height", "The height"), settings.height, 0.01, 100.0),
        (message!("setting.cloth.top", "The height over the ground"), settings.top, -1000.0, 1000.0),
        (message!("setting.cloth.columns", "The number of columns"), settings.columns as f64, 1.0, 200.0),
        (message!("setting.cloth.rows", "The number of rows"), settings.rows as f64, 1.0, 200.0),
        (message!("setting.cloth.weight", "The weight"), settings.weight, 0.01, 10.0),
        (message!("setting.cloth.stretch", "The stretch"), settings.stretch, 0.0, 1.0),
        (message!("setting.cloth.bend", "The softness in bending"), settings.bend, 0.0, 1e6),
        (message!("setting.cloth.drag", "The drag"), settings.drag, 0.0, 100.0),
        (message!("setting.cloth.gravity", "The gravity"), settings.gravity, -100.0, 100.0),
        (message!("setting.cloth.wind_right", "The wind to the right"), x, -100.0, 100.0),
        (message!("setting.cloth.wind_up", "The wind upwards"), y, -100.0, 100.0),
        (message!("setting.cloth.wind_front", "The wind to the front"), z, -100.0, 100.0),
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
