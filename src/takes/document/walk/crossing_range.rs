//! The sizes of obstacles that a clip can cross, as saved in projects and read from files.

use serde::{Deserialize, Serialize};

use portamento_walk::crossing::{ClipRange, CrossingKind};

/// The sizes of obstacles that one clip can cross. Metres and seconds; each range has its lowest and highest value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrossingRange {
    /// Kind of crossing.
    #[serde(with = "KindName")]
    pub kind: CrossingKind,
    /// Height of the near edge over the ground at the start.
    #[serde(default)]
    pub height: [f64; 2],
    /// Horizontal distance between the near and the far edge.
    #[serde(default)]
    pub distance: [f64; 2],
    /// Height of the landing over the ground at the start.
    #[serde(default)]
    pub rise: [f64; 2],
    /// Horizontal distance from the start to the near edge.
    pub run_up: [f64; 2],
    /// Free ground needed behind the last edge.
    pub landing_room: f64,
    /// Duration of the clip.
    pub seconds: f64,
}

/// The names of the ways to cross.
#[derive(Serialize, Deserialize)]
#[serde(remote = "CrossingKind", rename_all = "snake_case")]
enum KindName {
    Vault,
    Mantle,
    HopUp,
    JumpAcross,
    DropDown,
}

impl From<&CrossingRange> for ClipRange {
    fn from(range: &CrossingRange) -> Self {
        let between = |[low, high]: [f64; 2]| low..=high;
        Self {
            kind: range.kind,
            height: between(range.height),
            distance: between(range.distance),
            rise: between(range.rise),
            run_up: between(range.run_up),
            landing_room: range.landing_room,
            seconds: range.seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_survives_a_round_trip_and_unknown_fields_are_refused() {
        let text =
            r#"{"kind": "jump_across", "distance": [1, 3], "run_up": [0.5, 2], "landing_room": 0.6, "seconds": 1.2}"#;
        let range: CrossingRange = serde_json::from_str(text).unwrap();
        assert_eq!((range.kind, range.height, range.distance), (CrossingKind::JumpAcross, [0.0; 2], [1.0, 3.0]));
        let again = serde_json::to_string(&range).unwrap();
        assert_eq!(serde_json::from_str::<CrossingRange>(&again).unwrap(), range);
        assert_eq!(ClipRange::from(&range).run_up, 0.5..=2.0);
        for wrong in
            [text.replace("kind", "sort"), text.replace("jump_across", "fly"), text.replace("1.2}", "1.2, \"a\": 1}")]
        {
            assert!(serde_json::from_str::<CrossingRange>(&wrong).is_err(), "{wrong}");
        }
    }
}
