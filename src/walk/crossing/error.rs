//! Reasons why a clip cannot cross an obstacle.

use portamento_anim::clip_fit::{BrokenClip, OtherSkeleton};
use portamento_base::message::{Message, message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// The reason why a clip was not fitted to an obstacle.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The frame rate, unit or length is invalid.
    BadNumber {
        /// The invalid value.
        value: f64,
    } => message!(
        "error.cross.bad_number",
        "The motion's frame rate, unit or length cannot be %{value}. Use 1 to 1000 frames per second, a unit above 0 m and a \
         motion of at most an hour.",
        value
    ),
    /// The clip neither jumps nor climbs.
    NoCrossing {
        /// The name of the clip.
        clip: String,
    } => message!(
        "error.cross.no_crossing",
        "“%{clip}” crosses nothing: no hand holds, and the feet never leave the ground for 0.2 s. Choose a clip that jumps, \
         climbs or vaults.",
        clip
    ),
    /// The clip does not travel.
    NoTravel {
        /// The name of the clip.
        clip: String,
    } => message!(
        "error.cross.no_travel",
        "“%{clip}” does not travel, so it cannot cross anything. Choose a clip with root motion.",
        clip
    ),
    /// The moments are not in order.
    BadMoments {
        /// The first moment, seconds.
        first: f64,
        /// The moment that should follow, seconds.
        next: f64,
    } => message!(
        "error.cross.bad_moments",
        "The moment at %{next} s must follow the one at %{first} s by at least two frames. Set take-off, near edge, far edge and \
         landing in this order within the motion.",
        first = format!("{first:.2}"),
        next = format!("{next:.2}")
    ),
    /// A point of the obstacle is not finite, or the obstacle has no direction.
    BadObstacle => message!(
        "error.cross.bad_obstacle",
        "The obstacle's edges and landing must be finite points one after the other. Correct its position and size."
    ),
    /// The clip crosses in another way than the obstacle needs.
    OtherKind {
        /// The kind of the clip.
        clip: Box<Message>,
        /// The kind that the obstacle needs.
        obstacle: Box<Message>,
    } => message!(
        "error.cross.other_kind",
        "The clip is for “%{clip}”, but the obstacle needs “%{obstacle}”. Choose another clip or another kind of obstacle.",
        clip = &**clip,
        obstacle = &**obstacle
    ),
    /// The character approaches the edge at an angle.
    Angle {
        /// The angle to the normal of the edge, degrees.
        degrees: f64,
        /// The largest angle, degrees.
        most: f64,
    } => message!(
        "error.cross.angle",
        "The character would approach the edge at %{degrees}°. Approach it within %{most}°.",
        degrees = format!("{degrees:.0}"),
        most = format!("{most:.0}")
    ),
    /// A window would be stretched too far.
    Stretch {
        /// Start of the window, seconds.
        start: f64,
        /// End of the window, seconds.
        end: f64,
        /// Change of the path as a fraction of its length.
        ratio: f64,
        /// The largest fraction.
        most: f64,
    } => message!(
        "error.cross.stretch",
        "The motion from %{start} s to %{end} s would change by %{percent} %. The limit is %{most} %. Use an obstacle nearer to the \
         clip's own size, or another clip.",
        start = format!("{start:.2}"),
        end = format!("{end:.2}"),
        percent = format!("{:.0}", 100.0 * ratio),
        most = format!("{:.0}", 100.0 * most)
    ),
    /// A speed of the flight exceeds a person's.
    Speed {
        /// The name of the speed.
        what: Box<Message>,
        /// The speed, metres per second.
        speed: f64,
        /// The limit, metres per second.
        most: f64,
    } => message!(
        "error.cross.speed",
        "%{what} would be %{speed} m/s. The limit is %{most} m/s. Use a smaller obstacle, or a clip that jumps farther.",
        what = &**what,
        speed = format!("{speed:.1}"),
        most = format!("{most:.1}")
    ),
    /// The airtime changes too much.
    Airtime {
        /// The airtime that the obstacle needs, seconds.
        seconds: f64,
        /// The smallest airtime of the clip, seconds.
        least: f64,
        /// The largest airtime of the clip, seconds.
        most: f64,
    } => message!(
        "error.cross.airtime",
        "The obstacle needs an airtime of %{seconds} s. This clip allows %{least} s to %{most} s. Use an obstacle nearer to the \
         clip's own size, or another clip.",
        seconds = format!("{seconds:.2}"),
        least = format!("{least:.2}"),
        most = format!("{most:.2}")
    ),
    /// No airtime leads to the landing.
    NoArc => message!(
        "error.cross.no_arc",
        "No jump leads to the landing. Lower it, or use a clip that jumps higher."
    ),
    /// A foot would land before the last edge.
    LandingRoom {
        /// Distance by which the landing must move on, metres.
        missing: f64,
    } => message!(
        "error.cross.landing_room",
        "A foot would land %{centimetres} cm before the far edge. Move the landing on, or use a smaller obstacle.",
        centimetres = format!("{:.1}", 100.0 * missing)
    ),
    /// A hand or foot cannot reach its contact.
    Reach {
        /// The name of the joint.
        joint: String,
        /// The time of the worst distance, seconds.
        time: f64,
        /// The remaining distance, metres.
        gap: f64,
    } => message!(
        "error.cross.reach",
        "“%{joint}” misses its contact at %{time} s by %{centimetres} cm. The limit is 1 cm. Use an obstacle nearer to the clip's own \
         size, or another clip.",
        joint,
        time = format!("{time:.2}"),
        centimetres = format!("{:.1}", 100.0 * gap)
    ),
    /// The clip belongs to another skeleton.
    OtherSkeleton(#[from] error: OtherSkeleton) => error.message(),
    /// The clip contains infinite or undefined numbers.
    BrokenClip(#[from] error: BrokenClip) => error.message(),
    /// The windows could not be stretched.
    Stretching(#[from] error: portamento_stretch::BuildError) => error.message(),
    /// The flight could not be retimed.
    Retiming(#[from] error: portamento_stretch::retime::BuildError) => error.message(),
    /// The work was cancelled.
    Cancelled(#[from] cancelled: Cancelled) => cancelled.message(),
}
}

impl BuildError {
    /// True if a limit refuses the obstacle; false if the motion itself cannot be used or the work was cancelled.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::BadObstacle
                | Self::OtherKind { .. }
                | Self::Angle { .. }
                | Self::Stretch { .. }
                | Self::Speed { .. }
                | Self::Airtime { .. }
                | Self::NoArc
                | Self::LandingRoom { .. }
                | Self::Reach { .. }
        )
    }
}
