//! How much memory work may take.
//!
//! Every allocation whose size a file or a setting decides is taken from a [`Budget`] first, so that a small file cannot ask
//! for more than the machine has: it is refused with a sentence and nothing else stops.

use crate::message::{Message, Tell, display_in_english, message};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Share of the machine's memory that is used unless told otherwise.
const SHARE: u64 = 2;

/// Memory assumed where the system does not say how much it has: 8 GiB.
const ASSUMED: u64 = 8 << 30;

/// Bytes that new budgets allow in this run; 0 where nobody chose.
static CHOSEN: AtomicU64 = AtomicU64::new(0);

/// Bytes that new budgets allow where nobody chose for this run; 0 for the share.
static PREFERRED: AtomicU64 = AtomicU64::new(0);

/// Bytes that one piece of work may still take. Cloning shares the account.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Account>);

#[derive(Debug)]
struct Account {
    limit: u64,
    taken: AtomicU64,
    requests: AtomicU64,
    /// The request that is refused whatever is left, counted from 0.
    fails_at: u64,
}

/// Bytes taken from a [`Budget`]; given back when dropped.
#[derive(Debug)]
#[must_use = "the bytes are given back at once where the reservation is not kept"]
pub struct Reservation {
    budget: Budget,
    bytes: u64,
}

/// Why work was refused: it needs more memory than it may take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct OverBudget {
    /// What needs it, as the beginning of a sentence.
    pub what: String,
    /// Bytes it needs.
    pub needed: u64,
    /// Bytes that are left.
    pub left: u64,
    /// Bytes that there are altogether.
    pub limit: u64,
}

display_in_english!(OverBudget);

impl Tell for OverBudget {
    fn message(&self) -> Message {
        message!(
            "error.over_budget",
            "%{what} needs %{needed} of memory where %{left} of %{limit} are left. Raise the limit in the preferences or with \
             --memory, or make it smaller.",
            what = &self.what,
            needed = size(self.needed),
            left = size(self.left),
            limit = size(self.limit),
        )
    }
}

impl Budget {
    /// A budget of the bytes chosen with [`choose_limit`], or half of the machine's memory.
    pub fn new() -> Self {
        Self::with_limit(limit())
    }

    /// A budget of `limit` bytes.
    pub fn with_limit(limit: u64) -> Self {
        Self::failing_at(limit, u64::MAX)
    }

    /// A budget of `limit` bytes that refuses the request of that number, counted from 0, whatever is left.
    pub(crate) fn failing_at(limit: u64, request: u64) -> Self {
        Self(Arc::new(Account { limit, taken: AtomicU64::new(0), requests: AtomicU64::new(0), fails_at: request }))
    }

    /// How often something was asked for.
    pub fn requests(&self) -> u64 {
        self.0.requests.load(Ordering::Relaxed)
    }

    /// Bytes that can still be taken.
    pub fn left(&self) -> u64 {
        self.0.limit.saturating_sub(self.0.taken.load(Ordering::Relaxed))
    }

    /// Takes `bytes` for good; `what` begins the sentence of a refusal.
    pub fn take(&self, bytes: u64, what: &dyn Fn() -> String) -> Result<(), OverBudget> {
        let fails = self.0.requests.fetch_add(1, Ordering::Relaxed) == self.0.fails_at;
        let more = |taken: u64| taken.checked_add(bytes).filter(|&taken| taken <= self.0.limit && !fails);
        let taken = self.0.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.map(|_| ()).map_err(|taken| OverBudget {
            what: what(),
            needed: bytes,
            left: self.0.limit.saturating_sub(taken),
            limit: self.0.limit,
        })
    }

    /// Takes `bytes` until the reservation is dropped.
    pub fn reserve(&self, bytes: u64, what: &dyn Fn() -> String) -> Result<Reservation, OverBudget> {
        self.take(bytes, what)?;
        Ok(Reservation { budget: self.clone(), bytes })
    }
}

/// Bytes that grow while they are written and are taken from a budget as they do; given back when dropped.
#[derive(Debug)]
pub struct BudgetedBytes {
    /// What was written.
    pub bytes: Vec<u8>,
    held: Vec<Reservation>,
    budget: Budget,
    what: String,
}

/// Bytes that are taken from the budget at a time.
const STEP: usize = 1 << 20;

impl BudgetedBytes {
    /// None yet; `what` begins the sentence of a refusal.
    pub fn new(budget: &Budget, what: &str) -> Self {
        Self { bytes: Vec::new(), held: Vec::new(), budget: budget.clone(), what: what.to_owned() }
    }
}

impl std::io::Write for BudgetedBytes {
    fn write(&mut self, more: &[u8]) -> std::io::Result<usize> {
        let held = self.held.len() * STEP;
        let missing = (self.bytes.len() + more.len()).saturating_sub(held).div_ceil(STEP);
        for _ in 0..missing {
            let step = self.budget.reserve(STEP as u64, &|| self.what.clone());
            self.held.push(step.map_err(std::io::Error::other)?);
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Reservation {
    /// How many bytes are held.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget.0.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Every budget made from now on allows `bytes`, whatever is preferred.
pub fn choose_limit(bytes: u64) {
    CHOSEN.store(bytes, Ordering::Relaxed);
}

/// Every budget made from now on allows `bytes` unless a limit was chosen; `None` for half of the machine's memory.
pub fn prefer_limit(bytes: Option<u64>) {
    PREFERRED.store(bytes.unwrap_or(0), Ordering::Relaxed);
}

/// Bytes that a new budget allows.
pub fn limit() -> u64 {
    let told = [&CHOSEN, &PREFERRED].map(|limit| limit.load(Ordering::Relaxed));
    told.into_iter().find(|&bytes| bytes > 0).unwrap_or_else(|| machine_memory() / SHARE)
}

/// Bytes of memory of this machine, or of the container in which the program runs.
fn machine_memory() -> u64 {
    static KNOWN: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    *KNOWN.get_or_init(|| {
        let text = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let machine = meminfo(&text("/proc/meminfo"));
        let container = text("/sys/fs/cgroup/memory.max").trim().parse().ok();
        machine.into_iter().chain(container).min().unwrap_or(ASSUMED)
    })
}

/// The total in the text of Linux's `/proc/meminfo`, which counts in kibibytes.
fn meminfo(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Bytes as people read them: `3.5 GiB`.
pub fn size(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let step = ((bytes.max(1).ilog2() / 10) as usize).min(units.len() - 1);
    let number = bytes as f64 / (1_u64 << (10 * step)) as f64;
    match step {
        0 => format!("{bytes} bytes"),
        _ if number < 10.0 => format!("{number:.1} {}", units[step]),
        _ => format!("{number:.0} {}", units[step]),
    }
}

/// The bytes that `text` names: `4GB`, `512 MiB`, `1.5g`, or a number of bytes. `None` where it names none.
pub fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let end = text.find(|letter: char| !(letter.is_ascii_digit() || letter == '.')).unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    let shift = match text[end..].trim() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return None,
    };
    let bytes = number * (1_u64 << shift) as f64;
    (bytes >= 1.0 && bytes < u64::MAX as f64).then_some(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body() -> String {
        "The body".into()
    }

    #[test]
    fn what_is_taken_is_missing_and_a_dropped_reservation_comes_back() {
        let budget = Budget::with_limit(1000);
        budget.clone().take(300, &body).unwrap();
        let held = budget.reserve(600, &body).unwrap();
        assert_eq!(budget.left(), 100);
        let error = budget.take(101, &body).unwrap_err();
        assert_eq!((error.needed, error.left, error.limit), (101, 100, 1000));
        assert_eq!(budget.left(), 100, "a refusal takes nothing");
        drop(held);
        assert_eq!(budget.left(), 700);
        assert!(budget.take(u64::MAX, &body).is_err());
    }

    #[test]
    fn bytes_grow_as_far_as_the_budget_goes_and_are_given_back() {
        use std::io::Write;
        let budget = Budget::with_limit(2 * STEP as u64);
        let mut bytes = BudgetedBytes::new(&budget, "The file");
        bytes.write_all(&vec![1; STEP + 1]).unwrap();
        assert_eq!(budget.left(), 0);
        bytes.write_all(&vec![2; STEP - 1]).unwrap();
        let sentence = bytes.write_all(&[3]).unwrap_err().to_string();
        assert!(sentence.starts_with("The file needs 1.0 MiB"), "{sentence}");
        assert_eq!((bytes.bytes.len(), bytes.bytes[STEP], bytes.bytes[STEP + 1]), (2 * STEP, 1, 2));
        drop(bytes);
        assert_eq!(budget.left(), 2 * STEP as u64);
    }

    #[test]
    fn one_request_can_be_refused_whatever_is_left() {
        let budget = Budget::failing_at(1000, 1);
        let asked: Vec<bool> = (0..3).map(|_| budget.take(1, &body).is_ok()).collect();
        assert_eq!((asked, budget.requests()), (vec![true, false, true], 3));
    }

    #[test]
    fn a_refusal_says_what_how_much_and_what_to_do() {
        let sentence = Budget::with_limit(3 << 29).take(96 << 30, &body).unwrap_err().to_string();
        assert!(
            sentence.starts_with("The body needs 96 GiB of memory where 1.5 GiB of 1.5 GiB are left."),
            "{sentence}"
        );
        assert!(sentence.contains("--memory"), "{sentence}");
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let read = ["4GB", " 512 MiB", "1.5g", "100", "2 TB"].map(parse_size);
        assert_eq!(read, [4 << 30, 512 << 20, 3 << 29, 100, 2 << 40].map(Some));
        assert!(
            ["", "GB", "-1", "0", "4 pounds", "1e99", "99999999999999999999 TB"]
                .map(parse_size)
                .iter()
                .all(Option::is_none)
        );
        assert_eq!([5, 2048, 11 << 20].map(size), ["5 bytes", "2.0 KiB", "11 MiB"]);
    }

    #[test]
    fn the_machine_has_memory() {
        assert_eq!(meminfo("MemFree: 5 kB\nMemTotal:       2048 kB\n"), Some(2 << 20));
        assert_eq!(meminfo(""), None);
        assert!(machine_memory() > 1 << 28);
    }
}
