//! Lessons: small projects of one take, each with a few steps. Completion is derived from the document and its history, so
//! steps are checked automatically.

use std::path::Path;

use crate::Session;
use portamento_anim::geometry::level::UpAxis;
use portamento_blend::Action;
use portamento_stretch::Target;
use portamento_takes::document::{Document, StageKind, Take, TakeSource};

/// A task that the user learns in a small project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lesson {
    /// Stretching a clip to a new end.
    Stretch,
    /// Blending clips by events.
    Blend,
    /// Dynamic hair and cape.
    Hair,
    /// Looping a motion.
    Loop,
    /// Walking through a level.
    Walk,
    /// Fixing a recording and retargeting it to a character.
    Mocap,
}

/// A step of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LessonStep {
    /// Suffix of its translation key.
    pub key: &'static str,
    /// True if the step is done.
    pub is_done: bool,
}

/// A request to open a lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonRequest {
    /// The lesson.
    pub lesson: Lesson,
    /// Name of its take in the language of the window; an empty name keeps the one in the file.
    pub title: String,
    /// True if it starts again without the changes of the user.
    pub reset: bool,
}

impl Lesson {
    /// All lessons.
    pub const ALL: [Self; 6] = [Self::Stretch, Self::Blend, Self::Hair, Self::Loop, Self::Walk, Self::Mocap];

    /// Returns the name in translation keys and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stretch => "stretch",
            Self::Blend => "blend",
            Self::Hair => "hair",
            Self::Loop => "loop",
            Self::Walk => "walk",
            Self::Mocap => "mocap",
        }
    }

    /// Returns the name of its project file.
    pub fn file_name(self) -> String {
        format!("{}.{}", self.name(), portamento_takes::document::file::EXTENSION)
    }

    /// Returns the lesson whose project in the folder of samples is `path`; `None` for any other file.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        let folder = crate::samples::folder()?;
        Self::ALL.into_iter().find(|lesson| folder.join(lesson.file_name()) == path)
    }

    /// Returns the steps in order with a test of a document against the one at the start.
    fn steps(self) -> Vec<(&'static str, IsDone)> {
        match self {
            Self::Stretch => vec![
                ("stretch_target", |now, start| targets(now) != targets(start)),
                ("stretch_feet", |now, _| any(now, |take| take.stretch(None).is_some_and(|of| of.settings.feet))),
            ],
            Self::Blend => vec![
                ("blend_cast", |now, _| any(now, |take| has_event(take, Action::Cast))),
                ("blend_end", |now, _| any(now, |take| has_event(take, Action::End))),
            ],
            Self::Hair => vec![
                ("hair_chains", |now, _| any(now, |take| chains_and_wind(take).0 > 0)),
                ("hair_wind", |now, _| any(now, |take| chains_and_wind(take).1 > 0.0)),
            ],
            Self::Loop => vec![
                ("loop_seam", |now, _| any(now, Take::repeats)),
                ("loop_retime", |now, _| any(now, |take| has_stage(take, |kind| matches!(kind, StageKind::Retime(_))))),
            ],
            Self::Walk => vec![
                ("walk_goal", |now, _| any(now, |take| take.walk().is_some_and(|walk| walk.stops.len() > 1))),
                ("walk_waypoint", |now, _| any(now, |take| take.walk().is_some_and(|walk| walk.stops.len() > 2))),
            ],
            Self::Mocap => vec![
                ("mocap_up", |now, _| now.files.iter().any(|file| file.up == Some(UpAxis::Z))),
                ("mocap_fix", |now, _| any(now, |take| has_stage(take, |kind| matches!(kind, StageKind::Cleanup(_))))),
                ("mocap_retarget", |now, _| any(now, |take| matches!(take.source, TakeSource::Retarget(_)))),
            ],
        }
    }
}

/// A test of the present document against the one at the start of the lesson.
type IsDone = fn(&Document, &Document) -> bool;

impl Session {
    /// Returns the steps of `lesson` in order, tested with the present document; the last one is the export.
    pub fn lesson_steps(&self, lesson: Lesson) -> Vec<LessonStep> {
        let (now, start) = (&self.document, self.history.start());
        let steps = lesson.steps().into_iter();
        let mut steps: Vec<LessonStep> =
            steps.map(|(key, is_done)| LessonStep { key, is_done: is_done(now, start) }).collect();
        let mut exported = self.exports.reports().iter().flat_map(|report| &report.takes);
        let is_done = exported.any(|of| now.takes.iter().any(|take| of.clip.contains(&take.name)));
        steps.push(LessonStep { key: "export", is_done });
        steps
    }
}

/// True if `fits` holds for a take of `document`.
fn any(document: &Document, fits: impl Fn(&Take) -> bool) -> bool {
    document.takes.iter().any(fits)
}

/// True if `fits` holds for a stage of `take`.
fn has_stage(take: &Take, fits: fn(&StageKind) -> bool) -> bool {
    take.stages.iter().any(|stage| fits(&stage.kind))
}

/// Returns the target of the first stretch of each take that has one.
fn targets(document: &Document) -> Vec<Option<Target>> {
    document.takes.iter().filter_map(|take| take.stretch(None)).map(|stretch| stretch.settings.target).collect()
}

/// True if `take` is a standard blend with an event of this action.
fn has_event(take: &Take, action: Action) -> bool {
    let scenario = take.blend().and_then(|blend| blend.settings.standard());
    scenario.is_some_and(|scenario| scenario.events.iter().any(|event| event.action == action))
}

/// Returns the number of dynamic chains of the take and the strength of its wind, m/s².
fn chains_and_wind(take: &Take) -> (usize, f64) {
    take.dynamics(None).map_or((0, 0.0), |of| (of.settings.chains.len(), of.settings.wind.strength))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::stage::StageCommand;
    use crate::{Command, EditCommand, ExportRequest, FileCommand, Severity};
    use portamento_takes::document::StageType;

    /// Opens the project of `lesson` in `folder`.
    fn opened(folder: &Path, lesson: Lesson) -> Session {
        let mut session = Session::inline();
        crate::samples::write_all(folder).unwrap();
        session.perform(Command::File(FileCommand::Open(vec![folder.join(lesson.file_name())])));
        session.update(0.0, true);
        session
    }

    fn left(session: &Session, lesson: Lesson) -> Vec<&'static str> {
        session.lesson_steps(lesson).iter().filter(|step| !step.is_done).map(|step| step.key).collect()
    }

    /// Does the work of `lesson` as its commands do it.
    fn work(session: &mut Session, lesson: Lesson) {
        let edit = |session: &mut Session, command| {
            session.perform(Command::Edit(command));
            session.update(0.0, true);
        };
        match lesson {
            Lesson::Stretch => {
                let stretch = session.document.takes[0].stretch_mut(None).unwrap();
                stretch.settings.target = Some(Target::World(glam::DVec3::new(0.0, 0.0, 4.0)));
                stretch.settings.feet = true;
            }
            Lesson::Blend => {
                let scenario = session.document.takes[0].blend_mut().unwrap().settings.standard_mut().unwrap();
                for (time, action) in [(0.8, Action::Cast), (2.0, Action::End)] {
                    scenario.events.push(portamento_blend::Event { time, action, ..Default::default() });
                }
            }
            Lesson::Hair => {
                edit(session, EditCommand::MakeLikelyDynamic);
                let dynamics = session.document.takes.iter_mut().find_map(|take| take.dynamics_mut(None)).unwrap();
                dynamics.settings.wind.strength = 6.0;
            }
            Lesson::Loop => {
                edit(session, EditCommand::AddLoop);
                edit(session, EditCommand::Stage(StageCommand::Add(StageType::Retime)));
            }
            Lesson::Walk => {
                let walk = session.document.takes[0].walk_mut().unwrap();
                let start = walk.stops[0];
                walk.stops.extend([2.0, 4.0].map(|by| start + glam::DVec3::X * by));
            }
            Lesson::Mocap => {
                let file = session.document.files[1].id;
                session.document.files[1].up = Some(UpAxis::Z);
                session.update(0.0, true);
                edit(session, EditCommand::Stage(StageCommand::Add(StageType::Cleanup)));
                let hero = session.document.files[0].id;
                let retarget = portamento_takes::document::take::Retarget {
                    file,
                    clip: "mocap".into(),
                    settings: Default::default(),
                };
                let mut take = session.document.takes[0].clone();
                (take.source, take.character) = (TakeSource::Retarget(Box::new(retarget)), hero);
                take.stages.clear();
                session.document.add_take(take);
            }
        }
        session.update(0.0, true);
    }

    #[test]
    fn each_lesson_opens_without_errors_with_all_steps_left_and_the_work_ticks_them() {
        for lesson in Lesson::ALL {
            let folder = tempfile::tempdir().unwrap();
            let mut session = opened(folder.path(), lesson);
            let errors: Vec<_> = session.notices.all().iter().filter(|note| note.severity > Severity::Info).collect();
            assert!(errors.is_empty(), "{lesson:?}: {errors:?}");
            assert!(session.frame().is_some() && session.document.takes.len() == 1, "{lesson:?}");
            assert_eq!(left(&session, lesson).len(), session.lesson_steps(lesson).len(), "{lesson:?}");
            work(&mut session, lesson);
            assert_eq!(left(&session, lesson), ["export"], "{lesson:?}");
            if lesson == Lesson::Walk {
                continue;
            }
            let takes = vec![session.document.takes[0].id];
            let request = ExportRequest { takes, destination: folder.path().join("out"), ..Default::default() };
            session.perform(Command::File(FileCommand::Export(request)));
            session.update(0.0, true);
            assert_eq!(left(&session, lesson), [""; 0], "{lesson:?}");
        }
    }
}
