//! One Wavefront OBJ per frame, as simulators write them. Reads `v`, `vt` and `f` lines and ignores the rest.

use std::path::Path;

use glam::{Vec2, Vec3};

use super::sequence::{self, NumberPosition, Sequence};
use super::{Fault, ImportError, file_name};
use portamento_anim::media::VertexClip;
use portamento_base::progress::Progress;

/// Positions and triangles of one OBJ file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjFrame {
    /// The `v` lines in order.
    pub positions: Vec<Vec3>,
    /// Triangle indices. Faces are split into fans around their first corner.
    pub faces: Vec<u32>,
    /// Texture coordinates per vertex, with v down from the top of the image.
    /// A vertex with several, as at seams, gets those of its first corner; one with none gets (0, 0).
    /// Empty if no corner has any.
    pub uvs: Vec<Vec2>,
}

/// A sequence of OBJ files as one clip.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjSequence {
    /// The positions of every frame.
    pub clip: VertexClip,
    /// Texture coordinates of the first frame, as [`ObjFrame::uvs`].
    pub uvs: Vec<Vec2>,
}

/// Reads the sequence that `path` (a folder or one of its files) belongs to, at `fps` frames per second.
///
/// Errors name the frame that is missing, damaged, or has vertices or faces different from the first frame.
pub fn read(path: &Path, fps: f64, progress: &Progress) -> Result<ObjSequence, ImportError> {
    let Sequence { name, files, .. } = sequence::find(path, &["obj"], NumberPosition::End)?;
    let mut first = ObjFrame::default();
    let mut positions = Vec::new();
    for (frame, file) in files.iter().enumerate() {
        progress.step(frame, files.len())?;
        let text = super::file::read_within_budget(file, progress)?;
        let read = from_bytes(file, &text)?;
        positions.extend_from_slice(&read.positions);
        if frame == 0 {
            first = read;
        } else if let Some(reason) = difference(&first, &read) {
            let part = format!("frame {frame} ({})", file_name(file));
            return Err(ImportError::Sequence { files: name, fault: Fault::new(part, reason) });
        }
    }
    let stem = name.trim_end_matches("####.obj").trim_end_matches(['_', '-', '.']).to_owned();
    let clip = VertexClip::new(stem, fps, first.positions.len(), positions, first.faces);
    let clip = clip.map_err(|error| ImportError::Sequence {
        files: name,
        fault: Fault::new("the content", format!("is not usable ({error})")),
    })?;
    Ok(ObjSequence { clip, uvs: first.uvs })
}

/// Returns how `other` differs from the first frame, or `None` if vertices and faces match. The text is the rest of a
/// sentence about the frame.
fn difference(first: &ObjFrame, other: &ObjFrame) -> Option<String> {
    if other.positions.len() != first.positions.len() {
        return Some(format!("has {} vertices but frame 0 has {}", other.positions.len(), first.positions.len()));
    }
    (other.faces != first.faces).then(|| "has faces different from those of frame 0".to_owned())
}

/// Reads one OBJ file. Errors name the line. Returns `Err` for damaged lines and for faces beyond the last vertex.
pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<ObjFrame, ImportError> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::default();
    for (number, line) in text.lines().enumerate() {
        let outcome = reader.line(line.split_ascii_whitespace());
        outcome.map_err(|reason| Fault::new(format!("line {}", number + 1), reason).in_file(path))?;
    }
    let frame = reader.finish();
    match frame.faces.iter().find(|&&index| index as usize >= frame.positions.len()) {
        Some(index) => {
            let reason = format!("refers to vertex {}, but there are {}", index + 1, frame.positions.len());
            Err(Fault::new("a face", reason).in_file(path))
        }
        None => Ok(frame),
    }
}

/// The content of the lines of one frame read so far.
#[derive(Default)]
struct Reader {
    frame: ObjFrame,
    coordinates: Vec<Vec2>,
    /// Index of the texture coordinates of each vertex's first corner.
    first: Vec<Option<u32>>,
}

impl Reader {
    /// Reads one line. Lines with other keywords than `v`, `vt` and `f` are ignored. Returns `Err`, as the rest of a
    /// sentence about the line, if it is damaged.
    fn line<'a>(&mut self, mut words: impl Iterator<Item = &'a str>) -> Result<(), String> {
        match words.next() {
            Some("v") => self.frame.positions.push(vertex(words)?),
            Some("vt") => self.coordinates.push(coordinate(words)),
            Some("f") => self.face(words)?,
            _ => {}
        }
        Ok(())
    }

    /// Adds a face. Corners are `7`, `7/2`, `7//3` or `7/2/3`, counted from 1, or backwards from the latest if negative.
    /// Returns `Err`, as the rest of a sentence about the line, for fewer than three corners or an invalid one.
    fn face<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let (vertices, coordinates) = (self.frame.positions.len(), self.coordinates.len());
        let corner = |word: &str| {
            let mut parts = word.split('/');
            let vertex = vertex_index(parts.next()?, vertices)?;
            Some((vertex, parts.next().and_then(|part| vertex_index(part, coordinates))))
        };
        let corners: Option<Vec<(u32, Option<u32>)>> = words.map(corner).collect();
        let corners = corners.ok_or("refers to an invalid vertex")?;
        if corners.len() < 3 {
            return Err("has fewer than three corners".into());
        }
        for &(vertex, coordinate) in corners.iter().filter(|(vertex, _)| (*vertex as usize) < vertices) {
            self.first.resize(vertices.max(self.first.len()), None);
            let first = &mut self.first[vertex as usize];
            *first = first.or(coordinate);
        }
        for pair in corners[1..].windows(2) {
            self.frame.faces.extend([corners[0].0, pair[0].0, pair[1].0]);
        }
        Ok(())
    }

    /// Returns the frame. It has a texture coordinate for each vertex, zero if the vertex has none, or no coordinates at all if
    /// no vertex has one.
    fn finish(self) -> ObjFrame {
        let Self { mut frame, coordinates, mut first } = self;
        let coordinate_of = |first: &Option<u32>| first.and_then(|index| coordinates.get(index as usize)).copied();
        if first.iter().any(|first| coordinate_of(first).is_some()) {
            first.resize(frame.positions.len(), None);
            frame.uvs = first.iter().map(|first| coordinate_of(first).unwrap_or_default()).collect();
        }
        frame
    }
}

/// Returns the 0-based index for `word`, which counts from 1, or backwards from `count` if negative. `None` if it is no number
/// or before the first vertex; an index beyond `count` is returned.
fn vertex_index(word: &str, count: usize) -> Option<u32> {
    let number: i64 = word.parse().ok()?;
    let index = if number < 0 { (count as i64).checked_add(number)? } else { number - 1 };
    u32::try_from(index).ok()
}

/// Reads three finite numbers; further words are ignored. Returns `Err`, as the rest of a sentence about the line, if one is
/// missing.
fn vertex<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Vec3, String> {
    let mut number = || {
        let word = words.next().ok_or("has fewer than three numbers")?;
        let number: f32 = word.parse().map_err(|_| format!("has \"{word}\" where a number should be"))?;
        if number.is_finite() { Ok(number) } else { Err(format!("has \"{word}\", which is not a finite number")) }
    };
    Ok(Vec3::new(number()?, number()?, number()?))
}

/// Reads u and v of a `vt` line and returns u and 1 − v, which counts from the top of the image. Numbers that are missing or not
/// finite are read as 0, since they do not affect the motion.
fn coordinate<'a>(words: impl Iterator<Item = &'a str>) -> Vec2 {
    let mut numbers =
        words.map(|word| word.parse::<f32>().ok().filter(|number| number.is_finite()).unwrap_or_default());
    Vec2::new(numbers.next().unwrap_or_default(), 1.0 - numbers.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_test_support::corpus;

    #[test]
    fn the_fox_runs_through_eleven_files() {
        let Some(folder) = corpus("caches/foxrun_obj") else { return };
        let ObjSequence { clip, uvs } = read(&folder, 24.0, &Progress::new()).unwrap();
        assert!(uvs.len() == 1250 && uvs.iter().all(|uv| uv.cmpge(Vec2::ZERO).all() && uv.cmple(Vec2::ONE).all()));
        assert_eq!((clip.frames(), clip.vertices, clip.name.as_str()), (11, 1250, "foxrun"));
        assert_eq!(clip.frame(0), clip.frame(1));
        assert_eq!(clip.faces.len() % 3, 0);
        let cache = std::fs::read(folder.join("../foxrun.pc2")).unwrap();
        let cache = super::super::point_cache::from_pc2(Path::new("foxrun.pc2"), &cache, 24.0).unwrap();
        let size = |clip: &VertexClip| clip.positions.iter().map(|position| f64::from(position.length())).sum::<f64>();
        assert!((size(&clip) - size(&cache)).abs() < 1e-4 * size(&cache), "the same motion as the cache");
    }

    #[test]
    fn numbered_files_become_the_frames_of_one_clip() {
        let folder = portamento_test_support::wave();
        let ObjSequence { clip, uvs } = read(folder.path(), 24.0, &Progress::new()).unwrap();
        assert_eq!((clip.frames(), clip.vertices, clip.name.as_str(), clip.faces.len()), (11, 22, "wave", 60));
        assert_eq!((clip.frame(0), clip.fps), (clip.frame(1), 24.0));
        assert_ne!(clip.frame(1), clip.frame(2));
        // Ten sorts after nine, not after one.
        assert!((clip.frame(10)[0].z - 0.2 * 5.4_f32.sin()).abs() < 1e-5);
        assert_eq!((uvs.len(), uvs[21]), (22, Vec2::new(1.0, 0.0)));
    }

    #[test]
    fn a_frame_with_different_vertices_or_faces_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("flag0.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        write("flag1.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 3 2 1\n");
        let sentence = || read(folder.path(), 30.0, &Progress::new()).unwrap_err().to_string();
        assert!(sentence().contains("frame 1 (flag1.obj) has faces different"), "{}", sentence());
        write("flag1.obj", "v 0 0 0\nv 1 0 0\n");
        assert!(sentence().contains("frame 1 (flag1.obj) has 2 vertices but frame 0 has 3"), "{}", sentence());
        write("flag1.obj", "v 0 0 0\nv 1 0\n");
        assert!(sentence().contains("flag1.obj") && sentence().contains("line 2"), "{}", sentence());
    }

    #[test]
    fn each_vertex_has_the_coordinates_of_its_first_corner() {
        let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0.25 0\nvt 1 0.75\nvt x\nf 1/1 2/2 3\nf 1/2 3/-1 4/9\n";
        let read = from_bytes(Path::new("a.obj"), text).unwrap();
        assert_eq!(read.uvs, [(0.25, 1.0), (1.0, 0.25), (0.0, 1.0), (0.0, 0.0)].map(Vec2::from));
        assert!(from_bytes(Path::new("a.obj"), b"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n").unwrap().uvs.is_empty());
    }

    #[test]
    fn corners_may_be_counted_backwards_and_carry_texture_numbers() {
        let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4/1/1 -3//2 3/1 4\n";
        assert_eq!(from_bytes(Path::new("a.obj"), text).unwrap().faces, [0, 1, 2, 0, 2, 3]);
        for broken in ["f 1 2 9", "f 0 1 2", "f 1 2", "v nan 0 0", "f -9 1 2"] {
            let text = format!("v 0 0 0\nv 1 0 0\nv 1 1 0\n{broken}\n");
            assert!(from_bytes(Path::new("a.obj"), text.as_bytes()).is_err(), "{broken}");
        }
    }
}
