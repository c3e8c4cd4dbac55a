//! Every command by its name: type a part of it, Enter.

use egui::{Align2, Area, Id, Key, Order, RichText, ScrollArea, TextEdit, Ui, Vec2};

use super::dock::Panel;
use super::i18n::tr;
use super::workspace::{WORKSPACES, Workspace};
use super::{shortcuts, theme, widgets};
use crate::session::command::{self, CommandEntry};
use crate::session::{Command, Session, Shown};

/// The open palette.
#[derive(Debug, Default)]
pub struct Palette {
    query: String,
    chosen: usize,
}

/// One thing to choose.
struct Item {
    label: String,
    keys: String,
    outcome: Outcome,
}

/// What the palette wants after this frame.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// Stays open for more typing.
    Open,
    /// Closes without doing anything.
    Close,
    /// Closes and carries out the command.
    Perform(Command),
    /// Closes and shows something else.
    Show(Shown),
    /// Closes and arranges the panels for another kind of work.
    Arrange(Workspace),
    /// Closes and brings a panel to the front.
    ShowPanel(Panel),
}

impl Palette {
    /// Draws the palette above everything.
    pub fn ui(&mut self, ctx: &egui::Context, session: &Session) -> Outcome {
        let keys = |key| ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, key));
        if keys(Key::Escape) {
            return Outcome::Close;
        }
        let step = i64::from(keys(Key::ArrowDown)) - i64::from(keys(Key::ArrowUp));
        self.chosen = self.chosen.saturating_add_signed(step as isize);
        let enter = keys(Key::Enter);
        let area = Area::new(Id::new("palette")).order(Order::Foreground);
        let shown = area.anchor(Align2::CENTER_TOP, Vec2::new(0.0, 72.0)).show(ctx, |ui| {
            egui::Frame::popup(ui.style()).inner_margin(8).show(ui, |ui| self.contents(ui, session, enter)).inner
        });
        let outside = ctx.input(|input| {
            input.pointer.any_pressed()
                && input.pointer.interact_pos().is_some_and(|at| !shown.response.rect.contains(at))
        });
        match shown.inner {
            Some(item) => item.outcome,
            None if outside => Outcome::Close,
            None => Outcome::Open,
        }
    }

    /// The field and what it finds; answers what was clicked, or stands chosen when `enter` is pressed.
    fn contents(&mut self, ui: &mut Ui, session: &Session, enter: bool) -> Option<Item> {
        ui.set_width(480.0);
        self.field(ui);
        // Of what was typed up to this frame: Enter may come with the last letters.
        let items = found(&self.query, session);
        self.chosen = self.chosen.min(items.len().saturating_sub(1));
        ui.add_space(theme::SMALL);
        if items.is_empty() {
            ui.label(RichText::new(tr("palette.nothing")).color(theme::of(ui).dim));
        }
        let mut taken = enter.then_some(self.chosen);
        ScrollArea::vertical().max_height(336.0).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (at, item) in items.iter().enumerate() {
                if row(ui, item, at == self.chosen).clicked() {
                    taken = Some(at);
                }
            }
        });
        items.into_iter().nth(taken?)
    }

    fn field(&mut self, ui: &mut Ui) {
        let id = ui.id().with("query");
        // Before it is drawn: letters may come in the frame in which it is opened.
        ui.memory_mut(|memory| memory.request_focus(id));
        let edit = TextEdit::singleline(&mut self.query).id(id).hint_text(tr("palette.hint"));
        let field = ui.add(edit.desired_width(f32::INFINITY).margin(egui::Margin::symmetric(8, 5)));
        widgets::form::called(field.clone(), &tr("palette.hint"));
        if field.changed() {
            self.chosen = 0;
        }
    }
}

fn row(ui: &mut Ui, item: &Item, chosen: bool) -> egui::Response {
    let tokens = theme::of(ui);
    let keys = RichText::new(&item.keys).color(tokens.dim);
    let fill = if chosen { ui.visuals().selection.bg_fill } else { egui::Color32::TRANSPARENT };
    let button = egui::Button::new(&item.label).shortcut_text(keys).fill(fill).stroke(egui::Stroke::NONE);
    let response = ui.add(button.min_size(Vec2::new(ui.available_width(), 26.0)));
    if chosen {
        response.scroll_to_me(None);
    }
    response
}

/// The entries whose label or English name holds every word of `query`: commands, workspaces, panels, takes.
fn found(query: &str, session: &Session) -> Vec<Item> {
    let words: Vec<String> = query.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let fits = |text: &str| words.iter().all(|word| text.contains(word.as_str()));
    let commands = command::catalogue().into_iter().filter_map(|entry| {
        let keys = shortcuts::keys_of(&entry);
        let CommandEntry { command, name, .. } = entry;
        let label = tr(&format!("command.{name}"));
        let text = format!("{} {}", label.to_lowercase(), name.replace('_', " "));
        let keys = keys.first().map(|keys| shortcuts::shown(keys)).unwrap_or_default();
        fits(&text).then_some(Item { label, keys, outcome: Outcome::Perform(command) })
    });
    let takes = session.document.takes.iter().filter(|take| fits(&take.name.to_lowercase())).map(|take| Item {
        label: take.name.clone(),
        keys: tr("palette.take"),
        outcome: Outcome::Show(Shown::Take(take.id)),
    });
    let workspaces =
        WORKSPACES.into_iter().map(|(workspace, name)| place("workspace", name, Outcome::Arrange(workspace)));
    let panels = Panel::ALL.into_iter().map(|panel| place("panel", panel.name(), Outcome::ShowPanel(panel)));
    let fits_place = |item: &Item| fits(&format!("{} {}", item.label.to_lowercase(), item.keys.to_lowercase()));
    let places = workspaces.chain(panels).filter(fits_place);
    commands.chain(places).chain(takes).collect()
}

/// A workspace or a panel.
fn place(kind: &str, name: &str, outcome: Outcome) -> Item {
    Item { label: tr(&format!("{kind}.{name}")), keys: tr(&format!("palette.{kind}")), outcome }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_any_order_find_a_command_by_label_or_name() {
        let session = Session::inline();
        let labels = |query: &str| found(query, &session).len();
        assert_eq!(labels(""), command::catalogue().len() + WORKSPACES.len() + Panel::ALL.len());
        assert_eq!(labels("frame next"), 1);
        assert!(found("stretch", &session).iter().any(|item| item.outcome == Outcome::Arrange(Workspace::Stretch)));
        assert_eq!(labels("no such thing"), 0);
        for words in ["make it a tree of its own", "blend space tree", "close this motion", "retime", "mirror this"] {
            assert_eq!(labels(words), 1, "{words}");
        }
    }
}
