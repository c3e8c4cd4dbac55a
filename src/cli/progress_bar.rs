//! A progress bar on the terminal.

use std::any::Any;
use std::io::IsTerminal as _;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressDrawTarget, ProgressState, ProgressStyle};

use super::output::one_line;
use portamento_base::progress::Progress;
use portamento_session::{Preferences, Session};

/// Work that ends before shows no bar. Tuned; no derivation recorded.
const HIDDEN_FOR: Duration = Duration::from_millis(300);
/// Time between two drawings. Tuned; no derivation recorded.
const DRAWN_EVERY: Duration = Duration::from_millis(100);
/// Steps of a bar whose work is not counted in items.
const STEPS: u64 = 10_000;

/// The bar on the terminal. Lines are printed above it, and further work shows no second one.
static SHOWN: Mutex<Option<indicatif::ProgressBar>> = Mutex::new(None);

/// A progress bar on standard error with the rate and the remaining time, which disappears when it is dropped.
///
/// Nothing is drawn if standard error is not a terminal, if the work is short, or while another bar is visible.
#[derive(Debug)]
pub(super) struct ProgressBar(Option<(Sender<()>, JoinHandle<()>)>);

/// The items that the rate counts: their number and their plural, such as `files`.
pub(super) type Items = (usize, &'static str);

impl ProgressBar {
    /// Shows `progress` under the name `label`; without `items`, the rate is in percent. The bar is drawn by its own thread
    /// until it is dropped.
    pub fn start(label: &str, items: Option<Items>, progress: &Progress) -> Self {
        let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.is_some() || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = indicatif::ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
        bar.set_style(style(items));
        bar.set_message(one_line(label));
        let (stop, stopped) = channel();
        let (drawn, progress) = (bar.clone(), progress.clone());
        let draw = move || {
            let mut wait = HIDDEN_FOR;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                drawn.set_position((f64::from(progress.fraction()) * STEPS as f64) as u64);
                drawn.tick();
                wait = DRAWN_EVERY;
            }
            drawn.finish_and_clear();
        };
        let thread = std::thread::Builder::new().name("progress bar".into()).spawn(draw);
        *shown = thread.is_ok().then_some(bar);
        Self(thread.ok().map(|thread| (stop, thread)))
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        let Some((stop, thread)) = self.0.take() else { return };
        drop(stop);
        // A bar that panicked has nothing left to clear.
        let _ = thread.join();
        *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Returns a session that runs jobs synchronously and shows a bar for each. Projects may read what the user has opened in the
/// window, as they do there.
pub(super) fn session() -> Session {
    let mut session =
        Session::inline_with(|job, progress| -> Box<dyn Any> { Box::new(ProgressBar::start(job, None, progress)) });
    session.preferences.recent = Preferences::opened_files();
    session
}

/// Runs `print`, whose lines appear above the bar.
pub(super) fn above_bar<T>(print: impl FnOnce() -> T) -> T {
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match shown {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

/// Returns the layout of a bar: name, bar, percent, rate, remaining time. The rate is in items per second,
/// without `items` in percent per second.
fn style(items: Option<Items>) -> ProgressStyle {
    let (count, unit) = items.unwrap_or((100, "%"));
    let rate = move |state: &ProgressState, text: &mut dyn std::fmt::Write| {
        // A failure to format leaves the rate out.
        let _ = text.write_str(&rate_text(state.per_sec() * count as f64 / STEPS as f64, unit));
    };
    let style = ProgressStyle::with_template("{msg} [{bar:24}] {percent:>3} %  {rate}  {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    style.progress_chars("=> ").with_key("rate", rate)
}

/// Returns `per_second` with two significant digits: `12 files/s`, `0.35 %/s`.
fn rate_text(per_second: f64, unit: &str) -> String {
    let digits = if per_second < 1.0 { 2 } else { usize::from(per_second < 10.0) };
    format!("{per_second:.digits$} {unit}/s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_two_significant_digits() {
        assert_eq!(rate_text(0.346, "%"), "0.35 %/s");
        assert_eq!(rate_text(3.46, "files"), "3.5 files/s");
        assert_eq!(rate_text(1234.6, "files"), "1235 files/s");
    }
}
