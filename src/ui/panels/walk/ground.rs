//! Ground settings of a walk: character size, speed over slope, surface rules and volumes.

use egui::Ui;
use egui_material_icons::icons::{ICON_ADD_BOX, ICON_BRUSH, ICON_CLOSE, ICON_STRAIGHTEN};
use glam::DVec3;

use crate::i18n::tr;
use crate::theme;
use crate::widgets::curve::{Axes, curve_over};
use crate::widgets::name_field::NameField;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::rows::{number_row, vector_fields};
use crate::widgets::{self, form};
use portamento_base::message::message;
use portamento_session::painting::{GROUND_RADIUS, PaintTarget, Painting};
use portamento_session::{Session, Severity};
use portamento_takes::document::{FileId, Walk};
use portamento_takes::evaluate::Walked;
use portamento_walk::navigation::voxels::{Effect, SpeedCurve, SurfaceRule, Volume, VolumeShape, VoxelSettings};

/// Draws the ground sections of a walk: body size, speeds, and the rules of surfaces and volumes. Surfaces need a built walk.
pub(super) fn ground_ui(
    ui: &mut Ui,
    session: &mut Session,
    (character, walk): (FileId, &mut Walk),
    walked: Option<&Walked>,
) {
    form::section(ui, "walk_body", false, |ui| {
        let button = widgets::text_button(ui, ICON_STRAIGHTEN, &tr("walk.body_from_mesh"));
        if button.on_hover_text(tr("tip.body_from_mesh")).clicked() {
            measure_body(session, character, walk);
        }
        body(ui, &mut walk.voxels);
    });
    let voxels = &mut walk.voxels;
    form::section(ui, "walk_speed", false, |ui| speeds(ui, voxels));
    form::section(ui, "walk_rules", false, |ui| {
        if let Some(walked) = walked {
            walked.ground.level.areas.iter().for_each(|name| surface(ui, &mut voxels.surfaces, name));
        }
        brush(ui, &mut session.selection.painting);
        volumes(ui, session, voxels, walked);
    });
}

/// Sets radius and height (metres) of the walking body to those of the character's mesh. Reports it if they cannot be measured.
fn measure_body(session: &mut Session, character: FileId, walk: &mut Walk) {
    match session.opened().body_size(character, walk) {
        Some(size) => (walk.voxels.radius, walk.voxels.height) = (size.radius, size.height),
        None => {
            let message = message!(
                "notice.no_body_size",
                "The size was not measured: the character has no mesh or no clip. Choose a character with both.",
            );
            session.notices.add(Severity::Info, message);
        }
    }
}

/// Draws the switch, the rule and the radius (metres) of the brush that paints rules on the level.
fn brush(ui: &mut Ui, painting: &mut Painting) {
    form::row(ui, "walk_paint", |ui| {
        if widgets::toggle_icon(ui, ICON_BRUSH, &tr("rule.paint"), painting.is_on(PaintTarget::Ground)).clicked() {
            painting.toggle(PaintTarget::Ground);
        }
        painting.effect = effect(ui, "painted rule", Some(painting.effect), false).unwrap_or(painting.effect);
    });
    if painting.is_on(PaintTarget::Ground) {
        let metres = Field { decimals: 2, ..Field::new(Unit::Metres).within(GROUND_RADIUS.0, GROUND_RADIUS.1) };
        number_row(ui, "walk_brush", &mut painting.ground_radius, metres, Painting::default().ground_radius);
    }
}

/// Draws the size of the walking body, what it can climb, and the cells of the voxels.
fn body(ui: &mut Ui, voxels: &mut VoxelSettings) {
    let plain = VoxelSettings::default();
    let metres = |low, high| Field { decimals: 2, ..Field::new(Unit::Metres).within(low, high) };
    number_row(ui, "walk_radius", &mut voxels.radius, metres(0.0, 10.0), plain.radius);
    number_row(ui, "walk_height", &mut voxels.height, metres(0.1, 20.0), plain.height);
    number_row(ui, "walk_climb", &mut voxels.climb, metres(0.0, 10.0), plain.climb);
    let degrees = Field::new(Unit::Degrees).within(0.0, 89.9);
    number_row(ui, "walk_slope", &mut voxels.slope_limit, degrees, plain.slope_limit);
    number_row(ui, "walk_cell", &mut voxels.cell, metres(0.02, 2.0), plain.cell);
    number_row(ui, "walk_cell_height", &mut voxels.cell_height, metres(0.01, 1.0), plain.cell_height);
}

/// Axes of the speed curve: slope in degrees, speed in metres per second.
const SPEED_CURVE_AXES: Axes = Axes { across: 90.0, top: 5.0, steps: (1.0, 0.05), units: (Unit::Degrees, Unit::Speed) };

/// Draws the speeds (m/s) over the slope, uphill and downhill.
fn speeds(ui: &mut Ui, voxels: &mut VoxelSettings) {
    let plain = VoxelSettings::default();
    speed(ui, "walk_uphill", &mut voxels.speed_up, &plain.speed_up);
    speed(ui, "walk_downhill", &mut voxels.speed_down, &plain.speed_down);
}

/// Draws the curve of the speed over the slope, with its values on level ground and at 45°. Reset restores `plain`.
fn speed(ui: &mut Ui, key: &str, curve: &mut SpeedCurve, plain: &SpeedCurve) {
    let reset = form::row(ui, key, |ui| {
        let text_at =
            |slope: f64| format!("{}  {}", Unit::Degrees.text(slope, 0), Unit::Speed.text(curve.at(slope), 2));
        widgets::caption(ui, [0.0, 45.0].map(text_at).join("      "));
    });
    let mut points: Vec<(f64, f64)> = curve.points.iter().map(|&[slope, speed]| (slope, speed)).collect();
    if curve_over(ui, &tr(&format!("form.{key}")), &mut points, SPEED_CURVE_AXES).changed() && !points.is_empty() {
        // Points at the same slope and zero speeds cannot be planned with.
        points.dedup_by(|after, before| after.0 - before.0 < 0.5);
        curve.points = points.into_iter().map(|(slope, speed)| [slope, speed.max(0.05)]).collect();
    }
    if reset {
        *curve = plain.clone();
    }
}

/// Menu entry of a rule.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    None,
    Blocked,
    Speed,
}

/// Draws the rule `before` and its speed factor in a row, and returns the edited rule. With `free`, no rule (`None`) can be
/// chosen.
fn effect(ui: &mut Ui, id: &str, before: Option<Effect>, free: bool) -> Option<Effect> {
    let (mut rule, mut factor) = match before {
        None => (Rule::None, 1.0),
        Some(Effect::Blocked) => (Rule::Blocked, 1.0),
        Some(Effect::Speed(factor)) => (Rule::Speed, factor),
    };
    let mut choices = vec![(Rule::Blocked, tr("rule.blocked")), (Rule::Speed, tr("rule.speed"))];
    if free {
        choices.insert(0, (Rule::None, tr("rule.none")));
    }
    let changed = ui
        .scope(|ui| {
            let room = if rule == Rule::Speed { 64.0 + theme::GAP_SMALL } else { 0.0 };
            ui.set_max_width(ui.available_width() - room);
            form::choice(ui, id, &mut rule, &choices)
        })
        .inner;
    if rule == Rule::Speed {
        if changed && factor == 1.0 {
            factor = 0.5;
        }
        let field = Field { per_pixel: 0.005, ..Field::new(Unit::Plain).within(0.01, 100.0).with_width(60.0) };
        number(ui, &tr("rule.factor"), &mut factor, field);
    }
    match rule {
        Rule::None => None,
        Rule::Blocked => Some(Effect::Blocked),
        Rule::Speed => Some(Effect::Speed(factor)),
    }
}

/// Draws the rule of the surface `name`. Choosing no rule removes it from `surfaces`.
fn surface(ui: &mut Ui, surfaces: &mut Vec<SurfaceRule>, name: &str) {
    let at = surfaces.iter().position(|surface| surface.name == name);
    let before = at.map(|at| surfaces[at].effect);
    let mut after = before;
    ui.horizontal(|ui| {
        let width = (ui.available_width() * 0.36).clamp(76.0, 132.0);
        let label = egui::Label::new(egui::RichText::new(name).color(theme::of(ui).dim)).truncate();
        ui.allocate_ui_with_layout(
            egui::vec2(width, theme::ROW),
            egui::Layout::left_to_right(egui::Align::Center),
            |ui| {
                ui.set_min_width(width);
                ui.add(label);
            },
        );
        after = effect(ui, &format!("surface {name}"), before, true);
    });
    match (at, after) {
        (Some(at), Some(effect)) => surfaces[at].effect = effect,
        (Some(at), None) => drop(surfaces.remove(at)),
        (None, Some(effect)) => surfaces.push(SurfaceRule { name: name.to_owned(), effect }),
        (None, None) => {}
    }
}

/// Draws the volumes with their rules, and the button that adds a box of 3 × 2.5 × 3 m that blocks.
fn volumes(ui: &mut Ui, session: &Session, voxels: &mut VoxelSettings, walked: Option<&Walked>) {
    let mut removed = None;
    for (index, volume) in voxels.volumes.iter_mut().enumerate() {
        ui.push_id(index, |ui| {
            ui.add_space(theme::GAP_SMALL);
            ui.horizontal(|ui| {
                let width = ui.available_width() - theme::ROW - theme::GAP_MEDIUM - 16.0;
                NameField::new(&tr("form.name")).with_width(width).ui(ui, &mut volume.name);
                if widgets::icon_button(ui, ICON_CLOSE, &tr("rule.remove")).clicked() {
                    removed = Some(index);
                }
            });
            form::row(ui, "walk_rule", |ui| {
                volume.effect = effect(ui, "rule", Some(volume.effect), false).unwrap_or(volume.effect);
            });
            corners(ui, &mut volume.shape);
        });
    }
    if let Some(index) = removed {
        voxels.volumes.remove(index);
    }
    if widgets::text_button(ui, ICON_ADD_BOX, &tr("rule.add_volume")).clicked() {
        let center = center(session, walked);
        let shape = VolumeShape::Box {
            low: (center - DVec3::new(1.5, 0.5, 1.5)).to_array(),
            high: (center + DVec3::new(1.5, 2.0, 1.5)).to_array(),
        };
        let name = format!("{} {}", tr("rule.volume"), voxels.volumes.len() + 1);
        voxels.volumes.push(Volume { name, shape, effect: Effect::Blocked });
    }
}

/// Draws the size of a volume in metres, or the number of strokes of a painted one. The upper end stays above the lower one.
fn corners(ui: &mut Ui, shape: &mut VolumeShape) {
    match shape {
        VolumeShape::Box { low, high } => {
            let (mut from, mut to) = (DVec3::from(*low), DVec3::from(*high));
            form::row(ui, "walk_low", |ui| vector_fields(ui, "walk_low", &mut from, Unit::Metres));
            form::row(ui, "walk_high", |ui| vector_fields(ui, "walk_high", &mut to, Unit::Metres));
            (*low, *high) = (from.to_array(), to.max(from).to_array());
        }
        VolumeShape::Painted { strokes } => form::fact(ui, "walk_strokes", strokes.len().to_string()),
        VolumeShape::Prism { outline, low, high } => {
            form::fact(ui, "walk_outline", outline.len().to_string());
            let metres = Field::new(Unit::Metres);
            number_row(ui, "walk_bottom", low, metres, *low);
            number_row(ui, "walk_top", high, metres, *high);
            *high = high.max(*low);
        }
    }
}

/// Returns the position of a new volume, in metres: halfway between start and goal, or the centre of the level, or the origin.
/// `walked` gives the level.
fn center(session: &Session, walked: Option<&Walked>) -> DVec3 {
    let take = session.shown_take();
    let stops = take.as_ref().and_then(|take| take.walk()).map(|walk| &walk.stops[..]).unwrap_or_default();
    let between = if let [start, .., goal] = stops { Some((*start + *goal) * 0.5) } else { None };
    let bounds = || walked.and_then(|walked| walked.ground.level.bounds());
    let level = || bounds().map(|bounds| bounds.center().as_dvec3());
    between.or_else(level).unwrap_or_default()
}
