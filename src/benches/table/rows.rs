//! The targets of all measurements, and the names under which the benches store them.

/// A target.
#[derive(Clone, Copy)]
pub enum Limit {
    /// Speed ratio to the peer.
    TimesAsFast { must: f64, aim: f64 },
    /// Nanoseconds per unit.
    Within { must: f64, aim: f64 },
    /// Relative excess length over the peer; lengths are stored as if they were seconds.
    LongerBy { must: f64, aim: f64 },
}

/// A measured piece of work.
pub struct Row {
    pub work: &'static str,
    /// Name of its stored time.
    pub ours: &'static str,
    /// Number of units in that time.
    pub units: f64,
    /// The peer, and the name of its stored time.
    pub peer: Option<(&'static str, &'static str)>,
    pub peer_units: f64,
    pub limit: Limit,
}

const fn beside(
    work: &'static str,
    ours: &'static str,
    peer: (&'static str, &'static str),
    [must, aim]: [f64; 2],
) -> Row {
    Row { work, ours, units: 1.0, peer: Some(peer), peer_units: 1.0, limit: Limit::TimesAsFast { must, aim } }
}

/// Returns a row with limits in nanoseconds per unit, for a time that covers `units`.
const fn within(work: &'static str, ours: &'static str, units: f64, [must, aim]: [f64; 2]) -> Row {
    Row { work, ours, units, peer: None, peer_units: 1.0, limit: Limit::Within { must, aim } }
}

const MS: f64 = 1e6;

const LERP: &str = "plain lerp";
const BYTES: &str = "moving the bytes";
const CRATE: &str = "crate `pathfinding`";

/// All rows, in table order.
pub const ROWS: &[Row] = &[
    beside(
        "sample, blend 3 masked layers, to model; 64 joints",
        "blend → portamento → 64",
        ("plain glam, a search per track", "blend → plain glam, a search per track → 64"),
        [18.0, 30.0],
    ),
    beside(
        "the same, 256 joints",
        "blend → portamento → 256",
        ("plain glam, a search per track", "blend → plain glam, a search per track → 256"),
        [18.0, 30.0],
    ),
    within("one clip sampled, a joint of 64", "posing → sample", 64.0, [13.0, 5.2]),
    beside("the same at random times", "posing → sample at random times", ("in turn", "posing → sample"), [0.91, 0.95]),
    within(
        "dynamics, a joint and step, no collider",
        "dynamics/step of 1000 joints → 0 balls, exact",
        1000.0,
        [58.0, 20.0],
    ),
    within(
        "dynamics, a joint and step, 20 spheres",
        "dynamics/step of 1000 joints → 20 balls, exact",
        1000.0,
        [210.0, 70.0],
    ),
    within(
        "10 s of 1 000 joints and 20 spheres baked",
        "dynamics/bake → 10 s of 1000 joints and 20 balls",
        1.0,
        [600.0 * MS, 200.0 * MS],
    ),
    beside(
        "skinning 20 000 vertices × 4, position and normal",
        "skinning → one thread",
        ("plain `Mat4`", "skinning → plain 4×4 matrices"),
        [2.8, 5.0],
    ),
    beside("seam of vertices, even", "mesh → even fade", (LERP, "mesh → plain lerp"), [0.95, 0.98]),
    beside("seam of vertices, painted", "mesh → painted per vertex", (LERP, "mesh → plain lerp"), [0.9, 0.98]),
    beside(
        "seam of vertices, painted, raised cosine",
        "mesh → painted per vertex, raised cosine",
        (LERP, "mesh → plain lerp"),
        [0.85, 0.98],
    ),
    beside(
        "seam of 1080p, 8 bits, opaque",
        "pixels of 8 bits → opaque",
        (BYTES, "pixels of 8 bits → moving the bytes"),
        [0.85, 0.95],
    ),
    beside(
        "… other alphas everywhere",
        "pixels of 8 bits → other alphas everywhere",
        (BYTES, "pixels of 8 bits → moving the bytes"),
        [0.6, 0.85],
    ),
    beside(
        "… opaque, painted",
        "pixels of 8 bits → opaque, painted",
        (BYTES, "pixels of 8 bits → moving the bytes and the painting"),
        [0.6, 0.85],
    ),
    beside(
        "… other alphas everywhere, painted",
        "pixels of 8 bits → other alphas everywhere, painted",
        (BYTES, "pixels of 8 bits → moving the bytes and the painting"),
        [0.6, 0.85],
    ),
    beside(
        "… as linear light, opaque",
        "pixels of 8 bits → opaque, as light",
        (LERP, "pixels of 8 bits → plain lerp"),
        [0.5, 0.8],
    ),
    beside(
        "… as linear light, other alphas everywhere",
        "pixels of 8 bits → other alphas everywhere, as light",
        (LERP, "pixels of 8 bits → plain lerp"),
        [0.35, 0.8],
    ),
    beside(
        "seam of 1080p, 16 bits, alpha",
        "pixels of 16 bits → with alpha",
        (LERP, "pixels of 16 bits → plain lerp"),
        [0.8, 0.95],
    ),
    beside(
        "… painted",
        "pixels of 16 bits → with alpha, painted",
        (LERP, "pixels of 16 bits → plain lerp"),
        [0.8, 0.95],
    ),
    beside(
        "seam of 1080p, floats, painted",
        "pixels of floats → premultiplied, painted",
        (LERP, "pixels of floats → plain lerp"),
        [0.8, 0.95],
    ),
    beside(
        "quickest way, 45 000 sloped cells",
        "search, 45k → quickest",
        (CRATE, "search, 45k → pathfinding"),
        [10.0, 30.0],
    ),
    beside(
        "quickest way, 180 000 sloped cells",
        "search, 180k → quickest",
        (CRATE, "search, 180k → pathfinding"),
        [10.0, 30.0],
    ),
    within("quickest way, 2.7 million sloped cells", "search, 2700k → quickest", 1.0, [68.0 * MS, 22.0 * MS]),
    within("varied way, 45 000 sloped cells", "search, 45k → varied", 1.0, [0.47 * MS, 0.3 * MS]),
    within("varied way, 180 000 sloped cells", "search, 180k → varied", 1.0, [3.1 * MS, 2.0 * MS]),
    within("varied way, 2.7 million sloped cells", "search, 2700k → varied", 1.0, [74.0 * MS, 50.0 * MS]),
    within("… p95", "search, 2700k → varied, p95", 1.0, [150.0 * MS, 100.0 * MS]),
    beside("grids of the benchmark (DAO)", "grids → quickest", (CRATE, "grids → pathfinding"), [114.0, 200.0]),
    Row {
        limit: Limit::LongerBy { must: 5e-3, aim: 5e-4 },
        ..beside(
            "lines at any angle, how much longer than the shortest",
            "any angle → ours",
            ("the shortest", "any angle → shortest"),
            [1.0, 1.0],
        )
    },
    beside("rasterise 33 000 triangles", "spans → ours", ("rerecast", "spans → rerecast"), [2.5, 4.0]),
    beside(
        "nav_test to eroded floors",
        "floors of nav_test → ours",
        ("rerecast", "floors of nav_test → rerecast"),
        [2.5, 5.0],
    ),
    within("2.7 million floors", "large → to eroded floors", 1.0, [350.0 * MS, 200.0 * MS]),
    beside(
        "open a skinned GLB of 5 MB",
        "import, 5 MB → ours",
        ("crate `gltf`, plain read", "import, 5 MB → gltf"),
        [2.0, 5.0],
    ),
    beside(
        "leg IK, 256 legs",
        "leg IK → closed form",
        ("damped least squares of six hinges, as the crate `k` has it", "leg IK → damped least squares"),
        [30.0, 100.0],
    ),
    beside(
        "stretch 10 000 frames",
        "stretch → displacement",
        ("evenly spread", "stretch → plain evenly spread"),
        [0.87, 1.0],
    ),
    within(
        "brush along the surface, radius 0.2, of 100 000 vertices",
        "brush of 100 000 vertices → dab Add of radius 0.2 over the surface",
        1.0,
        [1.5 * MS, MS],
    ),
    within(
        "distances outwards over 100 000 vertices",
        "brush of 100 000 vertices → outwards from one vertex",
        1.0,
        [15.0 * MS, MS],
    ),
];
