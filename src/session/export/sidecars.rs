//! Sidecar files next to an exported clip, for engines that generate the motion themselves: blend weights, routes and
//! walkable area of walks.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::export::{crossings, distance_curve, voxel_map};
use portamento_base::budget::Budget;
use portamento_base::progress::Progress;
use portamento_formats::export::route::{self, RouteLine};
use portamento_formats::export::{ExportError, FileSet};
use portamento_takes::document::Walk;
use portamento_takes::evaluate::{BuiltTake, LevelRoutes, Walked};
use portamento_walk::locomotion::Sign;
use portamento_walk::navigation::RouteVariant;

/// The sidecar files to write for each clip they apply to, named after the take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sidecars {
    /// Tree, joints and weight curves of a blend: `NAME.weights.json`.
    pub weights: bool,
    /// The routes of a walk: `NAME.routes.json`, `.csv` or `.glb`; with crossings also the edges of the level and the links.
    pub routes: Option<RouteFormat>,
    /// The walkable area of a walk: `NAME.voxels`.
    pub voxels: bool,
    /// The distance curve of a walk's stop clip, with the sign convention of the engine: `NAME.distance.json`.
    pub distance_curve: Option<Sign>,
    /// The values in which the takes differ, and their figures: one `index.json` and `index.csv` for all.
    pub index: bool,
}

/// Memory per number in JSON: the value, and its text twice while the buffer grows.
const BYTES_PER_NUMBER: u64 = 96;
/// Numbers per route point: position and time of the point and of its line.
const NUMBERS_PER_POINT: usize = 8;
/// Memory per voxel: a span and its cell with eight links, twice while the file grows.
const BYTES_PER_VOXEL: u64 = 160;

/// The folder and stem of sidecar files.
#[derive(Clone, Copy)]
pub(super) struct SidecarPath<'a> {
    pub folder: &'a Path,
    /// Name of the sidecars without extension.
    pub stem: &'a str,
}

/// The file formats for routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteFormat {
    /// Full route data.
    Json,
    /// One row per point.
    Csv,
    /// Polylines for display.
    Glb,
}

portamento_base::named!(RouteFormat { Json: "json", Csv: "csv", Glb: "glb" });

impl RouteFormat {
    /// Returns the file extension without a dot.
    pub fn extension(self) -> &'static str {
        self.name()
    }
}

impl Sidecars {
    /// Returns the command-line flags for the same sidecars, each with its value, if it has one.
    pub fn flags(&self) -> Vec<(&'static str, Option<String>)> {
        let weights = self.weights.then_some(("--weights", None));
        let routes = self.routes.map(|format| ("--routes", Some(format.extension().to_owned())));
        let voxels = self.voxels.then_some(("--voxels", None));
        let curve = self.distance_curve.map(|sign| ("--distance-curve", Some(sign.name().to_owned())));
        let index = self.index.then_some(("--index", None));
        [weights, routes, voxels, curve, index].into_iter().flatten().collect()
    }

    /// Returns an estimate of the memory needed to write the files for `built`, bytes.
    fn bytes(&self, built: &BuiltTake) -> u64 {
        let weights = built.blended.as_ref().filter(|_| self.weights).map_or(0, |blended| {
            let frames = (blended.length * blended.fps) as u64 + 1;
            let curves = built.character.model.clips.len() as u64 + 8;
            frames.saturating_mul(curves).saturating_mul(BYTES_PER_NUMBER)
        });
        let Some(walked) = built.walked.as_deref() else { return weights };
        let routes = walked.routes.iter().filter(|_| self.routes.is_some()).flat_map(|routes| routes.variants());
        let points: usize = routes.map(|variant| variant.route.points.len()).sum();
        let map = &walked.ground.map;
        let voxels = if self.voxels { BYTES_PER_VOXEL * (map.starts.len() + map.spans.len()) as u64 } else { 0 };
        let curve = walked.walk.as_ref().filter(|_| self.distance_curve.is_some());
        let keys = curve.map_or(0, |walk| walk.distance_curve.times.len());
        let numbers = (NUMBERS_PER_POINT * points + 2 * keys) as u64 * BYTES_PER_NUMBER;
        weights.saturating_add(numbers).saturating_add(voxels)
    }

    /// Adds the sidecars of `built` to `set` and returns their paths; `walk` is the recipe of its walk. Returns `Err` if
    /// they need too much memory.
    pub(super) fn write(
        &self,
        set: &mut FileSet,
        built: &BuiltTake,
        walk: Option<&Walk>,
        place: SidecarPath,
        budget: &Budget,
    ) -> Result<Vec<PathBuf>, ExportError> {
        let _held = budget.reserve(self.bytes(built), &|| format!("Sidecar files of “{}”", place.stem))?;
        let mut written = Vec::new();
        let path = |ending: &str| place.folder.join(format!("{}.{ending}", place.stem));
        if let Some(blended) = built.blended.as_ref().filter(|_| self.weights) {
            let text = format!("{:#}\n", blended.built.export_json(blended.fps, blended.length));
            written.push(path("weights.json"));
            set.write(&path("weights.json"), text.as_bytes())?;
        }
        let Some(walked) = built.walked.as_deref() else { return Ok(written) };
        let Walked { ground, routes, walk: steps, .. } = walked;
        if let (Some(format), Some(routes), Some(walk)) = (self.routes, routes, walk) {
            let path = path(&format!("routes.{}", format.extension()));
            route::write(set, &path, &route_lines(routes, walk))?;
            written.push(path);
        }
        if self.routes.is_some() && routes.as_ref().is_some_and(|routes| !routes.links.is_empty()) {
            let stem = place.folder.join(format!("{}.routes", place.stem));
            written.extend(crossings::write(set, &stem, walked, &Progress::new())?);
        }
        if self.voxels {
            written.push(path("voxels"));
            voxel_map::write(set, &path("voxels"), &ground.map)?;
        }
        let curve = steps.as_ref().map(|steps| &steps.distance_curve).filter(|curve| !curve.times.is_empty());
        if let (Some(sign), Some(curve)) = (self.distance_curve, curve) {
            let path = path("distance.json");
            set.write(&path, &distance_curve::to_bytes(&path, curve, sign)?)?;
            written.push(path);
        }
        Ok(written)
    }
}

/// Returns the routes with their names in `walk`: the pinned ones if there are any, otherwise all.
pub fn route_lines(routes: &LevelRoutes, walk: &Walk) -> Vec<RouteLine> {
    let is_wanted = |variant: &&RouteVariant| walk.pins.is_empty() || walk.pin(variant.seed).is_some();
    let line = |RouteVariant { seed, route, .. }: &RouteVariant| RouteLine {
        name: walk.route_name(*seed),
        seed: *seed,
        points: route.points.clone(),
        times: route.times.clone(),
        seconds: route.seconds,
        optimal: route.optimal,
        bound: route.bound,
        crossings: route.crossings.iter().map(|crossing| [crossing.link as usize, crossing.point]).collect(),
    };
    routes.variants().filter(is_wanted).map(line).collect()
}
