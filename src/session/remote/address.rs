//! The file with the port and the token.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::json;

/// Name of the file with the port and the token, in the folder of the preferences.
pub const ADDRESS_FILE: &str = "remote.json";
/// Number of random bytes of a token.
const TOKEN_BYTES: usize = 32;

/// The address file of a listener. Dropping it removes the file.
#[derive(Debug)]
pub(super) struct Address {
    path: PathBuf,
    token: String,
}

impl Address {
    /// Writes the address with a new token to `folder`, readable by its user alone. An earlier file is replaced.
    pub fn write(folder: &Path, port: u16) -> io::Result<Self> {
        let mut random = [0; TOKEN_BYTES];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let content = json!({
            "port": port,
            "token": token,
            "process": std::process::id(),
            "version": crate::VERSION,
        });
        // Temporary files are readable by their user alone, and the name changes in one step.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(format!("{content:#}\n").as_bytes())?;
        let path = folder.join(ADDRESS_FILE);
        file.persist(&path).map_err(|error| error.error)?;
        Ok(Self { path, token })
    }

    /// Returns the token.
    pub fn token(&self) -> &str {
        &self.token
    }
}

impl Drop for Address {
    fn drop(&mut self) {
        // The file may be that of another window, which was turned on later.
        let is_own = portamento_base::regular_file::all(&self.path)
            .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(&self.token));
        if is_own {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// True if the texts are equal. Takes the same time wherever they differ.
pub(super) fn is_equal(token: &str, given: &str) -> bool {
    let pairs = token.bytes().zip(given.bytes());
    token.len() == given.len() && pairs.fold(0, |differences, (left, right)| differences | (left ^ right)) == 0
}
