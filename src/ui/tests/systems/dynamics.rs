//! Dynamic bones in the window. Controls are found by their accessible names.

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;

use crate::dock::Panel;
use crate::i18n::{tr, tr_with};
use crate::tests::{App, app, in_window};
use portamento_session::{DynamicsMode, Shown};
use portamento_takes::document::stage::Dynamics;

type Window<'a> = egui_kittest::Harness<'a, Option<App>>;

/// Shows the clip `run` with its joint `hair.1` selected.
fn choose_hair(window: &mut Window<'_>) -> usize {
    let session = &mut app(window).session;
    let file = session.document.files[0].id;
    let joint = session.library.get(file).unwrap().model.skeleton.find("hair.1").unwrap();
    session.selection.shown = Shown::Clip { character: file, file, clip: "run".into() };
    session.selection.joint = Some(joint);
    window.run_steps(4);
    joint
}

fn dynamics(window: &mut Window<'_>) -> Dynamics {
    app(window).session.shown_take().unwrap().dynamics(None).unwrap().clone()
}

fn click(window: &mut Window<'_>, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(4);
}

#[test]
fn a_joint_is_made_dynamic_muted_mirrored_and_reverted() {
    in_window("en", |window| {
        let joint = choose_hair(window);
        let takes = app(window).session.document.takes.len();
        click(window, &tr("dynamics.make_dynamic"));
        assert_eq!(dynamics(window).settings.chains[0].joint, joint);
        assert!(window.query_by_label(&tr("section.chain")).is_some());
        click(window, &tr("dynamics.mute"));
        assert!(dynamics(window).settings.chains[0].muted);
        click(window, &tr("dynamics.unmute"));
        // With the chain's form closed, the colliders are visible.
        app(window).session.selection.chain = None;
        window.run_steps(2);
        // The button is below the visible part of the panel.
        window.get_by_label(&tr_with("collider.fit", &[("joint", "hair.1".into())])).click_accesskit();
        window.run_steps(4);
        assert_eq!(dynamics(window).settings.colliders.len(), 1);
        for _ in 0..4 {
            window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
            window.run_steps(3);
        }
        assert_eq!(app(window).session.document.takes.len(), takes);
    });
}

#[test]
fn a_click_into_the_depth_curve_bends_it_and_a_right_click_takes_the_point_out() {
    in_window("en", |window| {
        choose_hair(window);
        click(window, &tr("dynamics.make_dynamic"));
        assert_eq!(dynamics(window).settings.chains[0].stiffness.curve.len(), 2);
        let name = tr_with("dynamics.curve_of", &[("name", tr("form.bone_stiffness"))]);
        window.get_by_label(&name).scroll_to_me();
        window.run_steps(8);
        click(window, &name);
        let curve = dynamics(window).settings.chains[0].stiffness.curve.clone();
        assert_eq!(curve.len(), 3);
        assert!((curve[1].0 - 0.5).abs() < 0.02, "{curve:?}");
        window.get_by_label(&name).click_secondary();
        window.run_steps(4);
        assert_eq!(dynamics(window).settings.chains[0].stiffness.curve.len(), 2);
    });
}

#[test]
fn live_mode_simulates_off_does_not_and_the_recording_reports_its_result() {
    in_window("en", |window| {
        choose_hair(window);
        click(window, &tr("dynamics.make_dynamic"));
        assert!(window.query_by_label(&tr("outcome.penetration")).is_some());
        click(window, &tr("dynamics.live"));
        assert_eq!(app(window).session.dynamics.mode, DynamicsMode::Live);
        assert!(app(window).session.dynamics.is_live());
        click(window, &tr("dynamics.off"));
        assert!(app(window).session.frame().unwrap().dynamics.is_none());
    });
}

#[test]
fn the_panel_speaks_chinese() {
    in_window("zh-CN", |window| {
        choose_hair(window);
        click(window, &tr("dynamics.make_dynamic"));
        for key in ["section.chains", "section.colliders", "section.wind", "dynamics.mirror"] {
            assert!(window.query_by_label(&tr(key)).is_some(), "{key}");
        }
    });
}

#[test]
fn no_workspace_shows_the_log_first() {
    in_window("en", |window| {
        for (workspace, name) in crate::shell::workspace::WORKSPACES {
            app(window).arrange(workspace);
            window.run_steps(4);
            let region = |panel| window.query_by_label(&crate::dock::region(panel)).is_some();
            assert!(region(Panel::Outliner) && !region(Panel::Log), "{name}");
        }
    });
}
