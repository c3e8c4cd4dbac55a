//! Display modes of a level: menu, legend, and the explanation of a clicked position.

use egui::{Align2, Color32, Pos2, Rect, Response, RichText, Ui, UiBuilder, Vec2};
use egui_material_icons::icons::{ICON_BRUSH, ICON_CHECK, ICON_CLOSE, ICON_LAYERS};

use crate::i18n::{localized, tr, tr_with};
use crate::units::Unit;
use crate::viewport::Viewport;
use crate::viewport::projection::see;
use crate::viewport::subject::metres_per_unit;
use crate::viewport::walk::level::{LevelView, STATES, fastest, state};
use crate::viewport::walk::{area, edges, links};
use crate::{theme, widgets};
use portamento_base::message::Tell;
use portamento_session::painting::{PaintTarget, Painting};
use portamento_session::walk::ground::GroundAnswer;
use portamento_session::{Session, Shown};
use portamento_walk::navigation::voxels::{Effect, State};

/// Draws the menu of display modes and the brush button with its rule, below the overlay menu.
pub fn bar(ui: &mut Ui, rect: Rect, view: &mut LevelView, painting: &mut Painting) {
    let top = rect.min + Vec2::new(8.0, 12.0 + theme::ROW);
    let at = Rect::from_min_size(top, Vec2::new((rect.width() - 16.0).max(40.0), theme::ROW));
    ui.scope_builder(UiBuilder::new().max_rect(at), |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 1.0;
            let icon = RichText::new(ICON_LAYERS.codepoint).color(theme::view().ink);
            let (plate, response) = ui.allocate_exact_size(Vec2::splat(theme::ROW), egui::Sense::click_and_drag());
            ui.painter().rect_filled(plate, theme::RADIUS, theme::view().plate);
            ui.painter().text(plate.center(), Align2::CENTER_CENTER, icon.text(), theme::icon(), theme::view().ink);
            response.on_hover_text(tr("level.view"));
            for each in LevelView::ALL {
                let (name, tip) = (format!("level.{}", each.name()), format!("tip.level_{}", each.name()));
                if toggle(ui, RichText::new(tr(&name)), *view == each).on_hover_text(tr(&tip)).clicked() {
                    *view = each;
                }
            }
            ui.add_space(theme::GAP_MEDIUM);
            let brush = toggle(ui, RichText::new(ICON_BRUSH.codepoint), painting.is_on(PaintTarget::Ground))
                .on_hover_text(tr("tip.walk_paint"));
            if widgets::named(brush, &tr("rule.paint")).clicked() {
                painting.toggle(PaintTarget::Ground);
            }
            if painting.is_on(PaintTarget::Ground) {
                rules(ui, &mut painting.effect);
            }
        });
    });
}

/// Draws the choice of the rule that the brush paints.
fn rules(ui: &mut Ui, effect: &mut Effect) {
    let speed = match *effect {
        Effect::Speed(factor) => factor,
        Effect::Blocked => DEFAULT_SPEED_FACTOR,
    };
    let choices =
        [(Effect::Blocked, tr("rule.blocked")), (Effect::Speed(speed), format!("{} {speed}", tr("rule.speed")))];
    for (each, name) in choices {
        let is_on = *effect == each;
        let color = if is_on { area::ink(each) } else { theme::view().ink };
        let button = egui::Button::new(RichText::new(name).color(color)).fill(theme::view().plate);
        let button = button.stroke(egui::Stroke::NONE).min_size(Vec2::new(0.0, theme::ROW)).selected(is_on);
        if ui.add(button).on_hover_text(tr("tip.painted_rule")).clicked() {
            *effect = each;
        }
    }
}

/// Speed factor of a newly chosen rule.
const DEFAULT_SPEED_FACTOR: f64 = 0.5;

/// Draws a toggle button in the style of overlays.
fn toggle(ui: &mut Ui, text: RichText, on: bool) -> Response {
    let ink = if on { theme::over_view().accent } else { theme::view().ink };
    let button = egui::Button::new(text.color(ink)).fill(theme::view().plate).stroke(egui::Stroke::NONE);
    ui.add(button.min_size(Vec2::new(0.0, theme::ROW)))
}

/// Draws the legend of the display mode in the lower left corner, over the speed legend. Draws nothing for modes without one, or
/// without a built walk.
pub fn legend(ui: &Ui, rect: Rect, viewport: &Viewport, session: &Session) {
    let walked = session.frame().and_then(crate::viewport::walk::walked);
    let Some(walked) = walked else { return };
    let map = &walked.ground.map;
    match viewport.walk.view {
        LevelView::Solid | LevelView::Voxels => {}
        LevelView::Slope => ramp(ui, rect, &tr("level.slope"), &Unit::Degrees.text(90.0, 0)),
        LevelView::Speed => ramp(ui, rect, &tr("level.speed_legend"), &Unit::Speed.text(fastest(map), 1)),
        LevelView::Erosion => names(ui, rect, &states(&[State::Walkable, State::Radius])),
        LevelView::Reasons => names(ui, rect, &states(&STATES)),
        LevelView::Edges => {
            let name = |is_usable: bool| if is_usable { tr("level.edge_usable") } else { tr("level.edge_unusable") };
            let edges = [true, false].map(|is_usable| (edges::color(is_usable), name(is_usable)));
            let known = walked.routes.as_ref().map_or(&[][..], |routes| &routes.links);
            let links = links::kinds(known).map(|kind| (links::color(kind), localized(&kind.message())));
            names(ui, rect, &edges.into_iter().chain(links).collect::<Vec<_>>());
        }
    }
}

/// Distance of these legends from the bottom, which leaves room for the speed legend, points.
const LEGEND_BOTTOM: f32 = 46.0;

/// Draws the colour ramp of `name` with its largest value `most` at the lower left of `rect`.
fn ramp(ui: &Ui, rect: Rect, name: &str, most: &str) {
    let foot = Pos2::new(rect.min.x + 12.0, rect.max.y - LEGEND_BOTTOM);
    crate::viewport::legend::ramp(&ui.painter_at(rect), foot, name, most);
}

/// Returns the colours and names of voxel states.
fn states(states: &[State]) -> Vec<(Color32, String)> {
    states.iter().map(|&each| (state(each), tr(&format!("level.{}", state_name(each))))).collect()
}

/// Draws a legend of colours at the lower left.
fn names(ui: &Ui, rect: Rect, entries: &[(Color32, String)]) {
    let painter = ui.painter_at(rect);
    let step = 16.0;
    let top = rect.max.y - LEGEND_BOTTOM - step * entries.len() as f32;
    let plate = Rect::from_min_size(
        Pos2::new(rect.min.x + 8.0, top - 6.0),
        Vec2::new(150.0, step * entries.len() as f32 + 8.0),
    );
    painter.rect_filled(plate, theme::RADIUS, theme::view().plate);
    for (row, (color, name)) in entries.iter().enumerate() {
        let at = Pos2::new(rect.min.x + 16.0, top + step * (row as f32 + 0.4));
        painter.rect_filled(Rect::from_center_size(at, Vec2::splat(9.0)), 2.0, *color);
        painter.text(at + Vec2::new(12.0, 0.0), Align2::LEFT_CENTER, name, theme::caption(), theme::view().ink);
    }
}

/// Returns the last part of the locale key of the state.
fn state_name(state: State) -> &'static str {
    match state {
        State::Walkable => "walkable",
        State::Steep => "steep",
        State::Ceiling => "ceiling",
        State::Ledge => "ledge",
        State::Radius => "radius",
        State::Blocked => "blocked",
    }
}

/// Draws the reason why the clicked position is not walkable, with the changes that would make it walkable, which a button
/// applies. In the solid mode, the answer is discarded.
pub fn answer(ui: &mut Ui, rect: Rect, viewport: &Viewport, session: &mut Session) {
    let frame = session.evaluation.frame();
    // The inspector explains an obstacle on a line; the view only marks it.
    let is_line = session.asked_ground.answer(frame).is_some_and(|answer| answer.line.is_some());
    if viewport.walk.view == LevelView::Solid && !is_line {
        return session.asked_ground.forget();
    }
    let unit = metres_per_unit(session);
    let Some(answer) = session.asked_ground.answer(session.frame()).cloned() else { return };
    let Some(seen) = see(&viewport.camera, rect, (answer.at / unit).as_vec3()) else { return };
    if !rect.contains(seen) {
        return;
    }
    ui.painter_at(rect).circle(seen, 4.0, theme::view().ink, (1.5, theme::view().floor));
    if is_line {
        return;
    }
    let mut does = Click::Nothing;
    egui::Area::new(ui.id().with("why")).fixed_pos(seen + Vec2::new(14.0, 10.0)).constrain_to(rect).show(
        ui.ctx(),
        |ui| {
            let tokens = theme::of(ui);
            let frame = egui::Frame::new().fill(tokens.raised).corner_radius(theme::RADIUS).inner_margin(8);
            frame.stroke((1.0, tokens.line)).show(ui, |ui| {
                ui.set_max_width(260.0);
                does = reason_row(ui, &answer);
            });
        },
    );
    let Shown::Take(id) = session.selection.shown else { return };
    match does {
        Click::Nothing => {}
        Click::Close => session.asked_ground.forget(),
        Click::Apply => {
            if let Some(walk) = session.document.take_mut(id).and_then(|take| take.walk_mut()) {
                answer.apply(&mut walk.voxels);
            }
        }
    }
}

/// The clicked button of the explanation.
pub(crate) enum Click {
    /// No button.
    Nothing,
    /// Close the explanation.
    Close,
    /// Apply the suggested settings.
    Apply,
}

/// Draws the explanation of a position and, once they are found, the changes that make it reachable. Returns the clicked button.
pub(crate) fn reason_row(ui: &mut Ui, answer: &GroundAnswer) -> Click {
    let mut does = Click::Nothing;
    ui.horizontal_top(|ui| {
        ui.add(egui::Label::new(RichText::new(localized(&answer.reason.message()))).wrap());
        if widgets::icon_button(ui, ICON_CLOSE, &tr("dialog.close")).clicked() {
            does = Click::Close;
        }
    });
    match &answer.changes_to_reach {
        _ if answer.reason.is_walkable() => {}
        None => drop(widgets::caption(ui, tr("level.searching"))),
        Some(Err(error)) => drop(widgets::caption(ui, localized(&error.message()))),
        Some(Ok(None)) => drop(widgets::caption(ui, tr("level.no_way_in"))),
        Some(Ok(Some(changes))) => {
            let all: Vec<String> = changes.iter().map(|change| localized(&change.message())).collect();
            widgets::caption(ui, tr_with("level.way_in", &[("changes", all.join(" "))]));
            if widgets::text_button(ui, ICON_CHECK, &tr("level.let_in")).clicked() {
                does = Click::Apply;
            }
        }
    }
    does
}
