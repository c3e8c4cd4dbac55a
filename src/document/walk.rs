//! A walked way as the start of a take.

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
    #[serde(alias = "fan")]
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
    /// Its seed.
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

    /// The name of the route of that seed: its pin's, or `route 7`.
    pub fn route_name(&self, seed: u64) -> String {
        self.pin(seed).map_or_else(|| format!("route {seed}"), |pin| pin.name.clone())
    }
}
