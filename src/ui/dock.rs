//! The five places and what stands in them.

mod heights;

use egui_tiles::{
    Behavior, Container, Linear, LinearDir, SimplificationOptions, TabState, Tabs, Tile, TileId, Tiles, Tree,
    UiResponse,
};
use serde::{Deserialize, Serialize};

use super::i18n::{tr, tr_with};
use super::theme;
use super::workspace::Workspace;

/// A panel of the window that can be docked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Panel {
    /// Files, clips, joints, takes.
    Outliner,
    /// What can be undone.
    History,
    /// The character, level or image, in three dimensions.
    Viewport,
    /// Speed and compensation over time.
    Plots,
    /// The tree of a blend.
    Graph,
    /// How alike the frames of a loop's source are.
    Seams,
    /// The clips of a folder with their figures.
    Clips,
    /// What the program said.
    Log,
    /// Where the time of each frame went.
    FrameTimes,
    /// What is selected, to edit.
    Inspector,
    /// Playhead, keys, windows.
    Timeline,
}

impl Panel {
    /// Every panel, in the order of the menu.
    pub const ALL: [Self; 11] = [
        Self::Outliner,
        Self::History,
        Self::Viewport,
        Self::Plots,
        Self::Graph,
        Self::Seams,
        Self::Clips,
        Self::Log,
        Self::FrameTimes,
        Self::Inspector,
        Self::Timeline,
    ];

    /// Whether it stays at its place and has no tab.
    fn is_fixed(self) -> bool {
        matches!(self, Self::Viewport | Self::Timeline)
    }

    /// The word for it in translations and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Outliner => "outliner",
            Self::History => "history",
            Self::Viewport => "viewport",
            Self::Plots => "plots",
            Self::Graph => "graph",
            Self::Seams => "seams",
            Self::Clips => "clips",
            Self::Log => "log",
            Self::FrameTimes => "frame_times",
            Self::Inspector => "inspector",
            Self::Timeline => "timeline",
        }
    }
}

/// Where the panels stand for one workspace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Dock {
    tree: Tree<Panel>,
    /// The width for which the columns' shares are, points.
    #[serde(default = "design_width")]
    width: f32,
    /// The height for which the timeline's share is, points.
    #[serde(default = "design_height")]
    height: f32,
    /// The panels that were drawn last and where.
    #[serde(skip)]
    drawn: Vec<(Panel, egui::Rect)>,
    /// The panel that gets the keys when it is drawn next.
    #[serde(skip)]
    gets_keys: Option<Panel>,
}

/// The width that layouts are made for, points.
fn design_width() -> f32 {
    1280.0
}

/// The share of a column beside the viewport in a window of `width` points, in parts of that at the design width: in wider windows they
/// grow by the root alone, as longer fields tell nothing more and the viewport does; in narrow ones they shrink less, as names are cut.
fn side_share(width: f32) -> f32 {
    const NARROW: f32 = 1024.0;
    let (wide, narrow) = (design_width() / width.max(1.0), NARROW / width.max(0.5 * NARROW));
    wide.sqrt().min(1.0) * narrow.powf(0.6).max(1.0)
}

/// The height that layouts are made for, points: 800 without menu and status.
fn design_height() -> f32 {
    750.0
}

/// The share of the timeline in a window of `height` points, in parts of that at the design height: as high in lower windows, where
/// else one lane would be all of it, as far as that leaves the viewport room; in higher ones it grows by the root alone.
fn timeline_share(height: f32) -> f32 {
    let less = design_height() / height.max(1.0);
    if less > 1.0 { less.min(1.8) } else { less.sqrt() }
}

impl Default for Dock {
    fn default() -> Self {
        Self::for_workspace(Workspace::default())
    }
}

impl Dock {
    /// Outliner, viewport with what the work needs below it, inspector, timeline.
    pub(super) fn for_workspace(workspace: Workspace) -> Self {
        // In one order everywhere: what the work needs, plots, the library, and the log, which is empty mostly.
        use Panel::{Clips, Graph, Log, Plots, Seams};
        match workspace {
            Workspace::Stretch => Self::arranged("dock", &[Plots, Graph, Seams, Clips, Log], 0.28),
            Workspace::Blend => Self::arranged("dock blend", &[Graph, Plots, Clips, Log], 0.45),
            Workspace::Dynamics => Self::arranged("dock dynamics", &[Plots, Clips, Log], 0.22),
            Workspace::Loop => Self::arranged("dock loop", &[Seams, Plots, Clips, Log], 0.45),
            Workspace::Walk => Self::arranged("dock walk", &[Plots, Clips, Log], 0.24),
            Workspace::Free => Self::arranged("dock free", &[Clips, Log], 0.15),
        }
    }

    fn arranged(id: &'static str, below: &[Panel], share: f32) -> Self {
        let mut tiles = Tiles::default();
        let outliner = tabs(&mut tiles, &[Panel::Outliner, Panel::History]);
        let viewport = tiles.insert_pane(Panel::Viewport);
        let lower = tabs(&mut tiles, below);
        let inspector = tabs(&mut tiles, &[Panel::Inspector]);
        let timeline = tiles.insert_pane(Panel::Timeline);
        let middle = tiles.insert_vertical_tile(vec![viewport, lower]);
        let upper = tiles.insert_horizontal_tile(vec![outliner, middle, inspector]);
        let root = tiles.insert_vertical_tile(vec![upper, timeline]);
        shares(&mut tiles, middle, &[(viewport, 1.0 - share), (lower, share)]);
        shares(&mut tiles, upper, &[(outliner, 0.17), (middle, 0.60), (inspector, 0.23)]);
        shares(&mut tiles, root, &[(upper, 0.80), (timeline, 0.20)]);
        Self {
            tree: Tree::new(id, root, tiles),
            width: design_width(),
            height: design_height(),
            drawn: Vec::new(),
            gets_keys: None,
        }
    }

    /// The panels that can be reached, in the order of the menu.
    #[cfg(test)]
    pub(super) fn panels(&self) -> Vec<Panel> {
        let (mut open, mut found) = (Vec::from_iter(self.tree.root()), Vec::new());
        while let Some(tile) = open.pop().and_then(|id| self.tree.tiles.get(id)) {
            match tile {
                Tile::Pane(panel) => found.push(*panel),
                Tile::Container(container) => open.extend(container.children()),
            }
        }
        Panel::ALL.into_iter().filter(|panel| found.contains(panel)).collect()
    }

    /// Brings `panel` to the front of its tabs; one that the workspace does not have, or that was not known when the layout was
    /// kept, comes beside the log.
    pub(super) fn show_panel(&mut self, panel: Panel) {
        if self.tree.tiles.find_pane(&panel).is_none()
            && let Some(place) = self.lower_tabs()
        {
            let pane = self.tree.tiles.insert_pane(panel);
            self.tree.move_tile_to_container(pane, place, usize::MAX, false);
        }
        self.tree.make_active(|_, tile| *tile == Tile::Pane(panel));
    }

    /// Whether `panel` was drawn last.
    pub(super) fn is_drawn(&self, panel: Panel) -> bool {
        self.drawn.iter().any(|(drawn, _)| *drawn == panel)
    }

    fn lower_tabs(&self) -> Option<TileId> {
        let log = self.tree.tiles.find_pane(&Panel::Log)?;
        self.tree.tiles.parent_of(log)
    }

    /// Gives the tabs of `panel` half of the room that they share with what is above and below them, if they have less.
    pub(super) fn give_room(&mut self, panel: Panel) {
        let tiles = &mut self.tree.tiles;
        let tabs = tiles.find_pane(&panel).and_then(|pane| tiles.parent_of(pane));
        let Some((tabs, column)) = tabs.and_then(|tabs| Some((tabs, tiles.parent_of(tabs)?))) else { return };
        let Some(Tile::Container(Container::Linear(linear))) = tiles.get_mut(column) else { return };
        let others: f32 =
            linear.children.iter().filter(|child| **child != tabs).map(|child| linear.shares[*child]).sum();
        if linear.dir == LinearDir::Vertical && linear.shares[tabs] < others {
            linear.shares.set_share(tabs, others);
        }
    }

    /// Draws every panel with `draw`; the timeline as high as `timeline`, points, where its share is not to count.
    pub fn ui(&mut self, ui: &mut egui::Ui, timeline: Option<f32>, draw: &mut dyn FnMut(&mut egui::Ui, Panel)) {
        self.fit(ui.available_size());
        self.drawn.clear();
        let gets_keys = self.gets_keys.take();
        let timeline = timeline.and_then(|height| self.hold_timeline(height, ui.available_height()));
        let lower = self.hold_lower();
        self.tree.ui(&mut Places { draw, drawn: &mut self.drawn, gets_keys }, ui);
        timeline.into_iter().chain(lower).for_each(|held| self.release(held));
        self.keep_tabs();
    }

    /// Gives the keys to the panel that comes `steps` after the one that has them, around; to the first where none has.
    pub(super) fn pass_keys(&mut self, ctx: &egui::Context, steps: isize) {
        let focused = ctx.memory(|memory| memory.focused()).and_then(|id| ctx.read_response(id));
        let holds = |rect: &egui::Rect| focused.as_ref().is_some_and(|focused| rect.contains(focused.rect.center()));
        let at = self.drawn.iter().position(|(_, rect)| holds(rect));
        let count = self.drawn.len() as isize;
        let next = match at {
            Some(at) => (at as isize + steps).rem_euclid(count),
            None if steps > 0 => 0,
            None => count - 1,
        };
        self.gets_keys = usize::try_from(next).ok().and_then(|next| self.drawn.get(next)).map(|(panel, _)| *panel);
    }

    /// Gives the columns beside the viewport and the timeline below it their shares in a window of `size` points, and the viewport
    /// the rest.
    fn fit(&mut self, size: egui::Vec2) {
        let columns = side_share(size.x) / side_share(self.width);
        let below = timeline_share(size.y) / timeline_share(self.height);
        (self.width, self.height) = (size.x, size.y);
        let tiles = &mut self.tree.tiles;
        let timeline = tiles.find_pane(&Panel::Timeline);
        let mut held = tiles.find_pane(&Panel::Viewport);
        while let Some((child, parent)) = held.and_then(|child| Some((child, tiles.parent_of(child)?))) {
            if let Some(Tile::Container(Container::Linear(linear))) = tiles.get_mut(parent) {
                match linear.dir {
                    LinearDir::Horizontal => resize_beside(linear, child, |_| true, columns),
                    LinearDir::Vertical => resize_beside(linear, child, |side| Some(side) == timeline, below),
                }
            }
            held = Some(parent);
        }
    }

    /// Gives every panel that was dropped beside others a tab by which it can be dragged on; viewport and timeline stay where
    /// they are and need none.
    fn keep_tabs(&mut self) {
        let tiles = &mut self.tree.tiles;
        let is_bare = |tile: &Tile<Panel>| matches!(tile, Tile::Pane(panel) if !panel.is_fixed());
        let panes: Vec<TileId> = tiles.iter().filter(|(_, tile)| is_bare(tile)).map(|(id, _)| *id).collect();
        for pane in panes {
            let Some(parent) = tiles.parent_of(pane) else { continue };
            if !matches!(tiles.get(parent), Some(Tile::Container(Container::Linear(_)))) {
                continue;
            }
            let tabs = tiles.insert_tab_tile(vec![pane]);
            if let Some(Tile::Container(Container::Linear(linear))) = tiles.get_mut(parent) {
                linear.children.iter_mut().filter(|child| **child == pane).for_each(|child| *child = tabs);
                linear.shares.replace_with(pane, tabs);
            }
        }
    }
}

/// Changes the shares of those beside `held` that are `sized`, which gets the rest.
fn resize_beside(linear: &mut Linear, held: TileId, sized: impl Fn(TileId) -> bool, change: f32) {
    if change == 1.0 {
        return;
    }
    let shares = |linear: &Linear| linear.children.iter().map(|&each| linear.shares[each]).sum::<f32>();
    let whole = shares(linear);
    let sides: Vec<TileId> = linear.children.iter().copied().filter(|&each| each != held && sized(each)).collect();
    sides.iter().for_each(|&side| linear.shares.set_share(side, linear.shares[side] * change));
    let rest = whole - (shares(linear) - linear.shares[held]);
    linear.shares.set_share(held, rest.max(0.1 * whole));
}

fn tabs(tiles: &mut Tiles<Panel>, panels: &[Panel]) -> TileId {
    let panes = panels.iter().map(|&panel| tiles.insert_pane(panel)).collect();
    tiles.insert_tab_tile(panes)
}

fn shares(tiles: &mut Tiles<Panel>, of: TileId, shares: &[(TileId, f32)]) {
    if let Some(Tile::Container(Container::Linear(linear))) = tiles.get_mut(of) {
        shares.iter().for_each(|&(tile, share)| linear.shares.set_share(tile, share));
    }
}

/// What a panel as a whole is called; its tab is called by the bare word.
pub(super) fn region(panel: Panel) -> String {
    tr_with("dock.region", &[("panel", tr(&format!("panel.{}", panel.name())))])
}

struct Places<'a> {
    draw: &'a mut dyn FnMut(&mut egui::Ui, Panel),
    drawn: &'a mut Vec<(Panel, egui::Rect)>,
    gets_keys: Option<Panel>,
}

impl Places<'_> {
    /// A panel can have the keys as a whole; Tab goes on to what is in it.
    fn focusable(&mut self, ui: &egui::Ui, panel: Panel) {
        let rect = ui.max_rect();
        self.drawn.push((panel, rect));
        let response = ui.interact(rect, ui.id().with("panel"), egui::Sense::focusable_noninteractive());
        let name = region(panel);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Panel, true, &name));
        if self.gets_keys == Some(panel) {
            response.request_focus();
        }
    }
}

impl Behavior<Panel> for Places<'_> {
    fn pane_ui(&mut self, ui: &mut egui::Ui, _: TileId, panel: &mut Panel) -> UiResponse {
        self.focusable(ui, *panel);
        (self.draw)(ui, *panel);
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, panel: &Panel) -> egui::WidgetText {
        egui::RichText::new(tr(&format!("panel.{}", panel.name()))).font(theme::strong()).into()
    }

    fn tab_bar_height(&self, _: &egui::Style) -> f32 {
        28.0
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        2.0
    }

    fn min_size(&self) -> f32 {
        72.0
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions { prune_single_child_tabs: false, ..SimplificationOptions::default() }
    }

    // The window is cleared to the colour of panels.
    fn tab_bar_color(&self, _: &egui::Visuals) -> egui::Color32 {
        egui::Color32::TRANSPARENT
    }

    fn resize_stroke(&self, style: &egui::Style, state: egui_tiles::ResizeState) -> egui::Stroke {
        let tokens = theme::tokens(style.visuals.dark_mode);
        match state {
            egui_tiles::ResizeState::Idle => egui::Stroke::new(2.0, tokens.window),
            _ => egui::Stroke::new(2.0, tokens.accent),
        }
    }

    fn tab_bg_color(&self, _: &egui::Visuals, _: &Tiles<Panel>, _: TileId, _: &TabState) -> egui::Color32 {
        egui::Color32::TRANSPARENT
    }

    fn tab_outline_stroke(&self, _: &egui::Visuals, _: &Tiles<Panel>, _: TileId, _: &TabState) -> egui::Stroke {
        egui::Stroke::NONE
    }

    fn tab_bar_hline_stroke(&self, visuals: &egui::Visuals) -> egui::Stroke {
        egui::Stroke::new(1.0, theme::tokens(visuals.dark_mode).line)
    }

    fn tab_text_color(
        &self,
        visuals: &egui::Visuals,
        tiles: &Tiles<Panel>,
        tile: TileId,
        state: &TabState,
    ) -> egui::Color32 {
        let tokens = theme::tokens(visuals.dark_mode);
        let alone = |tabs: &Tabs| tabs.children.len() == 1;
        let single = tiles.parent_of(tile).and_then(|parent| tiles.get(parent)).is_some_and(|parent| match parent {
            Tile::Container(Container::Tabs(tabs)) => alone(tabs),
            _ => false,
        });
        if state.active || single { tokens.text } else { tokens.dim }
    }
}

#[cfg(test)]
mod tests;
