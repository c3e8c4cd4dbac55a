//! Travel of the body.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::Input;
use super::frames::Frames;
use super::gait::{OnTheSpot, even_travel};

/// The travel of a body over the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyTravel {
    /// Ground distance from the first position to the last, metres.
    pub travel: f64,
    /// Height difference from the first position to the last, metres.
    pub climb: f64,
    /// Heading difference from the first frame to the last, degrees, counter-clockwise as seen from +Y.
    pub turn: f64,
    /// True if the body stays in place while its feet walk.
    pub on_the_spot: bool,
    /// True if the body travels about evenly from the first frame to the last, as in a gait or with a drifting root.
    #[serde(default)]
    pub goes_on: bool,
    /// Length of the path along the ground over its duration, metres per second. On the spot, the speed that the
    /// standing feet imply.
    pub speed: f64,
    /// Ground distance from the rest position to the first position, metres.
    pub off_origin: f64,
    /// Mean velocity along the ground as the body faces: to its right and forward, metres per second. On the spot, the
    /// velocity that the standing feet imply.
    #[serde(default)]
    pub velocity: [f64; 2],
}

impl BodyTravel {
    /// Measures the travel of the body over all `frames`. `on_the_spot` is the gait of a body that stays in place.
    pub(super) fn measure(input: &Input, frames: &Frames, on_the_spot: Option<&OnTheSpot>) -> Self {
        let Input { clip, metres_per_unit: unit, .. } = *input;
        let [first, last] = [frames.root[0], frames.root[frames.root.len() - 1]];
        let seconds = clip.duration.max(f64::MIN_POSITIVE);
        Self {
            travel: unit * (last - first).with_y(0.0).length(),
            climb: unit * (last - first).y,
            turn: (frames.headings[frames.headings.len() - 1] - frames.headings[0]).to_degrees(),
            on_the_spot: on_the_spot.is_some(),
            goes_on: even_travel(&frames.root).is_some_and(|distance| distance > 0.0),
            speed: on_the_spot.map_or(unit * length(&frames.root) / seconds, |gait| gait.speed),
            off_origin: unit * (first - frames.root_at_rest).with_y(0.0).length(),
            velocity: velocity(input, frames, on_the_spot.map_or(&frames.root, |gait| &gait.root)),
        }
    }
}

/// Returns the mean velocity of a body that takes `path` (world, the file's unit), metres per second: to its right and forward.
///
/// A root above the hips faces as the game's character does. Hips that carry the body themselves sway within a gait, so
/// only the turn from the first frame to the last counts, evenly over time.
fn velocity(input: &Input, frames: &Frames, path: &[DVec3]) -> [f64; 2] {
    let front = input.roles.front.unwrap_or_default().direction();
    let right = front.cross(DVec3::Y);
    let last = frames.headings.len() - 1;
    let turn = frames.headings[last] - frames.headings[0];
    let sways = Some(frames.carrier) == input.roles.hips;
    let heading = |frame: usize| if sways { turn * frame as f64 / last as f64 } else { frames.headings[frame] };
    let steps = path.windows(2).take(last).enumerate();
    let sum: DVec3 = steps.map(|(frame, pair)| DQuat::from_rotation_y(-heading(frame)) * (pair[1] - pair[0])).sum();
    let scale = input.metres_per_unit / input.clip.duration.max(f64::MIN_POSITIVE);
    [right, front].map(|axis| scale * sum.dot(axis))
}

/// Returns the length of `path` along the ground, in its own unit.
fn length(path: &[DVec3]) -> f64 {
    path.windows(2).map(|pair| (pair[1] - pair[0]).with_y(0.0).length()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::quality;
    use crate::small_inputs::treadmill;
    use crate::{Clip, Curve, Front, JointTracks, Roles};
    use glam::{Quat, Vec3};
    use portamento_base::progress::Progress;

    #[test]
    fn hips_that_sway_do_not_turn_the_direction() {
        let (skeleton, clip) = treadmill();
        let roles = Roles { hips: Some(1), ..Roles::default() };
        let times: Vec<f32> = (0..=30).map(|frame| frame as f32 / 30.0).collect();
        let rest = skeleton.joints[1].rest.translation;
        let positions = times.iter().map(|time| rest + Vec3::X * 2.0 * *time).collect();
        // The sway begins at its largest angle.
        let sway = |time: &f32| Quat::from_rotation_y(0.7 * (std::f32::consts::TAU * time).cos());
        let turns = times.iter().map(sway).collect();
        let mut clip = Clip { duration: 1.0, tracks: vec![JointTracks::default(); skeleton.len()], ..clip };
        clip.tracks[1].translation = Some(Curve::linear(times.clone(), positions));
        clip.tracks[1].rotation = Some(Curve::linear(times, turns));
        let input = Input { skeleton: &skeleton, clip: &clip, roles: &roles, soles: &[], metres_per_unit: 1.0 };
        let [right, forward] = quality(&input, &Progress::new()).unwrap().unwrap().way.velocity;
        assert!((right + 2.0).abs() < 1e-3 && forward.abs() < 1e-3, "{right} {forward}");
    }

    /// Travel at 2 m/s along `direction` (radians from +Z towards +X), with the root turned by `heading`.
    fn velocity_of(direction: f32, heading: f32, front: Front) -> [f64; 2] {
        let (skeleton, clip) = treadmill();
        let roles = Roles { hips: Some(1), front: Some(front), ..Roles::default() };
        let times: Vec<f32> = (0..=30).map(|frame| frame as f32 / 30.0).collect();
        let along = Vec3::new(direction.sin(), 0.0, direction.cos());
        let positions = times.iter().map(|time| 2.0 * time * along).collect();
        let turns = times.iter().map(|_| Quat::from_rotation_y(heading)).collect();
        let mut clip = Clip { duration: 1.0, tracks: vec![JointTracks::default(); skeleton.len()], ..clip };
        clip.tracks[0].translation = Some(Curve::linear(times.clone(), positions));
        clip.tracks[0].rotation = Some(Curve::linear(times, turns));
        let input = Input { skeleton: &skeleton, clip: &clip, roles: &roles, soles: &[], metres_per_unit: 1.0 };
        quality(&input, &Progress::new()).unwrap().unwrap().way.velocity
    }

    #[test]
    fn the_velocity_is_that_in_the_axes_of_the_body() {
        let quarter = std::f32::consts::FRAC_PI_2;
        for (direction, heading, front, wanted) in [
            (0.0, 0.0, Front::PlusZ, [0.0, 2.0]),
            // +X is to the left of a body that faces +Z.
            (quarter, 0.0, Front::PlusZ, [-2.0, 0.0]),
            (quarter, quarter, Front::PlusZ, [0.0, 2.0]),
            (0.0, 0.0, Front::MinusZ, [0.0, -2.0]),
            (0.0, 0.0, Front::PlusX, [2.0, 0.0]),
        ] {
            let found = velocity_of(direction, heading, front);
            let is_near = found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-5);
            assert!(is_near, "{direction} {heading} {front:?}: {found:?}");
        }
    }
}
