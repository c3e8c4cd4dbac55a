//! Settings of a layer.

use serde::{Deserialize, Serialize};

use super::super::{Action, BuildError, Event, Interrupt};
use portamento_anim::{MaskChoice, Region};
use portamento_base::message::message;

/// Settings of a layer: the skill, its events and its mask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerSettings {
    /// Clip of cast events.
    pub skill: String,
    /// True if the skill loops until an end event.
    pub skill_loops: bool,
    /// True if a cast without an end event stays at the skill's last frame; otherwise it ends with its clip.
    pub skill_holds: bool,
    /// The upper-body mask; the rest is the lower body.
    pub upper: MaskChoice,
    /// Cast and end events on the timeline of the motion. Run, stand and stop events override the speed to tell running from
    /// standing. Without them the speed decides.
    pub events: Vec<Event>,
    /// Speed thresholds in metres per second: idle below the first, moving above the second. Between them the previous state
    /// continues.
    pub run_speeds: [f64; 2],
    /// Treatment of a transition that an event interrupts.
    pub interrupt: Interrupt,
    /// Combination of the skill with the motion.
    pub mode: LayerMode,
    /// Joints with scaled transition times. A later entry for the same joint wins.
    pub blend_times: Vec<BlendTime>,
}

/// Combination of a skill with the motion underneath.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerMode {
    /// Replaces the motion, with rotations relative to the parent joint.
    #[default]
    Override,
    /// Replaces the motion, with rotations relative to the character, so that an aim does not follow the lean of the hips.
    MeshSpace,
    /// Adds the change of the skill since its first frame.
    Additive,
}

/// A factor on the transition times of a joint and of its descendants that have no other factor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BlendTime {
    /// Name of the joint.
    pub joint: String,
    /// Factor from 0 (immediate) over 1 (unchanged) to [`BlendTime::MAX_FACTOR`].
    pub factor: f64,
}

impl Default for BlendTime {
    fn default() -> Self {
        Self { joint: String::new(), factor: 1.0 }
    }
}

impl BlendTime {
    /// Largest factor. Chosen by trial; no derivation recorded.
    pub const MAX_FACTOR: f64 = 10.0;
}

impl Default for LayerSettings {
    fn default() -> Self {
        Self {
            skill: String::new(),
            skill_loops: false,
            skill_holds: false,
            upper: MaskChoice::from_region(Region::UpperBody),
            events: Vec::new(),
            // Between the sway of a standing figure and the slowest steps.
            run_speeds: [0.2, 0.5],
            interrupt: Interrupt::default(),
            mode: LayerMode::default(),
            blend_times: Vec::new(),
        }
    }
}

portamento_base::named!(LayerMode { Override: "override", MeshSpace: "mesh_space", Additive: "additive" });

impl LayerSettings {
    /// Returns the names of all clips, each once: those of cast events, then the skill. Empty names are left out.
    pub fn clip_names(&self) -> Vec<&str> {
        let events = self.events.iter().filter(|event| event.action == Action::Cast);
        let named: Vec<&str> =
            events.map(|event| event.clip.as_deref().unwrap_or(&self.skill)).chain([&*self.skill]).collect();
        let first = |(i, name): &(usize, &str)| !name.is_empty() && !named[..*i].contains(name);
        named.iter().copied().enumerate().filter(first).map(|(_, name)| name).collect()
    }

    /// Returns all clip names for editing. They may repeat and be empty.
    pub fn clip_names_mut(&mut self) -> Vec<&mut String> {
        self.events.iter_mut().filter_map(|event| event.clip.as_mut()).chain([&mut self.skill]).collect()
    }

    /// Returns `Err` if a speed threshold is negative or not finite, or if the thresholds are in the wrong order.
    pub(super) fn check(&self) -> Result<(), BuildError> {
        let [stand, run] = self.run_speeds;
        let bad = [stand, run].into_iter().find(|speed| !(speed.is_finite() && *speed >= 0.0));
        match bad.or((stand > run).then_some(run)) {
            Some(value) => {
                let what = message!("setting.layer.run_speeds", "\"Idle below\" or \"Moving above\" speed");
                Err(BuildError::BadNumber { node: "layer".into(), what, value })
            }
            None => Ok(()),
        }
    }
}
