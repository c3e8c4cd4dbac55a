//! What a search looks up for each cell.

/// Where a cell leads in each direction; one line of the processor's cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct StepCosts {
    /// The cell where a jump ends, or `NONE`.
    pub(super) jumps: [u32; 8],
    /// Seconds of a single step, infinite where there is none.
    pub(super) seconds: [f32; 8],
}

/// What kind of ground a cell is; kept together, since waiting for memory is most of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellFlags {
    /// Column along x and z.
    pub(super) column: [f32; 2],
    /// Directions worth taking next, as bits, by the direction in which the cell was entered; the last for ways that begin.
    pub(super) after: [u8; 9],
    /// Whether the ground is level and even all around.
    pub(super) plain: bool,
    /// Directions in which a jump is not just a step, as bits.
    pub(super) far: u8,
    /// Two bits for each direction: what kind of turning point the step is.
    pub(super) turning: u16,
}

/// What the step in a direction is to a cell: no turning point (0), one of the three largest changes by rank (1…3).
pub(super) fn rank(turning: u16, direction: usize) -> usize {
    usize::from(turning >> (2 * direction) & 3)
}

/// The ranks of steps by how much slope and speed change along each: the largest come first, 0 is no change.
pub(super) fn ranks(changes: [f32; 8]) -> u16 {
    let mut order: [usize; 8] = std::array::from_fn(|direction| direction);
    // Stable: of equal changes the direction decides.
    order.sort_by(|a, b| changes[*b].total_cmp(&changes[*a]));
    let present = order.into_iter().filter(|direction| changes[*direction] > 0.0);
    present.enumerate().fold(0, |bits, (place, direction)| bits | (place as u16 + 1).min(3) << (2 * direction))
}
