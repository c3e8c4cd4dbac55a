//! Foot contact markers of an in-place gait.

use super::*;
use crate::clip_library::Stack;
use portamento_stretch::root;
use portamento_takes::document::StageKind;

/// Returns the contact intervals of the take, as foot name, start and end in seconds.
fn contact_markers(session: &mut Session, name: &str, kinds: Vec<StageKind>, out: &Path) -> Vec<(String, f64, f64)> {
    let file = session.document.files[0].id;
    session.add_stack(file, "run", Stack { name: name.into(), kinds });
    let take = session.document.takes.last().unwrap().id;
    let destination = out.join(name);
    std::fs::create_dir(&destination).unwrap();
    let settings = ExportSettings { keep: Keep::Alone, markers: true, ..Default::default() };
    let request = ExportRequest { takes: vec![take], destination: destination.clone(), settings, ..Default::default() };
    session.perform(Command::File(FileCommand::Export(request)));
    let markers_json = std::fs::read(destination.join(format!("{name}.markers.json"))).unwrap();
    let markers_json: Value = serde_json::from_slice(&markers_json).unwrap();
    let marker = |marker: &Value| {
        Some((marker["name"].as_str()?.to_owned(), marker["time"].as_f64()?, marker["until"].as_f64()?))
    };
    markers_json["markers"].as_array().unwrap().iter().filter_map(marker).collect()
}

#[test]
fn an_in_place_run_has_the_contacts_of_the_travelling_run() {
    let (folder, mut session) = samples();
    let away = root::Settings { travel: root::RootTravel::Away, ..root::Settings::default() };
    let run = contact_markers(&mut session, "goes", vec![], folder.path());
    let spot = contact_markers(&mut session, "stays", vec![StageKind::Root(Box::new(away))], folder.path());
    assert!(run.len() >= 2);
    assert_eq!(run.len(), spot.len(), "{run:?} {spot:?}");
    for ((name, from, until), (same, begin, end)) in run.iter().zip(&spot) {
        assert_eq!(name, same);
        assert!((from - begin).abs() < 0.07 && (until - end).abs() < 0.07, "{run:?} {spot:?}");
    }
}
