//! A clip of a set with the figures that an engine needs.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rounded;
use crate::export::markers::{AdditiveReference, ClipMarkers, Marker};
use portamento_sets::Figures;

/// A clip of an exported set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexedClip {
    /// File of the clip, relative to the index.
    pub file: String,
    /// Name of the clip in the file.
    pub clip: String,
    /// True if the clip repeats.
    #[serde(rename = "loop")]
    pub loops: bool,
    /// Length, seconds.
    pub seconds: f64,
    /// Frames per second on which all keys are; left out without such a rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Number of frames at that rate, with the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<usize>,
    /// Speed along the ground; of a gait in place, the speed that its feet imply.
    pub speed_mps: f64,
    /// Direction of the travel, −180 … 180 degrees: 0 is forward, 90 to the right of the character.
    pub direction_deg: f64,
    /// True if the clip stays in place while its feet walk, so that the game moves the character.
    pub in_place: bool,
    /// Ground distance from the first to the last position.
    pub travel_m: f64,
    /// Height difference from the first to the last position.
    pub climb_m: f64,
    /// Change of the heading, counter-clockwise as seen from above.
    pub turn_deg: f64,
    /// Joint above the hips that carries the travel, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Number of strides; left out if none was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strides: Option<usize>,
    /// The feet.
    pub feet: Vec<IndexedFoot>,
    /// Remaining travel over time; empty for clips in place.
    pub distance: DistanceKeys,
    /// Events other than foot contacts, in order of time.
    pub events: Vec<IndexedEvent>,
    /// The reference of an additive clip, as in the sidecar of its markers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additive: Option<Value>,
}

/// A foot of a clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexedFoot {
    /// Name, such as `left_foot`.
    pub name: String,
    /// Joint of the ankle.
    pub joint: String,
    /// Time at which the foot is highest above the opposite one, as a fraction of a stride; left out without a stride.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<f64>,
    /// Times during which it stands.
    pub contacts: Vec<Contact>,
}

/// A time span in which a foot stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// First frame in which it stands, seconds.
    pub begin: f64,
    /// Last frame in which it stands, seconds.
    pub end: f64,
}

/// Keys of the remaining travel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DistanceKeys {
    /// Times, increasing.
    pub times: Vec<f64>,
    /// Remaining metres at each time; they never grow and end at 0.
    pub metres: Vec<f64>,
}

/// An event of a clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexedEvent {
    /// Name.
    pub name: String,
    /// Begin, seconds.
    pub time: f64,
    /// End, seconds; left out for an instant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

impl IndexedClip {
    /// Returns the entry of a clip in `file` with these figures and markers. Distance and root are left empty, and so is
    /// the phase of its feet: see [`IndexedClip::with_strides`]. Without figures, speed, direction, travel and frame rate
    /// stay 0 or empty.
    pub fn new(file: String, figures: Option<&Figures>, markers: &ClipMarkers, feet: Vec<IndexedFoot>) -> Self {
        let is_contact = |marker: &&Marker| feet.iter().any(|foot| is_of(marker, foot));
        let others = markers.markers.iter().filter(|marker| !is_contact(marker));
        let event = |marker: &Marker| IndexedEvent {
            name: marker.name.clone(),
            time: rounded(marker.time),
            until: marker.until.map(rounded),
        };
        let events = others.map(event).collect();
        let with_contacts = |foot: &IndexedFoot| {
            let contacts = markers.markers.iter().filter(|marker| is_of(marker, foot));
            let contact = |marker: &Marker| Contact {
                begin: rounded(marker.time),
                end: rounded(marker.until.unwrap_or(marker.time)),
            };
            IndexedFoot { contacts: contacts.map(contact).collect(), ..foot.clone() }
        };
        let clip = Self {
            file,
            clip: markers.clip.clone(),
            loops: markers.loops,
            seconds: rounded(markers.duration),
            feet: feet.iter().map(with_contacts).collect(),
            events,
            additive: markers.additive.as_ref().map(AdditiveReference::to_json),
            ..Self::default()
        };
        figures.map_or(clip.clone(), |figures| clip.with_figures(figures))
    }

    /// Returns the entry with length, rate, speed, direction, travel, climb and turn of the measured `figures`.
    fn with_figures(self, figures: &Figures) -> Self {
        let travel = &figures.quality.way;
        let [right, forward] = travel.velocity;
        Self {
            seconds: rounded(figures.quality.seconds),
            fps: figures.quality.key_rate.map(rounded),
            frames: figures.frames,
            speed_mps: rounded(travel.speed),
            direction_deg: rounded(right.atan2(forward).to_degrees()),
            in_place: travel.on_the_spot,
            travel_m: rounded(travel.travel),
            climb_m: rounded(travel.climb),
            turn_deg: rounded(travel.turn),
            ..self
        }
    }

    /// Adds the number of strides and the phases of `figures` to the entry. `joints` has the ankle of each foot in order.
    /// Strides with an amplitude below `min_amplitude` metres do not count.
    pub fn with_strides(mut self, figures: &Figures, joints: &[usize], min_amplitude: f64) -> Self {
        for stride in figures.strides.iter().filter(|stride| stride.amplitude >= min_amplitude) {
            self.strides.get_or_insert(stride.count);
            for (foot, joint) in self.feet.iter_mut().zip(joints) {
                let half = stride.feet.iter().position(|known| known == joint);
                foot.phase =
                    half.map(|half| rounded((stride.phase + 0.5 * half as f64).rem_euclid(1.0))).or(foot.phase);
            }
        }
        self
    }
}

/// True if `marker` is a contact of `foot`.
fn is_of(marker: &Marker, foot: &IndexedFoot) -> bool {
    marker.name.strip_suffix(crate::export::markers::CONTACT_SUFFIX) == Some(&foot.name)
}
