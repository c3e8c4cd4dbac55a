//! Clips with equal names in one file.

use super::*;

fn written(session: &mut Session, takes: &[TakeId], destination: PathBuf, keep: Keep) {
    // Sidecar files are named after the takes in both cases.
    let replace = Replace::Allow;
    let settings = ExportSettings { keep, markers: true, ..Default::default() };
    let request = ExportRequest { takes: takes.to_vec(), destination, settings, replace, ..Default::default() };
    session.perform(Command::File(FileCommand::Export(request)));
    let errors = session.notices.take_new().into_iter().filter(|notice| notice.severity == Severity::Error);
    assert_eq!(errors.map(|notice| notice.text()).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn markers_find_their_clips_where_names_are_equal() {
    let (folder, mut session) = samples();
    let own = session.library.get(session.document.files[0].id).unwrap().model.clips[0].name.clone();
    let takes = [take_called(&mut session, &own), take_called(&mut session, &own)];
    let at = |name: &str| folder.path().join(name);
    let ours = [format!("{own}#2"), format!("{own}#3")];

    written(&mut session, &takes, at("beside.fbx"), Keep::Append);
    let scene = ufbx::load_memory(&std::fs::read(at("beside.fbx")).unwrap(), ufbx::LoadOpts::default()).unwrap();
    let named = scene.anim_stacks.iter().filter(|stack| stack.element.props.find_prop("markers").is_some());
    assert_eq!(named.map(|stack| stack.element.name.to_string()).collect::<Vec<_>>(), ours);

    written(&mut session, &takes, at("alone.glb"), Keep::Alone);
    let json = portamento_formats::import::import(&at("alone.glb")).unwrap().source.unwrap().json.clone();
    let named = json["animations"].as_array().unwrap().iter().map(|clip| clip["extras"]["portamento"]["clip"].clone());
    assert_eq!(named.collect::<Vec<_>>(), [own.clone(), ours[0].clone()]);
}
