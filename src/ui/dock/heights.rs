//! Heights that panels have whatever their shares: the timeline one of its own, and what is below the viewport enough to tell
//! something.

use egui_tiles::{Container, Linear, LinearDir, Tile, TileId};

use super::{Dock, Panel};

/// The lowest that panels below the viewport are, points: their tabs, a line of controls and about three lines of what they show.
const LOWEST: f32 = 116.0;

/// A tile with the share that it had, and what it has instead while it is drawn.
pub(super) struct Held {
    tile: TileId,
    share: f32,
    instead: f32,
}

impl Dock {
    /// Makes the timeline `height` points of `room` high.
    pub(super) fn hold_timeline(&mut self, height: f32, room: f32) -> Option<Held> {
        let timeline = self.tree.tiles.find_pane(&Panel::Timeline)?;
        self.hold(timeline, height, room)
    }

    /// Makes what is below the viewport high enough, as far as that leaves the viewport as much.
    pub(super) fn hold_lower(&mut self) -> Option<Held> {
        let lower = self.lower_tabs()?;
        // As high as it was drawn last.
        let room = self.tree.tiles.rect(self.tree.tiles.parent_of(lower)?)?.height();
        let height = LOWEST.min(0.5 * room);
        let column = self.column_of(lower)?;
        let has = room * column.shares[lower] / column.children.iter().map(|&each| column.shares[each]).sum::<f32>();
        if has < height { self.hold(lower, height, room) } else { None }
    }

    /// Gives what was held its share back, unless it was dragged meanwhile.
    pub(super) fn release(&mut self, held: Held) {
        if let Some(column) = self.column_of(held.tile).filter(|column| column.shares[held.tile] == held.instead) {
            column.shares.set_share(held.tile, held.share);
        }
    }

    /// Makes `tile` `height` points of `room` high.
    fn hold(&mut self, tile: TileId, height: f32, room: f32) -> Option<Held> {
        let column = self.column_of(tile)?;
        let others: f32 = column.children.iter().filter(|&&each| each != tile).map(|&each| column.shares[each]).sum();
        let (share, instead) = (column.shares[tile], others * height / (room - height).max(1.0));
        column.shares.set_share(tile, instead);
        Some(Held { tile, share, instead })
    }

    /// The column that has `tile` directly; `None` where it stands beside others.
    fn column_of(&mut self, tile: TileId) -> Option<&mut Linear> {
        let tiles = &mut self.tree.tiles;
        let parent = tiles.parent_of(tile)?;
        match tiles.get_mut(parent)? {
            Tile::Container(Container::Linear(linear)) if linear.dir == LinearDir::Vertical => Some(linear),
            _ => None,
        }
    }
}
