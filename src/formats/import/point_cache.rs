//! Vertex caches: MDD (LightWave, big-endian) and PC2 (3ds Max, little-endian). Both store positions only, no faces.
//!
//! MDD: i32 frames, i32 points, f32 seconds per frame, then frames × points × 3 f32.
//! PC2: `POINTCACHE2\0`, i32 version 1, i32 points, f32 first frame, f32 frames per sample, i32 samples, then the
//! positions as in MDD. Coordinates are kept unchanged; neither format says which axis is up.

use std::path::Path;

use glam::Vec3;

use super::{Fault, ImportError, file_name};
use portamento_anim::media::VertexClip;

/// The first twelve bytes of a PC2 file.
pub(super) const PC2_MAGIC: &[u8; 12] = b"POINTCACHE2\0";

/// Frames per second of an MDD cache whose time stamps state no rate.
const UNSTATED_RATE: f64 = 24.0;

/// A vertex clip read from a point cache.
#[derive(Clone, Debug, PartialEq)]
pub struct CachedClip {
    /// The clip with evenly spaced frames.
    pub clip: VertexClip,
    /// True if the file's frames were unevenly spaced in time and were interpolated linearly.
    pub is_resampled: bool,
    /// True if the file does not state its rate.
    pub has_guessed_rate: bool,
}

/// Reads an MDD cache. The frame rate comes from its time stamps. Unevenly spaced frames are resampled at the rate of the
/// closest two. Frames that all have one time follow each other at 24 frames per second. Returns `Err` if the file is cut
/// short, or if its times are not finite or do not increase.
pub fn from_mdd(path: &Path, bytes: &[u8]) -> Result<CachedClip, ImportError> {
    let damaged = |part: &str, reason: String| Fault::new(part, reason).in_file(path);
    let word = |at: usize| bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map(i32::from_be_bytes);
    let (Some(frames), Some(points)) = (word(0), word(4)) else {
        return Err(damaged("the header", "is cut short".into()));
    };
    let (frames, points) = counts(path, frames, points)?;
    let first = 8usize.saturating_add(frames.saturating_mul(4));
    let data = body(path, bytes, first, frames, points)?;
    let times: Vec<f32> = bytes[8..first].as_chunks::<4>().0.iter().map(|&word| f32::from_be_bytes(word)).collect();
    if let Some(frame) = times.iter().position(|time| !time.is_finite()) {
        return Err(damaged(&format!("the time of frame {frame}"), "is not a finite number".into()));
    }
    if times.len() > 1 && times.iter().all(|&time| time == times[0]) {
        let clip = clip(path, UNSTATED_RATE, points, positions(data, f32::from_be_bytes))?;
        return Ok(CachedClip { clip, is_resampled: false, has_guessed_rate: true });
    }
    let (times, positions) = without_repetitions(times, positions(data, f32::from_be_bytes), points);
    if let Some(frame) = times.windows(2).position(|pair| pair[1] <= pair[0]) {
        return Err(damaged(
            &format!("the time of frame {}", frame + 1),
            "is not later than the time of the frame before it".into(),
        ));
    }
    let rate = rate_of(&times);
    if is_even(&times, rate) {
        return Ok(CachedClip {
            clip: clip(path, rate, points, positions)?,
            is_resampled: false,
            has_guessed_rate: false,
        });
    }
    let rate = resampling_rate(&times);
    let clip = clip(path, rate, points, resampled(&times, points, &positions, rate))?;
    Ok(CachedClip { clip, is_resampled: true, has_guessed_rate: false })
}

/// Removes every frame that has the time stamp and the positions of the frame before it.
fn without_repetitions(times: Vec<f32>, positions: Vec<Vec3>, points: usize) -> (Vec<f32>, Vec<Vec3>) {
    let frame = |index: usize| &positions[index * points..(index + 1) * points];
    let is_new = |&index: &usize| index == 0 || times[index] != times[index - 1] || frame(index) != frame(index - 1);
    let new: Vec<usize> = (0..times.len()).filter(is_new).collect();
    if new.len() == times.len() {
        return (times, positions);
    }
    (new.iter().map(|&index| times[index]).collect(), new.iter().flat_map(|&index| frame(index)).copied().collect())
}

/// Largest deviation of a time stamp from its evenly spaced frame that is rounding, in frames. Some programs round to milliseconds.
const EVEN_STAMP_FRAMES: f64 = 0.05;

/// Largest number of frames after resampling per frame of the file, which limits the memory that two close stamps cost.
const MAX_RESAMPLED_PER_FRAME: f64 = 4.0;

/// True if all time stamps (seconds) lie on frames at `rate` frames per second, counted from the first stamp.
fn is_even(times: &[f32], rate: f64) -> bool {
    let frame = |time: f32| (f64::from(time) - f64::from(times[0])) * rate;
    times.iter().enumerate().all(|(index, &time)| (frame(time) - index as f64).abs() <= EVEN_STAMP_FRAMES)
}

/// Returns the rate of the closest two stamps (seconds) in frames per second, adjusted so that a frame falls on the last
/// stamp. It gives at most [`MAX_RESAMPLED_PER_FRAME`] frames per stamp. `times` must have at least two stamps, all finite,
/// that increase. Panics if it has fewer.
fn resampling_rate(times: &[f32]) -> f64 {
    let span = f64::from(times[times.len() - 1]) - f64::from(times[0]);
    let closest = times.windows(2).map(|pair| f64::from(pair[1]) - f64::from(pair[0])).fold(f64::INFINITY, f64::min);
    let most = MAX_RESAMPLED_PER_FRAME * (times.len() - 1) as f64;
    // Stamps are f32, so a thousandth of a frame is rounding.
    let steps = (span / closest - 1e-3).ceil().clamp(1.0, most);
    let rate = steps / span;
    let rounded = (rate * 1000.0).round() / 1000.0;
    if (rate - rounded).abs() <= 1e-5 * rate { rounded } else { rate }
}

/// Returns the positions at `rate` frames per second from the first stamp to the last, interpolated linearly between
/// the stamps. `times` are in seconds and must increase; each has `points` positions. Fewer than two stamps span no
/// time, so their positions are returned unchanged.
fn resampled(times: &[f32], points: usize, positions: &[Vec3], rate: f64) -> Vec<Vec3> {
    let &[first, .., last] = times else { return positions.to_vec() };
    let [first, last] = [first, last].map(f64::from);
    let steps = ((last - first) * rate).round() as usize;
    let frame = |index: usize| &positions[index * points..(index + 1) * points];
    let at = |step: usize| {
        let time = first + step as f64 / rate;
        let next = times.partition_point(|&stamp| f64::from(stamp) <= time).clamp(1, times.len() - 1);
        let [from, to] = [next - 1, next].map(|index| f64::from(times[index]));
        let share = ((time - from) / (to - from)).clamp(0.0, 1.0) as f32;
        frame(next - 1).iter().zip(frame(next)).map(move |(a, b)| a.lerp(*b, share))
    };
    (0..=steps).flat_map(at).collect()
}

/// Reads a PC2 cache. The format counts frames but stores no seconds, so the caller gives `fps` (frames per second). Frames
/// per sample divide it. Returns `Err` if the file is cut short or its header is invalid.
pub fn from_pc2(path: &Path, bytes: &[u8], fps: f64) -> Result<VertexClip, ImportError> {
    let damaged = |part: &str, reason: &str| Fault::new(part, reason).in_file(path);
    if !bytes.starts_with(PC2_MAGIC) {
        return Err(damaged("the header", "does not begin with POINTCACHE2"));
    }
    let word = |at: usize| bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
    let (Some(points), Some(frames_per_sample), Some(samples)) = (word(16), word(24), word(28)) else {
        return Err(damaged("the header", "is cut short"));
    };
    let (frames, points) = counts(path, i32::from_le_bytes(samples), i32::from_le_bytes(points))?;
    let frames_per_sample = f64::from(f32::from_le_bytes(frames_per_sample));
    if !(frames_per_sample.is_finite() && frames_per_sample > 0.0) {
        return Err(damaged("the header", "has a sampling rate that is not above 0"));
    }
    let data = body(path, bytes, 32, frames, points)?;
    clip(path, fps / frames_per_sample, points, positions(data, f32::from_le_bytes))
}

/// Returns the numbers of frames and points that a header announces. Returns `Err` unless both are positive.
fn counts(path: &Path, frames: i32, points: i32) -> Result<(usize, usize), ImportError> {
    match (usize::try_from(frames), usize::try_from(points)) {
        (Ok(frames), Ok(points)) if frames > 0 && points > 0 => Ok((frames, points)),
        _ => Err(Fault::new("the header", format!("announces {frames} frames of {points} points")).in_file(path)),
    }
}

/// Returns the bytes of all positions, or an error that names the first incomplete frame. `first` is the offset of the
/// first frame.
fn body<'a>(path: &Path, bytes: &'a [u8], first: usize, frames: usize, points: usize) -> Result<&'a [u8], ImportError> {
    let available = bytes.len().saturating_sub(first);
    let per_frame = points.saturating_mul(12);
    let complete_frames = available / per_frame;
    if complete_frames < frames {
        let reason = format!("is cut short; the header announces {frames} frames of {points} points");
        return Err(Fault::new(format!("frame {complete_frames}"), reason).in_file(path));
    }
    Ok(&bytes[first..first + frames * per_frame])
}

/// Reads the positions, whose coordinates `number` decodes. Bytes after the last complete position are ignored.
fn positions(data: &[u8], number: fn([u8; 4]) -> f32) -> Vec<Vec3> {
    let point = |point: &[[u8; 4]; 3]| Vec3::from_array(point.map(number));
    data.as_chunks::<4>().0.as_chunks::<3>().0.iter().map(point).collect()
}

/// Returns the mean rate of the time stamps (seconds) in frames per second; 24 for a single frame. It is rounded to
/// thousandths if they are within 1e-5 of it.
fn rate_of(times: &[f32]) -> f64 {
    let span = times.last().zip(times.first()).map_or(0.0, |(&last, &first)| f64::from(last) - f64::from(first));
    if times.len() < 2 || span <= 0.0 {
        return UNSTATED_RATE;
    }
    let rate = (times.len() - 1) as f64 / span;
    let rounded = (rate * 1000.0).round() / 1000.0;
    // Time stamps are f32, so a rate within their rounding error is the rounded one.
    if (rate - rounded).abs() <= 1e-5 * rate { rounded } else { rate }
}

/// Returns a clip without faces, named after the file at `path`. Returns `Err` if the positions are unusable.
fn clip(path: &Path, fps: f64, points: usize, positions: Vec<Vec3>) -> Result<VertexClip, ImportError> {
    let name = path.file_stem().map_or_else(|| file_name(path), |stem| stem.to_string_lossy().into_owned());
    VertexClip::new(name, fps, points, positions, Vec::new())
        .map_err(|error| Fault::new("the content", format!("is not usable ({error})")).in_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_test_support::corpus;

    #[test]
    fn both_caches_of_one_mesh_hold_the_same_motion() {
        let Some(folder) = corpus("caches") else { return };
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
        let mdd = from_mdd(Path::new("foxrun.mdd"), &read("foxrun.mdd")).unwrap().clip;
        let pc2 = from_pc2(Path::new("foxrun.pc2"), &read("foxrun.pc2"), 24.0).unwrap();
        assert_eq!((mdd.frames(), mdd.vertices, mdd.fps), (11, 1250, 24.0));
        assert_eq!(mdd.frame(0), mdd.frame(1));
        // The MDD was written with Z up and the PC2 with Y up; converting the axes rounds.
        let turned = |point: &Vec3| Vec3::new(point.x, point.z, -point.y);
        let apart = mdd.positions.iter().zip(&pc2.positions).map(|(a, b)| turned(a).distance(*b)).fold(0.0, f32::max);
        assert!(apart < 1e-6, "{apart}");
    }

    /// Returns an MDD of one point that is at (t, t², 0) at each of `times`.
    fn mdd_at(times: &[f32]) -> Vec<u8> {
        let head = [times.len() as i32, 1].into_iter().flat_map(i32::to_be_bytes);
        let points = times.iter().flat_map(|&time| [time, time * time, 0.0]);
        head.chain(times.iter().copied().chain(points).flat_map(f32::to_be_bytes)).collect()
    }

    #[test]
    fn uneven_time_stamps_are_resampled_at_their_times() {
        let fine_first = (0..=24).map(|i| i as f32 / 48.0).chain((1..=12).map(|i| 0.5 + i as f32 / 24.0)).collect();
        let fine_last =
            (0..=10).map(|i| 2.0 + i as f32 / 10.0).chain((1..=20).map(|i| 3.0 + i as f32 / 30.0)).collect();
        let gap = vec![0.0, 0.04, 0.08, 0.2, 0.24];
        let close = (0..20).map(|i| i as f32 / 25.0).chain([19.001 / 25.0, 1.0]).collect();
        let cases: [(Vec<f32>, f64); 4] = [(fine_first, 48.0), (fine_last, 30.0), (gap, 25.0), (close, 84.0)];
        for (times, rate) in cases {
            let CachedClip { clip, is_resampled, .. } = from_mdd(Path::new("a.mdd"), &mdd_at(&times)).unwrap();
            assert!(is_resampled && (clip.fps - rate).abs() < 1e-3 * rate, "{} for {rate}", clip.fps);
            let last = times[times.len() - 1];
            let widest = times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f32::max);
            for frame in 0..clip.frames() {
                let (at, time) = (clip.frame(frame)[0], times[0] + frame as f32 / clip.fps as f32);
                assert!((at.x - time).abs() < 1e-4, "{at} at {time}");
                // A chord of t² over h is at most h²/4 above it.
                assert!((at.y - time * time).abs() < 0.26 * widest * widest, "{at} at {time}");
            }
            assert!((clip.frame(clip.frames() - 1)[0].x - last).abs() < 1e-4);
        }
        for rate in [24.0_f32, 29.97, 60.0] {
            let exact: Vec<f32> = (0..=100).map(|i| i as f32 / rate).collect();
            let rounded: Vec<f32> = exact.iter().map(|time| (time * 1000.0).round() / 1000.0).collect();
            for times in [exact, rounded] {
                let CachedClip { clip, is_resampled, .. } = from_mdd(Path::new("a.mdd"), &mdd_at(&times)).unwrap();
                assert!(!is_resampled && clip.frames() == 101, "{rate}");
            }
        }
    }

    #[test]
    fn a_frame_that_is_written_twice_counts_once() {
        for times in [[0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0]] {
            let CachedClip { clip, is_resampled, .. } = from_mdd(Path::new("a.mdd"), &mdd_at(&times)).unwrap();
            assert_eq!((clip.frames(), clip.fps, is_resampled), (3, 2.0, false), "{times:?}");
            assert_eq!(clip.frame(1), [Vec3::new(0.5, 0.25, 0.0)]);
        }
        // Two positions at one time contradict each other.
        let mut step = mdd_at(&[0.0, 0.5, 0.5, 1.0]);
        let second = step.len() - 24;
        step[second..second + 4].copy_from_slice(&9.0_f32.to_be_bytes());
        assert!(from_mdd(Path::new("a.mdd"), &step).unwrap_err().to_string().contains("time of frame 2"));
    }

    #[test]
    fn frames_that_all_have_one_time_are_kept_and_their_rate_is_guessed() {
        let mut mdd = mdd_at(&[0.0, 1.0, 2.0]);
        mdd[8..20].fill(0);
        let CachedClip { clip, has_guessed_rate, .. } = from_mdd(Path::new("a.mdd"), &mdd).unwrap();
        assert_eq!((clip.frames(), clip.fps, has_guessed_rate), (3, 24.0, true));
        assert_eq!(clip.frame(2), [Vec3::new(2.0, 4.0, 0.0)]);
        let stated = from_mdd(Path::new("a.mdd"), &mdd_at(&[0.0, 1.0, 2.0])).unwrap();
        assert!(!stated.has_guessed_rate);
    }

    #[test]
    fn fewer_than_two_stamps_keep_their_positions() {
        let points = [Vec3::X, Vec3::Y];
        assert_eq!(resampled(&[3.0], 2, &points, 24.0), points);
        assert!(resampled(&[], 2, &[], 24.0).is_empty());
        let CachedClip { clip, is_resampled, .. } = from_mdd(Path::new("a.mdd"), &mdd_at(&[3.0])).unwrap();
        assert!(!is_resampled && clip.frames() == 1);
    }

    #[test]
    fn a_time_that_is_not_finite_is_refused_and_its_frame_named() {
        let not_finite = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        for (times, frame) in not_finite.iter().flat_map(|&time| [(vec![time], 0), (vec![0.0, time, 2.0], 1)]) {
            let reason = from_mdd(Path::new("a.mdd"), &mdd_at(&times)).unwrap_err().to_string();
            assert!(reason.contains(&format!("the time of frame {frame} is not a finite number")), "{reason}");
        }
    }

    #[test]
    fn a_cut_or_lying_file_is_refused_and_the_frame_named() {
        let mut mdd = Vec::new();
        [2i32, 1].iter().for_each(|count| mdd.extend(count.to_be_bytes()));
        [0.0f32, 0.5].iter().for_each(|time| mdd.extend(time.to_be_bytes()));
        (0..6).for_each(|number| mdd.extend((number as f32).to_be_bytes()));
        let path = Path::new("a.mdd");
        assert_eq!(from_mdd(path, &mdd).unwrap().clip.frame(1), [Vec3::new(3.0, 4.0, 5.0)]);
        for end in 0..mdd.len() {
            assert!(from_mdd(path, &mdd[..end]).is_err());
        }
        assert!(from_mdd(path, &mdd[..mdd.len() - 1]).unwrap_err().to_string().contains("frame 1 is cut short"));
        mdd[0..4].copy_from_slice(&i32::MAX.to_be_bytes());
        assert!(from_mdd(path, &mdd).is_err());
    }
}
