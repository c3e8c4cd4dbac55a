//! Repairs of a finished motion: noise and outlier frames ([`cleanup`]), feet on the ground ([`ground`]), open loops ([`close`]), the
//! start of a loop ([`offset`]), the length of strides ([`stride`]), the poses at both ends ([`align`]) and single poses by hand ([`pose`]).
//!
//! ```
//! use glam::{Quat, Vec3};
//! use portamento_anim::math::Transform;
//! use portamento_anim::math::mean::angle_between;
//! use portamento_anim::{Clip, Curve, Joint, JointTracks, Pose, Roles, Skeleton};
//! use portamento_base::progress::Progress;
//! use portamento_repair::close::{Input, Settings, build};
//!
//! // A nod of two seconds that ends 0.3 rad away from its start.
//! let joint = |name: &str, parent: Option<usize>, at: Vec3| Joint {
//!     name: name.into(),
//!     parent,
//!     rest: Transform::from_translation(at),
//!     node: 0,
//!     first_morph: 0,
//!     morph_count: 0,
//! };
//! let joints = vec![joint("hips", None, Vec3::Y), joint("head", Some(0), Vec3::Y * 0.6)];
//! let skeleton = Skeleton { joints, rest_morphs: Vec::new() };
//! let times: Vec<f32> = (0..=60).map(|frame| frame as f32 / 30.0).collect();
//! let nod = times.iter().map(|time| Quat::from_rotation_x(0.15 * time + 0.2 * (time * 3.0).sin())).collect();
//! let mut tracks = vec![JointTracks::default(); 2];
//! tracks[1].rotation = Some(Curve::linear(times, nod));
//! let clip = Clip { name: "nod".into(), duration: 2.0, tracks };
//!
//! // The character has to wait, so the nod becomes a loop.
//! let roles = Roles::default();
//! let input = Input { skeleton: &skeleton, clip: &clip, root: None, roles: &roles, fps: 30.0, metres_per_unit: 1.0 };
//! let closed = build(&input, &Settings { seam: 0.5, ..Settings::default() }, &Progress::new())?;
//! assert!(!closed.report.before.is_closed() && closed.report.after.is_closed());
//!
//! // Each frame samples the loop into the same pose, without an allocation. The wrap from end to start does not show.
//! let mut pose = Pose::rest(&skeleton);
//! let mut previous = Quat::IDENTITY;
//! for frame in 0..300 {
//!     closed.clip.sample(&skeleton, (f64::from(frame) / 60.0) % closed.clip.duration, &mut pose);
//!     assert!(frame == 0 || angle_between(previous, pose.locals[1].rotation) < 0.05);
//!     previous = pose.locals[1].rotation;
//! }
//! # Ok::<(), portamento_repair::close::BuildError>(())
//! ```

pub mod cleanup;
pub mod ground;
pub mod close;
pub mod offset;
pub mod stride;
pub mod align;
pub mod pose;

/// Counts the allocations of the tests.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: portamento_test_support::allocations::CountingAllocator =
    portamento_test_support::allocations::CountingAllocator;
