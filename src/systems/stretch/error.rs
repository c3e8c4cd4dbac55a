//! Why a stretch is refused.

use crate::anim::clip_fit::{BrokenClip, OtherSkeleton};
use crate::message::{Message, Tell, display_in_english, message};
use crate::progress::Cancelled;

/// Why nothing was built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// Nothing there to share the way by.
    NoMotion {
        /// First second of the window.
        start: f64,
        /// Last second of the window.
        end: f64,
        /// Distance from the source's end to the target, file's unit.
        missing: f64,
    },
    /// A setting is not a usable number.
    BadNumber {
        /// Which setting it is.
        quantity: Quantity,
        /// What it holds.
        value: f64,
    },
    /// A window that holds no frame, is reversed or lies outside the clip.
    BadWindow {
        /// Second at which the window starts.
        start: f64,
        /// Second at which the window ends.
        end: f64,
        /// The clip's seconds.
        length: f64,
    },
    /// Two windows share some time.
    Overlap {
        /// Seconds at which the one starts.
        first: f64,
        /// Seconds at which the other starts.
        second: f64,
    },
    /// A joint number that the skeleton does not have.
    NoSuchJoint {
        /// Index that no joint has.
        joint: usize,
        /// Joints there are.
        count: usize,
    },
    /// The clip was made for another skeleton.
    OtherSkeleton(#[from] OtherSkeleton),
    /// The clip holds infinite or undefined numbers.
    BrokenClip(#[from] BrokenClip),
    /// A parent squashed to nothing.
    FlatParent {
        /// The joint's name.
        joint: String,
        /// When the parent has no size first, seconds.
        time: f64,
    },
    /// More frames than fit in memory.
    TooLong {
        /// Frames the clip would have.
        frames: u64,
        /// Most frames that are computed.
        most: u64,
    },
    /// Stopped on request.
    Cancelled(#[from] Cancelled),
}

/// A number of the input or the settings that can be out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Frames per second.
    FrameRate,
    /// Metres per file unit.
    Unit,
    /// Metres per second.
    DeadZone,
    /// The correction as a multiple of the source's own way.
    MaxRatio,
    /// Length of the source clip, seconds.
    ClipLength,
    /// Sum of its coordinates without signs, file's unit.
    Target,
    /// Heading wanted at a window's end, radians.
    Heading,
}

impl Quantity {
    /// Refuses `value` unless it is `good`.
    pub(super) fn check(self, value: f64, good: bool) -> Result<(), BuildError> {
        if good { Ok(()) } else { Err(BuildError::BadNumber { quantity: self, value }) }
    }

    fn message(self, value: f64) -> Message {
        let value = value.to_string();
        match self {
            Self::FrameRate => message!(
                "error.stretch.frame_rate",
                "The frame rate is %{value}, which cannot be used. Use 1 to 1000 frames per second.",
                value = value
            ),
            Self::Unit => message!(
                "error.stretch.unit",
                "The file's unit is %{value}, which cannot be used. Use a length above 0 m.",
                value = value
            ),
            Self::DeadZone => message!(
                "error.stretch.dead_zone",
                "The dead zone is %{value}, which cannot be used. Use 0 m/s or more.",
                value = value
            ),
            Self::MaxRatio => message!(
                "error.stretch.max_ratio",
                "The stretch limit is %{value}, which cannot be used. Use 0 or more, or none.",
                value = value
            ),
            Self::ClipLength => message!(
                "error.stretch.clip_length",
                "The clip's length is %{value}, which cannot be used. The source file is damaged.",
                value = value
            ),
            Self::Target => message!(
                "error.stretch.target",
                "The target is %{value} away, which cannot be used. Use coordinates within a thousand million units.",
                value = value
            ),
            Self::Heading => message!(
                "error.stretch.heading",
                "The heading is %{value}, which cannot be used. Use an angle.",
                value = value
            ),
        }
    }
}

display_in_english!(BuildError);

impl Tell for BuildError {
    fn message(&self) -> Message {
        let seconds = |time: &f64| format!("{time:.3}");
        match self {
            Self::NoMotion { start, end, missing } => message!(
                "error.stretch.no_motion",
                "The source does not move between %{start} s and %{end} s, so the missing %{missing} cannot be shared out by \
                 motion. Choose \"spread evenly\" for motionless clips, another joint for root motion, or a smaller dead zone.",
                start = seconds(start),
                end = seconds(end),
                missing = format!("{missing:.3}")
            ),
            Self::BadNumber { quantity, value } => quantity.message(*value),
            Self::BadWindow { start, end, length } => message!(
                "error.stretch.bad_window",
                "The window from %{start} s to %{end} s does not hold a frame of the clip (0 s to %{length} s). Make it longer.",
                start = seconds(start),
                end = seconds(end),
                length = seconds(length)
            ),
            Self::Overlap { first, second } => message!(
                "error.stretch.overlap",
                "The windows starting at %{first} s and %{second} s overlap. Let one end where the next begins.",
                first = seconds(first),
                second = seconds(second)
            ),
            Self::NoSuchJoint { joint, count } => message!(
                "error.stretch.no_such_joint",
                "There is no joint number %{joint} in this skeleton of %{count}. Choose the joint again.",
                joint = *joint,
                count = *count
            ),
            Self::OtherSkeleton(error) => Tell::message(error),
            Self::BrokenClip(error) => Tell::message(error),
            Self::FlatParent { joint, time } => message!(
                "error.stretch.flat_parent",
                "Something above joint %{joint} is scaled to zero at %{time} s, so the joint cannot be moved there. Give it a size.",
                joint = joint,
                time = seconds(time)
            ),
            Self::TooLong { frames, most } => message!(
                "error.stretch.too_long",
                "The clip would have %{frames} frames, more than %{most}. Shorten it or lower the frame rate.",
                frames = frames.to_string(),
                most = most.to_string()
            ),
            Self::Cancelled(cancelled) => cancelled.message(),
        }
    }
}
