//! The newest messages, in the lower right corner of the viewport, where no control stands; errors stay until they are closed or mended.
//! What matters alike is one plate: its newest message, and how many more there are. A dialog that is opened covers them, and they wait.

use egui::text::LayoutJob;
use egui::{Align2, Area, Id, Label, Order, Rect, Response, RichText, TextStyle, Ui, Vec2};
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{ICON_CHECK_CIRCLE, ICON_CLOSE, ICON_ERROR, ICON_INFO, ICON_WARNING};

use super::i18n::{say, tr, tr_with};
use super::theme::{self, Tokens};
use super::widgets;
use portamento_base::message::Message;
use portamento_session::{Notice, Notices, Severity};

/// The messages on screen.
#[derive(Debug, Default)]
pub(super) struct Toasts {
    shown: Vec<Toast>,
    /// Second of the window at which they were drawn last.
    seen: f64,
}

#[derive(Debug)]
struct Toast {
    notice: Notice,
    until: Option<f64>,
    /// How often it was said while it was shown.
    count: usize,
}

/// Messages that matter alike.
struct Plate<'a> {
    newest: &'a Toast,
    /// All others, the newest first.
    others: Vec<&'a Toast>,
}

/// What was clicked on a plate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Clicked {
    closes: bool,
    shows_all: bool,
}

/// Lines of a message that stands alone, and of one with others behind it: the pointer over it shows the whole.
const LINES: usize = 4;
const LINES_ABOVE_OTHERS: usize = 2;
/// Others that are listed under the pointer; the log has all.
const LISTED: usize = 8;
/// Width of a plate and what of it stands beside the message, points.
const WIDTH: f32 = 336.0;
const BESIDE: f32 = 64.0;

impl Toasts {
    /// Takes what is new in `notices` and draws what is not over yet, in the lower right corner of `room`; answers whether all of it is
    /// to be seen in the log.
    pub fn ui(&mut self, ctx: &egui::Context, notices: &mut Notices, room: Rect) -> bool {
        let now = ctx.input(|input| input.time);
        self.wait(ctx, now);
        for notice in notices.take_new() {
            self.add(notice, now);
        }
        notices.take_over().iter().for_each(|error| self.end(error));
        self.forget(now);
        if let Some(next) = self.shown.iter().filter_map(|toast| toast.until).min_by(f64::total_cmp) {
            ctx.request_repaint_after_secs((next - now) as f32);
        }
        if self.shown.is_empty() {
            return false;
        }
        let area = Area::new(Id::new("toasts")).order(Order::Middle).pivot(Align2::RIGHT_BOTTOM);
        let drawn = area.fixed_pos(room.max - Vec2::splat(theme::LARGE)).show(ctx, |ui| {
            ui.spacing_mut().item_spacing.y = theme::MEDIUM;
            let clicked = |plate: &Plate| (plate.newest.notice.severity, plate.ui(ui));
            self.plates().iter().map(clicked).collect::<Vec<_>>()
        });
        let clicked = drawn.inner;
        let closes = |severity| clicked.iter().any(|&(each, clicked)| each == severity && clicked.closes);
        self.shown.retain(|toast| !closes(toast.notice.severity));
        clicked.iter().any(|(_, clicked)| clicked.shows_all)
    }

    /// Lets no time pass for what a dialog covers.
    fn wait(&mut self, ctx: &egui::Context, now: f64) {
        let passed = now - std::mem::replace(&mut self.seen, now);
        if ctx.memory(|memory| memory.top_modal_layer().is_some()) {
            self.shown.iter_mut().filter_map(|toast| toast.until.as_mut()).for_each(|until| *until += passed);
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

    /// Drops what is over.
    fn forget(&mut self, now: f64) {
        self.shown.retain(|toast| toast.until.is_none_or(|until| until > now));
    }

    /// One plate for each severity of which something is shown, that of the newest message last.
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

impl Plate<'_> {
    fn ui(&self, ui: &mut Ui) -> Clicked {
        let notice = &self.newest.notice;
        let tokens = theme::of(ui);
        let (icon, color) = mark(notice.severity, tokens);
        let frame = egui::Frame::popup(ui.style()).fill(tokens.raised).inner_margin(egui::Margin::symmetric(12, 8));
        let shown = frame.show(ui, |ui| {
            ui.set_width(WIDTH);
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

    /// The newest message, where its files are and how many others there are; answers whether all are to be seen.
    fn words(&self, ui: &mut Ui) -> bool {
        ui.set_width(WIDTH - BESIDE);
        let lines = if self.others.is_empty() { LINES } else { LINES_ABOVE_OTHERS };
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

    fn others_ui(&self, ui: &mut Ui, count: usize) -> Response {
        let more = ui.link(tr_with("toast.more", &[("count", count.to_string())]));
        more.on_hover_ui(|ui| {
            for toast in self.others.iter().take(LISTED) {
                ui.add(Label::new(toast.text()).wrap());
            }
            widgets::caption(ui, tr("tip.toast_more"));
        })
    }
}

/// The message in so many lines at most; the pointer over one that has more shows the whole.
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
    fn what_matters_alike_is_one_plate_with_its_newest_message() {
        let mut toasts = Toasts::default();
        let said = [
            (Severity::Warning, "No normals."),
            (Severity::Done, "Exported."),
            (Severity::Warning, "No unit."),
            (Severity::Warning, "No unit."),
            (Severity::Warning, "No roles."),
        ];
        said.iter().for_each(|&(severity, text)| toasts.add(notice(severity, text), 0.0));
        let told = |toasts: &Toasts| -> Vec<(String, Vec<String>)> {
            let of = |plate: Plate| (plate.newest.text(), plate.others.iter().map(|toast| toast.text()).collect());
            toasts.plates().into_iter().map(of).collect()
        };
        let others = vec!["No unit. (×2)".to_owned(), "No normals.".to_owned()];
        assert_eq!(told(&toasts), [("Exported.".to_owned(), vec![]), ("No roles.".to_owned(), others)]);
        toasts.forget(5.0);
        assert_eq!(told(&toasts).len(), 1, "what is done is over sooner");
    }

    #[test]
    fn the_same_words_at_another_level_are_another_message() {
        let mut toasts = Toasts::default();
        toasts.add(notice(Severity::Info, "Saved."), 0.0);
        toasts.add(notice(Severity::Error, "Saved."), 0.0);
        assert_eq!(toasts.shown.len(), 2);
    }
}
