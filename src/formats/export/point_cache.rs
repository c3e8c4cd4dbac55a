//! Writes vertex caches: MDD and PC2, in the layouts described in [`crate::import::point_cache`].

use glam::Vec3;

use super::ExportError;
use portamento_anim::media::VertexClip;

/// Repetition of a loop's first frame at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClosingKey {
    /// X frames, for players that wrap from the last frame to the first (vertex textures, sprites).
    #[default]
    Without,
    /// X + 1 frames, the last equal to the first, for players that need a final key (Blender, glTF engines).
    With,
}

impl ClosingKey {
    /// Returns the frame numbers to write for a loop of `frames`: 0, 1 … and 0 again for [`Self::With`].
    pub fn order(self, frames: usize) -> impl Iterator<Item = usize> {
        let closing = (self == Self::With && frames > 0).then_some(0);
        (0..frames).chain(closing)
    }
}

/// Returns the bytes of an MDD file. Returns `Err` if it has no frames, or too many frames or vertices for the format.
pub fn mdd(clip: &VertexClip, closing: ClosingKey) -> Result<Vec<u8>, ExportError> {
    let (frames, points) = counts(clip, closing)?;
    let mut bytes = Vec::with_capacity(8 + 4 * frames as usize + clip.positions.len() * 12);
    bytes.extend(frames.to_be_bytes());
    bytes.extend(points.to_be_bytes());
    for frame in 0..frames {
        bytes.extend(((f64::from(frame) / clip.fps) as f32).to_be_bytes());
    }
    append(clip, closing, &mut bytes, f32::to_be_bytes);
    Ok(bytes)
}

/// Returns the bytes of a PC2 file with first frame 0 and one sample per frame. Returns `Err` as [`mdd`] does.
pub fn pc2(clip: &VertexClip, closing: ClosingKey) -> Result<Vec<u8>, ExportError> {
    let (frames, points) = counts(clip, closing)?;
    let mut bytes = Vec::with_capacity(32 + clip.positions.len() * 12);
    bytes.extend(b"POINTCACHE2\0");
    bytes.extend(1i32.to_le_bytes());
    bytes.extend(points.to_le_bytes());
    bytes.extend(0f32.to_le_bytes());
    bytes.extend(1f32.to_le_bytes());
    bytes.extend(frames.to_le_bytes());
    append(clip, closing, &mut bytes, f32::to_le_bytes);
    Ok(bytes)
}

/// Returns the numbers of frames, including the closing one, and of points. Returns `Err` as [`mdd`] does.
fn counts(clip: &VertexClip, closing: ClosingKey) -> Result<(i32, i32), ExportError> {
    let frames = closing.order(clip.frames()).count();
    match (i32::try_from(frames), i32::try_from(clip.vertices)) {
        (Ok(frames), Ok(points)) if frames > 0 => Ok((frames, points)),
        _ => Err(ExportError::EmptyClip { clip: clip.name.clone() }),
    }
}

/// Appends the positions of all frames, including the closing one, each number as `word` encodes it. X, Y and Z follow one
/// another.
fn append(clip: &VertexClip, closing: ClosingKey, bytes: &mut Vec<u8>, word: fn(f32) -> [u8; 4]) {
    for frame in closing.order(clip.frames()) {
        bytes.extend(clip.frame(frame).iter().flat_map(|point: &Vec3| point.to_array()).flat_map(word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::point_cache;
    use portamento_test_support::corpus;
    use std::path::Path;

    fn round_trips(clip: &VertexClip) -> [VertexClip; 2] {
        let from_mdd = point_cache::from_mdd(Path::new("a.mdd"), &mdd(clip, ClosingKey::Without).unwrap());
        let from_pc2 = point_cache::from_pc2(Path::new("a.pc2"), &pc2(clip, ClosingKey::Without).unwrap(), clip.fps);
        [from_mdd.unwrap().clip, from_pc2.unwrap()]
    }

    #[test]
    fn a_cache_by_blender_comes_back_byte_for_byte() {
        let Some(folder) = corpus("caches") else { return };
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
        let (mdd_bytes, pc2_bytes) = (read("foxrun.mdd"), read("foxrun.pc2"));
        let clip = point_cache::from_mdd(Path::new("foxrun.mdd"), &mdd_bytes).unwrap().clip;
        assert!(mdd(&clip, ClosingKey::Without).unwrap() == mdd_bytes);
        let clip = point_cache::from_pc2(Path::new("foxrun.pc2"), &pc2_bytes, 24.0).unwrap();
        assert!(pc2(&clip, ClosingKey::Without).unwrap() == pc2_bytes);
    }

    #[test]
    fn numbered_files_become_caches_bit_for_bit() {
        let bits = |clip: &VertexClip| -> Vec<[u32; 3]> {
            clip.positions.iter().map(|point| point.to_array().map(f32::to_bits)).collect()
        };
        let wave = portamento_test_support::wave();
        for folder in corpus("caches/foxrun_obj").into_iter().chain([wave.path().to_owned()]) {
            let read = crate::import::obj_sequence::read(&folder, 24.0, &portamento_base::progress::Progress::new());
            let clip = read.unwrap().clip;
            for again in round_trips(&clip) {
                assert!(bits(&again) == bits(&clip));
                assert_eq!((again.fps, again.frames()), (24.0, 11));
            }
        }
    }

    #[test]
    fn a_truncated_cache_reports_the_first_incomplete_frame() {
        let positions = (0..1000).map(|point| Vec3::splat(point as f32)).collect();
        let clip = VertexClip::new("flag", 30.0, 100, positions, Vec::new()).unwrap();
        let bytes = pc2(&clip, ClosingKey::Without).unwrap();
        // 100 points of 12 bytes after a header of 32: the last byte of frame 7 is missing.
        let cut = point_cache::from_pc2(Path::new("flag.pc2"), &bytes[..32 + 8 * 1200 - 1], 24.0);
        let cut = cut.unwrap_err().to_string();
        assert!(cut.contains("frame 7 is cut short") && cut.contains("flag.pc2"), "{cut}");
    }

    #[test]
    fn the_closing_key_is_written_on_request_and_no_frame_is_shown_twice() {
        let positions = (0..6).map(|i| Vec3::splat(i as f32)).collect();
        let clip = VertexClip::new("flag", 30.0, 2, positions, Vec::new()).unwrap();
        let closed = mdd(&clip, ClosingKey::With).unwrap();
        let closed = point_cache::from_mdd(Path::new("a.mdd"), &closed).unwrap().clip;
        assert_eq!((closed.frames(), closed.fps), (4, 30.0));
        assert_eq!(closed.frame(3), clip.frame(0));
        // Played up to its last key, the closed loop lasts X frames; without the key a player wraps after X frames.
        assert!((closed.duration() * 30.0 - 3.0).abs() < 1e-9);
        assert_eq!(ClosingKey::Without.order(3).collect::<Vec<_>>(), [0, 1, 2]);
    }
}
