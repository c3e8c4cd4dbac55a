//! The camera by itself: with the character, and round what it looks at.

use egui::{Rect, Ui};
use glam::Vec3;

use crate::viewport::projection::see;
use crate::viewport::{Viewport, walk};
use portamento_session::Session;

/// How fast the turntable turns, radians per second: once in twelve.
const TURNTABLE: f32 = std::f32::consts::TAU / 12.0;

/// What is nearer to the edge of the view is hardly seen, points.
const EDGE: f32 = 24.0;

impl Viewport {
    /// Whether the camera goes with the character: as chosen, else with who walks.
    pub(in crate::viewport) fn follows(&self, session: &Session) -> bool {
        let walks = || session.frame().is_some_and(|frame| walk::walked(frame).is_some());
        self.overlays.follow.unwrap_or_else(walks)
    }

    /// Goes on round what is looked at, unless the camera is being moved.
    pub(in crate::viewport) fn turn_table(&mut self, ui: &Ui) {
        if self.overlays.turntable && !ui.input(|input| input.pointer.any_down()) {
            self.camera.yaw += TURNTABLE * ui.input(|input| input.unstable_dt).min(0.1);
            ui.request_repaint();
        }
    }

    /// Moves the camera as far as the character went since the last picture; to the character where it was out of sight.
    pub(in crate::viewport) fn follow_character(&mut self, session: &Session, rect: Rect) {
        let playing = self.follows(session) && session.playback.playing;
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

    /// Goes to the joint that a figure or warning tells of, where it is out of sight in the frame that it was put to.
    pub(in crate::viewport) fn seek_joint(&mut self, session: &mut Session, rect: Rect) {
        let Some(frame) = session.frame().filter(|_| session.selection.is_joint_sought) else { return };
        let is_drawn = (frame.time - session.playback.time).abs() < 1e-6;
        if !is_drawn && !session.playback.playing {
            return;
        }
        let joint = session.selection.joint.and_then(|joint| frame.world.get(joint));
        if let Some(at) = joint.map(|place| Vec3::from(place.translation))
            && is_drawn
            && !see(&self.camera, rect, at).is_some_and(|seen| rect.shrink(EDGE).contains(seen))
        {
            self.camera.target = at;
        }
        session.selection.is_joint_sought = false;
    }
}
