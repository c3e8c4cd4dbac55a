//! The left button on the view, from press to release, and what is done with it meanwhile.

use egui::{Key, Response, Ui};

/// What the left button does.
#[derive(Clone, Debug, Default)]
pub enum DragState<T> {
    /// It is up, or turns the camera.
    #[default]
    Idle,
    /// This.
    Active(T),
    /// Nothing more until it is let go.
    Cancelled,
}

/// How it ended.
#[derive(Debug)]
pub enum DragEnd<T> {
    /// The button was let go.
    Released(T),
    /// Esc or the right button were pressed before.
    Cancelled(T),
}

impl<T> DragState<T> {
    /// One frame: a press without Alt begins what `begin` gives. Answers what has ended.
    pub fn follow(&mut self, ui: &Ui, response: &Response, begin: impl FnOnce() -> Option<T>) -> Option<DragEnd<T>> {
        let (down, pressed, alt) =
            ui.input(|input| (input.pointer.primary_down(), input.pointer.primary_pressed(), input.modifiers.alt));
        let gives_up = ui.input(|input| input.key_pressed(Key::Escape) || input.pointer.secondary_pressed());
        // With Esc the view itself lets go of the button, so that is not asked again once it does something.
        let presses = pressed && !alt && response.is_pointer_button_down_on();
        match std::mem::take(self) {
            Self::Active(it) if !down => return Some(DragEnd::Released(it)),
            Self::Active(it) if gives_up => {
                *self = Self::Cancelled;
                return Some(DragEnd::Cancelled(it));
            }
            Self::Idle if presses => *self = begin().map_or(Self::Idle, Self::Active),
            Self::Cancelled if !down => {}
            stays => *self = stays,
        }
        None
    }

    /// Whether it is held down and not for the camera.
    pub fn is_held(&self) -> bool {
        !matches!(self, Self::Idle)
    }

    /// What it does.
    pub fn done(&mut self) -> Option<&mut T> {
        if let Self::Active(it) = self { Some(it) } else { None }
    }
}
