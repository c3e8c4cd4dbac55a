//! Gaits without stance: their feet skate, so they are reported. They walk at the speed of what contact there is.

use serde::Serialize;

use super::gait::Gait;
use crate::locomotion::Input;
use crate::locomotion::feet::near_ground;
use crate::locomotion::feet::sole_tracks::clip_stance_share;

/// Smallest mean stance share of a cycle. A sprinter's foot stands for 22 %, and most of a stance shorter than half of
/// that is lost in detection.
const STANCE_MIN_SHARE: f64 = 0.1;

/// A clip that steps, but whose feet have no stance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NoStance {
    /// The clip's name.
    pub clip: String,
    /// Mean stance share of its feet over a cycle.
    pub stands: f64,
    /// True if the walk uses it.
    pub walks: bool,
    /// The suggested replacement.
    pub instead: Option<String>,
}

impl NoStance {
    /// Returns a finding for `gait` if its feet have no stance.
    pub(crate) fn find(input: &Input, gait: &Gait) -> Option<Self> {
        let size = near_ground::body_height(input);
        let legs = 0..gait.source.leg_count();
        let total = legs.clone().map(|leg| clip_stance_share(gait, leg, size, input.metres_per_unit)).sum::<f64>();
        let stance_share = total / legs.len().max(1) as f64;
        let clip = gait.source.clip.name.clone();
        (!legs.is_empty() && stance_share < STANCE_MIN_SHARE).then_some(Self {
            clip,
            stands: stance_share,
            walks: true,
            instead: None,
        })
    }
}

/// Returns the `gaits` without stance, with the fastest of the other gaits as replacement.
pub(crate) fn without_stance(input: &Input, gaits: &[Gait]) -> Vec<NoStance> {
    let mut found: Vec<NoStance> = gaits.iter().filter_map(|gait| NoStance::find(input, gait)).collect();
    let skates = |gait: &&Gait| found.iter().any(|each| each.clip == gait.source.clip.name);
    let others = gaits.iter().filter(|gait| !skates(gait));
    let instead = others.max_by(|a, b| a.speed().total_cmp(&b.speed())).map(|gait| gait.source.clip.name.clone());
    found.iter_mut().for_each(|each| each.instead.clone_from(&instead));
    found
}
