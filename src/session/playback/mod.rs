//! The playhead and its state.

mod transport;

use std::ops::Range;

/// The behaviour at the end of the playback range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum LoopMode {
    /// Stop on the last frame.
    Once,
    /// Restart at the beginning.
    #[default]
    Loop,
    /// Play backwards to the start, then forwards again.
    PingPong,
}

/// The playhead and its playback mode. Times are seconds of the shown clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    /// Time of the playhead, seconds.
    pub time: f64,
    /// True while playing.
    pub playing: bool,
    /// Playback speed factor, 0.05…4.
    pub speed: f64,
    /// The behaviour at the end of the range.
    pub loop_mode: LoopMode,
    /// The preview range, seconds; `None` for the whole clip.
    pub range: Option<(f64, f64)>,
    /// Duration of the shown clip, seconds.
    pub duration: f64,
    /// Frame rate of the shown clip, used for steps and snapping.
    pub fps: f64,
    /// True to play only around the seam of a loop.
    pub around_seam: bool,
    /// Repetitions of a loop that are shown in a row: 3, to see the seam twice, or 1.
    pub rounds: u32,
    /// Time at which playback started; stopping returns here.
    started_at: f64,
    /// True while a ping-pong plays backwards.
    returning: bool,
    /// Times under the pointer in a plot or on a path: of the last displayed frame, and of this one so far.
    hover_times: [Option<f64>; 2],
    /// State while the input of the open stage is shown.
    before_stage: Option<BeforeStage>,
}

/// State while the input of the open stage, which may be shorter, is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BeforeStage {
    /// Time of the playhead before, seconds.
    since: f64,
    /// Last shown time of the playhead, seconds.
    shown: f64,
}

/// Time before and after the seam that is played around it, seconds.
const SEAM_REACH_SECONDS: f64 = 0.5;

impl Default for Playback {
    fn default() -> Self {
        Self {
            time: 0.0,
            playing: false,
            speed: 1.0,
            loop_mode: LoopMode::Loop,
            range: None,
            duration: 0.0,
            fps: 30.0,
            around_seam: false,
            rounds: 1,
            started_at: 0.0,
            returning: false,
            hover_times: [None; 2],
            before_stage: None,
        }
    }
}

impl Playback {
    /// Returns the first and last second of playback: the preview range within the clip, or the whole clip.
    pub fn bounds(&self) -> (f64, f64) {
        let (start, end) = self.range.unwrap_or((0.0, self.duration));
        let start = start.clamp(0.0, self.duration);
        (start, end.clamp(start, self.duration))
    }

    /// Sets duration and rate of the shown clip. The playhead is clamped to the clip, and moved to the nearest frame
    /// if the rate changed while paused. A preview range beyond the end is removed.
    pub fn show(&mut self, duration: f64, fps: f64) {
        if fps != self.fps && !self.playing && fps > 0.0 {
            self.time = (self.time * fps).round() / fps;
        }
        self.duration = duration;
        self.fps = fps;
        self.range = self.range.filter(|range| range.1 <= duration + 1e-9);
        self.time = self.time.clamp(0.0, duration);
    }

    /// Returns the playback duration of a motion of `duration` seconds; loops are repeated [`Playback::rounds`]
    /// times.
    pub fn seconds_of(&self, duration: f64, repeats: bool) -> f64 {
        if repeats { duration * f64::from(self.rounds.max(1)) } else { duration }
    }

    /// Returns the playhead in a motion of `seconds`, which may be shorter than playback: it repeats if playback
    /// loops, otherwise it holds its last frame.
    pub(super) fn time_within(&self, seconds: f64) -> f64 {
        match self.loop_mode {
            LoopMode::Loop if self.time > seconds && seconds > 0.0 => self.time.rem_euclid(seconds),
            _ => self.time.min(seconds),
        }
    }

    /// Advances the playhead by `seconds` of real time, multiplied by [`Playback::speed`]. Does nothing while paused;
    /// pauses at the end of [`LoopMode::Once`].
    pub fn advance(&mut self, seconds: f64) {
        let (start, end) = self.bounds();
        if !self.playing || end <= start {
            return;
        }
        let passed = seconds.max(0.0) * self.speed;
        if self.around_seam {
            return self.advance_around_seam(passed);
        }
        if self.loop_mode == LoopMode::PingPong {
            return self.advance_ping_pong(passed, start..end);
        }
        let time = self.time + passed;
        match self.loop_mode {
            _ if time < end => self.time = time.max(start),
            LoopMode::Loop | LoopMode::PingPong => self.time = start + (time - start).rem_euclid(end - start),
            LoopMode::Once => {
                self.time = end;
                self.playing = false;
            }
        }
    }

    /// Starts to play only around the seam of the loop, repeatedly. Clears the preview range.
    pub fn play_seam(&mut self) {
        (self.around_seam, self.playing, self.range) = (true, true, None);
        self.started_at = self.time;
    }

    /// Plays half a second before the seam and half a second after it; less for a shorter loop.
    fn advance_around_seam(&mut self, passed: f64) {
        let reach = SEAM_REACH_SECONDS.min(self.duration * 0.5);
        let before = self.duration - reach;
        let along = match self.time {
            time if time >= before => time - before,
            time if time <= reach => time + reach,
            _ => 0.0,
        };
        let along = (along + passed).rem_euclid(2.0 * reach);
        self.time = if along < reach { before + along } else { along - reach };
    }

    /// Moves the playhead by `passed` seconds. Forward and backward are one cycle of twice the length.
    fn advance_ping_pong(&mut self, passed: f64, Range { start, end }: Range<f64>) {
        let length = end - start;
        let from_start = (self.time - start).clamp(0.0, length);
        let along = if self.returning { 2.0 * length - from_start } else { from_start };
        let along = (along + passed).rem_euclid(2.0 * length);
        self.returning = along > length;
        self.time = start + if self.returning { 2.0 * length - along } else { along };
    }

    /// Toggles playback; starts from the beginning of the range if the playhead is at its end. Ends playback around a seam.
    pub fn toggle(&mut self) {
        self.playing = !self.playing;
        self.around_seam = false;
        if self.playing {
            let (start, end) = self.bounds();
            self.returning = false;
            if self.time >= end || self.time < start {
                self.time = start;
            }
            self.started_at = self.time;
        }
    }

    /// Stops and returns to the time at which playback started. Does nothing while paused.
    pub(super) fn stop_and_return(&mut self) {
        if self.playing {
            (self.playing, self.around_seam) = (false, false);
            self.time = self.started_at;
        }
    }

    /// Returns the frame nearest to the playhead.
    pub fn frame(&self) -> i64 {
        (self.time * self.fps).round() as i64
    }

    /// Returns the time for new keys, seconds: snapped to frames while playing.
    pub fn time_to_edit(&self) -> f64 {
        if self.playing { (self.frame() as f64 / self.fps).min(self.duration) } else { self.time }
    }

    /// Returns the last whole frame of the clip.
    pub fn last_frame(&self) -> i64 {
        last_frame(self.duration, self.fps)
    }

    /// Pauses at the frame nearest to `time`, seconds, while the playhead is dragged.
    pub fn pause_at(&mut self, time: f64) {
        self.playing = false;
        self.go_to_frame((time * self.fps).round() as i64);
    }

    /// Returns the time under the pointer in a plot or on a path during the last displayed frame, seconds; all panels
    /// highlight it. `None` if there is none.
    pub fn hover_time(&self) -> Option<f64> {
        self.hover_times[0]
    }

    /// Sets the time under the pointer, seconds. [`Playback::hover_time`] returns it during the next displayed frame only.
    pub fn hover_at(&mut self, time: f64) {
        self.hover_times[1] = Some(time.clamp(0.0, self.duration));
    }

    /// Starts a new displayed frame.
    pub fn next_hover(&mut self) {
        self.hover_times = [self.hover_times[1], None];
    }

    /// Shows the input of the open stage if `before` is true, else the output of the take. If the shorter input has moved the
    /// playhead, the return to the output moves it back, unless it was moved since.
    pub fn show_before_stage(&mut self, before: bool) {
        let time = self.time;
        self.before_stage = match self.before_stage {
            None => before.then_some(BeforeStage { since: time, shown: time }),
            Some(BeforeStage { since, .. }) if before => Some(BeforeStage { since, shown: time.min(since) }),
            Some(BeforeStage { since, shown }) => {
                // Only a shorter motion had moved the playhead.
                self.time = if time == shown { since } else { time };
                None
            }
        };
    }

    /// True if the input of the open stage is shown.
    pub fn is_before_stage(&self) -> bool {
        self.before_stage.is_some()
    }

    /// Moves the playhead to a whole frame, limited to the clip. Playback continues.
    pub fn go_to_frame(&mut self, frame: i64) {
        let frame = frame.clamp(0, self.last_frame());
        self.time = (frame as f64 / self.fps).min(self.duration);
    }
}

/// Returns the last whole frame of a motion of `duration` seconds. A motion that ends just before a frame includes
/// it, because files store frame times with few digits.
pub fn last_frame(duration: f64, fps: f64) -> i64 {
    const FRAME_TOLERANCE: f64 = 0.05;
    (duration * fps + FRAME_TOLERANCE).floor() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_frame_is_reached_even_if_the_file_rounds_the_frame_time() {
        let duration = 2751.0 * 0.008_333_3;
        let mut playback = Playback { fps: 120.0, duration, ..Playback::default() };
        assert_eq!(playback.last_frame(), 2751);
        playback.go_to_frame(2751);
        assert_eq!((playback.time, playback.frame()), (duration, 2751));
        assert_eq!([last_frame(1.02, 30.0), last_frame(1.0, 30.0)], [30, 30], "a partial frame does not count");
    }

    #[test]
    fn a_new_rate_moves_a_paused_playhead_to_a_whole_frame() {
        let mut playback = Playback { time: 11.0 / 30.0, fps: 30.0, ..Playback::default() };
        playback.show(2.0, 24.0);
        assert_eq!(playback.time, 9.0 / 24.0);
        playback.time = 0.4;
        playback.show(2.0, 24.0);
        assert_eq!(playback.time, 0.4, "a time between frames is kept");
        playback.playing = true;
        playback.show(2.0, 30.0);
        assert_eq!(playback.time, 0.4);
    }

    fn second_at_30() -> Playback {
        Playback { duration: 1.0, ..Playback::default() }
    }

    #[test]
    fn steps_land_on_whole_frames_and_stay_in_the_clip() {
        let mut playback = second_at_30();
        playback.time = 0.34;
        playback.go_to_frame(playback.frame() + 1);
        assert_eq!(playback.time, 11.0 / 30.0);
        playback.go_to_frame(999);
        assert_eq!(playback.time, 1.0);
        playback.go_to_frame(-5);
        assert_eq!(playback.time, 0.0);
    }

    #[test]
    fn around_the_seam_only_the_end_and_the_start_play() {
        let mut playback = Playback { duration: 4.0, ..Playback::default() };
        playback.time = 2.0;
        playback.play_seam();
        let mut times = Vec::new();
        for _ in 0..40 {
            playback.advance(0.1);
            times.push(playback.time);
        }
        assert!(times.iter().all(|time| !(0.5..3.5).contains(time)), "{times:?}");
        assert!(times.iter().any(|&time| time < 0.5) && times.iter().any(|&time| time > 3.5));
        playback.toggle();
        assert!(!playback.around_seam && !playback.playing);
    }

    #[test]
    fn playing_loops_within_the_range_and_stop_returns() {
        let mut playback = second_at_30();
        playback.range = Some((0.2, 0.6));
        playback.time = 0.3;
        playback.toggle();
        playback.advance(0.5);
        assert!((playback.time - 0.4).abs() < 1e-12, "{}", playback.time);
        playback.stop_and_return();
        assert_eq!((playback.time, playback.playing), (0.3, false));
    }

    #[test]
    fn ping_pong_turns_at_both_ends() {
        let mut playback = Playback { loop_mode: LoopMode::PingPong, ..second_at_30() };
        playback.toggle();
        let times = [(); 5].map(|()| {
            playback.advance(0.75);
            playback.time
        });
        assert_eq!(times, [0.75, 0.5, 0.25, 1.0, 0.25]);
    }

    #[test]
    fn playing_once_stops_on_the_last_frame_and_starts_over() {
        let mut playback = Playback { loop_mode: LoopMode::Once, ..second_at_30() };
        playback.toggle();
        playback.advance(5.0);
        assert_eq!((playback.time, playback.playing), (1.0, false));
        playback.toggle();
        assert_eq!(playback.time, 0.0);
    }

    #[test]
    fn the_hover_time_is_valid_for_one_displayed_frame() {
        let mut playback = second_at_30();
        playback.hover_at(0.5);
        playback.next_hover();
        playback.hover_at(0.7);
        assert_eq!(playback.hover_time(), Some(0.5));
        playback.next_hover();
        assert_eq!(playback.hover_time(), Some(0.7));
        playback.next_hover();
        assert_eq!(playback.hover_time(), None);
    }

    #[test]
    fn only_loops_are_repeated() {
        let playback = Playback { rounds: 3, ..Playback::default() };
        assert_eq!((playback.seconds_of(2.0, true), playback.seconds_of(2.0, false)), (6.0, 2.0));
    }
}
