//! Slope range of a gait: assigned, or proposed from the clip's own slope and its name.

use serde::{Deserialize, Serialize};

/// A cyclic clip and its slope range.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "SerializedGait")]
pub struct GaitClip {
    /// The clip's name.
    pub clip: String,
    /// Lowest and highest slope along the path, degrees, -90…90, uphill positive; `None` for the proposal.
    pub slope: Option<[f64; 2]>,
}

/// A gait as stored in files: the bare name if it has no slope range.
#[derive(Deserialize)]
#[serde(untagged)]
enum SerializedGait {
    Name(String),
    Whole {
        clip: String,
        #[serde(default)]
        slope: Option<[f64; 2]>,
    },
}

/// Slope of the clip's own travel from which it counts as made for slopes, degrees. Tuned; no derivation recorded.
const OWN_SLOPE_MIN_DEGREES: f64 = 3.0;

impl GaitClip {
    /// All slopes, degrees.
    pub const ANY: [f64; 2] = [-90.0, 90.0];
    /// Uphill slopes, degrees.
    pub const UPHILL: [f64; 2] = [8.0, 90.0];
    /// Downhill slopes, degrees.
    pub const DOWNHILL: [f64; 2] = [-90.0, -8.0];

    /// True if the slope range is valid.
    pub(crate) fn is_usable(&self) -> bool {
        self.slope.is_none_or(|[low, high]| (-90.0..=90.0).contains(&low) && low < high && high <= 90.0)
    }
}

impl From<&str> for GaitClip {
    fn from(clip: &str) -> Self {
        Self { clip: clip.into(), slope: None }
    }
}

impl From<SerializedGait> for GaitClip {
    fn from(written: SerializedGait) -> Self {
        match written {
            SerializedGait::Name(clip) => Self { clip, slope: None },
            SerializedGait::Whole { clip, slope } => Self { clip, slope },
        }
    }
}

/// Returns the lowest and highest slope of the ground on which a clip should play. A clip that travels along a slope of
/// `degrees` plays from half that slope on. For other clips the words of `name` decide. All are in degrees, uphill positive.
pub(super) fn proposed(name: &str, degrees: f64) -> [f64; 2] {
    if degrees.abs() >= OWN_SLOPE_MIN_DEGREES {
        return if degrees > 0.0 { [0.5 * degrees, 90.0] } else { [-90.0, 0.5 * degrees] };
    }
    const DOWN: [&str; 6] = ["down", "downhill", "downstairs", "descend", "descending", "decline"];
    const UP: [&str; 9] = ["up", "uphill", "upstairs", "climb", "climbing", "ascend", "ascending", "incline", "stairs"];
    let words = name_tokens(name);
    let says = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    match () {
        () if says(&DOWN) => GaitClip::DOWNHILL,
        () if says(&UP) => GaitClip::UPHILL,
        () => GaitClip::ANY,
    }
}

/// Returns the lower-case words of a clip's name: `WalkUphill_01` gives walk and uphill.
pub(crate) fn name_tokens(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        if !letter.is_alphabetic() || (was_small && letter.is_uppercase()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (letter.is_alphabetic(), words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
        was_small = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_or_a_rise_gives_the_slope_range_and_jump_is_not_up() {
        for (name, slope) in [
            ("walk", GaitClip::ANY),
            ("Walk_Up", GaitClip::UPHILL),
            ("walkUphill01", GaitClip::UPHILL),
            ("stairs-ascend", GaitClip::UPHILL),
            ("Stairs_Down", GaitClip::DOWNHILL),
            ("Jump_Run", GaitClip::ANY),
            ("upper body run", GaitClip::ANY),
        ] {
            assert_eq!(proposed(name, 0.0), slope, "{name}");
        }
        assert_eq!(proposed("walk", 14.0), [7.0, 90.0]);
        assert_eq!(proposed("walk_up", -20.0), [-90.0, -10.0]);
    }

    #[test]
    fn a_bare_name_reads_as_a_gait_and_every_gait_survives_a_round_trip() {
        let old: Vec<GaitClip> = serde_json::from_str(r#"["walk", {"clip": "climb", "slope": [5, 60]}]"#).unwrap();
        assert_eq!(old, [GaitClip::from("walk"), GaitClip { clip: "climb".into(), slope: Some([5.0, 60.0]) }]);
        let text = serde_json::to_string(&old).unwrap();
        assert_eq!(serde_json::from_str::<Vec<GaitClip>>(&text).unwrap(), old);
    }

    #[test]
    fn a_range_upside_down_or_off_the_scale_is_not_usable() {
        let usable = |slope| GaitClip { clip: "walk".into(), slope }.is_usable();
        assert!(usable(None) && usable(Some(GaitClip::UPHILL)) && usable(Some([-90.0, 90.0])));
        assert!(!usable(Some([10.0, 10.0])) && !usable(Some([0.0, 91.0])) && !usable(Some([f64::NAN, 3.0])));
    }
}
