//! Retargeting takes.

use crate::OpenDocument;
use portamento_retarget as retarget;
use portamento_takes::document::clip_ref::referred_take;
use portamento_takes::document::{FileId, Retarget, Take, TakeId, TakeSource};

impl<'a> OpenDocument<'a> {
    /// Returns a take that retargets `clip` of `file`, or a take that `clip` refers to, to `character`. It is not part of
    /// the document and has no stages.
    pub(crate) fn new_retarget(self, character: FileId, file: FileId, clip: String) -> Take {
        let title = self.document.clip_title(&clip);
        let to = self.library.get(character).map(|loaded| loaded.model.name.clone()).unwrap_or_default();
        let file = referred_take(&clip).and_then(|id| self.document.take(id)).map_or(file, |take| take.character);
        let source = Retarget { file, clip, settings: retarget::Settings::default() };
        Take {
            id: TakeId(0),
            name: format!("{title} on {to}"),
            character,
            source: TakeSource::Retarget(Box::new(source)),
            stages: Vec::new(),
            loops: None,
        }
    }

    /// Returns the open rigs except `other`, as [`Self::rigs`] does.
    pub fn other_rigs(self, other: FileId) -> Vec<(FileId, String)> {
        self.rigs().into_iter().filter(|(file, _)| *file != other).collect()
    }

    /// Returns the open rigs with a mesh except `other`; without any, all except `other`. A folder of clips without a mesh
    /// would hide the characters among them.
    pub fn other_characters(self, other: FileId) -> Vec<(FileId, String)> {
        let rigs = self.other_rigs(other);
        let with_mesh: Vec<_> = rigs.iter().filter(|(file, _)| self.has_mesh(*file)).cloned().collect();
        if with_mesh.is_empty() { rigs } else { with_mesh }
    }

    /// Returns the open rigs as file and name, those with a mesh first. A rig is a loaded file with known hips.
    pub fn rigs(self) -> Vec<(FileId, String)> {
        let rig = |file: &portamento_takes::document::SourceFile| {
            let loaded = self.library.get(file.id)?;
            let is_rig = self.document.character(file.id).is_some_and(|known| known.roles.hips.is_some());
            is_rig.then(|| (file.id, loaded.model.name.clone()))
        };
        let mut rigs: Vec<_> = self.document.files.iter().filter_map(rig).collect();
        rigs.sort_by_key(|(file, _)| !self.has_mesh(*file));
        rigs
    }

    /// True if a file is loaded and has a mesh.
    pub(crate) fn has_mesh(self, file: FileId) -> bool {
        self.library.get(file).is_some_and(|loaded| !loaded.model.instances.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Command, EditCommand, FileCommand, Session, Shown};
    use portamento_formats::export::{FileSet, gltf};
    use portamento_takes::document::FileId;
    use portamento_takes::document::clip_ref::take_ref;
    use portamento_takes::document::{Take, TakeId, TakeSource};

    fn edit(session: &mut Session, command: EditCommand) {
        session.perform(Command::Edit(command));
        session.update(1.0 / 60.0, true);
    }

    #[test]
    fn clips_without_a_mesh_are_no_characters_unless_all_are() {
        let folder = tempfile::tempdir().unwrap();
        let mut model = portamento_test_support::hero();
        let [mesh, clips] = [["knight", "guard"], ["run", "walk"]].map(|names| {
            let paths = names.map(|name| folder.path().join(format!("{name}.glb")));
            for path in &paths {
                let source = gltf::from_model(&model, None);
                FileSet::write_now(|files| gltf::save(files, path, &source)).unwrap();
            }
            model.instances.clear();
            paths
        });
        let [knight, guard] = mesh;
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(clips.to_vec())));
        let names = |rigs: Vec<(FileId, String)>| rigs.into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        let run = session.document.files[0].id;
        assert_eq!(names(session.opened().other_characters(run)), ["walk"]);
        session.perform(Command::File(FileCommand::Open(vec![knight, guard])));
        assert_eq!(names(session.opened().other_characters(run)), ["knight", "guard"]);
        assert_eq!(names(session.opened().other_rigs(run)), ["knight", "guard", "walk"]);
    }

    #[test]
    fn a_clip_of_another_rig_is_retargeted_and_its_take_is_retargeted_back() {
        let Some(knight) = portamento_test_support::corpus("characters/knight.glb") else { return };
        let hero = portamento_test_support::asset("hero.glb");
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![hero, knight])));
        session.update(1.0 / 60.0, true);
        let [hero, knight] = [0, 1].map(|place| session.document.files[place].id);
        assert_eq!(session.opened().other_rigs(hero), [(knight, "knight".to_owned())]);
        let start = session.document.clone();
        edit(&mut session, EditCommand::AddRetarget { character: hero, file: knight, clip: "Walking_A".into() });
        let Shown::Take(walk) = session.selection.shown else { panic!("the take is shown") };
        assert_eq!(session.evaluation.failure(), None);
        let built = session.frame().unwrap().built.clone().unwrap();
        let retargeted = built.retargeted.as_ref().unwrap();
        assert!(
            retargeted.built.report.linked > 15 && retargeted.built.report.direction < 1e-3,
            "{:?}",
            retargeted.built.report
        );
        assert_eq!(retargeted.source_at(0.0).len(), retargeted.source.model.skeleton.len());
        edit(&mut session, EditCommand::AddRetarget { character: knight, file: hero, clip: take_ref(walk) });
        let built = session.frame().unwrap().built.clone().unwrap();
        assert_eq!(built.retargeted.as_ref().unwrap().source.model.name, "hero");
        assert_eq!(session.document.takes[1].used_takes(), [walk]);
        session.perform(Command::Edit(EditCommand::Undo));
        session.perform(Command::Edit(EditCommand::Undo));
        assert_eq!(session.document, start);
    }

    /// Opens the knight and the file of a clip each. Returns the session.
    fn opened(character: &str, other: &str) -> Option<Session> {
        let files = [character, other].map(portamento_test_support::corpus);
        let [Some(character), Some(other)] = files else { return None };
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![character, other])));
        session.update(1.0 / 60.0, true);
        Some(session)
    }

    #[test]
    fn clips_of_single_files_move_the_character_as_in_their_own_file() {
        let Some(expected) = portamento_test_support::corpus("pack/expected.json") else { return };
        let expected: serde_json::Value = serde_json::from_slice(&std::fs::read(expected).unwrap()).unwrap();
        for (name, clip) in expected["clips"].as_object().unwrap() {
            let mut session = opened("pack/knight_tpose.fbx", &format!("pack/{name}")).unwrap();
            let [character, file] = [0, 1].map(|at| session.document.files[at].id);
            let title = session.library.get(file).unwrap().model.clips[0].name.clone();
            // In a stage and in a blend as in a plain clip.
            let source = TakeSource::Clip { file, clip: title.clone() };
            let take = Take { id: TakeId(90), name: title, character, source, stages: Vec::new(), loops: None };
            let retarget = session.opened().new_retarget(character, file, take.name.clone());
            for take in [take, retarget] {
                let built = session.built(&take).unwrap();
                let skeleton = &built.character.model.skeleton;
                for (frame, joints) in clip["frames"].as_object().unwrap() {
                    let time = frame.parse::<f64>().unwrap() / clip["fps"].as_f64().unwrap();
                    for (joint, at) in joints.as_object().unwrap() {
                        let at: Vec<f64> = at.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
                        let index =
                            skeleton.joints.iter().position(|each| each.name.ends_with(joint.as_str())).unwrap();
                        let pose = built.clip.pose_at(skeleton, time);
                        let own = built.metres_per_unit * pose.world_from_joint(skeleton, index).translation;
                        let off = own.distance(glam::DVec3::from_slice(&at));
                        assert!(off < 2e-3, "{name}, frame {frame}, {joint}: {own} for {at:?}, {:?}", take.source);
                    }
                }
            }
        }
    }

    #[test]
    fn a_clip_of_another_body_is_retargeted_wherever_it_is_used() {
        let Some(mut session) = opened("characters/knight.glb", "characters/mannequiny.glb") else { return };
        let [character, file] = [0, 1].map(|at| session.document.files[at].id);
        let model = &session.library.get(file).unwrap().model;
        let clip = model.clips.iter().find(|clip| clip.name.contains("run")).unwrap_or(&model.clips[0]).name.clone();
        let retarget = session.opened().new_retarget(character, file, clip.clone());
        let wanted = session.built(&retarget).unwrap();
        let stretch = EditCommand::AddStretch { character, clip_file: file, clip: clip.clone() };
        edit(&mut session, stretch);
        assert_eq!(session.evaluation.failure(), None);
        let built = session.frame().unwrap().built.clone().unwrap();
        assert!(built.retargeted.is_some() && !built.is_own_clip);
        let skeleton = &built.character.model.skeleton;
        for time in [0.0, 0.2, 0.5] {
            assert_eq!(built.source.pose_at(skeleton, time), wanted.clip.pose_at(skeleton, time), "at {time} s");
        }
    }
}
