//! The part of a take that lanes, brushes and panels edit: that of the chosen layer, else of the blend it starts from, else of
//! its first layer.

use super::stage::Layer;
use super::{StageId, Take};
use crate::anim::MaskChoice;
use crate::systems::blend::Event;

impl Take {
    /// The events at hand; `None` where there is neither a layer nor a standard tree.
    pub fn events(&self, at: Option<StageId>) -> Option<&Vec<Event>> {
        if let Some(layer) = self.edits_layer(at) {
            return self.layer(Some(layer)).map(|layer| &layer.settings.events);
        }
        self.blend()?.settings.standard().map(|scenario| &scenario.events)
    }

    /// The events at hand, to edit.
    pub fn events_mut(&mut self, at: Option<StageId>) -> Option<&mut Vec<Event>> {
        if let Some(layer) = self.edits_layer(at) {
            return self.layer_mut(Some(layer)).map(|layer| &mut layer.settings.events);
        }
        self.blend_mut()?.settings.standard_mut().map(|scenario| &mut scenario.events)
    }

    /// The joint weights at hand, to edit; `link` chooses a connection of a drawn tree.
    pub fn mask_mut(&mut self, link: Option<(usize, usize)>, at: Option<StageId>) -> Option<&mut MaskChoice> {
        match self.edits_layer(at) {
            Some(layer) => self.layer_mut(Some(layer)).map(|Layer { settings, .. }| &mut settings.upper),
            None => self.blend_mut()?.mask_mut(link),
        }
    }

    /// The stretch whose windows and target are edited.
    pub fn stretch_at_hand(&self, at: Option<StageId>) -> Option<StageId> {
        let is_stretch = |id: &StageId| self.stage(*id).is_some_and(|stage| stage.kind.as_stretch().is_some());
        let first = || self.stages.iter().map(|stage| stage.id).find(is_stretch);
        at.filter(is_stretch).or_else(first)
    }

    /// How many stages are built before stage `id`.
    pub fn index_before(&self, id: StageId) -> usize {
        let before = self.stages.iter().take_while(|stage| stage.id != id);
        before.filter(|stage| stage.is_active()).count()
    }

    /// The layer that is edited rather than the blend.
    pub fn edits_layer(&self, at: Option<StageId>) -> Option<StageId> {
        let is_layer = |id: &StageId| self.stage(*id).is_some_and(|stage| stage.kind.as_layer().is_some());
        let first = || self.stages.iter().map(|stage| stage.id).find(is_layer).filter(|_| self.blend().is_none());
        at.filter(is_layer).or_else(first)
    }
}
