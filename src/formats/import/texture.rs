//! Decodes textures in parallel, within a memory limit for all of them together.

use std::borrow::Cow;
use std::io::Cursor;
use std::path::Path;

use image::ImageDecoder as _;
use rayon::prelude::*;

use super::{Fault, ktx2};
use portamento_anim::geometry::{Material, Texture};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;
use portamento_base::system_reason::system_reason;

/// Memory limit of all decoded images together, in bytes. Images beyond it are left out. Tuned; no derivation recorded.
const MAX_DECODED_BYTES: u64 = 384 << 20;

/// Maximum number of bytes read from an image file. The decoder reports a longer file as damaged. Tuned; no derivation recorded.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The colour shown for a KTX 2 file that is not Basis Universal: its pixels are in a format of graphics cards.
const GREY: [u8; 4] = [128, 128, 128, 255];

/// The bytes of an encoded image file.
pub(super) struct ImageFile<'a> {
    /// Name of the image in messages, such as `image 3`.
    pub name: String,
    pub bytes: Cow<'a, [u8]>,
}

/// Memory limit of one decoded texture, in bytes. Tuned; no derivation recorded.
const MAX_TEXTURE_BYTES: u64 = 256 << 20;

/// Returns the limits of a decoded texture: [`MAX_TEXTURE_BYTES`] of memory, with any width and height.
fn limits() -> image::Limits {
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(MAX_TEXTURE_BYTES);
    limits
}

impl ImageFile<'_> {
    /// Reads the image at `path`, which messages call `name`. Returns `Err` if it cannot be read.
    pub fn at(path: &Path, name: String) -> Result<Self, Fault> {
        match super::file::beginning(path, MAX_FILE_BYTES) {
            Ok(bytes) => Ok(Self { name, bytes: Cow::Owned(bytes) }),
            Err(reason) => {
                let file = super::file_name(path);
                Err(Fault::new(name, format!("(\"{file}\") could not be read ({})", system_reason(&reason))))
            }
        }
    }

    /// Returns a reader of the image with limits on its size. Returns `Err` if its bytes cannot be read.
    fn reader(&self) -> Result<image::ImageReader<Cursor<&[u8]>>, Fault> {
        let mut reader = image::ImageReader::new(Cursor::new(&*self.bytes))
            .with_guessed_format()
            .map_err(|error| self.fault(format!("could not be read ({error})")))?;
        reader.limits(limits());
        Ok(reader)
    }

    /// Returns the number of bytes of the decoded pixels. Returns `Err` if the header cannot be read.
    fn pixel_bytes(&self) -> Result<u64, Fault> {
        if self.is_ktx2() {
            let head = ktx2::head(&self.bytes).map_err(|reason| self.fault(reason))?;
            let pixels = u64::from(head.width) * u64::from(head.height);
            return Ok(if head.is_decoded() { 4 * pixels } else { GREY.len() as u64 });
        }
        let size = self.reader()?.into_dimensions();
        let (width, height) = size.map_err(|error| self.fault(format!("could not be read ({error})")))?;
        Ok((u64::from(width) * u64::from(height)).saturating_mul(4))
    }

    fn is_ktx2(&self) -> bool {
        self.bytes.starts_with(ktx2::MAGIC)
    }

    /// Decodes the image to 8-bit RGBA. Returns `Err` if it is damaged or exceeds the memory limit.
    fn decoded(&self) -> Result<Texture, Fault> {
        if self.is_ktx2() {
            return self.decoded_ktx2().map_err(|reason| self.fault(reason));
        }
        let mut reader = self.reader()?;
        super::images::limit_chunks(&mut reader);
        let decoded = reader.into_decoder().and_then(|decoder| {
            limits().reserve(decoder.total_bytes())?;
            image::DynamicImage::from_decoder(decoder)
        });
        let rgba = decoded.map_err(|error| self.fault(format!("could not be decoded ({error})")))?.into_rgba8();
        Ok(Texture { width: rgba.width(), height: rgba.height(), rgba: rgba.into_raw() })
    }

    /// Decodes a KTX2 image. A packing that cannot be decoded gives one grey pixel.
    fn decoded_ktx2(&self) -> Result<Texture, String> {
        let head = ktx2::head(&self.bytes)?;
        if !head.is_decoded() {
            return Ok(Texture { width: 1, height: 1, rgba: GREY.to_vec() });
        }
        let ktx2::Head { width, height, .. } = head;
        Ok(Texture { width, height, rgba: ktx2::decoded(&self.bytes, &head)? })
    }

    /// Returns a fault that names the texture.
    fn fault(&self, reason: String) -> Fault {
        Fault::new(self.name.as_str(), reason)
    }
}

/// Colour of a surface whose image is missing: a neutral grey, since white would look burnt out.
const MISSING_IMAGE_COLOR: [f32; 3] = [0.5; 3];

/// The images that a material names before they are decoded.
pub(super) struct NamedMaps {
    color: bool,
    emissive: bool,
}

impl NamedMaps {
    /// Returns the images that `material` names.
    pub fn of(material: &Material) -> Self {
        Self { color: material.maps.color.is_some(), emissive: material.maps.emissive.is_some() }
    }

    /// Gives a material neutral values for those of its named images that cannot be shown.
    pub fn replace_missing(&self, material: &mut Material) {
        if self.color && material.maps.color.is_none() {
            material.base_color[..3].copy_from_slice(&MISSING_IMAGE_COLOR);
        }
        if self.emissive && material.maps.emissive.is_none() {
            material.emissive = [0.0; 3];
        }
    }
}

/// Decodes `files`.
/// Returns the textures that can be shown and, for each file, its index among them.
/// Adds a warning for every other file, and for every file that is shown in grey. Stops decoding once `progress` is
/// cancelled. The order is that of `files`; `None` stands for a file that is not shown.
pub(super) fn decode_all(
    files: Vec<Result<ImageFile<'_>, Fault>>,
    progress: &Progress,
    warnings: &mut Vec<Message>,
) -> (Vec<Texture>, Vec<Option<usize>>) {
    let mut left = MAX_DECODED_BYTES;
    let mut fits = |file: &ImageFile| {
        let size = file.pixel_bytes()?;
        left = left.checked_sub(size).ok_or_else(|| file.fault("is too large".into()))?;
        Ok(())
    };
    for file in files.iter().flatten().filter(|file| file.is_ktx2()) {
        let Ok(head) = ktx2::head(&file.bytes) else { continue };
        if head.is_decoded() {
            continue;
        }
        warnings.push(message!(
            "warning.import.ktx2",
            "%{image} is shown in grey: it is a KTX 2 texture for graphics cards, %{width} × %{height} pixels (%{packing}). Export writes it back unchanged.",
            image = &file.name,
            width = head.width as usize,
            height = head.height as usize,
            packing = head.packing.name(),
        ));
    }
    let files: Vec<_> = files.into_iter().map(|file| file.and_then(|file| fits(&file).map(|()| file))).collect();
    let decode = |file: ImageFile| match progress.step(0, 1) {
        Ok(()) => file.decoded(),
        Err(_) => Err(file.fault("was not decoded because the import was cancelled".into())),
    };
    let decoded: Vec<Result<Texture, Fault>> = files.into_par_iter().map(|file| file.and_then(decode)).collect();
    let mut textures = Vec::new();
    let texture_of_file = decoded.into_iter().map(|texture| match texture {
        Ok(texture) => {
            textures.push(texture);
            Some(textures.len() - 1)
        }
        Err(fault) => {
            warnings.push(message!("warning.import.image_not_shown", "An image is not shown: %{fault}.", fault));
            None
        }
    });
    let texture_of_file = texture_of_file.collect();
    (textures, texture_of_file)
}
