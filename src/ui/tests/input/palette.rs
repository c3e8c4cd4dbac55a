//! The palette: its entries and the effect of Enter.

use crate::tests::files::clips::{chosen, listed, shown};
use crate::tests::*;
use portamento_session::EditCommand;

type Window<'a> = Harness<'a, Option<App>>;

/// Opens the palette, types `words` and presses Enter.
fn enter(window: &mut Window, words: &str) {
    window.key_press_modifiers(Modifiers::COMMAND, Key::P);
    window.run_steps(3);
    if !words.is_empty() {
        window.event(Event::Text(words.into()));
        window.run_steps(2);
    }
    window.key_press(Key::Enter);
    window.run_steps(4);
    assert!(app(window).palette.is_none(), "nothing is called {words}");
}

fn last_notice(window: &mut Window) -> String {
    app(window).session.notices.all().last().map(portamento_session::Notice::text).unwrap_or_default()
}

#[test]
fn library_actions_are_found_by_name_and_report_missing_prerequisites() {
    in_window("en", |window| {
        for words in ["fix selected", "tag selected", "select all shown", "copy clip table"] {
            enter(window, words);
            assert!(last_notice(window).starts_with("No clips are listed."), "{words}: {}", last_notice(window));
        }
        let _folder = listed(window);
        for words in [
            "fix selected",
            "tag selected",
            "show selected clip",
            "selected clip in its folder",
            "stages of the current",
        ] {
            enter(window, words);
            assert!(last_notice(window).starts_with("No clips are selected."), "{words}: {}", last_notice(window));
        }
        let (name, all) = (shown(window)[0].clone(), shown(window).len());
        app(window).session.clips.find(&name, portamento_anim::quality::Finding::Jitters);
        enter(window, "select all with jitter");
        assert!(chosen(window).contains(&name));
        enter(window, "select all shown");
        assert_eq!(chosen(window).len(), all);
        enter(window, "show selected clip");
        assert!(last_notice(window).starts_with("Several clips are selected."));
        enter(window, "copy clip table");
        assert_eq!(last_notice(window), format!("{all} rows were copied as CSV."));
        enter(window, "tag selected");
        window.event(Event::Text("done".into()));
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(4);
        assert!(app(window).session.clips.rows().iter().all(|row| row.tags == ["done"]));
    });
}

#[test]
fn chosen_clips_are_fixed_and_given_stages_by_name() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let take = "run with swinging hair and cape";
            let session = &mut app(window).session;
            let id = session.document.takes.iter().find(|known| known.name == take).unwrap().id;
            session.selection.show(Shown::Take(id));
            let _folder = listed(window);
            let before = app(window).session.document.takes.len();
            app(window).session.clips.chosen = [1].into();
            enter(window, "clips stages");
            assert_eq!(app(window).session.document.takes.len(), before + 1, "{}", last_notice(window));
            let name = shown(window)[0].clone();
            app(window).session.clips.find(&name, portamento_anim::quality::Finding::Jitters);
            let at = app(window).session.clips.rows().iter().position(|row| row.clip == name).unwrap();
            app(window).session.clips.chosen = [at].into();
            enter(window, "clips mend");
            assert_eq!(app(window).session.document.takes.len(), before + 2, "{}", last_notice(window));
        });
    }
}

#[test]
fn an_empty_query_lists_recent_commands_first_but_none_that_leaves_the_project() {
    in_window("en", |window| {
        let before = app(window).session.document.clone();
        enter(window, "");
        assert_eq!(app(window).session.document, before, "a new project was begun");
        assert!(app(window).dialogs.guide.is_some() && app(window).dialogs.unsaved.is_none());
        window.key_press(Key::Escape);
        window.run_steps(3);
        enter(window, "forward ten frames");
        enter(window, "next frame");
        assert_eq!(app(window).session.playback.frame(), 11);
        enter(window, "");
        assert_eq!(app(window).session.playback.frame(), 12);
        enter(window, "new project");
        assert!(app(window).session.is_empty());
        enter(window, "open the samples");
        window.run_steps(4);
        enter(window, "");
        assert_eq!(app(window).session.preferences.chosen_commands[..2], ["next_frame", "ten_frames_on"]);
    });
}

#[test]
fn the_shown_item_is_changed_by_name() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let leap = "leap to 5 m";
            let find = |window: &mut Window, name: &str| {
                app(window)
                    .session
                    .document
                    .takes
                    .iter()
                    .find(|take| take.name == name)
                    .map(|take| (take.id, take.stages.len()))
            };
            let (id, stages) = find(window, leap).unwrap();
            app(window).session.selection.show(Shown::Take(id));
            window.run_steps(4);
            enter(window, "stack duplicate");
            assert_eq!(find(window, leap).unwrap().1, stages + 1);
            enter(window, "stack remove");
            assert_eq!(find(window, leap).unwrap().1, stages);
            enter(window, "take duplicate");
            assert!(find(window, "leap to 5 m copy").is_some());
            enter(window, "take remove");
            assert!(find(window, "leap to 5 m copy").is_none());
            // The neighbouring take is shown next.
            app(window).session.selection.show(Shown::Take(id));
            window.run_steps(4);
            enter(window, "windows add");
            let windows = |window: &mut Window| {
                let take = app(window).session.document.take(id).unwrap();
                take.stretch(None).unwrap().settings.windows.len()
            };
            assert_eq!(windows(window), 1);
            app(window).session.perform(Command::Edit(EditCommand::AddObject));
            window.run_steps(4);
            let objects = app(window).session.document.objects.len();
            enter(window, "object remove");
            assert_eq!(app(window).session.document.objects.len(), objects - 1);
            app(window).session.selection.show(Shown::Take(id));
            window.run_steps(4);
            enter(window, "rename");
            window.key_press_modifiers(Modifiers::COMMAND, Key::A);
            window.event(Event::Text("far leap".into()));
            window.run_steps(2);
            window.key_press(Key::Enter);
            window.run_steps(3);
            assert!(find(window, "far leap").is_some());
        });
    }
}

#[test]
fn in_chinese_a_command_is_found_by_its_english_words_too() {
    in_window("zh-CN", |window| {
        enter(window, "forward ten frames");
        assert_eq!(app(window).session.playback.frame(), 10);
        enter(window, "下一帧");
        assert_eq!(app(window).session.playback.frame(), 11);
    });
}

#[test]
fn events_of_the_shown_blend_are_added_at_the_playhead_and_removed_by_name() {
    in_window("zh-CN", |window| {
        let find = |window: &mut Window| {
            let takes = &app(window).session.document.takes;
            let blend = takes.iter().find(|take| take.name == "run, cast, stop, end").unwrap();
            (blend.id, blend.blend().unwrap().settings.standard().unwrap().events.clone())
        };
        let (id, before) = find(window);
        app(window).session.selection.show(Shown::Take(id));
        window.run_steps(6);
        app(window).session.playback.time = 2.0;
        enter(window, &format!("events add {}", tr("action.cast")));
        let (_, after) = find(window);
        assert_eq!((after.len(), after.last().unwrap().time), (before.len() + 1, 2.0));
        enter(window, "events remove");
        assert_eq!(find(window).1, before);
    });
}

/// Shows the take `name` and waits until it is built.
fn show(window: &mut Window, name: &str) {
    let session = &mut app(window).session;
    let id = session.document.takes.iter().find(|take| take.name == name).unwrap().id;
    session.selection.show(Shown::Take(id));
    window.run_steps(8);
}

#[test]
fn direct_edits_by_name_report_missing_prerequisites() {
    in_window("en", |window| {
        show(window, "leap to 5 m");
        for (words, reason) in [
            ("fill with the value", "Weights can be painted"),
            ("smooth all", "Weights can be painted"),
            ("copy +x to", "Weights can be painted"),
            ("clear painting", "Weights can be painted"),
            ("remove painted pins", "No cloth is shown."),
            ("add waypoint", "No walk is shown."),
            ("remove selected waypoint", "No walk is shown."),
            ("disconnect selected", "No graph is shown."),
            ("mute selected connection", "No graph is shown."),
        ] {
            enter(window, words);
            assert!(last_notice(window).starts_with(reason), "{words}: {}", last_notice(window));
        }
    });
}

#[test]
fn weights_pins_and_places_are_changed_by_name() {
    in_window("en", |window| {
        show(window, "run through the yard");
        let stops = |window: &mut Window| {
            let session = &app(window).session;
            let Shown::Take(id) = session.selection.shown else { panic!("a take is shown") };
            session.document.take(id).unwrap().walk().unwrap().stops.clone()
        };
        let before = stops(window);
        enter(window, "add waypoint");
        assert_eq!(stops(window).len(), before.len() + 1);
        enter(window, "remove selected waypoint");
        assert_eq!(stops(window), before);
        enter(window, "remove selected waypoint");
        assert!(last_notice(window).starts_with("No waypoint is selected."), "{}", last_notice(window));
        show(window, "flag in the wind");
        let pins = |window: &mut Window| {
            let session = &app(window).session;
            let Shown::Take(id) = session.selection.shown else { panic!("a take is shown") };
            let portamento_takes::document::TakeSource::Cloth(cloth) = &session.document.take(id).unwrap().source
            else {
                panic!("{:?}", session.document.take(id).unwrap().source)
            };
            cloth.pins.clone()
        };
        enter(window, "remove painted pins");
        assert!(last_notice(window).starts_with("No pins are painted."), "{}", last_notice(window));
        let painting = &mut app(window).session.selection.painting;
        (painting.layer, painting.value) = (portamento_session::painting::PaintLayer::Pins, 1.0);
        enter(window, "fill with the value");
        window.run_steps(8);
        assert!(!pins(window).is_empty());
        enter(window, "remove painted pins");
        assert!(pins(window).is_empty());
    });
}

#[test]
fn connections_of_a_tree_are_chosen_muted_and_taken_out_by_name() {
    use portamento_blend::NodeKind;
    in_window("en", |window| {
        show(window, "run, cast, stop, end");
        let Shown::Take(id) = app(window).session.selection.shown else { panic!("a take is shown") };
        let blend = app(window).session.document.take_mut(id).unwrap().blend_mut().unwrap();
        blend.free();
        if let portamento_blend::Settings::Tree(tree) = &mut blend.settings {
            tree.take_apart(0, &Default::default());
        }
        window.run_steps(8);
        let links = |window: &mut Window| {
            let blend = app(window).session.document.take(id).unwrap().blend().unwrap().clone();
            let tree = blend.settings.tree().unwrap().clone();
            let own = tree.nodes.iter().filter_map(|node| match &node.kind {
                NodeKind::Blend(links) => Some(links.clone()),
                _ => None,
            });
            own.flatten().collect::<Vec<_>>()
        };
        let before = links(window);
        enter(window, "mute selected connection");
        assert!(last_notice(window).starts_with("No connection is selected."), "{}", last_notice(window));
        enter(window, "joint weights of connection");
        assert!(app(window).session.selection.link.is_some());
        enter(window, "mute selected connection");
        assert_eq!(links(window).iter().filter(|link| link.muted).count(), 1);
        enter(window, "disconnect selected");
        assert_eq!(links(window).len(), before.len() - 1);
        enter(window, "connect a node");
        assert_eq!(links(window).len(), before.len());
    });
}
