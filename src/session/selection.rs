//! What the user is looking at. Not part of the document, so not undone.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::painting::Painting;
use super::shown_motion::Shown;
use crate::document::{FileId, StageId, TakeId};
use crate::evaluate::BuiltTake;

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

    /// The same while the user goes on where they are.
    pub fn show_aside(&mut self, shown: Shown) {
        self.show(shown);
        self.is_aside = true;
    }
}

impl super::Session {
    /// The takes that are chosen together, in the order of the project; none where no more than one is.
    pub fn chosen_takes(&self) -> Vec<TakeId> {
        let ids = self.document.takes.iter().map(|take| take.id);
        let chosen: Vec<TakeId> = ids.filter(|id| self.selection.takes.contains(id)).collect();
        if chosen.len() > 1 { chosen } else { Vec::new() }
    }

    /// The stage whose settings are shown: the one that was chosen, else the first.
    pub fn open_stage(&self) -> Option<StageId> {
        let Shown::Take(id) = self.selection.shown else { return None };
        let take = self.document.take(id)?;
        let chosen = self.selection.stage.filter(|&stage| take.stage(stage).is_some());
        chosen.or(take.stages.first().map(|stage| stage.id))
    }

    /// What is shown, for the figures of the open stage; `None` while that is muted, since they would be those of another.
    pub fn built_for_open_stage(&self) -> Option<Arc<BuiltTake>> {
        let built = self.frame_of_shown()?.built.clone();
        let Shown::Take(id) = self.selection.shown else { return built };
        let open = self.open_stage().and_then(|open| self.document.take(id)?.stage(open));
        built.filter(|_| open.is_none_or(|stage| stage.on))
    }

    /// Shows the motion that comes into the open stage, or again what comes out of the last; the playhead comes back to where
    /// it was.
    pub fn show_before_stage(&mut self, before: bool) {
        let time = self.playback.time;
        match self.before_since {
            None if before && self.open_stage().is_some() => self.before_since = Some((time, time)),
            Some((since, shown)) if !before => {
                self.before_since = None;
                // It was only cut short by a motion that ends earlier.
                self.playback.time = if time == shown { since } else { time };
            }
            Some((since, _)) => self.before_since = Some((since, time.min(since))),
            None => {}
        }
    }

    /// Whether the motion before the open stage is shown.
    pub fn is_before_stage(&self) -> bool {
        self.before_since.is_some()
    }

    /// The place of the stage that is edited among those that are built; `None` where none is chosen or it is muted.
    pub fn stage_index(&self) -> Option<usize> {
        let Shown::Take(id) = self.selection.shown else { return None };
        self.document.take(id)?.built_index(self.selection.stage?)
    }
}
