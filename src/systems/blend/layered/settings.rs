//! What is laid over a motion, and when.

use serde::{Deserialize, Serialize};

use super::super::{Action, BuildError, Event, Interrupt};
use crate::anim::{MaskChoice, Region};
use crate::message::message;

/// What is laid over the motion, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerSettings {
    /// Clip of cast events.
    pub skill: String,
    /// The skill starts again at its end; otherwise its end is held.
    pub skill_loops: bool,
    /// The upper body; all else is the lower body.
    pub upper: MaskChoice,
    /// Casts and ends, on the timeline of the motion. Run, stand and stop events say from when on the character runs or stands, in
    /// place of its speed; none of them leaves that to the speed.
    pub events: Vec<Event>,
    /// The character stands below the first and runs above the second speed; between them it goes on as before. Metres a second.
    pub run_speeds: [f64; 2],
    /// How a transition goes on that an event interrupts.
    pub interrupt: Interrupt,
    /// What the skill does to the motion.
    pub mode: LayerMode,
    /// Joints whose transitions take another time; the later of two for one joint counts.
    pub blend_times: Vec<BlendTime>,
}

/// What a skill does to the motion under it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerMode {
    /// Takes its place, joint by joint relative to the parent.
    #[default]
    Override,
    /// Takes its place with rotations relative to the character, so that an aim does not follow the lean of the hips.
    MeshSpace,
    /// Adds what it does relative to its first frame.
    Additive,
}

/// A factor on the time of transitions for a joint and all below it that have none of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BlendTime {
    /// Name of the joint.
    pub joint: String,
    /// 0 changes at once, 1 as long as the event says, at most [`BlendTime::LONGEST`].
    pub factor: f64,
}

impl Default for BlendTime {
    fn default() -> Self {
        Self { joint: String::new(), factor: 1.0 }
    }
}

impl BlendTime {
    /// The largest factor.
    pub const LONGEST: f64 = 10.0;
}

impl Default for LayerSettings {
    fn default() -> Self {
        Self {
            skill: String::new(),
            skill_loops: false,
            upper: MaskChoice::from_region(Region::UpperBody),
            events: Vec::new(),
            // Between shifting one's weight and the slowest steps.
            run_speeds: [0.2, 0.5],
            interrupt: Interrupt::default(),
            mode: LayerMode::default(),
            blend_times: Vec::new(),
        }
    }
}

impl LayerMode {
    /// Every choice, in the order menus show them.
    pub const ALL: [Self; 3] = [Self::Override, Self::MeshSpace, Self::Additive];

    /// The name used in menus and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Override => "override",
            Self::MeshSpace => "mesh_space",
            Self::Additive => "additive",
        }
    }
}

impl LayerSettings {
    /// Every clip that is named, each once, in the order of their first use.
    pub fn clip_names(&self) -> Vec<&str> {
        let events = self.events.iter().filter(|event| event.action == Action::Cast);
        let named: Vec<&str> =
            events.map(|event| event.clip.as_deref().unwrap_or(&self.skill)).chain([&*self.skill]).collect();
        let first = |(i, name): &(usize, &str)| !name.is_empty() && !named[..*i].contains(name);
        named.iter().copied().enumerate().filter(first).map(|(_, name)| name).collect()
    }

    /// The names of all clips, to edit.
    pub fn clip_names_mut(&mut self) -> Vec<&mut String> {
        self.events.iter_mut().filter_map(|event| event.clip.as_mut()).chain([&mut self.skill]).collect()
    }

    pub(super) fn check(&self) -> Result<(), BuildError> {
        let [stand, run] = self.run_speeds;
        let bad = [stand, run].into_iter().find(|speed| !(speed.is_finite() && *speed >= 0.0));
        match bad.or((stand > run).then_some(run)) {
            Some(value) => {
                let what = message!("setting.layer.run_speeds", "speed below which it stands, and above which it runs");
                Err(BuildError::BadNumber { node: "layer".into(), what, value })
            }
            None => Ok(()),
        }
    }
}
