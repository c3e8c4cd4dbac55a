//! Guesses the length of a file's unit from the size of its content.

use portamento_anim::Model;
use portamento_anim::math::Bounds;
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
        ).harmless()
    }
}

/// Figures larger than this many metres are taken to be in centimetres. Giants of films and games are up to 50 m tall, and
/// none is smaller than half a metre.
const MAX_FIGURE_M: f32 = 50.0;

/// Returns the metres per unit of a figure in a format that uses metres. One that would be larger than any giant is taken
/// to be in centimetres, with a warning.
/// Files without skins and clips are levels, which may be large, and stay in metres.
pub(super) fn of_metres(model: &Model, guesses: &mut Vec<Message>) -> f64 {
    let is_level = model.skins.is_empty() && model.clips.is_empty();
    if is_level { 1.0 } else { of_figure(model, guesses) }
}

/// Returns the metres per unit of a figure in a format that uses metres. It is 1, or 0.01 with a warning if the figure
/// would be larger than [`MAX_FIGURE_M`]. It is the rule of [`of_metres`] without its exception for levels.
pub(super) fn of_figure(model: &Model, guesses: &mut Vec<Message>) -> f64 {
    let size = figure_size(model);
    if size <= MAX_FIGURE_M {
        return 1.0;
    }
    guesses.push(
        message!(
            "warning.import.centimetres",
            "The figure would be %{size} m large in metres, the unit of this format. It was read in centimetres and is \
         %{smaller} m large. Set the unit if this is wrong.",
            size = format!("{size:.1}"),
            smaller = format!("{:.2}", 0.01 * size),
        )
        .harmless(),
    );
    0.01
}

/// Returns the largest extent of the figure at rest, in the file's unit. If the model has skinned meshes, other meshes are
/// scenery and do not count.
fn figure_size(model: &Model) -> f32 {
    let parts = model.rest_parts();
    let skinned = model.placed_primitives().zip(&parts).filter(|((instance, _), _)| instance.skin.is_some());
    let drawn = Bounds::around(skinned.flat_map(|(_, part)| part.positions.iter().copied()));
    drawn.unwrap_or_else(|| model.rest_bounds()).size().max_element()
}

/// Adds a warning if a figure is larger than any giant. `model` is already in metres by the unit that the file declares,
/// and stays so. Models without skins and clips are levels and give no warning.
pub(super) fn check_declared(model: &Model, guesses: &mut Vec<Message>) {
    let size = figure_size(model);
    if size > MAX_FIGURE_M && !(model.skins.is_empty() && model.clips.is_empty()) {
        guesses.push(
            message!(
                "warning.import.declared_unit",
                "The figure is %{size} m large in the unit that the file declares. Set the unit if this is wrong.",
                size = format!("{size:.1}"),
            )
            .harmless(),
        );
    }
}

/// Returns the motion capture unit in which a figure of `height` units is closest to 1.7 m tall, or `None` if it has no
/// height.
pub(super) fn of_capture(height: f64) -> Option<LengthUnit> {
    // The last one is the unit of the CMU motion capture library: 1/0.45 inches.
    let units = [
        (message!("unit.metres", "metres"), 1.0),
        (message!("unit.centimetres", "centimetres"), 0.01),
        (message!("unit.inches", "inches"), 0.0254),
        (message!("unit.millimetres", "millimetres"), 0.001),
        (message!("unit.cmu", "CMU mocap units (5.644 cm)"), 0.056_444),
    ];
    const PERSON_HEIGHT_M: f64 = 1.7;
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
    use glam::{Affine3A, Vec3};
    use portamento_anim::geometry::{Mesh, MeshInstance, Primitive, Skin};
    use portamento_test_support::skeleton_of;

    #[test]
    fn a_figure_gets_the_unit_that_makes_it_as_tall_as_a_person() {
        let of_height = |height: f64| of_capture(height).map(|unit| unit.name.to_string());
        assert_eq!(of_height(1.6), Some("metres".to_owned()));
        assert_eq!(of_height(175.0), Some("centimetres".to_owned()));
        assert_eq!(of_height(68.0), Some("inches".to_owned()));
        assert_eq!(of_height(30.0), Some("CMU mocap units (5.644 cm)".to_owned()));
        assert_eq!(of_height(0.0), None);
    }

    /// Returns a skinned body of `height` units, and a ground 100 units wide.
    fn body_on_ground(height: f32) -> Model {
        let part = |positions: Vec<Vec3>, joints: Vec<u16>| {
            let weights = joints.iter().enumerate().map(|(slot, _)| if slot % 4 == 0 { 1.0 } else { 0.0 }).collect();
            let primitive = Primitive { positions, influences: 4, joints, weights, ..Primitive::default() };
            Mesh { primitives: vec![primitive], ..Mesh::default() }
        };
        Model {
            skeleton: skeleton_of(&[("hips", None)]),
            meshes: vec![
                part(vec![Vec3::ZERO, height * Vec3::Y], vec![0; 8]),
                part(vec![-50.0 * Vec3::X, 50.0 * Vec3::X], Vec::new()),
            ],
            skins: vec![Skin { joints: vec![0], inverse_bind: vec![Affine3A::IDENTITY] }],
            instances: vec![
                MeshInstance { joint: 0, mesh: 0, skin: Some(0) },
                MeshInstance { joint: 0, mesh: 1, skin: None },
            ],
            ..Model::default()
        }
    }

    #[test]
    fn a_large_ground_beside_a_skinned_body_does_not_change_its_unit() {
        let mut guesses = Vec::new();
        assert_eq!(of_metres(&body_on_ground(1.7), &mut guesses), 1.0);
        assert!(guesses.is_empty(), "{guesses:?}");
        assert_eq!(of_metres(&body_on_ground(170.0), &mut guesses), 0.01);
        assert!(guesses[0].to_string().contains("170.0 m large"), "{guesses:?}");
    }
}
