//! Sprite sheets described by the JSON of Aseprite and TexturePacker: a list of frames, or frames by name.
//! Portamento's own export writes the same format. The tags of Aseprite are animations of their own.
//!
//! Limits: all frames must have the same size, and frames rotated by the packer are refused.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::images::{self, ImportedImages};
use super::{Fault, ImportError, file, file_name};
use portamento_anim::media::image_clip::FrameTag;
use portamento_anim::media::sprite_sheet::{self, Sprite};
use portamento_base::message::message;

/// Opens the sheet that the description at `path` belongs to.
///
/// `fps` (frames per second) is used if the description gives no time.
/// Returns `Err` if it does not describe a sheet, if the image is missing, or if frames do not fit. `cache_bytes` limits
/// the decoded frames in memory. A sheet with tags gives one animation per tag.
pub fn read(path: &Path, fps: f64, cache_bytes: usize) -> Result<ImportedImages, ImportError> {
    let text =
        file::all(path).map_err(|reason| ImportError::Unreadable { file: path.display().to_string(), reason })?;
    let description: Description = portamento_base::json::parse(&text).map_err(|error| {
        let reason = format!("does not list the frames of a sprite sheet ({error})");
        Fault::new("the description", reason).in_file(path)
    })?;
    let image = description
        .image(path)
        .ok_or_else(|| Fault::new("the description", "does not name its image in \"meta\"").in_file(path))?;
    cut(path, &image, description, fps, cache_bytes)
}

/// Returns the description with the same name as the image at `path`, if there is one that names this image.
pub(super) fn find_description(path: &Path) -> Option<PathBuf> {
    let description_path = path.with_extension("json");
    let description: Description = portamento_base::json::parse(&file::all(&description_path).ok()?).ok()?;
    (description.image(&description_path)?.file_name() == path.file_name()).then_some(description_path)
}

/// Cuts the sheet at `image` into the frames of `description`, the file at `path`. `fps` (frames per second) is used if the
/// description gives no time.
///
/// Returns `Err` if there are no frames, if one is rotated or has another size than the first, or if one lies outside the
/// sheet.
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
    let size = first.full_size();
    for (frame, cell) in cells.iter().enumerate() {
        let [width, height] = cell.full_size();
        if cell.rotated {
            return Err(wrong(frame, "is rotated on the sheet. Export the sheet without rotating frames".into()));
        }
        if [width, height] != size {
            let reason = format!("has {width} × {height} pixels but frame 0 has {} × {}", size[0], size[1]);
            return Err(wrong(frame, reason));
        }
    }
    let delays: Vec<f64> = cells.iter().filter_map(|cell| cell.duration).collect();
    let mut guesses = Vec::new();
    let (rate, mut warnings) = match meta.fps {
        Some(rate) if rate.is_finite() && rate > 0.0 && rate <= 1000.0 => (rate, Vec::new()),
        _ if delays.len() == cells.len() => images::rate_of(&delays),
        _ => {
            guesses.push(
                message!(
                    "warning.import.sheet_rate",
                    "The sheet does not say how fast it plays; it plays at %{fps} frames per second.",
                    fps
                )
                .harmless(),
            );
            (fps, Vec::new())
        }
    };
    let sheet = images::still_clip(image, rate, cache_bytes)?;
    images::check_cut(image, size, sheet.info.depth).map_err(|reason| wrong(0, reason))?;
    let sprites = cells.iter().map(SheetCell::sprite).collect();
    let mut clip = sprite_sheet::cut(&sheet, sprites, size)
        .map_err(|error| Fault::new("the sheet", format!("does not fit ({error})")).in_file(path))?;
    let tags: Vec<FrameTag> = meta.tags.iter().filter_map(|tag| tag.read(&cells, rate, meta.fps.is_some())).collect();
    let is_one_animation = tags.len() == 1 && tags[0].frames.iter().copied().eq(0..cells.len());
    if !tags.is_empty() && !is_one_animation {
        // The animations may differ in their frame times, which is no loss.
        warnings.clear();
        guesses.clear();
        warnings.push(message!(
            "warning.import.sheet_tags",
            "The sheet holds %{count} %{count|animation|animations}: %{names}. Each is a clip of its own; the first is shown.",
            count = tags.len(),
            names = tags.iter().map(|tag| tag.name.as_str()).collect::<Vec<_>>().join(", ")
        ).harmless());
        let uneven =
            meta.tags.iter().filter_map(|tag| tag.delays(&cells)).flat_map(|delays| images::rate_of(&delays).1);
        warnings.extend(uneven.take(1));
    }
    clip.tags = tags.into();
    clip.name = image.file_stem().map_or_else(|| file_name(image), |stem| stem.to_string_lossy().into_owned());
    Ok(ImportedImages { clip, warnings, guesses })
}

/// The description of a sheet, as packing programs write it.
#[derive(Deserialize)]
struct Description {
    frames: FrameList,
    #[serde(default)]
    meta: Meta,
}

/// Data about a sheet: its image, its rate in frames per second and its ranges of frames.
#[derive(Default, Deserialize)]
struct Meta {
    image: Option<String>,
    fps: Option<f64>,
    #[serde(default, rename = "frameTags")]
    tags: Vec<SheetTag>,
}

/// A named range of frames, as Aseprite writes it.
#[derive(Deserialize)]
struct SheetTag {
    #[serde(default)]
    name: String,
    /// First frame, from 0.
    from: usize,
    /// Last frame, included.
    to: usize,
    /// `forward`, `reverse`, `pingpong` or `pingpong_reverse`.
    #[serde(default)]
    direction: String,
}

impl SheetTag {
    /// Returns the frames in the order of play, of the `count` frames of the sheet; empty if the sheet has no such frames.
    fn frames(&self, count: usize) -> Vec<usize> {
        let forward: Vec<usize> = (self.from..=self.to.min(count.saturating_sub(1))).collect();
        let reverse = || forward.iter().rev().copied();
        // Both ends are shown once in each round.
        let inner = || forward.iter().copied().skip(1).take(forward.len().saturating_sub(2));
        match self.direction.as_str() {
            "reverse" => reverse().collect(),
            "pingpong" => forward.iter().copied().chain(inner().rev()).collect(),
            "pingpong_reverse" => reverse().chain(inner()).collect(),
            _ => forward,
        }
    }

    /// Returns the display times in milliseconds; `None` if a frame has none or there are no frames.
    fn delays(&self, cells: &[SheetCell]) -> Option<Vec<f64>> {
        let delays: Vec<f64> =
            self.frames(cells.len()).into_iter().map(|frame| cells[frame].duration).collect::<Option<_>>()?;
        (!delays.is_empty()).then_some(delays)
    }

    /// Returns the tag; `None` without a name or frames. `fps` is the rate of the sheet in frames per second. Frames with
    /// display times override it unless `is_fixed`.
    fn read(&self, cells: &[SheetCell], fps: f64, is_fixed: bool) -> Option<FrameTag> {
        let frames = self.frames(cells.len());
        let delays = self.delays(cells).filter(|_| !is_fixed);
        let fps = delays.map_or(fps, |delays| images::rate_of(&delays).0);
        (!frames.is_empty() && !self.name.is_empty()).then(|| FrameTag { name: self.name.clone(), frames, fps })
    }
}

/// A frame of a sheet.
#[derive(Deserialize)]
struct SheetCell {
    frame: SheetRect,
    #[serde(default)]
    rotated: bool,
    /// Position of the trimmed part within the full frame.
    #[serde(rename = "spriteSourceSize")]
    trimmed: Option<SheetRect>,
    /// Size of the full frame before trimming.
    #[serde(rename = "sourceSize")]
    source_size: Option<Size>,
    /// Display time of the frame in milliseconds.
    duration: Option<f64>,
}

/// A rectangle, pixels from the upper left corner.
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
    /// Returns the path of the image in the folder of the description at `path`. Other folders are ignored for safety.
    /// `None` if the description names no image.
    fn image(&self, path: &Path) -> Option<PathBuf> {
        Some(path.with_file_name(Path::new(self.meta.image.as_ref()?).file_name()?))
    }
}

impl SheetCell {
    /// Returns width and height of the frame before the packer trimmed it, pixels.
    fn full_size(&self) -> [u32; 2] {
        self.source_size.map_or([self.frame.w, self.frame.h], |size| [size.w, size.h])
    }

    /// Returns the rectangle of the frame on the sheet and its offset within the full size.
    fn sprite(&self) -> Sprite {
        let SheetRect { x, y, w, h } = self.frame;
        let offset = self.source_size.and(self.trimmed).map_or([0, 0], |part| [part.x, part.y]);
        Sprite { sheet: 0, corner: [x, y], size: [w, h], offset }
    }
}

/// Frames in the order of the file, from a list or from a map by name.
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
    use portamento_anim::media::Pixels;

    /// Returns a folder with a sheet of 6 × 4 pixels, whose colours are x and y, and `json` as its description.
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
    fn frames_by_name_keep_the_order_of_the_file_and_their_trimmed_margins() {
        let (_folder, path) = folder(NAMED);
        let clip = read(&path, 30.0, 1 << 20).unwrap().clip;
        assert_eq!((clip.info.frames, clip.info.fps, clip.info.width), (2, 10.0, 2));
        let Pixels::U8(second) = &*clip.frame(1).unwrap() else { panic!("8 bits") };
        assert_eq!(second[..], [[0; 4], [4, 2, 0, 255], [0; 4], [4, 3, 0, 255]]);
        assert_eq!(find_description(&path.with_extension("png")), Some(path));
    }

    #[test]
    fn tags_are_clips_with_their_own_frames_and_rate() {
        let cell = |x: u32, y: u32, milliseconds: u32| {
            format!(r#"{{"frame": {{"x": {x}, "y": {y}, "w": 2, "h": 2}}, "duration": {milliseconds}}}"#)
        };
        let cells = [cell(0, 0, 100), cell(2, 0, 100), cell(4, 0, 50), cell(0, 2, 50), cell(2, 2, 50), cell(4, 2, 50)];
        let tag = |name: &str, from: usize, to: usize, direction: &str| {
            format!(r#"{{"name": "{name}", "from": {from}, "to": {to}, "direction": "{direction}"}}"#)
        };
        let tags = [
            tag("idle", 0, 1, "forward"),
            tag("walk", 2, 5, "forward"),
            tag("back", 2, 5, "reverse"),
            tag("sway", 2, 5, "pingpong"),
            tag("yaws", 2, 5, "pingpong_reverse"),
            tag("one", 3, 3, "pingpong"),
            tag("two", 3, 4, "pingpong"),
            tag("none", 9, 9, "forward"),
        ];
        let json = format!(
            r#"{{"frames": [{}], "meta": {{"image": "walk.png", "frameTags": [{}]}}}}"#,
            cells.join(","),
            tags.join(",")
        );
        let (_folder, path) = folder(&json);
        let ImportedImages { clip, warnings, .. } = read(&path, 30.0, 1 << 20).unwrap();
        assert!(warnings.len() == 1 && warnings[0].to_string().contains("idle, walk, back"), "{warnings:?}");
        for (name, frames, fps) in [
            ("idle", vec![0, 1], 10.0),
            ("walk", vec![2, 3, 4, 5], 20.0),
            ("back", vec![5, 4, 3, 2], 20.0),
            ("sway", vec![2, 3, 4, 5, 4, 3], 20.0),
            ("yaws", vec![5, 4, 3, 2, 3, 4], 20.0),
            ("one", vec![3], 20.0),
            ("two", vec![3, 4], 20.0),
        ] {
            let tagged = clip.tagged(name).unwrap();
            assert_eq!((tagged.info.frames, tagged.info.fps), (frames.len(), fps), "{name}");
            let equals = |(index, frame): (usize, &usize)| tagged.frame(index).unwrap() == clip.frame(*frame).unwrap();
            assert!(frames.iter().enumerate().all(equals), "{name}");
        }
        assert!(clip.tagged("none").is_none() && clip.tagged("run").is_none());
    }

    #[test]
    fn a_frame_far_larger_than_the_sheet_is_refused_before_it_is_allocated() {
        for size in ["1000000", "4294967295"] {
            let cell = format!(
                r#"{{"frame": {{"x": 0, "y": 0, "w": 2, "h": 2}}, "sourceSize": {{"w": {size}, "h": {size}}}}}"#
            );
            let (_folder, path) = folder(&format!(r#"{{"frames": [{cell}], "meta": {{"image": "walk.png"}}}}"#));
            let refused = read(&path, 30.0, 1 << 20).unwrap_err().to_string();
            assert!(refused.contains("frame 0") && refused.contains("GB in memory"), "{refused}");
        }
    }

    #[test]
    fn a_description_of_something_else_is_no_sheet() {
        for json in ["{}", r#"{"os-remap": {"Frames": 3}}"#, "[1, 2]"] {
            let (_folder, path) = folder(json);
            assert_eq!(find_description(&path.with_extension("png")), None, "{json}");
            let refused = read(&path, 30.0, 1 << 20).unwrap_err().to_string();
            assert!(refused.contains("does not list the frames of a sprite sheet"), "{refused}");
        }
        let (_folder, path) = folder(&NAMED.replace("walk.png", "other.png"));
        assert_eq!(find_description(&path.with_extension("png")), None);
        assert!(read(&path, 30.0, 1 << 20).unwrap_err().to_string().contains("other.png"));
    }

    #[test]
    fn frames_that_cannot_be_cut_are_named() {
        for (from, to, named) in [
            (r#""x": 4, "y": 2, "w": 1"#, r#""x": 6, "y": 2, "w": 1"#, "Frame 1 is outside"),
            (r#""sourceSize": {"w": 2"#, r#""sourceSize": {"w": 3"#, "frame 1 has 3 × 2 pixels but frame 0 has 2 × 2"),
            (r#""trimmed": true"#, r#""rotated": true"#, "frame 1 is rotated"),
        ] {
            let (_folder, path) = folder(&NAMED.replace(from, to));
            let refused = read(&path, 30.0, 1 << 20).unwrap_err().to_string();
            assert!(refused.contains(named), "{refused}");
        }
    }

    #[test]
    fn no_description_reads_an_image_outside_its_folder() {
        let (_folder, path) = folder(&NAMED.replace("walk.png", "../../walk.png"));
        assert_eq!(read(&path, 30.0, 1 << 20).unwrap().clip.info.frames, 2);
    }
}
