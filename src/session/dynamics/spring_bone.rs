//! VRM spring bones: in as settings of dynamic bones, out as parameters of the format.

use serde_json::{Value, json};

use crate::anim::{Pose, SpringBoneFormat, SpringBones};
use crate::document::take::Dynamics;
use crate::document::{FileId, Loaded, Modifier, Take, TakeId, TakeSource};
use crate::import::spring_bone;
use crate::message::{Message, Tell, message};
use crate::progress::Progress;
use crate::session::Session;
use crate::systems::dynamics::deviation;
use crate::systems::dynamics::{Input, Settings, spring_bone as conversion};

/// Spring bones to write into a file, and what their conversion costs.
#[derive(Clone, Debug)]
pub(in crate::session) struct SpringBoneExport {
    pub bones: SpringBones,
    pub report: Value,
}

/// The dynamic bones that an avatar's own spring bones ask for, and sentences about what differs; `None` where the file has none.
fn settings_of(loaded: &Loaded, metres_per_unit: f64) -> Option<(Settings, Vec<String>)> {
    let bones = spring_bone::read(&loaded.source.as_ref()?.json)?;
    let found = conversion::settings_from_spring_bones(&bones, &loaded.model.skeleton, metres_per_unit);
    (!found.0.chains.is_empty()).then_some(found)
}

impl Session {
    /// The dynamic bones that the spring bones of an opened avatar ask for.
    pub fn spring_bones(&self, file: FileId) -> Option<Settings> {
        let metres_per_unit = self.document.file(file)?.metres_per_unit;
        Some(settings_of(self.library.get(file)?, metres_per_unit)?.0)
    }

    /// Makes a take of the avatar's first clip with its own spring bones; answers sentences to tell.
    pub(in crate::session) fn add_spring_bones(
        &mut self,
        file: FileId,
        loaded: &Loaded,
        metres_per_unit: f64,
    ) -> Vec<Message> {
        let Some((settings, notes)) = settings_of(loaded, metres_per_unit) else { return Vec::new() };
        let mut notes: Vec<Message> = notes.into_iter().map(Message::verbatim).collect();
        match loaded.model.clips.first() {
            Some(clip) => {
                let name = format!("{} swinging", clip.name);
                let dynamics = Dynamics { settings, ..Dynamics::default() };
                let id = TakeId(self.document.fresh_id());
                let source = TakeSource::Clip { file, clip: clip.name.clone() };
                let modifiers = vec![Modifier::Dynamics(Box::new(dynamics))];
                self.document.takes.push(Take { id, name, character: file, source, modifiers });
            }
            None => notes.push(message!(
                "notice.no_clip_for_chains",
                "It brings swinging chains (%{count}) but no clip to swing on. Open a clip for it.",
                count = settings.chains.len(),
            )),
        }
        notes
    }

    /// The dynamic bones of `take` as spring bones, with the cost of the conversion; `None` where the take has none.
    pub(in crate::session) fn spring_bones_of(&mut self, take: &Take) -> Result<Option<SpringBoneExport>, Message> {
        let found = take.modifiers.iter().enumerate().find_map(|(index, modifier)| match modifier {
            Modifier::Dynamics(dynamics) => Some((index, dynamics)),
            Modifier::Stretch(_) | Modifier::Loop(_) => None,
        });
        let Some((index, dynamics)) = found else { return Ok(None) };
        let before = Take { modifiers: take.modifiers[..index].to_vec(), ..take.clone() };
        let before = self.built(&before).map_err(|error| error.message())?;
        let skeleton = &before.character.model.skeleton;
        let driver = |time: f64, pose: &mut Pose| before.clip.sample(skeleton, time, pose);
        let input = Input {
            skeleton,
            driver: &driver,
            duration: before.clip.duration,
            looping: dynamics.looping,
            metres_per_unit: before.metres_per_unit,
        };
        let format = before
            .character
            .source
            .as_ref()
            .map_or(SpringBoneFormat::Vrm1, |source| SpringBoneFormat::of_file(&source.json));
        let converted =
            conversion::spring_bones_from_settings(&dynamics.settings, skeleton, before.metres_per_unit, format);
        let (bones, notes) = converted.map_err(|error| Message::verbatim(error.to_string()))?;
        let error = deviation(&input, &dynamics.settings, &bones, &Progress::new())
            .map_err(|error| Message::verbatim(error.to_string()))?;
        let report = json!({
            "format": format.name(),
            "chains": bones.springs.len(),
            "colliders": bones.colliders.len(),
            "conversion_error_metres": error.parameters,
            "format_at_60_fps_error_metres": error.elsewhere,
            "notes": notes,
        });
        Ok(Some(SpringBoneExport { bones, report }))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::document::Document;
    use crate::session::{Command, ExportRequest, FileCommand, Level};

    fn opened(path: PathBuf) -> Session {
        let mut session = Session::inline();
        session.preferences.autosave_seconds = 0.0;
        session.perform(Command::File(FileCommand::Open(vec![path])));
        session
    }

    fn dynamic_take(document: &Document) -> Option<(&Take, &Settings)> {
        document.takes.iter().find_map(|take| match take.modifiers.first() {
            Some(Modifier::Dynamics(dynamics)) => Some((take, &dynamics.settings)),
            _ => None,
        })
    }

    #[test]
    fn an_exported_avatar_is_dynamic_again_when_it_is_opened_and_the_cost_is_told() {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let mut session = opened(folder.path().join("samples.portamento"));
        let (take, settings) = dynamic_take(&session.document).unwrap();
        let (take, counts) = (take.id, (settings.chains.len(), settings.colliders.len()));
        let destination = folder.path().join("avatar.vrm");
        let request = ExportRequest { takes: vec![take], destination: destination.clone(), ..Default::default() };
        session.perform(Command::File(FileCommand::Export(request)));
        let report = &session.exported()[0]["spring_bones"];
        let error = report["conversion_error_metres"].as_f64().unwrap();
        assert!(error > 0.0 && error < 1.0, "limits and added ends are lost, which cannot be free: {report}");
        assert!(report["notes"].as_array().is_some_and(|notes| notes.len() > 1));

        let again = opened(destination);
        let (take, settings) = dynamic_take(&again.document).unwrap();
        assert_eq!((settings.chains.len(), settings.colliders.len()), counts);
        assert_eq!(again.spring_bones(take.character).as_ref(), Some(settings));
    }

    #[test]
    fn what_was_written_once_is_written_the_same_again() {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let written = |from: &str, to: &str| {
            let mut session = opened(folder.path().join(from));
            let takes = vec![dynamic_take(&session.document).unwrap().0.id];
            let destination = folder.path().join(to);
            let keep = crate::session::Keep::Alone;
            let request = ExportRequest { takes, destination: destination.clone(), keep, ..Default::default() };
            session.perform(Command::File(FileCommand::Export(request)));
            let source = crate::import::import(&destination).unwrap().source.unwrap();
            (spring_bone::read(&source.json).unwrap(), session.exported()[0]["spring_bones"].clone())
        };
        let (first, _) = written("samples.portamento", "first.vrm");
        let (second, report) = written("first.vrm", "second.vrm");
        assert!(report["conversion_error_metres"].as_f64().unwrap() < 1e-6, "{report}");
        assert_eq!(first.springs.len(), second.springs.len());
        for (a, b) in first.springs.iter().zip(&second.springs).flat_map(|(a, b)| a.joints.iter().zip(&b.joints)) {
            assert_eq!((a.node, a.hit_radius, a.drag_force), (b.node, b.hit_radius, b.drag_force));
            assert!((a.stiffness - b.stiffness).abs() < 1e-9 && (a.gravity_power - b.gravity_power).abs() < 1e-9);
        }
        assert_eq!((first.groups, first.colliders.len()), (second.groups, second.colliders.len()));
    }

    #[test]
    fn spring_bones_are_not_written_unasked_and_not_made_up() {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let mut session = opened(folder.path().join("samples.portamento"));
        let dynamic = dynamic_take(&session.document).unwrap().0.id;
        let still =
            session.document.takes.iter().find(|take| take.modifiers.is_empty() || take.id != dynamic).unwrap().id;
        let export = |session: &mut Session, take: TakeId, springs: bool| {
            let (destination, replace) = (folder.path().join("out.glb"), crate::export::Replace::Allow);
            let request = ExportRequest {
                takes: vec![take],
                destination: destination.clone(),
                springs,
                replace,
                ..Default::default()
            };
            session.perform(Command::File(FileCommand::Export(request)));
            let failed = session.notices.take_new().into_iter().any(|notice| notice.level == Level::Error);
            (
                failed,
                std::fs::read(destination).is_ok_and(|bytes| bytes.windows(15).any(|word| word == b"VRMC_springBone")),
            )
        };
        assert_eq!(export(&mut session, dynamic, false), (false, false));
        assert!(export(&mut session, still, true).0);
        assert_eq!(export(&mut session, dynamic, true), (false, true));
    }

    #[test]
    fn an_avatar_without_a_clip_says_what_it_brings() {
        let Some(path) = crate::support::corpus("springs/plane-collider.gltf") else { return };
        let session = opened(path);
        assert!(session.document.takes.is_empty());
        let settings = session.spring_bones(session.document.files[0].id).unwrap();
        assert!(matches!(settings.colliders[0].shape, crate::systems::dynamics::ColliderShape::Plane { .. }));
        assert!(session.notices.all().iter().any(|notice| notice.text().contains("swinging chains (1)")));
    }
}
