//! A role in doubt, asked on the figure: what may be meant is marked there and answered by a click.

use egui::{Align2, Color32, Painter, Pos2, Rect, Response, Stroke, Ui, Vec2};
use egui_material_icons::icons::{ICON_CHECK, ICON_HELP};
use glam::Vec3;

use crate::i18n::{say, tr, tr_with};
use crate::viewport::Viewport;
use crate::viewport::projection::see;
use crate::{theme, widgets};
use portamento_anim::rig::Role;
use portamento_anim::rig::question::{Answer, Question};
use portamento_anim::{Front, Leg};
use portamento_session::Session;
use portamento_takes::evaluate::{Frame, FrameContent};

/// Points around a joint, a limb or the tip of an arrow within which it is meant.
const REACH: f32 = 14.0;

/// An answer as it lies on the picture.
struct Mark {
    answer: Answer,
    words: String,
    /// Lines to draw, in points of the window; the last point of the last one takes the words. A joint is one point.
    lines: Vec<Vec<Pos2>>,
    /// Whether some evidence says so.
    is_said: bool,
}

/// Answers by a click on the figure; whether the pointer is over an answer.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &Viewport, session: &mut Session, rect: Rect) -> bool {
    let Some(at) = response.hover_pos().or(response.interact_pointer_pos()) else { return false };
    let all = marks(viewport, session, rect);
    let Some(meant) = under(&all, at) else { return false };
    ui.set_cursor_icon(egui::CursorIcon::PointingHand);
    if response.clicked() {
        session.rig_questions.answer(&mut session.document, &session.selection.shown, meant.answer.clone());
        return true;
    }
    // A drag that begins over a joint still turns the view.
    false
}

/// The marks on the figure, and the question below it.
pub fn paint(ui: &mut Ui, rect: Rect, viewport: &Viewport, session: &mut Session) {
    let all = marks(viewport, session, rect);
    let (Some(question), false) =
        (session.rig_questions.open(&session.document, &session.selection.shown).cloned(), all.is_empty())
    else {
        return;
    };
    let pointer = ui.input(|input| input.pointer.hover_pos()).filter(|at| rect.contains(*at));
    let meant = pointer.and_then(|at| under(&all, at)).map(|mark| mark.answer.clone());
    let painter = ui.painter_at(rect);
    let is_shown = |mark: &&Mark| mark.is_said || meant.as_ref() == Some(&mark.answer);
    all.iter().filter(is_shown).for_each(|mark| draw(&painter, mark, meant.as_ref() == Some(&mark.answer)));
    ask(ui, rect, session, &question, &all);
}

/// Everything that can be clicked for the open question.
fn marks(viewport: &Viewport, session: &Session, rect: Rect) -> Vec<Mark> {
    let frame = session.frame().filter(|frame| frame.content == FrameContent::Posed);
    let (Some(frame), Some(question)) =
        (frame, session.rig_questions.open(&session.document, &session.selection.shown))
    else {
        return Vec::new();
    };
    let seen = |point: Vec3| see(&viewport.camera, rect, point);
    let place = |joint: usize| frame.world.get(joint).and_then(|place| seen(Vec3::from(place.translation)));
    match question.role {
        Role::Front => fronts(frame, seen),
        Role::Legs => limbs(question, place),
        _ => joints(frame, question, place),
    }
}

/// A mark per joint, since any may be meant; those that evidence names are shown all the time.
fn joints(frame: &Frame, question: &Question, place: impl Fn(usize) -> Option<Pos2>) -> Vec<Mark> {
    let mark = |joint: usize| {
        let answer = Answer::Joint(joint);
        let is_said = question.answers.contains(&answer);
        let words = frame.character.model.skeleton.joints[joint].name.clone();
        Some(Mark { lines: vec![vec![place(joint)?]], answer, words, is_said })
    };
    (0..frame.world.len()).filter_map(mark).collect()
}

/// The limbs of each reading of the rig.
fn limbs(question: &Question, place: impl Fn(usize) -> Option<Pos2>) -> Vec<Mark> {
    let chain = |leg: &Leg| [Some(leg.thigh), Some(leg.shin), Some(leg.foot), leg.toe].into_iter().flatten();
    let mark = |(number, answer): (usize, &Answer)| {
        let Answer::Legs(legs) = answer else { return None };
        let lines = legs.iter().map(|leg| chain(leg).filter_map(&place).collect()).collect();
        let words = tr_with("rig_question.legs_by", &[("number", (number + 1).to_string())]);
        Some(Mark { answer: answer.clone(), words, lines, is_said: true })
    };
    question.answers.iter().enumerate().filter_map(mark).collect()
}

/// An arrow along each axis of the ground.
fn fronts(frame: &Frame, seen: impl Fn(Vec3) -> Option<Pos2>) -> Vec<Mark> {
    let figure = frame.character.rest_bounds();
    let middle = ((figure.low + figure.high) * 0.5).with_y(figure.low.y);
    let reach = 0.6 * figure.size().length();
    let mark = |front: Front| {
        let way = front.direction().as_vec3();
        let side = way.cross(Vec3::Y) * 0.12 - way * 0.2;
        let other = -way.cross(Vec3::Y) * 0.12 - way * 0.2;
        let tip = middle + way * reach;
        let points = [middle + way * (0.3 * reach), tip, tip + side * reach, tip + other * reach, tip];
        let line = points.into_iter().map(&seen).collect::<Option<Vec<Pos2>>>()?;
        // None is hidden: all the evidence may be wrong.
        Some(Mark { answer: Answer::Front(front), words: front.name().into(), lines: vec![line], is_said: true })
    };
    Front::ALL.into_iter().filter_map(mark).collect()
}

/// The nearest mark within reach; of two as near the one that evidence names.
fn under(marks: &[Mark], at: Pos2) -> Option<&Mark> {
    let near = marks.iter().map(|mark| (mark, mark.distance(at))).filter(|(_, far)| *far <= REACH);
    let rank = |(mark, far): &(&Mark, f32)| far - if mark.is_said { 4.0 } else { 0.0 };
    near.min_by(|a, b| rank(a).total_cmp(&rank(b))).map(|(mark, _)| mark)
}

impl Mark {
    /// Points from a place of the window to the nearest of its lines.
    fn distance(&self, at: Pos2) -> f32 {
        let to_line = |line: &Vec<Pos2>| {
            let alone = line.first().map_or(f32::INFINITY, |point| point.distance(at));
            line.windows(2).map(|ends| to_segment([ends[0], ends[1]], at)).fold(alone, f32::min)
        };
        self.lines.iter().map(to_line).fold(f32::INFINITY, f32::min)
    }
}

fn to_segment([from, to]: [Pos2; 2], at: Pos2) -> f32 {
    let way = to - from;
    let along = ((at - from).dot(way) / way.length_sq().max(1e-6)).clamp(0.0, 1.0);
    (from + way * along).distance(at)
}

fn draw(painter: &Painter, mark: &Mark, is_meant: bool) {
    let color: Color32 = if is_meant { theme::view().ink } else { theme::over_view().accent };
    let stroke = Stroke::new(if is_meant { 3.0 } else { 2.0 }, color);
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

/// The question below the figure, with a button that keeps what is shown.
fn ask(ui: &mut Ui, rect: Rect, session: &mut Session, question: &Question, marks: &[Mark]) {
    let words = match question.role {
        Role::Front => tr("rig_question.front"),
        Role::Legs => tr("rig_question.legs"),
        role => tr_with("rig_question.joint", &[("role", say(&role.message()))]),
    };
    let shown = question.answers.first().filter(|_| question.role != Role::Front);
    let kept = shown.and_then(|shown| marks.iter().find(|mark| mark.answer == *shown));
    let mut is_kept = false;
    // Below the figure, whose head may be meant.
    let at = rect.center_bottom() - Vec2::new(0.0, theme::MEDIUM);
    let area = egui::Area::new(ui.id().with("rig question")).pivot(Align2::CENTER_BOTTOM).fixed_pos(at);
    area.constrain_to(rect).show(ui.ctx(), |ui| {
        let tokens = theme::of(ui);
        let frame = egui::Frame::new().fill(tokens.raised).corner_radius(theme::RADIUS).inner_margin(8);
        frame.stroke((1.0, tokens.line)).show(ui, |ui| {
            ui.set_max_width((rect.width() - 32.0).max(120.0));
            widgets::remark(ui, ICON_HELP, tokens.warning, &words);
            if let Some(mark) = kept {
                let text = tr_with("rig_question.keep", &[("answer", mark.words.clone())]);
                is_kept = widgets::text_button(ui, ICON_CHECK, &text).clicked();
            }
        });
    });
    if let (true, Some(mark)) = (is_kept, kept) {
        session.rig_questions.answer(&mut session.document, &session.selection.shown, mark.answer.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(joint: usize, points: &[(f32, f32)], is_said: bool) -> Mark {
        let line = points.iter().map(|&(x, y)| Pos2::new(x, y)).collect();
        Mark { answer: Answer::Joint(joint), words: String::new(), lines: vec![line], is_said }
    }

    #[test]
    fn the_nearest_mark_is_meant_and_one_that_evidence_names_before_its_neighbours() {
        let marks = [
            mark(0, &[(100.0, 100.0)], false),
            mark(1, &[(110.0, 100.0)], true),
            mark(2, &[(200.0, 0.0), (200.0, 80.0)], true),
        ];
        let at = |x: f32, y: f32| under(&marks, Pos2::new(x, y)).map(|mark| mark.answer.clone());
        assert_eq!(at(104.0, 100.0), Some(Answer::Joint(1)));
        assert_eq!(at(98.0, 100.0), Some(Answer::Joint(0)));
        assert_eq!(at(209.0, 40.0), Some(Answer::Joint(2)));
        assert_eq!(at(150.0, 100.0), None);
    }
}
