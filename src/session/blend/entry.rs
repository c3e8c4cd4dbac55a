//! Where the clip of an event is entered best, found in what is built.

use crate::document::TakeId;
use crate::evaluate::StageResult;
use crate::message::message;
use crate::session::{Session, Severity, Shown};
use crate::systems::blend::{Action, Entry, PoseSearch};

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
        let message = message!(
            "notice.entry",
            "The clip is entered at %{time} s; there the joints are %{centimetres} cm from where they were, on average.",
            time = format!("{:.2}", found.time),
            centimetres = format!("{:.1}", 100.0 * found.distance)
        );
        self.notices.say(Severity::Done, message);
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
        let hips = built.roles.hips.or(built.root.map(|root| root.joint)).unwrap_or(0);
        let (skeleton, metres_per_unit) = (&built.character.model.skeleton, built.metres_per_unit);
        let search = PoseSearch { skeleton, motion, time: event.time, hips, metres_per_unit };
        Some((id, search.entry(clip)))
    }
}
