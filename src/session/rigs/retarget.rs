//! Retargeting takes.

use crate::OpenDocument;
use portamento_retarget as retarget;
use portamento_takes::document::clip_ref::referred_take;
use portamento_takes::document::{FileId, Retarget, Take, TakeId, TakeSource};

impl<'a> OpenDocument<'a> {
    /// Returns a take that retargets `clip` of `file`, or a take that `clip` refers to, to `character`.
    pub(crate) fn new_retarget(self, character: FileId, file: FileId, clip: String) -> Take {
        let title = self.document.clip_title(&clip);
        let to = self.library.get(character).map(|loaded| loaded.model.name.clone()).unwrap_or_default();
        let file = referred_take(&clip).and_then(|id| self.document.take(id)).map_or(file, |take| take.character);
        let source = Retarget { file, clip, settings: retarget::Settings::default() };
        Take {
            id: TakeId(0),
            name: format!("{title} on {to}"),
            character,
            source: TakeSource::Retarget(Box::new(source)),
            stages: Vec::new(),
        }
    }

    /// Returns the open rigs except `other`, as file and name.
    pub fn other_rigs(self, other: FileId) -> Vec<(FileId, String)> {
        let rig = |file: &portamento_takes::document::SourceFile| {
            let loaded = self.library.get(file.id)?;
            let is_rig = self.document.character(file.id).is_some_and(|known| known.roles.hips.is_some());
            (file.id != other && is_rig).then(|| (file.id, loaded.model.name.clone()))
        };
        self.document.files.iter().filter_map(rig).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Command, EditCommand, FileCommand, Session, Shown};
    use portamento_takes::document::clip_ref::take_ref;

    fn edit(session: &mut Session, command: EditCommand) {
        session.perform(Command::Edit(command));
        session.update(1.0 / 60.0, true);
    }

    #[test]
    fn a_clip_of_another_rig_is_retargeted_and_its_take_is_retargeted_back() {
        let Some(knight) = portamento_test_support::corpus("characters/knight.glb") else { return };
        let hero = portamento_test_support::asset("hero.glb");
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![hero, knight])));
        session.update(1.0 / 60.0, true);
        let [hero, knight] = [0, 1].map(|place| session.document.files[place].id);
        assert_eq!(session.opened().other_rigs(hero), [(knight, "knight".to_owned())]);
        let start = session.document.clone();
        edit(&mut session, EditCommand::AddRetarget { character: hero, file: knight, clip: "Walking_A".into() });
        let Shown::Take(walk) = session.selection.shown else { panic!("the take is shown") };
        assert_eq!(session.evaluation.failure(), None);
        let built = session.frame().unwrap().built.clone().unwrap();
        let retargeted = built.retargeted.as_ref().unwrap();
        assert!(
            retargeted.built.report.linked > 15 && retargeted.built.report.direction < 1e-3,
            "{:?}",
            retargeted.built.report
        );
        assert_eq!(retargeted.source_at(0.0).len(), retargeted.source.model.skeleton.len());
        edit(&mut session, EditCommand::AddRetarget { character: knight, file: hero, clip: take_ref(walk) });
        let built = session.frame().unwrap().built.clone().unwrap();
        assert_eq!(built.retargeted.as_ref().unwrap().source.model.name, "hero");
        assert_eq!(session.document.takes[1].used_takes(), [walk]);
        session.perform(Command::Edit(EditCommand::Undo));
        session.perform(Command::Edit(EditCommand::Undo));
        assert_eq!(session.document, start);
    }
}
