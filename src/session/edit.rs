//! Edits of the document.

use super::looping::cloth::Cut;
use super::notices::about;
use super::stack::{end_of, longest_loop};
use super::{EditCommand, Notice, OpenDocument, Session, Severity, Shown};
use portamento_anim::Footage;
use portamento_anim::media::{SheetGrid, vertex_clip};
use portamento_base::message::{Message, Tell, message};
use portamento_stretch as stretch;
use portamento_takes::document::clip_ref::{referred_take, take_ref};
use portamento_takes::document::stage::Stretch;
use portamento_takes::document::take::Vertices;
use portamento_takes::document::{Document, FileId, Stage, StageKind, Take, TakeId, TakeSource};

impl Session {
    /// Performs a command that edits the document. The reason why one cannot be done becomes a notice.
    pub(super) fn perform_edit(&mut self, command: EditCommand) {
        match command {
            EditCommand::Undo => self.undo(),
            EditCommand::Redo => self.redo(),
            EditCommand::GoToHistory(index) => self.go_to_history(index),
            EditCommand::AddStretch { character, clip_file, clip } => self.add_stretch(character, clip_file, clip),
            EditCommand::AddScenario { character, with } => self.add_scenario(character, with),
            EditCommand::FindEntry(event) => self.find_entry(event),
            EditCommand::LengthenFades(take) => self.lengthen_fades(take),
            EditCommand::ShiftFadeMidpoints(take) => self.shift_fade_midpoints(take),
            EditCommand::FindNodeEntry(node) => self.find_node_entry(node),
            EditCommand::AddRetarget { character, file, clip } => self.add_retarget(character, file, clip),
            EditCommand::RetargetClips { character, clips } => self.retarget_clips(character, clips),
            EditCommand::AddObject => self.add_object(),
            EditCommand::AddReference(file) => self.add_reference(file),
            EditCommand::GroundObject(index) => self.document.ground_object(index, &self.library),
            EditCommand::ToggleObject(index) => self.document.toggle_object(index),
            EditCommand::RemoveObject(index) => self.remove_object(index),
            EditCommand::AddTake => self.add_shown(),
            EditCommand::AddLoop => self.add_loop(),
            EditCommand::AddVertices => self.add_vertices(),
            EditCommand::AddCloth(shape) => drop(self.add_take(Cut::of_shape(shape).new_take(shape.name().to_owned()))),
            EditCommand::HangMesh => self.add_new(self.opened().new_cloth(&self.selection.shown)),
            EditCommand::AddWalk => drop(self.add_take(self.opened().new_walk(&self.selection.shown))),
            EditCommand::WalkHere(level) => {
                self.add_take(self.opened().new_walk_through(level, &self.selection.shown));
            }
            EditCommand::MakeDynamic { character, joint } => self.make_dynamic(character, joint),
            EditCommand::MakeAllDynamic { character, joints } => self.make_all_dynamic(character, &joints),
            EditCommand::MakeLikelyDynamic => self.make_likely_dynamic(),
            EditCommand::UseSpringBones => self.use_spring_bones(),
            EditCommand::MakeSelectedDynamic => self.make_selected_dynamic(),
            EditCommand::FitSelected => self.fit_selected(),
            EditCommand::UsePreset(preset) => self.use_preset(preset),
            EditCommand::RemoveChain(chain) => self.remove_chain(chain),
            EditCommand::MirrorDynamics => self.mirror_dynamics(),
            EditCommand::AddCollider(collider) => self.add_collider(collider),
            EditCommand::Duplicate(takes) => takes.into_iter().for_each(|take| self.duplicate(take)),
            EditCommand::Place { takes, place } => self.document.move_takes(&takes, &place),
            EditCommand::Derive(take) => self.derive(take),
            EditCommand::AddVariants(takes) => self.add_variants(takes),
            EditCommand::Remove(takes) => self.ask_to_remove(takes),
            EditCommand::RemoveUsed(take) => self.remove(take),
            EditCommand::RemoveFile(file) => self.ask_to_remove_file(file),
            EditCommand::RemoveUsedFile(file) => self.remove_file(file),
            EditCommand::GiveFile { take, from, to } => self.give_file(take, from, to),
            EditCommand::Stage(command) => self.perform_stage(command),
            EditCommand::Pose(command) => self.perform_pose(command),
            EditCommand::CopyStages(take) => self.copy_stages(take, None),
            EditCommand::PasteStages(takes) => self.paste_stages(takes),
            EditCommand::Tree(command) => self.perform_tree(command),
            EditCommand::ProposeSets => self.propose_sets(),
            EditCommand::AddToSet { set, members } => self.add_to_set(set, members),
            EditCommand::BringSet(request) => self.bring_set(request),
            EditCommand::AddAimGrid(request) => self.sample_aim_grid(&request),
            EditCommand::AddTakesOfSet(index) => drop(self.takes_of_set(index)),
            EditCommand::AskFinish(clips) => self.ask_to_finish(clips),
            EditCommand::FinishClips(request) => self.finish_clips(request),
        }
    }

    fn add_retarget(&mut self, character: FileId, file: FileId, clip: String) {
        self.add_take(self.opened().new_retarget(character, file, clip));
    }

    /// Removes the scene object at `index` and clears the selection of objects.
    fn remove_object(&mut self, index: usize) {
        self.selection.object = None;
        self.document.remove_object(index);
    }

    fn undo(&mut self) {
        self.travel(|history| history.undo(), message!("notice.nothing_to_undo", "There is nothing to undo."));
    }

    fn redo(&mut self) {
        self.travel(|history| history.redo(), message!("notice.nothing_to_redo", "There is nothing to redo."));
    }

    fn go_to_history(&mut self, index: usize) {
        let is_gone = message!("notice.step_gone", "That history step no longer exists.");
        self.travel(|history| history.go_to(index), is_gone);
    }

    fn lengthen_fades(&mut self, take: TakeId) {
        let messages = self.fades(take).lengthen();
        self.notices.add_all(Severity::Done, messages);
    }

    /// Moves the midpoints of the fades of `take` where that improves them. Adds a notice for each change, or that there is
    /// none.
    fn shift_fade_midpoints(&mut self, take: TakeId) {
        let messages = self.fades(take).shift_midpoints();
        let none_message = message!("notice.no_fade_bent", "No fade was changed: no other midpoint improves it.");
        self.notices.add_all(Severity::Done, if messages.is_empty() { vec![none_message] } else { messages });
    }

    /// Replaces the document by the one that `step` returns and shows the view in which that step was made. If `step` returns
    /// `None`, nothing changes and `none_message` becomes a notice.
    fn travel(
        &mut self,
        step: impl Fn(&mut portamento_takes::document::History) -> Option<Document>,
        none_message: Message,
    ) {
        self.history.observe(&self.document);
        self.views.note(&self.history, &self.selection.shown);
        let known: Vec<TakeId> = self.document.takes.iter().map(|take| take.id).collect();
        let previous_source = self.opened().shown_source_of(&self.selection.shown);
        match step(&mut self.history) {
            Some(document) => self.document = document,
            None => return self.notices.add(Severity::Info, none_message),
        }
        let view = self.views.travel(&self.history).filter(|view| self.opened().has(view));
        let mut restored = self.document.takes.iter().map(|take| take.id).filter(|id| !known.contains(id));
        match (restored.next(), restored.next()) {
            // A take restored by undo is shown unless another take is shown.
            (Some(take), None) if !matches!(self.selection.shown, Shown::Take(_)) => {
                self.selection.show(Shown::Take(take));
            }
            _ if !self.opened().can_show(&self.selection.shown) => self.show_instead(previous_source.or(view)),
            // The step is visible where it was made.
            _ => view.into_iter().for_each(|view| self.selection.show(view)),
        }
    }

    /// Adds and shows a take that stretches a clip. Its target is the world position where the unmodified motion ends, or none
    /// if that motion cannot be built. The take has the name of the clip with `stretched`.
    fn add_stretch(&mut self, character: FileId, clip_file: FileId, clip: String) {
        let unmodified = Shown::Clip { character, file: clip_file, clip: clip.clone() };
        let unmodified = self.opened().take_of(&unmodified).and_then(|take| self.built(&take).ok());
        let end = unmodified.and_then(|built| end_of(&built));
        let settings = stretch::Settings { target: end.map(stretch::Target::World), ..stretch::Settings::default() };
        let stretch = Stretch { settings, ..Stretch::default() };
        self.add_take(Take {
            id: TakeId(0),
            name: format!("{clip} stretched"),
            character,
            source: TakeSource::Clip { file: clip_file, clip },
            stages: Stage::numbered(vec![StageKind::Stretch(Box::new(stretch))]),
            loops: None,
        });
    }

    /// Adds the shown clip, cache or images as a take without stages.
    fn add_shown(&mut self) {
        match self.shown_take().filter(|take| self.document.take(take.id).is_none()) {
            Some(take) => drop(self.add_take(take)),
            None => {
                let message =
                    message!("notice.nothing_to_take", "No clip, cache or image sequence is shown. Select one first.");
                self.notices.add(Severity::Info, message);
            }
        }
    }

    /// Adds a loop stage to the shown take, or a new take with one if a clip, cache or images are shown. The search for the
    /// best loop starts. Adds a notice instead if nothing is shown or the take is still being built.
    fn add_loop(&mut self) {
        let Some(mut take) = self.shown_take() else {
            let message =
                message!("notice.nothing_to_loop", "There is nothing to loop. Choose a clip, a cache or images first.");
            return self.notices.add(Severity::Info, message);
        };
        let sheet = self.guessed_sheet(&take);
        take.source.set_sheet(sheet);
        let opened = OpenDocument { document: &self.document, library: &self.library };
        let built = match self.evaluation.builds.quick(opened, &take) {
            // Building now would block the window.
            Ok(None) if self.evaluation.failure().is_none() => {
                let message = message!(
                    "notice.still_made",
                    "%{take} is still being built. Add the loop when it is shown.",
                    take = &take.name,
                );
                return self.notices.add(Severity::Info, message);
            }
            built => built.ok().flatten(),
        };
        // A stage that fails does not bar the loop: the stages below it are shown.
        let built = built.or_else(|| self.frame().and_then(|frame| frame.built.clone()));
        let frames = built.map_or(0, |built| built.frames());
        let looped = StageKind::Loop(Box::new(longest_loop(frames)));
        if let Some(known) = self.document.take_mut(take.id) {
            known.source.set_sheet(sheet);
            let stage = known.add_stage(looped);
            self.selection.stage = Some(stage);
            return self.seams.begin_with_best(known, Some(stage));
        }
        let name = format!("{} loop", take.name);
        self.add_take(Take { name, stages: Stage::numbered(vec![looped]), ..take });
        self.document.takes.last().into_iter().for_each(|take| self.seams.begin_with_best(take, None));
    }

    /// Returns the grid of `take` if its source is a single image without a grid that looks like a sprite sheet. `None`
    /// otherwise.
    fn guessed_sheet(&self, take: &Take) -> Option<SheetGrid> {
        let TakeSource::Images { file, sheet: None, .. } = take.source else { return None };
        match self.library.get(file)?.footage.as_ref()? {
            Footage::Images(clip) if clip.info.frames == 1 => SheetGrid::guess(clip),
            _ => None,
        }
    }

    /// Adds and shows a take that loops the vertices of the shown clip. Adds a notice instead if no clip is shown, its file has
    /// no mesh or it cannot be built.
    fn add_vertices(&mut self) {
        let shown = self.shown_take().map(|take| Take { stages: Vec::new(), ..take });
        let Some((unmodified, file, clip)) = shown.and_then(|take| match take.source.clone() {
            TakeSource::Clip { file, clip } => Some((take, file, clip)),
            _ => None,
        }) else {
            let message = message!(
                "notice.no_clip_for_vertices",
                "No clip to loop by vertices. Select a clip of a model first.",
            );
            return self.notices.add(Severity::Info, message);
        };
        if !self.opened().has_faces(file) {
            let message = message!(
                "notice.no_mesh_for_vertices",
                "“%{clip}” does not move a mesh, so there are no vertices to loop. Add a loop of its joints instead, or choose a clip \
                 of a file with a mesh.",
                clip = &clip,
            );
            return self.notices.add(Severity::Info, message);
        }
        // Only the frame count is needed here; the vertices are built later in the background.
        let frames = match self.built(&unmodified) {
            Ok(built) => vertex_clip::frames_in(built.clip.duration, built.fps),
            Err(error) => return self.notices.add(Severity::Error, about(&clip, error.message())),
        };
        let vertices = Vertices { file, clip: Some(clip.clone()), mesh: None, fps: None };
        let source = TakeSource::Vertices(vertices);
        let stages = Stage::numbered(vec![StageKind::Loop(Box::new(longest_loop(frames)))]);
        self.add_take(Take {
            id: TakeId(0),
            name: format!("{clip} vertices"),
            character: file,
            source,
            stages,
            loops: None,
        });
    }

    /// Adds `take` with a new id and a unique name, and shows it. Clears the selection within the item shown before.
    pub(super) fn add_take(&mut self, take: Take) -> TakeId {
        let id = self.document.add_take(take);
        self.selection.show(Shown::Take(id));
        id
    }

    /// Adds the take, or shows the notice why it could not be created.
    fn add_new(&mut self, result: Result<Take, Notice>) {
        match result {
            Ok(take) => drop(self.add_take(take)),
            Err(notice) => self.notices.push(notice),
        }
    }

    /// Duplicates take `id` and shows the copy. Does nothing if there is no such take.
    fn duplicate(&mut self, id: TakeId) {
        if let Some(copy) = self.document.duplicate_take(id) {
            self.selection.show(Shown::Take(copy));
        }
    }

    /// Adds a take without stages whose source is the result of take `id`. Adds a notice instead if that take moves no
    /// joints. Shows the new take.
    fn derive(&mut self, id: TakeId) {
        let Some(used) = self.document.take(id) else { return };
        let (name, character) = (used.name.clone(), used.character);
        if !used.moves_joints() {
            let message = message!(
                "notice.derive_joints",
                "Only a take that moves a skeleton can be used as a clip. Duplicate “%{take}” instead.",
                take = &name
            );
            return self.notices.add(Severity::Info, message);
        }
        let source = TakeSource::Clip { file: character, clip: take_ref(id) };
        self.add_take(Take { id, name, character, source, stages: Vec::new(), loops: None });
    }

    /// Removes takes; those used by other takes wait for the user's confirmation.
    fn ask_to_remove(&mut self, mut ids: Vec<TakeId>) {
        // Takes that use others in the list are removed before those.
        while let Some(unused) = ids.iter().position(|&id| self.document.users_of(id).next().is_none()) {
            self.remove(ids.remove(unused));
        }
        self.asked_removals = ids;
    }

    /// Removes take `id` without confirmation. If it was shown, the next take of its folder is shown, else the previous
    /// one. Takes that use it stay and report it as missing.
    fn remove(&mut self, id: TakeId) {
        self.asked_removals.retain(|asked| *asked != id);
        let neighbour = self.document.take_after_removal(id).map(Shown::Take);
        self.document.takes.retain(|take| take.id != id);
        self.document.tidy_folders();
        if self.selection.shown == Shown::Take(id) {
            self.show_instead(neighbour);
        }
    }

    /// Shows the remaining motion of a side-by-side pair, otherwise `other` if it exists, otherwise the first
    /// content.
    pub(super) fn show_instead(&mut self, other: Option<Shown>) {
        let left = self.pair.take().and_then(|pair| pair.left(self.opened()));
        let other = left.or(other).filter(|other| self.opened().has(other));
        self.selection.show(other.unwrap_or(Shown::first(&self.document)));
    }
}

impl<'a> OpenDocument<'a> {
    /// True if `shown` still exists, or if it is empty and so is the document.
    fn can_show(self, shown: &Shown) -> bool {
        match shown {
            Shown::Nothing => self.document.files.is_empty() && self.document.takes.is_empty(),
            shown => self.has(shown),
        }
    }

    /// Returns the clip or take that the shown take was created from. `None` for a take with another source, and for any other
    /// item.
    fn shown_source_of(self, shown: &Shown) -> Option<Shown> {
        let Shown::Take(id) = shown else { return None };
        let take = self.document.take(*id)?;
        let TakeSource::Clip { file, clip } = &take.source else { return None };
        let of_file = || Shown::Clip { character: take.character, file: *file, clip: clip.clone() };
        Some(referred_take(clip).map_or_else(of_file, Shown::Take))
    }

    /// True if the document contains `shown`.
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

#[cfg(test)]
mod tests;
