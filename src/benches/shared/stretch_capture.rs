//! A capture is opened, stretched and written.

use std::path::Path;

use glam::DVec3;
use portamento_session::{Command, ExportRequest, ExportSettings, FileCommand, Keep, Session};
use portamento_stretch::{Settings, Target};
use portamento_takes::document::stage::{RootChoice, Stretch};
use portamento_takes::document::{Stage, StageKind, Take, TakeId, TakeSource};

/// Opens the capture at `path`, stretches its clip and writes it to `out`.
pub fn stretch(path: &Path, out: &Path, keep: Keep) {
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![path.to_owned()])));
    let file = session.document.files[0].id;
    let settings = Settings { target: Some(Target::World(DVec3::new(9.0, 1.0, 2.0))), ..Settings::default() };
    let stretch = Stretch { settings, aim_at: None, root: RootChoice::Found };
    let id = TakeId(session.document.fresh_id());
    session.document.takes.push(Take {
        id,
        name: "capture stretched".into(),
        character: file,
        source: TakeSource::Clip { file, clip: "capture".into() },
        stages: Stage::numbered(vec![StageKind::Stretch(Box::new(stretch))]),
        loops: None,
    });
    let settings = ExportSettings { keep, ..ExportSettings::default() };
    let request = ExportRequest { takes: vec![id], destination: out.to_owned(), settings, ..ExportRequest::default() };
    session.perform(Command::File(FileCommand::Export(request)));
}
