//! Biovision Hierarchy (BVH): motion capture as text.
//!
//! Joints and end sites become joints. Channels may come in any order and number, and several roots are allowed.
//! A joint's rotation is the product of its rotation channels in their listed order.
//! Lengths stay in the file's unit. The file does not state it, so it is guessed from the height of the figure and reported.

use std::path::Path;

use glam::{Quat, Vec3};

use super::{Fault, ImportError, Imported, frames, unit};
use portamento_anim::geometry::UpAxis;
use portamento_anim::math::Transform;
use portamento_anim::{Clip, Curve, Interpolation, Joint, JointTracks, Model, SharedList, Skeleton};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;
use words::{Words, unexpected};

mod root_position;
mod up_axis;
mod words;

/// Reads the bytes of a BVH file. Bytes that are not UTF-8 are replaced. Returns `Err` if the text is damaged. A missing
/// motion or missing frames give a warning.
pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Imported, ImportError> {
    read_bytes(path, bytes, &Progress::new())
}

/// [`from_bytes`] with cancellation. Memory is taken from the budget of `progress`.
pub(super) fn read_bytes(path: &Path, bytes: &[u8], progress: &Progress) -> Result<Imported, ImportError> {
    // The shortest number, a digit and a space, is a float first and then a third of a rotation.
    progress.budget().take(6 * bytes.len() as u64, &|| super::file_name(path))?;
    let read = from_text(path, &String::from_utf8_lossy(bytes), progress);
    // A cancelled import is not reported as damage.
    progress.step(1, 1)?;
    let Bvh { model, up, warnings } = read?;
    let unit = unit::of_capture(height(&model));
    let guesses = unit.iter().map(|unit| unit.warning()).collect();
    let metres_per_unit = unit.map_or(1.0, |unit| unit.metres);
    Ok(Imported { model, up, warnings, guesses, metres_per_unit, ..Imported::default() })
}

/// The content of a BVH file: a skeleton and a clip.
struct Bvh {
    model: Model,
    /// The axis of the file that points up in `model`.
    up: UpAxis,
    warnings: Vec<Message>,
}

/// Reads the text of a BVH file. Errors name the line and the word. If `progress` is cancelled, the result has no clip.
fn from_text(path: &Path, text: &str, progress: &Progress) -> Result<Bvh, ImportError> {
    read(path, text, progress).map_err(|fault| fault.in_file(path))
}

/// Ratio between the height of a person and the longest path along bones from one end to another, from hand to foot.
const HEIGHT_PER_LONGEST_PATH: f32 = 0.8;

/// Smallest ratio between the height of a figure that stands and the height estimated from its bones. Captured people
/// have 0.83, a person on a chair 0.68.
const STANDING_MIN_RATIO: f32 = 0.75;

/// Returns the height of the figure in the file's unit. It is that of the frames in which it stands, else estimated from
/// the lengths of its bones.
fn height(model: &Model) -> f64 {
    let frames = frames::positions(model);
    let heights = frames.iter().map(|frame| frames::span(frame, Vec3::Y)).map(|[low, high]| high - low).collect();
    let standing = frames::quantile(heights, 0.9);
    let stature = HEIGHT_PER_LONGEST_PATH * longest_path(&model.skeleton, &frames[0]);
    f64::from(if standing < STANDING_MIN_RATIO * stature { stature } else { standing })
}

/// Returns the length of the longest path along bones between two joints at `positions`, in their unit; 0 for a single
/// joint. Parents must precede their children.
fn longest_path(skeleton: &Skeleton, positions: &[Vec3]) -> f32 {
    let mut depths = vec![0.0_f32; skeleton.len()];
    let mut longest = 0.0_f32;
    for (joint, parent) in (0..skeleton.len()).rev().filter_map(|joint| Some((joint, skeleton.joints[joint].parent?))) {
        let depth = depths[joint] + positions[joint].distance(positions[parent]);
        longest = longest.max(depth + depths[parent]);
        depths[parent] = depths[parent].max(depth);
    }
    longest
}

/// Reads a BVH file. A file without motion gives a skeleton, no clip and a warning. `progress` and the clip are as in
/// [`from_text`].
fn read(path: &Path, text: &str, progress: &Progress) -> Result<Bvh, Fault> {
    let mut words = Words::new(text);
    words.expect("HIERARCHY")?;
    let hierarchy = read_hierarchy(&mut words)?;
    let mut warnings = Vec::new();
    let name = path.file_stem().map_or_else(|| "bvh".into(), |stem| stem.to_string_lossy().into_owned());
    let clips = if words.peek().is_some() {
        read_motion((&mut words, text.len()), &name, &hierarchy, progress, &mut warnings)?.into_iter().collect()
    } else {
        warnings.push(message!("warning.import.no_motion", "The file holds a skeleton but no motion."));
        Vec::new()
    };
    let mut model = Model { name, skeleton: hierarchy.skeleton, clips, ..Model::default() };
    if root_position::are_added(&model) {
        add_offsets(&mut model, &hierarchy.channels);
    }
    let up = if up_axis::is_z(&model) { UpAxis::Z } else { UpAxis::Y };
    if up == UpAxis::Z {
        up_axis::turn_to_y(&mut model);
        warnings.push(message!(
            "warning.import.z_up",
            "The figure stands along Z in this file. It was turned so that Y is up. If it should lie, choose Y as its up axis."
        ).harmless());
    }
    Ok(Bvh { model, up, warnings })
}

/// The skeleton, and the channels of each joint in a row of the motion.
struct Hierarchy {
    skeleton: Skeleton,
    channels: Vec<Vec<Channel>>,
}

/// A number in a row of the motion: the position on an axis, or the rotation about an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Channel {
    Position(usize),
    Rotation(Vec3),
}

impl Channel {
    /// Returns the channel with that name in any case; `None` if there is no such channel.
    fn read(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "xposition" => Self::Position(0),
            "yposition" => Self::Position(1),
            "zposition" => Self::Position(2),
            "xrotation" => Self::Rotation(Vec3::X),
            "yrotation" => Self::Rotation(Vec3::Y),
            "zrotation" => Self::Rotation(Vec3::Z),
            _ => return None,
        })
    }
}

/// Reads the joints in file order, and the channels of each. Returns `Err` if a brace or the first ROOT is missing, or a
/// word is unknown.
fn read_hierarchy(words: &mut Words) -> Result<Hierarchy, Fault> {
    let mut skeleton = Skeleton::default();
    let mut channels: Vec<Vec<Channel>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    while let Some((word, line)) = words.peek() {
        let inside = open.last().copied();
        match (word.to_ascii_uppercase().as_str(), inside) {
            ("MOTION", None) => break,
            ("ROOT", None) | ("JOINT" | "END", Some(_)) => {
                words.skip();
                let named = words.name();
                let name = match inside {
                    // The word after `End` is `Site`, not a name.
                    Some(parent) if word.eq_ignore_ascii_case("end") => format!("{}_end", skeleton.joints[parent].name),
                    _ => named.unwrap_or_else(|| format!("node {}", skeleton.len())),
                };
                words.expect("{")?;
                open.push(skeleton.len());
                let node = skeleton.len();
                let rest = Transform::IDENTITY;
                skeleton.joints.push(Joint { name, parent: inside, rest, node, first_morph: 0, morph_count: 0 });
                channels.push(Vec::new());
            }
            ("OFFSET", Some(joint)) => {
                words.skip();
                skeleton.joints[joint].rest.translation = words.vector("a length")?;
            }
            ("CHANNELS", Some(joint)) => {
                words.skip();
                channels[joint] = read_channels(words)?;
            }
            ("}", Some(_)) => {
                words.skip();
                open.pop();
            }
            (_, None) => return Err(unexpected(word, line, "ROOT or MOTION")),
            (_, Some(_)) => return Err(unexpected(word, line, "OFFSET, CHANNELS, JOINT, End Site or }")),
        }
    }
    if let Some(&joint) = open.last() {
        return Err(Fault::new(format!("joint \"{}\"", skeleton.joints[joint].name), "has no closing brace"));
    }
    if skeleton.is_empty() {
        return Err(Fault::new("the hierarchy", "has no ROOT"));
    }
    Ok(Hierarchy { skeleton, channels })
}

/// Reads the number of channels of a joint and that many names. Returns `Err` if a name is no channel, or one is
/// missing.
fn read_channels(words: &mut Words) -> Result<Vec<Channel>, Fault> {
    let count = words.count("a number of channels")?;
    (0..count)
        .map(|_| {
            let (word, line) = words.take("a channel")?;
            Channel::read(word).ok_or_else(|| unexpected(word, line, "a channel such as Xposition or Zrotation"))
        })
        .collect()
}

/// Usual rates in frames per second, the most usual ones first.
const USUAL_FPS: [f64; 11] = [30.0, 60.0, 120.0, 24.0, 25.0, 50.0, 240.0, 48.0, 90.0, 100.0, 72.0];

/// Returns the frame time in seconds of the usual rate that `digits`, the text of `seconds`, rounds: 1/30 for `0.033`. Returns
/// `seconds` if there is none, or if fewer than two digits are given: 0.03 may be any rate from 29 to 40. Zeros at the end are
/// padding, as in `0.0330000`.
fn exact_frame_time(digits: &str, seconds: f64) -> f64 {
    let Some((_, decimals)) = digits.split_once('.').filter(|(_, decimals)| decimals.parse::<u64>().is_ok()) else {
        return seconds;
    };
    let decimals = decimals.trim_end_matches('0');
    let is_precise = decimals.trim_start_matches('0').len() >= 2;
    let half_digit = 0.5 * 0.1_f64.powi(decimals.len() as i32);
    let is_rounded = |fps: &&f64| (1.0 / **fps - seconds).abs() <= 1.001 * half_digit;
    USUAL_FPS.iter().find(is_rounded).filter(|_| is_precise).map_or(seconds, |fps| 1.0 / fps)
}

/// Frame time in seconds from which the number is a rate or a time in milliseconds: no motion has so few frames.
const UNBELIEVABLE_FRAME_SECONDS: f64 = 5.0;

/// Returns the frame time in seconds from the header's number `written` with the text `digits`. A number that is far too long
/// is a usual rate in frames per second, or else a time in milliseconds.
fn frame_time(digits: &str, written: f64) -> f64 {
    // Rates of television are a thousandth below the usual ones.
    let is_rate = |fps: &f64| (fps - written).abs() <= 0.0011 * fps;
    if written < UNBELIEVABLE_FRAME_SECONDS {
        exact_frame_time(digits, written)
    } else if USUAL_FPS.iter().any(is_rate) {
        1.0 / written
    } else {
        let seconds = written / 1000.0;
        exact_frame_time(&format!("{seconds:.*}", digits.split_once('.').map_or(0, |(_, end)| end.len()) + 3), seconds)
    }
}

/// Numbers read between two checks for cancellation.
const NUMBERS_PER_CHECK: usize = 1 << 16;

/// Reads the motion from the rest of a text of `text_bytes` bytes as a clip named `name`. Returns `None` if it has no
/// frames or the import was cancelled. Fewer or more frames than announced give a warning.
fn read_motion(
    (words, text_bytes): (&mut Words, usize),
    name: &str,
    Hierarchy { skeleton, channels }: &Hierarchy,
    progress: &Progress,
    warnings: &mut Vec<Message>,
) -> Result<Option<Clip>, Fault> {
    words.expect("MOTION")?;
    words.expect_label("Frames")?;
    let promised = words.count("a number of frames")?;
    words.expect_label("Frame Time")?;
    let line = words.peek().map_or(0, |(_, line)| line);
    let digits = words.peek().map_or("", |(word, _)| word);
    let written = words.number("seconds per frame")?;
    let step = frame_time(digits, written);
    if written >= UNBELIEVABLE_FRAME_SECONDS && promised > 1 {
        warnings.push(message!(
            "warning.import.frame_time",
            "The file gives each frame %{written} seconds. It is read as %{fps} frames per second.",
            written = digits,
            fps = format!("{:.4}", 1.0 / step).trim_end_matches('0').trim_end_matches('.')
        ));
    }
    // A pose needs no rate.
    if step <= 0.0 && promised > 1 {
        return Err(Fault::new(
            format!("line {line}"),
            format!("has a frame time of {step} s; it must be more than 0"),
        ));
    }
    let width: usize = channels.iter().map(Vec::len).sum();
    // The header may announce more numbers than the text can have.
    let announced = promised.saturating_mul(width);
    let mut values = Vec::with_capacity(announced.min(text_bytes / 2));
    while words.peek().is_some() {
        if values.len() % NUMBERS_PER_CHECK == 0 && progress.step(0, 2).is_err() {
            return Ok(None);
        }
        values.push(words.number("a number")? as f32);
    }
    let complete_rows = values.len().checked_div(width).unwrap_or(0);
    let frames = complete_rows.min(promised);
    if complete_rows != promised || complete_rows * width != values.len() {
        let numbers = values.len();
        warnings.push(message!(
            "warning.import.frames_announced",
            "Read %{frames} of %{promised} announced frames: the file has %{numbers} numbers, and each frame takes %{width}.",
            promised, width, numbers, frames
        ));
    }
    if frames == 0 {
        return Ok(None);
    }
    let times: SharedList<f32> = (0..frames).map(|frame| (frame as f64 * step) as f32).collect();
    let mut first = 0;
    let mut tracks = Vec::with_capacity(skeleton.len());
    for (joint, channels) in skeleton.joints.iter().zip(channels) {
        if progress.step(tracks.len() + skeleton.len(), 2 * skeleton.len()).is_err() {
            return Ok(None);
        }
        let rows = (0..frames).map(|frame| &values[frame * width + first..frame * width + first + channels.len()]);
        tracks.push(joint_tracks(joint, channels, rows.collect(), &times));
        first += channels.len();
    }
    let duration = f64::from(times[frames - 1]);
    Ok(Some(Clip { name: name.into(), duration, tracks }))
}

/// Returns the curves of a joint from its channels. Without position or rotation channels there is no such curve. `rows`
/// has the numbers of this joint, one row per frame.
fn joint_tracks(joint: &Joint, channels: &[Channel], rows: Vec<&[f32]>, times: &SharedList<f32>) -> JointTracks {
    let moves = channels.iter().any(|channel| matches!(channel, Channel::Position(_)));
    let turns = channels.iter().any(|channel| matches!(channel, Channel::Rotation(_)));
    let translation = moves.then(|| curve(times, positions(joint.rest.translation, channels, &rows)));
    let rotation = turns.then(|| curve(times, rotations(channels, &rows)));
    JointTracks { translation, rotation, ..JointTracks::default() }
}

/// Returns a linear curve with shared key times.
fn curve<T>(times: &SharedList<f32>, values: Vec<T>) -> Curve<T> {
    Curve { interpolation: Interpolation::Linear, times: times.clone(), values: values.into() }
}

/// Returns the positions of a joint, one per row in the file's unit; those of missing channels are taken from its offset.
fn positions(offset: Vec3, channels: &[Channel], rows: &[&[f32]]) -> Vec<Vec3> {
    let position = |row: &&[f32]| {
        channels.iter().zip(*row).fold(offset, |mut position, (channel, &value)| {
            if let Channel::Position(axis) = *channel {
                position[axis] = value;
            }
            position
        })
    };
    rows.iter().map(position).collect()
}

/// Adds the offset of each joint to its positions, on the axes that have a channel.
fn add_offsets(model: &mut Model, channels: &[Vec<Channel>]) {
    let joints = model.skeleton.joints.iter().zip(channels);
    for (tracks, (joint, channels)) in
        model.clips.iter_mut().flat_map(|clip| clip.tracks.iter_mut().zip(joints.clone()))
    {
        let offset = channels.iter().fold(Vec3::ZERO, |mut offset, channel| {
            if let Channel::Position(axis) = *channel {
                offset[axis] = joint.rest.translation[axis];
            }
            offset
        });
        tracks.translation.iter_mut().flat_map(|curve| &mut curve.values).for_each(|value| *value += offset);
    }
}

/// Returns the product of the rotations in the listed order, one per row. The rows are in degrees. Each quaternion has the sign
/// nearer to the previous one.
fn rotations(channels: &[Channel], rows: &[&[f32]]) -> Vec<Quat> {
    let mut before = Quat::IDENTITY;
    rows.iter()
        .map(|row| {
            let turned =
                channels.iter().zip(*row).fold(glam::DQuat::IDENTITY, |turn, (channel, &degrees)| match *channel {
                    Channel::Rotation(axis) => {
                        turn * glam::DQuat::from_axis_angle(axis.as_dvec3(), f64::from(degrees).to_radians())
                    }
                    Channel::Position(_) => turn,
                });
            let turned = turned.normalize().as_quat();
            before = if before.dot(turned) < 0.0 { -turned } else { turned };
            before
        })
        .collect()
}

#[cfg(test)]
mod variant_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TWO: &str = "HIERARCHY\nROOT Left Hip\n{\n OFFSET 0 1 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n \
        JOINT Knee {\n OFFSET 0 -0.5 0\n CHANNELS 1 Xrotation\n End Site\n {\n OFFSET 0 -0.5 0\n }\n }\n}\nROOT Prop\n{\n OFFSET 2 0 0\n \
        CHANNELS 1 Yrotation\n}\nMOTION\nFrames: 3\nFrame Time: 0.1\n\
        0 1.1 0 90 0 0 0 10\n1 1.1 0 0 0 90 45 200\n2 1.1 0 0 90 0 0\n 350\n";

    fn open(text: &str) -> Result<(Model, Vec<Message>), String> {
        let read = from_text(Path::new("a/walk.bvh"), text, &Progress::new());
        read.map(|read| (read.model, read.warnings)).map_err(|error| error.to_string())
    }

    #[test]
    fn joints_end_sites_several_roots_and_channels_in_any_order_are_read() {
        let (model, warnings) = open(TWO).unwrap();
        let names: Vec<&str> = model.skeleton.joints.iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(names, ["Left Hip", "Knee", "Knee_end", "Prop"]);
        assert_eq!(model.skeleton.joints.iter().map(|j| j.parent).collect::<Vec<_>>(), [None, Some(0), Some(1), None]);
        assert_eq!(warnings.len(), 0, "{warnings:?}");
        let clip = &model.clips[0];
        assert!((clip.duration - 0.2).abs() < 1e-7 && clip.name == "walk");
        let moved = clip.tracks[0].translation.as_ref().unwrap();
        assert_eq!(moved.values, [Vec3::new(0.0, 1.1, 0.0), Vec3::new(1.0, 1.1, 0.0), Vec3::new(2.0, 1.1, 0.0)]);
        let turned = clip.tracks[0].rotation.as_ref().unwrap();
        assert!((turned.values[0] * Vec3::X).abs_diff_eq(Vec3::Y, 1e-6));
        assert!((turned.values[1] * Vec3::Z).abs_diff_eq(Vec3::X, 1e-6));
        assert!((turned.values[2] * Vec3::Y).abs_diff_eq(Vec3::Z, 1e-6));
        let prop = clip.tracks[3].rotation.as_ref().unwrap();
        assert!(prop.values.windows(2).all(|pair| pair[0].dot(pair[1]) >= 0.0));
        assert_eq!(clip.tracks[2], JointTracks::default());
    }

    #[test]
    fn rotations_apply_in_the_order_listed() {
        let text = TWO.replace("0 1.1 0 90 0 0 0 10", "0 1.1 0 90 90 0 0 10");
        let turned = open(&text).unwrap().0.clips[0].tracks[0].rotation.as_ref().unwrap().values[0];
        let expected = Quat::from_rotation_z(90_f32.to_radians()) * Quat::from_rotation_x(90_f32.to_radians());
        assert!(turned.dot(expected).abs() > 0.999_999);
    }

    #[test]
    fn damage_is_reported_with_line_and_word() {
        for (from, to, parts) in [
            ("Xrotation\n End", "Wrotation\n End", ["line 8", "Wrotation"]),
            ("OFFSET 2 0 0", "OFFSET 2 x 0", ["line 17", "\"x\""]),
            ("OFFSET 2 0 0", "OFFSET 2 nan 0", ["line 17", "\"nan\""]),
            ("Frame Time: 0.1", "Frame Time: 0", ["line 22", "time of 0 s"]),
            ("Frames: 3", "Frames: many", ["line 21", "many"]),
            ("350", "oops", ["line 26", "oops"]),
            ("HIERARCHY", "HIER", ["line 1", "HIER"]),
            ("JOINT", "JOIN", ["line 6", "JOIN"]),
        ] {
            let error = open(&TWO.replace(from, to)).unwrap_err();
            assert!(parts.iter().all(|part| error.contains(part)), "{from} → {to}: {error}");
        }
        assert!(open("").unwrap_err().contains("line 1"));
        assert!(open("HIERARCHY ROOT a {").unwrap_err().contains("closing brace"));
    }

    #[test]
    fn missing_frames_are_reported_and_the_rest_is_used() {
        let (model, warnings) = open(&TWO.replace("Frames: 3", "Frames: 18446744073709551615")).unwrap();
        assert_eq!(model.clips[0].tracks[0].rotation.as_ref().unwrap().times.len(), 3);
        assert!(warnings[0].to_string().contains("Read 3 of"), "{warnings:?}");
        let (still, warnings) = open(TWO.split("MOTION").next().unwrap()).unwrap();
        assert!(still.clips.is_empty() && warnings[0].to_string().contains("no motion"));
    }

    #[test]
    fn a_captured_clip_opens_at_its_real_height() {
        let Some(path) = portamento_test_support::corpus("mocap/cmu_01_01.bvh") else { return };
        let opened = from_bytes(&path, &std::fs::read(&path).unwrap()).unwrap();
        let clip = &opened.model.clips[0];
        let keys = clip.tracks[0].rotation.as_ref().map(|curve| curve.times.len());
        assert_eq!((clip.key_rate(), keys), (Some(120.0), Some(2752)));
        assert_eq!(opened.model.skeleton.joints[0].name, "Hips");
        assert!(opened.guesses[0].to_string().contains("5.644"), "{:?}", opened.guesses);
    }

    proptest! {
        #[test]
        fn cut_and_mangled_files_never_panic(at in 0..TWO.len(), remove in 0..40_usize, noise in "[ -~\n]{0,12}") {
            let end = (at + remove).min(TWO.len());
            if let Ok((model, _)) = open(&format!("{}{noise}{}", &TWO[..at], &TWO[end..])) {
                prop_assert!(model.skeleton.joints.iter().enumerate().all(|(i, joint)| joint.parent.is_none_or(|p| p < i)));
                prop_assert!(model.clips.iter().all(|clip| clip.tracks.len() == model.skeleton.len()));
            }
        }
    }
}
