//! Checks of what a stage does to the motion that comes in: results of earlier stages, figures that it does not optimise, and
//! whether a loop of dynamic bones closes.

mod broken_results;
mod closing;
mod side_effects;

pub(in crate::evaluate) use broken_results::{broken_results, stop_error};
pub(super) use closing::{closing_collision, open_clip};
pub(in crate::evaluate) use side_effects::undo_if_worse;
