//! Retargeting of a motion to another skeleton.
//!
//! ```
//! use glam::{Quat, Vec3};
//! use portamento_anim::math::Transform;
//! use portamento_anim::rig::chains::{Bone, Chain, Limb, LegPair, Side};
//! use portamento_anim::{Clip, Curve, Joint, JointTracks, Pose, Roles, Skeleton};
//! use portamento_base::progress::Progress;
//! use portamento_retarget::{Body, Input, Settings, build};
//!
//! // Hips and a leg, in two sizes.
//! let body_of = |leg: f32| {
//!     let rows = [("hips", None, 2.0 * leg), ("thigh", Some(0), 0.0), ("shin", Some(1), -leg), ("foot", Some(2), -leg)];
//!     let joints = rows.map(|(name, parent, height)| Joint {
//!         name: name.into(),
//!         parent,
//!         rest: Transform::from_translation(Vec3::Y * height),
//!         node: 0,
//!         first_morph: 0,
//!         morph_count: 0,
//!     });
//!     Skeleton { joints: joints.to_vec(), rest_morphs: Vec::new() }
//! };
//! let [child, giant] = [body_of(0.3), body_of(1.5)];
//! let bone = |joint: usize| Bone { joint, end: joint };
//! let chains = [
//!     Chain { limb: Limb::Hips, bones: vec![bone(0)], tip: None },
//!     Chain { limb: Limb::Leg(Side::Left, LegPair::Hind), bones: vec![bone(1), bone(2)], tip: Some(3) },
//! ];
//! let roles = Roles { hips: Some(0), ..Roles::default() };
//! let body = |skeleton| Body { skeleton, roles: &roles, chains: &chains, soles: &[], metres_per_unit: 1.0 };
//!
//! // The child lifts its leg by 0.6 rad.
//! let mut tracks = vec![JointTracks::default(); 4];
//! let lifted = Quat::from_rotation_x(-0.6);
//! tracks[1].rotation = Some(Curve::linear(vec![0.0, 1.0], vec![Quat::IDENTITY, lifted]));
//! let clip = Clip { name: "lift".into(), duration: 1.0, tracks };
//!
//! // The giant has just been spawned and takes over the clip.
//! let input = Input { source: body(&child), clip: &clip, target: body(&giant), fps: 30.0 };
//! let lift = build(&input, &Settings::default(), &Progress::new())?.clip;
//!
//! // Each frame samples the clip into the same pose, without an allocation.
//! let mut pose = Pose::rest(&giant);
//! for frame in 0..=60 {
//!     lift.sample(&giant, f64::from(frame) / 60.0, &mut pose);
//! }
//! assert!(pose.locals[1].rotation.abs_diff_eq(lifted, 1e-4));
//! let foot = pose.world_from_joint(&giant, 3).translation;
//! assert!((foot.y - 3.0 * (1.0 - 0.6_f64.cos())).abs() < 1e-3);
//! # Ok::<(), portamento_retarget::BuildError>(())
//! ```
//!
//! Limbs of both rigs are found by role ([`portamento_anim::rig::chains`]) and mapped bone by bone (`links`). Rotations are
//! transferred so that bones have equal directions, whatever the joint axes and rest poses (`transfer`). Travel is scaled by the
//! ratio of leg lengths. A motion that ends in its first pose is corrected with its neighbouring cycles around it (`cycle`). Feet
//! are planted as in the source (`feet`): legs turn from stance to stance (`leg_bend`), and the body yields where they would turn
//! too fast. Hands optionally keep their contacts (`hands`).
//!
//! Bone lengths stay those of the character, so the stretching of bones is lost. Blend shapes are handled separately by
//! [`portamento_anim::shape_names`].

mod captured_rest;
mod cycle;
mod error;
mod feet;
mod hands;
mod leg_bend;
mod limited_speed;
mod links;
mod measure;
mod body_position;
mod rest_feet;
mod settings;
mod toes;
mod transfer;
mod twist;

use glam::DQuat;

pub use error::BuildError;
pub use links::{Aim, Link};
pub use measure::Report;
use portamento_anim::clip_fit::BrokenClip;
use portamento_anim::foot_shape::SolePart;
use portamento_anim::parallel_map::parallel_map;
use portamento_anim::pose_keys::{PoseSpan, write_poses};
use portamento_anim::quality::{ComparedBody, SideEffect};
use portamento_anim::rig::chains::Chain;
use portamento_anim::root_motion::frame_times;
use portamento_anim::standing_rest;
use portamento_anim::{Clip, JointTracks, Pose, Roles, Skeleton};
use portamento_base::progress::Progress;
pub use settings::{Correction, LinkChoice, Settings};

/// One of the two rigs.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// Its joints at rest.
    pub skeleton: &'a Skeleton,
    /// The roles of its joints, and its facing direction.
    pub roles: &'a Roles,
    /// Its limbs as chains of joints.
    pub chains: &'a [Chain],
    /// The underside of each leg's foot mesh; empty for rigs without a mesh.
    pub soles: &'a [Vec<SolePart>],
    /// Metres per unit of its file.
    pub metres_per_unit: f64,
}

/// A motion and the rig that receives it.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The rig of the motion.
    pub source: Body<'a>,
    /// The motion; not modified.
    pub clip: &'a Clip,
    /// The rig that gets the motion.
    pub target: Body<'a>,
    /// Frames per second where keys are sparser, 1…1000.
    pub fps: f64,
}

/// A retargeted motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The motion, with keys at those of the source and at least at the requested rate.
    pub clip: Clip,
    /// The joint mapping, parents first.
    pub links: Vec<Link>,
    /// For each link, the corrected world rotation of its joint that corresponds to the rest pose of the source.
    pub aligned: Vec<DQuat>,
    /// For each link, the correction by the user, degrees about X, Y and Z.
    pub turns: Vec<[f64; 3]>,
    /// Rotation of the source to the facing direction of the character.
    pub facing: DQuat,
    /// Numbers for panels and reports.
    pub report: Report,
    /// The corrections that were not applied.
    pub undone: Undone,
}

/// The corrections that the settings ask for and that would make the motion worse, with the reason.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Undone {
    /// The reason why planted feet were not locked.
    pub feet: Option<SideEffect>,
    /// The reason why the hands do not keep their contacts.
    pub hands: Option<SideEffect>,
}

/// Maximum length of a motion, seconds.
const MAX_LENGTH_SECONDS: f64 = 3600.0;

/// Retargets the motion of `input` as `settings` say.
///
/// Returns `Err` if
/// - the clip belongs to another skeleton or contains numbers that are not finite,
/// - the hips of a rig are unknown, or the rigs share no limb and no joint mapping is given,
/// - a joint named in the settings does not exist,
/// - `fps` is outside 1…1000, a unit is not positive, the length exceeds an hour, or the scale is outside 0.0001…10000,
/// - the work was cancelled.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    check(input, settings)?;
    let (source_skeleton, rest_stands) = with_standing_rest(input, settings);
    // The facing of a rest pose that does not stand means nothing.
    let mut roles = input.source.roles.clone();
    roles.front = roles.front.filter(|_| rest_stands);
    let source = Body { skeleton: &source_skeleton, roles: &roles, ..input.source };
    let input = &Input { source, ..*input };
    let links = links::links(&input.source, &input.target, settings)?;
    let transfer = transfer::Transfer::new(&input.source, &input.target, &links, settings, rest_stands);
    let moved = links.iter().flat_map(|link| [link.from, link.to]);
    let carriers = body_position::carriers(&input.source);
    let times = frame_times(input.clip, moved.chain(carriers), input.fps);
    let sampled = |i: usize| input.clip.pose_at(input.source.skeleton, times[i]);
    let third = || progress.share(1.0 / 3.0);
    let sources = parallel_map(times.len(), input.source.skeleton.len(), &third(), sampled)?;
    check_finite(input, &times, &sources)?;
    let map = body_position::PositionMap::new(input, &transfer, settings, &times, &sources);
    let around = cycle::Surrounded::new(&input.source, &times, sources);
    let sources = &around.poses;
    let transferred = |i: usize| {
        let mut pose = Pose::rest(input.target.skeleton);
        map.put_root(&sources[i], &mut pose);
        transfer.apply(&sources[i], &mut pose);
        map.put_hips(&sources[i], &mut pose);
        feet::carry_loose_feet(&input.target, &mut pose);
        pose
    };
    let joints = input.source.skeleton.len() + input.target.skeleton.len();
    let mut poses = parallel_map(sources.len(), joints, &third(), transferred)?;
    let mut report = Report { scale: map.scale, ..Report::default() };
    let feet = feet::Feet::new(input, &map, &around.times, sources, &poses);
    let own_feet = feet::Feet::new(input, &map, &times, around.own(sources), around.own(&poses));
    (report.stands, report.slide_of_source) = (own_feet.plant_count(), own_feet.slide_of_source());
    report.feet_before = own_feet.measure(around.own(&poses));
    let mut undone = Undone::default();
    if settings.hold_feet {
        let lock = |poses: &mut [Pose], report: &mut Report| feet.lock(poses, report);
        let effect = |body: &ComparedBody, poses: &[Vec<Pose>; 2]| body.side_effect_of_feet(&around.times, poses);
        undone.feet = unless_worse(input, Corrected { poses: &mut poses, report: &mut report }, lock, effect);
    }
    report.feet_after = own_feet.measure(around.own(&poses));
    if settings.hold_hands {
        let hands = hands::Hands::new(input, &map, &around.times, sources, &poses);
        let hold = |poses: &mut [Pose], report: &mut Report| hands.hold(poses, report);
        let effect = |body: &ComparedBody, poses: &[Vec<Pose>; 2]| body.side_effect_of_poses(&around.times, poses);
        undone.hands = unless_worse(input, Corrected { poses: &mut poses, report: &mut report }, hold, effect);
    }
    let (sources, mut poses) = (around.own(sources), around.without_neighbours(poses));
    let twists = twist::Twists::new(&input.target, &links);
    poses.iter_mut().for_each(|pose| twists.spread(&input.target, pose));
    progress.part().finish()?;
    let tracks = vec![JointTracks::default(); input.target.skeleton.len()];
    let mut clip = Clip { name: input.clip.name.clone(), duration: f64::from(input.clip.duration as f32), tracks };
    write_poses(input.target.skeleton, &mut clip, &PoseSpan { times: &times, first: 0, poses: &poses });
    let (facing, aligned) = (transfer.facing, transfer.aligned);
    let measured = measure::MeasuredPoses { links: &links, facing, sources, poses: &poses, times: &times };
    measure::measure(input, &measured, &mut report);
    let turns = links.iter().map(|link| settings.turn(&input.target.skeleton.joints[link.joint].name)).collect();
    Ok(Built { clip, facing, aligned, turns, links, report, undone })
}

/// Returns `Err` with the first joint and time at which a pose is not finite.
fn check_finite(input: &Input, times: &[f64], poses: &[Pose]) -> Result<(), BrokenClip> {
    for (pose, &time) in poses.iter().zip(times) {
        if let Some(joint) = pose.locals.iter().position(|local| !local.is_finite()) {
            return Err(BrokenClip { joint: input.source.skeleton.joints[joint].name.clone(), time });
        }
    }
    Ok(())
}

/// A motion that is corrected.
struct Corrected<'a> {
    poses: &'a mut Vec<Pose>,
    report: &'a mut Report,
}

/// Corrects a motion by `correct`. If `effect` finds it worse, poses and report stay as they are; returns the reason. Returns
/// `None` if the correction is applied.
fn unless_worse(
    input: &Input,
    Corrected { poses, report }: Corrected,
    correct: impl FnOnce(&mut [Pose], &mut Report),
    effect: impl FnOnce(&ComparedBody, &[Vec<Pose>; 2]) -> Option<SideEffect>,
) -> Option<SideEffect> {
    let (mut corrected, mut figures) = (poses.clone(), report.clone());
    correct(&mut corrected, &mut figures);
    let Body { skeleton, roles, soles, metres_per_unit, .. } = input.target;
    let points = soles.concat();
    let body = ComparedBody { skeleton, roles, points: &points, metres_per_unit, ground: &|_| Some(0.0) };
    let compared = [std::mem::take(poses), corrected];
    let effect = effect(&body, &compared);
    let [before, corrected] = compared;
    *poses = if effect.is_some() { before } else { corrected };
    if effect.is_none() {
        *report = figures;
    }
    effect
}

/// Returns the source skeleton with the bone lengths of the clip's first frame and a standing rest pose. Its feet are placed as
/// in the stances of the clip, if each foot has one.
///
/// The flag is true if the source's own rest pose stands, or if `settings.align` is off: the rest pose is then not made to stand.
fn with_standing_rest(input: &Input, settings: &Settings) -> (Skeleton, bool) {
    let mut skeleton = with_clip_bone_lengths(&input.source, input.clip);
    let set = |skeleton: &mut Skeleton, rest: Pose| {
        skeleton.joints.iter_mut().zip(rest.locals).for_each(|(joint, local)| joint.rest = local);
    };
    let upright = standing_rest::standing_rest(&skeleton, input.source.roles, input.clip);
    let upright = upright.filter(|_| settings.align);
    let stands_at_rest = upright.is_none();
    if let Some(rest) = upright {
        set(&mut skeleton, rest);
    }
    if let Some(rest) = captured_rest::with_planted_feet(&Body { skeleton: &skeleton, ..input.source }, input.clip) {
        set(&mut skeleton, rest);
    }
    (skeleton, stands_at_rest)
}

/// Returns the source skeleton with the bone lengths of the clip's first frame. Clips are often made on another body than that of
/// their file, and contain its joint offsets.
fn with_clip_bone_lengths(source: &Body, clip: &Clip) -> Skeleton {
    let carriers = body_position::carriers(source);
    let mut source_skeleton = source.skeleton.clone();
    for (joint, node) in source_skeleton.joints.iter_mut().enumerate().filter(|(joint, _)| !carriers.contains(joint)) {
        let first =
            clip.tracks[joint].translation.as_ref().filter(|curve| !curve.times.is_empty()).map(|curve| curve.key(0));
        node.rest.translation = first.filter(|position| position.is_finite()).unwrap_or(node.rest.translation);
    }
    source_skeleton
}

/// Returns `Err` if the clip belongs to another skeleton, a rig has no hips, the rigs share nothing to map, or a number is out
/// of the range given at [`build`].
fn check(input: &Input, settings: &Settings) -> Result<(), BuildError> {
    input.clip.check_fits(input.source.skeleton)?;
    if input.source.chains.is_empty() || input.target.chains.is_empty() {
        return Err(BuildError::NoHips { is_source: input.source.chains.is_empty() });
    }
    let shared = |chain: &Chain| input.source.chains.iter().any(|other| other.limb == chain.limb);
    if input.target.chains.iter().filter(|chain| shared(chain)).count() < 2 && settings.links.is_empty() {
        return Err(BuildError::NothingInCommon);
    }
    let scale = settings.scale.unwrap_or(1.0);
    let units = [input.source.metres_per_unit, input.target.metres_per_unit];
    let checks = [
        (input.fps, (1.0..=1000.0).contains(&input.fps)),
        (units[0], units[0] > 0.0 && units[0].is_finite()),
        (units[1], units[1] > 0.0 && units[1].is_finite()),
        (input.clip.duration, (0.0..=MAX_LENGTH_SECONDS).contains(&input.clip.duration)),
        (scale, Settings::SCALES.contains(&scale)),
    ];
    match checks.iter().find(|(_, is_valid)| !is_valid) {
        Some(&(value, _)) => Err(BuildError::BadNumber { value }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;

/// Counts the allocations of the tests.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: portamento_test_support::allocations::CountingAllocator =
    portamento_test_support::allocations::CountingAllocator;
