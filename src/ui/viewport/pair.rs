//! The second of two motions side by side: its half of the view, how it is seen there, its name and the way out.

use egui::{Rect, Sense, Ui, UiBuilder, WidgetInfo, WidgetType, vec2};
use egui_material_icons::icons::{ICON_CLOSE, ICON_HOURGLASS_EMPTY, ICON_LAYERS, ICON_VERTICAL_SPLIT, ICON_WARNING};
use glam::{Affine3A, Vec3};

use super::camera::navigation;
use super::look::linear;
use super::overlays::{self, Title};
use super::scene::SceneCache;
use super::subject::{hidden, metres_per_unit, name, shown_name};
use crate::i18n::{say, tr, tr_with};
use crate::units::Unit;
use crate::{theme, widgets};
use portamento_anim::math::Bounds;
use portamento_render::{Actor, Camera};
use portamento_session::{Command, Pair, PairCommand, Session, Shown};
use portamento_takes::evaluate::{Frame, FrameContent};

/// How the second is looked at.
#[derive(Default)]
pub struct PairView {
    pub(super) cache: SceneCache,
    seen: SecondView,
    /// Whether the second is laid over the first instead of standing beside it.
    pub(crate) is_laid_over: bool,
    /// Where the camera was before there was a second.
    alone: Option<Camera>,
}

/// Where the second is seen: the first's camera turned into its unit, and where both are of very different size into its size.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SecondView {
    /// Units of the second for one of the first.
    units: f32,
    /// The point of the first that is seen where `to` of the second is.
    from: Vec3,
    to: Vec3,
    /// How much larger the second is drawn than it is; 1 where sizes can be compared.
    enlarged: f32,
}

/// Times that one may be larger for both to be seen at one scale; beyond, the smaller would be a dot.
const ALIKE: f32 = 2.5;
/// How much of the first the second covers where it is laid over it.
const LAID_OVER: f32 = 0.42;
/// Between both halves, points.
const GAP: f32 = 2.0;

impl Default for SecondView {
    fn default() -> Self {
        Self { units: 1.0, from: Vec3::ZERO, to: Vec3::ZERO, enlarged: 1.0 }
    }
}

impl SecondView {
    /// Of figures whose boxes at rest are `first` and `second`, with metres per unit of each.
    fn new([first, second]: [(Bounds, f64); 2]) -> Self {
        let metres = |(bounds, unit): (Bounds, f64)| bounds.size().length() * unit as f32;
        let larger = metres(first) / metres(second);
        let units = (first.1 / second.1) as f32;
        // What has no size, or none that is known, is compared as it is.
        if !larger.is_finite() || larger <= 0.0 || (1.0 / ALIKE..=ALIKE).contains(&larger) {
            return Self { units, ..Self::default() };
        }
        Self { units: units / larger, from: first.0.center(), to: second.0.center(), enlarged: larger }
    }

    fn camera(&self, first: &Camera) -> Camera {
        let target = self.to + (first.target - self.from) * self.units;
        Camera { target, distance: first.distance * self.units, ..*first }
    }

    fn in_first(&self, bounds: Bounds) -> Bounds {
        let back = |point: Vec3| self.from + (point - self.to) / self.units;
        Bounds { low: back(bounds.low), high: back(bounds.high) }
    }

    /// From places of the second to those of the first.
    fn to_first(self) -> Affine3A {
        let scale = Affine3A::from_scale(Vec3::splat(1.0 / self.units));
        Affine3A::from_translation(self.from) * scale * Affine3A::from_translation(-self.to)
    }
}

impl PairView {
    /// Whether something of the second is being made ready to be drawn.
    pub(super) fn is_waiting(&self) -> bool {
        self.cache.is_waiting()
    }

    /// Finds how `second` is seen beside what is shown.
    pub(super) fn relate(&mut self, session: &Session, second: &Frame) {
        let metres = second.built.as_ref().map_or(1.0, |built| built.metres_per_unit);
        let Some(first) = session.frame() else { return };
        let figures = [(first, metres_per_unit(session)), (second, metres)];
        self.seen = SecondView::new(figures.map(|(frame, metres)| (frame.character.rest_bounds(), metres)));
    }

    /// A box of the second as it is seen beside the first, in the first's unit.
    pub(super) fn in_first(&self, bounds: Bounds) -> Bounds {
        self.seen.in_first(bounds)
    }

    /// The second as it is drawn over the first: where it would be beside it, in a tone of its own that lets the first be seen.
    pub(crate) fn laid_over(&mut self, session: &Session) -> Option<Actor> {
        let pair = session.pair().filter(|_| self.is_laid_over)?;
        let frame = pair.frame().filter(|frame| frame.content == FrameContent::Posed)?;
        let to_first = self.seen.to_first();
        let [red, green, blue, _] = linear(theme::over_view().target);
        Some(Actor {
            shape: self.cache.shape(&frame.character),
            world: frame.world.iter().map(|place| to_first * *place).collect(),
            morphs: frame.pose.morphs.clone(),
            cloud: None,
            hidden: hidden(session, pair.second()),
            has_shadow: true,
            gives_way: false,
            ghost: Some([red, green, blue, LAID_OVER]),
        })
    }

    /// Whether `pair` can be seen in one picture: what moves vertex by vertex stands beside.
    pub(crate) fn is_one_picture(&self, session: &Session) -> bool {
        let is_posed = |frame: Option<&Frame>| frame.is_none_or(|frame| frame.content == FrameContent::Posed);
        let pair = session.pair().filter(|_| self.is_laid_over);
        pair.is_some_and(|pair| is_posed(pair.frame()) && is_posed(session.frame()))
    }

    /// The camera of the second.
    pub(super) fn camera(&self, first: &Camera) -> Camera {
        self.seen.camera(first)
    }

    /// Keeps where the camera is while there is no second, and puts it back there when there is none any more.
    pub(super) fn keep_camera(&mut self, camera: &mut Camera, is_pair: bool) {
        if is_pair {
            self.alone.get_or_insert(*camera);
        } else {
            *camera = self.alone.take().unwrap_or(*camera);
        }
    }
}

/// The place of the first and, in a pair, that of the second: equally wide to the pixel, so that both are drawn alike.
pub fn parts(ui: &Ui, whole: Rect, is_pair: bool) -> (Rect, Option<Rect>) {
    if !is_pair {
        return (whole, None);
    }
    let scale = ui.pixels_per_point();
    let [left, right] = [whole.min.x, whole.max.x].map(|x| (x * scale).round());
    let half = ((right - left - (GAP * scale).round()) * 0.5).floor();
    let first = whole.with_min_x(left / scale).with_max_x((left + half) / scale);
    (first, Some(whole.with_min_x((right - half) / scale).with_max_x(right / scale)))
}

/// The mouse over the second moves the camera of both.
pub fn pointer_input(ui: &Ui, camera: &mut Camera, place: Rect) {
    let response = ui.interact(place, ui.id().with("view beside"), Sense::click_and_drag());
    let name = tr("pair.view");
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Other, true, &name));
    navigation::turn(ui, &response, camera, place);
}

/// What is shown, in a pair with its length.
pub(super) fn first_title(session: &Session) -> Title {
    match session.pair() {
        None => Title { name: shown_name(session), figures: String::new() },
        // The motion before a stage has a name of its own.
        Some(_) if session.playback.is_before_stage() => titled(shown_name(session), session.frame()),
        Some(pair) => titled(named(session, &session.selection.shown, pair.second()), session.frame()),
    }
}

/// The line on top of the second: the way out, its name, its length and how much larger it is drawn; and why it is not seen, if so.
pub fn bar(ui: &mut Ui, place: Rect, view: &mut PairView, session: &mut Session) {
    let is_one = view.is_one_picture(session);
    let Some(pair) = session.pair() else { return };
    let mut title = titled(named(session, pair.second(), &session.selection.shown), pair.frame());
    if view.seen.enlarged != 1.0 && pair.frame().is_some() {
        title.figures += &format!(" · {}", tr_with("pair.scale", &[("scale", format!("{:.2}", view.seen.enlarged))]));
    }
    if !is_one {
        let gap = Rect::from_min_max(place.min - vec2(GAP, 0.0), place.left_bottom());
        ui.painter().rect_filled(gap, 0.0, theme::of(ui).window);
    }
    ui.scope_builder(UiBuilder::new().max_rect(place), |ui| state(ui, pair));
    overlays::line(ui, place, &title, true, |ui| {
        let (icon, name) = match view.is_laid_over {
            true => (ICON_VERTICAL_SPLIT, "pair.beside"),
            false => (ICON_LAYERS, "pair.lay_over"),
        };
        let response = ui.add(overlays::button(icon.codepoint.to_owned()));
        if widgets::named(response, &tr(name)).on_hover_text(tr(name)).clicked() {
            view.is_laid_over = !view.is_laid_over;
        }
        if is_one {
            // The tone in which it is drawn.
            let (room, _) = ui.allocate_exact_size(vec2(theme::MEDIUM, theme::ROW), Sense::hover());
            ui.painter().circle_filled(room.center(), 4.0, theme::over_view().target);
        }
        let response = ui.add(overlays::button(ICON_CLOSE.codepoint.to_owned()));
        if widgets::named(response, &tr("pair.leave")).on_hover_text(tr("tip.pair_leave")).clicked() {
            session.perform(Command::Pair(PairCommand::Leave));
        }
    });
}

/// What is to be said where the second is not seen.
fn state(ui: &mut Ui, pair: &Pair) {
    match pair.failure() {
        Some(failure) => widgets::empty_over_view(ui, ICON_WARNING, &tr("pair.failed"), &say(failure)),
        None if pair.frame().is_none() => {
            widgets::empty_over_view(ui, ICON_HOURGLASS_EMPTY, &tr("viewport.loading"), &tr("viewport.loading_hint"));
        }
        None => {}
    }
}

/// The name of `shown`, with its file where `other` has the same.
fn named(session: &Session, shown: &Shown, other: &Shown) -> String {
    let own = name(session, shown);
    let Shown::Clip { file, .. } = shown else { return own };
    let path = session.document.file(*file).and_then(|file| file.path.file_name());
    match path.filter(|_| own == name(session, other)) {
        Some(path) => format!("{own} · {}", path.to_string_lossy()),
        None => own,
    }
}

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
    fn figures_of_like_size_are_seen_at_one_scale_whatever_their_units() {
        let camera = Camera { target: Vec3::new(0.1, 0.9, 0.4), distance: 4.0, ..Camera::default() };
        let seen = SecondView::new([(figure(1.8), 1.0), (figure(150.0), 0.01)]);
        let second = seen.camera(&camera);
        assert_eq!(seen.enlarged, 1.0);
        assert!((second.distance - 400.0).abs() < 1e-3 && second.target.abs_diff_eq(camera.target * 100.0, 1e-3));
        assert_eq!((second.yaw, second.pitch), (camera.yaw, camera.pitch));
        let back = seen.in_first(figure(150.0));
        assert!(back.high.abs_diff_eq(figure(1.5).high, 1e-5), "{back:?}");
    }

    #[test]
    fn a_mouse_beside_a_giant_fills_its_half_as_the_giant_does() {
        let seen = SecondView::new([(figure(6.0), 1.0), (figure(8.0), 0.01)]);
        assert!((seen.enlarged - 75.0).abs() < 1e-3, "{seen:?}");
        let back = seen.in_first(figure(8.0));
        assert!(back.low.abs_diff_eq(figure(6.0).low, 1e-4) && back.high.abs_diff_eq(figure(6.0).high, 1e-4));
        let nothing = Bounds::default();
        assert_eq!(SecondView::new([(figure(6.0), 1.0), (nothing, 1.0)]), SecondView::default());
    }

    #[test]
    fn what_is_laid_over_stands_where_it_would_beside() {
        for figures in [[(figure(1.8), 1.0), (figure(150.0), 0.01)], [(figure(6.0), 1.0), (figure(8.0), 0.01)]] {
            let seen = SecondView::new(figures);
            let (to_first, low) = (seen.to_first(), Vec3::new(20.0, 3.0, -7.0));
            let wanted = seen.in_first(Bounds { low, high: low }).low;
            assert!(to_first.transform_point3(low).abs_diff_eq(wanted, 1e-4), "{figures:?}");
        }
    }
}
