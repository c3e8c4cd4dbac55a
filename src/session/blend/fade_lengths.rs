//! Lengthens fades that spin the body to the time a person needs to turn.

use super::fades::Fades;
use portamento_base::message::{Message, message};
use portamento_blend::FastTurn;

/// Maximum number of passes; a longer fade shifts later events, which may then turn too fast.
const MAX_PASSES: usize = 4;

/// A lengthened fade is reverted if it still turns faster than this share of the original speed. Tuned; no derivation
/// recorded.
const REVERT_SPEED_RATIO: f64 = 0.9;

impl Fades<'_> {
    /// Lengthens every fade that turns the body faster than a person turns. Returns one message per change, in order
    /// of time. Blends that cannot be built are not changed. The blend is built after every pass, which is slow.
    pub fn lengthen(&mut self) -> Vec<Message> {
        let mut found: Vec<FastTurn> = Vec::new();
        for _ in 0..MAX_PASSES {
            let mut hurried = self.fast_turns();
            hurried.retain(FastTurn::can_be_lengthened);
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
        self.revert_useless(&mut found);
        found.sort_by(|a, b| a.time.total_cmp(&b.time));
        found.iter().map(change_message).collect()
    }

    /// Restores the original time of fades in `found` that still spin the body as fast as before.
    fn revert_useless(&mut self, found: &mut Vec<FastTurn>) {
        let left = self.fast_turns();
        let Some(events) = self.events() else { return };
        found.retain(|each| {
            let helped =
                !left.iter().any(|left| left.event == each.event && left.speed > REVERT_SPEED_RATIO * each.speed);
            if let Some(event) = events.get_mut(each.event).filter(|_| !helped) {
                event.trans_time = each.lasts;
            }
            helped
        });
    }

    /// Returns the fades that spin the body.
    fn fast_turns(&mut self) -> Vec<FastTurn> {
        let blended = self.built().and_then(|built| built.blended.clone());
        blended.map(|blended| blended.hurried.clone()).unwrap_or_default()
    }
}

/// Returns the message for a lengthened fade.
fn change_message(found: &FastTurn) -> Message {
    message!(
        "notice.fade_given_time",
        "Event at %{time} s: fade lengthened from %{lasts} s to %{enough} s, because it turned the body at %{speed}° per second.",
        time = format!("{:.2}", found.time),
        enough = format!("{:.2}", found.enough),
        lasts = format!("{:.2}", found.lasts),
        speed = format!("{:.0}", found.speed.to_degrees())
    )
}

#[cfg(test)]
mod tests {
    use crate::{Command, EditCommand, FileCommand, Session};
    use portamento_anim::Model;
    use portamento_blend::{Action, Event, Scenario, Settings};
    use portamento_takes::document::take::Blend;
    use portamento_takes::document::{Take, TakeId, TakeSource};

    /// Builds a scenario in which a knight strafes, stands and stabs, each with a different hip heading.
    fn with_knight(check: impl FnOnce(&mut Session, TakeId)) {
        let Some(folder) = portamento_test_support::corpus("characters") else { return };
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![folder.join("knight.glb")])));
        let (id, character) = (TakeId(session.document.fresh_id()), session.document.files[0].id);
        let event = |&(time, action): &(f64, Action)| Event { time, action, trans_time: 0.2, ..Event::default() };
        let events = [(0.0, Action::Run), (0.5, Action::Stand), (1.3, Action::Cast), (1.7, Action::Run)];
        let [run, stand, skill] = ["Running_Strafe_Left", "Idle", "2H_Melee_Attack_Stab"].map(str::to_owned);
        let events = events.iter().map(event).collect();
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
        check(&mut session, id);
    }

    /// Returns the highest turning speed of the hips in the frames of `take`, degrees per second.
    fn fastest(session: &mut Session, take: TakeId) -> f64 {
        let take = session.document.take(take).cloned().unwrap();
        let built = session.built(&take).unwrap();
        let Model { skeleton, .. } = &built.character.model;
        let hips = built.roles.hips.unwrap();
        let turn = |frame: u32| {
            let pose = built.clip.pose_at(skeleton, f64::from(frame) / built.fps);
            portamento_anim::root_motion::turn_of(&pose.world_from_joint(skeleton, hips))
        };
        let step = |frame: u32| {
            let turned = turn(frame + 1) * turn(frame).inverse();
            portamento_anim::root_motion::wrap(2.0 * turned.y.atan2(turned.w)).abs()
        };
        let frames = (built.clip.duration * built.fps).floor() as u32;
        (0..frames).map(step).fold(0.0, f64::max).to_degrees() * built.fps
    }

    #[test]
    fn a_stab_out_of_a_strafe_turns_at_human_speed() {
        with_knight(|session, take| {
            assert!(fastest(session, take) > 540.0);
            session.perform(Command::Edit(EditCommand::LengthenFades(take)));
            let speed = fastest(session, take);
            assert!(speed < 1.03 * 360.0, "{speed}");
            assert_eq!(session.fades(take).lengthen(), []);
            let scenario = session.document.take(take).unwrap().blend().unwrap().settings.standard().unwrap();
            assert!(scenario.events.iter().any(|event| event.trans_time == 0.2));
        });
    }

    #[test]
    fn a_repeated_spinning_skill_keeps_its_fade_time() {
        with_knight(|session, take| {
            let blend = session.document.take_mut(take).unwrap().blend_mut().unwrap();
            let scenario = blend.settings.standard_mut().unwrap();
            (scenario.run, scenario.skill) = ("Running_A".into(), "2H_Melee_Attack_Spinning".into());
            let event = |(time, action)| Event { time, action, trans_time: 0.4, ..Event::default() };
            let events = [(0.0, Action::Run), (1.1, Action::Cast), (2.2, Action::Stop), (2.58, Action::Cast)];
            scenario.events = events.map(event).to_vec();
            session.fades(take).lengthen();
            let scenario = session.document.take(take).unwrap().blend().unwrap().settings.standard().unwrap();
            assert_eq!(scenario.events[3].trans_time, 0.4);
        });
    }
}
