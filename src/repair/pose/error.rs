//! Reasons why a motion cannot be corrected by pose keys.

use crate::close;
use portamento_base::message::{message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// The reason why a motion could not be corrected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A number of a key is out of range.
    BadKey {
        /// Number of the key, from 1.
        key: usize,
        /// The number.
        value: f64,
    } => message!(
        "error.pose.bad_key",
        "Pose key %{key} contains the number %{value}. Use times and fades of at most an hour, turns in degrees and moves below 1000000.",
        key,
        value
    ),
    /// A number of a goal is out of range.
    BadGoal {
        /// Number of the goal, from 1.
        goal: usize,
        /// The number.
        value: f64,
    } => message!(
        "error.pose.bad_goal",
        "Goal %{goal} contains the number %{value}. Use times and fades of at most an hour and a target within 1000000 m.",
        goal,
        value
    ),
    /// The motion is invalid.
    Motion(#[from] error: close::BuildError) => error.message(),
    /// The work was cancelled.
    Cancelled(#[from] cancelled: Cancelled) => cancelled.message(),
}
}
