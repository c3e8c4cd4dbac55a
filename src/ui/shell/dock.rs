//! The dockable layout: outliner, viewport, lower tabs, inspector and timeline.

mod heights;

use egui_material_icons::icons::ICON_CLOSE_FULLSCREEN;
use egui_tiles::{
    Behavior, Container, Linear, LinearDir, SimplificationOptions, TabState, Tabs, Tile, TileId, Tiles, Tree,
    UiResponse,
};
use serde::{Deserialize, Serialize};

use super::menu::label_with_shortcut;
use super::workspace::Workspace;
use crate::dialogs::guide;
use crate::i18n::{tr, tr_with};
use crate::{focus, theme, widgets};

/// A panel of the window that can be docked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Panel {
    /// Files, clips, joints, takes.
    Outliner,
    /// Undo history.
    History,
    /// 3D view of the character or level, or the image.
    Viewport,
    /// Speed and compensation over time.
    Plots,
    /// Blend graph.
    Graph,
    /// Similarity of the frames of a loop's source.
    Seams,
    /// Clips of a folder with their measurements.
    Clips,
    /// Messages.
    Log,
    /// Time spent on each part of a frame.
    FrameTimes,
    /// Properties of the selection.
    Inspector,
    /// Playhead, keys and ranges.
    Timeline,
}

portamento_base::named!(Panel {
    Outliner: "outliner",
    History: "history",
    Viewport: "viewport",
    Plots: "plots",
    Graph: "graph",
    Seams: "seams",
    Clips: "clips",
    Log: "log",
    FrameTimes: "frame_times",
    Inspector: "inspector",
    Timeline: "timeline"
});

impl Panel {
    /// True if the panel has no tab and cannot be moved.
    fn is_fixed(self) -> bool {
        matches!(self, Self::Viewport | Self::Timeline)
    }
}

/// The panel layout of one workspace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Dock {
    tree: Tree<Panel>,
    /// Window width in points that the columns' shares were computed for.
    #[serde(default = "design_width")]
    width: f32,
    /// Window height in points that the timeline's share was computed for.
    #[serde(default = "design_height")]
    height: f32,
    /// Panels drawn in the last frame with their rectangles.
    #[serde(skip)]
    drawn: Vec<(Panel, egui::Rect)>,
    /// Panel that receives the keyboard focus when it is drawn next.
    #[serde(skip)]
    next_focus: Option<Panel>,
    /// The panel that has the whole window.
    #[serde(skip)]
    maximized: Option<Panel>,
}

/// Window width of the default layouts, points.
fn design_width() -> f32 {
    1280.0
}

/// Returns the factor on a side column's share of the width in a window of `width` points; 1 at the design width. In wider
/// windows the column grows with the square root of the width, which favours the viewport. Below 1024 points it shrinks less
/// than the window, because names would be cut off.
fn side_share_factor(width: f32) -> f32 {
    const NARROW: f32 = 1024.0;
    let (wide, narrow) = (design_width() / width.max(1.0), NARROW / width.max(0.5 * NARROW));
    wide.sqrt().min(1.0) * narrow.powf(0.6).max(1.0)
}

/// Window height of the default layouts, points: 800 without menu and status bar.
fn design_height() -> f32 {
    750.0
}

/// Returns the factor on the timeline's share of the height in a window of `height` points; 1 at the design height. In lower
/// windows the timeline's height stays constant (factor at most 1.8), which keeps its lanes visible. In higher ones it grows
/// with the square root of the height.
fn timeline_share_factor(height: f32) -> f32 {
    let less = design_height() / height.max(1.0);
    if less > 1.0 { less.min(1.8) } else { less.sqrt() }
}

impl Default for Dock {
    fn default() -> Self {
        Self::for_workspace(Workspace::default())
    }
}

impl Dock {
    /// Returns the default layout: outliner, viewport with the workspace's tabs under it, inspector, timeline.
    pub(crate) fn for_workspace(workspace: Workspace) -> Self {
        // The tabs keep one order everywhere: workspace panels, plots, library, log.
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

    /// Returns a layout with `lower_panels` as tabs below the viewport. `share` is their part (0…1) of the height of both. `id`
    /// is unique among the layouts.
    fn arranged(id: &'static str, lower_panels: &[Panel], share: f32) -> Self {
        let mut tiles = Tiles::default();
        let outliner = tabs(&mut tiles, &[Panel::Outliner, Panel::History]);
        let viewport = tiles.insert_pane(Panel::Viewport);
        let lower = tabs(&mut tiles, lower_panels);
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
            next_focus: None,
            maximized: None,
        }
    }

    /// Returns the panels in the layout, in menu order.
    #[cfg(test)]
    pub(crate) fn panels(&self) -> Vec<Panel> {
        let (mut open, mut found) = (Vec::from_iter(self.tree.root()), Vec::new());
        while let Some(tile) = open.pop().and_then(|id| self.tree.tiles.get(id)) {
            match tile {
                Tile::Pane(panel) => found.push(*panel),
                Tile::Container(container) => open.extend(container.children()),
            }
        }
        Panel::ALL.into_iter().filter(|panel| found.contains(panel)).collect()
    }

    /// Activates the tab of `panel`. If the layout lacks it, adds it next to the log. Another panel that has the whole window
    /// gives it up.
    pub(crate) fn show_panel(&mut self, panel: Panel) {
        self.maximized = self.maximized.filter(|maximized| *maximized == panel);
        if self.tree.tiles.find_pane(&panel).is_none()
            && let Some(tabs_tile) = self.lower_tabs()
        {
            let pane = self.tree.tiles.insert_pane(panel);
            self.tree.move_tile_to_container(pane, tabs_tile, usize::MAX, false);
        }
        self.tree.make_active(|_, tile| *tile == Tile::Pane(panel));
    }

    /// True if `panel` was drawn in the last frame.
    pub(crate) fn is_drawn(&self, panel: Panel) -> bool {
        self.drawn.iter().any(|(drawn, _)| *drawn == panel)
    }

    fn lower_tabs(&self) -> Option<TileId> {
        let log = self.tree.tiles.find_pane(&Panel::Log)?;
        self.tree.tiles.parent_of(log)
    }

    /// Gives the tabs of `panel` at least half of the height they share with their vertical neighbours. Does nothing if they are
    /// in no column.
    pub(crate) fn enlarge_tabs(&mut self, panel: Panel) {
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

    /// Draws every panel with `draw`. If `timeline` is given, the timeline has that height in points instead of its share.
    pub fn ui(&mut self, ui: &mut egui::Ui, timeline: Option<f32>, draw: &mut dyn FnMut(&mut egui::Ui, Panel)) {
        self.fit(ui.available_size());
        self.drawn.clear();
        let next_focus = self.next_focus.take();
        if let Some(panel) = self.maximized {
            let restores = PanelBehavior { draw, drawn: &mut self.drawn, next_focus }.alone(ui, panel);
            self.maximized = self.maximized.filter(|_| !restores);
            return;
        }
        let timeline = timeline.and_then(|height| self.fix_timeline_height(height, ui.available_height()));
        let lower = self.fix_lower_tabs_height();
        self.tree.ui(&mut PanelBehavior { draw, drawn: &mut self.drawn, next_focus }, ui);
        timeline.into_iter().chain(lower).for_each(|fixed| self.release(fixed));
        self.wrap_panes_in_tabs();
    }

    /// Gives the panel under the pointer, or else the focused one, or else the viewport, the whole window. If a panel has it,
    /// restores the layout instead.
    pub(super) fn toggle_maximized(&mut self, ctx: &egui::Context) {
        if self.maximized.take().is_some() {
            return;
        }
        let hovered = ctx.pointer_hover_pos().and_then(|at| self.panel_at(at));
        self.maximized = hovered.or_else(|| self.focused_panel(ctx)).or(Some(Panel::Viewport));
    }

    /// Returns the panel with the keyboard focus; `None` without a focused control.
    pub(crate) fn focused_panel(&self, ctx: &egui::Context) -> Option<Panel> {
        let focused = ctx.memory(|memory| memory.focused()).and_then(|id| ctx.read_response(id))?;
        self.panel_at(focused.rect.center())
    }

    /// Returns the panel that was drawn at this point of the window in the last frame.
    fn panel_at(&self, at: egui::Pos2) -> Option<Panel> {
        self.drawn.iter().find(|(_, rect)| rect.contains(at)).map(|(panel, _)| *panel)
    }

    /// Moves the keyboard focus by `steps` panels, cyclically. Without a focused panel it starts at the first (or last).
    pub(super) fn move_panel_focus(&mut self, ctx: &egui::Context, steps: isize) {
        let focused = ctx.memory(|memory| memory.focused()).and_then(|id| ctx.read_response(id));
        let contains = |rect: &egui::Rect| focused.as_ref().is_some_and(|focused| rect.contains(focused.rect.center()));
        let at = self.drawn.iter().position(|(_, rect)| contains(rect));
        let count = self.drawn.len() as isize;
        let next = match at {
            Some(at) => (at as isize + steps).rem_euclid(count),
            None if steps > 0 => 0,
            None => count - 1,
        };
        focus::show_next(ctx);
        self.next_focus = usize::try_from(next).ok().and_then(|next| self.drawn.get(next)).map(|(panel, _)| *panel);
    }

    /// Resizes the side columns and the timeline for a window of `size` points, relative to the last size. The viewport gets the
    /// rest.
    fn fit(&mut self, size: egui::Vec2) {
        let columns = side_share_factor(size.x) / side_share_factor(self.width);
        let timeline_change = timeline_share_factor(size.y) / timeline_share_factor(self.height);
        (self.width, self.height) = (size.x, size.y);
        let tiles = &mut self.tree.tiles;
        let timeline = tiles.find_pane(&Panel::Timeline);
        let mut viewport_branch = tiles.find_pane(&Panel::Viewport);
        while let Some((child, parent)) = viewport_branch.and_then(|child| Some((child, tiles.parent_of(child)?))) {
            if let Some(Tile::Container(Container::Linear(linear))) = tiles.get_mut(parent) {
                match linear.dir {
                    LinearDir::Horizontal => resize_siblings(linear, child, |_| true, columns),
                    LinearDir::Vertical => {
                        resize_siblings(linear, child, |side| Some(side) == timeline, timeline_change)
                    }
                }
            }
            viewport_branch = Some(parent);
        }
    }

    /// Wraps panels that were dropped without tabs into tabs, so that they can be dragged again. Viewport and timeline are
    /// fixed and need none.
    fn wrap_panes_in_tabs(&mut self) {
        let tiles = &mut self.tree.tiles;
        let is_untabbed = |tile: &Tile<Panel>| matches!(tile, Tile::Pane(panel) if !panel.is_fixed());
        let panes: Vec<TileId> = tiles.iter().filter(|(_, tile)| is_untabbed(tile)).map(|(id, _)| *id).collect();
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

/// Multiplies the shares of the siblings of `main` that are `sized` by `change`. `main` gets the rest, at least 10 % of the
/// total.
fn resize_siblings(linear: &mut Linear, main: TileId, sized: impl Fn(TileId) -> bool, change: f32) {
    if change == 1.0 {
        return;
    }
    let shares = |linear: &Linear| linear.children.iter().map(|&each| linear.shares[each]).sum::<f32>();
    let total = shares(linear);
    let sides: Vec<TileId> = linear.children.iter().copied().filter(|&each| each != main && sized(each)).collect();
    sides.iter().for_each(|&side| linear.shares.set_share(side, linear.shares[side] * change));
    let rest = total - (shares(linear) - linear.shares[main]);
    linear.shares.set_share(main, rest.max(0.1 * total));
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

/// Returns the accessible name of a panel region. Its tab shows the plain panel name.
pub(crate) fn region(panel: Panel) -> String {
    tr_with("dock.region", &[("panel", tr(&format!("panel.{}", panel.name())))])
}

/// Draws the question mark that opens the guide at the page of `panel`.
fn mark(ui: &mut egui::Ui, panel: Panel) {
    guide::mark(ui, guide::of_panel(panel), &tr(&format!("panel.{}", panel.name())));
}

struct PanelBehavior<'a> {
    draw: &'a mut dyn FnMut(&mut egui::Ui, Panel),
    drawn: &'a mut Vec<(Panel, egui::Rect)>,
    next_focus: Option<Panel>,
}

impl PanelBehavior<'_> {
    /// Draws `panel` alone under a bar with its name. Returns true if the layout is to be restored.
    fn alone(&mut self, ui: &mut egui::Ui, panel: Panel) -> bool {
        let mut restores = false;
        egui::Frame::new().inner_margin(egui::Margin::symmetric(12, 2)).show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.label(egui::RichText::new(tr(&format!("panel.{}", panel.name()))).font(theme::strong()));
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    let name = label_with_shortcut("maximize_panel");
                    restores = widgets::icon_button(ui, ICON_CLOSE_FULLSCREEN, &name).clicked();
                    mark(ui, panel);
                });
            });
        });
        let rect = ui.available_rect_before_wrap();
        ui.scope_builder(egui::UiBuilder::new().max_rect(rect).id_salt(("maximized", panel.name())), |ui| {
            ui.set_clip_rect(rect);
            self.focusable(ui, panel);
            (self.draw)(ui, panel);
        });
        restores
    }

    /// Makes the panel focusable as a whole; Tab then moves into its contents.
    fn focusable(&mut self, ui: &egui::Ui, panel: Panel) {
        let rect = ui.max_rect();
        self.drawn.push((panel, rect));
        let response = ui.interact(rect, ui.id().with("panel"), egui::Sense::focusable_noninteractive());
        let name = region(panel);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Panel, true, &name));
        if self.next_focus == Some(panel) {
            response.request_focus();
        }
    }
}

impl Behavior<Panel> for PanelBehavior<'_> {
    fn pane_ui(&mut self, ui: &mut egui::Ui, _: TileId, panel: &mut Panel) -> UiResponse {
        self.focusable(ui, *panel);
        (self.draw)(ui, *panel);
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, panel: &Panel) -> egui::WidgetText {
        egui::RichText::new(tr(&format!("panel.{}", panel.name()))).font(theme::strong()).into()
    }

    fn top_bar_right_ui(&mut self, tiles: &Tiles<Panel>, ui: &mut egui::Ui, _: TileId, tabs: &Tabs, _: &mut f32) {
        if let Some(Tile::Pane(panel)) = tabs.active.and_then(|active| tiles.get(active)) {
            ui.add_space(theme::GAP_SMALL);
            mark(ui, *panel);
        }
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

    // The window is cleared to the panel colour, so tab bars stay transparent.
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
