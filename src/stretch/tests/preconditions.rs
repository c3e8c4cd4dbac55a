//! Every precondition of [`build`]. Windows that overlap or contain no frame are in [`super::windows`].

use super::*;
use portamento_base::progress::Cancelled;

/// A valid stretch, of which each test breaks one part.
struct Stretch {
    skeleton: Skeleton,
    clip: Clip,
    root: RootMotion,
    fps: f64,
    metres_per_unit: f64,
    settings: Settings,
    progress: Progress,
}

impl Stretch {
    fn build(&self) -> Result<Built, BuildError> {
        let input = Input {
            skeleton: &self.skeleton,
            clip: &self.clip,
            roles: &Roles::default(),
            root: self.root,
            fps: self.fps,
            metres_per_unit: self.metres_per_unit,
            mesh_joints: &[],
        };
        build(&input, &self.settings, &self.progress)
    }
}

fn valid() -> Stretch {
    let skeleton = rig();
    Stretch {
        clip: clip_through(&skeleton, &leap(), 30.0),
        skeleton,
        root: root(),
        fps: 30.0,
        metres_per_unit: 1.0,
        settings: to(0.0, 0.0, 6.0),
        progress: Progress::new(),
    }
}

fn accepted(change: impl FnOnce(&mut Stretch)) -> bool {
    let mut stretch = valid();
    change(&mut stretch);
    stretch.build().is_ok()
}

fn refused(change: impl FnOnce(&mut Stretch)) -> BuildError {
    let mut stretch = valid();
    change(&mut stretch);
    stretch.build().unwrap_err()
}

#[test]
fn a_clip_of_another_skeleton_is_refused() {
    assert!(accepted(|_| ()));
    let error = refused(|stretch| stretch.clip.tracks.truncate(3));
    assert!(matches!(error, BuildError::OtherSkeleton(error) if (error.tracks, error.joints) == (3, 4)), "{error:?}");
}

#[test]
fn a_root_or_an_aligner_that_is_no_joint_is_refused() {
    let root = refused(|stretch| stretch.root.joint = 4);
    let aligner = refused(|stretch| stretch.settings.aligner = Some(4));
    assert!([root, aligner].iter().all(|error| *error == BuildError::NoSuchJoint { joint: 4, count: 4 }));
    assert!(accepted(|stretch| stretch.settings.aligner = Some(3)));
}

#[test]
fn a_number_outside_its_range_is_refused_and_the_limits_are_accepted() {
    let quantity = |change: &dyn Fn(&mut Stretch, f64), value: f64| match refused(|stretch| change(stretch, value)) {
        BuildError::BadNumber { quantity, value: reported } => {
            assert!(reported == value || value.is_nan(), "{quantity:?}: {value} is reported as {reported}");
            quantity
        }
        other => panic!("{value}: {other:?}"),
    };
    let heading = |stretch: &mut Stretch, value: f64| stretch.settings.facing = Facing::Heading(value);
    let window = |target: DVec3, facing: Facing| Window {
        facing,
        soft_edges: 0.0,
        ..Window::new(0.0, 0.2, Target::World(target))
    };
    let window_heading = |stretch: &mut Stretch, value: f64| {
        stretch.settings.windows = vec![window(DVec3::Z, Facing::Heading(value))];
    };
    let window_target = |stretch: &mut Stretch, value: f64| {
        stretch.settings.windows = vec![window(DVec3::Z * value, Facing::Keep)];
    };
    let start_target = |stretch: &mut Stretch, value: f64| {
        stretch.settings.target = Some(Target::Start(DVec3::X * value));
    };
    let (nan, infinite) = (f64::NAN, f64::INFINITY);
    type Setter<'a> = &'a dyn Fn(&mut Stretch, f64);
    let cases: [(Quantity, Setter, &[f64]); 10] = [
        (Quantity::FrameRate, &|stretch, value| stretch.fps = value, &[0.99, 1000.1, nan]),
        (Quantity::Unit, &|stretch, value| stretch.metres_per_unit = value, &[0.0, -1.0, infinite, nan]),
        (Quantity::DeadZone, &|stretch, value| stretch.settings.dead_zone = value, &[-0.01, infinite, nan]),
        (Quantity::MaxRatio, &|stretch, value| stretch.settings.max_ratio = Some(value), &[-0.01, nan]),
        (Quantity::ClipLength, &|stretch, value| stretch.clip.duration = value, &[-0.01, infinite, nan]),
        (Quantity::Target, &|stretch, value| stretch.settings = to(value, 0.0, 0.0), &[1.01e9, infinite, nan]),
        (Quantity::Target, &start_target, &[1.01e9, nan]),
        (Quantity::Target, &window_target, &[1.01e9, nan]),
        (Quantity::Heading, &heading, &[infinite, nan]),
        (Quantity::Heading, &window_heading, &[infinite, nan]),
    ];
    for (expected, change, values) in cases {
        values.iter().for_each(|&value| assert_eq!(quantity(change, value), expected, "{value}"));
    }
    assert!([1.0, 1000.0].into_iter().all(|fps| accepted(|stretch| stretch.fps = fps)));
    assert!(accepted(|stretch| stretch.settings.dead_zone = 0.0));
    assert!(accepted(|stretch| stretch.settings.max_ratio = Some(0.0)));
}

#[test]
fn a_clip_of_more_than_two_million_frames_is_refused() {
    let error = refused(|stretch| stretch.clip.duration = 2_000_001.5 / 30.0);
    assert_eq!(error, BuildError::TooLong { frames: 2_000_001, most: 2_000_000 });
}

#[test]
fn a_root_with_a_broken_position_or_rotation_is_refused() {
    let position = refused(|stretch| stretch.clip.tracks[1].translation.as_mut().unwrap().values[3] = Vec3::NAN);
    let heading = refused(|stretch| {
        let turns = vec![Quat::IDENTITY, Quat::from_xyzw(0.0, f32::NAN, 0.0, 1.0)];
        stretch.clip.tracks[1].rotation = Some(Curve::linear(vec![0.0, 0.1], turns));
    });
    for error in [position, heading] {
        assert!(matches!(&error, BuildError::BrokenClip(broken) if broken.joint == "root"), "{error:?}");
    }
}

#[test]
fn a_source_without_motion_is_refused_unless_the_correction_may_be_spread_evenly() {
    let still = |stretch: &mut Stretch| stretch.clip.tracks[1].translation = None;
    let error = refused(still);
    assert!(matches!(error, BuildError::NoMotion { missing, .. } if (missing - 6.0).abs() < 1e-9), "{error:?}");
    assert!(accepted(|stretch| {
        still(stretch);
        stretch.settings.zero_motion = ZeroMotion::Uniform;
    }));
}

#[test]
fn a_parent_scaled_to_zero_is_refused() {
    let error = refused(|stretch| {
        stretch.skeleton.joints[0].rest.scale = Vec3::ZERO;
        stretch.settings.zero_motion = ZeroMotion::Uniform;
    });
    assert!(matches!(error, BuildError::FlatParent { .. }), "{error:?}");
}

#[test]
fn a_cancelled_stretch_stops() {
    assert_eq!(refused(|stretch| stretch.progress.cancel()), BuildError::Cancelled(Cancelled));
}
