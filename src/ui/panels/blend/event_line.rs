//! One row of an event list: name, time and remove button.

use egui::{RichText, Sense, Ui, Vec2};
use egui_material_icons::icons::ICON_DELETE;

use crate::i18n::tr;
use crate::widgets::number::{Field, Unit, number};
use crate::{theme, widgets};
use portamento_blend::Action;

/// The data of one event row.
pub(super) struct EventLine<'e> {
    /// Display name of the event's action or state.
    pub name: String,
    /// Action that determines the colour of the dot.
    pub action: Action,
    /// Time of the event, seconds.
    pub time: &'e mut f64,
    /// True if the event is expanded below its row.
    pub on: bool,
}

/// User input on an event row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineAnswer {
    Clicked,
    Removed,
}

/// Width of the time field, points.
const TIME_WIDTH: f32 = 76.0;

impl EventLine<'_> {
    /// Draws the line and edits the time. Returns a click on the name or on the remove button.
    pub fn ui(self, ui: &mut Ui) -> Option<LineAnswer> {
        let Self { name, action, time, on } = self;
        let tokens = theme::of(ui);
        let row = ui.horizontal(|ui| {
            let (dot, _) = ui.allocate_exact_size(Vec2::new(12.0, theme::ROW), Sense::hover());
            ui.painter().circle_filled(dot.center(), 4.0, theme::action(action, tokens));
            let room = ui.available_width() - theme::ROW - 2.0 * theme::GAP_MEDIUM - TIME_WIDTH;
            let text = if on { RichText::new(&name).font(theme::strong()) } else { RichText::new(&name) };
            let left = egui::Layout::top_down_justified(egui::Align::LEFT);
            let size = Vec2::new(room.max(40.0), theme::ROW);
            let button = egui::Button::selectable(on, text).truncate();
            let response = ui.allocate_ui_with_layout(size, left, |ui| ui.add(button)).inner;
            let field = Field::new(Unit::Seconds).within(0.0, 600.0).with_width(TIME_WIDTH);
            number(ui, &format!("{name}: {}", tr("form.event_time")), time, field);
            let remove = widgets::icon_button(ui, ICON_DELETE, &format!("{}: {name}", tr("events.remove")));
            let answer = response.clicked().then_some(LineAnswer::Clicked);
            if remove.clicked() { Some(LineAnswer::Removed) } else { answer }
        });
        row.inner
    }
}
