//! Shifts the midpoint of fades that throw a joint in one frame or spin the body.
//!
//! A strike moves fast for a few frames. If a fade is half done at that moment, the rotation of the clip and that of
//! the fade add up, and a joint jumps in one frame. A longer fade would blur the strike; a different midpoint does
//! not. A clip that spins the body must be caught up with: a smoothstep does so at 1.7 times the clip's own speed at
//! any length, but at 1.3 times if the fade is half done after a quarter of its time. A fade that no midpoint repairs
//! may become up to 1.5 times as long.

use std::collections::BTreeSet;

use super::fades::Fades;
use portamento_base::message::{Message, message};
use portamento_blend::{Event, FastTurn};
use portamento_takes::evaluate::JointSpike;

/// A candidate shape of a fade.
#[derive(Clone, Copy)]
struct Shape {
    midpoint: f64,
    /// Factor applied to the fade time.
    time_scale: f64,
}

/// Candidate shapes, smallest change first.
const CANDIDATE_SHAPES: [Shape; 10] = [
    Shape { midpoint: 0.4, time_scale: 1.0 },
    Shape { midpoint: 0.6, time_scale: 1.0 },
    Shape { midpoint: 0.3, time_scale: 1.0 },
    Shape { midpoint: 0.7, time_scale: 1.0 },
    Shape { midpoint: 0.25, time_scale: 1.0 },
    Shape { midpoint: 0.75, time_scale: 1.0 },
    Shape { midpoint: 0.5, time_scale: 1.25 },
    Shape { midpoint: 0.4, time_scale: 1.25 },
    Shape { midpoint: 0.5, time_scale: 1.5 },
    Shape { midpoint: 0.4, time_scale: 1.5 },
];

/// Minimum reduction of [`Outcome::remaining`] for a change to be applied. Tuned; no derivation recorded.
const MIN_REDUCTION: f64 = 0.1;

/// Maximum ratio by which either fault may grow. Tuned; no derivation recorded.
const MAX_GROWTH_RATIO: f64 = 1.02;

/// The faults of a blend with its current events.
struct Outcome {
    thrown: Vec<JointSpike>,
    /// Fades that spin the body faster than allowed.
    hurried: Vec<FastTurn>,
}

/// The reason to change a fade.
enum Reason {
    /// The fade throws the joint of that index.
    Throws(usize),
    /// The fade turns the body at that speed, radians per second.
    Spins(f64),
}

impl Outcome {
    /// Returns by how much joints exceed the throw threshold, summed over all frames, file units.
    fn excess_throw(&self) -> f64 {
        self.thrown.iter().map(|thrown| thrown.over).sum()
    }

    /// Returns by how much fades exceed the allowed turning speed, summed, radians per second.
    fn excess_spin(&self) -> f64 {
        self.hurried.iter().map(|hurried| hurried.speed - hurried.allowed).sum()
    }

    /// Returns the remaining share of the faults in `before`: 2 if nothing changed (1 for each fault), infinite if
    /// one got worse.
    fn remaining(&self, before: &Self) -> f64 {
        let share = |now: f64, before: f64| match before {
            0.0 if now == 0.0 => 1.0,
            before if now <= MAX_GROWTH_RATIO * before && before > 0.0 => now / before,
            _ => f64::INFINITY,
        };
        share(self.excess_throw(), before.excess_throw()) + share(self.excess_spin(), before.excess_spin())
    }

    /// Returns the indices of the events to change, each with the reason, worst fault first. An event may be there several
    /// times.
    fn candidates(&self, events: &[Event]) -> Vec<(usize, Reason)> {
        let mut thrown = self.thrown.clone();
        thrown.sort_by(|a, b| b.over.total_cmp(&a.over));
        let covers = |event: &Event, time: f64| event.time <= time && time <= event.time + event.trans_time;
        let throws = thrown.iter().flat_map(|thrown| {
            let mut fades: Vec<usize> = (0..events.len()).filter(|&i| covers(&events[i], thrown.time)).collect();
            fades.sort_by(|&a, &b| events[b].time.total_cmp(&events[a].time));
            fades.into_iter().map(|event| (event, Reason::Throws(thrown.joint)))
        });
        let spins = self.hurried.iter().map(|hurried| (hurried.event, Reason::Spins(hurried.speed)));
        throws.chain(spins).collect()
    }
}

impl Fades<'_> {
    /// Changes the midpoint, and if needed the time, of every fade that throws a joint or spins the body, as far as
    /// that helps. Returns one message per change, in order of time. Fades with an edited midpoint are not changed. The
    /// blend is built for every shape that is tried, which is slow.
    pub fn shift_midpoints(&mut self) -> Vec<Message> {
        let (mut tried, mut changed) = (BTreeSet::new(), Vec::new());
        while let Some(now) = self.outcome() {
            let Some(events) = self.events() else { break };
            let mut open = now.candidates(events).into_iter();
            let is_plain = |event: usize| events[event].midpoint == Event::default().midpoint;
            let Some((event, reason)) = open.find(|(event, _)| is_plain(*event) && !tried.contains(event)) else {
                break;
            };
            tried.insert(event);
            if let Some(before) = self.shift_midpoint(event, &now) {
                changed.push((event, before, reason));
            }
        }
        changed.sort_by(|(_, a, _), (_, b, _)| a.time.total_cmp(&b.time));
        changed.iter().filter_map(|(event, before, reason)| self.change_message(*event, before, reason)).collect()
    }

    /// Applies the best shape to the fade of the `index`-th event. Returns the original event if a shape helped enough;
    /// otherwise restores it and returns `None`.
    fn shift_midpoint(&mut self, index: usize, now: &Outcome) -> Option<Event> {
        let before = self.events()?.get(index)?.clone();
        let (mut best, mut least) = (None, now.remaining(now));
        for Shape { midpoint, time_scale } in CANDIDATE_SHAPES {
            let shaped = Event { midpoint, trans_time: time_scale * before.trans_time, ..before.clone() };
            *self.events()?.get_mut(index)? = shaped.clone();
            let Some(outcome) = self.outcome() else { continue };
            let left = outcome.remaining(now);
            if left < least - MIN_REDUCTION {
                (best, least) = (Some(shaped), left);
            }
            if left.is_finite() && outcome.thrown.is_empty() && outcome.excess_spin() == 0.0 {
                break;
            }
        }
        *self.events()?.get_mut(index)? = best.clone().unwrap_or_else(|| before.clone());
        best.map(|_| before)
    }

    /// Returns the faults of the current blend; `None` if the blend cannot be built.
    fn outcome(&mut self) -> Option<Outcome> {
        let blended = self.built()?.blended.clone()?;
        Some(Outcome { thrown: blended.thrown.clone(), hurried: blended.hurried.clone() })
    }

    /// Returns the message for the changed fade of event `index`, which was `before`; `None` if the event or the built take is
    /// missing.
    fn change_message(&mut self, index: usize, before: &Event, reason: &Reason) -> Option<Message> {
        let now = self.events()?.get(index)?.clone();
        let built = self.built()?;
        Some(match reason {
            Reason::Throws(joint) => message!(
                "notice.fade_bent",
                "Event at %{time} s: the fade is now half done after %{half} s and done after %{whole} s (before: %{old_half} s and %{old_whole} s), \
                 because it moved %{joint} abruptly in one frame.",
                time = format!("{:.2}", now.time),
                half = format!("{:.2}", now.midpoint * now.trans_time),
                whole = format!("{:.2}", now.trans_time),
                old_half = format!("{:.2}", before.midpoint * before.trans_time),
                old_whole = format!("{:.2}", before.trans_time),
                joint = built.character.model.skeleton.joints[*joint].name.clone()
            ),
            Reason::Spins(speed) => message!(
                "notice.fade_bent_spins",
                "Event at %{time} s: the fade is now half done after %{half} s and done after %{whole} s (before: %{old_half} s and %{old_whole} s), \
                 because it turned the body at %{speed}° per second.",
                time = format!("{:.2}", now.time),
                half = format!("{:.2}", now.midpoint * now.trans_time),
                whole = format!("{:.2}", now.trans_time),
                old_half = format!("{:.2}", before.midpoint * before.trans_time),
                old_whole = format!("{:.2}", before.trans_time),
                speed = format!("{:.0}", speed.to_degrees())
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Command, EditCommand, FileCommand, Session};
    use portamento_blend::{Action, Event, Scenario, Settings};
    use portamento_takes::document::take::Blend;
    use portamento_takes::document::{Take, TakeId, TakeSource};

    /// Builds a scenario in which a robot stands, punches and stands again.
    fn with_robot(trans_time: f64, check: impl FnOnce(&mut Session, TakeId)) {
        let Some(folder) = portamento_test_support::corpus("wild") else { return };
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![folder.join("robot_expressive.glb")])));
        let (id, character) = (TakeId(session.document.fresh_id()), session.document.files[0].id);
        let event = |(time, action): (f64, Action)| Event { time, action, trans_time, ..Event::default() };
        let events = [(0.0, Action::Stand), (0.7, Action::Cast), (1.4, Action::Stand)].map(event).to_vec();
        let [run, stand, skill] = ["Running", "Idle", "Punch"].map(str::to_owned);
        let settings =
            Settings::Scenario(Scenario { run, stand, skill, skill_holds: true, events, ..Scenario::default() });
        let source = TakeSource::Scenario(Box::new(Blend { settings, ..Blend::default() }));
        session.document.takes.push(Take {
            id,
            name: "blend".into(),
            character,
            source,
            stages: Vec::new(),
            loops: None,
        });
        check(&mut session, id);
    }

    fn excess_throw(session: &mut Session, take: TakeId) -> f64 {
        session.fades(take).outcome().unwrap().excess_throw()
    }

    fn midpoints(session: &mut Session, take: TakeId) -> Vec<f64> {
        session.fades(take).events().unwrap().iter().map(|event| event.midpoint).collect()
    }

    #[test]
    fn shifting_the_midpoint_removes_the_arm_jump_of_a_punch() {
        with_robot(0.4, |session, take| {
            assert!(excess_throw(session, take) > 0.0);
            session.perform(Command::Edit(EditCommand::ShiftFadeMidpoints(take)));
            assert_eq!(excess_throw(session, take), 0.0, "{:?}", midpoints(session, take));
            let changed = midpoints(session, take);
            assert!(changed[0] == 0.5 && changed[1] != 0.5 && changed[2] == 0.5, "{changed:?}");
            assert_eq!(session.fades(take).shift_midpoints(), []);
        });
    }

    #[test]
    fn a_repeated_spinning_skill_gets_an_early_midpoint() {
        let Some(folder) = portamento_test_support::corpus("characters") else { return };
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![folder.join("knight.glb")])));
        let (id, character) = (TakeId(session.document.fresh_id()), session.document.files[0].id);
        let event = |(time, action)| Event { time, action, trans_time: 0.4, ..Event::default() };
        let events = [(0.0, Action::Run), (1.1, Action::Cast), (2.2, Action::Stop), (2.58, Action::Cast)];
        let [run, stand, skill] = ["Running_A", "Unarmed_Idle", "2H_Melee_Attack_Spinning"].map(str::to_owned);
        let events = events.map(event).to_vec();
        let scenario = Scenario { run, stand, skill, skill_holds: true, events, ..Scenario::default() };
        let blend = Blend { settings: Settings::Scenario(scenario), ..Blend::default() };
        let source = TakeSource::Scenario(Box::new(blend));
        session.document.takes.push(Take {
            id,
            name: "blend".into(),
            character,
            source,
            stages: Vec::new(),
            loops: None,
        });
        let before = session.fades(id).outcome().unwrap().excess_spin();
        assert_eq!(session.fades(id).shift_midpoints().len(), 1);
        let after = session.fades(id).outcome().unwrap().excess_spin();
        assert!(after < 0.7 * before, "{before} {after}");
        assert_eq!(midpoints(&mut session, id), [0.5, 0.5, 0.5, 0.25]);
    }

    #[test]
    fn fades_without_faults_or_with_an_edited_midpoint_are_not_changed() {
        with_robot(0.4, |session, take| {
            session.fades(take).events().unwrap()[1].midpoint = 0.45;
            session.fades(take).shift_midpoints();
            assert_eq!(midpoints(session, take), [0.5, 0.45, 0.5]);
            session.fades(take).events().unwrap().truncate(1);
            assert_eq!(session.fades(take).shift_midpoints(), []);
        });
    }
}
