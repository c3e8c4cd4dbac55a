//! NumPy arrays with motion: SMPL, SMPL-H and SMPL-X (AMASS and others), SOMA (Kimodo) and HumanML3D.
//!
//! Lengths are metres. Bone lengths come from the file where it has them, else from a body of plain proportions.
//! Python objects in an array are never opened.

use std::path::Path;

use super::{Fault, ImportError, Imported, unit};
use portamento_anim::geometry::UpAxis;
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;

mod array;
mod arrays;
mod body;
mod humanml;
mod layout;
mod motion;
mod points;
mod rotations;
mod smpl;
mod soma;

use arrays::Arrays;
use motion::{Motion, Up};

/// Reads the bytes of an `.npz` or `.npy` file. The first layout that fits counts: SOMA, SMPL, then HumanML3D. Returns
/// `Err` if none fits or the arrays are damaged.
pub(super) fn read_bytes(path: &Path, bytes: &[u8], progress: &Progress) -> Result<Imported, ImportError> {
    let mut arrays = Arrays::open(path, bytes, progress)?;
    let mut left_out = Vec::new();
    let motion = match soma::read(&mut arrays)? {
        Some(motion) => motion,
        None => match smpl::read(&mut arrays, &mut left_out)? {
            Some(motion) => motion,
            None => humanml::read(&mut arrays)?.ok_or_else(|| unknown(&arrays.names()).not_motion(path))?,
        },
    };
    progress.step(2, 3)?;
    let name = path.file_stem().map_or_else(|| "npz".into(), |stem| stem.to_string_lossy().into_owned());
    let imported = imported(motion, &name, &left_out);
    progress.step(3, 3)?;
    Ok(imported)
}

/// Maximum number of array names in a message.
const MAX_NAMES_SHOWN: usize = 12;

/// Returns the fault of a file without a known layout.
fn unknown(names: &[String]) -> Fault {
    if names.is_empty() {
        return Fault::new("the archive", "has no arrays");
    }
    let mut shown: Vec<&str> = names.iter().map(String::as_str).take(MAX_NAMES_SHOWN).collect();
    if names.len() > MAX_NAMES_SHOWN {
        shown.push("…");
    }
    Fault::new("the arrays", format!("are of no known layout: {}", shown.join(", ")))
}

/// Lowest and highest frame rate that is believed, frames per second.
const RATES: std::ops::RangeInclusive<f64> = 1.0..=1000.0;

/// Returns the frame rate in the first array of `names` that the file has, if it is a usable number. In frames per second;
/// `None` outside [`RATES`].
fn rate(arrays: &mut Arrays, names: &[&'static str]) -> Option<f64> {
    arrays.number(names).filter(|rate| RATES.contains(rate))
}

/// Differences of the height above the ground that are left as they are, metres.
const MIN_RAISE_M: f32 = 0.001;
/// Maximum distance by which a figure is put on the ground, metres. A figure that is further away climbs or jumps.
const MAX_RAISE_M: f32 = 0.5;

/// Builds the content of the file from its motion. Turns it so that +Y is up. A body of average proportions is moved onto
/// the ground if it is near. `left_out` names the arrays for warnings.
fn imported(motion: Motion, name: &str, left_out: &[&'static str]) -> Imported {
    let (up, has_bone_lengths) = (motion.up, motion.has_bone_lengths);
    let guessed_rate = motion.fps.is_none().then(|| motion.rate());
    let mut model = motion.into_model(name);
    let up = motion::up(&model, up);
    motion::turn_to_y(&mut model, up);
    let mut warnings: Vec<Message> = left_out.iter().map(|name| left_out_message(name)).collect();
    let mut guesses = Vec::new();
    let metres_per_unit = unit::of_figure(&model, &mut guesses);
    if !has_bone_lengths {
        warnings.push(no_bone_lengths());
        let height = motion::distance_to_floor(&model);
        if (MIN_RAISE_M..MAX_RAISE_M).contains(&height.abs()) {
            motion::raise(&mut model, height);
            warnings.push(raised(height));
        }
    }
    if let Some(rate) = guessed_rate {
        guesses.push(super::footage::guessed_rate(rate));
    }
    let up = match up {
        Up::Axis(up) => up,
        Up::Down => {
            warnings.push(upside_down());
            UpAxis::Y
        }
    };
    Imported { model, up, warnings, guesses, metres_per_unit, ..Imported::default() }
}

/// Returns the warning that the array `name` was left out.
fn left_out_message(name: &str) -> Message {
    message!(
        "warning.import.array_left_out",
        "The array “%{name}” does not hold rotations of its joints in every frame. These joints stay at rest.",
        name
    )
}

/// Returns the warning that the body has average proportions because the file has no bone lengths.
fn no_bone_lengths() -> Message {
    message!(
        "warning.import.no_bone_lengths",
        "The file has rotations but no bone lengths. It is shown on a body of 1.7 m with average proportions; retarget it to \
         your character."
    )
    .harmless()
}

/// Returns the warning that the motion was moved up or down by `height`, in metres.
fn raised(height: f32) -> Message {
    message!(
        "warning.import.put_on_ground",
        "The feet of this body would be %{height} m from the ground. The whole motion was moved up or down by this distance.",
        height = format!("{:.3}", height.abs())
    )
    .harmless()
}

/// Returns the note that the file's Y axis points down and that its motion was turned.
fn upside_down() -> Message {
    message!(
        "warning.import.y_down",
        "Y points down in this file, as in the coordinates of a camera. It was turned so that Y is up."
    )
    .harmless()
}

#[cfg(test)]
pub(super) mod tests;
