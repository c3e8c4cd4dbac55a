//! Every event at every frame of every transition, on a synthetic character, the sample character and a knight.

use std::path::Path;

use rayon::prelude::*;

use super::*;
use portamento_anim::Model;

/// Duration of a transition, frames.
const FADE: u32 = 9;
/// Frame at which every transition begins.
const START: u32 = 6;

use Action::{Cast, End, Go, Run, Stand, Stop};

/// The events that lead to each transition of the standard tree. The last event starts it.
const TRANSITIONS: [(&str, &[(u32, Action)]); 14] = [
    ("run to stand", &[(0, Run), (START, Stand)]),
    ("stand to run", &[(0, Stand), (START, Run)]),
    ("cast while running", &[(0, Run), (START, Cast)]),
    ("cast while standing", &[(0, Stand), (START, Cast)]),
    ("stop while casting", &[(0, Run), (2, Cast), (START, Stop)]),
    ("run while casting", &[(0, Stand), (2, Cast), (START, Run)]),
    ("end while running", &[(0, Run), (2, Cast), (START, End)]),
    ("end while standing", &[(0, Stand), (2, Cast), (START, End)]),
    ("cast again while running", &[(0, Run), (1, Cast), (START, Cast)]),
    ("cast again while standing", &[(0, Stand), (1, Cast), (START, Cast)]),
    ("cast in mid-stop", &[(0, Run), (START - 4, Stop), (START, Cast)]),
    ("stop in mid-cast", &[(0, Run), (START - 4, Cast), (START, Stop)]),
    ("run again in mid-stop", &[(0, Run), (START - 4, Stop), (START, Run)]),
    ("cast again in mid-end", &[(0, Run), (1, Cast), (START - 4, End), (START, Cast)]),
];

/// Numbers counted over all cases.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    scenarios: usize,
    frames: usize,
    pops: usize,
    cut_pops: usize,
}

/// A character and three of its clips.
struct Cast3<'a> {
    skeleton: &'a Skeleton,
    roles: &'a Roles,
    clips: Vec<&'a Clip>,
    names: [&'a str; 3],
}

impl Cast3<'_> {
    fn scenario(&self, events: &[(f64, Action)], interrupt: Interrupt) -> Scenario {
        let [run, stand, skill] = self.names.map(str::to_owned);
        let events = events.iter().map(|&(time, action)| event(time, action)).collect();
        Scenario { run, stand, skill, events, interrupt, skill_holds: true, ..Scenario::default() }
    }

    fn build(&self, events: &[(f64, Action)], interrupt: Interrupt) -> Built {
        let input =
            Input { skeleton: self.skeleton, clips: &self.clips, roles: self.roles, markers: &[], travels: &[] };
        build(&input, &Settings::Scenario(self.scenario(events, interrupt)), &Progress::new()).unwrap()
    }

    /// Plays every case of [`cases`] and counts frames and pops.
    fn tally(&self, interrupt: Interrupt) -> Tally {
        let measure = |events: Vec<(f64, Action)>| {
            let built = self.build(&events, interrupt);
            let meter = built.pop_meter(FPS, events[events.len() - 1].0 + 0.34, &Progress::new()).unwrap();
            let worst = meter.iter().find(|step| step.pops());
            assert!(worst.is_none(), "{interrupt:?} {events:?}: {worst:?}");
            let cut_pops = meter.iter().filter(|step| step.cut_pops()).count();
            Tally { scenarios: 1, frames: meter.len(), pops: 0, cut_pops }
        };
        let sum = |a: Tally, b: Tally| Tally {
            scenarios: a.scenarios + b.scenarios,
            frames: a.frames + b.frames,
            pops: a.pops + b.pops,
            cut_pops: a.cut_pops + b.cut_pops,
        };
        cases().into_par_iter().map(measure).reduce(Tally::default, sum)
    }
}

/// Returns every event at every frame of every transition, followed by another event four frames later.
fn cases() -> Vec<Vec<(f64, Action)>> {
    let mut cases = Vec::new();
    for (_, before) in TRANSITIONS {
        for late in 0..=FADE {
            for (i, action) in Action::ALL.into_iter().enumerate() {
                let fourth = Action::ALL[(i + late as usize) % Action::ALL.len()];
                let after = [(START + late, action), (START + late + 4, fourth)];
                cases.push(before.iter().chain(&after).map(|&(at, action)| (frame(at), action)).collect());
            }
        }
    }
    cases
}

fn check(cast: &Cast3) {
    for interrupt in Interrupt::ALL {
        let tally = cast.tally(interrupt);
        println!("{:?}, {interrupt:?}: {tally:?}", cast.names);
        assert_eq!((tally.scenarios, tally.pops), (700, 0));
        assert!(tally.frames > 10_000 && tally.cut_pops > 500, "{interrupt:?}: {tally:?}");
    }
}

#[test]
fn no_event_at_any_frame_of_any_transition_pops_but_hard_cuts_do() {
    let (skeleton, roles, clips) = (skeleton(), roles(), clips());
    let clips = clips.iter().collect();
    check(&Cast3 { skeleton: &skeleton, roles: &roles, clips, names: ["run", "stand", "cast"] });
}

#[test]
fn no_event_pops_on_the_sample_character() {
    let model = portamento_test_support::hero();
    check_model(&model, ["run", "idle", "cast"]);
}

#[test]
fn no_event_pops_on_the_knight() {
    let Some(model) = knight() else { return };
    check_model(&model, ["Running_A", "Idle", "1H_Melee_Attack_Chop"]);
}

fn check_model(model: &Model, names: [&str; 3]) {
    let roles = Roles::find(&model.skeleton, &model.clips);
    check(&Cast3 { skeleton: &model.skeleton, roles: &roles, clips: model.clips.iter().collect(), names });
}

fn knight() -> Option<Model> {
    let folder = portamento_test_support::corpus("characters")?;
    Some(portamento_formats::import::import(&Path::new(&folder).join("knight.glb")).unwrap().model)
}

/// Returns the largest change of any joint's angular speed (rad/s) at `time`, from the poses directly before and after it.
fn largest_speed_change(built: &Built, time: f64) -> f64 {
    const STEP_SECONDS: f64 = 1.0 / 1920.0;
    let poses = [time - STEP_SECONDS, time - 1e-9, time, time + STEP_SECONDS].map(|time| pose(built, time));
    let speed = |from: &Pose, to: &Pose, joint: usize| {
        let turn = from.locals[joint].rotation.as_dquat().conjugate() * to.locals[joint].rotation.as_dquat();
        (if turn.w < 0.0 { -turn } else { turn }).to_scaled_axis() / STEP_SECONDS
    };
    let speed_change = |joint| (speed(&poses[2], &poses[3], joint) - speed(&poses[0], &poses[1], joint)).length();
    (0..poses[0].locals.len()).map(speed_change).fold(0.0, f64::max)
}

#[test]
fn an_interrupted_pose_keeps_its_speed_if_inertial_but_not_if_captured() {
    let (skeleton, roles, clips) = (skeleton(), roles(), clips());
    let cast =
        Cast3 { skeleton: &skeleton, roles: &roles, clips: clips.iter().collect(), names: ["run", "stand", "cast"] };
    let mut speed_changes = [0.0_f64; 2];
    for events in cases() {
        // Event times are moved between the keys of the clips, where the clips turn at constant speed.
        let late = |(i, &(time, action)): (usize, &(f64, Action))| (time + (i as f64 * 0.37).fract() / FPS, action);
        let events: Vec<_> = events.iter().enumerate().map(late).collect();
        for (i, interrupt) in Interrupt::ALL.into_iter().enumerate() {
            let built = cast.build(&events, interrupt);
            for &(time, _) in &events[1..] {
                let speed_change = largest_speed_change(&built, time);
                speed_changes[i] = speed_changes[i].max(speed_change);
                assert!(
                    interrupt == Interrupt::Captured || speed_change < 0.5,
                    "{speed_change} rad/s at {time}: {events:?}"
                );
            }
        }
    }
    assert!(speed_changes[0] > 5.0, "{speed_changes:?}");
}

#[test]
fn an_interrupted_transition_ends_exactly_on_the_target_clip() {
    let (skeleton, roles, clips) = (skeleton(), roles(), clips());
    let cast =
        Cast3 { skeleton: &skeleton, roles: &roles, clips: clips.iter().collect(), names: ["run", "stand", "cast"] };
    for interrupt in Interrupt::ALL {
        for late in 1..FADE {
            let at = [0, START, START + late].map(frame);
            let built = cast.build(&[(at[0], Run), (at[1], Stand), (at[2], Run)], interrupt);
            let run = |time: f64| clips[0].pose_at(&skeleton, fades::clock::local_time(time, clips[0].duration, true));
            for time in [at[2] + 0.3, at[2] + 0.5] {
                assert_eq!(pose(&built, time), run(time), "{interrupt:?}, {late}");
            }
            assert_ne!(pose(&built, at[2] + 0.29), run(at[2] + 0.29));
            let built = cast.build(&[(at[0], Run), (at[1], Cast), (at[2], End)], interrupt);
            assert_eq!(pose(&built, at[2] + 0.3), run(at[2] + 0.3), "{interrupt:?}, {late}");
        }
    }
}

#[test]
fn legs_of_an_interrupted_run_are_bit_equal_under_every_cast() {
    let (skeleton, roles, clips) = (skeleton(), roles(), clips());
    let cast =
        Cast3 { skeleton: &skeleton, roles: &roles, clips: clips.iter().collect(), names: ["run", "stand", "cast"] };
    let legs = [0, 8, 9, 10, 11];
    for interrupt in Interrupt::ALL {
        let plain = [(0.0, Run), (0.5, Stand), (0.6, Run)];
        let run = cast.build(&plain, interrupt);
        for late in 0..2 * FADE {
            let skill = [(0.6 + frame(late), Cast), (0.65 + frame(late), Cast), (0.7 + frame(late), End)];
            let both = cast.build(&[&plain[..], &skill].concat(), interrupt);
            for i in 0..90 {
                let (plain, both) = (pose(&run, frame(i) * 0.7), pose(&both, frame(i) * 0.7));
                assert!(
                    legs.iter().all(|&joint| plain.locals[joint] == both.locals[joint]),
                    "{interrupt:?} {late} {i}"
                );
            }
        }
    }
}

/// Returns the clips that move the upper and the lower body long after the last of `events`.
fn final_clips(events: &[(f64, Action)]) -> [&'static str; 2] {
    let mut whole_body = "rest pose";
    let (mut running, mut casting) = (false, false);
    for &(_, action) in events {
        match action {
            Run => (whole_body, running) = ("run", true),
            Stand | Stop => (whole_body, running) = ("stand", false),
            Cast => casting = true,
            End | Go => casting = false,
        }
    }
    match (casting, running) {
        (false, _) => [whole_body; 2],
        (true, true) => ["cast", whole_body],
        (true, false) => ["cast"; 2],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn after_any_events_the_weights_are_those_of_the_state(
        gaps in prop::collection::vec((0.0_f64..0.4, 0_usize..5), 1..9),
        is_inertial in any::<bool>(),
    ) {
        let (skeleton, roles, clips) = (skeleton(), roles(), clips());
        let names = ["run", "stand", "cast"];
        let cast = Cast3 { skeleton: &skeleton, roles: &roles, clips: clips.iter().collect(), names };
        let mut time = 0.0;
        let mut at = |&(gap, action): &(f64, usize)| {
            time += gap;
            (time, Action::ALL[action])
        };
        let events: Vec<_> = gaps.iter().map(&mut at).collect();
        let built = cast.build(&events, if is_inertial { Interrupt::Inertial } else { Interrupt::Captured });
        // Every transition lasts 0.3 s.
        for later in [time + 0.3, time + 0.7] {
            for (joint, wanted) in [4, 8].into_iter().zip(final_clips(&events)) {
                let shares = built.shares(later, joint);
                prop_assert!(shares.iter().all(|share| share.from == wanted), "{joint}: {shares:?} for {wanted}");
            }
            let weights = built.weights(later).unwrap();
            prop_assert!([weights.skill_on_upper, weights.skill_on_lower].iter().all(|&weight| weight == 0.0 || weight == 1.0));
        }
    }
}

#[test]
fn an_interrupted_joint_does_not_overshoot_at_the_seam_of_an_open_clip() {
    let (skeleton, roles, mut clips) = (skeleton(), roles(), clips());
    // Both joints jump where the clip restarts. The change between two poses across the seam must not count as speed.
    let times = vec![0.0, clips[0].duration as f32];
    let open = |angle: f32| Some(Curve::linear(times.clone(), vec![Quat::IDENTITY, Quat::from_rotation_z(angle)]));
    (clips[0].tracks[4].rotation, clips[0].tracks[5].rotation) = (open(1.0), open(-0.5));
    let names = ["run", "stand", "cast"];
    let seam = clips[0].duration;
    let cast = Cast3 { skeleton: &skeleton, roles: &roles, clips: clips.iter().collect(), names };
    for late in [0.1e-3, 0.5e-3, 1e-3, 1.5e-3, 2e-3] {
        let event = seam + late;
        let built = cast.build(&[(0.0, Run), (event - 0.1, Stand), (event, Run)], Interrupt::Inertial);
        let mut before = pose(&built, event);
        for i in 1..=1200 {
            let now = pose(&built, event + f64::from(i) / 4000.0);
            let turn = |joint: usize| angle_between(before.locals[joint].rotation, now.locals[joint].rotation);
            let largest = (0..12).map(turn).fold(0.0, f64::max) * 4000.0;
            // The clips turn at 8 rad/s at most, and an offset of 1 rad fades at 6 rad/s.
            assert!(largest < 30.0, "{largest:.1} rad/s {i}/4000 s after an event {late} s past the seam");
            before = now;
        }
    }
}

#[test]
fn a_very_fast_interrupted_joint_is_reported_and_its_overshoot_is_limited() {
    let (skeleton, roles, mut clips) = (skeleton(), roles(), clips());
    // 60 rad/s: with the usual decay the joint would overshoot by more than 1 rad.
    let keys: Vec<f32> = (0..=42).map(|key| key as f32 / 60.0).collect();
    let turns = keys.iter().map(|&time| Quat::from_rotation_z(time * 60.0)).collect();
    clips[0].tracks[4].rotation = Some(Curve::linear(keys, turns));
    let names = ["run", "stand", "cast"];
    let cast = Cast3 { skeleton: &skeleton, roles: &roles, clips: clips.iter().collect(), names };
    let events = [(0.0, Run), (0.2, Stand), (0.21, Run), (0.22, Stand)];
    let built = cast.build(&events, Interrupt::Inertial);
    let found = built.fast_interruptions();
    assert!(found.iter().any(|each| each.joint == "arm.l" && each.speed > 20.0), "{found:?}");
    assert_eq!(cast.build(&events, Interrupt::Captured).fast_interruptions(), []);
    let Plan::Timeline(timeline) = &built.plan else { unreachable!() };
    let (mut old, mut layer) = (built.bank.rest_layer(), built.bank.rest_layer());
    for instance in timeline.instances.iter().filter_map(|instance| instance.inertialization.as_ref()) {
        let mut offsets_at = |time: f64| {
            timeline.sample_instance(&built.bank, Some(instance.target), time, &mut old);
            layer.clone_from(&old);
            instance.apply(time, &mut layer);
            (0..12).map(|joint| angle_between(old.get(joint).rotation, layer.get(joint).rotation)).collect::<Vec<_>>()
        };
        for event in [0.21, 0.22] {
            let first = offsets_at(event + 1e-9);
            for i in 0..400 {
                let now = offsets_at(event + f64::from(i) / 4000.0);
                assert!((0..12).all(|joint| now[joint] < first[joint] + 0.26), "{event} {i}: {first:?} {now:?}");
            }
        }
    }
}

#[test]
fn a_fade_too_short_for_its_rotation_is_reported_and_one_of_the_recommended_length_is_not() {
    let (skeleton, roles, mut clips) = (skeleton(), roles(), clips());
    // Two constant poses with an arm 2.5 rad apart.
    let constant_curve = |angle: f32| Some(Curve::linear(vec![0.0], vec![Quat::from_rotation_z(angle)]));
    for (clip, angle) in [(0, 0.0), (1, 2.5), (2, 0.0)] {
        clips[clip].tracks.iter_mut().for_each(|tracks| tracks.rotation = constant_curve(0.0));
        clips[clip].tracks[4].rotation = constant_curve(angle);
    }
    let clips: Vec<&Clip> = clips.iter().collect();
    let input = Input { skeleton: &skeleton, clips: &clips, roles: &roles, markers: &[], travels: &[] };
    let found = |trans_time: f64, action: Action| {
        let mut settings = scenario(&[(0.0, Run), (0.5, action)]);
        settings.events[1].trans_time = trans_time;
        build(&input, &Settings::Scenario(settings), &Progress::new()).unwrap().fast_fades()
    };
    // A smoothstep is 1.5 times as fast in its middle: 2.5 rad × 1.5 / 0.1 s.
    let fast = found(0.1, Stand);
    let [fade] = &fast[..] else { panic!("{fast:?}") };
    assert!(fade.joint == "arm.l" && fade.time == 0.5 && (fade.speed - 37.5).abs() < 0.5, "{fade:?}");
    assert!((fade.angle - 2.5).abs() < 1e-3 && (fade.enough - 0.25).abs() < 4e-3, "{fade:?}");
    assert_eq!(found(0.26, Stand), []);
    assert_eq!((found(0.0, Stand), found(0.1, Cast)), (Vec::new(), Vec::new()));
}
