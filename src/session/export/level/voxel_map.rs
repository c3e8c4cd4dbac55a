//! Writes the walkable area as a file for other programs.
//!
//! A `.voxels` file has 8 bytes `PORTVOX1`, the header length (4 bytes), 4 zero bytes, the header, then the arrays.
//! The header is JSON in UTF-8, padded with spaces to a multiple of 8 bytes. Each array starts at a multiple of 8 bytes.
//! All numbers are little-endian. The header lists the arrays with type (`u8`, `u16`, `u32`, `f32`, `f64`), count and first byte,
//! counted from the end of the header. Lengths are metres, angles degrees, speeds metres per second.
//!
//! | array
//! one per
//! content |
//! |---|---|---|
//! | `starts`
//! column, and one more
//! first span of the column; x fastest, then z |
//! | `low`, `high`
//! span
//! bottom and top, voxels above `origin` |
//! | `slope`
//! span
//! slope of the triangle at the top |
//! | `state` | span | index into `states` of the header |
//! | `cell`
//! span
//! index of its cell, or 4294967295 |
//! | `height`
//! cell
//! height of the ground |
//! | `speed_up`, `speed_down`
//! cell
//! speed on rising and on falling ground |
//! | `links`
//! cell, 8 of them
//! neighbouring cells in the order of `steps` of the header, or 4294967295 |

use std::path::Path;

use serde_json::{Value, json};

use portamento_formats::export::{ExportError, FileSet};
use portamento_walk::navigation::STEPS;
use portamento_walk::navigation::voxels::{State, VoxelMap, VoxelSpan};

const MAGIC: &[u8; 8] = b"PORTVOX1";

/// The names of the states, in the order of their numbers.
const STATES: [(State, &str); 6] = [
    (State::Walkable, "walkable"),
    (State::Steep, "steep"),
    (State::Ceiling, "ceiling"),
    (State::Ledge, "ledge"),
    (State::Radius, "radius"),
    (State::Blocked, "blocked"),
];

/// Adds a map to `files` at `path`. Returns `Err` if it cannot be written.
pub fn write(files: &mut FileSet, path: &Path, map: &VoxelMap) -> Result<(), ExportError> {
    files.write(path, &to_bytes(map))
}

/// Returns the bytes of a `.voxels` file.
pub fn to_bytes(map: &VoxelMap) -> Vec<u8> {
    let mut arrays = Arrays::default();
    add_spans(&mut arrays, map);
    add_cells(&mut arrays, map);
    let mut header = header(map, arrays.entries).to_string().into_bytes();
    pad(&mut header, b' ');
    let mut bytes = MAGIC.to_vec();
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend(header);
    bytes.extend(arrays.bytes);
    bytes
}

/// Returns the JSON header of a voxel map: units, grid, settings, warnings and `arrays`, the descriptions of its arrays.
fn header(map: &VoxelMap, arrays: Vec<Value>) -> Value {
    json!({
        "units": { "length": "metres", "angle": "degrees", "speed": "metres per second", "up": "+y" },
        "origin": map.origin.to_array(),
        "columns": map.columns,
        "cell": map.settings.cell,
        "cell_height": map.settings.cell_height,
        "settings": map.settings,
        "warnings": map.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "states": STATES.map(|(_, name)| name),
        "steps": STEPS,
        "arrays": arrays,
    })
}

/// Adds the spans as one array per property, in the order of the columns. Numbers are little-endian.
fn add_spans(arrays: &mut Arrays, map: &VoxelMap) {
    let spans = || map.spans.iter();
    let state = |span: &VoxelSpan| STATES.iter().position(|(state, _)| *state == span.state).unwrap_or(0) as u8;
    arrays.add("starts", "u32", map.starts.iter().map(|start| start.to_le_bytes()));
    arrays.add("low", "u16", spans().map(|span| span.low.to_le_bytes()));
    arrays.add("high", "u16", spans().map(|span| span.high.to_le_bytes()));
    arrays.add("slope", "f32", spans().map(|span| span.slope.to_le_bytes()));
    arrays.add("state", "u8", spans().map(|span| [state(span)]));
    arrays.add("cell", "u32", spans().map(|span| span.cell.to_le_bytes()));
}

/// Adds the walkable cells as one array per property. Numbers are little-endian.
fn add_cells(arrays: &mut Arrays, map: &VoxelMap) {
    let cells = || map.ground.cells.iter();
    arrays.add("height", "f64", cells().map(|cell| cell.height.to_le_bytes()));
    arrays.add("speed_up", "f32", cells().map(|cell| cell.speed_up.to_le_bytes()));
    arrays.add("speed_down", "f32", cells().map(|cell| cell.speed_down.to_le_bytes()));
    arrays.add("links", "u32", map.ground.links.iter().flatten().map(|cell| cell.to_le_bytes()));
}

/// The arrays and their entries in the header.
#[derive(Default)]
struct Arrays {
    bytes: Vec<u8>,
    entries: Vec<Value>,
}

impl Arrays {
    /// Adds an array of `values`, each as its bytes, and its entry in the header. `kind` is the name of the number type.
    fn add<const N: usize>(&mut self, name: &str, kind: &str, values: impl Iterator<Item = [u8; N]>) {
        let first = self.bytes.len();
        self.bytes.extend(values.flatten());
        let count = (self.bytes.len() - first) / N;
        self.entries.push(json!({ "name": name, "type": kind, "count": count, "first": first }));
        pad(&mut self.bytes, 0);
    }
}

/// Adds bytes until the length is a multiple of 8.
fn pad(bytes: &mut Vec<u8>, with: u8) {
    bytes.resize(bytes.len().next_multiple_of(8), with);
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use portamento_anim::geometry::Level;
    use portamento_base::progress::Progress;
    use portamento_walk::navigation::voxels::{VoxelSettings, voxelise};

    /// Returns the map of a ramp over a floor, and a wall.
    fn map() -> VoxelMap {
        let points =
            [[0, 0, 0], [0, 0, 9], [9, 0, 9], [9, 0, 0], [2, 1, 2], [2, 1, 7], [7, 3, 7], [7, 3, 2], [9, 4, 9]];
        let points = points.map(|point| Vec3::from_array(point.map(|at| at as f32))).to_vec();
        let faces = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7], [2, 8, 3]];
        voxelise(&Level::of_mesh("yard", points, faces), &VoxelSettings::default(), &Progress::new()).unwrap()
    }

    /// Reads the numbers of one array using only the format described at the top of this module.
    fn numbers(bytes: &[u8], name: &str) -> Vec<f64> {
        let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..8], &bytes[12..16], length % 8), (&b"PORTVOX1"[..], &[0; 4][..], 0));
        let header: Value = serde_json::from_slice(&bytes[16..16 + length]).unwrap();
        let array = header["arrays"].as_array().unwrap().iter().find(|array| array["name"] == name).unwrap();
        let integer = |key: &str| array[key].as_u64().unwrap() as usize;
        assert_eq!(integer("first") % 8, 0);
        let (kind, bytes) = (array["type"].as_str().unwrap(), &bytes[16 + length + integer("first")..]);
        let size = kind[1..].parse::<usize>().unwrap() / 8;
        let number = |bytes: &[u8]| match kind {
            "u8" => f64::from(bytes[0]),
            "u16" => f64::from(u16::from_le_bytes(bytes.try_into().unwrap())),
            "u32" => f64::from(u32::from_le_bytes(bytes.try_into().unwrap())),
            "f32" => f64::from(f32::from_le_bytes(bytes.try_into().unwrap())),
            _ => f64::from_le_bytes(bytes.try_into().unwrap()),
        };
        bytes[..integer("count") * size].chunks_exact(size).map(number).collect()
    }

    #[test]
    fn a_written_map_reads_back_exactly() {
        let map = map();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("yard.voxels");
        FileSet::write_now(|files| write(files, &path, &map)).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let cells = &map.ground.cells;
        assert!(
            cells.len() > 100
                && STATES.iter().filter(|(state, _)| map.spans.iter().any(|span| span.state == *state)).count() > 3
        );
        let spans = |of: fn(&VoxelSpan) -> f64| map.spans.iter().map(of).collect::<Vec<_>>();
        assert_eq!(numbers(&bytes, "starts"), map.starts.iter().map(|&start| f64::from(start)).collect::<Vec<_>>());
        assert_eq!(numbers(&bytes, "low"), spans(|span| span.low.into()));
        assert_eq!(numbers(&bytes, "high"), spans(|span| span.high.into()));
        assert_eq!(numbers(&bytes, "slope"), spans(|span| span.slope.into()));
        assert_eq!(numbers(&bytes, "cell"), spans(|span| span.cell.into()));
        assert_eq!(numbers(&bytes, "state"), spans(|span| span.state as u8 as f64));
        assert_eq!(numbers(&bytes, "height"), cells.iter().map(|cell| cell.height).collect::<Vec<_>>());
        assert_eq!(numbers(&bytes, "speed_up"), cells.iter().map(|cell| cell.speed_up.into()).collect::<Vec<f64>>());
        assert_eq!(
            numbers(&bytes, "speed_down"),
            cells.iter().map(|cell| cell.speed_down.into()).collect::<Vec<f64>>()
        );
        let links = map.ground.links.iter().flatten().map(|&link| f64::from(link));
        assert_eq!(numbers(&bytes, "links"), links.collect::<Vec<_>>());
    }
}
