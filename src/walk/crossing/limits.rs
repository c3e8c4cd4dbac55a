//! The limits of a person, within which a clip is adapted.

/// Acceleration of free fall, metres per second squared.
pub const GRAVITY: f64 = 9.81;

/// Largest change of the path within one window, as a fraction of its length. The speed changes by at most the same fraction; beyond
/// a half, a run looks like another gait.
pub const MAX_STRETCH_RATIO: f64 = 0.5;

/// Largest vertical speed at take-off, metres per second. It lifts the body by 0.62 m, as a trained person jumps from the spot.
pub const MAX_TAKE_OFF_SPEED: f64 = 3.5;

/// Largest vertical speed at landing, metres per second: a fall of 3 m.
pub const MAX_LANDING_SPEED: f64 = 7.7;

/// Largest horizontal speed in flight, metres per second: the run-up of an untrained long jumper.
pub const MAX_FLIGHT_SPEED: f64 = 8.0;

/// Largest factor by which the horizontal speed in flight changes, in both directions. Chosen as for windows.
pub const MAX_SPEED_FACTOR: f64 = 1.5;

/// Largest factor by which the airtime changes, in both directions. Limbs that move slower by more seem to float.
pub const MAX_AIRTIME_FACTOR: f64 = 1.7;

/// Largest angle between the approach and the normal of the near edge, degrees. Beyond it, two hands beside each other no longer
/// reach the edge.
pub const MAX_APPROACH_DEGREES: f64 = 35.0;

/// Largest distance between a limb and its contact, metres.
pub const MAX_CONTACT_ERROR_M: f64 = 0.01;

/// A clip that exceeds a limit of a person by itself may exceed it by this factor more.
pub const OWN_LIMIT_FACTOR: f64 = 1.05;
