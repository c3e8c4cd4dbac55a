//! The verdict on the shown take: the worst of its results, with its reason.

use egui::{Color32, Ui};
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{ICON_CHECK_CIRCLE, ICON_ERROR, ICON_HOURGLASS_EMPTY, ICON_WARNING};

use super::{figures, warnings};
use crate::i18n::{localized, tr, tr_with};
use crate::panels::stages;
use crate::theme::{self, Tokens};
use crate::widgets;
use portamento_session::{FiguresOfShown, Session};
use portamento_takes::document::TakeId;
use portamento_takes::evaluate::FrameContent;

/// Rank of a result, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// No fault was found.
    Good,
    /// The motion is still being measured.
    Unmeasured,
    /// A fault that may be meant.
    Warning,
    /// A fault that anybody sees, or a take that could not be built.
    Error,
}

impl Rank {
    /// Returns the rank of a figure drawn in `color`. Other colours than those for errors and warnings are good.
    fn of(color: Color32, tokens: &Tokens) -> Self {
        match () {
            () if color == tokens.error => Self::Error,
            () if color == tokens.warning => Self::Warning,
            () => Self::Good,
        }
    }

    /// Returns the icon and colour of the rank.
    fn look(self, tokens: &Tokens) -> (MaterialIcon, Color32) {
        match self {
            Self::Good => (ICON_CHECK_CIRCLE, tokens.ok),
            Self::Unmeasured => (ICON_HOURGLASS_EMPTY, tokens.dim),
            Self::Warning => (ICON_WARNING, tokens.warning),
            Self::Error => (ICON_ERROR, tokens.error),
        }
    }
}

/// Draws the verdict on take `id`, if anything of it is judged.
pub(crate) fn verdict_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let tokens = theme::of(ui);
    let Some((rank, text)) = verdict(tokens, session, id) else { return };
    let (icon, color) = rank.look(tokens);
    widgets::remark(ui, icon, color, &text);
}

/// Returns the worst result of take `id` with its reason. Of equal ranks the first counts: stages, then figures of the motion,
/// then warnings. A build failure comes before all. `None` if nothing is built or a walk has no route.
fn verdict(tokens: &Tokens, session: &mut Session, id: TakeId) -> Option<(Rank, String)> {
    if let Some(failure) = session.evaluation.failure() {
        return Some((Rank::Error, localized(failure)));
    }
    let FiguresOfShown { quality, is_current } = session.evaluation.figures();
    let frame = session.frame()?;
    let built = frame.built.as_ref()?;
    let take = session.document.take(id)?;
    // A walk without a route has no motion that could be judged.
    if take.walk().is_some() && session.playback.duration <= 0.0 {
        return None;
    }
    let stages = take.stages.iter().filter_map(|stage| {
        let figure = stages::figure(tokens, built, take.built_index(stage.id)?)?;
        let part = [("stage", tr(&format!("stage.{}", stage.kind.name()))), ("figure", figure.text)];
        Some((Rank::of(figure.color, tokens), tr_with("verdict.stage", &part)))
    });
    let mut results: Vec<(Rank, String)> = stages.collect();
    let is_judged = !results.is_empty() || frame.content == FrameContent::Posed;
    if frame.content == FrameContent::Posed {
        match quality.filter(|_| is_current) {
            Some(quality) => {
                let faults = figures::faults(tokens, session, &quality, &built.character.model.skeleton);
                results.extend(faults.into_iter().map(|fault| (Rank::Warning, fault)));
            }
            None => results.push((Rank::Unmeasured, tr("verdict.measuring"))),
        }
    }
    results.extend(warnings::shown_warnings(session).iter().map(|warning| (Rank::Warning, localized(warning))));
    let good = is_judged.then(|| (Rank::Good, tr("verdict.good")));
    let worst = results.into_iter().reduce(|worst, next| if next.0 > worst.0 { next } else { worst });
    worst.filter(|(rank, _)| *rank > Rank::Good).or(good)
}
