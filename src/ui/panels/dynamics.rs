//! Dynamic bones of a take: how they are watched, how it went, which chains there are.

use egui::{RichText, Ui};
use egui_material_icons::icons::{
    ICON_ADD, ICON_DELETE, ICON_FLIP, ICON_INFO, ICON_REPLAY, ICON_VISIBILITY, ICON_VISIBILITY_OFF,
};

use super::dynamics_bodies::bodies_ui;
use super::dynamics_chain::chain_ui;
use super::dynamics_world::{loop_rows, wind_rows, world_rows};
use crate::document::TakeId;
use crate::evaluate::{BuiltTake, Frame};
use crate::session::{Command, EditCommand, Session, SwingMode};
use crate::systems::dynamics::Chain;
use crate::ui::i18n::{tr, tr_with};
use crate::ui::widgets::form;
use crate::ui::{theme, widgets};

/// Draws the dynamic bones of take `id`, if it has any.
pub fn dynamics_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    if session.document.take(id).and_then(|take| take.dynamics()).is_none() {
        return;
    }
    ui.add_space(theme::SMALL);
    mode(ui, session);
    state(ui, session);
    form::section(ui, "chains", true, |ui| chains(ui, session, id));
    if session.selection.chain.is_some() {
        form::section(ui, "chain", true, |ui| chain_ui(ui, session, id));
    }
    form::section(ui, "colliders", true, |ui| bodies_ui(ui, session, id));
    let Some(dynamics) = session.document.take_mut(id).and_then(|take| take.dynamics_mut()) else { return };
    form::section(ui, "wind", false, |ui| wind_rows(ui, &mut dynamics.settings.wind));
    form::section(ui, "swing_loop", false, |ui| loop_rows(ui, dynamics));
    form::section(ui, "swing_world", false, |ui| world_rows(ui, &mut dynamics.settings));
}

/// Live, settled or off.
fn mode(ui: &mut Ui, session: &mut Session) {
    let choices = SwingMode::ALL
        .map(|mode| (mode, tr(&format!("swing.{}", mode.name())), tr(&format!("tip.swing_{}", mode.name()))));
    widgets::segments(ui, &mut session.swinging.mode, &choices);
    ui.add_space(theme::SMALL);
}

/// The numbers of the recording, or what is shown instead of it.
fn state(ui: &mut Ui, session: &mut Session) {
    match session.swinging.mode {
        SwingMode::Live => live(ui, session.frame()),
        SwingMode::Off => remark(ui, "swing.off_hint"),
        SwingMode::Settled => {
            let built = session.frame().and_then(|frame| frame.built.clone());
            match built.as_deref().and_then(BuiltTake::dynamics) {
                Some(_) if built.is_some() => outcome(ui, built.as_deref()),
                _ => remark(ui, "swing.waiting"),
            }
            if session.failure().is_some() && widgets::text_button(ui, ICON_REPLAY, &tr("swing.again")).clicked() {
                session.build_again();
            }
        }
    }
}

fn remark(ui: &mut Ui, key: &str) {
    let dim = theme::of(ui).dim;
    widgets::remark(ui, ICON_INFO, dim, &tr(key));
}

fn live(ui: &mut Ui, frame: Option<&Frame>) {
    let touching = frame.and_then(|frame| frame.swing.as_ref()).map(|swing| {
        let bones = swing.bones.iter().filter(|bone| bone.touches).count();
        (bones, swing.bones.len())
    });
    let text = theme::of(ui).text;
    let (touching, bones) = touching.unwrap_or_default();
    widgets::readouts(ui, &[("bones", bones.to_string(), text), ("touching", touching.to_string(), text)]);
    remark(ui, "swing.live_hint");
}

fn outcome(ui: &mut Ui, built: Option<&BuiltTake>) {
    let Some(report) = built.and_then(BuiltTake::dynamics).map(|built| &built.report) else { return };
    let tokens = theme::of(ui);
    let good = |fine: bool| if fine { tokens.ok } else { tokens.warning };
    let depth = report.penetration;
    let residue =
        report.residue.map_or(("–".to_owned(), tokens.text), |residue| (short(residue), good(residue <= 1e-5)));
    let touching = report.contacts.iter().max().copied().unwrap_or(0);
    widgets::readouts(
        ui,
        &[
            ("penetration", short(depth), good(depth <= 1e-6)),
            ("touching", touching.to_string(), tokens.text),
            ("cycles", report.cycles.to_string(), tokens.text),
            ("residue", residue.0, residue.1),
        ],
    );
}

/// A share that is 0 or very small.
fn short(value: f64) -> String {
    if value == 0.0 { "0".into() } else { format!("{value:.0e}") }
}

/// The list, and what can be added to it.
fn chains(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let selected = session.selection.chain;
    let Some(dynamics) = session.document.take_mut(id).and_then(|take| take.dynamics_mut()) else { return };
    let (mut chosen, mut gone) = (None, None);
    for (index, chain) in dynamics.settings.chains.iter_mut().enumerate() {
        let (clicked, removed) = chain_row(ui, chain, selected == Some(index));
        chosen = chosen.or(clicked.then_some((index, chain.joint)));
        gone = gone.or(removed.then_some(index));
    }
    let starts: Vec<usize> = dynamics.settings.chains.iter().map(|chain| chain.joint).collect();
    if let Some((index, joint)) = chosen {
        session.selection.chain = (selected != Some(index)).then_some(index);
        session.selection.joint = Some(joint);
    }
    let mut asked = gone.map(EditCommand::RemoveChain);
    let joint = session.selection.joint.filter(|joint| !starts.contains(joint));
    let names = session.frame().map(|frame| frame.character.clone());
    let name = |joint: usize| Some(names.as_ref()?.model.skeleton.joints.get(joint)?.name.clone());
    ui.horizontal_wrapped(|ui| {
        if let Some((joint, name)) = joint.and_then(|joint| Some((joint, name(joint)?))) {
            let text = tr_with("swing.make_dynamic_named", &[("joint", name)]);
            if widgets::text_button(ui, ICON_ADD, &text).clicked() {
                asked = Some(EditCommand::MakeDynamic { character: None, joint });
            }
        }
        if widgets::text_button(ui, ICON_FLIP, &tr("swing.mirror")).on_hover_text(tr("tip.swing_mirror")).clicked() {
            asked = Some(EditCommand::MirrorSwing);
        }
    });
    if joint.is_none() {
        widgets::caption(ui, tr("swing.add_hint"));
    }
    if let Some(asked) = asked {
        session.perform(Command::Edit(asked));
    }
}

/// One chain: whether it swings, its name, the way out; answers whether it was chosen or removed.
fn chain_row(ui: &mut Ui, chain: &mut Chain, on: bool) -> (bool, bool) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::SMALL;
        let (icon, tip) = match chain.muted {
            false => (ICON_VISIBILITY, tr("swing.mute")),
            true => (ICON_VISIBILITY_OFF, tr("swing.unmute")),
        };
        if widgets::icon_button(ui, icon, &tip).clicked() {
            chain.muted = !chain.muted;
        }
        let clicked = list_name(ui, &chain.name, on, chain.muted);
        let removed = widgets::icon_button(ui, ICON_DELETE, &tr("swing.remove_chain")).clicked();
        (clicked, removed)
    })
    .inner
}

/// The name in a list row, as wide as leaves room for one icon; answers whether it was clicked.
pub(super) fn list_name(ui: &mut Ui, name: &str, on: bool, dim: bool) -> bool {
    let tokens = theme::of(ui);
    let width = ui.available_width() - theme::ROW - theme::SMALL;
    let ink = match (on, dim) {
        (true, _) => tokens.accent,
        (false, true) => tokens.dim,
        (false, false) => tokens.text,
    };
    let fill = if on { tokens.raised } else { egui::Color32::TRANSPARENT };
    let button = egui::Button::new(RichText::new(name).color(ink)).fill(fill).stroke(egui::Stroke::NONE).truncate();
    ui.scope(|ui| {
        ui.set_width(width);
        let layout =
            egui::Layout::left_to_right(egui::Align::Center).with_main_justify(true).with_main_align(egui::Align::Min);
        ui.with_layout(layout, |ui| ui.add(button).clicked()).inner
    })
    .inner
}
