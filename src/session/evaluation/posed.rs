//! A built take as displayed at one time.

use std::sync::Arc;

use super::Moment;
use crate::{Selection, Shown};
use portamento_dynamics::{DynamicsRig, Settings};
use portamento_takes::document::StageId;
use portamento_takes::evaluate::frame::{self, FrameBuffers};
use portamento_takes::evaluate::overlay::Overlay;
use portamento_takes::evaluate::{BuiltTake, Frame};

/// The inputs of a displayed frame.
#[derive(Debug)]
pub(super) struct Posed {
    pub shown: Shown,
    pub built: Arc<BuiltTake>,
    /// Time of the playhead, seconds.
    pub time: f64,
    /// The selected stage.
    stage: Option<StageId>,
    overlay: Arc<Overlay>,
    rig: Option<ShownRig>,
    /// True if the mesh is shown at rest, because cloth pins are painted.
    is_at_rest: bool,
}

/// The displayed dynamic bones and their settings.
#[derive(Debug)]
struct ShownRig {
    settings: Settings,
    rig: DynamicsRig,
}

impl Posed {
    /// Prepares `built` at `time`, in seconds, with the dynamic bones of these settings. Reuses overlay and rig of `last`,
    /// which must show the same take, stage and view.
    pub fn after(
        last: Option<Self>,
        built: Arc<BuiltTake>,
        dynamics: Option<Settings>,
        time: f64,
        moment: &Moment,
    ) -> Self {
        let selection = moment.selection;
        let (overlay, rig) = match last {
            Some(last) => (last.overlay, last.rig),
            None => (built.overlay(selection.stage_index(moment.opened.document)), None),
        };
        Self {
            shown: selection.shown.clone(),
            rig: rig_of(rig, dynamics, &built),
            built,
            time,
            stage: selection.stage,
            overlay,
            is_at_rest: selection.painting.is_on_pins(),
        }
    }

    /// Builds the frame, reusing the buffers of the previous one.
    pub fn frame(&self, before: Option<Frame>) -> Frame {
        let buffers = before.map_or_else(FrameBuffers::default, FrameBuffers::from);
        let mut frame = frame::next_frame(buffers, &self.built, &self.overlay, self.time);
        if let Some(ShownRig { rig, .. }) = &self.rig {
            let skeleton = &self.built.character.model.skeleton;
            frame.add_dynamics(rig, &self.built.source.pose_at(skeleton, self.time));
        }
        if self.is_at_rest {
            frame.show_rest();
        }
        frame
    }

    /// True if it shows `built` with the current `selection`.
    pub fn is_of(&self, built: &Arc<BuiltTake>, selection: &Selection) -> bool {
        Arc::ptr_eq(&self.built, built)
            && self.shown == selection.shown
            && self.stage == selection.stage
            && self.is_at_rest == selection.painting.is_on_pins()
    }

    /// Returns the settings of the displayed dynamic bones. `None` if none are drawn.
    pub fn settings(&self) -> Option<&Settings> {
        self.rig.as_ref().map(|shown| &shown.settings)
    }
}

/// Returns the rig for `dynamics`, reusing `known` if the settings are equal. `None` without `dynamics`, or if the
/// settings are invalid, which the build reports.
fn rig_of(known: Option<ShownRig>, dynamics: Option<Settings>, built: &BuiltTake) -> Option<ShownRig> {
    let settings = dynamics?;
    if let Some(known) = known.filter(|known| known.settings == settings) {
        return Some(known);
    }
    let rig = DynamicsRig::new(&built.character.model.skeleton, &settings, built.metres_per_unit).ok()?;
    Some(ShownRig { settings, rig })
}
