//! The project on disk: opening, saving, backups and recovery.

mod backups;
mod files;
mod lock;
mod missing;
mod opened;
mod project_file;
mod read_files;
pub mod recovery;
mod reload;
mod save;
mod source_files;
mod source_watch;
mod stamp;
mod trial;
mod unreadable;
mod work;

pub(super) use opened::{fingerprint, shown_name};
pub use project_file::ProjectFile;
pub use read_files::ReadFiles;
pub use recovery::RecoverableWork;
pub(super) use source_watch::SourceWatch;
pub use stamp::{Stamp, Stamps};
pub(super) use trial::Trial;
pub(super) use unreadable::unreadable;
