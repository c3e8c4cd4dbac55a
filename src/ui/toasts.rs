//! The newest messages, in the lower right corner; errors stay until they are closed.

use egui::{Align2, Area, Id, Label, Order, RichText, Ui, Vec2};
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{ICON_CHECK_CIRCLE, ICON_CLOSE, ICON_ERROR, ICON_INFO, ICON_WARNING};

use super::i18n::tr;
use super::theme::{self, Tokens};
use super::widgets;
use crate::session::{Level, Notice, Notices};

/// The messages on screen.
#[derive(Debug, Default)]
pub struct Toasts {
    shown: Vec<Toast>,
}

#[derive(Debug)]
struct Toast {
    notice: Notice,
    until: Option<f64>,
}

/// At most so many at once; the log has all.
const MOST: usize = 4;

impl Toasts {
    /// Takes what is new in `notices` and draws what is not over yet.
    pub fn ui(&mut self, ctx: &egui::Context, notices: &mut Notices) {
        let now = ctx.input(|input| input.time);
        for notice in notices.take_new() {
            let until = lasts(notice.level).map(|seconds| now + seconds);
            self.shown.push(Toast { notice, until });
        }
        self.shown.retain(|toast| toast.until.is_none_or(|until| until > now));
        let extra = self.shown.len().saturating_sub(MOST);
        self.shown.drain(..extra);
        if let Some(next) = self.shown.iter().filter_map(|toast| toast.until).min_by(f64::total_cmp) {
            ctx.request_repaint_after_secs((next - now) as f32);
        }
        if self.shown.is_empty() {
            return;
        }
        let area = Area::new(Id::new("toasts")).order(Order::Foreground);
        let closed = area.anchor(Align2::RIGHT_BOTTOM, Vec2::new(-12.0, -36.0)).show(ctx, |ui| {
            ui.spacing_mut().item_spacing.y = theme::MEDIUM;
            let closed = self.shown.iter().enumerate().filter(|(_, toast)| plate(ui, &toast.notice)).map(|(at, _)| at);
            closed.collect::<Vec<_>>()
        });
        for at in closed.inner.into_iter().rev() {
            self.shown.remove(at);
        }
    }
}

fn lasts(level: Level) -> Option<f64> {
    match level {
        Level::Info => Some(4.0),
        Level::Done => Some(4.0),
        Level::Warning => Some(8.0),
        Level::Error => None,
    }
}

/// The mark and colour of a level.
pub fn mark(level: Level, tokens: &Tokens) -> (MaterialIcon, egui::Color32) {
    match level {
        Level::Info => (ICON_INFO, tokens.target),
        Level::Done => (ICON_CHECK_CIRCLE, tokens.ok),
        Level::Warning => (ICON_WARNING, tokens.warning),
        Level::Error => (ICON_ERROR, tokens.error),
    }
}

/// Draws one message; answers whether its cross was clicked.
fn plate(ui: &mut Ui, notice: &Notice) -> bool {
    let tokens = theme::of(ui);
    let (icon, color) = mark(notice.level, tokens);
    let frame = egui::Frame::popup(ui.style()).fill(tokens.raised).inner_margin(egui::Margin::symmetric(12, 8));
    let shown = frame.show(ui, |ui| {
        ui.set_width(336.0);
        ui.horizontal_top(|ui| {
            ui.label(RichText::new(icon.codepoint).font(theme::icon()).color(color));
            ui.vertical(|ui| {
                ui.set_width(336.0 - 64.0);
                ui.add(Label::new(&notice.text).wrap());
                if let Some(folder) = &notice.folder
                    && ui.link(tr("toast.folder")).clicked()
                {
                    ui.open_url(egui::OpenUrl::new_tab(format!("file://{}", folder.display())));
                }
            });
            widgets::icon_button(ui, ICON_CLOSE, &tr("toast.close")).clicked()
        })
        .inner
    });
    let rect = shown.response.rect;
    let edge = egui::Rect::from_min_max(rect.min, egui::pos2(rect.min.x + 3.0, rect.max.y));
    ui.painter().rect_filled(edge, 2.0, color);
    shown.inner
}
