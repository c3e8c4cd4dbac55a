//! Plots of the scaling curves on logarithmic axes.

use std::fmt::Write;

use super::{Scaling, Subject};

/// Width and height of one plot.
const SIZE: [f64; 2] = [360.0, 230.0];
const COLUMNS: usize = 3;
/// Ratio of highest to lowest cost up to which a curve counts as flat.
const FLAT_RATIO: f64 = 1.2;
/// Margins around the axes: left, top, right, bottom.
const ROOM: [f64; 4] = [58.0, 54.0, 14.0, 34.0];

/// Returns the plots as SVG.
pub fn svg(curves: &[Scaling]) -> String {
    let rows = curves.len().div_ceil(COLUMNS);
    let (width, height) = (SIZE[0] * COLUMNS as f64, SIZE[1] * rows as f64);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for (index, curve) in curves.iter().enumerate() {
        let (x, y) = (SIZE[0] * (index % COLUMNS) as f64, SIZE[1] * (index / COLUMNS) as f64);
        let _ = write!(text, "<g transform=\"translate({x} {y})\">\n{}</g>\n", picture(curve));
    }
    text + "</svg>\n"
}

fn picture(curve: &Scaling) -> String {
    let [left, top, right, bottom] = ROOM;
    let powers = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value.log10()), high.max(value.log10()))
        });
        (low.floor(), high.ceil().max(low.floor() + 1.0))
    };
    let across = powers(&mut curve.points.iter().map(|(size, _)| *size));
    let up = powers(&mut curve.points.iter().map(|(_, cost)| *cost));
    let x = |size: f64| left + (size.log10() - across.0) / (across.1 - across.0) * (SIZE[0] - left - right);
    let y = |cost: f64| SIZE[1] - bottom - (cost.log10() - up.0) / (up.1 - up.0) * (SIZE[1] - top - bottom);
    let mut text = format!("<text x=\"{left}\" y=\"18\" font-size=\"12\">{}</text>\n", curve.subject.title);
    for (line, summary) in summary(curve).into_iter().enumerate() {
        let _ = writeln!(text, "<text x=\"{left}\" y=\"{}\" fill=\"#555\">{summary}</text>", 32 + 14 * line);
    }
    for power in across.0 as i32..=across.1 as i32 {
        let at = x(10_f64.powi(power));
        let _ = writeln!(
            text,
            "<path d=\"M{at:.1} {top}V{}\" stroke=\"#ccc\"/><text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
            SIZE[1] - bottom,
            SIZE[1] - bottom + 14.0,
            10_f64.powi(power)
        );
    }
    for power in up.0 as i32..=up.1 as i32 {
        let at = y(10_f64.powi(power));
        let _ = writeln!(
            text,
            "<path d=\"M{left} {at:.1}H{}\" stroke=\"#ccc\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#555\">{}</text>",
            SIZE[0] - right,
            left - 6.0,
            at + 4.0,
            10_f64.powi(power)
        );
    }
    let points: Vec<String> =
        curve.points.iter().map(|(size, cost)| format!("{:.1},{:.1}", x(*size), y(*cost))).collect();
    let _ = writeln!(
        text,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#2a7f62\" stroke-width=\"2\"/>",
        points.join(" ")
    );
    for point in points {
        let (x, y) = point.split_once(',').unwrap_or_default();
        let _ = writeln!(text, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"#2a7f62\"/>");
    }
    text
}

/// Returns two lines: how flat the curve is, and the reason if it is not.
fn summary(curve: &Scaling) -> [String; 2] {
    let Subject { from, reason, .. } = curve.subject;
    let percent = |spread: f64| format!("{:.0} %", 100.0 * (spread - 1.0));
    let [all, late] = [0.0, *from].map(|from| curve.spread(from));
    let flat = match (all <= FLAT_RATIO, late <= FLAT_RATIO) {
        (true, _) => format!("flat within {}", percent(all)),
        (false, true) => format!("from {from} on flat within {}", percent(late)),
        (false, false) => format!("from {from} on {} apart", percent(late)),
    };
    [format!("ns for each, by how many; {flat}"), if all <= FLAT_RATIO { String::new() } else { (*reason).into() }]
}
