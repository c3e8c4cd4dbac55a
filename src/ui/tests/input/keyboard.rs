//! Keyboard operation of the complete window.

use std::collections::BTreeSet;

use egui::Rect;
use egui::accesskit::{Action, Role};
use egui::emath::TSTransform;
use egui::epaint::Shape;
use egui_kittest::Node;
use egui_kittest::kittest::NodeT;

use crate::dock::{Panel, region};
use crate::shell::workspace::{WORKSPACES, Workspace};
use crate::tests::*;
use crate::theme;

pub(crate) type Window<'a> = Harness<'a, Option<App>>;

/// A focusable control.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Control {
    pub id: String,
    pub name: String,
    pub role: Role,
    pub rect: Rect,
}

impl Control {
    fn of(node: &Node<'_>) -> Self {
        let kit = node.accesskit_node();
        let name = kit.label().or_else(|| kit.value()).unwrap_or_default();
        Self { id: format!("{:?}", kit.id()), name, role: kit.role(), rect: node.rect() }
    }

    pub(super) fn description(&self) -> String {
        format!("{:?} “{}” at {:?}", self.role, self.name, self.rect)
    }
}

/// Returns all focusable controls in their accessible order.
pub(super) fn controls(window: &Window<'_>) -> Vec<Control> {
    let can = |node: &Node<'_>| {
        let kit = node.accesskit_node();
        let acts = |action| kit.data().supports_action(action);
        !kit.is_disabled() && kit.parent().is_some() && acts(Action::Focus)
    };
    window.root().children_recursive().filter(can).map(|node| Control::of(&node)).collect()
}

pub(crate) fn focused(window: &Window<'_>) -> Option<Control> {
    let is_focused = |node: &Node<'_>| node.is_focused() && node.accesskit_node().parent().is_some();
    window.root().children_recursive().find(is_focused).map(|node| Control::of(&node))
}

/// Dividers, scroll bars and plot axes are for the pointer only; every other control is focusable.
pub(super) fn is_for_pointers(control: &Control) -> bool {
    control.name.trim().is_empty() && matches!(control.role, Role::Unknown | Role::ScrollBar)
}

/// A control and its focus ring in window coordinates.
pub(super) struct Ringed {
    pub ring: Rect,
    pub control: Rect,
    /// True if the controls are on the graph, which is scaled and moved.
    pub is_moved: bool,
}

/// Returns the visible ring around `rect` of its layer.
pub(crate) fn ring(window: &Window<'_>, rect: Rect) -> Option<Ringed> {
    fn find(shape: &Shape, control: Rect, clip: Rect) -> Option<Ringed> {
        match shape {
            Shape::Vec(shapes) => shapes.iter().find_map(|shape| find(shape, control, clip)),
            Shape::Rect(ring) => {
                let is_around = control.expand(3.0).contains_rect(ring.rect) && ring.rect.area() > 0.0;
                let is_seen = clip.expand(0.5).contains_rect(ring.rect);
                let is_wide = (ring.stroke.width - 1.5).abs() < 1e-3;
                let is_ring = is_around && is_seen && is_wide && ring.stroke.color == theme::tokens(true).accent;
                is_ring.then_some(Ringed { ring: ring.rect, control, is_moved: false })
            }
            _ => None,
        }
    }
    // Controls on the graph are moved and scaled with it.
    let layers: Vec<TSTransform> = window.ctx.memory(|memory| memory.to_global.values().copied().collect());
    std::iter::once(TSTransform::IDENTITY).chain(layers).find_map(|layer| {
        let mut shapes = window.output().shapes.iter();
        let found = shapes.find_map(|clipped| find(&clipped.shape, layer * rect, clipped.clip_rect));
        found.map(|found| Ringed { is_moved: layer != TSTransform::IDENTITY, ..found })
    })
}

/// Presses Tab until it returns to the first control. Returns the visited controls and the errors.
fn walk(window: &mut Window<'_>) -> (BTreeSet<String>, Vec<String>) {
    let (mut visited, mut wrong) = (BTreeSet::new(), Vec::new());
    for _ in 0..400 {
        window.key_press(Key::Tab);
        // Each nameless control takes one frame to skip.
        window.run_steps(6);
        let Some(now) = focused(window) else { continue };
        if !visited.insert(now.id.clone()) {
            break;
        }
        let faults = [
            (
                "out of sight",
                !window.ctx.content_rect().contains(now.rect.intersect(window.ctx.content_rect()).center()),
            ),
            ("no ring", ring(window, now.rect).is_none()),
            ("no name", now.name.trim().is_empty()),
        ];
        wrong.extend(
            faults.iter().filter(|(_, is_so)| *is_so).map(|(what, _)| format!("{what}: {}", now.description())),
        );
    }
    let left = controls(window).into_iter().filter(|each| !visited.contains(&each.id) && !is_for_pointers(each));
    wrong.extend(left.map(|control| format!("not met: {}", control.description())));
    (visited, wrong)
}

#[test]
fn tab_goes_through_every_control_and_each_has_a_name_and_a_ring() {
    in_window("en", |window| {
        let mut wrong = Vec::new();
        for (workspace, word) in WORKSPACES {
            app(window).arrange(workspace);
            window.run_steps(6);
            let (visited, faults) = walk(window);
            assert!(visited.len() > 50, "{word}: {}", visited.len());
            wrong.extend(faults.iter().map(|fault| format!("{word}: {fault}")));
        }
        assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
    });
}

#[test]
fn tab_visits_all_preferences_and_escape_closes_them() {
    in_window("zh-CN", |window| {
        app(window).dialogs.preferences = true;
        window.run_steps(6);
        let (visited, wrong) = walk(window);
        let wrong: Vec<&String> = wrong.iter().filter(|fault| !fault.starts_with("not met")).collect();
        assert!(wrong.is_empty() && (14..30).contains(&visited.len()), "{} {wrong:?}", visited.len());
        window.key_press(Key::Escape);
        window.run_steps(3);
        assert!(!app(window).dialogs.preferences);
    });
}

/// Presses Tab until the control `name` has the focus.
pub(crate) fn tab_to(window: &mut Window<'_>, name: &str) {
    for _ in 0..200 {
        window.key_press(Key::Tab);
        window.run_steps(6);
        if focused(window).is_some_and(|control| control.name == name) {
            return;
        }
    }
    panic!("{name} is not reached");
}

#[test]
fn space_and_enter_press_the_focused_control_and_space_plays_otherwise() {
    in_window("en", |window| {
        for (key, name, workspace) in [(Key::Space, "walk", Workspace::Walk), (Key::Enter, "loop", Workspace::Loop)] {
            tab_to(window, &tr(&format!("workspace.{name}")));
            window.key_press(key);
            window.run_steps(4);
            assert_eq!((app(window).workspace, app(window).session.playback.playing), (workspace, false));
        }
        window.key_press(Key::F6);
        window.run_steps(4);
        window.key_press(Key::Space);
        window.run_steps(2);
        assert!(app(window).session.playback.playing);
    });
}

#[test]
fn f6_moves_between_panels_and_arrows_move_in_the_outliner() {
    in_window("en", |window| {
        let mut names = Vec::new();
        for _ in 0..6 {
            window.key_press(Key::F6);
            window.run_steps(4);
            names.extend(focused(window).map(|control| control.name));
        }
        let panels =
            [Panel::Outliner, Panel::Viewport, Panel::Plots, Panel::Inspector, Panel::Timeline, Panel::Outliner];
        assert_eq!(names, panels.map(region));
        window.key_press_modifiers(Modifiers::SHIFT, Key::F6);
        window.run_steps(4);
        assert_eq!(focused(window).map(|control| control.name), Some(region(Panel::Timeline)));
        window.key_press(Key::F6);
        window.run_steps(4);
        let before = app(window).session.selection.shown.clone();
        tab_to(window, &tr("outliner.tree"));
        window.key_press(Key::ArrowDown);
        window.run_steps(4);
        assert_ne!(app(window).session.selection.shown, before);
    });
}
