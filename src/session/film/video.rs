//! Videos of recordings, encoded by `ffmpeg` where it is installed.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use portamento_base::progress::Progress;
use portamento_formats::export::ExportError;

/// File extensions of videos.
pub(super) const EXTENSIONS: [&str; 2] = ["mp4", "webm"];

/// True if `ffmpeg` is on the path.
pub(super) fn is_available() -> bool {
    program().is_some()
}

/// Returns the path of ffmpeg; `None` if it is in no folder of `PATH`.
fn program() -> Option<PathBuf> {
    let name = format!("ffmpeg{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// Returns the PNG images `frames` as a video of the format `extension`, at `fps` frames per second. Odd sizes are padded
/// by a pixel. Runs `ffmpeg` and waits for its end.
///
/// Returns `Err` if `ffmpeg` is missing or fails, or if cancelled.
pub(super) fn encoded(
    frames: &[Vec<u8>],
    fps: f64,
    extension: &str,
    progress: &Progress,
) -> Result<Vec<u8>, ExportError> {
    let failed = |reason: String| ExportError::Video { reason };
    let io = |error: std::io::Error| failed(error.to_string());
    let program = program().ok_or_else(|| failed("it is not installed".into()))?;
    let folder = tempfile::tempdir().map_err(io)?;
    let output = folder.path().join(format!("film.{extension}"));
    let mut command = Command::new(program);
    command.args(["-hide_banner", "-loglevel", "error", "-y", "-f", "image2pipe", "-c:v", "png"]);
    command.args(["-framerate", &fps.to_string(), "-i", "-"]);
    // Most players need even sizes and halved colours.
    command.args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"]).arg(&output);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(io)?;
    let sent = child.stdin.take().map_or(Ok(()), |mut input| {
        frames.iter().enumerate().try_for_each(|(index, frame)| {
            progress.step(index, frames.len()).map_err(std::io::Error::other)?;
            input.write_all(frame)
        })
    });
    if progress.step(frames.len(), frames.len()).is_err() {
        drop(child.kill());
    }
    let result = child.wait_with_output().map_err(io)?;
    progress.step(frames.len(), frames.len())?;
    if !result.status.success() {
        let words = String::from_utf8_lossy(&result.stderr);
        return Err(failed(words.lines().next_back().unwrap_or("it stopped").to_owned()));
    }
    sent.map_err(io)?;
    portamento_base::regular_file::all(&output).map_err(io)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::film::Film;

    #[test]
    fn a_video_has_every_image_where_ffmpeg_is_installed() {
        let Some(program) = program() else {
            return portamento_test_support::skipped("PORTAMENTO_REQUIRE_FFMPEG", "ffmpeg is not installed");
        };
        let mut film = Film::new(24.0);
        (0..12_u8).for_each(|shade| film.push([33, 21], &[shade * 20; 33 * 21 * 3]).unwrap());
        let folder = tempfile::tempdir().unwrap();
        for (extension, head) in [("mp4", &b"ftyp"[..]), ("webm", &[0x1A, 0x45, 0xDF, 0xA3][..])] {
            let bytes = encoded(&film.frames, 24.0, extension, &Progress::new()).unwrap();
            assert!(bytes[..8].windows(4).any(|window| window == head), "{extension}");
            let path = folder.path().join(format!("a.{extension}"));
            std::fs::write(&path, bytes).unwrap();
            let decoded = Command::new(&program).arg("-i").arg(&path).args(["-f", "null", "-"]).output().unwrap();
            let words = String::from_utf8_lossy(&decoded.stderr).into_owned();
            assert!(words.contains("frame=   12") && words.contains("34x22"), "{extension}: {words}");
        }
    }
}
