//! Seamless loops: a loop of X frames out of a source that never repeats.
//!
//! Two neighbouring cycles of the source D, A = D(Z … Z+X) and B = D(Z+X … Z+2X), are mixed with weights that rise 0 → 1
//! for A and fall 1 → 0 for B: O(k) = (W(k)·A(k) + W′(k)·B(k)) / (W(k) + W′(k)), k = 0 … X, and the last frame is dropped. The
//! first frame of the result is the first of B, the dropped one the last of A, and both are D(Z+X): the loop closes exactly,
//! whatever the weights in between. Both are copied and not computed, so they are equal bit for bit.
//!
//! Because only the ends of the weights are fixed, every *unit* — a vertex, a joint, a pixel — may fade in its own time
//! ([`fade`]): early or late, hard or soft, as painted.
//!
//! The value is always continuous at the seam, the speed only where the weights rise from and to rest; hence smoothstep by
//! default, and meters ([`meter`]) that say what is left. Mixing unlike cycles makes motion limp (`energy` gives it back)
//! and shortens what turns (`rigid` turns it instead). Which Z and X are good to begin with is found by [`finder`].
//!
//! Limits: all frames have the same units; image loops are mixed frame by frame and never held whole.
//!
//! Sources: Schödl, Szeliski, Salesin and Essa, "Video Textures" (SIGGRAPH 2000) for finding loops; Grundland, Vohra, Williams
//! and Dodgson, "Cross Dissolve Without Cross Fade" (Eurographics 2006) for the kept contrast.

pub mod crossfade;
mod curve;
mod energy;
mod error;
pub mod fade;
pub mod finder;
mod frame_products;
pub mod image;
pub mod joint;
pub mod meter;
mod rigid;
mod settings;
pub mod vertex;

pub use crossfade::{Crossfade, Pair};
pub use error::{BuildError, Warning};
pub use fade::{FadeWeights, Weights};
pub use image::{ImageLoop, PixelStyle};
pub use joint::JointLoop;
pub use meter::{EdgeStretch, Lamp, SeamReport};
pub use settings::{Fade, FadeCurve, LoopTravel, Settings};
pub use vertex::VertexLoop;

/// Where the two cycles lie in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycleWindow {
    /// Z, the first frame of A, counted from 0.
    pub start: usize,
    /// X, the frames of a cycle.
    pub length: usize,
}

/// The window of `settings` in a source of `frames` frames, or why it does not fit.
pub fn window(settings: &Settings, clip: &str, frames: usize) -> Result<CycleWindow, BuildError> {
    let Settings { start, length, .. } = *settings;
    let clip = || clip.to_owned();
    if length == 0 {
        return Err(BuildError::NoLength);
    }
    // Y ≥ 2X + 1, written so that no X overflows.
    if frames == 0 || length > (frames - 1) / 2 {
        return Err(BuildError::SourceTooShort { clip: clip(), frames, length });
    }
    let latest = frames - 1 - 2 * length;
    if start > latest {
        return Err(BuildError::StartTooLate { clip: clip(), start, length, latest });
    }
    Ok(CycleWindow { start, length })
}

fn fade_warnings(weights: &FadeWeights, units: usize) -> Vec<Warning> {
    match weights.apart(units) {
        0 => Vec::new(),
        units => vec![Warning::FadesApart { units }],
    }
}

/// What the user should know where a whole source of `frames` frames is one cycle already, and `window` takes unlike parts of
/// it. `read` gives the coordinates of a source frame.
fn closing_warning(
    source: Source,
    window: CycleWindow,
    mean_change: f64,
    mut read: impl FnMut(usize, &mut Vec<f32>) -> Result<(), BuildError>,
) -> Result<Option<Warning>, BuildError> {
    let Some(ratio) = meter::closing_ratio(source.frames, mean_change, &mut read)? else { return Ok(None) };
    let unlikeness = meter::unlikeness(window.length, |k, out| read(window.start + k, out))?;
    Ok((unlikeness > meter::UNLIKE).then(|| Warning::AlreadyLoops { clip: source.name.to_owned(), ratio }))
}

/// What a loop is made of.
struct Source<'a> {
    name: &'a str,
    frames: usize,
}

/// A place in a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FramePlace {
    frame: usize,
    /// Of the way to the next frame, 0 … 1.
    fraction: f32,
}

/// Where `time` seconds are in a loop of `length` frames.
fn frame_at(time: f64, fps: f64, length: usize) -> FramePlace {
    let place = (time * fps).rem_euclid(length as f64);
    // NaN and infinity have no place in a loop; its beginning is as good as any.
    let place = if place.is_finite() { place } else { 0.0 };
    // Seconds of a frame are rarely exact: a ten-thousandth of a frame is that frame.
    let nearest = place.round();
    if (place - nearest).abs() < 1e-4 {
        return FramePlace { frame: nearest as usize % length, fraction: 0.0 };
    }
    FramePlace { frame: place as usize % length, fraction: (place - place.floor()) as f32 }
}

#[cfg(test)]
mod tests;
