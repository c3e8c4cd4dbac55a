//! Footsteps: where and when a foot stands, how it rolls from heel to toe, and how it flies in between.

use glam::{DQuat, DVec3, dvec3};

use super::spline::hermite;

/// Height of the ankle joint over the ground.
const ANKLE: f64 = 0.085;
/// The heel's edge, seen from the ankle.
const HEEL: DVec3 = dvec3(0.0, -ANKLE, -0.05);
/// The ball of the foot (the toe joint), seen from the ankle.
const BALL: DVec3 = dvec3(0.0, -0.055, 0.135);

/// A foot on the ground. Frames; it stands flat from `flat` to `roll`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plant {
    /// The heel touches.
    pub strike: f64,
    /// The whole sole stands.
    pub flat: f64,
    /// The heel begins to rise.
    pub roll: f64,
    /// The toes leave.
    pub off: f64,
    /// The ankle's place over the ground in the world: x, z in metres.
    pub place: [f64; 2],
    /// Where the toes point, degrees left.
    pub yaw: f64,
    /// Toes up at `strike`, degrees; heel up when negative.
    pub strike_angle: f64,
    /// Heel up at `off`, degrees.
    pub off_angle: f64,
}

/// A foot in the air: a point its ankle passes, in the frame of the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AirKey {
    /// Frame at which the ankle passes there.
    pub frame: f64,
    /// The ankle seen from the root, metres.
    pub place: [f64; 3],
    /// Toes down, degrees.
    pub pitch: f64,
    /// Where the toes point seen from the root, degrees left.
    pub yaw: f64,
}

/// One foot's whole way: plants in order, and points in the air between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// On the ground.
    pub plants: Vec<Plant>,
    /// In the air.
    pub air: Vec<AirKey>,
}

/// One foot at one moment, seen from the root.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Foot {
    /// The ankle seen from the root, metres.
    pub ankle: DVec3,
    /// Toes down, degrees.
    pub pitch: f64,
    /// Toes to the left, degrees.
    pub yaw: f64,
    /// Toe joint against the foot, degrees up.
    pub toes: f64,
}

impl Foot {
    /// The turn of the foot seen from the root.
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

/// The root on the ground at a frame: place and facing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ground {
    /// Position of the root, metres.
    pub place: DVec3,
    /// Facing, degrees to the left.
    pub yaw: f64,
    /// Metres it rises per metre of z.
    pub rise: f64,
}

impl Ground {
    /// Degrees by which a foot that stands on it points up.
    fn slope(&self) -> f64 {
        self.rise.atan().to_degrees()
    }

    fn seen(&self, foot: Foot) -> Foot {
        let back = DQuat::from_rotation_y(-self.yaw.to_radians());
        Foot { ankle: back * (foot.ankle - self.place), yaw: foot.yaw - self.yaw, ..foot }
    }
}

impl Plant {
    /// A foot that stands flat from `from` to `to`, put down and lifted without ceremony.
    pub fn flat(from: f64, to: f64, place: [f64; 2], yaw: f64) -> Self {
        Self { strike: from, flat: from, roll: to, off: to, place, yaw, strike_angle: 0.0, off_angle: 0.0 }
    }

    /// Whether the foot touches the ground at `frame`.
    pub fn holds(&self, frame: f64) -> bool {
        (self.strike..=self.off).contains(&frame)
    }

    /// The same plant later by `frames` and moved by `by` metres (x, z).
    pub fn moved(self, frames: f64, by: [f64; 2]) -> Self {
        let place = [self.place[0] + by[0], self.place[1] + by[1]];
        let [strike, flat, roll, off] = [self.strike, self.flat, self.roll, self.off].map(|at| at + frames);
        Self { strike, flat, roll, off, place, ..self }
    }

    /// The foot in the world at `frame`, which it holds, on `ground`.
    fn foot(&self, frame: f64, ground: &Ground) -> Foot {
        let facing = DQuat::from_rotation_y(self.yaw.to_radians());
        let flat = dvec3(self.place[0], ANKLE + ground.rise * self.place[1], self.place[1]);
        let turned = |pitch: f64| facing * DQuat::from_rotation_x((pitch - ground.slope()).to_radians());
        let rolled = |pitch: f64, pivot: DVec3, toes: f64| {
            let ankle = flat + turned(0.0) * pivot - turned(pitch) * pivot;
            Foot { ankle, pitch: pitch - ground.slope(), yaw: self.yaw, toes }
        };
        if frame < self.flat {
            let left = (self.flat - frame) / (self.flat - self.strike);
            let pitch = -self.strike_angle * left;
            // Who lands on the toes rolls over the ball.
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
    /// The foot at `frame` seen from the root; `ground` gives the root at any frame.
    pub fn foot(&self, frame: f64, ground: &dyn Fn(f64) -> Ground) -> Foot {
        let seen = |plant: &Plant, at: f64| ground(at).seen(plant.foot(at, &ground(at)));
        if let Some(plant) = self.plants.iter().find(|plant| plant.holds(frame)) {
            return seen(plant, frame);
        }
        let before = self.plants.iter().rev().find(|plant| plant.off < frame);
        let after = self.plants.iter().find(|plant| plant.strike > frame);
        let start = before.map_or(f64::NEG_INFINITY, |plant| plant.off);
        let end = after.map_or(f64::INFINITY, |plant| plant.strike);
        let mut keys: Vec<(f64, [f64; 6])> = Vec::new();
        keys.extend(before.map(|plant| (plant.off, seen(plant, plant.off).channels())));
        let flying = self.air.iter().filter(|air| air.frame > start && air.frame < end);
        keys.extend(flying.map(|air| air.key(&ground(air.frame))));
        keys.extend(after.map(|plant| (plant.strike, seen(plant, plant.strike).channels())));
        let leave = before.map(|plant| speed(&|at| seen(plant, at).channels(), [plant.off - 0.25, plant.off]));
        let land = after.map(|plant| speed(&|at| seen(plant, at).channels(), [plant.strike, plant.strike + 0.25]));
        Foot::from_channels(flight(&keys, [leave, land], frame))
    }
}

impl AirKey {
    fn key(&self, ground: &Ground) -> (f64, [f64; 6]) {
        let [x, y, z] = self.place;
        (self.frame, [x, y + ground.rise * z, z, self.pitch - ground.slope(), self.yaw, 0.0])
    }
}

fn speed(at: &dyn Fn(f64) -> [f64; 6], [from, to]: [f64; 2]) -> [f64; 6] {
    let (a, b) = (at(from), at(to));
    std::array::from_fn(|i| (b[i] - a[i]) / (to - from))
}

/// A Catmull–Rom curve through `keys`, with the given speeds at its ends (at rest where none is given).
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
    fn the_ball_stays_put_from_sole_to_toe_off() {
        let plant = Plant {
            strike: 0.0,
            flat: 3.0,
            roll: 10.0,
            off: 18.0,
            place: [0.1, 0.5],
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
        let air = vec![AirKey { frame: 10.0, place: [0.0, 0.2, 0.5], pitch: 10.0, yaw: 0.0 }];
        let steps = Steps { plants, air };
        let ground = |_: f64| Ground::default();
        let heights: Vec<f64> = (0..=200).map(|i| steps.foot(f64::from(i) * 0.1, &ground).ankle.z).collect();
        assert!(heights.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.03));
        assert_eq!((heights[50], heights[150]), (0.0, 1.0));
    }
}
