//! Lookup tables for vertex shaders: float textures with four numbers per texel, indexed row by row.

use three_d::Wrapping::ClampToEdge;
use three_d::core::{Context, Interpolation, Texture2D};

/// Texels per row. The shader uses the same number. Every OpenGL 3.3 card supports it.
pub(super) const WIDTH: usize = 1024;
/// Largest number of rows that every OpenGL 3.3 card supports.
const MAX_ROWS: usize = 4096;

/// True if a table can hold `count` texels.
pub(crate) fn has_room(count: usize) -> bool {
    count <= WIDTH * MAX_ROWS
}

/// Uploads `numbers` and returns the texture, which is `last` if the size is the same. The caller checks [`has_room`].
///
/// Pads `numbers` with zeros to full rows.
pub(crate) fn filled(context: &Context, last: Option<Texture2D>, numbers: &mut Vec<[f32; 4]>) -> Texture2D {
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
