//! Requirements on clips and sets of clips.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::figures::ClipName;

/// The requirements of a delivery.
///
/// Lengths are in metres, times in seconds, rotations in degrees.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Contract {
    /// Requirements on the skeleton.
    #[serde(skip_serializing_if = "RigRequirements::is_empty")]
    pub rig: RigRequirements,
    /// Requirements on each clip that a selector matches; see [`ClipRequirements::of`].
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub clips: BTreeMap<String, ClipRequirements>,
    /// Sets by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sets: BTreeMap<String, SetRequirements>,
}

/// Requirements on the skeleton.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RigRequirements {
    /// Joints that must exist.
    pub required_bones: Vec<String>,
}

/// Requirements on a clip. `None` requires nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClipRequirements {
    /// True if the clip must loop: see the four limits below.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub is_loop: Option<bool>,
    /// Largest distance of a joint between the end and the start of a loop, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_loop_position_delta_m: Option<f64>,
    /// Largest rotation of a joint between the end and the start of a loop, degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_loop_rotation_delta_deg: Option<f64>,
    /// Largest difference of a joint's velocity between the end and the start of a loop, metres per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_loop_velocity_delta_mps: Option<f64>,
    /// Length, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<Pin>,
    /// Frames per second on which all keys must be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Speed along the ground, metres per second; of a gait in place, the speed that its feet imply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed_mps: Option<Pin>,
    /// Owner of the travel along the ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movement_owner_xz: Option<Owner>,
    /// Owner of the height.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movement_owner_y: Option<Owner>,
    /// Owner of the heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movement_owner_yaw: Option<Owner>,
    /// Joints that must have a curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub animates_bones: Option<Vec<String>>,
    /// Largest mean speed of planted feet, metres per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_slide_mps: Option<f64>,
    /// Largest depth of the body in the ground, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_penetration_m: Option<f64>,
    /// Maximum number of frames in which a joint jumps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pops: Option<u32>,
    /// Maximum number of keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_keys: Option<u32>,
    /// Clip whose first pose this clip begins with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begins_as: Option<String>,
    /// Clip whose first pose this clip ends with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends_as: Option<String>,
    /// Largest distance of a joint from the pose that `begins_as` or `ends_as` requires, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pose_delta_m: Option<f64>,
}

/// A required value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The value.
    pub value: f64,
    /// Largest deviation from it.
    pub tolerance: f64,
}

/// Owner of a part of the body's movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// The game moves the body; the clip stays in place.
    Gameplay,
    /// The clip moves the body.
    Animation,
}

/// Requirements on the members of a set. `None` takes the default of the kind, see [`SetRequirements::with_defaults`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SetRequirements {
    /// Kind of set.
    pub kind: SetKind,
    /// Members: names of clips, or patterns with `*`. The members of a chain are in order.
    pub clips: Vec<String>,
    /// Requirements on every member.
    #[serde(skip_serializing_if = "ClipRequirements::is_empty")]
    pub each: ClipRequirements,
    /// Largest difference of the stride phase between two members, as a fraction of a stride.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_phase_spread: Option<f64>,
    /// Smallest height difference between left and right foot at which a stride is measured, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_lr_amplitude_m: Option<f64>,
    /// Largest difference of length between two members, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_duration_delta_s: Option<f64>,
    /// Largest difference of the number of frames between two members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_frame_count_delta: Option<u32>,
    /// Clip whose first pose all strikes begin and end with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
    /// Largest distance of a joint between poses that must be equal, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pose_delta_m: Option<f64>,
    /// Joint whose direction the poses of an aim grid set. Default: the head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aim_joint: Option<String>,
    /// Largest difference between the angles of one column or row of an aim grid, degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_aim_delta_deg: Option<f64>,
    /// Largest difference of a joint's velocity where one member of a chain continues another, metres per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_velocity_delta_mps: Option<f64>,
}

/// Kind of a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetKind {
    /// Gaits by direction or speed that are blended: one stride phase and one length.
    Ring,
    /// Clips that continue each other, such as start, loop and stop.
    Chain,
    /// Actions that begin and end in one stance.
    Strikes,
    /// Poses that aim to different sides and heights, added to other motions.
    AimGrid,
    /// Clips without a common requirement of their kind.
    #[default]
    Free,
}

/// Largest distance of a joint where a loop closes or one clip continues another, metres. Equal to animsmith's default.
pub const DEFAULT_POSE_DELTA_M: f64 = 0.01;
/// Largest rotation of a joint where a loop closes, degrees. Equal to animsmith's default.
pub const DEFAULT_ROTATION_DELTA_DEG: f64 = 1.0;
/// Largest difference of velocity where a loop closes or one clip continues another, metres per second. Equal to animsmith's default.
pub const DEFAULT_VELOCITY_DELTA_MPS: f64 = 0.1;
/// Largest phase difference in a ring, as a fraction of a stride. Chosen: 20 ms of a stride of one second.
const DEFAULT_PHASE_SPREAD: f64 = 0.02;
/// Largest difference of angles in a column or row of an aim grid, degrees. Chosen: a fifth of the steps that are usual in grids.
const DEFAULT_AIM_DELTA_DEG: f64 = 6.0;
/// Largest difference of length in a ring, seconds: rounding of key times, far below a frame.
const DEFAULT_DURATION_DELTA_S: f64 = 5e-4;

impl RigRequirements {
    fn is_empty(&self) -> bool {
        self.required_bones.is_empty()
    }
}

impl ClipRequirements {
    /// Returns the requirements on the clip `name` of `file`. All selectors that match are applied in alphabetic order,
    /// those with `*` first; later ones replace single fields.
    pub fn of(clips: &BTreeMap<String, Self>, file: &str, name: &str) -> Self {
        let matching = clips.iter().filter(|(selector, _)| matches(selector, file, name));
        let (patterns, exact): (Vec<_>, Vec<_>) = matching.partition(|(selector, _)| selector.contains('*'));
        patterns.into_iter().chain(exact).fold(Self::default(), |all, (_, next)| all.replaced_by(next))
    }

    /// Returns these requirements with every field of `other` that is not `None`.
    pub fn replaced_by(self, other: &Self) -> Self {
        let other = other.clone();
        Self {
            is_loop: other.is_loop.or(self.is_loop),
            max_loop_position_delta_m: other.max_loop_position_delta_m.or(self.max_loop_position_delta_m),
            max_loop_rotation_delta_deg: other.max_loop_rotation_delta_deg.or(self.max_loop_rotation_delta_deg),
            max_loop_velocity_delta_mps: other.max_loop_velocity_delta_mps.or(self.max_loop_velocity_delta_mps),
            duration_s: other.duration_s.or(self.duration_s),
            fps: other.fps.or(self.fps),
            speed_mps: other.speed_mps.or(self.speed_mps),
            movement_owner_xz: other.movement_owner_xz.or(self.movement_owner_xz),
            movement_owner_y: other.movement_owner_y.or(self.movement_owner_y),
            movement_owner_yaw: other.movement_owner_yaw.or(self.movement_owner_yaw),
            animates_bones: other.animates_bones.or(self.animates_bones),
            max_slide_mps: other.max_slide_mps.or(self.max_slide_mps),
            max_penetration_m: other.max_penetration_m.or(self.max_penetration_m),
            max_pops: other.max_pops.or(self.max_pops),
            max_keys: other.max_keys.or(self.max_keys),
            begins_as: other.begins_as.or(self.begins_as),
            ends_as: other.ends_as.or(self.ends_as),
            max_pose_delta_m: other.max_pose_delta_m.or(self.max_pose_delta_m),
        }
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl SetRequirements {
    /// Returns the requirements with the defaults of the kind. A ring loops, has one phase and one length. The members
    /// of a chain meet in pose and velocity, strikes in pose.
    pub fn with_defaults(&self) -> Self {
        let mut set = self.clone();
        match self.kind {
            SetKind::Ring => {
                set.each.is_loop.get_or_insert(true);
                set.max_phase_spread.get_or_insert(DEFAULT_PHASE_SPREAD);
                set.max_duration_delta_s.get_or_insert(DEFAULT_DURATION_DELTA_S);
                set.max_frame_count_delta.get_or_insert(0);
            }
            SetKind::Chain => {
                set.max_pose_delta_m.get_or_insert(DEFAULT_POSE_DELTA_M);
            }
            SetKind::Strikes => {
                set.max_pose_delta_m.get_or_insert(DEFAULT_POSE_DELTA_M);
            }
            SetKind::AimGrid => {
                set.max_aim_delta_deg.get_or_insert(DEFAULT_AIM_DELTA_DEG);
            }
            SetKind::Free => {}
        }
        set
    }
}

impl SetRequirements {
    /// True if the clip is a member of the set.
    pub fn has_member(&self, name: &ClipName) -> bool {
        self.clips.iter().any(|selector| matches(selector, &name.file, &name.clip))
    }

    /// Returns the height difference between left and right foot from which a stride is measured, metres.
    pub fn min_amplitude(&self) -> f64 {
        self.min_lr_amplitude_m.unwrap_or(STRIDE_MIN_AMPLITUDE_M)
    }
}

/// Amplitude from which a stride is measured, metres; lower steps are noise. Chosen.
const STRIDE_MIN_AMPLITUDE_M: f64 = 0.01;

/// True if `selector` is `name` or `FILE:NAME` with the name of `file`. `*` matches any text.
pub fn matches(selector: &str, file: &str, name: &str) -> bool {
    is_like(selector, name) || is_like(selector, &format!("{file}:{name}"))
}

/// True if `text` is `pattern` with each `*` replaced by any text.
fn is_like(pattern: &str, text: &str) -> bool {
    let Some((begin, mut rest_of_pattern)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut rest) = text.strip_prefix(begin) else { return false };
    while let Some((part, after)) = rest_of_pattern.split_once('*') {
        let Some(at) = rest.find(part) else { return false };
        (rest, rest_of_pattern) = (&rest[at + part.len()..], after);
    }
    rest.ends_with(rest_of_pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_match_names_and_files_with_stars() {
        for (pattern, text, is) in [
            ("walk", "walk", true),
            ("walk", "walk_left", false),
            ("walk*", "walk_left", true),
            ("*", "", true),
            ("*_left", "walk_left", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c", false),
            ("aa*aa", "aaa", false),
        ] {
            assert_eq!(is_like(pattern, text), is, "{pattern} {text}");
        }
        assert!(matches("pack.fbx:walk", "pack.fbx", "walk") && !matches("other.fbx:walk", "pack.fbx", "walk"));
        assert!(matches("*.fbx:walk", "pack.fbx", "walk"));
    }

    #[test]
    fn exact_selectors_win_over_patterns_field_by_field() {
        let pin = |value: f64| Some(Pin { value, tolerance: 0.0 });
        let clips = BTreeMap::from([
            ("*".to_owned(), ClipRequirements { fps: Some(30.0), is_loop: Some(true), ..Default::default() }),
            ("walk".to_owned(), ClipRequirements { duration_s: pin(1.0), ..Default::default() }),
            ("walk*".to_owned(), ClipRequirements { duration_s: pin(2.0), is_loop: Some(false), ..Default::default() }),
        ]);
        let walk = ClipRequirements::of(&clips, "a.glb", "walk");
        assert_eq!((walk.fps, walk.is_loop, walk.duration_s), (Some(30.0), Some(false), pin(1.0)));
        let left = ClipRequirements::of(&clips, "a.glb", "walk_left");
        assert_eq!((left.fps, left.is_loop, left.duration_s), (Some(30.0), Some(false), pin(2.0)));
    }

    #[test]
    fn each_kind_has_its_defaults_and_stated_limits_stay() {
        let set = |kind: SetKind| SetRequirements { kind, ..Default::default() }.with_defaults();
        assert_eq!((set(SetKind::Ring).max_phase_spread, set(SetKind::Ring).each.is_loop), (Some(0.02), Some(true)));
        assert_eq!((set(SetKind::Chain).max_pose_delta_m, set(SetKind::Chain).max_phase_spread), (Some(0.01), None));
        assert_eq!(set(SetKind::Free), SetRequirements::default());
        let wide = SetRequirements { kind: SetKind::Ring, max_phase_spread: Some(0.15), ..Default::default() };
        assert_eq!(wide.with_defaults().max_phase_spread, Some(0.15));
    }
}
