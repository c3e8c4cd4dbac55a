//! Turns a model whose file has another upward axis than it was read with.

use glam::{Quat, Vec3};

use super::model::Model;
use crate::geometry::UpAxis;

/// Half of √2: the parts of a quarter turn.
const HALF_SQRT: f32 = std::f32::consts::FRAC_1_SQRT_2;

impl Model {
    /// Turns the model from `read`, the upward axis that it was read with, to `up`. Only root joints change: their rest
    /// transforms and their curves.
    pub fn turn_up(&mut self, read: UpAxis, up: UpAxis) {
        let (turn, rotation): (fn(Vec3) -> Vec3, Quat) = match (read, up) {
            (UpAxis::Y, UpAxis::Z) => (|v| Vec3::new(v.x, v.z, -v.y), Quat::from_xyzw(-HALF_SQRT, 0.0, 0.0, HALF_SQRT)),
            (UpAxis::Z, UpAxis::Y) => (|v| Vec3::new(v.x, -v.z, v.y), Quat::from_xyzw(HALF_SQRT, 0.0, 0.0, HALF_SQRT)),
            (UpAxis::Y, UpAxis::Y) | (UpAxis::Z, UpAxis::Z) => return,
        };
        let roots: Vec<usize> = self.skeleton.roots().collect();
        for &root in &roots {
            let rest = &mut self.skeleton.joints[root].rest;
            (rest.translation, rest.rotation) = (turn(rest.translation), (rotation * rest.rotation).normalize());
        }
        for clip in &mut self.clips {
            for &root in &roots {
                let Some(tracks) = clip.tracks.get_mut(root) else { continue };
                let positions = tracks.translation.iter_mut().flat_map(|curve| &mut curve.values);
                positions.for_each(|value| *value = turn(*value));
                let turns = tracks.rotation.iter_mut().flat_map(|curve| &mut curve.values);
                turns.for_each(|value| *value = rotation * *value);
            }
        }
    }
}
