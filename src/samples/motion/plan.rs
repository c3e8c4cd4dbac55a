//! A clip before it is computed: key poses, the root's way, footsteps.

use glam::dvec3;

use super::feet::{Foot, Ground, Steps};
use super::posing::{CHANNELS, Posing};
use super::spline::{held, repeating};

/// Frames by which a channel follows its key: the ends of a limb arrive later than its root.
const LATE: [f64; CHANNELS] = late();

/// Everything an animator decides about one clip. Times are frames at 30 fps; keys before 0 and after the end shape the ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The clip's name.
    pub name: &'static str,
    /// The last frame.
    pub frames: usize,
    /// The last frame is the first one again, further along the way.
    pub cyclic: bool,
    /// Metres the ground rises per metre ahead.
    pub rise: f64,
    /// Poses of the whole body by frame.
    pub keys: Vec<(f64, Posing)>,
    /// The root's z in metres.
    pub way: Vec<(f64, f64)>,
    /// The root's facing in degrees to the left.
    pub facing: Vec<(f64, f64)>,
    /// Left and right foot.
    pub feet: [Steps; 2],
}

impl Plan {
    /// The body at `frame`.
    pub fn posing(&self, frame: f64) -> Posing {
        let channels: [f64; CHANNELS] = std::array::from_fn(|i| {
            let keys: Vec<_> = self.keys.iter().map(|(at, posing)| (*at, posing.channels()[i])).collect();
            match self.cyclic {
                true => repeating(&keys, self.frames as f64, frame - LATE[i]),
                false => held(&keys, frame - LATE[i]),
            }
        });
        Posing::from_channels(&channels)
    }

    /// The root at `frame`.
    pub fn ground(&self, frame: f64) -> Ground {
        let z = match self.cyclic {
            true => self.travel() * frame / self.frames as f64,
            false => held(&self.way, frame),
        };
        Ground { place: dvec3(0.0, self.rise * z, z), yaw: held(&self.facing, frame), rise: self.rise }
    }

    /// One foot at `frame`, seen from the root.
    pub fn foot(&self, side: usize, frame: f64) -> Foot {
        let frame = if self.cyclic { frame.rem_euclid(self.frames as f64) } else { frame };
        self.unrolled(side).foot(frame, &|at| self.ground(at))
    }

    /// Metres from the first to the last frame.
    pub fn travel(&self) -> f64 {
        held(&self.way, self.frames as f64) - held(&self.way, 0.0)
    }

    /// The steps of `side`; a cycle's repeated on both sides.
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

const fn late() -> [f64; CHANNELS] {
    let mut late = [0.0; CHANNELS];
    let mut i = 0;
    while i < 3 {
        late[6 + i] = 0.5;
        late[9 + i] = 1.0;
        i += 1;
    }
    let mut side = 0;
    while side < 2 {
        late[12 + 8 * side + 3] = 1.0;
        late[12 + 8 * side + 4] = 2.0;
        side += 1;
    }
    late
}
