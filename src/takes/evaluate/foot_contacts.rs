//! Contacts of the feet of a take: the timeline shows them, and exports write them as markers.

use portamento_anim::foot_contacts::{FootMotion, foot_contacts};
use portamento_anim::foot_place::sole_heights;
use portamento_anim::root_motion::{frame_times, path};
use portamento_anim::travelling::travelling;
use portamento_anim::{Clip, Leg};

use super::BuiltTake;

/// The contact intervals of one foot.
#[derive(Clone, Debug, PartialEq)]
pub struct FootContacts {
    /// Index of the foot's joint.
    pub foot: usize,
    /// Start and end of each contact, seconds.
    pub spans: Vec<(f64, f64)>,
}

impl BuiltTake {
    /// Returns the contact intervals of each foot, in the order of the legs and in seconds of `clip`: the output, or the same
    /// motion with other keys. For an in-place gait, root motion is first reconstructed from the feet. Empty without known
    /// hips or legs.
    pub fn foot_contacts(&self, clip: &Clip) -> Vec<FootContacts> {
        let (skeleton, legs) = (&self.character.model.skeleton, &self.roles.legs);
        let Some(hips) = self.roles.hips.filter(|_| !legs.is_empty()) else { return Vec::new() };
        let metres_per_unit = self.metres_per_unit;
        let gait = travelling(skeleton, clip, &self.roles, self.fps, metres_per_unit).map(|gait| gait.clip);
        let clip = gait.as_ref().unwrap_or(clip);
        let times = frame_times(clip, 0..skeleton.len(), self.fps);
        let sole = |leg: &Leg| path(skeleton, clip, leg.toe.unwrap_or(leg.foot), &times);
        let found = foot_contacts(&FootMotion {
            soles: &legs.iter().map(sole).collect::<Vec<_>>(),
            heights: &sole_heights(skeleton, &self.roles, &legs.iter().collect::<Vec<_>>()),
            body: &path(skeleton, clip, hips, &times),
            times: &times,
            metres_per_unit,
        });
        let contacts = |(leg, ranges): (&Leg, Vec<std::ops::Range<usize>>)| {
            let ranges = ranges.into_iter().filter(|range| !range.is_empty());
            FootContacts {
                foot: leg.foot,
                spans: ranges.map(|range| (times[range.start], times[range.end - 1])).collect(),
            }
        };
        legs.iter().zip(found).map(contacts).collect()
    }
}
