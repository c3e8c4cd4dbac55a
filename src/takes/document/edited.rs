//! The part of a take that timeline lanes, brushes and panels edit: the selected layer, else the source blend, else the first
//! layer.

use super::stage::Layer;
use super::{StageId, Take};
use portamento_anim::MaskChoice;
use portamento_blend::{Event, NodeKind, Settings, State, StateEvent};

/// Editable events of the current lane, with a common index: first those of the standard tree or layer, then the state events of
/// a graph. An index without an event changes nothing.
#[derive(Debug, Default)]
pub struct EventTrack<'a> {
    standard: Option<&'a mut Vec<Event>>,
    to_states: Option<StateTrack<'a>>,
}

/// The state events of a graph. A state provides the default transition time of its events.
#[derive(Debug)]
struct StateTrack<'a> {
    states: &'a [State],
    events: &'a mut Vec<StateEvent>,
}

impl EventTrack<'_> {
    fn standard_count(&self) -> usize {
        self.standard.as_ref().map_or(0, |events| events.len())
    }

    /// Moves event `index` to `time`, seconds of the lane, clamped to at least 0. Does nothing if there is no such event.
    pub fn move_event(&mut self, index: usize, time: f64) {
        let count = self.standard_count();
        if let Some(event) = self.standard.as_mut().and_then(|events| events.get_mut(index)) {
            event.time = time.max(0.0);
        } else if let Some(track) = &mut self.to_states
            && let Some(event) = track.events.get_mut(index.wrapping_sub(count))
        {
            event.time = time.max(0.0);
        }
    }

    /// Sets the transition of event `index` to end at `time` (seconds), but not before the event. A length equal to the default of
    /// its state is stored as `None`.
    pub fn set_transition_end(&mut self, index: usize, time: f64) {
        let count = self.standard_count();
        if let Some(event) = self.standard.as_mut().and_then(|events| events.get_mut(index)) {
            event.trans_time = (time - event.time).max(0.0);
        } else if let Some(StateTrack { states, events }) = &mut self.to_states
            && let Some(event) = events.get_mut(index.wrapping_sub(count))
        {
            let default_seconds = states.iter().find(|state| state.name == event.state).map(|state| state.trans_time);
            let trans_seconds = (time - event.time).max(0.0);
            // Dragging is not more precise than a microsecond.
            let is_default =
                default_seconds.is_some_and(|default_seconds| (trans_seconds - default_seconds).abs() < 1e-6);
            event.trans_time = Some(trans_seconds).filter(|_| !is_default);
        }
    }

    /// Removes event `index`.
    pub fn remove(&mut self, index: usize) {
        let count = self.standard_count();
        if let Some(events) = self.standard.as_mut().filter(|events| index < events.len()) {
            events.remove(index);
        } else if let Some(track) = &mut self.to_states
            && index.wrapping_sub(count) < track.events.len()
        {
            track.events.remove(index - count);
        }
    }
}

impl Take {
    /// Returns all events of the current lane in the order of [`EventTrack`]; `None` if there is no layer, standard tree or graph
    /// with states. `at` is the selected stage, here and below: it is edited if it is a layer. Otherwise the source blend
    /// is, or else the first layer.
    pub fn lane_events(&self, at: Option<StageId>) -> Option<Vec<Event>> {
        let standard = self.events(at).cloned();
        let tree = match self.edited_layer(at) {
            Some(_) => None,
            None => self.blend().and_then(|blend| blend.settings.tree()),
        };
        let Some(tree) = tree.filter(|tree| !tree.states.is_empty()) else { return standard };
        let to_states = tree.events.iter().map(|event| tree.resolved(event));
        Some(standard.into_iter().flatten().chain(to_states).collect())
    }

    /// Returns the events of [`Take::lane_events`] for editing.
    pub fn event_track(&mut self, at: Option<StageId>) -> EventTrack<'_> {
        if let Some(layer) = self.edited_layer(at) {
            let standard = self.layer_mut(Some(layer)).map(|layer| &mut layer.settings.events);
            return EventTrack { standard, to_states: None };
        }
        match self.blend_mut().map(|blend| &mut blend.settings) {
            None => EventTrack::default(),
            Some(Settings::Scenario(scenario)) => EventTrack { standard: Some(&mut scenario.events), to_states: None },
            Some(Settings::Tree(tree)) => {
                let standard = tree.nodes.iter_mut().find_map(|node| match &mut node.kind {
                    NodeKind::Standard(scenario) => Some(&mut scenario.events),
                    _ => None,
                });
                EventTrack { standard, to_states: Some(StateTrack { states: &tree.states, events: &mut tree.events }) }
            }
        }
    }

    /// Returns the events of the layer that [`Take::edited_layer`] gives for `at`, else those of the standard tree of
    /// the source blend. `None` if there is neither.
    pub fn events(&self, at: Option<StageId>) -> Option<&Vec<Event>> {
        if let Some(layer) = self.edited_layer(at) {
            return self.layer(Some(layer)).map(|layer| &layer.settings.events);
        }
        self.blend()?.settings.standard().map(|scenario| &scenario.events)
    }

    /// Returns the events of [`Take::events`], mutably.
    pub fn events_mut(&mut self, at: Option<StageId>) -> Option<&mut Vec<Event>> {
        if let Some(layer) = self.edited_layer(at) {
            return self.layer_mut(Some(layer)).map(|layer| &mut layer.settings.events);
        }
        self.blend_mut()?.settings.standard_mut().map(|scenario| &mut scenario.events)
    }

    /// Returns the joint mask of the layer that [`Take::edited_layer`] gives for `at`, else that of the source blend,
    /// mutably. In a graph, `link` selects a connection by a node and its input. `None` if there is no such mask.
    pub fn mask_mut(&mut self, link: Option<(usize, usize)>, at: Option<StageId>) -> Option<&mut MaskChoice> {
        match self.edited_layer(at) {
            Some(layer) => self.layer_mut(Some(layer)).map(|Layer { settings, .. }| &mut settings.upper),
            None => self.blend_mut()?.mask_mut(link),
        }
    }

    /// Returns the stretch whose windows and target are edited: stage `at`, or the first stretch. `None` if the take
    /// has none.
    pub fn selected_or_first_stretch(&self, at: Option<StageId>) -> Option<StageId> {
        let is_stretch = |id: &StageId| self.stage(*id).is_some_and(|stage| stage.kind.as_stretch().is_some());
        let first = || self.stages.iter().map(|stage| stage.id).find(is_stretch);
        at.filter(is_stretch).or_else(first)
    }

    /// Returns the number of active stages before stage `id`. If no stage has the id, all count.
    pub fn active_stages_before(&self, id: StageId) -> usize {
        let before = self.stages.iter().take_while(|stage| stage.id != id);
        before.filter(|stage| stage.is_active()).count()
    }

    /// Returns the layer that is edited instead of the source blend, if any. It is stage `at` if that is a layer.
    /// Otherwise it is the first layer, but only if the source is no blend.
    pub fn edited_layer(&self, at: Option<StageId>) -> Option<StageId> {
        let is_layer = |id: &StageId| self.stage(*id).is_some_and(|stage| stage.kind.as_layer().is_some());
        let first = || self.stages.iter().map(|stage| stage.id).find(is_layer).filter(|_| self.blend().is_none());
        at.filter(is_layer).or_else(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::take::Blend;
    use crate::document::{FileId, TakeId, TakeSource};
    use portamento_blend::{Scenario, Tree};

    #[test]
    fn standard_events_and_state_events_share_one_lane() {
        let standard = Scenario { events: vec![Event::default()], ..Scenario::default() };
        let mut tree = Tree::default();
        tree.add("Standard", NodeKind::Standard(Box::new(standard)));
        tree.add_state("guard");
        tree.events.push(StateEvent { time: 1.0, state: "guard".into(), ..StateEvent::default() });
        let source = TakeSource::Scenario(Box::new(Blend { settings: Settings::Tree(tree), ..Blend::default() }));
        let mut take =
            Take { id: TakeId(1), name: "take".into(), character: FileId(1), source, stages: Vec::new(), loops: None };
        let lane = |take: &Take| take.lane_events(None).unwrap();
        assert_eq!((lane(&take).len(), lane(&take)[1].state.as_deref()), (2, Some("guard")));
        take.event_track(None).move_event(1, 1.5);
        take.event_track(None).set_transition_end(1, 2.25);
        take.event_track(None).move_event(0, 0.5);
        assert_eq!(lane(&take).iter().map(|event| event.time).collect::<Vec<_>>(), [0.5, 1.5]);
        assert_eq!(lane(&take)[1].trans_time, 0.75);
        let default_seconds = State::default().trans_time;
        take.event_track(None).set_transition_end(1, 1.5 + default_seconds);
        let Settings::Tree(tree) = &take.blend().unwrap().settings else { panic!("a tree") };
        assert_eq!(tree.events[0].trans_time, None, "the default of its state");
        take.event_track(None).remove(0);
        take.event_track(None).remove(7);
        assert_eq!(lane(&take).len(), 1);
        take.event_track(None).remove(0);
        assert!(lane(&take).is_empty());
    }
}
