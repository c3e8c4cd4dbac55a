//! Tests of the blend system on a small synthetic humanoid and, if present, on real characters.

mod additive;
mod corpus;
mod active_clips;
mod inputs;
mod free_trees;
mod interruptions;
mod long_scenarios;
mod partial_tracks;
mod preconditions;
mod states;
mod tree_pops;

use glam::{Quat, Vec3};
use proptest::prelude::*;

use super::*;
use portamento_anim::math::mean::angle_between;
use portamento_anim::{MaskChoice, Region, Roles};
use portamento_test_support::allocations::allocations;
use portamento_test_support::skeleton_of;

const FPS: f64 = 30.0;

fn skeleton() -> Skeleton {
    let rows = [
        ("hips", None),
        ("spine", Some(0)),
        ("chest", Some(1)),
        ("head", Some(2)),
        ("arm.l", Some(2)),
        ("hand.l", Some(4)),
        ("arm.r", Some(2)),
        ("hand.r", Some(6)),
        ("thigh.l", Some(0)),
        ("foot.l", Some(8)),
        ("thigh.r", Some(0)),
        ("foot.r", Some(10)),
    ];
    skeleton_of(&rows)
}

fn roles() -> Roles {
    Roles { hips: Some(0), spine_split: Some(1), head: Some(3), hands: vec![5, 7], ..Roles::default() }
}

/// Returns a clip in which each of `joints` swings about its own axis. Amplitude and speed differ per clip.
fn swinging_clip(name: &str, duration: f64, reach: f32, joints: std::ops::Range<usize>) -> Clip {
    let count = (duration * FPS).round() as usize;
    let mut clip = Clip { name: name.into(), duration: count as f64 / FPS, tracks: vec![JointTracks::default(); 12] };
    for joint in joints {
        let axis = Vec3::new(1.0, joint as f32 * 0.3, (joint % 3) as f32).normalize();
        let keys = (0..=count).map(|i| {
            let phase = i as f32 / count as f32 * std::f32::consts::TAU;
            Quat::from_axis_angle(axis, reach * (phase + joint as f32).sin())
        });
        let times = (0..=count).map(|i| (i as f64 / FPS) as f32).collect();
        clip.tracks[joint].rotation = Some(Curve::linear(times, keys.collect()));
    }
    clip
}

fn clips() -> Vec<Clip> {
    vec![
        swinging_clip("run", 0.7, 0.9, 0..12),
        swinging_clip("stand", 2.0, 0.1, 0..12),
        swinging_clip("cast", 1.1, 1.4, 0..12),
    ]
}

fn built(clips: &[Clip], settings: &Settings) -> Result<Built, BuildError> {
    let (skeleton, roles) = (skeleton(), roles());
    let clips: Vec<&Clip> = clips.iter().collect();
    build(
        &Input { skeleton: &skeleton, clips: &clips, roles: &roles, markers: &[], travels: &[] },
        settings,
        &Progress::new(),
    )
}

fn pose(built: &Built, time: f64) -> Pose {
    let mut pose = Pose::default();
    built.sample(time, &mut Scratch::default(), &mut pose);
    pose
}

fn event(time: f64, action: Action) -> Event {
    Event { time, action, trans_time: 0.3, ..Event::default() }
}

fn scenario(events: &[(f64, Action)]) -> Scenario {
    Scenario {
        run: "run".into(),
        stand: "stand".into(),
        skill: "cast".into(),
        skill_holds: true,
        events: events.iter().map(|&(time, action)| event(time, action)).collect(),
        ..Scenario::default()
    }
}

fn frame(frame: u32) -> f64 {
    f64::from(frame) / FPS
}

/// Returns a tree of two sources under one blend node, with the given weights and masks.
fn two(weights: [f32; 2], masks: [MaskChoice; 2]) -> Tree {
    let mut tree = Tree::default();
    let leaf = |clip: &str| NodeKind::Source(Source { clip: clip.into(), ..Source::default() });
    let leaves = [tree.add("A", leaf("run")), tree.add("B", leaf("cast"))];
    let [first, second] = masks;
    let links = vec![
        Link { child: leaves[0], weight: weights[0], mask: first, ..Link::default() },
        Link { child: leaves[1], weight: weights[1], mask: second, ..Link::default() },
    ];
    tree.root = tree.add("Mix", NodeKind::Blend(links));
    tree
}

#[test]
fn a_played_frame_allocates_nothing() {
    let (clips, skeleton) = (clips(), skeleton());
    let scenario = scenario(&[(0.2, Action::Cast), (0.9, Action::Stop)]);
    for settings in [Settings::Tree(two([0.3, 0.7], Default::default())), Settings::Scenario(scenario)] {
        let built = built(&clips, &settings).unwrap();
        let (mut scratch, mut pose, mut world) = (Scratch::default(), Pose::default(), Vec::new());
        let mut play = |first: u32| {
            for step in first..first + 60 {
                built.sample(f64::from(step) / 60.0, &mut scratch, &mut pose);
                pose.world_from_joints(&skeleton, &mut world);
            }
        };
        play(0);
        assert_eq!(allocations(|| play(3)), 0);
    }
}

#[test]
fn one_contributing_source_comes_back_bit_for_bit() {
    let clips = clips();
    let masks = || [MaskChoice::from_region(Region::LowerBody), MaskChoice::from_region(Region::UpperBody)];
    let built = built(&clips, &Settings::Tree(two([0.3, 0.7], masks()))).unwrap();
    for i in 0..21 {
        let (mixed, run) = (pose(&built, frame(i)), clips[0].pose_at(&skeleton(), frame(i)));
        assert!([0, 8, 9, 10, 11].iter().all(|&joint| mixed.locals[joint] == run.locals[joint]), "{i}");
    }
}

#[test]
fn a_joint_without_a_track_in_a_clip_follows_the_other_clips() {
    let mut clips = clips();
    clips[2] = swinging_clip("cast", 1.1, 1.4, 1..8);
    let built = built(&clips, &Settings::Tree(two([1.0, 1.0], Default::default()))).unwrap();
    let (mixed, run) = (pose(&built, 0.2), clips[0].pose_at(&skeleton(), 0.2));
    assert_eq!(mixed.locals[8..], run.locals[8..]);
    assert_ne!(mixed.locals[4], run.locals[4]);
}

/// Returns the pose at 0.1 s of run alone, with the given weight on an arm.
fn with_arm_weight(weight: f32) -> Pose {
    let mask = MaskChoice { overrides: vec![("arm.l".into(), weight)], ..MaskChoice::default() };
    pose(&built(&clips(), &Settings::Tree(two([1.0, 0.0], [mask, MaskChoice::default()]))).unwrap(), 0.1)
}

#[test]
fn a_joint_reaches_the_rest_pose_without_a_jump_as_its_weight_goes_to_zero() {
    let mut before: Option<Quat> = None;
    for i in (0..=600).rev() {
        // The rest pose starts to fill in at a thousandth of the largest weight.
        let arm = with_arm_weight(i as f32 / 500_000.0).locals[4].rotation;
        assert!(before.is_none_or(|before| angle_between(before, arm) < 0.02), "weight {i}/500000");
        before = Some(arm);
    }
    assert_eq!(before, Some(Quat::IDENTITY));
}

#[test]
fn a_small_share_with_large_siblings_is_not_mixed_with_the_rest_pose() {
    let clips = clips();
    let masks = [MaskChoice::default(), MaskChoice::from_region(Region::UpperBody)];
    let built = built(&clips, &Settings::Tree(two([1.0, 9.0], masks))).unwrap();
    let (mixed, run) = (pose(&built, 0.2), clips[0].pose_at(&skeleton(), 0.2));
    assert_eq!(mixed.locals[8..], run.locals[8..]);
    assert_eq!(with_arm_weight(0.002), with_arm_weight(1.0));
}

#[test]
fn broken_nodes_are_refused_by_name_and_can_be_muted() {
    let clips = clips();
    let refused =
        |tree: Tree| built(&clips, &Settings::Tree(tree)).err().map(|error| error.to_string()).unwrap_or_default();
    for weight in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(refused(two([1.0, weight], Default::default())).contains("\"B\""), "{weight}");
    }
    let nan = MaskChoice { overrides: vec![("head".into(), f32::NAN)], ..MaskChoice::default() };
    assert!(refused(two([1.0, 1.0], [MaskChoice::default(), nan])).contains("\"B\""));

    let mut circle = two([1.0, 1.0], Default::default());
    let root = circle.root;
    let NodeKind::Blend(links) = &mut circle.nodes[root].kind else { unreachable!() };
    links.push(Link { child: root, ..Link::default() });
    assert!(refused(circle.clone()).contains("\"Mix\""));
    let NodeKind::Blend(links) = &mut circle.nodes[root].kind else { unreachable!() };
    links[2].muted = true;
    assert!(built(&clips, &Settings::Tree(circle)).is_ok());

    let mut missing = two([1.0, 1.0], Default::default());
    missing.nodes[1].kind = NodeKind::Source(Source { clip: "fly".into(), ..Source::default() });
    assert!(refused(missing).contains("\"B\""));
}

#[test]
fn three_distant_inputs_are_reported_if_the_averaging_rule_matters() {
    let clips = vec![
        swinging_clip("run", 0.7, 0.1, 0..12),
        swinging_clip("cast", 1.1, 3.0, 0..12),
        swinging_clip("c", 0.9, -3.0, 0..12),
    ];
    let mut tree = two([1.0, 1.0], Default::default());
    let third = tree.add("C", NodeKind::Source(Source { clip: "c".into(), ..Source::default() }));
    let root = tree.root;
    let NodeKind::Blend(links) = &mut tree.nodes[root].kind else { unreachable!() };
    links.push(Link { child: third, ..Link::default() });
    let built = built(&clips, &Settings::Tree(tree)).unwrap();
    let found: Vec<_> = (0..30).flat_map(|i| built.disagreements(frame(i))).collect();
    assert!(!found.is_empty() && found.iter().all(|each| each.node == "Mix" && each.angle > 0.017));
}

#[test]
fn transitions_end_on_a_single_clip_and_weights_always_sum_to_one() {
    let clips = clips();
    let events =
        [(0.0, Action::Run), (1.0, Action::Stand), (2.0, Action::Run), (2.1, Action::Cast), (3.0, Action::End)];
    let built = built(&clips, &Settings::Scenario(scenario(&events))).unwrap();
    let run = clips[0].pose_at(&skeleton(), fades::clock::local_time(1.0, clips[0].duration, true));
    assert_eq!(pose(&built, 1.0), run);
    assert_eq!(pose(&built, 1.5), clips[1].pose_at(&skeleton(), 0.5));
    for weights in built.weight_curves(240.0, 4.0) {
        assert!((weights.skill_on_upper + weights.whole_on_upper - 1.0).abs() < 1e-6);
        assert!((weights.skill_on_lower + weights.whole_on_lower - 1.0).abs() < 1e-6);
        assert!((weights.pre_ani + weights.cur_ani - 1.0).abs() < 1e-6);
        let sum: f32 = built.shares(weights.time, 4).iter().map(|share| share.share).sum();
        assert!((sum - 1.0).abs() < 1e-5, "{sum}");
    }
    let cut = scenario(&events).hard_cut();
    let cut = super::tests::built(&clips, &Settings::Scenario(cut)).unwrap();
    assert_eq!(pose(&cut, 1.0), clips[1].pose_at(&skeleton(), 0.0));
}

#[test]
fn a_reversed_transition_continues_from_the_current_weights() {
    let linear = |mut scenario: Scenario| {
        scenario
            .events
            .iter_mut()
            .for_each(|event| (event.trans_time, event.easing) = (1.0, portamento_anim::math::easing::Easing::Linear));
        scenario
    };
    let scenario = linear(scenario(&[(0.0, Action::Run), (1.0, Action::Stand), (1.7, Action::Run)]));
    let built = built(&clips(), &Settings::Scenario(scenario)).unwrap();
    let shares = built.shares(1.9, 8);
    let of = |name: &str| shares.iter().filter(|share| share.from == name).map(|share| share.share).sum::<f32>();
    assert!((of("run") - 0.44).abs() < 1e-6 && (of("stand") - 0.56).abs() < 1e-6, "{shares:?}");
}

#[test]
fn the_json_export_contains_the_settings_and_the_weights_of_every_frame() {
    let settings = Settings::Scenario(scenario(&[(0.0, Action::Run), (0.5, Action::Cast)]));
    let json = built(&clips(), &settings).unwrap().export_json(30.0, 1.0);
    assert_eq!(serde_json::from_value::<Settings>(json["blend"].clone()).unwrap(), settings);
    assert_eq!(json["weights"].as_array().map(Vec::len), Some(31));
    assert_eq!((&json["weights"][30]["skill_on_upper"], &json["joints"][4]["upper_body"]), (&1.0.into(), &1.0.into()));
}

#[test]
fn legs_keep_running_bit_for_bit_through_a_cast_and_its_end() {
    let clips = clips();
    let run = built(&clips, &Settings::Scenario(scenario(&[(0.0, Action::Run)]))).unwrap();
    let events =
        [(0.0, Action::Run), (0.4, Action::Cast), (0.5, Action::End), (0.55, Action::Cast), (1.3, Action::End)];
    let cast = built(&clips, &Settings::Scenario(scenario(&events))).unwrap();
    let mut moved = false;
    for i in 0..120 {
        let (plain, both) = (pose(&run, frame(i) * 0.7), pose(&cast, frame(i) * 0.7));
        assert!([0, 8, 9, 10, 11].iter().all(|&joint| plain.locals[joint] == both.locals[joint]), "{i}");
        moved |= plain.locals[4] != both.locals[4];
    }
    assert!(moved);
}

#[test]
fn a_cast_ends_with_its_clip_unless_it_loops_or_holds() {
    let clips = clips();
    let ends = |change: &dyn Fn(&mut Scenario), events: &[(f64, Action)]| {
        let mut scenario = Scenario { skill_holds: false, ..scenario(events) };
        change(&mut scenario);
        built(&clips, &Settings::Scenario(scenario)).unwrap()
    };
    let cast_once = [(0.0, Action::Run), (0.5, Action::Cast)];
    let once = ends(&|_| (), &cast_once);
    // The skill lasts 1.1 s: the cast ends at 1.6 s as by an event there, and the run is alone from 1.9 s on.
    let by_event = ends(&|_| (), &[(0.0, Action::Run), (0.5, Action::Cast), (1.6, Action::End)]);
    let run = ends(&|_| (), &[(0.0, Action::Run)]);
    for i in 0..150 {
        assert_eq!(pose(&once, frame(i)), pose(&by_event, frame(i)), "frame {i}");
    }
    assert_eq!(once.weights(1.6).unwrap().skill_on_upper, 1.0);
    assert!((0.01..0.99).contains(&once.weights(1.75).unwrap().skill_on_upper));
    assert_eq!(once.weights(1.95).unwrap().skill_on_upper, 0.0);
    assert_eq!(pose(&once, 4.0), pose(&run, 4.0));
    for set in
        [|scenario: &mut Scenario| scenario.skill_holds = true, |scenario: &mut Scenario| scenario.skill_loops = true]
    {
        assert_eq!(ends(&set, &cast_once).weights(60.0).unwrap().skill_on_upper, 1.0);
    }
    // An entry into the clip shortens the cast; an end event of the user replaces the automatic one.
    let entered = ends(&|scenario| scenario.events[1].start = 0.6, &cast_once);
    assert_eq!([0.99, 1.35].map(|time| entered.weights(time).unwrap().skill_on_upper), [1.0, 0.0]);
    let holding = ends(&|_| (), &[(0.0, Action::Run), (0.5, Action::Cast), (3.0, Action::End)]);
    assert_eq!([2.9, 3.35].map(|time| holding.weights(time).unwrap().skill_on_upper), [1.0, 0.0]);
    // A cast that starts before the first one is over takes over, and ends with its own clip.
    let twice = ends(&|_| (), &[(0.0, Action::Run), (0.5, Action::Cast), (1.5, Action::Cast)]);
    assert_eq!([2.55, 2.95].map(|time| twice.weights(time).unwrap().skill_on_upper), [1.0, 0.0]);
    let apart = ends(&|_| (), &[(0.0, Action::Run), (0.5, Action::Cast), (3.0, Action::Cast)]);
    assert_eq!([2.0, 3.5, 4.45].map(|time| apart.weights(time).unwrap().skill_on_upper), [0.0, 1.0, 0.0]);
    assert!(once.pop_meter(60.0, 3.0, &Progress::new()).unwrap().iter().all(|step| !step.pops()));
}

#[test]
fn a_skill_of_one_pose_is_held() {
    let mut clips = clips();
    clips[2].duration = 0.0;
    let scenario = Scenario { skill_holds: false, ..scenario(&[(0.0, Action::Run), (0.5, Action::Cast)]) };
    assert_eq!(built(&clips, &Settings::Scenario(scenario)).unwrap().weights(9.0).unwrap().skill_on_upper, 1.0);
}

#[test]
fn a_skill_without_leg_tracks_does_not_affect_the_legs_even_while_standing() {
    let mut clips = clips();
    clips[2] = swinging_clip("cast", 1.1, 1.4, 1..8);
    let stand = built(&clips, &Settings::Scenario(scenario(&[(0.0, Action::Stand)]))).unwrap();
    let cast = built(&clips, &Settings::Scenario(scenario(&[(0.0, Action::Stand), (0.4, Action::Cast)]))).unwrap();
    assert_eq!(pose(&stand, 1.0).locals[8..], pose(&cast, 1.0).locals[8..]);
}

#[test]
fn feet_stay_synchronised_while_two_clips_with_markers_blend() {
    let clips = [swinging_clip("run", 0.7, 0.9, 0..12), swinging_clip("stand", 1.0, 0.5, 0..12)];
    let (skeleton, roles) = (skeleton(), roles());
    // A step takes at least 0.35 s, or 0.2 s where it is short; both bounds are well within a frame.
    for (steps, within) in [([0.1, 0.45], 0.01), ([0.1, 0.3], 0.03)] {
        let markers: [(&str, &[f64]); 2] = [("run", &steps), ("stand", &[0.3, 0.8])];
        let mut scenario = scenario(&[(0.0, Action::Run), (0.93, Action::Stand)]);
        scenario.synchronise = true;
        let list: Vec<&Clip> = clips.iter().collect();
        let input = Input { skeleton: &skeleton, clips: &list, roles: &roles, markers: &markers, travels: &[] };
        let built = build(&input, &Settings::Scenario(scenario), &Progress::new()).unwrap();
        let Plan::Timeline(timeline) = &built.plan else { unreachable!() };
        for i in 0..=30 {
            let time = 0.93 + 0.3 * f64::from(i) / 30.0;
            let phase = |markers: &[f64], clip: usize| {
                let at = timeline.instances[clip].clock.at(time);
                sync_markers::marker_phase_at(markers, clips[clip].duration, at)
            };
            let (old, new) = (phase(&steps, 0), phase(&[0.3, 0.8], 1));
            assert!((old - new).abs() < within, "{time}: {old} {new}");
        }
    }
}

#[test]
fn clips_with_different_numbers_of_sync_markers_are_not_synchronised() {
    let clips = [swinging_clip("run", 0.7, 0.9, 0..12), swinging_clip("stand", 1.0, 0.5, 0..12)];
    let (skeleton, roles) = (skeleton(), roles());
    let markers: [(&str, &[f64]); 2] = [("run", &[0.1, 0.45]), ("stand", &[0.3, 0.6, 0.8])];
    let list: Vec<&Clip> = clips.iter().collect();
    let [synchronised, free] = [true, false].map(|synchronise| {
        let events = scenario(&[(0.0, Action::Run), (0.93, Action::Stand)]);
        let input = Input { skeleton: &skeleton, clips: &list, roles: &roles, markers: &markers, travels: &[] };
        build(&input, &Settings::Scenario(Scenario { synchronise, ..events }), &Progress::new()).unwrap()
    });
    for time in [0.95, 1.0, 1.1, 1.2, 1.5] {
        assert_eq!(pose(&synchronised, time), pose(&free, time), "{time}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_pose_never_depends_on_how_the_playhead_got_there(
        times in prop::collection::vec(0.0_f64..3.0, 1..8),
        at in prop::collection::vec((0.0_f64..2.5, 0_usize..5), 1..7),
    ) {
        let events: Vec<_> = at.iter().map(|&(time, action)| (time, Action::ALL[action])).collect();
        let built = built(&clips(), &Settings::Scenario(scenario(&events))).unwrap();
        let (mut scratch, mut reused) = (Scratch::default(), Pose::default());
        for time in times {
            built.sample(time, &mut scratch, &mut reused);
            prop_assert_eq!(&reused, &pose(&built, time));
            prop_assert!(reused.locals.iter().all(|local| local.is_finite() && (local.rotation.length() - 1.0).abs() < 1e-4));
        }
    }

    #[test]
    fn scaling_all_weights_does_not_change_the_pose(a in 0.01_f32..2.0, b in 0.01_f32..2.0, factor in 0.01_f32..100.0, time in 0.0_f64..2.0) {
        let of = |weights| pose(&built(&clips(), &Settings::Tree(two(weights, Default::default()))).unwrap(), time);
        let (plain, scaled) = (of([a, b]), of([a * factor, b * factor]));
        for (plain, scaled) in plain.locals.iter().zip(&scaled.locals) {
            prop_assert!(angle_between(plain.rotation, scaled.rotation) < 2e-6);
        }
    }
}
