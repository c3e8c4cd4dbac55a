//! Filter field above a long list. Only matching rows are shown, and Enter takes the first.

use egui::text::{CCursor, CCursorRange};
use egui::{Event, FocusDirection, Id, Key, Modifiers, Response, TextEdit, Ui};

use crate::i18n::tr;
use crate::widgets::{form, text_field};

/// Number of rows from which a list has a filter.
const MIN_ROWS: usize = 10;

/// The filter text of a list.
#[derive(Debug, Default)]
pub struct Filter {
    /// Words in lower case.
    words: Vec<String>,
    /// True if Enter was pressed to take the first matching row.
    pub is_entered: bool,
}

impl Filter {
    /// Draws the field if the list has at least [`MIN_ROWS`] rows; with fewer, every row matches. `rows` is their number. The
    /// text is cleared whenever the list opens. Typing anywhere in the list goes into the field.
    pub fn show(ui: &mut Ui, rows: usize) -> Self {
        if rows < MIN_ROWS {
            return Self::default();
        }
        let (id, now) = (ui.id().with("filter"), ui.ctx().cumulative_frame_nr());
        let (last, mut text): (u64, String) = ui.data(|data| data.get_temp(id)).unwrap_or_default();
        if last + 1 < now {
            text.clear();
        }
        let field = id.with("field");
        redirect_typing(ui, field, &mut text);
        let hint = tr("outliner.filter");
        let response = ui.add(text_field(&mut text, &hint).id(field).desired_width(f32::INFINITY));
        let response = form::with_name(response, &hint);
        let is_entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        focus_list_on_down(ui, &response);
        ui.data_mut(|data| data.insert_temp(id, (now, text.clone())));
        Self { words: text.to_lowercase().split_whitespace().map(str::to_owned).collect(), is_entered }
    }

    /// True if `name` contains all words of the filter, in any order and case.
    pub fn fits(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.words.iter().all(|word| name.contains(word))
    }
}

/// Appends text typed while another widget has focus to `text` and focuses `field`. White space alone still presses the row.
fn redirect_typing(ui: &Ui, field: Id, text: &mut String) {
    if ui.memory(|memory| memory.has_focus(field)) {
        return;
    }
    let typed = |event: &Event| if let Event::Text(typed) = event { Some(typed.clone()) } else { None };
    let typed: String = ui.input(|input| input.events.iter().filter_map(typed).collect());
    if typed.trim().is_empty() {
        return;
    }
    text.push_str(&typed);
    ui.input_mut(|input| input.events.retain(|event| !matches!(event, Event::Text(_))));
    ui.memory_mut(|memory| memory.request_focus(field));
    let mut state = TextEdit::load_state(ui.ctx(), field).unwrap_or_default();
    state.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(text.chars().count()))));
    state.store(ui.ctx(), field);
}

/// Moves the focus from the field to the next widget on arrow down.
fn focus_list_on_down(ui: &Ui, field: &Response) {
    if field.has_focus() && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::ArrowDown)) {
        ui.memory_mut(|memory| memory.move_focus(FocusDirection::Next));
    }
}
