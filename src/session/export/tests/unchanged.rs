//! Unchanged files are not rewritten.

use std::os::unix::fs::MetadataExt;

use super::*;

#[test]
fn writing_again_after_an_edit_writes_only_what_changed_and_says_so() {
    let (folder, mut session) = samples();
    let takes = ["one", "two"].map(|name| take_called(&mut session, name));
    let out = folder.path().join("out");
    let write = |session: &mut Session| {
        let (takes, destination) = (takes.to_vec(), out.clone());
        let settings = ExportSettings { markers: true, format: ExportFormat::Fbx, ..Default::default() };
        let request = ExportRequest { takes, destination, settings, replace: Replace::Allow, ..Default::default() };
        session.perform(Command::File(FileCommand::Export(request)));
        let texts: Vec<String> = session.notices.take_new().iter().map(|notice| notice.text()).collect();
        let unchanged: Vec<usize> = session.exports.reports().iter().map(|report| report.unchanged_files).collect();
        let inode = |name: &String| (name.clone(), std::fs::metadata(out.join(name)).unwrap().ino());
        (texts, unchanged, contents(&out).keys().map(inode).collect::<BTreeMap<String, u64>>())
    };
    let (_, unchanged, first) = write(&mut session);
    assert_eq!((unchanged, first.len()), (vec![0, 0], 4));
    let (texts, unchanged, second) = write(&mut session);
    assert!(unchanged == [2, 2] && second == first, "{unchanged:?}");
    assert!(texts.iter().all(|texts| texts.contains("nothing was written")), "{texts:?}");
    let clip = session.library.get(session.document.files[0].id).unwrap().model.clips[1].name.clone();
    if let TakeSource::Clip { clip: used, .. } = &mut session.document.take_mut(takes[1]).unwrap().source {
        *used = clip;
    }
    let (texts, unchanged, third) = write(&mut session);
    let changed: Vec<&String> = third.keys().filter(|name| third[*name] != second[*name]).collect();
    assert_eq!(unchanged, [2, 0], "{texts:?}");
    assert_eq!(changed, ["two.fbx", "two.markers.json"]);
}
