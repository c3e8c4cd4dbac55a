//! Take rows, each with the takes it uses as clips below it.

use std::collections::{BTreeMap, BTreeSet};

use egui_ltreeview::{DirPosition, TreeViewBuilder};
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{
    ICON_ACCESSIBILITY_NEW, ICON_ALL_INCLUSIVE, ICON_ALT_ROUTE, ICON_CONVERSION_PATH, ICON_FLAG, ICON_FOLDER,
    ICON_GRAIN, ICON_IMAGE, ICON_LINK, ICON_MOVE_DOWN, ICON_MOVIE, ICON_ROUTE,
};

use super::row::{folder_key, takes_of};
use super::{Rename, Row, dir, leaf, menus, named};
use crate::i18n::{tr, tr_with};
use crate::panels::clip_drop::DraggedClip;
use crate::panels::stages::stage_icon;
use portamento_session::{Command, EditCommand, Session};
use portamento_takes::document::clip_ref::take_ref;
use portamento_takes::document::{FileId, Folder, Take, TakeDestination, TakeId, TakeSource};

/// Adds the row `Takes` and below it all takes whose names match `fits`, each with the takes that it uses. The first
/// row is added even if no take fits, but not for a project without takes. The takes of a folder are grouped where
/// its first take that fits stands. Menu commands are added to `asked`.
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
    builder.node(dir(Row::Takes, ICON_CONVERSION_PATH, tr("outliner.takes"), true).drop_allowed(true));
    let mut users: BTreeMap<TakeId, Vec<&str>> = BTreeMap::new();
    for take in &document.takes {
        take.used_takes().into_iter().for_each(|used| users.entry(used).or_default().push(&take.name));
    }
    let mut rows = TakeRows { session, users: &users, asked, rename };
    let mut drawn_folders = BTreeSet::new();
    for take in document.takes.iter().filter(|take| fits(&take.name)) {
        match document.folder_of(take.id) {
            None => rows.take(builder, take),
            Some(folder) if drawn_folders.insert(&folder.name) => rows.folder(builder, folder, fits),
            Some(_) => {}
        }
    }
    builder.close_dir();
}

/// Data for the take rows, and the commands they request.
struct TakeRows<'a> {
    session: &'a Session,
    /// Names of the takes that use a take.
    users: &'a BTreeMap<TakeId, Vec<&'a str>>,
    asked: &'a mut Vec<Command>,
    rename: &'a mut Option<Rename>,
}

impl TakeRows<'_> {
    /// Adds a folder row with the takes in it whose names fit.
    fn folder(&mut self, builder: &mut TreeViewBuilder<'_, Row>, folder: &Folder, fits: &dyn Fn(&str) -> bool) {
        let row = Row::Folder(folder_key(&folder.name));
        let mut rename = None;
        let node = named(dir(row, ICON_FOLDER, folder.name.clone(), true).drop_allowed(true), row, self.rename);
        builder.node(node.context_menu(|ui| rename = menus::folder_menu(ui, self.session, folder, self.asked)));
        let inside = self.session.document.takes.iter().filter(|take| folder.takes.contains(&take.id));
        inside.filter(|take| fits(&take.name)).for_each(|take| self.take(builder, take));
        builder.close_dir();
        if rename.is_some() {
            *self.rename = rename;
        }
    }

    /// Adds a take with the takes that it uses below it. A take that others use has a link mark.
    fn take(&mut self, builder: &mut TreeViewBuilder<'_, Row>, take: &Take) {
        let (id, row) = (take.id, Row::Take(take.id.0));
        let users = self.users.get(&id);
        let name = match users {
            Some(_) => format!("{}  {}", take.name, ICON_LINK.codepoint),
            None => take.name.clone(),
        };
        let tip = users.map(|users| tr_with("outliner.used_by", &[("takes", users.join(&tr("list.comma")))]));
        let parts = take.used_takes();
        let mut rename = None;
        let node = if parts.is_empty() { leaf(row, icon(take), name, tip) } else { dir(row, icon(take), name, true) };
        let node = named(node, row, self.rename);
        let session = self.session;
        builder.node(node.context_menu(|ui| rename = menus::take_menu(ui, session, id, self.asked)));
        for part in &parts {
            let name = session.document.take(*part).map_or_else(|| "?".to_owned(), |used| used.name.clone());
            let tip = tr_with("outliner.uses", &[("user", take.name.clone()), ("take", name.clone())]);
            builder.node(leaf(Row::Used(id.0, part.0), ICON_LINK, name, Some(tip)));
        }
        if !parts.is_empty() {
            builder.close_dir();
        }
        if rename.is_some() {
            *self.rename = rename;
        }
    }
}

/// Returns the edit that drops the takes of `source` at `position` of `target`. `None` if there are no takes, or `target` is not
/// the list of takes or a folder.
pub(super) fn drop_edit(
    session: &Session,
    source: &[Row],
    target: Row,
    position: &DirPosition<Row>,
) -> Option<EditCommand> {
    let document = &session.document;
    let takes = Some(takes_of(session, source)).filter(|takes| !takes.is_empty())?;
    let named = |key| document.folders.iter().find(|folder| folder_key(&folder.name) == key);
    let folder = match target {
        Row::Takes => None,
        Row::Folder(key) => Some(named(key)?),
        _ => return None,
    };
    let is_inside = |id: TakeId| document.folder_of(id).map(|inside| &inside.name) == folder.map(|folder| &folder.name);
    let ids = || document.takes.iter().map(|take| take.id);
    let first_of = |row: &Row| match *row {
        Row::Take(id) => Some(TakeId(id)),
        Row::Folder(key) => ids().find(|id| named(key).is_some_and(|folder| folder.takes.contains(id))),
        _ => None,
    };
    let before = match position {
        DirPosition::First => ids().find(|&id| is_inside(id)),
        DirPosition::Last => None,
        DirPosition::Before(row) => first_of(row),
        // After the first take of a folder means after the folder.
        DirPosition::After(row) => first_of(row).and_then(|first| ids().skip_while(|&id| id != first).nth(1)),
    };
    let folder = folder.map(|folder| folder.name.clone());
    Some(EditCommand::Place { takes, place: TakeDestination { folder, before } })
}

/// Returns the icon of the source of a take. A clip or rest pose with a loop has the icon of a loop; another clip with stages has
/// that of its last stage.
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
        TakeSource::Clip { .. } => take.stages.last().map_or(ICON_MOVIE, |stage| stage_icon(stage.kind.name())),
    }
}

/// Returns the drag payload of a row for clip fields; `None` for rows that are neither take nor clip.
pub(super) fn dragged(session: &Session, row: Row) -> Option<DraggedClip> {
    let clip = match row {
        Row::Take(id) | Row::Used(_, id) => take_ref(TakeId(id)),
        Row::Clip(file, index) => session.library.get(FileId(file))?.model.clips.get(index)?.name.clone(),
        _ => return None,
    };
    Some(DraggedClip { clip })
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_takes::document::{Stage, StageKind};

    #[test]
    fn a_take_has_the_icon_of_its_last_stage() {
        let icon_of = |kinds: Vec<StageKind>| {
            let source = TakeSource::Clip { file: FileId(1), clip: "run".into() };
            let stages = Stage::numbered(kinds);
            icon(&Take { id: TakeId(2), name: "a".into(), character: FileId(1), source, stages, loops: None }).codepoint
        };
        let [stretch, swing] = [StageKind::Stretch(Box::default()), StageKind::Dynamics(Box::default())];
        let icons = [vec![], vec![stretch.clone()], vec![stretch, swing]].map(icon_of);
        assert_eq!(icons.iter().collect::<BTreeSet<_>>().len(), 3, "{icons:?}");
    }
}
