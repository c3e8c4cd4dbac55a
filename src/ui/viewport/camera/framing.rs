//! When the view is fitted to what is shown.

use egui::Rect;

use crate::viewport::Viewport;
use crate::viewport::camera::navigation;
use crate::viewport::projection::size;
use portamento_anim::math::Bounds;
use portamento_render::Camera;
use portamento_session::{Session, Shown};

/// What was framed last.
#[derive(Debug, Default)]
pub struct Framing {
    framed: Option<Framed>,
    /// The view as it was fitted to something of which only a part was built.
    fitted_to_part: Option<Camera>,
}

/// What a view was fitted to.
#[derive(Clone, Debug, PartialEq)]
struct Framed {
    shown: Shown,
    in_level: bool,
    /// What stood beside it.
    beside: Option<Shown>,
}

/// How steeply a level is looked down on at least when it is first shown, radians.
const ABOVE: f32 = 0.6;

impl Viewport {
    /// Fits the view to what is shown since now, where it should be.
    pub(in crate::viewport) fn frame_when_new(&mut self, session: &Session, rect: Rect, bounds: Bounds) {
        let state = session.evaluation.frame_state();
        // What was chosen a moment ago is not seen yet: the bounds are those of what was shown before.
        if state.shown != session.selection.shown {
            return;
        }
        let in_level = session.frame().is_some_and(|frame| frame.scenery.is_some());
        let beside = session.pair().filter(|pair| pair.frame().is_some()).map(|pair| pair.second().clone());
        let framed = Framed { shown: state.shown.clone(), in_level, beside };
        if self.framing.framed.as_ref() == Some(&framed) {
            return self.frame_when_whole(state.is_whole, rect, bounds);
        }
        self.pair.keep_camera(&mut self.camera, session.pair().is_some());
        // A take comes with the view it was left in, or fills it; other things leave the view to the user, unless they are of
        // another size, lie in a level and what was shown did not, or stand side by side.
        let length = bounds.size().length();
        let fits = (0.15..6.0).contains(&(self.camera.distance / length.max(1e-6)));
        if in_level {
            self.camera.pitch = self.camera.pitch.max(ABOVE);
        }
        let stays = self.framing.framed.as_ref().is_some_and(|last| last.in_level == in_level);
        let is_another = self.framing.framed.as_ref().is_none_or(|last| last.shown != framed.shown);
        let is_take = is_another && matches!(framed.shown, Shown::Take(_));
        self.framing.fitted_to_part = None;
        if self.framing.framed.is_none() {
            self.camera.yaw += front_yaw(session).unwrap_or(0.0);
        }
        match self.recalled.take().filter(|_| is_take) {
            Some(camera) => self.camera = camera,
            None if is_take || !stays || !fits || framed.beside.is_some() => {
                navigation::fit(&mut self.camera, bounds, size(rect));
                self.framing.fitted_to_part = Some(self.camera).filter(|_| !state.is_whole);
            }
            None => {}
        }
        self.framing.framed = Some(framed);
    }

    /// Fits the view once more when all is built of what was fitted while a part was, unless the user has moved it meanwhile.
    fn frame_when_whole(&mut self, is_whole: bool, rect: Rect, bounds: Bounds) {
        if is_whole && self.framing.fitted_to_part.take() == Some(self.camera) {
            navigation::fit(&mut self.camera, bounds, size(rect));
        }
    }
}

/// The turn about the vertical from +Z to where the shown character looks, radians: who is seen first is not seen from behind.
fn front_yaw(session: &Session) -> Option<f32> {
    let file = session.selection.shown.character(&session.document)?;
    let front = session.document.character(file)?.roles.front?.direction();
    Some(front.x.atan2(front.z) as f32)
}
