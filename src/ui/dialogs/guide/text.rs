//! Lines of text with links and labels.

use egui::{CursorIcon, FontId, RichText, Ui};

use super::Click;
use super::draw::Drawing;
use crate::i18n::tr;
use crate::theme;
use portamento_guide::{Address, Language, Span, SpanStyle};

impl Drawing<'_> {
    /// Draws a paragraph in `font`.
    pub(super) fn line(&mut self, ui: &mut Ui, spans: &[Span], font: &FontId) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            spans.iter().for_each(|span| self.span(ui, span, font));
        });
    }

    fn span(&mut self, ui: &mut Ui, span: &Span, font: &FontId) {
        let tokens = theme::of(ui);
        let link = span.link.as_deref().and_then(|link| Address::of_link(link, self.address.page, self.language));
        let is_quoted = span.style == SpanStyle::Label && self.language == Language::Chinese;
        let text = if is_quoted { format!("“{}”", span.text) } else { span.text.clone() };
        let text = match span.style {
            SpanStyle::Plain => RichText::new(text).font(font.clone()),
            SpanStyle::Strong | SpanStyle::Label => RichText::new(text).font(FontId::new(font.size, theme::medium())),
            SpanStyle::Code => RichText::new(text).font(font.clone()).background_color(tokens.window),
        };
        if let Some(address) = link {
            if ui.link(text).clicked() {
                self.click = Some(Click::Go(address));
            }
            return;
        }
        let shown = self.shows.of(&span.text).filter(|_| span.style == SpanStyle::Label);
        let Some(shown) = shown else {
            ui.label(text);
            return;
        };
        let response = ui.link(text.color(tokens.accent)).on_hover_text(tr("guide.show"));
        if response.on_hover_cursor(CursorIcon::PointingHand).clicked() {
            self.click = Some(Click::Show(shown.clone()));
        }
    }
}
