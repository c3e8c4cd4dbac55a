//! Building and drawing of the viewport's scene.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use egui::{Rect, Ui};

use super::handles::{dynamics, object, target};
use super::look::Look;
use super::projection::size;
use super::subject::{before_stage, hidden, metres_per_unit, pole};
use super::walk::scene as walk_scene;
use super::{Viewport, boxes, objects, references, scene};
use crate::drag::DragState;
use portamento_render::{Area, Camera, Scene};
use portamento_session::Session;
use portamento_takes::evaluate::Frame;

impl Viewport {
    /// Draws the scene of the shown item in `rect`, over everything drawn so far.
    pub(super) fn paint(&mut self, ui: &Ui, rect: Rect, session: &Session, frame: &Frame) {
        let look = Look {
            selected: session.selection.joint,
            hovered: self.hovered_part(),
            chosen_target: target::target_with_arrows(session, frame.overlay.targets.len()),
            hover_time: session.playback.hover_time(),
            ..self.look(ui, rect, metres_per_unit(session))
        };
        let shown = &session.selection.shown;
        let subject = scene::Subject {
            handles: &dynamics::shown_handles(self, session, frame),
            hovered_handle: self.handle_drag.active().map(|drag| drag.subject.part()).or(self.hovered_handle),
            collider: session.selection.collider,
            hidden: hidden(session, shown),
            objects: objects(session).map(|(_, at)| at).collect(),
            object: object::positions(session).iter().map(|at| at.as_vec3()).collect(),
            boxes: boxes(session),
            references: references::visible_references(session, look.metres),
            pole: pole(session, shown),
            weights: self.mesh_paint.colors(session),
            level_view: self.walk.view,
            before_stage: self.overlays.before_stage.then(|| before_stage(session)).flatten(),
            onion_skins: self.overlays.onion_skins(frame),
            walk: walk_scene::Marks::from_session(session, &self.walk),
            laid_over: self.pair.laid_over(session),
            ..scene::Subject::from_frame(frame)
        };
        let scene = scene::build(&mut self.cache, &subject, &look);
        self.draw(ui, rect, scene, self.camera);
    }

    /// Draws the second item of a pair in `rect`, without editing aids. Does nothing until it is built.
    pub(super) fn paint_second(&mut self, ui: &Ui, rect: Rect, session: &Session) {
        let Some(pair) = session.pair() else { return };
        let Some((frame, built)) = pair.frame().and_then(|frame| Some((frame, frame.built.as_ref()?))) else { return };
        let camera = self.pair.camera(&self.camera);
        let look = Look { camera, ..self.look(ui, rect, built.metres_per_unit) };
        let subject = scene::Subject {
            hidden: hidden(session, pair.second()),
            references: references::visible_references(session, look.metres),
            boxes: boxes(session),
            pole: pole(session, pair.second()),
            level_view: self.walk.view,
            ..scene::Subject::from_frame(frame)
        };
        let scene = scene::build(&mut self.pair.cache, &subject, &look);
        self.draw(ui, rect, scene, camera);
    }

    /// Returns the target or object handle that is dragged or hovered.
    fn hovered_part(&self) -> Option<target::TargetHandle> {
        let dragged = |drag: &DragState<target::TargetDrag>| drag.active().map(|drag| drag.subject.handle());
        dragged(&self.object_drag).or(dragged(&self.target_drag)).or(self.hovered_object).or(self.hovered_target)
    }

    /// Returns the view settings for `rect` without selection and highlights. `metres` is the length of a scene unit.
    pub(super) fn look(&self, ui: &Ui, rect: Rect, metres: f64) -> Look {
        Look {
            camera: self.camera,
            overlays: self.overlays,
            has_handles: !self.is_filmed,
            size: size(rect),
            pixels_per_point: ui.pixels_per_point(),
            selected: None,
            hovered: None,
            chosen_target: None,
            metres,
            hover_time: None,
        }
    }

    /// Returns the time that OpenGL needed for the scene since the last call, and resets it.
    pub(crate) fn take_drawing(&self) -> Duration {
        Duration::from_nanos(self.drawing.swap(0, Ordering::Relaxed))
    }

    /// Queues the drawing of `scene` in `rect` until the window is drawn. Does nothing without OpenGL.
    pub(super) fn draw(&self, ui: &Ui, rect: Rect, scene: Scene, camera: Camera) {
        let Some(renderer) = self.renderer.clone() else { return };
        let (scene, drawing) = (Mutex::new(scene), self.drawing.clone());
        let draw = eframe::egui_glow::CallbackFn::new(move |info, _| {
            let (Ok(mut renderer), Ok(scene)) = (renderer.lock(), scene.lock()) else { return };
            let begun = Instant::now();
            renderer.paint(&scene, &camera, &area(&info));
            drawing.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
        });
        ui.painter_at(rect).add(egui::PaintCallback { rect, callback: Arc::new(draw) });
    }
}

/// Returns view and clip rectangle (left, bottom, width and height in pixels from the lower left), and the size of the window.
fn area(info: &egui::PaintCallbackInfo) -> Area {
    let part =
        |part: egui::epaint::ViewportInPixels| [part.left_px, part.from_bottom_px, part.width_px, part.height_px];
    let [width, height] = info.screen_size_px;
    Area { view: part(info.viewport_in_pixels()), clip: part(info.clip_rect_in_pixels()), window: [width, height] }
}
