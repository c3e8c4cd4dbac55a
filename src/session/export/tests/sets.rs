//! Sets of exported takes: their index agrees with what a check of the exported files measures.

use serde_json::Value;

use super::*;
use crate::delivery::Delivery;
use crate::export::Preset;
use portamento_formats::export::clip_set::rounded;
use portamento_sets::{Contract, Measured, Member, Requirement, SetKind, SetRequirements, check};

/// Settings that export the takes alone, so that a check of the files finds each clip once.
fn alone() -> ExportSettings {
    ExportSettings { keep: Keep::Alone, set_index: true, ..ExportSettings::default() }
}

/// The knight with the sets that are proposed for it; their names are in order `jump`, `running`, `strikes`, `walking`.
fn knight() -> Option<Session> {
    let mut session = opened(&[portamento_test_support::character("characters/knight.glb")?]);
    session.perform(Command::Edit(EditCommand::ProposeSets));
    session.update(0.0, true);
    Some(session)
}

/// Exports the set at `index` with `settings` to a folder; returns its index.
fn exported(session: &mut Session, index: usize, settings: &ExportSettings, folder: &Path) -> Value {
    let takes = session.takes_of_set(index);
    let request = ExportRequest {
        takes,
        destination: folder.to_owned(),
        settings: ExportSettings { set_index: true, ..settings.clone() },
        replace: Replace::Allow,
        ..ExportRequest::default()
    };
    session.perform(Command::File(FileCommand::Export(request)));
    let errors: Vec<_> = session.notices.all().iter().filter(|notice| notice.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let name = &session.document.sets[index].name;
    serde_json::from_slice(&std::fs::read(folder.join(format!("{name}.set.json"))).unwrap()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn members(index: &Value) -> &Vec<Value> {
    index["members"].as_array().unwrap()
}

/// Returns the figure of each row of the requirement, when the files in `folder` are checked as a set of this kind.
fn checked(folder: &Path, index: &Value, kind: SetKind, requirement: Requirement) -> Vec<f64> {
    let delivery = Delivery::measure(&[folder.to_owned()], &Progress::new()).unwrap();
    let clips = members(index).iter().map(|member| member["clip"].as_str().unwrap().to_owned()).collect();
    let set = SetRequirements { kind, clips, ..SetRequirements::default() };
    let contract = Contract { sets: [("set".to_owned(), set)].into(), ..Contract::default() };
    let report = check(&contract, &delivery.members, &Budget::new()).unwrap();
    let rows = report.rows.into_iter().filter(|row| row.requirement == requirement);
    let figure = |row: portamento_sets::Row| match row.measured {
        Some(Measured::Number(number)) => number,
        other => panic!("{other:?}"),
    };
    rows.map(figure).collect()
}

fn assert_near(found: f64, wanted: f64, tolerance: f64, what: &str) {
    assert!((found - wanted).abs() <= tolerance, "{what}: {found} instead of {wanted}");
}

#[test]
fn the_figures_of_an_index_are_those_of_a_check_of_the_files() {
    let Some(mut session) = knight() else { return };
    let folder = tempfile::tempdir().unwrap();
    let walking = exported(&mut session, 3, &Preset::Godot.settings(), folder.path());
    assert_eq!((walking["name"].as_str(), walking["kind"].as_str()), (Some("walking"), Some("ring")));
    let delivery = Delivery::measure(&[folder.path().to_owned()], &Progress::new()).unwrap();
    assert_eq!(members(&walking).len(), delivery.members.len());
    for member in members(&walking) {
        let clip = member["clip"].as_str().unwrap();
        let is_it = |known: &&Member| known.name.clip == clip && known.name.file == member["file"].as_str().unwrap();
        let found = delivery.members.iter().find(is_it).unwrap().figures.as_ref().unwrap();
        let way = &found.quality.way;
        for (key, wanted) in [
            ("seconds", found.quality.seconds),
            ("speed_mps", way.speed),
            ("travel_m", way.travel),
            ("climb_m", way.climb),
            ("turn_deg", way.turn),
            ("fps", found.quality.key_rate.unwrap()),
        ] {
            assert_near(number(&member[key]), wanted, 2e-5 * wanted.abs().max(1.0), &format!("{clip}: {key}"));
        }
        assert_eq!(member["frames"].as_u64().unwrap() as usize, found.frames.unwrap(), "{clip}");
        assert_eq!(member["in_place"].as_bool(), Some(way.on_the_spot), "{clip}");
        let stride = &found.strides[0];
        assert_near(number(&member["feet"][0]["phase"]), stride.phase, 1e-4, clip);
        assert_near(number(&member["feet"][1]["phase"]), (stride.phase + 0.5) % 1.0, 1e-4, clip);
        let contacts: usize =
            member["feet"].as_array().unwrap().iter().map(|foot| foot["contacts"].as_array().unwrap().len()).sum();
        assert!(contacts >= 2 && member["loop"] == true, "{member:#}");
    }
    let phases: Vec<f64> = members(&walking).iter().map(|member| number(&member["feet"][0]["phase"])).collect();
    let seconds: Vec<f64> = members(&walking).iter().map(|member| number(&member["seconds"])).collect();
    let range = |values: &[f64]| {
        values.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b)) - values.iter().fold(f64::INFINITY, |a, b| a.min(*b))
    };
    let spread = checked(folder.path(), &walking, SetKind::Ring, Requirement::PhaseSpread);
    let around = phases.iter().map(|phase| (phase - phases[0] + 0.5).rem_euclid(1.0)).collect::<Vec<_>>();
    assert_near(range(&around), spread[0], 2e-4, "phase spread");
    let lengths = checked(folder.path(), &walking, SetKind::Ring, Requirement::DurationSpread);
    assert_near(range(&seconds), lengths[0], 1e-5, "length spread");
}

#[test]
fn a_ring_to_several_sides_gets_the_directions_that_its_feet_imply() {
    let Some(mut session) = knight() else { return };
    let folder = tempfile::tempdir().unwrap();
    // The untouched clips stay where they are in the file of the knight.
    let running = exported(&mut session, 1, &ExportSettings::default(), folder.path());
    let mut seen = 0;
    for member in members(&running) {
        let name = member["clip"].as_str().unwrap();
        // Measured outside from the lowest frames of the feet: the strafes are diagonal, 59.9° to 60.4°.
        let wanted = if name.contains("Left") {
            -60.0
        } else if name.contains("Right") {
            60.0
        } else {
            0.0
        };
        assert_near(number(&member["direction_deg"]), wanted, 2.0, name);
        seen += usize::from(wanted != 0.0);
    }
    assert_eq!(seen, 2, "{running:#}");
    let axes: Vec<&str> =
        running["blend_space"]["axes"].as_array().unwrap().iter().map(|axis| axis["name"].as_str().unwrap()).collect();
    assert_eq!(axes, ["right", "forward"]);
}

#[test]
fn each_engine_gets_its_files_beside_the_index() {
    let Some(mut session) = knight() else { return };
    let files = |folder: &Path| -> Vec<String> { contents(folder).into_keys().collect() };
    let godot = tempfile::tempdir().unwrap();
    exported(&mut session, 0, &Preset::Godot.settings(), godot.path());
    let names = files(godot.path());
    assert!(names.contains(&"jump.tree.tres".into()) && names.contains(&"jump.set.json".into()), "{names:?}");
    let script = std::fs::read_to_string(godot.path().join("Jump_Start.import.gd")).unwrap();
    assert!(script.contains("\t\"jump.library.tres\": [\"Jump_Start\"],\n"), "{script}");
    let tree = std::fs::read_to_string(godot.path().join("jump.tree.tres")).unwrap();
    assert!(
        tree.starts_with("[gd_resource type=\"AnimationNodeStateMachine\"") && tree.contains("&\"Jump_Start\""),
        "{tree}"
    );
    let unity = tempfile::tempdir().unwrap();
    exported(&mut session, 3, &Preset::Unity.settings(), unity.path());
    assert!(unity.path().join("Editor/PortamentoSets.cs").is_file());
    assert!(files(unity.path()).contains(&"walking.set.json".into()));
    // The index names the FBX files. The speed of a gait in place is not compared: it depends on the soles that are found.
    let delivery = Delivery::measure(&[unity.path().to_owned()], &Progress::new()).unwrap();
    let index: Value = serde_json::from_slice(&std::fs::read(unity.path().join("walking.set.json")).unwrap()).unwrap();
    for member in members(&index) {
        let is_it = |known: &&Member| known.name.file == member["file"].as_str().unwrap();
        let found = delivery.members.iter().find(is_it).unwrap().figures.as_ref().unwrap();
        assert_near(number(&member["seconds"]), found.quality.seconds, 1e-4, &found.quality.seconds.to_string());
        assert_near(number(&member["travel_m"]), found.quality.way.travel, 1e-3, "travel");
    }
}

#[test]
fn the_gaps_of_a_chain_are_those_of_a_check() {
    let Some(mut session) = knight() else { return };
    let folder = tempfile::tempdir().unwrap();
    let jump = exported(&mut session, 0, &alone(), folder.path());
    let changes = jump["transitions"].as_array().unwrap();
    for (key, requirement) in
        [("pose_gap_m", Requirement::MeetingPose), ("velocity_gap_mps", Requirement::MeetingVelocity)]
    {
        let wanted = checked(folder.path(), &jump, SetKind::Chain, requirement);
        assert_eq!((changes.len(), wanted.len()), (members(&jump).len() - 1, changes.len()));
        for (change, wanted) in changes.iter().zip(wanted) {
            assert_near(number(&change[key]), rounded(wanted), 1e-3 * wanted.max(0.1), key);
        }
    }
}

#[test]
fn a_set_with_a_missing_take_is_named_and_a_single_take_is_not() {
    let Some(mut session) = knight() else { return };
    let folder = tempfile::tempdir().unwrap();
    let takes = session.takes_of_set(3);
    assert_eq!(session.takes_of_set(3), takes, "takes are added once");
    let mut warnings = |takes: &[TakeId]| {
        let settings = alone();
        let (takes, destination) = (takes.to_vec(), folder.path().to_owned());
        let request =
            ExportRequest { takes, destination, settings, replace: Replace::Allow, ..ExportRequest::default() };
        session.perform(Command::File(FileCommand::Export(request)));
        let notices = session.notices.take_new().into_iter();
        notices.filter(|notice| notice.severity == Severity::Warning).map(|notice| notice.text()).collect::<Vec<_>>()
    };
    assert!(warnings(&takes[1..]).iter().any(|text| text.contains("“walking”")));
    assert_eq!(warnings(&takes[..1]), <[String; 0]>::default());
    assert!(!folder.path().join("walking.set.json").exists());
    assert_eq!(warnings(&takes), <[String; 0]>::default());
    let first = std::fs::read(folder.path().join("walking.set.json")).unwrap();
    warnings(&takes);
    assert_eq!(std::fs::read(folder.path().join("walking.set.json")).unwrap(), first, "the index is deterministic");
}
