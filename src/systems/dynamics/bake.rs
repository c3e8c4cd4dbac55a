//! The whole animation, simulated and recorded.

use glam::{DVec3, Quat};

use super::carry::carry_over_seam;
use super::driven_cycle::DrivenCycle;
use super::error::{BuildError, check_length};
use super::off_step::{OffStepFrames, SAME_STEP};
use super::report::{Report, Warning};
use super::rig::{DynamicsRig, STEP};
use super::settings::Settings;
use super::state::State;
use super::step::{StepLength, step, step_part};
use crate::anim::{Pose, Skeleton};
use crate::math::mean::{aligned, slerp};
use crate::progress::Progress;

/// What drives the bones.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The skeleton that the rig was made from.
    pub skeleton: &'a Skeleton,
    /// Writes the animated pose at a time in seconds over the rest pose it is given.
    pub driver: &'a (dyn Fn(f64, &mut Pose) + Sync),
    /// Length of the animation, seconds.
    pub duration: f64,
    /// Whether the end runs on into the start.
    pub looping: bool,
    /// Length of the file's unit in metres.
    pub metres_per_unit: f64,
}

/// A recording of all dynamic bones.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The joints that are simulated, parents first.
    pub joints: Vec<usize>,
    /// Seconds between recorded steps.
    pub step: f64,
    /// Bones, warnings and measurements of the simulation.
    pub report: Report,
    /// Step after step, one rotation per joint.
    pub(super) rotations: Vec<Quat>,
    /// The cycle after the recorded one, where a loop does not repeat; else empty.
    pub(super) following: Vec<Quat>,
    pub(super) off_step: OffStepFrames,
}

/// Loops are run at most this often.
const CYCLES: usize = 64;
/// A loop whose state differs by no more than this share of a bone's length repeats.
const REPEATS: f64 = 1e-5;
/// From a residue like this on the next cycle may repeat.
const NEARLY: f64 = 1e-3;
/// Seconds within which most swings settle.
const SETTLED: f64 = 3.0;
/// Rotations that one recording may hold: 1 GiB.
const MOST_ROTATIONS: usize = 1 << 26;

/// Simulates `input` and records it; slow.
///
/// Refuses settings and lengths that cannot be simulated, recordings of more than 1 GiB, and stops when `progress` is cancelled.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    build_at(input, settings, &[], progress)
}

/// [`build`] with a recording as exact at each of `frames` (seconds, ascending) as it is at the steps.
pub(crate) fn build_at(
    input: &Input,
    settings: &Settings,
    frames: &[f64],
    progress: &Progress,
) -> Result<Built, BuildError> {
    check_length(input.duration)?;
    let mut rig = DynamicsRig::new(input.skeleton, settings, input.metres_per_unit)?;
    let looping = input.looping && input.duration > STEP;
    let steps = match looping {
        true => (input.duration / STEP).round() as usize,
        // The last step may lie past the end, where the animation holds still.
        false => (input.duration / STEP - 1e-6).ceil().max(0.0) as usize,
    };
    // A loop is recorded twice where it does not repeat: the cycle and the one after it.
    let rows = frames.len() + if looping { 2 * (steps + 1) } else { steps + 1 };
    if rig.bones.len().saturating_mul(rows) > MOST_ROTATIONS {
        return Err(BuildError::TooLong { seconds: input.duration, bones: rig.bones.len() });
    }
    // A whole number of steps, so that the end of the loop is a step too.
    let h = if looping { input.duration / steps as f64 } else { STEP };
    if looping {
        rig.wind = rig.wind.fitted_to_loop(input.duration);
    }
    let report = Report::for_rig(&rig, settings.colliders.iter().map(|collider| collider.joint));
    let pose = Pose::rest(input.skeleton);
    let (rotations, following, off_step) = (Vec::new(), Vec::new(), OffStepFrames::new(frames, h, steps));
    let again = looping && settings.loop_clean;
    let driven = DrivenCycle::new(&rig, if again { steps * rig.substeps as usize } else { 0 });
    let mut recorder =
        Recorder { rig: &rig, input, progress, steps, h, pose, driven, report, rotations, following, off_step };
    recorder.run(settings, looping)?;
    Ok(Built {
        joints: rig.bones.iter().map(|bone| bone.joint).collect(),
        step: h,
        report: recorder.report,
        rotations: recorder.rotations,
        following: recorder.following,
        off_step: recorder.off_step,
    })
}

impl Built {
    /// Writes the recorded rotations at `time` (seconds, clamped) over `pose`, which holds the animation at that time.
    pub fn sample(&self, time: f64, pose: &mut Pose) {
        let count = self.joints.len();
        let last = (self.rotations.len() / count.max(1)).saturating_sub(1);
        let at = (time / self.step).clamp(0.0, last as f64);
        let nearest = at.round();
        // Frame times are rounded numbers; a step reached to a ten-thousandth is meant.
        let (step, part) = if (at - nearest).abs() < SAME_STEP { (nearest, 0.0) } else { (at.floor(), at.fract()) };
        // A frame between two steps was simulated itself: a mean of its neighbours would cut corners at contacts.
        if let Some(row) = self.off_step.find(time, self.step, count).filter(|_| part > 0.0) {
            return write(&self.joints, row, pose);
        }
        let row = step as usize * count;
        for (index, &joint) in self.joints.iter().enumerate() {
            let Some(&from) = self.rotations.get(row + index) else { return };
            let to = self.rotations.get(row + count + index).copied().unwrap_or(from);
            if let Some(local) = pose.locals.get_mut(joint) {
                local.rotation = slerp(from, to, part as f32);
            }
        }
    }

    /// The recorded rotations, step after step, one per joint of [`Built::joints`].
    pub fn rows(&self) -> impl Iterator<Item = &[Quat]> {
        self.rotations.chunks_exact(self.joints.len().max(1))
    }

    /// The cycle after the recorded one, row by row as [`Built::rows`]; there is one only where a loop does not repeat.
    pub(crate) fn following(&self) -> impl Iterator<Item = &[Quat]> {
        self.following.chunks_exact(self.joints.len().max(1))
    }

    /// Counts contacts only where `acts` at a time in seconds: the bones show there alone.
    pub(crate) fn keep_steps(&mut self, acts: &dyn Fn(f64) -> bool) {
        let contacts = self.report.contacts.iter_mut().enumerate();
        contacts.filter(|(step, _)| !acts(*step as f64 * self.step)).for_each(|(_, count)| *count = 0);
    }

    /// How many steps were recorded, the first pose included.
    pub fn len(&self) -> usize {
        self.rotations.len() / self.joints.len().max(1)
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.rotations.is_empty()
    }
}

fn write(joints: &[usize], row: &[Quat], pose: &mut Pose) {
    for (&joint, &rotation) in joints.iter().zip(row) {
        if let Some(local) = pose.locals.get_mut(joint) {
            local.rotation = rotation;
        }
    }
}

/// A recording being made.
struct Recorder<'a> {
    rig: &'a DynamicsRig,
    input: &'a Input<'a>,
    progress: &'a Progress,
    steps: usize,
    h: f64,
    pose: Pose,
    driven: DrivenCycle,
    report: Report,
    rotations: Vec<Quat>,
    following: Vec<Quat>,
    off_step: OffStepFrames,
}

impl Recorder<'_> {
    fn run(&mut self, settings: &Settings, looping: bool) -> Result<(), BuildError> {
        self.drive(0.0);
        let mut state = State::at(self.rig, &self.pose);
        if !looping {
            // The first pose is held, so that the bones hang from it as if they always had.
            let still = (settings.pre_roll / STEP).round() as usize;
            for done in 0..still {
                self.progress.step(done, still + self.steps)?;
                self.hold_step(&mut state);
            }
            return self.cycle(&mut state, true);
        }
        loop {
            // The cycle is simulated again and again from where it ended until one that is recorded repeats.
            let last = !settings.loop_clean || self.report.cycles >= CYCLES;
            let record = last || self.may_repeat();
            if record {
                self.rotations.clear();
                self.off_step.rotations.clear();
                self.report.reset_measurements();
            }
            let before = state.clone();
            self.cycle(&mut state, record)?;
            self.drive(0.0);
            carry_over_seam(self.rig, &mut state, &self.pose);
            self.compare(&before, &state);
            if last || record && self.report.residue.is_some_and(|residue| residue <= REPEATS) {
                break;
            }
            self.report.cycles += 1;
        }
        if let Some(residue) = self.report.residue.filter(|&residue| residue > REPEATS) {
            self.report.warnings.push(Warning::LoopNotClean { residue });
            if settings.loop_clean {
                return self.record_following_cycle(&mut state);
            }
        }
        Ok(())
    }

    /// Whether the cycle after one with such a residue is likely to repeat: the residue is small, or the cycle so long that what swings
    /// has settled by its end.
    fn may_repeat(&self) -> bool {
        let seconds = self.steps as f64 * self.h;
        self.report.residue.is_some_and(|residue| residue <= NEARLY || seconds >= SETTLED)
    }

    /// Runs the cycle after the recorded one, to mix the two; the report stays that of the recorded one.
    fn record_following_cycle(&mut self, state: &mut State) -> Result<(), BuildError> {
        // The report tells of the recorded cycle alone.
        let recorded = (self.rotations.len(), self.report.clone());
        let off_step = std::mem::take(&mut self.off_step);
        self.cycle(state, true)?;
        self.off_step = off_step;
        self.following = self.rotations.split_off(recorded.0);
        self.report = recorded.1;
        Ok(())
    }

    fn cycle(&mut self, state: &mut State, record: bool) -> Result<(), BuildError> {
        self.drive(0.0);
        if record {
            self.record(state, 0.0);
        }
        for index in 0..self.steps {
            self.progress.step(index, self.steps)?;
            if record {
                self.record_off_step(state, index);
            }
            self.whole_step(state, index);
            if record {
                self.record(state, (index + 1) as f64 * self.h);
            }
        }
        Ok(())
    }

    /// Step `index`, in as many substeps as the forces need.
    fn whole_step(&mut self, state: &mut State, index: usize) {
        let substeps = f64::from(self.rig.substeps);
        for substep in 1..=self.rig.substeps {
            let time = (index as f64 + f64::from(substep) / substeps) * self.h;
            let place = index * self.rig.substeps as usize + substep as usize - 1;
            if !self.driven.write(place, &mut self.pose) {
                self.drive(time);
                self.driven.keep(place, &self.pose);
            }
            step(self.rig, state, &self.pose, time, self.h / substeps);
        }
    }

    /// A step in which the animation stands at its start.
    fn hold_step(&mut self, state: &mut State) {
        for _ in 0..self.rig.substeps {
            self.drive(0.0);
            step(self.rig, state, &self.pose, 0.0, self.h / f64::from(self.rig.substeps));
        }
    }

    /// The animated pose at `time`, made finite.
    fn drive(&mut self, time: f64) {
        if let Some(joint) =
            drive(self.input.driver, self.input.skeleton, time.min(self.input.duration), &mut self.pose)
            && !self.report.warnings.iter().any(|known| matches!(known, Warning::NotANumber { .. }))
        {
            self.report.warnings.push(Warning::NotANumber { joint, time });
        }
    }

    fn record(&mut self, state: &State, time: f64) {
        self.report.measure(self.rig, state, &self.pose, time);
        self.report.count_contacts(state);
        self.rotations.extend(row(self.rig, state, &self.rotations));
    }

    /// The frames between step `index`, which `state` has, and the next.
    fn record_off_step(&mut self, state: &State, index: usize) {
        let substeps = f64::from(self.rig.substeps);
        for frame in self.off_step.after(index, self.h) {
            let time = self.off_step.times[frame];
            let done = (time / self.h - index as f64) * substeps;
            // On a copy: the steps themselves must not depend on which frames are asked for between them.
            let mut state = state.clone();
            for substep in 1..=done.ceil() as u32 {
                let share = (done - f64::from(substep - 1)).min(1.0);
                let time = (index as f64 + (f64::from(substep - 1) + share) / substeps) * self.h;
                self.drive(time);
                step_part(self.rig, &mut state, &self.pose, time, StepLength { whole: self.h / substeps, share });
            }
            self.report.measure(self.rig, &state, &self.pose, time);
            self.off_step.rotations.extend(row(self.rig, &state, &self.rotations));
        }
    }

    /// How far the state is from what it was a cycle before, relative to bone lengths.
    fn compare(&mut self, before: &State, after: &State) {
        let mut worst = (0.0, None);
        for (index, bone) in self.rig.bones.iter().enumerate().filter(|(index, _)| before.bones[*index].length > 0.0) {
            let apart = |a: DVec3, b: DVec3| a.distance(b) / before.bones[index].length;
            let shown = apart(before.shown[index].tip(), after.shown[index].tip());
            // Place and speed both have to repeat, the speed being the difference from the place before.
            let tips = apart(before.bones[index].tip(), after.bones[index].tip());
            let difference = apart(before.previous_tips[index], after.previous_tips[index]).max(tips).max(shown);
            if difference > worst.0 {
                worst = (difference, Some(bone.joint));
            }
        }
        (self.report.residue, self.report.residue_joint) = (Some(worst.0), worst.1);
    }
}

/// The rotations that `state` shows, each in the hemisphere of that in `before`, the last row of which counts.
pub(super) fn row(rig: &DynamicsRig, state: &State, before: &[Quat]) -> Vec<Quat> {
    let last = before.len().checked_sub(rig.bones.len());
    let rotation = |index: usize| {
        let local = state.local_rotation(rig, index).as_quat().normalize();
        // Neighbouring keys in one hemisphere, or interpolation between them takes the long way.
        aligned(local, last.map_or(Quat::IDENTITY, |last| before[last + index]))
    };
    (0..rig.bones.len()).map(rotation).collect()
}

/// The animated pose at `time` over the rest pose; a joint that is not finite rests, and the first such joint is returned.
pub(super) fn drive(
    driver: &(dyn Fn(f64, &mut Pose) + Sync),
    skeleton: &Skeleton,
    time: f64,
    pose: &mut Pose,
) -> Option<usize> {
    // The driver writes only what its clip moves.
    pose.set_rest(skeleton);
    driver(time, pose);
    let mut first = None;
    for (joint, local) in pose.locals.iter_mut().enumerate().filter(|(_, local)| !local.is_finite()) {
        *local = skeleton.joints[joint].rest;
        first = first.or(Some(joint));
    }
    first
}
