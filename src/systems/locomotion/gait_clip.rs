//! Which ground a gait is for: a range of slopes along the way, as assigned, or as the clip's own rise and its name propose.

use serde::{Deserialize, Serialize};

/// A clip of repeating steps, and the ground it is for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "SerializedGait")]
pub struct GaitClip {
    /// The clip's name.
    pub clip: String,
    /// Lowest and highest slope along the way, degrees, -90…90, uphill above 0; `None` for the proposal.
    pub slope: Option<[f64; 2]>,
}

/// A band as files hold it: the bare name where nothing else is said.
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

/// Degrees that a clip's own way must rise or fall to count as made for slopes.
const LEAST: f64 = 3.0;

impl GaitClip {
    /// Every slope, degrees.
    pub const ANY: [f64; 2] = [-90.0, 90.0];
    /// What counts as uphill, degrees.
    pub const UPHILL: [f64; 2] = [8.0, 90.0];
    /// What counts as downhill, degrees.
    pub const DOWNHILL: [f64; 2] = [-90.0, -8.0];

    /// Whether its range of slopes makes sense.
    pub(super) fn is_usable(&self) -> bool {
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

/// The slopes (degrees) a clip of that name is for, whose own way rises by `degrees`.
pub(super) fn proposed(name: &str, degrees: f64) -> [f64; 2] {
    if degrees.abs() >= LEAST {
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

/// The words of a clip's name in small letters: `WalkUphill_01` says walk and uphill.
pub(super) fn name_tokens(name: &str) -> Vec<String> {
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
    fn a_name_or_a_rise_tells_the_ground_and_jumps_are_not_ups() {
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
    fn a_bare_name_is_read_as_a_band_and_every_band_comes_back_from_its_file() {
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
