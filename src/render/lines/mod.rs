//! Lines, dots, outlines and small solids, built on the processor.

pub(super) mod solids;
pub mod strokes;
pub mod wires;
