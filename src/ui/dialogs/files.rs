//! File dialogs of the system, run on a separate thread.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use rfd::{AsyncFileDialog, FileHandle};

use crate::i18n::tr;
use portamento_session::add_on;
use portamento_session::dynamics::presets;
use portamento_session::film::{film_extensions, is_film};
use portamento_takes::document::{FileId, TakeId, file};

/// Result of a file dialog.
#[derive(Clone, Debug, PartialEq)]
pub enum DialogResult {
    /// Open these files.
    Open(Vec<PathBuf>),
    /// Save the project there.
    Save(PathBuf),
    /// Share the preset with this index there.
    Preset(usize, PathBuf),
    /// Export to this folder.
    Folder(PathBuf),
    /// Use this file instead of the file with that id.
    ReplaceFile(FileId, PathBuf),
    /// Let other programs write to this folder.
    RemoteFolder(PathBuf),
    /// Save the add-on for Blender there.
    AddOn(PathBuf),
    /// Search this folder for missing sources.
    Missing(PathBuf),
    /// List the clips of this folder.
    Clips(PathBuf),
    /// Save the stages of this take as a recipe there.
    SaveRecipe(TakeId, PathBuf),
    /// Apply this recipe to the selected clips.
    ApplyRecipe(PathBuf),
    /// Render the view to this file, as animation or as still image.
    Film {
        /// Output file.
        path: PathBuf,
        /// True for a still image.
        still: bool,
    },
}

/// Purpose of a file dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialogPurpose {
    /// Files to open.
    Open,
    /// File to save the project to.
    Save,
    /// File to share the preset with this index in.
    Preset(usize),
    /// Folder to export to.
    Folder,
    /// File to use instead of the file with this id.
    ReplaceFile(FileId),
    /// Folder to which other programs may write.
    RemoteFolder,
    /// File to save the add-on for Blender in.
    AddOn,
    /// Folder to search for missing sources.
    Missing,
    /// Folder whose clips are listed.
    Clips,
    /// File to save the stages of this take in.
    SaveRecipe(TakeId),
    /// Recipe to apply to the selected clips.
    ApplyRecipe,
    /// File to render the view to, as animation or as still image.
    Film {
        /// True for a still image.
        still: bool,
    },
}

/// State of the open file dialog; at most one at a time.
#[derive(Debug)]
pub struct Files {
    sender: Sender<Answer>,
    receiver: Receiver<Answer>,
    waiting: bool,
    /// True if paths are typed in the window instead of using system dialogs. Set in tests.
    pub are_typed: bool,
    /// Purpose for which the system showed no dialog, so that the window asks for a path.
    pub without_dialog: Option<DialogPurpose>,
    /// Context repainted when an answer arrives. An idle window would not notice it.
    pub wakes: Option<egui::Context>,
}

/// Answer of a system dialog.
#[derive(Debug)]
enum Answer {
    DialogResult(DialogResult),
    Cancelled,
    /// No dialog appeared.
    NoDialog(DialogPurpose),
}

impl Default for Files {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver, waiting: false, are_typed: false, without_dialog: None, wakes: None }
    }
}

/// Groups of supported files: label key and extensions.
const OPENABLE: [(&str, &[&str]); 4] = [
    ("dialog.characters", &["glb", "gltf", "vrm", "vrma", "fbx", "bvh", "npz", "npy"]),
    ("dialog.caches", &["mdd", "pc2", "obj"]),
    ("dialog.images", &["png", "apng", "jpg", "jpeg", "webp", "exr", "tga", "gif", "json"]),
    ("dialog.projects", &[file::EXTENSION, presets::EXTENSION]),
];
/// Suggested ending of recipe files. Any JSON file is read.
const RECIPE_ENDING: &str = "recipe.json";
/// Ending of add-ons.
pub(super) const ADD_ON_ENDING: &str = "zip";
/// A cancelled answer faster than this means that no dialog appeared, because a user needs longer to read one. Tuned; no derivation
/// recorded.
const NO_DIALOG_MAX_DURATION: Duration = Duration::from_millis(250);

impl Files {
    /// Asks for files to open. Does nothing while a file dialog is open.
    pub fn ask_open(&mut self) {
        if self.begin() {
            let all: Vec<&str> = OPENABLE.iter().flat_map(|(_, extensions)| *extensions).copied().collect();
            let dialog = AsyncFileDialog::new().set_title(tr("dialog.open")).add_filter(tr("dialog.openable"), &all);
            let groups = OPENABLE.iter().chain(&[("dialog.all_files", &["*"] as &[&str])]);
            let dialog = groups.fold(dialog, |dialog, (key, extensions)| dialog.add_filter(tr(key), extensions));
            let paths = |files: Option<Vec<FileHandle>>| {
                files.map(|files| DialogResult::Open(files.iter().map(|file| file.path().to_owned()).collect()))
            };
            self.wait(DialogPurpose::Open, dialog.pick_files(), paths);
        }
    }

    /// Asks for the file to use instead of `file`, which is at `present`. Does nothing while a file dialog is open.
    pub(super) fn ask_replacement(&mut self, file: FileId, present: &Path) {
        if self.begin() {
            let all: Vec<&str> = OPENABLE[..3].iter().flat_map(|(_, extensions)| *extensions).copied().collect();
            let mut dialog = AsyncFileDialog::new().set_title(tr("dialog.replace_file"));
            dialog = dialog.add_filter(tr("dialog.openable"), &all).add_filter(tr("dialog.all_files"), &["*"]);
            if let Some(folder) = present.parent() {
                dialog = dialog.set_directory(folder);
            }
            let path = move |chosen: Option<FileHandle>| {
                chosen.map(|chosen| DialogResult::ReplaceFile(file, chosen.path().to_owned()))
            };
            self.wait(DialogPurpose::ReplaceFile(file), dialog.pick_file(), path);
        }
    }

    /// Asks where to save the project. Suggests the path `present`, if any. Does nothing while a file dialog is open.
    pub fn ask_save(&mut self, present: Option<&Path>) {
        if self.begin() {
            let name = present.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
            let name = name.unwrap_or_else(|| format!("{}.{}", tr("app.untitled"), file::EXTENSION));
            let mut dialog = AsyncFileDialog::new().set_title(tr("dialog.save")).set_file_name(name);
            dialog = dialog.add_filter("Portamento", &[file::EXTENSION]);
            if let Some(folder) = present.and_then(Path::parent) {
                dialog = dialog.set_directory(folder);
            }
            let path =
                |file: Option<FileHandle>| file.map(|file| DialogResult::Save(ending_in(file.path(), file::EXTENSION)));
            self.wait(DialogPurpose::Save, dialog.save_file(), path);
        }
    }

    /// Asks where to share preset `index`, suggesting `name`. Does nothing while a file dialog is open.
    pub fn ask_save_preset(&mut self, index: usize, name: &str) {
        if self.begin() {
            let dialog = AsyncFileDialog::new().set_title(tr("dialog.save_preset"));
            let dialog = dialog.set_file_name(format!("{name}.{}", presets::EXTENSION));
            let path = move |file: Option<FileHandle>| {
                file.map(|file| DialogResult::Preset(index, ending_in(file.path(), presets::EXTENSION)))
            };
            self.wait(DialogPurpose::Preset(index), dialog.save_file(), path);
        }
    }

    /// Asks where to save the stages of take `id` as a recipe, suggesting `name`. Does nothing while a file dialog is open.
    pub(super) fn ask_save_recipe(&mut self, id: TakeId, name: &str) {
        if self.begin() {
            let dialog = AsyncFileDialog::new().set_title(tr("dialog.save_recipe"));
            let dialog = dialog.set_file_name(format!("{name}.{RECIPE_ENDING}"));
            let path = move |file: Option<FileHandle>| {
                file.map(|file| DialogResult::SaveRecipe(id, ending_in(file.path(), "json")))
            };
            self.wait(DialogPurpose::SaveRecipe(id), dialog.save_file(), path);
        }
    }

    /// Asks where to render the view, as a PNG image with `still`, else as an animation. Suggests the file name `name`. Does
    /// nothing while a file dialog is open.
    pub fn ask_film(&mut self, name: &str, still: bool) {
        if self.begin() {
            let (title, forms) =
                if still { ("dialog.picture", vec!["png"]) } else { ("dialog.film", film_extensions()) };
            let dialog = AsyncFileDialog::new().set_title(tr(title)).set_file_name(format!("{name}.{}", forms[0]));
            let dialog =
                forms.iter().fold(dialog, |dialog, form| dialog.add_filter(tr(&format!("film.{form}")), &[form]));
            let path = move |file: Option<FileHandle>| {
                file.map(|file| DialogResult::Film { path: with_film_extension(file.path(), still), still })
            };
            self.wait(DialogPurpose::Film { still }, dialog.save_file(), path);
        }
    }

    /// Asks for the recipe to apply to the selected clips. Does nothing while a file dialog is open.
    pub(super) fn ask_recipe(&mut self) {
        if self.begin() {
            let dialog = AsyncFileDialog::new().set_title(tr("dialog.apply_recipe"));
            let dialog = dialog.add_filter(tr("dialog.recipes"), &["json"]);
            let path = |file: Option<FileHandle>| file.map(|file| DialogResult::ApplyRecipe(file.path().to_owned()));
            self.wait(DialogPurpose::ApplyRecipe, dialog.pick_file(), path);
        }
    }

    /// Asks for the folder to export to. Does nothing while a file dialog is open.
    pub(super) fn ask_folder(&mut self) {
        self.ask_for_folder(DialogPurpose::Folder, "dialog.folder", DialogResult::Folder);
    }

    /// Asks for a folder to which other programs may write. Does nothing while a file dialog is open.
    pub(crate) fn ask_remote_folder(&mut self) {
        self.ask_for_folder(DialogPurpose::RemoteFolder, "dialog.remote_folder", DialogResult::RemoteFolder);
    }

    /// Asks where to save the add-on for Blender. Does nothing while a file dialog is open.
    pub(crate) fn ask_save_add_on(&mut self) {
        if self.begin() {
            let dialog = AsyncFileDialog::new().set_title(tr("dialog.save_add_on")).set_file_name(add_on::BLENDER_FILE);
            let path =
                |file: Option<FileHandle>| file.map(|file| DialogResult::AddOn(ending_in(file.path(), ADD_ON_ENDING)));
            self.wait(DialogPurpose::AddOn, dialog.save_file(), path);
        }
    }

    /// Asks for the folder to search for missing sources. Does nothing while a file dialog is open.
    pub fn ask_missing(&mut self) {
        self.ask_for_folder(DialogPurpose::Missing, "dialog.find_missing", DialogResult::Missing);
    }

    /// Asks for the folder whose clips are listed. Does nothing while a file dialog is open.
    pub fn ask_clips(&mut self) {
        self.ask_for_folder(DialogPurpose::Clips, "dialog.clips", DialogResult::Clips);
    }

    /// Opens a dialog for a folder, unless one is open. `title` is a locale key; `chosen` makes the result from the folder.
    fn ask_for_folder(&mut self, purpose: DialogPurpose, title: &str, chosen: fn(PathBuf) -> DialogResult) {
        if self.begin() {
            let dialog = AsyncFileDialog::new().set_title(tr(title));
            self.wait(purpose, dialog.pick_folder(), move |file| file.map(|file| chosen(file.path().to_owned())));
        }
    }

    /// Returns the results of dialogs since the last call. A cancelled dialog has none. If the system showed no dialog,
    /// [`Self::without_dialog`] is set instead.
    pub fn take_results(&mut self) -> Vec<DialogResult> {
        let mut all = Vec::new();
        for answer in self.receiver.try_iter() {
            self.waiting = false;
            match answer {
                Answer::DialogResult(chosen) => all.push(chosen),
                Answer::NoDialog(purpose) => self.without_dialog = Some(purpose),
                Answer::Cancelled => {}
            }
        }
        all
    }

    /// True while a dialog is open.
    pub fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// Marks a dialog as open. Returns false if one is open already.
    fn begin(&mut self) -> bool {
        !std::mem::replace(&mut self.waiting, true)
    }

    /// Waits for `future`, the answer of a file dialog, on a thread and sends the result of `read`. A `None` faster than
    /// [`NO_DIALOG_MAX_DURATION`] means that no dialog appeared.
    fn wait<T: 'static>(
        &mut self,
        purpose: DialogPurpose,
        future: impl Future<Output = T> + Send + 'static,
        read: impl FnOnce(T) -> Option<DialogResult> + Send + 'static,
    ) {
        if self.are_typed {
            (self.waiting, self.without_dialog) = (false, Some(purpose));
            return;
        }
        let (sender, wakes) = (self.sender.clone(), self.wakes.clone());
        // If the window is gone when the user answers, the answer is dropped.
        let answer = move || {
            let begin = Instant::now();
            let answer = match read(block_on(future)) {
                Some(chosen) => Answer::DialogResult(chosen),
                None if begin.elapsed() < NO_DIALOG_MAX_DURATION => Answer::NoDialog(purpose),
                None => Answer::Cancelled,
            };
            drop(sender.send(answer));
            wakes.iter().for_each(egui::Context::request_repaint);
        };
        if std::thread::Builder::new().name("file dialog".into()).spawn(answer).is_err() {
            self.waiting = false;
        }
    }
}

/// Appends `extension` unless the path already has it in the same case: `a.v2` becomes `a.v2.portamento`.
pub(super) fn ending_in(path: &Path, extension: &str) -> PathBuf {
    if path.extension().is_some_and(|end| end == extension) {
        return path.to_owned();
    }
    let mut name = path.components().as_path().as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

/// Returns `path` with an extension that can be written: `.png` for a still image; else its own one if it is a film format, or
/// `.apng`.
pub(super) fn with_film_extension(path: &Path, still: bool) -> PathBuf {
    match (still, is_film(path)) {
        (true, _) => ending_in(path, "png"),
        (false, true) => path.to_owned(),
        (false, false) => ending_in(path, "apng"),
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Blocks this thread until `future` is ready.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_supported_format_is_in_a_group() {
        let grouped: Vec<&str> = OPENABLE.iter().flat_map(|(_, extensions)| *extensions).copied().collect();
        let missing: Vec<&str> =
            portamento_formats::import::extensions().filter(|known| !grouped.contains(known)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn if_no_dialog_appears_the_window_asks_for_the_path() {
        let mut files = Files::default();
        assert!(files.begin());
        files.wait(DialogPurpose::Folder, std::future::ready(()), |()| None);
        while files.is_waiting() {
            assert!(files.take_results().is_empty());
        }
        assert_eq!(files.without_dialog, Some(DialogPurpose::Folder));
    }

    #[test]
    fn an_answer_wakes_an_idle_window() {
        let (ctx, (woken, wakes)) = (egui::Context::default(), channel());
        ctx.set_request_repaint_callback(move |_| {
            let _ = woken.send(());
        });
        let mut files = Files { wakes: Some(ctx), ..Files::default() };
        assert!(files.begin());
        files.wait(DialogPurpose::Folder, std::future::ready(()), |()| Some(DialogResult::Folder("there".into())));
        wakes.recv_timeout(Duration::from_secs(10)).expect("the window is woken");
        assert_eq!(files.take_results(), [DialogResult::Folder("there".into())]);
    }
}
