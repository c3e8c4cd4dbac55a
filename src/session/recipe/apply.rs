//! Stacks given to many clips: one take each, and one notice for those that they do not fit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Fills, Recipe, RecipeTake};
use crate::document::clip_ref::FileClip;
use crate::document::file::absolute;
use crate::document::{FileId, TakeId};
use crate::message::{Message, message};
use crate::session::clip_library::ClipRow;
use crate::session::notices::about;
use crate::session::project::Trial;
use crate::session::{Session, Severity};

/// Reasons that are told of clips left out, and clips named with each.
const TOLD: usize = 5;

impl Recipe {
    /// The last take that is a stack.
    pub fn stack(&self) -> Option<&RecipeTake> {
        self.takes.iter().rev().find(|take| take.is_stack())
    }
}

impl Session {
    /// Keeps and shows a take of the stack `take` of `recipe` on a clip of a file; changes nothing where it does not fit.
    pub fn add_stacked(
        &mut self,
        recipe: &Recipe,
        take: &RecipeTake,
        fills: &Fills,
        clip: FileClip,
    ) -> Result<(), Message> {
        let made = self.opened().stacked(recipe, take, fills, clip)?;
        // A point of that name that is there already is what the user means by it here.
        let is_known = |name: &str| self.document.objects.iter().any(|known| known.name == name);
        let new: Vec<_> = recipe.objects.iter().filter(|object| !is_known(&object.name)).cloned().collect();
        self.document.objects.extend(new);
        self.add_take(made);
        Ok(())
    }

    /// Makes takes of `rows` with the stack of the recipe at `path`, after opening the files that are not open yet.
    pub(in crate::session) fn apply_recipe(&mut self, rows: Vec<ClipRow>, path: &Path) {
        match Recipe::read(path).and_then(|recipe| alone(recipe, path)) {
            Ok(recipe) => self.give_stack(rows, recipe, title(path)),
            Err(reason) => self.notices.say(Severity::Error, reason),
        }
    }

    /// The same with the stages of take `like`.
    pub(in crate::session) fn stack_clips_like(&mut self, rows: Vec<ClipRow>, like: TakeId) {
        let title = self.document.take(like).map(|take| take.name.clone()).unwrap_or_default();
        match self.opened().recipe_of(like) {
            Ok(recipe) => self.give_stack(rows, recipe, title),
            Err(reason) => self.notices.say(Severity::Error, reason),
        }
    }

    /// Applies recipes that were opened to the clips that are chosen in the library.
    pub(in crate::session) fn open_recipes(&mut self, paths: &[PathBuf]) {
        let chosen = self.clips.chosen_rows();
        for path in paths {
            if chosen.is_empty() {
                let message = message!(
                    "notice.recipe_waits",
                    "%{file} is a recipe. Choose clips in the library first, then open it again or drop it here.",
                    file = file_name(path)
                );
                self.notices.say(Severity::Info, message);
            } else {
                self.apply_recipe(chosen.clone(), path);
            }
        }
    }

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
                given.and_then(Result::err).into_iter().for_each(|reason| session.notices.say(Severity::Error, reason));
            }
            session.gather_made(before, &title);
            let count = session.document.takes.len() - before;
            if count > 0 {
                session.notices.say(Severity::Done, made(count, title));
            }
            unfit.told(all).into_iter().for_each(|message| session.notices.say(Severity::Warning, message));
        });
    }
}

/// The clips that a stack fits.
struct Fitting {
    /// The files of these clips, and of others that their stages name.
    wanted: BTreeSet<FileId>,
    rows: Vec<(PathBuf, ClipRow)>,
    unfit: Unfit,
    /// How many clips it was to be given.
    all: usize,
}

/// Those of `rows` that `stack` fits, before their files are added.
fn fitting(trial: &Trial, recipe: &Recipe, stack: &RecipeTake, rows: Vec<(PathBuf, ClipRow)>) -> Fitting {
    let mut fitting = Fitting { wanted: BTreeSet::new(), rows: Vec::new(), unfit: Unfit::default(), all: 0 };
    for (path, row) in rows {
        // What could not be read was told.
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

/// Clips that a stack does not fit, by the reason.
#[derive(Default)]
struct Unfit(Vec<(Message, Vec<String>)>);

impl Unfit {
    fn add(&mut self, clip: String, reason: Message) {
        match self.0.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, clips)) => clips.push(clip),
            None => self.0.push((reason, vec![clip])),
        }
    }

    fn count(&self) -> usize {
        self.0.iter().map(|(_, clips)| clips.len()).sum()
    }

    /// One notice for all of `all` clips that were left out.
    fn told(self, all: usize) -> Option<Message> {
        let count = self.count();
        let line = |(reason, clips): (Message, Vec<String>)| about(&listed(&clips), reason);
        let lines = |first, next| message!("error.lines", "%{first}\n%{next}", first = first, next = next);
        let reasons = self.0.into_iter().take(TOLD).map(line).reduce(lines)?;
        Some(message!(
            "notice.unfit",
            "%{count} of %{all} clips %{count|was|were} left out, since the stages do not fit:\n%{reasons}",
            count,
            all,
            reasons = reasons
        ))
    }
}

/// The first of `clips`, and how many more there are.
fn listed(clips: &[String]) -> String {
    let mut words: Vec<String> = clips.iter().take(TOLD).cloned().collect();
    words.extend((clips.len() > TOLD).then(|| format!("… (+{})", clips.len() - TOLD)));
    words.join(", ")
}

/// What the recipe at `path` is called: its file without what says that it is one.
fn title(path: &Path) -> String {
    let stem = path.file_stem().map_or_else(|| file_name(path), |stem| stem.to_string_lossy().into_owned());
    stem.strip_suffix(".recipe").map_or(stem.clone(), str::to_owned)
}

fn made(count: usize, title: String) -> Message {
    message!(
        "notice.stacked",
        "%{count} %{count|take was|takes were} made with the stages of “%{take}”. What does not fit a clip is told in its stage.",
        count,
        take = title
    )
}

/// `recipe` where it is a stack by itself: files that a stranger's recipe names are not read, and its takes are not those of the project.
fn alone(recipe: Recipe, path: &Path) -> Result<Recipe, Message> {
    let is_alone = recipe.files.is_empty() && recipe.takes.len() == 1 && recipe.stack().is_some();
    let reason = || {
        message!(
            "error.recipe.not_alone",
            "It is not one take whose source is slot:clip. Make it with `portamento make`, or save the stages of a take as a recipe."
        )
    };
    if is_alone { Ok(recipe) } else { Err(about(&path.display().to_string(), reason())) }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_clips_as_have_room_are_named_and_the_rest_is_counted() {
        let clips: Vec<String> = (0..TOLD + 2).map(|i| format!("walk {i}")).collect();
        assert_eq!(listed(&clips[..2]), "walk 0, walk 1");
        assert_eq!(listed(&clips[..TOLD]), clips[..TOLD].join(", "));
        assert!(listed(&clips).ends_with(", … (+2)"), "{}", listed(&clips));
    }
}
