//! Every event at every frame of every transition, on a made-up character, on the sample and on a knight.

use std::path::Path;

use rayon::prelude::*;

use super::*;
use crate::anim::Model;

/// Frames of a transition.
const FADE: u32 = 9;
/// The frame at which every transition begins.
const START: u32 = 6;

use Action::{Cast, End, Run, Stand, Stop};

/// What leads to each transition of the standard tree; the last event begins it.
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

/// What was counted.
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
        Scenario { run, stand, skill, events, interrupt, ..Scenario::default() }
    }

    fn build(&self, events: &[(f64, Action)], interrupt: Interrupt) -> Built {
        let input = Input { skeleton: self.skeleton, clips: &self.clips, roles: self.roles, markers: &[] };
        build(&input, &Settings::Scenario(self.scenario(events, interrupt)), &Progress::new()).unwrap()
    }

    /// Plays every case of [`cases`] and counts.
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

/// Every event at every frame of every transition, and another one four frames into that.
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
fn no_event_at_any_frame_of_any_transition_pops_and_hard_cuts_do() {
    let (skeleton, roles, clips) = (skeleton(), roles(), clips());
    let clips = clips.iter().collect();
    check(&Cast3 { skeleton: &skeleton, roles: &roles, clips, names: ["run", "stand", "cast"] });
}

#[test]
fn nor_on_the_sample_character() {
    let model = crate::samples::hero();
    of_model(&model, [["run", "idle", "cast"]].as_slice());
}

#[test]
fn nor_on_a_real_knight() {
    let Some(model) = knight() else { return };
    let skills = ["1H_Melee_Attack_Chop", "Spellcast_Shoot"];
    of_model(&model, &skills.map(|skill| ["Running_A", "Idle", skill]));
}

fn of_model(model: &Model, casts: &[[&str; 3]]) {
    let roles = Roles::find(&model.skeleton, &model.clips);
    let clips = || model.clips.iter().collect();
    casts.iter().for_each(|&names| check(&Cast3 { skeleton: &model.skeleton, roles: &roles, clips: clips(), names }));
}

fn knight() -> Option<Model> {
    let folder = crate::support::corpus("characters")?;
    Some(crate::import::import(&Path::new(&folder).join("knight.glb")).unwrap().model)
}

/// The largest change of any joint's speed (radians per second) at `time`, by the poses shortly around it.
fn largest_kick(built: &Built, time: f64) -> f64 {
    const SHORT: f64 = 1.0 / 1920.0;
    let poses = [time - SHORT, time - 1e-9, time, time + SHORT].map(|time| pose(built, time));
    let speed = |from: &Pose, to: &Pose, joint: usize| {
        let turn = from.locals[joint].rotation.as_dquat().conjugate() * to.locals[joint].rotation.as_dquat();
        (if turn.w < 0.0 { -turn } else { turn }).to_scaled_axis() / SHORT
    };
    let kick = |joint| (speed(&poses[2], &poses[3], joint) - speed(&poses[0], &poses[1], joint)).length();
    (0..poses[0].locals.len()).map(kick).fold(0.0, f64::max)
}

#[test]
fn an_interrupted_pose_keeps_its_speed_by_inertia_and_is_kicked_by_a_captured_blend() {
    let (skeleton, roles, clips) = (skeleton(), roles(), clips());
    let cast =
        Cast3 { skeleton: &skeleton, roles: &roles, clips: clips.iter().collect(), names: ["run", "stand", "cast"] };
    let mut kicks = [0.0_f64; 2];
    for events in cases() {
        // Between the keys of every clip that plays, where the clips themselves turn evenly.
        let late = |(i, &(time, action)): (usize, &(f64, Action))| (time + (i as f64 * 0.37).fract() / FPS, action);
        let events: Vec<_> = events.iter().enumerate().map(late).collect();
        for (i, interrupt) in Interrupt::ALL.into_iter().enumerate() {
            let built = cast.build(&events, interrupt);
            for &(time, _) in &events[1..] {
                let kick = largest_kick(&built, time);
                kicks[i] = kicks[i].max(kick);
                assert!(interrupt == Interrupt::Captured || kick < 0.5, "{kick} rad/s at {time}: {events:?}");
            }
        }
    }
    assert!(kicks[0] > 5.0, "{kicks:?}");
}

#[test]
fn an_interrupted_transition_ends_exactly_on_the_pure_side() {
    let (skeleton, roles, clips) = (skeleton(), roles(), clips());
    let cast =
        Cast3 { skeleton: &skeleton, roles: &roles, clips: clips.iter().collect(), names: ["run", "stand", "cast"] };
    for interrupt in Interrupt::ALL {
        for late in 1..FADE {
            let at = [0, START, START + late].map(frame);
            let built = cast.build(&[(at[0], Run), (at[1], Stand), (at[2], Run)], interrupt);
            let run = |time: f64| clips[0].pose_at(&skeleton, clock::local_time(time, clips[0].duration, true));
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
fn legs_of_a_run_that_was_interrupted_are_bit_equal_under_every_cast() {
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
