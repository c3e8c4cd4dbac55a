//! Named target points and reference meshes in the scene.

use glam::DVec3;

use super::{OpenDocument, Session, Severity, Shown};
use portamento_base::message::message;
use portamento_takes::document::{FileId, ReferenceMesh, SceneObject, Take};

impl Session {
    /// Adds a point and selects it. It is on the ground between the first two stops of the shown walk, at the last target of the shown
    /// frame, or at the origin, in metres.
    pub(super) fn add_object(&mut self) {
        let metres = self.frame().and_then(|frame| frame.built.as_ref()).map_or(1.0, |built| built.metres_per_unit);
        let target =
            || self.frame().and_then(|frame| frame.overlay.targets.last().copied()).unwrap_or(DVec3::ZERO) * metres;
        let position = self.between_stops().unwrap_or_else(target);
        let name = self.document.free_object_name("mark");
        self.document.objects.push(SceneObject::point(&name, position));
        self.selection.object = Some(self.document.objects.len() - 1);
    }

    /// Returns the ground in the middle between the first two stops of the shown walk, metres; `None` without two stops.
    fn between_stops(&self) -> Option<DVec3> {
        let [from, to, ..] = self.shown_take()?.walk()?.stops[..] else { return None };
        let middle = from.midpoint(to);
        let walked = self.frame()?.built.as_ref()?.walked.clone();
        let height = walked.and_then(|walked| walked.ground.height(middle));
        Some(middle.with_y(height.unwrap_or(middle.y)))
    }

    /// Adds the meshes of `file` as a reference object on the ground at the origin; `None` for the shown file, or the
    /// last one that is no take's character. Selects it. Adds a notice if no file has a mesh. If the file was shown alone,
    /// the last take is shown.
    pub(super) fn add_reference(&mut self, file: Option<FileId>) {
        let (opened, shown) = (self.opened(), &self.selection.shown);
        let file = file.or_else(|| opened.default_reference(shown)).filter(|&file| opened.has_faces(file));
        let Some(file) = file else {
            let message = message!(
                "notice.no_reference",
                "No mesh to add as a reference. Open a glTF, GLB, FBX or OBJ file first.",
            );
            return self.notices.add(Severity::Info, message);
        };
        let path = self.document.file(file).map(|file| file.path.clone()).unwrap_or_default();
        let stem = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let object = SceneObject::point(&self.document.free_object_name(&stem), DVec3::ZERO);
        self.document.objects.push(SceneObject { mesh: Some(ReferenceMesh::of(file)), ..object });
        let index = self.document.objects.len() - 1;
        self.document.ground_object(index, &self.library);
        self.selection.object = Some(index);
        // The reference is displayed next to a take, not alone.
        let last = self.selection.last_take.filter(|&take| self.document.take(take).is_some());
        let last = last.or(self.document.takes.first().map(|take| take.id));
        if let Some(take) = last.filter(|_| self.selection.shown == Shown::File(file)) {
            self.selection.show(Shown::Take(take));
        }
    }
}

impl OpenDocument<'_> {
    /// Returns the file of `shown`, or the last file with a mesh that is no take's character; `None` if there is none.
    fn default_reference(self, shown: &Shown) -> Option<FileId> {
        if let Shown::File(file) = *shown {
            return Some(file);
        }
        let is_character = |file: FileId| self.document.takes.iter().any(|take: &Take| take.character == file);
        let files = self.document.files.iter().rev().map(|file| file.id);
        files.filter(|&file| self.has_faces(file)).find(|&file| !is_character(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, EditCommand, ExportRequest, FileCommand};
    use portamento_stretch::Target;
    use portamento_takes::document::stage::Stretch;
    use portamento_takes::document::{SourceFile, Stage, StageKind, TakeId, TakeSource};

    #[test]
    fn takes_keep_the_position_of_a_removed_object_and_follow_a_rename() {
        let mut session = Session::inline();
        let file = FileId(1);
        let source = SourceFile {
            id: file,
            path: "a.glb".into(),
            hash: String::new(),
            metres_per_unit: 0.01,
            up: None,
            fps: None,
            sheet: None,
        };
        session.document.files.push(source);
        session.add_object();
        session.document.objects[0].position = DVec3::new(1.0, 0.0, 2.0);
        let stretch = Stretch { aim_at: Some("mark".into()), ..Stretch::default() };
        let clip = TakeSource::Clip { file, clip: "run".into() };
        let stages = Stage::numbered(vec![StageKind::Stretch(Box::new(stretch))]);
        session.document.takes.push(Take {
            id: TakeId(2),
            name: "a".into(),
            character: file,
            source: clip,
            stages,
            loops: None,
        });
        session.document.rename_object(0, "goal");
        let aim =
            |session: &Session| session.document.takes[0].stretch(None).and_then(|stretch| stretch.aim_at.clone());
        assert_eq!(aim(&session).as_deref(), Some("goal"));
        session.perform(Command::Edit(EditCommand::RemoveObject(0)));
        assert_eq!(aim(&session), None);
        let target = session.document.takes[0].stretch(None).and_then(|stretch| stretch.settings.target);
        assert_eq!(target, Some(Target::World(DVec3::new(100.0, 0.0, 200.0))));
    }

    /// Calls `check` with a stretched run of the hero and a shown crate file, and the folder of the files.
    fn with_a_crate(check: impl FnOnce(&mut Session, FileId, &std::path::Path)) {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        std::fs::write(folder.path().join("crate.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        let mut session = Session::inline();
        session.preferences.autosave_seconds = 0.0;
        let files = ["hero.glb", "crate.obj"].map(|file| folder.path().join(file)).to_vec();
        session.perform(Command::File(FileCommand::Open(files)));
        let [hero, mesh] = [0, 1].map(|place| session.document.files[place].id);
        let stretch = EditCommand::AddStretch { character: hero, clip_file: hero, clip: "run".into() };
        session.perform(Command::Edit(stretch));
        session.update(0.0, true);
        session.selection.show(Shown::File(mesh));
        session.update(0.0, true);
        check(&mut session, mesh, folder.path());
    }

    #[test]
    fn a_reference_mesh_is_added_undone_and_saved_with_the_project() {
        with_a_crate(|session, mesh, folder| {
            session.perform(Command::Edit(EditCommand::AddReference(Some(mesh))));
            session.update(0.0, true);
            let object = session.document.objects[0].clone();
            assert_eq!((object.name.as_str(), object.mesh.clone().unwrap()), ("crate", ReferenceMesh::of(mesh)));
            assert!(matches!(session.selection.shown, Shown::Take(_)), "it is displayed with the take");
            session.document.objects[0].mesh.as_mut().unwrap().size = 2.5;
            session.update(0.0, true);
            session.perform(Command::Edit(EditCommand::ToggleObject(0)));
            session.update(0.0, true);
            let wanted = session.document.clone();
            let project = folder.join("scene.portamento");
            session.perform(Command::File(FileCommand::SaveAs(project.clone())));
            let mut again = Session::inline();
            again.perform(Command::File(FileCommand::Open(vec![project])));
            assert_eq!(again.document.objects, wanted.objects);
            let saved_mesh = wanted.objects[0].mesh.clone().unwrap();
            assert!(saved_mesh.hidden && saved_mesh.size == 2.5 && again.library.get(saved_mesh.file).is_some());
            (0..3).for_each(|_| session.perform(Command::Edit(EditCommand::Undo)));
            assert_eq!(session.document.objects, []);
        });
    }

    #[test]
    fn a_reference_mesh_does_not_affect_builds_or_exports() {
        with_a_crate(|session, _, folder| {
            let take = session.document.takes[0].id;
            let export = |session: &mut Session, name: &str| {
                let destination = folder.join(name);
                let request =
                    ExportRequest { takes: vec![take], destination: destination.clone(), ..Default::default() };
                session.perform(Command::File(FileCommand::Export(request)));
                std::fs::read(destination).unwrap()
            };
            let before = export(session, "before.glb");
            // The shown file is used.
            session.perform(Command::Edit(EditCommand::AddReference(None)));
            session.document.take_mut(take).unwrap().stretch_mut(None).unwrap().aim_at = Some("crate".into());
            session.update(0.0, true);
            let built = session.frame().unwrap().built.clone().unwrap();
            session.document.objects[0].mesh.as_mut().unwrap().heading = 1.0;
            session.update(0.0, true);
            let turned = session.frame().unwrap().built.clone().unwrap();
            assert!(std::sync::Arc::ptr_eq(&built, &turned), "only its position is a target");
            session.document.take_mut(take).unwrap().stretch_mut(None).unwrap().aim_at = None;
            session.update(0.0, true);
            assert!(export(session, "after.glb") == before);
        });
    }

    #[test]
    fn a_reference_mesh_is_placed_on_the_ground_also_after_scaling() {
        with_a_crate(|session, _, folder| {
            let path = folder.join("ball.obj");
            std::fs::write(&path, "v 0 -0.5 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
            session.perform(Command::File(FileCommand::Open(vec![path])));
            let ball = session.document.files.last().unwrap().id;
            session.perform(Command::Edit(EditCommand::AddReference(Some(ball))));
            assert_eq!(session.document.objects[0].position, DVec3::new(0.0, 0.5, 0.0));
            session.document.objects[0].position.x = 2.0;
            session.document.objects[0].mesh.as_mut().unwrap().size = 2.0;
            session.perform(Command::Edit(EditCommand::GroundObject(0)));
            assert_eq!(session.document.objects[0].position, DVec3::new(2.0, 1.0, 0.0));
        });
    }

    #[test]
    fn without_a_mesh_a_notice_is_shown() {
        let mut session = Session::inline();
        session.perform(Command::Edit(EditCommand::AddReference(None)));
        assert_eq!((session.document.objects.len(), session.notices.all().len()), (0, 1));
    }
}
