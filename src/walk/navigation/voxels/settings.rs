//! Settings of the character's walkable ground and speed.

use serde::{Deserialize, Serialize};

use super::AreaStroke;

/// Settings of the conversion from a level to ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VoxelSettings {
    /// Edge length of a voxel along the ground, metres, 0.01…10.
    pub cell: f64,
    /// Height of a voxel, metres, 0.01…10.
    pub cell_height: f64,
    /// Distance of the character's centre from walls and drops, metres, ≥ 0; rounded up to whole voxels.
    pub radius: f64,
    /// Height of the character, metres; rounded up to whole voxels.
    pub height: f64,
    /// Highest step that the character takes, metres; rounded down to whole voxels.
    pub climb: f64,
    /// Steepest walkable slope, degrees, 0…89.9.
    pub slope_limit: f64,
    /// Speed on rising ground.
    pub speed_up: SpeedCurve,
    /// Speed on falling ground.
    pub speed_down: SpeedCurve,
    /// Areas with their rules.
    pub volumes: Vec<Volume>,
    /// Rules of surfaces by material name.
    pub surfaces: Vec<SurfaceRule>,
}

/// Speed over slope, linear between points and constant before the first and after the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeedCurve {
    /// Slope in degrees (0…90, rising) and speed in m/s (above 0, at most 100).
    pub points: Vec<[f64; 2]>,
}

/// An area of the level with a rule. It applies to spans whose centre is inside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Volume {
    /// Name shown to the user.
    pub name: String,
    /// Region of space in which the rule applies.
    pub shape: VolumeShape,
    /// Effect on the ground inside.
    pub effect: Effect,
}

/// A rule for all ground of one material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurfaceRule {
    /// Name of the material in the level.
    pub name: String,
    /// Effect on ground of that surface.
    pub effect: Effect,
}

/// Shape of a volume, metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VolumeShape {
    /// An axis-aligned box.
    Box {
        /// Corner with the smallest x, y, z.
        low: [f64; 3],
        /// Corner with the largest x, y, z.
        high: [f64; 3],
    },
    /// An upright prism over a convex outline.
    Prism {
        /// Corners (x, z) of the outline, in either order of rotation; three or more.
        outline: Vec<[f64; 2]>,
        /// Height of the bottom.
        low: f64,
        /// Height of the top.
        high: f64,
    },
    /// An area painted with a brush.
    Painted {
        /// Strokes of the brush, one or more.
        strokes: Vec<AreaStroke>,
    },
}

/// Effect of a volume or surface on the ground.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The ground is not walkable.
    Blocked,
    /// Speeds are multiplied by this factor, 0.01…100; several factors are multiplied.
    Speed(f64),
}

impl Default for VoxelSettings {
    /// A running adult.
    fn default() -> Self {
        Self {
            cell: 0.2,
            cell_height: 0.1,
            radius: 0.4,
            height: 1.8,
            climb: 0.4,
            slope_limit: 45.0,
            speed_up: SpeedCurve { points: vec![[0.0, 4.0], [15.0, 3.2], [30.0, 2.0], [45.0, 1.0]] },
            speed_down: SpeedCurve { points: vec![[0.0, 4.0], [10.0, 4.2], [30.0, 2.6], [45.0, 1.4]] },
            volumes: Vec::new(),
            surfaces: Vec::new(),
        }
    }
}

impl SpeedCurve {
    /// Returns a curve with the same speed (m/s) on any slope.
    pub fn constant(speed: f64) -> Self {
        Self { points: vec![[0.0, speed]] }
    }

    /// Returns the speed at `slope` degrees, m/s; 0 for a curve without points.
    pub fn at(&self, slope: f64) -> f64 {
        let after = self.points.partition_point(|point| point[0] <= slope);
        match (after.checked_sub(1).and_then(|before| self.points.get(before)), self.points.get(after)) {
            (Some(&[s0, v0]), Some(&[s1, v1])) => v0 + (v1 - v0) * ((slope - s0) / (s1 - s0)),
            (Some(point), None) | (None, Some(point)) => point[1],
            (None, None) => 0.0,
        }
    }
}

impl VolumeShape {
    /// True if a point (metres) is inside or on the border.
    pub fn contains(&self, [x, y, z]: [f64; 3]) -> bool {
        match self {
            Self::Box { low, high } => [x, y, z]
                .iter()
                .zip(low.iter().zip(high))
                .all(|(coordinate, (low, high))| low <= coordinate && coordinate <= high),
            Self::Prism { outline, low, high } => *low <= y && y <= *high && inside(outline, x, z),
            Self::Painted { strokes } => strokes.iter().any(|stroke| stroke.contains([x, y, z])),
        }
    }

    /// Returns the smallest and the largest x, z of the shape, metres.
    pub(super) fn rectangle(&self) -> [[f64; 2]; 2] {
        let bounds_of = |points: &mut dyn Iterator<Item = [f64; 2]>, margin: f64| {
            points.fold([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], |[low, high], [x, z]| {
                [[low[0].min(x - margin), low[1].min(z - margin)], [high[0].max(x + margin), high[1].max(z + margin)]]
            })
        };
        match self {
            Self::Box { low, high } => [[low[0], low[2]], [high[0], high[2]]],
            Self::Prism { outline, .. } => bounds_of(&mut outline.iter().copied(), 0.0),
            Self::Painted { strokes } => {
                let widest = strokes.iter().map(|stroke| stroke.radius).fold(0.0, f64::max);
                let points = strokes.iter().flat_map(|stroke| &stroke.points);
                bounds_of(&mut points.map(|&[x, _, z]| [x, z]), widest)
            }
        }
    }
}

/// True if (x, z) is on the same side of every edge of a convex outline.
fn inside(outline: &[[f64; 2]], x: f64, z: f64) -> bool {
    let next = outline.iter().cycle().skip(1);
    let sides = outline.iter().zip(next).map(|(a, b)| (b[0] - a[0]) * (z - a[1]) - (b[1] - a[1]) * (x - a[0]));
    let (mut left, mut right) = (false, false);
    for side in sides {
        left |= side > 0.0;
        right |= side < 0.0;
    }
    !(left && right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_curve_is_linear_between_its_points_and_constant_beyond() {
        let curve = SpeedCurve { points: vec![[10.0, 4.0], [30.0, 2.0]] };
        assert_eq!([0.0, 10.0, 20.0, 30.0, 80.0].map(|slope| curve.at(slope)), [4.0, 4.0, 3.0, 2.0, 2.0]);
        assert_eq!(SpeedCurve::constant(3.0).at(45.0), 3.0);
    }

    #[test]
    fn a_prism_contains_its_inside_for_either_order_of_corners() {
        let mut outline = vec![[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]];
        for _ in 0..2 {
            let prism = VolumeShape::Prism { outline: outline.clone(), low: 0.0, high: 1.0 };
            assert!(prism.contains([0.5, 0.5, 0.5]) && prism.contains([1.0, 1.0, 1.0]));
            assert!(!prism.contains([1.5, 0.5, 1.5]) && !prism.contains([0.5, 1.5, 0.5]));
            outline.reverse();
        }
    }

    #[test]
    fn settings_survive_a_round_trip_and_missing_fields_get_defaults() {
        let mut settings = VoxelSettings::default();
        let shape = VolumeShape::Box { low: [0.0; 3], high: [1.0; 3] };
        settings.volumes.push(Volume { name: "pond".into(), shape, effect: Effect::Speed(0.5) });
        let text = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<VoxelSettings>(&text).unwrap(), settings);
        assert_eq!(serde_json::from_str::<VoxelSettings>("{}").unwrap(), VoxelSettings::default());
    }
}
