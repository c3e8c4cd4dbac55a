//! The patrol sample, a complete stack, fulfils the guarantees of all its stages.

use glam::DVec3;

use super::*;

#[test]
fn the_patrol_fulfils_the_guarantees_of_all_its_stages() {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![folder.path().join("samples.portamento")])));
    let patrol = session.document.takes.iter().find(|take| take.name == "patrol").unwrap().clone();
    let built = session.built(&patrol).unwrap();
    let report = built.report();
    let number = |pointer: &str| report.pointer(pointer).and_then(serde_json::Value::as_f64).unwrap();
    assert!(number("/stretch/end_error_m") < 1e-3 && number("/walk/steps/stop_error_mm") < 1.0, "{report:#}");
    assert!(number("/close/after/place") < 1e-5 && number("/close/after/velocity") < 0.01, "{report:#}");
    assert!(number("/dynamics/penetration") < 1e-6 && number("/dynamics/length_error") < 1e-9, "{report:#}");
    let warning = built.warnings.iter().map(ToString::to_string).filter(|warning| warning.contains("After this stage"));
    assert_eq!(
        warning.collect::<Vec<_>>(),
        ["After this stage the character stops 0.400 m from the goal of its walk."]
    );
    assert!(
        built.warnings.len() >= 4 && built.warnings.iter().all(|warning| warning.moment.is_some()),
        "each leads to its moment"
    );
    let is_distance_warning =
        |warning: &&portamento_base::message::Message| warning.to_string().contains("passed at a distance");
    let passed: Vec<f64> = built
        .warnings
        .iter()
        .filter(is_distance_warning)
        .map(|warning| warning.moment.as_ref().unwrap().seconds)
        .collect();
    assert!(passed.len() == 3 && passed.is_sorted() && passed[0] > 0.5, "{passed:?}");

    let slides = fastest_stand(&built);
    assert!(slides < 0.5, "{slides} cm/s");

    // During the first cast, which is layered on the run, the legs equal those of the walk bit for bit; the arms do
    // not.
    let skeleton = &built.character.model.skeleton;
    let [walk, cast] = [&built.source, &built.stages[0].clip];
    let legs: Vec<usize> = built.roles.legs.iter().flat_map(|leg| skeleton.subtree(leg.thigh)).collect();
    let hand = skeleton.find("hand.R").unwrap();
    let mut arms = 0;
    for frame in (4.0 * built.fps) as usize..(6.2 * built.fps) as usize {
        let [one, other] = [walk, cast].map(|clip| clip.pose_at(skeleton, frame as f64 / built.fps));
        assert!(legs.iter().all(|&leg| one.locals[leg] == other.locals[leg]), "frame {frame}");
        arms += usize::from(one.locals[hand] != other.locals[hand]);
    }
    assert!(legs.len() >= 6 && arms > 100, "{} {arms}", legs.len());
    let [first, last] = [0.0, built.clip.duration].map(|time| built.clip.pose_at(skeleton, time));
    let turn = |joint: usize| first.locals[joint].rotation.angle_between(last.locals[joint].rotation);
    assert!((0..skeleton.len()).all(|joint| turn(joint) < 2e-3), "the whole closes");
}

/// Returns the fastest speed of a foot during contacts, cm/s. A contact is longer than 0.1 s and slower than 15 cm/s;
/// two frames at each end are ignored.
fn fastest_stand(built: &BuiltTake) -> f64 {
    let skeleton = &built.character.model.skeleton;
    let times: Vec<f64> = (0..=(built.clip.duration * built.fps) as usize).map(|i| i as f64 / built.fps).collect();
    let mut fastest = 0.0;
    for toe in ["toe.L", "toe.R"] {
        let path = portamento_anim::root_motion::path(skeleton, &built.clip, skeleton.find(toe).unwrap(), &times);
        let speed = |pair: &[DVec3]| 100.0 * built.fps * (pair[1] - pair[0]).with_y(0.0).length();
        let speeds: Vec<f64> = path.windows(2).map(speed).collect();
        let pauses: Vec<&[f64]> = speeds.split(|&speed| speed >= 15.0).filter(|stand| stand.len() > 6).collect();
        assert!(pauses.len() > 10, "{toe} stands {} times", pauses.len());
        let inner = pauses.iter().flat_map(|stand| &stand[2..stand.len() - 2]);
        fastest = inner.copied().fold(fastest, f64::max);
    }
    fastest
}
