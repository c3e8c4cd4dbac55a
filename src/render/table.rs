//! Numbers that a vertex shader looks up by their place: a texture of four in a texel, row after row.

use three_d::Wrapping::ClampToEdge;
use three_d::core::{Context, Interpolation, Texture2D};

/// Texels in a row; the shader knows it too. Every card takes as many.
pub(super) const WIDTH: usize = 1024;
/// Rows that every card takes which has OpenGL 3.3.
const ROWS: usize = 4096;

/// Whether a table has room for so many.
pub(super) fn has_room(count: usize) -> bool {
    count <= WIDTH * ROWS
}

/// A table of `numbers`, of which there may be no more than [`has_room`] says: the `last` one again where it is as large. Their last
/// row is filled up.
pub(super) fn filled(context: &Context, last: Option<Texture2D>, numbers: &mut Vec<[f32; 4]>) -> Texture2D {
    let rows = numbers.len().div_ceil(WIDTH).max(1);
    numbers.resize(rows * WIDTH, [0.0; 4]);
    let sharp = Interpolation::Nearest;
    let [width, height] = [WIDTH, rows].map(|side| side as u32);
    let table = last.filter(|last| last.height() == height).unwrap_or_else(|| {
        Texture2D::new_empty::<[f32; 4]>(context, width, height, sharp, sharp, None, ClampToEdge, ClampToEdge)
    });
    table.fill(numbers);
    table
}
