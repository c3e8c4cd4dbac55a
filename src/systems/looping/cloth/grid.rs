//! The cloth at rest: points in rows, triangles, edges that keep their length and folds that resist.

use glam::DVec3;

use super::{Settings, Shape};

/// Two points and the distance they had at rest.
pub(super) struct Edge {
    pub a: u32,
    pub b: u32,
    pub length: f64,
}

/// Points row after row from the top left.
pub(super) struct Grid {
    pub places: Vec<DVec3>,
    pub held: Vec<bool>,
    pub faces: Vec<u32>,
    pub edges: Vec<Edge>,
    /// Between points two apart: what bending brings nearer.
    pub folds: Vec<Edge>,
    /// From the held point of a row or column to each free one in it.
    pub leashes: Vec<Edge>,
    /// The shortest edge.
    pub shortest: f64,
    /// Radius of the upright body to keep out of.
    pub body: Option<f64>,
}

impl Grid {
    pub fn new(settings: &Settings) -> Self {
        let (columns, rows) = (settings.columns + 1, settings.rows + 1);
        let body = (settings.shape == Shape::Cape).then_some(settings.width / std::f64::consts::PI);
        let place = |i: usize| {
            let across = (i % columns) as f64 / settings.columns as f64;
            let down = (i / columns) as f64 / settings.rows as f64 * settings.height;
            match body {
                // Half way round the shoulders, a little wider below so that it hangs free of the back.
                Some(radius) => {
                    let angle = std::f64::consts::PI * across;
                    let away = radius * 1.02 + 0.15 * down;
                    DVec3::new(-angle.cos() * away, -down, -angle.sin() * away)
                }
                None => DVec3::new(across * settings.width, -down, 0.0),
            }
        };
        let places: Vec<DVec3> = (0..columns * rows).map(place).collect();
        let held =
            (0..places.len()).map(|i| if settings.shape == Shape::Flag { i % columns == 0 } else { i < columns });
        let held: Vec<bool> = held.collect();
        let edge = |(a, b): (usize, usize)| Edge { a: a as u32, b: b as u32, length: places[a].distance(places[b]) };
        let edges: Vec<Edge> = pairs(columns, rows, &[(1, 0), (0, 1), (1, 1)])
            .chain(pairs(columns, rows, &[(1, 1)]).map(|(a, b)| (a + 1, b - 1)))
            .map(edge)
            .collect();
        let folds = pairs(columns, rows, &[(2, 0), (0, 2)]).map(edge).collect();
        let holder = |i: usize| if settings.shape == Shape::Flag { i - i % columns } else { i % columns };
        let leashes = (0..places.len()).filter(|&i| !held[i]).map(|i| edge((holder(i), i))).collect();
        let square = |i: usize| [i, i + columns, i + 1, i + 1, i + columns, i + columns + 1].map(|it| it as u32);
        let corner = |i: usize| i % columns + 1 < columns && i / columns + 1 < rows;
        let faces = (0..places.len()).filter(|&i| corner(i)).flat_map(square).collect();
        let shortest = edges.iter().map(|edge| edge.length).fold(f64::INFINITY, f64::min);
        Self { held, faces, edges, folds, leashes, shortest, body, places }
    }

    /// Pushes `places` out of the body, where there is one.
    pub fn keep_out(&self, places: &mut [DVec3]) {
        if let Some(radius) = self.body {
            places.iter_mut().for_each(|place| *place = outside(*place, radius));
        }
    }
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
