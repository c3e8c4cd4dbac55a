//! The space in which the members of a set are blended.

use serde::Serialize;

use super::{IndexedClip, rounded};
use portamento_sets::{Aim, centred};

/// Speed up to which a member stands, metres per second. Chosen: slower than any walk.
const STANDING_MAX_MPS: f64 = 0.05;
/// Largest angle between the travel of all gaits and the right or the forward axis up to which the space has that
/// axis only, degrees. Chosen: the sway of a walk.
const LINE_MAX_DEGREES: f64 = 15.0;
/// Angle up to which all aims of a grid count as one row or column, degrees. Chosen: less is not seen.
const STRAIGHT_MAX_DEGREES: f64 = 1.0;
/// Distance up to which two samples are at one place; the first of them counts. Rounding of measured speeds.
const SAME_PLACE: f64 = 1e-3;

/// Positions of the members on one or two axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BlendSpace {
    /// One or two axes.
    pub axes: Vec<BlendAxis>,
    /// The members with their positions; no two have the same.
    pub samples: Vec<BlendSample>,
}

/// An axis of a blend space.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BlendAxis {
    /// Name: `right` and `forward` for the velocity of a character, `yaw` and `pitch` for the direction of its aim.
    pub name: String,
    /// Unit of the values.
    pub unit: String,
    /// Smallest value of a sample.
    pub min: f64,
    /// Largest value of a sample.
    pub max: f64,
}

/// A member at a position of a blend space.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BlendSample {
    /// Index of the member.
    pub member: usize,
    /// Value on each axis.
    pub position: Vec<f64>,
}

impl BlendSpace {
    /// Returns the space of `gaits` by their velocity, metres per second. Each gait comes with the index of its
    /// member. A member up to [`STANDING_MAX_MPS`] is at 0. The axes are `right` and `forward`. There is only one of
    /// them if all gaits travel within [`LINE_MAX_DEGREES`] of it, in either direction.
    ///
    /// Returns `None` without two different positions.
    pub fn of_gaits<'c>(gaits: impl Iterator<Item = (usize, &'c IndexedClip)>) -> Option<Self> {
        let positions: Vec<(usize, [f64; 2])> = gaits.map(|(member, clip)| (member, velocity(clip))).collect();
        let off_line = |axis: usize| {
            let is_off = |position: &[f64; 2]| {
                let length = position[0].hypot(position[1]);
                position[1 - axis].abs() > length * LINE_MAX_DEGREES.to_radians().sin()
            };
            positions.iter().any(|(_, position)| is_off(position))
        };
        let names = ["right", "forward"];
        let line = [1, 0].into_iter().find(|&axis| !off_line(axis));
        match line {
            Some(axis) => {
                let along = |position: &[f64; 2]| vec![position[axis].signum() * position[0].hypot(position[1])];
                Self::new(
                    &names[axis..=axis],
                    "m/s",
                    positions.iter().map(|(member, position)| (*member, along(position))),
                )
            }
            None => Self::new(&names, "m/s", positions.iter().map(|(member, position)| (*member, position.to_vec()))),
        }
    }

    /// Returns the space of the poses of an aim grid by yaw and pitch, relative to the middle pose. Poses in one row get one axis.
    /// `None` if the direction of one is unknown. `None` too if all poses aim alike. Values are in degrees.
    pub fn of_aims(aims: impl Iterator<Item = Option<Aim>>) -> Option<Self> {
        let aims = centred(&aims.collect::<Option<Vec<Aim>>>()?);
        let is_used = |axis: &usize| aims.iter().any(|aim| aim[*axis].abs() > STRAIGHT_MAX_DEGREES);
        let axes: Vec<usize> = (0..2).filter(is_used).collect();
        let names: Vec<&str> = axes.iter().map(|&axis| ["yaw", "pitch"][axis]).collect();
        let position = |aim: &Aim| axes.iter().map(|&axis| aim[axis]).collect();
        Self::new(&names, "deg", aims.iter().map(position).enumerate())
    }

    /// Returns the space with the axes `names`, all in `unit`, and `samples`: the index of a member and its value on each
    /// axis. Of samples at one position, the first counts. `None` without two positions.
    pub fn new(names: &[&str], unit: &str, samples: impl Iterator<Item = (usize, Vec<f64>)>) -> Option<Self> {
        let mut space = Self::default();
        for (member, position) in samples {
            let position: Vec<f64> = position.into_iter().map(rounded).collect();
            let is_there =
                |known: &BlendSample| known.position.iter().zip(&position).all(|(a, b)| (a - b).abs() <= SAME_PLACE);
            if !space.samples.iter().any(is_there) {
                space.samples.push(BlendSample { member, position });
            }
        }
        let axis = |(at, name): (usize, &&str)| {
            let values = space.samples.iter().map(|sample| sample.position[at]);
            let (min, max) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
            BlendAxis { name: (*name).to_owned(), unit: unit.to_owned(), min, max }
        };
        space.axes = names.iter().enumerate().map(axis).collect();
        (space.samples.len() > 1).then_some(space)
    }

    /// True if the samples of two axes span an area, so that they can be joined to triangles. False for fewer than two
    /// samples and for a single axis.
    pub fn spans_area(&self) -> bool {
        let at = |sample: &BlendSample| [0, 1].map(|axis| sample.position.get(axis).copied().unwrap_or(0.0));
        let Some([first, second]) =
            self.samples.first_chunk().map(|pair: &[BlendSample; 2]| [at(&pair[0]), at(&pair[1])])
        else {
            return false;
        };
        let along = [second[0] - first[0], second[1] - first[1]];
        let is_beside = |sample: &BlendSample| {
            let [x, y] = at(sample);
            ((x - first[0]) * along[1] - (y - first[1]) * along[0]).abs() > SAME_PLACE * along[0].hypot(along[1])
        };
        self.samples.iter().any(is_beside)
    }
}

/// Returns the velocity of a gait to the right and forward, metres per second, with its measured speed. It is 0 up to
/// [`STANDING_MAX_MPS`].
fn velocity(clip: &IndexedClip) -> [f64; 2] {
    let (sin, cos) = clip.direction_deg.to_radians().sin_cos();
    let speed = if clip.speed_mps <= STANDING_MAX_MPS { 0.0 } else { clip.speed_mps };
    [speed * sin, speed * cos]
}
