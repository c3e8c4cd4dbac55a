//! When a motion runs and when it stands, read off the speed of its root.

use super::input::{LayerInput, frame_times};
use crate::anim::root_motion;
use crate::systems::blend::{Action, Event};

/// When the motion runs and stands, with hysteresis between `speeds` (m/s); the first event is at 0. Changes take as long as
/// the casts' own transitions.
pub(super) fn running(input: &LayerInput, speeds: [f64; 2], casts: &[Event]) -> Vec<Event> {
    let trans_time = casts.first().map_or(Event::default().trans_time, |event| event.trans_time);
    let mut events: Vec<Event> = Vec::new();
    let mut runs = false;
    for (i, (time, speed)) in ground_speeds(input).into_iter().enumerate() {
        let now = if runs { speed >= speeds[0] } else { speed > speeds[1] };
        if i == 0 || now != runs {
            let action = if now { Action::Run } else { Action::Stand };
            events.push(Event { time, action, trans_time, ..Event::default() });
        }
        runs = now;
    }
    if events.is_empty() {
        events.push(Event { action: Action::Stand, ..Event::default() });
    }
    events
}

/// Metres a second along the ground at every frame, over a fifth of a second around it.
fn ground_speeds(input: &LayerInput) -> Vec<(f64, f64)> {
    let Some(root) = input.root else { return Vec::new() };
    let times = frame_times(input.motion.duration, input.fps);
    let path = root_motion::path(input.skeleton, input.motion, root.joint, &times);
    let reach = (0.1 * input.fps).round().max(1.0) as usize;
    let speed = |i: usize| {
        let (before, after) = (i.saturating_sub(reach), (i + reach).min(times.len() - 1));
        let way = (path[after] - path[before]).with_y(0.0).length() * input.metres_per_unit;
        let seconds = times[after] - times[before];
        if seconds > 0.0 { way / seconds } else { 0.0 }
    };
    (0..times.len()).map(|i| (times[i], speed(i))).collect()
}
