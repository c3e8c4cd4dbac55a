//! The cloth at rest: points, triangles, edges that keep their length, folds that resist bending, and what holds it.

use glam::DVec3;

use super::{BuildError, ClothShape, Settings};
use crate::geometry::{Adjacency, geodesic};

/// Most rounds that limit the strain of a flag, strip or cape, per step.
const SHAPE_ROUNDS: usize = 24;

/// Two points and the distance they had at rest.
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

/// Points; those of a shape row after row from the top left.
pub(super) struct ClothBody {
    pub points: Vec<DVec3>,
    pub held: Vec<bool>,
    pub faces: Vec<u32>,
    pub edges: Vec<DistanceConstraint>,
    /// Between points on both sides of an edge or a point: what bending brings nearer.
    pub bends: Vec<DistanceConstraint>,
    /// From a held point to a free one that hangs from it.
    pub tethers: Vec<DistanceConstraint>,
    /// Mass of each point, kilograms.
    pub masses: Vec<f64>,
    /// The shortest edge of a shape, the median one of a mesh.
    pub span: f64,
    /// Most rounds that limit the strain, per step.
    pub strain_rounds: usize,
    /// Radius of the upright cylinder behind a cape, to keep out of.
    pub obstacle: Option<f64>,
}

impl ClothBody {
    /// The flag, strip or cape of `settings`, held where it is painted.
    ///
    /// Errors when the painting does not fit or leaves something to fall.
    pub fn new(settings: &Settings) -> Result<Self, BuildError> {
        let mut body = Self::of_shape(settings);
        let pins = settings.pins.values();
        if !pins.is_empty() {
            check_pins(pins, body.points.len())?;
            let free = body.hang(pins.iter().map(|&pin| is_pin(pin)).collect())?;
            fallen(free.into_iter().filter(|&is_free| is_free).count())?;
        }
        Ok(body)
    }

    fn of_shape(settings: &Settings) -> Self {
        let (columns, rows) = (settings.columns + 1, settings.rows + 1);
        let obstacle = (settings.shape == ClothShape::Cape).then_some(settings.width / std::f64::consts::PI);
        let place = |i: usize| {
            let across = (i % columns) as f64 / settings.columns as f64;
            let down = (i / columns) as f64 / settings.rows as f64 * settings.height;
            match obstacle {
                // Half way round the shoulders, a little wider below so that it hangs free of the back.
                Some(radius) => {
                    let angle = std::f64::consts::PI * across;
                    let away = radius * 1.02 + 0.15 * down;
                    DVec3::new(-angle.cos() * away, -down, -angle.sin() * away)
                }
                None => DVec3::new(across * settings.width, -down, 0.0),
            }
        };
        let points: Vec<DVec3> = (0..columns * rows).map(place).collect();
        let held =
            (0..points.len()).map(|i| if settings.shape == ClothShape::Flag { i % columns == 0 } else { i < columns });
        let held: Vec<bool> = held.collect();
        let edge = |(a, b)| DistanceConstraint::between(&points, a, b);
        let edges: Vec<DistanceConstraint> = pairs(columns, rows, &[(1, 0), (0, 1), (1, 1)])
            .chain(pairs(columns, rows, &[(1, 1)]).map(|(a, b)| (a + 1, b - 1)))
            .map(edge)
            .collect();
        let bends = pairs(columns, rows, &[(2, 0), (0, 2)]).map(edge).collect();
        let holder = |i: usize| if settings.shape == ClothShape::Flag { i - i % columns } else { i % columns };
        let tethers = (0..points.len()).filter(|&i| !held[i]).map(|i| edge((holder(i), i))).collect();
        let square = |i: usize| [i, i + columns, i + 1, i + 1, i + columns, i + columns + 1].map(|index| index as u32);
        let corner = |i: usize| i % columns + 1 < columns && i / columns + 1 < rows;
        let faces = (0..points.len()).filter(|&i| corner(i)).flat_map(square).collect();
        let span = edges.iter().map(|edge| edge.length).fold(f64::INFINITY, f64::min);
        let masses = vec![settings.weight * settings.width * settings.height / points.len() as f64; points.len()];
        Self { held, faces, edges, bends, tethers, masses, span, strain_rounds: SHAPE_ROUNDS, obstacle, points }
    }

    /// Holds the points `held` and tethers the others to the nearest of them along the surface. Edges come in the order in
    /// which a pull spreads from there, so that few rounds carry it far. Gives the points that nothing holds.
    ///
    /// Errors when no point is held.
    pub fn hang(&mut self, held: Vec<bool>) -> Result<Vec<bool>, BuildError> {
        let pins: Vec<usize> = (0..held.len()).filter(|&i| held[i]).collect();
        if pins.is_empty() {
            return Err(BuildError::NothingHolds);
        }
        let points: Vec<_> = self.points.iter().map(|place| place.as_vec3()).collect();
        let adjacency = Adjacency::of_mesh(points.len(), &self.faces);
        let geodesic::NearestSources { distances: away, sources: pin } =
            geodesic::nearest(&points, &adjacency, &pins, f32::INFINITY);
        let tether = |i: usize| DistanceConstraint { a: pin[i] as u32, b: i as u32, length: f64::from(away[i]) };
        self.tethers = (0..held.len()).filter(|&i| !held[i] && away[i].is_finite()).map(tether).collect();
        let nearer = |edge: &DistanceConstraint| away[edge.a as usize].min(away[edge.b as usize]);
        self.edges
            .sort_by(|one, other| nearer(one).total_cmp(&nearer(other)).then((one.a, one.b).cmp(&(other.a, other.b))));
        self.held = held;
        Ok(away.iter().map(|away| away.is_infinite()).collect())
    }

    /// Pushes `points` out of the cylinder, where there is one.
    pub(super) fn keep_out(&self, points: &mut [DVec3]) {
        if let Some(radius) = self.obstacle {
            points.iter_mut().for_each(|place| *place = outside(*place, radius));
        }
    }
}

/// Whether a painted number holds its vertex.
pub(super) fn is_pin(painted: f32) -> bool {
    painted >= 0.5
}

/// Whether there is one of `pins` for each of so many vertices.
pub(super) fn check_pins(pins: &[f32], vertices: usize) -> Result<(), BuildError> {
    let fits = pins.len() == vertices;
    if fits { Ok(()) } else { Err(BuildError::OtherPins { painted: pins.len(), vertices }) }
}

/// Refuses so many vertices that nothing holds.
pub(super) fn fallen(vertices: usize) -> Result<(), BuildError> {
    if vertices == 0 { Ok(()) } else { Err(BuildError::Falls { vertices }) }
}

/// Pushed out of the upright cylinder of `radius` about the y axis.
fn outside(place: DVec3, radius: f64) -> DVec3 {
    let flat = DVec3::new(place.x, 0.0, place.z);
    let away = flat.length();
    if away >= radius {
        return place;
    }
    let direction = if away > 0.0 { flat / away } else { DVec3::NEG_Z };
    DVec3::new(0.0, place.y, 0.0) + direction * radius
}

/// Points and those `steps` (right, down) from them, where there are such.
fn pairs(columns: usize, rows: usize, steps: &[(usize, usize)]) -> impl Iterator<Item = (usize, usize)> {
    let point = move |i: usize, (x, y): (usize, usize)| {
        let there = i % columns + x < columns && i / columns + y < rows;
        there.then_some((i, i + x + y * columns))
    };
    let one = move |step: (usize, usize)| (0..columns * rows).filter_map(move |i| point(i, step));
    steps.iter().copied().flat_map(one).collect::<Vec<_>>().into_iter()
}
