use super::*;
use crate::tests::parsed;
use portamento_formats::export::{FileSet, gltf};
use portamento_session::clip_library::{ClipRow, measure};

pub(super) fn run(words: &[&str]) -> Result<(), Failure> {
    parsed::<Arguments>(words)?.run()
}

/// Creates a folder with the hero, a damaged file, and the hero again in a subfolder.
pub(super) fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let hero = portamento_test_support::asset("hero.glb");
    std::fs::create_dir(folder.path().join("deeper")).unwrap();
    for name in ["b.glb", "deeper/a, with \"quotes\".glb"] {
        std::fs::copy(&hero, folder.path().join(name)).unwrap();
    }
    std::fs::write(folder.path().join("ill.glb"), "no glTF").unwrap();
    std::fs::write(folder.path().join("notes.txt"), "no clips").unwrap();
    folder
}

#[test]
fn a_folder_becomes_a_table_and_a_damaged_file_does_not_stop_the_others() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (table, page) = (at("table.csv"), at("page.html"));
    let ran = run(&[&at(""), "--csv", &table, "--html", &page]);
    assert!(matches!(ran, Err(Failure::Failed(sentence)) if sentence == "1 of 3 files could not be read."));
    let table = std::fs::read_to_string(table).unwrap();
    let clips = 16;
    assert_eq!(table.lines().count(), 1 + 2 * clips, "{table}");
    assert!(table.lines().skip(1 + clips).all(|line| line.contains("a, with \"\"quotes\"\".glb\",")), "{table}");
    let page = std::fs::read_to_string(page).unwrap();
    assert_eq!(page.matches("<tr").count(), 1 + 2 * clips);
    assert!(page.contains("a, with &quot;quotes&quot;.glb") && page.contains("ill.glb: "));
    assert!(page.contains("<svg id=\"plot\"") && page.matches("<select").count() == 2, "any two figures are plotted");
    let legend = page.split_once("<p id=\"legend\">").and_then(|(_, rest)| rest.split_once("</p>")).unwrap().0;
    for (mark, words) in [("class=\"dot f\"", "with findings"), ("class=\"dot\"", "no findings")] {
        let is_told = legend.split("</span>").any(|entry| entry.contains(mark) && entry.ends_with(words));
        assert!(is_told, "{words}: {legend}");
        assert!(page.contains(&mark.replace("class=\"", "class:'").replace('"', "'")), "the plot draws it");
    }
}

#[test]
fn measured_files_are_never_replaced_and_other_files_only_with_force() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let hero = at("b.glb");
    let table = at("table.csv");
    assert!(matches!(run(&[&hero, "--csv", &hero]), Err(Failure::Usage(_))));
    run(&[&hero, "--csv", &table]).unwrap();
    std::fs::write(&table, "somebody else's").unwrap();
    assert!(matches!(run(&[&hero, "--csv", &table]), Err(Failure::Failed(_))));
    assert_eq!(std::fs::read_to_string(&table).unwrap(), "somebody else's");
    run(&[&hero, "--csv", &table, "--force"]).unwrap();
    assert!(std::fs::read_to_string(&table).unwrap().contains("leap_strike"));
}

#[test]
fn the_order_of_the_rows_does_not_depend_on_the_threads() {
    let folder = folder();
    let files = clip_files(&[folder.path().to_owned()]).unwrap();
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| measure(&files, &Progress::new()))
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn clips_with_findings_are_fixed_into_another_folder_and_measured_again() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    damaged_hero(&folder.path().join("hero.glb"));
    let rows = measure(&[folder.path().join("hero.glb")], &Progress::new()).rows;
    let names = |rows: &[ClipRow], clip: &str| {
        let row = rows.iter().find(|row| row.clip == clip).unwrap();
        row.quality.as_ref().unwrap().findings.clone()
    };
    assert_eq!(names(&rows, "idle"), [portamento_anim::quality::Finding::Pops]);
    let at = |folder: &tempfile::TempDir| folder.path().display().to_string();
    run(&[&at(&folder), "--mend", &at(&out)]).unwrap();
    let mended = measure(&[out.path().join("hero.glb")], &Progress::new()).rows;
    assert_eq!(mended.len(), rows.len(), "all clips are there, the mended in place of those they were made from");
    assert_eq!(names(&mended, "idle"), []);
    std::fs::write(out.path().join("hero.glb"), "the user's own").unwrap();
    let again = run(&[&at(&folder), "--mend", &at(&out)]);
    assert!(matches!(again, Err(Failure::Failed(sentence)) if sentence.contains("--force")));
    let onto_itself = run(&[&at(&folder), "--mend", &at(&folder), "--force"]);
    assert!(onto_itself.is_err(), "a source is never replaced");
    assert_eq!(measure(&[folder.path().join("hero.glb")], &Progress::new()).rows, rows);
}

#[test]
fn a_second_run_fixes_only_missing_or_changed_files_and_keeps_modified_output() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let files = ["a.glb", "b.glb"].map(|name| folder.path().join(name));
    damaged_hero(&files[0]);
    damaged_hero_by(&files[1], 0.8);
    let mend = || run(&[&folder.path().display().to_string(), "--mend", &out.path().display().to_string()]);
    let cached = || {
        mend_into(&files, out.path(), portamento_formats::export::Replace::Refuse, &Progress::new())
            .iter()
            .map(|made| made.is_kept)
            .collect::<Vec<_>>()
    };
    mend().unwrap();
    let first = mend_into(&files, out.path(), portamento_formats::export::Replace::Refuse, &Progress::new());
    assert!(
        first.iter().all(|made| made.is_kept && made.record.mended[0].file.starts_with(folder.path())),
        "{first:?}"
    );
    std::fs::remove_file(out.path().join("a.glb")).unwrap();
    assert_eq!((cached(), cached()), (vec![false, true], vec![true, true]));
    damaged_hero_by(&files[1], 0.7);
    assert_eq!((cached(), cached()), (vec![true, false], vec![true, true]));
    std::fs::write(out.path().join("a.glb"), "the user's own").unwrap();
    for _ in 0..2 {
        assert!(
            matches!(mend(), Err(Failure::Failed(sentence)) if sentence.contains("a.glb") && sentence.contains("--force"))
        );
        assert_eq!(std::fs::read(out.path().join("a.glb")).unwrap(), b"the user's own");
    }
    let all = [&*folder.path().display().to_string(), "--mend", &out.path().display().to_string(), "--force"]
        .map(str::to_owned);
    run(&all.each_ref().map(String::as_str)).unwrap();
    assert_eq!(cached(), [true, true]);
}

/// Writes the hero with an arm that jumps in one frame of `idle`.
pub(super) fn damaged_hero(to: &Path) {
    damaged_hero_by(to, 0.9);
}

/// Writes the hero with an arm that jumps by `radians` in one frame of `idle`.
fn damaged_hero_by(to: &Path, radians: f32) {
    let hero = portamento_formats::import::import(&portamento_test_support::asset("hero.glb")).unwrap();
    let mut model = hero.model;
    let arm = model.skeleton.joints.iter().position(|joint| joint.name == "upper_arm.L").unwrap();
    let idle = model.clips.iter_mut().find(|clip| clip.name == "idle").unwrap();
    let keys = &mut idle.tracks[arm].rotation.as_mut().unwrap().values;
    let middle = keys.len() / 2;
    keys[middle] *= glam::Quat::from_rotation_x(radians);
    FileSet::write_now(|files| gltf::save(files, to, &gltf::from_model(&model, None))).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_with_invalid_unicode_is_reported_as_displayed() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let hero = portamento_test_support::asset("hero.glb");
    std::fs::copy(hero, folder.path().join(std::ffi::OsStr::from_bytes(b"her\xff.glb"))).unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    run(&[&at(""), "--json"]).unwrap();
    run(&[&at(""), "--mend", &at("mended"), "--json"]).unwrap();
}
