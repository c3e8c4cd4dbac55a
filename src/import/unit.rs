//! The length of a file's unit, guessed from the size of what it holds.

use crate::anim::{Model, Skeleton};
use crate::math::Bounds;
use crate::message::{Message, message};

/// A unit and why it was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthUnit {
    /// Its name, in the plural.
    pub name: Message,
    /// Length of one unit in metres.
    pub metres: f64,
    /// Height of the figure, in the unit.
    pub height: f64,
}

impl LengthUnit {
    /// What was guessed, for the user to check.
    pub fn warning(&self) -> Message {
        message!(
            "warning.import.unit",
            "The file does not say its unit. Its figure is %{height} tall; in %{unit} that is %{metres} m. Set the unit if \
             this is wrong.",
            height = format!("{:.1}", self.height),
            unit = &self.name,
            metres = format!("{:.2}", self.height * self.metres),
        )
    }
}

/// Figures taller than this many units are taken to be built in centimetres: no rig is 12 m, none 12 cm tall.
const TALLEST_IN_METRES: f32 = 12.0;

/// Metres per unit of a glTF, which by its letter uses metres: centimetres where those would make a giant. What nothing moves is
/// a place, and places are large.
pub(super) fn of_gltf(model: &Model) -> f64 {
    if model.skins.is_empty() && model.clips.is_empty() { 1.0 } else { of_figure(model) }
}

/// Metres per unit of a figure in a format that uses metres: centimetres where those would make a giant.
pub(super) fn of_figure(model: &Model) -> f64 {
    let Bounds { low, high } = model.rest_bounds();
    if (high - low).max_element() > TALLEST_IN_METRES { 0.01 } else { 1.0 }
}

/// The usual unit of motion capture in which the figure is about as tall as a person; `None` for a figure without height.
pub(super) fn of_capture(skeleton: &Skeleton) -> Option<LengthUnit> {
    // The last one is the unit of Carnegie Mellon's library: 1/0.45 inches.
    let units = [
        (message!("unit.metres", "metres"), 1.0),
        (message!("unit.centimetres", "centimetres"), 0.01),
        (message!("unit.inches", "inches"), 0.0254),
        (message!("unit.millimetres", "millimetres"), 0.001),
        (message!("unit.cmu", "units of 5.644 cm"), 0.056_444),
    ];
    const PERSON: f64 = 1.7;
    let mut world: Vec<f64> = Vec::with_capacity(skeleton.len());
    for joint in &skeleton.joints {
        world.push(joint.parent.map_or(0.0, |parent| world[parent]) + f64::from(joint.rest.translation.y));
    }
    let height = world.iter().fold(f64::MIN, |a, &b| a.max(b)) - world.iter().fold(f64::MAX, |a, &b| a.min(b));
    if height <= 0.0 {
        return None;
    }
    let off = |unit: f64| (height * unit / PERSON).ln().abs();
    let (name, metres) = units.into_iter().min_by(|a, b| off(a.1).total_cmp(&off(b.1)))?;
    Some(LengthUnit { name, metres, height })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;

    #[test]
    fn a_figure_gets_the_unit_that_makes_it_a_person() {
        let of_height = |height: f32| {
            let mut skeleton = skeleton_of(&[("hips", None), ("head", Some(0))]);
            skeleton.joints[1].rest.translation.y = height;
            of_capture(&skeleton).map(|unit| unit.name.to_string())
        };
        assert_eq!(of_height(1.6), Some("metres".to_owned()));
        assert_eq!(of_height(175.0), Some("centimetres".to_owned()));
        assert_eq!(of_height(68.0), Some("inches".to_owned()));
        assert_eq!(of_height(30.0), Some("units of 5.644 cm".to_owned()));
        assert_eq!(of_height(0.0), None);
    }
}
