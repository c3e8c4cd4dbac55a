//! Painting weights: pure sums on slices of one number 0…1 per unit. A stroke is many dabs; the same dabs give the same weights.

use glam::{Vec2, Vec3};

use crate::math::easing::Easing;

/// What a dab does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stroke {
    /// Towards 1.
    #[default]
    Add,
    /// Towards 0.
    Subtract,
    /// Towards the mean of the neighbours.
    Smooth,
}

/// A round brush.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brush {
    /// Reach, in the units of the distances given; nothing beyond is touched.
    pub radius: f32,
    /// How much of the way one dab goes at its middle, 0…1.
    pub strength: f32,
    /// Part of the radius over which strength falls to nothing: 0 a hard edge … 1 from the middle on.
    pub softness: f32,
    /// Shape of the fall.
    pub falloff: Easing,
}

impl Default for Brush {
    fn default() -> Self {
        Self { radius: 0.1, strength: 0.5, softness: 1.0, falloff: Easing::Smoothstep }
    }
}

impl Brush {
    /// Strength at `distance` from the middle, 0 … `strength`.
    pub fn at(&self, distance: f32) -> f32 {
        // A distance that is no number comes from a broken ray or place.
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

/// Unit to unit, in compressed rows: the neighbours of `i` are `list[first[i]..first[i + 1]]`, in rising order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Neighbours {
    first: Vec<u32>,
    list: Vec<u32>,
}

impl Neighbours {
    /// Vertices joined by the edges of triangles. Indices beyond `vertices` are passed over.
    pub fn of_mesh(vertices: usize, faces: &[u32]) -> Self {
        let inside = |face: &&[u32; 3]| face.iter().all(|&index| (index as usize) < vertices);
        let sides = |face: &[u32; 3]| [(face[0], face[1]), (face[1], face[2]), (face[2], face[0])];
        let both = |(a, b): (u32, u32)| [(a, b), (b, a)];
        let pairs = faces.as_chunks::<3>().0.iter().filter(inside).flat_map(sides).flat_map(both);
        Self::of_pairs(vertices, pairs.collect())
    }

    /// Pixels of a `width` × `height` image joined to the four beside them.
    pub fn of_image(width: usize, height: usize) -> Self {
        let mut pairs = Vec::with_capacity(4 * width * height);
        for i in 0..width * height {
            let (x, y) = (i % width, i / width);
            let beside = [
                (y > 0, i.wrapping_sub(width)),
                (x > 0, i.wrapping_sub(1)),
                (x + 1 < width, i + 1),
                (y + 1 < height, i + width),
            ];
            pairs.extend(beside.into_iter().filter(|(there, _)| *there).map(|(_, j)| (i as u32, j as u32)));
        }
        Self::of_pairs(width * height, pairs)
    }

    fn of_pairs(units: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.retain(|(a, b)| a != b);
        pairs.sort_unstable();
        pairs.dedup();
        let mut first = vec![0; units + 1];
        pairs.iter().for_each(|&(a, _)| first[a as usize + 1] += 1);
        (0..units).for_each(|i| first[i + 1] += first[i]);
        Self { first, list: pairs.into_iter().map(|(_, b)| b).collect() }
    }

    /// Neighbours of `unit`; none for a number beyond the last.
    pub fn of(&self, unit: usize) -> &[u32] {
        match (self.first.get(unit), self.first.get(unit + 1)) {
            (Some(&from), Some(&to)) => &self.list[from as usize..to as usize],
            _ => &[],
        }
    }
}

/// One dab: unit i lies `distances[i]` from the brush's middle. Weights stay within 0…1; smoothing reads the weights as they were.
pub fn dab(weights: &mut [f32], distances: &[f32], brush: &Brush, stroke: Stroke, neighbours: &Neighbours) {
    let before = if stroke == Stroke::Smooth { weights.to_vec() } else { Vec::new() };
    for (unit, (weight, &distance)) in weights.iter_mut().zip(distances).enumerate() {
        let amount = brush.at(distance);
        if amount <= 0.0 {
            continue;
        }
        let aim = match stroke {
            Stroke::Add => 1.0,
            Stroke::Subtract => 0.0,
            Stroke::Smooth => neighbourhood(&before, neighbours.of(unit)).unwrap_or(*weight),
        };
        *weight = (*weight + (aim - *weight) * amount).clamp(0.0, 1.0);
    }
}

fn neighbourhood(weights: &[f32], around: &[u32]) -> Option<f32> {
    let sum: f32 = around.iter().map(|&j| weights[j as usize]).sum();
    (!around.is_empty()).then(|| sum / around.len() as f32)
}

/// Smooths everything `rounds` times by `amount` (0…1).
pub fn smooth(weights: &mut [f32], neighbours: &Neighbours, amount: f32, rounds: usize) {
    let everywhere = Brush { radius: f32::INFINITY, strength: amount, softness: 0.0, ..Brush::default() };
    let distances = vec![0.0; weights.len()];
    (0..rounds).for_each(|_| dab(weights, &distances, &everywhere, Stroke::Smooth, neighbours));
}

/// Sets every weight.
pub fn fill(weights: &mut [f32], value: f32) {
    weights.fill(value.clamp(0.0, 1.0));
}

/// 0 at the lowest point along `axis` (any length), 1 at the highest; 0 everywhere when all are level.
pub fn gradient_along(weights: &mut [f32], points: &[Vec3], axis: Vec3) {
    let heights = || points.iter().map(|point| point.dot(axis));
    let (low, high) = heights().fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)));
    let part = |height: f32| if high > low { ((height - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 };
    weights.iter_mut().zip(heights()).for_each(|(weight, height)| *weight = part(height));
}

/// 0 at `from` and before, 1 at `to` and beyond, shaped by `curve`; 0 everywhere when both are one point.
pub fn gradient_between(weights: &mut [f32], points: &[Vec3], from: Vec3, to: Vec3, curve: Easing) {
    let way = to - from;
    let square = way.length_squared();
    let part = |point: Vec3| if square > 0.0 { (point - from).dot(way) / square } else { 0.0 };
    weights.iter_mut().zip(points).for_each(|(weight, &point)| *weight = curve.at(f64::from(part(point))) as f32);
}

/// The same on an image, in pixels.
pub fn gradient_on_image(weights: &mut [f32], width: usize, from: Vec2, to: Vec2, curve: Easing) {
    let middle = |i: usize| Vec3::new((i % width) as f32 + 0.5, (i / width) as f32 + 0.5, 0.0);
    let points: Vec<Vec3> = (0..if width > 0 { weights.len() } else { 0 }).map(middle).collect();
    gradient_between(weights, &points, from.extend(0.0), to.extend(0.0), curve);
}

/// One channel (0 red … 3 alpha) of linear vertex colours; colours beyond 0…1 are clamped.
pub fn from_colours(weights: &mut [f32], colours: &[[f32; 4]], channel: usize) {
    let value =
        |colour: &[f32; 4]| colour.get(channel).copied().filter(|it| it.is_finite()).unwrap_or(0.0).clamp(0.0, 1.0);
    weights.iter_mut().zip(colours).for_each(|(weight, colour)| *weight = value(colour));
}

/// The vertex that lies opposite each one across the plane x = `middle`, within `tolerance`; itself where there is none.
pub fn mirrored(points: &[Vec3], middle: f32, tolerance: f32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by(|&a, &b| points[a as usize].x.total_cmp(&points[b as usize].x).then(a.cmp(&b)));
    let opposite = |i: usize| {
        let aim = Vec3::new(2.0 * middle - points[i].x, points[i].y, points[i].z);
        let first = order.partition_point(|&j| points[j as usize].x < aim.x - tolerance);
        let near = order[first..].iter().take_while(|&&j| points[j as usize].x <= aim.x + tolerance);
        let apart = |j: u32| points[j as usize].distance(aim);
        let best = near.copied().filter(|&j| apart(j) <= tolerance).min_by(|&a, &b| apart(a).total_cmp(&apart(b)));
        best.unwrap_or(i as u32)
    };
    (0..points.len()).map(opposite).collect()
}

/// Copies weights across: vertices with x ≥ `middle` give theirs to their opposites, or the other way round.
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
        assert!(distances.iter().rev().map(|&it| Brush::default().at(it * 0.1)).is_sorted());
    }

    #[test]
    fn adding_rises_subtracting_falls_and_neither_leaves_the_range() {
        let (distances, brush) = ([0.0, 0.05, 5.0], Brush { strength: 0.7, ..Brush::default() });
        let mut weights = [0.5, 0.5, 0.5];
        let none = Neighbours::default();
        for _ in 0..50 {
            dab(&mut weights, &distances, &brush, Stroke::Add, &none);
        }
        assert!(weights[0] > 0.999 && weights[0] <= 1.0 && weights[1] > 0.99 && weights[2] == 0.5);
        dab(&mut weights, &distances, &brush, Stroke::Subtract, &none);
        assert!((weights[0] - 0.3).abs() < 1e-3 && weights[2] == 0.5);
    }

    #[test]
    fn smoothing_evens_out_and_keeps_what_is_even() {
        let neighbours = Neighbours::of_mesh(4, &[0, 1, 2, 1, 3, 2, 9, 0, 1]);
        assert_eq!((neighbours.of(0), neighbours.of(1), neighbours.of(7)), (&[1, 2][..], &[0, 2, 3][..], &[][..]));
        let mut even = [0.3; 4];
        smooth(&mut even, &neighbours, 0.5, 10);
        assert!(even.iter().all(|it| (it - 0.3).abs() < 1e-6));
        let mut spiky = [1.0, 0.0, 0.0, 0.0];
        smooth(&mut spiky, &neighbours, 0.5, 1);
        assert_eq!(spiky, [0.5, 1.0 / 6.0, 1.0 / 6.0, 0.0]);
        smooth(&mut spiky, &neighbours, 0.5, 60);
        assert!(spiky.iter().all(|it| (it - spiky[0]).abs() < 1e-3));
        assert_eq!(Neighbours::of_image(3, 2).of(4), [1, 3, 5]);
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
        gradient_on_image(&mut image, 3, Vec2::new(0.5, 0.0), Vec2::new(2.5, 0.0), Easing::Linear);
        assert_eq!(image, [0.0, 0.5, 1.0, 0.0, 0.5, 1.0]);
        from_colours(&mut weights[..2], &[[0.0, 2.0, 0.0, 1.0], [0.0, f32::NAN, 0.0, 1.0]], 1);
        assert_eq!(weights[..2], [1.0, 0.0]);
    }

    #[test]
    fn mirroring_meets_the_opposite_vertex_and_twice_changes_nothing_more() {
        let points =
            [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-2.0, 1.0, 0.0], [2.0, 1.0, 0.001], [0.0, 5.0, 0.0], [7.0, 0.0, 0.0]]
                .map(Vec3::from);
        let opposite = mirrored(&points, 0.0, 0.01);
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
