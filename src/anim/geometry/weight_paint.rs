//! Weight painting: pure functions on slices of one number 0…1 per unit (a vertex or a pixel). A stroke consists of
//! dabs, and equal dabs give equal weights.

use glam::{Vec2, Vec3};

use super::Adjacency;
use crate::math::easing::Easing;

/// The effect of a dab on the weights it reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BrushMode {
    /// Moves weights towards 1.
    #[default]
    Add,
    /// Moves weights towards 0.
    Subtract,
    /// Moves weights towards the mean of the neighbours.
    Smooth,
}

/// A round brush.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brush {
    /// Radius, in the unit of the distances.
    pub radius: f32,
    /// Fraction of the change that one dab makes at the centre, 0…1.
    pub strength: f32,
    /// Fraction of the radius over which the strength falls to 0: 0 is a hard edge, 1 falls from the centre on.
    pub softness: f32,
    /// Shape of the falloff.
    pub falloff: Easing,
}

impl Default for Brush {
    fn default() -> Self {
        Self { radius: 0.1, strength: 0.5, softness: 1.0, falloff: Easing::Smoothstep }
    }
}

impl Brush {
    /// Returns the strength at `distance` from the centre, 0 … `strength`; 0 from the radius on and for NaN.
    pub fn at(&self, distance: f32) -> f32 {
        // A NaN distance comes from an invalid ray or position.
        if distance >= self.radius || distance.is_nan() || self.radius.is_nan() {
            return 0.0;
        }
        let hard = self.radius * (1.0 - self.softness.clamp(0.0, 1.0));
        if distance <= hard {
            return self.strength.clamp(0.0, 1.0);
        }
        let inward = (self.radius - distance) / (self.radius - hard);
        self.strength.clamp(0.0, 1.0) * self.falloff.at(f64::from(inward)) as f32
    }
}

/// Applies one dab to the units `reached`, each given once with its distance from the centre; unknown units are
/// skipped.
/// Weights stay within 0…1. Smoothing reads the weights before the dab.
pub fn dab(weights: &mut [f32], reached: &[(u32, f32)], brush: &Brush, mode: BrushMode, adjacency: &Adjacency) {
    match mode {
        BrushMode::Add => dab_towards(1.0, weights, reached, brush),
        BrushMode::Subtract => dab_towards(0.0, weights, reached, brush),
        BrushMode::Smooth => {
            let smoothed = |&(unit, distance): &(u32, f32)| {
                let weight = *weights.get(unit as usize)?;
                let target = neighbourhood(weights, adjacency.neighbours(unit as usize)).unwrap_or(weight);
                Some((unit as usize, dabbed(weight, target, brush.at(distance))))
            };
            let changed: Vec<(usize, f32)> = reached.iter().filter_map(smoothed).collect();
            changed.into_iter().for_each(|(unit, weight)| weights[unit] = weight);
        }
    }
}

/// Moves the weights of the units `reached`, each with its distance from the centre of the dab, towards `target` (0…1).
fn dab_towards(target: f32, weights: &mut [f32], reached: &[(u32, f32)], brush: &Brush) {
    for &(unit, distance) in reached {
        if let Some(weight) = weights.get_mut(unit as usize) {
            *weight = dabbed(*weight, target, brush.at(distance));
        }
    }
}

/// Returns `weight` moved towards `target` by the fraction `strength`, clamped to 0…1.
fn dabbed(weight: f32, target: f32, strength: f32) -> f32 {
    (weight + (target - weight) * strength).clamp(0.0, 1.0)
}

/// Returns the mirrored units of a dab on `reached`, each once with its distance from the centre of the dab. `opposite` is the
/// opposite unit of each, or the unit itself if there is none. Adjacent units at the same position in `points` as an opposite
/// one, as files split them, are included.
pub fn mirrored_dab(
    reached: &[(u32, f32)],
    opposite: &[u32],
    points: &[Vec3],
    adjacency: &Adjacency,
) -> Vec<(u32, f32)> {
    let other = |&(unit, distance): &(u32, f32)| {
        opposite.get(unit as usize).filter(|&&other| other != unit).map(|&other| (other, distance))
    };
    let position = |unit: u32| points.get(unit as usize);
    let with_split_copies = |(unit, distance): (u32, f32)| {
        let copies = adjacency
            .neighbours(unit as usize)
            .map(|other| other as u32)
            .filter(move |&other| position(other) == position(unit));
        std::iter::once(unit).chain(copies).map(move |unit| (unit, distance))
    };
    let mut all: Vec<(u32, f32)> = reached.iter().filter_map(other).flat_map(with_split_copies).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    all.dedup_by_key(|reached| reached.0);
    all
}

/// Returns the mean weight of the units `around`; `None` if there are none.
fn neighbourhood(weights: &[f32], around: impl Iterator<Item = usize>) -> Option<f32> {
    let (sum, count) = around.fold((0.0, 0), |(sum, count), j| (sum + weights[j], count + 1));
    (count > 0).then(|| sum / count as f32)
}

/// Returns the pixels of a `width` × `height` image whose centres are nearer to `at` than `radius`. Both are in
/// pixels, from the upper left corner. Each entry is the index of a pixel, row by row, and its distance from `at`.
pub fn pixels_within(width: usize, height: usize, at: Vec2, radius: f32) -> Vec<(u32, f32)> {
    let span = |middle: f32, size: usize| {
        let to = (middle + radius).ceil().clamp(0.0, size as f32) as usize;
        ((middle - radius).floor().max(0.0) as usize).min(to)..to
    };
    let columns = span(at.x, width);
    let row = |y: usize| columns.clone().map(move |x| (x, y));
    let apart =
        |(x, y): (usize, usize)| ((y * width + x) as u32, Vec2::new(x as f32 + 0.5, y as f32 + 0.5).distance(at));
    span(at.y, height).flat_map(row).map(apart).filter(|(_, distance)| *distance < radius).collect()
}

/// Smooths all weights `rounds` times. Each round moves every weight by the fraction `amount` (0…1) towards the mean of its
/// neighbours.
pub fn smooth(weights: &mut [f32], adjacency: &Adjacency, amount: f32, rounds: usize) {
    let everywhere = Brush { radius: f32::INFINITY, strength: amount, softness: 0.0, ..Brush::default() };
    let all: Vec<(u32, f32)> = (0..weights.len() as u32).map(|unit| (unit, 0.0)).collect();
    (0..rounds).for_each(|_| dab(weights, &all, &everywhere, BrushMode::Smooth, adjacency));
}

/// Sets all weights to `value`, clamped to 0…1.
pub fn fill(weights: &mut [f32], value: f32) {
    weights.fill(value.clamp(0.0, 1.0));
}

/// Sets `weights` to 0 at the lowest of `points` along `axis` (any length), 1 at the highest; 0 everywhere if all are level.
pub fn gradient_along(weights: &mut [f32], points: &[Vec3], axis: Vec3) {
    let heights = || points.iter().map(|point| point.dot(axis));
    let (low, high) =
        heights().fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), height| (low.min(height), high.max(height)));
    let part = |height: f32| if high > low { ((height - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 };
    weights.iter_mut().zip(heights()).for_each(|(weight, height)| *weight = part(height));
}

/// Sets `weights` to 0 at those `points` that are at `from` or before, and 1 at `to` and beyond, shaped by `curve`; 0 everywhere
/// if `from` and `to` are equal.
pub fn gradient_between(weights: &mut [f32], points: &[Vec3], from: Vec3, to: Vec3, curve: Easing) {
    let axis = to - from;
    let square = axis.length_squared();
    let part = |point: Vec3| if square > 0.0 { (point - from).dot(axis) / square } else { 0.0 };
    weights.iter_mut().zip(points).for_each(|(weight, &point)| *weight = curve.at(f64::from(part(point))) as f32);
}

/// Returns the centres of an image's pixels, in pixels from the upper left corner.
pub fn pixel_centres(width: usize, height: usize) -> Vec<Vec3> {
    let row = |y: usize| (0..width).map(move |x| Vec3::new(x as f32 + 0.5, y as f32 + 0.5, 0.0));
    (0..height).flat_map(row).collect()
}

/// Copies values into weights; clamps them to 0…1, and replaces NaN by 0.
fn from_values(weights: &mut [f32], values: impl Iterator<Item = f32>) {
    let value = |value: f32| if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
    weights.iter_mut().zip(values).for_each(|(weight, height)| *weight = value(height));
}

/// Copies one channel (0 red … 3 alpha) of linear vertex colours, clamped to 0…1. NaN and a channel above 3 give 0.
pub fn from_colours(weights: &mut [f32], colours: &[[f32; 4]], channel: usize) {
    from_values(weights, colours.iter().map(|colour| colour.get(channel).copied().unwrap_or(0.0)));
}

/// Sets weights to the luminance of linear vertex colours (ITU-R BT.709), clamped to 0…1.
pub fn from_brightness(weights: &mut [f32], colours: &[[f32; 4]]) {
    from_values(weights, colours.iter().map(|&[r, g, b, _]| 0.2126 * r + 0.7152 * g + 0.0722 * b));
}

/// Returns for each vertex the index of the one opposite it across the plane x = `middle`, within `tolerance` (both in the unit
/// of `points`), or its own index if there is none.
pub fn mirror_map(points: &[Vec3], middle: f32, tolerance: f32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by(|&a, &b| points[a as usize].x.total_cmp(&points[b as usize].x).then(a.cmp(&b)));
    let opposite = |i: usize| {
        let target = Vec3::new(2.0 * middle - points[i].x, points[i].y, points[i].z);
        let first = order.partition_point(|&j| points[j as usize].x < target.x - tolerance);
        let near = order[first..].iter().take_while(|&&j| points[j as usize].x <= target.x + tolerance);
        let apart = |j: u32| points[j as usize].distance(target);
        let best = near.copied().filter(|&j| apart(j) <= tolerance).min_by(|&a, &b| apart(a).total_cmp(&apart(b)));
        best.unwrap_or(i as u32)
    };
    (0..points.len()).map(opposite).collect()
}

/// Mirrors weights across the plane x = `middle`: each vertex with a smaller x gets the weight of its `opposite` ([`mirror_map`]).
/// If `from_positive` is false, each vertex with a larger x does.
pub fn mirror(weights: &mut [f32], points: &[Vec3], opposite: &[u32], middle: f32, from_positive: bool) {
    let before = weights.to_vec();
    for (i, (weight, point)) in weights.iter_mut().zip(points).enumerate() {
        let takes = if from_positive { point.x < middle } else { point.x > middle };
        if takes {
            *weight = before[opposite[i] as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(count: usize) -> Vec<Vec3> {
        (0..count).map(|i| Vec3::X * i as f32).collect()
    }

    #[test]
    fn a_brush_is_strongest_in_its_middle_and_ends_at_its_radius() {
        let brush = Brush { radius: 2.0, strength: 0.8, softness: 0.5, falloff: Easing::Linear };
        assert_eq!((brush.at(0.0), brush.at(1.0), brush.at(1.5), brush.at(2.0)), (0.8, 0.8, 0.4, 0.0));
        assert_eq!((brush.at(f32::NAN), Brush { softness: 0.0, ..brush }.at(1.999)), (0.0, 0.8));
        let distances: Vec<f32> = (0..=40).map(|i| i as f32 * 0.05).collect();
        assert!(distances.iter().rev().map(|&distance| Brush::default().at(distance * 0.1)).is_sorted());
    }

    #[test]
    fn adding_rises_subtracting_falls_and_neither_leaves_the_range() {
        let (reached, brush) = ([(0, 0.0), (1, 0.05), (2, 5.0), (9, 0.0)], Brush { strength: 0.7, ..Brush::default() });
        let mut weights = [0.5, 0.5, 0.5];
        let none = Adjacency::default();
        for _ in 0..50 {
            dab(&mut weights, &reached, &brush, BrushMode::Add, &none);
        }
        assert!(weights[0] > 0.999 && weights[0] <= 1.0 && weights[1] > 0.99 && weights[2] == 0.5);
        dab(&mut weights, &reached, &brush, BrushMode::Subtract, &none);
        assert!((weights[0] - 0.3).abs() < 1e-3 && weights[2] == 0.5);
    }

    #[test]
    fn smoothing_evens_out_and_keeps_even_weights() {
        let adjacency = Adjacency::of_mesh(4, &[0, 1, 2, 1, 3, 2, 9, 0, 1]);
        let of = |unit: usize| adjacency.neighbours(unit).collect::<Vec<_>>();
        assert_eq!((of(0), of(1), of(7)), (vec![1, 2], vec![0, 2, 3], vec![]));
        let mut even = [0.3; 4];
        smooth(&mut even, &adjacency, 0.5, 10);
        assert!(even.iter().all(|weight| (weight - 0.3).abs() < 1e-6));
        let mut spiky = [1.0, 0.0, 0.0, 0.0];
        smooth(&mut spiky, &adjacency, 0.5, 1);
        assert_eq!(spiky, [0.5, 1.0 / 6.0, 1.0 / 6.0, 0.0]);
        smooth(&mut spiky, &adjacency, 0.5, 60);
        assert!(spiky.iter().all(|weight| (weight - spiky[0]).abs() < 1e-3));
        let of = |unit: usize| Adjacency::of_image(3, 2).neighbours(unit).collect::<Vec<_>>();
        assert_eq!((of(4), of(0), of(6)), (vec![1, 3, 5], vec![1, 3], vec![]));
    }

    #[test]
    fn the_pixels_under_a_brush_are_those_whose_centres_it_reaches() {
        let (width, height, at, radius) = (9, 7, Vec2::new(3.2, 5.9), 2.6);
        let points = pixel_centres(width, height);
        let apart = points.iter().map(|point| point.truncate().distance(at)).enumerate();
        let every: Vec<(u32, f32)> =
            apart.filter(|pixel| pixel.1 < radius).map(|(i, pixel)| (i as u32, pixel)).collect();
        assert_eq!(pixels_within(width, height, at, radius), every);
        assert!(every.len() > 10 && every.len() < 30);
        for outside in [Vec2::new(-9.0, 3.0), Vec2::new(99.0, 3.0), Vec2::splat(f32::NAN)] {
            assert_eq!(pixels_within(width, height, outside, radius), []);
        }
        assert_eq!(pixels_within(width, height, at, 1e9).len(), width * height);
    }

    #[test]
    fn gradients_run_from_end_to_end() {
        let mut weights = [0.0; 5];
        gradient_along(&mut weights, &row(5), Vec3::X * 3.0);
        assert_eq!(weights, [0.0, 0.25, 0.5, 0.75, 1.0]);
        gradient_along(&mut weights, &row(5), Vec3::Y);
        assert_eq!(weights, [0.0; 5]);
        gradient_between(&mut weights, &row(5), Vec3::X * 3.0, Vec3::X, Easing::Linear);
        assert_eq!(weights, [1.0, 1.0, 0.5, 0.0, 0.0]);
        gradient_between(&mut weights, &row(5), Vec3::X, Vec3::X, Easing::Linear);
        assert_eq!(weights, [0.0; 5]);
        let mut image = [0.0; 6];
        gradient_between(&mut image, &pixel_centres(3, 2), Vec3::X * 0.5, Vec3::X * 2.5, Easing::Linear);
        assert_eq!(image, [0.0, 0.5, 1.0, 0.0, 0.5, 1.0]);
        from_colours(&mut weights[..2], &[[0.0, 2.0, 0.0, 1.0], [0.0, f32::NAN, 0.0, 1.0]], 1);
        assert_eq!(weights[..2], [1.0, 0.0]);
        from_brightness(&mut weights[..2], &[[1.0; 4], [0.0, 0.5, 0.0, 1.0]]);
        assert!((weights[0] - 1.0).abs() < 1e-6 && (weights[1] - 0.3576).abs() < 1e-6);
    }

    #[test]
    fn split_vertices_are_smoothed_together_and_mirrored_together() {
        // Two triangles whose shared edge is split: 1 equals 3, and 2 equals 4.
        let adjacency = Adjacency::of_welded(&[0, 1, 2, 1, 2, 5], &[0, 1, 2, 3, 5, 4]);
        let of = |unit: usize| adjacency.neighbours(unit).collect::<Vec<_>>();
        assert_eq!((of(0), of(5)), (vec![1, 2, 3, 4], vec![1, 2, 3, 4]));
        assert_eq!((of(1), of(3)), (vec![0, 2, 3, 4, 5], vec![0, 1, 2, 4, 5]));
        let mut weights = [1.0, 0.25, 0.5, 0.25, 0.5, 0.0];
        smooth(&mut weights, &adjacency, 0.5, 3);
        assert!((weights[1], weights[2]) == (weights[3], weights[4]) && weights[0] > weights[5]);
        assert_eq!(Adjacency::of_welded(&[0, 1, 2], &[0, 1, 2]), Adjacency::of_mesh(3, &[0, 1, 2]));
        let points = [-1.0, 1.0, 2.0, 1.0, 2.0, 3.0].map(|x| Vec3::X * x);
        assert_eq!(mirrored_dab(&[(0, 0.5), (5, 0.1)], &[1, 0, 2, 0, 4, 5], &points, &adjacency), [(1, 0.5), (3, 0.5)]);
        assert_eq!(mirrored_dab(&[(1, 0.5), (3, 0.25)], &[1, 0, 2, 0, 4, 5], &points, &adjacency), [(0, 0.25)]);
    }

    #[test]
    fn mirroring_finds_opposite_vertices_and_is_idempotent() {
        let points =
            [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-2.0, 1.0, 0.0], [2.0, 1.0, 0.001], [0.0, 5.0, 0.0], [7.0, 0.0, 0.0]]
                .map(Vec3::from);
        let opposite = mirror_map(&points, 0.0, 0.01);
        assert_eq!(opposite, [1, 0, 3, 2, 4, 5]);
        let mut weights = [0.1, 0.9, 0.2, 0.8, 0.5, 0.6];
        mirror(&mut weights, &points, &opposite, 0.0, true);
        assert_eq!(weights, [0.9, 0.9, 0.8, 0.8, 0.5, 0.6]);
        let once = weights;
        mirror(&mut weights, &points, &opposite, 0.0, false);
        assert_eq!(weights, once);
        fill(&mut weights, 1.5);
        assert_eq!(weights, [1.0; 6]);
    }
}
