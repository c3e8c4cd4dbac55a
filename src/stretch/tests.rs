use super::*;
use glam::{Quat, Vec3};
use portamento_anim::math::Transform;
use portamento_anim::root_motion::world_at;
use portamento_anim::{Curve, Interpolation, JointTracks, Roles, RootMotion};
use portamento_test_support::allocations::allocations;
use portamento_test_support::skeleton_of;

mod feet;
mod preconditions;
mod windows;

/// Returns a root and hips under an armature node that is turned and scaled as exporters do it.
fn rig() -> Skeleton {
    let mut skeleton = skeleton_of(&[("Armature", None), ("root", Some(0)), ("hips", Some(1)), ("hand_r", Some(2))]);
    skeleton.joints[0].rest =
        Transform { rotation: Quat::from_rotation_x(-1.2), scale: Vec3::splat(0.01), ..Transform::IDENTITY };
    skeleton.joints[1].rest.translation = Vec3::ZERO;
    skeleton.joints[2].rest.translation = Vec3::new(0.0, 0.0, 100.0);
    skeleton
}

/// Returns a clip whose root passes `points` (world space) at `rate` keys per second.
fn clip_through(skeleton: &Skeleton, points: &[DVec3], rate: f32) -> Clip {
    let world = skeleton.joints[0].rest.to_affine_f64().inverse();
    let times: Vec<f32> = (0..points.len()).map(|i| i as f32 / rate).collect();
    let values = points.iter().map(|&point| world.transform_point3(point).as_vec3()).collect();
    let duration = f64::from(times[times.len() - 1]);
    let mut clip = Clip { name: "leap".into(), duration, tracks: vec![JointTracks::default(); skeleton.len()] };
    clip.tracks[2].rotation = Some(Curve::linear(vec![0.0, 0.5], vec![Quat::IDENTITY, Quat::from_rotation_z(0.4)]));
    clip.tracks[1].translation = Some(Curve::linear(times, values));
    clip
}

fn leap() -> Vec<DVec3> {
    let rows =
        [[0.0, 0.0], [0.0, 0.0], [0.0, -0.2], [0.5, 0.4], [0.5, 0.4], [0.5, 0.4], [1.5, 0.1], [2.0, 0.0], [2.0, 0.0]];
    rows.map(|[z, y]| DVec3::new(0.1 * z * z, y, z)).to_vec()
}

fn root() -> RootMotion {
    RootMotion { joint: 1, kind: RootKind::Root }
}

fn stretch_as(skeleton: &Skeleton, clip: &Clip, root: RootMotion, settings: &Settings) -> Result<Built, BuildError> {
    let roles = Roles::find(skeleton, std::slice::from_ref(clip));
    let keys = clip.tracks.iter().find_map(|tracks| tracks.translation.as_ref());
    let fps = keys.map_or(30.0, |curve| f64::from(1.0 / curve.times[1]));
    let mesh_joints = &[];
    let input = Input { skeleton, clip, roles: &roles, root, fps, metres_per_unit: 1.0, mesh_joints };
    build(&input, settings, &Progress::new())
}

fn to(x: f64, y: f64, z: f64) -> Settings {
    Settings { target: Some(Target::World(DVec3::new(x, y, z))), ..Settings::default() }
}

#[test]
fn positions_are_those_of_the_first_frame_that_is_not_before_the_time() {
    let skeleton = rig();
    let clip = clip_through(&skeleton, &leap(), 30.0);
    let report = stretch_as(&skeleton, &clip, root(), &to(1.0, 0.5, 6.0)).unwrap().report;
    let (source, stretched) = (&report.source.points, &report.stretched.points);
    for (time, frame) in [(-1.0, 0), (0.0, 0), (report.times[2], 2), (report.times[2] + 0.01, 3)] {
        assert_eq!((report.source_at(time), report.stretched_at(time)), (source[frame], stretched[frame]), "{time}");
    }
    assert_eq!((report.source_at(99.0), report.stretched_at(99.0)), (source[8], DVec3::new(1.0, 0.5, 6.0)));
}

#[test]
fn the_clip_arrives_pauses_stay_and_unchanged_tracks_are_the_sources() {
    let skeleton = rig();
    let clip = clip_through(&skeleton, &leap(), 30.0);
    let built = stretch_as(&skeleton, &clip, root(), &to(1.0, 0.5, 6.0)).unwrap();
    let report = &built.report;
    assert_eq!(report.stretched.points.last(), Some(&DVec3::new(1.0, 0.5, 6.0)));
    assert_eq!(report.stretched.points[0], report.source.points[0]);
    assert!(report.end_error < 1e-6 && report.ratio > 0.0);
    let keys = built.clip().tracks[1].translation.as_ref().unwrap();
    let source = clip.tracks[1].translation.as_ref().unwrap();
    assert_eq!(keys.times, source.times);
    for i in [1, 4, 5, 8] {
        assert_eq!(keys.key(i), keys.key(i - 1), "frame {i}");
        assert!(report.still[i] && report.uniform.points[i] != report.uniform.points[i - 1]);
    }
    let end = world_at(&skeleton, built.clip(), 1, clip.duration).translation;
    assert!(end.abs_diff_eq(DVec3::new(1.0, 0.5, 6.0), 1e-6), "{end}");
    assert!((0..4).filter(|&joint| joint != 1).all(|joint| built.clip().tracks[joint] == clip.tracks[joint]));
}

#[test]
fn a_target_where_the_source_already_ends_gives_the_source_bit_for_bit() {
    let skeleton = rig();
    let clip = clip_through(&skeleton, &leap(), 30.0);
    let end = world_at(&skeleton, &clip, 1, clip.duration).translation;
    for method in [Method::Displacement, Method::Uniform, Method::Shear] {
        let settings = Settings { method, ..to(end.x, end.y, end.z) };
        assert_eq!(stretch_as(&skeleton, &clip, root(), &settings).unwrap().clip(), &clip);
    }
    assert_eq!(stretch_as(&skeleton, &clip, root(), &Settings::default()).unwrap().clip(), &clip);
}

#[test]
fn what_is_sampled_is_what_is_exported() {
    let skeleton = rig();
    let clip = clip_through(&skeleton, &leap(), 30.0);
    let built = stretch_as(&skeleton, &clip, root(), &to(0.0, 0.0, 4.0)).unwrap();
    let mut pose = Pose::rest(&skeleton);
    for time in [0.2, 0.01, 9.0, -1.0, 0.2] {
        built.sample(time, &mut pose);
        assert_eq!(pose, built.clip().pose_at(&skeleton, time));
    }
}

#[test]
fn a_sampled_frame_allocates_nothing() {
    let skeleton = rig();
    let built = stretch_as(&skeleton, &clip_through(&skeleton, &leap(), 30.0), root(), &to(0.0, 0.0, 4.0)).unwrap();
    let mut pose = Pose::rest(&skeleton);
    let count = allocations(|| (0..60).for_each(|step| built.sample(f64::from(step) / 120.0, &mut pose)));
    assert_eq!(count, 0);
}

#[test]
fn an_axis_left_out_keeps_the_sources_values_bit_for_bit() {
    let skeleton = rig();
    let clip = clip_through(&skeleton, &leap(), 30.0);
    let settings = Settings { axes: [true, false, true], measure: LengthMeasure::Horizontal, ..to(2.0, 9.0, 5.0) };
    let report = stretch_as(&skeleton, &clip, root(), &settings).unwrap().report;
    let pairs = || report.stretched.points.iter().zip(&report.source.points);
    assert!(pairs().all(|(stretched, source)| stretched.y == source.y));
    assert!(pairs().any(|(stretched, source)| stretched.z != source.z));
}

#[test]
fn hips_keep_their_height_and_the_target_height_is_ignored() {
    let mut skeleton = rig();
    let standing: Vec<DVec3> = leap().into_iter().map(|point| point + DVec3::Y * 0.93).collect();
    // A parent without rotation preserves every bit. A quarter turn as stored in files is not exact and costs the last f32 step.
    for (tilt, slack) in [(0.0, 0.0), (std::f32::consts::FRAC_PI_2 + 2e-7, 1.3e-7)] {
        skeleton.joints[0].rest = Transform { rotation: Quat::from_rotation_x(tilt), ..Transform::IDENTITY };
        let clip = clip_through(&skeleton, &standing, 30.0);
        let hips = RootMotion { joint: 1, kind: RootKind::HipsGroundPart };
        let built = stretch_as(&skeleton, &clip, hips, &to(0.0, 77.0, 6.0)).unwrap();
        for (i, &time) in built.report.times.iter().enumerate() {
            let height = |clip: &Clip| world_at(&skeleton, clip, 1, time).translation.y;
            let moved = (height(built.clip()) - height(&clip)).abs();
            assert!(moved <= slack, "frame {i}: {moved:e}");
            assert_eq!(built.report.stretched.points[i].y, built.report.source.points[i].y);
        }
        let end = world_at(&skeleton, built.clip(), 1, clip.duration).translation;
        assert!(end.x.abs() < 1e-6 && (end.z - 6.0).abs() < 1e-6);
    }
}

#[test]
fn a_motionless_clip_is_refused_or_distributed_evenly_with_a_warning() {
    let skeleton = rig();
    let clip = clip_through(&skeleton, &[DVec3::X; 5], 30.0);
    let refused = stretch_as(&skeleton, &clip, root(), &to(3.0, 0.0, 0.0));
    assert!(matches!(refused, Err(BuildError::NoMotion { .. })), "{refused:?}");
    let settings = Settings { zero_motion: ZeroMotion::Uniform, ..to(3.0, 0.0, 0.0) };
    let built = stretch_as(&skeleton, &clip, root(), &settings).unwrap();
    assert_eq!(built.report.windows[0].method, Method::Uniform);
    assert_eq!(built.report.warnings[0].kind, WarningKind::SpreadEvenly);
    assert!(built.report.stretched.points.iter().all(|point| point.is_finite()));
    // A source slower than the dead zone counts as motionless too.
    let slow: Vec<DVec3> = (0..5).map(|i| DVec3::X * 0.001 * f64::from(i)).collect();
    let creeping = Settings { dead_zone: 0.1, ..to(3.0, 0.0, 0.0) };
    let refused = stretch_as(&skeleton, &clip_through(&skeleton, &slow, 30.0), root(), &creeping);
    assert!(matches!(refused, Err(BuildError::NoMotion { .. })), "{refused:?}");
}

#[test]
fn a_single_frame_is_refused_and_not_left_where_it_is() {
    let skeleton = rig();
    let mut clip = clip_through(&skeleton, &[DVec3::X; 2], 30.0);
    clip.tracks[1].translation =
        clip.tracks[1].translation.as_ref().map(|curve| Curve::linear(vec![0.0], vec![curve.values[0]]));
    clip.tracks[2].rotation = None;
    clip.duration = 0.0;
    let roles = Roles::find(&skeleton, std::slice::from_ref(&clip));
    let input = Input {
        skeleton: &skeleton,
        clip: &clip,
        roles: &roles,
        root: root(),
        fps: 30.0,
        metres_per_unit: 1.0,
        mesh_joints: &[],
    };
    for method in [Method::Displacement, Method::Uniform, Method::Shear] {
        let settings = Settings { zero_motion: ZeroMotion::Uniform, method, ..to(4.0, 0.0, 0.0) };
        let refused = build(&input, &settings, &Progress::new());
        assert!(
            matches!(refused, Err(BuildError::SingleFrame { missing }) if (missing - 3.0).abs() < 1e-6),
            "{refused:?}"
        );
    }
}

#[test]
fn noise_does_not_count_as_motion() {
    let skeleton = rig();
    let noise: Vec<DVec3> = (0..30).map(|i| DVec3::Z * 1e-4 * f64::from(i % 3)).collect();
    let clip = clip_through(&skeleton, &noise, 30.0);
    for method in [Method::Displacement, Method::Shear] {
        let settings = Settings { method, ..to(0.0, 0.0, 6.0) };
        let refused = stretch_as(&skeleton, &clip, root(), &settings);
        assert!(matches!(refused, Err(BuildError::NoMotion { .. })), "{refused:?}");
        let settings = Settings { zero_motion: ZeroMotion::Uniform, ..settings };
        let report = stretch_as(&skeleton, &clip, root(), &settings).unwrap().report;
        assert!(report.warnings.iter().any(|warning| warning.kind == WarningKind::SpreadEvenly));
        assert!((report.stretched.points[1].z - 6.0 / 29.0).abs() < 1e-3, "{}", report.stretched.points[1]);
    }
}

#[test]
fn a_ratio_above_twenty_adds_a_warning() {
    let skeleton = rig();
    let points: Vec<DVec3> = (0..5).map(|i| DVec3::Z * 0.1 * f64::from(i)).collect();
    let clip = clip_through(&skeleton, &points, 30.0);
    let has_warning = |z: f64| {
        let report = stretch_as(&skeleton, &clip, root(), &to(0.0, 0.0, z)).unwrap().report;
        report.warnings.iter().any(|warning| warning.kind == WarningKind::LargeRatio)
    };
    assert!(!has_warning(8.0) && has_warning(9.0));
}

#[test]
fn a_target_at_the_end_of_a_motionless_clip_is_accepted_despite_rounding() {
    let skeleton = rig();
    let clip = clip_through(&skeleton, &[DVec3::new(0.3, 0.0, 1.7); 5], 30.0);
    for method in [Method::Displacement, Method::Shear] {
        let settings = Settings { method, ..to(0.300_000_1, 0.0, 1.7) };
        assert_eq!(stretch_as(&skeleton, &clip, root(), &settings).unwrap().clip(), &clip);
    }
    assert!(stretch_as(&skeleton, &clip, root(), &to(0.301, 0.0, 1.7)).is_err());
}

#[test]
fn limbs_outside_the_body_hierarchy_move_along() {
    let rows = [("rig", None), ("body", Some(0)), ("foot", Some(0)), ("toe", Some(2))];
    let mut skeleton = skeleton_of(&rows);
    skeleton.joints[0].rest.rotation = Quat::from_rotation_x(0.3);
    let points: Vec<DVec3> = (0..5).map(|i| DVec3::Z * 0.2 * f64::from(i)).collect();
    let mut clip = clip_through(&skeleton, &points, 30.0);
    clip.tracks[2] = JointTracks::default();
    let mesh_joints = &[false, true, false, true];
    let (roles, root) = (Roles::default(), RootMotion { joint: 1, kind: RootKind::Root });
    let input =
        Input { skeleton: &skeleton, clip: &clip, roles: &roles, root, fps: 30.0, metres_per_unit: 1.0, mesh_joints };
    let settings = Settings { facing: Facing::Heading(1.0), ..to(1.0, 0.5, 2.0) };
    let built = build(&input, &settings, &Progress::new()).unwrap();
    let end = |clip: &Clip, joint: usize| world_at(&skeleton, clip, joint, clip.duration);
    assert!(end(built.clip(), 1).translation.abs_diff_eq(DVec3::new(1.0, 0.5, 2.0), 1e-5));
    let moved = |joint: usize| end(built.clip(), joint) * end(&clip, joint).inverse();
    assert!(moved(3).abs_diff_eq(moved(1), 1e-5), "{} {}", moved(1), moved(3));
    assert_eq!(built.clip().tracks[3], clip.tracks[3]);
}

#[test]
fn frames_that_run_backwards_are_marked() {
    let skeleton = rig();
    let points: Vec<DVec3> = (0..4).map(|i| DVec3::Z * f64::from(i)).collect();
    let report =
        stretch_as(&skeleton, &clip_through(&skeleton, &points, 30.0), root(), &to(0.0, 0.0, -3.0)).unwrap().report;
    assert_eq!(report.reversed, [false, true, true, true]);
    assert_eq!(report.warnings.last().map(|w| (w.kind, w.frame, w.amount)), Some((WarningKind::Reversed, 1, 3.0)));
    assert!((report.ratio - 2.0).abs() < 1e-6);
}

#[test]
fn a_limit_on_the_ratio_moves_the_target_nearer_and_reports_the_rest() {
    let skeleton = rig();
    let points: Vec<DVec3> = (0..3).map(|i| DVec3::Z * f64::from(i)).collect();
    let settings = Settings { max_ratio: Some(0.5), ..to(0.0, 0.0, 6.0) };
    let report = stretch_as(&skeleton, &clip_through(&skeleton, &points, 30.0), root(), &settings).unwrap().report;
    assert!((report.stretched.points[2].z - 3.0).abs() < 1e-6 && (report.ratio - 0.5).abs() < 1e-9);
    let warning = report.warnings[0];
    assert!(warning.kind == WarningKind::TargetDrawnNearer && (warning.amount - 3.0).abs() < 1e-5);
}

#[test]
fn stepped_and_smooth_tracks_arrive_and_a_stepped_one_stays_stepped() {
    let skeleton = rig();
    let mut clip = clip_through(&skeleton, &leap(), 4.0);
    clip.tracks[1].translation.as_mut().unwrap().interpolation = Interpolation::Step;
    let stepped = stretch_as(&skeleton, &clip, root(), &to(0.0, 0.0, 5.0)).unwrap();
    assert_eq!(stepped.clip().tracks[1].translation.as_ref().unwrap().interpolation, Interpolation::Step);
    let curve = clip.tracks[1].translation.as_mut().unwrap();
    curve.interpolation = Interpolation::CubicSpline;
    curve.values = curve.values.iter().flat_map(|&value| [Vec3::X, value, Vec3::X]).collect();
    let smooth = stretch_as(&skeleton, &clip, root(), &to(0.0, 0.0, 5.0)).unwrap();
    for built in [stepped, smooth] {
        let end = world_at(&skeleton, built.clip(), 1, clip.duration).translation;
        assert!(end.abs_diff_eq(DVec3::Z * 5.0, 1e-6), "{end}");
    }
}

#[test]
fn a_target_in_the_start_frame_turns_with_the_character() {
    let skeleton = skeleton_of(&[("root", None)]);
    let mut clip = Clip { name: "go".into(), duration: 1.0, tracks: vec![JointTracks::default()] };
    clip.tracks[0].translation = Some(Curve::linear(vec![0.0, 1.0], vec![Vec3::X, Vec3::X * 2.0]));
    clip.tracks[0].rotation = Some(Curve::linear(vec![0.0], vec![Quat::from_rotation_y(std::f32::consts::FRAC_PI_2)]));
    let settings = Settings { target: Some(Target::Start(DVec3::Z * 4.0)), ..Settings::default() };
    let end = *stretch_as(&skeleton, &clip, RootMotion { joint: 0, kind: RootKind::Root }, &settings)
        .unwrap()
        .report
        .stretched
        .points
        .last()
        .unwrap();
    assert!(end.abs_diff_eq(DVec3::X * 5.0, 1e-6), "{end}");
}

#[test]
fn a_gait_on_the_spot_is_named_instead_of_a_motionless_source() {
    let (skeleton, clip) = portamento_test_support::treadmill();
    let refused = stretch_as(&skeleton, &clip, RootMotion { joint: 0, kind: RootKind::Root }, &to(0.0, 0.0, 5.0));
    assert!(matches!(refused, Err(BuildError::OnTheSpot { speed }) if speed > 0.5), "{refused:?}");
}
