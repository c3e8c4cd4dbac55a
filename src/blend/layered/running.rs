//! Running and standing phases of a motion, derived from the speed of its root.

use super::input::{LayerInput, frame_times};
use crate::{Action, Event};
use portamento_anim::root_motion;
use portamento_anim::travelling::travelling;

/// Returns run and stand events of the motion, with hysteresis between `speeds` (m/s). The first event is at time 0.
/// Transitions take as long as that of the first cast. Without speeds there is only a stand event at time 0.
pub(super) fn running(input: &LayerInput, speeds: [f64; 2], casts: &[Event]) -> Vec<Event> {
    let trans_time = casts.first().map_or(Event::default().trans_time, |event| event.trans_time);
    let mut events: Vec<Event> = Vec::new();
    let mut is_running = false;
    for (i, (time, speed)) in ground_speeds(input).into_iter().enumerate() {
        let runs_now = if is_running { speed >= speeds[0] } else { speed > speeds[1] };
        if i == 0 || runs_now != is_running {
            let action = if runs_now { Action::Run } else { Action::Stand };
            events.push(Event { time, action, trans_time, ..Event::default() });
        }
        is_running = runs_now;
    }
    if events.is_empty() {
        events.push(Event { action: Action::Stand, ..Event::default() });
    }
    events
}

/// Returns the time (seconds) and ground speed (m/s) of every frame, averaged over 0.2 s around it. The speed is that
/// of the root, or of the feet of a gait on the spot. The result is empty without either.
fn ground_speeds(input: &LayerInput) -> Vec<(f64, f64)> {
    // A gait on the spot runs at the speed that its feet imply.
    let gait = travelling(input.skeleton, input.motion, input.roles, input.fps, input.metres_per_unit);
    let own = input.root.map(|root| (input.motion, root));
    let Some((motion, root)) = gait.as_ref().map(|gait| (&gait.clip, gait.root)).or(own) else { return Vec::new() };
    let times = frame_times(input.motion.duration, input.fps);
    let path = root_motion::path(input.skeleton, motion, root.joint, &times);
    let half_window = (0.1 * input.fps).round().max(1.0) as usize;
    let speed = |i: usize| {
        let (before, after) = (i.saturating_sub(half_window), (i + half_window).min(times.len() - 1));
        let distance = (path[after] - path[before]).with_y(0.0).length() * input.metres_per_unit;
        let seconds = times[after] - times[before];
        if seconds > 0.0 { distance / seconds } else { 0.0 }
    };
    (0..times.len()).map(|i| (times[i], speed(i))).collect()
}
