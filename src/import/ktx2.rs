//! A KTX 2 file: a texture made for graphics cards (Khronos, "KTX File Format Specification 2.0").
//!
//! Basis Universal is unpacked. Of other packings, which are for one kind of card, only the head is read, so that what is shown in their
//! place can say what they are, and so that a damaged file is told as such, not as a sound one.

use basisu::{DecodeFlags, TargetFormat, Transcoder};

/// How a KTX 2 file begins.
pub(super) const MAGIC: &[u8] = b"\xABKTX 20\xBB\r\n\x1A\n";

/// What a texture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Pixels of the largest level.
    pub width: u32,
    /// Pixels of the largest level.
    pub height: u32,
    /// How the pixels are packed.
    pub packing: Packing,
}

/// How pixels are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// Basis Universal, small files.
    Etc1s,
    /// Basis Universal, better pictures.
    Uastc,
    /// As one kind of graphics card takes them: a number of Vulkan's `VkFormat`.
    Format(u32),
}

impl Head {
    /// Whether its pixels are unpacked here.
    pub(super) fn is_decoded(&self) -> bool {
        matches!(self.packing, Packing::Etc1s | Packing::Uastc)
    }

    /// Bytes that the largest level has when it is no longer packed once more.
    fn level_bytes(&self) -> u64 {
        16 * u64::from(self.width.div_ceil(4)) * u64::from(self.height.div_ceil(4))
    }
}

impl Packing {
    /// What it is called.
    pub fn name(self) -> String {
        match self {
            Self::Etc1s => "Basis Universal ETC1S".into(),
            Self::Uastc => "Basis Universal UASTC".into(),
            Self::Format(number) => format!("VkFormat {number}"),
        }
    }
}

/// Bytes of the head before the index of levels, and of an entry there.
const HEAD: usize = 80;
const LEVEL: usize = 24;
/// Where the data format descriptor names its colour model: behind its length and the first block's two words of head.
const COLOUR_MODEL: usize = 12;
/// Colour models of Basis Universal (Khronos Data Format Specification).
const ETC1S: u8 = 163;
const UASTC: u8 = 166;
/// More levels than a picture of 2³¹ pixels has.
const MOST_LEVELS: u32 = 32;
/// Pixels along a side that no graphics card takes; sizes within it can be reckoned with.
const LONGEST_SIDE: u32 = 1 << 16;

/// The head of the file in `bytes`. Errors with what is wrong, as the rest of a sentence about the file.
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
    if width.max(height) > LONGEST_SIDE {
        return Err(format!("says that it has {width} × {height} pixels"));
    }
    if levels > MOST_LEVELS {
        return Err(format!("says that it has {levels} levels"));
    }
    for level in 0..levels.max(1) as usize {
        let at = HEAD + LEVEL * level;
        let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let (offset, length) = long(at).zip(long(at + 8)).ok_or_else(cut)?;
        let end = offset.checked_add(length).filter(|&end| end <= bytes.len() as u64);
        if length == 0 || end.is_none() {
            return Err(format!("is damaged: its level {level} lies outside the file"));
        }
    }
    let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let [descriptor, pairs] = [48, 56].map(|at| Some((word(at)?.into(), word(at + 4)?.into())));
    let sections = [("descriptor", descriptor), ("list of notes", pairs), ("shared part", long(64).zip(long(72)))];
    for (name, section) in sections {
        let (offset, length): (u64, u64) = section.ok_or_else(cut)?;
        if offset.checked_add(length).is_none_or(|end| end > bytes.len() as u64) {
            return Err(format!("is damaged: its {name} lies outside the file"));
        }
    }
    let model = usize::try_from(dfd).ok().and_then(|dfd| bytes.get(dfd.checked_add(COLOUR_MODEL)?));
    let packing = match *model.ok_or_else(cut)? {
        ETC1S => Packing::Etc1s,
        UASTC => Packing::Uastc,
        _ => Packing::Format(format),
    };
    Ok(Head { width, height, packing })
}

/// The pixels of the largest level of a file with that head: red, green, blue and alpha, rows from the top. Errors as [`head`] does.
pub(super) fn decoded(bytes: &[u8], head: &Head) -> Result<Vec<u8>, String> {
    let unpacked = bytes.get(HEAD + 16..HEAD + 24).and_then(|length| length.try_into().ok()).map(u64::from_le_bytes);
    // What is shared by all levels is packed differently, and no length is said there.
    if head.packing == Packing::Uastc && unpacked != Some(head.level_bytes()) {
        return Err("is damaged: its level 0 does not have as many bytes as its size asks for".into());
    }
    let fault = |error: basisu::Error| format!("could not be decoded ({error:?})");
    let texture = Transcoder::new(bytes).map_err(fault)?;
    texture.transcode(0, TargetFormat::Rgba32, DecodeFlags::NONE).map_err(fault)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[test]
    fn basis_universal_shows_what_its_makers_own_decoder_shows() {
        for (name, packing) in [("etc1s", Packing::Etc1s), ("uastc", Packing::Uastc)] {
            let file = std::fs::read(crate::support::fixture(&format!("textures/{name}.ktx2"))).unwrap();
            let head = head(&file).unwrap();
            assert_eq!(head, Head { width: 40, height: 24, packing });
            let expected = image::open(crate::support::fixture(&format!("textures/{name}.png"))).unwrap().into_rgba8();
            assert!(decoded(&file, &head).unwrap() == expected.into_raw(), "{name}");
            let mut longer = file.clone();
            longer[HEAD + 20] = 1;
            assert!(
                packing == Packing::Etc1s || decoded(&longer, &head).is_err(),
                "no room is made for what is not there"
            );
        }
    }

    /// A file of one level of 16 bytes, and its index of levels, descriptor and level behind one another.
    pub(crate) fn small(model: u8) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        // No format of Vulkan's, one byte at a time, 8 × 4 pixels, one face, one level, not compressed further.
        for number in [0_u32, 1, 8, 4, 0, 0, 1, 1, 0] {
            bytes.extend(number.to_le_bytes());
        }
        let (descriptor, level) = ((HEAD + LEVEL) as u32, (HEAD + LEVEL + 44) as u64);
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

    /// How levels are packed once more: by what Basis Universal shares between them, or each by Zstandard.
    #[derive(Clone, Copy)]
    pub(crate) enum Supercompression {
        BasisLz = 1,
        Zstd = 2,
    }

    /// A file of three levels that are packed once more, with notes and, for BasisLZ, what the levels share.
    pub(crate) fn packed(scheme: Supercompression) -> Vec<u8> {
        const LEVELS: usize = 3;
        let is_shared = matches!(scheme, Supercompression::BasisLz);
        let descriptor = HEAD + LEVEL * LEVELS;
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
        let block = bytes[HEAD + LEVEL..][..44].to_vec();
        bytes.truncate(HEAD);
        let words = [(40, LEVELS), (44, scheme as usize), (48, descriptor), (52, 44), (56, notes), (60, text.len())];
        let shared_words = [(64, if is_shared { shared } else { 0 }), (72, part.len())];
        for (at, number) in words.into_iter().chain(shared_words) {
            bytes[at..at + 4].copy_from_slice(&(number as u32).to_le_bytes());
        }
        let mut at = shared + part.len();
        for (packed, whole) in levels.iter().zip([128_u64, 32, 16]) {
            [at as u64, packed.len() as u64, whole].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            at += packed.len();
        }
        [&bytes[..], &block, text, &part, &levels.concat()].concat()
    }

    #[test]
    fn what_levels_share_and_how_they_are_packed_again_does_not_matter_to_the_head() {
        for (scheme, packing) in [(Supercompression::BasisLz, Packing::Etc1s), (Supercompression::Zstd, Packing::Uastc)]
        {
            let whole = packed(scheme);
            assert_eq!(head(&whole), Ok(Head { width: 8, height: 4, packing }));
            (0..whole.len()).for_each(|length| drop(head(&whole[..length]).unwrap_err()));
        }
    }

    #[test]
    fn the_head_tells_size_and_packing() {
        let of = |model| head(&small(model)).unwrap();
        assert_eq!(of(ETC1S), Head { width: 8, height: 4, packing: Packing::Etc1s });
        assert_eq!(of(UASTC).packing.name(), "Basis Universal UASTC");
        assert_eq!(of(1).packing, Packing::Format(0));
    }

    #[test]
    fn damage_is_told_and_every_cut_is_refused() {
        let whole = small(ETC1S);
        for length in 0..whole.len() {
            head(&whole[..length]).unwrap_err();
        }
        let with = |at: usize, number: u32| {
            let mut bytes = whole.clone();
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
            head(&bytes).unwrap_err()
        };
        assert_eq!(with(20, 0), "is no flat picture (0 × 4 × 0, 0 layers, 1 faces)");
        assert_eq!(with(36, 6), "is no flat picture (8 × 4 × 0, 0 layers, 6 faces)");
        assert_eq!(with(24, 1 << 31), "says that it has 8 × 2147483648 pixels");
        assert_eq!(with(40, u32::MAX), "says that it has 4294967295 levels");
        assert_eq!(with(HEAD + 12, u32::MAX), "is damaged: its level 0 lies outside the file");
        assert_eq!(with(48, u32::MAX), "is damaged: its descriptor lies outside the file");
        assert_eq!(with(60, 1000), "is damaged: its list of notes lies outside the file");
        assert_eq!(with(72, 1000), "is damaged: its shared part lies outside the file");
    }
}
