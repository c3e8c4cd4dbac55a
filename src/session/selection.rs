//! What the user is looking at. Not part of the document, so not undone.

use std::collections::BTreeSet;

use super::painting::Painting;
use crate::document::{FileId, StageId, TakeId};

/// What is shown in the viewport and the inspector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The file, clip or take that the viewport shows.
    pub shown: Shown,
    /// The stage of the shown take that is edited; of several of a kind the first where none is chosen.
    pub stage: Option<StageId>,
    /// The highlighted joint of the shown character.
    pub joint: Option<usize>,
    /// The scene object that is edited, by its place in the list.
    pub object: Option<usize>,
    /// The event of the shown blend that is edited, by its place in the list.
    pub event: Option<usize>,
    /// The connection of the shown tree whose joint weights are edited: blend node and place among its children.
    pub link: Option<(usize, usize)>,
    /// Placed meshes that are not drawn: file and place in its list of instances.
    pub hidden: BTreeSet<(FileId, usize)>,
    /// The chain of dynamic bones whose settings are shown.
    pub chain: Option<usize>,
    /// The collider whose settings and handles are shown.
    pub collider: Option<usize>,
    /// The stop of the shown walk that is edited.
    pub stop: Option<usize>,
    /// The seed of the route under the pointer.
    pub route: Option<u64>,
    /// The brush and what it paints.
    pub painting: Painting,
}

impl Selection {
    /// Shows something else; what was selected within the last take is no longer selected.
    pub fn show(&mut self, shown: Shown) {
        if self.shown != shown {
            (self.event, self.link, self.chain, self.collider) = (None, None, None, None);
            (self.stage, self.stop, self.route) = (None, None, None);
            self.painting.leave_take();
        }
        self.shown = shown;
    }
}

impl super::Session {
    /// The place of the stage that is edited among those that are built; `None` where none is chosen or it is muted.
    pub fn stage_index(&self) -> Option<usize> {
        let Shown::Take(id) = self.selection.shown else { return None };
        self.document.take(id)?.built_index(self.selection.stage?)
    }
}

/// What plays in the viewport.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Shown {
    /// Nothing is open.
    #[default]
    Nothing,
    /// A file in its rest pose.
    File(FileId),
    /// A clip as its file has it, on a character.
    Clip {
        /// Whose skeleton moves.
        character: FileId,
        /// Where the clip is.
        file: FileId,
        /// The clip's name.
        clip: String,
    },
    /// A take of the document.
    Take(TakeId),
}
