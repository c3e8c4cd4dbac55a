//! Conversion between sRGB and linear light (IEC 61966-2-1).

/// Converts an sRGB number, 0…1, to linear light; continued by the same power above 1 and by symmetry below 0.
pub fn light_of(srgb: f32) -> f32 {
    let size = f64::from(srgb.abs());
    let light = if size <= 0.04045 { size / 12.92 } else { ((size + 0.055) / 1.055).powf(2.4) };
    (light as f32).copysign(srgb)
}

/// Converts linear light to an sRGB number; the inverse of [`light_of`].
pub fn srgb_of(light: f32) -> f32 {
    let size = f64::from(light.abs());
    let srgb = if size <= 0.003_130_8 { size * 12.92 } else { 1.055 * size.powf(1.0 / 2.4) - 0.055 };
    (srgb as f32).copysign(light)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sixteen_bit_number_survives_the_round_trip() {
        assert!(
            (0..=65_535u16)
                .all(|value| (srgb_of(light_of(f32::from(value) / 65_535.0)) * 65_535.0).round() as u16 == value)
        );
        assert!((light_of(0.5) - 0.214_041).abs() < 1e-6);
    }
}
