//! Why no loop was made, and what was worth saying about one that was.

use crate::media::image_clip::FrameError;
use crate::media::vertex_clip::VertexClipError;
use crate::message::{Message, Tell, display_in_english, message, tell};
use crate::progress::Cancelled;

/// Why no loop was made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// Fewer than 2X + 1 frames.
    SourceTooShort {
        /// Name of the source that is too short.
        clip: String,
        /// Frames there are, Y.
        frames: usize,
        /// Frames wanted, X.
        length: usize,
    },
    /// Both cycles do not fit after Z.
    StartTooLate {
        /// Name of the source that the cycles leave.
        clip: String,
        /// First frame asked for, Z.
        start: usize,
        /// Frames per cycle asked for, X.
        length: usize,
        /// The largest Z that fits.
        latest: usize,
    },
    /// X is 0.
    NoLength,
    /// Painted for another mesh, image or skeleton.
    OtherUnits {
        /// Name of the source that the weights do not fit.
        clip: String,
        /// How many weights were painted.
        painted: usize,
        /// Vertices, pixels or joints.
        units: usize,
    },
    /// A setting out of range.
    BadNumber {
        /// Name of the refused setting.
        what: Message,
        /// What it holds.
        value: f32,
        /// What it should hold.
        rule: Box<Message>,
    },
    /// A drawn curve that does not rise from 0 to 1.
    BadCurve(Message),
    /// A skeletal source that cannot be sampled.
    BadClip {
        /// Name of the source that cannot be sampled.
        clip: String,
        /// Why, as the rest of the sentence.
        reason: Message,
    },
    /// The frames of a mesh do not fit together.
    Vertices(#[from] VertexClipError),
    /// A frame could not be read.
    Frame(#[from] FrameError),
    /// Stopped on request.
    Cancelled(#[from] Cancelled),
}

tell!(BuildError {
    Self::SourceTooShort { clip, frames, length } => too_short(clip, *frames, *length),
    Self::StartTooLate { clip, start, length, latest } => message!(
        "error.loop.start_too_late",
        "Starting at frame %{start}, two cycles of %{length} frames end after the last frame of \"%{clip}\". Start at frame \
         %{latest} or before.",
        start, length, clip, latest
    ),
    Self::NoLength => message!(
        "error.loop.no_length",
        "A loop needs at least one frame. Choose a length of 1 or more."
    ),
    Self::OtherUnits { clip, painted, units } => message!(
        "error.loop.other_units",
        "%{painted} weights are painted but \"%{clip}\" has %{units} of them to fade. Clear the painting or paint again.",
        painted, clip, units
    ),
    Self::BadNumber { what, value, rule } => message!(
        "error.loop.bad_number",
        "%{what} is %{value}, which cannot be used. %{rule}",
        what = what, value, rule = &**rule
    ),
    Self::BadCurve(fault) => message!(
        "error.loop.bad_curve",
        "The drawn fade %{value}. Draw it from the lower left to the upper right corner.",
        value = fault
    ),
    Self::BadClip { clip, reason } => message!(
        "error.loop.bad_clip",
        "\"%{clip}\" cannot be looped: %{reason}.",
        clip, reason = reason
    ),
    Self::Vertices(error) => error.message(),
    Self::Frame(error) => error.message(),
    Self::Cancelled(error) => error.message(),
});

/// What to choose instead where `frames` are too few.
fn too_short(clip: &str, frames: usize, length: usize) -> Message {
    let needed = (2 * length as u128 + 1).to_string();
    match frames.saturating_sub(1) / 2 {
        0 => message!(
            "error.loop.source_of_no_length",
            "A loop of %{length} frames needs %{needed} source frames, but \"%{clip}\" has %{frames}. Choose a source of at \
             least 3 frames.",
            length,
            needed,
            clip,
            frames
        ),
        most => message!(
            "error.loop.source_too_short",
            "A loop of %{length} frames needs %{needed} source frames, but \"%{clip}\" has %{frames}. Choose a length of at \
             most %{most}, or a longer source.",
            length,
            needed,
            clip,
            frames,
            most
        ),
    }
}

/// Something done that the user did not ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// B is gone before A is there.
    FadesApart {
        /// Vertices, pixels or joints.
        units: usize,
    },
    /// Vertices have no faces to be rigid by.
    NoFaces,
    /// A character that turns.
    Turns {
        /// Degrees between the starts of both cycles.
        degrees: f64,
    },
    /// Where nothing travels, nothing can be carried on.
    NoRoot,
    /// A climb that cannot be told from bobbing.
    ClimbLost {
        /// Per cycle, in the file's unit; below 0 downwards.
        height: f64,
    },
    /// The whole source is one cycle.
    AlreadyLoops {
        /// Name of the source that closes already.
        clip: String,
        /// Change of step from its end to its beginning / mean change elsewhere.
        ratio: f64,
    },
}

display_in_english!(Warning);

impl Tell for Warning {
    fn message(&self) -> Message {
        match self {
            Self::FadesApart { units } => message!(
                "warning.loop.fades_apart",
                "For %{units} units the second cycle is gone before the first is there; the gap is faded over. Let the fades \
                 overlap.",
                units = *units
            ),
            Self::NoFaces => message!(
                "warning.loop.no_faces",
                "The source has no faces, so rigid pieces cannot be told apart; vertices are mixed one by one. Add its mesh."
            ),
            Self::Turns { degrees } => message!(
                "warning.loop.turns",
                "The character turns %{degrees}° from one cycle to the next; its travel is carried on straight ahead.",
                degrees = format!("{degrees:.0}")
            ),
            Self::NoRoot => {
                message!("warning.loop.no_root", "No joint carries the character, so its travel is not treated apart.")
            }
            Self::ClimbLost { height } => message!(
                "warning.loop.climb_lost",
                "The character climbs %{height} units from one cycle to the next, less than it bobs; the loop stays level. Take \
                 cycles that begin and end at the same moment of a step.",
                height = format!("{height:.3}")
            ),
            Self::AlreadyLoops { clip, ratio } => message!(
                "warning.loop.already_loops",
                "“%{clip}” already loops as it is (seam ratio %{ratio}), and mixing unlike parts of it changes it. Use it without \
                 this loop, or take the length of a whole cycle from a longer source.",
                clip = clip,
                ratio = format!("{ratio:.2}")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_short_is_told_what_would_fit() {
        let told = |frames| BuildError::SourceTooShort { clip: "fox".into(), frames, length: 100 }.to_string();
        assert!(told(101).ends_with(
            "needs 201 source frames, but \"fox\" has 101. Choose a length of at most 50, or a longer source."
        ));
        assert!(told(2).ends_with("Choose a source of at least 3 frames."));
    }
}
