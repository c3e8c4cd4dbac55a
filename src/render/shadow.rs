//! Soft contact shadows: one disc under each joint near the ground, darker and smaller the lower the joint is.

use glam::Vec3;
use three_d::Vec3 as Gpu3;

use super::scene::Scene;

/// Quads around the discs, two triangles each.
#[derive(Default)]
pub(super) struct Discs {
    pub positions: Vec<Gpu3>,
    /// Position within the disc (−1 … 1 on both axes) and darkness at its centre.
    pub forms: Vec<Gpu3>,
}

/// Joints higher than this, in metres, cast no shadow. Tuned; no derivation recorded.
const MAX_HEIGHT_M: f32 = 1.4;
/// Darkness under one joint on the ground, 0 … 1. Tuned; no derivation recorded.
const MAX_DARKNESS: f32 = 0.6;

/// Darkness under many overlapping joints, 0 … 1. Tuned; no derivation recorded.
const MAX_SUM_DARKNESS: f32 = 0.75;

/// Smallest visible darkness: two of 255 steps.
const MIN_DARKNESS: f32 = 0.008;

/// Returns the shadow discs of all figures with shadows, except ghosts. Joint 0, joints without mesh and high joints have none.
pub(super) fn discs(scene: &Scene) -> Discs {
    let metre = scene.units_per_metre;
    let mut all = Vec::new();
    for actor in scene.actors.iter().filter(|actor| actor.has_shadow && actor.ghost.is_none()) {
        let carries_mesh = actor.shape.0.deforming_joints();
        for (joint, transform) in actor.world.iter().enumerate().filter(|(joint, _)| carries_mesh[*joint]) {
            let at = Vec3::from(transform.translation);
            let height = ((at.y - scene.floor) / metre).max(0.0);
            if joint > 0 && height < MAX_HEIGHT_M {
                let nearness = 1.0 - height / MAX_HEIGHT_M;
                let dark = MAX_DARKNESS * nearness.powi(3) * scene.palette.shadow;
                if dark < MIN_DARKNESS {
                    continue;
                }
                let radius = (0.22 + 0.25 * height) * metre;
                // Slightly above the ground that the soles touch; more on uneven levels.
                let lift = if scene.level.is_none() { 0.001 } else { 0.015 };
                all.push(Disc { at: at.with_y(scene.floor + lift * metre), radius, dark });
            }
        }
    }
    let mut discs = Discs::default();
    all.iter().for_each(|disc| discs.add(&Disc { dark: disc.share_of_dark(&all), ..*disc }));
    discs
}

/// The shadow of one joint.
#[derive(Clone, Copy)]
struct Disc {
    /// Centre, slightly above the ground, scene units.
    at: Vec3,
    /// Radius, scene units.
    radius: f32,
    /// Darkness at its centre, 0 … 1.
    dark: f32,
}

impl Disc {
    /// Returns its darkness where discs overlap, so that together they are never darker than [`MAX_SUM_DARKNESS`]: dense rigs and
    /// figures that lie on the ground would blacken it otherwise. Light passes through all discs, so their optical depths add up.
    fn share_of_dark(&self, all: &[Self]) -> f32 {
        let depth = |disc: &Self| {
            let cover = (1.0 - disc.at.distance(self.at) / disc.radius).max(0.0);
            -(1.0 - disc.dark).ln() * cover
        };
        let sum: f32 = all.iter().map(depth).sum();
        let share = (-(1.0 - MAX_SUM_DARKNESS).ln() / sum.max(1e-6)).min(1.0);
        1.0 - ((1.0 - self.dark).ln() * share).exp()
    }
}

impl Discs {
    /// Adds the disc as a square of two triangles. The shader makes it round.
    fn add(&mut self, &Disc { at, radius, dark }: &Disc) {
        for (x, z) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
            self.positions.push(Gpu3::new(at.x + x * radius, at.y, at.z + z * radius));
            self.forms.push(Gpu3::new(x, z, dark));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::Affine3A;

    use super::*;
    use crate::DrawnModel;
    use crate::scene::{Actor, Palette};
    use portamento_anim::{Model, Pose};

    /// The figure `model` at rest, `height` above the ground.
    fn scene(model: &Model, height: f32) -> Scene {
        let mut world = Vec::new();
        Pose::rest(&model.skeleton).world_from_joints(&model.skeleton, &mut world);
        let lift = Affine3A::from_translation(Vec3::Y * height);
        let actor = Actor {
            shape: Arc::new(DrawnModel(model.clone())),
            world: world.into_iter().map(|joint| lift * joint).collect(),
            morphs: Vec::new(),
            cloud: None,
            hidden: Vec::new(),
            ghost: None,
            has_shadow: true,
            fades_in_front: false,
        };
        let [none, grey] = [[0.0; 3], [0.5; 3]];
        let palette = Palette { sky: grey, ground: grey, grid: grey, axis_x: none, axis_z: none, shadow: 1.0 };
        Scene { actors: vec![actor], ..Scene::empty(palette) }
    }

    #[test]
    fn many_joints_on_one_spot_do_not_blacken_the_ground() {
        let disc = Disc { at: Vec3::ZERO, radius: 0.2, dark: MAX_DARKNESS };
        for (count, dark) in [(1, MAX_DARKNESS), (2, MAX_SUM_DARKNESS), (60, MAX_SUM_DARKNESS)] {
            let all = vec![disc; count];
            let light: f32 = all.iter().map(|disc| 1.0 - disc.share_of_dark(&all)).product();
            assert!((1.0 - light - dark).abs() < 1e-4, "{count}: {light}");
        }
        let apart = [disc, Disc { at: Vec3::X, ..disc }];
        assert!((apart[0].share_of_dark(&apart) - MAX_DARKNESS).abs() < 1e-5);
    }

    #[test]
    fn joints_on_the_ground_cast_the_darkest_shadow_and_high_joints_or_ghosts_none() {
        let hero = portamento_test_support::hero();
        let darkest = |scene: &Scene| discs(scene).forms.iter().map(|form| form.z).fold(0.0, f32::max);
        let [standing, leaping, flying] = [0.0, 0.4, 3.0].map(|height| darkest(&scene(&hero, height)));
        assert!(standing > 0.4 && standing > 2.0 * leaping && leaping > MIN_DARKNESS, "{standing} {leaping}");
        assert_eq!(flying, 0.0);
        let mut ghost = scene(&hero, 0.0);
        ghost.actors[0].ghost = Some([1.0; 4]);
        assert_eq!(darkest(&ghost), 0.0);
    }
}
