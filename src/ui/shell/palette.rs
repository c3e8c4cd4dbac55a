//! The command palette: type part of a name, then Enter. An empty query lists recent commands first.

use egui::{Align2, Area, Id, Key, Order, RichText, ScrollArea, TextEdit, Ui, Vec2};

use super::dock::Panel;
use super::offer::{Act, Change, Offer};
use super::shortcuts;
use super::workspace::{WORKSPACES, Workspace};
use crate::i18n::{english, in_every_language, tr};
use crate::panels::sources::{cloth, retarget};
use crate::panels::stages::retime;
use crate::panels::{blend, clips, dynamics, objects, outliner, painting, rig, stack, stretch, walk};
use crate::{graph, theme, widgets};
use portamento_session::command::{self, CommandEntry};
use portamento_session::{Command, FileCommand, Session, Shown, WindowCommand};

/// The open palette.
#[derive(Debug, Default)]
pub struct Palette {
    query: String,
    /// Index of the highlighted entry.
    chosen: usize,
}

/// Height of the list, points.
const MAX_HEIGHT: f32 = 336.0;

/// One entry of the list.
struct Item {
    /// Permanent identifier for the list of recent commands; empty for temporary entries.
    key: String,
    label: String,
    /// Search text in lower case.
    words: String,
    /// Its shortcut, or the kind of item.
    keys: String,
    /// True if the entry is labelled "recent".
    is_recent: bool,
    outcome: Outcome,
}

/// The result of one frame.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// The palette stays open.
    Open,
    /// The palette closes without an action.
    Close,
    /// Closes and performs the command.
    Perform(Command),
    /// Closes and performs the edit.
    Change(Change),
    /// Closes and shows another item.
    Show(Shown),
    /// Closes and switches the workspace.
    Arrange(Workspace),
    /// Closes and activates a panel.
    ShowPanel(Panel),
}

impl Palette {
    /// Draws the palette over the window and handles its keys. A chosen command is added to the recent ones. Returns the user's
    /// choice; the caller carries it out.
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

    /// Draws the query field and the list. Returns the clicked entry, or the highlighted one if `enter` is pressed.
    fn contents(&mut self, ui: &mut Ui, session: &Session, enter: bool) -> Option<Item> {
        ui.set_width(480.0);
        self.field(ui);
        // Uses the query of the previous frame, because Enter may arrive together with the last letters.
        let items = matching_entries(&self.query, session);
        self.chosen = self.chosen.min(items.len().saturating_sub(1));
        ui.add_space(theme::GAP_SMALL);
        if items.is_empty() {
            ui.label(RichText::new(tr("palette.nothing")).color(theme::of(ui).dim));
        }
        let mut taken = enter.then_some(self.chosen);
        // Fixed height: otherwise a short list of the last query would limit this one.
        ScrollArea::vertical().max_height(MAX_HEIGHT).min_scrolled_height(MAX_HEIGHT).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (at, item) in items.iter().enumerate() {
                if row(ui, item, at == self.chosen).clicked() {
                    taken = Some(at);
                }
            }
        });
        items.into_iter().nth(taken?)
    }

    /// Draws the query field and gives it the keyboard focus. A changed query highlights the first entry.
    fn field(&mut self, ui: &mut Ui) {
        let id = ui.id().with("query");
        // Must precede drawing: letters may arrive in the frame in which the palette opens.
        ui.memory_mut(|memory| memory.request_focus(id));
        let edit = TextEdit::singleline(&mut self.query).id(id).hint_text(tr("palette.hint"));
        let field = ui.add(edit.desired_width(f32::INFINITY).margin(egui::Margin::symmetric(8, 5)));
        widgets::form::with_name(field.clone(), &tr("palette.hint"));
        if field.changed() {
            self.chosen = 0;
        }
    }
}

/// Draws a row of the list, and scrolls to it if it is `chosen`.
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
    /// Creates an entry that is not listed as recent. `keys` is the shortcut or kind at its right.
    fn new(label: String, keys: String, outcome: Outcome) -> Self {
        Self { key: String::new(), words: label.to_lowercase(), label, keys, is_recent: false, outcome }
    }

    /// Adds the words of `name` to the search text.
    fn also_called(self, name: &str) -> Self {
        let words = format!("{} {}", self.words, name.replace(['.', '_'], " ").to_lowercase());
        Self { words, ..self }
    }

    /// Adds the synonyms and symptoms of `search.KEY` in every language to the search text, if there are any.
    fn with_synonyms(self, key: &str) -> Self {
        in_every_language(&format!("search.{key}")).fold(self, Self::also_called)
    }

    /// True if the entry may be listed as recent: it has a key, and Enter would not leave the project.
    fn may_be_repeated(&self) -> bool {
        let leaves = matches!(
            self.outcome,
            Outcome::Perform(
                Command::File(FileCommand::New | FileCommand::OpenSamples | FileCommand::OpenLesson(_))
                    | Command::Window(WindowCommand::Quit)
            )
        );
        !self.key.is_empty() && !leaves
    }
}

/// Returns the entries that contain every word of `query`. The entry whose name is the query comes first, then those whose label
/// begins with it, then entries in which each word starts a word. An empty query lists recent commands first, then the guide.
fn matching_entries(query: &str, session: &Session) -> Vec<Item> {
    let words: Vec<String> = query.to_lowercase().replace('_', " ").split_whitespace().map(str::to_owned).collect();
    let name = words.join("_");
    let mut items = all_entries(session);
    items.retain(|item| words.iter().all(|word| item.words.contains(word.as_str())));
    let begins = |item: &Item, word: &str| item.words.split_whitespace().any(|each| each.starts_with(word));
    let is_named = |item: &Item| !name.is_empty() && item.key == name;
    let is_begun = |item: &Item| item.label.to_lowercase().starts_with(&words.join(" "));
    let starts = |item: &Item| words.iter().all(|word| begins(item, word));
    items.sort_by_key(|item| (!is_named(item), !is_begun(item), !starts(item)));
    if words.is_empty() {
        put_first(&mut items, &session.preferences.chosen_commands);
    }
    items
}

/// Returns all entries: commands, workspaces, panels, offers, takes.
fn all_entries(session: &Session) -> Vec<Item> {
    let commands = command::catalogue().into_iter().map(of_command);
    let workspaces =
        WORKSPACES.into_iter().map(|(workspace, name)| layout_item("workspace", name, Outcome::Arrange(workspace)));
    let panels = Panel::ALL.into_iter().map(|panel| layout_item("panel", panel.name(), Outcome::ShowPanel(panel)));
    let offers = offers(session).into_iter().map(|(of, offer)| {
        let outcome = match offer.act {
            Act::Command(command) => Outcome::Perform(command),
            Act::Change(change) => Outcome::Change(change),
        };
        let item = Item::new(offer.label, tr(&format!("palette.{of}")), outcome);
        item.also_called(offer.key).also_called(english(offer.key)).with_synonyms(offer.key)
    });
    let takes = session.document.takes.iter();
    let takes = takes.map(|take| Item::new(take.name.clone(), tr("palette.take"), Outcome::Show(Shown::Take(take.id))));
    commands.chain(workspaces).chain(panels).chain(offers).chain(takes).collect()
}

/// Moves the entries with the keys `recent` to the front in that order, followed by the guide. The first one is labelled “recent”.
fn put_first(items: &mut [Item], recent: &[String]) {
    let rank = |key: &str| recent.iter().position(|each| each == key);
    items.iter_mut().for_each(|item| item.is_recent = !item.key.is_empty() && rank(&item.key).is_some());
    items.sort_by_key(|item| match item.is_recent {
        true => rank(&item.key).unwrap_or_default(),
        false if item.outcome == Outcome::Perform(Command::Window(WindowCommand::Guide)) => recent.len(),
        false => recent.len() + 1,
    });
    // Only the first recent entry shows the label.
    items.iter_mut().skip(1).for_each(|item| item.is_recent = false);
}

/// Creates the entry of a command.
fn of_command(entry: CommandEntry) -> Item {
    let keys = shortcuts::keys_of(&entry).first().map(|keys| shortcuts::key_text(keys)).unwrap_or_default();
    let CommandEntry { command, name, .. } = entry;
    let label = format!("command.{name}");
    let item = Item::new(tr(&label), keys, Outcome::Perform(command));
    let item = item.also_called(name).also_called(english(&label)).with_synonyms(name);
    Item { key: name.to_owned(), ..item }
}

/// Creates the entry of the workspace or panel `name`, which is also found by its kind. `kind` is “workspace” or “panel”.
fn layout_item(kind: &str, name: &str, outcome: Outcome) -> Item {
    let (key, kind) = (format!("{kind}.{name}"), tr(&format!("palette.{kind}")));
    let item = Item::new(tr(&key), kind.clone(), outcome);
    let item = item.also_called(&kind).also_called(english(&key));
    Item { key, ..item }
}

/// Returns the offers of all panels. The first element is the item kind, used as `palette.KIND` in translations.
fn offers(session: &Session) -> Vec<(&'static str, Offer)> {
    type Offers = fn(&Session) -> Vec<Offer>;
    let panels: [(&str, Offers); 14] = [
        ("take", outliner::offers),
        ("take", retarget::offers),
        ("stage", stack::offers),
        ("stage", stretch::offers),
        ("stage", retime::offers),
        ("blend", blend::offers),
        ("blend", graph::offers),
        ("paint", painting::offers),
        ("cloth", cloth::offers),
        ("walk", walk::offers),
        ("dynamics", dynamics::offers),
        ("object", objects::offers),
        ("rig", rig::offers),
        ("library", clips::offers),
    ];
    panels.into_iter().flat_map(|(of, offers)| offers(session).into_iter().map(move |offer| (of, offer))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_any_order_find_a_command_by_label_or_name() {
        let session = Session::inline();
        let labels = |query: &str| matching_entries(query, &session).len();
        let always = command::catalogue().len() + WORKSPACES.len() + Panel::ALL.len();
        assert_eq!(labels(""), always + offers(&session).len());
        assert_eq!(labels("frame next"), 1);
        assert!(
            matching_entries("stretch", &session)
                .iter()
                .any(|item| item.outcome == Outcome::Arrange(Workspace::Stretch))
        );
        assert_eq!(labels("no such thing"), 0);
        for words in ["convert to graph", "blend space node", "close stage", "retime", "mirror stage"] {
            assert_eq!(labels(words), 1, "{words}");
        }
    }

    #[test]
    fn the_name_of_a_command_finds_it_first() {
        let session = Session::inline();
        for CommandEntry { name, command, .. } in command::catalogue() {
            assert_eq!(matching_entries(name, &session)[0].outcome, Outcome::Perform(command), "{name}");
        }
    }

    #[test]
    fn an_empty_query_lists_the_guide_and_commands_before_offers_of_panels() {
        let items = matching_entries("", &Session::inline());
        let first_offer = items.iter().position(|item| item.key.is_empty()).unwrap();
        assert_eq!(items[0].key, "guide");
        assert!(first_offer >= command::catalogue().len(), "an offer is number {first_offer}");
    }

    #[test]
    fn symptoms_and_words_of_other_programs_find_what_helps() {
        let session = Session::inline();
        let finds = |words: &str, name: &str| {
            let items = matching_entries(words, &session);
            assert!(
                items.iter().take(4).any(|item| item.key == name),
                "{words}: {:?}",
                items.first().map(|item| &item.key)
            );
        };
        for (words, name) in [
            ("in place", "stage_root"),
            ("foot slide", "stage_ground"),
            ("save project", "save"),
            ("import", "open"),
            ("screenshot", "picture"),
            ("onion skin", "toggle_ghosts"),
            ("jitter", "stage_cleanup"),
            ("滑步", "stage_ground"),
            ("原地", "stage_root"),
            ("截图", "picture"),
        ] {
            finds(words, name);
        }
    }

    #[test]
    fn a_label_that_begins_with_the_query_comes_before_one_that_only_contains_it() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["one.glb", "two.glb"].map(|name| folder.path().join(name));
        paths.iter().for_each(|path| _ = std::fs::copy(portamento_test_support::asset("hero.glb"), path).unwrap());
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(paths.to_vec())));
        session.update(0.0, true);
        let found = matching_entries("retarget", &session);
        let labels: Vec<&str> = found.iter().map(|item| &*item.label).collect();
        assert!(labels.len() > 1 && labels[0].starts_with("Retarget to"), "{labels:?}");
    }

    #[test]
    fn entries_with_a_word_starting_with_the_query_come_first() {
        let found = matching_entries("tag", &Session::inline());
        let labels: Vec<&str> = found.iter().map(|item| &*item.label).collect();
        let layout_item = |name: &str| labels.iter().position(|label| *label == tr(name));
        assert!(layout_item("command.clips_tag") < layout_item("command.clips_stages"), "{labels:?}");
        assert!(layout_item("command.clips_stages").is_some());
    }
}
