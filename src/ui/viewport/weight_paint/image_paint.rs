//! Painting of weights on an image. The weights are shown as a tint.

use egui::{Color32, ColorImage, Painter, Pos2, Rect, Response, TextureHandle, TextureOptions, Ui, Vec2};

use super::brush::{self, Tinted};
use super::sizing::{BrushSizing, SizedBrush};
use crate::drag::DragState;
use crate::theme;
use portamento_anim::media::ImageInfo;
use portamento_session::Session;
use portamento_session::painting::{Aim, PaintTarget, Painting, StrokePoint, Surface, Tool};

/// State of the image brush, and the cached tint.
#[derive(Default)]
pub struct ImagePaint {
    is_over: bool,
    sizing: BrushSizing,
    drag_state: DragState<()>,
    drawn: Option<(Tinted, TextureHandle)>,
}

/// Position of an image on screen.
#[derive(Clone, Copy, Debug)]
pub struct ImagePlacement {
    /// Rectangle on screen, points.
    pub rect: Rect,
    /// Width and height in pixels.
    pub size: [usize; 2],
}

/// Opacity of the tint. Tuned; no derivation recorded.
const TINT_OPACITY: f32 = 0.7;
/// Largest side of the tint texture, texels.
const MAX_TINT_SIDE: usize = 1024;

impl ImagePlacement {
    /// Creates the placement of the image of `info` in `rect`.
    pub fn new(rect: Rect, info: &ImageInfo) -> Self {
        Self { rect, size: [info.width, info.height].map(|side| side as usize) }
    }

    /// Returns the points on screen per pixel of the image.
    fn scale(&self) -> f32 {
        self.rect.height() / self.size[1].max(1) as f32
    }

    /// Returns the pixel coordinates of the screen position `at`, from the upper left corner of the image.
    fn pixel(&self, at: glam::Vec2) -> glam::Vec2 {
        (at - glam::Vec2::new(self.rect.min.x, self.rect.min.y)) / self.scale()
    }

    /// Returns the screen position of pixel coordinates; `z` is ignored.
    fn screen(&self, pixel: glam::Vec3) -> Pos2 {
        self.rect.min + Vec2::new(pixel.x, pixel.y) * self.scale()
    }
}

impl ImagePaint {
    /// True if the brush is over the image.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// True if a stroke or a change of the brush size uses the plain keys.
    pub fn sizing(&self) -> bool {
        self.sizing.is_busy() || self.drag_state.is_dragging()
    }

    /// Handles the mouse. Returns true if the brush uses it.
    pub fn pointer_input(
        &mut self,
        ui: &Ui,
        response: &Response,
        session: &mut Session,
        placement: ImagePlacement,
    ) -> bool {
        self.is_over = false;
        let is_image = matches!(session.canvas().surface(), Some(Surface::Image(_)));
        if !is_image || !session.selection.painting.is_on(PaintTarget::Weights) {
            self.sizing = BrushSizing::default();
            return false;
        }
        let Painting { pixels, brush, .. } = &mut session.selection.painting;
        let sized = SizedBrush { radius: pixels, strength: Some(&mut brush.strength), unit: 1.0 / placement.scale() };
        self.sizing.update(ui, response, sized);
        let is_sizing = self.sizing.is_busy();
        let aim = |at: glam::Vec2| Aim::Pixel(placement.pixel(at));
        let pointer = brush::pointer(ui, response);
        session.easel().aim(pointer.map(aim));
        self.is_over = session.painter.spot(&session.selection.painting).is_some();
        let Some(at) = pointer else { return is_sizing };
        if is_sizing {
            return true;
        }
        // A stroke continues outside the image. A drag that starts outside moves the image.
        let point = StrokePoint { at, points_per_unit: placement.scale(), aim: &aim };
        brush::drag(&mut self.drag_state, ui, response, session, &point)
    }

    /// Draws the tint, the brush, the weight under it, and the legend, while the tool is active.
    pub fn paint(&mut self, ui: &Ui, rect: Rect, session: &Session, placement: ImagePlacement) {
        let [width, height] = placement.size;
        let Some(weights) =
            Tinted::from_session(session, width * height).filter(|_| session.canvas().surface().is_some())
        else {
            return;
        };
        let painting = &session.selection.painting;
        let painter = ui.painter_at(rect);
        let texture = self.drawn(ui, weights, placement);
        let full_uv = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
        painter.image(texture.id(), placement.rect, full_uv, Color32::WHITE.gamma_multiply(TINT_OPACITY));
        if let Some(spot) = session.painter.spot(&session.selection.painting) {
            ui.set_cursor_icon(egui::CursorIcon::Crosshair);
            let at = placement.screen(spot.at.as_vec3());
            match (painting.tool, session.painter.gradient_start()) {
                (Tool::Brush, _) => rings(&painter, at, painting, placement),
                (Tool::Gradient, Some(from)) => brush::line(&painter, [placement.screen(from), at]),
                (Tool::Gradient, None) => {}
            }
            brush::value(&painter, at, spot.value);
        }
        brush::legend(&painter, rect, painting);
    }

    /// Returns the tint texture, updated if the weights changed.
    fn drawn(&mut self, ui: &Ui, weights: Tinted, placement: ImagePlacement) -> TextureHandle {
        if let Some((_, texture)) = self.drawn.as_ref().filter(|(known, _)| *known == weights) {
            return texture.clone();
        }
        let (image, options) = (thinned(&weights, placement.size), TextureOptions::LINEAR);
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

/// Draws the outline of the brush at the screen position `at`, and that of its mirror image if it mirrors.
fn rings(painter: &Painter, at: Pos2, painting: &Painting, placement: ImagePlacement) {
    let radius = painting.pixels * placement.scale();
    painter.circle_stroke(at, radius, (1.5, theme::view().ink));
    if painting.mirrors {
        let across = at + Vec2::new(2.0 * (placement.rect.center().x - at.x), 0.0);
        painter.circle_stroke(across, radius, (1.0, theme::view().ink.gamma_multiply(0.5)));
    }
}

/// Returns the colours of the weights; only every n-th pixel of an image with a side over [`MAX_TINT_SIDE`].
fn thinned(weights: &Tinted, [width, height]: [usize; 2]) -> ColorImage {
    let step = width.max(height).div_ceil(MAX_TINT_SIDE).max(1);
    let rows = (0..height).step_by(step);
    let units = rows.flat_map(|y| (0..width).step_by(step).map(move |x| y * width + x));
    ColorImage::new([width.div_ceil(step), height.div_ceil(step)], weights.inks(units, |ink| ink))
}
