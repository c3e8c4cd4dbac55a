//! Fades that spin the body are given the time of a person's turn.

use super::fades::Fades;
use crate::message::{Message, message};
use crate::systems::blend::HurriedTurn;

/// A longer fade moves what comes after it, which may be hurried then.
const ROUNDS: usize = 4;

/// A fade that is still as fast as this share of what it was gains nothing by its time.
const HELPED: f64 = 0.9;

impl Fades<'_> {
    /// Lets every fade that turns the body faster than a person turns last as long as that takes; says which did not, in order
    /// of time. What cannot be built stays as it is.
    pub fn give_time(&mut self) -> Vec<Message> {
        let mut found: Vec<HurriedTurn> = Vec::new();
        for _ in 0..ROUNDS {
            let mut hurried = self.hurried_turns();
            hurried.retain(HurriedTurn::wants_time);
            let Some(events) = self.events().filter(|_| !hurried.is_empty()) else { break };
            for each in hurried {
                let Some(event) = events.get_mut(each.event) else { continue };
                event.trans_time = each.enough;
                match found.iter_mut().find(|known| known.event == each.event) {
                    Some(known) => known.enough = each.enough,
                    None => found.push(each),
                }
            }
        }
        self.take_back_useless(&mut found);
        found.sort_by(|a, b| a.time.total_cmp(&b.time));
        found.iter().map(given).collect()
    }

    /// Gives fades of `found` their own time again that spin the body as fast as before.
    fn take_back_useless(&mut self, found: &mut Vec<HurriedTurn>) {
        let left = self.hurried_turns();
        let Some(events) = self.events() else { return };
        found.retain(|each| {
            let helped = !left.iter().any(|left| left.event == each.event && left.speed > HELPED * each.speed);
            if let Some(event) = events.get_mut(each.event).filter(|_| !helped) {
                event.trans_time = each.lasts;
            }
            helped
        });
    }

    /// Those that spin the body.
    fn hurried_turns(&mut self) -> Vec<HurriedTurn> {
        let blended = self.built().and_then(|built| built.blended.clone());
        blended.map(|blended| blended.hurried.clone()).unwrap_or_default()
    }
}

/// What was done to a fade.
fn given(found: &HurriedTurn) -> Message {
    message!(
        "notice.fade_given_time",
        "The event at %{time} s fades over %{enough} s and not over %{lasts} s: the body would turn at %{speed}° a second.",
        time = format!("{:.2}", found.time),
        enough = format!("{:.2}", found.enough),
        lasts = format!("{:.2}", found.lasts),
        speed = format!("{:.0}", found.speed.to_degrees())
    )
}

#[cfg(test)]
mod tests {
    use crate::anim::Model;
    use crate::document::take::Blend;
    use crate::document::{Take, TakeId, TakeSource};
    use crate::session::{Command, EditCommand, FileCommand, Session};
    use crate::systems::blend::{Action, Event, Scenario, Settings};

    /// A knight that strafes, stands and stabs, each with the hips another way.
    fn with_knight(check: impl FnOnce(&mut Session, TakeId)) {
        let Some(folder) = crate::support::corpus("characters") else { return };
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![folder.join("knight.glb")])));
        let (id, character) = (TakeId(session.document.fresh_id()), session.document.files[0].id);
        let event = |&(time, action): &(f64, Action)| Event { time, action, trans_time: 0.2, ..Event::default() };
        let events = [(0.0, Action::Run), (0.5, Action::Stand), (1.3, Action::Cast), (1.7, Action::Run)];
        let [run, stand, skill] = ["Running_Strafe_Left", "Idle", "2H_Melee_Attack_Stab"].map(str::to_owned);
        let scenario =
            Scenario { run, stand, skill, events: events.iter().map(event).collect(), ..Scenario::default() };
        let blend = Blend { settings: Settings::Scenario(scenario), ..Blend::default() };
        let source = TakeSource::Scenario(Box::new(blend));
        session.document.takes.push(Take { id, name: "blend".into(), character, source, stages: Vec::new() });
        check(&mut session, id);
    }

    /// Degrees a second that the hips of `take` turn at most, by its written frames.
    fn fastest(session: &mut Session, take: TakeId) -> f64 {
        let take = session.document.take(take).cloned().unwrap();
        let built = session.built(&take).unwrap();
        let Model { skeleton, .. } = &built.character.model;
        let hips = built.roles.hips.unwrap();
        let turn = |frame: u32| {
            let pose = built.clip.pose_at(skeleton, f64::from(frame) / built.fps);
            crate::anim::root_motion::turn_of(&pose.world_from_joint(skeleton, hips))
        };
        let step = |frame: u32| {
            let turned = turn(frame + 1) * turn(frame).inverse();
            crate::anim::root_motion::wrap(2.0 * turned.y.atan2(turned.w)).abs()
        };
        let frames = (built.clip.duration * built.fps).floor() as u32;
        (0..frames).map(step).fold(0.0, f64::max).to_degrees() * built.fps
    }

    #[test]
    fn a_knight_that_stabs_out_of_a_strafe_turns_as_a_person_does() {
        with_knight(|session, take| {
            assert!(fastest(session, take) > 540.0);
            session.perform(Command::Edit(EditCommand::GiveFadesTime(take)));
            let speed = fastest(session, take);
            assert!(speed < 1.03 * 360.0, "{speed}");
            assert_eq!(session.fades(take).give_time(), []);
            let scenario = session.document.take(take).unwrap().blend().unwrap().settings.standard().unwrap();
            assert!(scenario.events.iter().any(|event| event.trans_time == 0.2));
        });
    }

    #[test]
    fn a_skill_that_spins_and_is_cast_into_itself_keeps_its_time() {
        with_knight(|session, take| {
            let blend = session.document.take_mut(take).unwrap().blend_mut().unwrap();
            let scenario = blend.settings.standard_mut().unwrap();
            (scenario.run, scenario.skill) = ("Running_A".into(), "2H_Melee_Attack_Spinning".into());
            let event = |(time, action)| Event { time, action, trans_time: 0.4, ..Event::default() };
            let events = [(0.0, Action::Run), (1.1, Action::Cast), (2.2, Action::Stop), (2.58, Action::Cast)];
            scenario.events = events.map(event).to_vec();
            session.fades(take).give_time();
            let scenario = session.document.take(take).unwrap().blend().unwrap().settings.standard().unwrap();
            assert_eq!(scenario.events[3].trans_time, 0.4);
        });
    }
}
