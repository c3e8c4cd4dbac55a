//! Loops in the window: creation, shifting, search, painting, undo.

use egui::{Event as Input, Modifiers, PointerButton, Pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use crate::dock::Panel;
use crate::panels::looping::lamp_words;
use crate::tests::{App, app, in_window, tr};
use crate::timeline::lanes::NAMES;
use portamento_anim::math::easing::Easing;
use portamento_dynamics::cloth;
use portamento_looping::Settings;
use portamento_session::Shown;
use portamento_session::looping::seams::Compared;
use portamento_session::painting::{BrushReach, PaintLayer, PaintTarget, Tool, WeightOp};
use portamento_session::{Command, EditCommand, TransportCommand, WindowCommand};
use portamento_takes::evaluate::FrameContent;

type Window<'a> = Harness<'a, Option<App>>;

/// Cloths of `document` simulated with an eighth of the steps that the eye asks for.
fn with_fewer_steps(document: &mut portamento_takes::document::Document) {
    for take in &mut document.takes {
        if let portamento_takes::document::TakeSource::Cloth(cloth) = &mut take.source {
            (cloth.steps, cloth.pre_roll) = (4, 0.5);
        }
    }
}

fn with_flag(check: impl FnOnce(&mut Window<'_>)) {
    in_window("en", |window| {
        app(window).perform(Command::Edit(EditCommand::AddCloth(cloth::ClothShape::Flag)));
        with_fewer_steps(&mut app(window).session.document);
        window.run_steps(6);
        check(window);
    });
}

fn settings(window: &mut Window<'_>) -> Settings {
    app(window).session.shown_take().unwrap().looped(None).unwrap().settings.clone()
}

fn button(window: &mut Window<'_>, pos: Pos2, pressed: bool, modifiers: Modifiers) {
    window.event(Input::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers });
}

fn drag(window: &mut Window<'_>, from: Pos2, to: Pos2, modifiers: Modifiers) {
    window.event(Input::ModifiersChanged(modifiers));
    window.event(Input::PointerMoved(from));
    window.run_steps(1);
    button(window, from, true, modifiers);
    window.run_steps(2);
    for i in 1..=4 {
        window.event(Input::PointerMoved(from + (to - from) * (i as f32 / 4.0)));
        window.run_steps(1);
    }
    button(window, to, false, modifiers);
    window.run_steps(4);
    window.event(Input::ModifiersChanged(Modifiers::NONE));
    window.run_steps(1);
}

/// Cancels a stroke before the button is released.
fn give_up(window: &mut Window<'_>, from: Pos2) {
    window.event(Input::PointerMoved(from));
    window.run_steps(1);
    button(window, from, true, Modifiers::NONE);
    window.run_steps(2);
    window.event(Input::PointerMoved(from + egui::Vec2::new(20.0, 10.0)));
    window.run_steps(2);
    window.key_press(egui::Key::Escape);
    window.run_steps(2);
    window.event(Input::PointerMoved(from + egui::Vec2::new(40.0, 20.0)));
    window.run_steps(2);
    button(window, from + egui::Vec2::new(40.0, 20.0), false, Modifiers::NONE);
    window.run_steps(4);
}

/// Returns the screen position of the cloth's centre after framing everything.
fn on_the_cloth(window: &mut Window<'_>) -> Pos2 {
    app(window).perform(Command::Window(WindowCommand::FrameAll));
    window.run_steps(4);
    let rect = window.get_by_label(&tr("panel.viewport")).rect();
    let FrameContent::Vertices { positions, .. } = app(window).session.frame().unwrap().content.clone() else {
        panic!("no vertices are shown")
    };
    let middle = positions.iter().sum::<glam::Vec3>() / positions.len() as f32;
    let nearest = positions.iter().min_by(|a, b| a.distance(middle).total_cmp(&b.distance(middle))).unwrap();
    let at = app(window).viewport.camera.project(*nearest, glam::Vec2::new(rect.width(), rect.height())).unwrap();
    rect.min + egui::Vec2::new(at.x, at.y)
}

#[test]
fn a_flag_shows_its_vertex_count_and_seam_quality() {
    with_flag(|window| {
        assert!(matches!(app(window).session.frame().unwrap().content, FrameContent::Vertices { .. }));
        for key in ["section.loop", "section.fade", "section.cloth", "section.paint"] {
            assert!(window.query_all_by_label(&tr(key)).next().is_some(), "{key}");
        }
        let built = app(window).session.frame().unwrap().built.clone().unwrap();
        assert!(window.query_by_label(&lamp_words(built.looped(None).unwrap().report())).is_some());
    });
}

#[test]
fn both_cycles_are_dragged_along_the_source() {
    with_flag(|window| {
        let before = settings(window);
        let frames = app(window).session.frame().unwrap().built.as_ref().unwrap().frames();
        let word = format!("{} 0", tr("panel.timeline"));
        let lanes = window.query_all_by(|node| node.label().is_some_and(|label| label.starts_with(&word)));
        let rect = lanes.map(|node| node.rect()).next().unwrap();
        let (left, right) = (rect.min.x + NAMES + 12.0, rect.max.x - 12.0);
        let at = |frame: usize| {
            Pos2::new(left + (right - left) * frame as f32 / (frames - 1) as f32, rect.min.y + 24.0 + 8.0 + 28.0)
        };
        drag(window, at(before.start + 20), at(before.start + 10), Modifiers::NONE);
        assert_eq!((settings(window).start, settings(window).length), (before.start - 10, before.length));
        drag(window, at(before.start - 10 + 2 * before.length), at(before.start - 10 + 100), Modifiers::NONE);
        assert_eq!(settings(window).length, 50);
        // Esc while the button is down.
        let dragged = settings(window);
        window.event(Input::PointerMoved(at(dragged.start + 20)));
        window.run_steps(1);
        button(window, at(dragged.start + 20), true, Modifiers::NONE);
        window.run_steps(2);
        window.event(Input::PointerMoved(at(dragged.start + 15)));
        window.run_steps(2);
        assert_ne!(settings(window).start, dragged.start);
        window.key_press(egui::Key::Escape);
        window.run_steps(2);
        window.event(Input::PointerMoved(at(dragged.start + 12)));
        window.run_steps(2);
        assert_eq!(settings(window), dragged);
        button(window, at(dragged.start + 12), false, Modifiers::NONE);
        window.run_steps(2);
        assert_eq!(settings(window), dragged);
    });
}

#[test]
fn three_cycles_in_a_row_pass_the_seam_twice_and_change_no_export() {
    with_flag(|window| {
        let (once, length) = (app(window).session.playback.duration, settings(window).length as f64);
        app(window).perform(Command::Transport(TransportCommand::ToggleRounds));
        window.run_steps(2);
        let session = &mut app(window).session;
        assert!((session.playback.duration - 3.0 * once).abs() < 1e-9);
        assert_eq!(session.frame().unwrap().built.as_ref().unwrap().clip.duration, once);
        let mut shape = |frame: f64| {
            session.playback.time = frame / session.playback.fps;
            session.update(0.0, true);
            session.frame().unwrap().content.clone()
        };
        for frame in [0.0, 1.0, 30.0] {
            let first = shape(frame);
            assert!(shape(frame + length) == first && shape(frame + 2.0 * length) == first, "{frame}");
        }
        app(window).perform(Command::Transport(TransportCommand::ToggleRounds));
        window.run_steps(2);
        assert_eq!(app(window).session.playback.duration, once);
    });
}

#[test]
fn the_best_seam_is_applied_by_a_click_and_played() {
    with_flag(|window| {
        app(window).dock.show_panel(Panel::Seams);
        window.run_steps(6);
        let Compared::Found(found) = app(window).session.seam_finder().compared() else { panic!("nothing was found") };
        let best = found.candidates[0];
        window.get_by_label(&format!("1: Z {} X {}", best.start, best.length)).click();
        window.run_steps(4);
        assert_eq!((settings(window).start, settings(window).length), (best.start, best.length));
        assert!(app(window).session.playback.around_seam);
    });
}

#[test]
fn loops_of_a_wanted_length_are_found_once_it_is_typed() {
    with_flag(|window| {
        app(window).dock.show_panel(Panel::Seams);
        window.run_steps(6);
        let spin = egui::accesskit::Role::SpinButton;
        window.get_by_role_and_label(spin, &tr("seams.shortest")).click();
        window.run_steps(3);
        window.event(Input::Text("30".into()));
        window.run_steps(2);
        window.key_press(egui::Key::Enter);
        window.run_steps(8);
        assert_eq!(app(window).session.seams.wanted_length().shortest, 30);
        let Compared::Found(found) = app(window).session.seam_finder().compared() else { panic!("nothing was found") };
        assert!(!found.candidates.is_empty() && found.candidates.iter().all(|each| each.length >= 30));
    });
}

#[test]
fn every_listed_loop_has_the_rating_it_gets_when_applied() {
    with_flag(|window| {
        app(window).dock.show_panel(Panel::Seams);
        window.run_steps(8);
        for key in ["rank", "start", "length", "distance", "ratio"] {
            assert!(window.query_all_by_label(&tr(&format!("seams.head_{key}"))).next().is_some(), "{key}");
        }
        let Compared::Found(found) = app(window).session.seam_finder().compared() else { panic!("nothing was found") };
        let seams = app(window).session.seam_finder().candidate_seams(&found, true);
        let third = found.candidates[2];
        window.get_by_label(&format!("3: Z {} X {}", third.start, third.length)).click();
        window.run_steps(4);
        let built = app(window).session.frame().unwrap().built.clone().unwrap();
        assert_eq!(seams[2].unwrap(), *built.looped(None).unwrap().report());
    });
}

#[test]
fn the_seam_map_gives_the_reason_where_no_loop_can_start() {
    with_flag(|window| {
        app(window).dock.show_panel(Panel::Seams);
        window.run_steps(8);
        let map = window.get_by_label(&tr("seams.map")).rect();
        let mut hover_at = |x: f32, y: f32| {
            window.event(Input::PointerMoved(map.min + egui::Vec2::new(x, y) * map.size()));
            window.run_steps(20);
            let cursor = window.output().platform_output.cursor_icon;
            let says = |word: &str| window.query_all_by_label_contains(word).next().is_some();
            (cursor, [says("not after the first"), says("two cycles of"), says("   distance ")])
        };
        assert_eq!(hover_at(0.1, 0.3), (egui::CursorIcon::Crosshair, [false, false, true]));
        assert_eq!(hover_at(0.8, 0.2), (egui::CursorIcon::Default, [true, false, false]));
        assert_eq!(hover_at(0.5, 0.95), (egui::CursorIcon::Default, [false, true, false]));
    });
}

#[test]
fn the_measurements_of_a_seam_have_tooltips() {
    with_flag(|window| {
        // The seam list also has a column with this name; the inspector is at the right.
        let word = tr("outcome.seam_ratio");
        let names = window.query_all_by_label(&word).map(|node| node.rect());
        let name = names.max_by(|a, b| a.min.x.total_cmp(&b.min.x)).unwrap();
        // Hovers the number under the name.
        window.event(Input::PointerMoved(name.left_bottom() + egui::Vec2::new(4.0, 10.0)));
        window.run_steps(30);
        assert!(window.query_by_label(&tr("tip.outcome_seam_ratio")).is_some());
    });
}

#[test]
fn an_image_sequence_shows_its_frame_count_and_size_but_no_joints() {
    with_flame(|window| {
        let session = &mut app(window).session;
        let file = session.shown_take().unwrap().source.file().unwrap();
        session.selection.show(Shown::File(file));
        window.run_steps(6);
        let has = |key: &str| window.query_all_by_label(&tr(&format!("form.{key}"))).next().is_some();
        assert!(has("frames") && has("size") && has("rate") && !has("joints") && !has("clips"));
        assert!(window.query_all_by_label("96 × 128 px").next().is_some());
    });
}

#[test]
fn a_stroke_paints_the_vertices_under_it_and_is_one_undo_step() {
    with_flag(|window| {
        app(window).session.selection.painting.target = Some(PaintTarget::Weights);
        app(window).session.easel().apply(WeightOp::Fill(0.5));
        window.run_steps(4);
        let steps = app(window).session.history.current();
        let view = on_the_cloth(window);
        let painted = |window: &mut Window<'_>| settings(window).fade.timing.values().to_vec();
        drag(window, view, view + egui::Vec2::new(30.0, 20.0), Modifiers::NONE);
        let after = painted(window);
        assert!(after.iter().any(|&weight| weight > 0.6) && after.contains(&0.5));
        assert_eq!(app(window).session.history.current(), steps + 1);
        drag(window, view, view, Modifiers::COMMAND);
        assert!(painted(window).iter().zip(&after).any(|(now, before)| now < before));
        app(window).perform(Command::Edit(EditCommand::Undo));
        app(window).perform(Command::Edit(EditCommand::Undo));
        assert!(painted(window).iter().all(|&weight| weight == 0.5));
    });
}

#[test]
fn a_cancelled_stroke_leaves_neither_paint_nor_an_undo_step() {
    with_flag(|window| {
        app(window).session.selection.painting.target = Some(PaintTarget::Weights);
        window.run_steps(4);
        let (steps, camera) = (app(window).session.history.current(), app(window).viewport.camera.yaw);
        let (view, before) = (on_the_cloth(window), settings(window));
        give_up(window, view);
        assert_eq!(settings(window), before);
        assert_eq!((app(window).session.history.current(), app(window).viewport.camera.yaw), (steps, camera));
        drag(window, view, view, Modifiers::NONE);
        assert_ne!(settings(window), before, "the next stroke paints again");
    });
    with_flame(|window| {
        let view = window.get_by_label(&tr("panel.viewport")).rect().center();
        give_up(window, view);
        assert!(settings(window).fade.timing.values().iter().all(|&weight| weight == 0.5));
    });
}

#[test]
fn strokes_reduce_fade_widths_because_all_start_wide() {
    with_flame(|window| {
        app(window).session.selection.painting.layer = PaintLayer::Width;
        let view = window.get_by_label(&tr("panel.viewport")).rect().center();
        drag(window, view, view, Modifiers::NONE);
        let widths = settings(window).fade.width.values().to_vec();
        assert!(widths[64 * 96 + 48] < 0.9 && widths[0] == 1.0);
    });
}

#[test]
fn a_stroke_on_the_surface_paints_nearby_vertices() {
    with_flag(|window| {
        let painting = &mut app(window).session.selection.painting;
        (painting.target, painting.reach, painting.brush.radius) =
            (Some(PaintTarget::Weights), BrushReach::Surface, 0.2);
        app(window).session.easel().apply(WeightOp::Fill(0.5));
        window.run_steps(4);
        let view = on_the_cloth(window);
        drag(window, view, view + egui::Vec2::new(30.0, 20.0), Modifiers::NONE);
        let painted = settings(window).fade.timing.values().to_vec();
        assert!(painted.iter().any(|&weight| weight > 0.6) && painted.contains(&0.5));
    });
}

#[test]
fn shift_and_a_click_with_the_gradient_run_outwards_from_there() {
    with_flag(|window| {
        let painting = &mut app(window).session.selection.painting;
        (painting.target, painting.tool) = (Some(PaintTarget::Weights), Tool::Gradient);
        window.run_steps(4);
        let steps = app(window).session.history.current();
        let view = on_the_cloth(window);
        drag(window, view, view + egui::Vec2::new(30.0, 20.0), Modifiers::SHIFT);
        let painted = settings(window).fade.timing.values().to_vec();
        assert!(painted.iter().filter(|weight| **weight == 0.0).count() == 1 && painted.contains(&1.0));
        assert_eq!(app(window).session.history.current(), steps + 1);
    });
}

fn with_flame(check: impl FnOnce(&mut Window<'_>)) {
    in_window("en", |window| {
        let session = &mut app(window).session;
        let flame = session.document.takes.iter().find(|take| take.name == "flame").unwrap().id;
        session.selection.shown = Shown::Take(flame);
        session.selection.painting.target = Some(PaintTarget::Weights);
        window.run_steps(6);
        app(window).session.easel().apply(WeightOp::Fill(0.5));
        window.run_steps(4);
        check(window);
    });
}

#[test]
fn strokes_on_an_image_paint_its_pixels_and_each_is_one_undo_step() {
    with_flame(|window| {
        let painted = |window: &mut Window<'_>| settings(window).fade.timing.values().to_vec();
        let steps = app(window).session.history.current();
        let view = window.get_by_label(&tr("panel.viewport")).rect().center();
        drag(window, view, view + egui::Vec2::new(30.0, 20.0), Modifiers::NONE);
        let added = painted(window);
        assert_eq!(added.len(), 96 * 128);
        assert!(added[64 * 96 + 48] > 0.6 && added[0] == 0.5 && added.iter().all(|&weight| weight >= 0.5));
        assert_eq!(app(window).session.history.current(), steps + 1);
        drag(window, view, view, Modifiers::COMMAND);
        assert!(painted(window)[64 * 96 + 48] < added[64 * 96 + 48]);
        let rough = painted(window);
        drag(window, view, view + egui::Vec2::new(20.0, 0.0), Modifiers::SHIFT);
        assert!(painted(window) != rough);
        (0..3).for_each(|_| app(window).perform(Command::Edit(EditCommand::Undo)));
        assert!(painted(window).iter().all(|&weight| weight == 0.5));
    });
}

#[test]
fn a_gradient_on_an_image_rises_from_its_start_to_its_end() {
    with_flame(|window| {
        app(window).session.selection.painting.tool = Tool::Gradient;
        app(window).session.selection.painting.brush.falloff = Easing::Linear;
        let view = window.get_by_label(&tr("panel.viewport")).rect().center();
        drag(window, view - egui::Vec2::new(60.0, 0.0), view + egui::Vec2::new(60.0, 0.0), Modifiers::NONE);
        let weights = settings(window).fade.timing.values().to_vec();
        let row = &weights[64 * 96..65 * 96];
        assert!(row.is_sorted() && row[0] == 0.0 && row[95] == 1.0 && (row[47] - 0.5).abs() < 0.05, "{row:?}");
        assert_eq!(row, &weights[..96]);
    });
}
