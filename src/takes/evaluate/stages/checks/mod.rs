//! Checks of what a stage does to the motion that comes in: results of earlier stages, and figures that it does not optimise.

mod broken_results;
mod side_effects;

pub(in crate::evaluate) use broken_results::{broken_results, stop_error};
pub(in crate::evaluate) use side_effects::undo_if_worse;
