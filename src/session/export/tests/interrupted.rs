use super::*;
use portamento_formats::export::Resolution;
use portamento_test_support::half_new_export;

/// Returns the text of both files of [`half_new_export`].
fn texts(folder: &Path) -> [String; 2] {
    ["a.txt", "b.txt"].map(|name| std::fs::read_to_string(folder.join(name)).unwrap())
}

#[test]
fn a_half_new_folder_is_asked_about_at_the_next_export_and_at_the_next_start() {
    let answers = [(Some(Resolution::Finish), "new"), (Some(Resolution::Undo), "old"), (None, "")];
    for (is_start, (answer, age)) in [false, true].into_iter().flat_map(|start| answers.map(|one| (start, one))) {
        let (folder, mut session) = samples();
        let out = folder.path().join("out");
        std::fs::create_dir(&out).unwrap();
        let journal = half_new_export(&out);
        if is_start {
            let note = serde_json::json!({ "journal": journal });
            std::fs::write(folder.path().join("0.export"), note.to_string()).unwrap();
            session.exports.ask_about_noted(folder.path());
        } else {
            let hero = take_called(&mut session, "hero");
            assert!(export(&mut session, vec![hero], out.join("hero.glb"), Replace::Refuse).is_empty());
        }
        assert_eq!(texts(&out), ["new a", "old b"], "nothing happens without an answer");
        assert_eq!(session.exports.interrupted().len(), 1);
        session.perform(Command::File(FileCommand::Resolve(journal.clone(), answer)));
        assert!(session.exports.interrupted().is_empty());
        let notices = session.notices.take_new();
        let done = notices.iter().filter(|notice| notice.severity == Severity::Done).count();
        assert_eq!(done, usize::from(answer.is_some()), "{notices:?}");
        match answer {
            Some(_) => assert_eq!((texts(&out), journal.exists()), ([format!("{age} a"), format!("{age} b")], false)),
            None => assert_eq!((texts(&out), journal.exists()), (["new a".into(), "old b".into()], true)),
        }
        // The session asks about the export again until it is resolved.
        session.exports.ask_about_noted(folder.path());
        assert_eq!(session.exports.interrupted().len(), usize::from(is_start && answer.is_none()));
    }
}
