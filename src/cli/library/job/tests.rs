use std::collections::BTreeMap;
use std::path::PathBuf;

use super::*;
use crate::Force;
use crate::library::tests::{damaged_hero, folder, run};
use portamento_base::progress::Progress;
use portamento_session::batch::job::read_parts;
use portamento_session::batch::parts::Parts;
use portamento_session::clip_library::job::mend_into;
use portamento_session::clip_library::{Mended, clip_files, measure};

const OUTPUTS: [&str; 6] = ["--csv", "table.csv", "--html", "table.html", "--mend", "mended"];

/// Creates a folder with hero files, two of them with the same name (the second refers to another file), and a
/// damaged file.
fn clips() -> tempfile::TempDir {
    let folder = folder();
    std::fs::create_dir(folder.path().join("last")).unwrap();
    std::fs::rename(folder.path().join("b.glb"), folder.path().join("deeper/hero.gltf")).unwrap();
    damaged_hero(&folder.path().join("last/hero.gltf"));
    folder
}

/// Returns the content of every file below `folder` that is not a record.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() && name != Path::new(".portamento") {
            found.extend(files(&path).into_iter().map(|(inside, bytes)| (name.join(inside), bytes)));
        } else if path.is_file() {
            found.insert(name, std::fs::read(path).unwrap());
        }
    }
    found
}

/// A job in a temporary folder.
struct Farm {
    folder: tempfile::TempDir,
    parts: Parts<JobFile>,
}

impl Farm {
    fn new(clips: &Path, words: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let job = folder.path().join("job").display().to_string();
        run(&[&[&*clips.display().to_string(), "--job", &job], words].concat()).unwrap();
        let parts = read_parts(&folder.path().join("job/inputs/parts.json")).unwrap();
        Self { folder, parts }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join("job").join(name)
    }

    fn make(&self, part: usize) -> Result<(), Failure> {
        let [parts, out] = ["inputs/parts.json", "output"].map(|name| self.at(name).display().to_string());
        run(&["--parts", &parts, "--part", &part.to_string(), "--out", &out])
    }

    /// True if processing the part wrote files, false if they were kept.
    fn is_made(&self, part: usize) -> bool {
        make_part(&self.at("inputs"), &self.parts.parts[part - 1], part, &self.at("output")).unwrap().is_some()
    }

    fn merge(&self) -> Result<(), Failure> {
        merge(&self.at("inputs"), &self.at("output"), Force { force: true }, false)
    }
}

fn sentence(result: Result<(), Failure>) -> String {
    match result.unwrap_err() {
        Failure::Usage(sentence) | Failure::Failed(sentence) => sentence,
    }
}

#[test]
fn the_parts_of_a_job_give_the_same_files_as_a_single_process_for_any_split() {
    let (clips, one) = (clips(), tempfile::tempdir().unwrap());
    let at = |name: &str| one.path().join(name).display().to_string();
    let local = ["--csv", &at("table.csv"), "--html", &at("table.html"), "--mend", &at("mended")];
    let said = sentence(run(&[&[&*clips.path().display().to_string()], &local[..]].concat()));
    assert_eq!(said, "1 of 4 files could not be read.");
    let single_process = files(one.path());
    assert!(single_process.keys().any(|name| name.ends_with("mended/hero_2.gltf")), "{:?}", single_process.keys());
    let listed = clip_files(&[clips.path().to_owned()]).unwrap();
    let measured = measure(&listed, &Progress::new());
    let again = mend_into(&listed, &one.path().join("mended"), Replace::Refuse, &Progress::new());
    let mended: Vec<Mended> = again.into_iter().flat_map(|farm_files| farm_files.record.mended).collect();
    let (json, mended) = (format!("{:#}\n", tables::json(&measured)), format!("{:#}\n", mended_json(&mended, &[])));
    for (words, count) in [("--part-files=1", 4), ("--part-files=2", 2), ("--part-seconds=9999", 1)] {
        let farm = Farm::new(clips.path(), &[&OUTPUTS[..], &[words]].concat());
        assert_eq!(farm.parts.parts.len(), count, "{words}");
        (1..=count).rev().for_each(|part| farm.make(part).unwrap());
        assert_eq!(sentence(farm.merge()), said);
        let mut farm_files = files(&farm.at("output"));
        assert_eq!(farm_files.remove(Path::new("clips.json")).unwrap(), json.as_bytes(), "{words}");
        assert_eq!(farm_files.remove(Path::new("mended.json")).unwrap(), mended.as_bytes(), "{words}");
        assert!(farm_files == single_process, "{words}: {:?} {:?}", farm_files.keys(), single_process.keys());
    }
}

#[test]
fn missing_or_outdated_parts_are_reported_and_only_those_are_processed_again() {
    let clips = folder();
    std::fs::remove_file(clips.path().join("ill.glb")).unwrap();
    std::fs::copy(clips.path().join("b.glb"), clips.path().join("c.glb")).unwrap();
    let words = ["--csv", "table.csv", "--part-files", "1"];
    let farm = Farm::new(clips.path(), &words);
    [1, 3].into_iter().for_each(|part| farm.make(part).unwrap());
    let text = sentence(farm.merge());
    assert!(text.starts_with("1 of 3 parts are missing or changed, starting with part 2."), "{text}");
    assert!(!farm.at("output/table.csv").exists(), "half a table is none");
    farm.make(2).unwrap();
    farm.merge().unwrap();
    assert_eq!([1, 2, 3].map(|part| farm.is_made(part)), [false; 3]);
    // An incomplete record.
    std::fs::write(farm.at("output/.portamento/part-3.json"), "{\"key\":").unwrap();
    assert!(sentence(farm.merge()).contains("starting with part 3"));
    assert_eq!([1, 2, 3].map(|part| farm.is_made(part)), [false, false, true]);
    // A modified copy, and a job written again for a changed file.
    let copy = farm.at("inputs").join(&farm.parts.parts[1][0].copies[0].path);
    let before = std::fs::read(&copy).unwrap();
    std::fs::write(&copy, "no longer that").unwrap();
    let name = copy.file_name().unwrap().to_string_lossy().into_owned();
    assert!(sentence(farm.make(2)).contains(&name) && sentence(farm.merge()).contains(&name));
    std::fs::write(&copy, before).unwrap();
    damaged_hero(&clips.path().join("c.glb"));
    let [clips, job] = [clips.path().to_owned(), farm.at("")].map(|path| path.display().to_string());
    let again = [&[&*clips, "--job", &job], &words[..]].concat();
    assert!(sentence(run(&again)).contains("--force"));
    farm.merge().unwrap();
    run(&[&again[..], &["--force"]].concat()).unwrap();
    let farm = Farm { parts: read_parts(&farm.at("inputs/parts.json")).unwrap(), ..farm };
    assert!(sentence(farm.merge()).contains("starting with part 2"));
    assert_eq!([1, 2, 3].map(|part| farm.is_made(part)), [false, true, false]);
    farm.merge().unwrap();
}

#[test]
fn invalid_jobs_are_refused() {
    let clips = folder();
    let elsewhere = tempfile::tempdir().unwrap();
    let [clips, inside] = [clips.path().to_owned(), clips.path().join("job")].map(|path| path.display().to_string());
    let job = elsewhere.path().join("job").display().to_string();
    let refusal = |words: &[&str]| sentence(run(words));
    assert!(refusal(&[&clips, "--job", &inside]).contains("Write the job to another folder"));
    assert!(refusal(&[&clips, "--job", &job, "--csv", "../table.csv"]).contains("../table.csv"));
    assert!(refusal(&[&clips, "--job", &job, "--mend", &inside]).contains(&inside));
    let empty = elsewhere.path().display().to_string();
    assert!(refusal(&[&empty, "--job", &inside]).contains("No clip files"));
    assert!(refusal(&["/no/such.glb", "--job", &job]).contains("such.glb"));
    assert!(refusal(&[&clips, "--part-files", "2"]).contains("--job"));
    assert!(refusal(&["--parts", "parts.json", "--part", "1", "--out", "x", "--mend", "y"]).contains("--mend"));
    assert!(refusal(&[&clips, "--out", "x"]).contains("--out"));
    assert!(!elsewhere.path().join("job").exists());
}
