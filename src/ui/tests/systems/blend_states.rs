//! States of a free tree in the window: adding, changing, entering, undo.

use egui::Pos2;
use egui_kittest::kittest::Queryable;

use super::blend::{drag, lanes, take_apart, tree, with_blend};
use crate::dock::Panel;
use crate::i18n::tr_with;
use crate::tests::{app, tr};
use portamento_blend::{Node, NodeKind};
use portamento_session::{Command, EditCommand};

#[test]
fn a_state_is_added_changed_gone_to_dragged_and_undone() {
    with_blend(|window| {
        take_apart(window);
        app(window).session.playback.time = 0.5;
        window.run_steps(3);
        let before = tree(window);
        window.get_by_label(&tr("graph.state_add")).click_accesskit();
        window.run_steps(4);
        let name = tree(window).states[0].name.clone();
        assert_eq!(app(window).session.selection.state, name);
        // The first clip node restarts when the state is entered.
        let starts = tr("graph.restart");
        let boxes: Vec<_> = window.query_all_by_label(&starts).collect();
        assert_eq!(boxes.len(), 3);
        boxes[0].click_accesskit();
        drop(boxes);
        window.run_steps(4);
        let starts = |node: &Node| matches!(&node.kind, NodeKind::Source(source) if source.restarts == [name.as_str()]);
        assert_eq!(tree(window).nodes.iter().filter(|node| starts(node)).count(), 1);
        window.get_by_label(&tr_with("graph.state_go", &[("state", name.clone())])).click_accesskit();
        window.run_steps(4);
        assert_eq!((tree(window).events[0].time, tree(window).events[0].state.clone()), (0.5, name.clone()));

        // On the timeline, the state and the end of its transition can be dragged.
        app(window).session.playback.time = 0.0;
        window.run_steps(3);
        let (rect, x) = lanes(window);
        let y = rect.min.y + 24.0 + 11.0;
        drag(window, Pos2::new(x(0.5), y), Pos2::new(x(0.8), y));
        let moved = tree(window).events[0].clone();
        assert!((moved.time - 0.8).abs() < 0.04 && moved.trans_time.is_none(), "{moved:?}");
        drag(window, Pos2::new(x(moved.time + 0.2), y), Pos2::new(x(moved.time + 0.5), y));
        let slower = tree(window).events[0].trans_time.unwrap();
        assert!((slower - 0.5).abs() < 0.04, "{slower}");

        // The inspector lists it.
        app(window).dock.show_panel(Panel::Inspector);
        window.run_steps(3);
        let titles = tr("section.state_events");
        assert_eq!(window.query_all_by_label(&titles).count(), 2, "above the graph and in the inspector");
        let after = tree(window);
        let mut steps = 0;
        while tree(window) != before {
            app(window).perform(Command::Edit(EditCommand::Undo));
            window.run_steps(3);
            steps += 1;
            assert!(steps <= 5, "more steps than were taken");
        }
        for _ in 0..steps {
            app(window).perform(Command::Edit(EditCommand::Redo));
            window.run_steps(3);
        }
        assert_eq!(tree(window), after);

        // Removing a state also removes its event.
        app(window).dock.show_panel(Panel::Graph);
        app(window).session.selection.state.clone_from(&name);
        window.run_steps(3);
        window.get_by_label(&tr_with("graph.state_remove", &[("state", name)])).click_accesskit();
        window.run_steps(4);
        let left = tree(window);
        assert!(left.states.is_empty() && left.events.is_empty() && app(window).session.selection.state.is_empty());
    });
}
