//! The plan of a clip: key poses, the root's path, footsteps.

use glam::dvec3;

use super::feet::{Foot, Ground, Steps};
use super::flight;
use super::grip::Grip;
use super::posing::{CHANNELS, Posing};
use super::profile::Profile;
use super::spline::{interpolate, interpolate_cyclic};

/// Delay of each channel in frames: the end of a limb follows its root.
const CHANNEL_DELAYS: [f64; CHANNELS] = channel_delays();

/// The animator's plan of one clip. Times are frames at 30 fps. Keys before 0 and after the end shape the ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The clip's name.
    pub name: &'static str,
    /// The last frame.
    pub frames: usize,
    /// True if the last frame repeats the first one further along the path.
    pub cyclic: bool,
    /// Slope of the ground along z, metres per metre.
    pub rise: f64,
    /// Poses of the body by frame.
    pub keys: Vec<(f64, Posing)>,
    /// z of the root in metres by frame.
    pub path: Vec<(f64, f64)>,
    /// Height of the root in metres by frame, without the slope. Empty if it stays at 0.
    pub heights: Vec<(f64, f64)>,
    /// Facing of the root in degrees to the left, by frame.
    pub facing: Vec<(f64, f64)>,
    /// Left and right foot.
    pub feet: [Steps; 2],
    /// Holds of the left and right hand.
    pub hands: [Vec<Grip>; 2],
    /// First and last frame of each free flight. Both are frames of keys.
    pub flights: Vec<[f64; 2]>,
    /// Obstacles and ledges, for hair and cape.
    pub profile: Profile,
}

impl Plan {
    /// Returns the pose of the body at `frame`.
    pub fn posing(&self, frame: f64) -> Posing {
        let channels: [f64; CHANNELS] = std::array::from_fn(|i| {
            let keys: Vec<_> = self.keys.iter().map(|(at, posing)| (*at, posing.channels()[i])).collect();
            match self.cyclic {
                true => interpolate_cyclic(&keys, self.frames as f64, frame - CHANNEL_DELAYS[i]),
                false => interpolate(&keys, frame - CHANNEL_DELAYS[i]),
            }
        });
        let mut posing = Posing::from_channels(&channels);
        if !self.flights.is_empty() || !self.heights.is_empty() {
            posing.lift = self.body_height(frame) - posing.hips[1] - self.ground(frame).position.y;
        }
        posing
    }

    /// Returns the height of the pelvis over its standing position above height 0 of the world, metres.
    fn body_height(&self, frame: f64) -> f64 {
        let height = |(at, posing): &(f64, Posing)| (*at, posing.hips[1] + posing.lift + self.ground(*at).position.y);
        let keys: Vec<_> = self.keys.iter().map(height).collect();
        flight::height(&keys, &self.flights, frame)
    }

    /// Returns the root at `frame`.
    pub fn ground(&self, frame: f64) -> Ground {
        let z = match self.cyclic {
            true => self.travel() * frame / self.frames as f64,
            false => interpolate(&self.path, frame),
        };
        let height = interpolate(&self.heights, frame);
        Ground {
            position: dvec3(0.0, self.rise * z + height, z),
            yaw: interpolate(&self.facing, frame),
            rise: self.rise,
        }
    }

    /// Returns one foot at `frame`, relative to the root.
    pub fn foot(&self, side: usize, frame: f64) -> Foot {
        let frame = if self.cyclic { frame.rem_euclid(self.frames as f64) } else { frame };
        self.unrolled(side).foot(frame, &|at| self.ground(at))
    }

    /// Returns the travel in metres from the first to the last frame.
    pub fn travel(&self) -> f64 {
        interpolate(&self.path, self.frames as f64) - interpolate(&self.path, 0.0)
    }

    /// Returns the steps of `side`. Those of a cycle are repeated before and after it.
    pub fn unrolled(&self, side: usize) -> Steps {
        let steps = &self.feet[side];
        if !self.cyclic {
            return steps.clone();
        }
        let turns = || (-2..=2).map(f64::from);
        let (period, travel) = (self.frames as f64, self.travel());
        let plants = turns()
            .flat_map(|turn| steps.plants.iter().map(move |plant| plant.moved(turn * period, [0.0, turn * travel])))
            .collect();
        let air = turns()
            .flat_map(|turn| {
                steps.air.iter().map(move |air| super::feet::AirKey { frame: air.frame + turn * period, ..*air })
            })
            .collect();
        Steps { plants, air }
    }
}

/// Returns the delays: torso half a frame, head and elbows one, wrists two.
const fn channel_delays() -> [f64; CHANNELS] {
    let mut channel_delays = [0.0; CHANNELS];
    let mut i = 0;
    while i < 3 {
        channel_delays[6 + i] = 0.5;
        channel_delays[9 + i] = 1.0;
        i += 1;
    }
    let mut side = 0;
    while side < 2 {
        channel_delays[12 + 8 * side + 3] = 1.0;
        channel_delays[12 + 8 * side + 4] = 2.0;
        side += 1;
    }
    channel_delays
}
