//! Clips of another file in a blend: joint matching, synchronisation and entry frames.

use std::sync::Arc;

use super::*;
use crate::{ExportRequest, ExportSettings, Keep};
use portamento_anim::math::mean::angle_between;
use portamento_base::progress::Progress;
use portamento_blend::sync_markers::marker_phase_at;
use portamento_blend::{Link, NodeKind, Source, StateEvent, StateWeight, Tree};
use portamento_takes::evaluate::BuiltTake;

/// Opens a knight and a second file with one of its clips under another name, with another rate and length, and fewer
/// joints.
fn knight_and_guest(check: impl FnOnce(&mut Session, FileId)) {
    let Some(folder) = portamento_test_support::corpus("characters") else { return };
    let knight = folder.join("knight.glb");
    let temporary = tempfile::tempdir().unwrap();
    let guest = temporary.path().join("guest.glb");
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![knight])));
    let character = session.document.files[0].id;
    let source = TakeSource::Clip { file: character, clip: "Walking_A".into() };
    let take = Take {
        id: TakeId(session.document.fresh_id()),
        name: "Guest walk".into(),
        character,
        source,
        stages: Vec::new(),
        loops: None,
    };
    let request = ExportRequest {
        takes: vec![take.id],
        destination: guest.clone(),
        settings: ExportSettings { keep: Keep::Alone, fps: Some(47.0), ..Default::default() },
        ..ExportRequest::default()
    };
    session.document.takes.push(take);
    session.perform(Command::File(FileCommand::Export(request)));
    session.perform(Command::File(FileCommand::Open(vec![guest])));
    session.document.takes.clear();
    let file = session.document.files[1].id;
    check(&mut session, file);
}

fn add_blend(session: &mut Session, file: FileId, scenario: Scenario) -> Arc<BuiltTake> {
    let character = session.document.files[0].id;
    session.perform(Command::Edit(EditCommand::AddScenario { character: Some(character), with: None }));
    let blend = session.document.takes.last_mut().unwrap().blend_mut().unwrap();
    (blend.settings, blend.files, blend.length) = (Settings::Scenario(scenario), vec![file], Some(4.0));
    session.update(0.0, true);
    assert_eq!(session.evaluation.failure(), None);
    session.frame().unwrap().built.clone().unwrap()
}

fn guest_scenario(events: &[(f64, Action)], synchronise: bool) -> Scenario {
    let event = |&(time, action): &(f64, Action)| Event { time, action, ..Event::default() };
    Scenario {
        run: "Running_A".into(),
        stand: "Guest walk".into(),
        skill: "1H_Melee_Attack_Chop".into(),
        events: events.iter().map(event).collect(),
        synchronise,
        ..Scenario::default()
    }
}

#[test]
fn a_clip_of_another_file_is_matched_by_joint_names_and_blends_without_a_pop() {
    knight_and_guest(|session, file| {
        let events =
            [(0.0, Action::Run), (0.5, Action::Stand), (0.6, Action::Cast), (1.0, Action::Run), (3.0, Action::End)];
        let built = add_blend(session, file, guest_scenario(&events, false));
        let blended = built.blended.as_ref().unwrap();
        let figures = blended.measured(&Progress::new()).unwrap();
        assert_eq!(figures.pops(), 0);
        assert!(figures.cut_pops() > 0);
        assert!((blended.fps - 47.0).abs() < 0.5 || blended.fps >= 30.0, "{}", blended.fps);
        // Between transitions, the guest clip plays as in its own file.
        let guest = session.library.get(file).unwrap().model.clone();
        let walk = add_blend(session, file, guest_scenario(&[(0.0, Action::Stand)], false));
        let pose = |model: &Model, clip: &Clip, time: f64| clip.pose_at(&model.skeleton, time);
        let (hero, clip) = (&walk.character.model, guest.clip("Guest walk").unwrap());
        let (mine, theirs) = (pose(hero, &walk.clip, 0.4), pose(&guest, clip, 0.4));
        for (joint, row) in guest.skeleton.joints.iter().enumerate() {
            let own = hero.skeleton.find(&row.name).unwrap();
            assert!(angle_between(mine.locals[own].rotation, theirs.locals[joint].rotation) < 2e-2, "{}", row.name);
        }
    });
}

#[test]
fn a_skill_that_holds_keeps_its_last_pose_and_a_looping_one_repeats() {
    knight_and_guest(|session, file| {
        let scenario = guest_scenario(&[(0.0, Action::Stand), (0.2, Action::Cast)], false);
        let last_pose_take = add_blend(session, file, Scenario { skill_holds: true, ..scenario.clone() });
        let looping = add_blend(session, file, Scenario { skill_loops: true, ..scenario });
        let skeleton = &last_pose_take.character.model.skeleton;
        let pose = |built: &BuiltTake, time: f64| built.clip.pose_at(skeleton, time).locals;
        let length = last_pose_take.character.model.clip("1H_Melee_Attack_Chop").unwrap().duration;
        let end = 0.2 + length;
        assert!(end + 0.5 < 4.0, "{length}");
        assert_eq!(pose(&last_pose_take, end + 0.25), pose(&last_pose_take, end + 0.5));
        assert_ne!(pose(&looping, end + 0.25), pose(&looping, end + 0.5));
    });
}

/// Returns the time of the clip in `guest` whose pose is nearest to that of `built` at `time`.
fn guest_time_shown(built: &BuiltTake, guest: &Model, time: f64) -> f64 {
    let (hero, clip) = (&built.character.model.skeleton, guest.clip("Guest walk").unwrap());
    let shown = built.clip.pose_at(hero, time);
    let rows: Vec<_> = guest.skeleton.joints.iter().map(|joint| hero.find(&joint.name).unwrap()).collect();
    let apart = |at: f64| {
        let pose = clip.pose_at(&guest.skeleton, at);
        let angle =
            |(joint, &row): (usize, &usize)| angle_between(shown.locals[row].rotation, pose.locals[joint].rotation);
        rows.iter().enumerate().map(angle).sum::<f64>()
    };
    let times = (0..(clip.duration * 600.0) as usize).map(|i| i as f64 / 600.0);
    times.min_by(|&a, &b| apart(a).total_cmp(&apart(b))).unwrap()
}

#[test]
fn feet_of_clips_from_two_files_stay_synchronised_while_blending() {
    knight_and_guest(|session, file| {
        const EVENT: f64 = 1.13;
        let (fade, after) = (Event::default().trans_time, 0.05);
        let events = [(0.0, Action::Run), (EVENT, Action::Stand)];
        let guest = session.library.get(file).unwrap().model.clone();
        let free = add_blend(session, file, guest_scenario(&events, false));
        let together = add_blend(session, file, guest_scenario(&events, true));
        let pops = |built: &BuiltTake| built.blended.as_ref().unwrap().measured(&Progress::new()).unwrap().pops();
        assert_eq!([&free, &together].map(|built| pops(built)), [0, 0]);
        let walk = guest.clip("Guest walk").unwrap();
        let run = together.character.model.clip("Running_A").unwrap();
        let downs = |clip: &Clip| {
            let all = &together.blended.as_ref().unwrap().foot_downs;
            all.iter().find(|(name, _)| *name == clip.name).unwrap().1.clone()
        };
        let (run_downs, walk_downs) = (downs(run), downs(walk));
        assert_eq!((run_downs.len(), walk_downs.len()), (1, 1));
        let phase = |built: &BuiltTake| {
            let shown = guest_time_shown(built, &guest, EVENT + fade + after);
            marker_phase_at(&walk_downs, walk.duration, shown)
        };
        // The clips are synchronised at the event. During the fade the cycle length lies between both clips,
        // afterwards it is that of the walk.
        let begun = marker_phase_at(&run_downs, run.duration, EVENT) + after / walk.duration;
        let [least, most] =
            [run.duration.max(walk.duration), run.duration.min(walk.duration)].map(|cycle| begun + fade / cycle);
        let late = |phase: f64| (phase - least + 0.02).rem_euclid(1.0);
        assert!(late(phase(&together)) < most - least + 0.04, "{} {least} {most}", phase(&together));
        assert!(late(phase(&free)) > most - least + 0.06, "{} {least} {most}", phase(&free));
    });
}

#[test]
fn the_entry_of_an_event_is_the_clip_frame_nearest_to_the_incoming_motion() {
    knight_and_guest(|session, file| {
        // The clip that already plays: the nearest frame is the current one.
        let mut scenario = guest_scenario(&[(0.0, Action::Run), (0.4, Action::Cast)], false);
        scenario.skill = scenario.run.clone();
        add_blend(session, file, scenario);
        session.selection.show(Shown::Take(session.document.takes.last().unwrap().id));
        session.update(0.0, true);
        session.perform(Command::Edit(EditCommand::FindEntry(1)));
        let events = session.document.takes.last().unwrap().events(None).unwrap().clone();
        assert!(events[0].start == 0.0 && (events[1].start - 0.4).abs() < 0.02, "{}", events[1].start);
        session.update(0.0, true);
        let built = session.frame().unwrap().built.clone().unwrap();
        // Entered there, the skill equals the run, so no joint turns farther than in the run.
        let run = built.character.model.clip("Running_A").unwrap();
        let skeleton = &built.character.model.skeleton;
        let (shown, alone) = (built.clip.pose_at(skeleton, 0.5), run.pose_at(skeleton, 0.5));
        let apart = |joint: usize| angle_between(shown.locals[joint].rotation, alone.locals[joint].rotation);
        assert!((0..skeleton.len()).all(|joint| apart(joint) < 0.05));
        // A missing clip is reported and changes nothing.
        let before = session.document.clone();
        session.perform(Command::Edit(EditCommand::FindEntry(7)));
        assert_eq!(session.document, before);
    });
}

#[test]
fn the_entry_of_a_clip_node_is_found_at_the_playhead_or_its_restart() {
    knight_and_guest(|session, file| {
        let source = |clip: &str| Source { clip: clip.into(), ..Source::default() };
        let mut tree = Tree::default();
        let run = tree.add("Run", NodeKind::Source(source("Running_A")));
        let other = tree.add("Other", NodeKind::Source(source("Running_A")));
        let link = |child, weight| Link { child, weight, ..Link::default() };
        let in_states = vec![StateWeight { state: "on".into(), weight: 1.0 }];
        let links = vec![link(run, 1.0), Link { in_states, ..link(other, 0.0) }];
        tree.root = tree.add("Mix", NodeKind::Blend(links));
        tree.add_state("on");
        add_blend(session, file, guest_scenario(&[(0.0, Action::Run)], false));
        let id = session.document.takes.last().unwrap().id;
        session.document.take_mut(id).unwrap().blend_mut().unwrap().settings = Settings::Tree(tree);
        session.selection.show(Shown::Take(id));
        session.update(1.0 / 60.0, true);
        fn nodes(session: &mut Session, id: TakeId) -> &mut Tree {
            session.document.take_mut(id).unwrap().blend_mut().unwrap().settings.tree_mut().unwrap()
        }
        let source_of = |session: &mut Session| match &nodes(session, id).nodes[1].kind {
            NodeKind::Source(source) => source.clone(),
            _ => panic!("a source"),
        };
        // At double speed the clip matches the run only at the playhead.
        let NodeKind::Source(quick) = &mut nodes(session, id).nodes[1].kind else { panic!("a source") };
        quick.speed = 2.0;
        session.update(1.0 / 60.0, true);
        session.playback.time = 0.3;
        session.perform(Command::Edit(EditCommand::FindNodeEntry(1)));
        let found = source_of(session);
        let duration =
            session.library.get(session.document.files[0].id).unwrap().model.clip("Running_A").unwrap().duration;
        let shown = (found.offset + 2.0 * 0.3 - 0.3).rem_euclid(duration);
        assert!(shown.min(duration - shown) < 0.02, "{} {shown}", found.offset);
        // With a restarting event, the entry is found at the event.
        nodes(session, id).events = vec![StateEvent { time: 0.45, state: "on".into(), ..StateEvent::default() }];
        let NodeKind::Source(again) = &mut nodes(session, id).nodes[1].kind else { panic!("a source") };
        again.restarts = vec!["on".into()];
        session.update(1.0 / 60.0, true);
        session.perform(Command::Edit(EditCommand::FindNodeEntry(1)));
        let entered = source_of(session).offset;
        assert!((entered - 0.45_f64.rem_euclid(duration)).abs() < 0.02, "{entered}");
        session.update(1.0 / 60.0, true);
        session.perform(Command::Edit(EditCommand::Undo));
        assert_eq!(source_of(session).offset, found.offset, "undone");
        // A blend node has no clip: a notice is shown, and nothing changes.
        let before = session.document.clone();
        session.perform(Command::Edit(EditCommand::FindNodeEntry(2)));
        assert_eq!(session.document, before);
    });
}

#[test]
fn a_character_without_clips_is_blended_from_the_clips_of_other_files() {
    let Some(pack) = portamento_test_support::corpus("pack") else { return };
    let files = ["knight_tpose.fbx", "Standing Idle.fbx", "Knight_Walking_A.fbx", "sword and shield attack (3).fbx"];
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(files.map(|file| pack.join(file)).to_vec())));
    session.perform(Command::Edit(EditCommand::AddScenario { character: None, with: None }));
    let take = session.document.takes.last().unwrap();
    let knight = session.document.files[0].id;
    assert_eq!(take.character, knight, "the only file with a mesh");
    let blend = take.blend().unwrap();
    let scenario = blend.settings.standard().unwrap();
    let parts = [&scenario.run, &scenario.stand, &scenario.skill].map(|part| part.to_lowercase());
    for (part, word) in parts.iter().zip(["walk", "idle", "attack"]) {
        assert!(part.contains(word), "{parts:?}");
    }
    assert_eq!(blend.files.len(), 3);
    session.update(0.0, true);
    assert_eq!(session.evaluation.failure(), None);
}
