//! Strip of poses that previews a motion.

use egui::{Color32, Painter, Rect, Stroke, Vec2};

use portamento_session::batch::Strip;

/// Draws `strip` centred in `room`, as large as it fits.
pub fn draw(painter: &Painter, strip: &Strip, room: Rect, ink: Color32) {
    let size = Vec2::new(strip.size[0] as f32, strip.size[1] as f32);
    let scale = (room.width() / size.x).min(room.height() / size.y);
    let start = room.center() - 0.5 * scale * size;
    let position = |[x, y]: [f64; 2]| start + scale * Vec2::new(x as f32, y as f32);
    let stroke = Stroke::new(1.0, ink);
    for line in &strip.lines {
        painter.line_segment(line.map(position), stroke);
    }
}
