//! Footsteps: contacts of a foot, its roll from heel to toe, and its flight in between.

use glam::{DQuat, DVec3, dvec3};

use super::spline::hermite;

/// Height of the ankle joint above the ground, metres.
const ANKLE_HEIGHT: f64 = 0.085;
/// The edge of the heel relative to the ankle, metres.
const HEEL: DVec3 = dvec3(0.0, -ANKLE_HEIGHT, -0.05);
/// The ball of the foot (toe joint) relative to the ankle, metres.
const BALL: DVec3 = dvec3(0.0, -0.055, 0.135);

/// A contact of a foot with the ground. Times are frames; the foot is flat from `flat` to `roll`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plant {
    /// Frame at which the foot first touches.
    pub strike: f64,
    /// Frame from which the full sole is on the ground.
    pub flat: f64,
    /// Frame at which the heel starts to rise.
    pub roll: f64,
    /// Frame at which the toes leave the ground.
    pub off: f64,
    /// World position of the ankle while flat: x, z in metres.
    pub position: [f64; 2],
    /// Height of the ground below the foot, metres. A slope is added to it.
    pub height: f64,
    /// World direction of the toes, degrees to the left.
    pub yaw: f64,
    /// Angle at `strike` in degrees: toes up if positive, heel up if negative.
    pub strike_angle: f64,
    /// Angle at `off` in degrees, heel up.
    pub off_angle: f64,
}

/// A point on the flight path of the ankle, relative to the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AirKey {
    /// Frame at which the ankle is there.
    pub frame: f64,
    /// Ankle position relative to the root, metres.
    pub position: [f64; 3],
    /// Pitch in degrees, toes down.
    pub pitch: f64,
    /// Direction of the toes relative to the root, degrees to the left.
    pub yaw: f64,
}

/// All steps of one foot: contacts in order, and flight points between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// The contacts.
    pub plants: Vec<Plant>,
    /// The flight points.
    pub air: Vec<AirKey>,
}

/// The state of one foot in one frame, relative to the root.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Foot {
    /// Ankle position relative to the root, metres.
    pub ankle: DVec3,
    /// Pitch in degrees, toes down.
    pub pitch: f64,
    /// Yaw in degrees, toes to the left.
    pub yaw: f64,
    /// Angle of the toe joint in degrees, toes up.
    pub toes: f64,
}

impl Foot {
    /// Returns the rotation of the foot relative to the root.
    pub fn turn(&self) -> DQuat {
        DQuat::from_rotation_y(self.yaw.to_radians()) * DQuat::from_rotation_x(self.pitch.to_radians())
    }

    fn channels(&self) -> [f64; 6] {
        [self.ankle.x, self.ankle.y, self.ankle.z, self.pitch, self.yaw, self.toes]
    }

    fn from_channels([x, y, z, pitch, yaw, toes]: [f64; 6]) -> Self {
        Self { ankle: dvec3(x, y, z), pitch, yaw, toes }
    }
}

/// The root on the ground in one frame: position and facing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ground {
    /// Position of the root, metres.
    pub position: DVec3,
    /// Facing in degrees to the left.
    pub yaw: f64,
    /// Slope of the ground along z, metres per metre.
    pub rise: f64,
}

impl Ground {
    /// Returns the slope in degrees, by which a planted foot is pitched up.
    fn slope(&self) -> f64 {
        self.rise.atan().to_degrees()
    }

    /// Returns `foot` of the world in the frame of the root.
    fn relative_to_root(&self, foot: Foot) -> Foot {
        let back = DQuat::from_rotation_y(-self.yaw.to_radians());
        Foot { ankle: back * (foot.ankle - self.position), yaw: foot.yaw - self.yaw, ..foot }
    }
}

impl Plant {
    /// Creates a contact that is flat from `from` to `to`, without roll.
    pub fn flat(from: f64, to: f64, position: [f64; 2], yaw: f64) -> Self {
        Self {
            strike: from,
            flat: from,
            roll: to,
            off: to,
            position,
            height: 0.0,
            yaw,
            strike_angle: 0.0,
            off_angle: 0.0,
        }
    }

    /// True if the foot touches the ground at `frame`.
    pub fn is_in_contact(&self, frame: f64) -> bool {
        (self.strike..=self.off).contains(&frame)
    }

    /// Returns the contact moved by `frames` in time and by `by` metres (x, z).
    pub fn moved(self, frames: f64, by: [f64; 2]) -> Self {
        let position = [self.position[0] + by[0], self.position[1] + by[1]];
        let [strike, flat, roll, off] = [self.strike, self.flat, self.roll, self.off].map(|at| at + frames);
        Self { strike, flat, roll, off, position, ..self }
    }

    /// Returns the foot in world space at `frame`, during the contact.
    fn foot(&self, frame: f64, ground: &Ground) -> Foot {
        let facing = DQuat::from_rotation_y(self.yaw.to_radians());
        let height = self.height + ANKLE_HEIGHT + ground.rise * self.position[1];
        let flat = dvec3(self.position[0], height, self.position[1]);
        let turned = |pitch: f64| facing * DQuat::from_rotation_x((pitch - ground.slope()).to_radians());
        let rolled = |pitch: f64, pivot: DVec3, toes: f64| {
            let ankle = flat + turned(0.0) * pivot - turned(pitch) * pivot;
            Foot { ankle, pitch: pitch - ground.slope(), yaw: self.yaw, toes }
        };
        if frame < self.flat {
            let left = (self.flat - frame) / (self.flat - self.strike);
            let pitch = -self.strike_angle * left;
            // A foot that lands on the toes rolls over the ball.
            if pitch > 0.0 { rolled(pitch, BALL, pitch) } else { rolled(pitch, HEEL, 0.0) }
        } else if frame > self.roll {
            let done = (frame - self.roll) / (self.off - self.roll);
            let pitch = self.off_angle * done * done * (1.6 - 0.6 * done);
            rolled(pitch, BALL, pitch)
        } else {
            rolled(0.0, DVec3::ZERO, 0.0)
        }
    }
}

impl Steps {
    /// Returns the foot at `frame` relative to the root. `ground` gives the root at any frame.
    pub fn foot(&self, frame: f64, ground: &dyn Fn(f64) -> Ground) -> Foot {
        let relative_to_root = |plant: &Plant, at: f64| ground(at).relative_to_root(plant.foot(at, &ground(at)));
        if let Some(plant) = self.plants.iter().find(|plant| plant.is_in_contact(frame)) {
            return relative_to_root(plant, frame);
        }
        let before = self.plants.iter().rev().find(|plant| plant.off < frame);
        let after = self.plants.iter().find(|plant| plant.strike > frame);
        let start = before.map_or(f64::NEG_INFINITY, |plant| plant.off);
        let end = after.map_or(f64::INFINITY, |plant| plant.strike);
        let mut keys: Vec<(f64, [f64; 6])> = Vec::new();
        keys.extend(before.map(|plant| (plant.off, relative_to_root(plant, plant.off).channels())));
        let flying = self.air.iter().filter(|air| air.frame > start && air.frame < end);
        keys.extend(flying.map(|air| air.key(&ground(air.frame))));
        keys.extend(after.map(|plant| (plant.strike, relative_to_root(plant, plant.strike).channels())));
        let leave =
            before.map(|plant| speed(&|at| relative_to_root(plant, at).channels(), [plant.off - 0.25, plant.off]));
        let land =
            after.map(|plant| speed(&|at| relative_to_root(plant, at).channels(), [plant.strike, plant.strike + 0.25]));
        Foot::from_channels(flight(&keys, [leave, land], frame))
    }
}

impl AirKey {
    /// Returns frame and channels of the key; `ground` adds its rise and slope.
    fn key(&self, ground: &Ground) -> (f64, [f64; 6]) {
        let [x, y, z] = self.position;
        (self.frame, [x, y + ground.rise * z, z, self.pitch - ground.slope(), self.yaw, 0.0])
    }
}

/// Returns the mean change of each channel per frame between the frames `from` and `to`.
fn speed(at: &dyn Fn(f64) -> [f64; 6], [from, to]: [f64; 2]) -> [f64; 6] {
    let (a, b) = (at(from), at(to));
    std::array::from_fn(|i| (b[i] - a[i]) / (to - from))
}

/// Evaluates a Catmull–Rom curve through `keys` with the given end speeds; `None` is at rest.
fn flight(keys: &[(f64, [f64; 6])], ends: [Option<[f64; 6]>; 2], frame: f64) -> [f64; 6] {
    let next = keys.partition_point(|key| key.0 <= frame).clamp(1, keys.len().max(2) - 1);
    let (Some(&a), Some(&b)) = (keys.get(next - 1), keys.get(next)) else {
        return keys.first().map_or([0.0; 6], |key| key.1);
    };
    let slope = |k: usize| -> [f64; 6] {
        match k.checked_sub(1).zip(keys.get(k + 1)) {
            Some((before, after)) => {
                let before = keys[before];
                std::array::from_fn(|i| (after.1[i] - before.1[i]) / (after.0 - before.0))
            }
            None if k == 0 => ends[0].unwrap_or_default(),
            None => ends[1].unwrap_or_default(),
        }
    };
    let (from, to) = (slope(next - 1), slope(next));
    let frame = frame.clamp(a.0, b.0);
    std::array::from_fn(|i| hermite([(a.0, a.1[i]), (b.0, b.1[i])], [from[i], to[i]], frame))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ball_does_not_move_from_flat_to_toe_off() {
        let plant = Plant {
            strike: 0.0,
            flat: 3.0,
            roll: 10.0,
            off: 18.0,
            position: [0.1, 0.5],
            height: 0.0,
            yaw: 12.0,
            strike_angle: 20.0,
            off_angle: 55.0,
        };
        let ball = |frame: f64| {
            let foot = plant.foot(frame, &Ground::default());
            foot.ankle + foot.turn() * BALL
        };
        assert!((3..=18).all(|frame| ball(f64::from(frame)).distance(ball(3.0)) < 1e-12));
        assert!(ball(1.0).y > ball(3.0).y + 0.01);
    }

    #[test]
    fn a_foot_leaves_and_lands_without_a_jump() {
        let plants = vec![Plant::flat(0.0, 5.0, [0.0, 0.0], 0.0), Plant::flat(15.0, 20.0, [0.0, 1.0], 0.0)];
        let air = vec![AirKey { frame: 10.0, position: [0.0, 0.2, 0.5], pitch: 10.0, yaw: 0.0 }];
        let steps = Steps { plants, air };
        let ground = |_: f64| Ground::default();
        let heights: Vec<f64> = (0..=200).map(|i| steps.foot(f64::from(i) * 0.1, &ground).ankle.z).collect();
        assert!(heights.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.03));
        assert_eq!((heights[50], heights[150]), (0.0, 1.0));
    }
}
