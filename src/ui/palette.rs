//! Every command by its name: type a part of it, Enter. With nothing typed those that were chosen last come first.

use egui::{Align2, Area, Id, Key, Order, RichText, ScrollArea, TextEdit, Ui, Vec2};

use super::dock::Panel;
use super::i18n::{english, tr};
use super::offer::{Act, Change};
use super::workspace::{WORKSPACES, Workspace};
use super::{offer, shortcuts, theme, widgets};
use portamento_session::command::{self, CommandEntry};
use portamento_session::{Command, FileCommand, Session, Shown, WindowCommand};

/// The open palette.
#[derive(Debug, Default)]
pub struct Palette {
    query: String,
    chosen: usize,
}

/// Height of the list, points.
const HIGHEST: f32 = 336.0;

/// One thing to choose.
struct Item {
    /// What it is known by from one start to the next; empty for what is only there now.
    key: String,
    label: String,
    /// What it is found by, in small letters.
    words: String,
    /// Its keys, or what kind of thing it is.
    keys: String,
    /// Whether it is told to be the one that was chosen last.
    is_recent: bool,
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
    /// Closes and makes the change.
    Change(Change),
    /// Closes and shows something else.
    Show(Shown),
    /// Closes and arranges the panels for another kind of work.
    Arrange(Workspace),
    /// Closes and brings a panel to the front.
    ShowPanel(Panel),
}

impl Palette {
    /// Draws the palette above everything.
    pub fn ui(&mut self, ctx: &egui::Context, session: &mut Session) -> Outcome {
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
            Some(item) => {
                if item.may_be_repeated() {
                    session.preferences.remember_command(&item.key);
                }
                item.outcome
            }
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
        // As high at once as it may be: else what a few words left of the list last time would be all that is seen of it.
        ScrollArea::vertical().max_height(HIGHEST).min_scrolled_height(HIGHEST).show(ui, |ui| {
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
    let keys = if item.is_recent { tr("palette.recent") + "   " + &item.keys } else { item.keys.clone() };
    let keys = RichText::new(keys.trim_end()).color(tokens.dim);
    let fill = if chosen { ui.visuals().selection.bg_fill } else { egui::Color32::TRANSPARENT };
    let button = egui::Button::new(&item.label).shortcut_text(keys).fill(fill).stroke(egui::Stroke::NONE);
    let response = ui.add(button.min_size(Vec2::new(ui.available_width(), 26.0)));
    if chosen {
        response.scroll_to_me(None);
    }
    response
}

impl Item {
    /// What is only there now.
    fn new(label: String, keys: String, outcome: Outcome) -> Self {
        Self { key: String::new(), words: label.to_lowercase(), label, keys, is_recent: false, outcome }
    }

    /// Found by the words of this `name` too.
    fn also_called(self, name: &str) -> Self {
        let words = format!("{} {}", self.words, name.replace(['.', '_'], " ").to_lowercase());
        Self { words, ..self }
    }

    /// Whether it may come first when nothing is typed: not where Enter would then leave the project.
    fn may_be_repeated(&self) -> bool {
        let leaves = matches!(
            self.outcome,
            Outcome::Perform(
                Command::File(FileCommand::New | FileCommand::OpenSamples) | Command::Window(WindowCommand::Quit)
            )
        );
        !self.key.is_empty() && !leaves
    }
}

/// The entries that hold every word of `query`, those in which each begins a word first. Where nothing is asked for, those that were
/// chosen last are first, then help.
fn found(query: &str, session: &Session) -> Vec<Item> {
    let words: Vec<String> = query.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let mut items = all(session);
    items.retain(|item| words.iter().all(|word| item.words.contains(word.as_str())));
    let begins = |item: &Item, word: &str| item.words.split_whitespace().any(|each| each.starts_with(word));
    items.sort_by_key(|item| !words.iter().all(|word| begins(item, word)));
    if words.is_empty() {
        put_first(&mut items, &session.preferences.chosen_commands);
    }
    items
}

/// Commands, workspaces, panels, what the panels offer, takes.
fn all(session: &Session) -> Vec<Item> {
    let commands = command::catalogue().into_iter().map(of_command);
    let workspaces =
        WORKSPACES.into_iter().map(|(workspace, name)| place("workspace", name, Outcome::Arrange(workspace)));
    let panels = Panel::ALL.into_iter().map(|panel| place("panel", panel.name(), Outcome::ShowPanel(panel)));
    let offers = offer::offers(session).into_iter().map(|(of, offer)| {
        let outcome = match offer.act {
            Act::Command(command) => Outcome::Perform(command),
            Act::Change(change) => Outcome::Change(change),
        };
        let item = Item::new(offer.label, tr(&format!("palette.{of}")), outcome);
        item.also_called(offer.key).also_called(english(offer.key))
    });
    let takes = session.document.takes.iter();
    let takes = takes.map(|take| Item::new(take.name.clone(), tr("palette.take"), Outcome::Show(Shown::Take(take.id))));
    commands.chain(workspaces).chain(panels).chain(offers).chain(takes).collect()
}

/// Puts those of the keys `recent` first, in that order, then what does nothing but tell.
fn put_first(items: &mut [Item], recent: &[String]) {
    let rank = |key: &str| recent.iter().position(|each| each == key);
    items.iter_mut().for_each(|item| item.is_recent = !item.key.is_empty() && rank(&item.key).is_some());
    items.sort_by_key(|item| match item.is_recent {
        true => rank(&item.key).unwrap_or_default(),
        false if item.outcome == Outcome::Perform(Command::Window(WindowCommand::Help)) => recent.len(),
        false => recent.len() + 1,
    });
    // Said once: those below it are so too.
    items.iter_mut().skip(1).for_each(|item| item.is_recent = false);
}

fn of_command(entry: CommandEntry) -> Item {
    let keys = shortcuts::keys_of(&entry).first().map(|keys| shortcuts::shown(keys)).unwrap_or_default();
    let CommandEntry { command, name, .. } = entry;
    let label = format!("command.{name}");
    let item = Item::new(tr(&label), keys, Outcome::Perform(command));
    Item { key: name.to_owned(), ..item.also_called(name).also_called(english(&label)) }
}

/// A workspace or a panel, found by what it is too.
fn place(kind: &str, name: &str, outcome: Outcome) -> Item {
    let (key, kind) = (format!("{kind}.{name}"), tr(&format!("palette.{kind}")));
    let item = Item::new(tr(&key), kind.clone(), outcome);
    let item = item.also_called(&kind).also_called(english(&key));
    Item { key, ..item }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_any_order_find_a_command_by_label_or_name() {
        let session = Session::inline();
        let labels = |query: &str| found(query, &session).len();
        let always = command::catalogue().len() + WORKSPACES.len() + Panel::ALL.len();
        assert_eq!(labels(""), always + offer::offers(&session).len());
        assert_eq!(labels("frame next"), 1);
        assert!(found("stretch", &session).iter().any(|item| item.outcome == Outcome::Arrange(Workspace::Stretch)));
        assert_eq!(labels("no such thing"), 0);
        for words in ["convert to graph", "blend space node", "close stage", "retime", "mirror stage"] {
            assert_eq!(labels(words), 1, "{words}");
        }
    }

    #[test]
    fn what_begins_with_the_typed_letters_is_before_what_has_them_inside() {
        let found = found("tag", &Session::inline());
        let labels: Vec<&str> = found.iter().map(|item| &*item.label).collect();
        let place = |name: &str| labels.iter().position(|label| *label == tr(name));
        assert!(place("command.clips_tag") < place("command.clips_stages"), "{labels:?}");
        assert!(place("command.clips_stages").is_some());
    }
}
