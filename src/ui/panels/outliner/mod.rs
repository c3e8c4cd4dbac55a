//! Outliner: files with their clips and joints, and the takes.

mod menus;
mod offers;
mod rename;
mod reveal;
mod row;
mod takes;

use std::collections::BTreeSet;

use egui::{DragAndDrop, Id, Key, Modifiers, ScrollArea, Ui, WidgetInfo, WidgetType};
use egui_ltreeview::{Action, IndentHintStyle, NodeBuilder, TreeView, TreeViewBuilder, TreeViewState};
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{
    ICON_ACCESSIBILITY_NEW, ICON_DEPLOYED_CODE, ICON_LAYERS, ICON_LINK_OFF, ICON_LOCATION_ON, ICON_MOVIE,
    ICON_VIEW_IN_AR, ICON_VISIBILITY, ICON_VISIBILITY_OFF,
};

pub(super) use menus::source_commands;
pub use offers::offers;
use rename::Rename;
use row::{FileKey, Row};

use crate::i18n::tr;
use crate::panels::clips::or_from_library;
use crate::panels::stack;
use crate::widgets::{form, middle};
use crate::{theme, widgets};
use portamento_base::message::message;
use portamento_session::{Command, EditCommand, Session, Severity, Shown};
use portamento_takes::document::{Asset, FileId, Loaded, TakeId};

/// State of the outliner: filter text, highlighted row and rename in progress.
#[derive(Debug, Default)]
pub struct Outliner {
    filter: String,
    /// The shown item and the selected joint whose row was selected last.
    marked: Option<(Shown, Option<usize>)>,
    rename: Option<Rename>,
    /// Frames still to draw until a requested menu is visible.
    opening: u8,
}

/// Frames from a right-click until the menu is visible: one to select, one to measure, one to show.
const MENU_FRAMES: u8 = 3;
/// Id of the tree in egui's memory.
const TREE_ID: &str = "outliner";

impl Outliner {
    /// Draws the tree and performs the commands of its menus. Selecting a row shows its item.
    pub fn ui(&mut self, ui: &mut Ui, session: &mut Session) {
        let has_no_project = session.document.files.is_empty() && session.document.takes.is_empty();
        if session.is_empty() || has_no_project && session.document.objects.is_empty() {
            let hint = or_from_library(session, "outliner.empty_hint");
            return widgets::empty(ui, ICON_LAYERS, &tr("outliner.empty"), &hint);
        }
        let hint = tr("outliner.filter");
        let filter = ui.add(widgets::text_field(&mut self.filter, &hint).desired_width(f32::INFINITY));
        form::with_name(filter, &hint);
        ui.add_space(2.0);
        let filter = self.filter.to_lowercase();
        let mut asked = Vec::new();
        let mut hidden = session.selection.hidden.clone();
        let is_revealed = self.reveal_selection(ui, session);
        self.keys(ui, session, &mut asked);
        let mut rename = self.rename.take();
        let (mut for_all, mut begun) = (Vec::new(), None);
        let actions = ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let tree = TreeView::new(Id::new(TREE_ID)).allow_drag_and_drop(true).allow_multi_selection(true);
            let tree = tree.fallback_context_menu(|ui, rows| begun = menus::rows_menu(ui, session, rows, &mut for_all));
            let tree = tree.override_indent(Some(12.0)).indent_hint_style(IndentHintStyle::None);
            // Keeps the row of the current item visible while another panel has focus. Only a third of this fill is drawn.
            ui.visuals_mut().widgets.inactive.weak_bg_fill = theme::of(ui).selection.linear_multiply(0.5);
            if is_revealed {
                reveal::draw_all(ui);
            }
            let shown = tree.show(ui, |builder| rows(builder, session, &filter, &mut asked, &mut hidden, &mut rename));
            form::with_name(shown.0, &tr("outliner.tree"));
            shown.1
        });
        self.draw_menu(ui);
        session.selection.hidden = hidden;
        asked.append(&mut for_all);
        self.rename = rename.filter(|rename| rename.stays_open(session)).or(begun);
        for action in actions.inner {
            match action {
                // The last of several selected rows is shown.
                Action::SetSelected(selected) => {
                    selected.last().into_iter().for_each(|&row| select(session, row));
                    session.selection.takes = row::takes_of(session, &selected);
                    // Selected here, so no other row is to be revealed.
                    self.marked = Some((session.selection.shown.clone(), session.selection.joint));
                }
                Action::Move(drop) => {
                    asked.extend(
                        takes::drop_edit(session, &drop.source, drop.target, &drop.position).map(Command::Edit),
                    );
                }
                Action::Drag(drop)
                    if takes::drop_edit(session, &drop.source, drop.target, &drop.position).is_none() =>
                {
                    drop.remove_drop_marker(ui);
                }
                Action::DragExternal(drag) => {
                    let clip = drag.source.into_iter().next().and_then(|row| takes::dragged(session, row));
                    clip.into_iter().for_each(|clip| DragAndDrop::set_payload(ui.ctx(), clip));
                    // Dragging does not change the shown item.
                    self.marked = None;
                }
                _ => {}
            }
        }
        asked.into_iter().for_each(|command| session.perform(command));
    }
}

impl Outliner {
    /// Requests repaints until the context menu is visible, even if nothing else changes.
    fn draw_menu(&mut self, ui: &Ui) {
        let asks = ui.input(|input| input.pointer.button_released(egui::PointerButton::Secondary));
        self.opening = if asks { MENU_FRAMES } else { self.opening.saturating_sub(1) };
        if self.opening > 0 {
            ui.ctx().request_repaint();
        }
    }

    /// Starts renaming the selected object, or the shown take if no object is selected. Reports it if there is neither.
    pub fn begin_rename(&mut self, session: &mut Session) {
        let object = session.selection.object.map(Row::Object);
        let row = object.or_else(|| reveal::row_of(session, &session.selection.shown));
        self.rename = row.and_then(|row| Rename::begin(session, row));
        if self.rename.is_none() {
            let message = message!("notice.nothing_to_rename", "No take or object is selected. Select one first.");
            session.notices.add(Severity::Info, message);
        }
    }

    /// Handles F2 (rename), Delete (remove), Ctrl+D (duplicate), Ctrl+C (copy the stages or the names) and Ctrl+V (paste stages) while the tree has
    /// focus. Rows that the filter hides are left alone.
    fn keys(&mut self, ui: &mut Ui, session: &mut Session, asked: &mut Vec<Command>) {
        if !ui.memory(|memory| memory.has_focus(Id::new(TREE_ID))) {
            return;
        }
        let state = TreeViewState::<Row>::load(ui, Id::new(TREE_ID)).unwrap_or_default();
        let filter = self.filter.to_lowercase();
        let visible = |row: &Row| row::name(session, *row).is_none_or(|name| name.to_lowercase().contains(&filter));
        let rows: Vec<Row> = state.selected().iter().copied().filter(visible).collect();
        let mut takes = row::takes_of(session, &rows);
        takes.retain(|take| visible(&Row::Take(take.0)));
        let pressed = |modifiers, key| ui.input_mut(|input| input.consume_key(modifiers, key));
        if pressed(Modifiers::NONE, Key::F2) {
            self.rename = rows.last().and_then(|&row| Rename::begin(session, row));
        }
        // The keys belong to the tree even if its rows cannot be removed.
        if pressed(Modifiers::NONE, Key::Delete) | pressed(Modifiers::NONE, Key::Backspace) {
            asked.extend(removal(session, &rows, &takes));
        }
        if pressed(Modifiers::COMMAND, Key::D) && !takes.is_empty() {
            asked.push(Command::Edit(EditCommand::Duplicate(takes.clone())));
        }
        if !takes.is_empty() {
            asked.extend(stack::pasted(ui, session, takes.clone()));
        }
        let copies = ui.input(|input| input.events.contains(&egui::Event::Copy));
        // A take is copied with its stages; its name is the text.
        if let ([take], true) = (&takes[..], copies)
            && rows.len() == 1
            && session.document.take(*take).is_some_and(|take| !take.stages.is_empty())
        {
            asked.push(Command::Edit(EditCommand::CopyStages(*take)));
            return;
        }
        let names: Vec<String> = rows.iter().filter_map(|&row| row::name(session, row)).collect();
        if !names.is_empty() && copies {
            ui.ctx().copy_text(names.join("\n"));
        }
    }
}

/// Returns the command that removes `takes`; without takes, the first object or file among `rows`. If there is none either,
/// reports it and returns `None`.
fn removal(session: &mut Session, rows: &[Row], takes: &[TakeId]) -> Option<Command> {
    let edit = rows.iter().find_map(|row| match row {
        Row::Object(index) => Some(EditCommand::RemoveObject(*index)),
        Row::File(file) => Some(EditCommand::RemoveFile(Some(FileId(*file)))),
        _ => None,
    });
    match edit {
        _ if !takes.is_empty() => Some(Command::Edit(EditCommand::Remove(takes.to_vec()))),
        Some(edit) => Some(Command::Edit(edit)),
        None => {
            let message = message!(
                "notice.nothing_to_remove",
                "No take, file or object is selected. Joints, meshes and clips belong to their file; select that to remove \
                 them.",
            );
            session.notices.add(Severity::Info, message);
            None
        }
    }
}

/// Adds all rows whose names contain `filter`, in lower case. Adds the commands of their menus to `asked`, and changes `hidden`
/// and `rename` at once.
fn rows(
    builder: &mut TreeViewBuilder<'_, Row>,
    session: &Session,
    filter: &str,
    asked: &mut Vec<Command>,
    hidden: &mut BTreeSet<(FileId, usize)>,
    rename: &mut Option<Rename>,
) {
    let fits = |name: &str| filter.is_empty() || name.to_lowercase().contains(filter);
    let document = &session.document;
    takes::rows(builder, session, &fits, asked, rename);
    if !document.objects.is_empty() {
        builder.node(dir(Row::Objects, ICON_LOCATION_ON, tr("outliner.objects"), true));
        for (index, object) in document.objects.iter().enumerate().filter(|(_, object)| fits(&object.name)) {
            let row = Row::Object(index);
            let mut is_asked = false;
            let icon = match &object.mesh {
                None => ICON_LOCATION_ON,
                Some(mesh) if mesh.hidden => ICON_VISIBILITY_OFF,
                Some(_) => ICON_VIEW_IN_AR,
            };
            let node = named(leaf(row, icon, object.name.clone(), None), row, rename);
            builder.node(node.context_menu(|ui| is_asked |= menus::object_menu(ui, session, index, asked)));
            if is_asked {
                *rename = Rename::begin(session, row);
            }
        }
        builder.close_dir();
    }
    for file in &document.files {
        let key = file.id.0;
        let name = file.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_loaded = session.library.get(file.id).is_some();
        let is_missing = !is_loaded && session.jobs.running().next().is_none();
        let tip = is_missing.then(|| tr("outliner.missing"));
        let icon = if is_missing { ICON_LINK_OFF } else { ICON_DEPLOYED_CODE };
        let node =
            if is_missing { leaf(Row::File(key), icon, name, tip) } else { dir(Row::File(key), icon, name, true) };
        builder.node(node.context_menu(|ui| menus::file_menu(ui, session, file.id, asked)));
        if is_missing {
            continue;
        }
        if let Some(loaded) = session.library.get(file.id) {
            clips(builder, session, key, &fits, asked);
            if loaded.footage.is_some() {
                builder.close_dir();
                continue;
            }
            meshes(builder, session, key, &fits, hidden);
            joints(builder, key, loaded, &fits, filter.is_empty(), asked);
        }
        builder.close_dir();
    }
}

/// Adds the row that counts all clips of file `key`, and below it a row per clip whose full name fits. The first row
/// is added even if no clip fits, but not for a file without clips. The displayed names lack the namespace that all
/// share. Menu commands are added to `asked`.
fn clips(
    builder: &mut TreeViewBuilder<'_, Row>,
    session: &Session,
    key: FileKey,
    fits: &dyn Fn(&str) -> bool,
    asked: &mut Vec<Command>,
) {
    let Some(loaded) = session.library.get(FileId(key)).filter(|loaded| !loaded.model.clips.is_empty()) else { return };
    builder.node(dir(
        Row::Clips(key),
        ICON_MOVIE,
        format!("{} ({})", tr("outliner.clips"), loaded.model.clips.len()),
        true,
    ));
    let namespace = middle::shared_namespace(loaded.model.clips.iter().map(|clip| clip.name.as_str()));
    for (index, clip) in loaded.model.clips.iter().enumerate().filter(|(_, clip)| fits(&clip.name)) {
        let full_name = (namespace > 0).then(|| clip.name.clone());
        let node = leaf(Row::Clip(key, index), ICON_MOVIE, clip.name[namespace..].to_owned(), full_name);
        builder.node(node.context_menu(|ui| menus::clip_menu(ui, session, FileId(key), &clip.name, asked)));
    }
    builder.close_dir();
}

/// Adds the row that counts all mesh instances of file `key`, and below it a row per mesh whose name fits. The first
/// row is added even if none fits, but not for a file without meshes. A hidden mesh has a crossed-out eye.
fn meshes(
    builder: &mut TreeViewBuilder<'_, Row>,
    session: &Session,
    key: FileKey,
    fits: &dyn Fn(&str) -> bool,
    hidden: &mut BTreeSet<(FileId, usize)>,
) {
    let Some(model) = session.library.get(FileId(key)).map(|loaded| &loaded.model) else { return };
    if model.instances.is_empty() {
        return;
    }
    let title = format!("{} ({})", tr("outliner.meshes"), model.instances.len());
    builder.node(dir(Row::Meshes(key), ICON_DEPLOYED_CODE, title, false));
    for (index, instance) in model.instances.iter().enumerate() {
        let name = &model.meshes[instance.mesh].name;
        if !fits(name) {
            continue;
        }
        let this = (FileId(key), index);
        let icon = if hidden.contains(&this) { ICON_VISIBILITY_OFF } else { ICON_VISIBILITY };
        let node = leaf(Row::Mesh(key, index), icon, name.clone(), None);
        builder.node(node.context_menu(|ui| menus::mesh_menu(ui, this, model.instances.len(), hidden)));
    }
    builder.close_dir();
}

/// Adds the joints of file `key`, as a complete tree if `nested`, else as a list of those that fit. Nodes of meshes are left out.
fn joints(
    builder: &mut TreeViewBuilder<'_, Row>,
    key: FileKey,
    loaded: &Asset<Loaded>,
    fits: &dyn Fn(&str) -> bool,
    nested: bool,
    asked: &mut Vec<Command>,
) {
    let (skeleton, mesh_nodes) = (&loaded.model.skeleton, loaded.model.mesh_nodes());
    let count = joint_count(&loaded.model);
    if count == 0 {
        return;
    }
    let title = format!("{} ({count})", tr("outliner.joints"));
    builder.node(dir(Row::Joints(key), ICON_ACCESSIBILITY_NEW, title, !nested));
    if nested {
        let roots = skeleton.roots().filter(|&root| !mesh_nodes[root]);
        roots.for_each(|root| joint(builder, (key, loaded), root, &mesh_nodes, asked));
    } else {
        let fits = |index: usize, name: &str| !mesh_nodes[index] && fits(name);
        for (index, each) in skeleton.joints.iter().enumerate().filter(|(index, joint)| fits(*index, &joint.name)) {
            let node = leaf(Row::Joint(key, index), ICON_ACCESSIBILITY_NEW, each.name.clone(), None);
            builder.node(node.context_menu(|ui| menus::joint_menu(ui, FileId(key), index, asked)));
        }
    }
    builder.close_dir();
}

/// Returns the number of joints without the nodes of meshes.
pub(crate) fn joint_count(model: &portamento_anim::Model) -> usize {
    model.mesh_nodes().iter().filter(|&&is_mesh| !is_mesh).count()
}

/// Adds a joint and its children, except mesh nodes. Iterative, because broken files can contain very deep chains.
fn joint(
    builder: &mut TreeViewBuilder<'_, Row>,
    (key, loaded): (FileKey, &Asset<Loaded>),
    root: usize,
    mesh_nodes: &[bool],
    asked: &mut Vec<Command>,
) {
    let skeleton = &loaded.model.skeleton;
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut next = Some(root);
    loop {
        if let Some(index) = next.take() {
            let children: Vec<usize> = skeleton.children(index).filter(|&child| !mesh_nodes[child]).collect();
            let name = skeleton.joints[index].name.clone();
            if children.is_empty() {
                let node = leaf(Row::Joint(key, index), ICON_ACCESSIBILITY_NEW, name, None);
                builder.node(node.context_menu(|ui| menus::joint_menu(ui, FileId(key), index, asked)));
            } else {
                let node = dir(Row::Joint(key, index), ICON_ACCESSIBILITY_NEW, name, true);
                builder.node(node.context_menu(|ui| menus::joint_menu(ui, FileId(key), index, asked)));
                open.push((index, children.into_iter().rev().collect()));
            }
        }
        let Some((_, children)) = open.last_mut() else { return };
        match children.pop() {
            Some(child) => next = Some(child),
            None => {
                builder.close_dir();
                open.pop();
            }
        }
    }
}

/// Returns a row that can be opened and does not accept drops. `open` is its initial state, `name` its label.
fn dir<'a>(row: Row, icon: MaterialIcon, name: String, open: bool) -> NodeBuilder<'a, Row> {
    NodeBuilder::dir(row)
        .default_open(open)
        .drop_allowed(false)
        .activatable(true)
        .height(theme::ROW)
        .label_ui(move |ui| {
            label(ui, &name);
            reveal::scroll_to(ui, row);
        })
        .icon(move |ui| paint(ui, icon))
}

/// Returns a leaf row with an optional tooltip.
fn leaf<'a>(row: Row, icon: MaterialIcon, name: String, tip: Option<String>) -> NodeBuilder<'a, Row> {
    let text = move |ui: &mut Ui| {
        let label = label(ui, &name);
        if let Some(tip) = &tip {
            label.on_hover_text(tip);
        }
        reveal::scroll_to(ui, row);
    };
    NodeBuilder::leaf(row).height(theme::ROW).label_ui(text).icon(move |ui| paint(ui, icon))
}

/// Replaces the label of `node` by a text field while its row is renamed.
fn named<'a>(node: NodeBuilder<'a, Row>, row: Row, rename: &'a mut Option<Rename>) -> NodeBuilder<'a, Row> {
    match rename.as_mut().filter(|rename| rename.row == row) {
        Some(rename) => node.label_ui(|ui| rename.ui(ui)),
        None => node,
    }
}

/// Draws a name shortened in the middle to the visible width, because clip names often share their start. The tooltip shows the
/// full name.
fn label(ui: &mut Ui, name: &str) -> egui::Response {
    // The tree never shrinks below its largest width, so the visible width is used.
    let visible_width = ui.clip_rect().right() - ui.next_widget_position().x - theme::GAP_SMALL;
    ui.set_max_width(ui.available_width().min(visible_width.max(0.0)));
    let short = middle::shorten_middle(ui, name, &theme::body(), ui.available_width());
    let response = ui.add(egui::Label::new(&short).truncate().selectable(false));
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Label, true, name));
    if short == name { response } else { response.on_hover_text(name) }
}

/// Draws the icon dimmed in the centre of `ui`.
fn paint(ui: &mut Ui, icon: MaterialIcon) {
    let dim = theme::of(ui).dim;
    let at = ui.max_rect().center();
    ui.painter().text(at, egui::Align2::CENTER_CENTER, icon.codepoint, theme::body(), dim);
}

/// Shows or selects the item of `row`. Selects the object of an object row; any other row deselects the object. Headings and
/// meshes show nothing.
fn select(session: &mut Session, row: Row) {
    let selection = &mut session.selection;
    selection.object = if let Row::Object(index) = row { Some(index) } else { None };
    match row {
        Row::Take(id) | Row::Used(_, id) => selection.show(Shown::Take(TakeId(id))),
        Row::File(id) => selection.show(Shown::File(FileId(id))),
        Row::Clip(id, index) => {
            let file = FileId(id);
            let clip = session.library.get(file).and_then(|loaded| loaded.model.clips.get(index));
            if let Some(clip) = clip {
                selection.show(Shown::Clip { character: file, file, clip: clip.name.clone() });
            }
        }
        Row::Joint(id, index) => {
            let shows_file = session
                .frame()
                .is_some_and(|frame| session.library.get(FileId(id)).is_some_and(|loaded| *loaded == frame.character));
            if !shows_file {
                session.selection.show(Shown::File(FileId(id)));
            }
            session.selection.show_joint(index);
        }
        Row::Takes
        | Row::Folder(_)
        | Row::Meshes(_)
        | Row::Mesh(..)
        | Row::Clips(_)
        | Row::Joints(_)
        | Row::Objects
        | Row::Object(_) => {}
    }
    session.drop_foreign_joint();
}
