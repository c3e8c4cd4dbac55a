//! One Wavefront OBJ per frame, as simulators write them: `v` lines and `f` lines, everything else is passed over.

use std::path::Path;

use glam::Vec3;

use super::sequence::{self, Sequence};
use super::{Fault, ImportError, file_name};
use crate::anim::VertexClip;
use crate::progress::Progress;

/// Positions and triangles of one OBJ file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjFrame {
    /// The `v` lines in order.
    pub positions: Vec<Vec3>,
    /// Faces cut into triangles around their first corner.
    pub faces: Vec<u32>,
}

/// Reads the sequence that `path` (a folder or one of its files) belongs to, at `fps` frames per second.
///
/// Errors name the frame that is missing, damaged, or has other vertices or faces than the first.
pub fn read(path: &Path, fps: f64, progress: &Progress) -> Result<VertexClip, ImportError> {
    let Sequence { name, files, .. } = sequence::find(path, &["obj"])?;
    let mut first = ObjFrame::default();
    let mut positions = Vec::new();
    for (frame, file) in files.iter().enumerate() {
        progress.step(frame, files.len())?;
        let text = std::fs::read(file)
            .map_err(|reason| ImportError::Unreadable { file: file.display().to_string(), reason })?;
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
    VertexClip::new(stem, fps, first.positions.len(), positions, first.faces).map_err(|error| ImportError::Sequence {
        files: name,
        fault: Fault::new("the content", format!("is not usable ({error})")),
    })
}

fn difference(first: &ObjFrame, other: &ObjFrame) -> Option<String> {
    if other.positions.len() != first.positions.len() {
        return Some(format!("has {} vertices but frame 0 has {}", other.positions.len(), first.positions.len()));
    }
    (other.faces != first.faces).then(|| "joins its vertices to other faces than frame 0".to_owned())
}

/// Reads one OBJ file. Errors name the line.
pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<ObjFrame, ImportError> {
    let text = String::from_utf8_lossy(bytes);
    let mut frame = ObjFrame::default();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        let outcome = match words.next() {
            Some("v") => vertex(words).map(|position| frame.positions.push(position)),
            Some("f") => face(words, &mut frame),
            _ => Ok(()),
        };
        outcome.map_err(|reason| Fault::new(format!("line {}", number + 1), reason).in_file(path))?;
    }
    match frame.faces.iter().find(|&&index| index as usize >= frame.positions.len()) {
        Some(index) => {
            let reason = format!("names vertex {}, but there are {}", index + 1, frame.positions.len());
            Err(Fault::new("a face", reason).in_file(path))
        }
        None => Ok(frame),
    }
}

fn vertex<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Vec3, String> {
    let mut number = || {
        let word = words.next().ok_or("does not hold three numbers")?;
        let number: f32 = word.parse().map_err(|_| format!("has \"{word}\" where a number should be"))?;
        if number.is_finite() { Ok(number) } else { Err(format!("has \"{word}\", which is not a finite number")) }
    };
    Ok(Vec3::new(number()?, number()?, number()?))
}

/// Corners are `7`, `7/2`, `7//3` or `7/2/3`, counted from 1, or from the latest vertex backwards where negative.
fn face<'a>(words: impl Iterator<Item = &'a str>, frame: &mut ObjFrame) -> Result<(), String> {
    let count = frame.positions.len() as i64;
    let corner = |word: &str| {
        let index: i64 = word.split('/').next()?.parse().ok()?;
        let index = if index < 0 { count.checked_add(index)? } else { index - 1 };
        u32::try_from(index).ok()
    };
    let corners: Option<Vec<u32>> = words.map(corner).collect();
    let corners = corners.ok_or("names a vertex that cannot be")?;
    if corners.len() < 3 {
        return Err("has fewer than three corners".into());
    }
    for pair in corners[1..].windows(2) {
        frame.faces.extend([corners[0], pair[0], pair[1]]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::corpus;

    #[test]
    fn the_fox_runs_through_eleven_files() {
        let Some(folder) = corpus("caches/foxrun_obj") else { return };
        let clip = read(&folder, 24.0, &Progress::new()).unwrap();
        assert_eq!((clip.frames(), clip.vertices, clip.name.as_str()), (11, 1250, "foxrun"));
        assert_eq!(clip.frame(0), clip.frame(1));
        assert_eq!(clip.faces.len() % 3, 0);
        let cache = std::fs::read(folder.join("../foxrun.pc2")).unwrap();
        let cache = super::super::point_cache::from_pc2(Path::new("foxrun.pc2"), &cache, 24.0).unwrap();
        let size = |clip: &VertexClip| clip.positions.iter().map(|it| f64::from(it.length())).sum::<f64>();
        assert!((size(&clip) - size(&cache)).abs() < 1e-4 * size(&cache), "the same motion as the cache");
    }

    #[test]
    fn a_frame_with_other_vertices_or_faces_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("flag0.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        write("flag1.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 3 2 1\n");
        let sentence = || read(folder.path(), 30.0, &Progress::new()).unwrap_err().to_string();
        assert!(sentence().contains("frame 1 (flag1.obj) joins"), "{}", sentence());
        write("flag1.obj", "v 0 0 0\nv 1 0 0\n");
        assert!(sentence().contains("frame 1 (flag1.obj) has 2 vertices but frame 0 has 3"), "{}", sentence());
        write("flag1.obj", "v 0 0 0\nv 1 0\n");
        assert!(sentence().contains("flag1.obj") && sentence().contains("line 2"), "{}", sentence());
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
