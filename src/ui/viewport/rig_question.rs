//! An uncertain rig role, asked in the viewport: candidate answers are marked on the figure, and a click chooses one.

use egui::{Align2, Color32, Painter, Pos2, Rect, Response, Stroke, Ui, Vec2};
use egui_material_icons::icons::{ICON_CHECK, ICON_HELP};
use glam::Vec3;

use crate::i18n::{localized, tr, tr_with};
use crate::viewport::Viewport;
use crate::viewport::projection::see;
use crate::{theme, widgets};
use portamento_anim::rig::Role;
use portamento_anim::rig::question::{Answer, Question};
use portamento_anim::{Front, Leg};
use portamento_session::Session;
use portamento_takes::evaluate::{Frame, FrameContent};

/// Distance in points within which a mark is hit. Tuned; no derivation recorded.
const HIT_MAX_POINTS: f32 = 14.0;

/// A candidate answer drawn on the figure.
struct Mark {
    answer: Answer,
    /// The text at the mark.
    words: String,
    /// Lines in window coordinates. The end of the last line carries the text. A joint is a single point.
    lines: Vec<Vec<Pos2>>,
    /// True if evidence supports this answer.
    is_supported: bool,
}

/// Handles clicks on answers. Returns true if the click chose one, which answers the question in the document.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &Viewport, session: &mut Session, rect: Rect) -> bool {
    let Some(at) = response.hover_pos().or(response.interact_pointer_pos()) else { return false };
    let all = marks(viewport, session, rect);
    let Some(hovered) = mark_under(&all, at) else { return false };
    ui.set_cursor_icon(egui::CursorIcon::PointingHand);
    if response.clicked() {
        session.rig_questions.answer(&mut session.document, &session.selection.shown, hovered.answer.clone());
        return true;
    }
    // Dragging from a joint still orbits the camera.
    false
}

/// Draws the marks, and the question at the bottom with a button that confirms the likely answer. Returns the rectangle of the
/// question, or `None` if none is open.
pub fn paint(ui: &mut Ui, rect: Rect, viewport: &Viewport, session: &mut Session) -> Option<Rect> {
    let all = marks(viewport, session, rect);
    let (Some(question), false) =
        (session.rig_questions.open(&session.document, &session.selection.shown).cloned(), all.is_empty())
    else {
        return None;
    };
    let pointer = ui.input(|input| input.pointer.hover_pos()).filter(|at| rect.contains(*at));
    let hovered = pointer.and_then(|at| mark_under(&all, at)).map(|mark| mark.answer.clone());
    let painter = ui.painter_at(rect);
    let is_shown = |mark: &&Mark| mark.is_supported || hovered.as_ref() == Some(&mark.answer);
    all.iter().filter(is_shown).for_each(|mark| draw(&painter, mark, hovered.as_ref() == Some(&mark.answer)));
    Some(draw_question(ui, rect, session, &question, &all))
}

/// Returns the marks of the open question in the view `rect`; none if no question is open or the frame shows no pose.
fn marks(viewport: &Viewport, session: &Session, rect: Rect) -> Vec<Mark> {
    let frame = session.frame().filter(|frame| frame.content == FrameContent::Posed);
    let (Some(frame), Some(question)) =
        (frame, session.rig_questions.open(&session.document, &session.selection.shown))
    else {
        return Vec::new();
    };
    let seen = |point: Vec3| see(&viewport.camera, rect, point);
    let screen_pos =
        |joint: usize| frame.world.get(joint).and_then(|screen_pos| seen(Vec3::from(screen_pos.translation)));
    match question.role {
        Role::Front => fronts(frame, seen),
        Role::Legs => limbs(question, screen_pos),
        _ => joints(frame, question, screen_pos),
    }
}

/// Returns one mark per joint in view, since every joint is a possible answer. Those of the question's answers are supported.
fn joints(frame: &Frame, question: &Question, screen_pos: impl Fn(usize) -> Option<Pos2>) -> Vec<Mark> {
    let mark = |joint: usize| {
        let answer = Answer::Joint(joint);
        let is_supported = question.answers.contains(&answer);
        let words = frame.character.model.skeleton.joints[joint].name.clone();
        Some(Mark { lines: vec![vec![screen_pos(joint)?]], answer, words, is_supported })
    };
    (0..frame.world.len()).filter_map(mark).collect()
}

/// Returns the leg chains of each supported answer.
fn limbs(question: &Question, screen_pos: impl Fn(usize) -> Option<Pos2>) -> Vec<Mark> {
    let chain = |leg: &Leg| [Some(leg.thigh), Some(leg.shin), Some(leg.foot), leg.toe].into_iter().flatten();
    let mark = |(number, answer): (usize, &Answer)| {
        let Answer::Legs(legs) = answer else { return None };
        let lines = legs.iter().map(|leg| chain(leg).filter_map(&screen_pos).collect()).collect();
        let words = tr_with("rig_question.legs_by", &[("number", (number + 1).to_string())]);
        Some(Mark { answer: answer.clone(), words, lines, is_supported: true })
    };
    question.answers.iter().enumerate().filter_map(mark).collect()
}

/// Returns an arrow along each axis of the ground, from the middle of the figure. Those not in view are left out.
fn fronts(frame: &Frame, seen: impl Fn(Vec3) -> Option<Pos2>) -> Vec<Mark> {
    let figure = frame.character.rest_bounds();
    let middle = ((figure.low + figure.high) * 0.5).with_y(figure.low.y);
    let reach = 0.6 * figure.size().length();
    let mark = |front: Front| {
        let direction = front.direction().as_vec3();
        let side = direction.cross(Vec3::Y) * 0.12 - direction * 0.2;
        let other = -direction.cross(Vec3::Y) * 0.12 - direction * 0.2;
        let tip = middle + direction * reach;
        let points = [middle + direction * (0.3 * reach), tip, tip + side * reach, tip + other * reach, tip];
        let line = points.into_iter().map(&seen).collect::<Option<Vec<Pos2>>>()?;
        // All directions are visible, because all evidence may be wrong.
        Some(Mark { answer: Answer::Front(front), words: front.name().into(), lines: vec![line], is_supported: true })
    };
    Front::ALL.into_iter().filter_map(mark).collect()
}

/// Returns the nearest mark within reach of the screen position `at`; `None` if there is none. Supported answers have priority at
/// similar distances.
fn mark_under(marks: &[Mark], at: Pos2) -> Option<&Mark> {
    let near = marks.iter().map(|mark| (mark, mark.distance(at))).filter(|(_, far)| *far <= HIT_MAX_POINTS);
    let rank = |(mark, far): &(&Mark, f32)| far - if mark.is_supported { 4.0 } else { 0.0 };
    near.min_by(|a, b| rank(a).total_cmp(&rank(b))).map(|(mark, _)| mark)
}

impl Mark {
    /// Returns the distance in points from the screen position `at` to the nearest line.
    fn distance(&self, at: Pos2) -> f32 {
        let to_line = |line: &Vec<Pos2>| {
            let to_first_point = line.first().map_or(f32::INFINITY, |point| point.distance(at));
            line.windows(2).map(|ends| to_segment([ends[0], ends[1]], at)).fold(to_first_point, f32::min)
        };
        self.lines.iter().map(to_line).fold(f32::INFINITY, f32::min)
    }
}

/// Returns the distance in points from `at` to the segment between two points.
fn to_segment([from, to]: [Pos2; 2], at: Pos2) -> f32 {
    let segment = to - from;
    let along = ((at - from).dot(segment) / segment.length_sq().max(1e-6)).clamp(0.0, 1.0);
    (from + segment * along).distance(at)
}

/// Draws the lines of a possible answer and its words at the end of the last one. A line of one point is a circle.
fn draw(painter: &Painter, mark: &Mark, is_hovered: bool) {
    let color: Color32 = if is_hovered { theme::view().ink } else { theme::over_view().accent };
    let stroke = Stroke::new(if is_hovered { 3.0 } else { 2.0 }, color);
    for line in &mark.lines {
        match line[..] {
            [point] => drop(painter.circle_stroke(point, 7.0, stroke)),
            _ => drop(painter.add(egui::Shape::line(line.clone(), stroke))),
        }
    }
    if let Some(at) = mark.lines.last().and_then(|line| line.last()) {
        let galley = painter.layout_no_wrap(mark.words.clone(), theme::caption(), color);
        let plate = Align2::LEFT_CENTER.anchor_size(*at + Vec2::new(12.0, 0.0), galley.size());
        painter.rect_filled(plate.expand2(Vec2::new(4.0, 2.0)), theme::RADIUS, theme::view().plate);
        painter.galley(plate.min, galley, color);
    }
}

/// Draws the question, with a button that confirms the first answer (not for the front). A click answers the question. Returns
/// its rectangle.
fn draw_question(ui: &mut Ui, rect: Rect, session: &mut Session, question: &Question, marks: &[Mark]) -> Rect {
    let words = match question.role {
        Role::Front => tr("rig_question.front"),
        Role::Legs => tr("rig_question.legs"),
        role => tr_with("rig_question.joint", &[("role", localized(&role.message()))]),
    };
    let shown = question.answers.first().filter(|_| question.role != Role::Front);
    let confirmed = shown.and_then(|shown| marks.iter().find(|mark| mark.answer == *shown));
    let mut is_confirmed = false;
    // At the bottom, because the figure's head may be an answer.
    let at = rect.center_bottom() - Vec2::new(0.0, theme::GAP_MEDIUM);
    let area = egui::Area::new(ui.id().with("rig question")).pivot(Align2::CENTER_BOTTOM).fixed_pos(at);
    let drawn = area.constrain_to(rect).show(ui.ctx(), |ui| {
        let tokens = theme::of(ui);
        let frame = egui::Frame::new().fill(tokens.raised).corner_radius(theme::RADIUS).inner_margin(8);
        frame.stroke((1.0, tokens.line)).show(ui, |ui| {
            ui.set_max_width((rect.width() - 32.0).max(120.0));
            widgets::remark(ui, ICON_HELP, tokens.warning, &words);
            if let Some(mark) = confirmed {
                let text = tr_with("rig_question.keep", &[("answer", mark.words.clone())]);
                is_confirmed = widgets::text_button(ui, ICON_CHECK, &text).clicked();
            }
        });
    });
    if let (true, Some(mark)) = (is_confirmed, confirmed) {
        session.rig_questions.answer(&mut session.document, &session.selection.shown, mark.answer.clone());
    }
    drawn.response.rect
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(joint: usize, points: &[(f32, f32)], is_supported: bool) -> Mark {
        let line = points.iter().map(|&(x, y)| Pos2::new(x, y)).collect();
        Mark { answer: Answer::Joint(joint), words: String::new(), lines: vec![line], is_supported }
    }

    #[test]
    fn the_nearest_mark_is_hit_and_supported_answers_have_priority() {
        let marks = [
            mark(0, &[(100.0, 100.0)], false),
            mark(1, &[(110.0, 100.0)], true),
            mark(2, &[(200.0, 0.0), (200.0, 80.0)], true),
        ];
        let at = |x: f32, y: f32| mark_under(&marks, Pos2::new(x, y)).map(|mark| mark.answer.clone());
        assert_eq!(at(104.0, 100.0), Some(Answer::Joint(1)));
        assert_eq!(at(98.0, 100.0), Some(Answer::Joint(0)));
        assert_eq!(at(209.0, 40.0), Some(Answer::Joint(2)));
        assert_eq!(at(150.0, 100.0), None);
    }
}
