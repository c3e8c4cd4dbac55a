//! User settings. Lengths are metres of a life-size character, times are seconds, angles are radians.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Settings of one character's dynamic bones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Simulated joints, each with all its descendants.
    pub chains: Vec<Chain>,
    /// Bodies that the bones must not enter.
    pub colliders: Vec<Collider>,
    /// Acceleration by gravity, m/s², world space.
    pub gravity: DVec3,
    /// Moving air that pushes the bones.
    pub wind: Wind,
    /// Size of the character relative to life size, above 0. Gravity, wind, stiffness and radii grow with it; angles
    /// stay.
    pub scale: f64,
    /// Share of the rotation towards the simulated bone that its joint makes in each step of 1/240 s; above 0, at most 1
    /// (no buffer).
    pub slerp_buffer: f64,
    /// Time constant with which the shown bones follow the simulated ones in world space, seconds; 0 for no smoothing.
    pub smoothing: f64,
    /// True if bones collide over their full length and not only at their ends.
    pub segment_contact: bool,
    /// Response of the bones when the character jumps.
    pub teleport: Teleport,
    /// Seconds simulated on the first pose before the first frame. Not used where a looping clip is run until it repeats.
    pub pre_roll: f64,
    /// True if a looping clip is run until its state repeats.
    pub loop_clean: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            chains: Vec::new(),
            colliders: Vec::new(),
            gravity: DVec3::new(0.0, -9.81, 0.0),
            wind: Wind::default(),
            scale: 1.0,
            slerp_buffer: 0.5,
            smoothing: 0.0,
            segment_contact: false,
            teleport: Teleport::default(),
            pre_roll: 0.0,
            loop_clean: true,
        }
    }
}

/// A joint and all its descendants, simulated with the same values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Chain {
    /// Name shown in lists.
    pub name: String,
    /// True if the chain is temporarily excluded. Callers leave muted chains out before they build.
    pub muted: bool,
    /// First simulated joint, the one nearest to the root.
    pub joint: usize,
    /// Descendants that stay as animated, together with everything below them.
    pub excluded: Vec<usize>,
    /// Share of the speed lost per 1/60 s, 0…1.
    pub drag: Profile,
    /// Acceleration towards the animated direction, m/s², at least 0; 9.81 balances gravity.
    pub stiffness: Profile,
    /// Factor on gravity.
    pub gravity: Profile,
    /// Radius around each joint, metres, at least 0.
    pub radius: Profile,
    /// Limit of the rotation away from the animated direction.
    pub limit: AngleLimit,
    /// Projection of the bone's end back to its length.
    pub length_correction: LengthCorrection,
    /// Length of a bone added after the last joint so that it is simulated too, metres; 0 for none.
    pub end_length: f64,
    /// Values of single joints that replace those of the chain.
    pub overrides: Vec<JointOverride>,
    /// Indices of the colliders that the chain passes through.
    pub ignored_colliders: Vec<usize>,
    /// Joint relative to which inertia counts, such as the hips: its motion does not shake the chain. `None` for the
    /// world.
    pub center: Option<usize>,
}

impl Default for Chain {
    fn default() -> Self {
        Self {
            name: String::new(),
            muted: false,
            joint: 0,
            excluded: Vec::new(),
            drag: Profile::constant(0.1),
            stiffness: Profile::constant(0.0),
            gravity: Profile::constant(1.0),
            radius: Profile::constant(0.02),
            limit: AngleLimit::Free,
            length_correction: LengthCorrection::AsPublished,
            end_length: 0.0,
            overrides: Vec::new(),
            ignored_colliders: Vec::new(),
            center: None,
        }
    }
}

impl Settings {
    /// Removes a collider and adjusts the indices in [`Chain::ignored_colliders`].
    pub fn remove_collider(&mut self, index: usize) {
        if index >= self.colliders.len() {
            return;
        }
        self.colliders.remove(index);
        for chain in &mut self.chains {
            chain.ignored_colliders.retain(|&ignored| ignored != index);
            let later = chain.ignored_colliders.iter_mut().filter(|ignored| **ignored > index);
            later.for_each(|ignored| *ignored -= 1);
        }
    }
}

/// A value along a chain: `value` times a curve over depth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The value where the curve is 1.
    pub value: f64,
    /// Points (depth, factor), depth 0 at the chain's first joint and 1 at its last, ascending; none means 1 everywhere.
    #[serde(default)]
    pub curve: Vec<(f64, f64)>,
}

impl Profile {
    /// Returns a profile with the same value everywhere.
    pub const fn constant(value: f64) -> Self {
        Self { value, curve: Vec::new() }
    }

    /// Returns the value at `depth` 0…1: linear between the points of the curve, constant outside them.
    pub fn at(&self, depth: f64) -> f64 {
        let after = self.curve.partition_point(|point| point.0 <= depth);
        let factor = match (after.checked_sub(1).and_then(|i| self.curve.get(i)), self.curve.get(after)) {
            (None, None) => 1.0,
            (Some(only), None) | (None, Some(only)) => only.1,
            (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (depth - a.0) / (b.0 - a.0),
        };
        self.value * factor
    }
}

/// Values of one joint that replace its chain's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JointOverride {
    /// Joint whose bone the values belong to.
    pub joint: usize,
    /// Share of the speed lost per 1/60 s, 0…1.
    pub drag: Option<f64>,
    /// Acceleration towards the animated direction, m/s².
    pub stiffness: Option<f64>,
    /// Factor on gravity.
    pub gravity: Option<f64>,
    /// Radius around the bone's end, metres.
    pub radius: Option<f64>,
    /// Limit of the bone's rotation away from the animated direction.
    pub limit: Option<AngleLimit>,
}

/// Limit of a bone's rotation away from the animated direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AngleLimit {
    /// No limit.
    #[default]
    Free,
    /// Within a cone around the animated direction.
    Cone {
        /// Half of the opening angle, 0…π.
        angle: f64,
    },
    /// Within a plane.
    Hinge {
        /// Axis in the joint's local space; only its component across the bone counts.
        axis: DVec3,
        /// Lowest turn about the axis, −π…0.
        low: f64,
        /// Highest turn about the axis, 0…π.
        high: f64,
    },
}

/// Projection of a bone's end x' back to the length of the bone, which starts at p.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LengthCorrection {
    /// Towards the start of the bone: `p + len·(x' − p)/|x' − p|`, as VRM and most engines do. It damps wide swings.
    AsPublished,
    /// Along the bone's direction in the previous step. A swing without drag keeps its height.
    EnergyKeeping,
}

/// A body that bones must not enter, carried by a joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collider {
    /// Name shown in lists.
    pub name: String,
    /// Joint that carries the collider; `None` for the world.
    pub joint: Option<usize>,
    /// Shape in the axes of that joint.
    pub shape: ColliderShape,
}

/// Shape of a collider.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColliderShape {
    /// Keeps bones outside a ball.
    Sphere {
        /// In the axes of the joint that carries it, metres.
        center: DVec3,
        /// Metres, at least 0.
        radius: f64,
    },
    /// Keeps bones outside a rounded cylinder.
    Capsule {
        /// One end of the axis, metres.
        a: DVec3,
        /// The other end, metres.
        b: DVec3,
        /// Metres, at least 0.
        radius: f64,
    },
    /// Keeps bones on the side the normal points to.
    Plane {
        /// Any point of the plane.
        point: DVec3,
        /// Vector away from the forbidden side.
        normal: DVec3,
    },
    /// Keeps bones inside a ball.
    InsideSphere {
        /// In the axes of the joint that carries it, metres.
        center: DVec3,
        /// Metres, at least 0.
        radius: f64,
    },
    /// Keeps bones inside a rounded cylinder.
    InsideCapsule {
        /// One end of the axis, metres.
        a: DVec3,
        /// The other end, metres.
        b: DVec3,
        /// Metres, at least 0.
        radius: f64,
    },
}

/// Moving air: the acceleration is the sum of a steady part, gusts along it and turbulence in all directions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wind {
    /// Direction in which it blows; any length above 0.
    pub direction: DVec3,
    /// Steady acceleration, m/s².
    pub strength: f64,
    /// Size of the gusts as a share of the strength, at least 0.
    pub gust: f64,
    /// Size of the turbulence as a share of the strength, at least 0.
    pub turbulence: f64,
    /// Seed of the random gusts and turbulence.
    pub seed: u64,
    /// Seconds after which gusts and turbulence repeat, above 0; rounded so that a whole number fits into a looping clip.
    pub period: f64,
}

impl Default for Wind {
    fn default() -> Self {
        Self { direction: DVec3::X, strength: 0.0, gust: 0.3, turbulence: 0.2, seed: 1, period: 4.0 }
    }
}

/// Response of the bones when the joint above a chain jumps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Teleport {
    /// Rule for a jump. At the seam of a looping clip the motion is always carried over.
    pub rule: TeleportRule,
    /// Speed above which a step counts as a jump, m/s.
    pub speed: f64,
    /// Angular speed above which a step counts as a jump, rad/s.
    pub turn: f64,
}

impl Default for Teleport {
    fn default() -> Self {
        Self { rule: TeleportRule::Carry, speed: 60.0, turn: 200.0 }
    }
}

/// Effect of a jump on the motion of the bones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TeleportRule {
    /// Positions and speeds are carried along rigidly.
    #[default]
    Carry,
    /// The bones are reset to the animated pose, at rest.
    Reset,
}

portamento_base::named!(TeleportRule { Carry: "carry", Reset: "reset" });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_flat_outside_its_points_and_straight_between() {
        let profile = Profile { value: 2.0, curve: vec![(0.25, 1.0), (0.75, 0.0)] };
        assert_eq!([0.0, 0.25, 0.5, 1.0].map(|depth| profile.at(depth)), [2.0, 2.0, 1.0, 0.0]);
        assert_eq!(Profile::constant(3.0).at(0.4), 3.0);
    }

    #[test]
    fn removing_a_collider_leaves_the_other_ignored_colliders_unchanged() {
        let ball = |name: &str| Collider {
            name: name.into(),
            joint: None,
            shape: ColliderShape::Sphere { center: DVec3::ZERO, radius: 1.0 },
        };
        let chain = Chain { ignored_colliders: vec![0, 2], ..Chain::default() };
        let colliders = ["a", "b", "c"].map(ball).to_vec();
        let mut settings = Settings { chains: vec![chain], colliders, ..Settings::default() };
        settings.remove_collider(1);
        assert_eq!((&settings.chains[0].ignored_colliders[..], settings.colliders.len()), (&[0, 1][..], 2));
        settings.remove_collider(0);
        assert_eq!(settings.chains[0].ignored_colliders, [0]);
        settings.remove_collider(7);
        assert_eq!(settings.colliders, [ball("c")]);
    }

    #[test]
    fn settings_come_back_from_text_and_missing_fields_take_their_defaults() {
        let mut settings = Settings { chains: vec![Chain::default()], ..Default::default() };
        settings.chains[0].limit = AngleLimit::Hinge { axis: DVec3::X, low: -0.5, high: 0.5 };
        let text = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
        assert_eq!(serde_json::from_str::<Settings>("{}").unwrap(), Settings::default());
    }
}
