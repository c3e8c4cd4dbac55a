//! View of image takes: the flat image over a checkerboard that shows transparency.

use std::sync::Arc;

use egui::{
    Align2, Color32, ColorImage, Painter, PointerButton, Pos2, Rect, Response, TextureHandle, TextureOptions,
    TextureWrapMode, Ui, Vec2,
};
use egui_material_icons::icons::ICON_GRID_ON;

use crate::i18n::tr;
use crate::viewport::projection::corner;
use crate::viewport::readout;
use crate::{theme, widgets};
use portamento_anim::footage::texture;
use portamento_anim::media::{ImageInfo, Pixels};

/// Zoom, position and textures of the image view. None of it belongs to the document.
#[derive(Default)]
pub(super) struct ImageView {
    shown: Option<(Arc<Pixels>, bool, TextureHandle)>,
    checks: Option<TextureHandle>,
    /// Points per pixel; `None` fits the image to the view.
    zoom: Option<f32>,
    /// Displacement of the image's centre from that of the view, points.
    shift: Vec2,
    /// True if enlarged pixels are interpolated.
    smooth: bool,
}

/// An image to upload, thinned if a side is longer than `largest`.
struct Picture<'a> {
    info: &'a ImageInfo,
    pixels: &'a Arc<Pixels>,
    /// Largest side of a texture, pixels.
    largest: usize,
}

/// Margin around a fitted image, points.
const MARGIN: f32 = 32.0;
/// Side of a checkerboard square, points.
const CHECK: f32 = 8.0;
/// Smallest and largest zoom, points per pixel. Tuned; no derivation recorded.
const ZOOM_RANGE: (f32, f32) = (0.02, 64.0);

impl ImageView {
    /// Fits the image to the view.
    pub fn fit(&mut self) {
        self.zoom = None;
        self.shift = Vec2::ZERO;
    }

    /// Returns the rectangle of the image on screen, points. `rect` is the view.
    pub fn image_rect(&self, rect: Rect, info: &ImageInfo) -> Rect {
        let size = Vec2::new(info.width.max(1) as f32, info.height.max(1) as f32);
        let room = (rect.size() - Vec2::splat(2.0 * MARGIN)).max(Vec2::splat(16.0));
        let fitting = (room.x / size.x).min(room.y / size.y).clamp(ZOOM_RANGE.0, ZOOM_RANGE.1);
        Rect::from_center_size(rect.center() + self.shift, size * self.zoom.unwrap_or(fitting))
    }

    /// Handles the mouse: the wheel zooms at the pointer, dragging pans, a double-click fits. `primary`: true if the left
    /// button is free for panning.
    pub fn pointer_input(&mut self, ui: &Ui, response: &Response, rect: Rect, info: &ImageInfo, primary: bool) {
        let moves = response.dragged_by(PointerButton::Middle)
            || response.dragged_by(PointerButton::Secondary)
            || primary && response.dragged_by(PointerButton::Primary);
        if moves {
            self.shift += response.drag_delta();
            self.zoom = Some(self.image_rect(rect, info).height() / info.height.max(1) as f32);
        }
        if response.double_clicked() && primary {
            self.fit();
        }
        let Some(at) = response.hover_pos() else { return };
        let (scroll, zoom) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
        let factor = (scroll * 0.003).exp() * zoom;
        if (factor - 1.0).abs() > 1e-6 {
            self.zoom_at(at, factor, rect, info);
        }
    }

    /// Zooms by `factor` (over 1 enlarges) with the pixel under the screen position `at` fixed.
    fn zoom_at(&mut self, at: Pos2, factor: f32, rect: Rect, info: &ImageInfo) {
        let before = self.image_rect(rect, info);
        let part = (at - before.min) / before.size();
        let zoom = before.height() / info.height.max(1) as f32;
        self.zoom = Some((zoom * factor).clamp(ZOOM_RANGE.0, ZOOM_RANGE.1));
        let after = self.image_rect(rect, info);
        self.shift += at - (after.min + part * after.size());
    }

    /// Draws the image with its size and zoom, and the button that toggles interpolation.
    pub fn paint(&mut self, ui: &mut Ui, rect: Rect, info: &ImageInfo, pixels: &Arc<Pixels>) {
        let image_rect = self.image_rect(rect, info);
        let largest = ui.input(|input| input.max_texture_side);
        let painter = ui.painter_at(rect);
        self.paint_at(ui, &painter, image_rect, &Picture { info, pixels, largest });
        let percent = 100.0 * image_rect.height() * ui.pixels_per_point() / info.height.max(1) as f32;
        let words = format!("{} × {}   {percent:.0} %", info.width, info.height);
        let at = rect.left_bottom() + Vec2::new(theme::GAP_LARGE, -theme::GAP_LARGE);
        readout::resting(&painter, Align2::LEFT_BOTTOM, at, words);
        let button = corner(rect, theme::ROW);
        ui.scope_builder(egui::UiBuilder::new().max_rect(button), |ui| {
            if widgets::toggle_icon(ui, ICON_GRID_ON, &tr("viewport.pixels"), !self.smooth).clicked() {
                self.smooth = !self.smooth;
            }
        });
    }

    /// Draws the image alone, fitted into a small `rect`.
    pub fn paint_small(&mut self, ui: &Ui, rect: Rect, info: &ImageInfo, pixels: &Arc<Pixels>) {
        let size = Vec2::new(info.width.max(1) as f32, info.height.max(1) as f32);
        let room = rect.shrink(theme::GAP_SMALL);
        let image_rect =
            Rect::from_center_size(rect.center(), size * (room.width() / size.x).min(room.height() / size.y));
        let largest = (rect.size().max_elem() * ui.pixels_per_point()).ceil() as usize;
        self.smooth = true;
        self.paint_at(
            ui,
            &ui.painter().with_clip_rect(rect.intersect(ui.clip_rect())),
            image_rect,
            &Picture { info, pixels, largest },
        );
    }

    /// Draws the picture into `image_rect` (points), over a chequered background that shows through where it is
    /// transparent.
    fn paint_at(&mut self, ui: &Ui, painter: &Painter, image_rect: Rect, picture: &Picture) {
        let (image, checks) = (self.uploaded(ui, picture), self.checks(ui));
        let squares = Rect::from_min_size(Pos2::ZERO, (image_rect.size() / (2.0 * CHECK)).to_pos2().to_vec2());
        painter.image(checks.id(), image_rect, squares, Color32::WHITE);
        painter.image(image.id(), image_rect, Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0)), Color32::WHITE);
    }

    /// Returns the texture of the image, uploaded if it changed.
    fn uploaded(&mut self, ui: &Ui, Picture { info, pixels, largest }: &Picture) -> TextureHandle {
        if let Some((known, smooth, image)) = &self.shown
            && Arc::ptr_eq(known, *pixels)
            && *smooth == self.smooth
        {
            return image.clone();
        }
        let options = if self.smooth { TextureOptions::LINEAR } else { TextureOptions::NEAREST };
        let picture = picture(info, pixels, *largest);
        let image = match self.shown.take() {
            Some((_, _, mut image)) => {
                image.set(picture, options);
                image
            }
            None => ui.ctx().load_texture("frame", picture, options),
        };
        self.shown = Some(((*pixels).clone(), self.smooth, image.clone()));
        image
    }

    /// Returns the repeating chequered texture behind transparent images.
    fn checks(&mut self, ui: &Ui) -> TextureHandle {
        let make = || {
            let (dark, light) = (
                theme::mix(theme::view().sky, theme::view().ink, 0.25),
                theme::mix(theme::view().sky, theme::view().ink, 0.40),
            );
            let options = TextureOptions { wrap_mode: TextureWrapMode::Repeat, ..TextureOptions::NEAREST };
            ui.ctx().load_texture("checks", ColorImage::new([2, 2], vec![dark, light, light, dark]), options)
        };
        self.checks.get_or_insert_with(make).clone()
    }
}

/// Returns the image for upload; takes every n-th pixel if a side is longer than `largest` pixels.
fn picture(info: &ImageInfo, pixels: &Pixels, largest: usize) -> ColorImage {
    let shown = texture(info, pixels);
    let (width, height) = (shown.width as usize, shown.height as usize);
    let step = width.max(height).div_ceil(largest.max(1)).max(1);
    let full = ColorImage::from_rgba_unmultiplied([width, height], &shown.rgba);
    if step == 1 {
        return full;
    }
    let rows = (0..height).step_by(step);
    let thinned = rows.flat_map(|y| (0..width).step_by(step).map(move |x| (x, y))).map(|(x, y)| full[(x, y)]);
    ColorImage::new([width.div_ceil(step), height.div_ceil(step)], thinned.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_test_support::image_info as info;

    #[test]
    fn zooming_keeps_the_pixel_under_the_pointer() {
        let (mut view, info) = (ImageView::default(), info(200, 100, 1));
        let rect = Rect::from_min_size(Pos2::new(10.0, 20.0), Vec2::new(800.0, 600.0));
        let at = Pos2::new(300.0, 250.0);
        let part = |view: &ImageView| (at - view.image_rect(rect, &info).min) / view.image_rect(rect, &info).size();
        let (before, size) = (part(&view), view.image_rect(rect, &info).size());
        view.zoom_at(at, 2.5, rect, &info);
        assert!((part(&view) - before).length() < 1e-4);
        assert!((view.image_rect(rect, &info).size() - 2.5 * size).length() < 1e-2);
        view.fit();
        assert_eq!(view.image_rect(rect, &info).center(), rect.center());
    }

    #[test]
    fn images_larger_than_the_texture_limit_are_thinned() {
        let pixels = Pixels::U8((0..12u8).map(|i| [i, i, i, 255]).collect());
        let small = picture(&info(6, 2, 1), &pixels, 3);
        assert_eq!((small.size, small.pixels[1]), ([3, 1], Color32::from_rgb(2, 2, 2)));
    }
}
