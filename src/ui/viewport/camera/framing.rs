//! Automatic fitting of the view to newly shown items.

use egui::Rect;

use crate::viewport::Viewport;
use crate::viewport::camera::navigation;
use crate::viewport::projection::size;
use portamento_anim::math::Bounds;
use portamento_render::Camera;
use portamento_session::{Session, Shown};

/// The item that the view was last fitted to.
#[derive(Debug, Default)]
pub struct Framing {
    framed: Option<Framed>,
    /// The camera after fitting to an item that was only partly built.
    fitted_to_part: Option<Camera>,
}

/// The item that a view was fitted to.
#[derive(Clone, Debug, PartialEq)]
struct Framed {
    shown: Shown,
    in_level: bool,
    /// The second item of a pair.
    second: Option<Shown>,
}

/// Minimum pitch of the camera over a newly shown level, radians. Tuned; no derivation recorded.
const LEVEL_MIN_PITCH: f32 = 0.6;

impl Viewport {
    /// Fits the view to `bounds` (scene units) of a newly shown item, if necessary. A take gets its saved camera instead; other
    /// items may keep the user's view.
    ///
    /// The first character is turned to the camera. Call it in every frame.
    pub(in crate::viewport) fn frame_when_new(&mut self, session: &Session, rect: Rect, bounds: Bounds) {
        let state = session.evaluation.frame_state();
        // The selection is not drawn yet; `bounds` still belong to the previous item.
        if state.shown != session.selection.shown {
            return;
        }
        let in_level = session.frame().is_some_and(|frame| frame.scenery.is_some());
        let second = session.pair().filter(|pair| pair.frame().is_some()).map(|pair| pair.second().clone());
        let framed = Framed { shown: state.shown.clone(), in_level, second };
        if self.framing.framed.as_ref() == Some(&framed) {
            return self.frame_when_whole(state.is_whole, rect, bounds);
        }
        self.pair.store_or_restore_camera(&mut self.camera, session.pair().is_some());
        // A take restores its saved view or is fitted. Other items keep the user's view, unless their size differs much, they
        // are in a level and the last item was not, or they are a pair.
        let length = bounds.size().length();
        let fits = (0.15..6.0).contains(&(self.camera.distance / length.max(1e-6)));
        if in_level {
            self.camera.pitch = self.camera.pitch.max(LEVEL_MIN_PITCH);
        }
        let stays = self.framing.framed.as_ref().is_some_and(|last| last.in_level == in_level);
        let is_another = self.framing.framed.as_ref().is_none_or(|last| last.shown != framed.shown);
        let is_take = is_another && matches!(framed.shown, Shown::Take(_));
        self.framing.fitted_to_part = None;
        if self.framing.framed.is_none() {
            self.camera.yaw += front_yaw(session).unwrap_or(0.0);
        }
        match self.saved_camera.take().filter(|_| is_take) {
            Some(camera) => self.camera = camera,
            None if is_take || !stays || !fits || framed.second.is_some() => {
                navigation::fit(&mut self.camera, bounds, size(rect));
                self.framing.fitted_to_part = Some(self.camera).filter(|_| !state.is_whole);
            }
            None => {}
        }
        self.framing.framed = Some(framed);
    }

    /// Fits the view again when the item is completely built (`is_whole`), unless the user moved the camera meanwhile.
    fn frame_when_whole(&mut self, is_whole: bool, rect: Rect, bounds: Bounds) {
        if is_whole && self.framing.fitted_to_part.take() == Some(self.camera) {
            navigation::fit(&mut self.camera, bounds, size(rect));
        }
    }
}

/// Returns the yaw of the shown character's front in radians from +Z, so that the first character is seen from the front.
/// `None` if no character is shown or its front is unknown.
fn front_yaw(session: &Session) -> Option<f32> {
    let file = session.selection.shown.character(&session.document)?;
    let front = session.document.character(file)?.roles.front?.direction();
    Some(front.x.atan2(front.z) as f32)
}
