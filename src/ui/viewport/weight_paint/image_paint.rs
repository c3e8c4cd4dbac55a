//! Painting fades on an image: the same brush as on a mesh, the weights as a tint over the picture.

use egui::{Color32, ColorImage, Painter, Pos2, Rect, Response, TextureHandle, TextureOptions, Ui, Vec2};

use crate::geometry::weight_paint::{self, Brush, BrushMode};
use crate::math::WeightMap;
use crate::media::ImageInfo;
use crate::session::Session;
use crate::session::painting::{Painting, Tool};
use crate::session::surface::Surface;
use crate::ui::drag::DragState;
use crate::ui::theme;
use crate::ui::viewport::weight_paint::brush::{self, SPACING, Tinted};

/// The stroke under way, and the weights as they were drawn last.
#[derive(Default)]
pub struct ImagePaint {
    spot: Option<Spot>,
    last_dab: Option<Pos2>,
    line_from: Option<Pos2>,
    drag: DragState<WeightMap>,
    sizing: bool,
    drawn: Option<(Tinted, TextureHandle)>,
}

/// Where the brush is.
#[derive(Clone, Copy, Debug)]
struct Spot {
    at: Pos2,
    value: f32,
}

/// Where an image of this size lies on screen.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// On screen.
    pub rect: Rect,
    /// Pixels across and down.
    pub size: [usize; 2],
}

/// How much of the picture the tint covers.
const COVER: f32 = 0.7;
/// Most texels of the tint along a side.
const LARGEST: usize = 1024;

impl Place {
    /// The image of `info` in `rect`.
    pub fn new(rect: Rect, info: &ImageInfo) -> Self {
        Self { rect, size: [info.width, info.height].map(|it| it as usize) }
    }

    /// Points of the screen per pixel.
    fn scale(&self) -> f32 {
        self.rect.height() / self.size[1].max(1) as f32
    }

    /// Pixels from the upper left corner.
    fn pixel(&self, at: Pos2) -> glam::Vec2 {
        let part = (at - self.rect.min) / self.scale();
        glam::Vec2::new(part.x, part.y)
    }

    fn unit(&self, at: Pos2) -> Option<usize> {
        let at = self.pixel(at);
        let inside = at.x >= 0.0 && at.y >= 0.0 && at.x < self.size[0] as f32 && at.y < self.size[1] as f32;
        inside.then(|| at.y as usize * self.size[0] + at.x as usize)
    }
}

impl ImagePaint {
    /// Whether the brush is on the image.
    pub fn is_over(&self) -> bool {
        self.spot.is_some()
    }

    /// Whether plain keys belong to the brush.
    pub fn sizing(&self) -> bool {
        self.sizing || self.drag.is_held()
    }

    /// Follows the brush; answers whether it holds the mouse.
    pub fn follow(&mut self, ui: &Ui, response: &Response, session: &mut Session, place: Place) -> bool {
        (self.spot, self.sizing) = (None, false);
        let Some(surface) = session.surface().filter(|_| session.selection.painting.on) else { return false };
        let Some(weights) = Tinted::of(session, surface.units()) else { return false };
        let Painting { pixels, brush, .. } = &mut session.selection.painting;
        self.sizing = brush::sized(ui, response, pixels, Some(&mut brush.strength), 1.0 / place.scale());
        let pointer = ui
            .input(|input| input.pointer.interact_pos())
            .filter(|_| response.hovered() || response.is_pointer_button_down_on());
        let Some(at) = pointer else { return self.sizing };
        self.spot = place.unit(at).map(|unit| Spot { at, value: weights.at(unit) });
        if self.sizing {
            return true;
        }
        // A stroke that leaves the image stays a stroke; one that begins beside it moves the image.
        let Some(stroke) = brush::stroke(&mut self.drag, ui, response, session, self.spot.is_some()) else {
            (self.last_dab, self.line_from) = (None, None);
            return self.drag.is_held();
        };
        match session.selection.painting.tool {
            Tool::Brush => self.stroke(session, &surface, place, (at, stroke)),
            Tool::Gradient => {
                let from = *self.line_from.get_or_insert(at);
                if from != at {
                    let [from, to] = [from, at].map(|at| place.pixel(at).extend(0.0));
                    session.grade(&surface.points(), from, to);
                }
            }
        }
        ui.request_repaint();
        true
    }

    fn stroke(&mut self, session: &mut Session, surface: &Surface, place: Place, (at, stroke): (Pos2, BrushMode)) {
        let painting = session.selection.painting.clone();
        let dabs = brush::along(self.last_dab, at, painting.pixels * place.scale() * SPACING);
        let Some(&last) = dabs.last() else { return };
        let Some(mut weights) = session.weights(surface.units()) else { return };
        dabs.iter().for_each(|&at| dab(&mut weights, surface, place.pixel(at), &painting, stroke));
        self.last_dab = Some(last);
        session.paint(weights);
    }

    /// The weights over the image, the brush, the value under it, and the legend.
    pub fn paint(&mut self, ui: &Ui, rect: Rect, session: &Session, place: Place) {
        let [width, height] = place.size;
        let Some(weights) = Tinted::of(session, width * height).filter(|_| session.surface().is_some()) else { return };
        let painting = &session.selection.painting;
        let painter = ui.painter_at(rect);
        let texture = self.drawn(ui, weights, place);
        let whole = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
        painter.image(texture.id(), place.rect, whole, Color32::WHITE.gamma_multiply(COVER));
        if let Some(spot) = self.spot {
            ui.set_cursor_icon(egui::CursorIcon::Crosshair);
            match (painting.tool, self.line_from) {
                (Tool::Brush, _) => rings(&painter, spot.at, painting, place),
                (Tool::Gradient, Some(from)) => brush::line(&painter, [from, spot.at]),
                (Tool::Gradient, None) => {}
            }
            brush::value(&painter, spot.at, spot.value);
        }
        brush::legend(&painter, rect, painting);
    }

    fn drawn(&mut self, ui: &Ui, weights: Tinted, place: Place) -> TextureHandle {
        if let Some((_, texture)) = self.drawn.as_ref().filter(|(known, _)| *known == weights) {
            return texture.clone();
        }
        let (image, options) = (thinned(&weights, place.size), TextureOptions::LINEAR);
        let texture = match self.drawn.take() {
            Some((_, mut texture)) => {
                texture.set(image, options);
                texture
            }
            None => ui.ctx().load_texture("weights", image, options),
        };
        self.drawn = Some((weights, texture.clone()));
        texture
    }
}

/// The edge of the brush, and of its other side.
fn rings(painter: &Painter, at: Pos2, painting: &Painting, place: Place) {
    let radius = painting.pixels * place.scale();
    painter.circle_stroke(at, radius, (1.5, theme::OVER_VIEW));
    if painting.mirrors {
        let across = at + Vec2::new(2.0 * (place.rect.center().x - at.x), 0.0);
        painter.circle_stroke(across, radius, (1.0, theme::OVER_VIEW.gamma_multiply(0.5)));
    }
}

fn dab(weights: &mut [f32], surface: &Surface, at: glam::Vec2, painting: &Painting, stroke: BrushMode) {
    let Surface::Image(info) = surface else { return };
    let brush = Brush { radius: painting.pixels, ..painting.brush };
    let mut dab = |at| {
        let reached = weight_paint::pixels_within(info.width as usize, info.height as usize, at, brush.radius);
        weight_paint::dab(weights, &reached, &brush, stroke, &surface.adjacency());
    };
    dab(at);
    if painting.mirrors {
        dab(surface.across(at));
    }
}

/// The colours of the weights, every n-th pixel where there are too many.
fn thinned(weights: &Tinted, [width, height]: [usize; 2]) -> ColorImage {
    let step = width.max(height).div_ceil(LARGEST).max(1);
    let rows = (0..height).step_by(step);
    let units = rows.flat_map(|y| (0..width).step_by(step).map(move |x| y * width + x));
    ColorImage::new([width.div_ceil(step), height.div_ceil(step)], weights.inks(units, |ink| ink))
}
