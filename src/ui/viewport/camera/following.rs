//! Automatic camera motion: following the character, turning around it, and moving to a reported joint.

use egui::{Rect, Ui};
use glam::Vec3;

use crate::viewport::projection::see;
use crate::viewport::{Viewport, walk};
use portamento_session::Session;

/// Angular speed of the turntable in radians per second: one turn in twelve seconds.
const TURNTABLE_SPEED: f32 = std::f32::consts::TAU / 12.0;

/// Margin of the view in points in which a joint counts as hardly visible. Tuned; no derivation recorded.
const VIEW_MARGIN: f32 = 24.0;

impl Viewport {
    /// True if the camera follows the character: the user's choice, or else whether the take is a walk.
    pub(in crate::viewport) fn follows(&self, session: &Session) -> bool {
        let walks = || session.frame().is_some_and(|frame| walk::walked(frame).is_some());
        self.overlays.follow.unwrap_or_else(walks)
    }

    /// Turns the camera by the time since the last frame if the turntable is on and no mouse button is down.
    pub(in crate::viewport) fn turn_table(&mut self, ui: &Ui) {
        if self.overlays.turntable && !ui.input(|input| input.pointer.any_down()) {
            self.camera.yaw += TURNTABLE_SPEED * ui.input(|input| input.unstable_dt).min(0.1);
            ui.request_repaint();
        }
    }

    /// Moves the camera by the character's displacement since the last picture, if it is followed and plays or is recorded. If the character is
    /// outside `rect` at first, centres it.
    pub(in crate::viewport) fn follow_character(&mut self, session: &Session, rect: Rect) {
        let playing = self.follows(session) && (session.playback.playing || self.is_filmed);
        let built = session.frame().filter(|_| playing).and_then(|frame| Some((frame, frame.built.as_ref()?)));
        let joint =
            |built: &portamento_takes::evaluate::BuiltTake| built.roles.hips.or(built.root.map(|root| root.joint));
        let now = built.and_then(|(frame, built)| frame.world.get(joint(built)?)).map(|at| Vec3::from(at.translation));
        match (now, self.followed) {
            (Some(now), Some(last)) => self.camera.target += now - last,
            (Some(now), None) if !see(&self.camera, rect, now).is_some_and(|at| rect.contains(at)) => {
                self.camera.target = now;
            }
            _ => {}
        }
        self.followed = now;
    }

    /// Centres the joint selected by a measurement or warning if it is outside the view `rect`. Waits until its frame is drawn,
    /// and then clears the request.
    pub(in crate::viewport) fn seek_joint(&mut self, session: &mut Session, rect: Rect) {
        let Some(frame) = session.frame().filter(|_| session.selection.is_joint_sought) else { return };
        let is_drawn = (frame.time - session.playback.time).abs() < 1e-6;
        if !is_drawn && !session.playback.playing {
            return;
        }
        let joint = session.selection.joint.and_then(|joint| frame.world.get(joint));
        if let Some(at) = joint.map(|transform| Vec3::from(transform.translation))
            && is_drawn
            && !see(&self.camera, rect, at).is_some_and(|seen| rect.shrink(VIEW_MARGIN).contains(seen))
        {
            self.camera.target = at;
        }
        session.selection.is_joint_sought = false;
    }
}
