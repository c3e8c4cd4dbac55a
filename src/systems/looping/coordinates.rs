//! Pixels as numbers to be measured and stretched.

use crate::media::Pixels;

/// A pixel as four numbers in its own scale.
pub(super) trait Coordinates: Copy {
    const NOTHING: Self;
    fn coordinates(self) -> [f32; 4];
    fn from_coordinates(value: [f32; 4]) -> Self;
}

impl Coordinates for [u8; 4] {
    const NOTHING: Self = [0; 4];

    fn coordinates(self) -> [f32; 4] {
        self.map(f32::from)
    }

    fn from_coordinates(value: [f32; 4]) -> Self {
        value.map(|channel| channel.round_ties_even() as u8)
    }
}

impl Coordinates for [u16; 4] {
    const NOTHING: Self = [0; 4];

    fn coordinates(self) -> [f32; 4] {
        self.map(f32::from)
    }

    fn from_coordinates(value: [f32; 4]) -> Self {
        value.map(|channel| channel.round_ties_even() as u16)
    }
}

impl Coordinates for [f32; 4] {
    const NOTHING: Self = [0.0; 4];

    fn coordinates(self) -> [f32; 4] {
        self
    }

    fn from_coordinates(value: [f32; 4]) -> Self {
        value
    }
}

/// Every `every`-th pixel of `frame` as numbers in its own scale.
pub(super) fn coordinates_of(frame: &Pixels, every: usize, out: &mut Vec<[f32; 4]>) {
    out.clear();
    match frame {
        Pixels::U8(pixels) => out.extend(pixels.iter().step_by(every).map(|pixel| pixel.coordinates())),
        Pixels::U16(pixels) => out.extend(pixels.iter().step_by(every).map(|pixel| pixel.coordinates())),
        Pixels::F32(pixels) => out.extend(pixels.iter().step_by(every)),
    }
}
