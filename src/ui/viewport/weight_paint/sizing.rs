//! Interactive change of a brush's radius or strength.
//!
//! - `[` and `]` change the radius in steps.
//! - F starts a mode in which mouse motion changes the radius, or with Shift the strength. A click, Enter or F confirms.
//! - F can also stay pressed while the mouse moves; releasing it confirms. Esc and the right button cancel.

use egui::{Key, LayerId, Order, PointerButton, Response, Ui};

use crate::i18n::tr;
use crate::viewport::readout;

/// Factor of the radius for `[` and `]`. Tuned; no derivation recorded.
const STEP_FACTOR: f32 = 1.15;
/// Change of strength per point of mouse motion. Tuned; no derivation recorded.
const STRENGTH_PER_POINT: f32 = 0.004;

/// The values to change.
pub struct SizedBrush<'a> {
    /// Radius, in the unit of the surface.
    pub radius: &'a mut f32,
    /// 0…1, if the brush has one.
    pub strength: Option<&'a mut f32>,
    /// Units of the radius per point on screen.
    pub unit: f32,
}

/// State of the interactive change.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BrushSizing {
    state: State,
    /// True if F was down in the last frame.
    was_down: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    #[default]
    Idle,
    Active(Before),
    /// The confirming click is still down.
    Confirming,
}

/// The values before the change.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Before {
    radius: f32,
    strength: f32,
    is_strength: bool,
    /// True while F has been down since it started the mode.
    is_held: bool,
    /// True if the mouse moved while F was down.
    has_moved: bool,
}

impl BrushSizing {
    /// True if mouse and plain keys belong to the mode.
    pub fn is_busy(&self) -> bool {
        self.state != State::Idle
    }

    /// Handles keys and mouse while the pointer is over `response`, and changes the radius or strength of `sized`.
    pub fn update(&mut self, ui: &Ui, response: &Response, mut sized: SizedBrush) {
        let is_down = ui.input(|input| input.key_down(Key::F));
        let was_down = std::mem::replace(&mut self.was_down, is_down);
        let is_pressed = is_down && !was_down;
        let is_free = response.hovered() && !ui.ctx().text_edit_focused();
        match self.state {
            State::Idle if is_free => {
                step(ui, sized.radius);
                // Ctrl+F and Alt+F are other shortcuts.
                if is_pressed && !ui.input(|input| input.modifiers.command || input.modifiers.alt) {
                    self.begin(ui, &sized);
                }
            }
            State::Idle => {}
            State::Active(before) => self.advance(ui, before, &mut sized, is_pressed),
            State::Confirming if !ui.input(|input| input.pointer.primary_down()) => self.state = State::Idle,
            State::Confirming => {}
        }
    }

    /// Starts the interactive mode: of the strength with Shift if the brush has one, else of the radius.
    fn begin(&mut self, ui: &Ui, sized: &SizedBrush) {
        let strength = sized.strength.as_deref().copied();
        let is_strength = strength.is_some() && ui.input(|input| input.modifiers.shift);
        let (radius, strength) = (*sized.radius, strength.unwrap_or_default());
        self.state = State::Active(Before { radius, strength, is_strength, is_held: true, has_moved: false });
    }

    /// Applies one frame of mouse motion and keys in the interactive mode. `before` has the values that Esc restores;
    /// `is_pressed` is true if F was pressed in this frame.
    fn advance(&mut self, ui: &Ui, mut before: Before, sized: &mut SizedBrush, is_pressed: bool) {
        let moved = ui.input(|input| input.pointer.delta().x);
        before.has_moved |= before.is_held && moved != 0.0;
        match &mut sized.strength {
            Some(strength) if before.is_strength => {
                **strength = (**strength + moved * STRENGTH_PER_POINT).clamp(0.0, 1.0);
                show_value(ui, format!("{}   {:.0} %", tr("form.paint_strength"), **strength * 100.0));
            }
            _ => *sized.radius = (*sized.radius + moved * sized.unit).max(sized.unit),
        }
        let is_released = before.is_held && !self.was_down;
        before.is_held &= self.was_down;
        let pressed = |button| ui.input(|input| input.pointer.button_pressed(button));
        let key = |key| ui.input(|input| input.key_pressed(key));
        self.state = if key(Key::Escape) || pressed(PointerButton::Secondary) {
            *sized.radius = before.radius;
            sized.strength.iter_mut().for_each(|strength| **strength = before.strength);
            State::Idle
        } else if pressed(PointerButton::Primary) {
            State::Confirming
        } else if key(Key::Enter) || is_pressed || is_released && before.has_moved {
            State::Idle
        } else {
            State::Active(before)
        };
    }
}

/// Makes `radius` smaller for the key `[` and larger for `]`, by a factor of [`STEP_FACTOR`].
fn step(ui: &Ui, radius: &mut f32) {
    let [smaller, larger] = [Key::OpenBracket, Key::CloseBracket].map(|key| ui.input(|input| input.key_pressed(key)));
    *radius *= if larger { STEP_FACTOR } else { 1.0 } / if smaller { STEP_FACTOR } else { 1.0 };
}

/// Draws text next to the pointer, over everything drawn later.
fn show_value(ui: &Ui, words: String) {
    let at = ui.input(|input| input.pointer.latest_pos()).unwrap_or_default();
    let painter = ui.ctx().layer_painter(LayerId::new(Order::Foreground, ui.id().with("strength")));
    readout::at_pointer(&painter, at, words);
}

#[cfg(test)]
mod tests {
    use egui::{Event, Modifiers, Pos2};
    use egui_kittest::Harness;

    use super::*;

    struct Brush {
        sizing: BrushSizing,
        radius: f32,
        strength: f32,
    }

    type Window = Harness<'static, Brush>;

    fn window() -> Window {
        let draw = |ui: &mut Ui, brush: &mut Brush| {
            let response = ui.allocate_rect(ui.max_rect(), egui::Sense::click_and_drag());
            let Brush { sizing, radius, strength } = brush;
            sizing.update(ui, &response, SizedBrush { radius, strength: Some(strength), unit: 0.1 });
        };
        let brush = Brush { sizing: BrushSizing::default(), radius: 2.0, strength: 0.5 };
        let mut window = Harness::builder().with_size([400.0, 100.0]).build_ui_state(draw, brush);
        move_to(&mut window, 100.0);
        window
    }

    fn move_to(window: &mut Window, x: f32) {
        window.event(Event::PointerMoved(Pos2::new(x, 50.0)));
        window.run_steps(2);
    }

    fn key(window: &mut Window, key: Key, pressed: bool, modifiers: Modifiers) {
        window.event(Event::Key { key, physical_key: None, pressed, repeat: false, modifiers });
        window.run_steps(1);
    }

    fn button(window: &mut Window, button: PointerButton, pressed: bool) {
        let pos = Pos2::new(150.0, 50.0);
        window.event(Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE });
        window.run_steps(1);
    }

    fn tap(window: &mut Window, modifiers: Modifiers) {
        key(window, Key::F, true, modifiers);
        key(window, Key::F, false, modifiers);
    }

    #[test]
    fn a_tap_on_f_starts_resizing_until_a_click_which_it_consumes() {
        let mut window = window();
        tap(&mut window, Modifiers::NONE);
        move_to(&mut window, 150.0);
        assert!((window.state().radius - 7.0).abs() < 1e-4, "{}", window.state().radius);
        button(&mut window, PointerButton::Primary, true);
        assert!(window.state().sizing.is_busy());
        button(&mut window, PointerButton::Primary, false);
        assert!(!window.state().sizing.is_busy());
        move_to(&mut window, 200.0);
        assert!((window.state().radius - 7.0).abs() < 1e-4);
    }

    #[test]
    fn holding_f_resizes_until_its_release_and_escape_cancels() {
        let mut window = window();
        key(&mut window, Key::F, true, Modifiers::NONE);
        move_to(&mut window, 110.0);
        key(&mut window, Key::F, false, Modifiers::NONE);
        assert!(!window.state().sizing.is_busy() && (window.state().radius - 3.0).abs() < 1e-4);
        tap(&mut window, Modifiers::NONE);
        move_to(&mut window, 300.0);
        key(&mut window, Key::Escape, true, Modifiers::NONE);
        assert!(!window.state().sizing.is_busy() && (window.state().radius - 3.0).abs() < 1e-4);
        button(&mut window, PointerButton::Primary, true);
        assert!(!window.state().sizing.is_busy());
    }

    #[test]
    fn shift_changes_the_strength() {
        let mut window = window();
        window.event(Event::PointerMoved(Pos2::new(100.0, 50.0)));
        window.event(Event::ModifiersChanged(Modifiers::SHIFT));
        tap(&mut window, Modifiers::SHIFT);
        move_to(&mut window, 150.0);
        assert!((window.state().strength - 0.7).abs() < 1e-4 && window.state().radius == 2.0);
    }
}
