//! A timeline of a height of its own, whatever its share.

use egui_tiles::{Container, Linear, LinearDir, Tile, TileId};

use super::{Dock, Panel};

impl Dock {
    /// Makes the timeline `height` points of `room` high; answers the share that it had.
    pub(super) fn hold_timeline(&mut self, height: f32, room: f32) -> Option<f32> {
        let (column, timeline) = self.timeline_column()?;
        let share = column.shares[timeline];
        let others: f32 =
            column.children.iter().filter(|&&each| each != timeline).map(|&each| column.shares[each]).sum();
        column.shares.set_share(timeline, others * height / (room - height).max(1.0));
        Some(share)
    }

    /// Gives the timeline its `share` back.
    pub(super) fn share_timeline(&mut self, share: f32) {
        if let Some((column, timeline)) = self.timeline_column() {
            column.shares.set_share(timeline, share);
        }
    }

    /// The column that has the timeline directly, and its tile; `None` where it stands beside others.
    fn timeline_column(&mut self) -> Option<(&mut Linear, TileId)> {
        let tiles = &mut self.tree.tiles;
        let timeline = tiles.find_pane(&Panel::Timeline)?;
        let parent = tiles.parent_of(timeline)?;
        match tiles.get_mut(parent)? {
            Tile::Container(Container::Linear(linear)) if linear.dir == LinearDir::Vertical => Some((linear, timeline)),
            _ => None,
        }
    }
}
