//! The animation of a recording, window by window: all trees run through one before the next is sampled, so that a long motion
//! of many joints is sampled once however little of it fits into memory.

use std::ops::Range;
use std::sync::Arc;

use super::driven_rows::DrivenRows;

/// The animation within consecutive steps.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub steps: Range<usize>,
    /// Rows from the beginning of the first step to the end of the last one, or further.
    pub rows: Arc<DrivenRows>,
    /// Rows at the ends of the partial steps that lead to the frames within these steps.
    pub off_step_rows: Arc<DrivenRows>,
}

/// Largest size of the rows of a window, bytes. Tuned; no derivation recorded.
pub(super) const MAX_WINDOW_BYTES: usize = 160 << 20;
