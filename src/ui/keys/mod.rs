//! Keys of settings in panels, on the timeline and in plots.
//!
//! A panel edits plain numbers in place. While it draws a stage, numbers with keys are what they are at the playhead; what the panel
//! changes of them becomes keys there ([`scope`]). Beside each number that can be keyed stands a diamond.

mod diamond;
pub mod lane;
pub mod lane_edit;
mod names;
pub mod plot;
mod reason;
pub mod rows;
pub mod scope;

pub use diamond::number_with_key;
pub use reason::why_not;
