//! The hero's clips, one per file: key poses and footsteps.

pub mod idle;
pub mod walk;
pub mod run;
pub mod run_to_stop;
pub mod start_run;
pub mod leap_strike;
pub mod dash_back_step;
pub mod cast;
pub mod turn;

use super::motion::plan::Plan;

/// Every clip's plan, in the order menus show them.
pub fn plans() -> Vec<Plan> {
    vec![
        idle::plan(),
        walk::plan(),
        run::plan(),
        start_run::plan(),
        run_to_stop::plan(),
        leap_strike::plan(),
        dash_back_step::plan(),
        cast::plan(),
        turn::plan(),
    ]
}
