//! The standard tree, driven by events: Root ← UpperBody (the skill), WholeBody ← PreAni, CurAni.
//!
//! | event | what changes over its transition time |
//! |---|---|
//! | first run or stand | CurAni is set, weight 1 at once |
//! | run, stand, stop | CurAni becomes PreAni with its phase; PreAni 1→0, CurAni 0→1 |
//! | cast while running | the skill enters UpperBody; upper-body joints UpperBody 0→1, WholeBody 1→0 |
//! | cast while standing | the same over all joints |
//! | stop or stand while casting | lower-body joints UpperBody 0→1, WholeBody 1→0, and PreAni to CurAni underneath |
//! | run while casting | lower-body joints go back to WholeBody |
//! | end | every joint UpperBody holds 1→0, WholeBody →1 |
//!
//! A joint without a track in the skill stays with WholeBody; one without a track in a run or stand clip is at rest in it. After
//! any events, once every transition has ended, the weights are those of the state: what was last of run and stand, and whether
//! a cast has not ended.
//!
//! Whatever is under way when an event comes goes on from its present
//! weights, by choice ([`Interrupt`]): PreAni becomes what was playing, a blend of blends whose shares are kept and whose clips
//! go on; or PreAni becomes the inertialised pose, and the weights of UpperBody keep their speed too. A clip that is still active
//! is never started again by run or stand; it keeps its phase.

use serde::{Deserialize, Serialize};

use super::BuildError;
use crate::anim::{MaskChoice, Region};
use crate::math::easing::Easing;
use crate::message::message;

/// The clips, the split of the body and the events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scenario {
    /// Clip of run events.
    pub run: String,
    /// Clip of stand and stop events.
    pub stand: String,
    /// Clip of cast events.
    pub skill: String,
    /// The skill starts again at its end; otherwise its end is held.
    pub skill_loops: bool,
    /// The upper body; all else is the lower body. Weights between 0 and 1 belong to both.
    pub upper: MaskChoice,
    /// What happens, in any order.
    pub events: Vec<Event>,
    /// Keep the steps of run and stand clips together where both have foot-down markers.
    pub synchronise: bool,
    /// How a transition goes on that an event interrupts.
    pub interrupt: Interrupt,
}

/// How a transition goes on that an event interrupts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interrupt {
    /// From the blend as it is: its shares are kept, its clips go on, and it fades by the event's own curve.
    #[default]
    Captured,
    /// From the pose as it moves: its distance from what follows and the speed of that die away over the transition.
    Inertial,
}

/// Something that happens at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Event {
    /// Seconds, ≥ 0.
    pub time: f64,
    /// What starts or ends.
    pub action: Action,
    /// A clip in place of the scenario's own for this action.
    pub clip: Option<String>,
    /// The state of a drawn tree that is gone to; empty for the tree as it is drawn.
    pub state: Option<String>,
    /// Clip seconds at which its clip is entered, ≥ 0; where run and stand keep in step, that decides instead.
    pub start: f64,
    /// Seconds until the new side has all the weight; 0 is a cut.
    pub trans_time: f64,
    /// The shape of the change.
    pub easing: Easing,
    /// Part of the transition time after which the change is half done, 0…1, both left out: less is sooner. Where a weight
    /// under way is given another target ([`Interrupt::Inertial`]), the change that it sets out with decides instead.
    pub midpoint: f64,
}

/// What an event does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Starts the run clip.
    #[default]
    Run,
    /// Starts the stand clip.
    Stand,
    /// Starts the skill clip.
    Cast,
    /// Stops running; the same as [`Action::Stand`].
    Stop,
    /// Gives what the skill holds back to run or stand.
    End,
    /// Goes to a state of a drawn tree; nothing that a standard tree could do.
    Go,
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            run: String::new(),
            stand: String::new(),
            skill: String::new(),
            skill_loops: false,
            upper: MaskChoice::from_region(Region::UpperBody),
            events: Vec::new(),
            synchronise: false,
            interrupt: Interrupt::default(),
        }
    }
}

impl Default for Event {
    fn default() -> Self {
        Self {
            time: 0.0,
            action: Action::Run,
            clip: None,
            state: None,
            start: 0.0,
            trans_time: 0.2,
            easing: Easing::default(),
            midpoint: Event::MIDDLE,
        }
    }
}

impl Action {
    /// Every action of a standard tree, in the order menus show them.
    pub const ALL: [Self; 5] = [Self::Run, Self::Stand, Self::Cast, Self::Stop, Self::End];

    /// The name used in menus, files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Stand => "stand",
            Self::Cast => "cast",
            Self::Stop => "stop",
            Self::End => "end",
            Self::Go => "go",
        }
    }
}

impl Interrupt {
    /// Every choice, in the order menus show them.
    pub const ALL: [Self; 2] = [Self::Captured, Self::Inertial];

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Captured => "captured",
            Self::Inertial => "inertial",
        }
    }
}

impl Scenario {
    /// The clip that `event` starts; `None` for [`Action::End`].
    pub fn clip_of<'a>(&'a self, event: &'a Event) -> Option<&'a str> {
        let own = match event.action {
            Action::Run => &self.run,
            Action::Stand | Action::Stop => &self.stand,
            Action::Cast => &self.skill,
            Action::End | Action::Go => return None,
        };
        Some(event.clip.as_ref().unwrap_or(own))
    }

    /// The same events without transitions: what a game does that switches clips at once.
    pub(super) fn hard_cut(&self) -> Self {
        let mut cut = self.clone();
        cut.events.iter_mut().for_each(|event| event.trans_time = 0.0);
        cut
    }
}

impl Event {
    /// A change that is half done after half its time.
    pub(super) const MIDDLE: f64 = 0.5;

    /// Refuses times that are no usable numbers, by the name of the action, and what no standard tree can do.
    pub(super) fn check(&self) -> Result<(), BuildError> {
        if self.action == Action::Go {
            return Err(BuildError::NoSuchState { state: self.state.clone().unwrap_or_default() });
        }
        for (what, value) in [
            (message!("setting.blend.time", "time"), self.time),
            (message!("setting.blend.trans_time", "transition time"), self.trans_time),
            (message!("setting.blend.start", "entry into the clip"), self.start),
        ] {
            if !value.is_finite() || value < 0.0 {
                return Err(BuildError::BadNumber { node: self.action.name().into(), what, value });
            }
        }
        if !(self.midpoint > 0.0 && self.midpoint < 1.0) {
            let what = message!(
                "setting.blend.midpoint",
                "part of the time after which a change is half done (between 0 and 1)"
            );
            return Err(BuildError::BadNumber { node: self.action.name().into(), what, value: self.midpoint });
        }
        Ok(())
    }
}
