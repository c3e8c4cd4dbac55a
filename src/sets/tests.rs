//! Contracts over gaits computed from a few numbers, so that every figure is known.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::contract::{ClipRequirements, Contract, Owner, Pin, SetKind, SetRequirements};
use crate::figures::{ClipName, Member};
use crate::report::{Measured, Requirement, Row, Verdict};
use crate::{ContractFile, check, propose};
use portamento_anim::quality::Input;
use portamento_anim::{Clip, Curve, JointTracks, Roles};
use portamento_base::budget::Budget;
use portamento_base::progress::Progress;
use portamento_test_support::{LEGGED, skeleton_of};

/// A walk on the spot at 30 fps. Each foot slides back evenly while it stands, for half of a stride, and then swings forward at one
/// height.
#[derive(Clone, Copy)]
struct Gait {
    frames: usize,
    /// Part of a stride by which it is later.
    phase: f32,
    /// Length of a step along the ground, metres.
    step: f32,
    /// Height of a lifted foot, metres.
    lift: f32,
    /// Part of a stride after which it ends.
    end: f32,
    /// Distance that the root travels, metres.
    travel: f32,
}

impl Gait {
    fn clip(self, name: &str) -> Clip {
        let times: Vec<f32> = (0..=self.frames).map(|frame| frame as f32 / 30.0).collect();
        let share = |time: f32| time * 30.0 / self.frames as f32;
        let foot = |time: f32, half: f32| {
            let at = (self.end * share(time) + half - self.phase).rem_euclid(1.0);
            let lift = if at <= 0.5 { 0.0 } else { self.lift };
            let along = if at <= 0.5 { 0.5 - 2.0 * at } else { 2.0 * (at - 0.5) - 0.5 };
            Vec3::new(0.0, lift, self.step * along)
        };
        let mut clip = Clip {
            name: name.into(),
            duration: f64::from(times[self.frames]),
            tracks: vec![JointTracks::default(); 8],
        };
        for (joint, half) in [(4, 0.0), (7, 0.5)] {
            let values = times.iter().map(|&time| foot(time, half)).collect();
            clip.tracks[joint].translation = Some(Curve::linear(times.clone(), values));
        }
        if self.travel != 0.0 {
            let values = times.iter().map(|&time| Vec3::new(0.0, 1.0, self.travel * share(time))).collect();
            clip.tracks[0].translation = Some(Curve::linear(times.clone(), values));
        }
        clip
    }
}

fn member(clip: &Clip) -> Member {
    let skeleton = skeleton_of(&LEGGED);
    let roles = Roles::find(&skeleton, &[]);
    let input = Input { skeleton: &skeleton, clip, roles: &roles, soles: &[], metres_per_unit: 1.0 };
    Member::measure(ClipName { file: "pack.glb".into(), clip: clip.name.clone() }, &input, &Progress::new()).unwrap()
}

/// A ring of two walks of different steps, and a strike that begins and ends as they do.
fn ring(frames: usize) -> [Gait; 3] {
    let walk = Gait { frames, phase: 0.0, step: 0.4, lift: 0.1, end: 1.0, travel: 0.0 };
    [walk, Gait { lift: 0.1 + 0.005 * frames as f32, ..walk }, walk]
}

/// Two walks of one speed, and a strike in their stance.
fn contract(frames: usize) -> Contract {
    let pin = |value: f64, tolerance: f64| Some(Pin { value, tolerance });
    let seconds = frames as f64 / 30.0;
    // A step in half of a stride.
    let speed = 0.4 / (0.5 * seconds);
    let each = ClipRequirements {
        speed_mps: pin(speed, 0.01 * speed),
        movement_owner_xz: Some(Owner::Gameplay),
        duration_s: pin(seconds, 1e-3),
        fps: Some(30.0),
        // Feet that are lifted within a frame jump, and where in the cycle the frames fall decides how far.
        max_loop_velocity_delta_mps: Some(10.0),
        ..ClipRequirements::default()
    };
    let clips = vec!["walk_*".to_owned()];
    let ring = SetRequirements { kind: SetKind::Ring, clips, each, ..SetRequirements::default() };
    let stance = Some("walk_a".to_owned());
    let strikes =
        SetRequirements { kind: SetKind::Strikes, clips: vec!["strike".into()], stance, ..SetRequirements::default() };
    Contract { sets: BTreeMap::from([("ring".into(), ring), ("strikes".into(), strikes)]), ..Contract::default() }
}

/// Returns the rows that are not met.
fn open_rows(gaits: [Gait; 3], frames: usize) -> Vec<Row> {
    let members: Vec<Member> =
        gaits.into_iter().zip(["walk_a", "walk_b", "strike"]).map(|(gait, name)| member(&gait.clip(name))).collect();
    let report = check(&contract(frames), &members, &Budget::new()).unwrap();
    report.rows.into_iter().filter(|row| row.verdict() != Verdict::Met).collect()
}

#[test]
fn every_broken_member_is_named_and_no_sound_one() {
    for frames in 24..44 {
        let sound = ring(frames);
        assert_eq!(open_rows(sound, frames), [], "{frames} frames");
        let [a, b, strike] = sound;
        let damages = [
            (Requirement::PhaseSpread, [a, Gait { phase: 0.1, ..b }, strike]),
            (Requirement::DurationSpread, [a, Gait { frames: frames + 3, ..b }, strike]),
            (Requirement::Speed, [a, Gait { step: 0.44, ..b }, strike]),
            (Requirement::Travel, [a, Gait { travel: 0.3, ..b }, strike]),
            (Requirement::BeginPose, [a, b, Gait { phase: 0.1, ..strike }]),
            (Requirement::LoopPosition, [a, Gait { end: 0.9, ..b }, strike]),
        ];
        for (requirement, damaged) in damages {
            let open = open_rows(damaged, frames);
            let named = open.iter().find(|row| row.requirement == requirement && row.verdict() == Verdict::Broken);
            let row = named.unwrap_or_else(|| panic!("{frames} frames, {requirement:?}: {open:?}"));
            let of_set = matches!(requirement, Requirement::PhaseSpread | Requirement::DurationSpread);
            let clip = if requirement == Requirement::BeginPose { "strike" } else { "walk_b" };
            assert_eq!(row.clip.as_ref().map(|name| &*name.clip), (!of_set).then_some(clip), "{row:?}");
        }
    }
}

#[test]
fn the_figures_are_those_of_the_damage() {
    let [a, b, strike] = ring(30);
    let figure = |gaits: [Gait; 3], requirement: Requirement| {
        let rows = open_rows(gaits, 30);
        match rows.iter().find(|row| row.requirement == requirement).and_then(|row| row.measured.clone()) {
            Some(Measured::Number(number)) => number,
            other => panic!("{requirement:?}: {other:?}"),
        }
    };
    let phase = figure([a, Gait { phase: 0.1, ..b }, strike], Requirement::PhaseSpread);
    assert!((phase - 0.1).abs() < 2e-3, "{phase}");
    let seconds = figure([a, Gait { frames: 33, ..b }, strike], Requirement::DurationSpread);
    assert!((seconds - 0.1).abs() < 1e-6, "{seconds}");
    let frames = figure([a, Gait { frames: 33, ..b }, strike], Requirement::FrameCountSpread);
    assert_eq!(frames, 3.0);
    let travel = figure([a, Gait { travel: 0.3, ..b }, strike], Requirement::Travel);
    assert!((travel - 0.3).abs() < 1e-6, "{travel}");
    // The standing foot of the strike is a tenth of a stride further: a fifth of its step.
    let pose = figure([a, b, Gait { phase: 0.1, ..strike }], Requirement::BeginPose);
    assert!(pose >= 0.08 - 1e-6, "{pose}");
}

#[test]
fn clips_without_feet_are_not_measured_and_never_met() {
    let skeleton = skeleton_of(&[("root", None), ("tip", Some(0))]);
    let clip = Clip { name: "walk_a".into(), duration: 1.0, tracks: vec![JointTracks::default(); 2] };
    let roles = Roles::default();
    let input = Input { skeleton: &skeleton, clip: &clip, roles: &roles, soles: &[], metres_per_unit: 1.0 };
    let measured = |clip: &str| {
        let name = ClipName { file: "a.glb".into(), clip: clip.into() };
        Member::measure(name, &input, &Progress::new()).unwrap()
    };
    let each = ClipRequirements { max_slide_mps: Some(1.0), ..ClipRequirements::default() };
    let set = SetRequirements {
        clips: vec!["walk_*".into()],
        each,
        max_phase_spread: Some(0.5),
        ..SetRequirements::default()
    };
    let contract = Contract { sets: BTreeMap::from([("set".into(), set)]), ..Contract::default() };
    let report = check(&contract, &[measured("walk_a"), measured("walk_b")], &Budget::new()).unwrap();
    let unmeasured: Vec<_> =
        report.rows.iter().filter(|row| row.verdict() == Verdict::NotMeasured).map(|row| row.requirement).collect();
    assert_eq!(report.verdict(), Verdict::NotMeasured);
    assert!(
        unmeasured.contains(&Requirement::Slide) && unmeasured.contains(&Requirement::PhaseSpread),
        "{unmeasured:?}"
    );
}

#[test]
fn a_chain_meets_in_pose_and_velocity() {
    let walk = ring(30)[0];
    let cut = |clip: &Clip, name: &str| Clip { name: name.into(), ..clip.clone() };
    let start = walk.clip("walk_start");
    let chain = SetRequirements {
        kind: SetKind::Chain,
        clips: vec!["walk_start".into(), "walk_loop".into()],
        ..SetRequirements::default()
    };
    let contract = Contract { sets: BTreeMap::from([("walk".into(), chain)]), ..Contract::default() };
    let open = |second: &Clip| {
        let report = check(&contract, &[member(&start), member(second)], &Budget::new()).unwrap();
        let open = report.rows.iter().filter(|row| row.verdict() != Verdict::Met).map(|row| row.requirement);
        open.collect::<Vec<_>>()
    };
    let velocities = |requirements: &[Requirement]| requirements.contains(&Requirement::MeetingPose);
    assert!(!velocities(&open(&cut(&start, "walk_loop"))));
    let later = Gait { phase: 0.25, ..walk }.clip("walk_loop");
    assert!(velocities(&open(&later)));
}

#[test]
fn the_proposal_is_met_by_the_clips_that_it_was_made_for() {
    let [a, b, strike] = ring(30);
    let clips =
        [a.clip("walk_forward"), b.clip("walk_left"), strike.clip("punch"), strike.clip("kick"), a.clip("idle")];
    let members: Vec<Member> = clips.iter().map(member).collect();
    let contract = propose(&members);
    let [ring, strikes] = ["walk", "strikes"].map(|name| contract.sets[name].clone());
    assert_eq!((ring.kind, &ring.clips[..]), (SetKind::Ring, &["walk_forward".to_owned(), "walk_left".to_owned()][..]));
    assert_eq!((strikes.kind, strikes.stance.as_deref()), (SetKind::Strikes, Some("idle")));
    assert_eq!(contract.clips["*"].fps, Some(30.0));
    let report = check(&contract, &members, &Budget::new()).unwrap();
    let open: Vec<_> = report.rows.iter().filter(|row| row.verdict() != Verdict::Met).collect();
    assert!(open.is_empty(), "{open:#?}");
}

#[test]
fn a_contract_whose_report_would_be_too_large_is_refused() {
    let every = ContractFile::read("[clips.\"*\"]\nloop = true\nmax_pops = 1").unwrap();
    let [a, b, _] = ring(30);
    let members = [member(&a.clip("walk_a")), member(&b.clip("walk_b"))];
    let rows = check(&every.contract, &members, &Budget::new()).unwrap().rows.len();
    assert_eq!(rows, 8);
    assert!(check(&every.contract, &members, &Budget::with_limit(9 * 4096)).is_ok());
    let many = (0..1000).map(|set| format!("[sets.a{set}]\nclips = [\"*\"]\n")).collect::<String>();
    let names = format!("[rig]\nrequired_bones = [{}]", "\"a bone that is missing\", ".repeat(1000));
    for text in [many, names] {
        let contract = ContractFile::read(&text).unwrap().contract;
        let refused = check(&contract, &members, &Budget::with_limit(64 * 4096)).unwrap_err().to_string();
        assert!(refused.contains("of memory"), "{refused}");
    }
}

#[test]
fn a_proposal_holds_for_a_pose_of_one_frame_and_for_a_chain_that_stops_within_a_frame() {
    let [walk, ..] = ring(30);
    let mut pose = walk.clip("aim_pose");
    pose.duration = 0.0;
    for curve in pose.tracks.iter_mut().filter_map(|tracks| tracks.translation.as_mut()) {
        curve.times.truncate(1);
        curve.values.truncate(1);
    }
    // The feet of both change their velocity by the swing's speed within a frame, in the clips as between them.
    let members = [pose, walk.clip("go_start"), walk.clip("go_loop")].map(|clip| member(&clip));
    let proposal = propose(&members);
    assert_eq!(proposal.clips.get("*").and_then(|all| all.fps).map(f64::round), Some(30.0));
    assert!(proposal.sets.values().any(|set| set.kind == SetKind::Chain), "{proposal:?}");
    let report = check(&proposal, &members, &Budget::new()).unwrap();
    let open: Vec<&Row> = report.rows.iter().filter(|row| row.verdict() != Verdict::Met).collect();
    assert!(open.is_empty(), "{open:#?}");
    // A limit that is stated counts.
    let mut strict = proposal;
    strict.sets.values_mut().for_each(|set| set.max_velocity_delta_mps = Some(1e-9));
    let report = check(&strict, &members, &Budget::new()).unwrap();
    let velocity = report.rows.iter().find(|row| row.requirement == Requirement::MeetingVelocity).unwrap();
    assert!(velocity.verdict() != Verdict::Met, "{velocity:?}");
}

/// A pose whose head is turned by yaw to the right and pitch up, degrees.
fn aim_pose(name: &str, [yaw, pitch]: [f32; 2]) -> Member {
    let skeleton = skeleton_of(&[("hips", None), ("head", Some(0))]);
    let mut clip = Clip { name: name.into(), duration: 0.0, tracks: vec![JointTracks::default(); 2] };
    let turn = glam::Quat::from_rotation_y(-yaw.to_radians()) * glam::Quat::from_rotation_x(-pitch.to_radians());
    clip.tracks[1].rotation = Some(Curve::linear(vec![0.0], vec![turn]));
    let roles = Roles { hips: Some(0), head: Some(1), ..Roles::default() };
    let input = Input { skeleton: &skeleton, clip: &clip, roles: &roles, soles: &[], metres_per_unit: 1.0 };
    Member::measure(ClipName { file: "aim.glb".into(), clip: name.into() }, &input, &Progress::new()).unwrap()
}

#[test]
fn an_aim_grid_is_proposed_from_names_and_a_missing_or_moving_pose_is_named() {
    let sides = [("left", -60.0), ("center", 0.0), ("right", 60.0)];
    let heights = [("down", -40.0), ("mid", 0.0), ("up", 40.0)];
    let mut members: Vec<Member> = Vec::new();
    for (side, yaw) in sides {
        members.extend(heights.map(|(height, pitch)| aim_pose(&format!("rifle_aim_{side}_{height}"), [yaw, pitch])));
    }
    let contract = propose(&members);
    let set = &contract.sets["rifle aim"];
    assert_eq!((set.kind, set.clips.len()), (SetKind::AimGrid, 9));
    let open = |contract: &Contract, members: &[Member]| -> Vec<Row> {
        let rows = check(contract, members, &Budget::new()).unwrap().rows;
        rows.into_iter().filter(|row| row.verdict() != Verdict::Met).collect()
    };
    assert_eq!(open(&contract, &members), []);
    let corner = members.pop().unwrap();
    let corners = open(&contract, &members);
    let row = corners.iter().find(|row| row.requirement == Requirement::AimGrid).unwrap();
    assert_eq!(row.measured, Some(Measured::Missing(vec!["yaw 60°, pitch 40°".into()])));
    members.push(aim_pose(&corner.name.clip, [70.0, 40.0]));
    assert!(
        open(&contract, &members).iter().any(|row| row.requirement == Requirement::AimGrid),
        "10° beside its column"
    );
    members.pop();
    members.push(Member { name: corner.name, ..member(&ring(30)[0].clip("moving")) });
    let moving = open(&contract, &members);
    let row = moving.iter().find(|row| row.requirement == Requirement::SinglePose).unwrap();
    assert_eq!((row.measured.clone(), row.verdict()), (Some(Measured::Number(31.0)), Verdict::Broken));
    let unmeasured = moving.iter().find(|row| row.requirement == Requirement::AimGrid).unwrap();
    assert_eq!(unmeasured.verdict(), Verdict::NotMeasured);
}

#[test]
fn proposals_for_characters_ask_for_no_rate_that_a_clip_cannot_have() {
    for name in ["hero", "characters/knight.glb", "characters/fox.glb", "characters/minnyquinn.glb", "wild/mage.glb"] {
        let Some(figure) = portamento_test_support::Figure::open(name) else { continue };
        let measured = |clip: &Clip| {
            let (skeleton, roles, metres_per_unit) = (&figure.model.skeleton, &figure.roles, figure.metres_per_unit);
            let input = Input { skeleton, clip, roles, soles: &figure.soles, metres_per_unit };
            let name = ClipName { file: name.into(), clip: clip.name.clone() };
            Member::measure(name, &input, &Progress::new()).unwrap()
        };
        let members: Vec<Member> = figure.model.clips.iter().map(measured).collect();
        let report = check(&propose(&members), &members, &Budget::new()).unwrap();
        let is_open = |row: &&Row| row.verdict() != Verdict::Met && row.requirement == Requirement::FrameRate;
        let open: Vec<&Row> = report.rows.iter().filter(is_open).collect();
        assert!(open.is_empty(), "{name}: {open:#?}");
    }
}
