//! Walk workflows: a level, a goal, a chosen route, files for an engine.

use portamento_test_support as support;

use std::path::{Path, PathBuf};

use glam::DVec3;
use portamento::anim::{Pose, Skeleton, root_motion};
use portamento::document::{FileId, TakeId};
use portamento::evaluate::Walked;
use portamento::export::Replace;
use portamento::import;
use portamento::session::{
    Command, EditCommand, ExportRequest, ExportSettings, FileCommand, RouteFormat, Session, Severity, Shown, Sidecars,
};

fn asset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name)
}

/// Opens the hero and a walk on the level at `level`.
fn in_the(level: &Path) -> (Session, TakeId) {
    on(level, &asset("hero.glb"))
}

/// Opens a character and a walk on a level.
fn on(level: &Path, character: &Path) -> (Session, TakeId) {
    let mut session = Session::inline();
    session.preferences.autosave_seconds = 0.0;
    session.perform(Command::File(FileCommand::Open(vec![character.to_owned(), level.to_owned()])));
    session.perform(Command::Edit(EditCommand::AddWalk));
    without_errors(&session);
    let take = session.document.takes[0].id;
    (session, take)
}

fn without_errors(session: &Session) {
    let errors: Vec<_> = session.notices.all().iter().filter(|notice| notice.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

fn aim(session: &mut Session, take: TakeId, stops: &[DVec3]) {
    session.document.take_mut(take).unwrap().walk_mut().unwrap().stops = stops.to_vec();
    session.update(0.0, true);
}

fn walked(session: &Session) -> Walked {
    let built = session.frame().and_then(|frame| frame.built.clone()).unwrap();
    Walked::clone(built.walked.as_ref().unwrap())
}

const ENDS: [DVec3; 2] = [DVec3::new(-15.0, 2.0, 9.0), DVec3::new(-4.0, 2.0, 4.0)];

#[test]
fn the_exported_walk_ends_at_the_goal_with_sidecar_files() {
    let (mut session, take) = in_the(&asset("yard.glb"));
    aim(&mut session, take, &ENDS);
    let goal = walked(&session).routes.unwrap().of_seed(1).unwrap().route.points.last().copied().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let request = |routes| ExportRequest {
        takes: vec![take],
        destination: folder.path().to_owned(),
        settings: ExportSettings {
            sidecars: Sidecars { routes: Some(routes), voxels: true, ..Sidecars::default() },
            ..Default::default()
        },
        replace: Replace::Allow,
        ..ExportRequest::default()
    };
    for format in RouteFormat::ALL {
        session.perform(Command::File(FileCommand::Export(request(format))));
        without_errors(&session);
    }
    let path = |ending: &str| folder.path().join(format!("walk_to_the_mark.{ending}"));
    let model = import::import(&path("glb")).unwrap().model;
    let clip = model.clip("walk to the mark").unwrap();
    let root = model.skeleton.find("root").unwrap();
    let end = root_motion::world_at(&model.skeleton, clip, root, clip.duration).translation;
    assert!((end - goal).with_y(0.0).length() < 1e-3, "{end} is not {goal}");
    let text = std::fs::read_to_string(path("routes.json")).unwrap();
    let routes: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(routes["routes"].as_array().unwrap().len(), 10);
    assert!(std::fs::read_to_string(path("routes.csv")).unwrap().lines().count() > 100);
    assert!(import::import(&path("routes.glb")).is_ok());
    assert!(std::fs::read(path("voxels")).unwrap().starts_with(b"PORTVOX1"));
}

/// Returns the JSON of a binary glTF.
fn json_of(glb: &[u8]) -> serde_json::Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

fn numbers(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

#[test]
fn the_files_of_routes_agree_with_each_other_and_with_the_clip() {
    let (mut session, take) = in_the(&asset("yard.glb"));
    aim(&mut session, take, &ENDS);
    let folder = tempfile::tempdir().unwrap();
    for format in RouteFormat::ALL {
        let sidecars = Sidecars { routes: Some(format), ..Sidecars::default() };
        let settings = ExportSettings { sidecars, ..Default::default() };
        let destination = folder.path().to_owned();
        let replace = Replace::Allow;
        let request = ExportRequest { takes: vec![take], destination, settings, replace, ..ExportRequest::default() };
        session.perform(Command::File(FileCommand::Export(request)));
        without_errors(&session);
    }
    let read = |ending: &str| std::fs::read(folder.path().join(format!("walk_to_the_mark.{ending}"))).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&read("routes.json")).unwrap();
    let (csv, lines) = (String::from_utf8(read("routes.csv")).unwrap(), json_of(&read("routes.glb")));
    assert_eq!(csv.lines().next(), Some("route,seed,point,x_m,y_m,z_m,distance_m,time_s"));
    assert_eq!((&json["unit"], &json["up"]), (&"metre".into(), &"+Y".into()));
    for (index, route) in json["routes"].as_array().unwrap().iter().enumerate() {
        let points: Vec<Vec<f64>> = route["points"].as_array().unwrap().iter().map(numbers).collect();
        let (distances, times) = (numbers(&route["distances"]), numbers(&route["times"]));
        let (seconds, length) = (route["seconds"].as_f64().unwrap(), route["length"].as_f64().unwrap());
        assert_eq!((distances.last(), times.last()), (Some(&length), Some(&seconds)));
        let mine = |row: &&str| row.split(',').nth(1) == Some(&route["seed"].to_string());
        let rows: Vec<Vec<f64>> = csv
            .lines()
            .filter(mine)
            .map(|row| row.split(',').skip(3).map(|cell| cell.parse().unwrap()).collect())
            .collect();
        let fields = |at: usize| [&points[at][..], &[distances[at], times[at]]].concat();
        assert!(rows.len() == points.len() && (0..rows.len()).all(|at| rows[at] == fields(at)));
        let (accessor, extras) = (&lines["accessors"][index], &lines["nodes"][index]["extras"]);
        assert_eq!(accessor["count"].as_u64().unwrap() as usize, points.len());
        assert_eq!(
            (&extras["seconds"], &extras["length"], &extras["seed"]),
            (&route["seconds"], &route["length"], &route["seed"])
        );
        let lowest = points.iter().map(|point| point[1]).fold(f64::INFINITY, f64::min);
        assert!((accessor["min"][1].as_f64().unwrap() - lowest).abs() < 1e-6, "Y is up");
    }
    let model = import::import(&folder.path().join("walk_to_the_mark.glb")).unwrap().model;
    let clip = model.clip("walk to the mark").unwrap();
    let root = model.skeleton.find("root").unwrap();
    let at = |time: f64| root_motion::world_at(&model.skeleton, clip, root, time).translation.with_y(0.0);
    let route = &json["routes"][0];
    let (first, last) = (numbers(&route["points"][0]), numbers(route["points"].as_array().unwrap().last().unwrap()));
    let flat = |point: &[f64]| DVec3::new(point[0], 0.0, point[2]);
    assert!(at(0.0).distance(flat(&first)) < 1e-3 && at(clip.duration).distance(flat(&last)) < 1e-3);
    let gone: f64 = (0..600)
        .map(|step| {
            at(clip.duration * f64::from(step) / 600.0).distance(at(clip.duration * f64::from(step + 1) / 600.0))
        })
        .sum();
    let flat_length: f64 = route["points"]
        .as_array()
        .unwrap()
        .windows(2)
        .map(|pair| flat(&numbers(&pair[0])).distance(flat(&numbers(&pair[1]))))
        .sum();
    assert!((gone / flat_length - 1.0).abs() < 0.02, "{gone} m walked, {flat_length} m of route");
    assert!(clip.duration > route["seconds"].as_f64().unwrap(), "speeding up and stopping take time");
}

#[test]
fn the_exported_walk_has_the_requested_heading_at_start_and_goal() {
    let (mut session, take) = in_the(&asset("yard.glb"));
    let walk = session.document.take_mut(take).unwrap().walk_mut().unwrap();
    (walk.settings.start_facing, walk.settings.goal_facing) = (Some(-120.0), Some(35.0));
    aim(&mut session, take, &ENDS);
    assert_eq!(walked(&session).walk.unwrap().report.turns.len(), 2);
    let folder = tempfile::tempdir().unwrap();
    let destination = folder.path().join("walk.glb");
    let request = ExportRequest { takes: vec![take], destination: destination.clone(), ..ExportRequest::default() };
    session.perform(Command::File(FileCommand::Export(request)));
    without_errors(&session);
    let model = import::import(&destination).unwrap().model;
    let clip = model.clip("walk to the mark").unwrap();
    let root = model.skeleton.find("root").unwrap();
    let headings = root_motion::headings(&model.skeleton, clip, root, &[0.0, clip.duration]);
    for (heading, asked) in headings.iter().zip([-120.0, 35.0_f64]) {
        let off = root_motion::wrap(heading - asked.to_radians()).to_degrees();
        assert!(off.abs() < 0.1, "{off} from {asked}");
    }
}

#[test]
fn a_reopened_project_gives_the_same_steps() {
    let (mut session, take) = in_the(&asset("yard.glb"));
    session.document.take_mut(take).unwrap().walk_mut().unwrap().toggle_pin(42);
    session.document.take_mut(take).unwrap().walk_mut().unwrap().seed = 42;
    aim(&mut session, take, &ENDS);
    let first = walked(&session);
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("walk.portamento");
    session.perform(Command::File(FileCommand::SaveAs(project.clone())));
    session.perform(Command::File(FileCommand::New));
    session.perform(Command::File(FileCommand::Open(vec![project])));
    session.selection.shown = Shown::Take(take);
    session.update(0.0, true);
    without_errors(&session);
    let again = walked(&session);
    assert_eq!(first.ground.map, again.ground.map);
    assert_eq!(first.walk, again.walk);
    assert!(first.walk.is_some());
}

#[test]
fn an_impossible_walk_is_reported_and_the_level_stays_visible() {
    let (mut session, take) = in_the(&asset("yard.glb"));
    let missing = |session: &Session| walked(session).missing.map(|reason| reason.to_string()).unwrap_or_default();
    session.update(0.0, true);
    assert!(missing(&session).contains("start and a goal"), "{}", missing(&session));
    session.document.take_mut(take).unwrap().character = FileId(0);
    aim(&mut session, take, &ENDS);
    assert!(missing(&session).contains("no character is assigned"), "{}", missing(&session));
    assert!(walked(&session).routes.is_some() && session.frame().unwrap().scenery.is_some());
    let walk = session.document.take_mut(take).unwrap().walk_mut().unwrap();
    walk.voxels.cell = 0.0;
    session.update(0.0, true);
    assert!(session.evaluation.failure().unwrap().to_string().contains("voxel"), "{:?}", session.evaluation.failure());
    session.perform(Command::Edit(EditCommand::Undo));
    session.update(0.0, true);
    assert_eq!(session.evaluation.failure(), None);
}

#[test]
fn a_level_in_centimetres_with_z_up_is_walked_like_one_in_metres() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lawn.obj");
    std::fs::write(&path, "v -900 -900 0\nv 900 -900 0\nv 900 900 0\nv -900 900 0\nf 1 2 3 4\n").unwrap();
    let (mut session, take) = in_the(&path);
    let level = session.document.take(take).unwrap().walk().unwrap().level;
    session.document.files.iter_mut().find(|file| file.id == level).unwrap().metres_per_unit = 0.01;
    session.document.take_mut(take).unwrap().walk_mut().unwrap().up = portamento::geometry::UpAxis::Z;
    aim(&mut session, take, &[DVec3::new(-6.0, 0.0, -6.0), DVec3::new(6.0, 0.0, 6.0)]);
    let walked = walked(&session);
    assert_eq!(walked.missing, None);
    let length = walked.routes.unwrap().compared.quickest.length;
    assert!((length - 12.0 * 2.0_f64.sqrt()).abs() < 0.5, "{length} m");
}

/// Returns long waves across a strip of ground, with a vertex every metre.
fn waves() -> String {
    let height = |x: i32| 1.5 * (f64::from(x) * 0.3).sin();
    let points = (0..=60).flat_map(|x| (0..=8).map(move |z| format!("v {x} {:.4} {z}\n", height(x))));
    let faces = (0..60).flat_map(|x| (1..=8).map(move |z| (x * 9 + z, x * 9 + z + 9)));
    let faces = faces.map(|(a, b)| format!("f {a} {} {} {b}\n", a + 1, b + 1));
    points.chain(faces).collect()
}

#[test]
fn foot_contacts_are_found_uphill_and_downhill() {
    let folder = tempfile::tempdir().unwrap();
    let level = folder.path().join("waves.obj");
    std::fs::write(&level, waves()).unwrap();
    let (mut session, take) = in_the(&level);
    aim(&mut session, take, &[DVec3::new(3.0, 0.0, 4.0), DVec3::new(56.0, 0.0, 4.0)]);
    let routes = walked(&session).routes.unwrap();
    assert!(routes.stops[1].x - routes.stops[0].x > 50.0);
    let frame = session.frame().unwrap();
    let last = frame.built.as_ref().unwrap().clip.duration;
    for foot in &frame.overlay.feet {
        let steps = foot.spans.iter().filter(|(from, to)| to - from < 1.0);
        // A running stride is shorter than 4 m, and contacts are spread along the whole route.
        assert!(steps.count() > 10, "{:?}", foot.spans);
        let ends = [0.0].into_iter().chain(foot.spans.iter().map(|span| span.1));
        let begins = foot.spans.iter().map(|span| span.0).chain([last]);
        let longest = ends.zip(begins).map(|(end, begin)| begin - end).fold(0.0, f64::max);
        assert!(longest < 3.0, "{longest} s without a step: {:?}", foot.spans);
    }
    assert_eq!(frame.overlay.feet.len(), 2);
}

/// Returns the largest distance that a joint moves in one frame beyond its movement in both neighbouring frames,
/// metres.
fn farthest_jump(skeleton: &Skeleton, frames: &[Pose]) -> f64 {
    let jump = |joint: usize| {
        let positions: Vec<DVec3> =
            frames.iter().map(|pose| pose.world_from_joint(skeleton, joint).translation).collect();
        let steps: Vec<f64> = positions.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
        let beyond =
            |around: &[f64]| around[2] - [around[0], around[1], around[3], around[4]].into_iter().fold(0.0, f64::max);
        steps.windows(5).map(beyond).fold(0.0, f64::max)
    };
    (0..skeleton.len()).map(jump).fold(0.0, f64::max)
}

#[test]
fn legs_too_short_for_their_steps_do_not_jump_on_steep_ground() {
    let Some(level) = support::corpus("levels/undulating.obj") else { return };
    // Down one hill and up the next: the rear foot reaches hip height.
    let stops = [DVec3::new(5091.586, 0.365, 5057.121), DVec3::new(5088.0, 0.0, 5060.0)];
    for file in ["wild/mage.glb", "characters/knight.glb"] {
        let Some(character) = support::corpus(file) else { return };
        let (mut session, take) = on(&level, &character);
        aim(&mut session, take, &stops);
        let walk = walked(&session).walk.unwrap();
        let model = import::import(&character).unwrap().model;
        let jump = farthest_jump(&model.skeleton, walk.frames());
        // The character is 1.2 m tall.
        assert!(jump < 0.022, "{file}: {jump}");
    }
}
