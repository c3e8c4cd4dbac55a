//! Settings of the pose stage: keys with corrections of joints.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use portamento_anim::math::easing::Easing;
use portamento_anim::math::euler;

/// The meaning of the numbers of a pose key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Added to the motion: turns about the axes of the joint, moves along the axes of its parent.
    #[default]
    Additive,
    /// The pose at the time of the key, relative to the parent. Around the key the motion is displaced by the same difference.
    Absolute,
}

portamento_base::named!(Mode { Additive: "additive", Absolute: "absolute" });

/// The correction of one joint in a key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Correction {
    /// The joint, by name.
    pub joint: String,
    /// Degrees about X, Y and Z, applied in this order; `None` leaves the rotation.
    pub turn: Option<[f64; 3]>,
    /// Offset in the file's unit; `None` leaves the position.
    pub translation: Option<[f64; 3]>,
}

/// Corrections of joints at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PoseKey {
    /// Time in the incoming motion, seconds.
    pub time: f64,
    /// The meaning of the corrections.
    pub mode: Mode,
    /// Seconds before the key over which the corrections rise from 0. They are at most as long as the distance to the
    /// previous key of the joint.
    pub fade_in: f64,
    /// Seconds after the key over which the corrections fall to 0, limited by the next key of the joint.
    pub fade_out: f64,
    /// The curve of both fades.
    pub easing: Easing,
    /// Fraction of the corrections, 0…1.
    pub influence: f64,
    /// The corrections, at most one per joint.
    pub joints: Vec<Correction>,
}

/// The effect of a goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalKind {
    /// The joint is at the target: the two bones above it bend, and it keeps its direction.
    #[default]
    Pin,
    /// The joint faces the target.
    Look,
}

portamento_base::named!(GoalKind { Pin: "pin", Look: "look" });

/// A joint that is pinned to a target or looks at it, for a span of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Goal {
    /// The effect.
    pub kind: GoalKind,
    /// The joint, by name.
    pub joint: String,
    /// The target in metres: in the world, or in the axes of the joint `of`.
    pub target: [f64; 3],
    /// The joint that the target moves with, by name; empty for a target in the world.
    pub of: String,
    /// Start of the span at full weight in the incoming motion, seconds.
    pub start: f64,
    /// End of the span at full weight, seconds.
    pub end: f64,
    /// Seconds before the start over which the joint moves to its goal.
    pub fade_in: f64,
    /// Seconds after the end over which it moves back.
    pub fade_out: f64,
    /// The curve of both fades.
    pub easing: Easing,
    /// Fraction of the way to the goal, 0…1.
    pub influence: f64,
    /// Largest turn of a look from the incoming direction, degrees.
    pub limit: f64,
    /// Fraction of the turn of a look that spine and neck share, 0…1.
    pub spread: f64,
}

/// Settings of the pose stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The keys, in order of time.
    pub keys: Vec<PoseKey>,
    /// The goals, applied after the keys.
    pub goals: Vec<Goal>,
}

impl Default for PoseKey {
    fn default() -> Self {
        Self {
            time: 0.0,
            mode: Mode::default(),
            fade_in: Self::FADE_SECONDS,
            fade_out: Self::FADE_SECONDS,
            easing: Easing::default(),
            influence: 1.0,
            joints: Vec::new(),
        }
    }
}

impl Default for Goal {
    fn default() -> Self {
        Self {
            kind: GoalKind::default(),
            joint: String::new(),
            target: [0.0; 3],
            of: String::new(),
            start: 0.0,
            end: 1.0,
            fade_in: PoseKey::FADE_SECONDS,
            fade_out: PoseKey::FADE_SECONDS,
            easing: Easing::default(),
            influence: 1.0,
            limit: 70.0,
            spread: 0.4,
        }
    }
}

impl Goal {
    /// Returns the weight at `time` seconds, 0…1.
    pub fn weight(&self, time: f64) -> f64 {
        let influence = if self.influence > 0.0 { self.influence.min(1.0) } else { 0.0 };
        let faded = |seconds: f64, fade: f64| match seconds {
            seconds if seconds <= 0.0 => 1.0,
            seconds if seconds >= fade => 0.0,
            seconds => 1.0 - self.easing.at(seconds / fade),
        };
        influence * faded(self.start - time, self.fade_in) * faded(time - self.end, self.fade_out)
    }
}

impl Correction {
    /// Returns a correction of `joint` that changes nothing.
    pub fn of(joint: &str) -> Self {
        Self { joint: joint.to_owned(), ..Self::default() }
    }

    /// Returns the turn as one rotation; the identity without one.
    pub fn rotation(&self) -> DQuat {
        self.turn.map_or(DQuat::IDENTITY, euler::rotation)
    }

    /// Returns the offset in the file's unit; zero without one.
    pub fn offset(&self) -> DVec3 {
        self.translation.map_or(DVec3::ZERO, DVec3::from)
    }

    /// True if it changes neither the rotation nor the position.
    pub fn is_empty(&self) -> bool {
        self.turn.is_none() && self.translation.is_none()
    }
}

impl PoseKey {
    /// Length of both fades of a new key, seconds.
    pub const FADE_SECONDS: f64 = 0.25;
    /// Largest time and largest fade, seconds.
    pub const MAX_SECONDS: f64 = 3600.0;

    /// Returns the correction of `joint`, if the key has one.
    pub fn correction(&self, joint: &str) -> Option<&Correction> {
        self.joints.iter().find(|correction| correction.joint == joint)
    }

    /// Replaces the correction of the same joint. An empty one removes it.
    pub fn set(&mut self, correction: Correction) {
        let known = self.joints.iter().position(|each| each.joint == correction.joint);
        match (known, correction.is_empty()) {
            (Some(at), true) => drop(self.joints.remove(at)),
            (Some(at), false) => self.joints[at] = correction,
            (None, true) => {}
            (None, false) => self.joints.push(correction),
        }
    }
}

impl Settings {
    /// Returns the index of the key nearest to `time`, if it is within `tolerance` (both in seconds).
    pub fn key_near(&self, time: f64, tolerance: f64) -> Option<usize> {
        let distance = |at: &usize| (self.keys[*at].time - time).abs();
        (0..self.keys.len()).filter(|at| distance(at) <= tolerance).min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// Inserts `key` in order of time and returns its index.
    pub fn insert(&mut self, key: PoseKey) -> usize {
        let at = self.keys.partition_point(|known| known.time <= key.time);
        self.keys.insert(at, key);
        at
    }
}
