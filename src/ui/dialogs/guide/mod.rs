//! The guide in the window: pages with pictures and films, search, and links that go on to other pages or show something in the
//! window.

mod draw;
mod film;
mod history;
mod mark;
mod show;
mod text;
mod topics;

use egui::{Key, Modifiers, PointerButton, ScrollArea, Ui};
use egui_material_icons::icons::{ICON_ARROW_BACK, ICON_ARROW_FORWARD, ICON_HOME, ICON_KEYBOARD};

use super::help::scroll_by_keys;
use super::{buttons, window};
use crate::app::App;
use crate::i18n::tr;
use crate::widgets::form;
use crate::{focus, theme, widgets};
use draw::Drawing;
use film::Films;
use history::History;
use portamento_guide::{Address, Block, Hit, Language, blocks, page, search};
use show::Shows;

pub(crate) use mark::{mark, marked_row, menu_item, requested};
pub(crate) use topics::{of_finding, of_panel, of_stage_named, of_warning};

/// The open guide.
pub(crate) struct Guide {
    history: History,
    /// The blocks of the current page, with the page and language they belong to.
    page: Option<(&'static str, Language, Vec<Block>)>,
    query: String,
    /// Results of the search, with the query and language they belong to.
    found: (String, Language, Vec<Hit>),
    films: Films,
    /// True until the current place was scrolled into view.
    is_new: bool,
}

/// Largest width of the page, points.
const MAX_WIDTH: f32 = 860.0;
/// Height of title, buttons and margins, points.
const FRAME_HEIGHT: f32 = 190.0;

impl Guide {
    /// Returns the guide open at `address`.
    pub(crate) fn at(address: Address) -> Self {
        Self {
            history: History::new(address),
            page: None,
            query: String::new(),
            found: (String::new(), Language::English, Vec::new()),
            films: Films::default(),
            is_new: true,
        }
    }

    /// Returns the shown place.
    pub(crate) fn address(&self) -> Address {
        self.history.current()
    }

    fn go(&mut self, address: Address) {
        self.query.clear();
        self.history.go(address);
        self.is_new = true;
    }

    fn step(&mut self, step: isize) {
        self.is_new |= self.history.step(step);
    }
}

impl std::fmt::Debug for Guide {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(out, "Guide({:?})", self.address())
    }
}

/// Opens the guide at `topic`, or at what fits the shown item, panel or dialog.
pub(crate) fn open(app: &mut App, ctx: &egui::Context, topic: Option<&str>) {
    let topic = topic.unwrap_or_else(|| topics::of_shown(app, ctx));
    let address = Address::of_topic(topic).unwrap_or(Address::start());
    match &mut app.dialogs.guide {
        Some(guide) => guide.go(address),
        None => app.dialogs.guide = Some(Guide::at(address)),
    }
}

/// A click in the guide that leads elsewhere.
enum Click {
    /// To another place of the guide.
    Go(Address),
    /// To something in the window.
    Show(show::Shown),
    /// To the page of keys.
    Keys,
}

/// Draws the guide while it is open.
pub(super) fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(mut guide) = app.dialogs.guide.take() else { return };
    let language = Language::of_code(&app.session.preferences.language);
    let shows = Shows::all();
    let width = (ctx.content_rect().width() - 64.0).min(MAX_WIDTH);
    let height = (ctx.content_rect().height() - FRAME_HEIGHT).max(120.0);
    let mut click = None;
    let (done, close) = window(ctx, "guide", width, |ui| {
        step_by_keys(ui, &mut guide);
        click = bar(ui, &mut guide, language);
        let area = ScrollArea::vertical().id_salt(guide.address().page).max_height(height).auto_shrink(false);
        // A new page begins at its top. A place on it is scrolled into view when it is drawn.
        let area = if guide.is_new { area.vertical_scroll_offset(0.0) } else { area };
        area.show(ui, |ui| {
            scroll_by_keys(ui, height);
            let clicked = contents(ui, &mut guide, &shows, language);
            click = clicked.or(click.take());
            focus::scroll_to_focus(ui);
        });
        buttons(ui, |ui| ui.button(tr("dialog.close")).clicked())
    });
    let shown = match click {
        Some(Click::Go(address)) => {
            guide.go(address);
            None
        }
        Some(Click::Keys) => {
            (app.dialogs.help, app.dialogs.help_opens) = (true, true);
            None
        }
        Some(Click::Show(shown)) => Some(shown),
        None => None,
    };
    let is_left = done || close && !app.dialogs.help || shown.is_some();
    app.dialogs.guide = Some(guide).filter(|_| !is_left);
    shown.into_iter().for_each(|shown| shown.carry_out(app));
}

/// Goes back and forward by Alt with the arrow keys, and by the side buttons of the mouse.
fn step_by_keys(ui: &Ui, guide: &mut Guide) {
    let steps = [(Key::ArrowLeft, PointerButton::Extra1, -1), (Key::ArrowRight, PointerButton::Extra2, 1)];
    for (key, button, step) in steps {
        let is_pressed =
            ui.input_mut(|input| input.consume_key(Modifiers::ALT, key) || input.pointer.button_pressed(button));
        if is_pressed {
            guide.step(step);
        }
    }
}

/// Draws the buttons and the search field. Returns the click on a button that leads elsewhere.
fn bar(ui: &mut Ui, guide: &mut Guide, language: Language) -> Option<Click> {
    let mut click = None;
    ui.horizontal(|ui| {
        for (icon, key, step) in [(ICON_ARROW_BACK, "guide.back", -1), (ICON_ARROW_FORWARD, "guide.forward", 1)] {
            ui.add_enabled_ui(guide.history.has(step), |ui| {
                if widgets::icon_button(ui, icon, &tr(key)).clicked() {
                    guide.step(step);
                }
            });
        }
        if widgets::icon_button(ui, ICON_HOME, &tr("guide.home")).clicked() {
            click = Some(Click::Go(Address::start()));
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if widgets::text_button(ui, ICON_KEYBOARD, &tr("command.help")).clicked() {
                click = Some(Click::Keys);
            }
            let field = widgets::text_field(&mut guide.query, &tr("guide.search"));
            let field = ui.add(field.desired_width(ui.available_width() - 16.0));
            form::with_name(field, &tr("guide.search"));
        });
    });
    if (guide.found.0 != guide.query) || guide.found.1 != language {
        guide.found = (guide.query.clone(), language, search(&guide.query, language));
    }
    click
}

/// Draws the page, or the results while something is searched. Returns the click that leads elsewhere.
fn contents(ui: &mut Ui, guide: &mut Guide, shows: &Shows, language: Language) -> Option<Click> {
    if !guide.query.trim().is_empty() {
        return results(ui, &guide.found.2).map(Click::Go);
    }
    let address = guide.address();
    let is_current = |(name, of, _): &(&'static str, Language, Vec<Block>)| (*name, *of) == (address.page, language);
    let all = guide.page.take().filter(is_current);
    let (.., all) = all.unwrap_or_else(|| {
        let text = page(address.page, language).unwrap_or_default();
        (address.page, language, blocks(text, language))
    });
    let mut drawing = Drawing {
        address,
        language,
        shows,
        films: &mut guide.films,
        scrolls: guide.is_new && address.place.is_some(),
        click: None,
    };
    drawing.blocks(ui, &all);
    let (click, scrolls) = (drawing.click, drawing.scrolls);
    // The scroll area knows its size only after the first frame.
    guide.is_new = scrolls;
    guide.page = Some((address.page, language, all));
    click
}

/// Draws the results of a search. Returns the address of a clicked one.
fn results(ui: &mut Ui, hits: &[Hit]) -> Option<Address> {
    if hits.is_empty() {
        widgets::caption(ui, tr("guide.nothing"));
    }
    let mut chosen = None;
    for hit in hits {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP_MEDIUM;
            if ui.link(&hit.text).clicked() {
                chosen = Some(hit.address);
            }
            widgets::caption(ui, &hit.page_title);
        });
    }
    chosen
}
