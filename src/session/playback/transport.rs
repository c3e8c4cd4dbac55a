//! Playback commands.

use crate::{LoopMode, Session, TransportCommand};
use portamento_base::message::message;

impl Session {
    /// Performs a playback command. Stop ends the comparison of two motions if nothing plays.
    pub(crate) fn perform_transport(&mut self, command: TransportCommand) {
        match command {
            TransportCommand::ToKey(direction) => {
                let keys = self.frame().map_or(&[][..], |frame| &frame.overlay.key_times);
                if let Some(time) = neighbour(keys, self.playback.time, direction) {
                    self.playback.time = time;
                }
            }
            TransportCommand::PlayPause => self.playback.toggle(),
            TransportCommand::Stop if self.playback.playing => self.playback.stop_and_return(),
            TransportCommand::Stop => self.leave_pair(),
            TransportCommand::Step(frames) => {
                self.playback.playing = false;
                self.playback.go_to_frame(self.playback.frame() + frames);
            }
            TransportCommand::ToStart => self.playback.time = self.playback.bounds().0,
            TransportCommand::ToEnd => self.playback.time = self.playback.bounds().1,
            TransportCommand::ToggleLoop => {
                self.playback.loop_mode = match self.playback.loop_mode {
                    LoopMode::Once => LoopMode::Loop,
                    LoopMode::Loop => LoopMode::PingPong,
                    LoopMode::PingPong => LoopMode::Once,
                }
            }
            TransportCommand::ToggleRounds => {
                self.playback.rounds = if self.playback.rounds > 1 { 1 } else { 3 };
            }
            TransportCommand::RangeIn => self.set_range(Some(self.playback.time), None),
            TransportCommand::RangeOut => self.set_range(None, Some(self.playback.time)),
            TransportCommand::ClearRange => self.playback.range = None,
            TransportCommand::Watch(mode) => self.dynamics.mode = mode,
        }
    }

    /// Sets the preview range, in seconds. `None` keeps that end; a range that ends before it starts is refused with a notice.
    fn set_range(&mut self, start: Option<f64>, end: Option<f64>) {
        let (old_start, old_end) = self.playback.bounds();
        let (start, end) = (start.unwrap_or(old_start), end.unwrap_or(old_end));
        if end > start {
            self.playback.range = Some((start, end));
        } else {
            self.notices.add(
                crate::Severity::Warning,
                message!("notice.range", "The preview range must end after its start. It was not changed.",),
            );
        }
    }
}

/// Returns the nearest of the sorted `times` strictly after (direction > 0) or before `now`, in seconds; `None` if there is
/// none.
fn neighbour(times: &[f64], now: f64, direction: i32) -> Option<f64> {
    // Half of the shortest key distance in use (1/240 s), so that the key under the playhead is not its own neighbour.
    const SAME_TIME_SECONDS: f64 = 0.5 / 240.0;
    if direction > 0 {
        times.iter().copied().find(|&time| time > now + SAME_TIME_SECONDS)
    } else {
        times.iter().rev().copied().find(|&time| time < now - SAME_TIME_SECONDS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_neighbouring_key_is_not_the_one_under_the_playhead() {
        assert_eq!(neighbour(&[0.0, 0.5, 1.0], 0.5, 1), Some(1.0));
        assert_eq!(neighbour(&[0.0, 0.5, 1.0], 0.5, -1), Some(0.0));
        assert_eq!(neighbour(&[0.0, 0.5, 1.0], 1.0, 1), None);
    }
}
