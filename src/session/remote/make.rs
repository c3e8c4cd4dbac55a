//! Takes of a recipe in the open project.

use std::path::Path;

use serde_json::{Value, json};

use super::answer::check_absolute;
use super::{ClipName, Reply};
use crate::Session;
use crate::recipe::{Fills, Recipe, RecipeTake};
use portamento_base::message::{Message, message};
use portamento_takes::document::clip_ref::FileClip;
use portamento_takes::document::file::absolute;
use portamento_takes::document::{Document, FileId, TakeId};

impl Session {
    /// Opens the files that are missing in a job, adds the takes and answers with their ids and names. Answers with the
    /// reason if the recipe is invalid or a path is relative.
    pub(super) fn answer_make(&mut self, recipe: &Value, clips: Vec<ClipName>, reply: Reply) {
        let recipe = match Recipe::from_json(recipe.to_string().as_bytes()) {
            Ok(recipe) => recipe,
            Err(refusal) => return reply(Err(refusal)),
        };
        let paths = recipe.files.iter().chain(clips.iter().map(|clip| &clip.file));
        let mut wanted = Vec::new();
        for path in paths {
            if let Err(refusal) = check_absolute(path) {
                return reply(Err(refusal));
            }
            let path = absolute(path);
            if file_at(&self.document, &path).is_none() && !wanted.contains(&path) {
                wanted.push(path);
            }
        }
        self.open_then(wanted, move |session| reply(session.add_recipe(&recipe, &clips)));
        self.poll();
    }

    /// Adds the takes of `recipe`, stacks for each of `clips`. Returns their ids and names; on an error nothing is added.
    fn add_recipe(&mut self, recipe: &Recipe, clips: &[ClipName]) -> Result<Value, Message> {
        let before = self.document.clone();
        let selection = self.selection.clone();
        let added = self.add_own_takes(recipe).and_then(|()| self.add_stacks(recipe, clips));
        if let Err(reason) = added {
            (self.document, self.selection) = (before, selection);
            return Err(reason);
        }
        let new = self.document.takes.iter().filter(|take| before.take(take.id).is_none());
        let new: Vec<Value> = new.map(|take| json!({ "id": take.id.0, "name": take.name })).collect();
        Ok(json!({ "takes": new }))
    }

    /// Adds the takes that are no stacks. Their files and their references to each other get the ids of this project.
    /// Returns `Err` if a file is not open or a take does not fit; some takes may be added already.
    fn add_own_takes(&mut self, recipe: &Recipe) -> Result<(), Message> {
        let find = |path: &std::path::PathBuf| file_at(&self.document, &absolute(path)).ok_or_else(|| unread(path));
        let files = recipe.files.iter().map(find).collect::<Result<Vec<FileId>, Message>>()?;
        let is_known = |name: &str| self.document.objects.iter().any(|known| known.name == name);
        let points: Vec<_> = recipe.objects.iter().filter(|object| !is_known(&object.name)).cloned().collect();
        self.document.objects.extend(points);
        let mut ids: Vec<(TakeId, TakeId)> = Vec::new();
        for take in recipe.takes.iter().filter(|take| !take.is_stack()) {
            let character = take.character.and_then(|position| placed(&files, position));
            let character = character.ok_or_else(|| no_file(&take.name))?;
            let on_character = RecipeTake { character: Some(character), ..take.clone() };
            let mut built = self.opened().recipe_take(recipe, &on_character)?;
            let mut is_complete = true;
            built.each_clip_file_mut(|file| match placed(&files, *file) {
                Some(known) => *file = known,
                None => is_complete = false,
            });
            if !is_complete {
                return Err(no_file(&take.name));
            }
            ids.push((take.id, self.add_take(built)));
        }
        for (_, id) in &ids {
            self.document.take_mut(*id).into_iter().for_each(|take| take.replace_takes(&ids));
        }
        Ok(())
    }

    /// Adds a take for each stack of `recipe` and each of `clips`.
    ///
    /// Returns `Err` if a file is not open, a stack does not fit, or a recipe of stacks only has no clips.
    fn add_stacks(&mut self, recipe: &Recipe, clips: &[ClipName]) -> Result<(), Message> {
        for ClipName { file: path, clip } in clips {
            let file = file_at(&self.document, &absolute(path)).ok_or_else(|| unread(path))?;
            for take in recipe.takes.iter().filter(|take| take.is_stack()) {
                self.add_stacked(recipe, take, &Fills::new(), FileClip { file, clip })?;
            }
        }
        let is_unused = clips.is_empty() && recipe.takes.iter().all(RecipeTake::is_stack);
        if is_unused {
            Err(message!("error.remote.no_clips", "The recipe is for any clip: give the clips."))
        } else {
            Ok(())
        }
    }
}

/// Returns the open file at the absolute path `path`; `None` if it is not open.
fn file_at(document: &Document, path: &Path) -> Option<FileId> {
    document.files.iter().find(|file| file.path == path).map(|file| file.id)
}

/// Returns the file at a position of the recipe's list, from 1. `None` if out of range.
fn placed(files: &[FileId], position: FileId) -> Option<FileId> {
    files.get(usize::try_from(position.0).ok()?.checked_sub(1)?).copied()
}

/// Returns the error that the file at `path` could not be opened.
fn unread(path: &Path) -> Message {
    message!(
        "error.remote.unread",
        "%{file} could not be opened. The window says why.",
        file = path.display().to_string(),
    )
}

/// Returns the error that a take names a file that is not in the list.
fn no_file(take: &str) -> Message {
    message!("error.remote.no_file", "Take “%{take}” names a position that is not in the list of files.", take)
}
