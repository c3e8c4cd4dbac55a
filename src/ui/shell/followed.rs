//! Follows the shown item: opens the workspace of a chosen take and restores its view.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::dock::{Dock, Panel};
use super::lesson;
use super::workspace::Workspace;
use crate::app::App;
use crate::panels::stages::StageView;
use portamento_render::Camera;
use portamento_session::Shown;
use portamento_takes::document::{Take, TakeId, TakeSource};

/// The last shown item and the saved views of the project's takes.
#[derive(Debug, Default)]
pub(crate) struct ShownHistory {
    shown: Shown,
    /// The number of the document that it belongs to.
    document: usize,
    /// The view of the shown item in the last frame.
    present: Option<TakeView>,
    /// The saved views of the takes shown before.
    takes: BTreeMap<TakeId, TakeView>,
    /// The project that the saved views belong to.
    project: Option<PathBuf>,
}

/// The saved view of a take.
#[derive(Clone, Debug)]
struct TakeView {
    /// Playhead, seconds.
    time: f64,
    /// Playback range, seconds.
    range: Option<(f64, f64)>,
    camera: Camera,
}

impl App {
    /// If another item is shown than in the last frame, saves the view of the previous take, restores that of a take, and
    /// switches to its workspace.
    ///
    /// The workspace stays if it is Free, the item is shown aside, or this is the first item of unsaved work. It also stays while
    /// the library is open for a fixed clip.
    pub(crate) fn follow_take(&mut self) {
        let shown = self.session.selection.shown.clone();
        let is_replaced = std::mem::replace(&mut self.followed.document, self.session.document_number)
            != self.session.document_number;
        if self.followed.shown == shown && !is_replaced {
            self.followed.present = Some(self.take_view());
            return;
        }
        let mut before = std::mem::replace(&mut self.followed.shown, shown);
        if is_replaced {
            // A take of the new document may have the id of the one shown before, but not its view.
            (before, self.followed.present) = (Shown::Nothing, None);
        }
        self.recall(&before);
        // The first item of unsaved work and the Free workspace keep the layout; a project opens in its own workspace.
        let is_new_work = before == Shown::Nothing && self.session.project.path.is_none();
        if is_new_work || self.workspace == Workspace::Free || self.session.selection.is_aside {
            return;
        }
        let Shown::Take(id) = self.followed.shown else { return };
        // Keeps the library open while the user reviews its fixed clips.
        if self.session.clips.is_mended_by(id) && self.dock.is_drawn(Panel::Clips) {
            return;
        }
        let workspace = match self.session.lesson.filter(|_| is_replaced) {
            Some(lesson) => Some(lesson::workspace(lesson)),
            None => self.session.document.take(id).and_then(of_take),
        };
        if let Some(workspace) = workspace.filter(|workspace| *workspace != self.workspace) {
            self.switch(workspace);
        }
    }

    /// Saves the view of `before`, the item shown before, and restores that of the shown take. Another project clears the saved
    /// views.
    fn recall(&mut self, before: &Shown) {
        let project = self.session.project.path.clone();
        if self.followed.project != project {
            self.followed.takes.clear();
            self.followed.project = project;
        }
        if let (Shown::Take(id), Some(look)) = (before, self.followed.present.take()) {
            self.followed.takes.insert(*id, look);
        }
        // Images have no camera that would use it up.
        self.viewport.saved_camera = None;
        let Shown::Take(id) = &self.followed.shown else { return };
        let Some(look) = self.followed.takes.get(id).cloned() else { return };
        let playback = &mut self.session.playback;
        playback.time = look.time.min(playback.duration);
        playback.range = look.range.filter(|range| range.1 <= playback.duration + 1e-6);
        self.viewport.saved_camera = Some(look.camera);
    }

    /// Returns the present view of the shown take.
    fn take_view(&self) -> TakeView {
        let playback = &self.session.playback;
        TakeView { time: playback.time, range: playback.range, camera: self.viewport.camera }
    }

    /// Switches to `workspace` with its last layout, or its default one, and saves the present layout.
    fn switch(&mut self, workspace: Workspace) {
        let known = self.docks.iter().position(|(known, _)| *known == workspace).map(|at| self.docks.remove(at).1);
        let dock = std::mem::replace(&mut self.dock, known.unwrap_or_else(|| Dock::for_workspace(workspace)));
        self.docks.retain(|(known, _)| *known != self.workspace);
        self.docks.push((self.workspace, dock));
        self.workspace = workspace;
    }
}

/// Returns the workspace of the take's source, or else of its last active stage that has one. `None` leaves the workspace.
fn of_take(take: &Take) -> Option<Workspace> {
    match take.source {
        TakeSource::Walk(_) => return Some(Workspace::Walk),
        TakeSource::Scenario(_) => return Some(Workspace::Blend),
        TakeSource::Vertices(_) | TakeSource::Images { .. } | TakeSource::Cloth(_) => return Some(Workspace::Loop),
        TakeSource::Clip { .. } | TakeSource::Retarget(_) | TakeSource::Rest { .. } => {}
    }
    let on = take.stages.iter().rev().filter(|stage| stage.is_active());
    on.filter_map(|stage| StageView::of(stage.kind.stage_type()?).workspace).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_takes::document::{FileId, Stage, StageKind};

    #[test]
    fn a_take_opens_the_workspace_of_its_source_or_of_its_last_stage() {
        let clip = TakeSource::Clip { file: FileId(1), clip: "run".into() };
        let of = |source: &TakeSource, kinds: Vec<StageKind>| {
            let (id, name, character) = (TakeId(1), String::new(), FileId(1));
            of_take(&Take { id, name, character, source: source.clone(), stages: Stage::numbered(kinds), loops: None })
        };
        let [stretch, close, trim] =
            [StageKind::Stretch(Box::default()), StageKind::Close(Box::default()), StageKind::Trim(Box::default())];
        assert_eq!(of(&clip, vec![]), None);
        assert_eq!(of(&clip, vec![stretch.clone(), trim.clone()]), Some(Workspace::Stretch));
        assert_eq!(of(&clip, vec![stretch, close.clone(), trim]), Some(Workspace::Loop));
        assert_eq!(of(&TakeSource::Walk(Box::default()), vec![close]), Some(Workspace::Walk));
        assert_eq!(of(&TakeSource::Scenario(Box::default()), vec![]), Some(Workspace::Blend));
    }
}
