//! The pop meter on drawn trees.

use super::states::{events, state_event, tree};
use super::*;
use portamento_anim::math::easing::Easing;

/// Returns the frames that pop, and the number of frames that pop without transitions.
fn pops(built: &Built, length: f64) -> (Vec<FrameStep>, usize) {
    let meter = built.pop_meter(FPS, length, &Progress::new()).unwrap();
    assert_eq!(meter.len(), (length * FPS + 1e-6) as usize);
    let cut = meter.iter().filter(|step| step.cut_pops()).count();
    (meter.into_iter().filter(FrameStep::pops).collect(), cut)
}

fn build_tree(tree: Tree) -> Built {
    built(&clips(), &Settings::Tree(tree)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_sequence_of_states_pops(events in events(), restarts in any::<bool>(), inertial in any::<bool>()) {
        let interrupt = if inertial { Interrupt::Inertial } else { Interrupt::Captured };
        let (found, _) = pops(&build_tree(Tree { events, interrupt, ..tree(restarts) }), 4.5);
        prop_assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn cuts_between_states_pop_and_fades_do_not() {
    let mut tree = tree(true);
    tree.events = vec![
        state_event(0.5, "rest", 0.2),
        state_event(0.93, "act", 0.3),
        state_event(1.4, "", 0.3),
        state_event(1.5, "act", 0.2),
    ];
    let (found, cut) = pops(&build_tree(tree.clone()), 2.0);
    assert!(found.is_empty() && (3..=4).contains(&cut), "{found:?} {cut}");
    let without_events = Tree { events: Vec::new(), ..tree };
    let (found, cut) = pops(&build_tree(without_events), 2.0);
    assert!(found.is_empty() && cut == 0, "{found:?} {cut}");
}

#[test]
fn a_standard_tree_under_a_blend_has_the_same_pop_meter() {
    let scenario = scenario(&[(0.0, Action::Run), (0.4, Action::Cast), (0.55, Action::Stop), (1.3, Action::End)]);
    let alone = built(&clips(), &Settings::Scenario(scenario.clone())).unwrap();
    let mut tree = Tree::default();
    let nested = tree.add("Standard", NodeKind::Standard(Box::new(scenario)));
    tree.root = tree.add("Above", NodeKind::Blend(vec![Link { child: nested, ..Link::default() }]));
    let nested = build_tree(tree);
    let [alone, nested] = [alone, nested].map(|built| built.pop_meter(FPS, 2.0, &Progress::new()).unwrap());
    assert_eq!(alone, nested);
    assert!(alone.iter().any(FrameStep::cut_pops) && !alone.iter().any(FrameStep::pops));
}

#[test]
fn an_additive_layer_in_a_state_has_its_own_bound() {
    for (weight, trans_time, pops_cut) in [(0.8, 0.3, true), (1.7, 0.25, true), (0.0, 0.3, false)] {
        let mut tree = Tree::default();
        let leaf = |clip: &str| NodeKind::Source(Source { clip: clip.into(), ..Source::default() });
        let (base, delta) = (tree.add("Run", leaf("run")), tree.add("Cast", leaf("cast")));
        let in_states = vec![StateWeight { state: "on".into(), weight }];
        let (reference, mask) = (Reference::Rest, MaskChoice::default());
        let additive = Additive { base, delta, reference, weight: 0.0, in_states, mask, muted: false };
        tree.root = tree.add("Added", NodeKind::Additive(additive));
        tree.add_state("on");
        tree.events = vec![state_event(0.31, "on", trans_time), state_event(1.2, "", trans_time)];
        let (found, cut) = pops(&build_tree(tree), 2.0);
        assert!(found.is_empty() && (cut > 0) == pops_cut, "{weight}: {found:?} {cut}");
    }
}

#[test]
fn a_space_that_fades_to_a_position_does_not_pop_and_one_that_cuts_to_it_does() {
    let sample = |clip: &str, x| SpaceSample { clip: clip.into(), at: [x, 0.0] };
    let in_states = vec![StatePosition { state: "run".into(), at: [2.0, 0.0] }];
    let samples = vec![sample("stand", 0.0), sample("cast", 1.0), sample("run", 2.0)];
    let mut tree = Tree::default();
    tree.root =
        tree.add("Space", NodeKind::Space(Box::new(BlendSpace { samples, in_states, ..BlendSpace::default() })));
    tree.add_state("run");
    tree.events = vec![state_event(0.5, "run", 0.4), state_event(1.5, "", 0.3)];
    let (found, cut) = pops(&build_tree(tree), 2.0);
    assert!(found.is_empty() && cut == 2, "{found:?} {cut}");
}

/// Returns a clip in which all joints keep a constant rotation by `degrees` about one axis.
fn constant_clip(name: &str, degrees: f32) -> Clip {
    let mut clip = Clip { name: name.into(), duration: 1.0, tracks: vec![JointTracks::default(); 12] };
    let turn = Quat::from_rotation_z(degrees.to_radians());
    clip.tracks.iter_mut().for_each(|tracks| tracks.rotation = Some(Curve::linear(vec![0.0], vec![turn])));
    clip
}

#[test]
fn a_joint_that_three_inputs_turn_the_long_way_is_reported() {
    // From 120° to −120° is a third of a turn. The middle input leads over 0°, twice as far in the same time.
    let clips = [constant_clip("left", 120.0), constant_clip("right", -120.0), constant_clip("middle", 0.0)];
    let mut tree = Tree::default();
    let weights = [("left", [1.0, 0.0]), ("right", [0.0, 1.0]), ("middle", [0.4, 0.4])];
    let links = weights.map(|(clip, [drawn, other])| {
        let child = tree.add(clip, NodeKind::Source(Source { clip: clip.into(), ..Source::default() }));
        let in_states = vec![StateWeight { state: "other".into(), weight: other }];
        Link { child, weight: drawn, in_states, ..Link::default() }
    });
    tree.root = tree.add("Mix", NodeKind::Blend(links.to_vec()));
    tree.add_state("other");
    tree.events = vec![state_event(0.5, "other", 0.4)];
    let (found, _) = pops(&built(&clips, &Settings::Tree(tree)).unwrap(), 1.5);
    assert!(found.len() > 1 && found.iter().all(|step| (0.5..0.95).contains(&step.time)), "{found:?}");
}

/// The third input counts by its weight from its first frame on, even during the handover from two to three inputs.
#[test]
fn a_third_input_fades_in_no_faster_than_its_weight() {
    let event = StateEvent { easing: Some(Easing::Smoother), ..state_event(0.3, "act", 19.0 / 30.0) };
    for fps in [FPS, 480.0] {
        let built = build_tree(Tree { events: vec![event.clone()], interrupt: Interrupt::Captured, ..tree(true) });
        let meter = built.pop_meter(fps, 1.0, &Progress::new()).unwrap();
        let found: Vec<FrameStep> = meter.into_iter().filter(FrameStep::pops).collect();
        assert!(found.is_empty(), "{fps}: {found:?}");
    }
}
