//! Writing takes as clips.

mod choice;
mod footage;
mod formats;
mod plan;
mod request;
mod sidecars;
mod write;

pub use choice::{Asks, ExportChoice};
pub use formats::{ExportFormat, ImageFormat, MeshFormat};
pub use request::{ExportRequest, Keep};
pub use sidecars::{RouteFormat, Sidecars, route_lines};

use std::path::{Path, PathBuf};

use serde_json::Value;

use self::plan::{Output, Wanted, outputs};
use super::{Level, Notice, Session};
use crate::message::{Message, Tell, message};
use crate::progress::Progress;

impl Session {
    /// The command line that writes the same files, for a project saved at `project`.
    pub fn command_line(&self, request: &ExportRequest, project: &Path) -> String {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
        let mut words = vec!["portamento bake".to_owned(), quoted(&project.display().to_string())];
        let takes = request.takes.iter().filter_map(|&id| self.document.take(id));
        words.extend(takes.map(|take| format!("--take {}", quoted(&take.name))));
        words.extend(request.fps.map(|fps| format!("--fps {fps}")));
        words.extend(request.tolerance.map(|most| format!("--tolerance {},{}", most.degrees, most.metres)));
        words.extend(request.springs.then(|| "--springs".to_owned()));
        if request.keep != Keep::default() {
            words.push(format!("--keep {}", request.keep.name()));
        }
        if request.meshes != MeshFormat::default() {
            words.push(format!("--meshes {}", request.meshes.name()));
        }
        if request.images != ImageFormat::default() {
            words.push(format!("--images {}", request.images.name()));
        }
        words.extend(request.closing.map(|closing| format!("--closing {closing}")));
        words.extend(request.sidecars.flags());
        words.push(format!("--out {}", quoted(&request.destination.display().to_string())));
        words.join(" ")
    }

    pub(super) fn export(&mut self, request: ExportRequest) {
        // Long work ahead: what the user has made so far is safe first.
        if self.is_unsaved() {
            self.autosave_now();
        }
        let nothing = |why: Message| message!("notice.not_exported", "Nothing was exported: %{why}", why = why);
        let takes = match self.takes_to_export(&request) {
            Ok(takes) => takes,
            Err(why) => return self.notices.say(Level::Error, nothing(why)),
        };
        let work = move |progress: &Progress| -> Result<Vec<Value>, Message> {
            let outputs = outputs(&request, takes, progress).map_err(nothing)?;
            let total = outputs.len();
            let write = |(i, output): (usize, &Output)| {
                progress.step(i, total).map_err(|stopped| stopped.message())?;
                output.write(&request, progress)
            };
            outputs
                .iter()
                .enumerate()
                .map(write)
                .collect::<Result<_, _>>()
                .map_err(|why| message!("notice.export_failed", "Export failed: %{why}", why = why))
        };
        self.jobs.start(message!("job.export", "Export"), work, |session, written| match written {
            Ok(reports) => session.say_exported(reports),
            Err(message) => session.notices.say(Level::Error, message),
        });
    }

    /// What the last successful export wrote, one report per file.
    pub fn exported(&self) -> &[Value] {
        &self.exported
    }

    fn say_exported(&mut self, reports: Vec<Value>) {
        for report in &reports {
            let path = PathBuf::from(report["file"].as_str().unwrap_or_default());
            let exact = report["texture"]["largest_error"].as_f64();
            let sidecars = report["sidecars"].as_array().map_or(0, Vec::len);
            let files = report["files"].as_u64().unwrap_or(1) as usize + sidecars;
            let message = match exact {
                Some(off) => message!(
                    "notice.exported_texture",
                    "%{exported} Its texels put no vertex further than %{off} units off its place.",
                    exported = exported(&path, files),
                    off = format!("{off:.1e}"),
                ),
                None => exported(&path, files),
            };
            self.notices.push(Notice { level: Level::Done, message, folder: path.parent().map(Path::to_owned) });
            if let Some(left_over) = report["left_over"].as_array() {
                self.notices.say(Level::Warning, left_over_message(left_over));
            }
        }
        self.exported = reports;
    }

    /// The wanted takes, as far as they are built: the rest is the job's.
    fn takes_to_export(&mut self, request: &ExportRequest) -> Result<Vec<Wanted>, Message> {
        let mut takes = Vec::new();
        for &id in &request.takes {
            let take =
                self.document.take(id).cloned().ok_or_else(|| {
                    message!("notice.take_gone", "the take is no longer in the project. Choose another.")
                })?;
            let found = self.cache.find(&self.document, &self.library, &take).map_err(|error| error.message())?;
            let springs = if request.wants_springs() { self.spring_bones_of(&take)? } else { None };
            let walk = take.walk().cloned();
            takes.push(Wanted { name: take.name, found, springs, walk });
        }
        if takes.is_empty() {
            return Err(message!("notice.no_take", "no take was chosen. Choose at least one."));
        }
        Ok(takes)
    }
}

/// The sentence for numbered files that an earlier export left.
fn left_over_message(files: &[Value]) -> Message {
    let name = |file: Option<&Value>| {
        let path = file.and_then(Value::as_str).map(Path::new);
        path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    };
    message!(
        "notice.left_over",
        "%{count} images of an earlier, longer export lie beside the new ones, %{first} to %{last}. Remove them, or they are \
         read as part of the loop.",
        count = files.len(),
        first = name(files.first()),
        last = name(files.last()),
    )
}

/// The sentence for `files` files, of which `first` is the first.
fn exported(first: &Path, files: usize) -> Message {
    match (first.parent().filter(|folder| !folder.as_os_str().is_empty()), first.file_name()) {
        (Some(folder), Some(name)) if files > 1 => {
            message!(
                "notice.exported_to",
                "Exported %{count} files to %{folder}, %{first} first.",
                count = files,
                folder = folder.display().to_string(),
                first = name.display().to_string(),
            )
        }
        _ => {
            let first = first.display().to_string();
            match files {
                0 | 1 => message!("notice.exported", "Exported %{file}.", file = first),
                _ => message!(
                    "notice.exported_several",
                    "Exported %{count} files, %{first} first.",
                    count = files,
                    first = first,
                ),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_files_are_counted_and_one_is_named() {
        assert_eq!(exported(Path::new("out/a.glb"), 1).to_string(), "Exported out/a.glb.");
        assert_eq!(
            exported(Path::new("out/fire/0.png"), 23).to_string(),
            "Exported 23 files to out/fire, 0.png first."
        );
        assert_eq!(exported(Path::new("0.png"), 2).to_string(), "Exported 2 files, 0.png first.");
    }
}
