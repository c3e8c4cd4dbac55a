//! Commands by keyboard, menu, list and palette.

mod keyboard;
mod keyboard_takes;
mod lists;
mod keymap;
mod menus;
mod palette;

pub(super) use keyboard::tab_to;
