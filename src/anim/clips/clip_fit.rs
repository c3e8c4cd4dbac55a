//! Checks that a clip can play on a skeleton: equal joint counts and finite numbers.

use crate::{Clip, Skeleton};
use portamento_base::message::{message, messages};

messages! {
/// Error: the clip belongs to another skeleton, or its root is no joint of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct OtherSkeleton {
    /// Number of tracks of the clip.
    pub tracks: usize,
    /// Number of joints of the skeleton.
    pub joints: usize,
} => message!(
    "error.clip.other_skeleton",
    "The motion has tracks for %{tracks} %{tracks|joint|joints} but the skeleton has %{joints}. Choose a motion made for this character.",
    tracks, joints
)
}

messages! {
/// Error: the clip contains infinite or undefined numbers.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct BrokenClip {
    /// The joint's name.
    pub joint: String,
    /// Time of the first one, seconds.
    pub time: f64,
} => message!(
    "error.clip.broken",
    "The motion of “%{joint}” has an invalid number at %{time} s. Repair that key in the source file.",
    joint, time = format!("{time:.3}")
)
}

impl Clip {
    /// Returns `Err` unless the clip has one track per joint of `skeleton`.
    pub fn check_fits(&self, skeleton: &Skeleton) -> Result<(), OtherSkeleton> {
        let (tracks, joints) = (self.tracks.len(), skeleton.len());
        if tracks == joints { Ok(()) } else { Err(OtherSkeleton { tracks, joints }) }
    }

    /// Returns `Err` as [`Clip::check_fits`], or if `root` is no joint.
    pub fn check_fits_with_root(&self, skeleton: &Skeleton, root: usize) -> Result<(), OtherSkeleton> {
        self.check_fits(skeleton)?;
        let (tracks, joints) = (self.tracks.len(), skeleton.len());
        if root < joints { Ok(()) } else { Err(OtherSkeleton { tracks, joints }) }
    }
}
