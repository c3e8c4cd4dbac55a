//! Import and export of VRM spring bones.

use serde::Serialize;

use crate::dynamics::REST_SECONDS;
use crate::evaluation::builds::Builds;
use crate::{OpenDocument, Session};
use portamento_anim::{Pose, SpringBoneFormat, SpringBones};
use portamento_base::message::{Message, Tell};
use portamento_base::progress::Progress;
use portamento_dynamics::deviation;
use portamento_dynamics::{Input, Settings, spring_bone as conversion};
use portamento_formats::import::spring_bone;
use portamento_takes::document::stage::Dynamics;
use portamento_takes::document::{FileId, Loaded, Stage, StageKind, Take, TakeId, TakeSource};
use portamento_takes::evaluate::Lookup;

/// Spring bones to export, with the deviation caused by the conversion.
#[derive(Clone, Debug)]
pub(crate) struct SpringBoneExport {
    pub bones: SpringBones,
    pub report: SpringBoneReport,
}

/// The report of a conversion to spring bones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpringBoneReport {
    /// Name of the format.
    pub format: &'static str,
    /// Number of chains.
    pub chains: usize,
    /// Number of colliders.
    pub colliders: usize,
    /// [`portamento_dynamics::Deviation::parameters`], metres.
    pub conversion_error_metres: f64,
    /// [`portamento_dynamics::Deviation::elsewhere`], metres.
    pub format_at_60_fps_error_metres: f64,
    /// Notes about differences.
    pub notes: Vec<String>,
}

/// A pending conversion to spring bones; running it takes long.
#[derive(Clone)]
pub(crate) struct SpringBoneWork {
    /// The take before its dynamics stage.
    before: Lookup,
    dynamics: Dynamics,
}

/// Converts the spring bones of an avatar to dynamic bones, with notes about differences; `None` if it has none. Also
/// `None` if nothing of them could be converted.
fn settings_of(loaded: &Loaded, metres_per_unit: f64) -> Option<(Settings, Vec<Message>)> {
    let bones = spring_bone::read(&loaded.source.as_ref()?.json)?;
    let found = conversion::settings_from_spring_bones(&bones, &loaded.model.skeleton, metres_per_unit);
    (!found.0.chains.is_empty()).then_some(found)
}

impl Session {
    /// Adds a take of the avatar's first clip, or of its rest pose, with its spring bones as dynamic bones. Returns
    /// notes about differences. The take is not shown. Does nothing without spring bones.
    pub(crate) fn add_spring_bones(&mut self, file: FileId, loaded: &Loaded, metres_per_unit: f64) -> Vec<Message> {
        let Some((settings, notes)) = settings_of(loaded, metres_per_unit) else { return Vec::new() };
        let source = match loaded.model.clips.first() {
            Some(clip) => TakeSource::Clip { file, clip: clip.name.clone() },
            None => TakeSource::Rest { seconds: REST_SECONDS },
        };
        let dynamics = Dynamics { settings, ..Dynamics::default() };
        let name = format!("{} swinging", source.title());
        let stages = Stage::numbered(vec![StageKind::Dynamics(Box::new(dynamics))]);
        self.document.add_take(Take { id: TakeId(0), name, character: file, source, stages, loops: None });
        notes
    }
}

impl<'a> OpenDocument<'a> {
    /// Returns the dynamic bones converted from the spring bones of an opened avatar; `None` if the file is not open or has
    /// none.
    pub fn spring_bones(self, file: FileId) -> Option<Settings> {
        let metres_per_unit = self.document.file(file)?.metres_per_unit;
        Some(settings_of(self.library.get(file)?, metres_per_unit)?.0)
    }
}

impl SpringBoneWork {
    /// Returns the conversion of the first dynamics stage of `take`; `None` if it has none. Returns `Err` if the take
    /// before that stage cannot be built.
    pub fn of(take: &Take, opened: OpenDocument, builds: &mut Builds) -> Result<Option<Self>, Message> {
        let found = take.stages.iter().enumerate().find_map(|(index, stage)| Some((index, stage.kind.as_dynamics()?)));
        let Some((index, dynamics)) = found else { return Ok(None) };
        let before = builds.find(opened, &take.before_stage(index)).map_err(|error| error.message())?;
        Ok(Some(Self { before, dynamics: dynamics.clone() }))
    }

    /// Builds the motion before the stage, converts to spring bones and measures the deviation. Returns `Err` if one of
    /// these fails or is cancelled.
    pub fn run(self, progress: &Progress) -> Result<SpringBoneExport, Message> {
        let Self { before, dynamics } = self;
        let before = before.built(progress).map_err(|error| error.message())?;
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
        let (bones, notes) = converted.map_err(|error| error.message())?;
        let error = deviation(&input, &dynamics.settings, &bones, progress).map_err(|error| error.message())?;
        let report = SpringBoneReport {
            format: format.name(),
            chains: bones.springs.len(),
            colliders: bones.colliders.len(),
            conversion_error_metres: error.parameters,
            format_at_60_fps_error_metres: error.elsewhere,
            notes: notes.iter().map(Message::to_string).collect(),
        };
        Ok(SpringBoneExport { bones, report })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{Command, ExportRequest, FileCommand, Severity};
    use portamento_takes::document::Document;

    fn opened(path: PathBuf) -> Session {
        let mut session = Session::inline();
        session.preferences.autosave_seconds = 0.0;
        session.perform(Command::File(FileCommand::Open(vec![path])));
        session
    }

    fn dynamic_take(document: &Document) -> Option<(&Take, &Settings)> {
        document.takes.iter().find_map(|take| match take.stages.first().map(|stage| &stage.kind) {
            Some(StageKind::Dynamics(dynamics)) => Some((take, &dynamics.settings)),
            _ => None,
        })
    }

    #[test]
    fn an_exported_avatar_has_dynamic_bones_when_reopened_and_the_deviation_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let mut session = opened(folder.path().join("samples.portamento"));
        let (take, settings) = dynamic_take(&session.document).unwrap();
        let (take, counts) = (take.id, (settings.chains.len(), settings.colliders.len()));
        let destination = folder.path().join("avatar.vrm");
        let request = ExportRequest { takes: vec![take], destination: destination.clone(), ..Default::default() };
        session.perform(Command::File(FileCommand::Export(request)));
        let report = session.exports.reports()[0].spring_bones.clone().unwrap();
        let error = report.conversion_error_metres;
        assert!(error > 0.0 && error < 1.0, "limits and added ends are lost, which cannot be free: {report:?}");
        assert!(report.notes.len() > 1);

        let again = opened(destination);
        let (take, settings) = dynamic_take(&again.document).unwrap();
        assert_eq!((settings.chains.len(), settings.colliders.len()), counts);
        assert_eq!(again.opened().spring_bones(take.character).as_ref(), Some(settings));
    }

    #[test]
    fn spring_bones_survive_a_second_export_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let written = |from: &str, to: &str| {
            let mut session = opened(folder.path().join(from));
            let takes = vec![dynamic_take(&session.document).unwrap().0.id];
            let destination = folder.path().join(to);
            let settings = crate::ExportSettings { keep: crate::Keep::Alone, ..Default::default() };
            let request = ExportRequest { takes, destination: destination.clone(), settings, ..Default::default() };
            session.perform(Command::File(FileCommand::Export(request)));
            let source = portamento_formats::import::import(&destination).unwrap().source.unwrap();
            (spring_bone::read(&source.json).unwrap(), session.exports.reports()[0].spring_bones.clone().unwrap())
        };
        let (first, _) = written("samples.portamento", "first.vrm");
        let (second, report) = written("first.vrm", "second.vrm");
        assert!(report.conversion_error_metres < 1e-6, "{report:?}");
        assert_eq!(first.springs.len(), second.springs.len());
        for (a, b) in first.springs.iter().zip(&second.springs).flat_map(|(a, b)| a.joints.iter().zip(&b.joints)) {
            assert_eq!((a.node, a.hit_radius, a.drag_force), (b.node, b.hit_radius, b.drag_force));
            assert!((a.stiffness - b.stiffness).abs() < 1e-9 && (a.gravity_power - b.gravity_power).abs() < 1e-9);
        }
        assert_eq!((first.groups, first.colliders.len()), (second.groups, second.colliders.len()));
    }

    #[test]
    fn spring_bones_are_written_only_on_request_and_only_if_there_are_dynamic_bones() {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let mut session = opened(folder.path().join("samples.portamento"));
        let dynamic = dynamic_take(&session.document).unwrap().0.id;
        let still = session.document.takes.iter().find(|take| take.stages.is_empty() || take.id != dynamic).unwrap().id;
        let export = |session: &mut Session, take: TakeId, springs: bool| {
            let (destination, replace) = (folder.path().join("out.glb"), portamento_formats::export::Replace::Allow);
            let request = ExportRequest {
                takes: vec![take],
                destination: destination.clone(),
                springs,
                replace,
                ..Default::default()
            };
            session.perform(Command::File(FileCommand::Export(request)));
            let failed = session.notices.take_new().into_iter().any(|notice| notice.severity == Severity::Error);
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
    fn an_avatar_without_clips_gets_dynamic_bones_on_its_rest_pose() {
        let Some(path) = portamento_test_support::corpus("springs/plane-collider.gltf") else { return };
        let mut session = opened(path);
        let take = session.document.takes[0].clone();
        assert_eq!((&take.source, take.name.as_str()), (&TakeSource::Rest { seconds: 4.0 }, "rest swinging"));
        let built = session.built(&take).unwrap();
        let root = built.clip.pose_at(&built.character.model.skeleton, 0.0);
        let end = built.clip.pose_at(&built.character.model.skeleton, 4.0);
        assert!(built.clip.duration == 4.0 && built.dynamics(None).is_some() && root.locals.len() == end.locals.len());
        let settings = session.opened().spring_bones(session.document.files[0].id).unwrap();
        assert!(matches!(settings.colliders[0].shape, portamento_dynamics::ColliderShape::Plane { .. }));
    }
}
