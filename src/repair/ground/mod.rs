//! Ground correction: places feet and body on the ground.
//!
//! The stances of the feet are detected in the motion ([`portamento_anim::foot_contacts`]). For each stance, the ground height below
//! the mean foot position is queried. The correction then has these steps:
//!
//! - The body rises and sinks smoothly with the ground under its planted feet, relative to the incoming motion.
//! - Leg IK holds each planted foot at its contact position.
//! - Between stances, a foot moves without speed jumps and is raised over obstacles. On request, it also leaves the ground
//!   before it moves along it.
//! - The hips are lowered around frames in which a leg is too short, as far as there is room. They are raised if another body
//!   part would be in the ground.
//! - The tips of shoes stay out of the ground.
//!
//! A stance without ground is refused with its position and time. A motion without stances is only raised out of the ground. A
//! gait in place is corrected as if it travelled.

mod body;
mod error;
mod frames;
mod input;
mod lift;
mod loop_seam;
mod in_place;
mod plants;
mod report;
mod settings;
mod shoes;
mod swings;

use glam::{DAffine3, DVec3, Vec3};

pub use error::BuildError;
pub use input::{GroundHeight, Input, level};
pub use report::{Report, Warning};
pub use settings::Settings;

use frames::Frames;
use plants::{Foot, body_rise};
use portamento_anim::foot_place::{
    FootTransform, STEP_MAX_DROP, drop_needed, leg_positions, move_foot_to, move_separate_feet, smoothed_maximum,
};
use portamento_anim::pose_keys::{PoseSpan, write_poses};
use portamento_anim::quality::WorstFrame;
use portamento_anim::root_motion::{frame_times, path};
use portamento_anim::standing_rest::standing_skeleton;
use portamento_anim::{Clip, Pose};
use portamento_base::progress::Progress;
use shoes::Shoes;

/// A motion on the ground with its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The motion; unaffected curves are unchanged.
    pub clip: Clip,
    /// Figures for panels and reports.
    pub report: Report,
}

/// Maximum length of a motion, seconds.
const MAX_LENGTH_SECONDS: f64 = 3600.0;

/// Displacement below which nothing is changed, metres: the precision of 32-bit keys far from the origin.
const CHANGE_MIN_M: f64 = 1e-5;

/// Maximum number of passes of foot locking.
const MAX_PASSES: usize = 3;
/// Slide during a stance below which a foot counts as still, metres. Tuned; no derivation recorded.
const SLIDE_MIN_M: f64 = 0.002;

/// Places `input` on its ground.
///
/// Returns `Err` if
/// - the clip belongs to another skeleton or contains numbers that are not finite,
/// - `fps` is outside 1…1000, the unit is not positive, or the length exceeds an hour,
/// - the softness is outside 0…60 s or the sole height is negative,
/// - the character has no legs,
/// - there is no ground under a planted foot or under the body,
/// - the work was cancelled.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    check(input, settings)?;
    // Heights and size of a rest pose that does not stand mean nothing.
    let standing = standing_skeleton(input.skeleton, input.roles, input.clip);
    let input = &Input { skeleton: standing.as_ref().unwrap_or(input.skeleton), ..*input };
    if settings.own_heights {
        let own = |position: DVec3| Some(position.y);
        let settings = Settings { own_heights: false, sole: Some(0.0), ..settings.clone() };
        // The meshes cannot be used here, because the ground under them is unknown.
        return build(&Input { ground: &own, soles: &[], ..*input }, &settings, progress);
    }
    in_place::build(input, settings, progress).unwrap_or_else(|| put_on_ground(input, settings, progress))
}

/// Corrects the feet in passes until all planted ones are still: locking a foot can reveal stances of other feet that slid too
/// fast before. A motion without stances is only raised out of the ground. Returns `Err` as [`build`].
fn put_on_ground(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    let times = frame_times(input.clip, 0..input.skeleton.len(), input.fps);
    let feet = planted_feet(input, settings, &times)?;
    if feet.iter().all(|foot| foot.stances.is_empty()) {
        return Ok(lift::lift(input, settings, &feet, &times));
    }
    let mut built = correct_feet(input, settings, &feet, &times, progress)?;
    for _ in 1..MAX_PASSES {
        let again = Input { clip: &built.clip, ..*input };
        // Stances without ground that are found only now are ignored.
        let Ok(feet) = planted_feet(&again, settings, &times) else { break };
        if !settings.hold_feet || feet.iter().all(|foot| foot.slide() * input.metres_per_unit <= SLIDE_MIN_M) {
            break;
        }
        let next = correct_feet(&again, settings, &feet, &times, progress)?;
        built = Built { clip: next.clip, report: built.report.followed_by(&next.report) };
    }
    Ok(built)
}

/// Returns the feet of `input` with their goals. If feet are locked, they are also locked across the seam of a loop. Returns
/// `Err` as [`plants::feet`].
fn planted_feet<'a>(input: &Input<'a>, settings: &Settings, times: &[f64]) -> Result<Vec<Foot<'a>>, BuildError> {
    let mut feet = plants::feet(input, settings, times)?;
    if settings.hold_feet {
        loop_seam::join(input, times, &mut feet);
    }
    Ok(feet)
}

/// Returns the motion of `input` with `feet`, which were found in it at `times` (seconds), at their goals, and the body raised or
/// lowered with them. Returns `Err` if `progress` is cancelled.
fn correct_feet(
    input: &Input,
    settings: &Settings,
    feet: &[Foot],
    times: &[f64],
    progress: &Progress,
) -> Result<Built, BuildError> {
    progress.step(1, 4)?;
    let frames = Frames::new(input, feet.iter().any(|foot| foot.loops), times);
    let mut rises = body_rise(feet, frames, settings.softness);
    let mut poses: Vec<Pose> = times.iter().map(|&time| input.clip.pose_at(input.skeleton, time)).collect();
    let shoes = Shoes { input, settings, feet };
    let deepest_before = shoes.deepest(&poses, times);
    let was_in_ground = body::is_in_ground(input, &poses);
    let length = |foot: &Foot| leg_positions(input.skeleton, foot.leg, &poses[0]).length();
    let paths: Vec<Vec<DVec3>> =
        feet.iter().map(|foot| foot.path(input, settings, frames, &rises, length(foot))).collect();
    poses.iter_mut().zip(&rises).for_each(|(pose, &rise)| raise(input, input.root.joint, rise, pose));
    if was_in_ground || body::is_in_ground(input, &poses) {
        let out = body::raise_out(input, frames, &mut poses);
        rises.iter_mut().zip(out).for_each(|(rise, out)| *rise += out);
    }
    let mut targets = self::targets(input, feet, &paths, &poses);
    let stuck = shoes.raise_out(&poses, &mut targets);
    if stuck.iter().any(|depth| depth * input.metres_per_unit > body::depth_threshold(input)) {
        // The leg is folded to its limit, so the body is raised instead.
        for ((pose, rise), up) in poses.iter_mut().zip(&mut rises).zip(soft_envelope(&stuck, frames)) {
            raise(input, input.root.joint, up, pose);
            *rise += up;
        }
        targets = self::targets(input, feet, &paths, &poses);
        shoes.raise_out(&poses, &mut targets);
    }
    let lowered = lower_hips(input, feet, &targets, frames, &mut poses);
    progress.step(2, 4)?;
    let mut report = Report { hips_lowered: lowered * input.metres_per_unit, ..Report::default() };
    move_feet(input, feet, &targets, times, &mut poses, &mut report);
    progress.step(3, 4)?;
    let mut clip = input.clip.clone();
    write_poses(input.skeleton, &mut clip, &PoseSpan { times, first: 0, poses: &poses });
    measure(input, feet, &clip, times, &mut report);
    let deepest_after = shoes.deepest(&poses, times);
    (report.in_ground, report.in_ground_at) = ([deepest_before.metres, deepest_after.metres], deepest_after.at);
    report.raised = rises.iter().fold([0.0, 0.0], |[low, high], &rise| {
        [f64::min(low, rise * input.metres_per_unit), f64::max(high, rise * input.metres_per_unit)]
    });
    Ok(Built { clip, report })
}

/// Bends the legs of `poses` by IK so that their feet reach `targets`. Records the largest distance that a planted foot misses in
/// `report`.
fn move_feet(
    input: &Input,
    feet: &[Foot],
    targets: &[Vec<FootTransform>],
    times: &[f64],
    poses: &mut [Pose],
    report: &mut Report,
) {
    for (i, pose) in poses.iter_mut().enumerate() {
        for (foot, targets) in feet.iter().zip(targets) {
            let distance = targets[i].ankle.distance(FootTransform::from_pose(input.skeleton, foot.leg, pose).ankle);
            if distance * input.metres_per_unit <= CHANGE_MIN_M {
                continue;
            }
            let gap = move_foot_to(input.skeleton, foot.leg, &targets[i], pose) * input.metres_per_unit;
            if gap > report.short && foot.stances.iter().any(|stance| stance.frames.contains(&i)) {
                (report.short, report.short_time) = (gap, times[i]);
            }
        }
    }
}

/// Raises `joint` by `rise` world units, together with feet that are separate from its legs. A rise below [`CHANGE_MIN_M`] changes
/// nothing.
fn raise(input: &Input, joint: usize, rise: f64, pose: &mut Pose) {
    if rise.abs() * input.metres_per_unit <= CHANGE_MIN_M {
        return;
    }
    let parent = input.skeleton.joints[joint].parent.map(|parent| pose.world_from_joint(input.skeleton, parent));
    let up = parent.map_or(DVec3::Y * rise, |parent| parent.matrix3.inverse() * (DVec3::Y * rise));
    if up.is_finite() {
        let moved = pose.locals[joint].translation.as_dvec3() + up;
        pose.locals[joint].translation = Vec3::new(moved.x as f32, moved.y as f32, moved.z as f32);
        let shift = DAffine3::from_translation(DVec3::Y * rise);
        move_separate_feet(input.skeleton, &input.roles.legs, joint, &shift, pose);
    }
}

/// Returns the goal of each foot at each frame, moved from `poses` so that its sole is on its path; its rotation is unchanged.
fn targets(input: &Input, feet: &[Foot], paths: &[Vec<DVec3>], poses: &[Pose]) -> Vec<Vec<FootTransform>> {
    let of_foot = |(foot, path): (&Foot, &Vec<DVec3>)| {
        let sole = foot.sole();
        let target = |(pose, wanted): (&Pose, &DVec3)| {
            let foot_place = FootTransform::from_pose(input.skeleton, foot.leg, pose);
            let sole = pose.world_from_joint(input.skeleton, sole).translation;
            foot_place.moved(*wanted - sole)
        };
        poses.iter().zip(path).map(target).collect()
    };
    feet.iter().zip(paths).map(of_foot).collect()
}

/// Lowers the hips smoothly where a leg is too short, without pushing other body parts into the ground. Returns the largest
/// lowering, world units.
fn lower_hips(input: &Input, feet: &[Foot], targets: &[Vec<FootTransform>], frames: Frames, poses: &mut [Pose]) -> f64 {
    let hips = input.roles.body(input.skeleton).unwrap_or(input.root.joint);
    let need = |(i, pose): (usize, &Pose)| {
        let legs = feet.iter().zip(targets);
        let needs = legs.filter(|(foot, _)| foot.stances.iter().any(|stance| stance.frames.contains(&i)));
        let needs = needs.filter_map(|(foot, targets)| {
            drop_needed(&leg_positions(input.skeleton, foot.leg, pose), targets[i].ankle, STEP_MAX_DROP)
        });
        needs.fold(0.0, f64::max)
    };
    let needs: Vec<f64> = poses.iter().enumerate().map(need).collect();
    let clear = body::clearances(input, poses);
    let lowerings: Vec<f64> =
        soft_envelope(&needs, frames).into_iter().zip(clear).map(|(lowering, max)| lowering.min(max)).collect();
    poses.iter_mut().zip(&lowerings).for_each(|(pose, &lowering)| raise(input, hips, -lowering, pose));
    lowerings.into_iter().fold(0.0, f64::max)
}

/// Returns values of at least `needs` that change smoothly over 0.1 s before and after, one per frame.
fn soft_envelope(needs: &[f64], frames: Frames) -> Vec<f64> {
    let times = frames.times;
    let frame = (times[times.len() - 1] - times[0]) / (times.len() - 1).max(1) as f64;
    let width = (0.1 / frame.max(1e-3)).ceil() as usize;
    let mut needs = needs.to_vec();
    if let ([first, .., last], true) = (&mut needs[..], frames.loops) {
        *first = first.max(*last);
    }
    frames.over_seam(&needs, |needs, _| smoothed_maximum(needs, width))
}

/// Adds the stances of `feet` to `report`, with their ground distance and slide before the correction and in `clip`.
fn measure(input: &Input, feet: &[Foot], clip: &Clip, times: &[f64], report: &mut Report) {
    for foot in feet {
        let joint = foot.sole();
        let new_path = path(input.skeleton, clip, joint, times);
        report.stands += foot.stances.len();
        for stance in &foot.stances {
            for (side, soles) in [&foot.soles, &new_path].into_iter().enumerate() {
                let soles = &soles[stance.frames.clone()];
                let from = soles[soles.len() / 2];
                let slid_by = |frame: usize| (soles[frame] - from).with_y(0.0).length();
                let lowest = (0..soles.len()).min_by(|&a, &b| soles[a].y.total_cmp(&soles[b].y)).unwrap_or(0);
                let farthest = (0..soles.len()).max_by(|&a, &b| slid_by(a).total_cmp(&slid_by(b))).unwrap_or(0);
                let distance = (soles[lowest].y - stance.position.y).abs() * input.metres_per_unit;
                let slid = slid_by(farthest) * input.metres_per_unit;
                let at = |frame: usize| Some(WorstFrame { joint, time: times[stance.frames.start + frame] });
                if distance > report.off_ground[side] {
                    report.off_ground[side] = distance;
                    report.off_ground_at = if side == 1 { at(lowest) } else { report.off_ground_at };
                }
                if slid > report.slide[side] {
                    report.slide[side] = slid;
                    report.slides_at = if side == 1 { at(farthest) } else { report.slides_at };
                }
            }
        }
    }
}

/// Returns `Err` if the clip belongs to another skeleton, the root is no joint of it, or a number of `input` or `settings` is
/// out of the range given at [`build`].
fn check(input: &Input, settings: &Settings) -> Result<(), BuildError> {
    input.clip.check_fits_with_root(input.skeleton, input.root.joint)?;
    let (unit, length) = (input.metres_per_unit, input.clip.duration);
    let sole = settings.sole.unwrap_or(0.0);
    let checks = [
        (input.fps, (1.0..=1000.0).contains(&input.fps)),
        (unit, unit > 0.0 && unit.is_finite()),
        (length, (0.0..=MAX_LENGTH_SECONDS).contains(&length)),
        (settings.softness, (0.0..=60.0).contains(&settings.softness)),
        (sole, sole >= 0.0 && sole.is_finite()),
    ];
    match checks.iter().find(|(_, is_valid)| !is_valid) {
        Some(&(value, _)) => Err(BuildError::BadNumber { value }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
