use super::*;
use crate::looping::cloth::shown_cloth;
use portamento_dynamics::cloth::ClothShape;

/// Returns a session with a flag whose fade position can be painted.
fn with_flag() -> Session {
    let mut session = shown_cloth(ClothShape::Flag);
    session.update(0.0, true);
    session.selection.painting.target = Some(PaintTarget::Weights);
    session
}

/// Returns a ray that hits the shown vertex from the front.
fn towards(session: &Session, vertex: usize) -> Aim {
    let Some(Surface::Mesh(mesh)) = session.canvas().surface() else { panic!("a mesh") };
    let at = session.canvas().shown_positions(&mesh).unwrap()[vertex];
    // Slightly offset to avoid hitting an edge exactly.
    Aim::Ray { origin: at + Vec3::new(0.001, 0.001, 3.0), direction: Vec3::NEG_Z }
}

/// Applies one dab with those keys at `vertex`.
fn dab(session: &mut Session, vertex: usize, keys: StrokeKeys) {
    let aim = towards(session, vertex);
    session.easel().aim(Some(aim));
    assert!(session.easel().begin(keys));
    session.easel().go_to(&StrokePoint { at: Vec2::ZERO, points_per_unit: 100.0, aim: &move |_| aim }, keys);
}

fn weights(session: &Session) -> Vec<f32> {
    session.canvas().weights(session.canvas().surface().unwrap().units()).unwrap()
}

#[test]
fn a_fast_stroke_leaves_no_gaps_and_a_slow_one_adds_no_extra_dabs() {
    let at = |x: f32| Vec2::new(x, 0.0);
    assert_eq!(dab_positions_towards(None, at(7.0), 10.0), [at(7.0)]);
    assert_eq!(dab_positions_towards(Some(at(0.0)), at(9.0), 10.0), []);
    assert_eq!(dab_positions_towards(Some(at(0.0)), at(35.0), 10.0), [at(10.0), at(20.0), at(30.0)]);
    assert_eq!(dab_positions_towards(Some(at(0.0)), at(0.0), 0.0), []);
}

#[test]
fn the_brush_reads_what_it_painted_and_paints_only_within_its_radius() {
    let mut session = with_flag();
    let middle = weights(&session).len() / 2 + 3;
    dab(&mut session, middle, StrokeKeys::default());
    session.easel().end("");
    let aim = towards(&session, middle);
    session.easel().aim(Some(aim));
    let spot = *session.painter.spot(&session.selection.painting).unwrap();
    assert!(spot.value > 0.6 && spot.normal.z.abs() > 0.1, "{spot:?}");
    let Some(Surface::Mesh(mesh)) = session.canvas().surface() else { panic!("a mesh") };
    let radius = session.selection.painting.brush.radius;
    let positions = session.canvas().shown_positions(&mesh).unwrap();
    for (weight, position) in weights(&session).iter().zip(positions.iter()) {
        let is_near = position.distance(spot.at.as_vec3()) < radius;
        assert!(is_near || *weight == 0.5, "{weight} at {position}");
    }
}

#[test]
fn keys_subtract_and_smooth_and_a_cancelled_stroke_leaves_nothing() {
    let mut session = with_flag();
    let middle = weights(&session).len() / 2 + 3;
    let inverts = StrokeKeys { inverts: true, smooths: true };
    dab(&mut session, middle, inverts);
    assert!(weights(&session).iter().any(|&weight| weight < 0.4));
    session.easel().give_up();
    assert!(session.canvas().stored_paint().unwrap().is_empty());
    dab(&mut session, middle, StrokeKeys::default());
    session.easel().end("");
    let before = weights(&session);
    dab(&mut session, middle, StrokeKeys { inverts: false, smooths: true });
    session.easel().end("");
    let highest = |weights: &[f32]| weights.iter().copied().fold(0.0, f32::max);
    assert!(highest(&weights(&session)) < highest(&before));
}

#[test]
fn a_gradient_rises_from_where_it_was_pressed() {
    let mut session = with_flag();
    session.selection.painting.tool = Tool::Gradient;
    let Some(Surface::Mesh(mesh)) = session.canvas().surface() else { panic!("a mesh") };
    let positions = session.canvas().shown_positions(&mesh).unwrap();
    let by_x = |a: &usize, b: &usize| positions[*a].x.total_cmp(&positions[*b].x);
    let first = (0..positions.len()).filter(|&i| positions[i].y < 1.9).min_by(by_x).unwrap();
    dab(&mut session, first, StrokeKeys::default());
    let start = session.painter.gradient_start().unwrap();
    assert!(start.distance(positions[first]) < 0.2);
    let last = (0..positions.len()).filter(|&i| positions[i].y < 1.9).max_by(by_x).unwrap();
    let aim = towards(&session, last - 1);
    session.easel().aim(Some(aim));
    let to = StrokePoint { at: Vec2::X, points_per_unit: 100.0, aim: &move |_| aim };
    session.easel().go_to(&to, StrokeKeys::default());
    session.easel().end("");
    let weights = weights(&session);
    assert!(weights[first] < 0.05 && weights[last] > 0.9, "{} {}", weights[first], weights[last]);
    assert_eq!(session.painter.gradient_start(), None);
}

#[test]
fn a_gradient_may_begin_and_end_off_the_mesh() {
    let mut session = with_flag();
    session.selection.painting.tool = Tool::Gradient;
    let Some(Surface::Mesh(mesh)) = session.canvas().surface() else { panic!("a mesh") };
    let positions = session.canvas().shown_positions(&mesh).unwrap();
    let ends = Bounds::around(positions.iter().copied()).unwrap();
    let ray_at = |x: f32| Aim::Ray { origin: Vec3::new(x, ends.center().y, 3.0), direction: Vec3::NEG_Z };
    let to = |session: &mut Session, aim: Aim| {
        session.easel().aim(Some(aim));
        assert!(session.painter.spot(&session.selection.painting).is_none());
    };
    to(&mut session, ray_at(ends.low.x - 0.2));
    assert!(session.easel().begin(StrokeKeys::default()));
    for x in [ends.low.x - 0.2, ends.high.x + 0.2] {
        let aim = ray_at(x);
        to(&mut session, aim);
        let point = StrokePoint { at: Vec2::ZERO, points_per_unit: 100.0, aim: &move |_| aim };
        session.easel().go_to(&point, StrokeKeys::default());
    }
    assert!((session.painter.gradient_start().unwrap().z - ends.center().z).abs() < 1e-5);
    session.easel().end("");
    let weights = weights(&session);
    let rises = positions.iter().zip(&weights).all(|(a, weight)| {
        positions.iter().zip(&weights).all(|(b, other)| a.x > b.x - 1e-6 || weight <= &(other + 1e-6))
    });
    assert!(rises, "weights rise with x");
    let (low, high) = weights.iter().fold((1.0_f32, 0.0_f32), |(low, high), &w| (low.min(w), high.max(w)));
    assert!(low > 0.0 && low < 0.2 && high < 1.0 && high > 0.8, "{low} {high}");
}

#[test]
fn no_stroke_begins_off_the_surface_or_without_a_target() {
    let mut session = with_flag();
    session.easel().aim(Some(Aim::Ray { origin: Vec3::splat(90.0), direction: Vec3::Z }));
    assert!(
        session.painter.spot(&session.selection.painting).is_none() && !session.easel().begin(StrokeKeys::default())
    );
    let aim = towards(&session, 4);
    session.selection.painting.target = None;
    session.easel().aim(Some(aim));
    assert!(
        session.painter.spot(&session.selection.painting).is_none() && !session.easel().begin(StrokeKeys::default())
    );
}

#[test]
fn the_first_pixel_of_an_image_is_painted_up_to_its_edges() {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let mut session = Session::inline();
    let project = folder.path().join("samples.portamento");
    session.perform(crate::Command::File(crate::FileCommand::Open(vec![project])));
    let flame = session.document.takes.iter().find(|take| take.name == "flame").unwrap().id;
    session.selection.shown = crate::Shown::Take(flame);
    session.selection.painting.target = Some(PaintTarget::Weights);
    session.update(0.0, true);
    let mut unit_at = |x: f32, y: f32| {
        session.easel().aim(Some(Aim::Pixel(Vec2::new(x, y))));
        session.painter.spot(&session.selection.painting).map(|spot| spot.unit)
    };
    assert_eq!([unit_at(0.1, 0.1), unit_at(1.1, 0.1), unit_at(-0.1, 0.1)], [Some(0), Some(1), None]);
    assert_eq!(unit_at(0.1, -0.1), None);
}
