//! The standard tree, driven by events: `Root` ← `UpperBody` (the skill), `WholeBody` ← `PreAni`, `CurAni`.
//!
//! Changes over the transition time of each event:
//!
//! | event | change |
//! |---|---|
//! | first run or stand | CurAni is set, weight 1 at once |
//! | run, stand, stop | CurAni becomes PreAni with its phase; PreAni 1→0, CurAni 0→1 |
//! | cast while running | the skill enters UpperBody; upper-body joints UpperBody 0→1, WholeBody 1→0 |
//! | cast while standing | the same over all joints |
//! | stop or stand while casting | lower-body joints UpperBody 0→1, WholeBody 1→0; PreAni to CurAni in WholeBody |
//! | run while casting | lower-body joints return to WholeBody |
//! | end | all joints under UpperBody: UpperBody 1→0, WholeBody →1 |
//!
//! A cast without an end event before the next cast ends with its clip, as by an end event at that time with the transition of
//! the cast. It does not end if the skill loops or holds.
//!
//! A joint without a track in the skill stays with WholeBody. A joint without a track in a run or stand clip is at rest while
//! that clip plays. Once all transitions have ended, the weights depend on two facts only: the last of run and stand, and whether
//! a cast is active.
//!
//! An event that interrupts a transition continues from the current weights, in one of two ways ([`Interrupt`]). `Captured`:
//! PreAni becomes the current blend, with fixed shares and running clips. `Inertial`: PreAni becomes the inertialised pose, and
//! the weights of UpperBody keep their speed. Run and stand never restart a clip that is still active; it keeps its phase.

use serde::{Deserialize, Serialize};

use crate::BuildError;
use portamento_anim::math::easing::Easing;
use portamento_anim::{MaskChoice, Region};
use portamento_base::message::message;

/// The clips, the body mask and the events of the standard tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scenario {
    /// Clip of run events.
    pub run: String,
    /// Clip of stand and stop events.
    pub stand: String,
    /// Clip of cast events.
    pub skill: String,
    /// True if the skill loops until an end event.
    pub skill_loops: bool,
    /// True if a cast without an end event stays at the skill's last frame; otherwise it ends with its clip. A skill of a
    /// single pose always stays.
    pub skill_holds: bool,
    /// The upper-body mask; the rest is the lower body. A joint with a weight between 0 and 1 belongs to both.
    pub upper: MaskChoice,
    /// The events, in any order.
    pub events: Vec<Event>,
    /// True to synchronise run and stand clips by their foot-down markers, if both have them.
    pub synchronise: bool,
    /// Treatment of a transition that an event interrupts.
    pub interrupt: Interrupt,
}

/// Treatment of a transition that an event interrupts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interrupt {
    /// Continues from the current blend: its shares stay fixed, its clips keep playing, and it fades out by the event's own
    /// curve.
    #[default]
    Captured,
    /// Continues from the moving pose: its offset from the next clip and the speed of that offset decay over the transition.
    Inertial,
}

/// An event with its position in [`Scenario::events`].
#[derive(Clone, Debug, PartialEq)]
pub struct TimedEvent {
    /// Index of the event, or of the cast that ends.
    pub index: usize,
    /// The event.
    pub event: Event,
}

/// An action at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Event {
    /// Seconds, ≥ 0.
    pub time: f64,
    /// The action: what starts or ends.
    pub action: Action,
    /// Clip that replaces the scenario's default clip for this action.
    pub clip: Option<String>,
    /// Target state in a drawn tree; empty for the default state.
    pub state: Option<String>,
    /// Clip time in seconds at which the clip starts, ≥ 0. Ignored where foot synchronisation sets the start.
    pub start: f64,
    /// Transition time in seconds until the new side has full weight; 0 is a hard cut.
    pub trans_time: f64,
    /// Easing curve of the transition.
    pub easing: Easing,
    /// Fraction of the transition time at which the change is half done, exclusive 0…1; smaller is sooner. Ignored when a running
    /// weight is redirected under [`Interrupt::Inertial`]: there the initial speed sets the shape.
    pub midpoint: f64,
}

/// The action of an event.
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
    /// Stops running; equivalent to [`Action::Stand`].
    Stop,
    /// Ends the skill: its joints return to run or stand.
    End,
    /// Switches to a state of a drawn tree. Not allowed in a standard tree.
    Go,
}

impl Default for Scenario {
    /// Returns a scenario without clips and events, whose skills play once on the upper body.
    fn default() -> Self {
        Self {
            run: String::new(),
            stand: String::new(),
            skill: String::new(),
            skill_loops: false,
            skill_holds: false,
            upper: MaskChoice::from_region(Region::UpperBody),
            events: Vec::new(),
            synchronise: false,
            interrupt: Interrupt::default(),
        }
    }
}

impl Default for Event {
    /// Returns an event that starts the run clip at once, with a transition of 0.2 s.
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
    /// Every action of a standard tree, in menu order.
    pub const ALL: [Self; 5] = [Self::Run, Self::Stand, Self::Cast, Self::Stop, Self::End];

    /// Returns the name used in menus, files and on the command line.
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

portamento_base::named!(Interrupt { Captured: "captured", Inertial: "inertial" });

impl Scenario {
    /// Returns the clip that `event` starts; `None` for [`Action::End`] and [`Action::Go`].
    pub fn clip_of<'a>(&'a self, event: &'a Event) -> Option<&'a str> {
        let default_clip = match event.action {
            Action::Run => &self.run,
            Action::Stand | Action::Stop => &self.stand,
            Action::Cast => &self.skill,
            Action::End | Action::Go => return None,
        };
        Some(event.clip.as_ref().unwrap_or(default_clip))
    }

    /// Returns the events in the order of time, with the end of every cast that ends with its clip. `duration_of` returns the
    /// duration of a clip in seconds. The user's order is kept for events at the same time.
    pub fn timed_events(&self, duration_of: impl Fn(&str) -> Option<f64>) -> Vec<TimedEvent> {
        let indexed = self.events.iter().cloned().enumerate();
        let mut events: Vec<TimedEvent> = indexed.map(|(index, event)| TimedEvent { index, event }).collect();
        let by_time = |a: &TimedEvent, b: &TimedEvent| a.event.time.total_cmp(&b.event.time);
        events.sort_by(by_time);
        if self.skill_loops || self.skill_holds {
            return events;
        }
        let ends: Vec<TimedEvent> = events
            .iter()
            .enumerate()
            .filter(|(_, cast)| cast.event.action == Action::Cast)
            .filter_map(|(position, TimedEvent { index, event: cast })| {
                let duration = duration_of(self.clip_of(cast)?).filter(|duration| *duration > 0.0)?;
                let time = cast.time + (duration - cast.start).max(0.0);
                let mut later = events[position + 1..].iter().map(|timed| &timed.event);
                let next = later.find(|event| matches!(event.action, Action::Cast | Action::End));
                let ends_before = next.is_none_or(|next| next.action == Action::Cast && next.time > time);
                let event = Event { time, action: Action::End, clip: None, start: 0.0, ..cast.clone() };
                ends_before.then_some(TimedEvent { index: *index, event })
            })
            .collect();
        events.extend(ends);
        events.sort_by(by_time);
        events
    }

    /// Returns the same scenario with all transition times set to 0.
    pub(crate) fn hard_cut(&self) -> Self {
        let mut cut = self.clone();
        cut.events.iter_mut().for_each(|event| event.trans_time = 0.0);
        cut
    }
}

impl Event {
    /// Midpoint of a symmetric transition: half done after half its time.
    pub(crate) const MIDDLE: f64 = 0.5;

    /// Returns `Err` if a time is negative or not finite, the midpoint is not within 0…1, or the action is [`Action::Go`].
    pub(crate) fn check(&self) -> Result<(), BuildError> {
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
            let what = message!("setting.blend.midpoint", "midpoint (between 0 and 1)");
            return Err(BuildError::BadNumber { node: self.action.name().into(), what, value: self.midpoint });
        }
        Ok(())
    }
}
