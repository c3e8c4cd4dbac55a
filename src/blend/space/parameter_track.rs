//! The parameter position of a blend space over time: from its keys or the speed of a motion, and from the states of the tree.

use super::blend_space::{BlendSpace, Drive};
use crate::error::BuildError;
use crate::input::ClipTravel;
use crate::steps::weight_track::{PositionTrack, StateTimeline};

/// The parameter position as a function of time.
#[derive(Clone, Debug)]
pub(crate) struct ParameterTrack {
    space: BlendSpace,
    /// The motion whose speed drives the parameter, with the averaging window; `None` if keys drive it.
    speed: Option<MeasuredSpeed>,
    states: PositionTrack,
}

#[derive(Clone, Debug)]
struct MeasuredSpeed {
    travel: ClipTravel,
    /// Averaging window, seconds.
    smoothing: f64,
}

impl ParameterTrack {
    /// Returns the track of `space`. `travels` has the distance of the motion that drives it, and `timeline` the states of
    /// the tree.
    ///
    /// Returns `Err` with the name `node` if `travels` does not have that motion.
    pub fn new(
        space: &BlendSpace,
        node: &str,
        travels: &[ClipTravel],
        timeline: &StateTimeline,
    ) -> Result<Self, BuildError> {
        let speed = match &space.drive {
            Drive::Keys => None,
            Drive::Speed(drive) => {
                let found = travels.iter().find(|travel| travel.clip == drive.clip);
                let missing = || BuildError::NoSuchClip { node: node.into(), clip: drive.clip.clone() };
                Some(MeasuredSpeed { travel: found.ok_or_else(missing)?.clone(), smoothing: drive.smoothing })
            }
        };
        let mut track = Self { space: space.clone(), speed, states: PositionTrack::default() };
        track.states = PositionTrack::new(&space.in_states, timeline, |time| track.driven_at(time));
        Ok(track)
    }

    /// Returns the parameter position at `time` (seconds).
    pub fn at(&self, time: f64) -> [f64; 2] {
        self.states.at(time, self.driven_at(time))
    }

    /// Returns the time of the last change of the parameter, seconds.
    pub fn end(&self) -> f64 {
        let motion = self.speed.as_ref().and_then(|speed| speed.travel.times.last().copied()).unwrap_or(0.0);
        self.space.end().max(motion).max(self.states.end())
    }

    /// Returns the parameter position at `time` (seconds) from keys and measured speed, without that of states.
    fn driven_at(&self, time: f64) -> [f64; 2] {
        let keyed = self.space.parameter_from_keys(time);
        match &self.speed {
            Some(MeasuredSpeed { travel, smoothing }) => [travel.speed_at(time, *smoothing), keyed[1]],
            None => keyed,
        }
    }
}
