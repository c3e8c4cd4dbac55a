//! Numeric input during a drag, which overrides the mouse.

use egui::{Event, Key};

use crate::widgets::number::{Unit, parse};

/// The text typed during a drag.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Typed {
    text: String,
}

impl Typed {
    /// Processes a key or text event: appends text, and removes the last character on Backspace. Returns the axis (0…2) if X, Y
    /// or Z was typed, otherwise `None`.
    pub fn take(&mut self, event: &Event) -> Option<usize> {
        match event {
            Event::Key { key: Key::Backspace, pressed: true, .. } => {
                self.text.pop();
                None
            }
            Event::Text(text) => self.add(text),
            _ => None,
        }
    }

    /// Appends `text`. If it names an axis, returns that axis (0…2) instead. Other characters than those of numbers and units
    /// are dropped.
    pub fn add(&mut self, text: &str) -> Option<usize> {
        let axis = ["x", "y", "z"].iter().position(|name| text.eq_ignore_ascii_case(name));
        if axis.is_none() && text.chars().all(|c| c.is_alphanumeric() || ".,-−/²°".contains(c)) {
            self.text += text;
        }
        axis
    }

    /// Clears the text.
    pub fn clear(&mut self) {
        self.text.clear();
    }

    /// Returns the value of the longest prefix that is a number, in the storage unit of `unit`. Returns `None` if there is none; then
    /// the mouse controls the value.
    pub fn value(&self, unit: Unit) -> Option<f64> {
        let ends = self.text.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
        ends.into_iter().find_map(|end| parse(&self.text[..end], unit))
    }

    /// Returns the typed text as a suffix for the displayed value; empty without text.
    pub fn shown(&self) -> String {
        if self.text.is_empty() { String::new() } else { format!("   [{}]", self.text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_valid_while_its_unit_is_still_being_typed() {
        let mut typed = Typed::default();
        assert_eq!(typed.value(Unit::Metres), None);
        let values: Vec<_> = "-5cm".chars().map(|c| (typed.add(&c.to_string()), typed.value(Unit::Metres)).1).collect();
        assert_eq!(values, [None, Some(-5.0), Some(-5.0), Some(-0.05)]);
        assert_eq!((typed.add("Y"), typed.shown().as_str()), (Some(1), "   [-5cm]"));
        typed.clear();
        assert_eq!(typed.shown(), "");
    }
}
