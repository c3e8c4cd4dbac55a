//! Walks in the window: clicking start and goal, dragging the goal, undo, choosing a seed.

use egui::accesskit::Role;
use egui::{Event as Input, Key, Modifiers, PointerButton, Pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use glam::DVec3;

use crate::i18n::tr_with;
use crate::tests::{App, app, in_window, tr};
use portamento_session::painting::PaintTarget;
use portamento_session::{Command, EditCommand, FileCommand, WindowCommand};
use portamento_takes::document::Walk;
use portamento_takes::evaluate::Walked;

type Window<'a> = Harness<'a, Option<App>>;

/// A lawn with a wall across it that is passable on both sides.
const LAWN: &str = "usemtl grass\nv -10 0 -10\nv 10 0 -10\nv 10 0 10\nv -10 0 10\nf 4 3 2 1\n\
    usemtl wall\nv -4 0 0\nv 4 0 0\nv 4 3 0\nv -4 3 0\nv -4 0 0.3\nv 4 0 0.3\nv 4 3 0.3\nv -4 3 0.3\n\
    f 8 7 6 5\nf 9 10 11 12\nf 8 12 11 7\n";

fn on_a_lawn(check: impl FnOnce(&mut Window<'_>)) {
    let folder = tempfile::tempdir().unwrap();
    let lawn = folder.path().join("lawn.obj");
    std::fs::write(&lawn, LAWN).unwrap();
    in_window("en", |window| {
        app(window).perform(Command::File(FileCommand::Open(vec![lawn])));
        app(window).perform(Command::Edit(EditCommand::AddWalk));
        window.run_steps(4);
        app(window).perform(Command::Window(WindowCommand::ViewTop));
        app(window).perform(Command::Window(WindowCommand::FrameAll));
        window.run_steps(4);
        check(window);
    });
}

fn walk(window: &mut Window<'_>) -> Walk {
    app(window).session.shown_take().unwrap().walk().unwrap().clone()
}

fn walked(window: &mut Window<'_>) -> Walked {
    Walked::clone(app(window).session.frame().unwrap().built.as_ref().unwrap().walked.as_ref().unwrap())
}

/// Returns the screen position of a level position in metres.
fn seen(window: &mut Window<'_>, position: DVec3) -> Pos2 {
    let rect = window.get_by_label(&tr("panel.viewport")).rect();
    let size = glam::Vec2::new(rect.width(), rect.height());
    let at = app(window).viewport.camera.project(position.as_vec3(), size).unwrap();
    rect.min + egui::vec2(at.x, at.y)
}

fn button(window: &mut Window<'_>, pos: Pos2, pressed: bool, modifiers: Modifiers) {
    window.event(Input::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers });
    window.run_steps(2);
}

fn click(window: &mut Window<'_>, position: DVec3, modifiers: Modifiers) {
    let at = seen(window, position);
    window.event(Input::ModifiersChanged(modifiers));
    window.event(Input::PointerMoved(at));
    window.run_steps(2);
    button(window, at, true, modifiers);
    button(window, at, false, modifiers);
    window.event(Input::ModifiersChanged(Modifiers::NONE));
    window.run_steps(3);
}

fn press_and_move(window: &mut Window<'_>, from: DVec3, to: DVec3) -> Pos2 {
    let [from, to] = [seen(window, from), seen(window, to)];
    window.event(Input::PointerMoved(from));
    window.run_steps(2);
    button(window, from, true, Modifiers::NONE);
    for i in 1..=4 {
        window.event(Input::PointerMoved(from + (to - from) * (i as f32 / 4.0)));
        window.run_steps(1);
    }
    to
}

const START: DVec3 = DVec3::new(-1.0, 0.0, 6.0);
const GOAL: DVec3 = DVec3::new(1.0, 0.0, -6.0);

fn aim(window: &mut Window<'_>) {
    click(window, START, Modifiers::NONE);
    click(window, GOAL, Modifiers::NONE);
}

#[test]
fn two_clicks_set_start_and_goal_and_the_hero_walks() {
    on_a_lawn(|window| {
        let App { viewport, session, .. } = app(window);
        assert_eq!(viewport.hint(session), tr("hint.walk_start"));
        click(window, START, Modifiers::NONE);
        assert_eq!(walk(window).stops.len(), 1);
        assert_eq!(walked(window).routes.map(|_| ()), None);
        click(window, GOAL, Modifiers::NONE);
        let stops = walk(window).stops;
        assert!(stops[0].distance(START) < 0.2 && stops[1].distance(GOAL) < 0.2, "{stops:?}");
        let walked = walked(window);
        assert_eq!(walked.missing, None);
        assert!(walked.walk.is_some() && app(window).session.playback.duration > 1.0);
    });
}

#[test]
fn a_goal_is_dragged_escape_restores_it_and_one_undo_reverts_a_drag() {
    on_a_lawn(|window| {
        aim(window);
        let before = walk(window).stops[1];
        press_and_move(window, GOAL, GOAL + DVec3::X * 3.0);
        assert!(walk(window).stops[1].distance(before) > 2.0, "the goal follows the pointer");
        window.key_press(Key::Escape);
        window.run_steps(3);
        assert_eq!(walk(window).stops[1], before);
        let at = seen(window, GOAL);
        button(window, at, false, Modifiers::NONE);
        let to = press_and_move(window, GOAL, GOAL + DVec3::X * 3.0);
        button(window, to, false, Modifiers::NONE);
        window.run_steps(3);
        let after = walk(window).stops[1];
        assert!((after.x - before.x - 3.0).abs() < 0.2, "{after}");
        assert_eq!(walked(window).missing, None);
        app(window).perform(Command::Edit(EditCommand::Undo));
        window.run_steps(3);
        assert_eq!(walk(window).stops[1], before);
    });
}

#[test]
fn the_start_arrow_is_turned_and_escape_restores_it() {
    on_a_lawn(|window| {
        aim(window);
        // The path leads around the wall; the arrow's tip is at this distance from the start.
        let first_step = walked(window).routes.unwrap().of_seed(1).unwrap().route.points[1] - START;
        let unit = {
            let rect = window.get_by_label(&tr("panel.viewport")).rect();
            f64::from(app(window).viewport.camera.units_per_pixel(rect.height()))
        };
        let head = |first_step: DVec3| START + DVec3::new(first_step.x, 0.0, first_step.z).normalize() * 52.0 * unit;
        press_and_move(window, head(first_step), START + DVec3::X * 3.0);
        assert!((walk(window).settings.start_facing.unwrap() - 90.0).abs() < 3.0);
        window.key_press(Key::Escape);
        window.run_steps(3);
        assert_eq!(walk(window).settings.start_facing, None);
        let at = seen(window, START);
        button(window, at, false, Modifiers::NONE);
        let to = press_and_move(window, head(first_step), START + DVec3::X * 3.0);
        button(window, to, false, Modifiers::NONE);
        window.run_steps(3);
        let facing = walk(window).settings.start_facing.unwrap();
        assert!(walked(window).walk.is_some() && (facing - 90.0).abs() < 3.0);
        // Once the facing is set, the arrow shows it, and one undo reverts the complete turn.
        press_and_move(window, head(DVec3::X), START - DVec3::Z * 3.0);
        assert!((walk(window).settings.start_facing.unwrap().abs() - 180.0).abs() < 3.0);
        let at = seen(window, START - DVec3::Z * 3.0);
        button(window, at, false, Modifiers::NONE);
        app(window).perform(Command::Edit(EditCommand::Undo));
        window.run_steps(3);
        assert_eq!(walk(window).settings.start_facing, Some(facing));
    });
}

#[test]
fn a_painted_blocked_area_is_avoided_until_it_is_erased_or_undone() {
    on_a_lawn(|window| {
        aim(window);
        let painted = |window: &mut Window<'_>| walk(window).voxels.volumes;
        let left = |window: &mut Window<'_>| {
            let routes = walked(window).routes.unwrap();
            let route = routes.of_seed(1).unwrap().route.points.clone();
            route.iter().map(|at| at.x).fold(f64::MAX, f64::min) < -3.0
        };
        let side = if left(window) { -1.0 } else { 1.0 };
        app(window).session.selection.painting.target = Some(PaintTarget::Ground);
        window.run_steps(2);
        let gap = [DVec3::new(side * 4.5, 0.0, 0.0), DVec3::new(side * 9.5, 0.0, 0.0)];
        press_and_move(window, gap[0], gap[1]);
        window.key_press(Key::Escape);
        window.run_steps(2);
        let to = seen(window, gap[1]);
        button(window, to, false, Modifiers::NONE);
        window.run_steps(3);
        assert!(painted(window).is_empty(), "given up");
        let to = press_and_move(window, gap[0], gap[1]);
        button(window, to, false, Modifiers::NONE);
        window.run_steps(4);
        assert_eq!(painted(window).len(), 1);
        assert_eq!(left(window), side > 0.0, "the way leads around the other end of the wall");
        app(window).perform(Command::Edit(EditCommand::Undo));
        window.run_steps(4);
        assert!(painted(window).is_empty());
        assert_eq!(left(window), side < 0.0);
        app(window).perform(Command::Edit(EditCommand::Redo));
        window.run_steps(4);
        app(window).session.selection.painting.ground_radius = 3.0;
        window.event(Input::ModifiersChanged(Modifiers::COMMAND));
        let [from, to] = gap.map(|position| seen(window, position));
        for (at, pressed) in [(from, Some(true)), (from + (to - from) * 0.5, None), (to, None), (to, Some(false))] {
            window.event(Input::PointerMoved(at));
            window.run_steps(2);
            if let Some(pressed) = pressed {
                button(window, at, pressed, Modifiers::COMMAND);
            }
        }
        window.event(Input::ModifiersChanged(Modifiers::NONE));
        window.run_steps(3);
        assert!(painted(window).is_empty(), "taken away");
    });
}

#[test]
fn a_stop_is_inserted_on_the_path_and_removed_by_delete() {
    on_a_lawn(|window| {
        aim(window);
        let clicked = DVec3::new(7.0, 0.0, 1.0);
        click(window, clicked, Modifiers::SHIFT);
        let stops = walk(window).stops;
        assert!(stops.len() == 3 && stops[1].distance(clicked) < 0.2, "{stops:?}");
        window.key_press(Key::Delete);
        window.run_steps(3);
        assert_eq!(walk(window).stops.len(), 2);
    });
}

#[test]
fn the_panel_lists_the_extra_length_of_routes_and_a_row_chooses_a_seed() {
    on_a_lawn(|window| {
        aim(window);
        let id = app(window).session.shown_take().unwrap().id;
        app(window).session.document.take_mut(id).unwrap().walk_mut().unwrap().routes.variety = 0.5;
        window.run_steps(4);
        let bound = portamento_walk::navigation::bound(0.5);
        let sentence = tr_with("walk.bound", &[("factor", format!("{bound:.2}"))]);
        assert!(window.query_by_label(&sentence).is_some(), "{sentence}");
        assert_eq!(walk(window).seed, 1);
        window.get_by_label("route 3").click_accesskit();
        window.run_steps(4);
        assert_eq!(walk(window).seed, 3);
        assert_eq!(walked(window).missing, None);
    });
}

#[test]
fn a_click_on_a_route_walks_it() {
    on_a_lawn(|window| {
        aim(window);
        let routes = walked(window).routes.unwrap();
        let chosen = walk(window).seed;
        let own = &routes.of_seed(chosen).unwrap().route.points;
        let off = |at: &DVec3| own.iter().map(|point| point.distance(*at)).fold(f64::MAX, f64::min);
        let others = routes.variants().filter(|variant| variant.seed != chosen);
        let far = others.flat_map(|variant| &variant.route.points).max_by(|a, b| off(a).total_cmp(&off(b))).copied();
        click(window, far.unwrap(), Modifiers::NONE);
        assert_ne!(walk(window).seed, chosen);
    });
}

#[test]
fn an_unwalkable_position_gives_the_reason_and_the_changes_that_open_it() {
    on_a_lawn(|window| {
        aim(window);
        window.get_by_label(&tr("level.reasons")).click();
        window.run_steps(4);
        let session = &mut app(window).session;
        session.asked_ground.ask(DVec3::new(0.0, 0.0, 0.5), session.evaluation.frame(), &mut session.jobs);
        window.run_steps(3);
        let session = &app(window).session;
        let answer = session.asked_ground.answer(session.frame()).unwrap().clone();
        assert!(answer.reason.to_string().contains("Too near a wall"), "{}", answer.reason);
        let changes = answer.changes_to_reach.clone().unwrap().unwrap().unwrap();
        assert!(!changes.is_empty());
        let id = app(window).session.shown_take().unwrap().id;
        answer.apply(&mut app(window).session.document.take_mut(id).unwrap().walk_mut().unwrap().voxels);
        window.run_steps(4);
        let at = DVec3::new(0.0, 0.0, 0.5);
        let session = &mut app(window).session;
        session.asked_ground.ask(at, session.evaluation.frame(), &mut session.jobs);
        window.run_steps(2);
        let session = &app(window).session;
        let reason = session.asked_ground.answer(session.frame()).unwrap().reason.to_string();
        assert!(reason.starts_with("Walkable"), "{reason}");
    });
}

#[test]
fn hovering_the_path_shows_its_time_and_a_click_moves_the_playhead() {
    on_a_lawn(|window| {
        aim(window);
        let shown = walked(window);
        let position = shown.walk.as_ref().unwrap().placement_at(1.0).at;
        let at = seen(window, position);
        window.event(Input::PointerMoved(at));
        window.run_steps(3);
        let hover_time = app(window).session.playback.hover_time().unwrap();
        assert!((hover_time - 1.0).abs() < 0.15, "{hover_time}");
        assert!(app(window).session.playback.time < 0.5);
        click(window, position, Modifiers::NONE);
        assert!((app(window).session.playback.time - 1.0).abs() < 0.15);
        window.event(Input::PointerMoved(at + egui::vec2(60.0, 60.0)));
        window.run_steps(3);
        assert_eq!(app(window).session.playback.hover_time(), None);
    });
}

#[test]
fn a_scene_object_becomes_a_box_whose_sides_are_dragged_and_the_route_goes_around_it() {
    on_a_lawn(|window| {
        aim(window);
        app(window).perform(Command::Edit(EditCommand::AddObject));
        window.run_steps(3);
        let middle = START.midpoint(GOAL);
        let object = |window: &mut Window<'_>| app(window).session.document.objects.last().unwrap().clone();
        assert!(object(window).position.with_y(0.0).distance(middle) < 0.2, "between the stops");
        window.get_by_role_and_label(Role::CheckBox, &tr("form.object_obstacle")).click();
        window.run_steps(3);
        let base = DVec3::new(6.0, 0.0, 3.0);
        app(window).session.document.objects.last_mut().unwrap().position = base;
        window.run_steps(3);
        let before = object(window).obstacle.unwrap();
        let side = before.handles(base)[2];
        press_and_move(window, side, side + DVec3::X);
        assert!((object(window).obstacle.unwrap().width - before.width - 2.0).abs() < 0.3, "it grows to both sides");
        window.key_press(Key::Escape);
        window.run_steps(3);
        assert_eq!(object(window).obstacle, Some(before));
        let at = seen(window, side);
        button(window, at, false, Modifiers::NONE);
        let to = press_and_move(window, base, DVec3::new(5.0, 0.0, -4.0));
        button(window, to, false, Modifiers::NONE);
        window.run_steps(4);
        assert!(object(window).position.distance(DVec3::new(5.0, 0.0, -4.0)) < 0.3, "{:?}", object(window).position);
        let near = |window: &mut Window<'_>| {
            let ground = walked(window).ground;
            ground.height(object(window).position + DVec3::Y * before.height)
        };
        assert!(
            near(window).is_some_and(|top| (top - before.height).abs() < 1e-3),
            "the walk has the box on its ground"
        );
        app(window).perform(Command::Edit(EditCommand::Undo));
        window.run_steps(3);
        assert_eq!(object(window).position, base);
    });
}
