mod law;

use super::*;
use crate::clip_library::harm::changed_travel;

impl OpenFiles {
    /// Returns the figures after `kinds`.
    fn after(&self, clip: &Faulty, kinds: &[StageKind], cache: &mut TakeCache, progress: &Progress) -> Option<Quality> {
        self.measured(clip, kinds, cache, progress).ok().map(|measured| measured.left)
    }
}

use crate::{Command, FileCommand};
use glam::{DVec3, Quat, Vec3};
use portamento_anim::quality::{BodyTravel, Feet, Input, quality};
use portamento_anim::root_motion::{parent_at, rig_size};
use portamento_anim::{Clip, Curve, Model, Rig};
use portamento_repair::close::Cycle;
use portamento_takes::document::{Asset, Loaded};
use portamento_test_support::Figure;
use portamento_test_support::character;
use portamento_test_support::cut;

fn figures(model: &Model, clip: &Clip) -> Quality {
    let (skeleton, roles) = (&model.skeleton, &Rig::of_model(model).roles);
    let soles = &portamento_anim::foot_shape::soles(model, &roles.legs);
    quality(&Input { skeleton, clip, roles, soles, metres_per_unit: 1.0 }, &Progress::new()).unwrap().unwrap()
}

fn heros_run() -> Quality {
    let hero = portamento_test_support::hero();
    figures(&hero, hero.clip("run").unwrap())
}

fn found(file: FileId, clip: &str, quality: Quality) -> Faulty {
    Faulty { take: Stack { name: clip.into(), kinds: Vec::new() }.over(file, clip), quality }
}

fn best(open: &OpenFiles, motion: &Faulty, progress: &Progress) -> MendedClip {
    open.best(motion, &mut TakeCache::default(), progress)
}

/// Returns the hero's run after `change`, with `findings`.
fn found_run(change: impl FnOnce(&mut Model), findings: Vec<Finding>) -> (OpenFiles, Faulty) {
    let path = portamento_test_support::asset("hero.glb");
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![path.clone()])));
    let file = session.document.files[0].id;
    let mut model = portamento_formats::import::import(&path).unwrap().model;
    change(&mut model);
    let quality = Quality { findings, ..figures(&model, model.clip("run").unwrap()) };
    session.library.insert(file, Asset::new(Loaded { model, ..Loaded::default() }));
    let open = OpenFiles { document: session.document.clone(), library: session.library.clone() };
    (open, found(file, "run", quality))
}

/// Rotates the head by 90° in one frame of the run.
fn turn_head(model: &mut Model) {
    let at = model.clips.iter().position(|clip| clip.name == "run").unwrap();
    let head = model.skeleton.find("head").unwrap();
    let turns = model.clips[at].tracks[head].rotation.as_mut().unwrap();
    let middle = turns.values.len() / 2;
    turns.values[middle] *= Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
}

#[test]
fn the_progress_moves_while_a_single_clip_is_fixed() {
    let (open, run) = found_run(turn_head, vec![Finding::Sinks]);
    let total = Progress::stopping_at(0);
    open.all_mended(std::slice::from_ref(&run), &total);
    let steps = total.steps();
    let stopped = |at: u64| {
        let progress = Progress::stopping_at(at);
        open.all_mended(std::slice::from_ref(&run), &progress);
        progress.fraction()
    };
    let on_the_way: Vec<f32> = [1, 2, 3].iter().map(|part| stopped(part * steps / 4)).collect();
    assert!(0.0 < on_the_way[0] && on_the_way.is_sorted() && on_the_way[0] < on_the_way[2], "{on_the_way:?}");
    assert!(on_the_way[2] < 1.0 && total.fraction() == 1.0, "{on_the_way:?}");
}

#[test]
fn side_effects_of_a_fix_are_fixed_too() {
    let (open, run) = found_run(turn_head, vec![Finding::Sinks]);
    let findings =
        |kinds: &[StageKind]| open.after(&run, kinds, &mut TakeCache::default(), &Progress::new()).unwrap().findings;
    assert_eq!(findings(&mends(&run.quality)), [Finding::Pops]);
    let kinds = best(&open, &run, &Progress::new()).kinds;
    assert_eq!(kinds[0].name(), "ground");
    assert_eq!(findings(&kinds), []);
}

/// Returns clip `name` of a corpus file after `change`, with its findings; `None` if the file is not available.
fn found_in(file: &str, name: &str, change: impl FnOnce(&mut Clip)) -> Option<(OpenFiles, Faulty)> {
    let figure = Figure::open(file)?;
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![character(file)?])));
    let file = session.document.files[0].id;
    let mut model = figure.model.clone();
    let clip = model.clips.iter_mut().find(|clip| clip.name == name)?;
    change(clip);
    let quality = figure.quality(clip);
    session.library.insert(file, Asset::new(Loaded { model, ..Loaded::default() }));
    let open = OpenFiles { document: session.document.clone(), library: session.library.clone() };
    Some((open, found(file, name, quality)))
}

fn left(open: &OpenFiles, clip: &Faulty) -> Vec<Finding> {
    let kinds = best(open, clip, &Progress::new()).kinds;
    open.after(clip, &kinds, &mut TakeCache::default(), &Progress::new()).unwrap().findings
}

#[test]
fn findings_changed_by_one_pass_are_fixed_in_the_next() {
    let Some((open, strikes)) = found_in("characters/kaiju.glb", "Tail Attack", |_| {}) else { return };
    assert_eq!(strikes.quality.findings, [Finding::Sinks, Finding::Pops]);
    let once = open.after(&strikes, &mends(&strikes.quality), &mut TakeCache::default(), &Progress::new()).unwrap();
    assert_eq!(once.findings, [Finding::Pops]);
    assert_eq!(left(&open, &strikes), []);
}

#[test]
fn an_idle_with_a_loop_gap_only_at_a_foot_tip_is_closed() {
    let Some(figure) = Figure::open("characters/knight.glb") else { return };
    let toes = figure.model.skeleton.joints.iter().position(|joint| joint.name == "toes.r").unwrap();
    let turned = |clip: &mut Clip| {
        let curve = clip.tracks[toes].rotation.as_mut().unwrap();
        curve.values = (0..=120).map(|key| curve.sample(f64::from(key) / 30.0).unwrap()).collect();
        curve.times = (0..=120_u8).map(|key| f32::from(key) / 30.0).collect();
        curve.values[97..].iter_mut().for_each(|turn| *turn *= Quat::from_rotation_x(0.7));
    };
    let Some((open, idle)) = found_in("characters/knight.glb", "Sit_Floor_Idle", turned) else { return };
    assert_eq!(idle.quality.findings, [Finding::Pops, Finding::DoesNotClose]);
    let kinds = best(&open, &idle, &Progress::new()).kinds;
    assert_eq!(kinds.iter().map(StageKind::name).collect::<Vec<_>>(), ["cleanup", "close"]);
}

#[test]
fn a_strike_with_a_hard_landing_is_only_closed() {
    let cut = |clip: &mut Clip| clip.duration *= 0.88;
    let Some((open, chop)) = found_in("characters/knight.glb", "1H_Melee_Attack_Chop", cut) else { return };
    assert_eq!(chop.quality.findings, [Finding::DoesNotClose]);
    let kinds = best(&open, &chop, &Progress::new()).kinds;
    assert_eq!(kinds.iter().map(StageKind::name).collect::<Vec<_>>(), ["close"]);
    assert_eq!(left(&open, &chop), []);
}

#[test]
fn an_in_place_gait_cut_at_a_high_point_returns_to_its_height() {
    for part in [0.88, 0.7915] {
        let cut = |clip: &mut Clip| *clip = cut(clip, part * clip.duration);
        let Some((open, run)) = found_in("characters/fox.glb", "Run", cut) else { return };
        assert!(run.quality.findings.contains(&Finding::DoesNotClose));
        assert_eq!(left(&open, &run), [], "{part}");
        let kinds = best(&open, &run, &Progress::new()).kinds;
        let after = open.after(&run, &kinds, &mut TakeCache::default(), &Progress::new()).unwrap();
        assert!(after.way.travel < 1e-3, "{part}: {} m", after.way.travel);
    }
}

#[test]
fn a_stationary_motion_closes_in_place_and_a_travelling_one_does_not() {
    let cycle = |travel: f64, goes_on: bool| {
        let way = BodyTravel { travel, climb: 0.1, goes_on, ..BodyTravel::default() };
        let kinds = mends(&Quality { way, findings: vec![Finding::DoesNotClose], ..heros_run() });
        let [StageKind::Close(close)] = &kinds[..] else { panic!("{kinds:?}") };
        close.cycle
    };
    let cycles = [cycle(0.1, false), cycle(0.1, true), cycle(0.5, false)];
    assert_eq!(cycles, [Cycle::InPlace, Cycle::Found, Cycle::Found]);
}

#[test]
fn a_full_spin_in_place_closes_in_place() {
    let Some((open, kick)) = found_in("characters/mannequiny.glb", "fight_kick_root.001", |_| {}) else { return };
    assert!(kick.quality.findings.contains(&Finding::DoesNotClose));
    assert_eq!(left(&open, &kick), []);
}

/// Returns the knight in a clip with a drift of 0.3 m/s.
fn drifting_knight(clip: &str) -> Option<(OpenFiles, Faulty)> {
    let knight = Figure::open("characters/knight.glb")?;
    let drifts = |clip: &mut Clip| knight.move_body(clip, |time| 0.3 * time * Vec3::new(0.8, 0.0, 0.6));
    found_in("characters/knight.glb", clip, drifts)
}

#[test]
fn removing_drift_keeps_the_distance_of_a_fall() {
    let (Some((open, falls)), Some(knight)) = (drifting_knight("Death_B"), Figure::open("characters/knight.glb"))
    else {
        return;
    };
    let own = knight.quality(knight.model.clip("Death_B").unwrap()).way.travel;
    let kinds = best(&open, &falls, &Progress::new()).kinds;
    let after = open.after(&falls, &kinds, &mut TakeCache::default(), &Progress::new()).unwrap();
    assert!((after.way.travel - own).abs() < 0.01, "{} instead of {own}: {kinds:?}", after.way.travel);
    let slide = after.feet.and_then(|feet| feet.slide);
    assert!(slide.is_some_and(|slide| slide < 0.2 * falls.quality.feet.unwrap().slide.unwrap()), "{slide:?}");
}

#[test]
fn removing_drift_keeps_the_distance_of_getting_up() {
    let Some(horse) = Figure::open("wild/horse.glb") else { return };
    let drifts = |clip: &mut Clip| {
        let parent_inverse = parent_at(&horse.model.skeleton, clip, horse.roles.hips.unwrap(), 0.0).inverse();
        let root_offset =
            |time: f32| parent_inverse.transform_vector3(f64::from(time) * DVec3::new(0.365, 0.0, 0.223)).as_vec3();
        horse.move_body(clip, root_offset);
    };
    let Some((open, rises)) = found_in("wild/horse.glb", "lay_to_idle", drifts) else { return };
    assert!(rises.quality.feet.unwrap().drifts_at_rest, "{:?}", rises.quality.feet);
    let kinds = best(&open, &rises, &Progress::new()).kinds;
    let travel = |kind: &StageKind| if let StageKind::Root(settings) = kind { Some(settings.travel) } else { None };
    assert_eq!(kinds.iter().filter_map(travel).collect::<Vec<_>>(), [portamento_stretch::root::RootTravel::FromFeet]);
}

#[test]
fn removing_drift_keeps_bent_knees_after_a_landing() {
    let Some((open, chops)) = drifting_knight("1H_Melee_Attack_Chop") else { return };
    let kinds = best(&open, &chops, &Progress::new()).kinds;
    assert!(kinds.iter().all(|kind| kind.name() != "cleanup"), "{kinds:?}");
    assert_eq!(left(&open, &chops), []);
}

#[test]
fn a_loop_that_stays_closed_after_foot_locking_is_not_closed_again() {
    let (open, run) = found_run(|_| {}, vec![Finding::Sinks]);
    let names = |kinds: &[StageKind]| kinds.iter().map(StageKind::name).collect::<Vec<_>>();
    assert_eq!(names(&mends(&run.quality)), ["ground", "close"]);
    assert_eq!(names(&best(&open, &run, &Progress::new()).kinds), ["ground"]);
}

#[test]
fn slide_and_penetration_count_as_fixed_below_a_tenth_or_the_visible_limit() {
    let run = heros_run();
    let feet = |slide: f64, sinking: f64| Some(Feet { slide: Some(slide), sinking, ..run.feet.unwrap() });
    let found = vec![Finding::FeetSlide, Finding::Sinks];
    let before = Quality { feet: feet(20.0, 8.0), findings: found.clone(), ..run };
    let left = |slide: f64, sinking: f64| {
        let after = Quality { feet: feet(slide, sinking), findings: Vec::new(), ..before.clone() };
        with_unmended(&before, after).findings
    };
    assert_eq!(left(1.9, 0.9), []);
    assert_eq!(left(2.1, 0.9), [Finding::FeetSlide]);
    assert_eq!(left(2.1, 1.1), found);
    let unfound = Quality { findings: Vec::new(), ..before.clone() };
    assert_eq!(with_unmended(&unfound, unfound.clone()).findings, []);
}

/// Returns the figures after fixing a clip whose only fault is `drift`.
fn left_of_drifting(file: &str, name: &str, drift: impl Fn(&Figure, &mut Clip)) -> Option<Quality> {
    let figure = Figure::open(file)?;
    let (open, drifting) = found_in(file, name, |clip| drift(&figure, clip))?;
    assert!(drifting.quality.findings.contains(&Finding::FeetSlide), "{name}: {:?}", drifting.quality);
    let kinds = best(&open, &drifting, &Progress::new()).kinds;
    open.after(&drifting, &kinds, &mut TakeCache::default(), &Progress::new())
}

#[test]
fn removing_drift_keeps_a_rising_body_in_place() {
    // The dragon's root joint is rotated so that its Z axis points up.
    for (file, name, velocity) in [
        ("hero", "idle", Vec3::new(0.24, 0.18, 0.0)),
        ("characters/dragon.glb", "Fly Flap", Vec3::new(0.24, 0.0, 0.18)),
        ("characters/dragon.glb", "Idle", Vec3::new(0.24, 0.0, 0.18)),
    ] {
        let drifts = |figure: &Figure, clip: &mut Clip| figure.move_body(clip, |time| time * velocity);
        let Some(after) = left_of_drifting(file, name, drifts) else { continue };
        assert!(after.findings.is_empty() && after.way.travel < 0.01, "{file} {name}: {after:?}");
    }
}

/// Returns a drift of the root joint by `velocity`, metres per second in world space.
fn carried(velocity: DVec3) -> impl Fn(&Figure, &mut Clip) {
    move |figure, clip| {
        let skeleton = &figure.model.skeleton;
        let carrier = portamento_anim::RootMotion::find(skeleton, clip, &figure.roles).unwrap().joint;
        let parent_inverse = parent_at(skeleton, clip, carrier, 0.0).inverse();
        let unit = figure.metres_per_unit;
        figure.move_body(clip, |time| parent_inverse.transform_vector3(f64::from(time) * velocity / unit).as_vec3());
    }
}

#[test]
fn a_body_that_drifts_away_from_its_feet_is_found_and_moved_back() {
    for (file, name) in [("wild/robot_expressive.glb", "Wave"), ("wild/gdbot.glb", "Idle")] {
        let Some(after) = left_of_drifting(file, name, carried(DVec3::new(0.24, 0.0, 0.18))) else { continue };
        assert!(after.findings.is_empty() && after.way.travel < 0.01, "{file} {name}: {after:?}");
    }
}

#[test]
fn a_drifting_in_place_gait_stays_in_place() {
    for (file, name, velocity) in [
        ("wild/mannequiny_in_place.glb", "walk", DVec3::new(0.081, 0.0, 0.316)),
        ("wild/horse.glb", "Walk", DVec3::new(0.0, 0.0, -0.333)),
    ] {
        let Some(after) = left_of_drifting(file, name, carried(velocity)) else { continue };
        assert!(after.findings.is_empty() && after.way.on_the_spot, "{file} {name}: {after:?}");
    }
}

#[test]
fn a_drifting_throw_stays_in_place() {
    let drifts = |figure: &Figure, clip: &mut Clip| {
        let root = figure.roles.root_motion.unwrap();
        let (rest, end) = (figure.model.skeleton.joints[root].rest.translation, clip.duration as f32);
        let drift = 0.3 * end * Vec3::new(0.8, 0.0, 0.6);
        clip.tracks[root].translation = Some(Curve::linear(vec![0.0, end], vec![rest, rest + drift]));
    };
    let Some(after) = left_of_drifting("characters/knight.glb", "Throw", drifts) else { return };
    assert!(after.findings.is_empty() && after.way.travel < 0.01, "{after:?}");
}

#[test]
fn feet_that_are_planted_without_the_drift_are_not_locked() {
    let drifts = |figure: &Figure, clip: &mut Clip| figure.move_body(clip, |time| 0.3 * time * Vec3::X);
    let hero = Figure::open("hero").unwrap();
    let (open, idles) = found_in("hero", "idle", |clip| drifts(&hero, clip)).unwrap();
    assert!(idles.quality.findings.contains(&Finding::FeetSlide));
    let names = |kinds: &[StageKind]| kinds.iter().map(StageKind::name).collect::<Vec<_>>();
    assert_eq!(names(&best(&open, &idles, &Progress::new()).kinds), ["root"]);
    assert_eq!(left(&open, &idles), []);
}

#[test]
fn a_drifting_swaying_idle_stays_in_place() {
    let drift = carried(DVec3::new(0.176, 0.0, 0.349));
    let Some(after) = left_of_drifting("characters/mannequiny.glb", "fight_punch_root.001", drift) else { return };
    assert!(after.findings.is_empty() && after.way.travel < 0.001, "{after:?}");
}

#[test]
fn invisible_slide_differences_are_equal_and_penetration_decides() {
    let clip = found(FileId(1), "run", heros_run());
    let left = |slide: f64, sinking: f64| {
        let feet = clip.quality.feet.map(|feet| Feet { slide: Some(slide), sinking, ..feet });
        let left = Quality { feet, way: BodyTravel::default(), ..clip.quality.clone() };
        MendedClip { kinds: Vec::new(), left: Some(left), harm: None }.remaining(&clip)
    };
    assert_eq!(left(1.04, 0.1), left(1.03, 0.2));
    assert!(left(0.4, 0.0) < left(1.0, 0.0));
    assert!(left(0.01, 0.0) < left(0.0, 47.6));
}

#[test]
fn travel_changes_only_for_feet_that_stand_then() {
    let figures = |travel: f64, standing: f64| {
        let run = heros_run();
        let way = BodyTravel { goes_on: true, travel, speed: travel, ..BodyTravel::default() };
        Quality { way, feet: run.feet.map(|feet| Feet { standing, ..feet }), ..run }
    };
    let is_harm = |travel: [f64; 2], standing: f64, stands_on_legs: bool| {
        let [before, after] = [figures(travel[0], 0.2), figures(travel[1], standing)];
        changed_travel([&before, &after], || stands_on_legs).is_some()
    };
    assert!(!is_harm([3.0, 0.0], 0.6, true), "a walk on the spot that drifts");
    assert!(is_harm([3.0, 0.0], 0.1, true), "a cartwheel");
    assert!(is_harm([1.0, 0.0], 1.0, false), "a swimmer");
    assert!(!is_harm([0.2, 0.0], 1.0, false), "the slow drift of a body that lies");
    assert!(!is_harm([3.0, 2.0], 0.0, false), "most of the travel is left");
    assert!(is_harm([2.0, 6.0], 0.1, true), "a cartwheel that would go three times as far");
}

#[test]
fn a_swimmer_goes_on() {
    let swims = |figure: &Figure, clip: &mut Clip| {
        let root = figure.roles.root_motion.unwrap();
        let lying = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
        clip.tracks[root].rotation = Some(Curve::linear(vec![0.0], vec![lying]));
        figure.move_body(clip, |time| Vec3::new(0.0, time, -0.3));
    };
    let hero = Figure::open("hero").unwrap();
    let (open, swimmer) = found_in("hero", "idle", |clip| swims(&hero, clip)).unwrap();
    assert!(swimmer.quality.way.goes_on && swimmer.quality.feet.unwrap().drift.is_some(), "{:?}", swimmer.quality);
    let kinds = best(&open, &swimmer, &Progress::new());
    let after = open.after(&swimmer, &kinds.kinds, &mut TakeCache::default(), &Progress::new()).unwrap();
    assert!(kinds.harm.is_some() || after.way.travel > 0.9 * swimmer.quality.way.travel, "{:?}", kinds.kinds);
}

#[test]
fn a_clip_without_findings_is_left_alone() {
    let run = heros_run();
    let drifting =
        Quality { feet: run.feet.map(|feet| Feet { drift: Some(0.1), ..feet }), findings: Vec::new(), ..run };
    assert!(mends(&drifting).is_empty());
}
