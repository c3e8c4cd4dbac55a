//! What a handle of dynamic bones is, and what it changes.

use glam::DVec3;

use portamento_dynamics::Settings;
use portamento_session::{Session, Shown};

/// What a handle changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandlePart {
    /// The middle of a ball, a point of a plane.
    Center,
    /// One end of a capsule.
    A,
    /// The other end.
    B,
    /// The distance from the middle to the edge.
    Radius,
    /// The direction of a plane.
    Normal,
    /// Where the wind blows to, and how strongly.
    Wind,
    /// The whole character.
    Body,
}

/// A handle in world space, in the file's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DynamicsHandle {
    /// What it changes.
    pub part: HandlePart,
    /// Where it is.
    pub at: DVec3,
    /// Where what it changes starts: the middle for an edge, the tail of an arrow.
    pub from: DVec3,
}

/// Length of the wind's arrow: metres, and metres per m/s² on top.
pub(in crate::viewport) const WIND: (f64, f64) = (0.25, 0.05);

/// The settings that handles change.
pub(in crate::viewport) fn settings(session: &mut Session) -> Option<&mut Settings> {
    let Shown::Take(id) = session.selection.shown else { return None };
    Some(&mut session.document.take_mut(id)?.dynamics_mut(session.selection.stage)?.settings)
}
