//! The export settings of the dialog, the defaults of the next export. The project file keeps them.

mod stored;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{ClipNames, ExportRequest, ExportSettings, MeshFormat, Sidecars};
use portamento_takes::document::{Document, Take, TakeId, TakeSource};

/// The settings of the next export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportChoice {
    /// The destination as typed; empty until chosen.
    pub folder: String,
    /// The settings of the files.
    pub settings: ExportSettings,
    /// The rate for resampling when it is turned on, frames per second.
    pub fps: f64,
    /// True to export again whenever takes or sources change. Not stored: opening a project must write no files.
    #[serde(skip)]
    pub as_i_work: bool,
    pub(super) left_out: Vec<TakeId>,
}

/// The settings that affect the chosen takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RelevantSettings {
    /// The clip format.
    pub format: bool,
    /// Other clips of the source, and keys: for takes that move joints.
    pub clips: bool,
    /// The format of vertex animations.
    pub meshes: bool,
    /// The format of image takes.
    pub images: bool,
    /// Weights of blends.
    pub weights: bool,
    /// Routes, distance curves and voxels of walks.
    pub ways: bool,
    /// The closing key of loops.
    pub closing: bool,
}

impl Default for ExportChoice {
    fn default() -> Self {
        Self {
            folder: String::new(),
            settings: ExportSettings::default(),
            fps: 30.0,
            as_i_work: false,
            left_out: Vec::new(),
        }
    }
}

impl ExportChoice {
    /// True if take `id` is exported; takes are included by default.
    pub fn has(&self, id: TakeId) -> bool {
        !self.left_out.contains(&id)
    }

    /// Includes or excludes take `id`.
    pub fn set(&mut self, id: TakeId, on: bool) {
        self.left_out.retain(|known| *known != id);
        self.left_out.extend((!on).then_some(id));
    }

    /// Includes all takes.
    pub fn all(&mut self) {
        self.left_out.clear();
    }

    /// Includes exactly the takes `ids` of `document`.
    pub fn only(&mut self, document: &Document, ids: &[TakeId]) {
        self.left_out = document.takes.iter().map(|take| take.id).filter(|other| !ids.contains(other)).collect();
    }

    /// Iterates over the included takes in project order.
    pub fn takes<'d>(&self, document: &'d Document) -> impl Iterator<Item = &'d Take> {
        document.takes.iter().filter(|take| self.has(take.id))
    }

    /// Returns which settings affect the included takes.
    pub fn asks(&self, document: &Document) -> RelevantSettings {
        self.takes(document).fold(RelevantSettings::default(), |asks, take| asks.with(take, self.settings.meshes))
    }

    /// Replaces the settings for clips of joints by those of `settings`. Keeps the others and, if `settings` does not
    /// resample, the rate.
    pub fn set_clips(&mut self, settings: ExportSettings) {
        self.fps = settings.fps.unwrap_or(self.fps);
        self.settings = self.settings.with_clips_of(settings);
    }

    /// Returns the export request; settings that do not affect the included takes have default values.
    pub fn request(&self, document: &Document) -> ExportRequest {
        ExportRequest {
            takes: self.takes(document).map(|take| take.id).collect(),
            destination: PathBuf::from(self.folder.trim()),
            settings: self.settings.relevant(self.asks(document)),
            ..ExportRequest::default()
        }
    }
}

impl ExportSettings {
    /// Returns the settings with those for clips of joints taken from `other`.
    pub(super) fn with_clips_of(&self, other: Self) -> Self {
        let Self { per_character, meshes, images, image_layout, sidecars, .. } = *self;
        Self { per_character, meshes, images, image_layout, sidecars, ..other }
    }

    /// Returns the settings with default values for those that are not in `asks`.
    fn relevant(&self, asks: RelevantSettings) -> Self {
        let mut settings = self.clone();
        if !asks.clips {
            settings = settings.with_clips_of(Self {
                format: self.format,
                closing: self.closing,
                names: ClipNames { spaces: self.names.spaces, ..ClipNames::default() },
                unit: self.unit,
                ..Self::default()
            });
            (settings.per_character, settings.sidecars.index) = (false, false);
        }
        settings.whole_frames &= settings.fps.is_some();
        if !asks.format {
            (settings.format, settings.unit) = Default::default();
        }
        if !asks.meshes {
            settings.meshes = MeshFormat::default();
        }
        if !asks.images {
            (settings.images, settings.image_layout) = Default::default();
        }
        if !asks.ways {
            let Sidecars { weights, index, .. } = settings.sidecars;
            settings.sidecars = Sidecars { weights, index, ..Sidecars::default() };
        }
        settings.sidecars.weights &= asks.weights;
        settings.closing = settings.closing.filter(|_| asks.closing);
        settings
    }
}

impl RelevantSettings {
    /// Adds the settings that affect `take`, if vertex animations use the format `meshes`.
    fn with(self, take: &Take, meshes: MeshFormat) -> Self {
        let is_mesh = matches!(take.source, TakeSource::Vertices(_) | TakeSource::Cloth(_));
        let is_images = matches!(take.source, TakeSource::Images { .. });
        let is_clip = take.source.moves_joints();
        Self {
            format: self.format || is_clip || (is_mesh && meshes == MeshFormat::Morphs),
            clips: self.clips || is_clip,
            meshes: self.meshes || is_mesh,
            images: self.images || is_images,
            weights: self.weights || take.blend().is_some(),
            ways: self.ways || take.walk().is_some(),
            closing: self.closing || take.repeats(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, EditCommand, ExportFormat, FileCommand, ImageFormat, Keep, RouteFormat, Session};
    use portamento_dynamics::cloth::ClothShape;
    use portamento_takes::document::FileId;

    fn samples(folder: &std::path::Path) -> Session {
        crate::samples::write_all(folder).unwrap();
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![folder.join("samples.portamento")])));
        session
    }

    #[test]
    fn excluded_takes_stay_excluded_and_new_takes_are_included() {
        let folder = tempfile::tempdir().unwrap();
        let mut session = samples(folder.path());
        let all: Vec<TakeId> = session.document.takes.iter().map(|take| take.id).collect();
        assert_eq!(session.exports.choice.request(&session.document).takes, all);
        session.exports.choice.only(&session.document, &[all[2]]);
        session.perform(Command::Edit(EditCommand::AddCloth(ClothShape::Flag)));
        let new = session.document.takes.last().unwrap().id;
        assert_eq!(session.exports.choice.request(&session.document).takes, [all[2], new]);
        session.exports.choice.set(new, false);
        assert_eq!(session.exports.choice.request(&session.document).takes, [all[2]]);
        session.exports.choice.all();
        assert_eq!(session.exports.choice.takes(&session.document).count(), all.len() + 1);
    }

    #[test]
    fn opening_another_project_resets_the_settings() {
        let folder = tempfile::tempdir().unwrap();
        let mut session = samples(folder.path());
        let first = session.document.takes[0].id;
        session.exports.choice.only(&session.document, &[first]);
        session.exports.choice.folder = "elsewhere".into();
        session.perform(Command::File(FileCommand::Open(vec![folder.path().join("samples.portamento")])));
        assert_eq!(session.exports.choice, ExportChoice::default());
    }

    #[test]
    fn only_settings_that_affect_the_chosen_takes_are_offered_and_requested() {
        let folder = tempfile::tempdir().unwrap();
        let mut session = samples(folder.path());
        session.perform(Command::Edit(EditCommand::AddCloth(ClothShape::Flag)));
        let flag = session.document.takes.last().unwrap().id;
        let mut images = session.document.take(flag).unwrap().clone();
        images.id = TakeId(session.document.fresh_id());
        images.source = TakeSource::Images { file: FileId(1), fps: None, sheet: None, tag: None };
        images.stages.clear();
        session.document.takes.push(images.clone());
        let document = &session.document;
        let settings = ExportSettings {
            format: ExportFormat::Gltf,
            keep: Keep::Alone,
            fps: Some(30.0),
            closing: Some(true),
            meshes: MeshFormat::Mdd,
            images: ImageFormat::Gif,
            sidecars: Sidecars { weights: true, routes: Some(RouteFormat::Csv), ..Sidecars::default() },
            ..ExportSettings::default()
        };
        let mut choice = ExportChoice { settings, ..ExportChoice::default() };
        choice.only(document, &[flag]);
        assert_eq!(
            choice.asks(document),
            RelevantSettings { meshes: true, closing: true, ..RelevantSettings::default() }
        );
        let request = choice.request(document).settings;
        assert_eq!((request.format, request.keep, request.fps), (ExportFormat::Glb, Keep::Append, None));
        assert_eq!((request.meshes, request.images), (MeshFormat::Mdd, ImageFormat::Png));
        assert_eq!((request.sidecars, request.closing), (Sidecars::default(), Some(true)));
        choice.settings.meshes = MeshFormat::Morphs;
        assert!(choice.asks(document).format, "morph targets are written as glTF");
        choice.only(document, &[images.id]);
        assert_eq!(choice.asks(document), RelevantSettings { images: true, ..RelevantSettings::default() });
        let blend = document.takes.iter().find(|take| take.blend().is_some()).unwrap().id;
        choice.only(document, &[blend]);
        let asks = choice.asks(document);
        assert!(asks.format && asks.clips && asks.weights && !asks.ways && !asks.meshes && !asks.images);
        let walk = document.takes.iter().find(|take| take.walk().is_some()).unwrap().id;
        choice.set(walk, true);
        let request = choice.request(document).settings;
        assert_eq!((request.sidecars, request.fps, request.keep), (choice.settings.sidecars, Some(30.0), Keep::Alone));
        document.takes.iter().for_each(|take| choice.set(take.id, false));
        assert_eq!(choice.asks(document), RelevantSettings::default());
    }
}
