//! Scaling of costs: one curve each for joints, layers, chains, colliders, vertices, frames and voxels, in
//! nanoseconds per unit. A flat curve is ideal.
//!
//! With the argument `write` the curves are written to `screenshots/scaling.svg`. With the name of a curve only that
//! one is measured.

#[path = "scaling/plot.rs"]
mod plot;
#[path = "shared/shortest.rs"]
mod shortest;
#[path = "scaling/subjects.rs"]
mod subjects;

use shortest::shortest;
use subjects::{SUBJECTS, Subject};

/// Minimum measuring time per size, seconds.
const SECONDS: f64 = 0.1;

/// Cost per unit as a function of size.
pub struct Scaling {
    /// What is measured.
    pub subject: &'static Subject,
    /// Size, and nanoseconds per unit.
    pub points: Vec<(f64, f64)>,
}

impl Scaling {
    fn of(subject: &'static Subject) -> Self {
        let point = |&size: &usize| {
            let mut run = (subject.at)(size);
            let once = shortest(2, &mut run).as_secs_f64().max(1e-7);
            let runs = (SECONDS / once).clamp(3.0, 2000.0) as usize;
            let time = shortest(runs, &mut run);
            let units = (subject.units)(size);
            (units, time.as_secs_f64() * 1e9 / units)
        };
        Self { subject, points: subject.sizes.iter().map(point).collect() }
    }

    /// Returns the ratio of the highest to the lowest cost among sizes of at least `from`.
    pub fn spread(&self, from: f64) -> f64 {
        let costs = self.points.iter().filter(|(size, _)| *size >= from).map(|(_, cost)| *cost);
        let (least, most) =
            costs.fold((f64::INFINITY, 0.0_f64), |(least, most), cost| (least.min(cost), most.max(cost)));
        most / least
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let named: Vec<&Subject> =
        SUBJECTS.iter().filter(|subject| arguments.iter().any(|name| name == subject.name)).collect();
    let wanted = if named.is_empty() { SUBJECTS.iter().collect() } else { named };
    let mut all = Vec::new();
    for subject in wanted {
        let scaling = Scaling::of(subject);
        let points: Vec<String> = scaling.points.iter().map(|(size, cost)| format!("{size:.0}: {cost:.3}")).collect();
        println!(
            "{}, ns for each: {}; from {} on {:.2} ×",
            subject.name,
            points.join(", "),
            subject.from,
            scaling.spread(subject.from)
        );
        all.push(scaling);
    }
    if arguments.iter().any(|argument| argument == "write") {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots/scaling.svg");
        if let Err(error) = std::fs::write(&file, plot::svg(&all)) {
            println!("{} was not written: {error}", file.display());
        }
    }
}
