//! Remove the events of a blend for a tree that is edited freely?

use super::{buttons, window};
use crate::session::Shown;
use crate::systems::blend::Settings;
use crate::ui::app::App;
use crate::ui::graph;
use crate::ui::i18n::{tr, tr_with};
use crate::ui::widgets;

/// Asks where the graph was told to free a tree that has events; does it at once where there are none.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(id) = app.graph.asks_to_free else { return };
    let blend = app.session.document.take(id).filter(|_| app.session.selection.shown == Shown::Take(id));
    let Some(Settings::Scenario(scenario)) = blend.and_then(|take| take.blend()).map(|blend| &blend.settings) else {
        app.graph.asks_to_free = None;
        return;
    };
    let count = scenario.events.len();
    let (answer, close) = match count {
        0 => (Some(true), false),
        _ => window(ctx, "free_tree", 420.0, |ui| {
            ui.add(egui::Label::new(tr_with("free_tree.text", &[("count", count.to_string())])).wrap());
            buttons(ui, |ui| {
                let frees = widgets::main_button(ui, &tr("free_tree.do")).clicked().then_some(true);
                frees.or(ui.button(tr("unsaved.cancel")).clicked().then_some(false))
            })
        }),
    };
    let Some(frees) = answer.or(close.then_some(false)) else { return };
    app.graph.asks_to_free = None;
    if frees {
        graph::free_tree(&mut app.session, id);
    }
}
