//! KTX 2 texture files for graphics cards (Khronos, "KTX File Format Specification 2.0").
//!
//! Basis Universal is decoded. For other formats only the header is read and validated, so that a warning can name them.

use basisu::{DecodeFlags, TargetFormat, Transcoder};

/// The first bytes of a KTX 2 file.
pub(super) const MAGIC: &[u8] = b"\xABKTX 20\xBB\r\n\x1A\n";

/// Size and encoding of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Width of the largest level in pixels.
    pub width: u32,
    /// Height of the largest level in pixels.
    pub height: u32,
    /// Encoding of the pixels.
    pub packing: Packing,
}

/// Encoding of the pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// Basis Universal ETC1S: small files.
    Etc1s,
    /// Basis Universal UASTC: higher quality.
    Uastc,
    /// Another format, as its number in Vulkan's `VkFormat`.
    Format(u32),
}

impl Head {
    /// True if this module can decode the pixels.
    pub(super) fn is_decoded(&self) -> bool {
        matches!(self.packing, Packing::Etc1s | Packing::Uastc)
    }

    /// Returns the number of bytes of the largest level in blocks of 4 × 4 pixels, as UASTC stores it once supercompression
    /// is undone.
    fn level_bytes(&self) -> u64 {
        16 * u64::from(self.width.div_ceil(4)) * u64::from(self.height.div_ceil(4))
    }
}

impl Packing {
    /// Returns the name of the encoding, for messages.
    pub fn name(self) -> String {
        match self {
            Self::Etc1s => "Basis Universal ETC1S".into(),
            Self::Uastc => "Basis Universal UASTC".into(),
            Self::Format(number) => format!("VkFormat {number}"),
        }
    }
}

/// Bytes of the header before the level index.
const HEADER_BYTES: usize = 80;
/// Bytes of an entry of the level index.
const LEVEL_ENTRY_BYTES: usize = 24;
/// Offset of the colour model in the data format descriptor: after its length and the first two words of the first block.
const COLOUR_MODEL_OFFSET: usize = 12;
/// Colour models of Basis Universal (Khronos Data Format Specification).
const ETC1S: u8 = 163;
const UASTC: u8 = 166;
/// Maximum number of levels; a picture of 2³¹ pixels a side has fewer.
const MAX_LEVELS: u32 = 32;
/// Maximum number of pixels along a side. No graphics card takes more, and the byte counts cannot overflow.
const MAX_SIDE_PIXELS: u32 = 1 << 16;

/// Reads the header of the file in `bytes`.
/// Returns `Err` with what is wrong, as the rest of a sentence about the file. Cubes, arrays and volumes are errors.
pub(super) fn head(bytes: &[u8]) -> Result<Head, String> {
    let cut = || "is cut off within its head".to_owned();
    if !bytes.starts_with(MAGIC) {
        return Err("is no KTX 2 file".into());
    }
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let words = [12, 20, 24, 28, 32, 36, 40, 48].map(word);
    let [Some(format), Some(width), Some(height), Some(depth), Some(layers), Some(faces), Some(levels), Some(dfd)] =
        words
    else {
        return Err(cut());
    };
    if width == 0 || height == 0 || depth != 0 || layers > 1 || faces != 1 {
        return Err(format!("is no flat picture ({width} × {height} × {depth}, {layers} layers, {faces} faces)"));
    }
    if width.max(height) > MAX_SIDE_PIXELS {
        return Err(format!("says that it has {width} × {height} pixels"));
    }
    if levels > MAX_LEVELS {
        return Err(format!("says that it has {levels} levels"));
    }
    for level in 0..levels.max(1) as usize {
        let at = HEADER_BYTES + LEVEL_ENTRY_BYTES * level;
        let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let (offset, length) = long(at).zip(long(at + 8)).ok_or_else(cut)?;
        let end = offset.checked_add(length).filter(|&end| end <= bytes.len() as u64);
        if length == 0 || end.is_none() {
            return Err(format!("is damaged: its level {level} lies outside the file"));
        }
    }
    let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let [descriptor, key_values] = [48, 56].map(|at| Some((word(at)?.into(), word(at + 4)?.into())));
    let sections = [
        ("descriptor", descriptor),
        ("key/value data", key_values),
        ("supercompression global data", long(64).zip(long(72))),
    ];
    for (name, section) in sections {
        let (offset, length): (u64, u64) = section.ok_or_else(cut)?;
        if offset.checked_add(length).is_none_or(|end| end > bytes.len() as u64) {
            return Err(format!("is damaged: its {name} lies outside the file"));
        }
    }
    let model = usize::try_from(dfd).ok().and_then(|dfd| bytes.get(dfd.checked_add(COLOUR_MODEL_OFFSET)?));
    let packing = match *model.ok_or_else(cut)? {
        ETC1S => Packing::Etc1s,
        UASTC => Packing::Uastc,
        _ => Packing::Format(format),
    };
    Ok(Head { width, height, packing })
}

/// Decodes the largest level to red, green, blue and alpha, rows from the top. Returns `Err` as [`head`] does.
pub(super) fn decoded(bytes: &[u8], head: &Head) -> Result<Vec<u8>, String> {
    let unpacked = bytes
        .get(HEADER_BYTES + 16..HEADER_BYTES + 24)
        .and_then(|length| length.try_into().ok())
        .map(u64::from_le_bytes);
    // BasisLZ (ETC1S) stores no uncompressed length, so only UASTC can be checked.
    if head.packing == Packing::Uastc && unpacked != Some(head.level_bytes()) {
        return Err("is damaged: its level 0 has the wrong number of bytes for its size".into());
    }
    let fault = |error: basisu::Error| format!("could not be decoded ({error:?})");
    let texture = Transcoder::new(bytes).map_err(fault)?;
    texture.transcode(0, TargetFormat::Rgba32, DecodeFlags::NONE).map_err(fault)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    #[test]
    fn basis_universal_decodes_as_its_reference_decoder_does() {
        for (name, packing) in [("etc1s", Packing::Etc1s), ("uastc", Packing::Uastc)] {
            let file = std::fs::read(portamento_test_support::fixture(&format!("textures/{name}.ktx2"))).unwrap();
            let head = head(&file).unwrap();
            assert_eq!(head, Head { width: 40, height: 24, packing });
            let expected =
                image::open(portamento_test_support::fixture(&format!("textures/{name}.png"))).unwrap().into_rgba8();
            assert!(decoded(&file, &head).unwrap() == expected.into_raw(), "{name}");
            let mut longer = file.clone();
            longer[HEADER_BYTES + 20] = 1;
            assert!(
                packing == Packing::Etc1s || decoded(&longer, &head).is_err(),
                "no room is made for what is not there"
            );
        }
    }

    /// Returns a file of one level of 16 bytes: header, level index, descriptor and level.
    pub fn small(model: u8) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        // VkFormat 0, type size 1, 8 × 4 pixels, one face, one level, no supercompression.
        for number in [0_u32, 1, 8, 4, 0, 0, 1, 1, 0] {
            bytes.extend(number.to_le_bytes());
        }
        let (descriptor, level) =
            ((HEADER_BYTES + LEVEL_ENTRY_BYTES) as u32, (HEADER_BYTES + LEVEL_ENTRY_BYTES + 44) as u64);
        for number in [descriptor, 44, 0, 0, 0, 0, 0, 0] {
            bytes.extend(number.to_le_bytes());
        }
        [level, 16, 16].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        let mut block = [0_u8; 44];
        (block[0], block[8], block[10], block[12]) = (44, 2, 40, model);
        bytes.extend(block);
        bytes.extend([7; 16]);
        bytes
    }

    /// Supercompression schemes of KTX 2.
    #[derive(Clone, Copy)]
    pub enum Supercompression {
        BasisLz = 1,
        Zstd = 2,
    }

    /// Returns a supercompressed file of three levels with key/value data and, for BasisLZ, global data.
    pub fn packed(scheme: Supercompression) -> Vec<u8> {
        const LEVELS: usize = 3;
        let is_shared = matches!(scheme, Supercompression::BasisLz);
        let descriptor = HEADER_BYTES + LEVEL_ENTRY_BYTES * LEVELS;
        let notes = descriptor + 44;
        let text = b"\x12\0\0\0KTXorientation\0rd\0\0\0";
        let shared = notes + text.len();
        let part: Vec<u8> = (0..if is_shared { 20 + 4 * 5 * LEVELS } else { 0 }).map(|i| (37 * i) as u8).collect();
        let level = |size: usize| {
            let body = (0..size).map(|i| (31 * i) as u8);
            // A Zstandard frame of one block that is not packed: its mark, its size, and the block's head.
            let block = ((size as u32) << 3 | 1).to_le_bytes();
            let frame = [&[0x28, 0xB5, 0x2F, 0xFD, 0x20, size as u8][..], &block[..3]].concat();
            if is_shared { body.collect() } else { frame.into_iter().chain(body).collect::<Vec<u8>>() }
        };
        let levels = [128, 32, 16].map(level);
        let mut bytes = small(if is_shared { ETC1S } else { UASTC });
        let block = bytes[HEADER_BYTES + LEVEL_ENTRY_BYTES..][..44].to_vec();
        bytes.truncate(HEADER_BYTES);
        let words = [(40, LEVELS), (44, scheme as usize), (48, descriptor), (52, 44), (56, notes), (60, text.len())];
        let shared_words = [(64, if is_shared { shared } else { 0 }), (72, part.len())];
        for (at, number) in words.into_iter().chain(shared_words) {
            bytes[at..at + 4].copy_from_slice(&(number as u32).to_le_bytes());
        }
        let mut at = shared + part.len();
        for (packed, file) in levels.iter().zip([128_u64, 32, 16]) {
            [at as u64, packed.len() as u64, file].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            at += packed.len();
        }
        [&bytes[..], &block, text, &part, &levels.concat()].concat()
    }

    #[test]
    fn the_header_is_read_regardless_of_supercompression() {
        for (scheme, packing) in [(Supercompression::BasisLz, Packing::Etc1s), (Supercompression::Zstd, Packing::Uastc)]
        {
            let file = packed(scheme);
            assert_eq!(head(&file), Ok(Head { width: 8, height: 4, packing }));
            (0..file.len()).for_each(|length| drop(head(&file[..length]).unwrap_err()));
        }
    }

    #[test]
    fn the_header_gives_size_and_packing() {
        let of = |model| head(&small(model)).unwrap();
        assert_eq!(of(ETC1S), Head { width: 8, height: 4, packing: Packing::Etc1s });
        assert_eq!(of(UASTC).packing.name(), "Basis Universal UASTC");
        assert_eq!(of(1).packing, Packing::Format(0));
    }

    #[test]
    fn damage_is_reported_and_every_truncated_file_is_refused() {
        let file = small(ETC1S);
        for length in 0..file.len() {
            head(&file[..length]).unwrap_err();
        }
        let with = |at: usize, number: u32| {
            let mut bytes = file.clone();
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
            head(&bytes).unwrap_err()
        };
        assert_eq!(with(20, 0), "is no flat picture (0 × 4 × 0, 0 layers, 1 faces)");
        assert_eq!(with(36, 6), "is no flat picture (8 × 4 × 0, 0 layers, 6 faces)");
        assert_eq!(with(24, 1 << 31), "says that it has 8 × 2147483648 pixels");
        assert_eq!(with(40, u32::MAX), "says that it has 4294967295 levels");
        assert_eq!(with(HEADER_BYTES + 12, u32::MAX), "is damaged: its level 0 lies outside the file");
        assert_eq!(with(48, u32::MAX), "is damaged: its descriptor lies outside the file");
        assert_eq!(with(60, 1000), "is damaged: its key/value data lies outside the file");
        assert_eq!(with(72, 1000), "is damaged: its supercompression global data lies outside the file");
    }
}
