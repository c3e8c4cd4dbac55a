//! The contacts of the timeline are those of the exported markers.

use super::*;
use portamento_formats::export::markers::CONTACT_SUFFIX;
use serde_json::Value;

/// Returns the starts and ends of all contacts in the markers file at `path`, sorted.
fn written_contacts(path: &Path) -> Vec<(f64, f64)> {
    let file: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let all: Vec<&Value> = file["markers"].as_array().into_iter().flatten().collect();
    let contacts = all.into_iter().filter(|marker| marker["name"].as_str().unwrap().ends_with(CONTACT_SUFFIX));
    sorted(contacts.map(|marker| (marker["time"].as_f64().unwrap(), marker["until"].as_f64().unwrap())).collect())
}

fn sorted(mut spans: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    spans.sort_by(|a, b| a.partial_cmp(b).unwrap());
    spans
}

#[test]
fn the_timeline_shows_the_contacts_that_exports_write() {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    for clip in ["run", "walk", "leap_strike"] {
        let mut session = opened(&[folder.path().join("hero.glb")]);
        let id = take_called(&mut session, clip);
        let file = session.document.files[0].id;
        session.document.take_mut(id).unwrap().source = TakeSource::Clip { file, clip: clip.into() };
        let take = session.document.take(id).unwrap().clone();
        let feet = session.built(&take).unwrap().overlay(None).feet.clone();
        let shown = sorted(feet.into_iter().flat_map(|foot| foot.spans).collect());
        let out = folder.path().join(format!("{clip}.glb"));
        let settings = ExportSettings { markers: true, keep: Keep::Alone, ..ExportSettings::default() };
        let request = ExportRequest { takes: vec![id], destination: out.clone(), settings, ..Default::default() };
        session.perform(Command::File(FileCommand::Export(request)));
        let written = written_contacts(&out.with_extension("markers.json"));
        let is_equal = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).abs() < 1e-3 && (a.1 - b.1).abs() < 1e-3;
        let are_equal = shown.len() == written.len() && shown.iter().zip(&written).all(is_equal);
        assert!(are_equal && !shown.is_empty(), "{clip}: {shown:?} {written:?}");
    }
}
