//! Commands of playback, the view and the panels.

use super::{ALL, Bench, MIDDLE, Outcome, Trial, nothing, try_all};
use crate::real_window::VIEW;

#[test]
#[ignore = "takes up to 2 minutes; run it after changes of the window"]
fn playback_view_and_panels_follow_their_commands() {
    try_all(TRIALS, nothing);
}

const LEAP: &str = "leap to 5 m";
const FLAME: &str = "flame";
const HAIR: &str = "run with swinging hair and cape";

pub(super) const TRIALS: &[Trial] = &[
    ("play_pause", |bench, command| {
        bench.show(LEAP);
        bench.moves(command, VIEW, |window| window.palette("play_pause"))
    }),
    ("stop", |bench, command| {
        bench.window.key("Home");
        let before = bench.still();
        bench.window.palette("play_pause");
        bench.run(command)?;
        bench.until("the start returns", || (super::changed(&before, &bench.window.pixels(), VIEW) == 0).then_some(()))
    }),
    ("next_frame", |bench, command| bench.comes_and_goes(command, MIDDLE, |window| window.palette("previous_frame"))),
    ("previous_frame", |bench, command| {
        bench.window.palette("next_frame");
        bench.comes_and_goes(command, MIDDLE, |window| window.palette("next_frame"))
    }),
    ("ten_frames_on", |bench, command| bench.comes_and_goes(command, VIEW, |window| window.palette("ten_frames_back"))),
    ("ten_frames_back", |bench, command| {
        bench.window.palette("ten_frames_on");
        bench.comes_and_goes(command, VIEW, |window| (0..10).for_each(|_| window.palette("next_frame")))
    }),
    ("to_start", |bench, command| bench.changes(command, VIEW)),
    ("to_end", |bench, command| bench.comes_and_goes(command, VIEW, |window| window.palette("to_start"))),
    ("next_key", |bench, command| bench.comes_and_goes(command, MIDDLE, |window| window.palette("previous_key"))),
    ("previous_key", |bench, command| {
        bench.window.palette("to_end");
        bench.comes_and_goes(command, MIDDLE, |window| window.palette("to_end"))
    }),
    ("range_in", |bench, command| {
        bench.window.palette("to_start");
        bench.window.palette("ten_frames_on");
        bench.comes_and_goes(command, MIDDLE, |window| window.palette("clear_range"))
    }),
    ("range_out", |bench, command| bench.comes_and_goes(command, MIDDLE, |window| window.palette("clear_range"))),
    ("clear_range", |bench, command| {
        bench.window.palette("range_out");
        bench.comes_and_goes(command, MIDDLE, |window| window.palette("range_out"))?;
        bench.window.palette("clear_range");
        Ok(())
    }),
    ("toggle_loop", |bench, command| {
        bench.comes_and_goes(command, MIDDLE, |window| (0..2).for_each(|_| window.palette("toggle_loop")))
    }),
    ("toggle_rounds", |bench, command| {
        bench.show(FLAME);
        bench.comes_and_goes(command, MIDDLE, |window| window.palette("toggle_rounds"))
    }),
    ("view_front", view),
    ("view_right", view),
    ("view_top", view),
    ("view_back", view),
    ("view_left", view),
    ("view_bottom", view),
    ("toggle_orthographic", |bench, command| {
        bench.comes_and_goes(command, VIEW, |window| window.palette("toggle_orthographic"))
    }),
    ("frame_selection", framing),
    ("frame_all", framing),
    ("toggle_ghosts", toggles),
    ("toggle_trails", toggles),
    ("toggle_joints", toggles),
    ("toggle_ruler", |bench, command| bench.comes_and_goes(command, ALL, |window| window.palette("toggle_ruler"))),
    ("toggle_turntable", |bench, command| bench.moves(command, VIEW, |window| window.palette("toggle_turntable"))),
    ("side_by_side", |bench, command| {
        bench.show(LEAP);
        bench.comes_and_goes(command, VIEW, |window| window.palette("side_by_side"))
    }),
    ("overlay_pair", |bench, command| {
        bench.window.palette("side_by_side");
        bench.comes_and_goes(command, VIEW, |window| window.palette("overlay_pair"))?;
        bench.window.palette("side_by_side");
        Ok(())
    }),
    ("dynamics_recorded", |bench, command| {
        bench.show(HAIR);
        bench.window.palette("dynamics_off");
        bench.window.palette("ten_frames_on");
        bench.changes(command, MIDDLE)
    }),
    ("dynamics_off", |bench, command| {
        bench.comes_and_goes(command, MIDDLE, |window| window.palette("dynamics_recorded"))
    }),
    ("dynamics_live", |bench, command| bench.moves(command, VIEW, |window| window.palette("dynamics_recorded"))),
    ("toggle_theme", |bench, command| bench.comes_and_goes(command, ALL, |window| window.palette("toggle_theme"))),
    ("toggle_language", |bench, command| {
        bench.comes_and_goes(command, ALL, |window| window.palette("toggle_language"))
    }),
    ("maximize_panel", |bench, command| {
        bench.comes_and_goes(command, MIDDLE, |window| window.palette("maximize_panel"))
    }),
    ("next_panel", |bench, command| bench.changes(command, MIDDLE)),
    ("previous_panel", |bench, command| bench.changes(command, MIDDLE)),
    ("reset_layout", |bench, command| {
        let before = bench.still();
        bench.window.palette("panel frame_times");
        bench.window.palette("panel.history");
        bench.changes(command, MIDDLE)?;
        bench.until("the layout returns", || (super::changed(&before, &bench.window.pixels(), VIEW) == 0).then_some(()))
    }),
];

/// Checks that `command` turns the camera.
fn view(bench: &Bench, command: &str) -> Outcome {
    bench.show(LEAP);
    bench.changes(command, VIEW)
}

/// Checks that `command` brings the figure back after the camera left it.
fn framing(bench: &Bench, command: &str) -> Outcome {
    bench.window.point((560, 260));
    (0..12).for_each(|_| bench.window.xdotool(&["click", "5"]));
    bench.window.point((super::SIZE.0 - 2, super::SIZE.1 - 2));
    bench.changes(command, VIEW)
}

fn toggles(bench: &Bench, command: &str) -> Outcome {
    bench.show(LEAP);
    bench.comes_and_goes(command, VIEW, |window| window.palette(command))
}
