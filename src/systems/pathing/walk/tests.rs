use std::path::Path;

use super::*;
use crate::anim::Model;

fn straight(length: f64, limit: f64) -> Way {
    Way { points: vec![DVec3::ZERO, DVec3::Z * length], speed_limits: vec![limit; 2] }
}

fn walk(model: &Model, way: &Way, settings: &Settings) -> Result<Walk, WalkError> {
    let roles = Roles::find(&model.skeleton, &model.clips);
    let input =
        Input { skeleton: &model.skeleton, clips: &model.clips, roles: &roles, metres_per_unit: 1.0, ground: None };
    build(&input, way, settings, &Progress::new())
}

fn knight() -> Option<Model> {
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/characters/knight.glb");
    if !Path::new(FILE).exists() {
        println!("skipped: corpus absent");
        return None;
    }
    Some(crate::import::import(Path::new(FILE)).unwrap().model)
}

fn tell(walk: &Walk) {
    let report = &walk.report;
    println!("idle {} gaits {:#?}", report.idle, report.gaits);
    println!("stop {:#?}", report.stop);
    println!(
        "slide {} -> {} cm/s, short {}, too fast {}",
        report.slide_before, report.slide_after, report.leg_too_short, report.too_fast
    );
    for frame in report.frames.iter().step_by(4) {
        println!(
            "{:.3} v {:.2} left {:.3} {} {:.2} stop {:?} slide {:.1} {:.3} short {:.4}",
            frame.time,
            frame.speed,
            frame.remaining,
            frame.clip,
            frame.share,
            frame.stop_time,
            frame.slide_before,
            frame.slide_after,
            frame.leg_too_short
        );
    }
}

#[test]
fn the_hero_runs_to_its_mark() {
    let walk = walk(&crate::samples::hero(), &straight(12.0, 4.0), &Settings::default()).unwrap();
    tell(&walk);
    assert!(walk.report.slide_after < 1.0);
}

#[test]
fn the_knight_runs_to_its_mark() {
    let Some(model) = knight() else { return };
    let walk = walk(&model, &straight(12.0, 4.0), &Settings::default()).unwrap();
    tell(&walk);
    assert!(walk.report.slide_after < 1.0);
}
