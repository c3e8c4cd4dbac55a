//! The inputs of one display update.

use crate::dynamics::live;
use crate::{DynamicsMode, DynamicsPreview, Jobs, Notices, OpenDocument, Playback, Selection};
use portamento_dynamics::Settings;
use portamento_takes::document::{StageId, Take};
use portamento_takes::evaluate::Frame;

/// The inputs of one display update: shown item, playhead and outputs for messages.
pub(crate) struct Moment<'a> {
    pub opened: OpenDocument<'a>,
    pub selection: &'a Selection,
    pub playback: &'a mut Playback,
    pub dynamics: &'a mut DynamicsPreview,
    pub jobs: &'a mut Jobs,
    pub notices: &'a mut Notices,
    /// Duration of the motion next to the shown one, seconds.
    pub companion_seconds: f64,
    /// Time since the last update, seconds.
    pub passed: f64,
}

/// The take to build for display.
#[derive(Debug)]
pub(super) struct Wanted {
    /// The take, up to the displayed stage.
    pub take: Take,
    pub view: View,
}

/// The way a take is displayed.
#[derive(Debug)]
pub(super) enum View {
    /// The input of the open stage.
    BeforeStage,
    /// With live simulation.
    Live,
    /// The exported result, or the take without dynamic bones; contains the bones to draw.
    Recorded(Option<Settings>),
}

impl Moment<'_> {
    /// Sets the playback length to `seconds`, or to that of the motion next to it if longer, and the rate to `fps`.
    pub(super) fn show_seconds(&mut self, seconds: f64, fps: f64) {
        self.playback.show(seconds.max(self.companion_seconds), fps);
    }

    /// Returns what has to be built to display `take`. `frame` is the frame displayed last, which converts the playhead to
    /// the input time of a stage.
    pub(super) fn wanted(&self, take: &Take, frame: Option<&Frame>) -> Wanted {
        if let Some(take) = self.before_open_stage(take) {
            return Wanted { take, view: View::BeforeStage };
        }
        let swinging = self.swinging(take, frame).filter(|settings| !settings.chains.is_empty());
        let before = || live::before_dynamics(take, self.selection.stage);
        match (swinging, self.dynamics.mode) {
            (Some(_), DynamicsMode::Live) => Wanted { take: before(), view: View::Live },
            (Some(_), DynamicsMode::Off) => Wanted { take: before(), view: View::Recorded(None) },
            (swinging, _) => Wanted { take: take.clone(), view: View::Recorded(swinging) },
        }
    }

    /// Returns the settings of the selected or first dynamics stage at the playhead, without muted parts; `None` if `take` has
    /// no such stage.
    pub(super) fn swinging(&self, take: &Take, frame: Option<&Frame>) -> Option<Settings> {
        let stage = take.dynamics_stage(self.selection.stage)?;
        let stage = stage.at(seconds_into(frame, take, stage.id, self.playback.time));
        stage.kind.as_dynamics().map(|dynamics| dynamics.active_settings())
    }

    /// Returns `take` before the open stage, if the input of that stage is displayed. `None` if no stage is open or its
    /// result is displayed.
    fn before_open_stage(&self, take: &Take) -> Option<Take> {
        let open = self.selection.open_stage(self.opened.document).filter(|_| self.playback.is_before_stage())?;
        take.stages.iter().position(|stage| stage.id == open).map(|index| take.before_stage(index))
    }
}

/// Converts `time` of the output of `take`, shown in `frame`, to the input time of `stage`, seconds. Returns `time` if
/// nothing is built.
pub(super) fn seconds_into(frame: Option<&Frame>, take: &Take, stage: StageId, time: f64) -> f64 {
    let built = frame.and_then(|frame| frame.built.as_ref());
    built.map_or(time, |built| built.input_time(take.active_stages_before(stage), time))
}
