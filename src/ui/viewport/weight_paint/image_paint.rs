//! Painting weights on an image: the same brush as on a mesh, the weights as a tint over the picture.

use egui::{Color32, ColorImage, Painter, Pos2, Rect, Response, TextureHandle, TextureOptions, Ui, Vec2};

use super::brush::{self, Tinted};
use super::sizing::{BrushSizing, Sized};
use crate::drag::DragState;
use crate::theme;
use portamento_anim::media::ImageInfo;
use portamento_session::Session;
use portamento_session::painting::{Aim, PaintTarget, Painting, StrokePoint, Surface, Tool};

/// The brush on an image, and the weights as they were drawn last.
#[derive(Default)]
pub struct ImagePaint {
    is_over: bool,
    sizing: BrushSizing,
    drag_state: DragState<()>,
    drawn: Option<(Tinted, TextureHandle)>,
}

/// Where an image of this size lies on screen.
#[derive(Clone, Copy, Debug)]
pub struct ImagePlacement {
    /// Where it lies on screen, points.
    pub rect: Rect,
    /// Pixels across and down.
    pub size: [usize; 2],
}

/// How much of the picture the tint covers.
const COVER: f32 = 0.7;
/// Most texels of the tint along a side.
const LARGEST: usize = 1024;

impl ImagePlacement {
    /// The image of `info` in `rect`.
    pub fn new(rect: Rect, info: &ImageInfo) -> Self {
        Self { rect, size: [info.width, info.height].map(|side| side as usize) }
    }

    /// Points of the screen per pixel.
    fn scale(&self) -> f32 {
        self.rect.height() / self.size[1].max(1) as f32
    }

    /// Pixels from the upper left corner.
    fn pixel(&self, at: glam::Vec2) -> glam::Vec2 {
        (at - glam::Vec2::new(self.rect.min.x, self.rect.min.y)) / self.scale()
    }

    /// Where on screen that pixel is.
    fn screen(&self, pixel: glam::Vec3) -> Pos2 {
        self.rect.min + Vec2::new(pixel.x, pixel.y) * self.scale()
    }
}

impl ImagePaint {
    /// Whether the brush is on the image.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether plain keys belong to the brush.
    pub fn sizing(&self) -> bool {
        self.sizing.is_busy() || self.drag_state.is_held()
    }

    /// Follows the brush; answers whether it holds the mouse.
    pub fn pointer_input(
        &mut self,
        ui: &Ui,
        response: &Response,
        session: &mut Session,
        place: ImagePlacement,
    ) -> bool {
        self.is_over = false;
        let is_image = matches!(session.canvas().surface(), Some(Surface::Image(_)));
        if !is_image || !session.selection.painting.is_on(PaintTarget::Weights) {
            self.sizing = BrushSizing::default();
            return false;
        }
        let Painting { pixels, brush, .. } = &mut session.selection.painting;
        let sized = Sized { radius: pixels, strength: Some(&mut brush.strength), unit: 1.0 / place.scale() };
        self.sizing.update(ui, response, sized);
        let is_sizing = self.sizing.is_busy();
        let aim = |at: glam::Vec2| Aim::Pixel(place.pixel(at));
        let pointer = brush::pointer(ui, response);
        session.easel().aim(pointer.map(aim));
        self.is_over = session.painter.spot(&session.selection.painting).is_some();
        let Some(at) = pointer else { return is_sizing };
        if is_sizing {
            return true;
        }
        // A stroke that leaves the image stays a stroke; one that begins beside it moves the image.
        let point = StrokePoint { at, points_per_unit: place.scale(), aim: &aim };
        brush::drag(&mut self.drag_state, ui, response, session, &point)
    }

    /// The weights over the image, the brush, the value under it, and the legend.
    pub fn paint(&mut self, ui: &Ui, rect: Rect, session: &Session, place: ImagePlacement) {
        let [width, height] = place.size;
        let Some(weights) =
            Tinted::from_session(session, width * height).filter(|_| session.canvas().surface().is_some())
        else {
            return;
        };
        let painting = &session.selection.painting;
        let painter = ui.painter_at(rect);
        let texture = self.drawn(ui, weights, place);
        let whole = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
        painter.image(texture.id(), place.rect, whole, Color32::WHITE.gamma_multiply(COVER));
        if let Some(spot) = session.painter.spot(&session.selection.painting) {
            ui.set_cursor_icon(egui::CursorIcon::Crosshair);
            let at = place.screen(spot.at.as_vec3());
            match (painting.tool, session.painter.gradient_start()) {
                (Tool::Brush, _) => rings(&painter, at, painting, place),
                (Tool::Gradient, Some(from)) => brush::line(&painter, [place.screen(from), at]),
                (Tool::Gradient, None) => {}
            }
            brush::value(&painter, at, spot.value);
        }
        brush::legend(&painter, rect, painting);
    }

    fn drawn(&mut self, ui: &Ui, weights: Tinted, place: ImagePlacement) -> TextureHandle {
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
fn rings(painter: &Painter, at: Pos2, painting: &Painting, place: ImagePlacement) {
    let radius = painting.pixels * place.scale();
    painter.circle_stroke(at, radius, (1.5, theme::view().ink));
    if painting.mirrors {
        let across = at + Vec2::new(2.0 * (place.rect.center().x - at.x), 0.0);
        painter.circle_stroke(across, radius, (1.0, theme::view().ink.gamma_multiply(0.5)));
    }
}

/// The colours of the weights, every n-th pixel where there are too many.
fn thinned(weights: &Tinted, [width, height]: [usize; 2]) -> ColorImage {
    let step = width.max(height).div_ceil(LARGEST).max(1);
    let rows = (0..height).step_by(step);
    let units = rows.flat_map(|y| (0..width).step_by(step).map(move |x| y * width + x));
    ColorImage::new([width.div_ceil(step), height.div_ceil(step)], weights.inks(units, |ink| ink))
}
