//! `portamento guide`: writes the guide as a website.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{Failure, Force};
use portamento_formats::export::FileSet;

/// Writes the guide in English and Chinese as a website: HTML files that need no server. Open its index.html.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder to write.
    #[arg(short, long)]
    out: PathBuf,
    #[command(flatten)]
    force: Force,
}

impl Arguments {
    /// Writes all files of the site. Returns `Err` if one exists and may not be replaced, or cannot be written.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut files = FileSet::new(Arc::default());
        for file in portamento_guide::site() {
            files.write(&self.out.join(&file.path), &file.bytes).map_err(crate::refused)?;
        }
        crate::commit(files, self.force)
    }
}
