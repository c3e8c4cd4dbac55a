//! Applies a recipe to many clips: one take each, and one notice for the clips it does not fit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Fills, Recipe, RecipeTake};
use crate::clip_library::ClipRow;
use crate::notices::about;
use crate::project::Trial;
use crate::{Session, Severity, Topic};
use portamento_base::message::{Message, message};
use portamento_takes::document::clip_ref::FileClip;
use portamento_takes::document::file::absolute;
use portamento_takes::document::{FileId, TakeId};

/// Maximum number of reasons in the notice, and of clips named with each reason.
const MAX_LISTED: usize = 5;

impl Recipe {
    /// Returns the last take that is a stack; `None` if there is none.
    pub fn stack(&self) -> Option<&RecipeTake> {
        self.takes.iter().rev().find(|take| take.is_stack())
    }
}

impl Session {
    /// Adds and shows a take with the stack `take` of `recipe` on a clip of a file. Scene objects of the recipe are added
    /// if their names are new. `fills` names the clips for slots.
    ///
    /// Returns `Err` and changes nothing if the stack does not fit.
    pub fn add_stacked(
        &mut self,
        recipe: &Recipe,
        take: &RecipeTake,
        fills: &Fills,
        clip: FileClip,
    ) -> Result<(), Message> {
        let new_take = self.opened().stacked(recipe, take, fills, clip)?;
        // An existing point with the same name is used instead of the recipe's.
        let is_known = |name: &str| self.document.objects.iter().any(|known| known.name == name);
        let new: Vec<_> = recipe.objects.iter().filter(|object| !is_known(&object.name)).cloned().collect();
        self.document.objects.extend(new);
        self.add_take(new_take);
        Ok(())
    }

    /// Adds takes of `rows` with the stack of the recipe at `path`; opens files in a job first if needed. Adds a notice if
    /// the recipe cannot be used.
    pub(crate) fn apply_recipe(&mut self, rows: Vec<ClipRow>, path: &Path) {
        match Recipe::read(path).and_then(|recipe| self_contained(recipe, path)) {
            Ok(recipe) => {
                self.notices.succeed(&Topic::Read(path.to_owned()));
                self.give_stack(rows, recipe, title(path));
            }
            Err(reason) => self.notices.fail(Topic::Read(path.to_owned()), reason),
        }
    }

    /// Adds takes of `rows` with the stages of take `like`, muted ones excluded; opens files in a job first if needed. Adds
    /// a notice if it has no stages.
    pub(crate) fn stack_clips_like(&mut self, rows: Vec<ClipRow>, like: TakeId) {
        let title = self.document.take(like).map(|take| take.name.clone()).unwrap_or_default();
        match self.opened().recipe_of(like) {
            Ok(recipe) => self.give_stack(rows, recipe, title),
            Err(reason) => self.notices.add(Severity::Error, reason),
        }
    }

    /// Applies recipes to the clips selected in the library; adds a notice if none is selected.
    pub(crate) fn open_recipes(&mut self, paths: &[PathBuf]) {
        let chosen = self.clips.chosen_rows();
        for path in paths {
            if chosen.is_empty() {
                let message = message!(
                    "notice.recipe_waits",
                    "%{file} is a recipe. Select clips in the library first, then open it again or drop it here.",
                    file = file_name(path)
                );
                self.notices.add(Severity::Info, message);
            } else {
                self.apply_recipe(chosen.clone(), path);
            }
        }
    }

    /// Opens the files of `rows`, and adds a take with the stages of `recipe` for each clip that they fit, in a folder named
    /// `title`. A notice lists the clips that they do not fit. Only the files of fitting clips stay open.
    fn give_stack(&mut self, rows: Vec<ClipRow>, recipe: Recipe, title: String) {
        let rows: Vec<(PathBuf, ClipRow)> = rows.into_iter().map(|row| (absolute(&row.file), row)).collect();
        let mut paths: Vec<PathBuf> = rows.iter().map(|(path, _)| path.clone()).collect();
        paths.sort();
        paths.dedup();
        self.try_files(paths, move |session, trial| {
            let Some(stack) = recipe.stack() else { return };
            let Fitting { wanted, rows, unfit, all } = fitting(&trial, &recipe, stack, rows);
            trial.add(session, &wanted);
            let before = session.document.takes.len();
            for (path, row) in &rows {
                let file = session.document.files.iter().find(|file| file.path == *path).map(|file| file.id);
                let given = file
                    .map(|file| session.add_stacked(&recipe, stack, &Fills::new(), FileClip { file, clip: &row.clip }));
                given.and_then(Result::err).into_iter().for_each(|reason| session.notices.add(Severity::Error, reason));
            }
            session.gather_new_takes(before, &title);
            let count = session.document.takes.len() - before;
            if count > 0 {
                session.notices.add(Severity::Done, result_message(count, title));
            }
            unfit.into_message(all).into_iter().for_each(|message| session.notices.add(Severity::Warning, message));
        });
    }
}

/// The clips that a stack fits.
struct Fitting {
    /// The files of these clips, and other files that the stages use.
    wanted: BTreeSet<FileId>,
    rows: Vec<(PathBuf, ClipRow)>,
    unfit: Unfit,
    /// Total number of clips.
    all: usize,
}

/// Splits `rows` into clips that `stack` fits and others, before files are added.
fn fitting(trial: &Trial, recipe: &Recipe, stack: &RecipeTake, rows: Vec<(PathBuf, ClipRow)>) -> Fitting {
    let mut fitting = Fitting { wanted: BTreeSet::new(), rows: Vec::new(), unfit: Unfit::default(), all: 0 };
    for (path, row) in rows {
        // Unreadable files have already been reported.
        let Some(file) = trial.file(&path) else { continue };
        fitting.all += 1;
        match trial.opened().stacked(recipe, stack, &Fills::new(), FileClip { file, clip: &row.clip }) {
            Ok(take) => {
                let others = take.stages.iter().flat_map(|stage| stage.kind.files().to_vec());
                fitting.wanted.extend([file].into_iter().chain(others));
                fitting.rows.push((path, row));
            }
            Err(reason) => fitting.unfit.add(format!("{} {}", file_name(&row.file), row.clip), reason),
        }
    }
    fitting
}

/// Clips that a stack does not fit, grouped by reason.
#[derive(Default)]
struct Unfit(Vec<(Message, Vec<String>)>);

impl Unfit {
    /// Adds a clip with the reason why the stack does not fit it.
    fn add(&mut self, clip: String, reason: Message) {
        match self.0.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, clips)) => clips.push(clip),
            None => self.0.push((reason, vec![clip])),
        }
    }

    /// Returns the number of clips with any reason.
    fn count(&self) -> usize {
        self.0.iter().map(|(_, clips)| clips.len()).sum()
    }

    /// Returns one notice about all clips that were left out; `all` is the total number. `None` if none was left out.
    fn into_message(self, all: usize) -> Option<Message> {
        let count = self.count();
        let line = |(reason, clips): (Message, Vec<String>)| about(&listed(&clips), reason);
        let lines = |first, next| message!("error.lines", "%{first}\n%{next}", first = first, next = next);
        let reasons = self.0.into_iter().take(MAX_LISTED).map(line).reduce(lines)?;
        Some(message!(
            "notice.unfit",
            "%{count} of %{all} %{all|clip|clips} %{count|was|were} skipped because the stages do not fit:\n%{reasons}",
            count,
            all,
            reasons = reasons
        ))
    }
}

/// Returns the first of `clips` as a list, and the number of further ones.
fn listed(clips: &[String]) -> String {
    let mut words: Vec<String> = clips.iter().take(MAX_LISTED).cloned().collect();
    words.extend((clips.len() > MAX_LISTED).then(|| format!("… (+{})", clips.len() - MAX_LISTED)));
    words.join(", ")
}

/// Returns the name of the recipe at `path`: its file name without extensions.
fn title(path: &Path) -> String {
    let stem = path.file_stem().map_or_else(|| file_name(path), |stem| stem.to_string_lossy().into_owned());
    stem.strip_suffix(".recipe").map_or(stem.clone(), str::to_owned)
}

/// Returns the notice about `count` new takes with the stages of `title`.
fn result_message(count: usize, title: String) -> Message {
    message!(
        "notice.stacked",
        "Added %{count} %{count|take|takes} with the stages of “%{take}”. Problems with a clip are shown in its stages.",
        count,
        take = title
    )
}

/// Returns `recipe` if it is a single stack without files. Files named by a recipe from elsewhere are not read, and
/// its takes are not those of the project. Returns `Err` otherwise, with `path` in it.
fn self_contained(recipe: Recipe, path: &Path) -> Result<Recipe, Message> {
    let is_self_contained = recipe.files.is_empty() && recipe.takes.len() == 1 && recipe.stack().is_some();
    let reason = || {
        message!(
            "error.recipe.not_alone",
            "This recipe is not a single take with the source slot:clip. Run it with `portamento make`, or save the stages of a take as a recipe."
        )
    };
    if is_self_contained { Ok(recipe) } else { Err(about(&path.display().to_string(), reason())) }
}

/// Returns the name of the file at `path`; empty if it has none.
fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_clips_are_named_and_the_rest_is_counted() {
        let clips: Vec<String> = (0..MAX_LISTED + 2).map(|i| format!("walk {i}")).collect();
        assert_eq!(listed(&clips[..2]), "walk 0, walk 1");
        assert_eq!(listed(&clips[..MAX_LISTED]), clips[..MAX_LISTED].join(", "));
        assert!(listed(&clips).ends_with(", … (+2)"), "{}", listed(&clips));
    }
}
