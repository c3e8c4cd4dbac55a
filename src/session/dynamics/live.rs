//! Live simulation of dynamic bones from the playhead on, reacting to setting changes and user pulls.

use std::sync::Arc;

use glam::DVec3;

use crate::Playback;
use portamento_anim::Pose;
use portamento_dynamics::{LiveSimulation, Settings};
use portamento_takes::document::{Stage, StageId, Take, TakeId};
use portamento_takes::evaluate::frame::{self, Frame};
use portamento_takes::evaluate::overlay::Overlay;
use portamento_takes::evaluate::{BuiltTake, TakeError};

/// The preview mode of dynamic bones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DynamicsMode {
    /// The recorded simulation, as exported.
    #[default]
    Recorded,
    /// A live simulation from the playhead on.
    Live,
    /// The animation without dynamic bones.
    Off,
}

/// The preview state of dynamic bones; not part of the document.
#[derive(Debug, Default)]
pub struct DynamicsPreview {
    /// The preview mode.
    pub mode: DynamicsMode,
    /// Current displacement of the character by the user in [`DynamicsMode::Live`], metres.
    pub pull: DVec3,
    /// True while the user holds the pull; afterwards the character returns.
    pub held: bool,
    running: Option<Running>,
}

/// A running simulation and the inputs of its last step.
#[derive(Debug)]
struct Running {
    take: TakeId,
    before: Arc<BuiltTake>,
    overlay: Arc<Overlay>,
    settings: Settings,
    live: LiveSimulation,
    /// Simulated or skipped time, seconds.
    clock: f64,
    playhead: f64,
    pull: DVec3,
    /// The last shown pose, and for how many seconds it has not changed.
    shown: Pose,
    unchanged_seconds: f64,
}

/// The playback range, seconds.
#[derive(Clone, Copy)]
struct PlayedRange {
    start: f64,
    end: f64,
}

/// Maximum steps per displayed frame, 0.1 s at 240 steps per second; a slow machine lags instead of freezing.
const MAX_STEPS_PER_FRAME: u64 = 24;
/// Time constant of the return after the pull is released, seconds. Tuned; no derivation recorded.
const RETURN_TIME_CONSTANT_S: f64 = 0.08;
/// Time without change after which the bones count as settled, seconds. Tuned; no derivation recorded.
const SETTLED_AFTER_S: f64 = 0.5;
/// Largest invisible change of a translation or rotation component between two frames.
const MAX_INVISIBLE_CHANGE: f32 = 1e-6;

portamento_base::named!(DynamicsMode { Live: "live", Recorded: "recorded", Off: "off" });

/// Returns `take` without its dynamics stage and what follows. That stage is `at` if it has dynamic bones, else the first
/// one that has. Without dynamic bones, all stages stay.
pub(crate) fn before_dynamics(take: &Take, at: Option<StageId>) -> Take {
    let swings = |stage: &&Stage| stage.kind.as_dynamics().is_some();
    let chosen = take.stages.iter().filter(swings).position(|stage| Some(stage.id) == at).unwrap_or(0);
    let mut stage_indices = (0..take.stages.len()).filter(|&place| swings(&&take.stages[place]));
    take.before_stage(stage_indices.nth(chosen).unwrap_or(take.stages.len()))
}

impl DynamicsPreview {
    /// Simulates `seconds` and returns the next frame of the live simulation of `take` over the motion `before`. Starts the
    /// simulation at the playhead if none runs for this take and character.
    ///
    /// Returns `Err` if the settings do not fit the skeleton.
    pub(crate) fn frame(
        &mut self,
        take: TakeId,
        before: Arc<BuiltTake>,
        settings: &Settings,
        playback: &Playback,
        seconds: f64,
    ) -> Result<Frame, TakeError> {
        if !self.held {
            self.pull *= (-seconds / RETURN_TIME_CONSTANT_S).exp();
        }
        let mut running = match self.running.take() {
            Some(running) if running.take == take && running.before.character == before.character => running,
            _ => Running::new(take, before.clone(), settings, playback.time)?,
        };
        let (start, end) = playback.bounds();
        let wraps = playback.playing && playback.time < running.playhead;
        let wraps = wraps.then_some(PlayedRange { start, end });
        let changed = running.change(before, settings);
        running.advance(seconds, playback.time, self.pull, wraps);
        let frame = running.frame(seconds);
        self.running = Some(running);
        changed.map(|()| frame)
    }

    /// True while a live simulation runs.
    pub fn is_live(&self) -> bool {
        self.mode == DynamicsMode::Live && self.running.is_some()
    }

    /// True if the next frame will differ without user input; settled bones sleep until something changes.
    pub fn moves(&self) -> bool {
        self.is_live() && self.running.as_ref().is_some_and(|running| !running.is_settled())
    }

    /// Ends the simulation; the next frame starts a new one. The preview mode stays.
    pub(crate) fn stop(&mut self) {
        self.running = None;
    }
}

impl Running {
    /// Starts a simulation in the pose of `before` at `playhead`, in seconds. Returns `Err` if the settings do not fit
    /// the skeleton.
    fn new(take: TakeId, before: Arc<BuiltTake>, settings: &Settings, playhead: f64) -> Result<Self, TakeError> {
        let skeleton = &before.character.model.skeleton;
        let pose = before.clip.pose_at(skeleton, playhead);
        let live = LiveSimulation::new(skeleton, settings, before.metres_per_unit, pose)?;
        let overlay = before.overlay(None);
        let (settings, shown) = (settings.clone(), Pose::default());
        let pull = DVec3::ZERO;
        Ok(Self { take, before, overlay, settings, live, clock: 0.0, playhead, pull, shown, unchanged_seconds: 0.0 })
    }

    /// True if the bones are at rest and the wind is steady: varying wind may start again.
    fn is_settled(&self) -> bool {
        let wind = &self.settings.wind;
        let is_steady = wind.strength == 0.0 || (wind.gust == 0.0 && wind.turbulence == 0.0);
        is_steady && self.unchanged_seconds >= SETTLED_AFTER_S
    }

    /// Continues with another motion or other settings without a restart. Returns `Err`, with the previous settings in effect,
    /// if the new ones do not fit the skeleton.
    fn change(&mut self, before: Arc<BuiltTake>, settings: &Settings) -> Result<(), TakeError> {
        if !Arc::ptr_eq(&before, &self.before) || *settings != self.settings {
            self.unchanged_seconds = 0.0;
        }
        if !Arc::ptr_eq(&before, &self.before) {
            self.overlay = before.overlay(None);
            self.before = before;
        }
        if *settings != self.settings {
            self.live.change(&self.before.character.model.skeleton, settings)?;
            self.settings = settings.clone();
        }
        Ok(())
    }

    /// Advances the simulation by `seconds` while playhead and pull move linearly to their new values. `wraps` is the
    /// playback range if the playhead jumped from its end to its start. Steps that exceed [`MAX_STEPS_PER_FRAME`] are
    /// skipped.
    fn advance(&mut self, seconds: f64, playhead: f64, pull: DVec3, wraps: Option<PlayedRange>) {
        let from = self.playhead;
        let distance = playhead - from + wraps.map_or(0.0, |range| range.end - range.start);
        let (clock, pulled) = (self.clock, self.pull);
        let before = &self.before;
        let skeleton = &before.character.model.skeleton;
        let driver = |time: f64, pose: &mut Pose| {
            let share = if seconds > 0.0 { ((time - clock) / seconds).clamp(0.0, 1.0) } else { 1.0 };
            let at = from + distance * share;
            let at = wraps.filter(|range| at > range.end).map_or(at, |range| at - (range.end - range.start));
            before.clip.sample(skeleton, at, pose);
            move_by(pose, before, pulled.lerp(pull, share));
        };
        self.clock += seconds;
        if self.live.advance(skeleton, &driver, self.clock, MAX_STEPS_PER_FRAME) > 0 {
            self.live.skip_to(self.clock);
        }
        (self.playhead, self.pull) = (playhead, pull);
    }

    /// Returns the frame at the playhead. `seconds` is the time since the last frame.
    fn frame(&mut self, seconds: f64) -> Frame {
        let mut pose = self.before.clip.pose_at(&self.before.character.model.skeleton, self.playhead);
        move_by(&mut pose, &self.before, self.pull);
        let animation = pose.clone();
        self.live.write(&mut pose);
        self.unchanged_seconds = if is_same(&pose, &self.shown) { self.unchanged_seconds + seconds } else { 0.0 };
        self.shown = pose.clone();
        let mut frame = frame::live_frame(&self.before, &self.overlay, self.playhead, pose);
        frame.add_dynamics(self.live.rig(), &animation);
        frame
    }
}

/// True if two poses have no visible difference.
fn is_same(a: &Pose, b: &Pose) -> bool {
    let joints = || a.locals.iter().zip(&b.locals);
    let turns = || joints().all(|(a, b)| a.rotation.abs_diff_eq(b.rotation, MAX_INVISIBLE_CHANGE));
    let moves = || joints().all(|(a, b)| a.translation.abs_diff_eq(b.translation, MAX_INVISIBLE_CHANGE));
    a.locals.len() == b.locals.len() && turns() && moves()
}

/// Translates the whole character by `metres`. `built` gives the unit of the pose.
fn move_by(pose: &mut Pose, built: &BuiltTake, metres: DVec3) {
    let units = (metres / built.metres_per_unit).as_vec3();
    for root in built.character.model.skeleton.roots() {
        pose.locals[root].translation += units;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};
    use portamento_test_support::skeleton_of;

    #[test]
    fn a_single_moving_joint_is_detected() {
        let rest = Pose::rest(&skeleton_of(&[("root", None), ("hair", Some(0)), ("tip", Some(1))]));
        let (mut turned, mut moved) = (rest.clone(), rest.clone());
        turned.locals[2].rotation = Quat::from_rotation_x(0.1);
        moved.locals[0].translation += Vec3::X * 0.1;
        assert!(is_same(&rest, &rest) && !is_same(&rest, &turned) && !is_same(&rest, &moved));
    }
}
