//! Clips that are marked as loops.

use super::*;

/// Exports a take of clip `clip` of the hero, whose own choice is `loops`, and returns the clip names of the file.
fn names(clip: &str, loops: Option<bool>) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let mut session = opened(&[folder.path().join("hero.glb")]);
    let take = take_called(&mut session, "mine");
    let file = session.document.files[0].id;
    let own = session.document.take_mut(take).unwrap();
    (own.source, own.loops) = (TakeSource::Clip { file, clip: clip.into() }, loops);
    let destination = folder.path().join("out.glb");
    let names = ClipNames { loop_suffix: true, ..ClipNames::default() };
    let settings = ExportSettings { names, keep: Keep::Alone, ..ExportSettings::default() };
    let request = ExportRequest { takes: vec![take], destination: destination.clone(), settings, ..Default::default() };
    session.perform(Command::File(FileCommand::Export(request)));
    let model = portamento_formats::import::import(&destination).unwrap().model;
    model.clips.into_iter().map(|clip| clip.name).collect()
}

#[test]
fn a_clip_that_loops_by_itself_is_marked_and_one_that_happens_once_is_not() {
    assert_eq!(
        ["run", "idle", "cast", "jump"].map(|clip| names(clip, None)),
        [["mine-loop"], ["mine-loop"], ["mine"], ["mine"]]
    );
}

#[test]
fn the_choice_of_a_take_wins() {
    assert_eq!([names("run", Some(false)), names("cast", Some(true))], [["mine"], ["mine-loop"]]);
}
