//! The viewport: camera, overlays and draggable handles.

mod background;
mod burn_in;
pub(super) mod camera;
pub(super) mod handles;
mod hover_time;
mod image_view;
pub(crate) mod legend;
mod look;
mod overlays;
mod pair;
mod picture;
mod posed_mesh;
mod projection;
mod readout;
pub(super) mod references;
mod rig_question;
mod ruler;
mod scene;
mod sheet_question;
mod small;
mod subject;
mod walk;
mod weight_paint;

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use egui::{Mesh, Rect, Response, Sense, Ui};
use egui_material_icons::icons::{ICON_ACCESSIBILITY_NEW, ICON_BROKEN_IMAGE, ICON_ERROR};
use glam::{DVec3, Vec3};

pub use overlays::Overlays;
pub(crate) use small::SmallView;
pub(crate) use walk::level_view;
pub use walk::scene::stop_name;

use self::camera::framing::Framing;
use self::camera::{bounds, gizmo, navigation};
use self::handles::dynamics;
use self::handles::handle::HandlePart;
use self::handles::handle_drag::{self, HandleDrag};
use self::handles::object;
use self::handles::pose::{self, PoseDrag};
use self::handles::rest::{self, RestDrag};
use self::handles::target::{self, TargetDrag, TargetHandle};
use self::pair::PairView;
use self::projection::size;
pub(crate) use self::subject::metres_per_unit;
use self::walk::scene as walk_scene;
use self::weight_paint::{brush, image_paint, joint_mask, mesh_paint};
use super::drag::DragState;
use super::i18n::{localized, tr};
use super::panels::clips::or_from_library;
use super::shell::shortcuts;
use super::{theme, widgets};
use portamento_base::message::message;
use portamento_render::{Camera, Renderer};
use portamento_session::keymap::KeymapPreset;
use portamento_session::painting::PaintTarget;
use portamento_session::posing::PoseTool;
use portamento_session::{JobKey, Session, Severity, WindowCommand};
use portamento_takes::document::ObstacleBox;
use portamento_takes::evaluate::FrameContent;

/// State of the viewport. None of it belongs to the document. Lengths are in the shown file's unit.
pub struct Viewport {
    /// The camera.
    pub camera: Camera,
    /// The visible overlays.
    pub overlays: Overlays,
    renderer: Option<Arc<Mutex<Renderer>>>,
    /// The reason why OpenGL cannot draw, until it is reported.
    refusal: Option<String>,
    /// Nanoseconds that OpenGL needed for the scene.
    drawing: Arc<AtomicU64>,
    cache: scene::SceneCache,
    target_drag: DragState<TargetDrag>,
    hovered_target: Option<target::TargetHandle>,
    object_drag: DragState<TargetDrag>,
    hovered_object: Option<TargetHandle>,
    handle_drag: DragState<HandleDrag>,
    hovered_handle: Option<HandlePart>,
    rest_drag: DragState<RestDrag>,
    pose_drag: DragState<PoseDrag>,
    hovered_pose: Option<pose::HoveredPart>,
    hovered_ring: Option<usize>,
    image_view: image_view::ImageView,
    mesh_paint: mesh_paint::MeshPaint,
    image_paint: image_paint::ImagePaint,
    walk: walk::WalkTool,
    /// True while a film is recorded; editing aids are hidden.
    pub(super) is_filmed: bool,
    /// The rectangle of the viewport in this frame, if it was drawn.
    pub(super) drawn_rect: Option<Rect>,
    /// The place of the question about the rig in this frame, if one is asked.
    question_rect: Option<Rect>,
    /// Commands to perform in the next frame.
    requests: Vec<WindowCommand>,
    framing: Framing,
    pub(super) pair: PairView,
    small: small::SmallViews,
    pub(super) ruler: ruler::Ruler,
    /// Position of the followed joint in the last picture.
    followed: Option<Vec3>,
    /// The saved camera of the take that is shown next.
    pub(super) saved_camera: Option<Camera>,
}

impl Viewport {
    /// Creates a viewport that looks at the origin. Without OpenGL it shows everything except figures.
    pub fn new(context: &eframe::CreationContext<'_>) -> Self {
        let created = context.gl.clone().map(Renderer::new);
        let (renderer, refusal) = match created {
            Some(Ok(renderer)) => (Some(Arc::new(Mutex::new(renderer))), None),
            Some(Err(words)) => (None, Some(words)),
            None => (None, None),
        };
        Self {
            camera: Camera::default(),
            overlays: Overlays::default(),
            renderer,
            refusal,
            drawing: Arc::default(),
            cache: scene::SceneCache::default(),
            target_drag: DragState::default(),
            hovered_target: None,
            object_drag: DragState::default(),
            hovered_object: None,
            handle_drag: DragState::default(),
            hovered_handle: None,
            rest_drag: DragState::default(),
            pose_drag: DragState::default(),
            hovered_pose: None,
            hovered_ring: None,
            image_view: image_view::ImageView::default(),
            mesh_paint: mesh_paint::MeshPaint::default(),
            image_paint: image_paint::ImagePaint::default(),
            walk: walk::WalkTool::default(),
            is_filmed: false,
            drawn_rect: None,
            question_rect: None,
            requests: Vec::new(),
            framing: Framing::default(),
            pair: PairView::default(),
            small: small::SmallViews::default(),
            ruler: ruler::Ruler::default(),
            followed: None,
            saved_camera: None,
        }
    }

    /// Queues a camera or overlay command for the next frame. While the pointer is over a painted surface, framing the selection
    /// is ignored.
    pub fn request(&mut self, command: WindowCommand) {
        // Over a painted surface, F changes the brush size instead.
        let sizes = self.mesh_paint.is_over() || self.image_paint.is_over();
        if command != WindowCommand::FrameSelection || !sizes {
            self.requests.push(command);
        }
    }

    /// Handles the keys of the active tool: Esc ends the ruler or painting.
    pub fn keys(&mut self, ctx: &egui::Context, session: &mut Session) {
        ruler::keys(ctx, self);
        brush::leave(ctx, &mut session.selection.painting, self.is_dragging());
    }

    /// True if an item is being dragged; keys then belong to the drag.
    pub(super) fn is_dragging(&self) -> bool {
        self.target_drag.is_dragging()
            || self.object_drag.is_dragging()
            || self.handle_drag.is_dragging()
            || self.rest_drag.is_dragging()
            || self.pose_drag.is_dragging()
            || self.mesh_paint.sizing()
            || self.image_paint.sizing()
            || self.walk.is_dragging()
    }

    /// Returns the translated hint about the mouse buttons and keys of the active or hovered tool.
    pub fn hint(&self, session: &Session) -> String {
        if let Some(key) = Some("hint.ruler").filter(|_| self.ruler.is_on).or_else(|| self.walk.hint(session)) {
            return tr(key);
        }
        let has_target = session.frame().is_some_and(|frame| !frame.overlay.targets.is_empty());
        let (surface, content) = (session.canvas().surface(), session.frame().map(|frame| &frame.content));
        let key = match () {
            () if self.target_drag.is_dragging() || self.object_drag.is_dragging() => "hint.dragging",
            () if self.hovered_object.is_some() => "hint.object",
            () if self.hovered_target.is_some() => "hint.target",
            () if self.hovered_handle == Some(HandlePart::Body) && self.handle_drag.is_dragging() => "hint.shaking",
            () if self.hovered_handle == Some(HandlePart::Body) => "hint.live",
            () if self.hovered_handle.is_some() => "hint.collider",
            () if self.hovered_ring.is_some() || self.rest_drag.is_dragging() => "hint.rest",
            () if self.hovered_pose.is_some() || self.pose_drag.is_dragging() => match session.selection.posing.0 {
                PoseTool::Turn => "hint.pose_turn",
                PoseTool::Move => "hint.pose_move",
            },
            () if session.selection.painting.is_on(PaintTarget::Weights) && surface.is_some() => {
                surface.as_ref().map_or("hint.view", |surface| brush::hint(&session.selection.painting, surface))
            }
            () if matches!(content, Some(FrameContent::Image { .. })) => "hint.image",
            () if session.selection.painting.is_on(PaintTarget::JointWeights) => "hint.paint",
            () if session.pair().is_some() => "hint.pair",
            () if has_target => "hint.take",
            () if session.dynamics.is_live() => "hint.live",
            () => view_hint_key(),
        };
        tr(key)
    }

    /// Clears where the viewport and its question were drawn. Call it before the panels are drawn.
    pub(super) fn begin_frame(&mut self) {
        (self.drawn_rect, self.question_rect) = (None, None);
    }

    /// Returns the part of the viewport in this frame that messages may cover, points: above a question. `None` if the viewport
    /// was not drawn.
    pub(super) fn message_room(&self) -> Option<Rect> {
        let room = self.drawn_rect?;
        Some(room.with_max_y(self.question_rect.map_or(room.max.y, |question| question.min.y)))
    }

    /// Handles the mouse and draws the panel: the scene or image, a second item next to it, and all that is written over them.
    /// Performs the queued commands.
    pub fn ui(&mut self, ui: &mut Ui, session: &mut Session) {
        self.say_refusal(session);
        let full_rect = ui.available_rect_before_wrap();
        self.drawn_rect = Some(full_rect);
        let is_one = self.pair.is_one_picture(session);
        let (rect, second_rect) = pair::parts(ui, full_rect, session.pair().is_some() && !is_one);
        let response = ui.interact(rect, ui.id().with("view"), Sense::click_and_drag());
        let name = tr("panel.viewport");
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, &name));
        // A full-size picture covers the background; painting both is slow on software renderers.
        let is_covered = self.renderer.is_some() && second_rect.is_none() && shows_figure(session);
        if !is_covered {
            background(ui, full_rect);
        }
        if self.image_ui(ui, &response, session, rect) {
            ui.advance_cursor_after_rect(full_rect);
            return;
        }
        let Some(bounds) = bounds::shown_bounds(self, session) else {
            return ui.scope(|ui| nothing(ui, session)).inner;
        };
        self.frame_when_new(session, rect, bounds);
        for command in std::mem::take(&mut self.requests) {
            navigation::carry_out(self, session, command, bounds, size(rect));
        }
        self.follow_character(session, rect);
        self.seek_joint(session, rect);
        self.turn_table(ui);
        second_rect.into_iter().for_each(|rect| pair::pointer_input(ui, &mut self.camera, rect));
        self.follow_mouse(ui, &response, session, rect);
        if let Some(frame) = session.frame() {
            self.paint(ui, rect, session, frame);
        }
        second_rect.into_iter().for_each(|rect| self.paint_second(ui, rect, session));
        if self.cache.is_waiting() || self.pair.is_waiting() {
            ui.request_repaint();
        }
        self.write_over(ui, session, rect);
        if self.is_filmed {
            burn_in::paint(ui, [rect, second_rect.unwrap_or(rect)], session);
            ui.advance_cursor_after_rect(full_rect);
            return;
        }
        gizmo::paint(ui, full_rect, &self.camera);
        let (follows, chosen) = (self.follows(session), self.overlays.follow);
        self.overlays.follow = Some(follows);
        overlays::bar(ui, rect, &mut self.overlays, &pair::first_title(session), second_rect.is_none());
        if self.overlays.follow == Some(follows) {
            self.overlays.follow = chosen;
        }
        // In an overlay of both items, the second bar goes under the first.
        let second_bar_rect = is_one.then(|| rect.with_min_y(rect.min.y + theme::ROW + theme::GAP_SMALL));
        second_rect.or(second_bar_rect).into_iter().for_each(|rect| pair::bar(ui, rect, &mut self.pair, session));
        ui.advance_cursor_after_rect(full_rect);
    }

    /// Reports once why the viewport cannot draw.
    fn say_refusal(&mut self, session: &mut Session) {
        if let Some(words) = self.refusal.take() {
            let message = message!(
                "notice.no_gl",
                "The viewport cannot draw: %{reason} Update the graphics driver.",
                reason = words,
            );
            session.notices.add(Severity::Error, message);
        }
    }

    /// Draws names, legends and values over the picture.
    fn write_over(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        if let Some(frame) = session.frame() {
            legend::names(ui, rect, frame, &self.camera, &self.overlays, session.selection.joint);
            legend::objects(ui, rect, &self.camera, objects(session));
            legend::speed(ui, rect, frame, &self.overlays);
        }
        if !self.is_filmed {
            target::numbers(ui, rect, self, session);
        }
        walk_scene::names(ui, rect, self, session);
        if let (Some(frame), Some(weights)) = (session.frame(), session.canvas().joint_weights()) {
            joint_mask::paint(ui, rect, frame, self, &weights);
        }
        mesh_paint::paint(ui, rect, self, session);
        self.question_rect = if self.is_filmed { None } else { rig_question::paint(ui, rect, self, session) };
        rest::paint(&ui.painter_at(rect), rect, self, session);
        if !self.is_filmed {
            pose::paint(&ui.painter_at(rect), rect, self, session);
        }
        if let Some(drag) = self.object_drag.active().or(self.target_drag.active()) {
            target::readout(ui, drag, metres_per_unit(session));
        }
        if let Some(drag) = self.handle_drag.active() {
            handle_drag::readout(ui, drag, session);
        }
        self.walk.readout(ui, session);
        hover_time::readout(ui, rect, self, session);
        ruler::paint(ui, rect, self, session);
        if self.walk.hint(session).is_some() {
            if !self.is_filmed {
                level_view::bar(ui, rect, &mut self.walk.view, &mut session.selection.painting);
            }
            level_view::legend(ui, rect, self, session);
            level_view::answer(ui, rect, self, session);
        }
    }

    /// Handles the mouse over an image take and draws it. Returns true if one is shown, also if it cannot be read.
    fn image_ui(&mut self, ui: &mut Ui, response: &Response, session: &mut Session, rect: Rect) -> bool {
        match session.frame().map(|frame| frame.content.clone()) {
            Some(FrameContent::Image { info, pixels }) => {
                let fits = |command: &WindowCommand| {
                    matches!(command, WindowCommand::FrameAll | WindowCommand::FrameSelection)
                };
                if std::mem::take(&mut self.requests).iter().any(fits) {
                    self.image_view.fit();
                }
                let placement = image_paint::ImagePlacement::new(self.image_view.image_rect(rect, &info), &info);
                let paints = self.image_paint.pointer_input(ui, response, session, placement);
                self.image_view.pointer_input(ui, response, rect, &info, !paints);
                self.image_view.paint(ui, rect, &info, &pixels);
                let placement = image_paint::ImagePlacement::new(self.image_view.image_rect(rect, &info), &info);
                self.image_paint.paint(ui, rect, session, placement);
                if !self.is_filmed {
                    let image_rect = self.image_view.image_rect(rect, &info);
                    self.question_rect = sheet_question::paint(ui, rect, image_rect, &info, session);
                }
                true
            }
            Some(FrameContent::Unreadable(words)) => {
                widgets::empty_over_view(ui, ICON_BROKEN_IMAGE, &tr("viewport.unreadable"), &words);
                true
            }
            _ => false,
        }
    }

    /// Passes the mouse to the first tool that uses it: gizmo, ruler, handles, questions, walks, painting, then the camera.
    /// `rect` is the view.
    fn follow_mouse(&mut self, ui: &mut Ui, response: &Response, session: &mut Session, rect: Rect) {
        let turned = gizmo::pointer_input(ui, self.drawn_rect.unwrap_or(rect), &mut self.camera);
        if !turned && ruler::pointer_input(ui, response, self, session, rect) {
            return;
        }
        if self.ruler.is_on {
            return navigation::turn(ui, response, &mut self.camera, rect);
        }
        let handle_used = !self.target_drag.is_dragging()
            && (object::pointer_input(ui, response, self, session, rect)
                || dynamics::pointer_input(ui, response, self, session, rect)
                || rest::pointer_input(ui, response, self, session, rect)
                || pose::pointer_input(ui, response, self, session, rect));
        if !handle_used {
            target::pointer_input(ui, response, self, session, rect);
        }
        let is_free = !turned && !handle_used && !self.target_drag.is_dragging() && !self.handle_drag.is_dragging();
        let answers = is_free && rig_question::pointer_input(ui, response, self, session, rect);
        let is_free = is_free && !answers;
        let walks = is_free && walk::pointer_input(ui, response, self, session, rect);
        let paints = is_free
            && !walks
            && (joint_mask::pointer_input(ui, response, self, session, rect)
                || mesh_paint::pointer_input(ui, response, self, session, rect));
        let hovers = is_free && !walks && !paints && hover_time::pointer_input(ui, response, self, session, rect);
        if is_free && !walks && !paints && !hovers && !self.target_drag.is_dragging() && !self.handle_drag.is_dragging()
        {
            navigation::mouse(ui, response, self, session, rect);
        }
    }
}

/// Returns the locale key of the hint for the preferred mouse navigation.
fn view_hint_key() -> &'static str {
    match shortcuts::mouse() {
        KeymapPreset::Industry => "hint.view",
        KeymapPreset::Blender => "hint.view_blender",
        KeymapPreset::Maya => "hint.view_maya",
        KeymapPreset::Unreal => "hint.view_unreal",
    }
}

/// True if the frame shows a scene instead of an image.
fn shows_figure(session: &Session) -> bool {
    let content = session.frame().map(|frame| &frame.content);
    content.is_some_and(|content| !matches!(content, FrameContent::Image { .. } | FrameContent::Unreadable(_)))
}

/// Draws the background gradient, also without OpenGL.
fn background(ui: &Ui, rect: Rect) {
    let mut mesh = Mesh::default();
    mesh.colored_vertex(rect.left_top(), theme::view().sky);
    mesh.colored_vertex(rect.right_top(), theme::view().sky);
    mesh.colored_vertex(rect.left_bottom(), theme::view().floor);
    mesh.colored_vertex(rect.right_bottom(), theme::view().floor);
    mesh.add_triangle(0, 1, 2);
    mesh.add_triangle(2, 1, 3);
    ui.painter_at(rect).add(mesh);
}

/// Draws the reason why there is no picture: a failure, running jobs, or nothing to show.
fn nothing(ui: &mut Ui, session: &Session) {
    if let Some(failure) = session.evaluation.failure() {
        return widgets::empty_over_view(ui, ICON_ERROR, &tr("viewport.failed"), &localized(failure));
    }
    let loading = session.jobs.running().any(|job| job.key != JobKey::MeasureClips);
    let (title, hint) =
        if loading { ("viewport.loading", "viewport.loading_hint") } else { ("viewport.empty", "viewport.empty_hint") };
    let hint = or_from_library(session, hint);
    widgets::empty_over_view(ui, ICON_ACCESSIBILITY_NEW, &tr(title), &hint);
}

/// Returns the boxes of scene objects with the centres of their bases, metres.
fn boxes(session: &Session) -> Vec<(DVec3, ObstacleBox)> {
    session.document.objects.iter().filter_map(|object| Some((object.position, object.obstacle?))).collect()
}

/// Returns names and positions of mesh-less scene objects in the shown file's unit. In a level, only those with a box.
fn objects(session: &Session) -> impl Iterator<Item = (&str, Vec3)> {
    let metres = metres_per_unit(session);
    let in_level = session.frame().is_some_and(|frame| frame.scenery.is_some());
    session
        .document
        .objects
        .iter()
        .filter(move |object| object.mesh.is_none() && (!in_level || object.obstacle.is_some()))
        .map(move |object| (&*object.name, (object.position / metres).as_vec3()))
}
