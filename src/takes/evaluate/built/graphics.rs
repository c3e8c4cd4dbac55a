//! Trail, contacts and key times of a built take, computed once.

use std::sync::{Arc, OnceLock};

use super::BuiltTake;
use crate::evaluate::overlay::{FootContacts, Trail, contacts_of_feet, travel_trail};

/// The graphics of an output clip that depend on all of its frames.
#[derive(Clone, Debug)]
pub struct TakeGraphics {
    /// The path of the output; `None` if the character stays in place.
    pub trail: Option<Trail>,
    /// Contact intervals of each foot.
    pub feet: Vec<FootContacts>,
    /// Key times in seconds, sorted, each once.
    pub key_times: Arc<[f64]>,
}

/// The graphics of a take once they are computed. A clone is empty, because a copy of a take may get another clip.
#[derive(Debug, Default)]
pub(in crate::evaluate) struct ComputedGraphics(OnceLock<TakeGraphics>);

impl Clone for ComputedGraphics {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl BuiltTake {
    /// Returns trail, contacts and key times of the output. The first call takes about a second for a capture of 20 minutes, so
    /// that background builds make it.
    pub fn graphics(&self) -> &TakeGraphics {
        self.graphics.0.get_or_init(|| TakeGraphics {
            trail: travel_trail(self),
            feet: contacts_of_feet(self),
            key_times: self.clip.distinct_key_times().into_iter().map(f64::from).collect(),
        })
    }
}
