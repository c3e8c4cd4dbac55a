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
    /// Directions of steps that are turning points, as bits.
    pub(super) turning: u8,
}
