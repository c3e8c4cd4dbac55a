//! A new walk: who walks, and where.

pub mod ground;

use crate::document::{FileId, Take, TakeId, TakeSource, Walk};
use crate::message::message;
use crate::session::{Notice, OpenDocument, Severity, Shown};

impl<'a> OpenDocument<'a> {
    /// A walk through the level of `shown`, or the last one that was opened. Without a level the notice says what to do.
    pub(super) fn new_walk(self, shown: &Shown) -> Result<Take, Notice> {
        let message =
            || message!("notice.no_level", "There is no level to walk through. Open one first: glTF, GLB or OBJ.",);
        let level = self.level_at_hand(shown).ok_or_else(|| Notice::new(Severity::Warning, message()))?;
        Ok(self.new_walk_through(level, shown))
    }

    /// A walk through that level by the character of `shown` or the first with clips; without a character only routes are found.
    pub(super) fn new_walk_through(self, level: FileId, shown: &Shown) -> Take {
        Take {
            id: TakeId(0),
            name: "walk to the mark".into(),
            character: self.character_at_hand(shown).unwrap_or(FileId(0)),
            source: TakeSource::Walk(Box::new(Walk { level, ..Walk::default() })),
            stages: Vec::new(),
        }
    }

    /// The level of `shown`, or the last one that was opened.
    fn level_at_hand(self, shown: &Shown) -> Option<FileId> {
        let shown = match shown {
            Shown::File(id) => Some(*id),
            Shown::Take(id) => self.document.take(*id).and_then(Take::walk).map(|walk| walk.level),
            Shown::Clip { .. } | Shown::Nothing => None,
        };
        let last_first = self.document.files.iter().rev().map(|file| file.id);
        shown.into_iter().chain(last_first).find(|&file| self.is_level(file))
    }

    /// Whether that file can be walked on: it has faces and nothing in it moves.
    pub fn is_level(self, file: FileId) -> bool {
        self.library.get(file).is_some_and(|loaded| {
            let model = &loaded.model;
            let stands = model.clips.is_empty() && model.skins.is_empty() && loaded.footage.is_none();
            loaded.level.is_some() || stands && !model.instances.is_empty()
        })
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::document::stage::Loop;
    use crate::document::{Stage, StageKind};
    use crate::session::{Command, EditCommand, ExportRequest, FileCommand, Session};

    const YARD: &str = "usemtl grass\nv -10 0 -10\nv 10 0 -10\nv 10 0 10\nv -10 0 10\nf 4 3 2 1\n";

    /// The hero on a lawn, with a walk that has no stops yet.
    fn on_a_lawn(check: impl FnOnce(&mut Session, TakeId, &std::path::Path)) {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        std::fs::write(folder.path().join("lawn.obj"), YARD).unwrap();
        let mut session = Session::inline();
        session.preferences.autosave_seconds = 0.0;
        let files = ["hero.glb", "lawn.obj"].map(|file| folder.path().join(file)).to_vec();
        session.perform(Command::File(FileCommand::Open(files)));
        session.perform(Command::Edit(EditCommand::AddWalk));
        session.update(0.0, true);
        let id = session.document.takes[0].id;
        check(&mut session, id, folder.path());
    }

    fn aim(session: &mut Session, take: TakeId, stops: &[DVec3]) {
        session.document.take_mut(take).unwrap().walk_mut().unwrap().stops = stops.to_vec();
        session.update(0.0, true);
    }

    #[test]
    fn a_walk_shows_its_level_at_once_and_its_character_when_the_goal_is_chosen() {
        on_a_lawn(|session, take, folder| {
            assert_eq!(session.evaluation.failure(), None);
            let frame = session.frame().unwrap();
            assert!(frame.scenery.is_some() && !frame.world.is_empty());
            let walked = frame.built.as_ref().unwrap().walked.clone().unwrap();
            assert!(walked.routes.is_none() && walked.missing.is_some());
            let out = folder.join("walk.glb");
            let export = |session: &mut Session| {
                let request = ExportRequest { takes: vec![take], destination: out.clone(), ..Default::default() };
                session.perform(Command::File(FileCommand::Export(request)));
                out.exists()
            };
            assert!(!export(session), "nothing walks yet");
            aim(session, take, &[DVec3::new(-6.0, 0.0, -6.0), DVec3::new(6.0, 0.0, 5.0)]);
            let walked = session.frame().unwrap().built.as_ref().unwrap().walked.clone().unwrap();
            assert_eq!(walked.missing, None);
            assert!(export(session));
            let report = &session.exports.reports()[0]["takes"][0]["walk"]["steps"];
            assert!(report["stop_error_mm"].as_f64().unwrap() < 1.0, "{report}");
        });
    }

    #[test]
    fn a_goal_that_moves_keeps_the_ground_and_a_gait_that_changes_keeps_the_ways() {
        on_a_lawn(|session, take, _| {
            let walked = |session: &Session| session.frame().unwrap().built.as_ref().unwrap().walked.clone().unwrap();
            let [start, goal] = [DVec3::new(-6.0, 0.0, -6.0), DVec3::new(6.0, 0.0, 5.0)];
            aim(session, take, &[start, goal]);
            let first = walked(session);
            aim(session, take, &[start, goal + DVec3::X]);
            let second = walked(session);
            assert!(std::sync::Arc::ptr_eq(&first.ground, &second.ground));
            session.document.take_mut(take).unwrap().walk_mut().unwrap().settings.acceleration = 2.0;
            session.update(0.0, true);
            let third = walked(session);
            assert!(std::sync::Arc::ptr_eq(second.routes.as_ref().unwrap(), third.routes.as_ref().unwrap()));
            assert_ne!(second.walk, third.walk);
        });
    }

    #[test]
    fn routes_need_nobody_and_kept_seeds_stay_whatever_is_compared() {
        on_a_lawn(|session, take, _| {
            session.document.take_mut(take).unwrap().character = FileId(0);
            let walk = session.document.take_mut(take).unwrap().walk_mut().unwrap();
            walk.toggle_pin(77);
            aim(session, take, &[DVec3::new(-6.0, 0.0, -6.0), DVec3::new(6.0, 0.0, 5.0)]);
            let walked = session.frame().unwrap().built.as_ref().unwrap().walked.clone().unwrap();
            assert!(walked.routes.as_ref().unwrap().of_seed(77).is_some());
            assert_eq!(walked.missing, Some(crate::evaluate::TakeError::NobodyWalks));
        });
    }

    #[test]
    fn a_round_of_two_laps_is_undone_looped_and_closed() {
        on_a_lawn(|session, take, _| {
            let step = |session: &mut Session| (0..3).for_each(|_| session.update(1.0 / 60.0, true));
            aim(session, take, &[[-5.0, -5.0], [5.0, -5.0], [0.0, 5.0]].map(|[x, z]| DVec3::new(x, 0.0, z)));
            step(session);
            let before = session.document.clone();
            fn round(session: &mut Session, take: TakeId) -> &mut crate::document::Walk {
                session.document.take_mut(take).unwrap().walk_mut().unwrap()
            }
            round(session, take).settings.laps = 2;
            step(session);
            let rounds = session.document.clone();
            assert_eq!(session.evaluation.failure(), None);
            session.perform(Command::Edit(EditCommand::Undo));
            assert_eq!(session.document, before);
            session.perform(Command::Edit(EditCommand::Redo));
            assert_eq!(session.document, rounds);
            step(session);

            // Each lap is one cycle of the loop, and both are one motion: what comes out is the first lap.
            let built = session.frame().unwrap().built.clone().unwrap();
            let frames = (built.clip.duration * built.fps).round() as usize;
            let with = |session: &mut Session, kind: StageKind| {
                session.document.take_mut(take).unwrap().stages = Stage::numbered(vec![kind]);
                step(session);
                assert_eq!(session.evaluation.failure(), None);
                session.frame().unwrap().built.clone().unwrap()
            };
            let mut cycles = Loop::default();
            (cycles.settings.start, cycles.settings.length) = (0, frames / 2);
            let looped = with(session, StageKind::Loop(Box::new(cycles)));
            let report = &looped.report()["loop"];
            assert_eq!(report["length"].as_u64(), Some(frames as u64 / 2));
            assert!(report["seam_ratio"].as_f64().unwrap() <= 1.2, "{report}");
            let skeleton = &looped.character.model.skeleton;
            let size = crate::anim::root_motion::rig_size(skeleton);
            for frame in 0..frames / 2 {
                let time = frame as f64 / built.fps;
                let [lap, shown] = [&built.clip, &looped.clip].map(|clip| clip.pose_at(skeleton, time));
                for joint in 0..skeleton.len() {
                    let [a, b] = [&lap, &shown].map(|pose| pose.world_from_joint(skeleton, joint).translation);
                    assert!(a.distance(b) < 1e-3 * size, "frame {frame}, {}", skeleton.joints[joint].name);
                }
            }

            // Nothing gapes; what feet gain in speed within the frame of the seam is all that is smoothed.
            let closed = with(session, StageKind::Close(Box::default()));
            let report = &closed.report()["close"];
            let figure = |place: &str| report.pointer(place).unwrap().as_f64().unwrap();
            assert!(figure("/before/place") <= 1e-5 && figure("/after/place") <= 1e-5, "{report}");
            assert!(figure("/after/velocity") <= 0.01 && figure("/moved_m") < 0.01, "{report}");
            assert!(figure("/foot_slide_m") < 0.001 && figure("/foot_jump_m") < 1e-6, "{report}");
        });
    }
}
