//! Fades that throw a joint in one frame, or whose body spins whatever time they have, get another shape.
//!
//! A strike is quick for a few frames. Where a fade is half done just then, what the clip turns and what the fade turns add up, and
//! a joint is thrown in one frame as neither clip throws it. More time would hide the strike; another midpoint does not. A clip that
//! spins the body is caught up with: by a smoothstep at 1.7 times its own speed, however long that takes, and at 1.3 times if the
//! fade is half done after a quarter of its time. What no midpoint cures may get half as much time again.

use std::collections::BTreeSet;

use super::fades::Fades;
use crate::evaluate::Thrown;
use crate::message::{Message, message};
use crate::systems::blend::{Event, HurriedTurn};

/// What a fade may be made of.
#[derive(Clone, Copy)]
struct Shape {
    midpoint: f64,
    /// Times as long as it was.
    longer: f64,
}

/// What fades may be made; those that are changed least come first.
const SHAPES: [Shape; 10] = [
    Shape { midpoint: 0.4, longer: 1.0 },
    Shape { midpoint: 0.6, longer: 1.0 },
    Shape { midpoint: 0.3, longer: 1.0 },
    Shape { midpoint: 0.7, longer: 1.0 },
    Shape { midpoint: 0.25, longer: 1.0 },
    Shape { midpoint: 0.75, longer: 1.0 },
    Shape { midpoint: 0.5, longer: 1.25 },
    Shape { midpoint: 0.4, longer: 1.25 },
    Shape { midpoint: 0.5, longer: 1.5 },
    Shape { midpoint: 0.4, longer: 1.5 },
];

/// A change is worth it where this share more of what is wrong is gone.
const WORTH: f64 = 0.1;

/// Nothing else may become worse by more than this.
const WORSE: f64 = 1.02;

/// What is wrong with a blend as its events stand.
struct Outcome {
    thrown: Vec<Thrown>,
    /// Fades that spin the body.
    hurried: Vec<HurriedTurn>,
}

/// Why a fade is changed.
enum Reason {
    /// It throws the joint of that index.
    Throws(usize),
    /// It turns the body by that many radians a second.
    Spins(f64),
}

impl Outcome {
    /// By how much joints stand out more than they may, the file's unit, over all frames.
    fn over(&self) -> f64 {
        self.thrown.iter().map(|thrown| thrown.over).sum()
    }

    /// Radians a second by which fades turn the body faster than they may, over all.
    fn spin(&self) -> f64 {
        self.hurried.iter().map(|hurried| hurried.speed - hurried.allowed).sum()
    }

    /// How much of `before` is left: 1 for each of the two where it is as much; infinite where something is worse.
    fn left_of(&self, before: &Self) -> f64 {
        let share = |now: f64, before: f64| match before {
            0.0 if now == 0.0 => 1.0,
            before if now <= WORSE * before && before > 0.0 => now / before,
            _ => f64::INFINITY,
        };
        share(self.over(), before.over()) + share(self.spin(), before.spin())
    }

    /// What might be changed and why, the worst first.
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
    /// Changes the midpoint, and where that is no cure the time, of every fade that throws a joint in one frame or spins the body,
    /// where that helps; says which, in order of time. Fades that are bent already stay.
    pub fn bend(&mut self) -> Vec<Message> {
        let (mut tried, mut bent) = (BTreeSet::new(), Vec::new());
        while let Some(now) = self.outcome() {
            let Some(events) = self.events() else { break };
            let mut open = now.candidates(events).into_iter();
            let is_plain = |event: usize| events[event].midpoint == Event::default().midpoint;
            let Some((event, reason)) = open.find(|(event, _)| is_plain(*event) && !tried.contains(event)) else {
                break;
            };
            tried.insert(event);
            if let Some(before) = self.bend_one(event, &now) {
                bent.push((event, before, reason));
            }
        }
        bent.sort_by(|(_, a, _), (_, b, _)| a.time.total_cmp(&b.time));
        bent.iter().filter_map(|(event, before, reason)| self.told(*event, before, reason)).collect()
    }

    /// Gives the fade of the `index`-th event the shape that leaves least; answers the event as it was, if that is worth it.
    fn bend_one(&mut self, index: usize, now: &Outcome) -> Option<Event> {
        let before = self.events()?.get(index)?.clone();
        let (mut best, mut least) = (None, now.left_of(now));
        for Shape { midpoint, longer } in SHAPES {
            let shaped = Event { midpoint, trans_time: longer * before.trans_time, ..before.clone() };
            *self.events()?.get_mut(index)? = shaped.clone();
            let Some(outcome) = self.outcome() else { continue };
            let left = outcome.left_of(now);
            if left < least - WORTH {
                (best, least) = (Some(shaped), left);
            }
            if left.is_finite() && outcome.thrown.is_empty() && outcome.spin() == 0.0 {
                break;
            }
        }
        *self.events()?.get_mut(index)? = best.clone().unwrap_or_else(|| before.clone());
        best.map(|_| before)
    }

    /// `None` where the blend cannot be built.
    fn outcome(&mut self) -> Option<Outcome> {
        let blended = self.built()?.blended.clone()?;
        Some(Outcome { thrown: blended.thrown.clone(), hurried: blended.hurried.clone() })
    }

    /// What was done to a fade, and why.
    fn told(&mut self, index: usize, before: &Event, reason: &Reason) -> Option<Message> {
        let now = self.events()?.get(index)?.clone();
        let built = self.built()?;
        Some(match reason {
            Reason::Throws(joint) => message!(
                "notice.fade_bent",
                "The event at %{time} s is half done after %{half} s and done after %{whole} s, not after %{old_half} and %{old_whole} s: \
                 %{joint} would be thrown in one frame.",
                time = format!("{:.2}", now.time),
                half = format!("{:.2}", now.midpoint * now.trans_time),
                whole = format!("{:.2}", now.trans_time),
                old_half = format!("{:.2}", before.midpoint * before.trans_time),
                old_whole = format!("{:.2}", before.trans_time),
                joint = built.character.model.skeleton.joints[*joint].name.clone()
            ),
            Reason::Spins(speed) => message!(
                "notice.fade_bent_spins",
                "The event at %{time} s is half done after %{half} s and done after %{whole} s, not after %{old_half} and %{old_whole} s: \
                 the body would turn at %{speed}° a second.",
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
    use crate::document::take::Blend;
    use crate::document::{Take, TakeId, TakeSource};
    use crate::session::{Command, EditCommand, FileCommand, Session};
    use crate::systems::blend::{Action, Event, Scenario, Settings};

    /// A robot that stands and punches out of that.
    fn with_robot(trans_time: f64, check: impl FnOnce(&mut Session, TakeId)) {
        let Some(folder) = crate::support::corpus("wild") else { return };
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![folder.join("robot_expressive.glb")])));
        let (id, character) = (TakeId(session.document.fresh_id()), session.document.files[0].id);
        let event = |(time, action): (f64, Action)| Event { time, action, trans_time, ..Event::default() };
        let events = [(0.0, Action::Stand), (0.7, Action::Cast), (1.4, Action::Stand)].map(event).to_vec();
        let [run, stand, skill] = ["Running", "Idle", "Punch"].map(str::to_owned);
        let settings = Settings::Scenario(Scenario { run, stand, skill, events, ..Scenario::default() });
        let source = TakeSource::Scenario(Box::new(Blend { settings, ..Blend::default() }));
        session.document.takes.push(Take { id, name: "blend".into(), character, source, stages: Vec::new() });
        check(&mut session, id);
    }

    fn over(session: &mut Session, take: TakeId) -> f64 {
        session.fades(take).outcome().unwrap().over()
    }

    fn midpoints(session: &mut Session, take: TakeId) -> Vec<f64> {
        session.fades(take).events().unwrap().iter().map(|event| event.midpoint).collect()
    }

    #[test]
    fn a_punch_that_falls_into_the_middle_of_a_fade_throws_no_arm() {
        with_robot(0.4, |session, take| {
            assert!(over(session, take) > 0.0);
            session.perform(Command::Edit(EditCommand::BendFades(take)));
            assert_eq!(over(session, take), 0.0, "{:?}", midpoints(session, take));
            let bent = midpoints(session, take);
            assert!(bent[0] == 0.5 && bent[1] != 0.5 && bent[2] == 0.5, "{bent:?}");
            assert_eq!(session.fades(take).bend(), []);
        });
    }

    #[test]
    fn a_skill_that_spins_and_is_cast_into_itself_is_caught_up_with_early() {
        let Some(folder) = crate::support::corpus("characters") else { return };
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![folder.join("knight.glb")])));
        let (id, character) = (TakeId(session.document.fresh_id()), session.document.files[0].id);
        let event = |(time, action)| Event { time, action, trans_time: 0.4, ..Event::default() };
        let events = [(0.0, Action::Run), (1.1, Action::Cast), (2.2, Action::Stop), (2.58, Action::Cast)];
        let [run, stand, skill] = ["Running_A", "Unarmed_Idle", "2H_Melee_Attack_Spinning"].map(str::to_owned);
        let scenario = Scenario { run, stand, skill, events: events.map(event).to_vec(), ..Scenario::default() };
        let blend = Blend { settings: Settings::Scenario(scenario), ..Blend::default() };
        let source = TakeSource::Scenario(Box::new(blend));
        session.document.takes.push(Take { id, name: "blend".into(), character, source, stages: Vec::new() });
        let before = session.fades(id).outcome().unwrap().spin();
        assert_eq!(session.fades(id).bend().len(), 1);
        let after = session.fades(id).outcome().unwrap().spin();
        assert!(after < 0.7 * before, "{before} {after}");
        assert_eq!(midpoints(&mut session, id), [0.5, 0.5, 0.5, 0.25]);
    }

    #[test]
    fn a_fade_that_throws_nothing_and_one_that_is_bent_already_stay() {
        with_robot(0.4, |session, take| {
            session.fades(take).events().unwrap()[1].midpoint = 0.45;
            session.fades(take).bend();
            assert_eq!(midpoints(session, take), [0.5, 0.45, 0.5]);
            session.fades(take).events().unwrap().truncate(1);
            assert_eq!(session.fades(take).bend(), []);
        });
    }
}
