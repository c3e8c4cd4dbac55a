//! The closing frame of loops, in formats that can store it.

use super::*;

#[test]
fn a_vertex_loop_repeats_its_first_frame_unless_disabled() {
    let (folder, mut session) = samples();
    let flag = session.document.takes.iter().find(|take| take.name == "flag in the wind").unwrap().id;
    let mut seconds = |closing: Option<bool>| {
        let destination = folder.path().join(format!("{closing:?}.glb"));
        let settings = ExportSettings { closing, ..Default::default() };
        let request =
            ExportRequest { takes: vec![flag], destination: destination.clone(), settings, ..Default::default() };
        session.perform(Command::File(FileCommand::Export(request)));
        portamento_formats::import::import(&destination).unwrap().model.clips[0].duration
    };
    let [usual, closed, open] = [None, Some(true), Some(false)].map(&mut seconds);
    assert_eq!(usual, closed);
    assert!((usual - open - 1.0 / 30.0).abs() < 1e-5, "{usual} {open}");
}
