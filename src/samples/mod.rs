//! Builds everything in `assets/` from code.
//!
//! The figure is a solid of blended shapes ([`figure`](mod@hero)); its clips are key poses and footstep plans ([`clips`]) that
//! [`motion`] turns into curves: splines between poses, legs by inverse kinematics, hair and cape by springs.

pub mod hero;
pub mod motion;
pub mod clips;
pub mod flame;
pub mod level;
mod patrol;
mod project;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::anim::Model;
use crate::export::{ExportError, FileSet, Replace, gltf};

/// The hero with every clip.
pub fn hero() -> Model {
    let mut model = hero::figure();
    model.clips = clips::plans().iter().map(|plan| motion::bake::clip(plan, &model.skeleton)).collect();
    model
}

/// Writes every sample to `folder`, which is made if absent, in place of what is there; gives the files.
pub fn write_all(folder: &Path) -> Result<Vec<PathBuf>, ExportError> {
    write(folder, Replace::Allow)
}

/// The same, but files that are there and differ are only replaced where `replace` allows it.
pub fn write(folder: &Path, replace: Replace) -> Result<Vec<PathBuf>, ExportError> {
    let model = hero();
    let hero = gltf::to_glb_bytes(&gltf::from_model(&model, None))?;
    let flame = flame::apng()?;
    let yard = gltf::to_glb_bytes(&gltf::from_model(&level::yard(), None))?;
    let files = [("hero.glb", hero), ("flame.apng", flame), ("yard.glb", yard)];
    let project = project::bytes(&model, &files, folder);
    let files = files.into_iter().chain([("samples.portamento", project)]);
    let files: Vec<(PathBuf, Vec<u8>)> = files.map(|(name, bytes)| (folder.join(name), bytes)).collect();
    let mut set = FileSet::new(Arc::default());
    files.iter().try_for_each(|(path, bytes)| set.write(path, bytes))?;
    set.commit(replace).map(|placed| placed.into_iter().map(|file| file.path).collect())
}
