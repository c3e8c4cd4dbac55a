//! The fades of a blend, changed and looked at as they come out.

use std::sync::Arc;

use crate::document::{Document, Library, TakeId};
use crate::evaluate::BuiltTake;
use crate::session::evaluation::builds::Builds;
use crate::session::{OpenDocument, Session};
use crate::systems::blend::Event;

/// The fades of one blend of the document, to be changed.
pub struct Fades<'a> {
    take: TakeId,
    document: &'a mut Document,
    library: &'a Library,
    builds: &'a mut Builds,
}

impl Session {
    /// The fades of blend `take`.
    pub fn fades(&mut self, take: TakeId) -> Fades<'_> {
        let builds = &mut self.evaluation.builds;
        Fades { take, document: &mut self.document, library: &self.library, builds }
    }
}

impl Fades<'_> {
    pub(super) fn events(&mut self) -> Option<&mut Vec<Event>> {
        let blend = self.document.take_mut(self.take)?.blend_mut()?;
        blend.settings.standard_mut().map(|scenario| &mut scenario.events)
    }

    /// The take as it is now; `None` where it cannot be built.
    pub(super) fn built(&mut self) -> Option<Arc<BuiltTake>> {
        let opened = OpenDocument { document: self.document, library: self.library };
        self.builds.take(opened, self.document.take(self.take)?).ok()
    }
}
