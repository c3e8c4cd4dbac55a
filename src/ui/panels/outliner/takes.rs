//! Takes with those that they use as clips below them.

use std::collections::BTreeMap;

use egui_ltreeview::TreeViewBuilder;
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{
    ICON_ACCESSIBILITY_NEW, ICON_ALL_INCLUSIVE, ICON_ALT_ROUTE, ICON_CONVERSION_PATH, ICON_FLAG, ICON_GRAIN,
    ICON_IMAGE, ICON_LINK, ICON_MOVE_DOWN, ICON_ROUTE, ICON_STRAIGHTEN,
};

use super::{Rename, Row, dir, leaf, menus, named};
use crate::document::clip_ref::take_ref;
use crate::document::{FileId, Take, TakeId, TakeSource};
use crate::session::{Command, Session};
use crate::ui::i18n::{tr, tr_with};
use crate::ui::panels::clip_drop::DraggedClip;

/// Adds all takes whose names `fits` lets through.
pub(super) fn rows(
    builder: &mut TreeViewBuilder<'_, Row>,
    session: &Session,
    fits: &dyn Fn(&str) -> bool,
    asked: &mut Vec<Command>,
    rename: &mut Option<Rename>,
) {
    let document = &session.document;
    if document.takes.is_empty() {
        return;
    }
    builder.node(dir(Row::Takes, ICON_CONVERSION_PATH, tr("outliner.takes"), true));
    let mut users: BTreeMap<TakeId, Vec<&str>> = BTreeMap::new();
    for take in &document.takes {
        take.used_takes().into_iter().for_each(|used| users.entry(used).or_default().push(&take.name));
    }
    for take in document.takes.iter().filter(|take| fits(&take.name)) {
        let (id, row) = (take.id, Row::Take(take.id.0));
        let name = match users.get(&id) {
            Some(_) => format!("{}  {}", take.name, ICON_LINK.codepoint),
            None => take.name.clone(),
        };
        let tip = users.get(&id).map(|users| tr_with("outliner.used_by", &[("takes", users.join(&tr("list.comma")))]));
        let parts = take.used_takes();
        let mut is_asked = false;
        let node = if parts.is_empty() {
            leaf(row, icon(take), name.clone(), tip)
        } else {
            dir(row, icon(take), name.clone(), true)
        };
        let node = named(node, row, rename);
        builder.node(node.context_menu(|ui| is_asked |= menus::take_menu(ui, session, id, asked)));
        for part in &parts {
            let name = document.take(*part).map_or_else(|| "?".to_owned(), |used| used.name.clone());
            let tip = tr_with("outliner.uses", &[("user", take.name.clone()), ("take", name.clone())]);
            builder.node(leaf(Row::Used(id.0, part.0), ICON_LINK, name, Some(tip)));
        }
        if !parts.is_empty() {
            builder.close_dir();
        }
        if is_asked {
            *rename = Rename::begin(session, row);
        }
    }
    builder.close_dir();
}

fn icon(take: &Take) -> MaterialIcon {
    match take.source {
        TakeSource::Scenario(_) => ICON_ALT_ROUTE,
        TakeSource::Images { .. } => ICON_IMAGE,
        TakeSource::Cloth(_) => ICON_FLAG,
        TakeSource::Walk(_) => ICON_ROUTE,
        TakeSource::Vertices(_) => ICON_GRAIN,
        TakeSource::Clip { .. } | TakeSource::Rest { .. } if take.looped(None).is_some() => ICON_ALL_INCLUSIVE,
        TakeSource::Retarget(_) => ICON_MOVE_DOWN,
        TakeSource::Rest { .. } => ICON_ACCESSIBILITY_NEW,
        TakeSource::Clip { .. } => ICON_STRAIGHTEN,
    }
}

/// What a row is where it is let go over a slot for a clip.
pub(super) fn dragged(session: &Session, row: Row) -> Option<DraggedClip> {
    let clip = match row {
        Row::Take(id) | Row::Used(_, id) => take_ref(TakeId(id)),
        Row::Clip(file, index) => session.library.get(FileId(file))?.model.clips.get(index)?.name.clone(),
        _ => return None,
    };
    Some(DraggedClip { clip })
}
