//! Ground from drawings and formulas for tests and benchmarks, and the public grid benchmark (Sturtevant, "Benchmarks
//! for Grid-Based Pathfinding", 2012).

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Cell, Ground, NONE, STEPS};

/// Returns ground with one floor. `make` returns height, slope in degrees and speed of a column, or `None` if it is
/// not walkable.
pub fn layer(columns: [u32; 2], cell: f64, make: impl Fn(u32, u32) -> Option<(f64, f32, f32)>) -> Ground {
    let mut ground = Ground { cell, columns, starts: vec![0], ..Ground::default() };
    let mut ids = Vec::new();
    for index in 0..columns[0] * columns[1] {
        let column = [index % columns[0], index / columns[0]];
        ids.push(make(column[0], column[1]).map_or(NONE, |(height, slope, speed)| {
            let (speed_up, speed_down) = (speed / (1.0 + slope / 60.0), speed);
            ground.cells.push(Cell { column, height, slope, speed_up, speed_down, ..Cell::default() });
            ground.cells.len() as u32 - 1
        }));
        ground.starts.push(ground.cells.len() as u32);
    }
    let at = |column: [u32; 2], step: [i32; 2]| {
        let x = column[0].checked_add_signed(step[0]).filter(|x| *x < columns[0]);
        let z = column[1].checked_add_signed(step[1]).filter(|z| *z < columns[1]);
        x.zip(z).map_or(NONE, |(x, z)| ids[(z * columns[0] + x) as usize])
    };
    let links = |cell: &Cell| {
        std::array::from_fn(|direction| {
            let [x, z] = STEPS[direction];
            let corners = x == 0 || z == 0 || at(cell.column, [x, 0]) != NONE && at(cell.column, [0, z]) != NONE;
            if corners { at(cell.column, STEPS[direction]) } else { NONE }
        })
    };
    ground.links = ground.cells.iter().map(links).collect();
    ground
}

/// Returns soft hills with pillars; slopes match the heights.
pub fn hills(columns: u32, cell: f64, tall: f64, pillars: bool) -> Ground {
    let coordinate = |x: u32| f64::from(x) * cell;
    layer([columns; 2], cell, |x, z| {
        if pillars && x % 23 > 17 && (z + x / 23 * 7) % 19 > 12 {
            return None;
        }
        let (a, b) = (coordinate(x) * 0.35, coordinate(z) * 0.29);
        let height = tall * (a.sin() * b.cos()).max(-0.2);
        let rise = tall
            * if a.sin() * b.cos() > -0.2 { (a.cos() * b.cos() * 0.35).hypot(a.sin() * b.sin() * 0.29) } else { 0.0 };
        let slope = rise.atan().to_degrees() as f32;
        Some((height, slope, 4.0 * (1.0 - slope / 60.0)))
    })
}

/// One benchmark query: start and goal column, and the shortest length in cells, 0 if there is no path.
pub struct Query {
    pub from: [u32; 2],
    pub to: [u32; 2],
    pub length: f64,
}

/// Returns every benchmark map with its queries, one map at a time; `None` if the benchmark is missing.
pub fn benchmark() -> Option<impl Iterator<Item = (Ground, Vec<Query>)>> {
    let pack = portamento_test_support::corpus("grids/dao.tgz")?;
    let folder = tempfile::tempdir().ok()?;
    Command::new("tar")
        .arg("xzf")
        .arg(&pack)
        .arg("-C")
        .arg(folder.path())
        .status()
        .ok()
        .filter(|status| status.success())?;
    let mut files = files(folder.path());
    files.sort();
    let text = |file: &Path| std::fs::read_to_string(file).unwrap_or_default();
    let (maps, queries): (Vec<PathBuf>, Vec<PathBuf>) =
        files.into_iter().filter(|file| ends(file, ".map") || ends(file, ".scen")).partition(|file| ends(file, ".map"));
    Some(maps.into_iter().filter_map(move |map| {
        let _folder_lifetime = &folder;
        let name = format!("{}.scen", map.file_name()?.to_string_lossy());
        let queries = queries.iter().find(|file| file.file_name().is_some_and(|known| *known == *name))?;
        Some((drawn(&text(&map)), text(queries).lines().filter_map(query).collect()))
    }))
}

fn ends(file: &Path, end: &str) -> bool {
    file.to_string_lossy().ends_with(end)
}

/// Returns all files below `folder`; none if it cannot be read.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Returns ground of one-metre cells from a benchmark map.
pub fn drawn(text: &str) -> Ground {
    let rows: Vec<&[u8]> = text.lines().skip_while(|line| *line != "map").skip(1).map(str::as_bytes).collect();
    let wide = rows.first().map_or(0, |row| row.len());
    layer([wide as u32, rows.len() as u32], 1.0, |x, z| {
        rows[z as usize].get(x as usize).filter(|mark| b".GS".contains(mark)).map(|_| (0.0, 0.0, 1.0))
    })
}

/// Parses a line of a benchmark: start, goal and length of the shortest path, in cells. Returns `None` for other lines.
fn query(line: &str) -> Option<Query> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse().ok();
    let length = fields.get(8)?.parse().ok()?;
    Some(Query { from: [number(4)?, number(5)?], to: [number(6)?, number(7)?], length })
}

/// Returns the cell of a column on ground with one floor.
pub fn cell(ground: &Ground, column: [u32; 2]) -> u32 {
    ground.starts[(column[1] * ground.columns[0] + column[0]) as usize]
}
