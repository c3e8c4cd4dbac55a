//! Small views of motions that go at one time and are seen alike, so that they can be compared at a glance.

use std::f32::consts::FRAC_PI_2;
use std::sync::Arc;

use egui::{Rect, Ui};
use glam::Vec3;

use super::camera::navigation;
use super::look::Look;
use super::overlays::Overlays;
use super::projection::size;
use super::{Viewport, scene};
use crate::document::{Asset, Loaded};
use crate::evaluate::{Overlay, frame_at};
use crate::math::Bounds;
use crate::render::Camera;
use crate::session::variants::Motion;

/// How small views look at all motions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::ui) struct SmallView {
    /// In metres.
    camera: Camera,
    /// Whether it goes along with each figure.
    follows: bool,
}

/// What small views keep from one picture to the next: what is drawn of each character.
#[derive(Default)]
pub(super) struct SmallViews {
    drawn: Vec<(Asset<Loaded>, scene::SceneCache)>,
}

/// Times that a way may be longer than the figures are high to be seen whole.
const LONG: f32 = 8.0;
/// Turn from the exact side, and how steeply the ground is looked down on, radians.
const TURNED: f32 = 0.25;
const ABOVE: f32 = 0.18;

impl SmallView {
    /// From the side of what moves within `reaches`, metres, in views of the size of `rect`; `None` without any. Where some
    /// go far, each is followed.
    pub fn of(reaches: impl IntoIterator<Item = Bounds>, rect: Rect) -> Option<Self> {
        let all = Bounds::around(reaches.into_iter().flat_map(|reach| [reach.low, reach.high]))?;
        let Vec3 { x, y: height, z } = all.size();
        // From where the longer axis leads to the right.
        let side = if x > z { 0.0 } else { -FRAC_PI_2 };
        let mut camera = Camera { yaw: side + TURNED, pitch: ABOVE, ..Camera::default() };
        let follows = x.max(z) > LONG * height;
        let around = Vec3::splat(0.5 * height);
        let middle = all.center();
        let seen = if follows { Bounds { low: middle - around, high: middle + around } } else { all };
        navigation::fit(&mut camera, seen, size(rect));
        Some(Self { camera, follows })
    }

    /// The camera for a figure whose joints are within `figure`, metres, in its own unit.
    fn camera(&self, figure: Option<Bounds>, metres: f32) -> Camera {
        let followed = figure.filter(|_| self.follows).map(Bounds::center);
        let target = followed.map_or(self.camera.target, |at| Vec3::new(at.x, self.camera.target.y, at.z));
        Camera { target: target / metres, distance: self.camera.distance / metres, ..self.camera }
    }
}

impl Viewport {
    /// Puts `motion` at `time` (seconds) into `rect` of the window, as `view` sees it; once it is over it stands still, a loop goes on.
    pub(in crate::ui) fn small(&mut self, ui: &Ui, rect: Rect, motion: &Motion, view: &SmallView, time: f64) {
        let (built, metres) = (&motion.built, motion.built.metres_per_unit);
        let frame = frame_at(built, &Arc::new(Overlay::default()), time);
        let joints = frame.world.iter().map(|place| Vec3::from(place.translation) * metres as f32);
        let camera = view.camera(Bounds::around(joints), metres as f32);
        let look = Look { camera, overlays: Overlays::default(), has_handles: false, ..self.look(ui, rect, metres) };
        let cache = self.small.of(&frame.character);
        let scene = scene::build(cache, &scene::Subject::from_frame(&frame), &look);
        self.draw(ui, rect, scene, camera);
    }

    /// Forgets what small views have drawn.
    pub(in crate::ui) fn leave_small(&mut self) {
        self.small.drawn.clear();
    }
}

impl SmallViews {
    fn of(&mut self, character: &Asset<Loaded>) -> &mut scene::SceneCache {
        let known = self.drawn.iter().position(|(known, _)| known == character);
        let at = known.unwrap_or_else(|| {
            self.drawn.push((character.clone(), scene::SceneCache::default()));
            self.drawn.len() - 1
        });
        &mut self.drawn[at].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(far: f32) -> Bounds {
        Bounds { low: Vec3::new(-0.4, 0.0, -0.4), high: Vec3::new(0.4, 1.8, far) }
    }

    fn rect() -> Rect {
        Rect::from_min_size(egui::Pos2::ZERO, egui::Vec2::new(187.0, 96.0))
    }

    #[test]
    fn all_motions_are_seen_whole_and_farther_ones_end_farther_on_in_their_views() {
        let view = SmallView::of([reach(3.0), reach(7.0)], rect()).unwrap();
        let camera = view.camera(None, 1.0);
        let seen = |far: f32| camera.project(Vec3::new(0.0, 0.9, far), size(rect())).unwrap().x;
        let ends = [0.0, 3.0, 7.0].map(seen);
        assert!(ends[2] - ends[0] > 1.8 * (ends[1] - ends[0]) && ends[1] > ends[0], "{ends:?}");
        for corner in reach(7.0).corners() {
            let at = camera.project(corner, size(rect())).unwrap();
            assert!(at.cmpge(glam::Vec2::ZERO).all() && at.cmple(size(rect())).all(), "{at}");
        }
        // The same in a file of centimetres.
        let centimetres = view.camera(None, 0.01);
        let same = centimetres.project(Vec3::new(0.0, 90.0, 700.0), size(rect())).unwrap();
        assert!((same.x - ends[2]).abs() < 1e-2, "{same} {ends:?}");
    }

    #[test]
    fn who_goes_far_is_followed_and_stays_in_the_middle() {
        let view = SmallView::of([reach(60.0)], rect()).unwrap();
        let there = Bounds { low: Vec3::new(-0.4, 0.0, 49.6), high: Vec3::new(0.4, 1.8, 50.4) };
        let camera = view.camera(Some(there), 1.0);
        let height = |y: f32| camera.project(Vec3::new(0.0, y, 50.0), size(rect())).unwrap();
        let (feet, head) = (height(0.0), height(1.8));
        assert!((head.x - 93.5).abs() < 4.0 && feet.y - head.y > 40.0, "{feet} {head}");
        assert_eq!(SmallView::of([], rect()), None);
    }
}
