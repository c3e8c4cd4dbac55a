//! The whole animation, simulated and recorded.

use glam::{DVec3, Quat};

use super::error::{BuildError, check_length};
use super::report::{Report, Warning};
use super::rig::{Rig, STEP};
use super::settings::Settings;
use super::step::{State, carry_over_seam, step};
use crate::anim::{Pose, Skeleton};
use crate::math::mean::{aligned, slerp};
use crate::progress::Progress;

/// What drives the bones.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The rig.
    pub skeleton: &'a Skeleton,
    /// Writes the animated pose at a time in seconds over the rest pose it is given.
    pub driver: &'a (dyn Fn(f64, &mut Pose) + Sync),
    /// Seconds.
    pub duration: f64,
    /// Whether the end runs on into the start.
    pub looping: bool,
    /// Length of the file's unit in metres.
    pub metres_per_unit: f64,
}

/// A recording of all dynamic bones.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The joints that turn, parents first.
    pub joints: Vec<usize>,
    /// Seconds between recorded steps.
    pub step: f64,
    /// What happened.
    pub report: Report,
    /// Step after step, one rotation per joint.
    rotations: Vec<Quat>,
}

/// Loops are run at most this often.
const CYCLES: usize = 64;
/// A loop whose state differs by no more than this share of a bone's length repeats.
const REPEATS: f64 = 1e-5;
/// Rotations that one recording may hold: 1 GiB.
const MOST_ROTATIONS: usize = 1 << 26;

/// Simulates `input` and records it; slow.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    check_length(input.duration)?;
    let mut rig = Rig::new(input.skeleton, settings, input.metres_per_unit)?;
    let looping = input.looping && input.duration > STEP;
    let steps = match looping {
        true => (input.duration / STEP).round() as usize,
        // The last step may lie past the end, where the animation holds still.
        false => (input.duration / STEP - 1e-6).ceil().max(0.0) as usize,
    };
    if rig.bones.len().saturating_mul(steps + 1) > MOST_ROTATIONS {
        return Err(BuildError::TooLong { seconds: input.duration, bones: rig.bones.len() });
    }
    let h = if looping { input.duration / steps as f64 } else { STEP };
    if looping {
        rig.wind = rig.wind.fitted_to_loop(input.duration);
    }
    let report = Report::of_rig(&rig, settings.colliders.iter().map(|it| it.joint));
    let pose = Pose::rest(input.skeleton);
    let mut run = Run { rig: &rig, input, progress, steps, h, pose, report, rotations: Vec::new() };
    run.whole(settings, looping)?;
    Ok(Built {
        joints: rig.bones.iter().map(|bone| bone.joint).collect(),
        step: h,
        report: run.report,
        rotations: run.rotations,
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
        let (step, part) = if (at - nearest).abs() < 1e-4 { (nearest, 0.0) } else { (at.floor(), at.fract()) };
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

    /// How many steps were recorded, the first pose included.
    pub fn len(&self) -> usize {
        self.rotations.len() / self.joints.len().max(1)
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.rotations.is_empty()
    }
}

/// A recording being made.
struct Run<'a> {
    rig: &'a Rig,
    input: &'a Input<'a>,
    progress: &'a Progress,
    steps: usize,
    h: f64,
    pose: Pose,
    report: Report,
    rotations: Vec<Quat>,
}

impl Run<'_> {
    fn whole(&mut self, settings: &Settings, looping: bool) -> Result<(), BuildError> {
        self.drive(0.0);
        let mut state = State::at(self.rig, &self.pose);
        if !looping {
            let still = (settings.pre_roll / STEP).round() as usize;
            for done in 0..still {
                self.progress.step(done, still + self.steps)?;
                self.parts(&mut state, |_| 0.0);
            }
            return self.cycle(&mut state, true);
        }
        loop {
            let last = !settings.loop_clean
                || self.report.cycles >= CYCLES
                || self.report.residue.is_some_and(|it| it <= REPEATS);
            let before = state.clone();
            self.cycle(&mut state, last)?;
            self.drive(0.0);
            carry_over_seam(self.rig, &mut state, &self.pose);
            self.compare(&before, &state);
            if last {
                break;
            }
            self.report.cycles += 1;
        }
        if let Some(residue) = self.report.residue.filter(|&residue| residue > REPEATS) {
            self.report.warnings.push(Warning::LoopNotClean { residue });
        }
        Ok(())
    }

    fn cycle(&mut self, state: &mut State, record: bool) -> Result<(), BuildError> {
        self.drive(0.0);
        if record {
            self.record(state, 0.0);
        }
        for index in 0..self.steps {
            if index % 16 == 0 {
                self.progress.step(index, self.steps)?;
            }
            let h = self.h;
            self.parts(state, |part| (index as f64 + part) * h);
            if record {
                self.record(state, (index + 1) as f64 * h);
            }
        }
        Ok(())
    }

    /// One recorded step, in as many parts as the forces need; `time` of the share of the step done.
    fn parts(&mut self, state: &mut State, time: impl Fn(f64) -> f64) {
        let parts = f64::from(self.rig.parts);
        for part in 1..=self.rig.parts {
            let time = time(f64::from(part) / parts);
            self.drive(time);
            step(self.rig, state, &self.pose, time, self.h / parts);
        }
    }

    /// The animated pose at `time`, made finite.
    fn drive(&mut self, time: f64) {
        if let Some(joint) =
            drive(self.input.driver, self.input.skeleton, time.min(self.input.duration), &mut self.pose)
            && !self.report.warnings.iter().any(|it| matches!(it, Warning::NotANumber { .. }))
        {
            self.report.warnings.push(Warning::NotANumber { joint, time });
        }
    }

    fn record(&mut self, state: &State, time: f64) {
        self.report.measure(self.rig, state, &self.pose, time);
        let row = self.rotations.len();
        for index in 0..self.rig.bones.len() {
            let local = state.local_rotation(self.rig, index).as_quat().normalize();
            let before =
                row.checked_sub(self.rig.bones.len()).map_or(Quat::IDENTITY, |row| self.rotations[row + index]);
            self.rotations.push(aligned(local, before));
        }
    }

    fn compare(&mut self, before: &State, after: &State) {
        let mut worst = (0.0, None);
        for (index, bone) in self.rig.bones.iter().enumerate().filter(|(index, _)| before.bones[*index].len > 0.0) {
            let apart = |a: DVec3, b: DVec3| a.distance(b) / before.bones[index].len;
            let shown = apart(before.shown[index].tip(), after.shown[index].tip());
            let tips = apart(before.bones[index].tip(), after.bones[index].tip());
            let difference = apart(before.previous[index], after.previous[index]).max(tips).max(shown);
            if difference > worst.0 {
                worst = (difference, Some(bone.joint));
            }
        }
        (self.report.residue, self.report.residue_joint) = (Some(worst.0), worst.1);
    }
}

/// The animated pose at `time` over the rest pose; a joint that is no number rests, and the first such joint is returned.
pub(super) fn drive(
    driver: &(dyn Fn(f64, &mut Pose) + Sync),
    skeleton: &Skeleton,
    time: f64,
    pose: &mut Pose,
) -> Option<usize> {
    pose.set_rest(skeleton);
    driver(time, pose);
    let mut first = None;
    for (joint, local) in pose.locals.iter_mut().enumerate().filter(|(_, local)| !local.is_finite()) {
        *local = skeleton.joints[joint].rest;
        first = first.or(Some(joint));
    }
    first
}
