//! Toasts: new messages in the lower right corner of the viewport. Errors stay until they are closed or fixed.
//!
//! Messages of one severity share a plate, which shows the newest message and the number of others. Toasts wait while a dialog
//! covers them.

use egui::text::LayoutJob;
use egui::{Align2, Area, Id, Label, Order, Rect, Response, RichText, TextStyle, Ui, Vec2};
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{ICON_CHECK_CIRCLE, ICON_CLOSE, ICON_ERROR, ICON_INFO, ICON_WARNING};

use crate::i18n::{localized, tr, tr_with};
use crate::theme::{self, Tokens};
use crate::widgets;
use portamento_base::message::Message;
use portamento_session::{Notice, Notices, Severity};

/// The visible messages.
#[derive(Debug, Default)]
pub(crate) struct Toasts {
    shown: Vec<Toast>,
    /// Time of the last drawing in seconds.
    seen: f64,
}

/// A visible message with its expiry time; `None` keeps it until it is closed.
#[derive(Debug)]
struct Toast {
    notice: Notice,
    /// Expiry time in seconds of the window's clock.
    until: Option<f64>,
    /// Number of times it was sent while visible.
    count: usize,
}

/// Messages of one severity.
struct Plate<'a> {
    newest: &'a Toast,
    /// The other messages, newest first.
    others: Vec<&'a Toast>,
}

/// The clicked controls of a plate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Clicked {
    closes: bool,
    shows_all: bool,
}

/// Line limits of a single message and of one with others. Hovering shows the full text.
const MAX_LINES: usize = 4;
const MAX_LINES_WITH_OTHERS: usize = 2;
/// Number of other messages in the tooltip; the log has all.
const MAX_LISTED: usize = 8;
/// Width of a plate and the part of it that icon and close button take, points.
const PLATE_WIDTH: f32 = 336.0;
const ICONS_WIDTH: f32 = 64.0;

impl Toasts {
    /// Takes new `notices` and draws the unexpired ones in the lower right corner of `room` (points). Fixed errors disappear.
    /// Returns true if the user asks for the log.
    pub fn ui(&mut self, ctx: &egui::Context, notices: &mut Notices, room: Rect) -> bool {
        let now = ctx.input(|input| input.time);
        self.wait(ctx, now);
        for notice in notices.take_new() {
            self.add(notice, now);
        }
        notices.take_resolved().iter().for_each(|error| self.end(error));
        self.forget(now);
        if let Some(next) = self.shown.iter().filter_map(|toast| toast.until).min_by(f64::total_cmp) {
            ctx.request_repaint_after_secs((next - now) as f32);
        }
        if self.shown.is_empty() {
            return false;
        }
        // A dialog covers them: above it they would take the clicks on its buttons.
        let order = if is_covered(ctx) { Order::Background } else { Order::Middle };
        let area = Area::new(Id::new("toasts")).order(order).pivot(Align2::RIGHT_BOTTOM);
        let drawn = area.fixed_pos(room.max - Vec2::splat(theme::GAP_LARGE)).show(ctx, |ui| {
            ui.spacing_mut().item_spacing.y = theme::GAP_MEDIUM;
            let clicked = |plate: &Plate| (plate.newest.notice.severity, plate.ui(ui));
            self.plates().iter().map(clicked).collect::<Vec<_>>()
        });
        let clicked = drawn.inner;
        let closes = |severity| clicked.iter().any(|&(each, clicked)| each == severity && clicked.closes);
        self.shown.retain(|toast| !closes(toast.notice.severity));
        clicked.iter().any(|(_, clicked)| clicked.shows_all)
    }

    /// Stops the expiry times while a dialog covers the toasts. `now` is in seconds of the window's clock.
    fn wait(&mut self, ctx: &egui::Context, now: f64) {
        let passed = now - std::mem::replace(&mut self.seen, now);
        if is_covered(ctx) {
            self.shown.iter_mut().filter_map(|toast| toast.until.as_mut()).for_each(|until| *until += passed);
        }
    }

    /// Shows `notice`. If the same one is visible, increases its count and restarts its time. `now` is in seconds of the window's
    /// clock.
    fn add(&mut self, notice: Notice, now: f64) {
        let until = duration_seconds(notice.severity).map(|seconds| now + seconds);
        let is_repeated = |toast: &Toast| toast.notice == notice && toast.until.is_none_or(|until| until > now);
        let count = match self.shown.iter().position(is_repeated) {
            Some(at) => self.shown.remove(at).count + 1,
            None => 1,
        };
        self.shown.push(Toast { notice, until, count });
    }

    /// Removes the toasts of `error`, which was fixed.
    fn end(&mut self, error: &Message) {
        self.shown.retain(|toast| toast.notice.severity != Severity::Error || toast.notice.message != *error);
    }

    /// Removes toasts that expired before `now`, in seconds.
    fn forget(&mut self, now: f64) {
        self.shown.retain(|toast| toast.until.is_none_or(|until| until > now));
    }

    /// Returns one plate per severity; the one with the newest message comes last.
    fn plates(&self) -> Vec<Plate<'_>> {
        let mut plates: Vec<Plate> = Vec::new();
        for toast in self.shown.iter().rev() {
            match plates.iter_mut().find(|plate| plate.newest.notice.severity == toast.notice.severity) {
                Some(plate) => plate.others.push(toast),
                None => plates.push(Plate { newest: toast, others: Vec::new() }),
            }
        }
        plates.reverse();
        plates
    }
}

/// True if a dialog is open.
fn is_covered(ctx: &egui::Context) -> bool {
    ctx.memory(|memory| memory.top_modal_layer().is_some())
}

impl Toast {
    /// Returns the message, with the number of its repetitions if there are several.
    fn text(&self) -> String {
        let text = localized(&self.notice.message);
        if self.count > 1 { format!("{text} (×{})", self.count) } else { text }
    }
}

/// Returns the seconds for which a message stays visible, or `None` if it stays until closed.
fn duration_seconds(severity: Severity) -> Option<f64> {
    match severity {
        Severity::Info => Some(4.0),
        Severity::Done => Some(4.0),
        Severity::Warning => Some(8.0),
        Severity::Error => None,
    }
}

/// Returns the icon and colour of a severity.
pub fn mark(severity: Severity, tokens: &Tokens) -> (MaterialIcon, egui::Color32) {
    match severity {
        Severity::Info => (ICON_INFO, tokens.target),
        Severity::Done => (ICON_CHECK_CIRCLE, tokens.ok),
        Severity::Warning => (ICON_WARNING, tokens.warning),
        Severity::Error => (ICON_ERROR, tokens.error),
    }
}

impl Plate<'_> {
    /// Draws the newest notice. Returns which of its buttons was clicked.
    fn ui(&self, ui: &mut Ui) -> Clicked {
        let notice = &self.newest.notice;
        let tokens = theme::of(ui);
        let (icon, color) = mark(notice.severity, tokens);
        let frame = egui::Frame::popup(ui.style()).fill(tokens.raised).inner_margin(egui::Margin::symmetric(12, 8));
        let shown = frame.show(ui, |ui| {
            ui.set_width(PLATE_WIDTH);
            ui.horizontal_top(|ui| {
                ui.label(RichText::new(icon.codepoint).font(theme::icon()).color(color));
                let shows_all = ui.vertical(|ui| self.words(ui)).inner;
                let closes = widgets::icon_button(ui, ICON_CLOSE, &tr("toast.close")).clicked();
                Clicked { closes, shows_all }
            })
            .inner
        });
        let rect = shown.response.rect;
        let edge = egui::Rect::from_min_max(rect.min, egui::pos2(rect.min.x + 3.0, rect.max.y));
        ui.painter().rect_filled(edge, 2.0, color);
        shown.inner
    }

    /// Draws the newest message, a link to its folder and the number of others. Returns true if the user asks for all.
    fn words(&self, ui: &mut Ui) -> bool {
        ui.set_width(PLATE_WIDTH - ICONS_WIDTH);
        let lines = if self.others.is_empty() { MAX_LINES } else { MAX_LINES_WITH_OTHERS };
        message(ui, &self.newest.text(), lines);
        let count: usize = self.others.iter().map(|toast| toast.count).sum();
        let folder = self.newest.notice.folder.as_ref();
        if count == 0 && folder.is_none() {
            return false;
        }
        ui.horizontal(|ui| {
            if let Some(folder) = folder
                && ui.link(tr("toast.folder")).clicked()
            {
                ui.open_url(egui::OpenUrl::new_tab(format!("file://{}", folder.display())));
            }
            count > 0 && self.others_ui(ui, count).clicked()
        })
        .inner
    }

    /// Draws a link with the number of other notices, which are listed when the pointer is over it.
    fn others_ui(&self, ui: &mut Ui, count: usize) -> Response {
        let more = ui.link(tr_with("toast.more", &[("count", count.to_string())]));
        more.on_hover_ui(|ui| {
            for toast in self.others.iter().take(MAX_LISTED) {
                ui.add(Label::new(toast.text()).wrap());
            }
            widgets::caption(ui, tr("tip.toast_more"));
        })
    }
}

/// Draws `text` with at most `lines` lines. Hovering shows the full text.
fn message(ui: &mut Ui, text: &str, lines: usize) {
    let mut job = LayoutJob::single_section(
        text.to_owned(),
        egui::TextFormat {
            font_id: TextStyle::Body.resolve(ui.style()),
            color: ui.visuals().text_color(),
            ..Default::default()
        },
    );
    job.wrap.max_rows = lines;
    ui.add(Label::new(job).wrap());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(severity: Severity, text: &str) -> Notice {
        Notice::new(severity, Message::verbatim(text))
    }

    #[test]
    fn a_repeated_message_is_counted_and_its_time_restarts() {
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
    fn an_error_disappears_when_it_is_fixed_and_others_stay() {
        let mut toasts = Toasts::default();
        let said = ["This take is not built.", "The disk is full."].map(|text| notice(Severity::Error, text));
        said.iter().for_each(|error| toasts.add(error.clone(), 0.0));
        toasts.end(&said[0].message);
        toasts.forget(1000.0);
        assert_eq!(toasts.shown.iter().map(Toast::text).collect::<Vec<_>>(), ["The disk is full."]);
    }

    #[test]
    fn messages_of_one_severity_share_a_plate_with_the_newest_one() {
        let mut toasts = Toasts::default();
        let said = [
            (Severity::Warning, "No normals."),
            (Severity::Done, "Exported."),
            (Severity::Warning, "No unit."),
            (Severity::Warning, "No unit."),
            (Severity::Warning, "No roles."),
        ];
        said.iter().for_each(|&(severity, text)| toasts.add(notice(severity, text), 0.0));
        let plate_texts = |toasts: &Toasts| -> Vec<(String, Vec<String>)> {
            let of = |plate: Plate| (plate.newest.text(), plate.others.iter().map(|toast| toast.text()).collect());
            toasts.plates().into_iter().map(of).collect()
        };
        let others = vec!["No unit. (×2)".to_owned(), "No normals.".to_owned()];
        assert_eq!(plate_texts(&toasts), [("Exported.".to_owned(), vec![]), ("No roles.".to_owned(), others)]);
        toasts.forget(5.0);
        assert_eq!(plate_texts(&toasts).len(), 1, "what is done is over sooner");
    }

    #[test]
    fn the_same_text_with_another_severity_is_another_message() {
        let mut toasts = Toasts::default();
        toasts.add(notice(Severity::Info, "Saved."), 0.0);
        toasts.add(notice(Severity::Error, "Saved."), 0.0);
        assert_eq!(toasts.shown.len(), 2);
    }
}
