//! One event in a list: what it does, when, and the way to take it out.

use egui::{RichText, Sense, Ui, Vec2};
use egui_material_icons::icons::ICON_DELETE;

use crate::systems::blend::Action;
use crate::ui::i18n::tr;
use crate::ui::widgets::number::{Field, Unit, number};
use crate::ui::{theme, widgets};

/// An event as its line shows it.
pub(super) struct EventLine<'e> {
    /// What it does, in a word.
    pub name: String,
    /// Whose colour it has.
    pub action: Action,
    /// When it happens, seconds.
    pub time: &'e mut f64,
    /// Whether it is shown in full below.
    pub on: bool,
}

/// What was done to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineAnswer {
    Clicked,
    Removed,
}

/// Width of the time, points.
const TIME: f32 = 76.0;

impl EventLine<'_> {
    /// Draws the line.
    pub fn ui(self, ui: &mut Ui) -> Option<LineAnswer> {
        let Self { name, action, time, on } = self;
        let tokens = theme::of(ui);
        let row = ui.horizontal(|ui| {
            let (dot, _) = ui.allocate_exact_size(Vec2::new(12.0, theme::ROW), Sense::hover());
            ui.painter().circle_filled(dot.center(), 4.0, theme::action(action, tokens));
            let room = ui.available_width() - theme::ROW - 2.0 * theme::MEDIUM - TIME;
            let text = if on { RichText::new(&name).font(theme::strong()) } else { RichText::new(&name) };
            let left = egui::Layout::top_down_justified(egui::Align::LEFT);
            let size = Vec2::new(room.max(40.0), theme::ROW);
            let button = egui::Button::selectable(on, text).truncate();
            let response = ui.allocate_ui_with_layout(size, left, |ui| ui.add(button)).inner;
            let field = Field::new(Unit::Seconds).within(0.0, 600.0).wide(TIME);
            number(ui, &format!("{name}: {}", tr("form.event_time")), time, field);
            let remove = widgets::icon_button(ui, ICON_DELETE, &format!("{}: {name}", tr("events.remove")));
            let answer = response.clicked().then_some(LineAnswer::Clicked);
            if remove.clicked() { Some(LineAnswer::Removed) } else { answer }
        });
        row.inner
    }
}
