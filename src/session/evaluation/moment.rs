//! What is to be seen, and when.

use crate::document::{StageId, Take};
use crate::evaluate::Frame;
use crate::session::dynamics::live;
use crate::session::{DynamicsMode, DynamicsPreview, Jobs, Notices, OpenDocument, Playback, Selection};
use crate::systems::dynamics::Settings;

/// What is looked at, and when; what is said about it.
pub(in crate::session) struct Moment<'a> {
    pub opened: OpenDocument<'a>,
    pub selection: &'a Selection,
    pub playback: &'a mut Playback,
    pub dynamics: &'a mut DynamicsPreview,
    pub jobs: &'a mut Jobs,
    pub notices: &'a mut Notices,
    /// How long what stands beside what is shown is, seconds.
    pub seconds_beside: f64,
    /// Since the last picture, seconds.
    pub passed: f64,
}

/// What is to be built to show a take.
#[derive(Debug)]
pub(super) struct Wanted {
    /// The take as far as it is shown.
    pub take: Take,
    pub view: View,
}

/// How a take is looked at.
#[derive(Debug)]
pub(super) enum View {
    /// Before the open stage.
    BeforeStage,
    /// With bones that swing now.
    Live,
    /// As it is exported, or without its dynamic bones; those that are drawn.
    Recorded(Option<Settings>),
}

impl Moment<'_> {
    /// Lets the playhead go through `seconds`, or through what stands beside where that is longer.
    pub(super) fn show_seconds(&mut self, seconds: f64, fps: f64) {
        self.playback.show(seconds.max(self.seconds_beside), fps);
    }

    /// What is to be built of `take`, which is shown, after `frame`.
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

    /// The settings of the dynamic bones at hand as they are at the playhead, without what is muted.
    pub(super) fn swinging(&self, take: &Take, frame: Option<&Frame>) -> Option<Settings> {
        let stage = take.dynamics_stage(self.selection.stage)?;
        let stage = stage.at(seconds_into(frame, take, stage.id, self.playback.time));
        stage.kind.as_dynamics().map(|dynamics| dynamics.active_settings())
    }

    /// `take` up to the open stage, while that is what is looked at.
    fn before_open_stage(&self, take: &Take) -> Option<Take> {
        let open = self.selection.open_stage(self.opened.document).filter(|_| self.playback.is_before_stage())?;
        take.stages.iter().position(|stage| stage.id == open).map(|index| take.before_stage(index))
    }
}

/// Second of what comes into `stage` of `take`, which `frame` shows, at `time` of what comes out.
pub(super) fn seconds_into(frame: Option<&Frame>, take: &Take, stage: StageId, time: f64) -> f64 {
    let built = frame.and_then(|frame| frame.built.as_ref());
    built.map_or(time, |built| built.seconds_in(take.index_before(stage), time))
}
