//! The length of a file's unit, guessed from the size of what it holds.

use crate::anim::{Model, Skeleton};

/// A unit and why it was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Its name, in the plural.
    pub name: &'static str,
    /// Its length.
    pub metres: f64,
    /// Height of the figure, in the unit.
    pub height: f64,
}

impl Unit {
    /// What was guessed, for the user to check.
    pub fn sentence(&self) -> String {
        let (height, name, metres) = (self.height, self.name, self.height * self.metres);
        format!(
            "The file does not say its unit. Its figure is {height:.1} tall; in {name} that is {metres:.2} m. Set the unit if this is wrong."
        )
    }
}

/// Figures taller than this many units are taken to be built in centimetres: no rig is 12 m, none 12 cm tall.
const TALLEST_IN_METRES: f32 = 12.0;

/// Metres per unit of a glTF, which by its letter uses metres: centimetres where those would make a giant. What nothing moves is
/// a place, and places are large.
pub fn of_gltf(model: &Model) -> f64 {
    if model.skins.is_empty() && model.clips.is_empty() { 1.0 } else { of_figure(model) }
}

/// Metres per unit of a figure in a format that uses metres: centimetres where those would make a giant.
pub fn of_figure(model: &Model) -> f64 {
    let (low, high) = model.rest_bounds();
    if (high - low).max_element() > TALLEST_IN_METRES { 0.01 } else { 1.0 }
}

/// The usual unit of motion capture in which the figure is about as tall as a person; `None` for a figure without height.
pub fn of_capture(skeleton: &Skeleton) -> Option<Unit> {
    // The last one is the unit of Carnegie Mellon's library: 1/0.45 inches.
    const UNITS: [(&str, f64); 5] = [
        ("metres", 1.0),
        ("centimetres", 0.01),
        ("inches", 0.0254),
        ("millimetres", 0.001),
        ("units of 5.644 cm", 0.056_444),
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
    let (name, metres) = UNITS.into_iter().min_by(|a, b| off(a.1).total_cmp(&off(b.1)))?;
    Some(Unit { name, metres, height })
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
            of_capture(&skeleton).map(|unit| unit.name)
        };
        assert_eq!(of_height(1.6), Some("metres"));
        assert_eq!(of_height(175.0), Some("centimetres"));
        assert_eq!(of_height(68.0), Some("inches"));
        assert_eq!(of_height(30.0), Some("units of 5.644 cm"));
        assert_eq!(of_height(0.0), None);
    }
}
