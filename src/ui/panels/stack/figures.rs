//! How each stage went, in one line and a colour.

use crate::evaluate::{BuiltTake, StageResult};
use crate::ui::i18n::tr_with;
use crate::ui::panels::looping::lamp_color;
use crate::ui::theme::Tokens;
use crate::ui::widgets::Figure;

/// The figure of the stage at `index` of `built`; `None` where it is not built.
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
            let part = [("error", format!("{error:.1}")), ("ratio", format!("{ratio:.2}"))];
            Figure::judged(tokens, tr_with("stack.stretch", &part), error < 0.1, tokens.warning)
        }
        StageResult::Dynamics(dynamics) => {
            let depth = 100.0 * dynamics.report.penetration;
            let part = [("joints", dynamics.joints.len().to_string()), ("depth", format!("{depth:.1}"))];
            Figure::judged(tokens, tr_with("stack.dynamics", &part), depth < 0.1, tokens.warning)
        }
        StageResult::Loop(looped) => {
            let report = looped.report();
            let ratio = report.ratio.map_or_else(|| "–".into(), |ratio| format!("{ratio:.2}"));
            let part = [("frames", looped.window.length.to_string()), ("ratio", ratio)];
            Figure::new(tr_with("stack.loop", &part), lamp_color(report.lamp(), tokens))
        }
    })
}
