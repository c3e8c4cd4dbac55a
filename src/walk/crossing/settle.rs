//! The last step of a fit: the fall of the body in flight, feet that stay on the ground, and hands on the edge.

use glam::{DAffine3, DVec3};

use super::flight::Arc;
use super::plan::{Plan, on_path};
use super::tracks::{body_joint, hands, legs};
use super::{ContactLimb, CrossingClip, Input, Obstacle, Support, stretch_input};
use portamento_anim::chain_ik::put_in_world;
use portamento_anim::foot_place::{FootTransform, move_foot_to};
use portamento_anim::limb_ik::LimbBones;
use portamento_anim::pose_keys::{PoseSpan, write_poses};
use portamento_anim::root_motion::{frame_times, turn_of};
use portamento_anim::{Clip, Leg, Pose};
use portamento_stretch::carriers::carriers;
use portamento_stretch::retime::TimeMap;

/// Longest time before the take-off and after the landing in which the body gains and loses the difference in speed, seconds: the
/// push of a running jump, and the time in which knees absorb a landing. It is shorter between two flights that are closer.
const PUSH_SECONDS: f64 = 0.25;
/// Time in which a hand moves to its hold and away from it, seconds.
const HAND_FADE_SECONDS: f64 = 0.15;
/// Time in which a foot leaves its contact, seconds.
const FOOT_FADE_SECONDS: f64 = 0.1;
/// Keys per frame while a hand holds, so that it stays on the edge between frames.
const HOLD_KEYS_PER_FRAME: f64 = 4.0;
/// Distance from the clip's own edge up to which a hand is pinned on the edge itself, metres. Hands farther in keep their distance.
const EDGE_REACH_M: f64 = 0.12;
/// Shift that changes no pose, metres.
const SHIFT_MIN_M: f64 = 1e-6;

/// A hand that is pinned to a point.
pub(super) struct Pin {
    pub hand: usize,
    pub bones: Option<LimbBones>,
    /// Start and end of the hold in the fitted motion, seconds.
    pub span: [f64; 2],
    /// Position of the hand joint, in the file's unit.
    pub target: DVec3,
    /// Displacement of the hand at both ends of the hold, in the file's unit.
    offsets: [DVec3; 2],
}

/// A flight in the time of the fitted motion.
pub(super) struct Fall {
    /// Start and end, seconds.
    pub span: [f64; 2],
    /// Height of the hips at the start, metres.
    from: f64,
    arc: Arc,
    /// The arc of the incoming motion.
    own: Arc,
    /// Change of the velocity at both ends, metres per second.
    gains: [DVec3; 2],
    /// Time before the start and after the end in which the velocity changes, seconds; neither reaches into another flight.
    push: [f64; 2],
}

/// Everything that the last step needs.
pub(super) struct Settle<'a> {
    pub input: &'a Input<'a>,
    pub clip: &'a CrossingClip,
    pub plan: &'a Plan,
    pub map: Option<&'a TimeMap>,
    /// The motion after the windows.
    pub stretched: &'a Clip,
    pub pins: Vec<Pin>,
    pub falls: Vec<Fall>,
    pub legs: Vec<Leg>,
    /// Joints that carry the whole character.
    carriers: Vec<usize>,
}

impl<'a> Settle<'a> {
    /// Prepares the fit of `clip` to `obstacle`, which is in the clip's space.
    pub fn new(
        input: &'a Input<'a>,
        clip: &'a CrossingClip,
        plan: &'a Plan,
        obstacle: &Obstacle,
        map: Option<&'a TimeMap>,
        stretched: &'a Clip,
    ) -> Self {
        let carriers = carriers(&stretch_input(input));
        let (pins, falls) = (Vec::new(), Vec::new());
        let mut settle = Self { input, clip, plan, map, stretched, pins, falls, legs: legs(input), carriers };
        settle.falls = settle.falls();
        settle.pins = settle.pins(obstacle);
        settle
    }

    /// Returns the time in the fitted motion of `time` in the incoming one, seconds.
    pub fn played(&self, time: f64) -> f64 {
        self.map.map_or(time, |map| map.at(time)).min(self.stretched.duration)
    }

    /// Returns the time in the incoming motion of `time` in the fitted one, seconds.
    pub fn before(&self, time: f64) -> f64 {
        self.map.map_or(time, |map| map.incoming_time(time))
    }

    /// Writes falls, feet and hands into `fitted`, a copy of the stretched motion.
    pub fn apply(&self, fitted: &mut Clip) {
        let times = self.times();
        let changes =
            |&time: &f64| self.shift(time).length() > SHIFT_MIN_M || self.pins.iter().any(|pin| pin.weight(time) > 0.0);
        let (Some(first), Some(last)) = (times.iter().position(changes), times.iter().rposition(changes)) else {
            return;
        };
        // The frames around keep their pose, so that the change begins gradually.
        let (first, last) = (first.saturating_sub(1), (last + 1).min(times.len() - 1));
        let poses: Vec<Pose> = times[first..=last].iter().map(|&time| self.settled(time)).collect();
        write_poses(self.input.skeleton, fitted, &PoseSpan { times: &times, first, poses: &poses });
    }

    /// Moves the whole motion by `placement`, metres.
    pub fn place(&self, fitted: &mut Clip, placement: DAffine3) {
        if placement.abs_diff_eq(DAffine3::IDENTITY, 1e-12) {
            return;
        }
        let (skeleton, unit) = (self.input.skeleton, self.input.metres_per_unit);
        let placement = DAffine3 { translation: placement.translation / unit, ..placement };
        let times = frame_times(fitted, 0..skeleton.len(), self.input.fps);
        let placed = |&time: &f64| {
            let mut pose = fitted.pose_at(skeleton, time);
            for &carrier in &self.carriers {
                let world = placement * pose.world_from_joint(skeleton, carrier);
                put_in_world(skeleton, &mut pose, carrier, world.translation, turn_of(&world));
            }
            pose
        };
        let poses: Vec<Pose> = times.iter().map(placed).collect();
        write_poses(skeleton, fitted, &PoseSpan { times: &times, first: 0, poses: &poses });
    }

    /// Returns the frame times: those of the motion, and more while a hand holds.
    fn times(&self) -> Vec<f64> {
        let frames = |rate: f64| frame_times(self.stretched, 0..self.input.skeleton.len(), rate * self.input.fps);
        let mut times = frames(1.0);
        let is_held = |time: &f64| self.pins.iter().any(|pin| pin.weight(*time) > 0.0);
        times.extend(frames(HOLD_KEYS_PER_FRAME).into_iter().filter(is_held));
        // A fall begins and ends with a kink.
        times.extend(self.falls.iter().flat_map(|fall| fall.span).map(|time| f64::from(time as f32)));
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// Returns the pose at `time` with falls, feet and hands.
    fn settled(&self, time: f64) -> Pose {
        let skeleton = self.input.skeleton;
        let mut pose = self.fallen(time);
        for pin in &self.pins {
            let Some(bones) = pin.bones.filter(|_| pin.weight(time) > 0.0) else { continue };
            let now = pose.world_from_joint(skeleton, pin.hand).translation;
            bones.reach(skeleton, &mut pose, pin.position(time, now));
        }
        pose
    }

    /// Returns the pose at `time` with falls and feet.
    fn fallen(&self, time: f64) -> Pose {
        let skeleton = self.input.skeleton;
        let mut pose = self.stretched.pose_at(skeleton, time);
        let shift = self.shift(time) / self.input.metres_per_unit;
        if shift.length() * self.input.metres_per_unit > SHIFT_MIN_M {
            let feet: Vec<FootTransform> =
                self.legs.iter().map(|leg| FootTransform::from_pose(skeleton, leg, &pose)).collect();
            for &carrier in &self.carriers {
                let world = pose.world_from_joint(skeleton, carrier);
                put_in_world(skeleton, &mut pose, carrier, world.translation + shift, turn_of(&world));
            }
            for (foot, (leg, target)) in self.legs.iter().zip(feet).enumerate() {
                let weight = self.foot_weight(foot, time);
                if weight > 0.0 {
                    let target = target.moved(shift * (1.0 - weight));
                    move_foot_to(skeleton, leg, &target, &mut pose);
                }
            }
        }
        pose
    }

    /// Returns the weight with which a foot stays on its contact at `time`, 0…1.
    fn foot_weight(&self, foot: usize, time: f64) -> f64 {
        let own = self.clip.contacts.iter().filter(|contact| contact.limb == ContactLimb::Foot(foot));
        let weights = own.map(|contact| {
            let [start, end] = contact.span.map(|time| self.played(time));
            faded(start - time, FOOT_FADE_SECONDS) * faded(time - end, FOOT_FADE_SECONDS)
        });
        weights.fold(0.0, f64::max)
    }

    /// Returns the shift of the body at `time`, metres.
    fn shift(&self, time: f64) -> DVec3 {
        self.falls.iter().map(|fall| self.shift_of(fall, time)).sum()
    }

    /// Returns the shift of the body at `time` (seconds) for one flight, metres. Before and after the flight it
    /// changes over [`PUSH_SECONDS`] from and to zero.
    fn shift_of(&self, fall: &Fall, time: f64) -> DVec3 {
        let [start, end] = fall.span;
        let [before, after] = fall.push;
        if time < start {
            // Cubic with value and slope 0 at its start, value 0 and the change of velocity at its end.
            let share = 1.0 - (start - time) / before;
            return if share > 0.0 { fall.gains[0] * before * share * share * (share - 1.0) } else { DVec3::ZERO };
        }
        if time > end {
            let share = (time - end) / after;
            let rest = 1.0 - share;
            return if rest > 0.0 { fall.gains[1] * after * share * rest * rest } else { DVec3::ZERO };
        }
        let height = fall.from + fall.arc.height(time - start);
        let deviation = if self.plan.gravity { 0.0 } else { self.deviation(fall, time) };
        DVec3::Y * (height + deviation - self.body_height(self.stretched, time))
    }

    /// Returns the height of the incoming motion above the parabola of its flight, metres; `time` is in the fitted motion.
    fn deviation(&self, fall: &Fall, time: f64) -> f64 {
        let [now, start] = [time, fall.span[0]].map(|time| self.before(time));
        let height = self.body_height(self.input.clip, now) - self.body_height(self.input.clip, start);
        height - fall.own.height(now - start)
    }

    /// Returns the height of the hips of `clip` at `time`, metres.
    fn body_height(&self, clip: &Clip, time: f64) -> f64 {
        let (skeleton, joint) = (self.input.skeleton, body_joint(self.input));
        portamento_anim::root_motion::world_at(skeleton, clip, joint, time).translation.y * self.input.metres_per_unit
    }

    /// Returns the flights in the time of the fitted motion.
    fn falls(&self) -> Vec<Fall> {
        let fall = |(flight, planned): (&super::flight::Flight, &Arc)| {
            let span = [flight.start, flight.end].map(|time| self.played(time));
            let [from, to] = span.map(|time| self.body_height(self.stretched, time));
            let own = flight.arc();
            // The ends count, so that an unchanged flight stays unchanged.
            let arc =
                if *planned == own { own } else { Arc { seconds: span[1] - span[0], rise: to - from, ..*planned } };
            let ahead = self.clip.heading * (arc.speed() - own.speed());
            let gains = [arc.take_off_speed() - own.take_off_speed(), arc.landing_speed() - own.landing_speed()];
            Fall { span, from, arc, own, gains: gains.map(|up| DVec3::Y * up + ahead), push: [PUSH_SECONDS; 2] }
        };
        let mut falls: Vec<Fall> = self.clip.flights.iter().zip(&self.plan.arcs).map(fall).collect();
        let (mut from, mut rooms) = (0.0, Vec::new());
        for fall in &falls {
            rooms.push(fall.span[0] - from);
            from = fall.span[1];
        }
        rooms.push(self.stretched.duration - from);
        for (fall, room) in falls.iter_mut().zip(rooms.windows(2)) {
            fall.push = std::array::from_fn(|end| PUSH_SECONDS.min(room[end].max(f64::MIN_POSITIVE)));
        }
        falls
    }

    /// Returns the distance behind the edge at which a hand is pinned that held at `point`, with the clip's own edge at `edge`. Metres.
    pub fn inset(&self, point: DVec3, edge: DVec3) -> f64 {
        let ahead = (point - edge).dot(self.clip.heading);
        if ahead.abs() <= EDGE_REACH_M { 0.0 } else { ahead }
    }

    /// Returns the pins of the hands on `obstacle`.
    fn pins(&self, obstacle: &Obstacle) -> Vec<Pin> {
        let input = self.input;
        let hands: Vec<usize> = hands(input).collect();
        let holds = self.clip.contacts_on(Support::Obstacle).filter_map(|contact| match contact.limb {
            ContactLimb::Hand(hand) => Some((hand, contact)),
            ContactLimb::Foot(_) => None,
        });
        let pin = |(hand, contact): (usize, &super::Contact)| {
            let across = (contact.point - obstacle.start).dot(self.clip.heading.cross(DVec3::Y));
            let [own, new] = [&self.clip.obstacle.near, &obstacle.near].map(|edge| on_path(self.clip, edge, across));
            let point = new? + self.clip.heading * self.inset(contact.point, own?);
            let track = &self.clip.tracks.hands[hand];
            let frames = self.clip.tracks.frames(contact.span);
            let count = frames.len() as f64;
            let joint = track.points[frames].iter().sum::<DVec3>() / count;
            let span = contact.span.map(|time| self.played(time));
            let target = (joint + point - contact.point) / input.metres_per_unit;
            let at = |time: f64| self.fallen(time).world_from_joint(input.skeleton, hands[hand]).translation;
            Some(Pin {
                hand: hands[hand],
                bones: LimbBones::of(input.skeleton, input.roles, input.limbs, hands[hand]),
                span,
                target,
                offsets: span.map(|time| target - at(time)),
            })
        };
        holds.filter_map(pin).collect()
    }
}

impl Pin {
    /// Returns the position at `time` of the hand that would be at `now`: the target during the hold. Before and after it, the
    /// displacement fades.
    fn position(&self, time: f64, now: DVec3) -> DVec3 {
        let [start, end] = self.span;
        let slack = 1e-6;
        if time < start - slack {
            now + self.offsets[0] * self.weight(time)
        } else if time > end + slack {
            now + self.offsets[1] * self.weight(time)
        } else {
            self.target
        }
    }

    /// Returns the weight at `time`, 0…1.
    fn weight(&self, time: f64) -> f64 {
        faded(self.span[0] - time, HAND_FADE_SECONDS) * faded(time - self.span[1], HAND_FADE_SECONDS)
    }
}

/// Returns 1 up to 0 `seconds` and falls smoothly to 0 over the time `fade`, seconds.
fn faded(seconds: f64, fade: f64) -> f64 {
    let share = (seconds / fade).clamp(0.0, 1.0);
    1.0 - share * share * (3.0 - 2.0 * share)
}
