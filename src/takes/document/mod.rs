//! The undoable state: source files, characters and takes. Small and `Clone + PartialEq`, so undo is a list of snapshots.
//!
//! Heavy data is not part of it: models and clips live in the [`Library`] and are referenced by id and name. The playhead, the
//! camera, the selection and the layout are not part of it either.

pub mod asset;
pub mod change;
pub mod character;
pub mod clip_ref;
pub mod clip_set;
pub mod edited;
pub mod field_edit;
pub mod file;
mod file_use;
pub mod folder;
pub mod history;
pub mod keyed;
mod keyed_setting;
pub mod setting;
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
pub use folder::{Folder, TakeDestination};
pub use history::History;
pub use keyed_setting::KeyedSetting;
pub use span::Span;
pub use stage::{Stage, StageId, StageKind, StageType};
pub use take::{Retarget, Take, TakeSource};
pub use walk::{CrossingRange, ObstacleBox, OwnCrossings, Walk};

use portamento_stretch::Target;
use portamento_walk::crossing::{self, Place};

/// The id of a source file, unique within one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileId(pub u32);

/// The id of a take, unique within one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TakeId(pub u32);

/// Everything the user can undo.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Document {
    /// Opened files, in the order they were opened.
    pub files: Vec<SourceFile>,
    /// Files that were removed although takes use them. The takes name them until they get another file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed_files: Vec<SourceFile>,
    /// The joint roles of each rig, shared by all takes; at most one entry per file.
    pub characters: Vec<Character>,
    /// Named points in the scene that takes can use as targets, boxes on the ground of walks, and reference meshes.
    pub objects: Vec<SceneObject>,
    /// Takes, in the order the outliner shows.
    pub takes: Vec<Take>,
    /// Folders of takes, in order of creation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<Folder>,
    /// Sets of clips with their contracts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<clip_set::ClipSet>,
    /// The last id given out. Ids are never reused, so undo cannot confuse two items.
    pub next_id: u32,
}

impl Document {
    /// Returns an id that no file or take of this document has ever had.
    pub fn fresh_id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    /// Returns the file with this id.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.id == id)
    }

    /// Returns the character of this file.
    pub fn character(&self, file: FileId) -> Option<&Character> {
        self.characters.iter().find(|character| character.file == file)
    }

    /// Returns the take with this id.
    pub fn take(&self, id: TakeId) -> Option<&Take> {
        self.takes.iter().find(|take| take.id == id)
    }

    /// Returns the take with this id, mutably.
    pub fn take_mut(&mut self, id: TakeId) -> Option<&mut Take> {
        self.takes.iter_mut().find(|take| take.id == id)
    }

    /// Returns `wanted`, or `wanted 2`, `wanted 3` … if other takes already use that name.
    pub fn free_take_name(&self, wanted: &str) -> String {
        free_name(wanted, |name| self.takes.iter().any(|take| take.name == name))
    }

    /// Adds `take` with a fresh id and a free name derived from its own. Returns the id.
    pub fn add_take(&mut self, take: Take) -> TakeId {
        let id = TakeId(self.fresh_id());
        let name = self.free_take_name(&take.name);
        self.takes.push(Take { id, name, ..take });
        id
    }

    /// Adds a copy of take `id`, named so, to the same folder. Returns the id of the copy. `None` if there is no such take.
    pub fn duplicate_take(&mut self, id: TakeId) -> Option<TakeId> {
        let take = self.take(id)?;
        let name = format!("{} copy", original_name(&take.name));
        let copy = self.add_take(Take { name, ..take.clone() });
        if let Some(folder) = self.folders.iter_mut().find(|folder| folder.takes.contains(&id)) {
            folder.takes.insert(copy);
        }
        Some(copy)
    }

    /// Toggles the visibility of the mesh of a scene object. Does nothing for a point.
    pub fn toggle_object(&mut self, index: usize) {
        let object = self.objects.get_mut(index).and_then(|object| object.mesh.as_mut());
        object.into_iter().for_each(|mesh| mesh.hidden = !mesh.hidden);
    }

    /// Moves a scene object vertically so that the lowest vertex of its mesh, from `library`, touches the ground (y = 0).
    /// Does nothing for a point or if the file is not loaded.
    pub fn ground_object(&mut self, index: usize, library: &Library) {
        let Some(mesh) = self.objects.get(index).and_then(|object| object.mesh.as_ref()) else { return };
        let Some(file) = library.get(mesh.file) else { return };
        let unit = self.file(mesh.file).map_or(1.0, |file| file.metres_per_unit);
        let lowest = f64::from(file.model.rest_bounds().low.y) * unit * mesh.size;
        self.objects[index].position.y = if lowest == 0.0 { 0.0 } else { -lowest };
    }

    /// Returns `wanted`, or `wanted 2`, `wanted 3` … if other scene objects already use that name.
    pub fn free_object_name(&self, wanted: &str) -> String {
        free_name(wanted, |name| self.objects.iter().any(|object| object.name == name))
    }

    /// Renames the scene object `index` and updates the takes that aim at it or cross it. Does nothing if the name is
    /// empty or already used, or if there is no such object.
    pub fn rename_object(&mut self, index: usize, name: &str) {
        let taken = name.is_empty() || self.objects.iter().any(|object| object.name == name);
        let Some(object) = self.objects.get_mut(index).filter(|_| !taken) else { return };
        let old = std::mem::replace(&mut object.name, name.to_owned());
        for stage in self.takes.iter_mut().flat_map(|take| &mut take.stages) {
            if let Some(aim) = stage.kind.as_stretch_mut().and_then(|stretch| stretch.aim_at.as_mut()) {
                rename(aim, &old, name);
            }
            if let Some(cross) = stage.kind.as_cross_mut() {
                rename(&mut cross.object, &old, name);
            }
        }
    }

    /// Removes a scene object. Takes that aimed at it keep its position as their target. Does nothing if `index` is out of range.
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
            let crossings = take.stages.iter_mut().filter_map(|stage| stage.kind.as_cross_mut());
            for cross in crossings.filter(|cross| cross.place == Place::Object && cross.object == object.name) {
                (cross.place, cross.position) = (Place::World, object.position.to_array());
                cross.object.clear();
            }
        }
    }

    /// Moves the handle with index `handle` of an obstacle that take `id` crosses to `point`. The obstacle stands at `base`, or at a
    /// scene object, which then moves. Points are in world space, in the unit of the take's file. The cross stage is `at`, or the
    /// first one.
    pub fn move_obstacle(&mut self, id: TakeId, at: Option<StageId>, handle: usize, [base, point]: [DVec3; 2]) {
        let Some(take) = self.takes.iter_mut().find(|take| take.id == id) else { return };
        let metres_per_unit = metres_per_unit(&self.files, take.character);
        let Some(cross) = take.settings_mut::<crossing::Settings>(at) else { return };
        let [base, point] = [base, point].map(|position| position * metres_per_unit);
        let object = self.objects.iter_mut().find(|object| cross.place == Place::Object && object.name == cross.object);
        match object {
            Some(object) if handle == 0 => object.position = point,
            _ => cross.drag(handle, base, point),
        }
    }

    /// Moves a target of take `id` to `point` (world space, in the unit of the take's file). The stretch is stage `at`, or the
    /// first stretch. If the stretch has windows, the target of `window` (counted in time order) moves. Otherwise the scene
    /// object it aims at moves, or else its own target. Does nothing if there is no stretch.
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

/// Returns the name of a take without the words and the number that mark it as a copy.
pub fn original_name(name: &str) -> &str {
    let unnumbered = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    name.strip_suffix(" copy").or_else(|| unnumbered.strip_suffix(" copy")).unwrap_or(name)
}

/// Sets `used` to `new` if it is `old`.
fn rename(used: &mut String, old: &str, new: &str) {
    if used == old {
        new.clone_into(used);
    }
}

/// Returns the unit of file `id` in metres; 1 if the file does not exist or its unit is not positive.
fn metres_per_unit(files: &[SourceFile], id: FileId) -> f64 {
    let file = files.iter().find(|file| file.id == id);
    file.map(|file| file.metres_per_unit).filter(|&metres| metres > 0.0).unwrap_or(1.0)
}

/// Returns `wanted`, or `wanted 2`, `wanted 3` … : the first of these that is not `taken`.
pub fn free_name(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    std::iter::once(wanted.to_owned())
        .chain((2..).map(|n| format!("{wanted} {n}")))
        .find(|name| !taken(name))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
