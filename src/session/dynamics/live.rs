//! Dynamic bones that swing while the user watches: from the playhead on, at every change of a setting, at every pull.

use std::sync::Arc;

use glam::DVec3;

use crate::anim::Pose;
use crate::document::{Modifier, Take, TakeId};
use crate::evaluate::frame::{self, Frame};
use crate::evaluate::{BuiltTake, TakeError};
use crate::session::Session;
use crate::systems::dynamics::{Live, Settings};

/// What is shown of dynamic bones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SwingMode {
    /// The recording, as it is exported.
    #[default]
    Settled,
    /// Bones that swing now, from the playhead on.
    Live,
    /// The animation without them.
    Off,
}

/// How dynamic bones are watched; not part of the document.
#[derive(Debug, Default)]
pub struct Swinging {
    /// What is shown.
    pub mode: SwingMode,
    /// How far the character is pulled away while [`SwingMode::Live`], metres.
    pub pull: DVec3,
    /// Whether the user holds it; let go, the character comes back.
    pub held: bool,
    running: Option<Running>,
}

/// Bones in motion and what they were driven by last.
#[derive(Debug)]
struct Running {
    take: TakeId,
    before: Arc<BuiltTake>,
    overlay: Arc<frame::Overlay>,
    settings: Settings,
    live: Live,
    /// Seconds simulated or dropped.
    clock: f64,
    playhead: f64,
    pull: DVec3,
}

/// Steps per picture at most: a tenth of a second.
const MOST: u64 = 24;
/// Seconds in which most of a pull is undone once it is let go.
const BACK: f64 = 0.08;

impl SwingMode {
    /// Every choice, in the order of buttons.
    pub const ALL: [Self; 3] = [Self::Live, Self::Settled, Self::Off];

    /// The word for it in translations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::Live => "live",
            Self::Off => "off",
        }
    }
}

/// `take` up to its first dynamic bones.
pub(in crate::session) fn before_swing(take: &Take) -> Take {
    let swings = |modifier: &Modifier| modifier.as_dynamics().is_some();
    let end = take.modifiers.iter().position(swings).unwrap_or(take.modifiers.len());
    Take { modifiers: take.modifiers[..end].to_vec(), ..take.clone() }
}

impl Session {
    /// The next picture of bones that swing now, `seconds` after the last.
    pub(in crate::session) fn live_frame(&mut self, take: &Take, seconds: f64) -> Result<Frame, TakeError> {
        let before = self.built(&before_swing(take))?;
        self.playback.show(before.clip.duration, before.fps);
        let settings = take.dynamics().map(|dynamics| dynamics.heard()).unwrap_or_default();
        if !self.swinging.held {
            self.swinging.pull *= (-seconds / BACK).exp();
        }
        let mut running = match self.swinging.running.take() {
            Some(running) if running.take == take.id && running.before.character == before.character => running,
            _ => Running::new(take.id, before.clone(), &settings, self.playback.time)?,
        };
        let to = (self.playback.time, self.swinging.pull);
        let span = self.playback.bounds();
        let wraps = self.playback.playing && to.0 < running.playhead;
        let changed = running.change(before, &settings);
        running.advance(seconds, to, wraps.then_some(span));
        let frame = running.frame();
        self.swinging.running = Some(running);
        changed.map(|()| frame)
    }

    /// Whether the next picture will differ though nobody does anything.
    pub fn is_swinging(&self) -> bool {
        self.swinging.mode == SwingMode::Live && self.swinging.running.is_some()
    }

    pub(in crate::session) fn stop_swinging(&mut self) {
        self.swinging.running = None;
    }
}

impl Running {
    fn new(take: TakeId, before: Arc<BuiltTake>, settings: &Settings, playhead: f64) -> Result<Self, TakeError> {
        let skeleton = &before.character.model.skeleton;
        let pose = before.clip.pose_at(skeleton, playhead);
        let live = Live::new(skeleton, settings, before.metres_per_unit, pose)?;
        let overlay = Arc::new(frame::overlay(&before));
        let settings = settings.clone();
        Ok(Self { take, before, overlay, settings, live, clock: 0.0, playhead, pull: DVec3::ZERO })
    }

    fn change(&mut self, before: Arc<BuiltTake>, settings: &Settings) -> Result<(), TakeError> {
        if !Arc::ptr_eq(&before, &self.before) {
            self.overlay = Arc::new(frame::overlay(&before));
            self.before = before;
        }
        if *settings != self.settings {
            self.live.change(&self.before.character.model.skeleton, settings)?;
            self.settings = settings.clone();
        }
        Ok(())
    }

    /// Lets `seconds` pass, in which playhead and pull go evenly to where they are now; over the ends of `wraps`, if given.
    fn advance(&mut self, seconds: f64, (playhead, pull): (f64, DVec3), wraps: Option<(f64, f64)>) {
        let (from, way) = match wraps {
            Some((start, end)) => (self.playhead, playhead - self.playhead + (end - start)),
            None => (self.playhead, playhead - self.playhead),
        };
        let (clock, pulled) = (self.clock, self.pull);
        let before = &self.before;
        let skeleton = &before.character.model.skeleton;
        let driver = |time: f64, pose: &mut Pose| {
            let share = if seconds > 0.0 { ((time - clock) / seconds).clamp(0.0, 1.0) } else { 1.0 };
            let at = from + way * share;
            let at = wraps.filter(|span| at > span.1).map_or(at, |(start, end)| at - (end - start));
            before.clip.sample(skeleton, at, pose);
            move_by(pose, before, pulled.lerp(pull, share));
        };
        self.clock += seconds;
        if self.live.advance(skeleton, &driver, self.clock, MOST) > 0 {
            self.live.skip_to(self.clock);
        }
        (self.playhead, self.pull) = (playhead, pull);
    }

    fn frame(&self) -> Frame {
        let mut pose = self.before.clip.pose_at(&self.before.character.model.skeleton, self.playhead);
        move_by(&mut pose, &self.before, self.pull);
        let animation = pose.clone();
        self.live.write(&mut pose);
        let mut frame = frame::live_frame(&self.before, &self.overlay, self.playhead, pose);
        frame.swings(self.live.rig(), &animation);
        frame
    }
}

/// Moves the whole character, metres.
fn move_by(pose: &mut Pose, built: &BuiltTake, way: DVec3) {
    let way = (way / built.metres_per_unit).as_vec3();
    for root in built.character.model.skeleton.roots() {
        pose.locals[root].translation += way;
    }
}
