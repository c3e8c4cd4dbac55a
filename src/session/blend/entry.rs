//! Search for the best entry frame of an event's or a node's clip.

use crate::{Session, Severity};
use portamento_anim::Clip;
use portamento_base::message::{Message, message};
use portamento_blend::{Action, Entry, Event, NodeKind, PoseSearch};
use portamento_takes::document::{StageId, Take};
use portamento_takes::evaluate::{BuiltTake, StageResult};

impl Session {
    /// Sets the start of event `index` to the clip frame nearest in pose and velocity to the motion at the event. It is an
    /// event of the edited layer or blend of the shown take. A notice tells the result.
    pub(crate) fn find_entry(&mut self, index: usize) {
        let at = self.selection.stage;
        let built = self.frame().and_then(|frame| frame.built.as_ref());
        let shown = self.shown_take().zip(built);
        let entry = shown.and_then(|(take, built)| Some((take.id, entry_of(&take, at, index, built)?)));
        let Some((id, entry)) = entry else {
            let message = message!(
                "notice.no_entry",
                "No entry frame found: the clip of this event is missing, or the incoming motion is not built yet.",
            );
            return self.notices.add(Severity::Warning, message);
        };
        let events = self.document.take_mut(id).and_then(|take| take.events_mut(at));
        let Some(event) = events.and_then(|events| events.get_mut(index)) else { return };
        event.start = entry.time;
        self.notices.add(Severity::Done, entry_message(entry));
    }

    /// Sets the offset of node `index` of the shown tree to the clip frame nearest in pose and velocity to the
    /// motion: at the first event that restarts the node, otherwise at the playhead. A notice tells the result.
    pub(crate) fn find_node_entry(&mut self, index: usize) {
        let built = self.frame().and_then(|frame| frame.built.as_ref());
        let shown = self.shown_take().zip(built);
        let playhead = self.playback.time;
        let entry = shown.and_then(|(take, built)| Some((take.id, node_entry_of(&take, index, built, playhead)?)));
        let Some((id, NodeEntry { offset, entry })) = entry else {
            let message = message!(
                "notice.no_node_entry",
                "No entry frame found: the clip of this node is missing, or the tree is not built yet.",
            );
            return self.notices.add(Severity::Warning, message);
        };
        let tree = self.document.take_mut(id).and_then(|take| take.blend_mut()?.settings.tree_mut());
        let Some(NodeKind::Source(source)) = tree.and_then(|tree| tree.nodes.get_mut(index)).map(|node| &mut node.kind)
        else {
            return;
        };
        source.offset = offset;
        self.notices.add(Severity::Done, entry_message(entry));
    }
}

/// Returns the best entry of event `index` of `take`, or of its layer `at` if given. `None` if the event starts no clip or
/// `built` is of another take.
fn entry_of(take: &Take, at: Option<StageId>, index: usize, built: &BuiltTake) -> Option<Entry> {
    let event = take.events(at)?.get(index)?;
    let layer = take.edited_layer(at).map(|layer| take.active_stages_before(layer));
    let (motion, clip) = match layer {
        Some(stage) => {
            let settings = &take.layer(at)?.settings;
            let skill = event.clip.as_deref().unwrap_or(&settings.skill);
            // Built takes use other clip names, but the order is the same.
            let clip_index = settings.clip_names().iter().position(|name| *name == skill)?;
            let StageResult::Layer(layered) = &built.stages.get(stage)?.result else { return None };
            (built.before_stage(stage), layered.clips.get(clip_index).filter(|_| event.action == Action::Cast)?)
        }
        None => {
            let blend = built.blend()?;
            let scenario = blend.settings().standard()?;
            let has_all_events = scenario.events.len() == take.events(at)?.len();
            let clip =
                scenario.events.get(index).filter(|_| has_all_events).and_then(|event| scenario.clip_of(event))?;
            (&built.source, blend.clip(clip)?)
        }
    };
    Some(search(built, motion, event.time).entry(clip))
}

/// The entry frame of a node's clip, and the offset that selects it.
struct NodeEntry {
    offset: f64,
    entry: Entry,
}

/// Returns the best entry of node `index` of the tree of `take`: at the event that restarts the node, else at `playhead`
/// (seconds of the result). `None` if the node plays no clip. The offset is in seconds.
fn node_entry_of(take: &Take, index: usize, built: &BuiltTake, playhead: f64) -> Option<NodeEntry> {
    let drawn = take.blend()?.settings.tree()?;
    let NodeKind::Source(source) = &drawn.nodes.get(index)?.kind else { return None };
    let starts = |event: &Event| event.state.as_ref().is_some_and(|state| source.restarts.contains(state));
    let restart = drawn.resolved_events().into_iter().find(starts).map(|event| event.time);
    let blend = built.blend()?;
    // Built takes use other clip names, but the node indices are the same.
    let NodeKind::Source(played) = &blend.settings().tree()?.nodes.get(index)?.kind else { return None };
    let clip = blend.clip(&played.clip)?;
    let time = restart.unwrap_or_else(|| built.input_time(0, playhead).clamp(0.0, built.source.duration));
    let entry = search(built, &built.source, time).entry(clip);
    let begins = if restart.is_some() { 0.0 } else { source.speed * time };
    let offset = entry.time - begins;
    let wraps = source.looping && clip.duration > 0.0 && restart.is_none();
    let offset = if wraps { offset.rem_euclid(clip.duration) } else { offset };
    Some(NodeEntry { offset, entry })
}

/// Returns a pose search for the state of `motion` at `time` (seconds).
fn search<'a>(built: &'a BuiltTake, motion: &'a Clip, time: f64) -> PoseSearch<'a> {
    let hips = built.roles.hips.or(built.root.map(|root| root.joint)).unwrap_or(0);
    let (skeleton, metres_per_unit) = (&built.character.model.skeleton, built.metres_per_unit);
    PoseSearch { skeleton, motion, time, hips, metres_per_unit }
}

/// Returns the notice about the new start of a clip and the distance of its pose.
fn entry_message(entry: Entry) -> Message {
    message!(
        "notice.entry",
        "The clip now starts at %{time} s. The joints differ by %{centimetres} cm on average there.",
        time = format!("{:.2}", entry.time),
        centimetres = format!("{:.1}", 100.0 * entry.distance)
    )
}
