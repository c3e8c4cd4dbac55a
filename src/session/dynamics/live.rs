//! Dynamic bones simulated while the user watches: from the playhead on, through changes of settings and pulls.

use std::sync::Arc;

use glam::DVec3;

use crate::anim::Pose;
use crate::document::{Stage, StageId, Take, TakeId};
use crate::evaluate::frame::{self, Frame};
use crate::evaluate::overlay::{self, Overlay};
use crate::evaluate::{BuiltTake, TakeError};
use crate::session::Playback;
use crate::systems::dynamics::{LiveSimulation, Settings};

/// What is shown of dynamic bones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DynamicsMode {
    /// The recording, as it is exported.
    #[default]
    Recorded,
    /// Simulated now, from the playhead on.
    Live,
    /// The animation without them.
    Off,
}

/// How dynamic bones are watched; not part of the document.
#[derive(Debug, Default)]
pub struct DynamicsPreview {
    /// What is shown.
    pub mode: DynamicsMode,
    /// How far the user pulls the character away while [`DynamicsMode::Live`], metres.
    pub pull: DVec3,
    /// Whether the pull is still held; after that the character comes back.
    pub held: bool,
    running: Option<Running>,
}

/// A running simulation and what it was driven by last.
#[derive(Debug)]
struct Running {
    take: TakeId,
    before: Arc<BuiltTake>,
    overlay: Arc<Overlay>,
    settings: Settings,
    live: LiveSimulation,
    /// Seconds simulated or dropped.
    clock: f64,
    playhead: f64,
    pull: DVec3,
    /// The pose that was shown last, and for how many seconds it has been that.
    shown: Pose,
    rests_for: f64,
}

/// What plays, seconds.
#[derive(Clone, Copy)]
struct PlayedRange {
    start: f64,
    end: f64,
}

/// Steps per picture at most, a tenth of a second: a slow machine falls behind instead of freezing.
const MOST_STEPS: u64 = 24;
/// Time constant in which a pull is undone after it is let go, seconds.
const RETURN_TIME: f64 = 0.08;
/// Seconds of the same pose after which bones have come to rest.
const SETTLED: f64 = 0.5;
/// Change of a part of a joint's place or rotation from picture to picture that nobody sees.
const UNSEEN: f32 = 1e-6;

impl DynamicsMode {
    /// Every choice, in the order of buttons.
    pub const ALL: [Self; 3] = [Self::Live, Self::Recorded, Self::Off];

    /// The word for it in translations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Live => "live",
            Self::Off => "off",
        }
    }
}

/// `take` up to its dynamic bones: those of the stage `at`, else the first.
pub(in crate::session) fn before_dynamics(take: &Take, at: Option<StageId>) -> Take {
    let swings = |stage: &&Stage| stage.kind.as_dynamics().is_some();
    let chosen = take.stages.iter().filter(swings).position(|stage| Some(stage.id) == at).unwrap_or(0);
    let mut places = (0..take.stages.len()).filter(|&place| swings(&&take.stages[place]));
    take.before_stage(places.nth(chosen).unwrap_or(take.stages.len()))
}

impl DynamicsPreview {
    /// The next picture of the live simulation of `take` over `before`, `seconds` after the last.
    pub(in crate::session) fn frame(
        &mut self,
        take: TakeId,
        before: Arc<BuiltTake>,
        settings: &Settings,
        playback: &Playback,
        seconds: f64,
    ) -> Result<Frame, TakeError> {
        if !self.held {
            self.pull *= (-seconds / RETURN_TIME).exp();
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

    /// Whether bones are simulated now.
    pub fn is_live(&self) -> bool {
        self.mode == DynamicsMode::Live && self.running.is_some()
    }

    /// Whether the next picture will differ though nobody does anything: bones that have settled sleep until something changes.
    pub fn moves(&self) -> bool {
        self.is_live() && self.running.as_ref().is_some_and(|running| !running.is_settled())
    }

    pub(in crate::session) fn stop(&mut self) {
        self.running = None;
    }
}

impl Running {
    fn new(take: TakeId, before: Arc<BuiltTake>, settings: &Settings, playhead: f64) -> Result<Self, TakeError> {
        let skeleton = &before.character.model.skeleton;
        let pose = before.clip.pose_at(skeleton, playhead);
        let live = LiveSimulation::new(skeleton, settings, before.metres_per_unit, pose)?;
        let overlay = Arc::new(overlay::overlay(&before, None));
        let (settings, shown) = (settings.clone(), Pose::default());
        let pull = DVec3::ZERO;
        Ok(Self { take, before, overlay, settings, live, clock: 0.0, playhead, pull, shown, rests_for: 0.0 })
    }

    /// Wind that changes by itself may only hold its breath.
    fn is_settled(&self) -> bool {
        let wind = &self.settings.wind;
        let is_steady = wind.strength == 0.0 || (wind.gust == 0.0 && wind.turbulence == 0.0);
        is_steady && self.rests_for >= SETTLED
    }

    fn change(&mut self, before: Arc<BuiltTake>, settings: &Settings) -> Result<(), TakeError> {
        if !Arc::ptr_eq(&before, &self.before) || *settings != self.settings {
            self.rests_for = 0.0;
        }
        if !Arc::ptr_eq(&before, &self.before) {
            self.overlay = Arc::new(overlay::overlay(&before, None));
            self.before = before;
        }
        if *settings != self.settings {
            self.live.change(&self.before.character.model.skeleton, settings)?;
            self.settings = settings.clone();
        }
        Ok(())
    }

    /// Lets `seconds` pass, in which playhead and pull go evenly to where they are now; from the end of `wraps` to its start, if
    /// given.
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
        if self.live.advance(skeleton, &driver, self.clock, MOST_STEPS) > 0 {
            self.live.skip_to(self.clock);
        }
        (self.playhead, self.pull) = (playhead, pull);
    }

    /// The picture `seconds` after the last.
    fn frame(&mut self, seconds: f64) -> Frame {
        let mut pose = self.before.clip.pose_at(&self.before.character.model.skeleton, self.playhead);
        move_by(&mut pose, &self.before, self.pull);
        let animation = pose.clone();
        self.live.write(&mut pose);
        self.rests_for = if is_same(&pose, &self.shown) { self.rests_for + seconds } else { 0.0 };
        self.shown = pose.clone();
        let mut frame = frame::live_frame(&self.before, &self.overlay, self.playhead, pose);
        frame.add_dynamics(self.live.rig(), &animation);
        frame
    }
}

/// Whether nobody sees a difference.
fn is_same(a: &Pose, b: &Pose) -> bool {
    let joints = || a.locals.iter().zip(&b.locals);
    let turns = || joints().all(|(a, b)| a.rotation.abs_diff_eq(b.rotation, UNSEEN));
    let moves = || joints().all(|(a, b)| a.translation.abs_diff_eq(b.translation, UNSEEN));
    a.locals.len() == b.locals.len() && turns() && moves()
}

/// Moves the whole character, metres.
fn move_by(pose: &mut Pose, built: &BuiltTake, metres: DVec3) {
    let units = (metres / built.metres_per_unit).as_vec3();
    for root in built.character.model.skeleton.roots() {
        pose.locals[root].translation += units;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use glam::{Quat, Vec3};

    #[test]
    fn one_joint_that_still_moves_is_seen() {
        let rest = Pose::rest(&skeleton_of(&[("root", None), ("hair", Some(0)), ("tip", Some(1))]));
        let (mut turned, mut moved) = (rest.clone(), rest.clone());
        turned.locals[2].rotation = Quat::from_rotation_x(0.1);
        moved.locals[0].translation += Vec3::X * 0.1;
        assert!(is_same(&rest, &rest) && !is_same(&rest, &turned) && !is_same(&rest, &moved));
    }
}
