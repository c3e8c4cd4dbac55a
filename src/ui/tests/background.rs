//! Work behind the window is seen to its end.

use std::time::Duration;

use super::*;
use crate::dock::Panel;
use portamento_session::Shown;
use portamento_session::looping::seams::Compared;
use portamento_takes::document::TakeSource;

type Window<'a> = Harness<'a, Option<App>>;

/// Draws frames only as long as the window asks for them, as it does where no pointer moves.
fn draw_as_asked(window: &mut Window<'_>) {
    for _ in 0..4000 {
        window.run_steps(1);
        let asked = &window.output().viewport_output[&egui::ViewportId::ROOT];
        if asked.repaint_delay > Duration::from_secs(1) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_a_panel_begins_is_seen_to_its_end_without_a_hand_on_the_mouse() {
    in_window("en", |window| {
        let project = app(window).session.project.path.clone().unwrap();
        // Jobs of their own threads, as in use.
        app(window).session = Session::default();
        app(window).session.perform(Command::File(FileCommand::Open(vec![project])));
        draw_as_asked(window);
        let takes = app(window).session.document.takes.clone();
        let flame = takes.iter().find(|take| matches!(take.source, TakeSource::Images { .. })).unwrap();
        app(window).session.selection.show(Shown::Take(flame.id));
        app(window).dock.show_panel(Panel::Seams);
        draw_as_asked(window);
        assert!(matches!(app(window).session.seam_finder().compared(), Compared::Found(_)));
        assert_eq!(app(window).session.jobs.running().map(|job| job.name.to_string()).collect::<Vec<_>>(), [""; 0]);
    });
}
