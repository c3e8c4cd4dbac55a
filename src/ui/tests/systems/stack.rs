//! Stages on the timeline and in the inspector: mouse and keyboard operation.

use egui::accesskit::Role;
use egui::{Event, PointerButton, Pos2, Rect};

use crate::tests::*;
use crate::timeline::lanes::NAMES;
use portamento_session::EditCommand;
use portamento_session::command::stage::StageCommand;
use portamento_takes::document::{Span, StageId, StageType, Take};

type Window<'a> = Harness<'a, Option<App>>;

/// Shows the take whose only stage is dynamic bones, after its simulation.
fn show_swing(window: &mut Window<'_>) {
    let session = &mut app(window).session;
    let id = session.document.takes.iter().find(|take| take.name == "run with swinging hair and cape").unwrap().id;
    session.selection.show(Shown::Take(id));
    session.dynamics.mode = portamento_session::DynamicsMode::Recorded;
    for _ in 0..600 {
        window.run_steps(2);
        let built = app(window).session.frame().and_then(|frame| frame.built.clone());
        if built.is_some_and(|built| built.stages.len() == 1) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("the bones were not swung");
}

fn shown(window: &mut Window<'_>) -> Take {
    app(window).session.shown_take().unwrap()
}

fn span(window: &mut Window<'_>) -> Option<Span> {
    shown(window).stages[0].kind.span()
}

/// Returns the rectangle of the lanes and a function from time to x.
pub(super) fn lanes(window: &mut Window<'_>) -> (Rect, impl Fn(f64) -> f32 + use<>) {
    let duration = app(window).session.playback.duration;
    let word = format!("{} ", tr("panel.timeline"));
    // The panel around the lanes has no frame numbers in its name.
    let is_warning_label = |label: String| label.starts_with(&word) && label.contains('/');
    let all = window.query_all_by(|node| node.label().is_some_and(is_warning_label));
    let rect = all.map(|node| node.rect()).next().unwrap();
    let (left, right) = (rect.min.x + NAMES + 12.0, rect.max.x - 12.0);
    (rect, move |time: f64| left + (right - left) * (time / duration) as f32)
}

fn drag(window: &mut Window<'_>, from: Pos2, to: Pos2) {
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.event(Event::PointerMoved(from));
    window.event(button(from, true));
    window.run_steps(2);
    for i in 1..=4 {
        window.event(Event::PointerMoved(from + (to - from) * (i as f32 / 4.0)));
        window.run_steps(1);
    }
    window.event(button(to, false));
    window.run_steps(3);
}

#[test]
fn the_span_of_a_stage_is_drawn_in_moved_and_faded_on_its_lane() {
    in_window("en", |window| {
        show_swing(window);
        let duration = app(window).session.playback.duration;
        let (rect, x) = lanes(window);
        let [upper_y, lower_y] = [6.0, 17.0].map(|down| rect.min.y + 24.0 + down);
        assert_eq!(span(window), None);
        drag(window, Pos2::new(x(duration), lower_y), Pos2::new(x(0.5 * duration), lower_y));
        let drawn = span(window).unwrap();
        assert!((drawn.end - 0.5 * duration).abs() < 0.02 && drawn.start == 0.0 && drawn.fade_out > 0.0, "{drawn:?}");
        drag(window, Pos2::new(x(0.25 * duration), lower_y), Pos2::new(x(0.5 * duration), lower_y));
        let moved = span(window).unwrap();
        let by = moved.start - drawn.start;
        assert!((by - 0.25 * duration).abs() < 0.04 && (moved.end - drawn.end - by).abs() < 1e-9, "{moved:?}");
        drag(window, Pos2::new(x(moved.start), upper_y), Pos2::new(x(moved.start + 0.1), upper_y));
        let faded = span(window).unwrap();
        assert!((faded.fade_in - 0.1).abs() < 0.02 && faded.start == moved.start, "{faded:?}");
        for before in [Some(moved), Some(drawn), None] {
            window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
            window.run_steps(3);
            assert_eq!(span(window), before, "each drag is one step");
        }
    });
}

#[test]
fn the_motion_before_the_stage_is_shown_while_b_is_down() {
    in_window("en", |window| {
        show_swing(window);
        let stages = |window: &mut Window<'_>| {
            let built = app(window).session.frame().and_then(|frame| frame.built.clone());
            built.map(|built| built.stages.len())
        };
        let b = |pressed| Event::Key {
            key: Key::B,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        window.event(b(true));
        window.run_steps(3);
        assert_eq!(stages(window), Some(0));
        window.event(b(false));
        window.run_steps(3);
        assert_eq!(stages(window), Some(1));
    });
}

/// Shows a take with three stages in the inspector.
fn show_three(window: &mut Window<'_>) -> [StageId; 3] {
    let session = &mut app(window).session;
    let take = session.document.takes.iter().find(|take| take.name == "leap to 5 m").unwrap().id;
    session.selection.show(Shown::Take(take));
    window.run_steps(3);
    for kind in [StageType::Retime, StageType::Mirror] {
        app(window).session.perform(Command::Edit(EditCommand::Stage(StageCommand::Add(kind))));
        window.run_steps(3);
    }
    order(window).try_into().unwrap()
}

/// Returns the title line of a stage's card; while the card is open, its settings have the same name.
fn card(window: &Window<'_>, stage: &str) -> Option<Rect> {
    let name = tr(stage);
    let named = window.query_all_by_role_and_label(Role::Button, &name).map(|node| node.rect());
    named.min_by(|a, b| a.min.y.total_cmp(&b.min.y))
}

fn open_stage(window: &mut Window<'_>) -> Option<StageId> {
    let session = &app(window).session;
    session.selection.open_stage(&session.document)
}

fn order(window: &mut Window<'_>) -> Vec<StageId> {
    shown(window).stages.iter().map(|stage| stage.id).collect()
}

#[test]
fn a_card_that_is_clicked_anywhere_moves_by_as_many_places_as_its_keys_are_pressed() {
    in_window("en", |window| {
        let [stretch, retime, mirror] = show_three(window);
        // In the empty part of the card's title line.
        let line = card(window, "stage.retime").unwrap();
        assert!(line.width() > 100.0, "{line}");
        click(window, line.right_center() - egui::vec2(4.0, 0.0));
        assert_eq!(open_stage(window), Some(retime));
        for (key, wanted) in [
            (Key::ArrowUp, [retime, stretch, mirror]),
            (Key::ArrowUp, [retime, stretch, mirror]),
            (Key::ArrowDown, [stretch, retime, mirror]),
            (Key::ArrowDown, [stretch, mirror, retime]),
        ] {
            window.key_press(key);
            window.run_steps(3);
            assert_eq!(order(window), wanted, "{key:?}");
        }
        let line = card(window, "stage.mirror").unwrap();
        click(window, line.center_bottom() + egui::vec2(20.0, 12.0));
        assert_eq!(open_stage(window), Some(mirror));
    });
}

#[test]
fn a_stage_that_is_added_is_brought_into_view() {
    in_window("en", |window| {
        show_three(window);
        app(window).session.perform(Command::Edit(EditCommand::Stage(StageCommand::Add(StageType::Layer))));
        window.run_steps(20);
        let over = card(window, "stage.layer").unwrap().center();
        window.event(Event::PointerMoved(over));
        for _ in 0..30 {
            let wheel = egui::vec2(0.0, -200.0);
            let (unit, phase, modifiers) = (egui::MouseWheelUnit::Point, egui::TouchPhase::Move, Modifiers::NONE);
            window.event(Event::MouseWheel { unit, delta: wheel, phase, modifiers });
            window.run_steps(2);
        }
        assert!(card(window, "stage.layer").is_none_or(|line| line.max.y < 60.0), "the cards are scrolled away");
        app(window).session.perform(Command::Edit(EditCommand::Stage(StageCommand::Add(StageType::Trim))));
        window.run_steps(60);
        let added = card(window, "stage.trim").unwrap();
        assert!(added.min.y > 60.0, "{added}");
    });
}

/// Releases the button in the next frame; a longer press is not a click.
fn click(window: &mut Window<'_>, at: Pos2) {
    let button =
        |pressed| Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE };
    window.event(Event::PointerMoved(at));
    window.run_steps(1);
    window.event(button(true));
    window.run_steps(1);
    window.event(button(false));
    window.run_steps(3);
}

#[test]
fn in_a_narrow_panel_the_title_of_a_stage_is_read_and_its_buttons_are_in_a_menu() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let leap = app(window).session.document.takes.iter().find(|take| take.name == "leap to 5 m").unwrap().id;
            app(window).session.selection.show(Shown::Take(leap));
            // A window of 1280 × 780 at 150 %.
            window.set_size(egui::vec2(853.0, 520.0));
            window.run_steps(6);
            let name = tr("stage.stretch");
            let more = format!("{}: {name}", tr("stack.more"));
            let is_narrow = window.query_by_label(&more).is_some();
            // A workspace has the same name.
            let titles = window.query_all_by_role_and_label(Role::Button, &name).map(|node| node.rect());
            let title = titles.max_by(|a, b| a.min.x.total_cmp(&b.min.x)).unwrap();
            assert!(title.width() > 60.0, "{language}: {title}");
            if !is_narrow {
                assert_eq!(language, "zh-CN", "its word is short");
                return;
            }
            window.get_by_label(&more).click();
            window.run_steps(4);
            window.get_by_label(&format!("{}: {name}", tr("stack.remove"))).click();
            window.run_steps(4);
            assert!(shown(window).stages.is_empty());
        });
    }
}
