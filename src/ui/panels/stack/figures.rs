//! One-line result of each stage, with a rating colour.

use crate::i18n::tr_with;
use crate::panels::looping::lamp_color;
use crate::theme::Tokens;
use crate::units::{Unit, share};
use crate::widgets::Figure;
use portamento_looping::SeamFigure;
use portamento_repair::cleanup::Report;
use portamento_takes::evaluate::{BuiltTake, StageResult};

/// Returns the result of stage `index` of `built`, or `None` if it was not built.
pub fn figure(tokens: &Tokens, built: &BuiltTake, index: usize) -> Option<Figure> {
    let metres = built.metres_per_unit;
    Some(match &built.stages.get(index)?.result {
        StageResult::Layer(layer) => {
            let part = [("held", layer.held_frames.to_string()), ("frames", layer.weights.len().to_string())];
            let color = if layer.held_frames > 0 { tokens.ok } else { tokens.warning };
            Figure::new(tr_with("stack.layer", &part), color)
        }
        StageResult::Stretch(stretch) => {
            let (error, ratio) = (stretch.report.end_error * metres * 1e3, stretch.report.ratio);
            let part = [("error", Unit::Millimetres.text(error, 1)), ("ratio", format!("{ratio:.2}"))];
            Figure::judged(tokens, tr_with("stack.stretch", &part), error < 0.1, tokens.warning)
        }
        StageResult::Dynamics(dynamics) => {
            let depth = 100.0 * dynamics.report.penetration;
            let part = [("joints", dynamics.joints.len().to_string()), ("depth", format!("{depth:.1}"))];
            Figure::judged(tokens, tr_with("stack.dynamics", &part), depth < 0.1, tokens.warning)
        }
        StageResult::Close(closed) => {
            let gap = closed.report.after;
            let part = [("place", share(gap.place)), ("speed", share(gap.velocity))];
            Figure::judged(tokens, tr_with("stack.close", &part), gap.is_closed(), tokens.warning)
        }
        StageResult::Retime(retimed) => {
            let report = &retimed.report;
            let part = [
                ("before", Unit::Seconds.text(report.seconds_before, 2)),
                ("after", Unit::Seconds.text(report.seconds_after, 2)),
            ];
            Figure::new(tr_with("stack.retime", &part), tokens.ok)
        }
        StageResult::Trim(trimmed) => {
            let (from, to) = (trimmed.report.from, trimmed.report.to);
            let part = [("from", Unit::Seconds.text(from, 2)), ("to", Unit::Seconds.text(to, 2))];
            Figure::new(tr_with("stack.trim", &part), tokens.ok)
        }
        StageResult::Cleanup(cleaned) => cleanup(tokens, &cleaned.report),
        StageResult::Mirror(mirrored) => {
            let report = &mirrored.report;
            let share = 100.0 * report.asymmetry;
            let part = [("pairs", report.pairs.to_string()), ("share", format!("{share:.1}"))];
            Figure::judged(tokens, tr_with("stack.mirror", &part), share < 1.0, tokens.warning)
        }
        StageResult::Root(rooted) => {
            let report = &rooted.report;
            let part = [("joint", report.joint.clone()), ("length", Unit::Metres.text(report.length, 2))];
            Figure::judged(tokens, tr_with("stack.root", &part), report.moved <= 2.0 * report.bound, tokens.warning)
        }
        StageResult::Ground(grounded) => {
            let [off, slide] = [grounded.report.off_ground[1], grounded.report.slide[1]].map(|metres| metres * 1e3);
            let part = [("off", Unit::Millimetres.text(off, 1)), ("slide", Unit::Millimetres.text(slide, 1))];
            Figure::judged(tokens, tr_with("stack.ground", &part), off < 5.0 && slide < 10.0, tokens.warning)
        }
        StageResult::Loop(looped) => {
            let report = looped.report();
            let (decides, rating) = report.worst();
            let (key, value) = match decides {
                SeamFigure::Ratio => ("stack.loop", report.ratio),
                SeamFigure::Motion => ("stack.loop_motion", report.dip),
                SeamFigure::Edges => ("stack.loop_edges", report.edges.map(|edges| edges.low)),
            };
            let value = value.map_or_else(|| "–".into(), |value| format!("{value:.2}"));
            let part = [("frames", looped.window.length.to_string()), ("value", value)];
            Figure::new(tr_with(key, &part), lamp_color(rating, tokens))
        }
    })
}

fn cleanup(tokens: &Tokens, report: &Report) -> Figure {
    let pops_left = report.after.as_ref().map_or(0, |after| after.pops.frames);
    let part = [("joints", report.changed.len().to_string()), ("pops", pops_left.to_string())];
    Figure::judged(tokens, tr_with("stack.cleanup", &part), pops_left == 0, tokens.warning)
}
