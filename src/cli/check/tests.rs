use super::propose;
use super::*;
use crate::tests::parsed;
use portamento_session::{Command, FileCommand};
use serde_json::Value;

/// A folder with the hero in a subfolder, and the contract that is proposed for it.
fn delivery() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("clips & more")).unwrap();
    std::fs::copy(portamento_test_support::asset("hero.glb"), folder.path().join("clips & more/hero.glb")).unwrap();
    let [clips, contract] = ["clips & more", "hero.toml"].map(|name| folder.path().join(name).display().to_string());
    parsed::<propose::Arguments>(&[&clips, "-o", &contract]).unwrap().run().unwrap();
    folder
}

/// Runs the check in `folder`, with `more` arguments.
fn run(folder: &Path, contract: &str, more: &[&str]) -> Result<(), Failure> {
    let [clips, contract] = ["clips & more", contract].map(|name| folder.join(name).display().to_string());
    parsed::<Arguments>(&[&[&*clips, "--contract", &*contract], more].concat())?.run()
}

#[test]
fn the_proposed_contract_of_the_sample_is_met() {
    let folder = delivery();
    let text = std::fs::read_to_string(folder.path().join("hero.toml")).unwrap();
    assert!(text.contains("[clips.walk]") && text.contains("[clips.run]"), "{text}");
    let ran = run(folder.path(), "hero.toml", &[]);
    assert!(ran.is_ok(), "{ran:?}\n{text}");
}

#[test]
fn the_exit_code_tells_broken_from_not_measured() {
    let folder = delivery();
    let with = |text: &str| {
        std::fs::write(folder.path().join("own.toml"), text).unwrap();
        run(folder.path(), "own.toml", &[])
    };
    assert!(matches!(with("[clips.walk]\nmax_keys = 1"), Err(Failure::Failed(why)) if why.contains("1 of 2")));
    assert!(
        matches!(with("[clips.walk]\nbegins_as = \"none\""), Err(Failure::Usage(why)) if why.contains("not be measured"))
    );
    assert!(matches!(with("[clips.jump]\nloop = true"), Err(Failure::Failed(_))), "a clip that is named must exist");
    assert!(matches!(with("[clips.walk]\nlopo = true"), Err(Failure::Usage(why)) if why.contains("lopo")));
    assert!(matches!(with(""), Err(Failure::Usage(why)) if why.contains("nothing")));
    std::fs::write(folder.path().join("clips & more/ill.glb"), "no glTF").unwrap();
    assert!(matches!(with("[clips.walk]\nloop = true"), Err(Failure::Usage(why)) if why.contains("1 files")));
}

#[test]
fn all_files_name_the_broken_requirement_and_stay_well_formed() {
    let folder = delivery();
    let contract = "[clips.\"walk\"]\nmax_keys = 1\n[sets.\"a <b> & \\\"c\\\"\"]\nclips = [\"x-->y\u{fffe}[a](b)\"]\n";
    std::fs::write(folder.path().join("own.toml"), contract).unwrap();
    let paths = ["out.sarif", "out.xml", "out.html"].map(|name| folder.path().join(name).display().to_string());
    let more = ["--sarif", &*paths[0], "--junit", &*paths[1], "--html", &*paths[2]];
    assert!(matches!(run(folder.path(), "own.toml", &more), Err(Failure::Failed(_))));
    let [sarif, junit, page] = paths.each_ref().map(|path| std::fs::read_to_string(path).unwrap());
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let rules: Vec<&Value> = results.iter().map(|result| &result["ruleId"]).collect();
    assert_eq!(rules, ["clips", "keys"]);
    let message = results[0]["message"]["text"].as_str().unwrap();
    assert!(message.contains("\\[a\\](b)") && !message.contains("[a]("), "{message}");
    let uri = &results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "hero.glb");
    assert!(
        junit.contains("<testsuite name=\"a &lt;b&gt; &amp; &quot;c&quot;\" tests=\"1\" failures=\"1\" errors=\"0\">"),
        "{junit}"
    );
    assert!(!junit.contains("x-->y") && junit.contains("x--&gt;y "), "{junit}");
    assert!(!junit.contains(['\u{fffe}', '\u{1b}']), "XML cannot contain them");
    assert!(page.contains("max_keys") || page.contains("<td>keys</td>"), "the page has a row of it");
    std::fs::write(&paths[1], "other results").unwrap();
    assert!(matches!(run(folder.path(), "own.toml", &more), Err(Failure::Failed(why)) if why.contains("--force")));
    assert_eq!(std::fs::read_to_string(&paths[1]).unwrap(), "other results");
}

#[test]
fn the_result_has_the_fields_of_its_schema() {
    let folder = delivery();
    let contract = read(&folder.path().join("hero.toml")).unwrap().contract;
    let delivery = Delivery::measure(&[folder.path().join("clips & more")], &Progress::new()).unwrap();
    let report = check(&contract, &delivery.members, &Budget::new()).unwrap();
    let result = json::of(&Checked { delivery, report, unchecked: Vec::new(), repaired: None });
    let schema: Value = serde_json::from_str(json::SCHEMA).unwrap();
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&result), names(&schema["properties"]));
    assert_eq!(names(&result["rows"][0]), names(&schema["$defs"]["row"]["properties"]));
    for (value, definition) in [(&result, &schema), (&result["rows"][0], &schema["$defs"]["row"])] {
        assert_eq!(serde_json::json!(names(value)), definition["required"]);
    }
}

#[test]
fn takes_of_a_project_are_measured_as_they_are_exported() {
    let folder = tempfile::tempdir().unwrap();
    portamento_session::samples::write_all(folder.path()).unwrap();
    let delivery = Delivery::measure(&[folder.path().join("samples.portamento")], &Progress::new()).unwrap();
    assert_eq!(delivery.failures, []);
    let names: Vec<&str> = delivery.members.iter().map(|member| &*member.name.clip).collect();
    assert!(names.contains(&"leap to 5 m") && !names.contains(&"flame"), "{names:?}");
    let leap = delivery.members.iter().find(|member| member.name.clip == "leap to 5 m").unwrap();
    let travel = leap.figures.as_ref().unwrap().quality.way.travel;
    assert!((travel - 5.0).abs() < 1e-3, "{travel}");
}

#[test]
fn results_never_replace_a_file_that_was_read() {
    let folder = delivery();
    let at = |name: &str| folder.path().join(name).display().to_string();
    portamento_session::samples::write_all(&folder.path().join("samples")).unwrap();
    let mut session = portamento_session::Session::inline();
    let files = ["samples/hero.glb", "samples/flame.apng"].map(|name| folder.path().join(name));
    session.perform(Command::File(FileCommand::Open(files.to_vec())));
    session.perform(Command::File(FileCommand::SaveAs(at("samples/two.portamento").into())));
    let everything = ["everything.gltf", "everything else.bin"];
    for name in everything {
        std::fs::copy(portamento_test_support::fixture(name), at(&format!("clips & more/{name}"))).unwrap();
    }
    std::fs::write(at("own.toml"), "[clips.walk]\nloop = true\n").unwrap();
    let (project, clips) = (at("samples/two.portamento"), at("clips & more"));
    let sources = ["samples/two.portamento", "samples/hero.glb", "samples/flame.apng", "own.toml"].map(at);
    let others = ["hero.glb", everything[0], everything[1]].map(|name| at(&format!("clips & more/{name}")));
    for source in sources.iter().chain(&others) {
        let before = std::fs::read(source).unwrap();
        for output in ["--sarif", "--junit", "--html"] {
            let arguments = [&*project, &clips, "--contract", &at("own.toml"), output, source, "--force"];
            let refused = parsed::<Arguments>(&arguments).unwrap().run();
            assert!(matches!(&refused, Err(Failure::Failed(why)) if why.contains("source")), "{source}: {refused:?}");
        }
        assert_eq!(std::fs::read(source).unwrap(), before, "{source}");
    }
    for source in sources[..3].iter().chain(&others) {
        let before = std::fs::read(source).unwrap();
        assert!(parsed::<propose::Arguments>(&[&*project, &*clips, "-o", source, "--force"]).unwrap().run().is_err());
        assert_eq!(std::fs::read(source).unwrap(), before, "{source}");
    }
}
