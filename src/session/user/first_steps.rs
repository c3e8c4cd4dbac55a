//! Checklists of first steps for each system. Completion is derived from the document, so steps are checked
//! automatically.

use crate::{Exports, OpenDocument};
use portamento_takes::document::{StageKind, Take};

/// A checklist topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lesson {
    /// Stretching a clip to a new end.
    Stretch,
    /// Blending clips by events.
    Blend,
    /// Dynamic bones.
    Dynamics,
    /// Looping motion.
    Loop,
    /// Walking through a level.
    Walk,
}

/// A step of a checklist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstStep {
    /// Suffix of its translation key.
    pub key: &'static str,
    /// True if the step is done.
    pub is_done: bool,
}

impl OpenDocument<'_> {
    /// Returns the steps of `lesson` in order; `exports` shows whether anything was exported.
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
                ("dynamics_chain", any(|take| chain_and_collider_count(take).is_some_and(|of| of.0 > 0))),
                ("dynamics_collider", any(|take| chain_and_collider_count(take).is_some_and(|of| of.1 > 0))),
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

/// Returns the number of chains and colliders.
fn chain_and_collider_count(take: &Take) -> Option<(usize, usize)> {
    take.stages.iter().find_map(|stage| match &stage.kind {
        StageKind::Dynamics(dynamics) => Some((dynamics.settings.chains.len(), dynamics.settings.colliders.len())),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, FileCommand, Session};

    const LESSONS: [Lesson; 5] = [Lesson::Stretch, Lesson::Blend, Lesson::Dynamics, Lesson::Loop, Lesson::Walk];

    fn left(session: &Session, lesson: Lesson) -> Vec<&'static str> {
        let steps = session.opened().first_steps(lesson, &session.exports).into_iter();
        steps.filter(|step| !step.is_done).map(|step| step.key).collect()
    }

    #[test]
    fn no_step_is_done_at_first_and_the_samples_leave_only_the_export() {
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
    fn removing_the_target_reopens_its_step() {
        let mut session = Session::inline();
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        session.perform(Command::File(FileCommand::Open(vec![folder.path().join("samples.portamento")])));
        session.document.takes.retain(|take| take.stretch(None).is_none());
        assert_eq!(left(&session, Lesson::Stretch), ["stretch_take", "stretch_target", "export"]);
    }
}
