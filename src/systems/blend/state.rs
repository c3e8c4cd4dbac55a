//! States of a drawn tree as files hold them.

use serde::{Deserialize, Serialize};

use super::scenario::Event;
use crate::math::easing::Easing;

/// A set of weights and parameters by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// What events, connections, blend spaces and clips call it; not empty, once in a tree.
    pub name: String,
    /// Seconds until it is reached, where an event has none of its own; 0 is a cut.
    pub trans_time: f64,
    /// The shape of the change, where an event has none of its own.
    pub easing: Easing,
}

/// An event that goes to a state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StateEvent {
    /// Seconds, ≥ 0.
    pub time: f64,
    /// The name of the state; empty for the tree as it is drawn.
    pub state: String,
    /// Seconds until it is reached; `None` as the state has it.
    pub trans_time: Option<f64>,
    /// The shape of the change; `None` as the state has it.
    pub easing: Option<Easing>,
}

/// A weight in a state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StateWeight {
    /// The name of the state.
    pub state: String,
    /// The weight there, ≥ 0.
    pub weight: f32,
}

/// Where the parameter of a blend space is in a state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatePlace {
    /// The name of the state.
    pub state: String,
    /// The value of the parameters.
    pub at: [f64; 2],
}

impl Default for State {
    fn default() -> Self {
        let Event { trans_time, easing, .. } = Event::default();
        Self { name: String::new(), trans_time, easing }
    }
}
