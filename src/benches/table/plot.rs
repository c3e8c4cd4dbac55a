//! The table as a picture: a bar per row with the ratio to the target, on a logarithmic scale.

use std::fmt::Write;

use super::RowResult;
use super::rows::Limit;

const WIDTH: f64 = 1100.0;
const ROW: f64 = 20.0;
/// x position where names end and bars begin.
const LEFT: f64 = 520.0;
const TOP: f64 = 46.0;
/// Range of the scale, powers of ten.
const SCALE: [f64; 2] = [-1.0, 2.0];

/// Returns the picture as SVG.
pub fn svg(rows: &[RowResult]) -> String {
    let place = |times: f64| {
        let part = (times.log10().clamp(SCALE[0], SCALE[1]) - SCALE[0]) / (SCALE[1] - SCALE[0]);
        LEFT + part * (WIDTH - LEFT - 20.0)
    };
    let shown: Vec<(&RowResult, [f64; 2])> = rows.iter().filter_map(|row| Some((row, times(row)?))).collect();
    let height = TOP + ROW * shown.len() as f64 + 12.0;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"12\" y=\"20\" font-size=\"14\">Each cost beside what is demanded of it: right of 1 it is met, the tick is the aim</text>\n"
    );
    for times in [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0] {
        let (x, wide) = (place(times), if times == 1.0 { 2.0 } else { 0.5 });
        let _ = writeln!(
            text,
            "<path d=\"M{x:.1} {TOP}V{height}\" stroke=\"#999\" stroke-width=\"{wide}\"/>\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{times}</text>",
            TOP - 6.0
        );
    }
    for (index, (row, [times, aim])) in shown.into_iter().enumerate() {
        let (y, one, end, aim) = (TOP + ROW * index as f64, place(1.0), place(times), place(aim));
        let colour = if times >= 1.0 { "#2a7f62" } else { "#c8553d" };
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{:.1}\" y=\"{}\" width=\"{:.1}\" height=\"{}\" fill=\"{colour}\"/>\
             <path d=\"M{aim:.1} {}v{}\" stroke=\"#222\" stroke-width=\"2\"/>",
            LEFT - 8.0,
            y + 14.0,
            row.row.work.replace('&', "&amp;").replace('<', "&lt;"),
            one.min(end),
            y + 4.0,
            (one - end).abs(),
            ROW - 8.0,
            y + 2.0,
            ROW - 4.0
        );
    }
    text + "</svg>\n"
}

/// Returns the ratio of the row to its minimum, and of its aim to the minimum.
fn times(row: &RowResult) -> Option<[f64; 2]> {
    let value = row.value?;
    Some(match row.row.limit {
        Limit::TimesAsFast { must, aim } => [value / must, aim / must],
        Limit::Within { must, aim } | Limit::LongerBy { must, aim } => [must / value, must / aim],
    })
}
