//! Target position and facing of a stretch.

use std::f64::consts::TAU;

use egui::Ui;
use glam::DVec3;

use crate::i18n::tr;
use crate::theme;
use crate::widgets::form;
use crate::widgets::list;
use crate::widgets::number::{Field, Unit, number};
use portamento_stretch::{Facing, Report, Target};
use portamento_takes::document::stage::Stretch;

/// Type of the target: none, a position in the world, a position relative to the start, or an object.
#[derive(Clone, Copy, PartialEq)]
enum Space {
    Source,
    World,
    Start,
    Object,
}

/// Draws the target of a stretch without windows. Coordinates are shown in metres; one file unit is `metres_per_unit` metres.
/// In the world their default is the end of the source in `report`, without a report the origin.
pub(super) fn target_rows(
    ui: &mut Ui,
    stretch: &mut Stretch,
    objects: &[String],
    metres_per_unit: f64,
    report: Option<&Report>,
) {
    let source_end = report.and_then(|report| report.source.points.last().copied()).unwrap_or_default();
    let mut space = match (&stretch.aim_at, &stretch.settings.target) {
        (Some(_), _) => Space::Object,
        (None, None) => Space::Source,
        (None, Some(Target::World(_))) => Space::World,
        (None, Some(Target::Start(_))) => Space::Start,
    };
    let mut choices =
        vec![(Space::Source, tr("space.source")), (Space::World, tr("space.world")), (Space::Start, tr("space.start"))];
    if !objects.is_empty() {
        choices.push((Space::Object, tr("space.object")));
    }
    let reset = form::row(ui, "space", |ui| {
        if form::choice(ui, "space", &mut space, &choices) {
            set_space(stretch, space, objects, source_end);
        }
    });
    if reset {
        set_space(stretch, Space::World, objects, source_end);
    }
    if let Some(aim) = &mut stretch.aim_at {
        form::row(ui, "object", |ui| object_choice(ui, aim, objects));
    } else if let Some(target) = &mut stretch.settings.target {
        point_rows(ui, target, metres_per_unit, source_end);
    }
}

/// Sets the type of the target. Its coordinates keep their numbers, in file units; without a target they become those of
/// `source_end`. [`Space::Source`] removes the target, and [`Space::Object`] aims at the first of `objects`.
fn set_space(stretch: &mut Stretch, space: Space, objects: &[String], source_end: DVec3) {
    let point = match stretch.settings.target {
        Some(Target::World(point) | Target::Start(point)) => point,
        None => source_end,
    };
    stretch.aim_at = (space == Space::Object).then(|| objects.first().cloned()).flatten();
    stretch.settings.target = match space {
        Space::Source => None,
        Space::World | Space::Object => Some(Target::World(point)),
        Space::Start => Some(Target::Start(point)),
    };
}

/// Draws the choice of a scene object. `aim` is its name, one of `objects`.
pub fn object_choice(ui: &mut Ui, aim: &mut String, objects: &[String]) {
    let width = ui.available_width();
    let combo = egui::ComboBox::from_id_salt("object").width(width).selected_text(aim.clone());
    let list = combo.show_ui(ui, |ui| {
        for name in objects {
            list::value(ui, aim, name.clone(), name);
        }
    });
    form::named(list.response);
}

/// Draws the coordinates of a target in metres. A double-click on a letter resets that coordinate: in the world to `source_end`,
/// which is in file units, and relative to the start to 0.
pub(super) fn point_rows(ui: &mut Ui, target: &mut Target, metres_per_unit: f64, source_end: DVec3) {
    let default = if matches!(target, Target::World(_)) { source_end } else { DVec3::ZERO };
    let (Target::World(point) | Target::Start(point)) = target;
    let mut values = (*point * metres_per_unit).to_array();
    let before = values;
    axis_rows(ui, &mut values, (default * metres_per_unit).to_array());
    if values != before {
        *point = DVec3::from_array(values) / metres_per_unit;
    }
}

/// Draws X, Y, Z in metres. A double click on a letter resets that value to the one of `default`, in metres.
pub fn axis_rows(ui: &mut Ui, values: &mut [f64; 3], default: [f64; 3]) {
    for (axis, value) in values.iter_mut().enumerate() {
        let name = ["x", "y", "z"][axis];
        let reset = form::row(ui, name, |ui| {
            let (rect, _) = ui.allocate_exact_size([3.0, 16.0].into(), egui::Sense::hover());
            ui.painter().rect_filled(rect, 1.0, theme::AXES[axis]);
            number(ui, &tr(&format!("form.{name}")), value, Field::new(Unit::Metres));
        });
        if reset {
            *value = default[axis];
        }
    }
}

/// Draws the choice of the facing at the end, and its heading (radians) if it has one. `id` is unique in the panel.
pub(super) fn facing_rows(ui: &mut Ui, id: &str, facing: &mut Facing) {
    #[derive(Clone, Copy, PartialEq)]
    enum Kind {
        Keep,
        Target,
        Heading,
    }
    let mut kind = match facing {
        Facing::Keep => Kind::Keep,
        Facing::Target => Kind::Target,
        Facing::Heading(_) => Kind::Heading,
    };
    let reset = form::row(ui, "facing", |ui| {
        let choices = [
            (Kind::Keep, tr("facing.keep")),
            (Kind::Target, tr("facing.target")),
            (Kind::Heading, tr("facing.heading")),
        ];
        if form::choice(ui, id, &mut kind, &choices) {
            *facing = match kind {
                Kind::Keep => Facing::Keep,
                Kind::Target => Facing::Target,
                Kind::Heading => Facing::Heading(0.0),
            };
        }
    });
    if reset {
        *facing = Facing::Keep;
    }
    if let Facing::Heading(heading) = facing {
        let reset = form::row(ui, "heading", |ui| {
            number(ui, &tr("form.heading"), heading, Field::new(Unit::Radians).within(-TAU, TAU));
        });
        if reset {
            *heading = 0.0;
        }
    }
}
