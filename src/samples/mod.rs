//! Builds everything in `assets/` from code.
//!
//! The figure is a solid of blended shapes ([`figure`](mod@hero)); its clips are key poses and footstep plans ([`clips`]) that
//! [`motion`] turns into curves: splines between poses, legs by inverse kinematics, hair and cape by springs.

pub mod hero;
pub mod motion;
pub mod clips;

use crate::anim::Model;

/// The hero with every clip.
pub fn hero() -> Model {
    let mut model = hero::figure();
    model.clips = clips::plans().iter().map(|plan| motion::bake::clip(plan, &model.skeleton)).collect();
    model
}
