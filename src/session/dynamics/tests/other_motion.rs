//! Dynamic bones over a motion that is replaced or cannot be built.

use super::*;
use portamento_takes::document::{Take, TakeId};

#[test]
fn live_bones_follow_a_new_motion_immediately() {
    let (_folder, mut session) = with_clip("run");
    let (hair, thigh) = (joint(&session, "hair.1"), roles(&session).legs[0].thigh);
    edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
    (session.dynamics.mode, session.playback.playing) = (DynamicsMode::Live, false);
    session.update(1.0 / 60.0, true);
    let Shown::Take(id) = session.selection.shown else { panic!() };
    session.document.take_mut(id).unwrap().source = clip_called(&session, "idle");
    (0..4).for_each(|_| session.update(1.0 / 60.0, true));
    let frame = session.frame().unwrap();
    assert!(frame.dynamics.is_some() && session.dynamics.is_live());
    let idle = frame.character.model.clip("idle").unwrap().pose_at(&frame.character.model.skeleton, frame.time);
    assert_eq!(frame.pose.locals[thigh], idle.locals[thigh]);
}

#[test]
fn bones_of_a_motion_that_cannot_be_built_are_not_looping() {
    let (_folder, mut session) = with_clip("run");
    let hair = joint(&session, "hair.1");
    let (character, source) = (session.document.files[0].id, clip_called(&session, "gone"));
    let take = Take { id: TakeId(0), name: "gone".into(), character, source, stages: Vec::new(), loops: None };
    session.selection.shown = Shown::Take(session.document.add_take(take));
    session.update(0.0, true);
    edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
    assert!(!session.shown_take().unwrap().dynamics(None).unwrap().looping);
}
