//! Numbers typed while something is dragged: what is typed counts in place of the mouse.

use egui::{Event, Key};

use crate::widgets::number::{Unit, parse};

/// What was typed so far in a drag.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Typed {
    text: String,
}

impl Typed {
    /// Takes a key or text; answers the axis that X, Y or Z asked for.
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

    /// Adds what was typed, unless it names an axis, which is answered.
    pub fn add(&mut self, text: &str) -> Option<usize> {
        let axis = ["x", "y", "z"].iter().position(|name| text.eq_ignore_ascii_case(name));
        if axis.is_none() && text.chars().all(|c| c.is_alphanumeric() || ".,-−/²°".contains(c)) {
            self.text += text;
        }
        axis
    }

    /// Forgets what was typed.
    pub fn clear(&mut self) {
        self.text.clear();
    }

    /// The number, as far as it is one; `None` leaves the mouse in charge.
    pub fn value(&self, unit: Unit) -> Option<f64> {
        let ends = self.text.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
        ends.into_iter().find_map(|end| parse(&self.text[..end], unit))
    }

    /// What was typed, to stand after a value; empty where nothing was.
    pub fn shown(&self) -> String {
        if self.text.is_empty() { String::new() } else { format!("   [{}]", self.text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_counts_while_its_unit_is_still_being_typed() {
        let mut typed = Typed::default();
        assert_eq!(typed.value(Unit::Metres), None);
        let values: Vec<_> = "-5cm".chars().map(|c| (typed.add(&c.to_string()), typed.value(Unit::Metres)).1).collect();
        assert_eq!(values, [None, Some(-5.0), Some(-5.0), Some(-0.05)]);
        assert_eq!((typed.add("Y"), typed.shown().as_str()), (Some(1), "   [-5cm]"));
        typed.clear();
        assert_eq!(typed.shown(), "");
    }
}
