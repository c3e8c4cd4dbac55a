use super::*;
use portamento_sets::{Contract, ContractFile, Measured, Report, Requirement, Row, Verdict};

/// A session with the file of a character; `None` where the corpus is absent.
fn opened(name: &str) -> Option<Session> {
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![portamento_test_support::character(name)?])));
    session.update(0.0, true);
    Some(session)
}

fn contract(text: &str) -> Contract {
    ContractFile::read(text).unwrap().contract
}

fn repaired(session: &Session, contract: &Contract, is_chosen: &dyn Fn(&Row) -> bool) -> Repaired {
    let document = (&session.document, &session.library);
    Repaired::bring(document, session.subjects(&[]), contract, is_chosen, &Progress::new()).unwrap()
}

fn number(report: &Report, requirement: Requirement) -> f64 {
    let mut rows = report.rows.iter().filter(|row| row.requirement == requirement && row.clip.is_none());
    let Some(Measured::Number(number)) = rows.next().and_then(|row| row.measured.clone()) else {
        panic!("{requirement:?}: {report:?}")
    };
    number
}

fn open_rows(report: &Report) -> Vec<&Row> {
    report.rows.iter().filter(|row| row.verdict() != Verdict::Met).collect()
}

const HERO_RING: &str = r#"
    [clips."*"]
    fps = 30.0
    [clips.walk]
    speed_mps = { value = 1.4, tolerance = 0.014 }
    [clips.run]
    speed_mps = { value = 4.0, tolerance = 0.04 }
    [sets.gaits]
    kind = "ring"
    clips = ["walk", "run"]
"#;

#[test]
fn a_ring_gets_one_phase_and_length_and_keeps_its_speeds() {
    for (name, text) in [
        ("hero", HERO_RING.to_owned()),
        ("characters/knight.glb", knight_ring("walk", &["Walking_A", "Walking_B", "Walking_Backwards", "Walking_C"])),
        (
            "characters/knight.glb",
            knight_ring("run", &["Running_A", "Running_B", "Running_Strafe_Left", "Running_Strafe_Right"]),
        ),
    ] {
        let Some(session) = opened(name) else { continue };
        let result = repaired(&session, &contract(&text), &|_| true);
        assert!(result.before.count(Verdict::Broken) > 0, "{text}");
        assert_eq!(open_rows(&result.after), Vec::<&Row>::new(), "{text}: {:#?}", result.takes);
        assert!(number(&result.after, Requirement::PhaseSpread) <= 0.02);
        assert_eq!(number(&result.after, Requirement::FrameCountSpread), 0.0);
        assert_eq!(result.unmet, []);
    }
}

/// A ring of clips of the knight with their own speeds.
fn knight_ring(name: &str, clips: &[&str]) -> String {
    let speeds = [
        ("Walking_A", 0.942),
        ("Walking_B", 0.954),
        ("Walking_Backwards", 0.944),
        ("Walking_C", 0.637),
        ("Running_A", 4.517),
        ("Running_B", 2.256),
        ("Running_Strafe_Left", 4.491),
        ("Running_Strafe_Right", 4.496),
    ];
    let speed = |(clip, speed): &(&str, f64)| {
        format!("[clips.{clip}]\nspeed_mps = {{ value = {speed}, tolerance = {} }}\n", 0.01 * speed)
    };
    let speeds: String = speeds.iter().filter(|(clip, _)| clips.contains(clip)).map(speed).collect();
    // A pose of one frame has no rate.
    format!("[clips.\"*ing_*\"]\nfps = 30.0\n{speeds}[sets.{name}]\nkind = \"ring\"\nclips = {clips:?}\n")
}

#[test]
fn the_repair_is_one_undo_over_an_untouched_source() {
    let mut session = opened("hero").unwrap();
    let (start, source) = (session.document.clone(), session.library.clone());
    let result = repaired(&session, &contract(HERO_RING), &|_| true);
    let ids = session.add_repaired(&result);
    session.update(0.0, true);
    assert!(!ids.is_empty() && ids.iter().all(|&id| session.document.take(id).is_some()));
    let failures: Vec<_> = ids
        .iter()
        .filter_map(|&id| {
            let take = session.document.take(id).unwrap().clone();
            session.built(&take).err()
        })
        .collect();
    assert_eq!(failures, []);
    session.perform(Command::Edit(crate::EditCommand::Undo));
    assert_eq!((&session.document.takes, &session.library), (&start.takes, &source));
}

#[test]
fn members_of_a_chain_meet_in_pose_and_a_loop_between_them_is_unchanged() {
    let session = opened("hero").unwrap();
    let text = r#"
        [clips.run]
        loop = true
        [sets.run]
        kind = "chain"
        clips = ["start_run", "run", "run_to_stop", "idle"]
    "#;
    let result = repaired(&session, &contract(text), &|_| true);
    assert!(result.before.count(Verdict::Broken) >= 2, "{:?}", result.before);
    // The legs of a run change their velocity by metres per second within one frame.
    let is_velocity = |row: &&Row| row.requirement == Requirement::MeetingVelocity;
    assert!(open_rows(&result.after).iter().all(is_velocity), "{:#?}", result.unmet);
    for unmet in &result.unmet {
        let (Some(Measured::Number(before)), Some(Measured::Number(after))) = (&unmet.before, &unmet.row.measured)
        else {
            panic!("{unmet:?}")
        };
        assert!(after < before, "{unmet:?}");
    }
    let changed: Vec<&str> = result.takes.iter().filter(|take| take.added > 0).map(|take| &*take.name.clip).collect();
    assert_eq!(changed, ["start_run", "run_to_stop"]);
    // References stay valid in the document.
    let mut session = session;
    for id in session.add_repaired(&result) {
        let take = session.document.take(id).unwrap().clone();
        assert!(session.built(&take).is_ok(), "{take:?}");
    }
}

#[test]
fn strikes_begin_and_end_in_their_stance() {
    let Some(session) = opened("characters/knight.glb") else { return };
    let text = r#"
        [sets.strikes]
        kind = "strikes"
        clips = ["1H_Melee_Attack_Chop", "Unarmed_Melee_Attack_Kick", "1H_Melee_Attack_Stab"]
        stance = "Idle"
    "#;
    let result = repaired(&session, &contract(text), &|_| true);
    assert!(result.before.count(Verdict::Broken) >= 4, "{:?}", result.before);
    assert_eq!(open_rows(&result.after), Vec::<&Row>::new(), "{:#?}", result.unmet);
}

#[test]
fn one_cell_alone_is_repaired_and_what_no_stage_repairs_is_named() {
    let session = opened("hero").unwrap();
    let text = r#"
        [rig]
        required_bones = ["tentacle"]
        [clips.walk]
        duration_s = { value = 1.0, tolerance = 0.001 }
        speed_mps = { value = 1.6, tolerance = 0.01 }
        [clips.jump_rope]
        loop = true
    "#;
    let contract = contract(text);
    let result = repaired(&session, &contract, &|row| row.requirement == Requirement::Duration);
    let walk = &result.takes[..];
    assert_eq!((walk.len(), walk[0].kinds()), (1, vec!["retime"]));
    let all = repaired(&session, &contract, &|_| true);
    assert_eq!(all.takes[0].kinds(), ["retime", "stride"]);
    let unmet: Vec<Requirement> = all.unmet.iter().map(|unmet| unmet.row.requirement).collect();
    assert!(unmet.contains(&Requirement::Clips) && unmet.contains(&Requirement::RequiredBones), "{unmet:?}");
    assert!(!unmet.contains(&Requirement::Speed) && !unmet.contains(&Requirement::Duration), "{:#?}", all.unmet);
    assert!(all.unmet.iter().all(|unmet| !unmet.why.to_string().is_empty()));
}

#[test]
fn owners_loops_and_rates_are_repaired_in_broken_clips() {
    let session = opened("hero").unwrap();
    for (text, kind) in [
        ("[clips.walk]\nmovement_owner_xz = \"gameplay\"", "root"),
        ("[clips.walk]\nfps = 24.0", "cleanup"),
        ("[clips.walk]\nmax_keys = 1000", "cleanup"),
    ] {
        let result = repaired(&session, &contract(text), &|_| true);
        assert!(result.before.count(Verdict::Broken) > 0, "{text}");
        assert_eq!(open_rows(&result.after), Vec::<&Row>::new(), "{text}: {:#?}", result.unmet);
        assert!(result.takes[0].kinds().contains(&kind), "{text}: {:?}", result.takes[0].kinds());
    }
}

#[test]
fn a_loop_that_would_jump_is_not_closed_and_the_reason_is_named() {
    let session = opened("hero").unwrap();
    let result = repaired(&session, &contract("[clips.start_run]\nloop = true"), &|_| true);
    assert!(!result.unmet.is_empty());
    for unmet in &result.unmet {
        assert!(unmet.why.to_string().contains("would jump"), "{}", unmet.why);
        assert_eq!(unmet.before, unmet.row.measured, "the clip stays as it was");
    }
}
