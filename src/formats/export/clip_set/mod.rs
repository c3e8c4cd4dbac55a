//! The index of an exported set of clips: everything that an engine must know to play the set.
//!
//! `SET.set.json` is the only description of a set. The files for engines are written from it and measure nothing. Lengths are in
//! metres, times in seconds from the first frame of a clip, angles in degrees. Numbers have six decimals, because key times have
//! 32 bits. Arrays are never nested, so that parsers with fixed types can read it.

mod blend_space;
mod indexed_clip;
mod transition;

use serde::Serialize;

pub use blend_space::{BlendAxis, BlendSample, BlendSpace};
pub use indexed_clip::{Contact, DistanceKeys, IndexedClip, IndexedEvent, IndexedFoot};
use portamento_sets::{Aim, SetKind, SetRequirements};
pub use transition::{Begins, Transition, Trigger};

/// The JSON Schema of the index, version 1.
pub const SCHEMA: &str = include_str!("set.schema.json");

/// End of the file name of an index.
pub const INDEX_ENDING: &str = "set.json";

/// An exported set of clips.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SetIndex {
    /// Version of the format.
    pub version: u32,
    /// Name of the set.
    pub name: String,
    /// Kind of the set.
    pub kind: SetKind,
    /// Units of all figures.
    pub units: Units,
    /// Directions of the axes.
    pub axes: Axes,
    /// The clips; those of a chain are in order.
    pub members: Vec<IndexedClip>,
    /// Index of the member in whose first pose strikes begin and end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stance: Option<usize>,
    /// The space in which the members are blended: for rings and aim grids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blend_space: Option<BlendSpace>,
    /// The changes between members: for chains and strikes.
    pub transitions: Vec<Transition>,
}

/// Units of the figures of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Units {
    length: &'static str,
    time: &'static str,
    angle: &'static str,
}

/// Axes of the figures of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Axes {
    up: &'static str,
    handedness: &'static str,
    /// Axis of the files along which the character faces in its rest pose.
    front: &'static str,
    /// The direction of travel of 90°.
    positive_direction: &'static str,
}

/// A member of a set with the figures from which its index is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredClip {
    /// Its entry in the index.
    pub clip: IndexedClip,
    /// Poses at its first and its last frame; `None` if the clip could not be measured.
    pub ends: Option<[portamento_sets::EndPose; 2]>,
    /// Yaw and pitch of a pose of an aim grid, degrees.
    pub aim: Option<Aim>,
    /// The facing direction in the rest pose: `+z`, `-z`, `+x` or `-x`.
    pub front: &'static str,
}

impl SetIndex {
    /// Returns the index of the set `name` over `members`, which `requirements` describe. `stance` is the index of the
    /// member in whose first pose strikes begin and end. A ring gets no sample for it.
    pub fn new(name: &str, requirements: &SetRequirements, members: &[MeasuredClip], stance: Option<usize>) -> Self {
        let clips: Vec<IndexedClip> = members.iter().map(|member| member.clip.clone()).collect();
        let kind = requirements.kind;
        let gaits = clips.iter().enumerate().filter(|(at, _)| Some(*at) != stance);
        Self {
            version: 1,
            name: name.to_owned(),
            kind,
            units: Units { length: "metre", time: "second", angle: "degree" },
            axes: Axes {
                up: "+y",
                handedness: "right",
                front: members.first().map_or("+z", |member| member.front),
                positive_direction: "right",
            },
            blend_space: match kind {
                SetKind::Ring => BlendSpace::of_gaits(gaits),
                SetKind::AimGrid => BlendSpace::of_aims(members.iter().map(|member| member.aim)),
                SetKind::Chain | SetKind::Strikes | SetKind::Free => None,
            },
            transitions: transition::all(&requirements.with_defaults(), members, stance),
            members: clips,
            stance,
        }
    }

    /// Returns the index as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Rounds to six decimals, and −0 to 0.
pub fn rounded(value: f64) -> f64 {
    (1e6 * value).round() / 1e6 + 0.0
}

#[cfg(test)]
pub(super) mod tests;
