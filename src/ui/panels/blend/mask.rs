//! Joint weight editor: region, falloff and per-joint overrides.

use egui::{RichText, ScrollArea, Sense, Ui, Vec2};
use egui_material_icons::icons::{ICON_BRUSH, ICON_CLOSE, ICON_CONTRAST, ICON_INVERT_COLORS};

use crate::i18n::{localized, tr};
use crate::widgets::form;
use crate::widgets::joint_choice::joint_choice;
use crate::widgets::number::{IntegerField, whole_number};
use crate::{focus, theme, widgets};
use portamento_anim::{MaskChoice, Region, Roles, Skeleton};
use portamento_base::message::Tell;
use portamento_blend::{NodeKind, Settings};
use portamento_session::Session;
use portamento_session::painting::PaintTarget;
use portamento_takes::document::TakeId;

/// Draws the joint weights being edited: those of a layer stage, of the upper body in a scenario, or of the connection selected
/// in the graph. Draws nothing until the take is built.
pub fn mask_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let Some(built) = session.frame().and_then(|frame| frame.built.clone()) else { return };
    let (link, mut joint) = (session.selection.link, session.selection.joint);
    let paints = session.selection.painting.is_on(PaintTarget::JointWeights);
    let mut toggles_painting = false;
    let at = session.selection.stage;
    let Some(take) = session.document.take_mut(id) else { return };
    let is_tree = take.edited_layer(at).is_none()
        && take.blend().is_some_and(|blend| matches!(blend.settings, Settings::Tree(_)));
    let Some(mask) = take.mask_mut(link, at) else {
        if is_tree {
            widgets::caption(ui, tr("mask.choose"));
        }
        return;
    };
    let (skeleton, roles) = (&built.character.model.skeleton, &built.roles);
    let mut gives_complement = false;
    form::section(ui, if is_tree { "mask" } else { "upper_body" }, true, |ui| {
        region(ui, mask, skeleton);
        ui.horizontal_wrapped(|ui| {
            if widgets::toggle_icon(ui, ICON_BRUSH, &tr("mask.paint"), paints).clicked() {
                toggles_painting = true;
            }
            if widgets::icon_button(ui, ICON_INVERT_COLORS, &tr("mask.invert")).clicked() {
                *mask = mask.inverted();
            }
            if is_tree {
                gives_complement = widgets::icon_button(ui, ICON_CONTRAST, &tr("mask.complement")).clicked();
            }
            if !mask.overrides.is_empty() && widgets::icon_button(ui, ICON_CLOSE, &tr("mask.clear")).clicked() {
                mask.overrides.clear();
            }
        });
        joints(ui, mask, skeleton, roles, &mut joint);
    });
    let complement = gives_complement.then(|| mask.inverted());
    let settings = take.blend_mut().map(|blend| &mut blend.settings);
    if let (Some(complement), Some(Settings::Tree(tree)), Some((node, slot))) = (complement, settings, link)
        && let Some(NodeKind::Blend(links)) = tree.nodes.get_mut(node).map(|node| &mut node.kind)
    {
        let others = links.iter_mut().enumerate().filter(|(other, _)| *other != slot);
        others.for_each(|(_, other)| other.mask = complement.clone());
    }
    session.selection.joint = joint;
    if toggles_painting {
        session.selection.painting.toggle(PaintTarget::JointWeights);
    }
}

/// Draws the region of the mask, its first joint, and the number of joints over which it fades in.
fn region(ui: &mut Ui, mask: &mut MaskChoice, skeleton: &Skeleton) {
    let reset = form::named_row(ui, "region", &mut mask.region, "region.{}");
    if reset {
        mask.region = Region::UpperBody;
    }
    let reset = form::row(ui, "mask_from", |ui| {
        let mut from = mask.from.as_ref().and_then(|name| skeleton.find(name));
        if joint_choice(ui, "mask_from", &mut from, Some(&tr("root.found")), skeleton) {
            mask.from = from.map(|joint| skeleton.joints[joint].name.clone());
        }
    });
    if reset {
        mask.from = None;
    }
    let reset = form::row(ui, "falloff", |ui| {
        form::named(whole_number(ui, &mut mask.falloff, IntegerField::new(0.05).within(0..=64)));
    });
    if reset {
        mask.falloff = 0;
    }
}

/// Draws the skeleton as a tree with a weight bar (0…1) per joint, or the reason why `mask` does not fit it. Dragging sets the
/// weight, a double click removes the override. A click on a name sets `selected`.
fn joints(ui: &mut Ui, mask: &mut MaskChoice, skeleton: &Skeleton, roles: &Roles, selected: &mut Option<usize>) {
    let weights = match mask.resolve(skeleton, roles) {
        Ok(resolved) => resolved.weights,
        Err(refused) => {
            let color = theme::of(ui).error;
            return widgets::remark(ui, egui_material_icons::icons::ICON_ERROR, color, &localized(&refused.message()));
        }
    };
    ScrollArea::vertical().id_salt("mask joints").max_height(240.0).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        for (joint, row) in skeleton.joints.iter().enumerate() {
            let depth = skeleton.ancestors(joint).count().saturating_sub(1).min(12);
            let is_overridden = mask.overrides.iter().any(|(name, _)| *name == row.name);
            let weight = weights.get(joint).copied().unwrap_or(0.0);
            let row = JointRow { joint, name: &row.name, depth, weight, is_own: is_overridden };
            ui.horizontal(|ui| joint_row(ui, mask, &row, selected));
        }
        focus::scroll_to_focus(ui);
    });
}

/// One row of the joint tree.
struct JointRow<'a> {
    joint: usize,
    name: &'a str,
    /// Depth in the skeleton, at most 12.
    depth: usize,
    weight: f32,
    /// True if the weight is an override set on this joint.
    is_own: bool,
}

/// Draws a joint of the mask with its weight as a bar that can be dragged in steps of 0.05, with Shift 0.01. A dot marks a weight
/// that was set for this joint.
fn joint_row(ui: &mut Ui, mask: &mut MaskChoice, row: &JointRow, selected: &mut Option<usize>) {
    let &JointRow { joint, name, depth, weight, is_own } = row;
    let tokens = theme::of(ui);
    let (bar_width, number_width) = (64.0, 44.0);
    ui.add_space(depth as f32 * 6.0);
    let on = *selected == Some(joint);
    let text = RichText::new(name).font(theme::caption()).color(if on { tokens.selection } else { tokens.text });
    let room = (ui.available_width() - bar_width - number_width - 2.0 * theme::GAP_MEDIUM).max(24.0);
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    let label = ui.allocate_ui_with_layout(Vec2::new(room, 18.0), layout, |ui| {
        ui.set_min_width(room);
        ui.add(egui::Label::new(text).truncate().sense(Sense::click()))
    });
    if label.inner.clicked() {
        *selected = Some(joint);
    }
    let (rect, response) = ui.allocate_exact_size(Vec2::new(bar_width, 18.0), Sense::click_and_drag());
    if let Some(at) = response.interact_pointer_pos().filter(|_| response.dragged() || response.clicked()) {
        let exact = (at.x - rect.min.x) / rect.width();
        let step = if ui.input(|input| input.modifiers.shift) { 0.01 } else { 0.05 };
        mask.set(name, (exact / step).round() * step);
    }
    if response.double_clicked() {
        mask.overrides.retain(|(other, _)| other != name);
    }
    let shown = weight.clamp(0.0, 1.0);
    let mut bar = rect.shrink2(Vec2::new(0.0, 4.0));
    ui.painter().rect_filled(bar, 2.0, tokens.window);
    bar.set_width(bar.width() * shown);
    ui.painter().rect_filled(bar, 2.0, theme::mix(tokens.panel, theme::weight(shown), 0.75));
    let mark = if is_own { "•" } else { "" };
    let (number, _) = ui.allocate_exact_size(Vec2::new(number_width, 18.0), Sense::hover());
    let ink = if weight > 0.0 { tokens.text } else { tokens.dim };
    let text = format!("{mark} {weight:.2}");
    ui.painter().text(number.right_center(), egui::Align2::RIGHT_CENTER, text, theme::caption(), ink);
    response.widget_info(|| egui::WidgetInfo::slider(true, f64::from(weight), name));
}
