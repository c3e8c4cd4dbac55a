//! Handles of dynamic bones and the quantities they change.

use glam::DVec3;

use portamento_dynamics::Settings;
use portamento_session::{Session, Shown};

/// The quantity that a handle changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandlePart {
    /// Centre of a ball, or a point of a plane.
    Center,
    /// One end of a capsule.
    A,
    /// The other end.
    B,
    /// Radius of a ball or capsule.
    Radius,
    /// Normal of a plane.
    Normal,
    /// Direction and strength of the wind.
    Wind,
    /// Position of the character.
    Body,
}

/// A handle in world space, in the file's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DynamicsHandle {
    /// The quantity it changes.
    pub part: HandlePart,
    /// Its position.
    pub at: DVec3,
    /// The origin of the quantity: the centre for a radius, the tail of an arrow.
    pub from: DVec3,
}

/// Length of the wind arrow: base length in metres, and metres per m/s². Tuned; no derivation recorded.
pub(in crate::viewport) const WIND: (f64, f64) = (0.25, 0.05);

/// Returns the dynamics settings of the open stage of the shown take for changes; `None` if it has none.
pub(in crate::viewport) fn settings(session: &mut Session) -> Option<&mut Settings> {
    let Shown::Take(id) = session.selection.shown else { return None };
    Some(&mut session.document.take_mut(id)?.dynamics_mut(session.selection.stage)?.settings)
}
