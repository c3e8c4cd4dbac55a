//! What the user is making: source files, characters, takes. Small, `Clone + PartialEq`, so undo is a list of snapshots.
//!
//! Nothing heavy is in it: models and clips live in the [`Library`] and are referred to by id and name. Playhead, camera,
//! selection and layout are not part of it.

pub mod asset;
pub mod change;
pub mod character;
pub mod clip_ref;
pub mod edited;
pub mod field_edit;
pub mod file;
pub mod folder;
pub mod history;
pub mod keyed;
mod keyed_setting;
pub mod span;
pub mod stage;
pub mod take;
mod take_stages;
pub mod walk;

use glam::DVec3;
use serde::{Deserialize, Serialize};

pub use asset::{Asset, Library, Loaded};
pub use change::Change;
pub use character::{Character, ReferenceMesh, SceneObject, SourceFile};
pub use folder::{Folder, TakePlace};
pub use history::History;
pub use keyed_setting::KeyedSetting;
pub use span::Span;
pub use stage::{Stage, StageId, StageKind};
pub use take::{Retarget, Take, TakeSource};
pub use walk::Walk;

use crate::systems::stretch::Target;

/// Names a source file within one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileId(pub u32);

/// Names a take within one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TakeId(pub u32);

/// Everything the user can undo.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Document {
    /// Opened files, in the order they were opened.
    pub files: Vec<SourceFile>,
    /// What holds of each rig whatever the take; at most one per file.
    pub characters: Vec<Character>,
    /// Named points in the scene that takes can aim at, and meshes that stand there.
    pub objects: Vec<SceneObject>,
    /// Takes, in the order the outliner shows.
    pub takes: Vec<Take>,
    /// Folders of takes, in the order in which they were made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<Folder>,
    /// The next unused id; ids are never used twice, so undo cannot confuse two things.
    pub next_id: u32,
}

impl Document {
    /// A number no file or take of this document ever had.
    pub fn fresh_id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    /// The file of that id.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.id == id)
    }

    /// The character made from that file.
    pub fn character(&self, file: FileId) -> Option<&Character> {
        self.characters.iter().find(|character| character.file == file)
    }

    /// The take of that id.
    pub fn take(&self, id: TakeId) -> Option<&Take> {
        self.takes.iter().find(|take| take.id == id)
    }

    /// The take of that id, to edit.
    pub fn take_mut(&mut self, id: TakeId) -> Option<&mut Take> {
        self.takes.iter_mut().find(|take| take.id == id)
    }

    /// `wanted`, or `wanted 2`, `wanted 3` … where other takes have that name already.
    pub fn free_take_name(&self, wanted: &str) -> String {
        free_name(wanted, |name| self.takes.iter().any(|take| take.name == name))
    }

    /// Keeps `take` under a fresh id and a free name like its own; answers the id.
    pub fn add_take(&mut self, take: Take) -> TakeId {
        let id = TakeId(self.fresh_id());
        let name = self.free_take_name(&take.name);
        self.takes.push(Take { id, name, ..take });
        id
    }

    /// Keeps a copy of take `id`, in the same folder; answers its id.
    pub fn duplicate_take(&mut self, id: TakeId) -> Option<TakeId> {
        let copy = self.add_take(self.take(id)?.clone());
        if let Some(folder) = self.folders.iter_mut().find(|folder| folder.takes.contains(&id)) {
            folder.takes.insert(copy);
        }
        Some(copy)
    }

    /// Draws the mesh of a scene object, or no longer.
    pub fn toggle_object(&mut self, index: usize) {
        let object = self.objects.get_mut(index).and_then(|object| object.mesh.as_mut());
        object.into_iter().for_each(|mesh| mesh.hidden = !mesh.hidden);
    }

    /// Lets the mesh of a scene object, one of `library`, stand on the ground with its lowest vertex.
    pub fn ground_object(&mut self, index: usize, library: &Library) {
        let Some(mesh) = self.objects.get(index).and_then(|object| object.mesh.as_ref()) else { return };
        let Some(file) = library.get(mesh.file) else { return };
        let unit = self.file(mesh.file).map_or(1.0, |file| file.metres_per_unit);
        let lowest = f64::from(file.model.rest_bounds().low.y) * unit * mesh.size;
        self.objects[index].position.y = if lowest == 0.0 { 0.0 } else { -lowest };
    }

    /// `wanted`, or `wanted 2`, `wanted 3` … where other scene objects have that name already.
    pub fn free_object_name(&self, wanted: &str) -> String {
        free_name(wanted, |name| self.objects.iter().any(|object| object.name == name))
    }

    /// Gives a scene object another name, in the takes that aim at it too; an empty name or one in use changes nothing.
    pub fn rename_object(&mut self, index: usize, name: &str) {
        let taken = name.is_empty() || self.objects.iter().any(|object| object.name == name);
        let Some(object) = self.objects.get_mut(index).filter(|_| !taken) else { return };
        let old = std::mem::replace(&mut object.name, name.to_owned());
        let stages = self.takes.iter_mut().flat_map(|take| &mut take.stages);
        for stretch in stages.filter_map(|stage| stage.kind.as_stretch_mut()) {
            if stretch.aim_at.as_ref() == Some(&old) {
                stretch.aim_at = Some(name.to_owned());
            }
        }
    }

    /// Takes a scene object out; takes that aimed at it keep its place as their target. Nothing where there is no such object.
    pub fn remove_object(&mut self, index: usize) {
        if index >= self.objects.len() {
            return;
        }
        let object = self.objects.remove(index);
        for take in &mut self.takes {
            let metres_per_unit = metres_per_unit(&self.files, take.character);
            let stretches = take.stages.iter_mut().filter_map(|stage| stage.kind.as_stretch_mut());
            for stretch in stretches.filter(|stretch| stretch.aim_at.as_ref() == Some(&object.name)) {
                stretch.aim_at = None;
                stretch.settings.target = Some(Target::World(object.position / metres_per_unit));
            }
        }
    }

    /// Puts the target of the stretch of take `id` that is at hand (`at`) at `point`, world space in its file's unit: that of
    /// `window`, counted in order of time, where there are windows, else the scene object it aims at, else its own.
    pub fn move_target(&mut self, id: TakeId, at: Option<StageId>, window: usize, point: DVec3) {
        let Some(take) = self.takes.iter_mut().find(|take| take.id == id) else { return };
        let character = take.character;
        let Some(stretch) = take.stretch_mut(at) else { return };
        if !stretch.settings.windows.is_empty() {
            stretch
                .settings
                .window_in_order(window)
                .into_iter()
                .for_each(|window| window.target = Target::World(point));
        } else if let Some(name) = &stretch.aim_at {
            let metres_per_unit = metres_per_unit(&self.files, character);
            if let Some(object) = self.objects.iter_mut().find(|object| object.name == *name) {
                object.position = point * metres_per_unit;
            }
        } else {
            stretch.settings.target = Some(Target::World(point));
        }
    }
}

/// The unit of file `id`; 1 where the file is gone or its unit makes no sense.
fn metres_per_unit(files: &[SourceFile], id: FileId) -> f64 {
    let file = files.iter().find(|file| file.id == id);
    file.map(|file| file.metres_per_unit).filter(|&metres| metres > 0.0).unwrap_or(1.0)
}

/// `wanted`, or `wanted 2`, `wanted 3` … where that is `taken`.
pub fn free_name(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    std::iter::once(wanted.to_owned())
        .chain((2..).map(|n| format!("{wanted} {n}")))
        .find(|name| !taken(name))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
