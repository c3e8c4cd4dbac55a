//! A flat mesh for benches with many vertices.

use glam::{Vec2, Vec3};
use portamento::geometry::Primitive;

/// Returns a vertical square of 1 m with `side` vertices per side, facing the camera, without skin.
pub fn sheet(side: usize) -> Primitive {
    let at = |i: usize| Vec2::new((i % side) as f32, (i / side) as f32) / side as f32;
    let count = side * side;
    let quad = |i: usize| {
        let a = (i / (side - 1) * side + i % (side - 1)) as u32;
        let [b, c, d] = [a + 1, a + side as u32, a + side as u32 + 1];
        [a, b, c, c, b, d]
    };
    Primitive {
        positions: (0..count).map(|i| at(i).extend(0.0)).collect(),
        normals: vec![Vec3::Z; count],
        uvs: (0..count).map(at).collect(),
        indices: (0..(side - 1) * (side - 1)).flat_map(quad).collect(),
        ..Primitive::default()
    }
}
