//! `portamento walk`: ways through a level, and a character that walks one and stops on the mark.

use std::path::{Path, PathBuf};

use glam::DVec3;
use serde_json::{Value, json};

use super::Failure;
use crate::anim::{Clip, GltfSource, root_motion};
use crate::document::Loaded;
use crate::evaluate::walking::{self, Routed};
use crate::export::gltf::{self, ClipEdit, ClipEdits, Placement};
use crate::export::route::{self, RouteLine};
use crate::import::level::{self, UpAxis};
use crate::progress::Progress;
use crate::systems::pathing::voxel::VoxelSettings;
use crate::systems::pathing::walk::{ClipRoles, Settings, Walk};
use crate::systems::pathing::{FanSettings, Route};

/// Finds ways through a level and lets a character walk one.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The level: OBJ, glTF or GLB.
    level: PathBuf,
    /// Where the way begins: metres, Y up.
    #[arg(long, value_name = "X,Y,Z", value_parser = super::point, allow_hyphen_values = true)]
    from: DVec3,
    /// Where it ends: metres, Y up.
    #[arg(long, value_name = "X,Y,Z", value_parser = super::point, allow_hyphen_values = true)]
    to: DVec3,
    /// A place to pass on the way; may be given several times.
    #[arg(long, value_name = "X,Y,Z", value_parser = super::point, allow_hyphen_values = true)]
    via: Vec<DVec3>,
    /// One seed, or the first and last of several; a character walks the way of the first.
    #[arg(long, value_name = "N|N..M", default_value = "1", value_parser = seeds)]
    seed: (u64, usize),
    /// How much the ways of different seeds differ: 0 the quickest … 1.
    #[arg(long, default_value_t = 0.5, value_parser = share)]
    variety: f64,
    /// Radius of the character, metres.
    #[arg(long, value_name = "METRES")]
    radius: Option<f64>,
    /// Height of the character, metres.
    #[arg(long, value_name = "METRES")]
    height: Option<f64>,
    /// Highest step, metres.
    #[arg(long, value_name = "METRES")]
    climb: Option<f64>,
    /// Steepest ground to walk on, degrees.
    #[arg(long, value_name = "DEGREES")]
    slope: Option<f64>,
    /// Edge of a voxel seen from above, metres.
    #[arg(long, value_name = "METRES")]
    cell: Option<f64>,
    /// Length of the level's unit, metres.
    #[arg(long, default_value_t = 1.0, value_parser = unit)]
    unit: f64,
    /// Which axis of the level is up: y or z.
    #[arg(long, default_value = "y", value_parser = up)]
    up: UpAxis,
    /// Who walks: glTF, GLB, VRM or BVH.
    #[arg(long, value_name = "FILE")]
    character: Option<PathBuf>,
    /// The clip that walks; proposed by measured speed when neither --walk nor --run is given.
    #[arg(long, value_name = "CLIP", requires = "character")]
    walk: Option<String>,
    /// The clip that runs.
    #[arg(long, value_name = "CLIP", requires = "character")]
    run: Option<String>,
    /// The clip that stands.
    #[arg(long, value_name = "CLIP", requires = "character")]
    idle: Option<String>,
    /// The clip that comes to a stand.
    #[arg(long, value_name = "CLIP", requires = "character")]
    stop: Option<String>,
    /// Frames per second of the walk, 10…240.
    #[arg(long, default_value_t = 60.0)]
    fps: f64,
    /// The file to write: .json .csv .gltf .glb for ways; .glb or .gltf for a character. Without it only the report.
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// The report as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        let level = level::read(&self.level, self.unit, self.up).map_err(failed)?;
        let stops: Vec<DVec3> = [self.from].into_iter().chain(self.via.iter().copied()).chain([self.to]).collect();
        let (first, count) = self.seed;
        let fan = FanSettings { first, count, variety: self.variety, ..FanSettings::default() };
        let routed = walking::route(&level, &self.voxels(), &stops, &fan, &Progress::new()).map_err(failed)?;
        routed.notices.iter().for_each(|notice| eprintln!("warning: {notice}"));
        let mut report = json!({ "routes": routes(&routed) });
        match &self.character {
            Some(character) => report["walk"] = self.walked(&routed, character)?,
            None => self.write_routes(&routed)?,
        }
        super::print(&report, self.json);
        Ok(())
    }

    fn voxels(&self) -> VoxelSettings {
        let usual = VoxelSettings::default();
        VoxelSettings {
            radius: self.radius.unwrap_or(usual.radius),
            height: self.height.unwrap_or(usual.height),
            climb: self.climb.unwrap_or(usual.climb),
            slope_limit: self.slope.unwrap_or(usual.slope_limit),
            cell: self.cell.unwrap_or(usual.cell),
            ..usual
        }
    }

    fn write_routes(&self, routed: &Routed) -> Result<(), Failure> {
        let Some(out) = &self.out else { return Ok(()) };
        let line = |(seed, route): (u64, &Route)| RouteLine {
            name: format!("route {seed}"),
            seed,
            points: route.points.clone(),
            seconds: route.seconds,
            optimal: route.optimal,
            bound: route.bound,
        };
        let lines: Vec<RouteLine> = routed.fan.blades.iter().map(|blade| line((blade.seed, &blade.route))).collect();
        route::write(out, &lines).map_err(failed)
    }

    /// The report of a character on the first way; the file is written where wanted.
    fn walked(&self, routed: &Routed, path: &Path) -> Result<Value, Failure> {
        let (session, file, character) = super::open(path)?;
        let named = [&self.walk, &self.run, &self.idle, &self.stop];
        named.into_iter().flatten().try_for_each(|clip| super::check_clip(&character.model, clip))?;
        let unit = session.document.file(file).map_or(1.0, |file| file.metres_per_unit);
        let blade = routed.fan.blades.first().ok_or_else(|| Failure::Failed("There is no way to walk.".into()))?;
        let gaits = [&self.walk, &self.run].into_iter().flatten().cloned().collect();
        let clips = ClipRoles { idle: self.idle.clone(), gaits, stop: self.stop.clone(), ..ClipRoles::default() };
        let settings = Settings { clips, fps: self.fps, ..Settings::default() };
        let way = walking::way(&routed.map.ground, &blade.route);
        let walk = walking::walked(&character, unit, &way, &settings, &Progress::new()).map_err(failed)?;
        let clip = walking::clip(&walk, &free_name(&character), &character);
        if let Some(out) = &self.out {
            write_walk(out, &clip, &character)?;
        }
        let mut report = measured(&walk);
        if let (Some(root), Some(goal)) = (walk.root, way.points.last()) {
            let end = root_motion::world_at(&character.model.skeleton, &clip, root.joint, clip.duration).translation;
            report["stop_error_mm"] = ((end * unit - *goal).with_y(0.0).length() * 1e3).into();
        }
        Ok(report)
    }
}

/// A name for the walk that no clip of the character has.
fn free_name(character: &Loaded) -> String {
    let names = std::iter::once("walk to the mark".to_owned()).chain((2..).map(|it| format!("walk to the mark {it}")));
    names.into_iter().find(|name| character.model.clip(name).is_none()).unwrap_or_default()
}

/// Writes `clip` behind the clips of the character's file.
fn write_walk(out: &Path, clip: &Clip, character: &Loaded) -> Result<(), Failure> {
    let model = &character.model;
    let made;
    let source: &GltfSource = match &character.source {
        Some(source) => source,
        None => {
            made = gltf::from_model(model, None);
            &made
        }
    };
    let edits = ClipEdits { placement: Placement::Append, clips: vec![ClipEdit { clip, original: None }] };
    let edited = gltf::write(source, &model.skeleton, &edits).map_err(failed)?;
    gltf::save(out, &edited).map_err(failed)
}

fn routes(routed: &Routed) -> Value {
    let fan = &routed.fan;
    let blade = |it: &crate::systems::pathing::Blade| {
        json!({
            "seed": it.seed, "seconds": it.route.seconds, "metres": it.route.length, "overlap": it.overlap,
            "extra_time": it.extra, "bound": it.route.bound,
        })
    };
    json!({
        "distinct": fan.distinct, "overlap": fan.overlap, "extra_time": fan.extra, "one_corridor": fan.one_corridor,
        "quickest_seconds": fan.quickest.seconds, "quickest_metres": fan.quickest.length,
        "cells": routed.map.ground.cells.len(), "notices": routed.notices,
        "seeds": fan.blades.iter().map(blade).collect::<Vec<_>>(),
    })
}

/// What the walk says of itself; the error of the stop is measured on the keys that are written.
fn measured(walk: &Walk) -> Value {
    let report = &walk.report;
    let stop = &report.stop;
    let engine = |it: &crate::systems::pathing::walk::EngineStop| {
        json!({
            "hertz": it.rate, "by_closed_form_mm": it.by_closed_form * 1e3, "by_own_steps_mm": it.by_own_steps * 1e3,
        })
    };
    json!({
        "seconds": walk.duration, "fps": walk.fps, "idle": report.idle, "gaits": report.gaits,
        "stop_clip": stop.clip,
        "slide_cm_per_s": report.slide_after, "slide_unmatched_cm_per_s": report.slide_before,
        "stop_predicted_metres": stop.predicted, "stop_begins": stop.begins, "stop_ends": stop.ends,
        "entry_seconds": stop.entry_time, "entry_frame": (stop.entry_time * walk.fps).round(),
        "way_stretch": stop.stretch, "leg_too_short_metres": report.leg_too_short, "too_fast_seconds": report.too_fast,
        "engines": stop.engines.iter().map(engine).collect::<Vec<_>>(),
    })
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::Failed(error.to_string())
}

/// `N`, or `N..M` with both ends included: the first and how many.
fn seeds(text: &str) -> Result<(u64, usize), String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last && last - first < 100 => Ok((first, (last - first) as usize + 1)),
        _ => Err("give a whole number, or the first and last of at most 100, for example 1..10".into()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    let sound = |it: &f64| (0.0..=1.0).contains(it);
    text.parse().ok().filter(sound).ok_or_else(|| "give a number from 0 to 1".into())
}

fn unit(text: &str) -> Result<f64, String> {
    let sound = |it: &f64| (1e-6..=1e6).contains(it);
    text.parse().ok().filter(sound).ok_or_else(|| "give the length of a unit in metres, for example 0.01".into())
}

fn up(text: &str) -> Result<UpAxis, String> {
    match text {
        "y" | "Y" => Ok(UpAxis::Y),
        "z" | "Z" => Ok(UpAxis::Z),
        _ => Err("use y or z".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_one_or_a_range_of_at_most_a_hundred() {
        assert_eq!((seeds("7"), seeds("3..12")), (Ok((7, 1)), Ok((3, 10))));
        for wrong in ["", "x", "5..4", "1..200", "-1", "1.."] {
            assert!(seeds(wrong).is_err(), "{wrong}");
        }
        assert!(share("1.1").is_err() && share("NaN").is_err() && unit("0").is_err() && up("x").is_err());
    }
}
