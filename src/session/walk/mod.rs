//! New walks: the default character and level.

pub mod body;
pub mod ground;

use crate::{OpenDocument, Shown};
use portamento_takes::document::{FileId, Take, TakeId, TakeSource, Walk};

impl<'a> OpenDocument<'a> {
    /// Returns a walk through the level of `shown`, through the last opened one, or on flat ground without any. It is not part of
    /// the document.
    pub(super) fn new_walk(self, shown: &Shown) -> Take {
        self.new_walk_through(self.default_level(shown).unwrap_or(Walk::FLAT_GROUND), shown)
    }

    /// Returns a walk through that level by the character of `shown` or the first with clips. Without a character
    /// only routes are computed.
    pub(super) fn new_walk_through(self, level: FileId, shown: &Shown) -> Take {
        Take {
            id: TakeId(0),
            name: "walk to the mark".into(),
            character: self.shown_or_first_character(shown).unwrap_or(FileId(0)),
            source: TakeSource::Walk(Box::new(Walk { level, ..Walk::default() })),
            stages: Vec::new(),
            loops: None,
        }
    }

    /// Returns the level of `shown`, or the last opened one; `None` if no level is open.
    fn default_level(self, shown: &Shown) -> Option<FileId> {
        let shown = match shown {
            Shown::File(id) => Some(*id),
            Shown::Take(id) => self.document.take(*id).and_then(Take::walk).map(|walk| walk.level),
            Shown::Clip { .. } | Shown::Nothing => None,
        };
        let last_first = self.document.files.iter().rev().map(|file| file.id);
        shown.into_iter().chain(last_first).find(|&file| self.is_level(file))
    }

    /// True if the file can be a level: it has faces, and no clips, skins or footage.
    pub fn is_level(self, file: FileId) -> bool {
        self.library.get(file).is_some_and(|loaded| {
            let model = &loaded.model;
            let is_static = model.clips.is_empty() && model.skins.is_empty() && loaded.footage.is_none();
            loaded.level.is_some() || is_static && !model.instances.is_empty()
        })
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::{Command, EditCommand, ExportRequest, FileCommand, Session};
    use portamento_takes::document::stage::Loop;
    use portamento_takes::document::{ObstacleBox, Stage, StageKind};

    const YARD: &str = "usemtl grass\nv -10 0 -10\nv 10 0 -10\nv 10 0 10\nv -10 0 10\nf 4 3 2 1\n";

    /// Calls `check` with the hero on a lawn and a walk without stops.
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

    #[test]
    fn without_a_level_a_walk_is_on_flat_ground() {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![folder.path().join("hero.glb")])));
        session.perform(Command::Edit(EditCommand::AddWalk));
        session.update(0.0, true);
        let take = session.document.takes[0].id;
        assert!(session.frame().unwrap().scenery.is_some() && session.evaluation.failure().is_none());
        aim(&mut session, take, &[DVec3::new(-15.0, 0.0, 0.0), DVec3::new(15.0, 0.0, 3.0)]);
        let walked = session.frame().unwrap().built.as_ref().unwrap().walked.clone().unwrap();
        assert_eq!(walked.missing, None);
        let stop = walked.walk.as_ref().unwrap().report.stop.clone();
        assert!(stop.ends > 5.0, "{stop:?}");
        assert!(session.document.files.len() == 1 && session.document.takes[0].source.files(FileId(0)).is_empty());
    }

    fn aim(session: &mut Session, take: TakeId, stops: &[DVec3]) {
        session.document.take_mut(take).unwrap().walk_mut().unwrap().stops = stops.to_vec();
        session.update(0.0, true);
    }

    #[test]
    fn a_walk_shows_its_level_first_and_its_character_once_a_goal_is_set() {
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
            assert!(!export(session), "there is no route yet");
            aim(session, take, &[DVec3::new(-6.0, 0.0, -6.0), DVec3::new(6.0, 0.0, 5.0)]);
            let walked = session.frame().unwrap().built.as_ref().unwrap().walked.clone().unwrap();
            assert_eq!(walked.missing, None);
            assert!(export(session));
            let report = &session.exports.reports()[0].takes[0].motion["walk"]["steps"];
            assert!(report["stop_error_mm"].as_f64().unwrap() < 1.0, "{report}");
        });
    }

    #[test]
    fn moving_the_goal_keeps_the_ground_and_changing_the_gait_keeps_the_routes() {
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
    fn a_box_of_the_scene_stands_in_the_way_and_the_walk_follows_when_it_is_dragged() {
        on_a_lawn(|session, take, _| {
            let [start, goal] = [DVec3::new(-6.0, 0.0, 0.0), DVec3::new(6.0, 0.0, 0.0)];
            session.document.take_mut(take).unwrap().walk_mut().unwrap().routes.variety = 0.0;
            aim(session, take, &[start, goal]);
            let routes = |session: &Session| {
                let walked = session.frame().unwrap().built.as_ref().unwrap().walked.clone().unwrap();
                walked.routes.as_ref().unwrap().of_seed(1).unwrap().route.points.clone()
            };
            let detour = |points: &[DVec3]| points.iter().map(|point| point.z.abs()).fold(0.0, f64::max);
            assert!(detour(&routes(session)) < 0.3);
            session.perform(Command::Edit(EditCommand::AddObject));
            assert!(session.document.objects[0].position.distance(DVec3::ZERO) < 0.1, "between the stops");
            let wall = ObstacleBox { width: 0.4, height: 1.0, depth: 12.0, heading: 0.0 };
            session.document.objects[0].obstacle = Some(wall);
            session.update(0.0, true);
            assert!(detour(&routes(session)) > 3.0, "around the wall");
            // The hero vaults it, higher or not.
            session.document.take_mut(take).unwrap().walk_mut().unwrap().own_crossings.on = true;
            for height in [1.0, 0.9] {
                session.document.objects[0].obstacle = Some(ObstacleBox { height, ..wall });
                session.update(0.0, true);
                assert!(detour(&routes(session)) < 0.5, "over the wall");
                let walked = session.frame().unwrap().built.as_ref().unwrap().walked.clone().unwrap();
                let crossing = &walked.walk.as_ref().unwrap().report.crossings[0];
                assert!(crossing.fit.edge.as_ref().unwrap().error <= 0.01, "{crossing:?}");
                let near = walked.routes.as_ref().unwrap().links.iter().map(|link| link.obstacle.near[0].y);
                assert!(near.into_iter().any(|edge| (edge - height).abs() < 1e-6));
            }
            // Undo restores the box, and the walk with it.
            session.update(0.0, true);
            session.perform(Command::Edit(EditCommand::Undo));
            assert_eq!(session.document.objects[0].obstacle.unwrap().height, 1.0);
        });
    }

    #[test]
    fn routes_need_no_character_and_pinned_seeds_are_kept() {
        on_a_lawn(|session, take, _| {
            session.document.take_mut(take).unwrap().character = FileId(0);
            let walk = session.document.take_mut(take).unwrap().walk_mut().unwrap();
            walk.toggle_pin(77);
            aim(session, take, &[DVec3::new(-6.0, 0.0, -6.0), DVec3::new(6.0, 0.0, 5.0)]);
            let walked = session.frame().unwrap().built.as_ref().unwrap().walked.clone().unwrap();
            assert!(walked.routes.as_ref().unwrap().of_seed(77).is_some());
            assert_eq!(walked.missing, Some(portamento_takes::evaluate::TakeError::NoCharacter));
        });
    }

    #[test]
    fn a_closed_loop_of_two_laps_can_be_undone_looped_and_closed() {
        on_a_lawn(|session, take, _| {
            let step = |session: &mut Session| (0..3).for_each(|_| session.update(1.0 / 60.0, true));
            aim(session, take, &[[-5.0, -5.0], [5.0, -5.0], [0.0, 5.0]].map(|[x, z]| DVec3::new(x, 0.0, z)));
            step(session);
            let before = session.document.clone();
            fn walk_of(session: &mut Session, take: TakeId) -> &mut portamento_takes::document::Walk {
                session.document.take_mut(take).unwrap().walk_mut().unwrap()
            }
            walk_of(session, take).settings.laps = 2;
            step(session);
            let rounds = session.document.clone();
            assert_eq!(session.evaluation.failure(), None);
            session.perform(Command::Edit(EditCommand::Undo));
            assert_eq!(session.document, before);
            session.perform(Command::Edit(EditCommand::Redo));
            assert_eq!(session.document, rounds);
            step(session);

            // Each lap is one cycle of the loop, and both laps have the same motion, so the result is the first lap.
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
            let size = portamento_anim::root_motion::rig_size(skeleton);
            for frame in 0..frames / 2 {
                let time = frame as f64 / built.fps;
                let [lap, shown] = [&built.clip, &looped.clip].map(|clip| clip.pose_at(skeleton, time));
                for joint in 0..skeleton.len() {
                    let [a, b] = [&lap, &shown].map(|pose| pose.world_from_joint(skeleton, joint).translation);
                    let (off, name) = (a.distance(b), &skeleton.joints[joint].name);
                    assert!(off < 1e-3 * size, "frame {frame}, {name}: {off} of {size}");
                }
            }

            // The laps meet, and no joint changes its speed there more than between two steps: there is nothing to close.
            let closed = with(session, StageKind::Close(Box::default()));
            assert_eq!(closed.report()["close"]["closes_already"], true, "{}", closed.report());
            assert_eq!(closed.clip, built.clip);
        });
    }
}
