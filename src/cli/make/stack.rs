//! Applying the stages of a recipe to every clip of files and folders.

use std::path::PathBuf;

use crate::{Failure, open_more};
use portamento_base::message::Message;
use portamento_session::Session;
use portamento_session::clip_library::clip_files;
use portamento_session::recipe::{Fills, Recipe, RecipeTake};
use portamento_takes::document::clip_ref::FileClip;
use portamento_takes::document::file::absolute;
use portamento_takes::document::{FileId, TakeId};

/// Flags for the clips and slots of a stack.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct StackFlags {
    /// Apply the stages of the take to every clip of these files and folders; one file each in the folder --out.
    #[arg(long, value_name = "FILE|FOLDER", num_args = 1..)]
    pub clips: Vec<PathBuf>,
    /// With --clips, only clips with this name; * matches any characters. May be given several times.
    #[arg(long, value_name = "NAME", requires = "clips")]
    clip: Vec<String>,
    /// With --clips, the clip for a slot, from the clip's own file or one of --with. Default: the clip named like the
    /// slot.
    #[arg(long, value_name = "SLOT=CLIP", requires = "clips", value_parser = fill)]
    slot: Vec<(String, String)>,
    /// With --clips, further files whose clips may fill slots.
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "clips")]
    pub with: Vec<PathBuf>,
}

/// The created takes, and the reasons for skipped clips and files.
#[derive(Debug, Default)]
pub(super) struct Stacked {
    pub takes: Vec<TakeId>,
    pub left_out: Vec<String>,
}

impl StackFlags {
    /// Opens the files of these flags and creates a take with the stages of `take` for each clip that the flags choose. A clip that
    /// does not fit the stages is skipped.
    ///
    /// Returns `Err` if no clip is chosen, if a folder or a file of `--with` cannot be read, or if `take` cannot become a stack.
    pub fn stack(&self, session: &mut Session, recipe: &Recipe, take: &RecipeTake) -> Result<Stacked, Failure> {
        let of_take = if take.is_stack() { None } else { Some(session.opened().recipe_of(take.id).map_err(refused)?) };
        let (recipe, take) =
            of_take.as_ref().map_or((recipe, take), |converted| (converted, converted.stack().unwrap_or(take)));
        let fills: Fills = self.slot.iter().cloned().collect();
        self.with.iter().try_for_each(|path| open_more(session, path))?;
        let mut left_out = Vec::new();
        let clips = self.open(session, &mut left_out)?;
        if clips.is_empty() && left_out.is_empty() {
            return Err(Failure::Usage("No file has a matching clip. `portamento library` lists all clips.".into()));
        }
        let before = session.document.takes.len();
        for (file, clip) in clips {
            if let Err(reason) = session.add_stacked(recipe, take, &fills, FileClip { file, clip: &clip }) {
                let path = session.document.file(file).map(|file| file.path.display().to_string());
                left_out.push(format!("{}, {clip}: {reason}", path.unwrap_or_default()));
            }
        }
        Ok(Stacked { takes: session.document.takes[before..].iter().map(|take| take.id).collect(), left_out })
    }

    /// Opens the files and returns the chosen clips, each with its file; adds the reasons for unreadable files to `unread`.
    /// Returns `Err` if a folder cannot be read.
    fn open(&self, session: &mut Session, unread: &mut Vec<String>) -> Result<Vec<(FileId, String)>, Failure> {
        let files = clip_files(&self.clips).map_err(refused)?;
        let mut clips = Vec::new();
        for path in files {
            let path = absolute(&path);
            let known = session.document.files.iter().find(|file| file.path == path).map(|file| file.id);
            if known.is_none()
                && let Err(Failure::Usage(reason) | Failure::Failed(reason)) = open_more(session, &path)
            {
                unread.push(reason);
                continue;
            }
            let opened = known.or_else(|| session.document.files.last().map(|file| file.id));
            let Some((id, loaded)) = opened.and_then(|id| Some((id, session.library.get(id)?))) else { continue };
            let chosen = loaded.model.clips.iter().filter(|clip| self.is_chosen(&clip.name));
            clips.extend(chosen.map(|clip| (id, clip.name.clone())));
        }
        Ok(clips)
    }

    /// True if `--clip` is not given or one of its patterns fits the name `clip`.
    fn is_chosen(&self, clip: &str) -> bool {
        self.clip.is_empty() || self.clip.iter().any(|pattern| fits(pattern, clip))
    }
}

impl Stacked {
    /// Returns a failure if something was skipped; prints all reasons but the first.
    pub fn failure(&self) -> Option<Failure> {
        let first = self.left_out.first()?;
        self.left_out.iter().skip(1).for_each(|reason| crate::warn(&format!("skipped: {reason}")));
        let count = self.left_out.len();
        let sentence =
            if count == 1 { first.clone() } else { format!("{count} clips or files were skipped. The first: {first}") };
        Some(Failure::Failed(sentence))
    }
}

/// Parses `SLOT=CLIP`, neither of them empty. Returns `Err` with what is allowed for any other text.
fn fill(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(slot, clip)| !slot.is_empty() && !clip.is_empty());
    let (slot, clip) = parts.ok_or("give a slot and its clip, for example skill=cast")?;
    Ok((slot.to_owned(), clip.to_owned()))
}

/// True if `name` matches `pattern`, in which each `*` matches any characters.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(last)
}

/// Returns a usage error.
pub(super) fn refused(reason: Message) -> Failure {
    Failure::Usage(reason.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_characters() {
        for (pattern, name) in [("*", ""), ("walk*", "walk_left"), ("*_left", "walk_left"), ("w*k*t", "walk_left")] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("walk", "walk_left"), ("walk*k", "walk"), ("*run*", "walk"), ("a*", "walk")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
        assert!(fill("a=b=c").is_ok_and(|(slot, clip)| slot == "a" && clip == "b=c") && fill("a=").is_err());
    }
}
