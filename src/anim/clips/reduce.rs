//! Key reduction of a clip within a maximum error around every joint.

use serde::{Deserialize, Serialize};

use super::curve_reduction::{chord, rotation, translation};
use super::shell::{self, RADIUS};
use crate::{Clip, JointTracks, Pose, Skeleton};
use portamento_base::progress::{Cancelled, Progress};

/// The maximum error of key reduction, measured as by ACL: over all points [`shell::RADIUS`] from every joint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredTolerance")]
pub struct Tolerance {
    /// Maximum error in world space, millimetres; 0 keeps all keys.
    pub millimetres: f64,
}

impl Default for Tolerance {
    /// The default of ACL.
    fn default() -> Self {
        Self { millimetres: 0.1 }
    }
}

/// The serialised forms; older files have an error per joint.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredTolerance {
    Shell { millimetres: f64 },
    Joint { degrees: f64, metres: f64 },
}

impl From<StoredTolerance> for Tolerance {
    fn from(stored: StoredTolerance) -> Self {
        match stored {
            StoredTolerance::Shell { millimetres } => Self { millimetres },
            StoredTolerance::Joint { degrees, metres } => {
                Self { millimetres: 1000.0 * (metres + RADIUS * chord(2.0 * degrees.to_radians())) }
            }
        }
    }
}

/// Input of the key reduction.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The skeleton that the clip moves.
    pub skeleton: &'a Skeleton,
    /// The motion; it must fit the skeleton.
    pub clip: &'a Clip,
    /// Curves equal to these are left unchanged; may have fewer entries than the clip has joints.
    pub untouched: &'a [JointTracks],
    /// Length of the file's unit, metres.
    pub metres_per_unit: f64,
}

/// The result of the key reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// The clip with fewer keys.
    pub clip: Clip,
    /// Key counts and error.
    pub report: KeyReduction,
}

/// Key counts and error of a reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyReduction {
    /// Number of keys before, over all curves.
    pub before: usize,
    /// Number of keys after, over all curves.
    pub after: usize,
    /// Largest error of any point around any joint, millimetres; measured at every original key and halfway between.
    pub error_mm: f64,
}

/// Maximum number of passes that distribute the error; after them, joints that still exceed it keep all their keys.
const MAX_PASSES: usize = 16;

/// Reduces linear rotation and translation keys of `input` within `tolerance`. First and last keys stay, and so do
/// other curves, scale and morphs.
///
/// An error of a joint moves all its descendants. Each joint starts with the error that it may make alone at the end
/// of its longest limb. Where these errors add up to too much, the joint and its ancestors get less, until the total
/// fits everywhere.
///
/// Returns `Err` if `progress` is cancelled.
pub fn reduced(input: &Input, tolerance: Tolerance, progress: &Progress) -> Result<Reduced, Cancelled> {
    let Input { skeleton, clip, metres_per_unit, .. } = *input;
    let max_error = tolerance.millimetres / 1000.0;
    let times = shell::moments(clip);
    let reaches = joint_reaches(input, &times, progress)?;
    let mut shares = vec![max_error; skeleton.len()];
    let mut result = clip.clone();
    let mut pass = 0;
    loop {
        for joint in 0..clip.tracks.len().min(shares.len()) {
            result.tracks[joint] = reduced_tracks(input, joint, &reaches[joint], shares[joint]);
        }
        let errors = shell::errors(skeleton, [clip, &result], &times, metres_per_unit, progress)?;
        if errors.iter().all(|&error| error <= max_error) {
            let error_mm = 1000.0 * errors.iter().fold(0.0, |worst: f64, &error| worst.max(error));
            let counts = KeyReduction { before: clip.key_count(), after: result.key_count(), error_mm };
            return Ok(Reduced { clip: result, report: counts });
        }
        tighten(skeleton, &errors, &mut shares, Tightening { max_error, is_last: pass >= MAX_PASSES });
        pass += 1;
    }
}

/// Lengths in metres that turn the error of a joint's keys into the largest error of a point.
#[derive(Clone, Copy, Debug, Default)]
struct JointReach {
    /// Upper bound of the distance from the joint to any point around it and its descendants, metres.
    reach: f64,
    /// Maximum length in metres of one unit of the joint's translation curve, with the scale of its parents.
    unit: f64,
}

/// Returns the reach of every joint during the clip, in metres, measured at `times` (seconds). The mesh is not
/// measured: [`RADIUS`] is added around each joint. Returns `Err` if `progress` is cancelled.
fn joint_reaches(input: &Input, times: &[f64], progress: &Progress) -> Result<Vec<JointReach>, Cancelled> {
    let Input { skeleton, clip, metres_per_unit, .. } = *input;
    let parents = || skeleton.joints.iter().map(|joint| joint.parent);
    let mut reaches = vec![JointReach { reach: RADIUS, unit: metres_per_unit }; skeleton.len()];
    let mut lengths = vec![0.0_f64; skeleton.len()];
    let (mut pose, mut world) = (Pose::rest(skeleton), Vec::new());
    for (i, &time) in times.iter().enumerate() {
        progress.step(i, times.len())?;
        clip.sample(skeleton, time, &mut pose);
        pose.world_from_joints(skeleton, &mut world);
        for (joint, parent) in parents().enumerate().filter_map(|(joint, parent)| Some((joint, parent?))) {
            let from = &world[parent];
            let length = f64::from(from.translation.distance(world[joint].translation)) * metres_per_unit;
            let size = from.matrix3.x_axis.length().max(from.matrix3.y_axis.length()).max(from.matrix3.z_axis.length());
            lengths[joint] = lengths[joint].max(length);
            reaches[joint].unit = reaches[joint].unit.max(f64::from(size) * metres_per_unit);
        }
    }
    for (joint, parent) in parents().enumerate().rev().filter_map(|(joint, parent)| Some((joint, parent?))) {
        reaches[parent].reach = reaches[parent].reach.max(lengths[joint] + reaches[joint].reach);
    }
    Ok(reaches)
}

/// Returns the curves of `joint` with fewer keys, so that neither curve moves any descendant by more than `share` metres. Curves
/// that equal those in `untouched` keep all keys.
fn reduced_tracks(input: &Input, joint: usize, reach: &JointReach, share: f64) -> JointTracks {
    let tracks = &input.clip.tracks[joint];
    let untouched = input.untouched.get(joint);
    let turns = tracks.rotation.as_ref().filter(|_| untouched.is_none_or(|same| same.rotation != tracks.rotation));
    let moves =
        tracks.translation.as_ref().filter(|_| untouched.is_none_or(|same| same.translation != tracks.translation));
    let degrees = (2.0 * (share / (2.0 * reach.reach)).min(1.0).asin()).to_degrees();
    JointTracks {
        rotation: turns.map(|curve| rotation(curve, degrees)).or_else(|| tracks.rotation.clone()),
        translation: moves.map(|curve| translation(curve, share / reach.unit)).or_else(|| tracks.translation.clone()),
        ..tracks.clone()
    }
}

/// Parameters of [`tighten`].
struct Tightening {
    /// Maximum error, metres.
    max_error: f64,
    /// True if joints that exceed it get no error at all.
    is_last: bool,
}

/// Reduces the allowed error of every joint whose measured error exceeds the maximum in `to`, and of all its ancestors. `errors`
/// are the measured errors and `shares` the allowed ones, both per joint in metres.
fn tighten(skeleton: &Skeleton, errors: &[f64], shares: &mut [f64], to: Tightening) {
    let factor = |error: f64| match error > to.max_error {
        true if to.is_last => 0.0,
        true => (0.9 * to.max_error / error).max(0.25),
        false => 1.0,
    };
    let mut factors: Vec<f64> = errors.iter().map(|&error| factor(error)).collect();
    for (joint, node) in skeleton.joints.iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            factors[parent] = factors[parent].min(factors[joint]);
        }
    }
    shares.iter_mut().zip(factors).for_each(|(share, factor)| *share *= factor);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Curve;
    use crate::small_inputs::skeleton_of;
    use glam::{DVec3, Quat, Vec3};
    use proptest::prelude::*;

    /// Returns a chain of swaying joints, 1 m apart.
    fn arm(sizes: &[f32], keys: usize) -> (Skeleton, Clip) {
        let names: Vec<String> = (0..sizes.len()).map(|joint| joint.to_string()).collect();
        let rows: Vec<(&str, Option<usize>)> =
            names.iter().enumerate().map(|(joint, name)| (&name[..], joint.checked_sub(1))).collect();
        let times: Vec<f32> = (0..keys).map(|key| key as f32 / 30.0).collect();
        let tracks = sizes.iter().enumerate().map(|(joint, &size)| {
            let turn = |&time: &f32| {
                let phase = time * (1.0 + joint as f32 * 0.7);
                Quat::from_scaled_axis(size * Vec3::new(phase.sin(), (phase * 1.7).cos(), (phase * 0.3).sin()))
            };
            let position = |&time: &f32| Vec3::Y + 0.1 * size * Vec3::new((time * 2.0).sin(), 0.0, time.cos());
            JointTracks {
                rotation: Some(Curve::linear(times.clone(), times.iter().map(turn).collect())),
                translation: Some(Curve::linear(times.clone(), times.iter().map(position).collect())),
                ..JointTracks::default()
            }
        });
        let duration = f64::from(times[keys - 1]);
        (skeleton_of(&rows), Clip { name: "sway".into(), duration, tracks: tracks.collect() })
    }

    fn reduce(skeleton: &Skeleton, clip: &Clip, millimetres: f64, untouched: &[JointTracks]) -> Reduced {
        let input = Input { skeleton, clip, untouched, metres_per_unit: 1.0 };
        reduced(&input, Tolerance { millimetres }, &Progress::new()).unwrap()
    }

    #[test]
    fn unchanged_curves_stay_and_larger_errors_leave_fewer_keys() {
        let (skeleton, clip) = arm(&[0.3, 0.5, 0.2, 0.6], 200);
        let counts = [0.1, 1.0, 10.0].map(|max_error| reduce(&skeleton, &clip, max_error, &[]).report);
        assert!(counts.windows(2).all(|pair| pair[1].after < pair[0].after), "{counts:?}");
        assert!(counts.iter().all(|counts| counts.before == 1600 && counts.after < 1600), "{counts:?}");
        let mut source = clip.tracks.clone();
        source[1] = JointTracks::default();
        let some = reduce(&skeleton, &clip, 1.0, &source).clip;
        for joint in [0, 2, 3] {
            assert_eq!(some.tracks[joint], clip.tracks[joint]);
        }
        assert_ne!(some.tracks[1], clip.tracks[1]);
    }

    #[test]
    fn files_with_an_error_per_joint_are_read() {
        let read = |text: &str| serde_json::from_str::<Tolerance>(text).unwrap().millimetres;
        assert_eq!(read(r#"{"millimetres": 0.2}"#), 0.2);
        let old = read(r#"{"degrees": 1.0, "metres": 0.0005}"#);
        assert!((old - (0.5 + 30.0 * 2.0 * 0.5_f64.to_radians().sin())).abs() < 1e-9, "{old}");
        assert!(serde_json::from_str::<Tolerance>("{}").is_err());
    }

    #[test]
    fn no_tolerance_changes_nothing() {
        let (skeleton, clip) = arm(&[0.5; 4], 40);
        let reduced = reduce(&skeleton, &clip, 0.0, &[]);
        assert_eq!((reduced.clip, reduced.report.error_mm), (clip, 0.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn no_point_around_any_joint_moves_by_more_than_the_tolerance(
            sizes in proptest::collection::vec(0.0_f32..1.2, 1..9),
            keys in 3_usize..60,
            millimetres in 0.02_f64..20.0,
        ) {
            let (skeleton, clip) = arm(&sizes, keys);
            let result = reduce(&skeleton, &clip, millimetres, &[]);
            prop_assert!(result.report.error_mm <= millimetres);
            let mut worst = 0.0_f64;
            for moment in 0..keys * 20 {
                let time = clip.duration * moment as f64 / (keys * 20) as f64;
                let poses = [&clip, &result.clip].map(|clip| clip.pose_at(&skeleton, time));
                for joint in 0..skeleton.len() {
                    let [a, b] = [0, 1].map(|i: usize| poses[i].world_from_joint(&skeleton, joint));
                    for point in [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| RADIUS * axis) {
                        worst = worst.max(a.transform_point3(point).distance(b.transform_point3(point)));
                    }
                }
            }
            prop_assert!(1000.0 * worst <= 1.05 * millimetres + 0.002, "{} of {}", 1000.0 * worst, millimetres);
        }
    }
}
