//! Sprite sheets with their description: the JSON of Aseprite and TexturePacker (a list of frames, or frames by name), which is
//! also what our own export writes.
//!
//! Limits: all frames have one size; frames that a packer turned are refused.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::images::{self, ImportedImages};
use super::{Fault, ImportError, file, file_name};
use crate::media::sprite_sheet::{self, Sprite};
use crate::message::message;

/// Opens the sheet that the description at `path` is of.
///
/// `fps` (frames per second) is for descriptions that tell no time. Errors when it is no description of a sheet, when its image
/// is missing, and when frames do not fit.
pub fn read(path: &Path, fps: f64, cache_bytes: usize) -> Result<ImportedImages, ImportError> {
    let text =
        file::all(path).map_err(|reason| ImportError::Unreadable { file: path.display().to_string(), reason })?;
    let description: Description = serde_json::from_slice(&text).map_err(|error| {
        let reason = format!("does not list the frames of a sprite sheet ({error})");
        Fault::new("the description", reason).in_file(path)
    })?;
    let image = description
        .image(path)
        .ok_or_else(|| Fault::new("the description", "does not name its image in \"meta\"").in_file(path))?;
    cut(path, &image, description, fps, cache_bytes)
}

/// The description beside the image at `path`, under the same name, where there is one of this image.
pub(super) fn description_beside(path: &Path) -> Option<PathBuf> {
    let beside = path.with_extension("json");
    let description: Description = serde_json::from_slice(&file::all(&beside).ok()?).ok()?;
    (description.image(&beside)?.file_name() == path.file_name()).then_some(beside)
}

fn cut(
    path: &Path,
    image: &Path,
    description: Description,
    fps: f64,
    cache_bytes: usize,
) -> Result<ImportedImages, ImportError> {
    let Description { frames: FrameList(cells), meta } = description;
    let wrong = |frame: usize, reason: String| Fault::new(format!("frame {frame}"), reason).in_file(path);
    let first = cells.first().ok_or_else(|| Fault::new("the description", "has no frames").in_file(path))?;
    let size = first.whole();
    for (frame, cell) in cells.iter().enumerate() {
        let [width, height] = cell.whole();
        if cell.rotated {
            return Err(wrong(frame, "is turned on the sheet. Export the sheet without turning frames".into()));
        }
        if [width, height] != size {
            let reason = format!("has {width} × {height} pixels but frame 0 has {} × {}", size[0], size[1]);
            return Err(wrong(frame, reason));
        }
    }
    let delays: Vec<f64> = cells.iter().filter_map(|cell| cell.duration).collect();
    let (rate, warnings) = match meta.fps {
        Some(rate) if rate.is_finite() && rate > 0.0 && rate <= 1000.0 => (rate, Vec::new()),
        _ if delays.len() == cells.len() => images::rate_of(&delays),
        _ => (
            fps,
            vec![message!(
                "warning.import.sheet_rate",
                "The sheet does not say how fast it plays; it plays at %{fps} frames per second.",
                fps
            )],
        ),
    };
    let sheet = images::still_clip(image, rate, cache_bytes)?;
    let sprites = cells.iter().map(SheetCell::sprite).collect();
    let mut clip = sprite_sheet::cut(&sheet, sprites, size)
        .map_err(|error| Fault::new("the sheet", format!("does not fit ({error})")).in_file(path))?;
    clip.name = image.file_stem().map_or_else(|| file_name(image), |stem| stem.to_string_lossy().into_owned());
    Ok(ImportedImages { clip, warnings })
}

#[derive(Deserialize)]
struct Description {
    frames: FrameList,
    #[serde(default)]
    meta: Meta,
}

#[derive(Default, Deserialize)]
struct Meta {
    image: Option<String>,
    fps: Option<f64>,
}

#[derive(Deserialize)]
struct SheetCell {
    frame: SheetRect,
    #[serde(default)]
    rotated: bool,
    /// Where the part that was not trimmed off lies in the whole frame.
    #[serde(rename = "spriteSourceSize")]
    part: Option<SheetRect>,
    /// The size of the whole frame.
    #[serde(rename = "sourceSize")]
    whole: Option<Size>,
    /// How long the frame is shown, milliseconds.
    duration: Option<f64>,
}

#[derive(Clone, Copy, Deserialize)]
struct SheetRect {
    x: u32,
    y: u32,
    w: u32,
    h: u32,
}

#[derive(Clone, Copy, Deserialize)]
struct Size {
    w: u32,
    h: u32,
}

impl Description {
    /// The image in the folder of the description at `path`; other folders are not for a description to choose.
    fn image(&self, path: &Path) -> Option<PathBuf> {
        Some(path.with_file_name(Path::new(self.meta.image.as_ref()?).file_name()?))
    }
}

impl SheetCell {
    fn whole(&self) -> [u32; 2] {
        self.whole.map_or([self.frame.w, self.frame.h], |size| [size.w, size.h])
    }

    fn sprite(&self) -> Sprite {
        let SheetRect { x, y, w, h } = self.frame;
        let offset = self.whole.and(self.part).map_or([0, 0], |part| [part.x, part.y]);
        Sprite { sheet: 0, corner: [x, y], size: [w, h], offset }
    }
}

/// Frames in the order of the file, listed or by name.
struct FrameList(Vec<SheetCell>);

impl<'de> Deserialize<'de> for FrameList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FrameListVisitor)
    }
}

struct FrameListVisitor;

impl<'de> Visitor<'de> for FrameListVisitor {
    type Value = FrameList;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of frames, or frames by name")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<FrameList, A::Error> {
        let mut cells = Vec::new();
        while let Some(cell) = list.next_element()? {
            cells.push(cell);
        }
        Ok(FrameList(cells))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FrameList, A::Error> {
        let mut cells = Vec::new();
        while let Some((_, cell)) = map.next_entry::<String, SheetCell>()? {
            cells.push(cell);
        }
        Ok(FrameList(cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::Pixels;

    /// A folder with a sheet of 6 × 4 pixels, whose pixels are x and y, and `json` beside it.
    fn folder(json: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let sheet = image::RgbaImage::from_fn(6, 4, |x, y| image::Rgba([x as u8, y as u8, 0, 255]));
        sheet.save(folder.path().join("walk.png")).unwrap();
        let path = folder.path().join("walk.json");
        std::fs::write(&path, json).unwrap();
        (folder, path)
    }

    const NAMED: &str = r#"{"frames": {
        "walk 2": {"frame": {"x": 0, "y": 0, "w": 2, "h": 2}, "duration": 100},
        "walk 10": {"frame": {"x": 4, "y": 2, "w": 1, "h": 2}, "duration": 100, "trimmed": true,
                    "spriteSourceSize": {"x": 1, "y": 0, "w": 1, "h": 2}, "sourceSize": {"w": 2, "h": 2}}},
        "meta": {"app": "http://www.aseprite.org/", "image": "walk.png"}}"#;

    #[test]
    fn frames_by_name_keep_the_order_of_the_file_and_what_was_trimmed_off() {
        let (_folder, path) = folder(NAMED);
        let clip = read(&path, 30.0, 1 << 20).unwrap().clip;
        assert_eq!((clip.info.frames, clip.info.fps, clip.info.width), (2, 10.0, 2));
        let Pixels::U8(second) = &*clip.frame(1).unwrap() else { panic!("8 bits") };
        assert_eq!(second[..], [[0; 4], [4, 2, 0, 255], [0; 4], [4, 3, 0, 255]]);
        assert_eq!(description_beside(&path.with_extension("png")), Some(path));
    }

    #[test]
    fn a_description_of_something_else_is_no_sheet() {
        for json in ["{}", r#"{"os-remap": {"Frames": 3}}"#, "[1, 2]"] {
            let (_folder, path) = folder(json);
            assert_eq!(description_beside(&path.with_extension("png")), None, "{json}");
            let refused = read(&path, 30.0, 1 << 20).unwrap_err().to_string();
            assert!(refused.contains("does not list the frames of a sprite sheet"), "{refused}");
        }
        let (_folder, path) = folder(&NAMED.replace("walk.png", "other.png"));
        assert_eq!(description_beside(&path.with_extension("png")), None);
        assert!(read(&path, 30.0, 1 << 20).unwrap_err().to_string().contains("other.png"));
    }

    #[test]
    fn frames_that_cannot_be_cut_are_named() {
        for (from, to, named) in [
            (r#""x": 4, "y": 2, "w": 1"#, r#""x": 6, "y": 2, "w": 1"#, "Frame 1 is outside"),
            (r#""sourceSize": {"w": 2"#, r#""sourceSize": {"w": 3"#, "frame 1 has 3 × 2 pixels but frame 0 has 2 × 2"),
            (r#""trimmed": true"#, r#""rotated": true"#, "frame 1 is turned"),
        ] {
            let (_folder, path) = folder(&NAMED.replace(from, to));
            let refused = read(&path, 30.0, 1 << 20).unwrap_err().to_string();
            assert!(refused.contains(named), "{refused}");
        }
    }

    #[test]
    fn no_description_leads_out_of_its_folder() {
        let (_folder, path) = folder(&NAMED.replace("walk.png", "../../walk.png"));
        assert_eq!(read(&path, 30.0, 1 << 20).unwrap().clip.info.frames, 2);
    }
}
