//! The clips of a delivery with the figures that contracts limit.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::clip_library::{clip_files, each_clip, sources_of, with_input};
use crate::{Command, FileCommand, Session, Severity};
use portamento_anim::quality::Input;
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;
use portamento_formats::export::Sources;
use portamento_sets::{ClipName, Member};
use portamento_takes::document::{Take, file};
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
    /// not stop the others. The result is independent of the number of threads.
    ///
    /// Returns `Err` if a folder cannot be read, or if there are no files.
    pub fn measure(paths: &[PathBuf]) -> Result<Self, Message> {
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
        let of_file = |path: &PathBuf| {
            let name = name_below(path, &others);
            let clip = |input: &Input, progress: &Progress| {
                let named = ClipName { file: name.clone(), clip: input.clip.name.clone() };
                Member::measure(named, input, progress)
            };
            each_clip(path, &Progress::new(), clip).map_err(|why| (name.clone(), why))
        };
        for result in files.par_iter().map(of_file).collect::<Vec<_>>() {
            delivery.add(result);
        }
        for project in &projects {
            delivery.add_project(project);
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

    fn add(&mut self, result: Result<Vec<Member>, (String, Message)>) {
        match result {
            Ok(members) => self.members.extend(members),
            Err(failure) => self.failures.push(failure),
        }
    }

    /// Adds all takes of the project at `path` that move joints.
    fn add_project(&mut self, path: &Path) {
        let name = name_below(path, &[]);
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![path.to_owned()])));
        self.project_sources.extend(session.sources());
        self.project_sources.add(path);
        let errors = session.notices.take_new().into_iter().filter(|notice| notice.severity == Severity::Error);
        self.failures.extend(errors.map(|notice| (name.clone(), notice.message)));
        for take in session.document.takes.clone() {
            let member = member_of(&mut session, &take, &name);
            self.add(member.map_err(|why| (format!("{name}:{}", take.name), why)));
        }
    }
}

/// Measures the result of `take`; empty for takes without joints, such as images.
fn member_of(session: &mut Session, take: &Take, file: &str) -> Result<Vec<Member>, Message> {
    let built = session.built(take).map_err(|error| error.message())?;
    if !matches!(built.content, Content::Joints) {
        return Ok(Vec::new());
    }
    let name = ClipName { file: file.to_owned(), clip: take.name.clone() };
    let member = with_input(&built, |input| Member::measure(name, input, &Progress::new()));
    member.map(|member| vec![member]).map_err(|cancelled| cancelled.message())
}

fn is_project(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(file::EXTENSION))
}

/// Returns the path of a file below the folder of `folders` that contains it, else its name.
fn name_below(path: &Path, folders: &[PathBuf]) -> String {
    let relative =
        folders.iter().find_map(|folder| path.strip_prefix(folder).ok()).filter(|path| !path.as_os_str().is_empty());
    let name = relative.map(Path::to_owned).or_else(|| path.file_name().map(PathBuf::from));
    name.unwrap_or_else(|| path.to_owned()).display().to_string().replace('\\', "/")
}
