//! Generates the sample assets from code.
//!
//! The figure is a solid of blended shapes ([`figure`](mod@hero)). Its clips are key poses and footstep plans ([`clips`]).
//! [`motion`] converts them to curves: splines between poses, inverse kinematics for legs, springs for hair and cape.

pub mod hero;
pub mod motion;
pub mod clips;
pub mod flame;
pub mod level;
mod lessons;
mod patrol;
mod project;
mod recording;
mod shortcut;

use portamento_anim::Model;
use portamento_formats::export::gltf;

/// A sample file: its name and bytes.
pub type File = (&'static str, Vec<u8>);

/// Returns the hero with every clip.
pub fn hero() -> Model {
    let mut model = hero::figure();
    model.clips = clips::plans().iter().map(|plan| motion::bake::clip(plan, &model.skeleton)).collect();
    model
}

/// Names and bytes of the files in `assets/`; they are the same wherever they are written.
pub fn files() -> Result<Vec<File>, Box<dyn std::error::Error>> {
    let hero = hero();
    let yard = gltf::to_glb_bytes(&gltf::from_model(&level::yard(), None))?;
    let glb = gltf::to_glb_bytes(&gltf::from_model(&hero, None))?;
    let sources = [("hero.glb", glb), ("flame.apng", flame::apng()?), ("yard.glb", yard)];
    let project = project::bytes(&hero, &sources);
    let jog = ("jog_on_the_spot.bvh", recording::jog_on_the_spot(&hero));
    let mocap = ("mocap.bvh", recording::lying_walk(&hero));
    let used = lessons::Sources { hero: &sources[0], yard: &sources[2], jog: &jog, mocap: &mocap };
    let lessons = lessons::projects(&hero, &used)?;
    let course = ("course.glb", gltf::to_glb_bytes(&gltf::from_model(&level::course::course(), None))?);
    let shortcut = shortcut::project(&hero, [&sources[0], &course]);
    let others = [("samples.portamento", project), jog, mocap, course, shortcut];
    Ok(sources.into_iter().chain(others).chain(lessons).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_in_assets_are_what_the_code_makes() {
        for (name, bytes) in files().unwrap() {
            let file = std::fs::read(portamento_test_support::asset(name)).unwrap();
            assert!(file == bytes, "assets/{name} is out of date: run `cargo run -p portamento_samples`");
        }
    }
}
