//! The status of a session as JSON.

use serde_json::{Value, json};

use crate::{Session, Shown, VERSION};
use portamento_anim::RootMotion;
use portamento_base::fingerprint::fingerprint;
use portamento_takes::document::{SceneObject, Take, TakeSource};

impl Session {
    /// Returns the open project: files with their clips, takes with a fingerprint of all that their result depends on,
    /// and the folders that requests may write to. Takes that do not move joints are left out.
    pub(super) fn status(&self) -> Value {
        let files = self.document.files.iter().map(|file| {
            let loaded = self.library.get(file.id);
            let clips = loaded.map(|loaded| loaded.model.clips.iter().map(|clip| &*clip.name).collect::<Vec<_>>());
            json!({ "path": file.path, "metres_per_unit": file.metres_per_unit, "clips": clips })
        });
        let takes = self.document.takes.iter().filter(|take| take.moves_joints());
        json!({
            "program": "Portamento",
            "version": VERSION,
            "project": self.project.path,
            "revision": self.remote.revision,
            "is_unsaved": self.is_unsaved(),
            "is_being_edited": !self.is_calm,
            "files": files.collect::<Vec<_>>(),
            "takes": takes.map(|take| self.take_status(take)).collect::<Vec<_>>(),
            "writable": self.writable().folders(),
        })
    }

    /// Returns the entry of a take in the status, as JSON.
    fn take_status(&self, take: &Take) -> Value {
        let path = |id| self.document.file(id).map(|file| &file.path);
        let source = match &take.source {
            TakeSource::Clip { clip, .. } => Some(clip),
            TakeSource::Retarget(retarget) => Some(&retarget.clip),
            _ => None,
        };
        json!({
            "id": take.id.0,
            "name": take.name,
            "character": path(take.character),
            "source_clip": source,
            "root_motion_joint": self.root_motion_joint(take),
            "is_shown": self.selection.shown == Shown::Take(take.id),
            "fingerprint": self.take_fingerprint(take),
        })
    }

    /// Returns the name of the joint that carries the root motion of the take's source clip. Without a clip, that of the
    /// roles. `None` if it is unknown.
    fn root_motion_joint(&self, take: &Take) -> Option<&str> {
        let model = &self.library.get(take.character)?.model;
        let roles = &self.document.character(take.character)?.roles;
        let root = match &take.source {
            TakeSource::Clip { clip, .. } => {
                model.clip(clip).and_then(|clip| RootMotion::find(&model.skeleton, clip, roles)).map(|root| root.joint)
            }
            _ => None,
        };
        let joint = root.or(roles.root_motion).or(roles.hips)?;
        model.skeleton.joints.get(joint).map(|joint| &*joint.name)
    }

    /// Returns a fingerprint of the take, the takes it uses, the points and the content of the sources.
    fn take_fingerprint(&self, take: &Take) -> String {
        let takes = self.opened().with_used(take.id);
        let files = takes.iter().flat_map(|take| take.named_files());
        let files: Vec<_> = files.map(|id| (id, self.read.hash(id), self.document.character(id))).collect();
        let points: Vec<_> = self.document.objects.iter().map(SceneObject::as_point).collect();
        fingerprint(json!({ "takes": takes, "files": files, "points": points }).to_string().as_bytes())
    }
}
