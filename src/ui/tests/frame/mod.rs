//! The window as a whole: layout, preferences, messages, work behind it and work that it keeps.

mod background;
mod dead_ends;
mod dialogs;
mod guide;
mod help;
mod inspector;
mod kept_work;
mod layout;
mod preferences;
mod scaled;
mod soak;
mod toasts;
