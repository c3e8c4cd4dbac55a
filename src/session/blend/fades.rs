//! Editing the fades of a blend.

use std::sync::Arc;

use crate::evaluation::builds::Builds;
use crate::{OpenDocument, Session};
use portamento_blend::Event;
use portamento_takes::document::{Document, Library, TakeId};
use portamento_takes::evaluate::BuiltTake;

/// Mutable access to the fades of one blend of the document.
pub struct Fades<'a> {
    take: TakeId,
    document: &'a mut Document,
    library: &'a Library,
    builds: &'a mut Builds,
}

impl Session {
    /// Returns the fades of the blend `take`.
    pub fn fades(&mut self, take: TakeId) -> Fades<'_> {
        let builds = &mut self.evaluation.builds;
        Fades { take, document: &mut self.document, library: &self.library, builds }
    }
}

impl Fades<'_> {
    /// Returns the events of the scenario; `None` if the take is gone or has no scenario.
    pub(super) fn events(&mut self) -> Option<&mut Vec<Event>> {
        let blend = self.document.take_mut(self.take)?.blend_mut()?;
        blend.settings.standard_mut().map(|scenario| &mut scenario.events)
    }

    /// Builds the take with its current settings; `None` if it cannot be built.
    pub(super) fn built(&mut self) -> Option<Arc<BuiltTake>> {
        let opened = OpenDocument { document: self.document, library: self.library };
        self.builds.take(opened, self.document.take(self.take)?).ok()
    }
}
