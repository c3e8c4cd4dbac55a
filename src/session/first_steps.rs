//! What is done first with each system, and what of that is done: told from the document alone, so that steps check themselves off.

use super::{Exports, OpenDocument};
use crate::document::{StageKind, Take};

/// What is learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lesson {
    /// A clip brought to another end.
    Stretch,
    /// Clips mixed by events.
    Blend,
    /// Bones that swing.
    Dynamics,
    /// Motion that repeats.
    Loop,
    /// A way through a level.
    Walk,
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstStep {
    /// Its name in translations.
    pub key: &'static str,
    /// Whether it is done.
    pub is_done: bool,
}

impl OpenDocument<'_> {
    /// The steps of `lesson` in order; whether anything was exported is told by `exports`.
    pub fn first_steps(self, lesson: Lesson, exports: &Exports) -> Vec<FirstStep> {
        let takes = &self.document.takes;
        let any = |fits: fn(&Take) -> bool| takes.iter().any(fits);
        let is_open = !self.document.files.is_empty();
        let mut steps = match lesson {
            Lesson::Stretch => vec![
                ("open", is_open),
                ("stretch_take", any(|take| take.stretch(None).is_some())),
                ("stretch_target", any(has_target)),
            ],
            Lesson::Blend => vec![
                ("open", is_open),
                ("blend_take", any(|take| take.blend().is_some())),
                ("blend_event", any(|take| events(take) > 1)),
            ],
            Lesson::Dynamics => vec![
                ("open", is_open),
                ("dynamics_chain", any(|take| swinging(take).is_some_and(|of| of.0 > 0))),
                ("dynamics_collider", any(|take| swinging(take).is_some_and(|of| of.1 > 0))),
            ],
            Lesson::Loop => vec![("loop_open", is_open || !takes.is_empty()), ("loop_take", any(Take::repeats))],
            Lesson::Walk => vec![
                ("walk_open", self.document.files.iter().any(|file| self.is_level(file.id))),
                ("walk_take", any(|take| take.walk().is_some())),
                ("walk_stops", any(|take| take.walk().is_some_and(|walk| walk.stops.len() > 1))),
            ],
        };
        steps.push(("export", !exports.reports().is_empty()));
        steps.into_iter().map(|(key, is_done)| FirstStep { key, is_done }).collect()
    }
}

fn has_target(take: &Take) -> bool {
    take.stretch(None).is_some_and(|stretch| stretch.settings.target.is_some() || !stretch.settings.windows.is_empty())
}

fn events(take: &Take) -> usize {
    take.blend().and_then(|blend| blend.settings.standard()).map_or(0, |scenario| scenario.events.len())
}

/// How many chains swing and how many colliders are in their way.
fn swinging(take: &Take) -> Option<(usize, usize)> {
    take.stages.iter().find_map(|stage| match &stage.kind {
        StageKind::Dynamics(dynamics) => Some((dynamics.settings.chains.len(), dynamics.settings.colliders.len())),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Command, FileCommand, Session};

    const LESSONS: [Lesson; 5] = [Lesson::Stretch, Lesson::Blend, Lesson::Dynamics, Lesson::Loop, Lesson::Walk];

    fn left(session: &Session, lesson: Lesson) -> Vec<&'static str> {
        let steps = session.opened().first_steps(lesson, &session.exports).into_iter();
        steps.filter(|step| !step.is_done).map(|step| step.key).collect()
    }

    #[test]
    fn nothing_is_done_at_first_and_the_samples_leave_only_the_export() {
        let mut session = Session::inline();
        for lesson in LESSONS {
            assert_eq!(
                left(&session, lesson).len(),
                session.opened().first_steps(lesson, &session.exports).len(),
                "{lesson:?}"
            );
        }
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        session.perform(Command::File(FileCommand::Open(vec![folder.path().join("samples.portamento")])));
        session.update(0.0, true);
        for lesson in LESSONS {
            assert_eq!(left(&session, lesson), ["export"], "{lesson:?}");
        }
    }

    #[test]
    fn a_target_that_is_taken_away_is_to_do_again() {
        let mut session = Session::inline();
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        session.perform(Command::File(FileCommand::Open(vec![folder.path().join("samples.portamento")])));
        session.document.takes.retain(|take| take.stretch(None).is_none());
        assert_eq!(left(&session, Lesson::Stretch), ["stretch_take", "stretch_target", "export"]);
    }
}
