//! Walking: a route over the ground of a level ([`navigation`]), a character who walks it and stops on the mark
//! ([`locomotion`]), and clips that get over obstacles and gaps ([`crossing`]).
//!
//! ```
//! use glam::Vec3;
//! use portamento_anim::math::Transform;
//! use portamento_anim::root_motion::path;
//! use portamento_anim::{Clip, Curve, Joint, JointTracks, Pose, Skeleton};
//! use portamento_walk::locomotion::{Braking, DistanceCurve, Measure};
//!
//! // Two stop clips of a second, which travel 1 m and 2.5 m while the speed falls evenly to zero.
//! let root = Joint {
//!     name: "root".into(),
//!     parent: None,
//!     rest: Transform::IDENTITY,
//!     node: 0,
//!     first_morph: 0,
//!     morph_count: 0,
//! };
//! let skeleton = Skeleton { joints: vec![root], rest_morphs: Vec::new() };
//! let times: Vec<f64> = (0..=30).map(|frame| f64::from(frame) / 30.0).collect();
//! let stops = [1.0, 2.5].map(|metres: f32| {
//!     let keys = times.iter().map(|&time| time as f32);
//!     let points = keys.clone().map(|time| Vec3::Z * metres * (2.0 * time - time * time)).collect();
//!     let translation = Some(Curve::linear(keys.collect(), points));
//!     Clip { name: "stop".into(), duration: 1.0, tracks: vec![JointTracks { translation, ..JointTracks::default() }] }
//! });
//! let curves = stops.each_ref().map(|clip| {
//!     DistanceCurve::new(&path(&skeleton, clip, 0, &times), &times, Measure::AlongPath)
//! });
//!
//! // The player releases the stick at 4.4 m/s. The stop whose travel is nearest to the braking distance is chosen.
//! let braking = Braking { friction: 0.0, deceleration: 4.4 };
//! let distance = braking.distance(4.4);
//! let misfit = |stop: usize| (curves[stop].length() - distance).abs();
//! let stop = if misfit(0) < misfit(1) { 0 } else { 1 };
//! assert_eq!((distance, stop), (2.2, 1));
//!
//! // Each frame moves the body by the braking law, and samples the clip where as much distance is left, without an
//! // allocation.
//! let mut pose = Pose::rest(&skeleton);
//! for frame in 0..=60 {
//!     let (_speed, travelled) = braking.after(4.4, f64::from(frame) / 60.0);
//!     let remaining = distance - travelled;
//!     stops[stop].sample(&skeleton, curves[stop].time_for(remaining), &mut pose);
//!     let in_clip = f64::from(pose.locals[0].translation.z);
//!     assert!((in_clip + remaining - curves[stop].length()).abs() < 1e-4);
//! }
//! assert!(pose.locals[0].translation.abs_diff_eq(Vec3::Z * 2.5, 1e-6));
//! ```

pub mod navigation;
pub mod locomotion;
pub mod crossing;

/// Counts the allocations of the tests.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: portamento_test_support::allocations::CountingAllocator =
    portamento_test_support::allocations::CountingAllocator;
