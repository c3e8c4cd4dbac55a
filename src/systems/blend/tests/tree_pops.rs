//! The pop meter over drawn trees.

use super::states::{events, go, tree};
use super::*;
use crate::math::easing::Easing;

/// Frames that pop, and frames that would without transitions.
fn pops(built: &Built, length: f64) -> (Vec<FrameStep>, usize) {
    let meter = built.pop_meter(FPS, length, &Progress::new()).unwrap();
    assert_eq!(meter.len(), (length * FPS + 1e-6) as usize);
    let cut = meter.iter().filter(|step| step.cut_pops()).count();
    (meter.into_iter().filter(FrameStep::pops).collect(), cut)
}

fn played(tree: Tree) -> Built {
    built(&clips(), &Settings::Tree(tree)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_sequence_of_states_pops(events in events(), restarts in any::<bool>(), inertial in any::<bool>()) {
        let interrupt = if inertial { Interrupt::Inertial } else { Interrupt::Captured };
        let (found, _) = pops(&played(Tree { events, interrupt, ..tree(restarts) }), 4.5);
        prop_assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn states_that_are_cut_to_pop_and_those_that_are_faded_to_do_not() {
    let mut tree = tree(true);
    tree.events = vec![go(0.5, "rest", 0.2), go(0.93, "act", 0.3), go(1.4, "", 0.3), go(1.5, "act", 0.2)];
    let (found, cut) = pops(&played(tree.clone()), 2.0);
    assert!(found.is_empty() && (3..=4).contains(&cut), "{found:?} {cut}");
    let still = Tree { events: Vec::new(), ..tree };
    let (found, cut) = pops(&played(still), 2.0);
    assert!(found.is_empty() && cut == 0, "{found:?} {cut}");
}

#[test]
fn a_standard_tree_below_a_blend_is_measured_as_by_itself() {
    let scenario = scenario(&[(0.0, Action::Run), (0.4, Action::Cast), (0.55, Action::Stop), (1.3, Action::End)]);
    let alone = built(&clips(), &Settings::Scenario(scenario.clone())).unwrap();
    let mut tree = Tree::default();
    let below = tree.add("Standard", NodeKind::Standard(Box::new(scenario)));
    tree.root = tree.add("Above", NodeKind::Blend(vec![Link { child: below, ..Link::default() }]));
    let below = played(tree);
    let [alone, below] = [alone, below].map(|built| built.pop_meter(FPS, 2.0, &Progress::new()).unwrap());
    assert_eq!(alone, below);
    assert!(alone.iter().any(FrameStep::cut_pops) && !alone.iter().any(FrameStep::pops));
}

#[test]
fn what_is_added_in_a_state_has_its_own_bound() {
    for (weight, trans_time, pops_cut) in [(0.8, 0.3, true), (1.7, 0.25, true), (0.0, 0.3, false)] {
        let mut tree = Tree::default();
        let leaf = |clip: &str| NodeKind::Source(Source { clip: clip.into(), ..Source::default() });
        let (base, delta) = (tree.add("Run", leaf("run")), tree.add("Cast", leaf("cast")));
        let in_states = vec![StateWeight { state: "on".into(), weight }];
        let (reference, mask) = (Reference::Rest, MaskChoice::default());
        let additive = Additive { base, delta, reference, weight: 0.0, in_states, mask, muted: false };
        tree.root = tree.add("Added", NodeKind::Additive(additive));
        tree.add_state("on");
        tree.events = vec![go(0.31, "on", trans_time), go(1.2, "", trans_time)];
        let (found, cut) = pops(&played(tree), 2.0);
        assert!(found.is_empty() && (cut > 0) == pops_cut, "{weight}: {found:?} {cut}");
    }
}

#[test]
fn a_space_that_goes_to_a_place_does_not_pop_and_one_that_jumps_there_would() {
    let sample = |clip: &str, x| SpaceSample { clip: clip.into(), at: [x, 0.0] };
    let in_states = vec![StatePlace { state: "run".into(), at: [2.0, 0.0] }];
    let samples = vec![sample("stand", 0.0), sample("cast", 1.0), sample("run", 2.0)];
    let mut tree = Tree::default();
    tree.root =
        tree.add("Space", NodeKind::Space(Box::new(BlendSpace { samples, in_states, ..BlendSpace::default() })));
    tree.add_state("run");
    tree.events = vec![go(0.5, "run", 0.4), go(1.5, "", 0.3)];
    let (found, cut) = pops(&played(tree), 2.0);
    assert!(found.is_empty() && cut == 2, "{found:?} {cut}");
}

/// Joints that hold still, turned by so many degrees about one axis.
fn held(name: &str, degrees: f32) -> Clip {
    let mut clip = Clip { name: name.into(), duration: 1.0, tracks: vec![JointTracks::default(); 12] };
    let turn = Quat::from_rotation_z(degrees.to_radians());
    clip.tracks.iter_mut().for_each(|tracks| tracks.rotation = Some(Curve::linear(vec![0.0], vec![turn])));
    clip
}

#[test]
fn a_joint_that_three_sides_lead_the_long_way_round_is_told() {
    // From 120° to −120° is a third of a turn; the middle side leads over 0°, twice as far in the same time.
    let clips = [held("left", 120.0), held("right", -120.0), held("middle", 0.0)];
    let mut tree = Tree::default();
    let weights = [("left", [1.0, 0.0]), ("right", [0.0, 1.0]), ("middle", [0.4, 0.4])];
    let links = weights.map(|(clip, [drawn, other])| {
        let child = tree.add(clip, NodeKind::Source(Source { clip: clip.into(), ..Source::default() }));
        let in_states = vec![StateWeight { state: "other".into(), weight: other }];
        Link { child, weight: drawn, in_states, ..Link::default() }
    });
    tree.root = tree.add("Mix", NodeKind::Blend(links.to_vec()));
    tree.add_state("other");
    tree.events = vec![go(0.5, "other", 0.4)];
    let (found, _) = pops(&built(&clips, &Settings::Tree(tree)).unwrap(), 1.5);
    assert!(found.len() > 1 && found.iter().all(|step| (0.5..0.95).contains(&step.time)), "{found:?}");
}

/// A third side counts by its weight from its first frame on, though the rule for two hands over to that for three.
#[test]
fn a_third_side_comes_in_no_faster_than_its_weight() {
    let event = StateEvent { easing: Some(Easing::Smoother), ..go(0.3, "act", 19.0 / 30.0) };
    for fps in [FPS, 480.0] {
        let built = played(Tree { events: vec![event.clone()], interrupt: Interrupt::Captured, ..tree(true) });
        let meter = built.pop_meter(fps, 1.0, &Progress::new()).unwrap();
        let found: Vec<FrameStep> = meter.into_iter().filter(FrameStep::pops).collect();
        assert!(found.is_empty(), "{fps}: {found:?}");
    }
}
