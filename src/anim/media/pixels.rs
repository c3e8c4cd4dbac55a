//! Pixels of one frame at one of three bit depths.

/// RGBA of one frame, rows from the top.
#[derive(Clone, Debug, PartialEq)]
pub enum Pixels {
    /// 8 bits per channel.
    U8(Vec<[u8; 4]>),
    /// 16 bits per channel.
    U16(Vec<[u16; 4]>),
    /// 32-bit float per channel; colours may exceed 1.
    F32(Vec<[f32; 4]>),
}

/// Channels of an image file. Frames in memory always have all four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Channels {
    /// One brightness, opaque.
    Grey,
    /// One brightness and alpha.
    GreyAlpha,
    /// Colour, opaque.
    Rgb,
    /// Colour and alpha.
    #[default]
    Rgba,
}

/// Bit depth of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// 8 bits per channel, 0…255 for 0…1.
    #[default]
    U8,
    /// 16 bits per channel, 0…65 535 for 0…1.
    U16,
    /// 32-bit floats, which may exceed 1.
    F32,
}

impl Depth {
    /// Returns the number of bytes of an RGBA pixel.
    pub fn bytes_per_pixel(self) -> usize {
        match self {
            Self::U8 => 4,
            Self::U16 => 8,
            Self::F32 => 16,
        }
    }
}

impl Pixels {
    /// Creates `count` transparent pixels.
    pub fn clear(depth: Depth, count: usize) -> Self {
        match depth {
            Depth::U8 => Self::U8(vec![[0; 4]; count]),
            Depth::U16 => Self::U16(vec![[0; 4]; count]),
            Depth::F32 => Self::F32(vec![[0.0; 4]; count]),
        }
    }

    /// Returns the number of pixels.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(pixels) => pixels.len(),
            Self::U16(pixels) => pixels.len(),
            Self::F32(pixels) => pixels.len(),
        }
    }

    /// True if there are no pixels.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bit depth.
    pub fn depth(&self) -> Depth {
        match self {
            Self::U8(_) => Depth::U8,
            Self::U16(_) => Depth::U16,
            Self::F32(_) => Depth::F32,
        }
    }
}
