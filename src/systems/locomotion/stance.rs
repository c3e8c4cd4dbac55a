//! Gaits in which feet do not stand: they skate at any speed, so none is proposed as long as another steps.

use serde::Serialize;

use super::gait::Gait;
use super::sole_tracks::own_share;
use super::{Input, near_ground};

/// Share of a cycle in which a foot stands at least, the mean of all feet. A sprinter's stands for 22 %, and most of a stand shorter
/// than half of that is gone before it is seen.
const LEAST: f64 = 0.1;

/// A clip that steps, but whose feet do not stand.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NoStance {
    /// The clip's name.
    pub clip: String,
    /// Share of a cycle in which its feet stand on average.
    pub stands: f64,
    /// Whether it walks all the same, as it was assigned or nothing else does.
    pub walks: bool,
    /// The clip to walk with in its place.
    pub instead: Option<String>,
}

impl NoStance {
    /// `gait` where its feet do not stand.
    pub(super) fn find(input: &Input, gait: &Gait) -> Option<Self> {
        let size = near_ground::size(input);
        let legs = 0..gait.source.soles();
        let stands = legs.clone().map(|leg| own_share(gait, leg, size, input.metres_per_unit)).sum::<f64>();
        let stands = stands / legs.len().max(1) as f64;
        let clip = gait.source.clip.name.clone();
        (!legs.is_empty() && stands < LEAST).then_some(Self { clip, stands, walks: true, instead: None })
    }
}

/// Takes out of proposed `gaits` those whose feet do not stand, as long as others are left, and tells them.
pub(super) fn leave_out(input: &Input, gaits: &mut Vec<Gait>) -> Vec<NoStance> {
    let mut found: Vec<NoStance> = gaits.iter().filter_map(|gait| NoStance::find(input, gait)).collect();
    let skates = |gait: &Gait| found.iter().any(|each| each.clip == gait.source.clip.name);
    let others = gaits.iter().filter(|gait| !skates(gait));
    // Who would run shall at least go as fast as any other clip does.
    let instead = others.max_by(|a, b| a.speed().total_cmp(&b.speed())).map(|gait| gait.source.clip.name.clone());
    if instead.is_some() {
        gaits.retain(|gait| !skates(gait));
    }
    for each in &mut found {
        (each.walks, each.instead) = (instead.is_none(), instead.clone());
    }
    found
}
