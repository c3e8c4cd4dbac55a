//! The entries of the menu bar, found by the text in the picture.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use portamento::session::command::{self, CommandEntry};

use super::{Area, Bench, Outcome, Rgb, SIZE, changed, pause};

/// Height of the menu bar, pixels.
const BAR: usize = 40;
/// Difference of a channel from which a pixel is text on the background.
const MIN_CONTRAST: u8 = 48;
/// Gap between words, pixels; letters are closer.
const MIN_WORD_GAP: usize = 9;
/// Height of a line of text, pixels; separators are thinner.
const MIN_TEXT_HEIGHT: usize = 5;
/// Distance of a submenu from the beginning of its menu, pixels; it is less than the width of the menu.
const SUBMENU_OFFSET: usize = 60;

/// Number of changed pixels below its title from which a menu is open.
const MIN_MENU_PIXELS: usize = 60;
/// Time from the first picture of a menu until its rows react.
const OPENING: Duration = Duration::from_millis(60);

/// Longest time in which the pixels below the title of a closed menu return.
const CLOSING: Duration = Duration::from_secs(1);

/// Place of a command in the menus.
pub(super) struct Entry {
    menu: usize,
    /// Rows to click: of the menu and of its submenu.
    rows: Vec<usize>,
    /// Number of rows in the menu and in its submenu.
    counts: [usize; 2],
}

/// Places of the menus with rows of their own.
const FILE_MENU: usize = 0;
const VIEW_MENU: usize = 3;

impl Entry {
    /// Returns the place of `command`, if a menu has it.
    pub(super) fn of(command: &str) -> Option<Self> {
        let menus = [
            command::file_entries(),
            command::edit_entries(),
            command::transport_entries(),
            command::view_entries(),
            command::help_entries(),
        ];
        let has = |menu: &Vec<CommandEntry>| menu.iter().any(|entry| entry.name == command);
        let menu = menus.iter().position(has)?;
        // A submenu is one row. Panels come first in the menu of views, recent files after the entry that opens files.
        let mut first = usize::from(menu == VIEW_MENU);
        let mut found = None;
        for entries in menus[menu].chunk_by(|one, next| one.submenu == next.submenu) {
            let at = entries.iter().position(|entry| entry.name == command);
            let is_submenu = entries.iter().any(|entry| entry.submenu.is_some());
            found = found
                .or(at.map(|row| if is_submenu { (vec![first, row], entries.len()) } else { (vec![first + row], 0) }));
            first += if is_submenu { 1 } else { entries.len() };
        }
        let (mut rows, in_submenu) = found?;
        if menu == FILE_MENU && rows[0] > 1 {
            rows[0] += 1;
        }
        Some(Self { menu, rows, counts: [first + usize::from(menu == FILE_MENU), in_submenu] })
    }

    /// Opens the menu and clicks the entry. The positions of rows are searched once.
    pub(super) fn choose(&self, bench: &Bench) -> Outcome {
        let window = bench.window;
        let mut before = if bench.menus.has(self, self.rows.len()) { window.pixels() } else { bench.still() };
        let title = bench.menus.title(self.menu, &before).ok_or("the bar has too few menus")?;
        window.click(title);
        let (mut left, closed) = (0, before.clone());
        // A message that appears meanwhile is not a menu: only the pixels below the title count.
        let room = Area { x: (title.0 - 8, title.0 + 60), y: (BAR + 1, BAR + 61) };
        for depth in 1..=self.rows.len() {
            let opened = || (depth > 1 || changed(&before, &window.pixels(), room) >= MIN_MENU_PIXELS).then_some(());
            bench.until("the menu opens", opened)?;
            let position = match bench.menus.known(self, depth) {
                Some(position) => {
                    std::thread::sleep(OPENING);
                    position
                }
                None => {
                    // Text of the panel behind may follow in the menu's shadow.
                    let complete = || {
                        let open = bench.still();
                        let area = if depth == 1 { below(&before, &open, title) } else { popup(&before, &open, left) }?;
                        let rows = lines(&open, area);
                        (rows.len() >= self.counts[depth - 1]).then_some((open, area, rows))
                    };
                    let (open, area, rows) = bench.until("all rows of the menu appear", complete)?;
                    // A submenu opens to the right, beyond the words of this menu.
                    (before, left) = (open, area.x.1 + SUBMENU_OFFSET);
                    bench.menus.keep(self, depth, rows);
                    bench.menus.known(self, depth).ok_or("the menu is too short")?
                }
            };
            if depth < self.rows.len() {
                before = window.pixels();
            }
            window.click(position);
        }
        // The command is performed before the menu closes. A command that changes these pixels needs no waiting for.
        let deadline = Instant::now() + CLOSING;
        while changed(&closed, &window.pixels(), room) >= MIN_MENU_PIXELS && Instant::now() < deadline {
            pause();
        }
        Ok(())
    }
}

/// Points in the picture, pixels.
type Points = Vec<(usize, usize)>;

/// The positions of titles and rows that were found in the picture.
#[derive(Default)]
pub(super) struct Menus {
    titles: RefCell<Points>,
    /// Rows by the path that opens their menu.
    rows: RefCell<BTreeMap<Vec<usize>, Points>>,
}

impl Menus {
    /// Returns the position of the title of a menu. The first word of the bar is the program's name.
    fn title(&self, menu: usize, pixels: &[Rgb]) -> Option<(usize, usize)> {
        let mut titles = self.titles.borrow_mut();
        if titles.is_empty() {
            *titles = words(pixels, Area { x: (0, 420), y: (0, BAR) });
        }
        titles.get(menu + 1).copied()
    }

    /// True if the positions of the rows down to `depth` are known.
    fn has(&self, entry: &Entry, depth: usize) -> bool {
        (1..=depth).all(|depth| self.known(entry, depth).is_some())
    }

    fn known(&self, entry: &Entry, depth: usize) -> Option<(usize, usize)> {
        self.rows.borrow().get(&entry.path(depth))?.get(entry.rows[depth - 1]).copied()
    }

    fn keep(&self, entry: &Entry, depth: usize, rows: Vec<(usize, usize)>) {
        self.rows.borrow_mut().insert(entry.path(depth), rows);
    }
}

impl Entry {
    /// Returns the menu and the rows that open the menu at `depth`.
    fn path(&self, depth: usize) -> Vec<usize> {
        std::iter::once(self.menu).chain(self.rows[..depth - 1].iter().copied()).collect()
    }
}

/// Returns the area below `title` in which the words of its menu begin.
fn below(before: &[Rgb], after: &[Rgb], title: (usize, usize)) -> Option<Area> {
    let x = (title.0.checked_sub(8)?, title.0 + 60);
    let differs = |y: &usize| (x.0..x.1).any(|x| before[y * SIZE.0 + x] != after[y * SIZE.0 + x]);
    let last = (BAR + 1..SIZE.1).rev().find(differs)?;
    Some(Area { x, y: (BAR + 1, last + 1) })
}

/// Returns the area of the submenu that opened below the bar and right of `left`: where the pictures differ and the new one
/// has its most frequent colour.
fn popup(before: &[Rgb], after: &[Rgb], left: usize) -> Option<Area> {
    let differs = |at: &usize| before[*at] != after[*at] && at / SIZE.0 > BAR && at % SIZE.0 > left;
    let changed: Vec<usize> = (0..before.len()).filter(differs).collect();
    let mut counts = BTreeMap::new();
    changed.iter().for_each(|&at| *counts.entry(after[at]).or_insert(0_usize) += 1);
    let fill = counts.into_iter().max_by_key(|(_, count)| *count)?.0;
    let filled: Vec<usize> = changed.into_iter().filter(|&at| after[at] == fill).collect();
    let x = full_range(filled.iter().map(|at| at % SIZE.0))?;
    let y = full_range(filled.iter().map(|at| at / SIZE.0))?;
    Some(Area { x, y })
}

/// Returns the range of coordinates that occur at least a third as often as the most frequent one: other pixels of the
/// same colour are few.
fn full_range(coordinates: impl Iterator<Item = usize>) -> Option<(usize, usize)> {
    let mut counts = BTreeMap::new();
    coordinates.for_each(|at| *counts.entry(at).or_insert(0_usize) += 1);
    let most = counts.values().copied().max()?;
    let full: Vec<usize> = counts.into_iter().filter(|(_, count)| 3 * count >= most).map(|(at, _)| at).collect();
    Some((*full.first()?, full.last()? + 1))
}

fn is_text(pixel: Rgb, ground: Rgb) -> bool {
    pixel.iter().zip(ground).any(|(a, b)| a.abs_diff(b) > MIN_CONTRAST)
}

/// Returns the centres of the words in one line of text, from left to right.
fn words(pixels: &[Rgb], area: Area) -> Vec<(usize, usize)> {
    let ground = pixels[area.y.0 * SIZE.0 + area.x.0];
    let columns = area.x.0..area.x.1;
    let is_inked = |x: usize| (area.y.0 + 4..area.y.1 - 4).any(|y| is_text(pixels[y * SIZE.0 + x], ground));
    let inked: Vec<usize> = columns.filter(|&x| is_inked(x)).collect();
    let words = inked.chunk_by(|a, b| b - a < MIN_WORD_GAP);
    words.map(|word| ((word[0] + word[word.len() - 1]) / 2, (area.y.0 + area.y.1) / 2)).collect()
}

/// Returns a point on each line of text, from top to bottom.
fn lines(pixels: &[Rgb], area: Area) -> Vec<(usize, usize)> {
    let x = (area.x.0, (area.x.0 + 90).min(area.x.1));
    let all = (area.y.0..area.y.1).flat_map(|y| (x.0..x.1).map(move |x| y * SIZE.0 + x));
    let mut counts = BTreeMap::new();
    all.for_each(|at| *counts.entry(pixels[at]).or_insert(0_usize) += 1);
    // The background is the most frequent colour.
    let Some((ground, _)) = counts.into_iter().max_by_key(|(_, count)| *count) else { return Vec::new() };
    let is_inked = |y: usize| (x.0..x.1).any(|x| is_text(pixels[y * SIZE.0 + x], ground));
    let inked: Vec<usize> = (area.y.0..area.y.1).filter(|&y| is_inked(y)).collect();
    let runs = inked.chunk_by(|a, b| b - a < 3).filter(|run| run.len() >= MIN_TEXT_HEIGHT);
    runs.map(|run| (x.0 + 20, (run[0] + run[run.len() - 1]) / 2)).collect()
}
