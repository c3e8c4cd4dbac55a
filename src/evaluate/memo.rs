//! Built takes, kept while what they were made from is equal.
//!
//! A take without its last step is kept like a take of its own, so that a change to a modifier leaves the slow work before it
//! alone.

use std::sync::Arc;

use super::inputs::Inputs;
use super::{BuiltTake, TakeError, source, stages};
use crate::anim::Clip;
use crate::document::{Document, Library, Take};
use crate::progress::Progress;

/// The takes built lately.
#[derive(Debug, Default)]
pub struct Memo {
    newest_first: Vec<(Inputs, Arc<BuiltTake>)>,
}

/// Takes and parts of takes kept: enough to flip between all takes of a usual project.
const CAPACITY: usize = 72;

impl Memo {
    /// `take` of `document` built, or as it was built before from equal inputs.
    pub fn take(
        &mut self,
        document: &Document,
        library: &Library,
        take: &Take,
        progress: &Progress,
    ) -> Result<Arc<BuiltTake>, TakeError> {
        self.built(Inputs::of(document, library, take)?, progress)
    }

    fn built(&mut self, inputs: Inputs, progress: &Progress) -> Result<Arc<BuiltTake>, TakeError> {
        if let Some(at) = self.newest_first.iter().position(|(known, _)| *known == inputs) {
            let entry = self.newest_first.remove(at);
            self.newest_first.insert(0, entry);
            return Ok(self.newest_first[0].1.clone());
        }
        let built = match inputs.before() {
            None => Arc::new(source::build(&inputs, progress)?),
            Some(before) => {
                let before = self.built(before, progress)?;
                last_step(&inputs, before, progress)?
            }
        };
        self.newest_first.insert(0, (inputs, built.clone()));
        self.newest_first.truncate(CAPACITY);
        Ok(built)
    }
}

fn last_step(inputs: &Inputs, before: Arc<BuiltTake>, progress: &Progress) -> Result<Arc<BuiltTake>, TakeError> {
    match (&inputs.name, inputs.modifiers.last()) {
        (Some(name), _) if before.clip.name != *name => {
            let clip = Arc::new(Clip { name: name.clone(), ..Clip::clone(&before.clip) });
            Ok(Arc::new(BuiltTake { clip, ..BuiltTake::clone(&before) }))
        }
        (None, Some(modifier)) => {
            let mut built = BuiltTake::clone(&before);
            stages::apply(modifier, inputs, &mut built, progress)?;
            Ok(Arc::new(built))
        }
        _ => Ok(before),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::take::{Dynamics, Stretch};
    use crate::document::{Modifier, TakeId};
    use crate::session::{Command, FileCommand, Session};
    use crate::systems::dynamics::Chain;
    use crate::systems::stretch::Target;

    #[test]
    fn a_late_change_leaves_early_stages_alone() {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![folder.path().join("hero.glb")])));
        let file = session.document.files[0].id;
        let mut dynamics = Dynamics::default();
        dynamics.settings.chains.push(Chain { joint: 1, end_length: 0.1, ..Chain::default() });
        let mut stretch = Stretch::default();
        stretch.settings.target = Some(Target::World(glam::DVec3::Z));
        let mut take = Take {
            id: TakeId(9),
            name: "one".into(),
            character: file,
            source: crate::document::TakeSource::Clip { file, clip: "leap_strike".into() },
            modifiers: vec![Modifier::Dynamics(Box::new(dynamics)), Modifier::Stretch(Box::new(stretch))],
        };
        let mut memo = Memo::default();
        let (document, library) = (&session.document, &session.library);
        let mut build = |take: &Take| memo.take(document, library, take, &Progress::new()).unwrap();
        let first = build(&take);
        take.name = "two".into();
        take.stretch_mut().unwrap().settings.target = Some(Target::World(glam::DVec3::X));
        let second = build(&take);
        let simulation = |built: &BuiltTake| match &built.stages[0] {
            stages::Stage::Dynamics(built) => built.clone(),
            _ => unreachable!(),
        };
        assert!(Arc::ptr_eq(&simulation(&first), &simulation(&second)));
        assert_eq!((first.clip.name.as_str(), second.clip.name.as_str()), ("one", "two"));
        assert_ne!(first.clip.tracks, second.clip.tracks);
        assert!(Arc::ptr_eq(&second, &build(&take)));
    }
}
