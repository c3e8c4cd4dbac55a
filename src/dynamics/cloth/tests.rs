//! Tests of shapes; those of meshes are in [`super::mesh`].

use super::*;

fn small(shape: ClothShape) -> Settings {
    Settings { shape, columns: 12, rows: 8, frames: 61, pre_roll: 1.0, top: 0.0, ..Settings::default() }
}

fn run(settings: &Settings) -> VertexClip {
    build(settings, None, &Progress::new()).unwrap().clip
}

fn motion(clip: &VertexClip) -> f32 {
    let last = clip.frames() - 1;
    let moved = (0..clip.vertices).map(|i| clip.frame(last)[i].distance(clip.frame(last - 1)[i]));
    moved.fold(0.0, f32::max)
}

#[test]
fn every_shape_moves_in_the_wind_keeps_its_pins_and_hardly_stretches() {
    for shape in [ClothShape::Flag, ClothShape::Strip, ClothShape::Cape] {
        let fine = Settings { columns: 20, rows: 14, ..small(shape) };
        let behind = Settings { wind: [0.0, 0.0, -8.0], ..small(shape) };
        for settings in [small(shape), behind, fine] {
            let clip = run(&settings);
            assert_eq!((clip.frames(), clip.vertices), (61, (settings.columns + 1) * (settings.rows + 1)));
            let body = ClothBody::new(&settings).unwrap();
            for frame in 0..61 {
                for i in (0..clip.vertices).filter(|&i| body.pinned[i]) {
                    assert_eq!(clip.frame(frame)[i], body.points[i].as_vec3());
                }
            }
            assert!(motion(&clip) > 1e-3, "{shape:?} moves");
            let stretch = greatest_stretch(&clip, &settings, None).unwrap();
            println!("{shape:?} of {} columns stretches to {stretch:.3}", settings.columns);
            assert!(stretch < 1.06, "{settings:?} {stretch}");
            assert!(clip.clone().with_faces(clip.faces.clone()).is_ok());
        }
    }
}

#[test]
fn equal_seeds_give_equal_bits_and_other_seeds_other_gusts() {
    let settings = small(ClothShape::Flag);
    assert_eq!(run(&settings), run(&settings));
    assert_ne!(run(&settings), run(&Settings { seed: 2, ..settings }));
}

#[test]
fn the_height_above_ground_does_not_change_the_motion() {
    let (low, high) = (small(ClothShape::Flag), Settings { top: 2.0, ..small(ClothShape::Flag) });
    for (low, high) in run(&low).positions.iter().zip(&run(&high).positions) {
        assert!((*low + Vec3::Y * 2.0).abs_diff_eq(*high, 1e-6));
    }
}

#[test]
fn without_wind_a_strip_comes_to_rest_hanging_down() {
    let settings = Settings { wind: [0.0; 3], pre_roll: 12.0, drag: 2.0, frames: 2, ..small(ClothShape::Strip) };
    let clip = run(&settings);
    assert!(motion(&clip) < 1e-3, "{}", motion(&clip));
    let lowest = clip.frame(1).iter().map(|point| point.y).fold(f32::MAX, f32::min);
    assert!((lowest + 1.0).abs() < 0.05, "{lowest}");
}

#[test]
fn a_cape_stays_outside_the_body() {
    let settings = Settings { wind: [0.0, 0.0, 8.0], ..small(ClothShape::Cape) };
    let radius = ClothBody::new(&settings).unwrap().obstacle.unwrap() as f32;
    assert!(run(&settings).positions.iter().all(|point| point.x.hypot(point.z) >= radius - 1e-4));
}

#[test]
fn settings_in_range_stay_finite_and_others_are_refused() {
    let wild = Settings {
        wind: [100.0, -100.0, 100.0],
        gusts: 2.0,
        weight: 0.01,
        steps: 1,
        fps: 1.0,
        stretch: 0.0,
        bend: 0.0,
        frames: 20,
        ..small(ClothShape::Flag)
    };
    assert!(run(&wild).positions.iter().all(|point| point.is_finite()));
    assert!(
        run(&Settings { columns: 1, rows: 1, frames: 3, ..wild.clone() })
            .positions
            .iter()
            .all(|point| point.is_finite())
    );
    for broken in [
        Settings { width: f64::NAN, ..wild.clone() },
        Settings { fps: 0.0, ..wild.clone() },
        Settings { columns: 0, ..wild },
    ] {
        assert!(matches!(build(&broken, None, &Progress::new()), Err(BuildError::OutOfRange { .. })));
    }
    let vast = Settings { columns: 200, rows: 200, frames: 20_000, ..small(ClothShape::Flag) };
    let refused = build(&vast, None, &Progress::new()).unwrap_err().to_string();
    assert!(refused.contains("20000 frames of 40401 vertices need 9.7 GB"), "{refused}");
    let progress = Progress::new();
    progress.cancel();
    assert!(matches!(build(&small(ClothShape::Flag), None, &progress), Err(BuildError::Cancelled(_))));
}

/// Returns the largest length of an edge relative to its rest length over all frames of `clip`, simulated with the other
/// arguments.
pub(super) fn greatest_stretch(
    clip: &VertexClip,
    settings: &Settings,
    mesh: Option<&ClothMesh<'_>>,
) -> Result<f64, BuildError> {
    let (body, vertices) = vertices::body_and_vertices(settings, mesh)?;
    let (vertex_of, metres) = (vertices.of_points(), vertices.metres_per_unit());
    let longest = |frame: &[Vec3]| {
        let point_at = |point: u32| frame[vertex_of[point as usize]];
        let ratio =
            |edge: &DistanceConstraint| f64::from(point_at(edge.a).distance(point_at(edge.b))) * metres / edge.length;
        body.edges.iter().map(ratio).fold(0.0, f64::max)
    };
    Ok((0..clip.frames()).map(|frame| longest(clip.frame(frame))).fold(0.0, f64::max))
}

impl vertices::Vertices<'_> {
    /// Returns a vertex for each point.
    fn of_points(&self) -> Vec<usize> {
        match self {
            Self::Shape { count, .. } => (0..*count).collect(),
            Self::Mesh { point_of, .. } => {
                let points = point_of.iter().flatten().max().map_or(0, |&last| last as usize + 1);
                let mut vertex_of = vec![0; points];
                point_of.iter().enumerate().filter_map(|(i, point)| Some((i, (*point)?))).for_each(|(i, point)| {
                    vertex_of[point as usize] = i;
                });
                vertex_of
            }
        }
    }

    fn metres_per_unit(&self) -> f64 {
        match self {
            Self::Shape { .. } => 1.0,
            Self::Mesh { mesh, .. } => mesh.metres_per_unit,
        }
    }
}

#[test]
fn every_free_point_is_tethered_to_the_nearest_pin_along_the_surface() {
    let settings = Settings { width: 1.2, height: 0.8, ..small(ClothShape::Flag) };
    let mut body = ClothBody::new(&settings).unwrap();
    // Only one corner is pinned; the geodesic distance to the corner under it is the sheet's height.
    let pinned: Vec<bool> = (0..body.points.len()).map(|i| i == 0).collect();
    assert_eq!(body.pin(pinned), Ok(vec![false; body.points.len()]));
    let bound: Vec<(u32, u32)> = body.tethers.iter().map(|tether| (tether.a, tether.b)).collect();
    assert_eq!(bound, (1..body.points.len() as u32).map(|i| (0, i)).collect::<Vec<_>>());
    let bottom_corner = (settings.rows * (settings.columns + 1)) as u32;
    let length = body.tethers.iter().find(|tether| tether.b == bottom_corner).unwrap().length;
    assert!((length - 0.8).abs() < 1e-6, "{length}");
    assert_eq!(body.pin(vec![false; body.points.len()]), Err(BuildError::NoPins));
}

#[test]
fn the_mass_of_a_cloth_is_its_weight_times_its_area() {
    let settings = Settings { width: 1.5, height: 0.8, weight: 0.3, ..small(ClothShape::Strip) };
    let mass: f64 = ClothBody::new(&settings).unwrap().masses.iter().sum();
    assert!((mass - 0.3 * 1.5 * 0.8).abs() < 1e-9, "{mass}");
}
