//! Static curves: at most one key, and the bytes saved by that.

use super::*;
use crate::export::StillCurves;

/// Returns the number of curves in the file's only clip that have several equal keys.
fn still(path: &Path) -> usize {
    let model = portamento_formats::import::import(path).unwrap().model;
    let tracks = model.clips.iter().flat_map(|clip| &clip.tracks);
    fn is_static<T: PartialEq>(curve: &Option<portamento_anim::Curve<T>>) -> bool {
        curve.as_ref().is_some_and(|curve| curve.times.len() > 1 && curve.values.iter().all(|v| *v == curve.values[0]))
    }
    let of = |tracks: &portamento_anim::JointTracks| {
        [is_static(&tracks.translation), is_static(&tracks.rotation), is_static(&tracks.scale)]
    };
    tracks.flat_map(of).filter(|is_static| *is_static).count()
}

#[test]
fn the_report_contains_the_saved_bytes_of_static_curves() {
    let (folder, mut session) = samples();
    let take = take_called(&mut session, "one");
    for format in [ExportFormat::Glb, ExportFormat::Gltf, ExportFormat::Fbx] {
        let out = folder.path().join(format.extension());
        let destination = out.clone();
        let settings = ExportSettings { format, keep: Keep::Alone, fps: Some(30.0), ..Default::default() };
        let request = ExportRequest { takes: vec![take], destination, settings, ..Default::default() };
        session.perform(Command::File(FileCommand::Export(request)));
        let report = session.exports.reports()[0].clone();
        let written: usize = contents(&out).values().map(Vec::len).sum();
        assert_eq!(report.bytes, Some(written), "{report:?}");
        let StillCurves { count: curves, bytes_left_out: spared } = report.still_curves.clone().unwrap();
        // Three seconds at 30 fps: 90 keys of at least three numbers each.
        assert!(curves > 0 && spared >= 90 * 12 * curves, "{report:?}");
        assert_eq!(still(&out.join(format!("one.{}", format.extension()))), 0, "{report:?}");
    }
}

#[test]
fn keys_of_the_source_file_are_not_reduced() {
    let (folder, mut session) = samples();
    let take = take_called(&mut session, "one");
    let out = folder.path().join("out");
    assert!(export(&mut session, vec![take], out.clone(), Replace::Refuse).is_empty());
    let report = &session.exports.reports()[0];
    assert!(report.still_curves.is_none(), "{report:?}");
    let written: usize = contents(&out).values().map(Vec::len).sum();
    assert_eq!(report.bytes, Some(written));
}
