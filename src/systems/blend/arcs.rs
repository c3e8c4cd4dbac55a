//! Which way round two rotations are mixed while both move: followed through a transition, so that it never flips.

use glam::Quat;

use crate::math::mean::aligned;

/// Per joint the turn from one side to the other, sign and all, at regular times.
#[derive(Clone, Debug, Default)]
pub(super) struct Arcs {
    start: f64,
    rows: Vec<Vec<Quat>>,
}

impl Arcs {
    /// Rows a second: between two of them no joint turns by half a turn.
    const RATE: f64 = 120.0;
    /// Longest time followed, seconds; the last row holds from there.
    const LONGEST: f64 = 60.0;

    /// Follows `turns_at` over a span of time (seconds), beginning like `before` where it has a joint, else the short way.
    pub fn follow(
        [start, end]: [f64; 2],
        before: impl Fn(usize) -> Option<Quat>,
        mut turns_at: impl FnMut(f64) -> Vec<Quat>,
    ) -> Self {
        let count = ((end - start).clamp(0.0, Self::LONGEST) * Self::RATE).ceil() as usize + 1;
        let mut rows: Vec<Vec<Quat>> = Vec::with_capacity(count);
        for row in 0..count {
            let mut turns = turns_at(start + row as f64 / Self::RATE);
            for (joint, turn) in turns.iter_mut().enumerate() {
                let near = match rows.last() {
                    Some(row) => row[joint],
                    None => before(joint).unwrap_or(Quat::IDENTITY),
                };
                *turn = aligned(*turn, near);
            }
            rows.push(turns);
        }
        Self { start, rows }
    }

    /// The turns nearest before `time`, to be compared with the turns at `time` itself; empty before anything was followed.
    pub fn at(&self, time: f64) -> &[Quat] {
        let row = ((time - self.start) * Self::RATE).max(0.0) as usize;
        self.rows.get(row).or(self.rows.last()).map_or(&[], |row| row)
    }
}
