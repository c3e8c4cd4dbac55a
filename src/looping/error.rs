//! Errors and warnings of a loop build.

use portamento_anim::media::image_clip::FrameError;
use portamento_anim::media::vertex_clip::VertexClipError;
use portamento_base::message::{Message, message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// Error of a loop build.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The source has fewer than 2X + 1 frames.
    SourceTooShort {
        /// Name of the source.
        clip: String,
        /// Number of source frames, Y.
        frames: usize,
        /// Length of the loop, X.
        length: usize,
    } => too_short(clip, *frames, *length),
    /// Two cycles do not fit after frame Z.
    StartTooLate {
        /// Name of the source.
        clip: String,
        /// First frame, Z.
        start: usize,
        /// Frames per cycle, X.
        length: usize,
        /// Largest Z that fits.
        latest: usize,
    } => message!(
        "error.loop.start_too_late",
        "Starting at frame %{start}, two cycles of %{length} frames end after the last frame of \"%{clip}\". Start at frame \
         %{latest} or earlier.",
        start, length, clip, latest
    ),
    /// The length X is 0.
    NoLength => message!(
        "error.loop.no_length",
        "A loop needs at least one frame. Choose a length of 1 or more."
    ),
    /// The fade was painted for another mesh, image or skeleton.
    OtherUnits {
        /// Name of the source.
        clip: String,
        /// Number of painted weights.
        painted: usize,
        /// Number of vertices, pixels or joints of the source.
        units: usize,
    } => message!(
        "error.loop.other_units",
        "The fade is painted for %{painted} vertices, joints or pixels, but \"%{clip}\" has %{units}. Clear the painted fade or paint it again.",
        painted, clip, units
    ),
    /// A setting is out of range.
    BadNumber {
        /// Name of the setting.
        what: Message,
        /// Value of the setting.
        value: f32,
        /// Allowed values, as a sentence.
        rule: Box<Message>,
    } => message!(
        "error.loop.bad_number",
        "%{what} is %{value}, which cannot be used. %{rule}",
        what = what, value, rule = &**rule
    ),
    /// A drawn curve does not rise from 0 to 1; contains the reason.
    BadCurve(fault: Message) => message!(
        "error.loop.bad_curve",
        "The drawn fade curve %{value}. Draw it from the lower left to the upper right corner.",
        value = fault
    ),
    /// A skeletal source cannot be sampled.
    BadClip {
        /// Name of the source.
        clip: String,
        /// Reason, as the end of a sentence.
        reason: Message,
    } => message!(
        "error.loop.bad_clip",
        "\"%{clip}\" cannot be looped: %{reason}.",
        clip, reason = reason
    ),
    /// The frames of a mesh are inconsistent.
    Vertices(#[from] error: VertexClipError) => error.message(),
    /// A frame could not be read.
    Frame(#[from] error: FrameError) => error.message(),
    /// Cancelled by the user.
    Cancelled(#[from] error: Cancelled) => error.message(),
}
}

/// Returns the message for a source `clip` of too few `frames` for a loop of `length` frames, with a length that would fit.
fn too_short(clip: &str, frames: usize, length: usize) -> Message {
    let needed = (2 * length as u128 + 1).to_string();
    match frames.saturating_sub(1) / 2 {
        0 if frames == 1 => message!(
            "error.loop.single_frame",
            "\"%{clip}\" is a single frame, but a loop needs at least 3. If it is a sprite sheet, set its columns and rows.",
            clip
        ),
        0 => message!(
            "error.loop.source_of_no_length",
            "A loop of %{length} frames needs %{needed} source frames, but \"%{clip}\" has %{frames}. Choose a source of at \
             least 3 frames.",
            length,
            needed,
            clip,
            frames
        ),
        max_length => message!(
            "error.loop.source_too_short",
            "A loop of %{length} frames needs %{needed} source frames, but \"%{clip}\" has %{frames}. Choose a length of at \
             most %{most}, or a longer source.",
            length,
            needed,
            clip,
            frames,
            most = max_length
        ),
    }
}

messages! {
/// A side effect that the user should know about.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// B fades out before A fades in.
    FadeGap {
        /// Number of affected vertices, pixels or joints.
        units: usize,
    } => message!(
        "warning.loop.fades_apart",
        "For %{units} vertices, joints or pixels, cycle B fades out before cycle A fades in; the gap is bridged smoothly. Let the fades \
         overlap.",
        units
    ),
    /// Rigid pieces need faces, and the source has none.
    NoFaces => message!(
        "warning.loop.no_faces",
        "The source has no faces, so rigid pieces cannot be found; vertices are mixed separately. Add its mesh."
    ),
    /// The character turns from cycle to cycle.
    Turns {
        /// Angle between the starts of both cycles, degrees.
        degrees: f64,
    } => message!(
        "warning.loop.turns",
        "The character turns %{degrees}° per cycle; its travel continues straight ahead.",
        degrees = format!("{degrees:.0}")
    ),
    /// No joint carries the root motion.
    NoRoot => {
        message!(
            "warning.loop.no_root",
            "The character has no root motion joint, so its travel is not treated separately."
        )
    },
    /// A climb is smaller than the vertical bobbing and is removed.
    ClimbLost {
        /// Height per cycle, in the file's unit; negative downwards.
        height: f64,
    } => message!(
        "warning.loop.climb_lost",
        "The character climbs %{height} units per cycle, less than it bobs; the loop stays level. Choose \
         cycles that start and end at the same phase of a step.",
        height = format!("{height:.3}")
    ),
    /// The complete source already loops.
    AlreadyLoops {
        /// Name of the source.
        clip: String,
        /// Change of step from its end to its beginning, divided by the mean change elsewhere.
        ratio: f64,
    } => message!(
        "warning.loop.already_loops",
        "“%{clip}” already loops (seam speed %{ratio}); mixing different parts of it changes it. Use it without \
         this loop, or choose the length of a full cycle in a longer source.",
        clip,
        ratio = format!("{ratio:.2}")
    ),
}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_too_short_source_is_refused_with_a_length_that_fits() {
        let message_for = |frames| BuildError::SourceTooShort { clip: "fox".into(), frames, length: 100 }.to_string();
        assert!(message_for(101).ends_with(
            "needs 201 source frames, but \"fox\" has 101. Choose a length of at most 50, or a longer source."
        ));
        assert!(message_for(1).ends_with("set its columns and rows."));
        assert!(message_for(2).ends_with("Choose a source of at least 3 frames."));
    }
}
