//! The fingerprint of everything the files of a take depend on.

use std::collections::BTreeSet;

use serde_json::json;

use crate::{ExportRequest, OpenDocument};
use portamento_base::fingerprint::{fingerprint, fingerprint_of_file};
use portamento_base::message::{Message, message};
use portamento_takes::document::{FileId, SceneObject, Take, TakeId};

impl<'a> OpenDocument<'a> {
    /// Returns a fingerprint of the take, the takes it uses, the content of their files, the sets of which it is a member, the
    /// export settings and the program version.
    ///
    /// Returns `Err` if the take or one of its files no longer exists.
    pub(super) fn take_key(self, request: &ExportRequest, id: TakeId) -> Result<String, Message> {
        let takes = self.with_used(id);
        let Some(take) = takes.first() else {
            return Err(message!("notice.take_gone", "the take is no longer in the project. Choose another."));
        };
        let stem = self.stems(request).remove(&take.id);
        let files: BTreeSet<FileId> = takes.iter().flat_map(|take| files_of(take)).collect();
        let files = files.iter().map(|&file| self.file_key(file)).collect::<Result<Vec<_>, Message>>()?;
        let inputs = json!({
            "program": env!("CARGO_PKG_VERSION"),
            "settings": request.flags(),
            "stem": stem,
            "takes": takes,
            "files": files,
            "sets": self.exported_sets(request).memberships(take.id),
            "objects": self.document.objects.iter().map(SceneObject::as_point).collect::<Vec<_>>(),
        });
        Ok(fingerprint(inputs.to_string().as_bytes()))
    }

    /// Returns the take followed by all takes that it uses, directly or indirectly. Each is there once. Empty if the take
    /// is gone.
    pub(crate) fn with_used(self, id: TakeId) -> Vec<&'a Take> {
        let (mut ids, mut at) = (vec![id], 0);
        while let Some(&next) = ids.get(at) {
            let used = self.document.take(next).map(Take::used_takes).unwrap_or_default();
            ids.extend(used.into_iter().filter(|used| !ids.contains(used)).collect::<Vec<_>>());
            at += 1;
        }
        ids.into_iter().filter_map(|id| self.document.take(id)).collect()
    }

    /// Returns the content hashes of a file and everything it refers to, with its unit and joint roles. `null` for a file
    /// that is gone. Returns `Err` if one cannot be read.
    fn file_key(self, id: FileId) -> Result<serde_json::Value, Message> {
        let Some(file) = self.document.file(id) else { return Ok(json!(null)) };
        let mut content = Vec::new();
        for path in self.files_of_source(file) {
            let (_, hash) = fingerprint_of_file(&path).map_err(|error| crate::project::unreadable(&path, &error))?;
            content.push((path.file_name().map(|name| name.to_string_lossy().into_owned()), hash));
        }
        let roles = self.document.character(id).map(|character| &character.roles);
        Ok(json!({ "content": content, "unit": file.metres_per_unit, "roles": roles }))
    }
}

/// Returns the files of a take itself, without those of takes it uses.
pub(super) fn files_of(take: &Take) -> Vec<FileId> {
    let stages = take.stages.iter().flat_map(|stage| stage.kind.files().iter().copied());
    take.source.files(take.character).into_iter().chain([take.character]).chain(stages).collect()
}
