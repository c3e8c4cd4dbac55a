//! Keys of settings in panels, on the timeline and in plots.
//!
//! Panels edit plain numbers in place. While a stage is drawn, its keyed numbers have their values at the playhead, and edits
//! become keys there ([`scope`]). Each animatable number has a diamond next to it.

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
