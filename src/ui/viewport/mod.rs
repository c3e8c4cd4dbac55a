//! The character: camera, overlays, and the target that can be dragged.

mod camera;
mod gizmo;
mod input;
mod overlays;
mod paint;
mod target;

use egui::{Rect, Sense, Ui};
use glam::Vec3;

pub use camera::Camera;
pub use overlays::Overlays;

use super::i18n::tr;
use super::{theme, widgets};
use crate::session::{Session, Shown, WindowCommand};

/// The viewport's own state; none of it belongs to the document.
#[derive(Debug)]
pub struct Viewport {
    /// Where it looks from.
    pub camera: Camera,
    /// What is drawn over the character.
    pub overlays: Overlays,
    drag: Option<target::Drag>,
    hovers_target: bool,
    requests: Vec<WindowCommand>,
    framed: Option<Shown>,
}

impl Viewport {
    /// A viewport that looks at the origin.
    pub fn new(_: &eframe::CreationContext<'_>) -> Self {
        Self {
            camera: Camera::default(),
            overlays: Overlays::default(),
            drag: None,
            hovers_target: false,
            requests: Vec::new(),
            framed: None,
        }
    }

    /// A command for camera or overlays, carried out on the next frame.
    pub fn request(&mut self, command: WindowCommand) {
        self.requests.push(command);
    }

    /// Whether the target is being dragged; keys then belong to the drag.
    pub fn is_dragging(&self) -> bool {
        self.drag.is_some()
    }

    /// What the mouse and which keys do now.
    pub fn hint(&self, session: &Session) -> String {
        let has_target = session.frame().is_some_and(|frame| frame.overlay.target.is_some());
        let key = match () {
            () if self.drag.is_some() => "hint.dragging",
            () if self.hovers_target => "hint.target",
            () if has_target => "hint.take",
            () => "hint.view",
        };
        tr(key)
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, session: &mut Session) {
        let rect = ui.available_rect_before_wrap();
        let response = ui.interact(rect, ui.id().with("view"), Sense::click_and_drag());
        let name = tr("panel.viewport");
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, &name));
        paint::ground(ui, rect, &self.camera, self.overlays.grid);
        let Some(bounds) = bounds(session) else {
            return ui.scope(|ui| nothing(ui, session)).inner;
        };
        self.frame_when_new(session, bounds);
        for command in std::mem::take(&mut self.requests) {
            input::carry_out(self, session, command, bounds);
        }
        let scene = paint::Scene { rect, camera: self.camera, metres: metres(session) };
        target::drag(ui, &response, self, session, &scene);
        let turned = gizmo::ui(ui, rect, &mut self.camera);
        if self.drag.is_none() && !turned {
            input::mouse(ui, &response, self, session, rect);
        }
        let scene = paint::Scene { camera: self.camera, ..scene };
        if let Some(frame) = session.frame() {
            paint::frame(ui, &scene, frame, &self.overlays, session.selection.joint);
            target::paint(ui, &scene, frame, self.drag.as_ref(), self.hovers_target);
        }
        overlays::bar(ui, rect, &mut self.overlays, &shown_name(session));
        paint::legend(ui, rect, session, &self.overlays);
        ui.advance_cursor_after_rect(rect);
    }

    fn frame_when_new(&mut self, session: &Session, (low, high): (Vec3, Vec3)) {
        let shown = &session.selection.shown;
        if self.framed.as_ref() != Some(shown) {
            // The first thing shown decides the view; later ones leave it to the user.
            if self.framed.is_none() {
                self.camera.show(low, high);
            }
            self.framed = Some(shown.clone());
        }
    }
}

fn nothing(ui: &mut Ui, session: &Session) {
    ui.visuals_mut().override_text_color = Some(theme::OVER_VIEW);
    let loading = session.jobs.running().next().is_some();
    let (title, hint) = if loading { ("viewport.loading", "viewport.loading_hint") } else { ("viewport.empty", "viewport.empty_hint") };
    widgets::empty(ui, egui_material_icons::icons::ICON_ACCESSIBILITY_NEW, &tr(title), &tr(hint));
}

/// Metres per unit of the shown file.
fn metres(session: &Session) -> f32 {
    let file = match &session.selection.shown {
        Shown::Nothing => None,
        Shown::File(id) => Some(*id),
        Shown::Clip { character, .. } => Some(*character),
        Shown::Take(id) => session.document.take(*id).map(|take| take.character),
    };
    file.and_then(|id| session.document.file(id)).map_or(1.0, |file| file.metres_per_unit as f32)
}

fn shown_name(session: &Session) -> String {
    match &session.selection.shown {
        Shown::Nothing => String::new(),
        Shown::File(id) => session.library.get(*id).map(|loaded| loaded.model.name.clone()).unwrap_or_default(),
        Shown::Clip { clip, .. } => clip.clone(),
        Shown::Take(id) => session.document.take(*id).map(|take| take.name.clone()).unwrap_or_default(),
    }
}

/// The box around character, trails and target, metres.
fn bounds(session: &Session) -> Option<(Vec3, Vec3)> {
    let frame = session.frame()?;
    let metres = metres(session);
    let joints = frame.world.iter().map(|place| Vec3::from(place.translation));
    let trails = frame.overlay.trails.iter().flat_map(|trail| trail.points.iter().map(|point| point.as_vec3()));
    let ghosts = frame.overlay.ghosts.iter().flat_map(|ghost| ghost.world.iter().map(|place| Vec3::from(place.translation)));
    let target = frame.overlay.target.map(|target| target.as_vec3());
    let all = joints.chain(trails).chain(ghosts).chain(target).filter(|point| point.is_finite());
    let (low, high) = all.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    low.is_finite().then_some((low * metres, high * metres))
}

/// A rectangle in the upper right corner of the viewport, for the axes.
fn corner(rect: Rect, size: f32) -> Rect {
    let min = egui::pos2(rect.max.x - size - theme::MEDIUM, rect.min.y + theme::MEDIUM);
    Rect::from_min_size(min, egui::Vec2::splat(size))
}
