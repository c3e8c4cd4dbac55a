//! Side-by-side comparison of two motions.

use super::*;
use crate::clip_library::Stack;
use crate::{Command, EditCommand, FileCommand, LoopMode, TransportCommand};
use portamento_takes::document::{StageKind, TakeId};

/// Returns a session that lists the hero's clips without opening them.
fn listed() -> (Session, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let hero = portamento_test_support::asset("hero.glb");
    std::fs::copy(hero, folder.path().join("hero.glb")).unwrap();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::MeasureClips(vec![folder.path().to_owned()])));
    (session, folder)
}

fn choose(session: &mut Session, clips: &[&str]) {
    let rows = session.clips.rows().iter().enumerate();
    session.clips.chosen = rows.filter(|(_, row)| clips.contains(&&*row.clip)).map(|(at, _)| at).collect();
    assert_eq!(session.clips.chosen.len(), clips.len());
}

fn toggle(session: &mut Session) {
    session.perform(Command::Pair(PairCommand::Toggle));
    session.update(0.0, true);
}

fn at(session: &mut Session, time: f64) -> (f64, f64) {
    session.playback.time = time;
    session.update(0.0, true);
    (session.frame().unwrap().time, session.pair().unwrap().frame().unwrap().time)
}

/// Returns the durations of both motions, seconds.
fn lengths(session: &Session) -> (f64, f64) {
    let seconds = |frame: &Frame| frame.built.as_ref().unwrap().clip.duration;
    (seconds(session.frame().unwrap()), seconds(session.pair().unwrap().frame().unwrap()))
}

/// Adds a mirrored take of the clip `run` and clears the library selection.
fn mirrored(session: &mut Session) -> TakeId {
    let file = session.document.files[0].id;
    let kinds = vec![StageKind::Mirror(Box::default())];
    session.add_stack(file, "run", Stack { name: "run mirrored".into(), kinds });
    session.clips.chosen.clear();
    session.update(0.0, true);
    session.document.takes.last().unwrap().id
}

#[test]
fn two_selected_rows_are_posed_at_the_same_time_without_changing_the_document() {
    let (mut session, _folder) = listed();
    session.perform(Command::File(FileCommand::Open(vec![session.clips.rows()[0].file.clone()])));
    session.update(0.0, true);
    let (document, entries) = (session.document.clone(), session.history.entries().len());
    choose(&mut session, &["run", "leap_strike"]);
    toggle(&mut session);
    let (first, second) = lengths(&session);
    assert!(first != second && (session.playback.duration - first.max(second)).abs() < 1e-12, "{first} {second}");
    assert_eq!(at(&mut session, 0.25), (0.25, 0.25));
    assert_eq!((&session.document, session.history.entries().len()), (&document, entries));
}

#[test]
fn the_shorter_motion_holds_its_end_or_repeats_if_playback_loops() {
    let (mut session, _folder) = listed();
    choose(&mut session, &["run", "leap_strike"]);
    toggle(&mut session);
    let (first, second) = lengths(&session);
    let (short, long) = (first.min(second), first.max(second));
    let late = (short + 0.1).min(long);
    session.playback.loop_mode = LoopMode::Once;
    let (one, other) = at(&mut session, late);
    assert_eq!((one.min(other), one.max(other)), (short, late));
    session.playback.loop_mode = LoopMode::Loop;
    let (one, other) = at(&mut session, late);
    assert!((one.min(other) - (late - short)).abs() < 1e-9 && one.max(other) == late, "{one} {other}");
}

#[test]
fn leaving_restores_the_previous_view_and_time() {
    let (mut session, _folder) = listed();
    let file = session.clips.rows()[0].file.clone();
    session.perform(Command::File(FileCommand::OpenClip { file, clip: "cast".into() }));
    session.update(0.0, true);
    session.playback.time = 0.5;
    session.selection.joint = Some(3);
    session.update(0.0, true);
    let (before, seconds) = (session.selection.clone(), session.playback.duration);
    choose(&mut session, &["run", "leap_strike"]);
    toggle(&mut session);
    // Leaving a second pair restores the same view.
    choose(&mut session, &["run", "idle"]);
    toggle(&mut session);
    assert!(session.pair().is_some());
    session.playback.playing = true;
    let escape = Command::Transport(TransportCommand::Stop);
    session.perform(escape.clone());
    assert!(session.pair().is_some() && !session.playback.playing, "the first Esc stops");
    session.perform(escape);
    session.update(0.0, true);
    assert!(session.pair().is_none());
    assert_eq!((&session.selection, session.playback.time), (&before, 0.5));
    assert_eq!(session.playback.duration, seconds);
}

#[test]
fn a_clip_and_its_take_can_be_compared_from_either_side() {
    let (mut session, _folder) = listed();
    session.perform(Command::File(FileCommand::Open(vec![session.clips.rows()[0].file.clone()])));
    let take = mirrored(&mut session);
    toggle(&mut session);
    assert_eq!(session.selection.shown, Shown::Take(take));
    assert!(matches!(session.pair().unwrap().second(), Shown::Clip { clip, .. } if clip == "run"));
    toggle(&mut session);
    assert!(session.pair().is_none());
    choose(&mut session, &["idle"]);
    assert!(!session.can_pair_chosen(), "no take was made of it");
    choose(&mut session, &["run"]);
    toggle(&mut session);
    assert_eq!(*session.pair().unwrap().second(), Shown::Take(take));
    let poses = [session.frame(), session.pair().unwrap().frame()].map(|frame| frame.unwrap().pose.clone());
    assert_ne!(poses[0], poses[1]);
}

#[test]
fn removing_a_take_of_a_pair_shows_only_the_other() {
    let (mut session, _folder) = listed();
    session.perform(Command::File(FileCommand::Open(vec![session.clips.rows()[0].file.clone()])));
    session.update(0.0, true);
    for shows_take_first in [true, false] {
        let take = Shown::Take(mirrored(&mut session));
        let clip = session.pair_of_take(&take);
        let [first, second] =
            if shows_take_first { [take.clone(), clip.clone()] } else { [clip.clone(), take.clone()] };
        session.selection.show(first);
        session.perform(Command::Pair(PairCommand::With(second)));
        session.update(0.0, true);
        assert!(session.pair().unwrap().frame().is_some());
        let Shown::Take(id) = take else { unreachable!() };
        session.perform(Command::Edit(EditCommand::Remove(vec![id])));
        session.update(0.0, true);
        assert!(session.pair().is_none() && session.selection.shown == clip, "{:?}", session.selection.shown);
        assert!(session.notices.all().iter().all(|notice| notice.severity != Severity::Error));
    }
    let take = Shown::Take(mirrored(&mut session));
    session.update(0.0, true);
    let clip = session.pair_of_take(&take);
    session.selection.show(clip.clone());
    session.perform(Command::Pair(PairCommand::With(take)));
    session.update(0.0, true);
    session.perform(Command::Edit(EditCommand::Undo));
    session.update(0.0, true);
    assert!(session.pair().is_none() && session.selection.shown == clip);
}

impl Session {
    /// Returns the source clip of `take`.
    fn pair_of_take(&mut self, take: &Shown) -> Shown {
        self.selection.show(take.clone());
        let [_, clip] = self.opened().with_its_clip(take).unwrap();
        clip
    }
}

#[test]
fn showing_another_item_ends_the_comparison_and_an_impossible_pair_is_reported() {
    let (mut session, _folder) = listed();
    choose(&mut session, &["run", "idle"]);
    toggle(&mut session);
    let file = session.document.files[0].id;
    session.selection.show(Shown::File(file));
    assert!(session.pair().is_none());
    session.update(0.0, true);
    session.clips.chosen.clear();
    toggle(&mut session);
    assert!(session.pair().is_none() && session.selection.shown == Shown::File(file));
    assert!(session.notices.all().last().unwrap().text().contains("library"));
}

#[test]
fn an_unbuildable_second_motion_is_reported_and_the_first_keeps_playing() {
    let (mut session, _folder) = listed();
    choose(&mut session, &["run", "idle"]);
    toggle(&mut session);
    let (file, clip) = (session.document.files[0].id, "gone".to_owned());
    session.perform(Command::Pair(PairCommand::With(Shown::Clip { character: file, file, clip })));
    session.update(0.0, true);
    let pair = session.pair().unwrap();
    assert!(pair.frame().is_none() && pair.failure().unwrap().to_string().contains("gone"));
    assert!(session.frame().is_some() && session.evaluation.failure().is_none());
}
