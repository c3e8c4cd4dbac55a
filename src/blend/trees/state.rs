//! Serialised states of a drawn tree.

use serde::{Deserialize, Serialize};

use crate::standard::scenario::Event;
use portamento_anim::math::easing::Easing;

/// A named state: a set of weights and parameters that events switch to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// Name used by events, connections, blend spaces and clips; not empty, unique within a tree.
    pub name: String,
    /// Default transition time into the state, seconds; 0 is a hard cut.
    pub trans_time: f64,
    /// Default easing curve of the transition.
    pub easing: Easing,
}

/// An event that switches to a state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StateEvent {
    /// Seconds, ≥ 0.
    pub time: f64,
    /// Name of the state; empty for the default state.
    pub state: String,
    /// Transition time in seconds; `None` uses the default of the state.
    pub trans_time: Option<f64>,
    /// Easing curve; `None` uses the default of the state.
    pub easing: Option<Easing>,
}

/// A weight that applies in one state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StateWeight {
    /// The name of the state.
    pub state: String,
    /// Weight in that state, ≥ 0.
    pub weight: f32,
}

/// The parameter position of a blend space in one state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatePosition {
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
