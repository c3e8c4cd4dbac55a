//! A soft contact shadow: one disc under each joint near the ground, darker and smaller the nearer it is.

use glam::Vec3;
use three_d::Vec3 as Gpu3;

use super::scene::Scene;

/// Squares around discs, two triangles each.
#[derive(Default)]
pub(super) struct Discs {
    pub positions: Vec<Gpu3>,
    /// Place within the disc, −1…1 both ways, and how dark its middle is.
    pub forms: Vec<Gpu3>,
}

/// Above this height, in metres, a joint casts nothing.
const HIGHEST: f32 = 1.4;
/// How much one joint on the ground darkens what is under it, 0…1.
const DARKEST: f32 = 0.6;

/// What darkens less is not seen: two of 255 steps.
const FAINTEST: f32 = 0.008;

pub(super) fn discs(scene: &Scene) -> Discs {
    let mut discs = Discs::default();
    let metre = scene.units_per_metre;
    for actor in scene.actors.iter().filter(|actor| actor.has_shadow && actor.ghost.is_none()) {
        let carries_mesh = actor.shape.0.deforming_joints();
        for (joint, place) in actor.world.iter().enumerate().filter(|(joint, _)| carries_mesh[*joint]) {
            let at = Vec3::from(place.translation);
            let height = ((at.y - scene.floor) / metre).max(0.0);
            if joint > 0 && height < HIGHEST {
                let nearness = 1.0 - height / HIGHEST;
                let dark = DARKEST * nearness.powi(3) * scene.palette.shadow;
                if dark < FAINTEST {
                    continue;
                }
                let radius = (0.22 + 0.25 * height) * metre;
                // A hair above the ground, which figures' soles touch; more where it is uneven.
                let lift = if scene.level.is_none() { 0.001 } else { 0.015 };
                discs.add(at.with_y(scene.floor + lift * metre), radius, dark);
            }
        }
    }
    discs
}

impl Discs {
    fn add(&mut self, at: Vec3, radius: f32, dark: f32) {
        for (x, z) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
            self.positions.push(Gpu3::new(at.x + x * radius, at.y, at.z + z * radius));
            self.forms.push(Gpu3::new(x, z, dark));
        }
    }
}
