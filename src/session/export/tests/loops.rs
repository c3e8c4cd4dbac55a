//! Takes that are exported as loops: by their motion or by the user's choice.

use super::*;
use crate::export::Preset;
use portamento_takes::document::LoopChoice;

/// Adds a take of `clip` on its own character, named like the clip.
fn add(session: &mut Session, clip: &str, loops: LoopChoice) -> TakeId {
    let file = session.document.files[0].id;
    let source = TakeSource::Clip { file, clip: clip.into() };
    let id = TakeId(0);
    session.document.add_take(Take { id, name: clip.into(), character: file, source, stages: Vec::new(), loops })
}

/// Exports `takes` for Godot to `folder`. Returns the loop flag of each that its import script, the markers in the file and the
/// name of the clip agree on.
fn flags(session: &mut Session, takes: &[TakeId], folder: &Path) -> Vec<(String, bool)> {
    let request = ExportRequest {
        takes: takes.to_vec(),
        destination: folder.to_owned(),
        settings: Preset::Godot.settings(),
        replace: Replace::Allow,
        ..ExportRequest::default()
    };
    session.perform(Command::File(FileCommand::Export(request)));
    let errors: Vec<String> = session.notices.take_new().iter().map(crate::Notice::text).collect();
    let flag = |&id: &TakeId| {
        let name = session.document.take(id).unwrap().name.clone();
        let read = portamento_formats::import::import(&folder.join(format!("{name}.glb")));
        let source = read.unwrap_or_else(|error| panic!("{name}: {error} {errors:?}"));
        let json = source.source.unwrap().json.clone();
        let loops = json["animations"][0]["extras"]["portamento"]["loop"].as_bool().unwrap();
        let clip = json["animations"][0]["name"].as_str().unwrap().to_owned();
        assert_eq!(clip, format!("{name}{}", if loops { "-loop" } else { "" }));
        let script = std::fs::read_to_string(folder.join(format!("{name}.import.gd"))).unwrap();
        assert!(script.contains(&format!("\"{name}\": {loops},\n")), "{name}: {loops} {script}");
        (name, loops)
    };
    takes.iter().map(flag).collect()
}

#[test]
fn gaits_and_stances_are_loops_and_strikes_that_end_in_their_guard_are_none() {
    let Some(knight) = portamento_test_support::character("characters/knight.glb") else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut session = opened(&[knight]);
    let loops =
        ["Walking_A", "Walking_Backwards", "Running_A", "Running_Strafe_Left", "Idle", "2H_Melee_Idle", "Jump_Idle"];
    let file = session.document.files[0].id;
    let clips = session.library.get(file).unwrap().model.clips.iter().map(|clip| clip.name.clone());
    let others = ["Hit_A", "Use_Item", "1H_Ranged_Reload", "Spellcast_Raise", "Interact", "T-Pose", "Unarmed_Pose"];
    let strikes: Vec<String> = clips.filter(|name| name.contains("Attack")).collect();
    assert!(strikes.len() >= 12, "{strikes:?}");
    let names = loops.into_iter().chain(others).chain(strikes.iter().map(String::as_str));
    let takes: Vec<TakeId> = names.map(|name| add(&mut session, name, LoopChoice::Automatic)).collect();
    for (name, is_loop) in flags(&mut session, &takes, folder.path()) {
        assert_eq!(is_loop, loops.contains(&&*name), "{name}");
    }
}

#[test]
fn a_choice_decides_against_the_motion_and_can_be_undone() {
    let Some(knight) = portamento_test_support::character("characters/knight.glb") else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut session = opened(&[knight]);
    let walk = add(&mut session, "Walking_A", LoopChoice::No);
    let strike = add(&mut session, "1H_Melee_Attack_Chop", LoopChoice::Yes);
    let is_loop = |session: &mut Session| {
        flags(session, &[walk, strike], folder.path()).into_iter().map(|(_, loops)| loops).collect::<Vec<_>>()
    };
    assert_eq!(is_loop(&mut session), [false, true]);
    session.update(0.0, true);
    session.document.take_mut(walk).unwrap().loops = LoopChoice::Automatic;
    session.update(0.0, true);
    assert_eq!(is_loop(&mut session), [true, true]);
    session.perform(Command::Edit(EditCommand::Undo));
    assert_eq!(session.document.take(walk).unwrap().loops, LoopChoice::No);
}
