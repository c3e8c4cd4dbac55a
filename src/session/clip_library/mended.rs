//! Files once more with the mended clips in place of those they were made from.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::mend::quality_of;
use super::{ClipRow, MendRequest, mends};
use crate::anim::quality::Quality;
use crate::document::TakeId;
use crate::message::{Message, Tell};
use crate::session::{Command, ExportRequest, FileCommand, Keep, Session};

/// What was mended in one clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mended {
    /// The file that it was made from.
    #[serde(serialize_with = "super::shown")]
    pub file: PathBuf,
    /// The clip's name.
    pub clip: String,
    /// What was measured before.
    pub before: Quality,
    /// What its stages are, in order: what mending itself brought has one of its own among them. None where nothing was made of it.
    #[serde(default)]
    pub mends: Vec<String>,
    /// Those of what was made of it.
    pub after: Option<Quality>,
    /// Why nothing was made of it, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmended: Option<String>,
}

/// What each of `files` is called when it was mended: as it is where none before it has that name, else with a number. What is found
/// in them does not count, so that whoever mends a few of them gives the same names.
pub fn mended_names(files: &[PathBuf]) -> Vec<String> {
    let mut used = BTreeSet::new();
    let mut free = |file: &PathBuf| {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let end = mended_extension(file);
        let name = |number: usize| if number == 1 { format!("{stem}.{end}") } else { format!("{stem}_{number}.{end}") };
        (1..).map(name).find(|name| used.insert(name.to_lowercase())).unwrap_or_default()
    };
    files.iter().map(&mut free).collect()
}

fn mended_extension(file: &Path) -> String {
    let extension = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if matches!(&*extension, "fbx" | "vrm" | "gltf") { extension } else { "glb".into() }
}

/// Mends those clips of `rows`, all of one file, of which something can be; `export` writes the file to `to` where there are such.
/// A clip that cannot be mended is told and does not stop the others.
///
/// Errors where `export` does.
pub fn mend_file<E>(
    rows: &[ClipRow],
    to: PathBuf,
    export: impl FnOnce(&mut Session, ExportRequest) -> Result<(), E>,
) -> Result<Vec<Mended>, E> {
    let is_mended = |row: &&ClipRow| row.quality.as_ref().is_some_and(|quality| !mends(quality).is_empty());
    let rows: Vec<ClipRow> = rows.iter().filter(is_mended).cloned().collect();
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::MendClips(MendRequest::new(rows.clone()))));
    let takes = session.document.takes.clone();
    let made: Vec<Result<Option<Quality>, Message>> = takes
        .iter()
        .map(|take| session.built(take).map(|built| quality_of(&built)).map_err(|error| error.message()))
        .collect();
    let mends = takes.iter().map(|take| take.stages.iter().map(|stage| stage.kind.name().to_owned()).collect());
    let mends: Vec<Vec<String>> = mends.collect();
    let takes: Vec<TakeId> =
        takes.iter().zip(&made).filter(|(_, made)| made.is_ok()).map(|(take, _)| take.id).collect();
    if !takes.is_empty() {
        let request = ExportRequest { takes, destination: to, keep: Keep::Replace, ..ExportRequest::default() };
        export(&mut session, request)?;
    }
    let mended = |((row, mends), made): ((ClipRow, Vec<String>), Result<Option<Quality>, Message>)| {
        let unmended = made.as_ref().err().map(ToString::to_string);
        let mends = if unmended.is_none() { mends } else { Vec::new() };
        let after = made.ok().flatten();
        Some(Mended { file: row.file, clip: row.clip, before: row.quality?, mends, after, unmended })
    };
    Ok(rows.into_iter().zip(mends).zip(made).filter_map(mended).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::quality::Finding;
    use crate::progress::Progress;
    use crate::session::clip_library::measure;

    #[test]
    fn every_mended_file_has_a_name_of_its_own_whatever_is_found_in_others() {
        let files: Vec<PathBuf> = ["a/run.bvh", "b/Run.GLB", "b/run.fbx", "run.glb"].map(PathBuf::from).into();
        assert_eq!(mended_names(&files), ["run.glb", "Run_2.glb", "run.fbx", "run_3.glb"]);
    }

    #[test]
    fn a_clip_that_cannot_be_mended_is_told_and_the_others_are() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/hero.glb");
        let mut rows = measure(std::slice::from_ref(&file), &Progress::new()).rows;
        rows.retain(|row| row.clip == "run" || row.clip == "walk");
        for row in &mut rows {
            row.quality.as_mut().unwrap().findings = vec![Finding::Sinks];
        }
        // It was in the file when that was measured.
        rows[0].clip = "gone".into();
        let mut exported = Vec::new();
        let mended = mend_file(&rows, PathBuf::new(), |session, request| {
            exported = request.takes.iter().map(|&take| session.document.take(take).unwrap().name.clone()).collect();
            Ok::<(), ()>(())
        });
        let [gone, other] = &mended.unwrap()[..] else { panic!("one entry a clip") };
        assert_eq!(exported, [format!("{} mended", other.clip)]);
        assert!(other.after.is_some() && other.unmended.is_none());
        assert_eq!((other.mends[0].as_str(), gone.mends.len()), ("ground", 0));
        assert!(gone.after.is_none() && gone.unmended.as_ref().unwrap().contains("gone"), "{gone:?}");
    }
}
