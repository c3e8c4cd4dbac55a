//! Inspector of a walk: character, level, route, schedule and results.

mod crossings;
mod gaits;
mod ground;
pub(super) mod plot;
mod seeds;
mod steps;
mod stops;
mod turns;

use egui::Ui;
use egui_material_icons::icons::{ICON_INFO, ICON_SEARCH, ICON_WARNING};
use glam::DVec3;

use super::results::moment::{go_to, of_source};
use crate::i18n::{localized, tr, tr_with};
use crate::panels::unit::unit;
use crate::panels::walk::gaits::plan_ui;
use crate::panels::walk::ground::ground_ui;
pub(crate) use crate::panels::walk::seeds::route_word;
use crate::panels::walk::seeds::seeds_ui;
use crate::panels::walk::steps::{steps_ui, stop_ui};
pub(crate) use crate::panels::walk::stops::offers;
use crate::panels::walk::turns::{facing_ui, turns_ui};
use crate::viewport::level_view::{Click, reason_row};
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::{Figure, Readout, form};
use crate::{theme, widgets};
use portamento_anim::geometry::UpAxis;
use portamento_base::message::{Moment, Tell};
use portamento_session::Session;
use portamento_takes::document::{FileId, TakeId, Walk};
use portamento_takes::evaluate::{TakeError, Walked};
use portamento_walk::locomotion::{FootFigure, Report};
use portamento_walk::navigation::SearchError;
use portamento_walk::navigation::voxels::obstacle_between;

/// Draws the walk of take `id`, if it is one: results, obstacles, and all settings.
pub(super) fn walk_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let Some(mut walk) = session.document.take(id).and_then(|take| take.walk()).cloned() else { return };
    let built = session.frame().and_then(|frame| frame.built.clone());
    let walked = built.as_ref().and_then(|built| built.walked.as_deref());
    let has_legs = built.as_ref().is_some_and(|built| !built.roles.legs.is_empty());
    let asked = state(ui, &walk, walked, has_legs);
    go_to(session, asked);
    notices(ui, walked);
    obstacles(ui, session, &mut walk, walked);
    form::section(ui, "walk_place", true, |ui| character_and_level(ui, session, id, &mut walk));
    form::section(ui, "walk_stops", true, |ui| {
        stops::ui(ui, session, &mut walk);
        laps(ui, &mut walk.settings.laps);
        // A closed loop has neither a first nor a last pose.
        if walk.settings.laps == 0 {
            facing_ui(ui, &mut walk.settings);
        }
    });
    form::section(ui, "walk_routes", true, |ui| seeds_ui(ui, session, &mut walk, walked));
    if let Some(report) = walked.and_then(|walked| walked.walk.as_ref()).map(|walk| &walk.report) {
        if walk.settings.laps == 0 {
            form::section(ui, "walk_stop", true, |ui| stop_ui(ui, report));
        }
        form::section(ui, "walk_plan", false, |ui| {
            plan_ui(ui, session, report);
            turns_ui(ui, report);
        });
    }
    form::section(ui, "walk_steps", false, |ui| steps_ui(ui, session, &mut walk, walked));
    let character = session.document.take(id).map_or(FileId(0), |take| take.character);
    ground_ui(ui, session, (character, &mut walk), walked);
    if let Some(known) = session.document.take_mut(id).and_then(|take| take.walk_mut()) {
        *known = walk;
    }
}

/// Draws the result figures, or what is missing for a walk. Returns the moment of a clicked figure.
fn state(ui: &mut Ui, walk: &Walk, walked: Option<&Walked>, has_legs: bool) -> Option<Moment> {
    let Some(walked) = walked else {
        widgets::caption(ui, tr("walk.building"));
        return None;
    };
    match missing(ui, walk, walked) {
        true => None,
        false => outcome(ui, walk, walked, has_legs),
    }
}

/// Draws what is missing for a walk. Returns true if something is missing.
fn missing(ui: &mut Ui, walk: &Walk, walked: &Walked) -> bool {
    let tokens = theme::of(ui);
    if walk.stops.len() < 2 {
        let key = if walk.stops.is_empty() { "walk.no_stops" } else { "walk.no_goal" };
        widgets::remark(ui, ICON_INFO, tokens.target, &tr(key));
        return true;
    }
    // Both ends are set, but the search has not run yet.
    if let Some(TakeError::Search(SearchError::TooFewStops)) = walked.missing {
        widgets::caption(ui, tr("walk.finding"));
        return true;
    }
    if let Some(missing) = &walked.missing {
        widgets::remark(ui, ICON_WARNING, tokens.warning, &localized(&missing.message()));
    }
    walked.missing.is_some()
}

/// Draws the figures. Returns the moment of a clicked figure. `None` also if no motion was built.
fn outcome(ui: &mut Ui, walk: &Walk, walked: &Walked, has_legs: bool) -> Option<Moment> {
    let tokens = theme::of(ui);
    let steps = walked.walk.as_ref()?;
    let route = walked.routes.as_ref().and_then(|routes| routes.of_seed(walk.seed)).map(|variant| &variant.route);
    let report = &steps.report;
    let error = report.stop.engines.iter().map(|engine| engine.recorded.abs()).fold(0.0, f64::max) * 1000.0;
    let judged = |measured: Option<(String, bool)>| match measured {
        Some((text, is_good)) => Figure::judged(tokens, text, is_good, tokens.warning),
        None => Figure::unmeasured(tokens),
    };
    let error = judged((!report.stop.engines.is_empty()).then(|| (Unit::Millimetres.text(error, 2), error < 10.0)));
    let feet = has_legs.then_some(&report.feet[..]).filter(|feet| !feet.is_empty());
    let slide = feet.map(|feet| feet.iter().map(|foot| foot.slide).fold(0.0, f64::max));
    let slide = judged(slide.map(|slide| (Unit::CentimetresPerSecond.text(slide, 1), slide < 2.0)));
    let contact = judged(feet.and_then(|feet| least_planted(feet, report)));
    let length = route.map_or(0.0, |route| route.length);
    let ends = Some(of_source(report.stop.ends, None));
    let slides = report.frames.iter().max_by(|a, b| a.slide_after.total_cmp(&b.slide_after));
    let slides = slides.filter(|worst| worst.slide_after > 0.0).map(|worst| of_source(worst.time, None));
    widgets::readouts(
        ui,
        &[
            Readout::new("walk_time", Unit::Seconds.text(report.stop.ends, 1), tokens.text),
            Readout::new("walk_length", Unit::Metres.text(length, 1), tokens.text),
            Readout::of("walk_error", error).at(ends),
            Readout::of("walk_slide", slide).at(slides),
            Readout::of("walk_stands", contact),
        ],
    )
}

/// Returns the contact share of the worst foot and of its clips, such as “40 / 60 %”, and true if the walk is good. It is not if
/// the foot skates or a walking clip has no foot contacts. `None` without feet.
fn least_planted(feet: &[FootFigure], report: &Report) -> Option<(String, bool)> {
    let foot = feet.iter().min_by(|a, b| a.stance_ratio().total_cmp(&b.stance_ratio()))?;
    Some((
        format!("{:.0} / {:.0} %", foot.stands * 100.0, foot.own * 100.0),
        !foot.skates() && !report.walks_without_stance(),
    ))
}

/// Draws the notices of the route search; nothing before it ran.
fn notices(ui: &mut Ui, walked: Option<&Walked>) {
    let color = theme::of(ui).warning;
    for notice in walked.and_then(|walked| walked.routes.as_ref()).iter().flat_map(|routes| &routes.notices) {
        widgets::remark(ui, ICON_WARNING, color, &localized(notice));
    }
}

/// Minimum distance in metres between a stop and the end of its route that counts as unreached.
const UNREACHED_MIN_M: f64 = 0.5;

/// Draws what bars the line to each stop that no route reaches. A button searches for the settings that would open it, and
/// another one applies them to `walk`.
fn obstacles(ui: &mut Ui, session: &mut Session, walk: &mut Walk, walked: Option<&Walked>) {
    let Some((walked, routes)) = walked.and_then(|walked| Some((walked, walked.routes.as_ref()?))) else { return };
    let end = routes.of_seed(walk.seed).and_then(|variant| variant.route.points.last().copied());
    let ends = routes.stops.iter().copied().enumerate();
    let is_last = |at: usize| at + 1 == walk.stops.len();
    let reached = ends.map(|(at, found)| if is_last(at) { end.unwrap_or(found) } else { found });
    let pairs: Vec<[DVec3; 2]> = reached.zip(walk.stops.iter().copied()).map(|(found, asked)| [found, asked]).collect();
    for ends in pairs.into_iter().filter(|[found, asked]| found.distance(*asked) > UNREACHED_MIN_M) {
        let Some(obstacle) = obstacle_between(&walked.ground.map, ends) else { continue };
        let asked = session.asked_ground.answer(session.evaluation.frame());
        if let Some(answer) = asked.filter(|answer| answer.line == Some(ends)).cloned() {
            match reason_row(ui, &answer) {
                Click::Nothing => {}
                Click::Close => session.asked_ground.forget(),
                Click::Apply => answer.apply(&mut walk.voxels),
            }
            continue;
        }
        let [x, z] = [obstacle.at.x, obstacle.at.z].map(|metres| Unit::Metres.text(metres, 1));
        let words = tr_with("walk.obstacle", &[("x", x), ("z", z), ("reason", localized(&obstacle.reason.message()))]);
        widgets::remark(ui, ICON_WARNING, theme::of(ui).warning, &words);
        if widgets::text_button(ui, ICON_SEARCH, &tr("walk.find_change")).clicked() {
            session.asked_ground.ask_line(ends, session.evaluation.frame(), &mut session.jobs);
        }
    }
}

/// Draws the choice of the character and the level, and the level's unit and up axis.
fn character_and_level(ui: &mut Ui, session: &mut Session, id: TakeId, walk: &mut Walk) {
    let name = |session: &Session, id: FileId| {
        let path = session.document.file(id).map(|file| file.path.clone()).unwrap_or_default();
        path.file_name().map_or_else(|| tr("role.none"), |name| name.to_string_lossy().into_owned())
    };
    let files: Vec<FileId> = session.document.files.iter().map(|file| file.id).collect();
    let walks = |id: &FileId| session.library.get(*id).is_some_and(|file| !file.model.clips.is_empty());
    let none = (FileId(0), tr("walk.nobody"));
    let characters = files.iter().copied().filter(walks).map(|id| (id, name(session, id)));
    let characters: Vec<_> = std::iter::once(none).chain(characters).collect();
    let levels = files.iter().copied().filter(|&id| session.opened().is_level(id)).map(|id| (id, name(session, id)));
    let flat = (Walk::FLAT_GROUND, tr("walk.flat_ground"));
    let levels: Vec<_> = std::iter::once(flat).chain(levels).collect();
    if let Some(take) = session.document.take_mut(id) {
        form::row(ui, "walk_character", |ui| {
            form::choice(ui, "walk character", &mut take.character, &characters);
        });
    }
    form::row(ui, "walk_level", |ui| {
        form::choice(ui, "walk level", &mut walk.level, &levels);
    });
    let Some(file) = session.document.files.iter_mut().find(|file| file.id == walk.level) else {
        walk.up = UpAxis::Y;
        return;
    };
    unit(ui, &mut file.metres_per_unit, session.read.unit(file.id).unwrap_or(1.0));
    form::row(ui, "walk_up", |ui| {
        let choices = [(UpAxis::Y, "Y".to_owned()), (UpAxis::Z, "Z".to_owned())];
        form::choice(ui, "walk up", &mut walk.up, &choices);
    });
}

/// Draws the switch of the closed loop and its number of laps. 0 laps is a walk from start to goal.
fn laps(ui: &mut Ui, laps: &mut u32) {
    let reset = form::row(ui, "walk_laps", |ui| {
        let mut is_closed = *laps > 0;
        if form::tick(ui, &mut is_closed).changed() {
            *laps = u32::from(is_closed);
        }
        if is_closed {
            let mut count = f64::from(*laps);
            let field = Field { decimals: 0, per_pixel: 0.05, ..Field::new(Unit::Plain).within(1.0, 100.0) };
            number(ui, &tr("form.walk_laps"), &mut count, field);
            *laps = count.round() as u32;
        }
    });
    *laps *= u32::from(!reset);
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_walk::locomotion::NoStance;

    #[test]
    fn the_contact_share_of_a_clip_without_stance_is_never_rated_good() {
        let run = NoStance { clip: "Running_A".into(), stands: 0.02, walks: true, instead: None };
        let left_out = NoStance { walks: false, ..run.clone() };
        let good = |feet: [f64; 2], no_stance: &NoStance| {
            let foot = FootFigure { stands: feet[0], own: feet[1], ..FootFigure::default() };
            let report = Report { no_stance: vec![no_stance.clone()], ..Report::default() };
            least_planted(&[foot], &report).unwrap()
        };
        assert_eq!(good([0.06, 0.02], &run), ("6 / 2 %".into(), false));
        assert_eq!(good([0.3, 0.31], &left_out), ("30 / 31 %".into(), true));
        assert_eq!(good([0.1, 0.31], &left_out), ("10 / 31 %".into(), false));
    }
}
