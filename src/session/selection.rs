//! What the user is looking at. Not part of the document, so not undone.

use std::collections::BTreeSet;

use super::painting::Painting;
use super::shown_motion::Shown;
use crate::document::{Document, FileId, StageId, TakeId};

/// What is shown in the viewport and the inspector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The file, clip or take that the viewport shows.
    pub shown: Shown,
    /// The take that was shown last, also while something else is.
    pub last_take: Option<TakeId>,
    /// Whether it was shown for the user to go on where they are: the window keeps its workspace.
    pub is_aside: bool,
    /// The takes that are chosen in the list of takes, the shown one among them where it was chosen there.
    pub takes: Vec<TakeId>,
    /// The stage of the shown take that is edited; of several of a kind the first where none is chosen.
    pub stage: Option<StageId>,
    /// The highlighted joint of the shown character.
    pub joint: Option<usize>,
    /// Whether that joint is brought into sight once the playhead's frame is drawn.
    pub is_joint_sought: bool,
    /// The window of the shown stretch whose target is dragged by arrows, counted in order of time; the last where none is chosen.
    pub window: Option<usize>,
    /// The scene object that is edited, by its place in the list.
    pub object: Option<usize>,
    /// The event of the shown blend that is edited, by its place in the list.
    pub event: Option<usize>,
    /// The connection of the shown tree whose joint weights are edited: blend node and place among its children.
    pub link: Option<(usize, usize)>,
    /// The state of the shown tree whose weights are edited, by its name; empty for the tree as it is drawn.
    pub state: String,
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
            (self.stage, self.stop, self.route, self.window) = (None, None, None, None);
            self.state.clear();
            self.takes.clear();
            self.painting.leave_take();
        }
        if let Shown::Take(take) = shown {
            self.last_take = Some(take);
        }
        self.shown = shown;
        self.is_aside = false;
    }

    /// Shows a clip on the character of its own file, with no joint selected.
    pub(super) fn show_clip(&mut self, file: FileId, clip: String) {
        self.show(Shown::Clip { character: file, file, clip });
        self.joint = None;
    }

    /// Shows something else while the user goes on where they are.
    pub fn show_aside(&mut self, shown: Shown) {
        self.show(shown);
        self.is_aside = true;
    }

    /// The takes that are chosen together, in the order of the project; none where no more than one is.
    pub fn chosen_takes(&self, document: &Document) -> Vec<TakeId> {
        let ids = document.takes.iter().map(|take| take.id);
        let chosen: Vec<TakeId> = ids.filter(|id| self.takes.contains(id)).collect();
        if chosen.len() > 1 { chosen } else { Vec::new() }
    }

    /// The stage whose settings are shown: the one that was chosen, else the first.
    pub fn open_stage(&self, document: &Document) -> Option<StageId> {
        let Shown::Take(id) = self.shown else { return None };
        let take = document.take(id)?;
        let chosen = self.stage.filter(|&stage| take.stage(stage).is_some());
        chosen.or(take.stages.first().map(|stage| stage.id))
    }

    /// The place of the stage that is edited among those that are built; `None` where none is chosen or it is muted.
    pub fn stage_index(&self, document: &Document) -> Option<usize> {
        let Shown::Take(id) = self.shown else { return None };
        document.take(id)?.built_index(self.stage?)
    }
}
