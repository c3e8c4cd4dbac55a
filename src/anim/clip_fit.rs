//! Whether a clip can be played on a skeleton: made for it, and numbers everywhere.

use super::{Clip, Skeleton};
use crate::message::{message, tell};

/// The clip was made for another skeleton, or what carries it is no joint of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct OtherSkeleton {
    /// Tracks there are.
    pub tracks: usize,
    /// Joints there are.
    pub joints: usize,
}

tell!(OtherSkeleton {
    Self { tracks, joints } => message!(
        "error.clip.other_skeleton",
        "The motion has tracks for %{tracks} %{tracks|joint|joints} but the skeleton has %{joints}. Choose a motion made for this character.",
        tracks,
        joints
    ),
});

/// The clip holds infinite or undefined numbers.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct BrokenClip {
    /// The joint's name.
    pub joint: String,
    /// When they are met first, seconds.
    pub time: f64,
}

tell!(BrokenClip {
    Self { joint, time } => message!(
        "error.clip.broken",
        "The motion of “%{joint}” at %{time} s is not a number. Repair that key in the source file.",
        joint,
        time = format!("{time:.3}")
    ),
});

impl Clip {
    /// Refuses a clip with more or fewer tracks than `skeleton` has joints.
    pub fn check_fits(&self, skeleton: &Skeleton) -> Result<(), OtherSkeleton> {
        let (tracks, joints) = (self.tracks.len(), skeleton.len());
        if tracks == joints { Ok(()) } else { Err(OtherSkeleton { tracks, joints }) }
    }

    /// As [`Clip::check_fits`], and refuses a `root` that no joint is.
    pub fn check_fits_with_root(&self, skeleton: &Skeleton, root: usize) -> Result<(), OtherSkeleton> {
        self.check_fits(skeleton)?;
        let (tracks, joints) = (self.tracks.len(), skeleton.len());
        if root < joints { Ok(()) } else { Err(OtherSkeleton { tracks, joints }) }
    }
}
