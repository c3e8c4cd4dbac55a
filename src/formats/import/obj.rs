//! Wavefront OBJ read as a level: the faces with their names.
//!
//! Vertices, faces and the names of objects, groups and materials are read.
//! Texture coordinates, normals, lines, points, curves and material libraries are ignored.
//! Faces with more than three vertices become triangle fans around their first vertex.
//!
//! The `tobj` crate is not used because its errors name neither the line nor the wrong word.

use std::collections::HashMap;
use std::path::Path;

use glam::Vec3;

use super::{Fault, ImportError};
use portamento_anim::geometry::{Level, Triangle};
use portamento_base::progress::Progress;

/// Reads the bytes of an OBJ file in the file's own unit and axes.
/// Bytes that are not UTF-8 are replaced. Errors name the line. Faces before the first name belong to the mesh `level`.
pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Level, ImportError> {
    read_bytes(path, bytes, &Progress::new())
}

/// [`from_bytes`] with cancellation.
pub(super) fn read_bytes(path: &Path, bytes: &[u8], progress: &Progress) -> Result<Level, ImportError> {
    let level = from_text(&String::from_utf8_lossy(bytes), progress);
    // A cancelled import is not reported as damage.
    progress.step(1, 1)?;
    level.map_err(|fault| fault.in_file(path))
}

/// Lines read between two checks for cancellation.
const LINES_PER_CHECK: usize = 4096;

/// Reads the text of an OBJ file. If `progress` is cancelled, returns what was read so far.
pub(super) fn from_text(text: &str, progress: &Progress) -> Result<Level, Fault> {
    let mut reader = Reader::default();
    let mut continued = String::new();
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if number % LINES_PER_CHECK == 0 && progress.step(0, 1).is_err() {
            break;
        }
        let line = line.split('#').next().unwrap_or_default().trim();
        // A backslash at the end of a line continues it on the next line.
        if let Some(begun) = line.strip_suffix('\\') {
            continued.push_str(begun);
            continued.push(' ');
            continue;
        }
        let full_line = if continued.is_empty() { line } else { &format!("{continued}{line}") };
        reader.line(full_line).map_err(|reason| Fault::new(format!("line {}", number + 1), reason))?;
        continued.clear();
    }
    let Reader { level, meshes, areas, .. } = reader;
    Ok(Level { meshes: meshes.names, areas: areas.names, ..level })
}

/// Unique names in the order of their first use.
#[derive(Default)]
struct Names {
    names: Vec<String>,
    indices: HashMap<String, u32>,
}

impl Names {
    /// Returns the index of `name` and appends it if it is new.
    fn index_of(&mut self, name: &str) -> u32 {
        let name = name.trim();
        if let Some(&index_of) = self.indices.get(name) {
            return index_of;
        }
        let index_of = self.names.len() as u32;
        self.indices.insert(name.to_owned(), index_of);
        self.names.push(name.to_owned());
        index_of
    }
}

/// The content of the lines read so far.
#[derive(Default)]
struct Reader {
    /// Its mesh and area names are set at the end.
    level: Level,
    meshes: Names,
    areas: Names,
    mesh: Option<u32>,
    area: Option<u32>,
}

impl Reader {
    /// Reads one line. Lines with other keywords than `v`, `f`, `o`, `g` and `usemtl` are ignored. Returns `Err`, as the
    /// rest of a sentence about the line, if it is damaged.
    fn line(&mut self, line: &str) -> Result<(), String> {
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match keyword {
            "v" => self.level.points.push(point(rest)?),
            "f" => self.face(rest)?,
            "o" | "g" => self.mesh = Some(self.meshes.index_of(rest)),
            "usemtl" => self.area = Some(self.areas.index_of(rest)),
            _ => {}
        }
        Ok(())
    }

    /// Adds a face as a fan of triangles. Returns `Err` if it has fewer than three corners or a corner is invalid.
    fn face(&mut self, words: &str) -> Result<(), String> {
        let count = self.level.points.len();
        let corners: Vec<u32> = words.split_whitespace().map(|word| corner(word, count)).collect::<Result<_, _>>()?;
        if corners.len() < 3 {
            return Err(format!("has a face of {} corners; a face needs three", corners.len()));
        }
        let mesh = *self.mesh.get_or_insert_with(|| self.meshes.index_of("level"));
        let fan = corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]);
        self.level.triangles.extend(fan.map(|corners| Triangle { corners, mesh, area: self.area }));
        Ok(())
    }
}

/// Reads three numbers; further words are ignored. Returns `Err`, as the rest of a sentence about the line, if one is missing.
fn point(words: &str) -> Result<Vec3, String> {
    let mut words = words.split_whitespace();
    let mut number = || {
        let word = words.next().ok_or("has a corner of fewer than three numbers")?;
        word.parse::<f32>().map_err(|_| format!("has \"{word}\" where a number should be"))
    };
    Ok(Vec3::new(number()?, number()?, number()?))
}

/// Returns the vertex index that a word such as `7/1/7` or `-1` refers to. `count` vertices are known so far. It counts
/// from 1, or backwards from the latest if negative. Returns `Err`, as the rest of a sentence, if it is no number or out of
/// range.
fn corner(word: &str, count: usize) -> Result<u32, String> {
    let number = word.split('/').next().unwrap_or_default();
    let number: i64 = number.parse().map_err(|_| format!("has \"{word}\" where a corner should be"))?;
    let index = if number < 0 { count as i64 + number } else { number - 1 };
    let known = u32::try_from(index).ok().filter(|&index| (index as usize) < count);
    known.ok_or_else(|| format!("refers to corner {number}, but only {count} came before"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUSE: &str = "\u{feff}# a house\nmtllib house.mtl\nv 0 0 0\nv 1 0 0 \\\n 1\nv 1 0 1\nv 0 0 1\no floor\nusemtl wood\n\
        f 1/1/1 2/2/2 3//3 4\nv 0 2 0\ng roof\nusemtl tin\nf -1 -3 -2\nl 1 2\n";

    #[test]
    fn faces_keep_their_names_and_many_corners_become_a_fan() {
        let level = from_text(HOUSE, &Progress::new()).unwrap();
        assert_eq!(
            (level.points.len(), &level.meshes[..], &level.areas[..]),
            (5, &["floor".into(), "roof".into()][..], &["wood".into(), "tin".into()][..])
        );
        let faces: Vec<_> = level.triangles.iter().map(|face| (face.corners, face.mesh, face.area)).collect();
        assert_eq!(faces, [([0, 1, 2], 0, Some(0)), ([0, 2, 3], 0, Some(0)), ([4, 2, 3], 1, Some(1))]);
    }

    #[test]
    fn faults_are_reported_with_their_line() {
        let cases = [
            ("v 1 2\n", "line 1 has a corner of fewer than three numbers"),
            ("v 1 2 x\n", "line 1 has \"x\" where a number should be"),
            ("v 0 0 0\nf 1 1\n", "line 2 has a face of 2 corners; a face needs three"),
            ("v 0 0 0\nf 1 1 2\n", "line 2 refers to corner 2, but only 1 came before"),
            ("v 0 0 0\nf 1 1 -2\n", "line 2 refers to corner -2, but only 1 came before"),
            ("v 0 0 0\nf 0 1 1\n", "line 2 refers to corner 0, but only 1 came before"),
            ("f a b c\n", "line 1 has \"a\" where a corner should be"),
        ];
        for (text, sentence) in cases {
            assert_eq!(from_text(text, &Progress::new()).unwrap_err().to_string(), sentence);
        }
        assert!(from_text("", &Progress::new()).unwrap().triangles.is_empty());
    }
}
