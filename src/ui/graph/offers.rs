//! Offers for the connections of the current tree, for the command palette.

use super::edit::{Edit, carry_out};
use crate::i18n::{localized, tr, tr_with};
use crate::shell::offer::Offer;
use portamento_base::message::{Message, message};
use portamento_blend::{Link, NodeKind, Tree, node_name};
use portamento_session::{Session, Shown};
use portamento_takes::document::TakeId;

/// Returns the offers for the selected connection, then those for all connections that can be selected or made.
pub fn offers(session: &Session) -> Vec<Offer> {
    let link = session.selection.link;
    let editable_tree = shown_tree(session).ok();
    let is_muted = editable_tree.zip(link).and_then(|((_, tree), at)| link_of(tree, at)).is_some_and(|link| link.muted);
    let mute = if is_muted { "graph.unmute_link" } else { "graph.mute_link" };
    let muted = Offer::attempt(mute, tr(mute), |session| {
        let (id, (parent, slot)) = selected_connection(session)?;
        let (_, tree) = shown_tree(session)?;
        let mut node = tree.nodes[parent].clone();
        if let NodeKind::Blend(links) = &mut node.kind {
            links[slot].muted = !links[slot].muted;
        }
        carry_out(session, id, vec![Edit::Replace(parent, node)]);
        Ok(())
    });
    let disconnect = Offer::attempt("graph.disconnect", tr("graph.disconnect"), |session| {
        let (id, (parent, slot)) = selected_connection(session)?;
        carry_out(session, id, vec![Edit::Disconnect { parent, slot }, Edit::Choose(None)]);
        Ok(())
    });
    let each = editable_tree.into_iter().flat_map(|(id, tree)| of_tree(id, tree));
    [muted, disconnect].into_iter().chain(each).collect()
}

/// Returns an offer for every connection, and for every one that can be added.
fn of_tree(id: TakeId, tree: &Tree) -> Vec<Offer> {
    let mut offers = Vec::new();
    for (parent, node) in tree.nodes.iter().enumerate() {
        let NodeKind::Blend(links) = &node.kind else { continue };
        for (slot, link) in links.iter().enumerate() {
            let edit = Edit::Choose(Some((parent, slot)));
            offers.push(offer(id, "graph.choose_link", [named(tree, link.child), named(tree, parent)], edit));
        }
        let is_new = |child: &usize| !tree.is_below(parent, *child) && links.iter().all(|link| link.child != *child);
        for child in (0..tree.nodes.len()).filter(is_new) {
            let edit = Edit::Connect { child, parent, slot: links.len() };
            offers.push(offer(id, "graph.connect", [named(tree, child), named(tree, parent)], edit));
        }
    }
    offers
}

/// Returns an offer to apply `edit` to take `id`. `key` is the locale key of its label, which names both nodes.
fn offer(id: TakeId, key: &'static str, [child, parent]: [String; 2], edit: Edit) -> Offer {
    let label = tr_with(key, &[("child", child), ("parent", parent)]);
    Offer::change(key, label, move |session| carry_out(session, id, vec![edit.clone()]))
}

/// Returns the displayed name of `node`, empty if there is no such node.
fn named(tree: &Tree, node: usize) -> String {
    tree.nodes.get(node).map(|node| localized(&node_name(&node.name))).unwrap_or_default()
}

/// Returns the connection at input `slot` of the blend node `parent`, given as `(parent, slot)`; `None` for other nodes and free
/// inputs.
fn link_of(tree: &Tree, (parent, slot): (usize, usize)) -> Option<&Link> {
    match &tree.nodes.get(parent)?.kind {
        NodeKind::Blend(links) => links.get(slot),
        _ => None,
    }
}

/// Returns the id and the free tree of the shown take, or `Err` if it has none, as for a scenario.
fn shown_tree(session: &Session) -> Result<(TakeId, &Tree), Message> {
    let id = if let Shown::Take(id) = session.selection.shown { Some(id) } else { None };
    let tree = id.and_then(|id| Some((id, session.document.take(id)?.blend()?.settings.tree()?)));
    tree.ok_or_else(|| {
        message!("notice.no_own_tree", "No graph is shown. Select a blend and convert it to a graph first.")
    })
}

/// Returns the shown take and the selected connection as `(parent, slot)`. Returns `Err` if no tree is shown or none is selected.
fn selected_connection(session: &Session) -> Result<(TakeId, (usize, usize)), Message> {
    let (id, tree) = shown_tree(session)?;
    let at = session.selection.link.filter(|&at| link_of(tree, at).is_some());
    at.map(|at| (id, at))
        .ok_or_else(|| message!("notice.no_link_chosen", "No connection is selected. Select one in the graph first."))
}
