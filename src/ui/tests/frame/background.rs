//! Background jobs are shown until they finish.

use std::time::Duration;

use crate::dock::Panel;
use crate::tests::*;
use portamento_session::Shown;
use portamento_session::looping::seams::Compared;
use portamento_takes::document::TakeSource;

type Window<'a> = Harness<'a, Option<App>>;

/// Draws frames only while the window requests them, as without pointer motion.
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
fn a_job_started_by_a_panel_is_shown_until_its_end_without_mouse_input() {
    in_window("en", |window| {
        let project = app(window).session.project.path.clone().unwrap();
        // Jobs run on worker threads, as in the application.
        app(window).session = Session::default();
        app(window).session.perform(Command::File(FileCommand::Open(vec![project])));
        draw_as_asked(window);
        let takes = app(window).session.document.takes.clone();
        let flame = takes.iter().find(|take| matches!(take.source, TakeSource::Images { .. })).unwrap();
        app(window).session.selection.show(Shown::Take(flame.id));
        app(window).dock.show_panel(Panel::Seams);
        draw_as_asked(window);
        assert!(matches!(app(window).session.seam_finder().compared(), Compared::Found(_)));
        assert_eq!(app(window).session.jobs.running().map(|job| job.key.to_string()).collect::<Vec<_>>(), [""; 0]);
    });
}
