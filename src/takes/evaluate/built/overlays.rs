//! The overlays of a built take, computed once.

use std::sync::{Arc, Mutex, PoisonError};

use super::BuiltTake;
use crate::evaluate::overlay::{Overlay, overlay};

/// The computed overlays by the index of their stretch or crossing. A clone is empty, because a copy of a take may get another clip.
#[derive(Debug, Default)]
pub(in crate::evaluate) struct Overlays(Mutex<Vec<(Option<usize>, Arc<Overlay>)>>);

impl Clone for Overlays {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl BuiltTake {
    /// Returns the overlay with the handles of the stretch or crossing at stage index `at`, else of the first one. The first call
    /// takes about a second for a capture of 20 minutes. Later calls return the same one.
    pub fn overlay(&self, at: Option<usize>) -> Arc<Overlay> {
        let index = self.handled_index(at);
        let mut known = self.overlays.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, overlay)) = known.iter().find(|(of, _)| *of == index) {
            return overlay.clone();
        }
        let new = Arc::new(overlay(self, index));
        known.push((index, new.clone()));
        new
    }

    /// Computes the overlays of all stretches and crossings, so that none is computed between two displayed frames.
    pub(in crate::evaluate) fn prepare_overlays(&self) {
        let handled = (0..self.stages.len()).filter(|&index| self.handled_index(Some(index)) == Some(index));
        [None].into_iter().chain(handled.map(Some)).for_each(|at| _ = self.overlay(at));
    }
}
