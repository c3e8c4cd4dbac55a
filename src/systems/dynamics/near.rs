//! Which bodies could matter to a bone in a step: a quick question with a safe answer.
//!
//! Every body lies in a ball; what a bone can touch or cross lies in another. Where the two are clearly apart the exact tests
//! would find nothing, so leaving them out changes no bit of the result.

use glam::DVec3;

use super::contact::Body;

/// Bodies as balls around them, coordinate by coordinate so that many are compared at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Near {
    /// Answer with all bodies: the plain way, to compare with.
    pub all: bool,
    /// Whether some body, near or far, is long.
    pub long: bool,
    middles: [Vec<f64>; 3],
    radii: Vec<f64>,
    found: Vec<usize>,
}

/// The two balls must be apart by this factor, which is far beyond rounding.
const MARGIN: f64 = 1.0 + 1e-6;

impl Near {
    /// Takes up bodies that in this step moved from `old` to `new`.
    pub fn lay_out(&mut self, old: &[Body], new: &[Body]) {
        self.middles.iter_mut().for_each(Vec::clear);
        self.radii.clear();
        self.long = new.iter().any(Body::is_long);
        for (index, body) in new.iter().enumerate() {
            let (middle, radius) = match (*body, old.get(index)) {
                (Body::Solid(a, b, radius), Some(&Body::Solid(from, ..))) => {
                    (a.midpoint(b), radius + 0.5 * a.distance(b) + a.distance(from))
                }
                _ => (DVec3::ZERO, f64::INFINITY),
            };
            self.middles.iter_mut().zip(middle.to_array()).for_each(|(list, value)| list.push(value));
            self.radii.push(radius);
        }
    }

    /// Indices, ascending, of all bodies of those it `meets` that come within `far` of `point`; some others of those may be among them.
    pub fn around(&mut self, point: DVec3, far: f64, meets: &[bool]) -> &[usize] {
        self.found.clear();
        let [xs, ys, zs] = &self.middles;
        for (index, (((x, y), z), radius)) in xs.iter().zip(ys).zip(zs).zip(&self.radii).enumerate() {
            let (x, y, z) = (x - point.x, y - point.y, z - point.z);
            let reach = (radius + far) * MARGIN;
            // What is no number is not apart.
            let apart = x * x + y * y + z * z > reach * reach;
            if (!apart || self.all) && meets[index] {
                self.found.push(index);
            }
        }
        &self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_and_hollows_are_always_near_and_a_moving_ball_is_near_where_it_was() {
        let ball = |x: f64| Body::Solid(DVec3::X * x, DVec3::X * x, 0.1);
        let plane = Body::Plane(DVec3::ZERO, DVec3::Y);
        let hollow = Body::Hollow(DVec3::ZERO, DVec3::ZERO, 1.0);
        let mut near = Near::default();
        near.lay_out(&[ball(0.0), ball(5.0), plane, hollow], &[ball(3.0), ball(5.0), plane, hollow]);
        assert_eq!(near.around(DVec3::ZERO, 0.2, &[true; 4]), [0, 2, 3]);
        assert_eq!(near.around(DVec3::X * 4.85, 0.1, &[true; 4]), [0, 1, 2, 3]);
        near.all = true;
        assert_eq!(near.around(DVec3::Y * 1e6, 0.0, &[true; 4]), [0, 1, 2, 3]);
        assert_eq!(near.around(DVec3::ZERO, 0.0, &[true, false, false, true]), [0, 3]);
    }
}
