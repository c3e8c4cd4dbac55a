//! Guesses the length of a file's unit from the size of its content.

use portamento_anim::math::Bounds;
use portamento_anim::{Model, Skeleton};
use portamento_base::message::{Message, message};

/// A guessed length unit and the height that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthUnit {
    /// Name of the unit, in the plural.
    pub name: Message,
    /// Length of one unit in metres.
    pub metres: f64,
    /// Height of the figure, in the unit.
    pub height: f64,
}

impl LengthUnit {
    /// Returns a warning that asks the user to check the guessed unit.
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

/// Figures taller than this many units are taken to be in centimetres. No rig is 12 m tall, and none 12 cm.
const MAX_FIGURE_UNITS: f32 = 12.0;

/// Returns the metres per unit of a glTF.
/// The specification says metres, but a figure that would be a giant is taken to be in centimetres.
/// Files without skins and clips are levels, which may be large, and stay in metres.
pub(super) fn of_gltf(model: &Model) -> f64 {
    if model.skins.is_empty() && model.clips.is_empty() { 1.0 } else { of_figure(model) }
}

/// Returns the metres per unit of a figure in a format that uses metres: 0.01 if it would otherwise be a giant.
pub(super) fn of_figure(model: &Model) -> f64 {
    let Bounds { low, high } = model.rest_bounds();
    if (high - low).max_element() > MAX_FIGURE_UNITS { 0.01 } else { 1.0 }
}

/// Returns the motion capture unit in which the figure is closest to 1.7 m tall, or `None` if it has no height.
pub(super) fn of_capture(skeleton: &Skeleton) -> Option<LengthUnit> {
    // The last one is the unit of the CMU motion capture library: 1/0.45 inches.
    let units = [
        (message!("unit.metres", "metres"), 1.0),
        (message!("unit.centimetres", "centimetres"), 0.01),
        (message!("unit.inches", "inches"), 0.0254),
        (message!("unit.millimetres", "millimetres"), 0.001),
        (message!("unit.cmu", "CMU mocap units (5.644 cm)"), 0.056_444),
    ];
    const PERSON_HEIGHT_M: f64 = 1.7;
    let mut world: Vec<f64> = Vec::with_capacity(skeleton.len());
    for joint in &skeleton.joints {
        world.push(joint.parent.map_or(0.0, |parent| world[parent]) + f64::from(joint.rest.translation.y));
    }
    let height = world.iter().fold(f64::MIN, |a, &b| a.max(b)) - world.iter().fold(f64::MAX, |a, &b| a.min(b));
    if height <= 0.0 {
        return None;
    }
    let log_deviation = |unit: f64| (height * unit / PERSON_HEIGHT_M).ln().abs();
    let (name, metres) = units.into_iter().min_by(|a, b| log_deviation(a.1).total_cmp(&log_deviation(b.1)))?;
    Some(LengthUnit { name, metres, height })
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_test_support::skeleton_of;

    #[test]
    fn a_figure_gets_the_unit_that_makes_it_as_tall_as_a_person() {
        let of_height = |height: f32| {
            let mut skeleton = skeleton_of(&[("hips", None), ("head", Some(0))]);
            skeleton.joints[1].rest.translation.y = height;
            of_capture(&skeleton).map(|unit| unit.name.to_string())
        };
        assert_eq!(of_height(1.6), Some("metres".to_owned()));
        assert_eq!(of_height(175.0), Some("centimetres".to_owned()));
        assert_eq!(of_height(68.0), Some("inches".to_owned()));
        assert_eq!(of_height(30.0), Some("CMU mocap units (5.644 cm)".to_owned()));
        assert_eq!(of_height(0.0), None);
    }
}
