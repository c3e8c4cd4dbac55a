//! Named points in the scene.

use glam::DVec3;

use super::Session;
use crate::document::SceneObject;
use crate::systems::stretch::Target;

impl Session {
    pub(super) fn add_object(&mut self) {
        let metres = self.frame().and_then(|frame| frame.built.as_ref()).map_or(1.0, |built| built.metres_per_unit);
        let position = self.frame().and_then(|frame| frame.overlay.target).unwrap_or(DVec3::ZERO) * metres;
        let name = self.document.free_object_name("mark");
        self.document.objects.push(SceneObject { name, position });
        self.selection.object = Some(self.document.objects.len() - 1);
    }

    pub(super) fn remove_object(&mut self, index: usize) {
        self.selection.object = None;
        if index >= self.document.objects.len() {
            return;
        }
        let object = self.document.objects.remove(index);
        let units = |metres: f64| if metres > 0.0 { object.position / metres } else { object.position };
        let lengths: Vec<_> = self.document.files.iter().map(|file| (file.id, file.metres_per_unit)).collect();
        for take in &mut self.document.takes {
            let metres = lengths.iter().find(|(id, _)| *id == take.character).map_or(1.0, |(_, metres)| *metres);
            if let Some(stretch) = take.stretch_mut().filter(|stretch| stretch.aim_at.as_ref() == Some(&object.name)) {
                stretch.aim_at = None;
                stretch.settings.target = Some(Target::World(units(metres)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::take::Stretch;
    use crate::document::{FileId, Modifier, SourceFile, Take, TakeId, TakeSource};

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
        let modifiers = vec![Modifier::Stretch(Box::new(stretch))];
        session.document.takes.push(Take { id: TakeId(2), name: "a".into(), character: file, source: clip, modifiers });
        session.document.rename_object(0, "goal");
        let aim = |session: &Session| session.document.takes[0].stretch().and_then(|stretch| stretch.aim_at.clone());
        assert_eq!(aim(&session).as_deref(), Some("goal"));
        session.remove_object(0);
        assert_eq!(aim(&session), None);
        let target = session.document.takes[0].stretch().and_then(|stretch| stretch.settings.target);
        assert_eq!(target, Some(Target::World(DVec3::new(100.0, 0.0, 200.0))));
    }
}
