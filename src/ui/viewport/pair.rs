//! View of a pair: the second item's half of the view or its overlay, its camera and its bar.

use egui::{Rect, Sense, Ui, UiBuilder, WidgetInfo, WidgetType, vec2};
use egui_material_icons::icons::{ICON_CLOSE, ICON_HOURGLASS_EMPTY, ICON_LAYERS, ICON_VERTICAL_SPLIT, ICON_WARNING};
use glam::{Affine3A, Vec3};

use super::camera::navigation;
use super::look::linear;
use super::overlays::{self, Title};
use super::scene::SceneCache;
use super::subject::{hidden, metres_per_unit, name, shown_name};
use crate::i18n::{localized, tr, tr_with};
use crate::units::Unit;
use crate::{theme, widgets};
use portamento_anim::math::Bounds;
use portamento_render::{Actor, Camera};
use portamento_session::{Command, Pair, PairCommand, Session, Shown};
use portamento_takes::evaluate::{Frame, FrameContent};

/// View state of the second item of a pair.
#[derive(Default)]
pub struct PairView {
    pub(super) cache: SceneCache,
    seen: SecondView,
    /// True if the second item is drawn over the first instead of next to it.
    pub(crate) is_laid_over: bool,
    /// The camera before the pair was opened.
    single_camera: Option<Camera>,
}

/// Transform from the first item's view to the second's: converts units, and sizes if they differ much.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SecondView {
    /// Units of the second file per unit of the first.
    units: f32,
    /// The point of the first item that coincides with `to` of the second.
    from: Vec3,
    to: Vec3,
    /// Magnification of the second item; 1 if the sizes are comparable.
    magnification: f32,
}

/// Largest size ratio at which both items share a scale. Beyond it the smaller one would be a dot. Tuned; no derivation
/// recorded.
const COMMON_SCALE_MAX_RATIO: f32 = 2.5;
/// Opacity of the second item when it is drawn over the first. Tuned; no derivation recorded.
const OVERLAY_OPACITY: f32 = 0.42;
/// Gap between both halves, points.
const GAP: f32 = 2.0;

impl Default for SecondView {
    fn default() -> Self {
        Self { units: 1.0, from: Vec3::ZERO, to: Vec3::ZERO, magnification: 1.0 }
    }
}

impl SecondView {
    /// Computes the transform from the rest bounds of both figures, in their file units, and the metres per unit.
    fn new([first, second]: [(Bounds, f64); 2]) -> Self {
        let metres = |(bounds, unit): (Bounds, f64)| bounds.size().length() * unit as f32;
        let larger = metres(first) / metres(second);
        let units = (first.1 / second.1) as f32;
        // Without a finite size, no magnification is possible.
        if !larger.is_finite()
            || larger <= 0.0
            || (1.0 / COMMON_SCALE_MAX_RATIO..=COMMON_SCALE_MAX_RATIO).contains(&larger)
        {
            return Self { units, ..Self::default() };
        }
        Self { units: units / larger, from: first.0.center(), to: second.0.center(), magnification: larger }
    }

    /// Returns the camera that sees the second item, in its file's unit, as `first` sees the first one.
    fn camera(&self, first: &Camera) -> Camera {
        let target = self.to + (first.target - self.from) * self.units;
        Camera { target, distance: first.distance * self.units, ..*first }
    }

    /// Converts a box from the second item's space to the first's, each in its file's unit.
    fn in_first(&self, bounds: Bounds) -> Bounds {
        let back = |point: Vec3| self.from + (point - self.to) / self.units;
        Bounds { low: back(bounds.low), high: back(bounds.high) }
    }

    /// Returns the transform from the second item's space to the first's, each in its file's unit.
    fn to_first(self) -> Affine3A {
        let scale = Affine3A::from_scale(Vec3::splat(1.0 / self.units));
        Affine3A::from_translation(self.from) * scale * Affine3A::from_translation(-self.to)
    }
}

impl PairView {
    /// True if something of the second item is still being prepared for drawing.
    pub(super) fn is_waiting(&self) -> bool {
        self.cache.is_waiting()
    }

    /// Updates the transform between the shown item and the second one, whose frame is `second`. It depends on their units and
    /// rest bounds, not on their poses.
    pub(super) fn update_transform(&mut self, session: &Session, second: &Frame) {
        let metres = second.built.as_ref().map_or(1.0, |built| built.metres_per_unit);
        let Some(first) = session.frame() else { return };
        let figures = [(first, metres_per_unit(session)), (second, metres)];
        self.seen = SecondView::new(figures.map(|(frame, metres)| (frame.character.rest_bounds(), metres)));
    }

    /// Converts a box of the second item to the first item's space.
    pub(super) fn in_first(&self, bounds: Bounds) -> Bounds {
        self.seen.in_first(bounds)
    }

    /// Returns the second item as a translucent actor in the first item's space. `None` if it is not drawn over the first or has
    /// no pose.
    pub(crate) fn laid_over(&mut self, session: &Session) -> Option<Actor> {
        let pair = session.pair().filter(|_| self.is_laid_over)?;
        let frame = pair.frame().filter(|frame| frame.content == FrameContent::Posed)?;
        let to_first = self.seen.to_first();
        let [red, green, blue, _] = linear(theme::over_view().target);
        Some(Actor {
            shape: self.cache.shape(&frame.character),
            world: frame.world.iter().map(|transform| to_first * *transform).collect(),
            morphs: frame.pose.morphs.clone(),
            cloud: None,
            hidden: hidden(session, pair.second()),
            has_shadow: true,
            fades_in_front: false,
            ghost: Some([red, green, blue, OVERLAY_OPACITY]),
        })
    }

    /// True if the pair is drawn in one picture. Vertex-animated items are always drawn next to each other.
    pub(crate) fn is_one_picture(&self, session: &Session) -> bool {
        let is_posed = |frame: Option<&Frame>| frame.is_none_or(|frame| frame.content == FrameContent::Posed);
        let pair = session.pair().filter(|_| self.is_laid_over);
        pair.is_some_and(|pair| is_posed(pair.frame()) && is_posed(session.frame()))
    }

    /// Returns the camera of the second item, in its file's unit, for the camera of the first item.
    pub(super) fn camera(&self, first: &Camera) -> Camera {
        self.seen.camera(first)
    }

    /// Stores `camera` when a pair opens, and restores it when the pair closes. `is_pair` is true while a pair is open.
    pub(super) fn store_or_restore_camera(&mut self, camera: &mut Camera, is_pair: bool) {
        if is_pair {
            self.single_camera.get_or_insert(*camera);
        } else {
            *camera = self.single_camera.take().unwrap_or(*camera);
        }
    }
}

/// Returns the rectangles of the first and, for a pair, the second item. Both halves of a pair have the same width in pixels, so
/// that both are drawn identically.
pub fn parts(ui: &Ui, view: Rect, is_pair: bool) -> (Rect, Option<Rect>) {
    if !is_pair {
        return (view, None);
    }
    let scale = ui.pixels_per_point();
    let [left, right] = [view.min.x, view.max.x].map(|x| (x * scale).round());
    let half = ((right - left - (GAP * scale).round()) * 0.5).floor();
    let first = view.with_min_x(left / scale).with_max_x((left + half) / scale);
    (first, Some(view.with_min_x((right - half) / scale).with_max_x(right / scale)))
}

/// Handles the mouse over the second half; it moves the camera of both.
pub fn pointer_input(ui: &Ui, camera: &mut Camera, rect: Rect) {
    let response = ui.interact(rect, ui.id().with("view beside"), Sense::click_and_drag());
    let name = tr("pair.view");
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Other, true, &name));
    navigation::turn(ui, &response, camera, rect);
}

/// Returns the title of the shown item; in a pair with its duration, and the file name if both items have one name.
pub(super) fn first_title(session: &Session) -> Title {
    match session.pair() {
        None => Title { name: shown_name(session), figures: String::new() },
        // The motion before a stage has a separate title.
        Some(_) if session.playback.is_before_stage() => titled(shown_name(session), session.frame()),
        Some(pair) => titled(named(session, &session.selection.shown, pair.second()), session.frame()),
    }
}

/// Draws the bar of the second item: overlay and close buttons, name, duration and magnification. Draws the reason below if the
/// item is not visible. Does nothing without a pair.
pub fn bar(ui: &mut Ui, rect: Rect, view: &mut PairView, session: &mut Session) {
    let is_one = view.is_one_picture(session);
    let Some(pair) = session.pair() else { return };
    let mut title = titled(named(session, pair.second(), &session.selection.shown), pair.frame());
    if view.seen.magnification != 1.0 && pair.frame().is_some() {
        title.figures +=
            &format!(" · {}", tr_with("pair.scale", &[("scale", format!("{:.2}", view.seen.magnification))]));
    }
    if !is_one {
        let gap = Rect::from_min_max(rect.min - vec2(GAP, 0.0), rect.left_bottom());
        ui.painter().rect_filled(gap, 0.0, theme::of(ui).window);
    }
    ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| state(ui, pair));
    overlays::line(ui, rect, &title, true, |ui| {
        let (icon, name) = match view.is_laid_over {
            true => (ICON_VERTICAL_SPLIT, "pair.beside"),
            false => (ICON_LAYERS, "pair.lay_over"),
        };
        let response = ui.add(overlays::button(icon.codepoint.to_owned()));
        if widgets::named(response, &tr(name)).on_hover_text(tr(name)).clicked() {
            view.is_laid_over = !view.is_laid_over;
        }
        if is_one {
            // The colour of the second item.
            let (room, _) = ui.allocate_exact_size(vec2(theme::GAP_MEDIUM, theme::ROW), Sense::hover());
            ui.painter().circle_filled(room.center(), 4.0, theme::over_view().target);
        }
        let response = ui.add(overlays::button(ICON_CLOSE.codepoint.to_owned()));
        if widgets::named(response, &tr("pair.leave")).on_hover_text(tr("tip.pair_leave")).clicked() {
            session.perform(Command::Pair(PairCommand::Leave));
        }
    });
}

/// Draws the reason why the second item is not visible.
fn state(ui: &mut Ui, pair: &Pair) {
    match pair.failure() {
        Some(failure) => widgets::empty_over_view(ui, ICON_WARNING, &tr("pair.failed"), &localized(failure)),
        None if pair.frame().is_none() => {
            widgets::empty_over_view(ui, ICON_HOURGLASS_EMPTY, &tr("viewport.loading"), &tr("viewport.loading_hint"));
        }
        None => {}
    }
}

/// Returns the name of `shown`, with its file name if `other` has the same name.
fn named(session: &Session, shown: &Shown, other: &Shown) -> String {
    let own = name(session, shown);
    let Shown::Clip { file, .. } = shown else { return own };
    let path = session.document.file(*file).and_then(|file| file.path.file_name());
    match path.filter(|_| own == name(session, other)) {
        Some(path) => format!("{own} · {}", path.to_string_lossy()),
        None => own,
    }
}

/// Returns a title with `name` and the duration of `frame`'s clip, if it is built.
fn titled(name: String, frame: Option<&Frame>) -> Title {
    let built = frame.and_then(|frame| frame.built.as_ref());
    Title {
        name,
        figures: built.map(|built| format!(" · {}", Unit::Seconds.text(built.clip.duration, 2))).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(height: f32) -> Bounds {
        Bounds { low: Vec3::new(-0.2, 0.0, -0.2) * height, high: Vec3::new(0.2, 1.0, 0.2) * height }
    }

    #[test]
    fn figures_of_similar_size_share_a_scale_whatever_their_units() {
        let camera = Camera { target: Vec3::new(0.1, 0.9, 0.4), distance: 4.0, ..Camera::default() };
        let seen = SecondView::new([(figure(1.8), 1.0), (figure(150.0), 0.01)]);
        let second = seen.camera(&camera);
        assert_eq!(seen.magnification, 1.0);
        assert!((second.distance - 400.0).abs() < 1e-3 && second.target.abs_diff_eq(camera.target * 100.0, 1e-3));
        assert_eq!((second.yaw, second.pitch), (camera.yaw, camera.pitch));
        let back = seen.in_first(figure(150.0));
        assert!(back.high.abs_diff_eq(figure(1.5).high, 1e-5), "{back:?}");
    }

    #[test]
    fn a_mouse_is_magnified_to_the_size_of_a_giant_next_to_it() {
        let seen = SecondView::new([(figure(6.0), 1.0), (figure(8.0), 0.01)]);
        assert!((seen.magnification - 75.0).abs() < 1e-3, "{seen:?}");
        let back = seen.in_first(figure(8.0));
        assert!(back.low.abs_diff_eq(figure(6.0).low, 1e-4) && back.high.abs_diff_eq(figure(6.0).high, 1e-4));
        let nothing = Bounds::default();
        assert_eq!(SecondView::new([(figure(6.0), 1.0), (nothing, 1.0)]), SecondView::default());
    }

    #[test]
    fn an_overlaid_item_has_the_position_it_has_side_by_side() {
        for figures in [[(figure(1.8), 1.0), (figure(150.0), 0.01)], [(figure(6.0), 1.0), (figure(8.0), 0.01)]] {
            let seen = SecondView::new(figures);
            let (to_first, low) = (seen.to_first(), Vec3::new(20.0, 3.0, -7.0));
            let wanted = seen.in_first(Bounds { low, high: low }).low;
            assert!(to_first.transform_point3(low).abs_diff_eq(wanted, 1e-4), "{figures:?}");
        }
    }
}
