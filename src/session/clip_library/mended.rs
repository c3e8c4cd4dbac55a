//! Copies of files in which fixed clips replace the originals.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::mend::quality_of;
use super::{ClipRow, MendRequest, mends};
use crate::{Command, ExportRequest, ExportSettings, FileCommand, Keep, Session};
use portamento_anim::quality::Quality;
use portamento_base::message::{Message, Tell, message};
use portamento_takes::document::TakeId;

/// The fix of one clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mended {
    /// The source file.
    #[serde(serialize_with = "super::shown")]
    pub file: PathBuf,
    /// The clip's name.
    pub clip: String,
    /// The figures before the fix.
    pub before: Quality,
    /// The names of the fixing stages, in order, including stages that fix side effects of earlier ones. Empty if the
    /// fix failed.
    #[serde(default)]
    pub mends: Vec<String>,
    /// The figures after the fix.
    pub after: Option<Quality>,
    /// The reason the fix failed, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmended: Option<String>,
}

/// Returns the name of the fixed copy of each of `files`, with a number if the name is taken. Findings are ignored,
/// so that fixing a subset gives the same names. Case does not distinguish two names.
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

/// Returns the extension of the fixed copy of `file`: glTF binary where the format of the file is not written.
pub fn mended_extension(file: &Path) -> String {
    let extension = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if matches!(&*extension, "fbx" | "vrm" | "gltf") { extension } else { "glb".into() }
}

/// Fixes the clips of `rows`, all of one file, as far as possible. `export` then writes the file to `to` if a clip was
/// fixed. A clip that cannot be fixed is reported and does not stop the others. Clips without fixable findings are left out
/// of the result.
///
/// Returns `Err` if `export` fails.
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
    let results: Vec<Result<Option<Quality>, Message>> = takes
        .iter()
        .map(|take| session.built(take).map(|built| quality_of(&built)).map_err(|error| error.message()))
        .collect();
    let names = takes.iter().map(|take| take.stages.iter().map(|stage| stage.kind.name().to_owned()).collect());
    let names: Vec<Vec<String>> = names.collect();
    let takes: Vec<TakeId> =
        takes.iter().zip(&results).filter(|(_, results)| results.is_ok()).map(|(take, _)| take.id).collect();
    if !takes.is_empty() {
        let settings = ExportSettings { keep: Keep::Replace, ..Default::default() };
        let request = ExportRequest { takes, destination: to, settings, ..Default::default() };
        export(&mut session, request)?;
    }
    let refused = std::mem::take(&mut session.clips.refused);
    let reason = |row: &ClipRow| {
        let harm = refused.iter().find(|(refused, _)| refused.clip == row.clip).map(|(_, harm)| harm)?;
        Some(message!("library.refused", "every fix makes the motion worse: %{harm}", harm = harm))
    };
    let mut fixes = names.into_iter().zip(results);
    let mended = |row: ClipRow| {
        let (before, unchanged) = (row.quality.clone()?, reason(&row).map(|why| (Vec::new(), Err(why))));
        let (mends, result) = unchanged.or_else(|| fixes.next())?;
        let unmended = result.as_ref().err().map(ToString::to_string);
        let mends = if unmended.is_none() { mends } else { Vec::new() };
        Some(Mended { file: row.file, clip: row.clip, before, mends, after: result.ok().flatten(), unmended })
    };
    Ok(rows.into_iter().filter_map(mended).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clip_library::measure;
    use portamento_anim::quality::Finding;
    use portamento_base::progress::Progress;

    #[test]
    fn every_fixed_file_has_a_unique_name_that_does_not_depend_on_findings() {
        let files: Vec<PathBuf> = ["a/run.bvh", "b/Run.GLB", "b/run.fbx", "run.glb"].map(PathBuf::from).into();
        assert_eq!(mended_names(&files), ["run.glb", "Run_2.glb", "run.fbx", "run_3.glb"]);
    }

    #[test]
    fn a_clip_that_cannot_be_fixed_is_reported_and_the_others_are_fixed() {
        let file = portamento_test_support::asset("hero.glb");
        let mut rows = measure(std::slice::from_ref(&file), &Progress::new()).rows;
        rows.retain(|row| row.clip == "run" || row.clip == "walk");
        for row in &mut rows {
            row.quality.as_mut().unwrap().findings = vec![Finding::Sinks];
        }
        // The clip existed when the file was measured.
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
