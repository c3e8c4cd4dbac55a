//! Errors of a stretch.

use super::retime;
use portamento_anim::clip_fit::{BrokenClip, OtherSkeleton};
use portamento_base::message::{Message, message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// The reason why a clip could not be stretched.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The source does not move within a window, so the correction cannot be distributed.
    NoMotion {
        /// Start of the window, seconds.
        start: f64,
        /// End of the window, seconds.
        end: f64,
        /// Distance from the source's end to the target, in the file's unit.
        missing: f64,
    } => message!(
        "error.stretch.no_motion",
        "The source does not move between %{start} s and %{end} s, so the missing %{missing} cannot be distributed by \
         motion. Set \"If no motion\" to \"Evenly over time\", choose another root motion joint, or reduce the dead zone.",
        start = seconds(start),
        end = seconds(end),
        missing = format!("{missing:.3}")
    ),
    /// The source walks on the spot and its root does not move at all.
    OnTheSpot {
        /// Speed of its feet, metres per second.
        speed: f64,
    } => message!(
        "error.stretch.on_the_spot",
        "The source walks on the spot at %{speed} m/s, so it has no travel to stretch. Set the root motion of this stage to \
         “From foot contacts” first.",
        speed = format!("{speed:.1}")
    ),
    /// A source of one frame, over which no correction can be distributed.
    SingleFrame {
        /// Distance from the source's position to the target, in the file's unit.
        missing: f64,
    } => message!(
        "error.stretch.single_frame",
        "The source has a single frame, so the missing %{missing} cannot be distributed over frames. Choose a clip with at \
         least two frames.",
        missing = format!("{missing:.3}")
    ),
    /// A number that is out of range.
    BadNumber {
        /// The quantity with the wrong value.
        quantity: Quantity,
        /// Its value.
        value: f64,
    } => quantity.message(*value),
    /// A window without a frame, reversed or outside the clip.
    BadWindow {
        /// Start of the window, seconds.
        start: f64,
        /// End of the window, seconds.
        end: f64,
        /// Duration of the clip, seconds.
        length: f64,
    } => message!(
        "error.stretch.bad_window",
        "The window from %{start} s to %{end} s does not contain a frame of the clip (0 s to %{length} s). Make it longer.",
        start = seconds(start),
        end = seconds(end),
        length = seconds(length)
    ),
    /// Two overlapping windows.
    Overlap {
        /// Start of the first window, seconds.
        first: f64,
        /// Start of the second window, seconds.
        second: f64,
    } => message!(
        "error.stretch.overlap",
        "The windows starting at %{first} s and %{second} s overlap. Make one end where the next begins.",
        first = seconds(first),
        second = seconds(second)
    ),
    /// A joint index that the skeleton does not have.
    NoSuchJoint {
        /// Index that no joint has.
        joint: usize,
        /// Number of joints.
        count: usize,
    } => message!(
        "error.stretch.no_such_joint",
        "This skeleton has %{count} %{count|joint|joints} and no joint number %{joint}. Choose the joint again.",
        joint = *joint,
        count = *count
    ),
    /// A clip of another skeleton.
    OtherSkeleton(#[from] error: OtherSkeleton) => error.message(),
    /// A clip with infinite or undefined numbers.
    BrokenClip(#[from] error: BrokenClip) => error.message(),
    /// A parent scaled to zero.
    FlatParent {
        /// The joint's name.
        joint: String,
        /// First time at which the parent has no size, seconds.
        time: f64,
    } => message!(
        "error.stretch.flat_parent",
        "A parent of joint %{joint} has scale 0 at %{time} s, so the joint cannot be moved there. Give the parent a scale other than 0.",
        joint = joint,
        time = seconds(time)
    ),
    /// A clip with too many frames.
    TooLong {
        /// Number of frames that the result would have.
        frames: u64,
        /// Largest number of frames.
        most: u64,
    } => message!(
        "error.stretch.too_long",
        "The clip would have %{frames} frames, more than %{most}. Shorten it or lower the frame rate.",
        frames = frames.to_string(),
        most = most.to_string()
    ),
    /// A window that keeps its speed would last too long.
    KeepSpeed(#[from] error: retime::BuildError) => error.message(),
    /// The stretch was cancelled.
    Cancelled(#[from] cancelled: Cancelled) => cancelled.message(),
}
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
    /// Stretch limit: the correction relative to the source's travelled length.
    MaxRatio,
    /// Length of the source clip, seconds.
    ClipLength,
    /// Sum of the absolute coordinates, in the file's unit.
    Target,
    /// Heading at the end of a window, radians.
    Heading,
    /// Length of the soft edges of a window, seconds.
    SoftEdges,
}

impl Quantity {
    /// Returns `Err` unless `is_valid`.
    pub(super) fn check(self, value: f64, is_valid: bool) -> Result<(), BuildError> {
        if is_valid { Ok(()) } else { Err(BuildError::BadNumber { quantity: self, value }) }
    }

    /// Returns the error message for an invalid value.
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
                "The target's coordinates add up to %{value}, which cannot be used. Use coordinates up to 1,000,000,000 units.",
                value = value
            ),
            Self::SoftEdges => message!(
                "error.stretch.soft_edges",
                "The soft edges of a window last %{value} s, which cannot be used. Use 0 s or more.",
                value = value
            ),
            Self::Heading => message!(
                "error.stretch.heading",
                "The heading is %{value}, which cannot be used. Enter an angle in degrees.",
                value = value
            ),
        }
    }
}

/// Formats a time in seconds with three decimals.
fn seconds(time: &f64) -> String {
    format!("{time:.3}")
}
