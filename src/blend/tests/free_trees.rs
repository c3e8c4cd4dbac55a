//! Drawn trees with blend spaces driven by a parameter, and with standard trees driven by events.

use super::*;

fn space(keys: &[(f64, [f64; 2])], axes: Axes) -> BlendSpace {
    let sample = |clip: &str, at| SpaceSample { clip: clip.into(), at };
    let samples = vec![sample("stand", [0.0, 0.0]), sample("run", [2.0, 0.0]), sample("cast", [0.0, 3.0])];
    let samples = if axes == Axes::One { samples[..2].to_vec() } else { samples };
    let keys = keys.iter().map(|&(time, at)| ParameterKey { time, at }).collect();
    BlendSpace { axes, samples, keys, ..BlendSpace::default() }
}

fn tree_of(kind: NodeKind) -> Tree {
    let mut tree = Tree::default();
    tree.root = tree.add("Node", kind);
    tree
}

fn build_space(space: BlendSpace) -> Built {
    built(&clips(), &Settings::Tree(tree_of(NodeKind::Space(Box::new(space))))).unwrap()
}

fn largest_turn(a: &Pose, b: &Pose) -> f64 {
    let turns = a.locals.iter().zip(&b.locals).map(|(a, b)| angle_between(a.rotation, b.rotation));
    turns.fold(0.0, f64::max)
}

#[test]
fn at_a_sample_its_clip_plays_alone() {
    for (clip, at) in [(1, [0.0, 0.0]), (0, [2.0, 0.0]), (2, [0.0, 3.0])] {
        let built = build_space(space(&[(0.0, at)], Axes::Two));
        for i in 0..60 {
            let time = f64::from(i) * 0.031;
            let clip = &clips()[clip];
            let alone = clip.pose_at(&skeleton(), time.rem_euclid(clip.duration));
            assert!(largest_turn(&pose(&built, time), &alone) < 1e-5, "{} {time}", clip.name);
        }
    }
}

#[test]
fn a_moving_parameter_never_makes_a_joint_jump_and_any_time_can_be_sampled() {
    let keys = [(0.0, [-1.0, -1.0]), (0.4, [1.0, 1.0]), (1.1, [3.0, 0.5]), (1.6, [0.2, 2.5])];
    let built = build_space(space(&keys, Axes::Two));
    let times: Vec<f64> = (0..2400).map(|i| f64::from(i) / 960.0).collect();
    let poses: Vec<Pose> = times.iter().map(|&time| pose(&built, time)).collect();
    for pair in poses.windows(2) {
        assert!(largest_turn(&pair[0], &pair[1]) < 0.05);
    }
    for (time, known) in times.iter().zip(&poses).rev() {
        assert_eq!(pose(&built, *time), *known);
    }
}

#[test]
fn root_motion_of_a_space_under_a_blend_follows_the_weights() {
    let skeleton = skeleton();
    let walk = |name: &str, duration: f64, metres: f32| {
        let mut clip = Clip { name: name.into(), duration, tracks: vec![JointTracks::default(); 12] };
        let keys = vec![Vec3::ZERO, Vec3::Z * metres];
        clip.tracks[0].translation = Some(Curve::linear(vec![0.0, duration as f32], keys));
        clip
    };
    // At 1.5 m/s and 4 m/s. Half way between, synchronised, 1.75 m take the mean of both durations, 0.75 s.
    let clips = [walk("walk", 1.0, 1.5), walk("run", 0.5, 2.0)];
    let sample = |clip: &str, x| SpaceSample { clip: clip.into(), at: [x, 0.0] };
    let mut space = BlendSpace { samples: vec![sample("walk", 0.0), sample("run", 1.0)], ..BlendSpace::default() };
    let root = portamento_anim::RootMotion { joint: 0, kind: portamento_anim::RootKind::Root };
    for (x, speed) in [(0.0, 1.5), (0.5, 1.75 / 0.75), (1.0, 4.0)] {
        space.keys[0].at[0] = x;
        let mut tree = tree_of(NodeKind::Space(Box::new(space.clone())));
        tree.root = tree.add("Mix", NodeKind::Blend(vec![Link { child: 0, ..Link::default() }]));
        let clips: Vec<&Clip> = clips.iter().collect();
        let input = Input { skeleton: &skeleton, clips: &clips, roles: &roles(), markers: &[], travels: &[] };
        let built = build(&input, &Settings::Tree(tree), &Progress::new()).unwrap();
        let trajectory = built.root_trajectory(root, RootMotionOwner::WholeBody, 6.0);
        let mut pose = Pose::rest(&skeleton);
        built.apply_root_motion(&trajectory, 6.0, &mut pose);
        let travelled = f64::from(pose.locals[0].translation.z) / 6.0;
        assert!((travelled - speed).abs() < 1e-3 * speed, "{x}: {travelled} m/s");
    }
}

fn casting() -> Scenario {
    scenario(&[(0.0, Action::Run), (0.4, Action::Cast), (0.8, Action::Stop), (1.5, Action::End)])
}

#[test]
fn the_standard_tree_as_the_only_node_is_the_same_blend() {
    let scenario = built(&clips(), &Settings::Scenario(casting())).unwrap();
    let tree = built(&clips(), &Settings::Tree(tree_of(NodeKind::Standard(Box::new(casting()))))).unwrap();
    for i in 0..200 {
        let time = f64::from(i) * 0.0137;
        assert_eq!(pose(&scenario, time), pose(&tree, time), "{time}");
        assert_eq!(scenario.weights(time), tree.weights(time), "{time}");
    }
}

#[test]
fn a_standard_tree_under_other_nodes_is_still_driven_by_its_events() {
    let alone = built(&clips(), &Settings::Scenario(casting())).unwrap();
    let mut tree = tree_of(NodeKind::Standard(Box::new(casting())));
    tree.root = tree.add("Mix", NodeKind::Blend(vec![Link::default()]));
    let nested = built(&clips(), &Settings::Tree(tree)).unwrap();
    for i in 0..200 {
        let time = f64::from(i) * 0.0137;
        assert_eq!(pose(&nested, time), pose(&alone, time), "{time}");
    }
}

#[test]
fn a_converted_standard_tree_keeps_its_pose_and_its_outgoing_connections() {
    let mut tree = tree_of(NodeKind::Standard(Box::new(casting())));
    tree.root = tree.add("Above", NodeKind::Blend(vec![Link::default()]));
    let weights = Weights { skill_on_upper: 1.0, whole_on_lower: 1.0, cur_ani: 1.0, ..Weights::default() };
    tree.take_apart(0, &weights);
    assert_eq!((tree.nodes.len(), tree.root, &*tree.nodes[0].name), (6, 1, "Node"));
    let converted = built(&clips(), &Settings::Tree(tree)).unwrap();
    let expected = built(&clips(), &Settings::Tree(casting().tree(&weights))).unwrap();
    assert_eq!(pose(&converted, 0.7), pose(&expected, 0.7));
}

#[test]
fn faulty_samples_are_removed_with_a_message_and_the_others_keep_playing() {
    let mut faulty = space(&[(0.0, [1.0, 0.0])], Axes::Two);
    faulty.samples[1].clip = "fly".into();
    faulty.samples.push(SpaceSample { clip: "run".into(), at: [0.0, 3.0] });
    faulty.samples.push(SpaceSample { clip: "run".into(), at: [f64::NAN, 0.0] });
    let settings = Settings::Tree(tree_of(NodeKind::Space(Box::new(faulty))));
    assert!(built(&clips(), &settings).is_err());
    let (skeleton, roles, clips) = (skeleton(), roles(), clips());
    let clips: Vec<&Clip> = clips.iter().collect();
    let input = Input { skeleton: &skeleton, clips: &clips, roles: &roles, markers: &[], travels: &[] };
    let (validated, faults) = settings.validated(&input);
    let messages: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert!(
        messages[0].contains("fly") && messages[1].contains("cast") && messages[2].contains("position of a clip"),
        "{messages:?}"
    );
    let Settings::Tree(tree) = &validated else { panic!("a tree") };
    let NodeKind::Space(remaining) = &tree.nodes[0].kind else { panic!("a blend space") };
    assert_eq!(remaining.samples.iter().map(|sample| &*sample.clip).collect::<Vec<_>>(), ["stand", "cast"]);
    assert!(build(&input, &validated, &Progress::new()).is_ok());
    let empty = Settings::Tree(tree_of(NodeKind::Space(Box::default())));
    assert!(empty.validated(&input).1[0].to_string().contains("no clips"));
}

#[test]
fn a_clip_starts_at_the_start_time_of_its_event() {
    let mut delayed = scenario(&[(0.0, Action::Stand), (0.5, Action::Cast)]);
    delayed.events[1].start = 0.35;
    let skeleton = skeleton();
    let built = built(&clips(), &Settings::Scenario(delayed.clone())).unwrap();
    for time in [0.9, 1.1] {
        let cast = clips()[2].pose_at(&skeleton, time - 0.5 + 0.35);
        assert!(largest_turn(&pose(&built, time), &cast) < 1e-6, "{time}");
    }
    delayed.events[1].start = f64::NAN;
    assert!(super::built(&clips(), &Settings::Scenario(delayed)).unwrap_err().to_string().contains("entry"));
}
