//! The hero's flat colours.

/// An sRGB colour with 8 bits per channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Srgb(pub u8, pub u8, pub u8);

/// The body suit.
pub(super) const SUIT: Srgb = Srgb(0x86, 0x9A, 0xB8);
/// Boots, gloves, belt.
pub(super) const LEATHER: Srgb = Srgb(0x3B, 0x44, 0x5C);
/// Skin of face and neck.
pub(super) const SKIN: Srgb = Srgb(0xF0, 0xC8, 0xA4);
/// Hair of the head and the tail.
pub const HAIR: Srgb = Srgb(0x4A, 0x3F, 0x4E);
/// Both eyes, without lids.
pub(super) const EYES: Srgb = Srgb(0x24, 0x28, 0x33);
/// Cape, scarf, hair band.
pub(super) const ACCENT: Srgb = Srgb(0xFF, 0x8A, 0x3D);

impl Srgb {
    /// Returns linear RGBA, 0…1, opaque.
    pub fn linear(self) -> [f32; 4] {
        let channel = |value: u8| {
            let v = f64::from(value) / 255.0;
            let linear = if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) };
            linear as f32
        };
        [channel(self.0), channel(self.1), channel(self.2), 1.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_white_and_middle_grey_match_the_srgb_standard() {
        assert_eq!(Srgb(0, 0, 0).linear(), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(Srgb(255, 255, 255).linear(), [1.0; 4]);
        assert!((Srgb(188, 188, 188).linear()[0] - 0.503).abs() < 1e-3);
    }
}
