//! Feet and body put back on the ground after whatever moved them.
//!
//! A motion shows its own ground: where its feet stand ([`crate::anim::foot_contacts`]). For each stand the ground wanted is asked for,
//! under the place where the foot stands on average. The body rises and falls by as much as the ground under its standing feet
//! does against the motion's own, softly; every standing foot is held by its leg at its own place on the ground; between two
//! stands a foot goes on without a jump in speed and is raised over what lies in its way. Where a leg would be too short the hips
//! come down, well before and after, as far as there is room; where another part of the body would be in the ground they go up. The
//! tip of a shoe stays out of it, too. A stand off the ground is refused with its place and time; of a motion
//! without stands nothing is known but that it is not under the ground; a gait on the spot is put on it as it would travel.

mod body;
mod error;
mod frames;
mod input;
mod lift;
mod loop_seam;
mod on_the_spot;
mod plants;
mod report;
mod settings;
mod shoes;

use glam::{DAffine3, DVec3, Vec3};

pub use error::BuildError;
pub use input::{GroundHeight, Input, level};
pub use report::{Report, Warning};
pub use settings::Settings;

use crate::anim::foot_place::{FootPlace, STOOP, carry_feet_apart, drop_needed, evened, leg_place, put_foot};
use crate::anim::pose_keys::{PoseSpan, write_poses};
use crate::anim::quality::WorstFrame;
use crate::anim::root_motion::{frame_times, path};
use crate::anim::{Clip, Pose};
use crate::progress::Progress;
use frames::Frames;
use plants::{Foot, body_rise};
use shoes::Shoes;

/// A motion on its ground and what was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The motion; curves that did not have to change are as they came in.
    pub clip: Clip,
    /// Numbers for panels and reports.
    pub report: Report,
}

/// The longest motion, seconds.
const LONGEST: f64 = 3600.0;

/// Changes up to this are none, metres: those of 32-bit keys far from the origin.
const NONE: f64 = 1e-5;

/// How often feet are held at most.
const ROUNDS: usize = 3;
/// Metres that a foot slides while it stands up to which it stands still.
const SLIDES: f64 = 0.002;

/// Puts `input` on its ground.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    check(input, settings)?;
    if settings.own_heights {
        let own = |place: DVec3| Some(place.y);
        let settings = Settings { own_heights: false, sole: Some(0.0), ..settings.clone() };
        // What feet touch there is not known: they keep their heights.
        return build(&Input { ground: &own, soles: &[], ..*input }, &settings, progress);
    }
    on_the_spot::build(input, settings, progress).unwrap_or_else(|| put_on_ground(input, settings, progress))
}

/// Held feet may let others stand that slid too fast before to be seen standing, so it is done again until all stand still.
fn put_on_ground(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    let times = frame_times(input.clip, 0..input.skeleton.len(), input.fps);
    let feet = planted_feet(input, settings, &times)?;
    if feet.iter().all(|foot| foot.stands.is_empty()) {
        return Ok(lift::lift(input, settings, &feet, &times));
    }
    let mut built = put_feet(input, settings, &feet, &times, progress)?;
    for _ in 1..ROUNDS {
        let again = Input { clip: &built.clip, ..*input };
        // What stands off the ground only now is left as it is.
        let Ok(feet) = planted_feet(&again, settings, &times) else { break };
        if !settings.hold_feet || feet.iter().all(|foot| foot.slide() * input.metres_per_unit <= SLIDES) {
            break;
        }
        let next = put_feet(&again, settings, &feet, &times, progress)?;
        built = Built { clip: next.clip, report: built.report.followed_by(&next.report) };
    }
    Ok(built)
}

/// The feet of `input` and where they shall stand; held over the seam of a loop where they are held at all.
fn planted_feet<'a>(input: &Input<'a>, settings: &Settings, times: &[f64]) -> Result<Vec<Foot<'a>>, BuildError> {
    let mut feet = plants::feet(input, settings, times)?;
    if settings.hold_feet {
        loop_seam::join(input, times, &mut feet);
    }
    Ok(feet)
}

/// Puts `feet`, found in `input` at `times`, where they shall stand.
fn put_feet(
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
    let came = shoes.deepest(&poses, times);
    let was_in_ground = body::is_in_ground(input, &poses);
    let length = |foot: &Foot| leg_place(input.skeleton, foot.leg, &poses[0]).length();
    let paths: Vec<Vec<DVec3>> =
        feet.iter().map(|foot| foot.path(input, settings, times, &rises, length(foot))).collect();
    poses.iter_mut().zip(&rises).for_each(|(pose, &rise)| raise(input, input.root.joint, rise, pose));
    if was_in_ground || body::is_in_ground(input, &poses) {
        let out = body::raise_out(input, frames, &mut poses);
        rises.iter_mut().zip(out).for_each(|(rise, out)| *rise += out);
    }
    let mut targets = self::targets(input, feet, &paths, &poses);
    let stuck = shoes.raise_out(&poses, &mut targets);
    if stuck.iter().any(|depth| depth * input.metres_per_unit > body::seen(input)) {
        // Where a leg is folded already the body gives it room.
        for ((pose, rise), up) in poses.iter_mut().zip(&mut rises).zip(evened_frames(&stuck, frames)) {
            raise(input, input.root.joint, up, pose);
            *rise += up;
        }
        targets = self::targets(input, feet, &paths, &poses);
        shoes.raise_out(&poses, &mut targets);
    }
    let lowered = lower_hips(input, feet, &targets, frames, &mut poses);
    progress.step(2, 4)?;
    let mut report = Report { hips_lowered: lowered * input.metres_per_unit, ..Report::default() };
    lead_feet(input, feet, &targets, times, &mut poses, &mut report);
    progress.step(3, 4)?;
    let mut clip = input.clip.clone();
    write_poses(input.skeleton, &mut clip, &PoseSpan { times, first: 0, poses: &poses });
    measure(input, feet, &clip, times, &mut report);
    let left = shoes.deepest(&poses, times);
    (report.in_ground, report.in_ground_at) = ([came.metres, left.metres], left.at);
    report.raised = rises.iter().fold([0.0, 0.0], |[low, high], &rise| {
        [f64::min(low, rise * input.metres_per_unit), f64::max(high, rise * input.metres_per_unit)]
    });
    Ok(Built { clip, report })
}

/// Bends the legs of `poses` so that their feet come to `targets`.
fn lead_feet(
    input: &Input,
    feet: &[Foot],
    targets: &[Vec<FootPlace>],
    times: &[f64],
    poses: &mut [Pose],
    report: &mut Report,
) {
    for (i, pose) in poses.iter_mut().enumerate() {
        for (foot, targets) in feet.iter().zip(targets) {
            let is_away = targets[i].ankle.distance(FootPlace::from_pose(input.skeleton, foot.leg, pose).ankle);
            if is_away * input.metres_per_unit <= NONE {
                continue;
            }
            let gap = put_foot(input.skeleton, foot.leg, &targets[i], pose) * input.metres_per_unit;
            if gap > report.short && foot.stands.iter().any(|stand| stand.frames.contains(&i)) {
                (report.short, report.short_time) = (gap, times[i]);
            }
        }
    }
}

/// Moves `joint` up by `rise` world units.
fn raise(input: &Input, joint: usize, rise: f64, pose: &mut Pose) {
    if rise.abs() * input.metres_per_unit <= NONE {
        return;
    }
    let parent = input.skeleton.joints[joint].parent.map(|parent| pose.world_from_joint(input.skeleton, parent));
    let up = parent.map_or(DVec3::Y * rise, |parent| parent.matrix3.inverse() * (DVec3::Y * rise));
    if up.is_finite() {
        let moved = pose.locals[joint].translation.as_dvec3() + up;
        pose.locals[joint].translation = Vec3::new(moved.x as f32, moved.y as f32, moved.z as f32);
        let shift = DAffine3::from_translation(DVec3::Y * rise);
        carry_feet_apart(input.skeleton, &input.roles.legs, joint, &shift, pose);
    }
}

/// Where each foot's ankle goes at each frame, so that its sole is on its path and the foot is turned as it came.
fn targets(input: &Input, feet: &[Foot], paths: &[Vec<DVec3>], poses: &[Pose]) -> Vec<Vec<FootPlace>> {
    let of_foot = |(foot, path): (&Foot, &Vec<DVec3>)| {
        let sole = foot.sole();
        let target = |(pose, wanted): (&Pose, &DVec3)| {
            let place = FootPlace::from_pose(input.skeleton, foot.leg, pose);
            let sole = pose.world_from_joint(input.skeleton, sole).translation;
            place.moved(*wanted - sole)
        };
        poses.iter().zip(path).map(target).collect()
    };
    feet.iter().zip(paths).map(of_foot).collect()
}

/// Brings the hips down where a leg would not reach, evenly over a tenth of a second on both sides, but nothing that hangs on them
/// besides the legs into the ground; answers the farthest.
fn lower_hips(input: &Input, feet: &[Foot], targets: &[Vec<FootPlace>], frames: Frames, poses: &mut [Pose]) -> f64 {
    let hips = input.roles.body(input.skeleton).unwrap_or(input.root.joint);
    let need = |(i, pose): (usize, &Pose)| {
        let legs = feet.iter().zip(targets);
        let needs = legs.filter(|(foot, _)| foot.stands.iter().any(|stand| stand.frames.contains(&i)));
        let needs = needs.filter_map(|(foot, targets)| {
            drop_needed(&leg_place(input.skeleton, foot.leg, pose), targets[i].ankle, STOOP)
        });
        needs.fold(0.0, f64::max)
    };
    let needs: Vec<f64> = poses.iter().enumerate().map(need).collect();
    let clear = body::clearances(input, poses);
    let downs: Vec<f64> =
        evened_frames(&needs, frames).into_iter().zip(clear).map(|(down, most)| down.min(most)).collect();
    poses.iter_mut().zip(&downs).for_each(|(pose, &down)| raise(input, hips, -down, pose));
    downs.into_iter().fold(0.0, f64::max)
}

/// `needs`, one per frame, met by what changes over a tenth of a second on both sides.
fn evened_frames(needs: &[f64], frames: Frames) -> Vec<f64> {
    let times = frames.times;
    let frame = (times[times.len() - 1] - times[0]) / (times.len() - 1).max(1) as f64;
    let width = (0.1 / frame.max(1e-3)).ceil() as usize;
    let mut needs = needs.to_vec();
    if let ([first, .., last], true) = (&mut needs[..], frames.loops) {
        *first = first.max(*last);
    }
    frames.over_seam(&needs, |needs, _| evened(needs, width))
}

/// How far standing feet are off the ground and slide, in what came in and in `clip`.
fn measure(input: &Input, feet: &[Foot], clip: &Clip, times: &[f64], report: &mut Report) {
    for foot in feet {
        let joint = foot.sole();
        let made = path(input.skeleton, clip, joint, times);
        report.stands += foot.stands.len();
        for stand in &foot.stands {
            for (which, soles) in [&foot.soles, &made].into_iter().enumerate() {
                let soles = &soles[stand.frames.clone()];
                let from = soles[soles.len() / 2];
                let way = |frame: usize| (soles[frame] - from).with_y(0.0).length();
                let lowest = (0..soles.len()).min_by(|&a, &b| soles[a].y.total_cmp(&soles[b].y)).unwrap_or(0);
                let farthest = (0..soles.len()).max_by(|&a, &b| way(a).total_cmp(&way(b))).unwrap_or(0);
                let off = (soles[lowest].y - stand.place.y).abs() * input.metres_per_unit;
                let slid = way(farthest) * input.metres_per_unit;
                let at = |frame: usize| Some(WorstFrame { joint, time: times[stand.frames.start + frame] });
                if off > report.off_ground[which] {
                    report.off_ground[which] = off;
                    report.off_ground_at = if which == 1 { at(lowest) } else { report.off_ground_at };
                }
                if slid > report.slide[which] {
                    report.slide[which] = slid;
                    report.slides_at = if which == 1 { at(farthest) } else { report.slides_at };
                }
            }
        }
    }
}

fn check(input: &Input, settings: &Settings) -> Result<(), BuildError> {
    input.clip.check_fits_with_root(input.skeleton, input.root.joint)?;
    let (unit, length) = (input.metres_per_unit, input.clip.duration);
    let sole = settings.sole.unwrap_or(0.0);
    let good = [
        (input.fps, (1.0..=1000.0).contains(&input.fps)),
        (unit, unit > 0.0 && unit.is_finite()),
        (length, (0.0..=LONGEST).contains(&length)),
        (settings.softness, (0.0..=60.0).contains(&settings.softness)),
        (sole, sole >= 0.0 && sole.is_finite()),
    ];
    match good.iter().find(|(_, is_good)| !is_good) {
        Some(&(value, _)) => Err(BuildError::BadNumber { value }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
