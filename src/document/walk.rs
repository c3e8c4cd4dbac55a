//! A walked way as the start of a take.

use std::collections::BTreeSet;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::FileId;
use crate::geometry::UpAxis;
use crate::systems::locomotion;
use crate::systems::navigation::RouteSetSettings;
use crate::systems::navigation::voxels::VoxelSettings;

/// A walk through a level: from the first of the stops through all others to the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Walk {
    /// The file with the ground; its unit is the file's.
    pub level: FileId,
    /// Which axis of that file is up.
    pub up: UpAxis,
    /// What can be walked on and how fast.
    pub voxels: VoxelSettings,
    /// Start, places to pass and goal; metres.
    pub stops: Vec<DVec3>,
    /// Which seeds are compared, and how much they differ.
    pub routes: RouteSetSettings,
    /// The seed whose route is walked.
    pub seed: u64,
    /// Routes that are kept whatever seeds are compared.
    pub pins: Vec<Pin>,
    /// How the character moves and with which clips.
    pub settings: locomotion::Settings,
}

/// A route that is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pin {
    /// The seed that the route search was given.
    pub seed: u64,
    /// Its name in files that are exported.
    pub name: String,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            level: FileId(0),
            up: UpAxis::default(),
            voxels: VoxelSettings::default(),
            stops: Vec::new(),
            routes: RouteSetSettings::default(),
            seed: RouteSetSettings::default().first,
            pins: Vec::new(),
            settings: locomotion::Settings::default(),
        }
    }
}

impl Walk {
    /// The pin of that seed.
    pub fn pin(&self, seed: u64) -> Option<&Pin> {
        self.pins.iter().find(|pin| pin.seed == seed)
    }

    /// Keeps the route of that seed, or lets it go.
    pub fn toggle_pin(&mut self, seed: u64) {
        match self.pins.iter().position(|pin| pin.seed == seed) {
            Some(index) => drop(self.pins.remove(index)),
            None => self.pins.push(Pin { seed, name: format!("route {seed}") }),
        }
    }

    /// The seeds that must have a route though they are not among those compared, in order, each once.
    pub fn seeds_beside(&self) -> impl Iterator<Item = u64> {
        let last = self.routes.first.saturating_add(self.routes.count.max(1) as u64 - 1);
        let compared = self.routes.first..=last;
        let wanted = self.pins.iter().map(|pin| pin.seed).chain([self.seed]);
        wanted.filter(|seed| !compared.contains(seed)).collect::<BTreeSet<_>>().into_iter()
    }

    /// What the ground of the level depends on; the rest at its defaults.
    pub fn ground_part(&self) -> Self {
        let Self { level, up, voxels, .. } = self.clone();
        Self { level, up, voxels, ..Self::default() }
    }

    /// What the routes across the level depend on; the rest at its defaults.
    pub fn routes_part(&self) -> Self {
        let (stops, routes) = (self.stops.clone(), self.routes.clone());
        let settings = locomotion::Settings { laps: self.settings.laps.min(1), ..Default::default() };
        Self { stops, routes, settings, pins: self.unnamed_pins(), ..self.ground_part() }
    }

    /// The places to pass, in order: the stops, and the first of them again where the way is walked round.
    pub fn way(&self) -> Vec<DVec3> {
        let back = self.stops.first().filter(|_| self.settings.laps > 0 && self.stops.len() > 1);
        self.stops.iter().chain(back).copied().collect()
    }

    /// All that the walk depends on: the names of routes do not matter.
    pub(super) fn steps_part(&self) -> Self {
        Self { pins: self.unnamed_pins(), ..self.clone() }
    }

    fn unnamed_pins(&self) -> Vec<Pin> {
        self.seeds_beside().map(|seed| Pin { seed, name: String::new() }).collect()
    }

    /// The name of the route of that seed: its pin's, or `route 7`.
    pub fn route_name(&self, seed: u64) -> String {
        self.pin(seed).map_or_else(|| format!("route {seed}"), |pin| pin.name.clone())
    }
}
