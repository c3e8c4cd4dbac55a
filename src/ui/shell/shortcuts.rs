//! Keyboard shortcuts: maps key presses to commands.

use std::cell::RefCell;

use egui::{Event, Key, Modifiers};

use crate::focus;
use crate::widgets::escape;
use portamento_session::command::CommandEntry;
use portamento_session::keymap::{Keymap, KeymapPreset};
use portamento_session::{Command, EditCommand, WindowCommand, command};

thread_local! {
    /// The window's keymap. Thread-local, because one thread draws the window.
    static KEYMAP: RefCell<Keymap> = RefCell::default();
}

/// Sets the keymap.
pub(crate) fn use_keymap(keymap: &Keymap) {
    let is_known = KEYMAP.with_borrow(|known| known == keymap);
    if !is_known {
        KEYMAP.set(keymap.clone());
    }
}

/// Returns the shortcuts of a command; menus show the first.
pub fn keys_of(entry: &CommandEntry) -> Vec<String> {
    KEYMAP.with_borrow(|keymap| keymap.keys(entry))
}

/// Returns the mouse navigation preset.
pub(crate) fn mouse() -> KeymapPreset {
    KEYMAP.with_borrow(|keymap| keymap.preset)
}

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shortcut {
    modifiers: Modifiers,
    key: Key,
}

/// Returns the commands whose shortcuts were pressed and removes their events from the input.
///
/// - Text input: only shortcuts with Ctrl or Alt work, undo and redo belong to the text, and Esc ends it.
/// - A focused list keeps the arrow keys, and a button focused by keyboard keeps Space.
/// - An open menu keeps all plain keys; Esc closes it.
/// - While `dragging`, only shortcuts with Ctrl or Alt work, because other keys constrain the drag; undo and redo wait for its
///   end.
pub fn take_commands(ctx: &egui::Context, dragging: bool) -> Vec<Command> {
    escape::note(ctx);
    let focused = ctx.memory(|memory| memory.focused().is_some());
    let (typing, presses) = (ctx.text_edit_focused(), focus::is_clickable_focused(ctx));
    let ends_typing = escape::is_for_text(ctx, typing);
    let mut is_taken = typing || dragging || egui::Popup::is_any_open(ctx);
    let mut commands = Vec::new();
    for (shortcut, command) in table() {
        let with_command = shortcut.modifiers.command || shortcut.modifiers.alt;
        let is_undo = matches!(command, Command::Edit(EditCommand::Undo | EditCommand::Redo));
        let is_list_key = (focused && is_arrow(shortcut.key)) || (presses && shortcut.key == Key::Space);
        let is_end = ends_typing && shortcut.key == Key::Escape;
        if ((is_taken || is_list_key || is_end) && !with_command) || (is_undo && (typing || dragging)) {
            continue;
        }
        if ctx.input_mut(|input| consume(&mut input.events, shortcut)) {
            // Letters typed in the same frame belong to the palette's field.
            is_taken |= command == Command::Window(WindowCommand::Palette);
            commands.push(command);
        }
    }
    commands
}

/// Removes the presses of the shortcuts of `command` from the input. Returns true if there was one.
pub fn takes(ctx: &egui::Context, command: &Command) -> bool {
    let shortcuts = table().into_iter().filter(|(_, of)| of == command);
    shortcuts.fold(false, |taken, (shortcut, _)| ctx.input_mut(|input| consume(&mut input.events, shortcut)) || taken)
}

fn is_arrow(key: Key) -> bool {
    matches!(key, Key::ArrowUp | Key::ArrowDown | Key::ArrowLeft | Key::ArrowRight)
}

/// Returns all shortcuts with their commands, those with the most modifiers first.
fn table() -> Vec<(Shortcut, Command)> {
    let all = command::catalogue();
    let mut table: Vec<_> = all
        .iter()
        .flat_map(|entry| keys_of(entry).into_iter().filter_map(|keys| Some((parse(&keys)?, entry.command.clone()))))
        .collect();
    let count = |m: Modifiers| u8::from(m.command) + u8::from(m.shift) + u8::from(m.alt);
    table.sort_by_key(|(shortcut, _)| std::cmp::Reverse(count(shortcut.modifiers)));
    table
}

/// Removes the first press of `shortcut` from `events`. Returns true if there was one.
fn consume(events: &mut Vec<Event>, shortcut: Shortcut) -> bool {
    let fits = |event: &Event| match event {
        Event::Key { key, pressed: true, modifiers, .. } => {
            *key == shortcut.key
                && modifiers.shift == shortcut.modifiers.shift
                && modifiers.alt == shortcut.modifiers.alt
                && modifiers.command == shortcut.modifiers.command
        }
        _ => false,
    };
    let at = events.iter().position(fits);
    at.map(|at| events.remove(at)).is_some()
}

/// Parses keymap notation such as `Ctrl+Shift+S`. `None` if it has no key or an unknown one.
fn parse(keys: &str) -> Option<Shortcut> {
    let mut modifiers = Modifiers::NONE;
    let mut key = None;
    for part in keys.split('+') {
        match part {
            "Ctrl" => modifiers.command = true,
            "Shift" => modifiers.shift = true,
            "Alt" => modifiers.alt = true,
            name => key = Key::from_name(name.strip_prefix("Num").unwrap_or(name)),
        }
    }
    Some(Shortcut { modifiers, key: key? })
}

/// Returns a pressed key with its modifiers in keymap notation. `None` for Tab, Enter and Esc, which the window needs itself.
pub fn written(key: Key, modifiers: Modifiers) -> Option<String> {
    if matches!(key, Key::Tab | Key::Enter | Key::Escape) {
        return None;
    }
    let modifier_names = [(modifiers.command, "Ctrl+"), (modifiers.shift, "Shift+"), (modifiers.alt, "Alt+")];
    let modifier_names: String =
        modifier_names.into_iter().filter(|(is_down, _)| *is_down).map(|(_, name)| name).collect();
    Some(format!("{modifier_names}{}", key.name()))
}

/// Returns `keys`, in keymap notation, as users know them: `Ctrl+S`, or `⌘S` on a Mac.
pub fn key_text(keys: &str) -> String {
    let mac = cfg!(target_os = "macos");
    let parts: Vec<&str> = keys
        .split('+')
        .map(|part| match part {
            "Ctrl" if mac => "⌘",
            "Shift" if mac => "⇧",
            "Alt" if mac => "⌥",
            "ArrowLeft" => "←",
            "ArrowRight" => "→",
            "ArrowUp" => "↑",
            "ArrowDown" => "↓",
            "Comma" => ",",
            "Period" => ".",
            "Escape" => "Esc",
            name => name.strip_prefix("Num").unwrap_or(name),
        })
        .collect();
    parts.join(if mac { "" } else { "+" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_in_the_catalogue_is_known_and_the_longest_come_first() {
        use_keymap(&Keymap::default());
        let keys = command::catalogue().iter().map(|entry| entry.keys.len()).sum::<usize>();
        let table = table();
        assert_eq!(table.len(), keys);
        let at = |keys: &str| table.iter().position(|(shortcut, _)| Some(*shortcut) == parse(keys)).unwrap();
        assert!(at("Ctrl+Shift+S") < at("Ctrl+S"));
    }

    #[test]
    fn every_key_of_every_preset_is_parsed_and_a_pressed_key_round_trips() {
        for preset in KeymapPreset::ALL {
            let keymap = Keymap { preset, ..Keymap::default() };
            for keys in command::catalogue().iter().flat_map(|entry| keymap.keys(entry)) {
                assert!(parse(&keys).is_some(), "{keys} of {preset:?}");
            }
        }
        let modifiers = Modifiers::COMMAND | Modifiers::SHIFT;
        let keys = written(Key::Comma, modifiers).unwrap();
        assert_eq!(parse(&keys), Some(Shortcut { modifiers, key: Key::Comma }));
        assert_eq!(written(Key::Escape, Modifiers::NONE), None);
    }
}
