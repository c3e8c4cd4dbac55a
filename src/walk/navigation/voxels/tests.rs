//! Voxels compared with Recast's, bad input, and warnings. The benches measure time and memory of levels, since a busy
//! machine would fail such a check here.

use glam::{DVec3, Vec3};

use super::*;
use crate::navigation::{NONE, STEPS};
use portamento_test_support::corpus;

/// Settings of the reference.
fn recast() -> VoxelSettings {
    VoxelSettings { cell: 0.3, cell_height: 0.2, radius: 0.6, height: 2.0, climb: 0.8, ..VoxelSettings::default() }
}

/// Returns a floor of `size` m with ground at `height` and a vertex every `step` m.
fn terrain(size: f32, step: f32, height: impl Fn(f32, f32) -> f32) -> Level {
    let count = (size / step).round() as u32;
    let at = |i: u32, j: u32| {
        let (x, z) = (i as f32 * step, j as f32 * step);
        Vec3::new(x, height(x, z), z)
    };
    let points = (0..=count).flat_map(|j| (0..=count).map(move |i| at(i, j))).collect();
    let quads = (0..count).flat_map(|j| (0..count).map(move |i| j * (count + 1) + i));
    let corners = quads.flat_map(|a| {
        let (b, c, d) = (a + 1, a + count + 1, a + count + 2);
        [[a, c, b], [b, c, d]]
    });
    Level::of_mesh("terrain", points, corners)
}

fn level_of(file: &str) -> Option<Level> {
    let path = corpus(&format!("levels/{file}.obj"))?;
    portamento_formats::import::import(&path).unwrap().level.map(std::sync::Arc::unwrap_or_clone)
}

/// Returns one line per span: x, z, low, high, walkable.
fn lines(solid: &SolidSpans) -> Vec<[u32; 5]> {
    let width = solid.columns[0];
    let line = |column: u32, span: usize| {
        let ([low, high], is_walkable) = (solid.heights[span], solid.slopes[span].is_walkable());
        [column % width, column / width, low.into(), high.into(), is_walkable.into()]
    };
    let columns = 0..solid.starts.len() as u32 - 1;
    columns.flat_map(|column| solid.range(column as usize).map(move |span| line(column, span))).collect()
}

fn reference(file: &str) -> Vec<[u32; 5]> {
    let path = corpus(&format!("levels/reference/{file}.txt.gz")).unwrap();
    let output = std::process::Command::new("gzip").arg("-dc").arg(path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| -> [u32; 5] {
        let numbers: Vec<u32> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        numbers.try_into().unwrap()
    };
    text.lines().map(line).collect()
}

#[test]
fn spans_equal_those_of_recast() {
    // Number of links after compaction and of walkable floors after erosion, counted with Recast.
    let counts = [("nav_test", 220_370, 45_117), ("dungeon", 88_554, 17_500), ("undulating", 418_072, 97_773)];
    for file in ["nav_test", "dungeon", "undulating", "boxes_on_0.3m_grid", "boxes_on_0.5m_grid"] {
        let Some(level) = level_of(file) else { return };
        let settings = recast();
        let voxels = Voxels::from_settings(&settings);
        let bands = spans::bands::over(&level, &grid::over(level.bounds().unwrap(), &settings));
        let mut solid = rasterise(&level, &settings, &Progress::new()).unwrap();
        let wrong = |solid: &SolidSpans, stage: &str| {
            let (ours, theirs) = (lines(solid), reference(&format!("{file}.{stage}")));
            assert_eq!(ours.len(), theirs.len(), "{file} {stage}");
            ours.iter().zip(&theirs).filter(|(ours, theirs)| ours != theirs).count()
        };
        assert_eq!(wrong(&solid, "raw"), 0, "{file} raw");
        solid.keep_low_obstacles(voxels.climb, &bands);
        filter(&mut solid, &voxels, &bands, &Progress::new()).unwrap();
        assert_eq!(wrong(&solid, "filtered"), 0, "{file} filtered");
        let map = voxelise(&level, &settings, &Progress::new()).unwrap();
        println!("{file}: {} spans, {} cells", map.spans.len(), map.ground.cells.len());
        if let Some((_, links, count)) = counts.iter().find(|(name, ..)| *name == file) {
            assert_eq!(map.ground.cells.len(), *count, "{file} eroded");
            let floors = Floors::new(&solid, &voxels, &bands);
            let linked = floors.links.as_flattened().iter().filter(|to| **to != NONE);
            assert_eq!(linked.count(), *links, "{file} compact");
        }
    }
}

#[test]
fn every_link_keeps_the_climb_the_slope_limit_and_the_corners() {
    for file in ["nav_test", "dungeon", "undulating"] {
        let Some(level) = level_of(file) else { return };
        let map = voxelise(&level, &recast(), &Progress::new()).unwrap();
        let ground = &map.ground;
        let mut diagonals = 0;
        for (from, links) in (0_u32..).zip(&ground.links) {
            let cell = ground.cells[from as usize];
            assert!(cell.slope <= 45.0 && cell.speed_up > 0.0 && cell.speed_down > 0.0);
            for (step, &to) in links.iter().enumerate().filter(|&(_, &to)| to != NONE) {
                let other = ground.cells[to as usize];
                let moved = [0, 1].map(|axis| other.column[axis] as i32 - cell.column[axis] as i32);
                assert_eq!(moved, STEPS[step]);
                assert!((other.height - cell.height).abs() <= 0.8 + 1e-4, "{file}");
                assert_eq!(ground.links[to as usize][(step + 4) % 8], from, "{file}: links lead back");
                if step % 2 == 1 {
                    let corners = [links[step - 1], links[(step + 1) % 8]];
                    assert!(
                        corners.iter().all(|&corner| corner != NONE && ground.links[corner as usize].contains(&to))
                    );
                    diagonals += 1;
                }
            }
        }
        println!("{file}: {} cells, {diagonals} diagonal links", ground.cells.len());
        assert!(diagonals > ground.cells.len());
    }
}

/// Returns the cells more than `border` m from the edge of a level that is `size` m square.
fn interior(map: &VoxelMap, size: f64, border: f64) -> impl Iterator<Item = &crate::navigation::Cell> {
    let within = move |at: u32| (border..size - border).contains(&((f64::from(at) + 0.5) * map.settings.cell));
    map.ground.cells.iter().filter(move |cell| cell.column.into_iter().all(within))
}

#[test]
fn the_slope_of_a_ramp_is_correct_and_the_limit_separates_walkable_from_steep() {
    let settings = VoxelSettings { climb: 0.6, ..recast() };
    for angle in [0.0_f32, 5.0, 17.3, 30.0, 40.0, 44.5, 45.5, 60.0] {
        for yaw in [0.0_f32, 15.0, 30.0, 45.0] {
            let (along, rise) = (yaw.to_radians(), angle.to_radians().tan());
            let level = terrain(12.0, 1.0, |x, z| rise * (x * along.cos() + z * along.sin()));
            let map = voxelise(&level, &settings, &Progress::new()).unwrap();
            let inside: Vec<_> = interior(&map, 12.0, 1.5).collect();
            if angle > 45.0 {
                assert!(map.ground.cells.is_empty(), "{angle} {yaw}");
                continue;
            }
            assert_eq!(inside.len(), 30 * 30, "{angle} {yaw}");
            for cell in inside {
                assert!((cell.slope - angle).abs() <= 0.2, "{} for {angle}", cell.slope);
                let [x, z] = cell.column.map(|at| (f64::from(at) + 0.5) * 0.3);
                let surface = f64::from(rise) * (x * f64::from(along.cos()) + z * f64::from(along.sin()));
                assert!((cell.height - surface).abs() < 1e-3, "{} for {surface}", cell.height);
            }
        }
    }
}

#[test]
fn a_too_small_climb_gives_a_warning_and_only_then() {
    let level = terrain(6.0, 1.0, |_, _| 0.0);
    let warnings = |settings: &VoxelSettings| {
        voxelise(&level, settings, &Progress::new())
            .unwrap()
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert!(warnings(&VoxelSettings::default()).is_empty());
    assert!(warnings(&VoxelSettings { climb: 0.6, ..recast() }).is_empty());
    let found = warnings(&VoxelSettings { climb: 0.4, ..recast() });
    assert!(found.len() == 1 && found[0].contains("0.60 m") && found[0].contains("34°"), "{found:?}");
    let found = warnings(&VoxelSettings { climb: 0.05, slope_limit: 0.0, ..recast() });
    assert!(found.len() == 1 && found[0].contains("no step"), "{found:?}");
    let found = warnings(&VoxelSettings { radius: 0.1, ..recast() });
    assert!(found.len() == 1 && found[0].contains("narrow"), "{found:?}");
}

/// Returns `floors` squares on top of each other, `apart` m.
fn tower(floors: u32, apart: f32) -> Level {
    let corner = |x: f32, z: f32| move |floor: u32| Vec3::new(x, floor as f32 * apart, z);
    let square = [corner(0.0, 0.0), corner(0.0, 9.0), corner(9.0, 9.0), corner(9.0, 0.0)];
    let points =
        (0..floors).flat_map(|floor| square.iter().map(move |corner| corner(floor)).collect::<Vec<_>>()).collect();
    let triangles = (0..floors).flat_map(|i| [[4 * i, 4 * i + 1, 4 * i + 2], [4 * i, 4 * i + 2, 4 * i + 3]]);
    Level::of_mesh("tower", points, triangles)
}

#[test]
fn bad_levels_are_rejected_with_a_sentence() {
    let flat = terrain(6.0, 1.0, |_, _| 0.0);
    let with = |point: Vec3| {
        let mut level = flat.clone();
        level.points[0] = point;
        level
    };
    let mut torn = flat.clone();
    torn.triangles[3].corners[1] = 4_000_000;
    let cases = [
        (Level::default(), "no faces"),
        (with(Vec3::new(f32::NAN, 0.0, 0.0)), "\"terrain\" is not a finite number"),
        (with(Vec3::new(0.0, f32::INFINITY, 0.0)), "\"terrain\" is not a finite number"),
        (torn, "does not exist"),
        (Level::of_mesh("dot", vec![Vec3::ONE], [[0, 0, 0]]), "smaller than one voxel"),
        (terrain(20_000.0, 1_000.0, |_, _| 0.0), "20000 m × 20000 m"),
        (with(Vec3::new(-3e38, 0.0, 3e38)), "spans 3e35 km"),
        (terrain(40_000.0, 1_000.0, |_, _| 0.0), "spans 40 km"),
        (with(Vec3::new(0.0, 14_000.0, 0.0)), "14000 m tall"),
        (tower(300, 3.0), "300 floors"),
        (tower(63, 3.0), "63 floors"),
    ];
    for (level, words) in cases {
        let sentence = voxelise(&level, &recast(), &Progress::new()).unwrap_err().to_string();
        assert!(sentence.contains(words), "{sentence}");
    }
    assert_eq!(voxelise(&tower(62, 3.0), &recast(), &Progress::new()).unwrap().ground.cells.len(), 62 * 24 * 24);
    let advised = voxelise(&terrain(20_000.0, 1_000.0, |_, _| 0.0), &recast(), &Progress::new()).unwrap_err();
    assert!(matches!(advised, VoxelError::TooWide { fits, .. } if fits > 7.0 && fits < 7.2), "{advised}");
}

/// Asserts that each of the settings is refused with a sentence that contains the words.
fn assert_refused<'w>(level: &Level, cases: impl IntoIterator<Item = (VoxelSettings, &'w str)>) {
    for (settings, words) in cases {
        let sentence = voxelise(level, &settings, &Progress::new()).unwrap_err().to_string();
        assert!(sentence.contains(words), "{sentence}");
    }
}

#[test]
fn bad_settings_are_rejected_with_a_sentence() {
    let level = terrain(6.0, 1.0, |_, _| 0.0);
    let prism = |outline: &[[f64; 2]]| VolumeShape::Prism { outline: outline.to_vec(), low: 0.0, high: 1.0 };
    let volume = |shape, effect| vec![Volume { name: "pit".into(), shape, effect }];
    let bowtie = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
    let star: Vec<[f64; 2]> = (0..5).map(|i| (f64::from(i) * 0.8 * std::f64::consts::PI).sin_cos().into()).collect();
    let bent = [[0.0, 0.0], [2.0, 0.0], [0.5, 0.5], [0.0, 2.0]];
    let flat_box = VolumeShape::Box { low: [0.0; 3], high: [1.0, -1.0, 1.0] };
    let nan_box = VolumeShape::Box { low: [0.0; 3], high: [1.0, f64::NAN, 1.0] };
    let good = || prism(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]);
    let drawn = |points: &[[f64; 2]]| SpeedCurve { points: points.to_vec() };
    let base = VoxelSettings::default;
    let cases = [
        (VoxelSettings { cell: 0.0, ..base() }, "voxel size is 0 m. Set it between 0.01 m and 10 m."),
        (VoxelSettings { cell: f64::NAN, ..base() }, "voxel size is NaN m"),
        (VoxelSettings { cell_height: -1.0, ..base() }, "voxel height is -1 m"),
        (VoxelSettings { radius: 1e9, ..base() }, "character radius is 1000000000 m"),
        (VoxelSettings { height: 0.0, ..base() }, "character height is 0 m. Set it between 0.1 m and 25 m."),
        (VoxelSettings { climb: f64::INFINITY, ..base() }, "step height is inf m"),
        (VoxelSettings { slope_limit: 90.0, ..base() }, "slope limit is 90 degrees"),
        (VoxelSettings { speed_up: drawn(&[]), ..base() }, "uphill speed curve has no points"),
        (VoxelSettings { speed_up: drawn(&[[0.0, 0.0]]), ..base() }, "has 0 m/s at 0 degrees; speeds must be above 0"),
        (VoxelSettings { speed_up: drawn(&[[0.0, f64::NAN]]), ..base() }, "has NaN m/s at 0 degrees"),
        (VoxelSettings { speed_down: drawn(&[[95.0, 1.0]]), ..base() }, "downhill speed curve has a point outside"),
        (VoxelSettings { speed_down: drawn(&[[9.0, 1.0], [9.0, 2.0]]), ..base() }, "out of order"),
        (VoxelSettings { volumes: volume(flat_box, Effect::Blocked), ..base() }, "\"pit\" has no volume"),
        (VoxelSettings { volumes: volume(nan_box, Effect::Blocked), ..base() }, "not a finite number"),
        (VoxelSettings { volumes: volume(prism(&bowtie), Effect::Blocked), ..base() }, "concave"),
        (VoxelSettings { volumes: volume(prism(&star), Effect::Blocked), ..base() }, "concave"),
        (VoxelSettings { volumes: volume(prism(&bent), Effect::Blocked), ..base() }, "concave"),
        (VoxelSettings { volumes: volume(prism(&bent[..2]), Effect::Blocked), ..base() }, "no volume"),
        (
            VoxelSettings { volumes: volume(good(), Effect::Speed(0.0)), ..base() },
            "factor of the area \"pit\" is 0. Set it between 0.01 and 100, or block",
        ),
    ];
    assert_refused(&level, cases);
    assert!(
        voxelise(&level, &VoxelSettings { volumes: volume(good(), Effect::Blocked), ..base() }, &Progress::new())
            .is_ok()
    );
}

#[test]
fn bad_surfaces_and_painted_areas_are_rejected_with_a_sentence() {
    let volume = |shape, effect| vec![Volume { name: "pit".into(), shape, effect }];
    let stroke = |points: &[[f64; 3]], radius: f64| AreaStroke { points: points.to_vec(), radius };
    let painted = |strokes: Vec<AreaStroke>| volume(VolumeShape::Painted { strokes }, Effect::Blocked);
    let base = VoxelSettings::default;
    let cases = [
        (
            VoxelSettings {
                surfaces: vec![SurfaceRule { name: "mud".into(), effect: Effect::Speed(101.0) }],
                ..base()
            },
            "factor of the surface \"mud\" is 101. Set it between 0.01 and 100, or block",
        ),
        (VoxelSettings { volumes: painted(vec![]), ..base() }, "\"pit\" is empty"),
        (VoxelSettings { volumes: painted(vec![stroke(&[], 1.0)]), ..base() }, "\"pit\" is empty"),
        (
            VoxelSettings { volumes: painted(vec![stroke(&[[0.0, f64::NAN, 0.0]], 1.0)]), ..base() },
            "not a finite number",
        ),
        (
            VoxelSettings { volumes: painted(vec![stroke(&[[0.0; 3]], 0.04)]), ..base() },
            "brush of the area \"pit\" is 0.04 m",
        ),
        (
            VoxelSettings { volumes: painted(vec![stroke(&[[0.0; 3]], 101.0)]), ..base() },
            "brush of the area \"pit\" is 101 m",
        ),
    ];
    assert_refused(&terrain(6.0, 1.0, |_, _| 0.0), cases);
}

#[test]
fn the_ends_of_each_range_are_accepted_and_values_beyond_are_refused() {
    let level = terrain(30.0, 1.0, |_, _| 0.0);
    type Set = fn(&mut VoxelSettings, f64);
    let base = VoxelSettings { cell: 0.3, cell_height: 0.2, ..VoxelSettings::default() };
    let rows: [(&str, Set, [f64; 2]); 5] = [
        ("voxel height", |settings, value| settings.cell_height = value, [0.01, 10.0]),
        ("character radius", |settings, value| settings.radius = value, [0.0, 36.0]),
        ("character height", |settings, value| settings.height = value, [0.2, 50.0]),
        ("step height", |settings, value| settings.climb = value, [0.0, 50.0]),
        ("slope limit", |settings, value| settings.slope_limit = value, [0.0, 89.9]),
    ];
    let answer = |set: Set, value: f64| {
        let mut settings = base.clone();
        set(&mut settings, value);
        // A voxel of 1 cm or 10 m needs a character that is as small or as tall.
        if !(1.0..=250.0).contains(&(settings.height / settings.cell_height))
            && settings.cell_height != base.cell_height
        {
            settings.height = settings.cell_height.abs();
            settings.climb = 0.0;
        }
        voxelise(&level, &settings, &Progress::new()).map(|_| ())
    };
    for (name, set, [low, high]) in rows {
        assert_eq!([answer(set, low), answer(set, high)], [Ok(()), Ok(())], "{name}");
        for value in [low - 1e-3, high + 1e-3] {
            let error = answer(set, value).unwrap_err();
            let VoxelError::Setting { name: refused, .. } = &error else { panic!("{name} {value}: {error:?}") };
            assert_eq!(refused.to_string(), name, "{value}");
        }
    }
    let cell = |cell: f64| {
        let radius = base.radius.min(120.0 * cell);
        voxelise(&terrain(10.0, 1.0, |_, _| 0.0), &VoxelSettings { cell, radius, ..base.clone() }, &Progress::new())
    };
    assert!(cell(10.0).is_ok() && cell(10.001).is_err() && cell(0.009).is_err());
}

#[test]
fn a_level_with_too_many_spans_is_refused() {
    // 900 × 900 columns with ten floors.
    let fine = VoxelSettings { cell: 0.01, cell_height: 0.01, ..recast() };
    let refused = voxelise(&tower(10, 3.0), &fine, &Progress::new());
    assert!(matches!(refused, Err(VoxelError::TooManySpans { most: 8_000_000, cell: 0.01 })), "{:?}", refused.err());
}

#[test]
fn a_cancelled_worker_stops() {
    let progress = Progress::new();
    progress.cancel();
    let stopped = voxelise(&terrain(6.0, 1.0, |_, _| 0.0), &recast(), &progress);
    assert!(matches!(stopped, Err(VoxelError::Cancelled(_))));
}

#[test]
fn faces_that_all_look_down_give_a_warning() {
    let mut level = terrain(6.0, 1.0, |_, _| 0.0);
    level.triangles.iter_mut().for_each(|face| face.corners.swap(0, 1));
    let map = voxelise(&level, &recast(), &Progress::new()).unwrap();
    assert!(
        map.ground.cells.is_empty() && map.warnings[0].to_string().contains("check the face normals"),
        "{:?}",
        map.warnings
    );
    assert!(reason_at(&map, DVec3::new(3.0, 0.0, 3.0)).to_string().contains("looks down"));
}

#[test]
fn volumes_and_surfaces_block_and_slow_exactly_the_ground_inside() {
    let mut level = terrain(12.0, 1.0, |_, _| 0.0);
    level.areas = vec!["grass".into(), "mud".into()];
    let points = level.points.clone();
    for face in &mut level.triangles {
        face.area = Some(u32::from(face.corners.iter().all(|&corner| points[corner as usize].x >= 6.0)));
    }
    let pond = VolumeShape::Box { low: [3.0, -1.0, 3.0], high: [4.5, 1.0, 4.5] };
    let path =
        VolumeShape::Prism { outline: vec![[0.0, 6.0], [12.0, 6.0], [12.0, 9.0], [0.0, 9.0]], low: -1.0, high: 1.0 };
    let settings = VoxelSettings {
        radius: 0.0,
        speed_up: SpeedCurve::constant(2.0),
        speed_down: SpeedCurve::constant(3.0),
        volumes: vec![
            Volume { name: "pond".into(), shape: pond, effect: Effect::Blocked },
            Volume { name: "path".into(), shape: path, effect: Effect::Speed(2.0) },
        ],
        surfaces: vec![SurfaceRule { name: "mud".into(), effect: Effect::Speed(0.25) }],
        ..recast()
    };
    let map = voxelise(&level, &settings, &Progress::new()).unwrap();
    let out = map.spans.iter().filter(|span| span.state == State::Blocked).count();
    assert_eq!(out, 5 * 5);
    for cell in &map.ground.cells {
        let [x, z] = cell.column.map(|at| (f64::from(at) + 0.5) * 0.3);
        let factor = if x > 6.0 { 0.25 } else { 1.0 } * if z > 6.0 && z < 9.0 { 2.0 } else { 1.0 };
        assert_eq!((cell.speed_up, cell.speed_down), ((2.0 * factor) as f32, (3.0 * factor) as f32), "{x} {z}");
    }
    let reason = reason_at(&map, DVec3::new(3.7, 0.0, 3.7));
    assert_eq!(reason, Reason::Blocked { volume: Some("pond".into()) });
    let blocked =
        VoxelSettings { surfaces: vec![SurfaceRule { name: "mud".into(), effect: Effect::Blocked }], ..recast() };
    let map = voxelise(&level, &blocked, &Progress::new()).unwrap();
    assert!(map.ground.cells.iter().all(|cell| cell.column[0] < 20) && !map.ground.cells.is_empty());
    assert_eq!(reason_at(&map, DVec3::new(9.0, 0.0, 6.0)), Reason::Blocked { volume: None });
}

/// Returns eight steps of 4 m width that rise by `riser` and are `tread` deep, metres, between two floors.
fn stairs(riser: f32, tread: f32) -> Level {
    let edge = |height: f32, z: f32| [Vec3::new(-2.0, height, z), Vec3::new(2.0, height, z)];
    let steps = (0..8u8)
        .map(f32::from)
        .flat_map(|step| [edge(step * riser, step * tread), edge((step + 1.0) * riser, step * tread)]);
    let (start, end) = (edge(0.0, -5.0), edge(8.0 * riser, 7.0 * tread + 5.0));
    let points: Vec<Vec3> = std::iter::once(start).chain(steps).chain([end]).flatten().collect();
    let quads = (0..points.len() as u32 - 2).step_by(2);
    let triangles = quads.flat_map(|left| [[left, left + 2, left + 1], [left + 1, left + 2, left + 3]]);
    Level::of_mesh("stairs", points, triangles)
}

#[test]
fn stairs_with_treads_shorter_than_two_voxels_are_reported_and_only_those() {
    for (riser, tread, is_reported) in
        [(0.15, 0.3, false), (0.25, 0.3, true), (0.3, 0.3, true), (0.3, 0.8, false), (0.55, 0.3, false)]
    {
        let map = voxelise(&stairs(riser, tread), &VoxelSettings::default(), &Progress::new()).unwrap();
        let reported = short_treads(&map);
        assert_eq!(reported.is_some(), is_reported, "{riser} {tread}: {reported:?}");
    }
}

#[test]
fn ledges_are_reported_exactly_where_recast_finds_them() {
    let Some(level) = level_of("nav_test") else { return };
    let map = voxelise(&level, &recast(), &Progress::new()).unwrap();
    let mut ledges = 0;
    for column in 0..map.starts.len() - 1 {
        for index in map.range(column) {
            let found = reasons::neighbour_steps(&map, column, index).is_none_or(|steps| reasons::is_ledge(&steps, 4));
            match map.spans[index].state {
                State::Ledge => assert!(found),
                State::Walkable | State::Radius => assert!(!found),
                State::Steep | State::Ceiling | State::Blocked => continue,
            }
            ledges += usize::from(found);
        }
    }
    println!("{ledges} ledges");
    assert!(ledges > 1000);
}

/// Returns a slightly smaller change.
fn less(change: SettingChange, settings: &VoxelSettings) -> SettingChange {
    match change {
        SettingChange::SlopeLimit(degrees) => SettingChange::SlopeLimit(degrees - 0.2),
        SettingChange::Height(metres) => SettingChange::Height(metres + settings.cell_height),
        SettingChange::Climb(metres) => SettingChange::Climb(metres - settings.cell_height),
        SettingChange::Radius(metres) => SettingChange::Radius(metres + settings.cell),
    }
}

#[test]
fn the_suggested_change_removes_the_reason_and_a_smaller_one_does_not() {
    let Some(level) = level_of("nav_test") else { return };
    let map = voxelise(&level, &recast(), &Progress::new()).unwrap();
    for state in [State::Steep, State::Ceiling, State::Ledge, State::Radius] {
        let columns = 0..map.starts.len() - 1;
        let spans_of_columns = columns.flat_map(|column| map.range(column).map(move |index| (column, index)));
        let here = spans_of_columns.filter(|&(_, index)| map.spans[index].state == state);
        let asked = here.filter_map(|(column, index)| {
            reasons::reason(&map, column, index).change().map(|change| (column, index, change))
        });
        let asked: Vec<_> = asked.collect();
        println!("{state:?}: {} with a remedy", asked.len());
        assert!(asked.len() >= 12, "{state:?}");
        for &(column, index, change) in asked.iter().step_by(asked.len() / 12) {
            let span = map.spans[index];
            let after = |change: SettingChange| {
                let mut settings = recast();
                change.apply(&mut settings);
                let map = voxelise(&level, &settings, &Progress::new()).unwrap();
                map.column(column).iter().find(|other| other.high == span.high).map(|other| other.state)
            };
            assert_ne!(after(change), Some(state), "{change}");
            assert_eq!(after(less(change, &recast())), Some(state), "{change}");
        }
    }
}

#[test]
fn what_bars_a_line_is_named_with_the_changes_that_open_it() {
    let level = terrain(12.0, 0.25, |x, _| if x > 6.0 { 1.6 } else { 0.0 });
    let map = voxelise(&level, &recast(), &Progress::new()).unwrap();
    let [near, far] = [DVec3::new(2.0, 0.0, 6.0), DVec3::new(10.0, 1.6, 6.0)];
    let obstacle = obstacle_between(&map, [near, far]).unwrap();
    assert!((5.0..7.0).contains(&obstacle.at.x) && !matches!(obstacle.reason, Reason::Radius { .. }), "{obstacle:?}");
    assert_eq!(obstacle_between(&map, [near, near + DVec3::X]), None);
    let changes = changes_between(&level, &map, [near, far], &Progress::new()).unwrap().unwrap();
    let mut settings = recast();
    changes.iter().for_each(|change| change.apply(&mut settings));
    let open = voxelise(&level, &settings, &Progress::new()).unwrap();
    assert_eq!(obstacle_between(&open, [near, far]), None, "{changes:?}");
}

#[test]
fn successive_changes_are_found_for_several_reasons() {
    let settings = VoxelSettings { climb: 0.4, ..recast() };
    let level = terrain(12.0, 1.0, |x, _| x * 50.0_f32.to_radians().tan());
    let map = voxelise(&level, &settings, &Progress::new()).unwrap();
    let point = DVec3::new(6.0, 6.0 * 50.0_f64.to_radians().tan(), 6.0);
    let changes = suggested_changes(&level, &map, point, &Progress::new()).unwrap().unwrap();
    assert!(
        matches!(changes[..], [SettingChange::SlopeLimit(limit), SettingChange::Climb(climb)] if limit < 50.2 && climb < 1.0),
        "{changes:?}"
    );
    let [outside, end] = [DVec3::new(-1.0, 0.0, 0.0), DVec3::new(0.1, 0.0, 6.0)];
    assert_eq!(reason_at(&map, outside), Reason::Outside);
    assert_eq!(suggested_changes(&level, &map, end, &Progress::new()).unwrap(), None);
}
