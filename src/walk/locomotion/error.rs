//! Errors of the walk, and reasons why a clip is not proposed.

use glam::DVec3;

use portamento_anim::root_synthesis::RootMotionError;
use portamento_base::message::{Message, message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// Reason why no walk was recorded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WalkError {
    /// A point is not finite or too far away.
    BadPoint {
        /// Index of the point.
        point: usize,
    } => message!(
        "error.walk.bad_point",
        "Point %{point} of the route is not a finite position within 1000 km. Move or remove it.",
        point = point + 1
    ),
    /// A speed limit is not a number between 0.001 and 1000.
    BadSpeed {
        /// Index of the point.
        point: usize,
        /// The rejected limit, m/s.
        speed: f64,
    } => message!(
        "error.walk.bad_speed",
        "The speed limit at point %{point} of the route is %{speed} m/s. Use 0.001 to 1000 m/s.",
        point = point + 1, speed
    ),
    /// The number of speed limits differs from the number of points.
    LimitCount {
        /// Number of points of the path.
        points: usize,
        /// Number of speed limits of the path.
        limits: usize,
    } => message!(
        "error.walk.limit_count",
        "The route has %{points} points but %{limits} speed limits. Give each point one limit.",
        points, limits
    ),
    /// The path is shorter than 5 cm.
    ShortPath {
        /// Length of the path along the ground, metres.
        length: f64,
    } => message!(
        "error.walk.short_way",
        "The route is only %{length} m long. Set the goal at least 5 cm away from the start.",
        length = format!("{length:.3}")
    ),
    /// The path is longer than can be recorded.
    LongPath {
        /// Length of the path, metres.
        length: f64,
        /// Longest allowed length, metres.
        longest: f64,
    } => message!(
        "error.walk.long_way",
        "The route is %{length} m long, which is too long to record. Use at most %{longest} m.",
        length = format!("{length:.0}"), longest = format!("{longest:.0}")
    ),
    /// A setting is out of its range or not a number.
    BadNumber {
        /// Name of the rejected setting.
        what: Box<Message>,
        /// The rejected value.
        value: f64,
        /// Sentence with the allowed values.
        rule: Box<Message>,
    } => message!(
        "error.walk.bad_number",
        "%{what} is %{value}. %{rule}",
        what = &**what, value, rule = &**rule
    ),
    /// A gait's slope range is reversed or exceeds ±90°.
    BadSlopes {
        /// The clip's name.
        clip: String,
    } => message!(
        "error.walk.bad_slopes",
        "The slope range of gait '%{clip}' is invalid. Give the lower slope first, both between -90° and 90°.",
        clip
    ),
    /// A role names a clip that does not exist.
    NoSuchClip {
        /// The requested name.
        name: String,
        /// The role for which it was requested.
        role: Box<Message>,
    } => message!(
        "error.walk.no_such_clip",
        "There is no clip '%{name}'. Choose a clip of this character for %{role}.",
        name, role = &**role
    ),
    /// The character has no clips.
    NoClips => message!(
        "error.walk.no_clips",
        "The character has no clips. Choose a character with clips for standing and walking."
    ),
    /// No clip stands still.
    NoIdle => message!(
        "error.walk.no_idle",
        "The character has no clip that stands still. Assign one for standing."
    ),
    /// No clip can serve as a gait.
    NoGait {
        /// The best candidate, and why it was not proposed.
        nearest: Option<(String, NotProposed)>,
    } => match nearest {
        None => message!(
            "error.walk.no_gait",
            "The character has no walk cycle. Assign a clip for walking."
        ),
        Some((clip, lack)) => message!(
            "error.walk.no_gait_nearest",
            "The character has no forward walk cycle. The closest clip is '%{clip}', but %{lack}. Assign \
             a clip for walking.",
            clip, lack = lack.message()
        ),
    },
    /// A clip assigned to a gait does not move.
    NoSpeed {
        /// The clip's name.
        clip: String,
    } => message!(
        "error.walk.no_speed",
        "Clip '%{clip}' has no speed, because neither its feet nor its root move. Assign a clip that walks.",
        clip
    ),
    /// A clip assigned to the stop does not come to rest from a move.
    NoTravel {
        /// The clip's name.
        clip: String,
        /// Distance that the clip travels, metres.
        travel: f64,
    } => message!(
        "error.walk.no_travel",
        "Clip '%{clip}' travels only %{travel} m, too little for a stop. Assign a clip that moves and then stands.",
        clip, travel = format!("{travel:.3}")
    ),
    /// A clip assigned to turning does not turn on the spot.
    NoTurn {
        /// The clip's name.
        clip: String,
    } => message!(
        "error.walk.no_turn",
        "Clip '%{clip}' does not turn by 20° or more on the spot. Assign a clip that turns in place.",
        clip
    ),
    /// The legs are unknown.
    NoLegs(#[from] error: RootMotionError) => error.message(),
    /// The recording would be too long for memory.
    TooLong {
        /// Requested duration.
        seconds: f64,
    } => message!(
        "error.walk.too_long",
        "The walk would last %{seconds} s, which is too long to record. Choose a shorter route or a higher speed.",
        seconds = format!("{seconds:.0}")
    ),
    /// Laps are set, but the path is not closed.
    OpenLoop {
        /// Distance from its end to its start, metres.
        gap: f64,
    } => message!(
        "error.walk.open_round",
        "The route is not a closed loop: it ends %{gap} m from its start. Move the goal to the start, or set the \
         laps to 0.",
        gap = format!("{gap:.2}")
    ),
    /// Laps are set, but the path has a corner that requires a turn on the spot.
    SharpLoop {
        /// Position of the corner, metres.
        position: DVec3,
        /// Sharpest corner that is rounded, degrees.
        corner: f64,
    } => message!(
        "error.walk.sharp_round",
        "At x %{x} m, z %{z} m the closed loop turns by more than %{corner}°, so the character would have to stop. Move the stop there, \
         or raise the sharpest rounded corner.",
        x = format!("{:.2}", position.x), z = format!("{:.2}", position.z), corner = format!("{corner:.0}")
    ),
    /// A clip assigned to crossings crosses nothing.
    NoCrossing {
        /// The reason.
        error: Box<crate::crossing::BuildError>,
    } => error.message(),
    /// A crossing is not on the path.
    OffCrossing {
        /// Name of its clip.
        clip: String,
    } => message!(
        "error.walk.off_crossing",
        "The crossing with clip '%{clip}' is not on the route. Search the route again.",
        clip
    ),
    /// Laps are set, but the path crosses something.
    CrossingLoop => message!(
        "error.walk.crossing_round",
        "A closed loop cannot cross obstacles. Set the laps to 0, or turn the crossings off."
    ),
    /// Cancelled by the user.
    Cancelled(#[from] error: Cancelled) => error.message(),
}
}

messages! {
/// Reason why a clip is not proposed as a gait. It can still be assigned by hand.
#[derive(Clone, Debug, PartialEq)]
pub enum NotProposed {
    /// The clip does not travel forward.
    OffFront {
        /// Angle between its travel and the character's facing, degrees.
        degrees: f64,
    } => message!(
        "reason.gait.off_front",
        "it travels %{degrees}° away from the character's facing",
        degrees = format!("{degrees:.0}")
    ),
    /// Its last pose differs from its first.
    DoesNotRepeat => message!("reason.gait.does_not_repeat", "its last pose differs from its first"),
    /// Its feet give no walking speed, or never lift, or never plant.
    NoSteps => message!("reason.gait.no_steps", "its feet do not step alternately"),
}
}
