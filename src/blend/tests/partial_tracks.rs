//! Clips with missing tracks: the missing joints change by the same weights as all others.

use super::*;

use Action::{Cast, End, Run, Stand};

/// Returns run without the left arm, stand without the head and cast without the legs. Each clip has the joints that the others
/// lack.
fn partial_clips() -> Vec<Clip> {
    let mut clips = clips();
    (4..6).for_each(|joint| clips[0].tracks[joint] = JointTracks::default());
    clips[1].tracks[3] = JointTracks::default();
    (8..12).for_each(|joint| clips[2].tracks[joint] = JointTracks::default());
    clips
}

/// A clip and its start time in seconds.
#[derive(Clone, Copy)]
struct Playing<'a> {
    clip: &'a Clip,
    start: f64,
}

impl Playing<'_> {
    fn pose(&self, time: f64) -> Pose {
        self.clip.pose_at(&skeleton(), fades::clock::local_time(time - self.start, self.clip.duration, true))
    }
}

/// Returns the largest excess of a joint's rotation per frame over its bound, between two times (seconds). The bound is the
/// rotation of the clips plus the arc between them times the change of `weight`.
fn largest_excess(built: &Built, playing: &[Playing], weight: impl Fn(&Weights) -> f32, span: [f64; 2]) -> f64 {
    let mut excess = f64::MIN;
    for i in (span[0] * FPS) as u32..(span[1] * FPS) as u32 {
        let [from, to] = [i, i + 1].map(frame);
        let change = f64::from(weight(&built.weights(to).unwrap()) - weight(&built.weights(from).unwrap())).abs();
        let [before, after] = [from, to].map(|time| playing.iter().map(|each| each.pose(time)).collect::<Vec<_>>());
        let (old, new) = (pose(built, from), pose(built, to));
        for joint in 0..12 {
            let turn = |a: &Pose, b: &Pose| angle_between(a.locals[joint].rotation, b.locals[joint].rotation);
            let clip_turns: f64 = before.iter().zip(&after).map(|(before, after)| turn(before, after)).sum();
            let largest_arc = |poses: &[Pose]| {
                let pairs = poses.iter().flat_map(|a| poses.iter().map(move |b| (a, b)));
                pairs.map(|(a, b)| turn(a, b)).fold(0.0, f64::max)
            };
            let bound = clip_turns + largest_arc(&before).max(largest_arc(&after)) * change;
            excess = excess.max(turn(&old, &new) - 1.05 * bound - 2e-5);
        }
    }
    excess
}

#[test]
fn missing_joints_of_a_clip_follow_the_weights_of_its_transition() {
    let clips = partial_clips();
    let [run, stand, cast] = [(0, 0.0), (1, 0.5), (2, 0.5)].map(|(clip, start)| Playing { clip: &clips[clip], start });
    let run_to_stand = built(&clips, &Settings::Scenario(scenario(&[(0.0, Run), (0.5, Stand)]))).unwrap();
    let excess = largest_excess(&run_to_stand, &[run, stand], |weights| weights.cur_ani, [0.5, 1.0]);
    assert!(excess < 0.0, "{excess} rad from run to stand");
    let events = [(0.0, Run), (0.5, Cast), (1.0, End)];
    let run_and_cast = built(&clips, &Settings::Scenario(scenario(&events))).unwrap();
    let excess = largest_excess(&run_and_cast, &[run, cast], |weights| weights.skill_on_upper, [0.5, 1.4]);
    assert!(excess < 0.0, "{excess} rad from run to cast and back");
    // At both ends one clip plays alone, with its missing joints at rest.
    assert_eq!(pose(&run_to_stand, 0.5), clips[0].pose_at(&skeleton(), 0.5));
    assert_eq!(pose(&run_to_stand, 0.9), clips[1].pose_at(&skeleton(), 0.4));
}

#[test]
fn the_pop_meter_accepts_clips_with_missing_tracks() {
    let clips = partial_clips();
    let events = [(0.0, Run), (0.4, Stand), (0.5, Cast), (0.65, Run), (0.8, End), (0.9, Stand), (1.0, Cast)];
    for interrupt in Interrupt::ALL {
        let scenario = Scenario { interrupt, ..scenario(&events) };
        let built = built(&clips, &Settings::Scenario(scenario)).unwrap();
        let meter = built.pop_meter(FPS, 1.5, &Progress::new()).unwrap();
        assert!(meter.iter().all(|step| !step.pops()), "{:?}", meter.iter().find(|step| step.pops()));
        assert!(meter.iter().any(|step| step.cut_pops()));
    }
}
