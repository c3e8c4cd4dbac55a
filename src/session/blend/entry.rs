//! Where the clip of an event or of a node is entered best, found in what is built.

use crate::anim::Clip;
use crate::document::{StageId, Take};
use crate::evaluate::{BuiltTake, StageResult};
use crate::message::{Message, message};
use crate::session::{Session, Severity};
use crate::systems::blend::{Action, Entry, Event, NodeKind, PoseSearch};

impl Session {
    /// Lets event `index` of the shown take enter its clip at the frame nearest in pose and velocity to what comes in.
    pub(in crate::session) fn find_entry(&mut self, index: usize) {
        let at = self.selection.stage;
        let built = self.frame().and_then(|frame| frame.built.as_ref());
        let shown = self.shown_take().zip(built);
        let found = shown.and_then(|(take, built)| Some((take.id, entry_of(&take, at, index, built)?)));
        let Some((id, found)) = found else {
            let message = message!(
                "notice.no_entry",
                "No entry was found: the clip of this event is not there, or what comes in is not built yet.",
            );
            return self.notices.say(Severity::Warning, message);
        };
        let events = self.document.take_mut(id).and_then(|take| take.events_mut(at));
        let Some(event) = events.and_then(|events| events.get_mut(index)) else { return };
        event.start = found.time;
        self.notices.say(Severity::Done, entry_message(found));
    }

    /// Lets the clip at node `index` of the shown tree be at the frame nearest in pose and velocity to what plays: where events
    /// start it again at the first of them, else at the playhead.
    pub(in crate::session) fn find_node_entry(&mut self, index: usize) {
        let built = self.frame().and_then(|frame| frame.built.as_ref());
        let shown = self.shown_take().zip(built);
        let playhead = self.playback.time;
        let found = shown.and_then(|(take, built)| Some((take.id, node_entry_of(&take, index, built, playhead)?)));
        let Some((id, NodeEntry { offset, found })) = found else {
            let message = message!(
                "notice.no_node_entry",
                "No entry was found: this node plays no clip that is there, or the tree is not built yet.",
            );
            return self.notices.say(Severity::Warning, message);
        };
        let tree = self.document.take_mut(id).and_then(|take| take.blend_mut()?.settings.tree_mut());
        let Some(NodeKind::Source(source)) = tree.and_then(|tree| tree.nodes.get_mut(index)).map(|node| &mut node.kind)
        else {
            return;
        };
        source.offset = offset;
        self.notices.say(Severity::Done, entry_message(found));
    }
}

/// How event `index` of `take`, of the layer `at` if one is meant, enters its clip best, as `built` has it.
fn entry_of(take: &Take, at: Option<StageId>, index: usize, built: &BuiltTake) -> Option<Entry> {
    let event = take.events(at)?.get(index)?;
    let layer = take.edits_layer(at).map(|layer| take.index_before(layer));
    let (motion, clip) = match layer {
        Some(stage) => {
            let settings = &take.layer(at)?.settings;
            let skill = event.clip.as_deref().unwrap_or(&settings.skill);
            // Takes have other names where they are built; the order is the same.
            let place = settings.clip_names().iter().position(|name| *name == skill)?;
            let StageResult::Layer(layered) = &built.stages.get(stage)?.result else { return None };
            (built.before_stage(stage), layered.clips.get(place).filter(|_| event.action == Action::Cast)?)
        }
        None => {
            let blend = built.blend()?;
            let scenario = blend.settings().standard()?;
            let is_whole = scenario.events.len() == take.events(at)?.len();
            let clip = scenario.events.get(index).filter(|_| is_whole).and_then(|event| scenario.clip_of(event))?;
            (&built.source, blend.clip(clip)?)
        }
    };
    Some(search(built, motion, event.time).entry(clip))
}

/// A frame at which the clip of a node is entered, and the offset that leads there.
struct NodeEntry {
    offset: f64,
    found: Entry,
}

/// How node `index` of the tree of `take` enters its clip best, as `built` has it.
fn node_entry_of(take: &Take, index: usize, built: &BuiltTake, playhead: f64) -> Option<NodeEntry> {
    let drawn = take.blend()?.settings.tree()?;
    let NodeKind::Source(source) = &drawn.nodes.get(index)?.kind else { return None };
    let starts = |event: &Event| event.state.as_ref().is_some_and(|state| source.restarts.contains(state));
    let restart = drawn.resolved_events().into_iter().find(starts).map(|event| event.time);
    let blend = built.blend()?;
    // Takes have other names where they are built; the nodes are the same.
    let NodeKind::Source(played) = &blend.settings().tree()?.nodes.get(index)?.kind else { return None };
    let clip = blend.clip(&played.clip)?;
    let time = restart.unwrap_or_else(|| built.seconds_in(0, playhead).clamp(0.0, built.source.duration));
    let found = search(built, &built.source, time).entry(clip);
    let begins = if restart.is_some() { 0.0 } else { source.speed * time };
    let offset = found.time - begins;
    let is_round = source.looping && clip.duration > 0.0 && restart.is_none();
    let offset = if is_round { offset.rem_euclid(clip.duration) } else { offset };
    Some(NodeEntry { offset, found })
}

/// Looks for what `motion` of the built take is like at `time` (seconds).
fn search<'a>(built: &'a BuiltTake, motion: &'a Clip, time: f64) -> PoseSearch<'a> {
    let hips = built.roles.hips.or(built.root.map(|root| root.joint)).unwrap_or(0);
    let (skeleton, metres_per_unit) = (&built.character.model.skeleton, built.metres_per_unit);
    PoseSearch { skeleton, motion, time, hips, metres_per_unit }
}

fn entry_message(found: Entry) -> Message {
    message!(
        "notice.entry",
        "The clip is entered at %{time} s; there the joints are %{centimetres} cm from where they were, on average.",
        time = format!("{:.2}", found.time),
        centimetres = format!("{:.1}", 100.0 * found.distance)
    )
}
