//! What is refused, and why.

use glam::DVec3;

use crate::anim::root_synthesis::NoRootMotion;
use crate::message::{Message, message, tell};
use crate::progress::Cancelled;

/// Why no walk was made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WalkError {
    /// A point is not a usable place.
    BadPoint {
        /// Index of the point.
        point: usize,
    },
    /// A speed limit of zero, below zero or not a number.
    BadSpeed {
        /// Index of the point.
        point: usize,
        /// What it holds.
        speed: f64,
    },
    /// As many limits as points are needed.
    LimitCount {
        /// Points of the way.
        points: usize,
        /// Limits of the way.
        limits: usize,
    },
    /// Start and goal are the same place.
    ShortWay {
        /// Distance between start and goal along the ground, metres.
        length: f64,
    },
    /// More than can be recorded.
    LongWay {
        /// Length of the way that was asked for, metres.
        length: f64,
        /// The most that is allowed.
        longest: f64,
    },
    /// A setting is not a usable number.
    BadNumber {
        /// Name of the refused setting.
        what: Box<Message>,
        /// What it holds.
        value: f64,
        /// What it should hold.
        rule: Box<Message>,
    },
    /// A gait's range of slopes is upside down or off the scale.
    BadSlopes {
        /// The clip's name.
        clip: String,
    },
    /// A role names a clip that is not there.
    NoSuchClip {
        /// The name asked for.
        name: String,
        /// What it should play as.
        role: Box<Message>,
    },
    /// Nothing to play.
    NoClips,
    /// No clip to stand in.
    NoIdle,
    /// No clip to move in.
    NoGait {
        /// The clip that comes nearest to one, and what it lacks.
        nearest: Option<(String, NotProposed)>,
    },
    /// A clip assigned to a gait does not move.
    NoSpeed {
        /// The clip's name.
        clip: String,
    },
    /// A clip assigned to the stop does not come to rest from a move.
    NoTravel {
        /// The clip's name.
        clip: String,
        /// How far the clip travels, metres.
        travel: f64,
    },
    /// A clip assigned to turning does not turn on the spot.
    NoTurn {
        /// The clip's name.
        clip: String,
    },
    /// Legs are not known.
    NoLegs(#[from] NoRootMotion),
    /// The recording would not fit in memory.
    TooLong {
        /// Length asked for.
        seconds: f64,
    },
    /// A way that is to be walked round does not end where it begins.
    OpenRound {
        /// Metres from its end to its start.
        gap: f64,
    },
    /// A way that is to be walked round has a corner that has to be turned on the spot.
    SharpRound {
        /// Where the corner is, metres.
        place: DVec3,
        /// Degrees up to which corners are rounded.
        corner: f64,
    },
    /// Stopped by the user.
    Cancelled(#[from] Cancelled),
}

/// Why a clip is not proposed for walking; whoever assigns it walks with it all the same.
#[derive(Clone, Debug, PartialEq)]
pub enum NotProposed {
    /// It leads elsewhere than ahead.
    OffFront {
        /// Degrees between its way and where the character looks.
        degrees: f64,
    },
    /// It ends in another pose than it begins with.
    DoesNotRepeat,
    /// Its feet tell no speed, or never lift or never stand.
    NoSteps,
}

tell!(NotProposed {
    Self::OffFront { degrees } => message!(
        "reason.gait.off_front",
        "it goes %{degrees}° off where the character looks",
        degrees = format!("{degrees:.0}")
    ),
    Self::DoesNotRepeat => message!("reason.gait.does_not_repeat", "it does not end in the pose it begins with"),
    Self::NoSteps => message!("reason.gait.no_steps", "its feet do not step in turn at any speed"),
});

tell!(WalkError {
    Self::BadPoint { point } => message!(
        "error.walk.bad_point",
        "Point %{point} of the way is not a finite place within 1000 km. Move or remove it.",
        point = point + 1
    ),
    Self::BadSpeed { point, speed } => message!(
        "error.walk.bad_speed",
        "The speed limit at point %{point} of the way is %{speed} m/s, so nobody can pass. Use 0.001 to 1000.",
        point = point + 1, speed
    ),
    Self::LimitCount { points, limits } => message!(
        "error.walk.limit_count",
        "The way has %{points} points but %{limits} speed limits. Give each point one limit.",
        points, limits
    ),
    Self::ShortWay { length } => message!(
        "error.walk.short_way",
        "The way is only %{length} m long, so there is nothing to walk. Set the goal at least 5 cm away.",
        length = format!("{length:.3}")
    ),
    Self::LongWay { length, longest } => message!(
        "error.walk.long_way",
        "The way is %{length} m long, more than can be recorded. Use at most %{longest} m.",
        length = format!("{length:.0}"), longest = format!("{longest:.0}")
    ),
    Self::BadNumber { what, value, rule } => message!(
        "error.walk.bad_number",
        "%{what} is %{value}, which cannot be used. %{rule}",
        what = &**what, value, rule = &**rule
    ),
    Self::BadSlopes { clip } => message!(
        "error.walk.bad_slopes",
        "The slopes of gait '%{clip}' are no range. Give the lower end first, both within -90° and 90°.",
        clip
    ),
    Self::NoSuchClip { name, role } => message!(
        "error.walk.no_such_clip",
        "There is no clip '%{name}'. Choose a clip of this character for %{role}.",
        name, role = &**role
    ),
    Self::NoClips => message!(
        "error.walk.no_clips",
        "The character has no clips, so it cannot walk. Choose a character with clips that stand and walk."
    ),
    Self::NoIdle => message!(
        "error.walk.no_idle",
        "No clip stands still, so the character cannot wait or arrive. Assign one for standing."
    ),
    Self::NoGait { nearest: None } => message!(
        "error.walk.no_gait",
        "No clip walks in a repeating step, so the character cannot move. Assign one for walking."
    ),
    Self::NoGait { nearest: Some((clip, lack)) } => message!(
        "error.walk.no_gait_nearest",
        "No clip walks forward in a repeating step, so the character cannot move. The nearest is '%{clip}', but %{lack}. Assign \
         one for walking.",
        clip, lack = lack.message()
    ),
    Self::NoSpeed { clip } => message!(
        "error.walk.no_speed",
        "Clip '%{clip}' moves no foot and no root, so no speed can be read from it. Assign a clip that walks.",
        clip
    ),
    Self::NoTravel { clip, travel } => message!(
        "error.walk.no_travel",
        "Clip '%{clip}' travels %{travel} m, too little to stop by. Assign a clip that runs in and stands.",
        clip, travel = format!("{travel:.3}")
    ),
    Self::NoTurn { clip } => message!(
        "error.walk.no_turn",
        "Clip '%{clip}' does not turn by 20° or more on the spot. Assign a clip that turns where it stands.",
        clip
    ),
    Self::NoLegs(error) => error.message(),
    Self::TooLong { seconds } => message!(
        "error.walk.too_long",
        "%{seconds} s of walking is too much to record. Walk a shorter way or allow a higher speed.",
        seconds = format!("{seconds:.0}")
    ),
    Self::OpenRound { gap } => message!(
        "error.walk.open_round",
        "The way ends %{gap} m from where it begins, so it cannot be walked round. Lead it back to its start.",
        gap = format!("{gap:.2}")
    ),
    Self::SharpRound { place, corner } => message!(
        "error.walk.sharp_round",
        "At x %{x} m, z %{z} m the round turns by more than %{corner}°, for which the character would have to stop. Move the stop there, \
         or raise the sharpest corner.",
        x = format!("{:.2}", place.x), z = format!("{:.2}", place.z), corner = format!("{corner:.0}")
    ),
    Self::Cancelled(error) => error.message(),
});
