//! Flags of the commands that put clips of other rigs on a character.

use std::path::{Path, PathBuf};

use super::rig::{RigArguments, roles_by_preset};
use super::up::UpArgument;
use crate::Failure;
use portamento_anim::Tolerance;
use portamento_base::system_reason::system_reason;
use portamento_retarget::{LinkChoice, Settings};
use portamento_session::{ExportRequest, ExportSettings, Keep, Session};
use portamento_takes::document::{FileId, SourceFile, TakeId, free_name};

/// Choice of the clips, settings of the mapping, and the output file.
#[derive(Debug, clap::Args)]
pub(crate) struct RetargetFlags {
    /// Name of a clip; may be given several times. Default: all clips.
    #[arg(long)]
    clip: Vec<String>,
    /// Rig preset for the clips' rig, like `--rig-preset` for the character.
    #[arg(long, value_name = "FILE|NAME")]
    from_rig_preset: Option<String>,
    /// Do not keep planted feet in place.
    #[arg(long)]
    loose_feet: bool,
    /// Keep hands on the ground, on holds and on each other as in the clip.
    #[arg(long)]
    hold_hands: bool,
    /// Do not align the character's rest pose to that of the clips' rig.
    #[arg(long)]
    as_it_rests: bool,
    /// Travel scale. Default: the ratio of the leg lengths.
    #[arg(long, value_name = "RATIO")]
    travel: Option<f64>,
    /// Map JOINT to SOURCE, or to nothing: `hand.L=LeftWrist`, `cape=`.
    #[arg(long, value_name = "JOINT=SOURCE", value_parser = link)]
    link: Vec<LinkChoice>,
    /// The character's own clips: append to them, replace, write the new clips alone, or motion: alone without mesh.
    #[arg(long, default_value = "append", value_parser = Keep::parse)]
    keep: Keep,
    /// Reduce keys: points 3 cm around a joint may move by at most this many millimetres.
    #[arg(long, value_name = "MM", value_parser = crate::tolerance)]
    tolerance: Option<Tolerance>,
    /// File to write, with all clips; or a folder for one file per clip.
    #[arg(short, long)]
    out: PathBuf,
    #[command(flatten)]
    up: UpArgument,
    #[command(flatten)]
    rig: RigArguments,
    #[command(flatten)]
    force: crate::Force,
}

/// An open character with the chosen clips.
pub(crate) struct OpenedClips {
    pub session: Session,
    pub character: FileId,
    /// The clips, each with its file.
    pub clips: Vec<(FileId, String)>,
}

impl RetargetFlags {
    /// Opens the character `file`, and the files and folders `from`, and applies the flags for axes and rigs. Returns the
    /// clips that --clip names, or all. Returns `Err` if a file cannot be opened or no clip is left.
    pub(crate) fn open(&self, file: &Path, from: &[PathBuf]) -> Result<OpenedClips, Failure> {
        let (mut session, character, _) = crate::open(file)?;
        self.rig.apply(&mut session, character)?;
        let mut clips = Vec::new();
        for path in sources(from)? {
            let file = open_clips(&mut session, &path)?;
            self.up.apply(&mut session, file);
            self.set_roles(&mut session, file)?;
            let all = session.library.get(file).map(|loaded| &loaded.model.clips[..]).unwrap_or_default();
            let wanted = all.iter().filter(|clip| self.clip.is_empty() || self.clip.contains(&clip.name));
            clips.extend(wanted.map(|clip| (file, clip.name.clone())));
        }
        if clips.is_empty() {
            return Err(Failure::Usage(
                "No file has a matching clip. `portamento inspect FILE` lists all clips.".into(),
            ));
        }
        Ok(OpenedClips { session, character, clips })
    }

    /// Returns the settings of the mapping.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            align: !self.as_it_rests,
            hold_feet: !self.loose_feet,
            hold_hands: self.hold_hands,
            scale: self.travel,
            links: self.link.clone(),
            corrections: Vec::new(),
        }
    }

    /// Returns `clip`, with a number if a take or a remaining clip of the file has that name.
    pub(crate) fn free_name(&self, session: &Session, character: FileId, clip: &str) -> String {
        let stays = |name: &str| {
            let model = session.library.get(character).map(|loaded| &loaded.model);
            self.keep == Keep::Append && model.is_some_and(|model| model.clip(name).is_some())
        };
        free_name(clip, |name| stays(name) || session.document.takes.iter().any(|take| take.name == name))
    }

    /// Writes `takes` to the output. Returns `Err` if the export reports an error.
    pub(crate) fn write(&self, session: &mut Session, takes: Vec<TakeId>) -> Result<(), Failure> {
        let request = ExportRequest {
            takes,
            destination: self.out.clone(),
            settings: ExportSettings { keep: self.keep, tolerance: self.tolerance, ..Default::default() },
            replace: self.force.into(),
            ..ExportRequest::default()
        };
        crate::bake::bake(session, request)
    }

    /// Applies the rig preset to the rig of `file`. Does nothing without a preset. Returns `Err` if the preset does not
    /// fit.
    fn set_roles(&self, session: &mut Session, file: FileId) -> Result<(), Failure> {
        let (Some(preset), Some(loaded)) = (&self.from_rig_preset, session.library.get(file).cloned()) else {
            return Ok(());
        };
        for rig in session.document.characters.iter_mut().filter(|rig| rig.file == file) {
            rig.roles = roles_by_preset(preset, &loaded.model, &rig.roles)?;
        }
        Ok(())
    }
}

/// Returns the given files, and the files in the given folders sorted by name. Of a folder, only files with an extension of
/// clips count; its subfolders do not. Returns `Err` if a folder cannot be read.
fn sources(from: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    const CLIP_EXTENSIONS: [&str; 8] = ["glb", "gltf", "vrm", "vrma", "fbx", "bvh", "npz", "npy"];
    let mut files = Vec::new();
    for path in from {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let failed = |error: std::io::Error| Failure::Failed(format!("{}: {}.", path.display(), system_reason(&error)));
        let entries = std::fs::read_dir(path).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let is_known = |path: &PathBuf| {
            let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
            extension.is_some_and(|extension| CLIP_EXTENSIONS.contains(&extension.as_str()))
        };
        let mut inside: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).filter(is_known).collect();
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

/// Opens `path`, unless it is already open. Returns its id, or `Err` if it has no content.
fn open_clips(session: &mut Session, path: &Path) -> Result<FileId, Failure> {
    let before = session.document.files.len();
    crate::open_more(session, path)?;
    let same = |file: &&SourceFile| std::fs::canonicalize(&file.path).ok() == std::fs::canonicalize(path).ok();
    let opened = session.document.files.get(before).or_else(|| session.document.files.iter().find(same));
    let empty = || Failure::Failed(format!("{} contains nothing to work on.", path.display()));
    opened.map(|file| file.id).ok_or_else(empty)
}

/// Parses `JOINT=SOURCE`; without SOURCE the joint follows none. Returns `Err` with what is allowed for any other
/// text.
fn link(text: &str) -> Result<LinkChoice, String> {
    let (joint, source) = text.split_once('=').ok_or("Write JOINT=SOURCE, or JOINT= for a joint without source.")?;
    Ok(LinkChoice { joint: joint.to_owned(), source: (!source.is_empty()).then(|| source.to_owned()) })
}
