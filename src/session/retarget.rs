//! Takes of one character's motion on another.

use super::Session;
use crate::document::clip_ref::referred_take;
use crate::document::{FileId, Retarget, Take, TakeId, TakeSource};
use crate::systems::retarget;

impl Session {
    /// The open characters and rigs but `other`, by file and name.
    pub fn rigs_beside(&self, other: FileId) -> Vec<(FileId, String)> {
        let rig = |file: &crate::document::SourceFile| {
            let loaded = self.library.get(file.id)?;
            let is_rig = self.document.character(file.id).is_some_and(|known| known.roles.hips.is_some());
            (file.id != other && is_rig).then(|| (file.id, loaded.model.name.clone()))
        };
        self.document.files.iter().filter_map(rig).collect()
    }

    /// A take of `clip` of `file`, or of a take that it names, on `character`.
    pub(super) fn add_retarget(&mut self, character: FileId, file: FileId, clip: String) {
        let title = self.document.clip_title(&clip);
        let to = self.library.get(character).map(|loaded| loaded.model.name.clone()).unwrap_or_default();
        let file = referred_take(&clip).and_then(|id| self.document.take(id)).map_or(file, |take| take.character);
        let source = Retarget { file, clip, settings: retarget::Settings::default() };
        let take = Take {
            id: TakeId(0),
            name: title.clone(),
            character,
            source: TakeSource::Retarget(Box::new(source)),
            stages: Vec::new(),
        };
        self.add_take(&format!("{title} on {to}"), take);
    }
}
