//! The frame with which a loop closes, in files that can hold it.

use super::*;

#[test]
fn a_loop_of_vertices_comes_back_to_its_first_frame_unless_told_otherwise() {
    let (folder, mut session) = samples();
    let flag = session.document.takes.iter().find(|take| take.name == "flag in the wind").unwrap().id;
    let mut seconds = |closing: Option<bool>| {
        let destination = folder.path().join(format!("{closing:?}.glb"));
        let request =
            ExportRequest { takes: vec![flag], destination: destination.clone(), closing, ..ExportRequest::default() };
        session.perform(Command::File(FileCommand::Export(request)));
        crate::import::import(&destination).unwrap().model.clips[0].duration
    };
    let [usual, closed, open] = [None, Some(true), Some(false)].map(&mut seconds);
    assert_eq!(usual, closed);
    assert!((usual - open - 1.0 / 30.0).abs() < 1e-5, "{usual} {open}");
}
