//! Search data of each cell.

/// Links and costs in each direction; one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct StepCosts {
    /// The cell at which a jump ends, or `NONE`.
    pub(super) jumps: [u32; 8],
    /// Travel time of a single step, seconds; infinite without a link.
    pub(super) seconds: [f32; 8],
}

/// Flags of each cell in one structure, since memory latency dominates a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellFlags {
    /// Column along x and z.
    pub(super) column: [f32; 2],
    /// Useful next directions as bits, by the direction of entry; the last is for the start.
    pub(super) after: [u8; 9],
    /// True if the surroundings are level and uniform.
    pub(super) plain: bool,
    /// True if links start at the cell.
    pub(super) crosses: bool,
    /// Directions in which a jump is longer than a step, as bits.
    pub(super) far: u8,
    /// Rank of the turning point in each direction, two bits each.
    pub(super) turning: u16,
}

/// Returns the rank of the step in a direction: 0 is no turning point, 1…3 the largest changes.
pub(super) fn rank(turning: u16, direction: usize) -> usize {
    usize::from(turning >> (2 * direction) & 3)
}

/// Returns the ranks of steps by the size of their changes: 1 is the largest, 0 is no change.
pub(super) fn ranks(changes: [f32; 8]) -> u16 {
    let mut order: [usize; 8] = std::array::from_fn(|direction| direction);
    // Stable sort: of equal changes the direction decides.
    order.sort_by(|a, b| changes[*b].total_cmp(&changes[*a]));
    let present = order.into_iter().filter(|direction| changes[*direction] > 0.0);
    present.enumerate().fold(0, |bits, (position, direction)| bits | (position as u16 + 1).min(3) << (2 * direction))
}
