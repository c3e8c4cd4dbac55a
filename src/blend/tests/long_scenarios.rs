//! Scenarios with hundreds of events.

use super::*;
use Action::{Cast, End, Run, Stand};

/// Most sources of a joint at one time: two layers on each side of the body, their inertialised poses and the rest pose.
const MAX_SOURCES: usize = 9;

/// Returns a scenario with `count` events, half a second apart.
fn long_scenario(count: usize, interrupt: Interrupt) -> Built {
    let events: Vec<(f64, Action)> = (0..count).map(|i| (0.5 * i as f64, [Run, Cast, Stand, End][i % 4])).collect();
    let scenario = Scenario { interrupt, ..scenario(&events) };
    built(&clips(), &Settings::Scenario(scenario)).unwrap()
}

#[test]
fn shares_are_stored_for_the_sources_of_the_moment_only() {
    for interrupt in Interrupt::ALL {
        let built = long_scenario(400, interrupt);
        let Plan::Timeline(timeline) = &built.plan else { panic!("a scenario is a timeline") };
        assert!(timeline.instances.len() >= 300, "{}", timeline.instances.len());
        for time in (0..400).map(|i| 0.5 * f64::from(i) + 0.1) {
            let shares = timeline.shares(&built.bank, time, 4);
            let sum: f32 = shares.iter().map(|(_, share)| share).sum();
            assert!((sum - 1.0).abs() < 1e-5, "{interrupt:?} at {time}: {sum}");
            assert!(shares.iter().count() <= MAX_SOURCES, "{interrupt:?} at {time}: {shares:?}");
        }
    }
}

#[test]
fn the_pop_meter_reads_a_long_scenario_like_a_short_one() {
    let [short, long] = [40, 400].map(|count| long_scenario(count, Interrupt::default()));
    let [first, second] = [short, long].map(|built| built.pop_meter(FPS, 19.0, &Progress::new()).unwrap());
    assert!(first.len() > 500 && first.iter().all(|step| !step.pops()));
    assert_eq!(first, second, "later events have no effect on earlier frames");
}
