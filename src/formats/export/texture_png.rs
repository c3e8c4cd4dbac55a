//! PNG files of textures.

use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};

use portamento_anim::geometry::Texture;

/// The pixel of a texture that cannot be shown.
const WHITE: [u8; 4] = [255; 4];

/// Encodes a texture as PNG. A texture without pixels, or with fewer bytes than its size needs, becomes one white pixel, so
/// that the exported file can be opened. Further bytes are left out.
pub(super) fn texture_png(texture: &Texture) -> Vec<u8> {
    let Texture { width, height, ref rgba } = *texture;
    let count = (width as usize).checked_mul(height as usize).filter(|&count| count > 0);
    let pixels = count.and_then(|count| rgba.get(..count.checked_mul(WHITE.len())?));
    let (pixels, width, height) = pixels.map_or((&WHITE[..], 1, 1), |pixels| (pixels, width, height));
    let mut png = Vec::new();
    // Writing to memory fails only if the size does not match the pixels.
    let _ = PngEncoder::new(&mut png).write_image(pixels, width, height, ExtendedColorType::Rgba8);
    png
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_texture_whose_size_does_not_match_its_bytes_gives_an_image() {
        let read = |width: u32, height: u32, bytes: usize| {
            let rgba = (0..bytes).map(|byte| byte as u8).collect();
            let png = texture_png(&Texture { width, height, rgba });
            let image = image::load_from_memory(&png).unwrap().into_rgba8();
            (image.dimensions(), image.into_raw())
        };
        let counted: Vec<u8> = (0..16).collect();
        assert_eq!(read(2, 2, 16), ((2, 2), counted.clone()));
        assert_eq!(read(2, 2, 20), ((2, 2), counted));
        for (width, height, bytes) in [(2, 2, 0), (2, 2, 12), (0, 2, 16), (0, 0, 0), (u32::MAX, u32::MAX, 16)] {
            assert_eq!(read(width, height, bytes), ((1, 1), WHITE.to_vec()), "{width} × {height}, {bytes} bytes");
        }
    }
}
