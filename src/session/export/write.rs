//! Writing the planned files.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::footage::{self, Written};
use super::plan::{Output, OutputClip};
use super::request::{ExportRequest, Keep};
use super::sidecars::Place;
use crate::anim::GltfSource;
use crate::evaluate::{BuiltTake, Content};
use crate::export::gltf::{self, ClipEdit, ClipEdits};
use crate::export::{ExportError, FileSet, spring_bone};
use crate::progress::Progress;

impl Output {
    /// Adds the file, or the files of footage, to `set`, and tells what it added.
    pub fn write(&self, set: &mut FileSet, request: &ExportRequest, progress: &Progress) -> Result<Value, ExportError> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let takes: Vec<Value> = self.clips.iter().map(|clip| clip.built.report()).collect();
        let written = match self.clips.first().map(|clip| (&clip.built.content, &clip.clip.name)) {
            Some((Content::Vertices(vertices), name)) => {
                footage::vertices(set, vertices, &self.asset.model, (name, &self.path), self.closing, progress)
            }
            Some((Content::Images(images), _)) => {
                footage::images(set, images, &self.path, self.closing, progress).map(Written::from)
            }
            Some((Content::Joints, _)) | None => self.clips(set, request.keep).map(|()| vec![self.path.clone()].into()),
        };
        let Written { files, texture } = written?;
        let first = files.first().unwrap_or(&self.path).display().to_string();
        let mut report = json!({ "file": first, "takes": takes });
        if files.len() > 1 {
            report["files"] = files.len().into();
        }
        if let Some(texture) = texture {
            report["texture"] = texture;
        }
        let mut sidecars: Vec<PathBuf> = Vec::new();
        for clip in &self.clips {
            let place = Place { folder, stem: &clip.stem };
            sidecars.extend(request.sidecars.write(set, &clip.built, clip.walk.as_ref(), place)?);
        }
        if !sidecars.is_empty() {
            report["sidecars"] = json!(sidecars);
        }
        if let Some(springs) = &self.springs {
            report["spring_bones"] = springs.report.clone();
        }
        Ok(report)
    }

    fn clips<'a>(&'a self, set: &mut FileSet, keep: Keep) -> Result<(), ExportError> {
        let model = &self.asset.model;
        let made;
        let source: &GltfSource = match &self.asset.source {
            Some(source) => source,
            None => {
                made = gltf::from_model(model, None);
                &made
            }
        };
        let original = |built: &BuiltTake| {
            let index = model.clips.iter().position(|clip| built.is_own_clip && clip.name == built.clip_name)?;
            Some((index, &model.clips[index]))
        };
        let edit = |it: &'a OutputClip| ClipEdit { clip: &it.clip, original: original(&it.built) };
        let edits = ClipEdits { placement: keep.into(), clips: self.clips.iter().map(edit).collect() };
        let mut edited = gltf::write(source, &model.skeleton, &edits)?;
        if let Some(springs) = &self.springs {
            spring_bone::write(&mut edited.json, &springs.bones);
        }
        gltf::save(set, &self.path, &edited)
    }
}
