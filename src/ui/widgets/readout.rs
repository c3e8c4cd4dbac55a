//! Readouts: result figures with a rating colour that can jump to the moment they come from.

use egui::{RichText, Sense, Ui, WidgetInfo, WidgetType};

use crate::i18n::tr;
use crate::theme::{self, Tokens};
use portamento_base::message::Moment;

/// A displayed number with its rating colour.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The number with its unit.
    pub text: String,
    /// Colour of the number.
    pub color: egui::Color32,
}

impl Figure {
    /// Returns a figure with `text` in `color`.
    pub fn new(text: impl Into<String>, color: egui::Color32) -> Self {
        Self { text: text.into(), color }
    }

    /// Returns a dim dash for a value that was not measured.
    pub fn unmeasured(tokens: &Tokens) -> Self {
        Self::new("–", tokens.dim)
    }

    /// Returns a green figure if `is_good`, else one in the colour `bad`.
    pub fn judged(tokens: &Tokens, text: impl Into<String>, is_good: bool, bad: egui::Color32) -> Self {
        Self::new(text, if is_good { tokens.ok } else { bad })
    }
}

/// A figure with its label.
#[derive(Clone, Debug)]
pub struct Readout<'k> {
    /// Label key: `outcome.KEY` is the name, `tip.outcome_KEY` the tooltip.
    pub key: &'k str,
    /// The figure.
    pub figure: Figure,
    /// The moment it comes from, if any.
    pub moment: Option<Moment>,
}

impl<'k> Readout<'k> {
    /// Returns a readout with `text` in `color` under `key`.
    pub fn new(key: &'k str, text: impl Into<String>, color: egui::Color32) -> Self {
        Self::of(key, Figure::new(text, color))
    }

    /// Returns a readout with `figure` under `key`.
    pub fn of(key: &'k str, figure: Figure) -> Self {
        Self { key, figure, moment: None }
    }

    /// Sets the moment it comes from.
    pub fn at(self, moment: Option<Moment>) -> Self {
        Self { moment, ..self }
    }
}

/// Draws readouts side by side in as many rows as needed, with names above and tooltips. Returns the moment of the clicked one;
/// `None` if none was clicked or it has no moment.
pub fn readouts(ui: &mut Ui, values: &[Readout]) -> Option<Moment> {
    let tokens = theme::of(ui);
    let mut asked = None;
    egui::Frame::new().fill(tokens.window).corner_radius(theme::RADIUS).inner_margin(8).show(ui, |ui| {
        let text_width = |text: String, font| ui.painter().layout_no_wrap(text, font, tokens.text).size().x;
        let width = |value: &Readout| {
            let name = text_width(tr(&format!("outcome.{}", value.key)), theme::caption());
            text_width(value.figure.text.clone(), theme::strong()).max(name)
        };
        let (widest, gap) = (values.iter().map(width).fold(1.0, f32::max), ui.spacing().item_spacing.x);
        let fitting = (((ui.available_width() + gap) / (widest + gap)) as usize).max(1);
        let rows = values.len().div_ceil(fitting).max(1);
        // Rows of similar length: five readouts are split 3 + 2, not 4 + 1.
        let columns = values.len().div_ceil(rows).max(1);
        for row in values.chunks(columns) {
            ui.columns(columns, |columns| {
                for (column, value) in columns.iter_mut().zip(row) {
                    let is_clicked = readout(column, value);
                    asked = value.moment.filter(|_| is_clicked).or(asked);
                }
            });
        }
    });
    asked
}

/// Draws one readout, underlined if it has a moment. Returns true if it has one and was clicked.
fn readout(ui: &mut Ui, value: &Readout) -> bool {
    let Readout { key, figure, moment } = value;
    ui.spacing_mut().item_spacing.y = 1.0;
    let title = tr(&format!("outcome.{key}"));
    let name = RichText::new(&title).font(theme::caption()).color(theme::of(ui).dim);
    ui.add(egui::Label::new(name).truncate());
    let mut number = RichText::new(&figure.text).font(theme::strong()).color(figure.color);
    if moment.is_some() {
        number = number.underline();
    }
    ui.add(egui::Label::new(number).extend());
    // The tooltip also covers the space around name and number.
    let tip = tr(&format!("tip.outcome_{key}"));
    if moment.is_none() {
        ui.interact(ui.min_rect(), ui.id().with(key), Sense::hover()).on_hover_text(tip);
        return false;
    }
    let response = ui.interact(ui.min_rect(), ui.id().with(key), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, format!("{title} {}", figure.text)));
    response.on_hover_text(go_to_tip(&tip)).on_hover_cursor(egui::CursorIcon::PointingHand).clicked()
}

/// Returns `tip` with a second line that explains the jump to the moment.
pub fn go_to_tip(tip: &str) -> String {
    format!("{tip}\n{}", tr("tip.go_to_warning"))
}
