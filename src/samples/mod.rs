//! Generates the sample assets from code.
//!
//! The figure is a solid of blended shapes ([`figure`](mod@hero)). Its clips are key poses and footstep plans ([`clips`]).
//! [`motion`] converts them to curves: splines between poses, inverse kinematics for legs, springs for hair and cape.

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

/// Returns the hero with every clip.
pub fn hero() -> Model {
    let mut model = hero::figure();
    model.clips = clips::plans().iter().map(|plan| motion::bake::clip(plan, &model.skeleton)).collect();
    model
}

/// Writes every sample to `folder`, replacing existing files, and returns their paths. Creates the folder if needed.
pub fn write_all(folder: &Path) -> Result<Vec<PathBuf>, ExportError> {
    write(folder, Replace::Allow)
}

/// [`write_all`] with a policy for existing files that differ.
pub fn write(folder: &Path, replace: Replace) -> Result<Vec<PathBuf>, ExportError> {
    let samples = generated()?;
    let project = project::bytes(&samples.hero, &samples.sources, folder);
    let mut set = FileSet::new(Arc::default());
    let sources = samples.sources.iter().map(|(name, bytes)| (*name, bytes));
    for (name, bytes) in sources.chain([("samples.portamento", &project)]) {
        set.write(&folder.join(name), bytes)?;
    }
    set.commit(replace).map(|placed| placed.into_iter().map(|file| file.path).collect())
}

/// The samples that do not depend on the folder.
struct Samples {
    hero: Model,
    /// The names and bytes of the files.
    sources: [(&'static str, Vec<u8>); 3],
}

/// Generates the samples once per process.
fn generated() -> Result<&'static Samples, ExportError> {
    static SAMPLES: OnceLock<Samples> = OnceLock::new();
    if let Some(samples) = SAMPLES.get() {
        return Ok(samples);
    }
    let hero = hero();
    let yard = gltf::to_glb_bytes(&gltf::from_model(&level::yard(), None))?;
    let glb = gltf::to_glb_bytes(&gltf::from_model(&hero, None))?;
    let sources = [("hero.glb", glb), ("flame.apng", flame::apng()?), ("yard.glb", yard)];
    Ok(SAMPLES.get_or_init(|| Samples { hero, sources }))
}
