//! Encoding of the planned files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::file_stem::file_stems;
use super::footage::{self, WrittenFootage};
use super::markers::markers;
use super::plan::{Output, OutputClip};
use super::report::{ExportReport, StillCurves, TakeReport};
use super::request::ExportRequest;
use super::sets::SetClip;
use super::sidecars::SidecarPath;
use crate::batch::figures;
use crate::clip_library::quality_of;
use portamento_anim::still_curves::RemovedKeys;
use portamento_anim::{Clip, GltfSource, Model};
use portamento_base::budget::Budget;
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;
use portamento_formats::export::gltf::{self, ClipEdit, ClipEdits, Keep};
use portamento_formats::export::godot::{self, GodotFiles, GodotImport};
use portamento_formats::export::markers::ClipMarkers;
use portamento_formats::export::unreal::{UnrealClip, UnrealImport};
use portamento_formats::export::{ExportError, FileBytes, FileSet, fbx, spring_bone, vrma};
use portamento_takes::evaluate::{BuiltTake, Content};

/// Returns the notice about a GIF that shows `frames` frames and leaves out others.
pub(super) fn gif_left_out(frames: usize) -> Message {
    message!(
        "notice.gif_left_out",
        "Browsers play GIF frames shorter than 2/100 s too slowly, so the GIF shows %{frames} frames in the same time. Export APNG \
         or WebP to keep all frames.",
        frames
    )
}

/// Buffers of a vertex animation in memory at the same time: frames, positions and normals as accessors, and both as
/// a file.
const VERTEX_BUFFER_COPIES: usize = 6;
/// Copies of a glTF in memory at the same time: source and edited.
const GLTF_COPIES: u64 = 2;

impl Output {
    /// Adds the file, or the files of footage, to `set` and returns the report.
    pub fn write(
        &self,
        set: &mut FileSet,
        request: &ExportRequest,
        progress: &Progress,
    ) -> Result<ExportReport, ExportError> {
        let _held = progress.budget().reserve(self.bytes(), &|| self.path.display().to_string())?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut bytes = None;
        let written = match self.clips.first().map(|clip| (&clip.built.content, &clip.clip.name)) {
            Some((Content::Vertices(vertices), name)) => {
                let file = footage::FootageFile { name, path: &self.path };
                footage::vertices(set, vertices, &self.asset.model, file, self.closing, progress)
            }
            Some((Content::Images(images), _)) => {
                let target = footage::ImageTarget {
                    path: &self.path,
                    closing: self.closing,
                    layout: request.settings.image_layout,
                };
                footage::images(set, images, target, progress)
            }
            Some((Content::Joints, _)) | None => {
                bytes = Some(self.clips(set, request)?);
                Ok(vec![self.path.clone()].into())
            }
        };
        let WrittenFootage { files, texture, gif_frames } = written?;
        let first = files.first().unwrap_or(&self.path).display().to_string();
        let still = self.clips.iter().map(|clip| clip.still).fold(RemovedKeys::default(), RemovedKeys::and);
        let still = StillCurves { count: still.count, bytes_left_out: still.bytes };
        let mut report = ExportReport {
            file: first,
            takes: self.clips.iter().map(|clip| take_report(clip, request, &self.path)).collect(),
            files: (files.len() > 1).then_some(files.len()),
            bytes,
            still_curves: (still.count > 0).then_some(still),
            texture,
            gif_frames,
            notes: gif_frames.iter().map(|&frames| gif_left_out(frames).to_string()).collect(),
            spring_bones: self.springs.as_ref().map(|springs| springs.report.clone()),
            ..ExportReport::default()
        };
        let mut sidecars = self.sidecars(set, request, folder, progress.budget())?;
        if request.settings.godot_import && is_gltf(&self.path) {
            let GodotFiles { written, kept } = self.godot_import(request).write(set, &self.path)?;
            sidecars.extend(written);
            report.kept = kept.map(|kept| kept.display().to_string());
        }
        if request.settings.unreal_import && is_fbx(&self.path) {
            sidecars.push(self.unreal_import(request).write(set, &self.path)?);
        }
        report.sidecars = sidecars.iter().map(|path| path.display().to_string()).collect();
        Ok(report)
    }

    /// Adds the sidecars and markers of the clips to `set` and returns their paths.
    fn sidecars(
        &self,
        set: &mut FileSet,
        request: &ExportRequest,
        folder: &Path,
        budget: &Budget,
    ) -> Result<Vec<PathBuf>, ExportError> {
        let mut written = Vec::new();
        for clip in &self.clips {
            let path = SidecarPath { folder, stem: &clip.stem };
            written.extend(request.settings.sidecars.write(set, &clip.built, clip.walk.as_ref(), path, budget)?);
            if request.settings.markers && matches!(clip.built.content, Content::Joints) {
                let markers_path = folder.join(format!("{}.markers.json", clip.stem));
                markers(clip).write(set, &markers_path)?;
                written.push(markers_path);
            }
        }
        Ok(written)
    }

    /// Returns an estimate of the memory needed to write its files, bytes. Images are 0: they reserve memory frame by
    /// frame.
    fn bytes(&self) -> u64 {
        match self.clips.first().map(|clip| &clip.built.content) {
            Some(Content::Vertices(vertices)) => {
                let frames = vertices.looped.as_ref().map_or(vertices.clip.frames(), |looped| looped.frames());
                let points = frames as u64 * vertices.clip.vertices as u64;
                points.saturating_mul((VERTEX_BUFFER_COPIES * size_of::<glam::Vec3>()) as u64)
            }
            Some(Content::Images(_)) | None => 0,
            Some(Content::Joints) => {
                let source = self.asset.source.iter().flat_map(|source| &source.buffers);
                let clips: u64 = self.clips.iter().map(|clip| clip.reservation.bytes()).sum();
                let source: u64 = source.map(|buffer| buffer.len() as u64).sum();
                GLTF_COPIES * (source + clips)
            }
        }
    }

    /// Adds the file with the clips and its companions to `set`; returns their size in bytes. Images that another file of
    /// the same character has added are not added again.
    fn clips(&self, set: &mut FileSet, request: &ExportRequest) -> Result<usize, ExportError> {
        // The files of one character in a folder share its images.
        let images =
            file_stems([self.asset.model.name.as_str()], request.settings.names.spaces).pop().unwrap_or_default();
        let mut files = self.encoded(request, request.is_folder().then_some(&*images))?;
        let is_image = |(path, _): &&(PathBuf, FileBytes)| *path != self.path;
        let is_new = match set.claim(files.iter().filter(is_image)) {
            Some(is_new) => is_new,
            None => {
                // Another character of this name has other images.
                files = self.encoded(request, None)?;
                set.claim(files.iter().filter(is_image)).unwrap_or_default()
            }
        };
        let mut is_new = is_new.into_iter();
        files.retain(|file| !is_image(&file) || is_new.next().unwrap_or(true));
        files.iter().try_for_each(|(path, bytes)| set.write_pieces(path, &bytes.pieces()))?;
        Ok(files.iter().map(|(_, bytes)| bytes.len()).sum())
    }

    /// Returns the paths and bytes of the files. An FBX gives its images names that begin with `images`, or else with the name of
    /// the FBX. Any other extension than FBX and VRMA is a glTF.
    fn encoded(&self, request: &ExportRequest, images: Option<&str>) -> Result<Vec<(PathBuf, FileBytes)>, ExportError> {
        let keep = request.settings.keep;
        match self.path.extension().map(|end| end.to_ascii_lowercase()) {
            Some(end) if end == "fbx" => return self.fbx(request, images).map(in_one_piece),
            Some(end) if end == "vrma" => return self.vrma(request).map(in_one_piece),
            _ => {}
        }
        let clips = self.clips.iter().map(|output| &output.clip);
        let mut edited = match &self.asset.source {
            Some(source) => self.edited(source, &self.asset.model, &clips.collect::<Vec<_>>(), keep)?,
            // Other source formats are converted to glTF, whose unit is the metre.
            None => {
                let unit = self.clips.first().map_or(1.0, |output| output.built.metres_per_unit) as f32;
                let model = gltf::scaled_model(&self.asset.model, unit);
                let clips: Vec<Clip> = clips.map(|clip| gltf::scaled_clip(clip, unit)).collect();
                let source = gltf::from_model(&model, None);
                self.edited(&source, &model, &clips.iter().collect::<Vec<_>>(), keep)?
            }
        };
        if let Some(springs) = &self.springs {
            spring_bone::write(&mut edited.json, &springs.bones);
        }
        self.clip_markers(request).iter().for_each(|clip_markers| clip_markers.annotate(&mut edited));
        gltf::encode(&self.path, &edited)
    }

    /// Returns the Godot import settings of the file.
    fn godot_import(&self, request: &ExportRequest) -> GodotImport {
        let fps = |output: &OutputClip| request.settings.fps.unwrap_or(output.built.fps);
        GodotImport {
            fps: self.clips.iter().map(fps).fold(1.0, f64::max),
            loops: self.clips.iter().map(|output| (output.clip.name.clone(), output.loops)).collect(),
            root: self.clips.iter().find_map(|output| {
                let joint = output.root_above_hips()?;
                Some(self.asset.model.skeleton.joints[joint].name.clone())
            }),
            markers: if request.settings.markers { self.clips.iter().map(markers).collect() } else { Vec::new() },
            libraries: self.libraries(),
        }
    }

    /// Returns the names of the clips in the library of each set.
    fn libraries(&self) -> BTreeMap<String, Vec<String>> {
        let mut libraries: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (output, stem) in self.clips.iter().flat_map(|output| output.sets.iter().map(move |stem| (output, stem))) {
            let file = format!("{stem}.{}", godot::LIBRARY_ENDING);
            libraries.entry(file).or_default().push(output.clip.name.clone());
        }
        libraries
    }

    /// Returns the import into Unreal.
    fn unreal_import(&self, request: &ExportRequest) -> UnrealImport {
        let clip = |output: &OutputClip| UnrealClip {
            markers: markers(output),
            root_motion: output.root_above_hips().is_some(),
        };
        let fps = |output: &OutputClip| request.settings.fps.unwrap_or(output.built.fps);
        UnrealImport {
            fps: self.clips.iter().map(fps).fold(1.0, f64::max),
            has_mesh: request.settings.keep != Keep::Motion && !self.asset.model.instances.is_empty(),
            clips: self.clips.iter().map(clip).collect(),
        }
    }

    /// Returns the markers of every clip, if requested, and of additive clips, which are of no use without their reference.
    fn clip_markers(&self, request: &ExportRequest) -> Vec<ClipMarkers> {
        let all = self.clips.iter().map(markers);
        all.filter(|clip| request.settings.markers || clip.additive.is_some()).collect()
    }

    /// Encodes the clips as a VRM animation. Returns `Err` if spring bones are requested.
    fn vrma(&self, request: &ExportRequest) -> Result<Vec<(PathBuf, Vec<u8>)>, ExportError> {
        let file = || self.path.display().to_string();
        if self.springs.is_some() && request.springs {
            return Err(ExportError::NoSpringBones { file: file() });
        }
        let Some(built) = self.clips.first().map(|output| &output.built) else { return Ok(Vec::new()) };
        let person =
            vrma::Person { model: &self.asset.model, roles: &built.roles, metres_per_unit: built.metres_per_unit };
        let motion = |output: &OutputClip| (output.clip.clone(), request.settings.fps.unwrap_or(output.built.fps));
        let clips: Vec<(Clip, f64)> = self.clips.iter().map(motion).collect();
        let mut animation = vrma::from_clips(&person, &clips)?;
        self.clip_markers(request).iter().for_each(|clip_markers| clip_markers.annotate(&mut animation));
        Ok(vec![(self.path.clone(), gltf::to_glb_bytes(&animation)?)])
    }

    /// Encodes the character as an FBX with the remaining and the exported clips. Returns `Err` if there are spring bones.
    fn fbx(&self, request: &ExportRequest, images: Option<&str>) -> Result<Vec<(PathBuf, Vec<u8>)>, ExportError> {
        let keep = request.settings.keep;
        if self.springs.is_some() {
            return Err(ExportError::NoSpringBones { file: self.path.display().to_string() });
        }
        let unit = self.clips.first().map_or(1.0, |output| output.built.metres_per_unit) as f32;
        let mut model = gltf::scaled_model(&self.asset.model, unit);
        let ours = self.clips.iter().map(|output| gltf::scaled_clip(&output.clip, unit));
        let root = self.clips.first().and_then(|output| output.built.roles.root(&model.skeleton));
        let root = root.filter(|_| request.settings.root_on_top);
        // Source clips are considered even if they are not exported, so that all files of a character have the same
        // bones.
        let top = root.map(|root| fbx::topmost_kept_joint(&model, root));
        if keep.is_alone() {
            model.clips.clear();
        }
        if keep == Keep::Motion {
            (model.meshes, model.instances) = (Vec::new(), Vec::new());
            (model.materials, model.textures) = (Vec::new(), Vec::new());
        }
        for clip in ours {
            match model.clips.iter_mut().find(|known| keep == Keep::Replace && known.name == clip.name) {
                Some(known) => *known = clip,
                None => model.clips.push(clip),
            }
        }
        let (unit, markers, images) = (request.settings.unit, self.clip_markers(request), images.map(str::to_owned));
        fbx::encode(&self.path, &model, &fbx::Options { unit, markers, top, images })
    }

    /// Returns `source`, which contains `model`, with `clips` inserted.
    fn edited(
        &self,
        source: &GltfSource,
        model: &Model,
        clips: &[&Clip],
        keep: Keep,
    ) -> Result<GltfSource, ExportError> {
        let original = |built: &BuiltTake| {
            let index = model.clips.iter().position(|clip| built.is_own_clip && clip.name == built.clip_name)?;
            Some((index, &model.clips[index]))
        };
        let outputs = self.clips.iter().zip(clips);
        let edits = outputs.map(|(output, clip)| ClipEdit { clip, original: original(&output.built) });
        gltf::write(source, &model.skeleton, &ClipEdits { keep, clips: edits.collect() })
    }
}

/// Returns `files` with the bytes of each as one piece.
fn in_one_piece(files: Vec<(PathBuf, Vec<u8>)>) -> Vec<(PathBuf, FileBytes)> {
    files.into_iter().map(|(path, bytes)| (path, bytes.into())).collect()
}

/// True if the file at `path` is an FBX.
pub(super) fn is_fbx(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("fbx"))
}

/// True if the file at `path` is a glTF.
pub(super) fn is_gltf(path: &Path) -> bool {
    path.extension().is_some_and(|end| ["glb", "gltf"].iter().any(|gltf| end.eq_ignore_ascii_case(gltf)))
}

/// Returns the report of an exported take. The quality figures are there only if they were asked for, the written length
/// (seconds) only if it differs from the length of the take.
fn take_report(output: &OutputClip, request: &ExportRequest, path: &Path) -> TakeReport {
    let is_measured = request.measured || request.settings.sidecars.index;
    let is_joints = matches!(output.built.content, Content::Joints);
    let is_adjusted = is_joints && (output.clip.duration - output.built.clip.duration).abs() > 1e-6;
    TakeReport {
        clip: output.built.clip.name.clone(),
        set_clip: (is_joints && !output.sets.is_empty()).then(|| Box::new(SetClip::measure(output, path))),
        motion: output.built.report(),
        figures: is_measured.then(|| quality_of(&output.built).as_ref().map_or(Value::Null, figures)),
        keys: output.left_out,
        written_seconds: is_adjusted.then_some(output.clip.duration),
    }
}
