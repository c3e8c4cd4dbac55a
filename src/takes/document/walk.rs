//! A walk used as the source of a take.

mod crossing_range;
mod obstacle_box;
mod own_crossings;

pub use crossing_range::CrossingRange;
pub use obstacle_box::ObstacleBox;
pub use own_crossings::OwnCrossings;

use std::collections::BTreeSet;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::FileId;
use portamento_anim::geometry::UpAxis;
use portamento_walk::locomotion;
use portamento_walk::navigation::RouteSetSettings;
use portamento_walk::navigation::voxels::VoxelSettings;

/// A walk through a level: from the first stop through all others to the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Walk {
    /// The file with the ground, [`Walk::FLAT_GROUND`] without one. The walk uses its unit.
    pub level: FileId,
    /// The up axis of that file.
    pub up: UpAxis,
    /// Voxelization settings: walkable slope, step height and clearances.
    pub voxels: VoxelSettings,
    /// Start, intermediate stops and goal; metres.
    pub stops: Vec<DVec3>,
    /// The compared seeds and the variety between their routes.
    pub routes: RouteSetSettings,
    /// The seed of the route that is walked.
    pub seed: u64,
    /// Routes that are retained regardless of the compared seeds.
    pub pins: Vec<Pin>,
    /// Obstacles and gaps that routes may cross: the sizes for each clip. Without any, routes follow the ground.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crossings: Vec<CrossingRange>,
    /// Crossing with the character's own clips.
    pub own_crossings: OwnCrossings,
    /// Locomotion settings and the clips used.
    pub settings: locomotion::Settings,
}

impl Walk {
    /// The built-in level: flat ground of 40 by 40 m around the origin.
    pub const FLAT_GROUND: FileId = FileId(0);
}

/// A retained route.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pin {
    /// The seed of the route search.
    pub seed: u64,
    /// The name of the route in exported files.
    pub name: String,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            level: Self::FLAT_GROUND,
            up: UpAxis::default(),
            voxels: VoxelSettings::default(),
            stops: Vec::new(),
            routes: RouteSetSettings::default(),
            seed: RouteSetSettings::default().first,
            pins: Vec::new(),
            crossings: Vec::new(),
            own_crossings: OwnCrossings::default(),
            settings: locomotion::Settings::default(),
        }
    }
}

impl Walk {
    /// Returns the pin of this seed.
    pub fn pin(&self, seed: u64) -> Option<&Pin> {
        self.pins.iter().find(|pin| pin.seed == seed)
    }

    /// Pins the route of this seed, or unpins it. A new pin is called `route SEED`.
    pub fn toggle_pin(&mut self, seed: u64) {
        match self.pins.iter().position(|pin| pin.seed == seed) {
            Some(index) => drop(self.pins.remove(index)),
            None => self.pins.push(Pin { seed, name: format!("route {seed}") }),
        }
    }

    /// Returns the seeds outside the compared range that need a route: pinned seeds and the walked one. Sorted, each once.
    pub fn seeds_outside_range(&self) -> impl Iterator<Item = u64> {
        let last = self.routes.first.saturating_add(self.routes.count.max(1) as u64 - 1);
        let compared = self.routes.first..=last;
        let wanted = self.pins.iter().map(|pin| pin.seed).chain([self.seed]);
        wanted.filter(|seed| !compared.contains(seed)).collect::<BTreeSet<_>>().into_iter()
    }

    /// Returns a copy with only the settings that the ground depends on; all others are defaults. The level, its axis and
    /// the voxel settings remain.
    pub fn ground_part(&self) -> Self {
        let Self { level, up, voxels, .. } = self.clone();
        Self { level, up, voxels, ..Self::default() }
    }

    /// Returns a copy with only the settings that the recognition of crossing clips depends on; all others are defaults.
    pub fn clips_part(&self) -> Self {
        let settings = locomotion::Settings { clips: self.settings.clips.clone(), ..Default::default() };
        Self { settings, ..Self::default() }
    }

    /// Returns a copy with only the settings that the search graph depends on; all others are defaults.
    pub fn graph_part(&self) -> Self {
        let (crossings, own_crossings) = (self.crossings.clone(), self.own_crossings);
        Self { crossings, own_crossings, ..self.ground_part() }
    }

    /// Returns a copy with only the settings that the routes depend on; all others are defaults.
    pub fn routes_part(&self) -> Self {
        let (stops, routes) = (self.stops.clone(), self.routes.clone());
        let settings = locomotion::Settings { laps: self.settings.laps.min(1), ..Default::default() };
        Self { stops, routes, settings, pins: self.unnamed_pins(), ..self.graph_part() }
    }

    /// Returns the points to pass, in order: the stops, followed by the first stop again for a closed loop.
    pub fn waypoints(&self) -> Vec<DVec3> {
        let back = self.stops.first().filter(|_| self.settings.laps > 0 && self.stops.len() > 1);
        self.stops.iter().chain(back).copied().collect()
    }

    /// Returns a copy with only the settings that the walk depends on; route names are removed.
    pub(super) fn steps_part(&self) -> Self {
        Self { pins: self.unnamed_pins(), ..self.clone() }
    }

    /// Returns pins without names of the seeds outside the compared range, the walked one included.
    fn unnamed_pins(&self) -> Vec<Pin> {
        self.seeds_outside_range().map(|seed| Pin { seed, name: String::new() }).collect()
    }

    /// Returns the name of the route of this seed: that of its pin, or `route SEED`.
    pub fn route_name(&self, seed: u64) -> String {
        self.pin(seed).map_or_else(|| format!("route {seed}"), |pin| pin.name.clone())
    }
}
