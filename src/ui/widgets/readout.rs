//! Figures: how something went, in numbers whose colour says how good that is, and which lead to the moment they come from.

use egui::{RichText, Sense, Ui, WidgetInfo, WidgetType};

use crate::message::Moment;
use crate::ui::i18n::tr;
use crate::ui::theme::{self, Tokens};

/// A number as it is shown, in a colour that says how good it is.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The number with its unit.
    pub text: String,
    /// The colour of the number.
    pub color: egui::Color32,
}

impl Figure {
    /// `text` in `color`.
    pub fn new(text: impl Into<String>, color: egui::Color32) -> Self {
        Self { text: text.into(), color }
    }

    /// A dim dash: nothing was measured.
    pub fn unmeasured(tokens: &Tokens) -> Self {
        Self::new("–", tokens.dim)
    }

    /// Green where it is good, in the colour `bad` where it is not.
    pub fn judged(tokens: &Tokens, text: impl Into<String>, is_good: bool, bad: egui::Color32) -> Self {
        Self::new(text, if is_good { tokens.ok } else { bad })
    }
}

/// A figure with its name.
#[derive(Clone, Debug)]
pub struct Readout<'k> {
    /// `outcome.KEY` is its name, `tip.outcome_KEY` what it means.
    pub key: &'k str,
    /// What it says.
    pub figure: Figure,
    /// The moment that it comes from, where it comes from one.
    pub moment: Option<Moment>,
}

impl<'k> Readout<'k> {
    /// `text` in `color` under `key`.
    pub fn new(key: &'k str, text: impl Into<String>, color: egui::Color32) -> Self {
        Self::of(key, Figure::new(text, color))
    }

    /// `figure` under `key`.
    pub fn of(key: &'k str, figure: Figure) -> Self {
        Self { key, figure, moment: None }
    }

    /// The same, coming from `moment`.
    pub fn at(self, moment: Option<Moment>) -> Self {
        Self { moment, ..self }
    }
}

/// Numbers that say how something went, side by side, in as many rows as they need: `outcome.KEY` over each, `tip.outcome_KEY`
/// on hover. Answers the moment of the one that was clicked.
pub fn readouts(ui: &mut Ui, values: &[Readout]) -> Option<Moment> {
    let tokens = theme::of(ui);
    let mut asked = None;
    egui::Frame::new().fill(tokens.window).corner_radius(theme::RADIUS).inner_margin(8).show(ui, |ui| {
        let long = |text: String, font| ui.painter().layout_no_wrap(text, font, tokens.text).size().x;
        let width = |value: &Readout| {
            let name = long(tr(&format!("outcome.{}", value.key)), theme::caption());
            long(value.figure.text.clone(), theme::strong()).max(name)
        };
        let (widest, gap) = (values.iter().map(width).fold(1.0, f32::max), ui.spacing().item_spacing.x);
        let fitting = (((ui.available_width() + gap) / (widest + gap)) as usize).max(1);
        let rows = values.len().div_ceil(fitting).max(1);
        // Rows of like length: five numbers are three and two, not four and one.
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

/// Draws one; answers whether it was clicked and leads somewhere.
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
    // Name, number and the room beside them tell alike.
    let tip = tr(&format!("tip.outcome_{key}"));
    if moment.is_none() {
        ui.interact(ui.min_rect(), ui.id().with(key), Sense::hover()).on_hover_text(tip);
        return false;
    }
    let whole = ui.interact(ui.min_rect(), ui.id().with(key), Sense::click());
    whole.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, format!("{title} {}", figure.text)));
    whole.on_hover_text(go_to_tip(&tip)).on_hover_cursor(egui::CursorIcon::PointingHand).clicked()
}

/// `tip` of a figure that leads to its moment.
pub fn go_to_tip(tip: &str) -> String {
    format!("{tip}\n{}", tr("tip.go_to_warning"))
}
