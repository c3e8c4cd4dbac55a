//! Invalid walks: each is reported with a message, nothing is lost, and later edits work.

use std::path::{Path, PathBuf};

use glam::DVec3;
use portamento::document::{Document, FileId, TakeId, Walk};
use portamento::evaluate::BuiltTake;
use portamento::session::{Command, EditCommand, FileCommand, Session, Severity, Shown};
use portamento::systems::navigation::voxels::{Effect, SpeedCurve, Volume, VolumeShape};

const LAWN: &str = "v -10 0 -10\nv -10 0 10\nv 10 0 10\nv 10 0 -10\nf 1 2 3 4\n";
const ENDS: [DVec3; 2] = [DVec3::new(-8.0, 0.0, -8.0), DVec3::new(8.0, 0.0, 7.0)];

/// A character with clips but without legs, which does not move.
const BOX: &str = "HIERARCHY\nROOT box\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
    End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 40\nFrame Time: 0.033333\n";

fn hero() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/hero.glb")
}

/// A session with a temporary folder.
struct Yard {
    folder: tempfile::TempDir,
    session: Session,
    take: TakeId,
}

impl Yard {
    /// Opens the hero and a walk over a lawn.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut session = Session::inline();
        session.preferences.autosave_seconds = 0.0;
        let lawn = folder.path().join("lawn.obj");
        std::fs::write(&lawn, LAWN).unwrap();
        session.perform(Command::File(FileCommand::Open(vec![hero(), lawn])));
        session.perform(Command::Edit(EditCommand::AddWalk));
        let take = session.document.takes[0].id;
        let mut yard = Self { folder, session, take };
        yard.change(|walk| walk.stops = ENDS.to_vec());
        yard.walks();
        yard
    }

    fn change(&mut self, change: impl FnOnce(&mut Walk)) {
        change(self.session.document.take_mut(self.take).unwrap().walk_mut().unwrap());
        self.session.update(0.0, true);
    }

    /// Writes and opens a file with that name and content.
    fn open(&mut self, name: &str, text: impl AsRef<[u8]>) -> FileId {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        self.session.perform(Command::File(FileCommand::Open(vec![path])));
        self.session.selection.shown = Shown::Take(self.take);
        self.session.document.files.last().unwrap().id
    }

    fn built(&self) -> Option<std::sync::Arc<BuiltTake>> {
        self.session.frame().and_then(|frame| frame.built.clone())
    }

    fn warnings(&self) -> Vec<String> {
        self.built().unwrap().warnings.iter().map(ToString::to_string).collect()
    }

    /// Returns the reason why there is no walk.
    fn refusal(&self) -> String {
        let walked = self.built().and_then(|built| built.walked.clone());
        let missing = walked.and_then(|walked| walked.missing.as_ref().map(ToString::to_string));
        self.session.evaluation.failure().map(ToString::to_string).or(missing).unwrap_or_default()
    }

    fn walks(&self) {
        assert_eq!(self.refusal(), "");
        assert!(self.built().unwrap().walked.as_ref().unwrap().walk.is_some());
    }

    /// Applies a change, checks that it is refused with all of `words`, and reverts it.
    fn refuses(&mut self, change: impl FnOnce(&mut Walk), words: &[&str]) {
        let before = self.session.document.clone();
        self.change(change);
        let sentence = self.refusal();
        println!("{sentence}");
        assert!(words.iter().all(|word| sentence.contains(word)), "{sentence:?} lacks one of {words:?}");
        self.comes_back(before);
    }

    /// Like `refuses`, for values that only scripts can write, such as non-finite numbers.
    fn refuses_to_build(&mut self, change: impl FnOnce(&mut Walk), words: &str) {
        let mut take = self.session.document.take(self.take).unwrap().clone();
        change(take.walk_mut().unwrap());
        let sentence = match self.session.built(&take) {
            Ok(built) => built.walked.as_ref().unwrap().missing.as_ref().map(ToString::to_string).unwrap_or_default(),
            Err(error) => error.to_string(),
        };
        println!("{sentence}");
        assert!(sentence.contains(words), "{sentence:?} lacks {words:?}");
    }

    fn comes_back(&mut self, before: Document) {
        self.session.document = before.clone();
        self.session.update(0.0, true);
        self.walks();
        assert_eq!(self.session.document, before);
    }
}

#[test]
fn files_without_a_level_are_refused_by_name_and_change_nothing() {
    let nan = LAWN.replace("v 10 0 -10", "v 10 nan -10");
    let infinite = LAWN.replace("v 10 0 -10", "v 10 0 1e39");
    let cases = [
        ("nan.obj", nan.as_str(), "nan.obj is damaged: line 4 has \"nan\", which is not a finite number"),
        ("inf.obj", infinite.as_str(), "line 4 has \"1e39\", which is not a finite number"),
        ("empty.obj", "", "empty.obj is damaged: the mesh has no vertices"),
        ("torn.obj", "v 0 0 0\nf 1 2 3\n", "torn.obj is damaged"),
    ];
    let mut yard = Yard::new();
    for (name, text, words) in cases {
        let before = yard.session.document.clone();
        yard.open(name, text);
        let notices = yard.session.notices.take_new();
        let error = notices.iter().find(|notice| notice.severity == Severity::Error).map(|notice| notice.text());
        println!("{error:?}");
        assert!(error.unwrap_or_default().contains(words), "{notices:?}");
        assert_eq!(yard.session.document, before);
        yard.session.update(0.0, true);
    }
    yard.change(|_| ());
    yard.walks();
}

#[test]
fn levels_of_impossible_size_are_refused_at_once() {
    let square = |size: f64| LAWN.replace("10", &size.to_string());
    let spike = format!("{LAWN}v 0 14000 0\nf 1 2 5\n");
    let small = square(3.0);
    let floor = |i: u32| small.lines().take(4).map(move |line| line.replacen(" 0 ", &format!(" {} ", 3 * i), 1) + "\n");
    let corners: String = (0..300).flat_map(floor).collect();
    let faces = (0..300).map(|i| 4 * i + 1).map(|a| format!("f {a} {} {} {}\n", a + 1, a + 2, a + 3));
    let tower = corners + &faces.collect::<String>();
    let cases = [
        ("points.obj", "v 0 0 0\nv 1 0 0\n".to_owned(), &["no faces", "Open a file with triangles"][..]),
        ("point.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n".into(), &["smaller than one voxel", "up axis"]),
        ("wide.obj", square(10_000.0), &["20000 m × 20000 m", "at least 7.09 m"]),
        ("tall.obj", spike, &["14000 m tall", "at least 0.22 m"]),
        ("tower.obj", tower, &["300 floors", "at most 62"]),
    ];
    let mut yard = Yard::new();
    for (name, text, words) in cases {
        let level = yard.open(name, text);
        yard.refuses(|walk| walk.level = level, words);
    }
}

#[test]
fn points_off_the_level_are_refused_with_the_nearest_ground() {
    let mut yard = Yard::new();
    let far = DVec3::new(500.0, 0.0, 0.0);
    yard.refuses(|walk| walk.stops[0] = far, &["The start is 490.", "nearest walkable ground", "x 9.", "Move it"]);
    yard.refuses(|walk| walk.stops.insert(1, far), &["Stop 1 is 490."]);
    yard.refuses(|walk| walk.stops[1].y = 60.0, &["The goal is 60.00 m"]);
    yard.refuses_to_build(|walk| walk.stops[1].x = f64::NAN, "The goal is NaN m");
    yard.refuses(|walk| walk.stops.truncate(1), &["needs a start and a goal"]);
    yard.refuses(|walk| walk.stops[1] = walk.stops[0], &["0.000 m long", "at least 5 cm away"]);
}

#[test]
fn a_walk_to_an_unreachable_goal_ends_at_the_nearest_point_with_a_warning() {
    let mut yard = Yard::new();
    let island = "v 20 0 -10\nv 20 0 10\nv 40 0 10\nv 40 0 -10\nf 5 6 7 8\n";
    let level = yard.open("islands.obj", format!("{LAWN}{island}"));
    let goal = DVec3::new(30.0, 0.0, 2.0);
    yard.change(|walk| (walk.level, walk.stops[1]) = (level, goal));
    yard.walks();
    let warnings = yard.warnings();
    assert!(
        warnings.iter().any(|warning| warning.starts_with("The goal cannot be reached: the route ends 20.")),
        "{warnings:?}"
    );
    let walked = yard.built().unwrap().walked.clone().unwrap();
    for variant in walked.routes.as_ref().unwrap().variants() {
        let end = variant.route.points.last().unwrap();
        assert!(end.x > 9.0 && end.x < 10.0 && (end.z - 2.0).abs() < 0.2, "{end}");
    }
    let end = walked.walk.as_ref().unwrap().path.points.last().copied().unwrap();
    assert!(end.x > 9.0 && end.x < 10.0, "{end}");
}

#[test]
fn invalid_settings_are_reported_with_valid_ranges() {
    let mut yard = Yard::new();
    yard.refuses(|walk| walk.voxels.cell = 0.0, &["voxel size is 0 m. Set it between 0.01 m and 10 m."]);
    yard.refuses_to_build(|walk| walk.voxels.cell = f64::NAN, "voxel size is NaN m");
    yard.refuses_to_build(|walk| walk.routes.radius = f64::NAN, "corner radius is NaN m");
    yard.refuses(|walk| walk.voxels.radius = -1.0, &["character radius is -1 m. Set it between 0 m and"]);
    yard.refuses(|walk| walk.voxels.height = -2.0, &["character height is -2 m. Set it between 0.1 m and"]);
    yard.refuses(|walk| walk.voxels.slope_limit = 90.0, &["slope limit is 90 degrees"]);
    yard.refuses(|walk| walk.routes.radius = -1.0, &["corner radius is -1 m"]);
    yard.refuses(|walk| walk.routes.count = 1000, &["1000 routes", "between 1 and 100"]);
    yard.refuses(|walk| walk.routes.variety = 2.0, &["variety is 2", "between 0 and 1"]);
    yard.refuses_to_build(|walk| walk.settings.turning_radius = f64::NAN, "turn-in distance is NaN");
    yard.refuses(|walk| walk.settings.fps = 0.0, &["frame rate is 0", "Use 10 to 240"]);
}

#[test]
fn ground_without_speed_is_refused_with_advice() {
    let mut yard = Yard::new();
    let words = ["uphill speed curve has 0 m/s at 0 degrees", "must be above 0", "lower the slope limit"];
    yard.refuses(|walk| walk.voxels.speed_up = SpeedCurve::constant(0.0), &words);
    yard.refuses(|walk| walk.voxels.speed_down = SpeedCurve::constant(-1.0), &["downhill speed curve has -1 m/s"]);
    let shape = || VolumeShape::Box { low: [-2.0, -1.0, -2.0], high: [2.0, 1.0, 2.0] };
    let painted = |effect| vec![Volume { name: "mud".into(), shape: shape(), effect }];
    let words = ["speed factor of the area \"mud\" is 0. Set it between 0.01 and 100, or block that ground"];
    yard.refuses(|walk| walk.voxels.volumes = painted(Effect::Speed(0.0)), &words);
    let everywhere = VolumeShape::Box { low: [-99.0; 3], high: [99.0; 3] };
    let closed = vec![Volume { name: "all".into(), shape: everywhere, effect: Effect::Blocked }];
    yard.refuses(|walk| walk.voxels.volumes = closed, &["nothing in the level can be walked on"]);
}

#[test]
fn the_reasons_why_a_character_cannot_walk_are_distinguished() {
    let mut yard = Yard::new();
    let rest = "0 0 0 0 0 0\n".repeat(40);
    let slides: String = (0..40).map(|i| format!("{} 0 0 0 0 0\n", i as f64 * 0.1)).collect();
    let crate_ = yard.open("crate.bvh", format!("{BOX}{rest}"));
    let sledge = yard.open("sledge.bvh", format!("{BOX}{slides}"));
    let level = yard.session.document.files[1].id;
    let refuse_character = |yard: &mut Yard, character_file: FileId, words: &[&str]| {
        let before = yard.session.document.clone();
        yard.session.document.take_mut(yard.take).unwrap().character = character_file;
        yard.session.update(0.0, true);
        let sentence = yard.refusal();
        println!("{sentence}");
        assert!(words.iter().all(|word| sentence.contains(word)), "{sentence:?} lacks one of {words:?}");
        yard.comes_back(before);
    };
    refuse_character(&mut yard, FileId(0), &["no character is assigned", "Choose one that has a skeleton"]);
    refuse_character(&mut yard, level, &["no clips", "Choose a character with clips"]);
    refuse_character(&mut yard, crate_, &["No legs", "Assign its legs"]);
    refuse_character(&mut yard, sledge, &["No legs", "Assign its legs"]);
    yard.refuses(|walk| walk.settings.clips.gaits = vec!["idle".into()], &["'idle'", "has no speed"]);
    yard.refuses(|walk| walk.settings.clips.gaits = vec!["hop".into()], &["no clip 'hop'"]);
    yard.refuses(|walk| walk.settings.clips.stop = Some("idle".into()), &["'idle'", "too little for a stop"]);
}

#[test]
fn a_bend_wider_than_the_corridor_is_narrowed_until_the_body_stays_in_it() {
    let corner = "v 0 0 0\nv 0 0 1.6\nv 8 0 1.6\nv 8 0 0\nv 6.4 0 1.6\nv 6.4 0 8\nv 8 0 8\nf 1 2 3 4\nf 5 6 7 3\n";
    let mut yard = Yard::new();
    let level = yard.open("corner.obj", corner);
    let ends = vec![DVec3::new(0.8, 0.0, 0.8), DVec3::new(7.2, 0.0, 7.2)];
    yard.change(|walk| (walk.level, walk.stops) = (level, ends));
    yard.walks();
    assert_eq!(yard.warnings(), Vec::<String>::new());
    yard.change(|walk| (walk.settings.turning_radius, walk.routes.radius) = (5.0, 50.0));
    yard.walks();
    let warnings = yard.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("turning radius of 5.00 m"), "{warnings:?}");
    let walked = yard.built().unwrap().walked.clone().unwrap();
    // The corridor minus the body radius and the 0.1 m tolerance of a bend.
    let inside = |at: &DVec3| at.x > 0.3 && at.z > 0.3 && at.x < 7.7 && at.z < 7.7 && (at.z < 1.3 || at.x > 6.7);
    let path = &walked.walk.as_ref().unwrap().path.points;
    assert!(path.iter().all(inside), "{:?}", path.iter().find(|point| !inside(point)));
    assert!(walked.routes.as_ref().unwrap().compared.one_corridor);
}

#[test]
fn a_rule_for_a_missing_surface_is_reported() {
    let mut yard = Yard::new();
    let rule = portamento::systems::navigation::voxels::SurfaceRule { name: "lava".into(), effect: Effect::Blocked };
    yard.change(|walk| walk.voxels.surfaces = vec![rule]);
    yard.walks();
    assert!(yard.warnings().iter().any(|warning| warning.contains("no surface \"lava\"")), "{:?}", yard.warnings());
}
