//! The clips of a delivery with the figures that contracts limit, and their repair.

mod bench;
mod plan;
mod repair;
mod ring;
mod steps;

pub(crate) use bench::Bench;
pub use bench::Subject;
pub use repair::{Repaired, RepairedTake, Unmet, is_same};

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::clip_library::{Stack, clip_files, each_clip, sources_of, with_input};
use crate::{Command, FileCommand, Session, Severity};
use portamento_anim::quality::Input;
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;
use portamento_formats::export::Sources;
use portamento_sets::{ClipName, Member};
use portamento_takes::document::{Take, TakeId, file};
use portamento_takes::evaluate::Content;

/// The measured clips of a delivery.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delivery {
    /// All clips and takes, grouped by file.
    pub members: Vec<Member>,
    /// Files and takes that could not be measured, with the reason.
    pub failures: Vec<(String, Message)>,
    files: Vec<PathBuf>,
    project_sources: Sources,
}

impl Delivery {
    /// Measures every clip of the files and folders `paths`, and every take of the projects among them. Unreadable files do
    /// not stop the others. The result is independent of the number of threads. `progress` advances with the files and takes.
    ///
    /// Returns `Err` if a folder cannot be read, or if there are no files.
    pub fn measure(paths: &[PathBuf], progress: &Progress) -> Result<Self, Message> {
        let mut delivery = Self::default();
        let (projects, others): (Vec<_>, Vec<_>) = paths.iter().cloned().partition(|path| is_project(path));
        let files = clip_files(&others)?;
        if files.is_empty() && projects.is_empty() {
            return Err(message!(
                "error.delivery.empty",
                "There are no clips in %{paths}. Name a folder with glTF, FBX or BVH files, or a project.",
                paths = paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
            ));
        }
        let part = || progress.one_of(files.len() + projects.len());
        let of_file = |path: &PathBuf| {
            let (name, part) = (name_below(path, &others), part());
            let clip = |input: &Input, progress: &Progress| {
                let named = ClipName { file: name.clone(), clip: input.clip.name.clone() };
                Member::measure(named, input, progress)
            };
            let members = each_clip(path, &part, clip).map_err(|why| (name.clone(), why));
            // Errors from cancellation are ignored here.
            let _ = part.finish();
            members
        };
        for result in files.par_iter().map(of_file).collect::<Vec<_>>() {
            delivery.add(result);
        }
        for project in &projects {
            delivery.add_project(project, &part());
        }
        delivery.files = files;
        Ok(delivery)
    }

    /// Returns all files that were measured, those that they refer to, and the files of the projects.
    pub fn sources(&self) -> Sources {
        let mut sources = sources_of(&self.files);
        sources.extend(self.project_sources.clone());
        sources
    }

    /// Protects `sources` from being overwritten by results.
    pub fn protect(&mut self, sources: Sources) {
        self.project_sources.extend(sources);
    }

    /// Adds the measured clips, or the failure with the name of its file.
    fn add(&mut self, result: Result<Vec<Member>, (String, Message)>) {
        match result {
            Ok(members) => self.members.extend(members),
            Err(failure) => self.failures.push(failure),
        }
    }

    /// Adds all takes of the project at `path` that move joints.
    fn add_project(&mut self, path: &Path, progress: &Progress) {
        let name = name_below(path, &[]);
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![path.to_owned()])));
        self.project_sources.extend(session.sources());
        self.project_sources.add(path);
        let errors = session.notices.take_new().into_iter().filter(|notice| notice.severity == Severity::Error);
        self.failures.extend(errors.map(|notice| (name.clone(), notice.message)));
        let takes = session.document.takes.clone();
        for (number, take) in takes.iter().enumerate() {
            // Errors from cancellation are ignored here.
            let _ = progress.step(number, takes.len());
            let member = member_of(&mut session, take, &name);
            self.add(member.map_err(|why| (format!("{name}:{}", take.name), why)));
        }
    }
}

/// Measures the result of `take` as a clip of `file`; empty for takes without joints, such as images. Returns `Err` if the
/// take cannot be built.
fn member_of(session: &mut Session, take: &Take, file: &str) -> Result<Vec<Member>, Message> {
    let built = session.built(take).map_err(|error| error.message())?;
    if !matches!(built.content, Content::Joints) {
        return Ok(Vec::new());
    }
    let name = ClipName { file: file.to_owned(), clip: take.name.clone() };
    let member = with_input(&built, |input| Member::measure(name, input, &Progress::new()));
    member.map(|member| vec![member]).map_err(|cancelled| cancelled.message())
}

impl Session {
    /// Returns all clips of the open files, each as a take without stages. Names are the paths below `folders`, see
    /// [`name_below`].
    pub fn subjects(&self, folders: &[PathBuf]) -> Vec<Subject> {
        let of_file = |source: &portamento_takes::document::SourceFile| {
            let (id, file) = (source.id, name_below(&source.path, folders));
            let clips = self.library.get(id).map(|loaded| &loaded.model.clips[..]).unwrap_or_default();
            let subject = |clip: &portamento_anim::Clip| Subject {
                name: ClipName { file: file.clone(), clip: clip.name.clone() },
                take: Stack { name: clip.name.clone(), kinds: Vec::new() }.over(id, &clip.name),
            };
            clips.iter().map(subject).collect::<Vec<_>>()
        };
        self.document.files.iter().flat_map(of_file).collect()
    }

    /// Adds the stages of `repaired` to the document: new takes over untouched clips, and stages of existing takes. Returns the
    /// takes of the repaired clips in their order. None of them is shown.
    pub fn add_repaired(&mut self, repaired: &Repaired) -> Vec<TakeId> {
        let mut ids: Vec<(TakeId, TakeId)> = Vec::new();
        for RepairedTake { take, is_new, .. } in &repaired.takes {
            let id = if *is_new { self.document.add_take(take.clone()) } else { take.id };
            ids.push((take.id, id));
        }
        for (RepairedTake { take, .. }, (_, id)) in repaired.takes.iter().zip(&ids) {
            let mut repaired = take.clone();
            repaired.replace_takes(&ids);
            self.document.take_mut(*id).into_iter().for_each(|known| known.stages.clone_from(&repaired.stages));
        }
        ids.into_iter().map(|(_, id)| id).collect()
    }
}

/// True if the extension of `path` is that of a project. The file need not exist.
pub fn is_project(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(file::EXTENSION))
}

/// Returns the path of a file below the first of `folders` that contains it, else its name. Separators are `/`.
pub fn name_below(path: &Path, folders: &[PathBuf]) -> String {
    let relative =
        folders.iter().find_map(|folder| path.strip_prefix(folder).ok()).filter(|path| !path.as_os_str().is_empty());
    let name = relative.map(Path::to_owned).or_else(|| path.file_name().map(PathBuf::from));
    name.unwrap_or_else(|| path.to_owned()).display().to_string().replace('\\', "/")
}

#[cfg(test)]
mod tests;
