//! Bytes to disk: the whole new file, or the old one untouched.

use std::io::Write as _;
use std::path::Path;

use super::ExportError;

/// Writes `bytes` to `path` by way of a temporary file in the same folder, so that a crash or a full disk never leaves
/// half a file. Errors when the folder is missing, full or not writable; `path` then keeps what it had.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    replace(path, bytes).map_err(|reason| ExportError::Unwritable { file: path.display().to_string(), reason })
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".part");
    // Temporary files are private by default; the finished file should be as open as any other.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    // The rename itself lives in the folder; where folders cannot be synced the file is still whole.
    #[cfg(unix)]
    let _ = std::fs::File::open(folder).and_then(|it| it.sync_all());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("walk.glb");
        write(&path, b"first").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/such/walk.glb");
        let sentence = write(&path, b"").unwrap_err().to_string();
        assert!(sentence.contains("walk.glb") && sentence.contains("folder"), "{sentence}");
    }
}
