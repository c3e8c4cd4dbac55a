//! What is refused, and why.

use crate::anim::root_synthesis::NoRootMotion;
use crate::progress::Cancelled;

/// Why no walk was made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WalkError {
    /// A point is not a usable place.
    #[error("Point {} of the way is not a finite place within 1000 km. Move or remove it.", point + 1)]
    BadPoint {
        /// Index of the point.
        point: usize,
    },
    /// A speed limit of zero, below zero or not a number.
    #[error("The speed limit at point {} of the way is {speed} m/s, so nobody can pass. Use 0.001 to 1000.", point + 1)]
    BadSpeed {
        /// Index of the point.
        point: usize,
        /// What it holds.
        speed: f64,
    },
    /// As many limits as points are needed.
    #[error("The way has {points} points but {limits} speed limits. Give each point one limit.")]
    LimitCount {
        /// Points of the way.
        points: usize,
        /// Limits of the way.
        limits: usize,
    },
    /// Start and goal are the same place.
    #[error("The way is only {length:.3} m long, so there is nothing to walk. Set the goal at least 5 cm away.")]
    ShortWay {
        /// Metres.
        length: f64,
    },
    /// More than can be recorded.
    #[error("The way is {length:.0} m long, more than can be recorded. Use at most {longest:.0} m.")]
    LongWay {
        /// Metres.
        length: f64,
        /// The most that is allowed.
        longest: f64,
    },
    /// A setting is not a usable number.
    #[error("{what} is {value}, which cannot be used. {rule}")]
    BadNumber {
        /// The setting.
        what: &'static str,
        /// What it holds.
        value: f64,
        /// What it should hold.
        rule: &'static str,
    },
    /// A gait's range of slopes is upside down or off the scale.
    #[error("The slopes of gait '{clip}' are no range. Give the lower end first, both within -90° and 90°.")]
    BadSlopes {
        /// The clip's name.
        clip: String,
    },
    /// A role names a clip that is not there.
    #[error("There is no clip '{name}'. Choose a clip of this character for {role}.")]
    NoSuchClip {
        /// The name asked for.
        name: String,
        /// What it should play as.
        role: &'static str,
    },
    /// Nothing to play.
    #[error("The character has no clips, so it cannot walk. Choose a character with clips that stand and walk.")]
    NoClips,
    /// No clip to stand in.
    #[error("No clip stands still, so the character cannot wait or arrive. Assign one for standing.")]
    NoIdle,
    /// No clip to move in.
    #[error("No clip walks in a repeating step, so the character cannot move. Assign one for walking.")]
    NoGait,
    /// A clip assigned to a gait does not move.
    #[error("Clip '{clip}' moves no foot and no root, so no speed can be read from it. Assign a clip that walks.")]
    NoSpeed {
        /// The clip's name.
        clip: String,
    },
    /// A clip assigned to the stop does not come to rest from a move.
    #[error("Clip '{clip}' travels {travel:.3} m, too little to stop by. Assign a clip that runs in and stands.")]
    NoTravel {
        /// The clip's name.
        clip: String,
        /// Metres.
        travel: f64,
    },
    /// A clip assigned to turning does not turn on the spot.
    #[error("Clip '{clip}' does not turn by 20° or more on the spot. Assign a clip that turns where it stands.")]
    NoTurn {
        /// The clip's name.
        clip: String,
    },
    /// Legs are not known.
    #[error(transparent)]
    NoLegs(#[from] NoRootMotion),
    /// The recording would not fit in memory.
    #[error("{seconds:.0} s of walking is too much to record. Walk a shorter way or allow a higher speed.")]
    TooLong {
        /// Length asked for.
        seconds: f64,
    },
    /// Stopped by the user.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
