//! What is chosen for an export: kept while the project is open, so that the next export begins where the last one ended.

use std::path::PathBuf;

use crate::anim::Tolerance;
use crate::document::{Document, Take, TakeId, TakeSource};
use crate::export::fbx;
use crate::session::{
    ClipFormat, ClipNames, ExportFormat, ExportRequest, ImageFormat, ImageLayout, Keep, MeshFormat, Sidecars,
};

/// What is chosen for the next export.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportChoice {
    /// Where to, as typed; empty as long as none was named.
    pub folder: String,
    /// Whether each character gets one file with the clips of all its takes.
    pub per_character: bool,
    /// GLB or glTF.
    pub format: ExportFormat,
    /// What takes of vertices become.
    pub meshes: MeshFormat,
    /// What takes of images become.
    pub images: ImageFormat,
    /// How they are numbered and laid out.
    pub image_layout: ImageLayout,
    /// What becomes of the clips the source has.
    pub keep: Keep,
    /// Whether clips get keys on every frame of `fps` rather than those of the source.
    pub resampled: bool,
    /// Frames per second for that.
    pub fps: f64,
    /// Whether clips then end on a frame.
    pub whole_frames: bool,
    /// Which sidecar files each clip gets.
    pub sidecars: Sidecars,
    /// Whether a loop's first frame is written once more at its end; `None` as each format is usually read.
    pub closing: Option<bool>,
    /// How far off a key that is left out may be; `None` leaves out none.
    pub tolerance: Option<Tolerance>,
    /// What clips and their files are called.
    pub names: ClipNames,
    /// Whether feet, events and seams are told.
    pub markers: bool,
    /// Whether Godot is told how to import a GLB.
    pub godot_import: bool,
    /// The unit of an FBX.
    pub unit: fbx::LengthUnit,
    /// Whether the root is the topmost bone of an FBX, without joints above it that stand still.
    pub root_on_top: bool,
    left_out: Vec<TakeId>,
}

/// Which of the choices matter to the chosen takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asks {
    /// GLB or glTF.
    pub format: bool,
    /// The source's other clips, and which keys: what moves joints.
    pub clips: bool,
    /// The format of meshes.
    pub meshes: bool,
    /// The format of images.
    pub images: bool,
    /// Weights of blends.
    pub weights: bool,
    /// Routes, distance curve and ground of walks.
    pub ways: bool,
    /// The closing key of loops.
    pub closing: bool,
}

impl Default for ExportChoice {
    fn default() -> Self {
        Self {
            folder: String::new(),
            per_character: false,
            format: ExportFormat::default(),
            meshes: MeshFormat::default(),
            images: ImageFormat::default(),
            image_layout: ImageLayout::default(),
            keep: Keep::default(),
            resampled: false,
            fps: 30.0,
            whole_frames: false,
            sidecars: Sidecars::default(),
            closing: None,
            tolerance: None,
            names: ClipNames::default(),
            markers: false,
            godot_import: false,
            unit: fbx::LengthUnit::default(),
            root_on_top: false,
            left_out: Vec::new(),
        }
    }
}

impl ExportChoice {
    /// Whether take `id` is to be written; all are until they are left out.
    pub fn has(&self, id: TakeId) -> bool {
        !self.left_out.contains(&id)
    }

    /// Takes `id` in or leaves it out.
    pub fn set(&mut self, id: TakeId, on: bool) {
        self.left_out.retain(|known| *known != id);
        self.left_out.extend((!on).then_some(id));
    }

    /// Takes all takes in.
    pub fn all(&mut self) {
        self.left_out.clear();
    }

    /// Leaves out all takes of `document` but `ids`.
    pub fn only(&mut self, document: &Document, ids: &[TakeId]) {
        self.left_out = document.takes.iter().map(|take| take.id).filter(|other| !ids.contains(other)).collect();
    }

    /// The chosen takes, in the order of the project.
    pub fn takes<'d>(&self, document: &'d Document) -> impl Iterator<Item = &'d Take> {
        document.takes.iter().filter(|take| self.has(take.id))
    }

    /// Which choices matter to the chosen takes.
    pub fn asks(&self, document: &Document) -> Asks {
        self.takes(document).fold(Asks::default(), |asks, take| asks.with(take, self.meshes))
    }

    /// How clips of joints are written.
    pub fn clip_format(&self) -> ClipFormat {
        ClipFormat {
            format: self.format,
            keep: self.keep,
            fps: self.resampled.then_some(self.fps),
            whole_frames: self.resampled && self.whole_frames,
            tolerance: self.tolerance,
            closing: self.closing,
            names: self.names.clone(),
            markers: self.markers,
            godot_import: self.godot_import,
            unit: self.unit,
            root_on_top: self.root_on_top,
        }
    }

    /// Writes clips of joints so.
    pub fn set_clip_format(&mut self, clip_format: ClipFormat) {
        let ClipFormat {
            format,
            keep,
            fps,
            whole_frames,
            tolerance,
            closing,
            names,
            markers,
            godot_import,
            unit,
            root_on_top,
        } = clip_format;
        (self.format, self.keep, self.tolerance, self.closing) = (format, keep, tolerance, closing);
        (self.names, self.markers, self.godot_import) = (names, markers, godot_import);
        (self.unit, self.root_on_top) = (unit, root_on_top);
        (self.resampled, self.fps, self.whole_frames) = (fps.is_some(), fps.unwrap_or(self.fps), whole_frames);
    }

    /// The export that is chosen; what does not matter to the chosen takes is as if never asked.
    pub fn request(&self, document: &Document) -> ExportRequest {
        let asks = self.asks(document);
        let Sidecars { weights, routes, voxels, distance_curve, index } = self.sidecars;
        ExportRequest {
            takes: self.takes(document).map(|take| take.id).collect(),
            destination: PathBuf::from(self.folder.trim()),
            per_character: self.per_character && asks.clips,
            format: if asks.format { self.format } else { ExportFormat::default() },
            meshes: if asks.meshes { self.meshes } else { MeshFormat::default() },
            images: if asks.images { self.images } else { ImageFormat::default() },
            image_layout: if asks.images { self.image_layout } else { ImageLayout::default() },
            keep: if asks.clips { self.keep } else { Keep::default() },
            fps: (asks.clips && self.resampled).then_some(self.fps),
            whole_frames: asks.clips && self.resampled && self.whole_frames,
            sidecars: Sidecars {
                weights: weights && asks.weights,
                routes: routes.filter(|_| asks.ways),
                voxels: voxels && asks.ways,
                distance_curve: distance_curve.filter(|_| asks.ways),
                index: index && asks.clips,
            },
            closing: self.closing.filter(|_| asks.closing),
            tolerance: self.tolerance.filter(|_| asks.clips),
            names: match asks.clips {
                true => self.names.clone(),
                false => ClipNames { spaces: self.names.spaces, ..ClipNames::default() },
            },
            markers: self.markers && asks.clips,
            godot_import: self.godot_import && asks.clips,
            unit: if asks.format { self.unit } else { fbx::LengthUnit::default() },
            root_on_top: self.root_on_top && asks.clips,
            ..ExportRequest::default()
        }
    }
}

impl Asks {
    /// These, and what matters to `take` where meshes take the format `meshes`.
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
    use crate::document::FileId;
    use crate::session::{Command, EditCommand, FileCommand, RouteFormat, Session};
    use crate::systems::cloth::ClothShape;

    fn samples(folder: &std::path::Path) -> Session {
        crate::samples::write_all(folder).unwrap();
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![folder.join("samples.portamento")])));
        session
    }

    #[test]
    fn what_was_left_out_stays_out_and_new_takes_join() {
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
    fn another_project_begins_with_nothing_chosen() {
        let folder = tempfile::tempdir().unwrap();
        let mut session = samples(folder.path());
        let first = session.document.takes[0].id;
        session.exports.choice.only(&session.document, &[first]);
        session.exports.choice.folder = "elsewhere".into();
        session.perform(Command::File(FileCommand::Open(vec![folder.path().join("samples.portamento")])));
        assert_eq!(session.exports.choice, ExportChoice::default());
    }

    #[test]
    fn only_what_matters_to_the_chosen_takes_is_asked_and_handed_on() {
        let folder = tempfile::tempdir().unwrap();
        let mut session = samples(folder.path());
        session.perform(Command::Edit(EditCommand::AddCloth(ClothShape::Flag)));
        let flag = session.document.takes.last().unwrap().id;
        let mut images = session.document.take(flag).unwrap().clone();
        images.id = TakeId(session.document.fresh_id());
        images.source = TakeSource::Images { file: FileId(1), fps: None, sheet: None };
        images.stages.clear();
        session.document.takes.push(images.clone());
        let document = &session.document;
        let mut choice = ExportChoice {
            format: ExportFormat::Gltf,
            keep: Keep::Alone,
            resampled: true,
            closing: Some(true),
            meshes: MeshFormat::Mdd,
            images: ImageFormat::Gif,
            sidecars: Sidecars { weights: true, routes: Some(RouteFormat::Csv), ..Sidecars::default() },
            ..ExportChoice::default()
        };
        choice.only(document, &[flag]);
        assert_eq!(choice.asks(document), Asks { meshes: true, closing: true, ..Asks::default() });
        let request = choice.request(document);
        assert_eq!((request.format, request.keep, request.fps), (ExportFormat::Glb, Keep::Append, None));
        assert_eq!((request.meshes, request.images), (MeshFormat::Mdd, ImageFormat::Png));
        assert_eq!((request.sidecars, request.closing), (Sidecars::default(), Some(true)));
        choice.meshes = MeshFormat::Morphs;
        assert!(choice.asks(document).format, "morph targets are written as glTF");
        choice.only(document, &[images.id]);
        assert_eq!(choice.asks(document), Asks { images: true, ..Asks::default() });
        let blend = document.takes.iter().find(|take| take.blend().is_some()).unwrap().id;
        choice.only(document, &[blend]);
        let asks = choice.asks(document);
        assert!(asks.format && asks.clips && asks.weights && !asks.ways && !asks.meshes && !asks.images);
        let walk = document.takes.iter().find(|take| take.walk().is_some()).unwrap().id;
        choice.set(walk, true);
        let request = choice.request(document);
        assert_eq!((request.sidecars, request.fps, request.keep), (choice.sidecars, Some(30.0), Keep::Alone));
        document.takes.iter().for_each(|take| choice.set(take.id, false));
        assert_eq!(choice.asks(document), Asks::default());
    }
}
