//! State machine of left-button drags from press to release, shared by all handles, strokes and markers.
//!
//! Events are processed in order, instead of reading the button state at the end of a frame. A press and release within one
//! frame are a complete drag, and the subject is the item under the press position.

mod typed;

use egui::{Event, Key, Modifiers, PointerButton, Pos2, Response, Ui};

pub use typed::Typed;

/// State of the left button on a widget.
#[derive(Clone, Debug, Default)]
pub(super) enum DragState<T> {
    /// Not dragging: the button is up, or its press did not start this drag.
    #[default]
    Idle,
    /// Dragging.
    Active(Drag<T>),
    /// The drag was cancelled and the button is still down.
    Cancelled,
}

/// A drag under way.
#[derive(Clone, Debug)]
pub struct Drag<T> {
    /// The dragged item.
    pub subject: T,
    /// Mouse and keyboard input of the drag.
    pub input: DragInput,
    is_released: bool,
}

/// Mouse and keyboard input of a drag.
#[derive(Clone, Debug)]
pub(super) struct DragInput {
    /// The value typed during the drag.
    pub typed: Typed,
    /// Press position, points.
    pressed: Pos2,
    /// Pointer or release position, points.
    pointer: Pos2,
    has_moved: bool,
    modifiers: Modifiers,
    /// Axes whose keys were pressed in this frame, 0 … 2.
    axes: Vec<usize>,
}

/// The end of a drag.
#[derive(Debug, PartialEq)]
pub(super) enum DragEnd<T> {
    /// The button was released.
    Released(T),
    /// Esc or the right button cancelled the drag.
    Cancelled(T),
}

/// Distance in points that the pointer must move before a press is a drag and not a click. Tuned; no derivation recorded.
const CLICK_MAX_POINTS: f32 = 3.0;

impl<T> DragState<T> {
    /// Processes the events of this frame. A press on `response` without Alt starts a drag of the subject that `begin` finds at
    /// the press position.
    ///
    /// The drag is still active in the frame of the release, with the pointer at the release position. The next frame returns
    /// [`DragEnd::Released`].
    pub fn update(
        &mut self,
        ui: &Ui,
        response: &Response,
        begin: impl FnOnce(Pos2) -> Option<T>,
    ) -> Option<DragEnd<T>> {
        let mut ended = self.take_released();
        let (events, is_down, modifiers) =
            ui.input(|input| (input.events.clone(), input.pointer.primary_down(), input.modifiers));
        // If press and release arrive in one frame, egui no longer knows which widget was pressed.
        let is_on = response.is_pointer_button_down_on() || !is_down && response.contains_pointer();
        let mut begin = Some(begin).filter(|_| is_on);
        if let Self::Active(drag) = self {
            (drag.input.modifiers, drag.input.axes) = (modifiers, Vec::new());
        }
        for event in events {
            ended = self.take_event(&event, &mut begin).or(ended);
        }
        match self {
            // The release happened outside the window.
            Self::Active(drag) if !is_down => drag.is_released = true,
            Self::Cancelled if !is_down => *self = Self::Idle,
            _ => {}
        }
        if matches!(self, Self::Active(drag) if drag.is_released) {
            ui.request_repaint();
        }
        ended
    }

    /// True from the press until the frame after the release, also after cancelling.
    pub fn is_dragging(&self) -> bool {
        !matches!(self, Self::Idle)
    }

    /// Returns the current drag; `None` if nothing is dragged.
    pub fn active(&self) -> Option<&Drag<T>> {
        if let Self::Active(drag) = self { Some(drag) } else { None }
    }

    /// Returns the current drag for changes.
    pub(super) fn active_mut(&mut self) -> Option<&mut Drag<T>> {
        if let Self::Active(drag) = self { Some(drag) } else { None }
    }

    /// Ends a drag whose button was released in the last frame. `None`, without a change, if there is none.
    fn take_released(&mut self) -> Option<DragEnd<T>> {
        match std::mem::take(self) {
            Self::Active(drag) if drag.is_released => Some(DragEnd::Released(drag.subject)),
            unchanged => {
                *self = unchanged;
                None
            }
        }
    }

    /// Processes one event. Returns the end of a drag that Esc or the right button cancels, otherwise `None`.
    fn take_event(&mut self, event: &Event, begin: &mut Option<impl FnOnce(Pos2) -> Option<T>>) -> Option<DragEnd<T>> {
        let is_cancelling = matches!(
            event,
            Event::Key { key: Key::Escape, pressed: true, .. }
                | Event::PointerButton { button: PointerButton::Secondary, pressed: true, .. }
        );
        match (std::mem::take(self), event) {
            (Self::Idle, &Event::PointerButton { pos, button: PointerButton::Primary, pressed: true, modifiers })
                if !modifiers.alt =>
            {
                let subject = begin.take().and_then(|begin| begin(pos));
                *self = subject.map_or(Self::Idle, |subject| Self::Active(Drag::new(subject, pos, modifiers)));
            }
            (Self::Active(drag), _) if is_cancelling && !drag.is_released => {
                *self = Self::Cancelled;
                return Some(DragEnd::Cancelled(drag.subject));
            }
            (Self::Active(mut drag), event) => {
                drag.take_event(event);
                *self = Self::Active(drag);
            }
            (Self::Cancelled, Event::PointerButton { button: PointerButton::Primary, pressed: false, .. }) => {}
            (unchanged, _) => *self = unchanged,
        }
        None
    }
}

impl<T> Drag<T> {
    /// Starts a drag of `subject` with the button pressed at `at`.
    fn new(subject: T, at: Pos2, modifiers: Modifiers) -> Self {
        let input = DragInput {
            typed: Typed::default(),
            pressed: at,
            pointer: at,
            has_moved: false,
            modifiers,
            axes: Vec::new(),
        };
        Self { subject, input, is_released: false }
    }

    /// Applies an event of the pointer or keyboard. Events after the release of the button are ignored.
    fn take_event(&mut self, event: &Event) {
        match *event {
            _ if self.is_released => {}
            Event::PointerButton { pos, button: PointerButton::Primary, pressed: false, .. } => {
                self.input.point(pos);
                self.is_released = true;
            }
            Event::PointerMoved(pos) => self.input.point(pos),
            _ => self.input.take_key(event),
        }
    }
}

impl DragInput {
    /// Moves the pointer. Beyond [`CLICK_MAX_POINTS`] from the start, the drag is no click any more.
    fn point(&mut self, at: Pos2) {
        self.pointer = at;
        self.has_moved |= at.distance(self.pressed) > CLICK_MAX_POINTS;
    }

    /// Processes typed numbers and axis keys.
    fn take_key(&mut self, event: &Event) {
        if let Some(axis) = self.typed.take(event) {
            // The typed text belonged to another axis.
            self.typed.clear();
            self.axes.push(axis);
        }
    }

    /// Returns the pointer position, or the release position.
    pub fn pointer(&self) -> Pos2 {
        self.pointer
    }

    /// Returns the press position and the current position, points. With Shift, the current position is moved to a tenth of the
    /// distance.
    pub fn endpoints(&self) -> [Pos2; 2] {
        let share = if self.modifiers.shift { 0.1 } else { 1.0 };
        [self.pressed, self.pressed + (self.pointer - self.pressed) * share]
    }

    /// True if Ctrl is down. It turns snapping on in the view, and off in the timeline.
    pub(super) fn snaps(&self) -> bool {
        self.modifiers.command
    }

    /// True if the pointer was at any time of the drag farther than [`CLICK_MAX_POINTS`] from the press.
    pub(super) fn has_moved(&self) -> bool {
        self.has_moved
    }

    /// Returns the axes whose keys were pressed in this frame (0 … 2 for X, Y, Z), in order.
    pub fn axes(&self) -> &[usize] {
        &self.axes
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;

    use super::*;

    /// A widget that drags where it was grabbed; what it saw is written down.
    #[derive(Default)]
    struct Seen {
        state: DragState<Pos2>,
        pointers: Vec<Pos2>,
        ends: Vec<DragEnd<Pos2>>,
    }

    fn window() -> Harness<'static, Seen> {
        let draw = |ui: &mut Ui, seen: &mut Seen| {
            let response = ui.allocate_rect(ui.max_rect(), egui::Sense::click_and_drag());
            seen.ends.extend(seen.state.update(ui, &response, Some));
            seen.pointers.extend(seen.state.active().map(|drag| drag.input.pointer()));
        };
        let mut window = Harness::builder().with_size([200.0, 100.0]).build_ui_state(draw, Seen::default());
        window.event(Event::PointerMoved(at(50.0)));
        window.run_steps(2);
        window
    }

    fn at(x: f32) -> Pos2 {
        Pos2::new(x, 50.0)
    }

    fn button(window: &mut Harness<'_, Seen>, button: PointerButton, pos: Pos2, pressed: bool) {
        window.input_mut().events.push(Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE });
    }

    #[test]
    fn press_and_release_in_one_frame_are_a_complete_drag_from_the_press_position() {
        let mut window = window();
        button(&mut window, PointerButton::Primary, at(50.0), true);
        window.input_mut().events.push(Event::PointerMoved(at(80.0)));
        button(&mut window, PointerButton::Primary, at(80.0), false);
        window.run_steps(3);
        let seen = window.state();
        assert_eq!(seen.ends, [DragEnd::Released(at(50.0))]);
        assert_eq!(seen.pointers, [at(80.0)]);
        assert!(!seen.state.is_dragging());
    }

    #[test]
    fn the_subject_is_under_the_press_even_if_the_pointer_moved_in_that_frame() {
        let mut window = window();
        button(&mut window, PointerButton::Primary, at(50.0), true);
        window.input_mut().events.push(Event::PointerMoved(at(90.0)));
        window.step();
        assert_eq!(window.state().state.active().map(|drag| drag.subject), Some(at(50.0)));
        assert_eq!(window.state().pointers, [at(90.0)]);
    }

    #[test]
    fn the_right_button_cancels_and_nothing_begins_until_the_left_one_is_up() {
        let mut window = window();
        button(&mut window, PointerButton::Primary, at(50.0), true);
        window.step();
        button(&mut window, PointerButton::Secondary, at(50.0), true);
        window.step();
        assert_eq!(window.state().ends, [DragEnd::Cancelled(at(50.0))]);
        assert!(window.state().state.is_dragging() && window.state().state.active().is_none());
        button(&mut window, PointerButton::Secondary, at(50.0), false);
        button(&mut window, PointerButton::Primary, at(50.0), false);
        window.step();
        assert!(!window.state().state.is_dragging() && window.state().ends.len() == 1);
    }
}
