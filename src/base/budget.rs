//! Memory limits of work.
//!
//! Every allocation whose size depends on a file or a setting is taken from a [`Budget`] first, so that a small file
//! cannot request more memory than the machine has. Such a request fails with a message, and nothing else stops.

use crate::message::{message, messages};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Divisor of the machine's memory that gives the default limit.
const DEFAULT_DIVISOR: u64 = 2;

/// Memory assumed if the system does not report it: 8 GiB.
const ASSUMED_MEMORY: u64 = 8 << 30;

/// Limit of new budgets chosen for this run, bytes; 0 if none was chosen.
static CHOSEN: AtomicU64 = AtomicU64::new(0);

/// Limit of new budgets from the preferences, bytes; 0 for the default.
static PREFERRED: AtomicU64 = AtomicU64::new(0);

/// The memory that a piece of work may still take. Clones share one account.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Account>);

/// The shared state of all clones of a [`Budget`].
#[derive(Debug)]
struct Account {
    /// Total bytes.
    limit: u64,
    /// Bytes that are taken.
    taken: AtomicU64,
    /// Number of requests so far, including failed ones.
    requests: AtomicU64,
    /// Index of the request that fails regardless of the limit.
    fails_at: u64,
}

/// Bytes taken from a [`Budget`], returned when dropped.
#[derive(Debug)]
#[must_use = "a reservation that is not stored returns its bytes at once"]
pub struct Reservation {
    budget: Budget,
    bytes: u64,
}

messages! {
/// Error of work that needs more memory than its budget allows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct OverBudget {
    /// The object that needs it, as the beginning of a sentence.
    pub what: String,
    /// Bytes needed.
    pub needed: u64,
    /// Bytes still free.
    pub left: u64,
    /// Total bytes of the budget.
    pub limit: u64,
} => message!(
    "error.over_budget",
    "%{what} needs %{needed} of memory, but only %{left} of %{limit} are free. Raise the memory limit in the \
     preferences or with --memory, or reduce its size.",
    what, needed = size(*needed), left = size(*left), limit = size(*limit)
)
}

impl Budget {
    /// Creates a budget with the limit of [`limit`].
    pub fn new() -> Self {
        Self::with_limit(limit())
    }

    /// Creates a budget of `limit` bytes.
    pub fn with_limit(limit: u64) -> Self {
        Self::failing_at(limit, u64::MAX)
    }

    /// Creates a budget of `limit` bytes whose request number `request`, counted from 0, always fails.
    pub fn failing_at(limit: u64, request: u64) -> Self {
        Self(Arc::new(Account { limit, taken: AtomicU64::new(0), requests: AtomicU64::new(0), fails_at: request }))
    }

    /// Returns the number of requests so far.
    pub fn requests(&self) -> u64 {
        self.0.requests.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes that are still free.
    pub fn left(&self) -> u64 {
        self.0.limit.saturating_sub(self.0.taken.load(Ordering::Relaxed))
    }

    /// Takes `bytes` permanently. Returns `Err`, and takes nothing, if fewer are free; `what` names the object that needs them
    /// and begins the message.
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

    /// Takes `bytes` until the reservation is dropped. Returns `Err` as [`Budget::take`].
    pub fn reserve(&self, bytes: u64, what: &dyn Fn() -> String) -> Result<Reservation, OverBudget> {
        self.take(bytes, what)?;
        Ok(Reservation { budget: self.clone(), bytes })
    }
}

/// A growing byte buffer that reserves its memory from a budget, and returns it when dropped.
#[derive(Debug)]
pub struct BudgetedBytes {
    /// The bytes written so far.
    pub bytes: Vec<u8>,
    reservations: Vec<Reservation>,
    budget: Budget,
    what: String,
}

/// Bytes reserved at a time.
const RESERVED_AT_A_TIME: usize = 1 << 20;

impl BudgetedBytes {
    /// Creates an empty buffer; `what` begins the message of a failure.
    pub fn new(budget: &Budget, what: &str) -> Self {
        Self { bytes: Vec::new(), reservations: Vec::new(), budget: budget.clone(), what: what.to_owned() }
    }
}

impl std::io::Write for BudgetedBytes {
    fn write(&mut self, more: &[u8]) -> std::io::Result<usize> {
        let reserved = self.reservations.len() * RESERVED_AT_A_TIME;
        let missing = (self.bytes.len() + more.len()).saturating_sub(reserved).div_ceil(RESERVED_AT_A_TIME);
        for _ in 0..missing {
            let step = self.budget.reserve(RESERVED_AT_A_TIME as u64, &|| self.what.clone());
            self.reservations.push(step.map_err(std::io::Error::other)?);
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Reservation {
    /// Returns the number of reserved bytes.
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

/// Sets the limit of all budgets created from now on to `bytes`, overriding the preferences; 0 removes this choice.
pub fn choose_limit(bytes: u64) {
    CHOSEN.store(bytes, Ordering::Relaxed);
}

/// Sets the limit of all budgets created from now on unless [`choose_limit`] was called; `None` restores half of the
/// machine's memory.
pub fn prefer_limit(bytes: Option<u64>) {
    PREFERRED.store(bytes.unwrap_or(0), Ordering::Relaxed);
}

/// Returns the limit of a new budget: the chosen one, else the preferred one, else half of the machine's memory.
pub fn limit() -> u64 {
    let limits = [&CHOSEN, &PREFERRED].map(|limit| limit.load(Ordering::Relaxed));
    limits.into_iter().find(|&bytes| bytes > 0).unwrap_or_else(|| machine_memory() / DEFAULT_DIVISOR)
}

/// Returns the memory of this machine, or of the container in which the program runs, bytes. It is read once.
fn machine_memory() -> u64 {
    static KNOWN: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    *KNOWN.get_or_init(|| {
        let text = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let machine = meminfo(&text("/proc/meminfo"));
        let container = text("/sys/fs/cgroup/memory.max").trim().parse().ok();
        machine.into_iter().chain(container).min().unwrap_or(ASSUMED_MEMORY)
    })
}

/// Returns the total memory in bytes by the text of Linux's `/proc/meminfo`, which counts in kibibytes; `None` if it is not there.
fn meminfo(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Formats bytes for people: `3.5 GiB`.
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

/// Parses a size such as `4GB`, `512 MiB`, `1.5g`, or a number of bytes. All units are powers of 1024. Returns `None` if `text`
/// is no size or is less than a byte.
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
    fn taken_bytes_are_missing_and_a_dropped_reservation_returns_them() {
        let budget = Budget::with_limit(1000);
        budget.clone().take(300, &body).unwrap();
        let reservation = budget.reserve(600, &body).unwrap();
        assert_eq!(budget.left(), 100);
        let error = budget.take(101, &body).unwrap_err();
        assert_eq!((error.needed, error.left, error.limit), (101, 100, 1000));
        assert_eq!(budget.left(), 100, "a refusal takes nothing");
        drop(reservation);
        assert_eq!(budget.left(), 700);
        assert!(budget.take(u64::MAX, &body).is_err());
    }

    #[test]
    fn a_buffer_grows_up_to_the_budget_and_returns_its_bytes() {
        use std::io::Write;
        let budget = Budget::with_limit(2 * RESERVED_AT_A_TIME as u64);
        let mut bytes = BudgetedBytes::new(&budget, "The file");
        bytes.write_all(&vec![1; RESERVED_AT_A_TIME + 1]).unwrap();
        assert_eq!(budget.left(), 0);
        bytes.write_all(&vec![2; RESERVED_AT_A_TIME - 1]).unwrap();
        let sentence = bytes.write_all(&[3]).unwrap_err().to_string();
        assert!(sentence.starts_with("The file needs 1.0 MiB"), "{sentence}");
        assert_eq!(
            (bytes.bytes.len(), bytes.bytes[RESERVED_AT_A_TIME], bytes.bytes[RESERVED_AT_A_TIME + 1]),
            (2 * RESERVED_AT_A_TIME, 1, 2)
        );
        drop(bytes);
        assert_eq!(budget.left(), 2 * RESERVED_AT_A_TIME as u64);
    }

    #[test]
    fn one_request_can_fail_at_any_limit() {
        let budget = Budget::failing_at(1000, 1);
        let asked: Vec<bool> = (0..3).map(|_| budget.take(1, &body).is_ok()).collect();
        assert_eq!((asked, budget.requests()), (vec![true, false, true], 3));
    }

    #[test]
    fn a_failure_names_the_object_the_size_and_the_remedy() {
        let sentence = Budget::with_limit(3 << 29).take(96 << 30, &body).unwrap_err().to_string();
        assert!(
            sentence.starts_with("The body needs 96 GiB of memory, but only 1.5 GiB of 1.5 GiB are free."),
            "{sentence}"
        );
        assert!(sentence.contains("--memory"), "{sentence}");
    }

    #[test]
    fn sizes_are_parsed_as_people_write_them() {
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
