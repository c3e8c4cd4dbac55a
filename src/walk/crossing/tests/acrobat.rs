//! A figure of 17 joints and clips of it that cross something, computed from numbers: every moment, height and speed is known.

use glam::{DVec3, Vec3};

use crate::crossing::{Built, CrossingClip, Input, Moments, Obstacle, build};
use portamento_anim::limb_ik::LimbBones;
use portamento_anim::math::Transform;
use portamento_anim::pose_keys::{PoseSpan, write_poses};
use portamento_anim::root_motion::world_at;
use portamento_anim::{Clip, Front, Joint, JointTracks, Leg, Pose, Roles, RootKind, RootMotion, Skeleton};
use portamento_base::progress::Progress;

/// Frames per second of the clips.
pub const FPS: f64 = 60.0;
/// Acceleration of free fall, m/s².
pub const G: f64 = 9.81;
/// Height of the ankle over the sole, metres.
const ANKLE: f32 = 0.08;
const HIPS: usize = 1;
/// The feet, left and right.
pub const FEET: [usize; 2] = [12, 16];
/// The hands, left and right.
pub const HANDS: [usize; 2] = [5, 8];

/// A value with its rate of change at a time.
pub type Knot = (f64, f64, f64);
/// Start and end in seconds, distance and height in metres.
pub type Plant = (f64, f64, f64, f64);

/// A clip as numbers.
#[derive(Clone)]
pub struct Act {
    /// Duration, seconds.
    pub seconds: f64,
    /// Distance of the hips.
    pub z: Vec<Knot>,
    /// Height of the hips.
    pub y: Vec<Knot>,
    /// Plants of the feet, left and right.
    pub feet: [Vec<Plant>; 2],
    /// Height of the swing after each plant of the feet, over the higher one of its ends.
    pub swing: f64,
    /// Holds of both hands.
    pub hold: Option<Plant>,
}

/// The figure with a clip.
pub struct Acrobat {
    pub skeleton: Skeleton,
    pub roles: Roles,
    pub clip: Clip,
}

impl Acrobat {
    pub fn new(act: &Act) -> Self {
        let (skeleton, roles) = figure();
        let clip = act.clip(&skeleton, &roles);
        Self { skeleton, roles, clip }
    }

    pub fn input(&self) -> Input<'_> {
        Input {
            skeleton: &self.skeleton,
            clip: &self.clip,
            roles: &self.roles,
            limbs: &[],
            root: RootMotion { joint: 0, kind: RootKind::Root },
            fps: FPS,
            metres_per_unit: 1.0,
            mesh_joints: &[],
            body: &[],
        }
    }

    pub fn recognised(&self) -> CrossingClip {
        CrossingClip::recognise(&self.input(), &Moments::default(), None).unwrap()
    }

    pub fn fit(&self, obstacle: &Obstacle) -> Result<Built, crate::crossing::BuildError> {
        build(&self.input(), &self.recognised(), obstacle, true, &Progress::new())
    }

    pub fn at(&self, clip: &Clip, joint: usize, time: f64) -> DVec3 {
        world_at(&self.skeleton, clip, joint, time).translation
    }

    pub fn hips(&self, clip: &Clip, time: f64) -> DVec3 {
        self.at(clip, HIPS, time)
    }
}

/// Returns the figure, 1.6 m high, facing +Z.
fn figure() -> (Skeleton, Roles) {
    let rows: [(&str, Option<usize>, [f32; 3]); 17] = [
        ("root", None, [0.0, 0.0, 0.0]),
        ("hips", Some(0), [0.0, 0.98, 0.0]),
        ("spine", Some(1), [0.0, 0.15, 0.0]),
        ("upper_arm.l", Some(2), [0.2, 0.3, 0.0]),
        ("forearm.l", Some(3), [0.0, -0.45, -0.03]),
        ("hand.l", Some(4), [0.0, -0.45, 0.03]),
        ("upper_arm.r", Some(2), [-0.2, 0.3, 0.0]),
        ("forearm.r", Some(6), [0.0, -0.45, -0.03]),
        ("hand.r", Some(7), [0.0, -0.45, 0.03]),
        ("head", Some(2), [0.0, 0.45, 0.0]),
        ("thigh.l", Some(1), [0.1, 0.0, 0.0]),
        ("shin.l", Some(10), [0.0, -0.45, 0.03]),
        ("foot.l", Some(11), [0.0, -0.45, -0.03]),
        ("head_end", Some(9), [0.0, 0.2, 0.0]),
        ("thigh.r", Some(1), [-0.1, 0.0, 0.0]),
        ("shin.r", Some(14), [0.0, -0.45, 0.03]),
        ("foot.r", Some(15), [0.0, -0.45, -0.03]),
    ];
    let joint = |(node, &(name, parent, at)): (usize, &(&str, Option<usize>, [f32; 3]))| Joint {
        name: name.into(),
        parent,
        rest: Transform::from_translation(Vec3::from(at)),
        node,
        first_morph: 0,
        morph_count: 0,
    };
    let skeleton = Skeleton { joints: rows.iter().enumerate().map(joint).collect(), rest_morphs: Vec::new() };
    let leg = |thigh: usize| Leg { thigh, shin: thigh + 1, foot: thigh + 2, toe: None };
    let roles = Roles {
        root_motion: Some(0),
        hips: Some(HIPS),
        legs: vec![leg(10), leg(14)],
        spine_split: Some(2),
        head: Some(9),
        hands: HANDS.to_vec(),
        front: Some(Front::PlusZ),
        pairs: vec![(10, 14), (11, 15), (12, 16), (3, 6), (4, 7), (5, 8)],
        ..Roles::default()
    };
    (skeleton, roles)
}

/// Returns the value of the cubics through `knots` at `time`.
fn hermite(knots: &[Knot], time: f64) -> f64 {
    let after = knots.partition_point(|knot| knot.0 <= time).clamp(1, knots.len() - 1);
    let (from, to) = (knots[after - 1], knots[after]);
    let (span, s) = (to.0 - from.0, (time - from.0) / (to.0 - from.0));
    let (s2, s3) = (s * s, s * s * s);
    from.1 * (2.0 * s3 - 3.0 * s2 + 1.0)
        + to.1 * (3.0 * s2 - 2.0 * s3)
        + span * (from.2 * (s3 - 2.0 * s2 + s) + to.2 * (s3 - s2))
}

impl Act {
    /// Returns the position of a foot's sole at `time`: distance and height.
    fn sole(&self, foot: usize, time: f64) -> [f64; 2] {
        let plants = &self.feet[foot];
        let after = plants.partition_point(|plant| plant.0 <= time);
        let Some(from) = after.checked_sub(1).map(|at| plants[at]) else { return [plants[0].2, plants[0].3] };
        let Some(to) = plants.get(after).copied().filter(|_| time > from.1) else { return [from.2, from.3] };
        let s = (time - from.1) / (to.0 - from.1);
        let eased = s * s * (3.0 - 2.0 * s);
        let top = from.3.max(to.3) + self.swing;
        let line = from.3 + (to.3 - from.3) * eased;
        let bump = (std::f64::consts::PI * s).sin().powi(2);
        [from.2 + (to.2 - from.2) * eased, line + (top - line) * bump]
    }

    fn clip(&self, skeleton: &Skeleton, roles: &Roles) -> Clip {
        let frames = (self.seconds * FPS).round() as usize;
        let times: Vec<f64> = (0..=frames).map(|frame| f64::from((frame as f64 / FPS) as f32)).collect();
        let bones = |joint: usize| LimbBones::of(skeleton, roles, &[], joint).unwrap();
        let posed = |&time: &f64| {
            let mut pose = Pose::rest(skeleton);
            let (z, y) = (hermite(&self.z, time) as f32, hermite(&self.y, time) as f32);
            pose.locals[0].translation = Vec3::Z * z;
            pose.locals[HIPS].translation = Vec3::Y * y;
            for (foot, side) in [0.1, -0.1].into_iter().enumerate() {
                let [z, y] = self.sole(foot, time);
                bones(FEET[foot]).reach(skeleton, &mut pose, DVec3::new(side, y + f64::from(ANKLE), z));
            }
            if let Some((start, end, z, y)) = self.hold {
                let fade = |seconds: f64| 1.0 - (seconds / 0.2).clamp(0.0, 1.0);
                let weight = fade(start - time) * fade(time - end);
                for (hand, side) in [0.2, -0.2].into_iter().enumerate() {
                    let now = pose.world_from_joint(skeleton, HANDS[hand]).translation;
                    let target = now.lerp(DVec3::new(side, y, z), weight);
                    bones(HANDS[hand]).reach(skeleton, &mut pose, target);
                }
            }
            pose
        };
        let poses: Vec<Pose> = times.iter().map(posed).collect();
        let tracks = vec![JointTracks::default(); skeleton.len()];
        let mut clip = Clip { name: "act".into(), duration: times[frames], tracks };
        write_poses(skeleton, &mut clip, &PoseSpan { times: &times, first: 0, poses: &poses });
        clip
    }
}

/// Two steps of a run at 3 m/s, a take-off at 0.8 s and 2.1 m, and a landing `seconds` later and `rise` higher, with steps behind it.
pub fn jump(seconds: f64, rise: f64) -> Act {
    let speed = 3.0;
    let lands = 0.8 + seconds;
    let up = rise / seconds + 0.5 * G * seconds;
    let at = |time: f64| speed * time - 0.3;
    let end = lands + 0.8;
    Act {
        seconds: end,
        z: vec![(0.0, at(0.0), speed), (end, at(end), speed)],
        y: vec![
            (0.0, 0.85, 0.0),
            (0.6, 0.8, 0.0),
            (0.8, 0.86, up),
            (lands, 0.86 + rise, up - G * seconds),
            (lands + 0.25, 0.8 + rise, 0.0),
            (end, 0.85 + rise, 0.0),
        ],
        feet: [
            vec![
                (0.0, 0.2, 0.0, 0.0),
                (0.6, 0.8, 1.8, 0.0),
                (lands + 0.3, lands + 0.5, at(lands) + 1.2, rise),
                (end + 0.1, end + 0.3, at(lands) + 3.0, rise),
            ],
            vec![
                (-0.3, -0.1, -0.9, 0.0),
                (0.3, 0.5, 0.9, 0.0),
                (lands, lands + 0.2, at(lands) + 0.3, rise),
                (lands + 0.6, end, at(lands) + 2.1, rise),
            ],
        ],
        swing: 0.15,
        hold: None,
    }
}

/// A vault: take-off at 0.8 s, both hands on a box of 0.8 m at 3.15 m from 1 s to 1.3 s, landing at 1.65 s.
pub fn vault() -> Act {
    let jump = jump(0.85, 0.0);
    let arc = |from: f64, to: f64, seconds: f64| (to - from) / seconds + 0.5 * G * seconds;
    let (first, second) = (arc(0.86, 1.05, 0.2), arc(1.05, 0.86, 0.35));
    Act {
        y: vec![
            (0.0, 0.85, 0.0),
            (0.6, 0.8, 0.0),
            (0.8, 0.86, first),
            (1.0, 1.05, first - G * 0.2),
            (1.3, 1.05, second),
            (1.65, 0.86, second - G * 0.35),
            (1.9, 0.8, 0.0),
            (2.45, 0.85, 0.0),
        ],
        swing: 0.95,
        feet: jump.feet.clone(),
        hold: Some((1.0, 1.3, 3.15, 0.8)),
        ..jump
    }
}

/// A climb: take-off at 0.8 s, both hands on an edge of 1.5 m at 2.6 m from 1.05 s to 2 s, a foot on top at 1.9 s.
pub fn mantle() -> Act {
    let up = (1.05 - 0.86) / 0.25 + 0.5 * G * 0.25;
    Act {
        seconds: 3.0,
        z: vec![
            (0.0, -0.3, 3.0),
            (0.5, 1.2, 3.0),
            (0.8, 2.1, 1.0),
            (1.05, 2.3, 0.2),
            (1.9, 2.75, 0.6),
            (3.0, 3.3, 0.0),
        ],
        y: vec![
            (0.0, 0.85, 0.0),
            (0.6, 0.8, 0.0),
            (0.8, 0.86, up),
            (1.05, 1.05, up - G * 0.25),
            (1.9, 1.75, 0.5),
            (2.6, 2.35, 0.0),
            (3.0, 2.35, 0.0),
        ],
        feet: [
            vec![(0.0, 0.2, 0.0, 0.0), (0.6, 0.8, 1.8, 0.0), (2.2, 3.0, 3.3, 1.5)],
            vec![(-0.3, -0.1, -0.9, 0.0), (0.3, 0.5, 0.9, 0.0), (1.9, 3.0, 2.9, 1.5)],
        ],
        swing: 0.2,
        hold: Some((1.05, 2.0, 2.6, 1.5)),
    }
}
