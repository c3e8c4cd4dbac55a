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
        let nothing = |sentence: String| format!("Nothing was exported: {sentence}");
        let takes = match self.takes_to_export(&request) {
            Ok(takes) => takes,
            Err(sentence) => return self.notices.say(Level::Error, nothing(sentence)),
        };
        let work = move |progress: &Progress| -> Result<Vec<Value>, String> {
            let outputs = outputs(&request, takes, progress).map_err(nothing)?;
            let total = outputs.len();
            let write = |(i, output): (usize, &Output)| {
                progress.step(i, total).map_err(|stopped| stopped.to_string())?;
                output.write(&request, progress)
            };
            outputs
                .iter()
                .enumerate()
                .map(write)
                .collect::<Result<_, _>>()
                .map_err(|error| format!("Export failed: {error}"))
        };
        self.jobs.start("Export", work, |session, written| match written {
            Ok(reports) => session.say_exported(reports),
            Err(sentence) => session.notices.say(Level::Error, sentence),
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
            let exact =
                exact.map(|off| format!(" Its texels put no vertex further than {off:.1e} units off its place."));
            let sidecars = report["sidecars"].as_array().map_or(0, Vec::len);
            let files = report["files"].as_u64().unwrap_or(1) as usize + sidecars;
            let text = format!("{}{}", exported(&path, files), exact.unwrap_or_default());
            self.notices.push(Notice { level: Level::Done, text, folder: path.parent().map(Path::to_owned) });
        }
        self.exported = reports;
    }

    /// The wanted takes, as far as they are built: the rest is the job's.
    fn takes_to_export(&mut self, request: &ExportRequest) -> Result<Vec<Wanted>, String> {
        let mut takes = Vec::new();
        for &id in &request.takes {
            let take =
                self.document.take(id).cloned().ok_or("the take is no longer in the project. Choose another.")?;
            let found = self.cache.find(&self.document, &self.library, &take).map_err(|error| error.to_string())?;
            let springs = if request.wants_springs() { self.spring_bones_of(&take)? } else { None };
            let walk = take.walk().cloned();
            takes.push(Wanted { name: take.name, found, springs, walk });
        }
        if takes.is_empty() { Err("no take was chosen. Choose at least one.".into()) } else { Ok(takes) }
    }
}

/// The sentence for `files` files, of which `first` is the first.
fn exported(first: &Path, files: usize) -> String {
    match (first.parent().filter(|folder| !folder.as_os_str().is_empty()), first.file_name()) {
        (Some(folder), Some(name)) if files > 1 => {
            format!("Exported {files} files to {}, {} first.", folder.display(), name.display())
        }
        _ if files > 1 => format!("Exported {files} files, {} first.", first.display()),
        _ => format!("Exported {}.", first.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_files_are_counted_and_one_is_named() {
        assert_eq!(exported(Path::new("out/a.glb"), 1), "Exported out/a.glb.");
        assert_eq!(exported(Path::new("out/fire/0.png"), 23), "Exported 23 files to out/fire, 0.png first.");
        assert_eq!(exported(Path::new("0.png"), 2), "Exported 2 files, 0.png first.");
    }
}
