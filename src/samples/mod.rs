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
use std::sync::{Arc, OnceLock};

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
    let made = made()?;
    let project = project::bytes(&made.hero, &made.sources, folder);
    let mut set = FileSet::new(Arc::default());
    let sources = made.sources.iter().map(|(name, bytes)| (*name, bytes));
    for (name, bytes) in sources.chain([("samples.portamento", &project)]) {
        set.write(&folder.join(name), bytes)?;
    }
    set.commit(replace).map(|placed| placed.into_iter().map(|file| file.path).collect())
}

/// What is the same in whatever folder it is written to.
struct Made {
    hero: Model,
    /// Names and bytes of the files.
    sources: [(&'static str, Vec<u8>); 3],
}

/// Makes the samples, once for the whole program.
fn made() -> Result<&'static Made, ExportError> {
    static MADE: OnceLock<Made> = OnceLock::new();
    if let Some(made) = MADE.get() {
        return Ok(made);
    }
    let hero = hero();
    let yard = gltf::to_glb_bytes(&gltf::from_model(&level::yard(), None))?;
    let glb = gltf::to_glb_bytes(&gltf::from_model(&hero, None))?;
    let sources = [("hero.glb", glb), ("flame.apng", flame::apng()?), ("yard.glb", yard)];
    Ok(MADE.get_or_init(|| Made { hero, sources }))
}
