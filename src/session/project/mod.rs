//! The project on disk: opening, saving, backups, and work that was not saved.

mod backups;
mod files;
mod lock;
mod missing;
pub mod recovery;
mod reload;
mod save;
mod stamp;
mod unreadable;
mod work;

pub(super) use files::fingerprint;
pub(super) use lock::ProjectLock;
pub use recovery::RecoverableWork;
pub(super) use recovery::Recovery;
pub(super) use stamp::Stamp;
pub(super) use unreadable::unreadable;
