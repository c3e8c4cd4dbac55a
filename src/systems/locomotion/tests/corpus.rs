//! Stops on every character of the corpus that walks.

use super::*;

pub(super) fn characters() -> Vec<Model> {
    let folders = ["characters", "wild"].into_iter().filter_map(crate::support::corpus);
    let mut files: Vec<_> =
        folders.flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())).collect();
    files.sort();
    files.iter().map(|file| crate::import::import(file).unwrap().model).collect()
}

#[test]
fn whoever_walks_stops_on_the_mark_and_slides_no_more_than_a_hair() {
    let characters = characters();
    let mut walked = Vec::new();
    for model in &characters {
        // Who has no gait or no legs is told so.
        let Ok(walk) = walk(model, &straight(6.0, 3.0), &Settings::default()) else { continue };
        // Hips that carry sway over the mark while they stand.
        let engines = &walk.report.stop.engines;
        assert!(engines.iter().all(|engine| engine.recorded.abs() < 1e-3), "{}: {engines:?}", model.name);
        let matched: Vec<f64> = walk.report.frames.iter().filter_map(|frame| frame.stop_time).collect();
        assert!(matched.is_sorted(), "{}: {matched:?}", model.name);
        assert!(walk.report.slide_after < 1.0, "{}: {}", model.name, walk.report.slide_after);
        assert!(walk.report.frames.iter().all(|frame| frame.speed.is_finite()), "{}", model.name);
        walked.push(model.name.as_str());
    }
    assert!(characters.is_empty() || walked.len() >= 5, "{walked:?}");
}
