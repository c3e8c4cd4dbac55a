//! New cloth takes: a built-in shape, or a mesh of an open file.

#[cfg(test)]
use crate::{Command, EditCommand, Session};
use crate::{Notice, OpenDocument, Severity, Shown};
use portamento_anim::Footage;
use portamento_anim::math::WeightMap;
use portamento_base::message::message;
use portamento_dynamics::cloth::ClothShape;
use portamento_looping as looping;
#[cfg(test)]
use portamento_takes::document::Document;
use portamento_takes::document::stage::Loop;
use portamento_takes::document::{FileId, Stage, StageKind, Take, TakeId, TakeSource};

/// The geometry of a cloth: a built-in shape, or a mesh of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// The built-in shape, or `Mesh`.
    pub shape: ClothShape,
    /// The file of the mesh; ignored for other shapes.
    pub file: FileId,
    /// Index of the mesh instance in the file; `None` for all.
    pub instance: Option<usize>,
}

/// Maximum number of mesh instances that are offered individually; larger files are offered as a whole only.
const MAX_LISTED_MESHES: usize = 64;

impl Cut {
    /// Returns a built-in shape, which needs no file.
    pub fn of_shape(shape: ClothShape) -> Self {
        Self { shape, file: FileId(0), instance: None }
    }

    /// Returns the geometry of a cloth take; `None` for other takes.
    pub fn from_take(take: &Take) -> Option<Self> {
        let TakeSource::Cloth(cloth) = &take.source else { return None };
        let of_mesh = Self { shape: ClothShape::Mesh, file: take.character, instance: cloth.instance };
        Some(if cloth.shape == ClothShape::Mesh { of_mesh } else { Self::of_shape(cloth.shape) })
    }

    /// Sets it as the geometry of the cloth `take` and clears painted pins, which belong to another mesh. Does nothing for
    /// other takes.
    pub fn hang(self, take: &mut Take) {
        let TakeSource::Cloth(cloth) = &mut take.source else { return };
        (cloth.shape, cloth.instance, cloth.pins) = (self.shape, self.instance, WeightMap::default());
        take.character = self.file;
    }

    /// Returns a new looped cloth take. It is not part of a document.
    pub(crate) fn new_take(self, name: String) -> Take {
        let looped = Loop { settings: looping::Settings { start: 30, length: 90, ..looping::Settings::default() } };
        let mut take = Take {
            id: TakeId(0),
            name,
            character: FileId(0),
            source: TakeSource::Cloth(Box::default()),
            stages: Stage::numbered(vec![StageKind::Loop(Box::new(looped))]),
            loops: None,
        };
        self.hang(&mut take);
        take
    }
}

impl<'a> OpenDocument<'a> {
    /// Returns a new cloth take of the mesh of `shown`, or of the last file that has one. Returns a notice if no open file
    /// has a mesh.
    pub(crate) fn new_cloth(self, shown: &Shown) -> Result<Take, Notice> {
        let last_first = self.document.files.iter().rev().map(|file| file.id);
        let mut files = shown.character(self.document).into_iter().chain(last_first);
        let Some(file) = files.find(|&file| self.has_faces(file)) else {
            let message =
                message!("notice.no_mesh", "No mesh to simulate as cloth. Open an OBJ, glTF or GLB file first.",);
            return Err(Notice::new(Severity::Info, message));
        };
        let path = self.document.file(file).map(|file| file.path.clone()).unwrap_or_default();
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Cut { shape: ClothShape::Mesh, file, instance: None }.new_take(format!("{name} cloth")))
    }

    /// Returns the meshes of open files that can be simulated, with display names: whole files, and their mesh
    /// instances if there are several.
    pub fn hangable(self) -> Vec<(Cut, String)> {
        let mut cuts = Vec::new();
        for file in self.document.files.iter().filter(|file| self.has_faces(file.id)) {
            let name = file.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let cut = |instance| Cut { shape: ClothShape::Mesh, file: file.id, instance };
            cuts.push((cut(None), name.clone()));
            let Some(model) = self.library.get(file.id).map(|loaded| &loaded.model) else { continue };
            if (2..=MAX_LISTED_MESHES).contains(&model.instances.len()) {
                let placed = model.instances.iter().enumerate();
                cuts.extend(
                    placed.map(|(i, instance)| (cut(Some(i)), format!("{name}: {}", model.meshes[instance.mesh].name))),
                );
            }
        }
        cuts
    }

    /// True if the file contains a mesh with faces. False if the file is not loaded.
    pub fn has_faces(self, file: FileId) -> bool {
        self.library.get(file).is_some_and(|loaded| {
            let is_images = matches!(loaded.footage, Some(Footage::Images(_)));
            !is_images && loaded.model.placed_primitives().any(|(_, part)| !part.indices.is_empty())
        })
    }
}

/// Returns a session that shows a new cloth with few steps, see [`with_fewer_steps`].
#[cfg(test)]
pub(crate) fn shown_cloth(shape: ClothShape) -> Session {
    let mut session = Session::inline();
    session.perform(Command::Edit(EditCommand::AddCloth(shape)));
    with_fewer_steps(&mut session.document);
    session
}

/// Reduces the simulation steps of every cloth to an eighth, for fast tests.
#[cfg(test)]
pub fn with_fewer_steps(document: &mut Document) {
    for take in &mut document.takes {
        let TakeSource::Cloth(cloth) = &mut take.source else { continue };
        (cloth.steps, cloth.pre_roll) = (4, 0.5);
    }
}
