//! Seamless loops: cuts a loop of X frames from a source that never repeats.
//!
//! ```
//! use glam::Quat;
//! use portamento_anim::math::Transform;
//! use portamento_anim::{Clip, Curve, Joint, JointTracks, Pose, Skeleton};
//! use portamento_base::progress::Progress;
//! use portamento_looping::{LoopTravel, Settings, joint};
//!
//! // A branch in the wind: its motion of two seconds never repeats.
//! let branch = Joint {
//!     name: "branch".into(),
//!     parent: None,
//!     rest: Transform::IDENTITY,
//!     node: 0,
//!     first_morph: 0,
//!     morph_count: 0,
//! };
//! let skeleton = Skeleton { joints: vec![branch], rest_morphs: Vec::new() };
//! let times: Vec<f32> = (0..=60).map(|frame| frame as f32 / 30.0).collect();
//! let bends = times.iter().map(|time| Quat::from_rotation_x(0.3 * (time * time * 5.0).sin())).collect();
//! let tracks = vec![JointTracks { rotation: Some(Curve::linear(times, bends)), ..JointTracks::default() }];
//! let clip = Clip { name: "wind".into(), duration: 2.0, tracks };
//!
//! // A loop of one second, mixed from the two seconds when the level is loaded.
//! let input = joint::Input { skeleton: &skeleton, clip: &clip, root: None, fps: 30.0 };
//! let settings = Settings { length: 30, travel: LoopTravel::Ordinary, ..Settings::default() };
//! let wind = joint::build(&input, &settings, &Progress::new())?;
//! assert_eq!(wind.duration(), 1.0);
//!
//! // Each frame samples into the same pose, without an allocation. The time may grow for ever.
//! let (mut pose, mut later) = (Pose::rest(&skeleton), Pose::rest(&skeleton));
//! for frame in 0..60 {
//!     let time = f64::from(frame) / 60.0;
//!     wind.sample(time, &mut pose);
//!     wind.sample(time + 1000.0, &mut later);
//!     assert!(pose.locals[0].rotation.abs_diff_eq(later.locals[0].rotation, 1e-6));
//! }
//! # Ok::<(), portamento_looping::BuildError>(())
//! ```
//!
//! Two consecutive cycles of the source D are mixed:
//!
//! ```text
//! A(k) = D(Z + k),  B(k) = D(Z + X + k),  k = 0 … X
//! O(k) = (W(k)·A(k) + W′(k)·B(k)) / (W(k) + W′(k))
//! ```
//!
//! The weight W rises 0 → 1, the weight W′ falls 1 → 0, and the last frame is dropped. The first frame of the result is
//! the first of B, the dropped one the last of A, and both are D(Z+X). The loop therefore closes exactly for any weights
//! in between. Both frames are copied and not computed, so they are equal bit for bit.
//!
//! Only the ends of the weights are fixed, so every *unit* (a vertex, joint or pixel) can fade at a different time
//! ([`fade`]): early or late, hard or soft, as painted.
//!
//! The position is always continuous at the seam, the speed only if the weights start and end with slope 0. Hence
//! smoothstep is the default, and meters ([`meter`]) report the remaining discontinuity. Mixing unlike cycles reduces
//! motion (`energy` restores it) and shortens rotating parts (`rigid` rotates them instead). [`finder`] finds a good Z
//! and X.
//!
//! Limits: all frames must have the same units. Image loops are mixed frame by frame and never stored completely.
//!
//! Sources: Schödl, Szeliski, Salesin and Essa, "Video Textures" (SIGGRAPH 2000) for finding loops; Grundland, Vohra,
//! Williams and Dodgson, "Cross Dissolve Without Cross Fade" (Eurographics 2006) for the preserved contrast.

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
pub use meter::{EdgeStretch, SeamFigure, SeamRating, SeamReport};
pub use settings::{Fade, FadeCurve, LoopTravel, Settings};
pub use vertex::VertexLoop;

/// Position of the two cycles in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycleWindow {
    /// Z, the first frame of A, counted from 0.
    pub start: usize,
    /// X, the frames of a cycle.
    pub length: usize,
}

/// Returns the window of `settings` in a source of `frames` frames.
///
/// Returns `Err` if
/// - the length is 0;
/// - the source has fewer frames than two cycles and one;
/// - it has fewer from the start on.
///
/// `clip` is the name of the source, for messages.
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

/// Returns a warning if some of `units` units have a gap between unlinked fades.
fn fade_warnings(weights: &FadeWeights, units: usize) -> Vec<Warning> {
    match weights.units_with_gap(units) {
        0 => Vec::new(),
        units => vec![Warning::FadeGap { units }],
    }
}

/// Returns a warning if the complete source already loops and `window` selects unlike parts of it, else `None`. `read` writes the
/// coordinates of a source frame to its buffer; its error is returned. `mean_change` is the mean change of step in the loop.
fn closing_warning(
    source: Source,
    window: CycleWindow,
    mean_change: f64,
    mut read: impl FnMut(usize, &mut Vec<f32>) -> Result<(), BuildError>,
) -> Result<Option<Warning>, BuildError> {
    let Some(ratio) = meter::closing_ratio(source.frames, mean_change, &mut read)? else { return Ok(None) };
    let unlikeness = meter::unlikeness(window.length, |k, out| read(window.start + k, out))?;
    Ok((unlikeness > meter::UNLIKENESS_MIN).then(|| Warning::AlreadyLoops { clip: source.name.to_owned(), ratio }))
}

/// Name and length of a source.
struct Source<'a> {
    name: &'a str,
    frames: usize,
}

/// Position in a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LoopPosition {
    frame: usize,
    /// Fraction of the interval to the next frame, 0 … 1.
    fraction: f32,
}

/// Returns the position at `time` seconds in a loop of `length` frames at `fps`. Any time is valid; the loop repeats.
fn frame_at(time: f64, fps: f64, length: usize) -> LoopPosition {
    let position = (time * fps).rem_euclid(length as f64);
    // NaN and infinity map to the beginning of the loop.
    let position = if position.is_finite() { position } else { 0.0 };
    // Times of frames are rounded: within a ten-thousandth of a frame, the frame itself is used.
    let nearest = position.round();
    if (position - nearest).abs() < 1e-4 {
        return LoopPosition { frame: nearest as usize % length, fraction: 0.0 };
    }
    LoopPosition { frame: position as usize % length, fraction: (position - position.floor()) as f32 }
}

#[cfg(test)]
mod tests;

/// Counts the allocations of the tests.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: portamento_test_support::allocations::CountingAllocator =
    portamento_test_support::allocations::CountingAllocator;
