//! Dragging of a walk's stop over the level.

use egui::{Pos2, Vec2};
use glam::DVec3;

use crate::drag::{DragInput, Typed};
use crate::viewport::walk::ground_view::GroundView;
use crate::widgets::number::Unit;
use portamento_takes::document::Walk;

/// A drag of a stop, in metres.
#[derive(Clone, Debug)]
pub(super) struct StopDrag {
    stop: usize,
    /// Position before the drag, metres.
    from: DVec3,
    /// Offset from the stop to the press position, points.
    offset: Vec2,
    /// The axis of a typed number.
    axis: usize,
}

/// Snapping step with Ctrl, metres.
const SNAP_STEP_M: f64 = 0.5;

impl StopDrag {
    /// Starts a drag of `stop` pressed at the screen position `pressed`; `None` if there is no such stop.
    pub fn new(stop: usize, walk: &Walk, view: &GroundView, pressed: Pos2) -> Option<Self> {
        let from = *walk.stops.get(stop)?;
        let offset = view.see(from).map_or(Vec2::ZERO, |seen| pressed - seen);
        Some(Self { stop, from, offset, axis: 0 })
    }

    /// Returns the index of the stop.
    pub fn stop(&self) -> usize {
        self.stop
    }

    /// Restores the stop's position before the drag.
    pub fn restore(self, walk: &mut Walk) {
        if let Some(stop) = walk.stops.get_mut(self.stop) {
            *stop = self.from;
        }
    }

    /// Applies one frame of the drag to the stop of `walk`, which stays on the ground. Ctrl snaps to [`SNAP_STEP_M`]; a typed
    /// number (metres) sets X or Z.
    pub fn step(&mut self, input: &DragInput, view: &GroundView, walk: &mut Walk) {
        let Some(stop) = walk.stops.get_mut(self.stop) else { return };
        // A stop lies on the ground, so Y cannot be chosen.
        self.axis = input.axes().iter().copied().rfind(|axis| *axis != 1).unwrap_or(self.axis);
        if let Some(value) = input.typed.value(Unit::Metres) {
            let mut at = self.from;
            at[self.axis] = value;
            *stop = view.dropped(at);
        } else if let Some(at) = view.hit(input.pointer() - self.offset).filter(|_| input.has_moved()) {
            let snapped = (at / SNAP_STEP_M).round() * SNAP_STEP_M;
            *stop = if input.snaps() { view.dropped(DVec3::new(snapped.x, at.y, snapped.z)) } else { at };
        }
    }

    /// Returns the stop's position, its distance from the start of the drag and the typed text, for the readout next to the
    /// pointer. `None` if the stop was removed.
    pub fn readout(&self, walk: &Walk, typed: &Typed) -> Option<String> {
        let at = walk.stops.get(self.stop)?;
        let axis = if self.axis == 0 { "X" } else { "Z" };
        let typed = typed.shown();
        let typed = if typed.is_empty() { typed } else { format!("   {axis}{typed}") };
        let [x, y, z] = at.to_array().map(|metres| Unit::Metres.number(metres, 2));
        let (unit, distance) = (Unit::Metres.suffix(), Unit::Metres.text(at.distance(self.from), 2));
        Some(format!("X {x}   Y {y}   Z {z}{unit}   Δ {distance}{typed}"))
    }
}
