//! A table of all costs, one row each: our time, the peer's time, the speed ratio and the target. Reads the last
//! results of the other benches; `cargo bench` runs them all and ends here.
//!
//! With the argument `write` it also draws `screenshots/costs.svg` and updates the table in both languages of the guide.

#[path = "table/chinese.rs"]
mod chinese;
#[allow(dead_code, reason = "others write what is read here")]
#[path = "shared/measured.rs"]
mod measured;
#[path = "table/plot.rs"]
mod plot;
#[path = "table/rows.rs"]
mod rows;

use rows::{Limit, ROWS, Row};

/// The pages of the guide with the table, and the markers of the table.
const PAGE: &str = "assets/guide/en/evidence.md";
const CHINESE_PAGE: &str = "assets/guide/zh-CN/evidence.md";
const BEGIN: &str = "<!-- costs -->";
const END: &str = "<!-- end of costs -->";

/// A row with its results.
struct RowResult {
    row: &'static Row,
    /// Nanoseconds; `None` if not measured.
    ours: Option<f64>,
    peer: Option<f64>,
    /// The value that the limits apply to.
    value: Option<f64>,
}

fn result_of(row: &'static Row) -> RowResult {
    let ours = measured::stored(row.ours).map(|time| time / row.units);
    let peer = row.peer.and_then(|(_, name)| measured::stored(name)).map(|time| time / row.peer_units);
    let value = match row.limit {
        Limit::TimesAsFast { .. } => peer.zip(ours).map(|(peer, ours)| peer / ours),
        Limit::Within { .. } => ours,
        Limit::LongerBy { .. } => ours.zip(peer).map(|(ours, peer)| ours / peer - 1.0),
    };
    RowResult { row, ours, peer, value }
}

impl RowResult {
    fn is_met(&self) -> Option<bool> {
        let value = self.value?;
        Some(match self.row.limit {
            Limit::TimesAsFast { must, .. } => value >= must,
            Limit::Within { must, .. } | Limit::LongerBy { must, .. } => value <= must,
        })
    }

    fn cells(&self) -> [String; 7] {
        let missing = || "not measured".to_string();
        let [must, aim] = match self.row.limit {
            Limit::TimesAsFast { must, aim } => [must, aim].map(|limit| format!("≥ {limit} ×")),
            Limit::Within { must, aim } => [must, aim].map(|limit| format!("≤ {}", time(limit))),
            Limit::LongerBy { must, aim } => [must, aim].map(|limit| format!("≤ +{} %", digits(100.0 * limit))),
        };
        if let (Limit::LongerBy { .. }, Some((name, _))) = (self.row.limit, self.row.peer) {
            let longer = self.value.map_or_else(missing, |value| format!("+{} %", digits(100.0 * value)));
            return [self.row.work.into(), longer, name.into(), "–".into(), must, aim, self.verdict()];
        }
        let ratio = self.peer.zip(self.ours).map_or("–".into(), |(peer, ours)| format!("{} ×", digits(peer / ours)));
        [
            self.row.work.into(),
            self.ours.map_or_else(missing, time),
            self.row.peer.map_or("–".into(), |(name, _)| format!("{name} {}", self.peer.map_or_else(missing, time))),
            ratio,
            must,
            aim,
            self.verdict(),
        ]
    }

    fn verdict(&self) -> String {
        self.is_met().map_or("–", |is_met| if is_met { "yes" } else { "**no**" }).into()
    }
}

/// Returns the value with three significant digits.
fn digits(value: f64) -> String {
    let decimals = (2 - value.abs().log10().floor() as i32).clamp(0, 3) as usize;
    format!("{value:.decimals$}")
}

fn time(nanoseconds: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    let (unit, name) = units.into_iter().find(|(unit, _)| nanoseconds >= *unit).unwrap_or((1.0, "ns"));
    format!("{} {name}", digits(nanoseconds / unit))
}

fn table(rows: &[RowResult]) -> String {
    let line = |cells: [String; 7]| format!("| {} |\n", cells.join(" | "));
    let head = ["work", "ours", "peer", "ratio", "must", "aim", "met"].map(String::from);
    let mut text = line(head) + "|---|---|---|---|---|---|---|\n";
    rows.iter().for_each(|row| text += &line(row.cells()));
    text
}

/// Returns the name of the processor, if the system reports it.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {threads} threads", name.map_or("an unnamed processor", |(_, name)| name))
}

/// Converts days since 1970 to year, month and day (Hinnant, "chrono-compatible low-level date algorithms").
fn date(days: i64) -> String {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    format!("{:04}-{month:02}-{day:02}", year + era * 400 + i64::from(month <= 2))
}

fn write(table: &str, rows: &[RowResult]) -> std::io::Result<()> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::write(root.join("screenshots/costs.svg"), plot::svg(rows))?;
    write_between_markers(&root.join(PAGE), table)?;
    write_between_markers(&root.join(CHINESE_PAGE), &chinese::translated(table))
}

fn write_between_markers(page: &std::path::Path, table: &str) -> std::io::Result<()> {
    let text = std::fs::read_to_string(page)?;
    let Some((before, rest)) = text.split_once(BEGIN) else { return Ok(()) };
    let Some((_, after)) = rest.split_once(END) else { return Ok(()) };
    std::fs::write(page, format!("{before}{BEGIN}\n\n{table}\n{END}{after}"))
}

fn main() {
    let rows: Vec<RowResult> = ROWS.iter().map(result_of).collect();
    let today = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let text = format!("{}, {}.\n\n{}", date((today / 86_400) as i64), processor(), table(&rows));
    println!("{text}");
    let count = |is: Option<bool>| rows.iter().filter(|row| row.is_met() == is).count();
    println!("{} met, {} not, {} not measured", count(Some(true)), count(Some(false)), count(None));
    if std::env::args().any(|argument| argument == "write")
        && let Err(error) = write(&text, &rows)
    {
        println!("not written: {error}");
    }
}
