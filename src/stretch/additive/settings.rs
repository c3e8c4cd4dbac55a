//! Settings of the additive stage.

use serde::{Deserialize, Serialize};

/// The pose from which the difference is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reference {
    /// The rest pose of the character.
    Rest,
    /// The first frame of the motion.
    #[default]
    FirstFrame,
    /// A frame of another clip.
    Clip,
}

portamento_base::named!(Reference { Rest: "rest", FirstFrame: "first_frame", Clip: "clip" });

/// The axes in which rotations are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// The axes of each joint, as Godot adds rotations. The difference of an arm turns with the chest.
    #[default]
    Local,
    /// The axes of each joint's parent, as Unreal adds rotations in local space.
    Parent,
    /// The axes of the character, as Unreal adds rotations in mesh space. A weapon keeps its direction on any pose of the spine.
    Character,
}

portamento_base::named!(Space { Local: "local", Parent: "parent", Character: "character" });

/// Settings of an additive motion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The pose from which the difference is taken.
    pub reference: Reference,
    /// The clip of [`Reference::Clip`].
    pub clip: String,
    /// The time of its frame in seconds, at most its length.
    pub at: f64,
    /// The axes in which rotations are compared.
    pub space: Space,
}

impl Settings {
    /// Returns the name of the reference clip, if the reference is one.
    pub fn reference_clip(&self) -> Option<&str> {
        Some(&*self.clip).filter(|name| self.reference == Reference::Clip && !name.is_empty())
    }

    /// Largest time of a frame, seconds.
    pub const MAX_SECONDS: f64 = 3600.0;
}
