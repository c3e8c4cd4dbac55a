//! The hero's clips, one per file: key poses and footsteps.

pub mod idle;
pub mod leap_strike;

use super::motion::plan::Plan;

/// Every clip's plan, in the order menus show them.
pub fn plans() -> Vec<Plan> {
    vec![idle::plan(), leap_strike::plan()]
}
