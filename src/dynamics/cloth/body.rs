//! Cloth at rest: points, triangles, edges that keep their length, bend constraints, pins and tethers.

use glam::DVec3;

use super::{BuildError, ClothShape, Settings};
use portamento_anim::geometry::{Adjacency, geodesic};

/// Maximum number of strain rounds per step for a flag, strip or cape. Tuned; no derivation recorded.
const SHAPE_STRAIN_ROUNDS: usize = 24;

/// Two points, by index, and their distance at rest in metres.
pub(super) struct DistanceConstraint {
    pub a: u32,
    pub b: u32,
    pub length: f64,
}

impl DistanceConstraint {
    pub fn between(points: &[DVec3], a: usize, b: usize) -> Self {
        Self { a: a as u32, b: b as u32, length: points[a].distance(points[b]) }
    }
}

/// Simulated cloth. The points of a shape are stored row by row from the top left.
pub(super) struct ClothBody {
    /// Points at rest, metres.
    pub points: Vec<DVec3>,
    pub pinned: Vec<bool>,
    /// Triangles, three point indices each.
    pub faces: Vec<u32>,
    pub edges: Vec<DistanceConstraint>,
    /// Constraints between points on both sides of an edge or a point, which resist bending.
    pub bends: Vec<DistanceConstraint>,
    /// Constraints from a pinned point to a free one.
    pub tethers: Vec<DistanceConstraint>,
    /// Mass of each point, kilograms.
    pub masses: Vec<f64>,
    /// Typical edge length, metres: the shortest edge of a shape, the median edge of a mesh.
    pub span: f64,
    /// Maximum number of strain rounds per step.
    pub strain_rounds: usize,
    /// Radius of the upright cylinder behind a cape, which the cloth must not enter, metres.
    pub obstacle: Option<f64>,
}

impl ClothBody {
    /// Creates the flag, strip or cape of `settings`, with the painted pins if there are any.
    ///
    /// Returns `Err` if the pins have another vertex count, pin nothing, or leave a piece without a pin.
    pub fn new(settings: &Settings) -> Result<Self, BuildError> {
        let mut body = Self::of_shape(settings);
        let pins = settings.pins.values();
        if !pins.is_empty() {
            check_pins(pins, body.points.len())?;
            let free = body.pin(pins.iter().map(|&pin| is_pin(pin)).collect())?;
            check_pieces(free.into_iter().filter(|&is_free| is_free).count())?;
        }
        Ok(body)
    }

    /// Creates the shape of `settings` in metres without painted pins. It hangs down from y = 0. A flag is pinned along its
    /// left edge, other shapes along their upper edge.
    fn of_shape(settings: &Settings) -> Self {
        let (columns, rows) = (settings.columns + 1, settings.rows + 1);
        let obstacle = (settings.shape == ClothShape::Cape).then_some(settings.width / std::f64::consts::PI);
        let point_at = |i: usize| {
            let across = (i % columns) as f64 / settings.columns as f64;
            let down = (i / columns) as f64 / settings.rows as f64 * settings.height;
            match obstacle {
                // Half a circle around the shoulders, wider towards the bottom so that it hangs clear of the back.
                Some(radius) => {
                    let angle = std::f64::consts::PI * across;
                    let away = radius * 1.02 + 0.15 * down;
                    DVec3::new(-angle.cos() * away, -down, -angle.sin() * away)
                }
                None => DVec3::new(across * settings.width, -down, 0.0),
            }
        };
        let points: Vec<DVec3> = (0..columns * rows).map(point_at).collect();
        let pinned =
            (0..points.len()).map(|i| if settings.shape == ClothShape::Flag { i % columns == 0 } else { i < columns });
        let pinned: Vec<bool> = pinned.collect();
        let edge = |(a, b)| DistanceConstraint::between(&points, a, b);
        let edges: Vec<DistanceConstraint> = pairs(columns, rows, &[(1, 0), (0, 1), (1, 1)])
            .chain(pairs(columns, rows, &[(1, 1)]).map(|(a, b)| (a + 1, b - 1)))
            .map(edge)
            .collect();
        let bends = pairs(columns, rows, &[(2, 0), (0, 2)]).map(edge).collect();
        let pin_of = |i: usize| if settings.shape == ClothShape::Flag { i - i % columns } else { i % columns };
        let tethers = (0..points.len()).filter(|&i| !pinned[i]).map(|i| edge((pin_of(i), i))).collect();
        let square = |i: usize| [i, i + columns, i + 1, i + 1, i + columns, i + columns + 1].map(|index| index as u32);
        let corner = |i: usize| i % columns + 1 < columns && i / columns + 1 < rows;
        let faces = (0..points.len()).filter(|&i| corner(i)).flat_map(square).collect();
        let span = edges.iter().map(|edge| edge.length).fold(f64::INFINITY, f64::min);
        let masses = vec![settings.weight * settings.width * settings.height / points.len() as f64; points.len()];
        Self {
            pinned,
            faces,
            edges,
            bends,
            tethers,
            masses,
            span,
            strain_rounds: SHAPE_STRAIN_ROUNDS,
            obstacle,
            points,
        }
    }

    /// Pins the points `pinned` and tethers all others to the nearest pin along the surface. Sorts the edges by distance
    /// from the pins, so that few rounds transmit a pull far. Returns true for each point that no pin is connected to.
    ///
    /// Returns `Err` if no point is pinned.
    pub fn pin(&mut self, pinned: Vec<bool>) -> Result<Vec<bool>, BuildError> {
        let pins: Vec<usize> = (0..pinned.len()).filter(|&i| pinned[i]).collect();
        if pins.is_empty() {
            return Err(BuildError::NoPins);
        }
        let points: Vec<_> = self.points.iter().map(|point| point.as_vec3()).collect();
        let adjacency = Adjacency::of_mesh(points.len(), &self.faces);
        let geodesic::NearestSources { distances: away, sources: nearest_pin } =
            geodesic::nearest(&points, &adjacency, &pins, f32::INFINITY);
        let tether =
            |i: usize| DistanceConstraint { a: nearest_pin[i] as u32, b: i as u32, length: f64::from(away[i]) };
        self.tethers = (0..pinned.len()).filter(|&i| !pinned[i] && away[i].is_finite()).map(tether).collect();
        let nearer = |edge: &DistanceConstraint| away[edge.a as usize].min(away[edge.b as usize]);
        self.edges
            .sort_by(|one, other| nearer(one).total_cmp(&nearer(other)).then((one.a, one.b).cmp(&(other.a, other.b))));
        self.pinned = pinned;
        Ok(away.iter().map(|away| away.is_infinite()).collect())
    }

    /// Pushes `points` (metres) out of the obstacle, if there is one.
    pub(super) fn push_out(&self, points: &mut [DVec3]) {
        if let Some(radius) = self.obstacle {
            points.iter_mut().for_each(|point| *point = pushed_outside(*point, radius));
        }
    }
}

/// True if a painted value pins its vertex.
pub(super) fn is_pin(painted: f32) -> bool {
    painted >= 0.5
}

/// Returns `Err` unless there is one pin value per vertex.
pub(super) fn check_pins(pins: &[f32], vertices: usize) -> Result<(), BuildError> {
    let fits = pins.len() == vertices;
    if fits { Ok(()) } else { Err(BuildError::OtherPins { painted: pins.len(), vertices }) }
}

/// Returns `Err` if `vertices`, the number of vertices in pieces without a pin, is not 0.
pub(super) fn check_pieces(vertices: usize) -> Result<(), BuildError> {
    if vertices == 0 { Ok(()) } else { Err(BuildError::UnpinnedPieces { vertices }) }
}

/// Returns `point` pushed out of the upright cylinder of `radius` about the y axis, both in metres.
fn pushed_outside(point: DVec3, radius: f64) -> DVec3 {
    let flat = DVec3::new(point.x, 0.0, point.z);
    let away = flat.length();
    if away >= radius {
        return point;
    }
    let direction = if away > 0.0 { flat / away } else { DVec3::NEG_Z };
    DVec3::new(0.0, point.y, 0.0) + direction * radius
}

/// Returns pairs of indices of grid points whose columns and rows differ by one of `steps` (right, down).
fn pairs(columns: usize, rows: usize, steps: &[(usize, usize)]) -> impl Iterator<Item = (usize, usize)> {
    let point = move |i: usize, (x, y): (usize, usize)| {
        let there = i % columns + x < columns && i / columns + y < rows;
        there.then_some((i, i + x + y * columns))
    };
    let one = move |step: (usize, usize)| (0..columns * rows).filter_map(move |i| point(i, step));
    steps.iter().copied().flat_map(one).collect::<Vec<_>>().into_iter()
}
