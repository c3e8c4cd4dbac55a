//! Checklists of first steps for each system. Completion is derived from the document and its history, so steps are
//! checked automatically.

use crate::Session;
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

impl Session {
    /// Returns the steps of `lesson` in order. Steps of takes are done once the user added or changed such a take; a take that
    /// came with the opened project does not count.
    pub fn first_steps(&self, lesson: Lesson) -> Vec<FirstStep> {
        let (document, start) = (&self.document, self.history.start());
        let own: Vec<&Take> = document.takes.iter().filter(|take| start.take(take.id) != Some(*take)).collect();
        let any = |fits: fn(&Take) -> bool| own.iter().any(|take| fits(take));
        let is_open = !document.files.is_empty();
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
            Lesson::Loop => vec![("loop_open", is_open || !own.is_empty()), ("loop_take", any(Take::repeats))],
            Lesson::Walk => vec![
                ("walk_open", document.files.iter().any(|file| self.opened().is_level(file.id))),
                ("walk_take", any(|take| take.walk().is_some())),
                ("walk_stops", any(|take| take.walk().is_some_and(|walk| walk.stops.len() > 1))),
            ],
        };
        let exported = self.exports.reports().iter().flat_map(|report| &report.takes);
        let mut exported = exported.filter_map(|of| document.takes.iter().find(|take| of.clip.contains(&take.name)));
        steps.push(("export", exported.any(|take| lesson.is_about(take))));
        steps.into_iter().map(|(key, is_done)| FirstStep { key, is_done }).collect()
    }
}

impl Lesson {
    /// True if `take` is what the lesson makes.
    fn is_about(self, take: &Take) -> bool {
        match self {
            Self::Stretch => take.stretch(None).is_some(),
            Self::Blend => take.blend().is_some(),
            Self::Dynamics => chain_and_collider_count(take).is_some(),
            Self::Loop => take.repeats(),
            Self::Walk => take.walk().is_some(),
        }
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
    use crate::{Command, EditCommand, ExportRequest, FileCommand};

    const LESSONS: [Lesson; 5] = [Lesson::Stretch, Lesson::Blend, Lesson::Dynamics, Lesson::Loop, Lesson::Walk];

    fn left(session: &Session, lesson: Lesson) -> Vec<&'static str> {
        let steps = session.first_steps(lesson).into_iter();
        steps.filter(|step| !step.is_done).map(|step| step.key).collect()
    }

    fn samples(folder: &std::path::Path) -> Session {
        let mut session = Session::inline();
        crate::samples::write_all(folder).unwrap();
        session.perform(Command::File(FileCommand::Open(vec![folder.join("samples.portamento")])));
        session.update(0.0, true);
        session
    }

    #[test]
    fn no_step_is_done_at_first_and_opening_the_samples_only_opens() {
        let session = Session::inline();
        for lesson in LESSONS {
            assert_eq!(left(&session, lesson).len(), session.first_steps(lesson).len(), "{lesson:?}");
        }
        let folder = tempfile::tempdir().unwrap();
        let session = samples(folder.path());
        for lesson in LESSONS {
            assert_eq!(left(&session, lesson).len(), session.first_steps(lesson).len() - 1, "{lesson:?}");
        }
    }

    #[test]
    fn what_the_user_does_ticks_only_the_steps_of_its_workspace() {
        let folder = tempfile::tempdir().unwrap();
        let mut session = samples(folder.path());
        let others: Vec<_> = LESSONS[1..].iter().map(|&lesson| left(&session, lesson)).collect();
        let take = session.document.takes.iter_mut().find(|take| take.stretch(None).is_some()).unwrap();
        take.name = "leap on".into();
        let id = take.id;
        session.update(0.0, true);
        assert_eq!(left(&session, Lesson::Stretch), ["export"]);
        let request = ExportRequest { takes: vec![id], destination: folder.path().join("out"), ..Default::default() };
        session.perform(Command::File(FileCommand::Export(request)));
        session.update(0.0, true);
        assert_eq!(left(&session, Lesson::Stretch), [""; 0]);
        assert_eq!(LESSONS[1..].iter().map(|&lesson| left(&session, lesson)).collect::<Vec<_>>(), others);
        session.perform(Command::Edit(EditCommand::Remove(vec![id])));
        assert_eq!(left(&session, Lesson::Stretch), ["stretch_take", "stretch_target", "export"]);
    }
}
