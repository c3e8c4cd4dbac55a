//! Named points in the scene.

use glam::DVec3;

use super::Session;
use crate::document::SceneObject;

impl Session {
    pub(super) fn add_object(&mut self) {
        let metres = self.frame().and_then(|frame| frame.built.as_ref()).map_or(1.0, |built| built.metres_per_unit);
        let position =
            self.frame().and_then(|frame| frame.overlay.targets.last().copied()).unwrap_or(DVec3::ZERO) * metres;
        let name = self.document.free_object_name("mark");
        self.document.objects.push(SceneObject { name, position });
        self.selection.object = Some(self.document.objects.len() - 1);
    }

    pub(super) fn remove_object(&mut self, index: usize) {
        self.selection.object = None;
        self.document.remove_object(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::stage::Stretch;
    use crate::document::{FileId, SourceFile, Stage, StageKind, Take, TakeId, TakeSource};
    use crate::systems::stretch::Target;

    #[test]
    fn takes_keep_the_place_of_a_removed_object_and_follow_its_new_name() {
        let mut session = Session::inline();
        let file = FileId(1);
        let source = SourceFile { id: file, path: "a.glb".into(), hash: String::new(), metres_per_unit: 0.01 };
        session.document.files.push(source);
        session.add_object();
        session.document.objects[0].position = DVec3::new(1.0, 0.0, 2.0);
        let stretch = Stretch { aim_at: Some("mark".into()), ..Stretch::default() };
        let clip = TakeSource::Clip { file, clip: "run".into() };
        let stages = Stage::numbered(vec![StageKind::Stretch(Box::new(stretch))]);
        session.document.takes.push(Take { id: TakeId(2), name: "a".into(), character: file, source: clip, stages });
        session.document.rename_object(0, "goal");
        let aim =
            |session: &Session| session.document.takes[0].stretch(None).and_then(|stretch| stretch.aim_at.clone());
        assert_eq!(aim(&session).as_deref(), Some("goal"));
        session.remove_object(0);
        assert_eq!(aim(&session), None);
        let target = session.document.takes[0].stretch(None).and_then(|stretch| stretch.settings.target);
        assert_eq!(target, Some(Target::World(DVec3::new(100.0, 0.0, 200.0))));
    }
}
