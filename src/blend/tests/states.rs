//! Drawn trees with weights, parameters and clocks that events change.

use super::*;
use portamento_anim::math::easing::Easing;
use portamento_anim::{RootKind, RootMotion};

/// Shortest transition in these tests, seconds.
const MIN_TRANS_SECONDS: f64 = 0.15;

/// Weights of run, stand and cast in each state; the first entry is the default state.
const WEIGHTS: [(&str, [f32; 3]); 4] =
    [("", [1.0, 0.4, 0.0]), ("go", [1.0, 0.0, 0.0]), ("rest", [0.0, 0.8, 0.0]), ("act", [0.3, 0.3, 0.9])];

fn source(clip: &str, restarts: &[&str]) -> NodeKind {
    let restarts = restarts.iter().map(|&state| state.to_owned()).collect();
    NodeKind::Source(Source { clip: clip.into(), restarts, ..Source::default() })
}

/// Returns a blend of the three clips under another blend. With `restarts` the cast restarts in its states.
pub(super) fn tree(restarts: bool) -> Tree {
    let mut tree = Tree::default();
    let states: &[&str] = if restarts { &["act", "rest"] } else { &[] };
    let leaves = [source("run", &[]), source("stand", &[]), source("cast", states)];
    let [(_, default_weights), others @ ..] = WEIGHTS;
    let links = leaves.into_iter().enumerate().map(|(i, leaf)| {
        let in_states = others.map(|(state, weights)| StateWeight { state: state.into(), weight: weights[i] }).to_vec();
        Link { child: tree.add("Leaf", leaf), weight: default_weights[i], in_states, ..Link::default() }
    });
    let links = links.collect();
    let mix = tree.add("Mix", NodeKind::Blend(links));
    tree.root = tree.add("Above", NodeKind::Blend(vec![Link { child: mix, ..Link::default() }]));
    for (state, _) in others {
        tree.add_state(state);
    }
    tree
}

/// Returns the same tree with the weights of a state as defaults, without states.
fn default_in(state: &str) -> Tree {
    let mut tree = Tree { states: Vec::new(), ..tree(false) };
    let weights = WEIGHTS.iter().find(|(name, _)| *name == state).unwrap().1;
    let NodeKind::Blend(links) = &mut tree.nodes[3].kind else { panic!("a blend") };
    for (link, weight) in links.iter_mut().zip(weights) {
        (link.weight, link.in_states) = (weight, Vec::new());
    }
    tree
}

pub(super) fn state_event(time: f64, state: &str, trans_time: f64) -> StateEvent {
    StateEvent { time, state: state.into(), trans_time: Some(trans_time), ..StateEvent::default() }
}

fn build_tree(tree: Tree) -> Built {
    built(&clips(), &Settings::Tree(tree)).unwrap()
}

fn largest_turn(a: &Pose, b: &Pose) -> f64 {
    let turns = a.locals.iter().zip(&b.locals).map(|(a, b)| angle_between(a.rotation, b.rotation));
    turns.fold(0.0, f64::max)
}

fn shares(built: &Built, time: f64) -> Vec<f32> {
    // All three leaves have the same name; the order is that of the nodes.
    let Plan::Tree { tree, names, .. } = &built.plan else { panic!("a tree") };
    tree.shares(4, time, names.len())
}

pub(super) fn events() -> impl Strategy<Value = Vec<StateEvent>> {
    let event =
        (0..120_u32, 0..WEIGHTS.len(), 0..30_u32, 0..Easing::ALL.len()).prop_map(|(at, state, late, easing)| {
            let easing = Some(Easing::ALL[easing]);
            StateEvent {
                easing,
                ..state_event(f64::from(at) / 40.0, WEIGHTS[state].0, MIN_TRANS_SECONDS + f64::from(late) / 60.0)
            }
        });
    prop::collection::vec(event, 1..9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn after_any_events_the_weights_end_at_those_of_the_last_state(
        events in events(),
        inertial in any::<bool>(),
    ) {
        let interrupt = if inertial { Interrupt::Inertial } else { Interrupt::Captured };
        let tree = Tree { events, interrupt, ..tree(false) };
        let all = tree.resolved_events();
        let end = all.iter().map(|event| event.time + event.trans_time).fold(0.0, f64::max) + 0.01;
        let last = all.last().unwrap().state.clone().unwrap();
        let (built, still) = (build_tree(tree), build_tree(default_in(&last)));
        for time in [end, end + 0.37, end + 5.1] {
            for (share, wanted) in shares(&built, time).iter().zip(shares(&still, time)) {
                prop_assert!((share - wanted).abs() < 1e-6, "{last} at {time}: {share}, not {wanted}");
            }
            // The clips keep playing without a restart.
            prop_assert!(largest_turn(&pose(&built, time), &pose(&still, time)) < 1e-3, "{last} at {time}");
        }
    }

    #[test]
    fn no_sequence_of_events_makes_a_joint_jump_and_any_time_can_be_sampled(
        events in events(),
        restarts in any::<bool>(),
        inertial in any::<bool>(),
    ) {
        let interrupt = if inertial { Interrupt::Inertial } else { Interrupt::Captured };
        let built = build_tree(Tree { events, interrupt, ..tree(restarts) });
        let (rate, arc) = (960.0, 2.8);
        let times: Vec<f64> = (0..3800).map(|i| f64::from(i) / rate).collect();
        let poses: Vec<Pose> = times.iter().map(|&time| pose(&built, time)).collect();
        for (pair, at) in poses.windows(2).zip(times.windows(2)) {
            let [old, new] = [shares(&built, at[0]), shares(&built, at[1])];
            let change: f32 = old.iter().zip(&new).map(|(old, new)| (new - old).abs()).sum();
            // The fastest clip turns by 8.2 rad/s. The fade of a restarted clip changes by at most 1.9 / MIN_TRANS_SECONDS per
            // second.
            let restart_change = if restarts { 1.9 / MIN_TRANS_SECONDS / rate } else { 0.0 };
            let bound = 2.0 * (8.2 / rate + arc * (f64::from(change) + restart_change));
            let turned = largest_turn(&pair[0], &pair[1]);
            prop_assert!(turned <= bound, "{turned} at {}, more than {bound}", at[1]);
        }
        let mut scratch = Scratch::default();
        let mut reused = Pose::default();
        for (time, known) in times.iter().zip(&poses).rev().step_by(37) {
            built.sample(*time, &mut scratch, &mut reused);
            prop_assert_eq!(&reused, known);
        }
    }
}

#[test]
fn states_without_events_do_not_change_any_bit() {
    let (with, without) = (build_tree(tree(true)), build_tree(default_in("")));
    for i in 0..90 {
        assert_eq!(pose(&with, frame(i)), pose(&without, frame(i)), "{i}");
    }
}

#[test]
fn an_invisible_clip_restarts_at_once_and_a_visible_one_with_a_fade() {
    let mut tree = tree(true);
    let NodeKind::Source(cast) = &mut tree.nodes[2].kind else { panic!("a source") };
    (cast.offset, cast.speed) = (0.2, 1.5);
    tree.events = vec![state_event(0.5, "act", 0.2), state_event(1.0, "act", 0.2)];
    let built = build_tree(tree);
    let Plan::Tree { tree, .. } = &built.plan else { panic!("a tree") };
    let Some(steps::compiled_tree::Step::Source(cast)) = tree.step_of(2) else { panic!("a source") };
    let at = |time: f64| {
        let shares = cast.shares(time);
        shares.iter().map(|part| (part.weight, cast.clip_time(*part, time))).collect::<Vec<_>>()
    };
    assert_eq!(at(0.25), [(1.0, 0.2 + 1.5 * 0.25)]);
    assert_eq!(at(0.5), [(1.0, 0.2)], "nothing to fade over");
    let [(old, before), (new, after)] = at(1.1)[..] else { panic!("two starts") };
    assert!((old - 0.5).abs() < 1e-6 && (new - 0.5).abs() < 1e-6, "{old} {new}");
    assert!((before - (0.2 + 1.5 * 0.6)).abs() < 1e-12 && (after - (0.2 + 1.5 * 0.1)).abs() < 1e-12);
    assert_eq!(at(1.2).len(), 1);
}

#[test]
fn a_restarted_walk_continues_its_root_motion() {
    let skeleton = skeleton();
    let mut walk = Clip { name: "walk".into(), duration: 1.0, tracks: vec![JointTracks::default(); 12] };
    walk.tracks[0].translation = Some(Curve::linear(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::Z * 1.5]));
    let mut tree = Tree::default();
    tree.root = tree.add("Walk", source("walk", &["anew"]));
    tree.add_state("anew");
    tree.events = vec![state_event(0.7, "anew", 0.3), state_event(0.85, "anew", 0.0), state_event(1.9, "anew", 0.4)];
    let (roles, clips) = (roles(), [&walk]);
    let input = Input { skeleton: &skeleton, clips: &clips, roles: &roles, markers: &[], travels: &[] };
    let built = build(&input, &Settings::Tree(tree), &Progress::new()).unwrap();
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let trajectory = built.root_trajectory(root, RootMotionOwner::WholeBody, 4.0);
    for i in 0..=400 {
        let (time, mut pose) = (f64::from(i) * 0.01, Pose::rest(&skeleton));
        built.sample(time, &mut Scratch::default(), &mut pose);
        built.apply_root_motion(&trajectory, time, &mut pose);
        assert!((f64::from(pose.locals[0].translation.z) - 1.5 * time).abs() < 1e-3, "{time}");
    }
}

/// Returns a blend space of stand and run, driven by the speed of `travel`.
fn by_speed(travel: &str, in_states: Vec<StatePosition>) -> Tree {
    let sample = |clip: &str, x| SpaceSample { clip: clip.into(), at: [x, 0.0] };
    let drive = Drive::Speed(SpeedDrive { clip: travel.into(), ..SpeedDrive::default() });
    let samples = vec![sample("stand", 0.0), sample("run", 4.0)];
    let mut tree = Tree::default();
    tree.root =
        tree.add("Gaits", NodeKind::Space(Box::new(BlendSpace { samples, drive, in_states, ..BlendSpace::default() })));
    tree
}

fn build_with_travel(tree: Tree) -> (Result<Built, BuildError>, Vec<BuildError>) {
    let (skeleton, roles, clips) = (skeleton(), roles(), clips());
    let clips: Vec<&Clip> = clips.iter().collect();
    let times: Vec<f64> = (0..=90).map(frame).collect();
    // The motion stands for 1 s, accelerates to 3 m/s within 1 s, then continues.
    let metres = times.iter().map(|&time| match time {
        time if time < 1.0 => 0.0,
        time if time < 2.0 => 1.5 * (time - 1.0).powi(2),
        time => 1.5 + 3.0 * (time - 2.0),
    });
    let travels = [ClipTravel { clip: "way".into(), metres: metres.collect(), times: times.clone() }];
    let input = Input { skeleton: &skeleton, clips: &clips, roles: &roles, markers: &[], travels: &travels };
    let settings = Settings::Tree(tree);
    let faults = settings.validated(&input).1;
    (build(&input, &settings, &Progress::new()), faults)
}

#[test]
fn the_speed_of_a_motion_moves_the_parameter() {
    let (built, faults) = build_with_travel(by_speed("way", Vec::new()));
    let built = built.unwrap();
    let speed = |time: f64| built.parameter(0, time).unwrap()[0];
    assert!(faults.is_empty());
    for (time, wanted) in [(0.0, 0.0), (0.8, 0.0), (1.5, 1.5), (2.5, 3.0), (9.0, 3.0)] {
        assert!((speed(time) - wanted).abs() < 1e-2, "{time}: {}", speed(time));
    }
    // Stand alone at 0, and three quarters run at 3 m/s, without a jump in between.
    assert_eq!(pose(&built, 0.5), clips()[1].pose_at(&skeleton(), 0.5));
    let times: Vec<f64> = (0..3000).map(|i| f64::from(i) / 960.0).collect();
    for pair in times.windows(2) {
        let turned = largest_turn(&pose(&built, pair[0]), &pose(&built, pair[1]));
        assert!(turned < 0.03, "{} {turned}", pair[1]);
    }
}

#[test]
fn a_state_overrides_the_speed_driven_parameter_and_releases_it() {
    let mut tree = by_speed("way", vec![StatePosition { state: "sneak".into(), at: [0.5, 0.0] }]);
    tree.add_state("sneak");
    tree.add_state("walk on");
    tree.events = vec![state_event(2.2, "sneak", 0.2), state_event(2.6, "walk on", 0.2)];
    let built = build_with_travel(tree).0.unwrap();
    let speed = |time: f64| built.parameter(0, time).unwrap()[0];
    assert!((speed(2.19) - 3.0).abs() < 1e-2 && (speed(2.8) - 3.0).abs() < 1e-2);
    assert_eq!(speed(2.5), 0.5);
}

#[test]
fn faulty_states_and_events_are_removed_with_a_message() {
    let mut tree = tree(false);
    tree.events = vec![
        state_event(0.5, "fly", 0.2),
        state_event(f64::NAN, "go", 0.2),
        state_event(1.0, "go", -1.0),
        state_event(1.5, "rest", 0.2),
    ];
    let NodeKind::Blend(links) = &mut tree.nodes[3].kind else { panic!("a blend") };
    links[2].in_states[0].weight = f32::NAN;
    let settings = Settings::Tree(tree);
    assert!(built(&clips(), &settings).is_err());
    let (skeleton, roles, clips) = (skeleton(), roles(), clips());
    let clips: Vec<&Clip> = clips.iter().collect();
    let input = Input { skeleton: &skeleton, clips: &clips, roles: &roles, markers: &[], travels: &[] };
    let (validated, faults) = settings.validated(&input);
    assert_eq!(faults.len(), 4, "{faults:?}");
    assert!(faults[0].to_string().contains("fly"));
    assert_eq!(validated.tree().unwrap().events.len(), 1);
    assert!(build(&input, &validated, &Progress::new()).is_ok());
    let (refused, faults) = build_with_travel(by_speed("nowhere", Vec::new()));
    assert!(refused.unwrap_err().to_string().contains("nowhere") && faults.len() == 1);
    let mut lost = scenario(&[(0.0, Action::Run)]);
    lost.events.push(Event { action: Action::Go, state: Some("go".into()), ..Event::default() });
    assert!(
        super::built(&clips.iter().map(|&clip| clip.clone()).collect::<Vec<_>>(), &Settings::Scenario(lost)).is_err()
    );
}

#[test]
fn contributions_of_a_fading_state_use_the_shares_in_the_middle_of_the_span() {
    let built =
        build_tree(Tree { events: vec![state_event(4.0, "go", 0.2), state_event(6.0, "act", 0.4)], ..tree(false) });
    let Plan::Tree { tree, .. } = &built.plan else { panic!("a tree") };
    let shares = |from: f64, to: f64| {
        let spans = tree.contributions(&built.bank, RootMotionOwner::WholeBody, 0, &(from..to));
        spans.iter().map(|span| (span.clip, span.share)).collect::<Vec<_>>()
    };
    assert_eq!(shares(5.0, 5.1).len(), 1, "run alone");
    let (wide, narrow) = (shares(6.1, 6.3), shares(6.2 - 1e-6, 6.2 + 1e-6));
    assert_eq!(wide.len(), 3, "half way from run to all three");
    for ((clip, share), (same, wanted)) in wide.iter().zip(&narrow) {
        assert!(clip == same && (share - wanted).abs() < 1e-4, "{wide:?}, not {narrow:?}");
    }
}
