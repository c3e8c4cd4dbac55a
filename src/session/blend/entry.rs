//! Where the clip of an event or of a node is entered best, found in what is built.

use crate::anim::Clip;
use crate::document::TakeId;
use crate::evaluate::{BuiltTake, StageResult};
use crate::message::{Message, message};
use crate::session::{Session, Severity, Shown};
use crate::systems::blend::{Action, Entry, Event, NodeKind, PoseSearch};

impl Session {
    /// Lets event `index` of the shown take enter its clip at the frame nearest in pose and velocity to what comes in.
    pub(in crate::session) fn find_entry(&mut self, index: usize) {
        let Some((id, found)) = self.entry_of(index) else {
            let message = message!(
                "notice.no_entry",
                "No entry was found: the clip of this event is not there, or what comes in is not built yet.",
            );
            return self.notices.say(Severity::Warning, message);
        };
        let at = self.selection.stage;
        let events = self.document.take_mut(id).and_then(|take| take.events_mut(at));
        let Some(event) = events.and_then(|events| events.get_mut(index)) else { return };
        event.start = found.time;
        self.notices.say(Severity::Done, entry_message(found));
    }

    fn entry_of(&mut self, index: usize) -> Option<(TakeId, Entry)> {
        let Shown::Take(id) = self.selection.shown else { return None };
        let built = self.frame()?.built.clone()?;
        let take = self.document.take(id)?;
        let at = self.selection.stage;
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
        Some((id, search(&built, motion, event.time).entry(clip)))
    }

    /// Lets the clip at node `index` of the shown tree be at the frame nearest in pose and velocity to what plays: where events
    /// start it again at the first of them, else at the playhead.
    pub(in crate::session) fn find_node_entry(&mut self, index: usize) {
        let Some((id, offset, found)) = self.node_entry_of(index) else {
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

    /// The take, the offset of the clip at node `index`, and the frame that is entered.
    fn node_entry_of(&mut self, index: usize) -> Option<(TakeId, f64, Entry)> {
        let Shown::Take(id) = self.selection.shown else { return None };
        let playhead = self.playback.time;
        let built = self.frame()?.built.clone()?;
        let drawn = self.document.take(id)?.blend()?.settings.tree()?;
        let NodeKind::Source(source) = &drawn.nodes.get(index)?.kind else { return None };
        let starts = |event: &Event| event.state.as_ref().is_some_and(|state| source.restarts.contains(state));
        let restart = drawn.resolved_events().into_iter().find(starts).map(|event| event.time);
        let blend = built.blend()?;
        // Takes have other names where they are built; the nodes are the same.
        let NodeKind::Source(played) = &blend.settings().tree()?.nodes.get(index)?.kind else { return None };
        let clip = blend.clip(&played.clip)?;
        let time = restart.unwrap_or_else(|| built.seconds_in(0, playhead).clamp(0.0, built.source.duration));
        let found = search(&built, &built.source, time).entry(clip);
        let begins = if restart.is_some() { 0.0 } else { source.speed * time };
        let offset = found.time - begins;
        let is_round = source.looping && clip.duration > 0.0 && restart.is_none();
        Some((id, if is_round { offset.rem_euclid(clip.duration) } else { offset }, found))
    }
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
