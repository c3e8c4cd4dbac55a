//! Fixed heights that override shares while the dock is drawn: a given timeline height, and a minimum height of the lower tabs.

use egui_tiles::{Container, Linear, LinearDir, Tile, TileId};

use super::{Dock, Panel};

/// Minimum height of the lower tabs in points: the tab bar, a line of controls and about three lines of content.
const LOWER_TABS_MIN_HEIGHT: f32 = 116.0;

/// A tile's stored share and the temporary share that it has while it is drawn.
pub(super) struct FixedTile {
    tile: TileId,
    share: f32,
    temporary_share: f32,
}

impl Dock {
    /// Gives the timeline a height of `height` points in its column of `room` points until [`release`](Self::release) gets the
    /// returned tile. Returns `None` and changes nothing if the timeline is in no column.
    pub(super) fn fix_timeline_height(&mut self, height: f32, room: f32) -> Option<FixedTile> {
        let timeline = self.tree.tiles.find_pane(&Panel::Timeline)?;
        self.fix_height(timeline, height, room)
    }

    /// Gives the lower tabs their minimum height, but at most half of their column, until [`release`](Self::release) gets the
    /// returned tile. Returns `None` and changes nothing if they are high enough or in no column, or before the first frame.
    pub(super) fn fix_lower_tabs_height(&mut self) -> Option<FixedTile> {
        let lower = self.lower_tabs()?;
        // The column's height in the last frame.
        let room = self.tree.tiles.rect(self.tree.tiles.parent_of(lower)?)?.height();
        let height = LOWER_TABS_MIN_HEIGHT.min(0.5 * room);
        let column = self.column_of(lower)?;
        let current_height =
            room * column.shares[lower] / column.children.iter().map(|&each| column.shares[each]).sum::<f32>();
        if current_height < height { self.fix_height(lower, height, room) } else { None }
    }

    /// Restores the share of a fixed tile, unless the user dragged its edge meanwhile.
    pub(super) fn release(&mut self, fixed: FixedTile) {
        if let Some(column) =
            self.column_of(fixed.tile).filter(|column| column.shares[fixed.tile] == fixed.temporary_share)
        {
            column.shares.set_share(fixed.tile, fixed.share);
        }
    }

    /// Gives `tile` a height of `height` points in its column of `room` points. Returns the share to restore later; `None` if the
    /// tile is in no column.
    fn fix_height(&mut self, tile: TileId, height: f32, room: f32) -> Option<FixedTile> {
        let column = self.column_of(tile)?;
        let others: f32 = column.children.iter().filter(|&&each| each != tile).map(|&each| column.shares[each]).sum();
        let (share, temporary_share) = (column.shares[tile], others * height / (room - height).max(1.0));
        column.shares.set_share(tile, temporary_share);
        Some(FixedTile { tile, share, temporary_share })
    }

    /// Returns the column that directly contains `tile`, or `None` if the parent is not a column.
    fn column_of(&mut self, tile: TileId) -> Option<&mut Linear> {
        let tiles = &mut self.tree.tiles;
        let parent = tiles.parent_of(tile)?;
        match tiles.get_mut(parent)? {
            Tile::Container(Container::Linear(linear)) if linear.dir == LinearDir::Vertical => Some(linear),
            _ => None,
        }
    }
}
