use super::*;
use clap::CommandFactory;

/// The arguments of a command after its name.
#[derive(Parser)]
struct Line<A: clap::Args> {
    #[command(flatten)]
    arguments: A,
}

/// Parses `words` as the arguments of a command; invalid ones become a usage error.
pub(super) fn parsed<A: clap::Args>(words: &[&str]) -> Result<A, Failure> {
    let line = Line::try_parse_from([&["portamento"], words].concat());
    line.map(|line| line.arguments).map_err(|error| Failure::Usage(error.to_string()))
}

#[test]
fn the_arguments_are_consistent_and_points_are_read_strictly() {
    Arguments::command().debug_assert();
    assert_eq!(point("0, 1.5,-6"), Ok(glam::DVec3::new(0.0, 1.5, -6.0)));
    for wrong in ["1,2", "1,2,x", "1,2,3,4", "NaN,0,0", ""] {
        assert!(point(wrong).is_err(), "{wrong}");
    }
    assert_eq!(size("1280x800"), Ok((1280, 800)));
    assert!(size("0x0").is_err());
    assert_eq!(tolerance("0.1"), Ok(portamento_anim::Tolerance { millimetres: 0.1 }));
    for wrong in ["", "-1", "0.05,0.0005", "x", "NaN"] {
        assert!(tolerance(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn no_command_replaces_its_input_and_other_files_only_with_force() {
    let folder = tempfile::tempdir().unwrap();
    portamento_session::samples::write_all(folder.path()).unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (hero, flame, project) = (at("hero.glb"), at("flame.apng"), at("samples.portamento"));
    std::fs::write(at("other.glb"), "somebody else's").unwrap();
    let read = |name: &str| std::fs::read(at(name)).unwrap();
    let before = ["hero.glb", "flame.apng", "samples.portamento", "other.glb"].map(&read);
    let stretch = ["stretch", &*hero, "--clip", "run", "--to", "0,0,6"];
    let looped = ["loop", &*flame, "--start", "0", "--length", "5"];
    let bake = ["bake", &*project, "--take", "flame"];
    let other = at("other.glb");
    let refused = [
        [&stretch[..], &["-o", &hero, "--force"]].concat(),
        [&stretch[..], &["-o", &other]].concat(),
        [&looped[..], &["-o", &flame, "--force"]].concat(),
        [&bake[..], &["--out", &hero, "--keep", "alone", "--force"]].concat(),
        [&bake[..], &["--out", &flame, "--force"]].concat(),
    ];
    for words in refused {
        assert_eq!(exit(&words), 1, "{words:?}");
    }
    assert_eq!(["hero.glb", "flame.apng", "samples.portamento", "other.glb"].map(&read), before);
    assert_eq!(exit(&[&stretch[..], &["-o", &other, "--force"]].concat()), 0);
    assert!(read("other.glb").starts_with(b"glTF"));
    std::fs::write(at("yard.glb"), "mine").unwrap();
    assert_eq!(exit(&["samples", "--out", &at("")]), 1);
    assert_eq!(read("yard.glb"), b"mine");
}

/// Returns the exit code of a command line, also if it cannot be parsed.
fn exit(words: &[&str]) -> u8 {
    let all = [&["portamento"][..], words].concat();
    let Ok(arguments) = Arguments::try_parse_from(all) else { return 2 };
    let code = format!("{:?}", run(arguments, |_| ExitCode::SUCCESS));
    (0..3).find(|&known| format!("{:?}", ExitCode::from(known)) == code).unwrap()
}

#[test]
fn the_same_mistake_gives_the_same_exit_code_in_every_command() {
    let folder = tempfile::tempdir().unwrap();
    portamento_session::samples::write_all(folder.path()).unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (hero, flame, yard, project) = (at("hero.glb"), at("flame.apng"), at("yard.glb"), at("samples.portamento"));
    let out = at("out/new.glb");
    let commands: [&[&str]; 6] = [
        &["stretch", &hero, "--clip", "run", "--to", "0,0,6", "-o", &out],
        &["loop", &hero, "--clip", "run", "--start", "0", "--length", "9", "-o", &out],
        &["dynamics", &hero, "--clip", "run", "--chain", "hair.1", "-o", &out],
        &[
            "blend",
            &hero,
            "--run",
            "run",
            "--stand",
            "idle",
            "--skill",
            "cast",
            "--events",
            "0:run 0.8:cast 2:end",
            "-o",
            &out,
        ],
        &["walk", &yard, "--from", "0,0,0", "--to", "1,0,1", "--character", &hero, "--idle", "idle", "-o", &out],
        &["bake", &project, "--take", "flame", "--out", &out],
    ];
    let with = |words: &[&str], at: usize, word: &str| -> u8 {
        let mut words = words.to_vec();
        words[at] = word;
        exit(&words)
    };
    for words in commands {
        assert_eq!(with(words, 1, "/no/such/file.glb"), 1, "a file that is not there: {words:?}");
        let name = words.iter().position(|word| ["run", "idle", "flame"].contains(word)).unwrap();
        assert_eq!(with(words, name, "no such name"), 2, "a name that is not there: {words:?}");
        assert_eq!(exit(&[words, &["--no-such-flag"]].concat()), 2);
    }
    for words in commands.into_iter().filter(|words| words[0] != "blend") {
        for rate in ["0", "-1", "1e308", "NaN"] {
            assert_eq!(exit(&[words, &[&*format!("--fps={rate}")][..]].concat()), 2, "{words:?} {rate}");
        }
    }
    assert!(!folder.path().join("out").exists());
    assert_eq!(exit(&["loop", &flame, "--start", "0", "--length", "5", "-o", &at("out/a.gif")]), 0);
}

#[test]
fn pictures_reports_and_second_outputs_replace_nothing_without_force_and_never_what_the_command_reads() {
    let folder = tempfile::tempdir().unwrap();
    portamento_session::samples::write_all(folder.path()).unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let read = |name: &str| std::fs::read(at(name)).unwrap();
    let (hero, project) = (at("hero.glb"), at("samples.portamento"));
    // A picture: the window is not even opened.
    std::fs::write(at("notes.txt"), "mine").unwrap();
    let picture = ["screenshot", &*project, "-o", &at("notes.txt")];
    assert_eq!((exit(&picture), exit(&[&picture[..], &["--force"]].concat())), (1, 0));
    // A report.
    let job = ["bake", &*project, "--take", "flame", "--job", &at("job")];
    assert_eq!(exit(&job), 0);
    let (inputs, out) = (at("job/inputs"), at("out"));
    std::fs::create_dir(&out).unwrap();
    std::fs::write(at("out/report.html"), "mine").unwrap();
    let report = ["report", &*inputs, "--out", &out];
    exit(&report);
    assert_eq!(read("out/report.html"), b"mine");
    assert!(!folder.path().join("out/report.json").exists());
    exit(&[&report[..], &["--force"]].concat());
    assert_ne!(read("out/report.html"), b"mine");
    // Test vectors and weights over the presets of the same command.
    let (chain, rig) = (at("rope.json"), at("hero.rig.json"));
    std::fs::write(&chain, r#"{"drag": {"value": 0.25, "curve": []}}"#).unwrap();
    let preset = portamento_anim::rig::preset::RigPreset::built_in().remove(0).to_json();
    std::fs::write(&rig, &preset).unwrap();
    let (new, events) = (at("new.glb"), "0:run 0.8:cast 2:end");
    let dynamics =
        ["dynamics", &*hero, "--clip", "run", "--chain", "hair.1", "--preset", &chain, "-o", &new, "--force"];
    assert_eq!(exit(&[&dynamics[..], &["--vectors", &chain]].concat()), 1);
    assert_eq!(read("rope.json"), br#"{"drag": {"value": 0.25, "curve": []}}"#);
    let blend = ["blend", &*hero, "--run", "run", "--stand", "idle", "--skill", "cast", "--events", events, "-o", &new];
    exit(&[&blend[..], &["--rig-preset", &rig, "--weights", &rig, "--force"]].concat());
    assert_eq!(read("hero.rig.json"), preset.as_bytes());
}

#[test]
fn all_files_of_one_command_are_written_or_none() {
    let folder = tempfile::tempdir().unwrap();
    portamento_session::samples::write_all(folder.path()).unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (hero, new, second) = (at("hero.glb"), at("new.glb"), at("second.json"));
    let level = folder.path().join("floor.obj");
    std::fs::write(&level, "v -9 0 -9\nv 9 0 -9\nv 9 0 9\nv -9 0 9\nf 4 3 2 1\n").unwrap();
    let level = level.display().to_string();
    let blend =
        ["blend", &*hero, "--run", "run", "--stand", "idle", "--skill", "cast", "--events", "0:run 0.8:cast 2:end"];
    let walk = ["walk", &*level, "--from=0,0,-4", "--to=0,0,4", "--character", &*hero];
    for (command, flag) in [
        (&blend[..], "--weights"),
        (&["dynamics", &*hero, "--clip", "run", "--chain", "hair.1"], "--vectors"),
        (&walk[..], "--distance-curve"),
    ] {
        let command = [command, &["-o", &new, flag, &second]].concat();
        std::fs::write(&second, "mine").unwrap();
        assert_eq!(exit(&command), 1, "{flag}");
        assert!(!folder.path().join("new.glb").exists(), "{flag}");
        assert_eq!(std::fs::read_to_string(&second).unwrap(), "mine", "{flag}");
        assert_eq!(exit(&[&command[..], &["--force"]].concat()), 0, "{flag}");
        assert!(std::fs::read(&second).unwrap().len() > 100, "{flag}");
        [&new, &second].iter().for_each(|path| std::fs::remove_file(path).unwrap());
    }
}

#[test]
fn reports_of_damaged_receipts_end_with_a_page_or_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    portamento_session::samples::write_all(folder.path()).unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (hero, project, parts) = (at("hero.glb"), at("samples.portamento"), at("takes/inputs/parts.json"));
    let (planned, out) = (at("takes/inputs/project.portamento"), at("takes out"));
    assert_eq!(exit(&["bake", &project, "--take", "leap to 5 m", "--job", &at("takes")]), 0);
    assert_eq!(exit(&["bake", &planned, "--parts", &parts, "--part", "1", "--out", &out]), 0);
    let (parts, out) = (at("clips/inputs/parts.json"), at("clips out"));
    let tables = ["--csv", "t.csv", "--html", "t.html", "--mend", "mended"];
    assert_eq!(exit(&[&["library", &*hero, "--job", &at("clips")][..], &tables].concat()), 0);
    assert_eq!(exit(&["library", "--parts", &parts, "--part", "1", "--out", &out]), 0);
    for job in ["takes", "clips"] {
        let (inputs, out) = (at(&format!("{job}/inputs")), at(&format!("{job} out")));
        let report = ["report", &*inputs, "--out", &out, "--force"];
        let receipt = std::fs::read_dir(at(&format!("{job} out/.portamento"))).unwrap().next().unwrap().unwrap().path();
        assert_eq!(exit(&report), 0, "{job}");
        let seed = std::fs::read(&receipt).unwrap();
        for number in 0..portamento_test_support::mutants(60) {
            let mut random = portamento_anim::math::random::SplitMix64::new(number);
            std::fs::write(&receipt, portamento_test_support::damaged_json(&seed, &mut random)).unwrap();
            let begun = std::time::Instant::now();
            exit(&report);
            assert!(begun.elapsed().as_secs() < 5, "{job} {number}: {:?}", begun.elapsed());
        }
        let mut json: serde_json::Value = serde_json::from_slice(&seed).unwrap();
        let largest = serde_json::json!({ "path": "a", "bytes": u64::MAX, "hash": "b" });
        json["files"] = if job == "takes" { vec![largest; 2].into() } else { json["files"].take() };
        std::fs::write(&receipt, json.to_string()).unwrap();
        assert_eq!(exit(&report), u8::from(job == "takes"), "sizes whose sum is too large");
    }
}
