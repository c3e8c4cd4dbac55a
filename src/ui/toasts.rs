//! The newest messages, in the lower right corner of the viewport, where no control stands; errors stay until they are closed or mended.

use egui::{Align2, Area, Id, Label, Order, Rect, RichText, Ui, Vec2};
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{ICON_CHECK_CIRCLE, ICON_CLOSE, ICON_ERROR, ICON_INFO, ICON_WARNING};

use super::i18n::{say, tr};
use super::theme::{self, Tokens};
use super::widgets;
use crate::message::Message;
use crate::session::{Notice, Notices, Severity};

/// The messages on screen.
#[derive(Debug, Default)]
pub(super) struct Toasts {
    shown: Vec<Toast>,
}

#[derive(Debug)]
struct Toast {
    notice: Notice,
    until: Option<f64>,
    /// How often it was said while it was shown.
    count: usize,
}

/// At most so many at once; the log has all.
const MOST: usize = 4;

impl Toasts {
    /// Takes what is new in `notices` and draws what is not over yet, in the lower right corner of `room`.
    pub fn ui(&mut self, ctx: &egui::Context, notices: &mut Notices, room: Rect) {
        let now = ctx.input(|input| input.time);
        for notice in notices.take_new() {
            self.add(notice, now);
        }
        notices.take_over().iter().for_each(|error| self.end(error));
        self.forget(now);
        if let Some(next) = self.shown.iter().filter_map(|toast| toast.until).min_by(f64::total_cmp) {
            ctx.request_repaint_after_secs((next - now) as f32);
        }
        if self.shown.is_empty() {
            return;
        }
        let area = Area::new(Id::new("toasts")).order(Order::Foreground).pivot(Align2::RIGHT_BOTTOM);
        let closed = area.fixed_pos(room.max - Vec2::splat(theme::LARGE)).show(ctx, |ui| {
            ui.spacing_mut().item_spacing.y = theme::MEDIUM;
            let closed = self.shown.iter().enumerate().filter(|(_, toast)| plate(ui, toast)).map(|(at, _)| at);
            closed.collect::<Vec<_>>()
        });
        for at in closed.inner.into_iter().rev() {
            self.shown.remove(at);
        }
    }

    /// Shows `notice` from now on; one that is still shown is counted up instead and lasts anew.
    fn add(&mut self, notice: Notice, now: f64) {
        let until = lasts(notice.severity).map(|seconds| now + seconds);
        let again = |toast: &Toast| toast.notice == notice && toast.until.is_none_or(|until| until > now);
        let count = match self.shown.iter().position(again) {
            Some(at) => self.shown.remove(at).count + 1,
            None => 1,
        };
        self.shown.push(Toast { notice, until, count });
    }

    /// Drops what told `error`, which is mended.
    fn end(&mut self, error: &Message) {
        self.shown.retain(|toast| toast.notice.severity != Severity::Error || toast.notice.message != *error);
    }

    /// Drops what is over, and the oldest of too many.
    fn forget(&mut self, now: f64) {
        self.shown.retain(|toast| toast.until.is_none_or(|until| until > now));
        let extra = self.shown.len().saturating_sub(MOST);
        self.shown.drain(..extra);
    }
}

impl Toast {
    fn text(&self) -> String {
        let text = say(&self.notice.message);
        if self.count > 1 { format!("{text} (×{})", self.count) } else { text }
    }
}

fn lasts(severity: Severity) -> Option<f64> {
    match severity {
        Severity::Info => Some(4.0),
        Severity::Done => Some(4.0),
        Severity::Warning => Some(8.0),
        Severity::Error => None,
    }
}

/// The mark and colour of a severity.
pub fn mark(severity: Severity, tokens: &Tokens) -> (MaterialIcon, egui::Color32) {
    match severity {
        Severity::Info => (ICON_INFO, tokens.target),
        Severity::Done => (ICON_CHECK_CIRCLE, tokens.ok),
        Severity::Warning => (ICON_WARNING, tokens.warning),
        Severity::Error => (ICON_ERROR, tokens.error),
    }
}

/// Draws one message; answers whether its cross was clicked.
fn plate(ui: &mut Ui, toast: &Toast) -> bool {
    let notice = &toast.notice;
    let tokens = theme::of(ui);
    let (icon, color) = mark(notice.severity, tokens);
    let frame = egui::Frame::popup(ui.style()).fill(tokens.raised).inner_margin(egui::Margin::symmetric(12, 8));
    let shown = frame.show(ui, |ui| {
        ui.set_width(336.0);
        ui.horizontal_top(|ui| {
            ui.label(RichText::new(icon.codepoint).font(theme::icon()).color(color));
            ui.vertical(|ui| {
                ui.set_width(336.0 - 64.0);
                ui.add(Label::new(toast.text()).wrap());
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

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(severity: Severity, text: &str) -> Notice {
        Notice { severity, message: Message::verbatim(text), folder: None }
    }

    #[test]
    fn what_is_said_again_while_it_is_shown_is_counted_and_lasts_anew() {
        let mut toasts = Toasts::default();
        let (nothing, done) = (notice(Severity::Info, "Nothing to undo."), notice(Severity::Done, "Exported."));
        for (said, now) in [(&nothing, 0.0), (&done, 1.0), (&nothing, 2.0), (&nothing, 3.0)] {
            toasts.add(said.clone(), now);
            toasts.forget(now);
        }
        let texts: Vec<String> = toasts.shown.iter().map(Toast::text).collect();
        assert_eq!(texts, ["Exported.", "Nothing to undo. (×3)"]);
        toasts.forget(6.9);
        assert_eq!(toasts.shown.len(), 1, "it lasts from the last time it was said");
        toasts.forget(7.1);
        assert!(toasts.shown.is_empty());
        toasts.add(nothing, 8.0);
        assert_eq!(toasts.shown[0].count, 1);
    }

    #[test]
    fn an_error_goes_when_it_is_mended_and_others_stay() {
        let mut toasts = Toasts::default();
        let said = ["This take is not built.", "The disk is full."].map(|text| notice(Severity::Error, text));
        said.iter().for_each(|error| toasts.add(error.clone(), 0.0));
        toasts.end(&said[0].message);
        toasts.forget(1000.0);
        assert_eq!(toasts.shown.iter().map(Toast::text).collect::<Vec<_>>(), ["The disk is full."]);
    }

    #[test]
    fn the_same_words_at_another_level_are_another_message() {
        let mut toasts = Toasts::default();
        toasts.add(notice(Severity::Info, "Saved."), 0.0);
        toasts.add(notice(Severity::Error, "Saved."), 0.0);
        assert_eq!(toasts.shown.len(), 2);
    }
}
