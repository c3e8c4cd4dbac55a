//! What is preferred is seen at once, and changes nothing that is kept.

use egui::accesskit::Role;

use super::*;
use crate::session::units::{AngleUnit, LengthUnit, Units};

/// What the field called by `key` shows.
fn shown(window: &Harness<'_, Option<App>>, key: &str) -> String {
    window.get_by_role_and_label(Role::SpinButton, &tr(key)).value().unwrap_or_default()
}

#[test]
fn units_change_what_is_shown_and_typed_and_nothing_else() {
    in_window("en", |window| {
        let before = app(window).session.document.clone();
        assert_eq!(shown(window, "form.z"), "5.000 m");
        for (length, text) in [(LengthUnit::Centimetres, "500.0 cm"), (LengthUnit::Feet, "16.404 ft")] {
            app(window).session.preferences.units = Units { length, angle: AngleUnit::Radians };
            window.run_steps(4);
            assert_eq!(shown(window, "form.z"), text);
        }
        assert_eq!(app(window).session.document, before);
        window.get_by_role_and_label(Role::SpinButton, &tr("form.z")).focus();
        window.run_steps(2);
        window.key_press_modifiers(Modifiers::COMMAND, Key::A);
        window.event(egui::Event::Text("3 m 20 cm".into()));
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(6);
        assert_eq!(shown(window, "form.z"), "10.499 ft");
        app(window).session.preferences.units = Units::default();
        window.run_steps(4);
        assert_eq!(shown(window, "form.z"), "3.200 m");
    });
}
