//! Reasons why an edge cannot be crossed.

use portamento_base::message::{message, messages};

messages! {
/// Reason why an edge cannot be crossed. Lengths in metres, angles in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EdgeProblem {
    /// The edge is shorter than the character is wide.
    TooShort {
        /// Width of the edge.
        width: f64,
        /// Required width.
        needed: f64,
    } => message!(
        "edge.too_short",
        "The edge is only %{width} m wide; the character needs %{needed} m.",
        width = format!("{width:.2}"), needed = format!("{needed:.2}")
    ),
    /// The edge slopes too much along its length.
    TooSteep {
        /// Slope along the edge.
        slope: f64,
        /// Largest slope.
        limit: f64,
    } => message!(
        "edge.too_steep",
        "The edge slopes by %{slope}°; the limit is %{limit}°.",
        slope = format!("{slope:.1}"), limit = format!("{limit:.1}")
    ),
    /// The room above the edge is lower than the character.
    NoHeadRoom {
        /// Free height above the edge.
        room: f64,
        /// Height of the character.
        needed: f64,
    } => message!(
        "edge.no_head_room",
        "Only %{room} m are free above the edge; the character needs %{needed} m.",
        room = format!("{room:.2}"), needed = format!("{needed:.2}")
    ),
    /// The edge is too high above the ground.
    TooHigh {
        /// Height of the edge.
        height: f64,
        /// Largest height.
        limit: f64,
    } => message!(
        "edge.too_high",
        "The edge is %{height} m high; the limit is %{limit} m.",
        height = format!("{height:.2}"), limit = format!("{limit:.2}")
    ),
    /// No walkable ground in front of the edge.
    NoApproach => message!("edge.no_approach", "There is no walkable ground in front of the edge."),
    /// No walkable ground on the other side.
    NoLanding => message!("edge.no_landing", "There is no walkable ground on the other side of the edge."),
}
}
