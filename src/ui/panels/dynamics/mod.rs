//! Inspector of the dynamic bones of a take: preview mode, results and chains.

mod bodies;
mod list_row;
mod chain;
mod presets;
pub(super) mod world;

use std::sync::Arc;

use egui::Ui;
use egui_material_icons::icons::{
    ICON_ACCOUNT_CIRCLE, ICON_ADD, ICON_AUTO_AWESOME, ICON_DELETE, ICON_FLIP, ICON_REPLAY, ICON_VISIBILITY,
    ICON_VISIBILITY_OFF,
};

use super::results::moment::{go_to, of_stage};
use crate::i18n::{tr, tr_with};
use crate::panels::dynamics::bodies::bodies_ui;
use crate::panels::dynamics::chain::chain_ui;
use crate::panels::dynamics::list_row::{RowClick, list_name};
use crate::panels::dynamics::world::{loop_rows, wind_rows, world_rows};
use crate::shell::offer::Offer;
use crate::units::share;
use crate::widgets::{Figure, Readout, SegmentChoice, form};
use crate::{theme, widgets};
use portamento_base::message::Moment;
use portamento_dynamics::{Built, Chain};
use portamento_session::{Command, DynamicsMode, EditCommand, Session, Shown};
use portamento_takes::document::{FileId, TakeId};
use portamento_takes::evaluate::Frame;

/// Draws the dynamic bones of take `id`, if it has any.
pub(super) fn dynamics_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    if session.document.take(id).and_then(|take| take.dynamics(session.selection.stage)).is_none() {
        return;
    }
    ui.add_space(theme::GAP_SMALL);
    mode(ui, session);
    state(ui, session);
    form::section(ui, "chains", true, |ui| chains(ui, session, id));
    if session.selection.chain.is_some() {
        form::section(ui, "chain", true, |ui| chain_ui(ui, session, id));
    }
    form::section(ui, "colliders", true, |ui| bodies_ui(ui, session, id));
    let Some(dynamics) = session.document.take_mut(id).and_then(|take| take.dynamics_mut(session.selection.stage))
    else {
        return;
    };
    form::section(ui, "wind", false, |ui| wind_rows(ui, &mut dynamics.settings.wind));
    form::section(ui, "dynamics_loop", false, |ui| loop_rows(ui, dynamics));
    form::section(ui, "dynamics_world", false, |ui| world_rows(ui, &mut dynamics.settings));
}

/// Draws the choice of live, recorded or off.
fn mode(ui: &mut Ui, session: &mut Session) {
    let choices = DynamicsMode::ALL.map(|mode| SegmentChoice {
        value: mode,
        text: tr(&format!("dynamics.{}", mode.name())),
        tip: tr(&format!("tip.dynamics_{}", mode.name())),
    });
    widgets::segments(ui, &mut session.dynamics.mode, &choices);
    ui.add_space(theme::GAP_SMALL);
}

/// Draws the results of the recording or of the live simulation. Without either they are dashes, with a button that builds again
/// after a failure. The height is constant so that the layout does not jump.
fn state(ui: &mut Ui, session: &mut Session) {
    let frame = session.frame();
    let built = session.evaluation.built_for_open_stage(&session.document, &session.selection);
    let at = session.selection.stage_index(&session.document);
    match (session.dynamics.mode, built.as_deref().and_then(|built| built.dynamics(at))) {
        (DynamicsMode::Recorded, Some(recording)) => {
            let end = built.as_ref().and_then(|built| Some(built.stages.get(at?)?.clip.duration));
            let asked = outcome(ui, recording, at, end);
            go_to(session, asked);
        }
        (DynamicsMode::Live, _) => live(ui, frame),
        _ => {
            let none = Figure::unmeasured(theme::of(ui));
            let _ = result_readouts(ui, [none.clone(), none.clone(), none.clone(), none], [None; 4]);
        }
    }
    if session.evaluation.failure().is_some() && widgets::text_button(ui, ICON_REPLAY, &tr("dynamics.again")).clicked()
    {
        session.evaluation.build_again();
    }
}

/// Draws the deepest penetration, the bones in contact, the cycles and the loop gap, in this order. `moments` are the times and
/// joints that they concern. Returns the moment of the clicked figure.
fn result_readouts(ui: &mut Ui, values: [Figure; 4], moments: [Option<Moment>; 4]) -> Option<Moment> {
    let keys = ["penetration", "touching", "cycles", "residue"];
    let rows = keys.into_iter().zip(values).zip(moments);
    let rows: Vec<Readout> = rows.map(|((key, figure), moment)| Readout::of(key, figure).at(moment)).collect();
    widgets::readouts(ui, &rows)
}

/// Draws the figures of the live simulation, of which only the number of bones in contact is measured.
fn live(ui: &mut Ui, frame: Option<&Frame>) {
    let tokens = theme::of(ui);
    let touching = frame.and_then(|frame| frame.dynamics.as_ref());
    let touching = touching.map_or(0, |swing| swing.bones.iter().filter(|bone| bone.touches).count());
    let none = || Figure::unmeasured(tokens);
    let _ = result_readouts(ui, [none(), Figure::new(touching.to_string(), tokens.text), none(), none()], [None; 4]);
}

/// Draws the figures of a recording that lasts `end` seconds. `stage` is the index of its stage. Returns the moment of a clicked
/// figure.
fn outcome(ui: &mut Ui, recording: &Built, stage: Option<usize>, end: Option<f64>) -> Option<Moment> {
    let tokens = theme::of(ui);
    let report = &recording.report;
    let good = |fine: bool| if fine { tokens.ok } else { tokens.warning };
    let depth = report.penetration;
    let touching = report.contacts.iter().max().copied().unwrap_or(0);
    let first = report.contacts.iter().position(|&count| count == touching).filter(|_| touching > 0);
    let touches_at = first.map(|step| of_stage(stage, step as f64 * recording.step, None));
    let residue_at = end.map(|end| of_stage(stage, end, report.residue_joint));
    let remaining = report.closing.or(report.residue);
    let residue = remaining.map(|residue| Figure::new(share(residue), good(residue <= 1e-5)));
    result_readouts(
        ui,
        [
            Figure::new(share(depth), good(depth <= 1e-6)),
            Figure::new(touching.to_string(), tokens.text),
            Figure::new(report.cycles.to_string(), tokens.text),
            residue.clone().unwrap_or(Figure::unmeasured(tokens)),
        ],
        [None, touches_at, None, residue_at.filter(|_| residue.is_some())],
    )
}

/// Draws the list of chains and the buttons that add chains. A click on a name selects the chain and its first joint.
fn chains(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let selected = session.selection.chain;
    let Some(dynamics) = session.document.take_mut(id).and_then(|take| take.dynamics_mut(session.selection.stage))
    else {
        return;
    };
    let (mut chosen, mut removed_index) = (None, None);
    for (index, chain) in dynamics.settings.chains.iter_mut().enumerate() {
        match chain_row(ui, chain, selected == Some(index)) {
            RowClick::Nothing => {}
            RowClick::Name => chosen = Some((index, chain.joint)),
            RowClick::Remove => removed_index = Some(index),
        }
    }
    let chain_roots: Vec<usize> = dynamics.settings.chains.iter().map(|chain| chain.joint).collect();
    if let Some((index, joint)) = chosen {
        session.selection.chain = (selected != Some(index)).then_some(index);
        session.selection.joint = Some(joint);
    }
    let mut asked = removed_index.map(EditCommand::RemoveChain);
    let joint = session.selection.joint.filter(|joint| !chain_roots.contains(joint));
    let names = session.frame().map(|frame| frame.character.clone());
    let name = |joint: usize| Some(names.as_ref()?.model.skeleton.joints.get(joint)?.name.clone());
    let more = MoreChains::of(ui, session, &chain_roots);
    ui.horizontal_wrapped(|ui| {
        asked = more.ui(ui).or(asked.take());
        if let Some((joint, name)) = joint.and_then(|joint| Some((joint, name(joint)?))) {
            let text = tr_with("dynamics.make_dynamic_named", &[("joint", name)]);
            if widgets::text_button(ui, ICON_ADD, &text).clicked() {
                asked = Some(EditCommand::MakeDynamic { character: None, joint });
            }
        }
        if widgets::text_button(ui, ICON_FLIP, &tr("dynamics.mirror"))
            .on_hover_text(tr("tip.dynamics_mirror"))
            .clicked()
        {
            asked = Some(EditCommand::MirrorDynamics);
        }
    });
    if joint.is_none() {
        widgets::caption(ui, tr("dynamics.add_hint"));
    }
    if let Some(asked) = asked {
        session.perform(Command::Edit(asked));
    }
}

/// The chains that the file and the skeleton suggest besides those of the take.
struct MoreChains {
    /// Names of the likely chains that the take lacks.
    likely: Vec<String>,
    has_springs: bool,
}

impl MoreChains {
    /// Returns the suggestions for the shown character without the chains at the joints `roots`. They are cached until file or
    /// chains change.
    fn of(ui: &Ui, session: &Session, roots: &[usize]) -> Self {
        let shown = &session.selection.shown;
        let file = shown.character(&session.document);
        let loaded = file.and_then(|file| session.library.get(file));
        // Names and shape are read again only for another file or other chains.
        let key = (file, loaded.map_or(0, |loaded| std::ptr::from_ref(&loaded.model).addr()), roots.to_vec());
        let id = ui.id().with("likely chains");
        let known = ui.data(|data| data.get_temp::<(FoundKey, Arc<Found>)>(id)).filter(|known| known.0 == key);
        let found = known.map_or_else(
            || {
                let springs = file.and_then(|file| session.opened().spring_bones(file));
                let likely = session.opened().likely_chains(shown, session.selection.stage);
                Arc::new(Found { likely, has_springs: springs.is_some() })
            },
            |known| known.1,
        );
        ui.data_mut(|data| data.insert_temp(id, (key, found.clone())));
        let name = |joint: &usize| Some(loaded?.model.skeleton.joints.get(*joint)?.name.clone());
        Self { likely: found.likely.iter().filter_map(name).collect(), has_springs: found.has_springs }
    }

    /// Draws the buttons that add the chains. Returns the command of a clicked one.
    fn ui(&self, ui: &mut Ui) -> Option<EditCommand> {
        let mut asked = None;
        if self.has_springs
            && widgets::text_button(ui, ICON_ACCOUNT_CIRCLE, &tr("dynamics.use_springs"))
                .on_hover_text(tr("tip.dynamics_use_springs"))
                .clicked()
        {
            asked = Some(EditCommand::UseSpringBones);
        }
        if !self.likely.is_empty() {
            let text = tr_with("dynamics.add_likely", &[("count", self.likely.len().to_string())]);
            let tip = tr_with("tip.dynamics_add_likely", &[("joints", self.likely.join(", "))]);
            if widgets::text_button(ui, ICON_AUTO_AWESOME, &text).on_hover_text(tip).clicked() {
                asked = Some(EditCommand::MakeLikelyDynamic);
            }
        }
        asked
    }
}

/// A file, the address of its loaded model, and the roots of the chains.
type FoundKey = (Option<FileId>, usize, Vec<usize>);

/// The suggestions of a loaded file.
struct Found {
    /// Roots of the likely chains.
    likely: Vec<usize>,
    has_springs: bool,
}

/// Returns the offers that remove chains and add colliders in the shown take.
pub fn offers(session: &Session) -> Vec<Offer> {
    let stage = session.selection.stage;
    let Shown::Take(id) = session.selection.shown else { return Vec::new() };
    let dynamics = session.document.take(id).and_then(|take| take.dynamics(stage));
    let Some(dynamics) = dynamics else { return Vec::new() };
    let chains = dynamics.settings.chains.iter().enumerate().map(|(index, chain)| {
        let label = format!("{}: {}", tr("dynamics.remove_chain"), chain.name);
        Offer::new("dynamics.remove_chain", label, Command::Edit(EditCommand::RemoveChain(index)))
    });
    chains.chain(bodies::offers(session)).collect()
}

/// Draws one chain row: mute toggle, name and delete button. Returns the clicked part; the toggle mutes the chain itself.
fn chain_row(ui: &mut Ui, chain: &mut Chain, on: bool) -> RowClick {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
        let (icon, tip) = match chain.muted {
            false => (ICON_VISIBILITY, tr("dynamics.mute")),
            true => (ICON_VISIBILITY_OFF, tr("dynamics.unmute")),
        };
        if widgets::icon_button(ui, icon, &tip).clicked() {
            chain.muted = !chain.muted;
        }
        let clicked = list_name(ui, &chain.name, on, chain.muted);
        let removed = widgets::icon_button(ui, ICON_DELETE, &tr("dynamics.remove_chain")).clicked();
        RowClick::of_row(clicked, removed)
    })
    .inner
}
