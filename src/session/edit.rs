//! Changing what the document holds.

use super::shown::about;
use super::{EditCommand, OpenDocument, Session, Severity, Shown};
use crate::document::clip_ref::take_ref;
use crate::document::stage::{Loop, Stretch};
use crate::document::take::Vertices;
use crate::document::{Document, FileId, Stage, StageKind, Take, TakeId, TakeSource};
use crate::evaluate::Lookup;
use crate::media::vertex_clip;
use crate::message::{Message, Tell, message};
use crate::systems::{looping, stretch};

impl Session {
    pub(super) fn perform_edit(&mut self, command: EditCommand) {
        match command {
            EditCommand::Undo => {
                self.travel(|history| history.undo(), message!("notice.nothing_to_undo", "There is nothing to undo."))
            }
            EditCommand::Redo => {
                self.travel(|history| history.redo(), message!("notice.nothing_to_redo", "There is nothing to redo."))
            }
            EditCommand::GoToHistory(index) => {
                self.travel(|history| history.go_to(index), message!("notice.step_gone", "That step is gone."))
            }
            EditCommand::AddStretch { character, clip_file, clip } => self.add_stretch(character, clip_file, clip),
            EditCommand::AddScenario { character, with } => self.add_scenario(character, with),
            EditCommand::FindEntry(event) => self.find_entry(event),
            EditCommand::GiveFadesTime(take) => self.give_fades_time_and_tell(take),
            EditCommand::BendFades(take) => self.bend_fades_and_tell(take),
            EditCommand::FindNodeEntry(node) => self.find_node_entry(node),
            EditCommand::AddRetarget { character, file, clip } => self.add_retarget(character, file, clip),
            EditCommand::AddObject => self.add_object(),
            EditCommand::AddReference(file) => self.add_reference(file),
            EditCommand::GroundObject(index) => self.ground_object(index),
            EditCommand::ToggleObject(index) => self.toggle_object(index),
            EditCommand::RemoveObject(index) => self.remove_object(index),
            EditCommand::AddLoop => self.add_loop(),
            EditCommand::AddVertices => self.add_vertices(),
            EditCommand::AddCloth(shape) => self.add_cloth(shape),
            EditCommand::HangMesh => self.hang_mesh(),
            EditCommand::AddWalk => self.add_walk(),
            EditCommand::WalkHere(level) => self.walk_through(level),
            EditCommand::MakeDynamic { character, joint } => self.make_dynamic(character, joint),
            EditCommand::MakeSelectedDynamic => self.make_selected_dynamic(),
            EditCommand::FitSelected => self.fit_selected(),
            EditCommand::UsePreset(preset) => self.use_preset(preset),
            EditCommand::RemoveChain(chain) => self.remove_chain(chain),
            EditCommand::MirrorDynamics => self.mirror_dynamics(),
            EditCommand::AddCollider(collider) => self.add_collider(collider),
            EditCommand::Duplicate(takes) => takes.into_iter().for_each(|take| self.duplicate(take)),
            EditCommand::Place { takes, place } => self.document.place_takes(&takes, &place),
            EditCommand::Derive(take) => self.derive(take),
            EditCommand::AddVariants(takes) => self.add_variants(takes),
            EditCommand::Remove(takes) => self.ask_to_remove(takes),
            EditCommand::RemoveUsed(take) => self.remove(take),
            EditCommand::Stage(command) => self.perform_stage(command),
            EditCommand::Tree(command) => self.perform_tree(command),
        }
    }

    fn travel(&mut self, step: impl Fn(&mut crate::document::History) -> Option<Document>, nothing: Message) {
        self.history.observe(&self.document);
        let known: Vec<TakeId> = self.document.takes.iter().map(|take| take.id).collect();
        match step(&mut self.history) {
            Some(document) => self.document = document,
            None => self.notices.say(Severity::Info, nothing),
        }
        let mut back = self.document.takes.iter().map(|take| take.id).filter(|id| !known.contains(id));
        match (back.next(), back.next()) {
            // Who looks at no take wants to see the one that comes back.
            (Some(take), None) if !matches!(self.selection.shown, Shown::Take(_)) => {
                self.selection.show(Shown::Take(take));
            }
            _ if !self.has_shown() => self.show_first(),
            _ => {}
        }
    }

    /// Whether the document still has what is shown; while it has anything, something is shown.
    fn has_shown(&self) -> bool {
        match &self.selection.shown {
            Shown::Nothing => self.document.files.is_empty() && self.document.takes.is_empty(),
            shown => self.opened().has(shown),
        }
    }

    fn add_stretch(&mut self, character: FileId, clip_file: FileId, clip: String) {
        let id = TakeId(self.document.fresh_id());
        let end = self.source_end(character, clip_file, &clip);
        let settings = stretch::Settings { target: end.map(stretch::Target::World), ..stretch::Settings::default() };
        let stretch = Stretch { settings, ..Stretch::default() };
        self.document.takes.push(Take {
            id,
            name: self.document.free_take_name(&format!("{clip} stretched")),
            character,
            source: TakeSource::Clip { file: clip_file, clip },
            stages: Stage::numbered(vec![StageKind::Stretch(Box::new(stretch))]),
        });
        self.selection.show(Shown::Take(id));
    }

    fn add_loop(&mut self) {
        let Some(take) = self.shown_take() else {
            let message =
                message!("notice.nothing_to_loop", "There is nothing to loop. Choose a clip, a cache or images first.");
            return self.notices.say(Severity::Info, message);
        };
        let frames = match self.cache.find(&self.document, &self.library, &take) {
            // Waiting for it would stop the window.
            Ok(Lookup::Missing(work)) if work.is_slow() => {
                let message = message!(
                    "notice.still_made",
                    "%{take} is still being made. Add the loop when it is shown.",
                    take = &take.name,
                );
                return self.notices.say(Severity::Info, message);
            }
            _ => self.built(&take).map(|built| built.frames()),
        };
        let frames = match frames {
            Ok(frames) => frames,
            Err(error) => return self.notices.say(Severity::Error, about(&take.name, error.message())),
        };
        let looped = StageKind::Loop(Box::new(longest_loop(frames)));
        if let Some(known) = self.document.take_mut(take.id) {
            self.selection.stage = Some(known.add_stage(looped));
            return;
        }
        let name = format!("{} loop", take.name);
        self.add_take(&name, Take { stages: Stage::numbered(vec![looped]), ..take });
    }

    fn add_vertices(&mut self) {
        let shown = self.shown_take().map(|take| Take { stages: Vec::new(), ..take });
        let Some((unmodified, file, clip)) = shown.and_then(|take| match take.source.clone() {
            TakeSource::Clip { file, clip } => Some((take, file, clip)),
            _ => None,
        }) else {
            let message = message!(
                "notice.no_clip_for_vertices",
                "There is no clip to loop by vertices. Choose a clip of a model first.",
            );
            return self.notices.say(Severity::Info, message);
        };
        // The frames are only counted here: making them takes long and is done behind the window.
        let frames = match self.built(&unmodified) {
            Ok(built) => vertex_clip::frames_in(built.clip.duration, built.fps),
            Err(error) => return self.notices.say(Severity::Error, about(&clip, error.message())),
        };
        let vertices = Vertices { file, clip: Some(clip.clone()), mesh: None, fps: None };
        let source = TakeSource::Vertices(vertices);
        let stages = Stage::numbered(vec![StageKind::Loop(Box::new(longest_loop(frames)))]);
        let take = Take { id: TakeId(0), name: clip.clone(), character: file, source, stages };
        self.add_take(&format!("{clip} vertices"), take);
    }

    /// Keeps `take` under a fresh id and a free name, and shows it.
    pub(super) fn add_take(&mut self, name: &str, take: Take) {
        let id = TakeId(self.document.fresh_id());
        let name = self.document.free_take_name(name);
        self.document.takes.push(Take { id, name, ..take });
        self.selection.show(Shown::Take(id));
    }

    fn duplicate(&mut self, id: TakeId) {
        let Some(take) = self.document.take(id).cloned() else { return };
        let copy =
            Take { id: TakeId(self.document.fresh_id()), name: self.document.free_take_name(&take.name), ..take };
        self.selection.show(Shown::Take(copy.id));
        let folder = self.document.folders.iter_mut().find(|folder| folder.takes.contains(&id));
        if let Some(folder) = folder {
            folder.takes.insert(copy.id);
        }
        self.document.takes.push(copy);
    }

    fn derive(&mut self, id: TakeId) {
        let Some(used) = self.document.take(id) else { return };
        let (name, character) = (used.name.clone(), used.character);
        if !used.moves_joints() {
            let message = message!(
                "notice.derive_joints",
                "Only a take that moves a skeleton can stand for a clip. Duplicate “%{take}” instead.",
                take = &name
            );
            return self.notices.say(Severity::Info, message);
        }
        let source = TakeSource::Clip { file: character, clip: take_ref(id) };
        self.add_take(&name, Take { id, name: name.clone(), character, source, stages: Vec::new() });
    }

    /// Removes takes that nobody else uses; of one that is used the user is asked first.
    fn ask_to_remove(&mut self, mut ids: Vec<TakeId>) {
        // One that uses another of them goes before it.
        while let Some(unused) = ids.iter().position(|&id| self.document.users_of(id).next().is_none()) {
            self.remove(ids.remove(unused));
        }
        self.asked_removals = ids;
    }

    fn remove(&mut self, id: TakeId) {
        self.asked_removals.retain(|asked| *asked != id);
        self.document.takes.retain(|take| take.id != id);
        self.document.tidy_folders();
        if self.selection.shown == Shown::Take(id) {
            self.show_first();
        }
    }

    fn show_first(&mut self) {
        let first = match (self.document.takes.first(), self.document.files.first()) {
            (Some(take), _) => Shown::Take(take.id),
            (None, Some(file)) => Shown::File(file.id),
            (None, None) => Shown::Nothing,
        };
        let left = self.left_of_pair();
        self.selection.show(left.unwrap_or(first));
    }
}

impl<'a> OpenDocument<'a> {
    /// Whether the document has `shown`.
    pub(super) fn has(self, shown: &Shown) -> bool {
        match shown {
            Shown::Nothing => false,
            Shown::File(file) => self.document.file(*file).is_some(),
            Shown::Clip { character, file, .. } => {
                [character, file].iter().all(|id| self.document.file(**id).is_some())
            }
            Shown::Take(take) => self.document.take(*take).is_some(),
        }
    }
}

/// A loop of the two longest cycles that `frames` frames hold, at most 120 frames each.
pub(super) fn longest_loop(frames: usize) -> Loop {
    let length = (frames.saturating_sub(1) / 2).clamp(1, 120);
    Loop { settings: looping::Settings { length, ..looping::Settings::default() } }
}
