//! The playhead, and the commands that move it.

mod transport;

use std::ops::Range;

/// What happens at the end of the range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum LoopMode {
    /// Stop on the last frame.
    Once,
    /// Starts again at the beginning.
    #[default]
    Loop,
    /// Run back to the start, then forth again.
    PingPong,
}

/// Where the playhead is and how it moves. Times are seconds of the shown clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    /// Where the playhead is, seconds.
    pub time: f64,
    /// Whether time runs.
    pub playing: bool,
    /// Factor on time while playing, 0.05…4.
    pub speed: f64,
    /// At the end of the range.
    pub loop_mode: LoopMode,
    /// The range that plays, when narrower than the clip.
    pub range: Option<(f64, f64)>,
    /// Seconds of the shown clip.
    pub duration: f64,
    /// Frames per second of the shown clip; steps and snapping use it.
    pub fps: f64,
    /// Whether only what lies around the seam of a loop plays.
    pub around_seam: bool,
    /// How often a loop comes in a row before it begins again: 3 to see its seam passed twice, or 1.
    pub rounds: u32,
    /// Where playing started; stopping returns here.
    started_at: f64,
    /// Whether time runs backwards, on the way back of a ping-pong.
    returning: bool,
    /// The time that was pointed at: in the last picture, and in this one as far as it is drawn.
    hover_times: [Option<f64>; 2],
    /// While the motion before the open stage is shown.
    before_stage: Option<BeforeStage>,
}

/// A look at the motion before the open stage, which may be shorter.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BeforeStage {
    /// The playhead when it began, seconds.
    since: f64,
    /// The playhead as it was shown last, seconds.
    shown: f64,
}

/// Seconds before and after the seam that play when it is listened to.
const SEAM: f64 = 0.5;

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
    /// First and last second that play: the preview range within the clip, or the whole clip.
    pub fn bounds(&self) -> (f64, f64) {
        let (start, end) = self.range.unwrap_or((0.0, self.duration));
        let start = start.clamp(0.0, self.duration);
        (start, end.clamp(start, self.duration))
    }

    /// Shows another clip: the playhead stays where it is if the clip is long enough, on the nearest frame where those are others and
    /// nothing plays; a preview range past its end goes.
    pub fn show(&mut self, duration: f64, fps: f64) {
        if fps != self.fps && !self.playing && fps > 0.0 {
            self.time = (self.time * fps).round() / fps;
        }
        self.duration = duration;
        self.fps = fps;
        self.range = self.range.filter(|range| range.1 <= duration + 1e-9);
        self.time = self.time.clamp(0.0, duration);
    }

    /// How long a motion of `duration` seconds plays: one that repeats in as many rounds as are shown.
    pub fn seconds_of(&self, duration: f64, repeats: bool) -> f64 {
        if repeats { duration * f64::from(self.rounds.max(1)) } else { duration }
    }

    /// The playhead in a motion of `seconds`, which may end before what plays does: it holds its last frame, or begins again where
    /// playback loops.
    pub(super) fn time_within(&self, seconds: f64) -> f64 {
        match self.loop_mode {
            LoopMode::Loop if self.time > seconds && seconds > 0.0 => self.time.rem_euclid(seconds),
            _ => self.time.min(seconds),
        }
    }

    /// Lets `seconds` of real time pass.
    pub fn advance(&mut self, seconds: f64) {
        let (start, end) = self.bounds();
        if !self.playing || end <= start {
            return;
        }
        let passed = seconds.max(0.0) * self.speed;
        if self.around_seam {
            return self.cross(passed);
        }
        if self.loop_mode == LoopMode::PingPong {
            return self.swing(passed, start..end);
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

    /// Plays the end and the start of the whole loop in turn, over and over.
    pub fn play_seam(&mut self) {
        (self.around_seam, self.playing, self.range) = (true, true, None);
        self.started_at = self.time;
    }

    /// Half a second before the seam, then half a second after it, or half of a shorter loop.
    fn cross(&mut self, passed: f64) {
        let reach = SEAM.min(self.duration * 0.5);
        let before = self.duration - reach;
        let along = match self.time {
            time if time >= before => time - before,
            time if time <= reach => time + reach,
            _ => 0.0,
        };
        let along = (along + passed).rem_euclid(2.0 * reach);
        self.time = if along < reach { before + along } else { along - reach };
    }

    /// Forth and back count as one round of twice the length.
    fn swing(&mut self, passed: f64, Range { start, end }: Range<f64>) {
        let length = end - start;
        let here = (self.time - start).clamp(0.0, length);
        let along = if self.returning { 2.0 * length - here } else { here };
        let along = (along + passed).rem_euclid(2.0 * length);
        self.returning = along > length;
        self.time = start + if self.returning { 2.0 * length - along } else { along };
    }

    /// Starts playing, from the start of the range when the playhead is at its end; or pauses.
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

    /// Stops and returns to where playing started.
    pub(super) fn stop_and_return(&mut self) {
        if self.playing {
            (self.playing, self.around_seam) = (false, false);
            self.time = self.started_at;
        }
    }

    /// The frame nearest to the playhead.
    pub fn frame(&self) -> i64 {
        (self.time * self.fps).round() as i64
    }

    /// The time that what is edited is for, seconds: keys that are set while it plays stand on frames.
    pub fn time_to_edit(&self) -> f64 {
        if self.playing { (self.frame() as f64 / self.fps).min(self.duration) } else { self.time }
    }

    /// The last whole frame of the clip.
    pub fn last_frame(&self) -> i64 {
        last_frame(self.duration, self.fps)
    }

    /// Stops at the frame nearest to `time`, seconds: somebody holds the playhead there.
    pub fn hold(&mut self, time: f64) {
        self.playing = false;
        self.go_to_frame((time * self.fps).round() as i64);
    }

    /// The time somebody points at in a plot or on a path, seconds; every other place shows it too.
    pub fn hover_time(&self) -> Option<f64> {
        self.hover_times[0]
    }

    /// Somebody points at `time`, seconds; forgotten after the next picture unless it is said again.
    pub fn hover_at(&mut self, time: f64) {
        self.hover_times[1] = Some(time.clamp(0.0, self.duration));
    }

    /// A new picture begins.
    pub fn next_hover(&mut self) {
        self.hover_times = [self.hover_times[1], None];
    }

    /// Shows the motion that comes into the open stage, or again what comes out of the last; the playhead comes back to where
    /// it was.
    pub fn show_before_stage(&mut self, before: bool) {
        let time = self.time;
        self.before_stage = match self.before_stage {
            None => before.then_some(BeforeStage { since: time, shown: time }),
            Some(BeforeStage { since, .. }) if before => Some(BeforeStage { since, shown: time.min(since) }),
            Some(BeforeStage { since, shown }) => {
                // It was only cut short by a motion that ends earlier.
                self.time = if time == shown { since } else { time };
                None
            }
        };
    }

    /// Whether the motion before the open stage is shown.
    pub fn is_before_stage(&self) -> bool {
        self.before_stage.is_some()
    }

    /// Puts the playhead on a whole frame, kept within the clip.
    pub fn go_to_frame(&mut self, frame: i64) {
        let frame = frame.clamp(0, self.last_frame());
        self.time = (frame as f64 / self.fps).min(self.duration);
    }
}

/// The last whole frame of a motion that lasts `duration` seconds: one that ends next to a frame ends on it, for files write the time
/// between two frames with few digits.
pub fn last_frame(duration: f64, fps: f64) -> i64 {
    const NEXT_TO: f64 = 0.05;
    (duration * fps + NEXT_TO).floor() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_frame_of_a_recording_is_reached_though_its_file_rounds_the_time_between_frames() {
        let duration = 2751.0 * 0.008_333_3;
        let mut playback = Playback { fps: 120.0, duration, ..Playback::default() };
        assert_eq!(playback.last_frame(), 2751);
        playback.go_to_frame(2751);
        assert_eq!((playback.time, playback.frame()), (duration, 2751));
        assert_eq!([last_frame(1.02, 30.0), last_frame(1.0, 30.0)], [30, 30], "a part of a frame is none");
    }

    #[test]
    fn another_rate_puts_a_playhead_that_rests_on_one_of_its_frames() {
        let mut playback = Playback { time: 11.0 / 30.0, fps: 30.0, ..Playback::default() };
        playback.show(2.0, 24.0);
        assert_eq!(playback.time, 9.0 / 24.0);
        playback.time = 0.4;
        playback.show(2.0, 24.0);
        assert_eq!(playback.time, 0.4, "what was put between frames stays there");
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
        let mut places = Vec::new();
        for _ in 0..40 {
            playback.advance(0.1);
            places.push(playback.time);
        }
        assert!(places.iter().all(|time| !(0.5..3.5).contains(time)), "{places:?}");
        assert!(places.iter().any(|&time| time < 0.5) && places.iter().any(|&time| time > 3.5));
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
    fn a_time_that_is_pointed_at_is_shown_everywhere_in_the_next_picture_and_then_forgotten() {
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
    fn only_what_repeats_comes_in_rounds() {
        let playback = Playback { rounds: 3, ..Playback::default() };
        assert_eq!((playback.seconds_of(2.0, true), playback.seconds_of(2.0, false)), (6.0, 2.0));
    }
}
