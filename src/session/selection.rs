//! The user's selection. Not part of the document, so changes are not undoable.

use std::collections::BTreeSet;

use super::painting::Painting;
use super::posing::{PoseAxes, PoseTool};
use super::shown_motion::Shown;
use portamento_takes::document::{Document, FileId, StageId, TakeId};

/// The shown and selected items of the window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The file, clip or take in the viewport.
    pub shown: Shown,
    /// The last shown take, also while something else is shown.
    pub last_take: Option<TakeId>,
    /// True if the window keeps its current workspace for the shown item.
    pub is_aside: bool,
    /// The takes selected in the outliner, including the shown one if selected there.
    pub takes: Vec<TakeId>,
    /// The selected stage of the shown take; `None` uses the first of a kind.
    pub stage: Option<StageId>,
    /// The highlighted joint of the shown character.
    pub joint: Option<usize>,
    /// That joint, and the file whose skeleton it belongs to.
    joint_owner: Option<(usize, FileId)>,
    /// True if the view moves to that joint once the frame at the playhead is drawn.
    pub is_joint_sought: bool,
    /// Index of the stretch window whose target has handles, in order of time; `None` uses the last.
    pub window: Option<usize>,
    /// Index of the selected scene object.
    pub object: Option<usize>,
    /// Index of the selected event of the shown blend.
    pub event: Option<usize>,
    /// The selected connection of the shown tree, whose joint weights are edited: blend node and child index.
    pub link: Option<(usize, usize)>,
    /// Name of the state whose weights are edited; empty for the default state.
    pub state: String,
    /// Hidden mesh instances: file and instance index.
    pub hidden: BTreeSet<(FileId, usize)>,
    /// Index of the selected chain of dynamic bones.
    pub chain: Option<usize>,
    /// Index of the selected collider.
    pub collider: Option<usize>,
    /// Index of the selected stop of the shown walk.
    pub stop: Option<usize>,
    /// Seed of the route under the pointer.
    pub route: Option<u64>,
    /// The tool and the axes of the handles of a posed joint.
    pub posing: (PoseTool, PoseAxes),
    /// The settings of the paint tool.
    pub painting: Painting,
}

impl Selection {
    /// Shows another item and clears the selection within the previous one. The highlighted joint and the selected object
    /// stay.
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

    /// Shows a clip on the character of its own file, and clears the joint selection.
    pub(super) fn show_clip(&mut self, file: FileId, clip: String) {
        self.show(Shown::Clip { character: file, file, clip });
        self.joint = None;
    }

    /// Highlights `joint` of the shown item, which may have changed just before.
    pub fn show_joint(&mut self, joint: usize) {
        (self.joint, self.joint_owner) = (Some(joint), None);
    }

    /// Drops the highlighted joint if it was chosen on another file than `character`: the same index is another joint there.
    pub(super) fn drop_foreign_joint(&mut self, character: Option<FileId>) {
        self.joint_owner = match (self.joint.zip(character), self.joint_owner) {
            (Some((joint, character)), Some((known, owner))) if known == joint && owner != character => {
                self.joint = None;
                None
            }
            (now, _) => now,
        };
    }

    /// Shows another item without leaving the current workspace.
    pub fn show_aside(&mut self, shown: Shown) {
        self.show(shown);
        self.is_aside = true;
    }

    /// Returns the selected takes in project order; empty unless several are selected.
    pub fn chosen_takes(&self, document: &Document) -> Vec<TakeId> {
        let ids = document.takes.iter().map(|take| take.id);
        let chosen: Vec<TakeId> = ids.filter(|id| self.takes.contains(id)).collect();
        if chosen.len() > 1 { chosen } else { Vec::new() }
    }

    /// Returns the stage whose settings are shown: the selected one, otherwise the first. `None` if no take is shown or it has
    /// no stages.
    pub fn open_stage(&self, document: &Document) -> Option<StageId> {
        let Shown::Take(id) = self.shown else { return None };
        let take = document.take(id)?;
        let chosen = self.stage.filter(|&stage| take.stage(stage).is_some());
        chosen.or(take.stages.first().map(|stage| stage.id))
    }

    /// Returns the index of the selected stage among the built stages; `None` if none is selected or it is muted.
    pub fn stage_index(&self, document: &Document) -> Option<usize> {
        let Shown::Take(id) = self.shown else { return None };
        document.take(id)?.built_index(self.stage?)
    }
}
