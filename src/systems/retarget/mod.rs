//! A motion on another skeleton: retargeting.
//!
//! Limbs of both rigs are found by role ([`crate::anim::rig::chains`]) and joined bone by bone (`links`); turns are carried over
//! so that bones point alike whatever the axes and rest poses of both are (`transfer`). The hips go as far as the legs are longer,
//! feet that stand in the source stand here (`feet`), and hands keep what they hold where that is wanted (`hands`).
//!
//! Reads only what the source does: bone lengths stay the character's, so clips that stretch bones lose that. Blend shapes are
//! no matter of skeletons: [`crate::anim::shape_names`] carries them over by name.

mod captured_rest;
mod error;
mod feet;
mod hands;
mod links;
mod measure;
mod place;
mod rest_feet;
mod settings;
mod transfer;
mod twist;

use glam::DQuat;

use crate::anim::clip_fit::BrokenClip;
use crate::anim::foot_shape::SolePart;
use crate::anim::pose_keys::{PoseSpan, write_poses};
use crate::anim::rig::chains::Chain;
use crate::anim::root_motion::frame_times;
use crate::anim::{Clip, JointTracks, Pose, Roles, Skeleton};
use crate::progress::Progress;
pub use error::BuildError;
pub use links::{Aim, Link};
pub use measure::Report;
pub use settings::{Correction, LinkChoice, Settings};

/// What one of the two rigs is.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// Its joints at rest.
    pub skeleton: &'a Skeleton,
    /// Hips, legs and where it looks.
    pub roles: &'a Roles,
    /// Its limbs as chains of joints.
    pub chains: &'a [Chain],
    /// What of each leg's foot touches the ground; empty for rigs without a mesh.
    pub soles: &'a [Vec<SolePart>],
    /// Length of its file's unit in metres.
    pub metres_per_unit: f64,
}

/// A motion and who shall do it.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Whose motion it is.
    pub source: Body<'a>,
    /// The motion; never changed.
    pub clip: &'a Clip,
    /// The rig that gets the motion.
    pub target: Body<'a>,
    /// Frames per second where keys are further apart, 1 to 1000.
    pub fps: f64,
}

/// A motion on the character.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The motion, with keys where the source has some and at least as many as asked for.
    pub clip: Clip,
    /// Which joint follows which, parents first.
    pub links: Vec<Link>,
    /// For each link how its joint is turned in the world where the source rests, corrected.
    pub aligned: Vec<DQuat>,
    /// For each link the correction in that, degrees about X, Y and Z.
    pub turns: Vec<[f64; 3]>,
    /// Turns the source to face as the character does.
    pub facing: DQuat,
    /// Numbers for panels and reports.
    pub report: Report,
}

/// The longest motion, seconds.
const LONGEST: f64 = 3600.0;

/// Puts the motion of `input` on its target as `settings` say.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    check(input, settings)?;
    let mut played = as_played(&input.source, input.clip);
    if let Some(rest) = captured_rest::settled(&Body { skeleton: &played, ..input.source }, input.clip) {
        played.joints.iter_mut().zip(rest.locals).for_each(|(joint, local)| joint.rest = local);
    }
    let input = &Input { source: Body { skeleton: &played, ..input.source }, ..*input };
    let links = links::links(&input.source, &input.target, settings)?;
    let transfer = transfer::Transfer::new(&input.source, &input.target, &links, settings);
    let moved = links.iter().flat_map(|link| [link.from, link.to]);
    let carrying = place::carriers(&input.source);
    let times = frame_times(input.clip, moved.chain(carrying), input.fps);
    let mut sources = Vec::with_capacity(times.len());
    for (i, &time) in times.iter().enumerate() {
        progress.step(i, 3 * times.len())?;
        let pose = input.clip.pose_at(input.source.skeleton, time);
        if let Some(joint) = pose.locals.iter().position(|local| !local.is_finite()) {
            let joint = input.source.skeleton.joints[joint].name.clone();
            return Err(BrokenClip { joint, time }.into());
        }
        sources.push(pose);
    }
    let place = place::PlaceMap::new(input, &transfer, settings, &times, &sources);
    let mut poses = Vec::with_capacity(times.len());
    for (i, source) in sources.iter().enumerate() {
        progress.step(times.len() + i, 3 * times.len())?;
        let mut pose = Pose::rest(input.target.skeleton);
        place.put_root(source, &mut pose);
        transfer.apply(source, &mut pose);
        place.put_hips(source, &mut pose);
        feet::carry_loose_feet(&input.target, &mut pose);
        poses.push(pose);
    }
    let mut report = Report { scale: place.scale, ..Report::default() };
    let feet = feet::Feet::new(input, &place, &times, &sources, &poses);
    (report.stands, report.slide_of_source) = (feet.plant_count(), feet.slide_of_source());
    report.feet_before = feet.measure(&poses);
    if settings.hold_feet {
        feet.lock(&mut poses, &mut report);
    }
    report.feet_after = feet.measure(&poses);
    if settings.hold_hands {
        hands::Hands::new(input, &place, &times, &sources, &poses).hold(&mut poses, &mut report);
    }
    let twists = twist::Twists::new(&input.target, &links);
    poses.iter_mut().for_each(|pose| twists.spread(&input.target, pose));
    progress.step(2 * times.len(), 3 * times.len())?;
    let tracks = vec![JointTracks::default(); input.target.skeleton.len()];
    let mut clip = Clip { name: input.clip.name.clone(), duration: f64::from(input.clip.duration as f32), tracks };
    write_poses(input.target.skeleton, &mut clip, &PoseSpan { times: &times, first: 0, poses: &poses });
    let (facing, aligned) = (transfer.facing, transfer.aligned);
    let made = measure::MeasuredPoses { links: &links, facing, sources: &sources, poses: &poses, times: &times };
    measure::measure(input, &made, &mut report);
    let turns = links.iter().map(|link| settings.turn(&input.target.skeleton.joints[link.joint].name)).collect();
    Ok(Built { clip, facing, aligned, turns, links, report })
}

/// The source's skeleton with the bone lengths of the clip's first frame: clips are often made on another body than the one in
/// their file, and move every joint to where that had it.
fn as_played(source: &Body, clip: &Clip) -> Skeleton {
    let carriers = place::carriers(source);
    let mut played = source.skeleton.clone();
    for (joint, node) in played.joints.iter_mut().enumerate().filter(|(joint, _)| !carriers.contains(joint)) {
        let first =
            clip.tracks[joint].translation.as_ref().filter(|curve| !curve.times.is_empty()).map(|curve| curve.key(0));
        node.rest.translation = first.filter(|place| place.is_finite()).unwrap_or(node.rest.translation);
    }
    played
}

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
    let good = [
        (input.fps, (1.0..=1000.0).contains(&input.fps)),
        (units[0], units[0] > 0.0 && units[0].is_finite()),
        (units[1], units[1] > 0.0 && units[1].is_finite()),
        (input.clip.duration, (0.0..=LONGEST).contains(&input.clip.duration)),
        (scale, Settings::SCALES.contains(&scale)),
    ];
    match good.iter().find(|(_, is_good)| !is_good) {
        Some(&(value, _)) => Err(BuildError::BadNumber { value }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
