//! A convex polygon cut into slabs along an axis in one walk over its corners.
//!
//! A border crosses two edges, one on which the corners rise and one on which they fall, so each slab needs two crossings and
//! the corners between. Cutting off slab after slab ([`super::rasterise`]) works out the very same crossings, from the one before
//! on the same edge, but looks at every corner each time. Corners that lie on a border are left to it.

use std::ops::{Add, Mul, Sub};

/// What came of a slab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slab {
    /// The polygon begins beyond it.
    Before,
    /// It ends the slab at its border.
    Cut,
    /// Nothing of the polygon is left.
    Last,
    /// A corner lies on the border: the slab is not cut, what was visited does not count.
    OnBorder,
}

/// A polygon of which the slabs up to a border are gone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep<'a, Corner, At> {
    corners: &'a [Corner],
    at: At,
    rest: Rest<Corner>,
}

/// What is left: the ends of the edges that the last border crossed, and the corners between.
#[derive(Clone, Copy, Debug)]
struct Rest<Corner> {
    rising: Corner,
    falling: Corner,
    /// The next corner where they rise, and where they fall.
    next: [usize; 2],
    count: usize,
    /// Whether something was cut off; before that both ends are the first corner.
    is_cut: bool,
}

impl<'a, Corner, At> Sweep<'a, Corner, At>
where
    Corner: Copy + Add<Output = Corner> + Sub<Output = Corner> + Mul<f32, Output = Corner>,
    At: Fn(Corner) -> f32,
{
    /// `None` where the corners do not rise once and fall once along `at`, be it by rounding.
    #[inline]
    pub(super) fn over(corners: &'a [Corner], at: At) -> Option<Self> {
        let count = corners.len();
        let mut first = 0;
        for (index, corner) in corners.iter().enumerate().skip(1) {
            if at(*corner) < at(corners[first]) {
                first = index;
            }
        }
        let (mut index, mut steps) = (first, 0);
        let mut follow = |goes_on: fn(f32, f32) -> bool| {
            while steps < count {
                let next = after(index, count);
                if !goes_on(at(corners[index]), at(corners[next])) {
                    break;
                }
                (index, steps) = (next, steps + 1);
            }
            steps
        };
        follow(|here, next| next >= here);
        if count < 3 || follow(|here, next| next <= here) < count {
            return None;
        }
        let (rising, next) = (corners[first], [after(first, count), before(first, count)]);
        Some(Self { corners, at, rest: Rest { rising, falling: rising, next, count: count - 1, is_cut: false } })
    }

    /// Gives `visit` the corners of what lies before `border`, in their order, and takes it off.
    #[inline]
    pub(super) fn slab(&mut self, border: f32, mut visit: impl FnMut(Corner)) -> Slab {
        let Rest { rising, falling, next: [mut up, mut down], mut count, is_cut } = self.rest;
        let room = |corner: Corner| border - (self.at)(corner);
        let (mut from, mut room_from) = (rising, room(rising));
        let (mut to, mut room_to) = (falling, room(falling));
        if room_from < 0.0 && !is_cut {
            return Slab::Before;
        }
        if room_from <= 0.0 || room_to <= 0.0 {
            return Slab::OnBorder;
        }
        visit(rising);
        let mut room_up = 0.0;
        while count > 0 {
            room_up = room(self.corners[up]);
            if room_up <= 0.0 {
                break;
            }
            visit(self.corners[up]);
            (from, room_from, up, count) = (self.corners[up], room_up, after(up, self.corners.len()), count - 1);
        }
        if count == 0 {
            visit(falling);
            return Slab::Last;
        }
        let fallen = down;
        let mut room_down = room(self.corners[down]);
        while room_down > 0.0 {
            (to, room_to, down, count) = (self.corners[down], room_down, before(down, self.corners.len()), count - 1);
            room_down = room(self.corners[down]);
        }
        if room_up == 0.0 || room_down == 0.0 {
            return Slab::OnBorder;
        }
        let rising_crossing = from + (self.corners[up] - from) * (room_from / (room_from - room_up));
        let above = self.corners[down];
        let falling_crossing = above + (to - above) * (room_down / (room_down - room_to));
        visit(rising_crossing);
        visit(falling_crossing);
        let mut corner = down;
        while corner != fallen {
            corner = after(corner, self.corners.len());
            visit(self.corners[corner]);
        }
        visit(falling);
        let (rising, falling) = (rising_crossing, falling_crossing);
        self.rest = Rest { rising, falling, next: [up, down], count, is_cut: true };
        Slab::Cut
    }

    /// Gives `visit` the corners of what is left, in their order.
    pub(super) fn rest(&self, mut visit: impl FnMut(Corner)) {
        let Rest { rising, falling, next: [mut up, _], count, is_cut } = self.rest;
        visit(rising);
        for _ in 0..count {
            visit(self.corners[up]);
            up = after(up, self.corners.len());
        }
        if is_cut {
            visit(falling);
        }
    }
}

fn after(index: usize, count: usize) -> usize {
    if index + 1 == count { 0 } else { index + 1 }
}

fn before(index: usize, count: usize) -> usize {
    if index == 0 { count - 1 } else { index - 1 }
}
