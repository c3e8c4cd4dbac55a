//! One file per character, with the clips of all its takes.

use super::*;

#[test]
fn a_folder_gets_one_file_per_character_and_one_notice() {
    let (folder, mut session) = samples();
    let names = ["first", "second"];
    let mut takes: Vec<TakeId> = names.iter().map(|name| take_called(&mut session, name)).collect();
    let clip = session.library.get(session.document.files[0].id).unwrap().model.clips[0].name.clone();
    // Another character with the same name, and a file without a character.
    std::fs::create_dir(folder.path().join("other")).unwrap();
    std::fs::copy(folder.path().join("hero.glb"), folder.path().join("other/hero.glb")).unwrap();
    session.perform(Command::File(FileCommand::Open(vec![folder.path().join("other/hero.glb")])));
    let other = session.document.files.last().unwrap().id;
    let mut twin = session.document.take(takes[0]).unwrap().clone();
    (twin.id, twin.name, twin.character) = (TakeId(session.document.fresh_id()), "twin".into(), other);
    twin.source = TakeSource::Clip { file: other, clip: clip.clone() };
    takes.push(twin.id);
    session.document.takes.push(twin);
    let flag = session.document.takes.iter().find(|take| matches!(take.source, TakeSource::Cloth(_))).unwrap();
    let flag_file = format!("{}.glb", flag.name.replace(' ', "_"));
    takes.push(flag.id);
    let out = folder.path().join("out");
    let names = ClipNames { pattern: "{clip}".into(), ..ClipNames::default() };
    let settings = ExportSettings { per_character: true, keep: Keep::Alone, names, ..Default::default() };
    let request = ExportRequest { takes, destination: out.clone(), settings, ..Default::default() };
    let line = session.command_line(&request, &folder.path().join("samples.portamento"));
    assert!(line.contains(" --per-character ") && line.contains("'{clip}'"), "{line}");
    session.notices.take_new();
    session.perform(Command::File(FileCommand::Export(request)));
    let texts: Vec<String> = session.notices.take_new().into_iter().map(|notice| notice.text()).collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].starts_with("Exported 3 files"), "{texts:?}");
    let files: Vec<String> = contents(&out).into_keys().collect();
    let mut wanted = ["hero.glb".to_owned(), "hero_2.glb".into(), flag_file];
    wanted.sort();
    assert_eq!(files, wanted);
    let clips = |name: &str| {
        let model = portamento_formats::import::import(&out.join(name)).unwrap().model.clone();
        model.clips.iter().map(|clip| clip.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(clips("hero.glb"), [clip.clone(), format!("{clip}#2")], "called like their clip, and told apart");
    assert_eq!(clips("hero_2.glb"), [clip]);
}
