//! Preferences take effect immediately and change nothing in the project.

use egui::accesskit::Role;

use crate::tests::*;
use crate::theme;
use portamento_session::WindowCommand;
use portamento_session::appearance::{Appearance, Background, Highlights, ThemeChoice};
use portamento_session::units::{AngleUnit, LengthUnit, TimeUnit, Units};

/// Returns the text of the field `key`.
fn shown(window: &Harness<'_, Option<App>>, key: &str) -> String {
    window.get_by_role_and_label(Role::SpinButton, &tr(key)).value().unwrap_or_default()
}

#[test]
fn units_change_displayed_and_typed_numbers_only() {
    in_window("en", |window| {
        let before = app(window).session.document.clone();
        assert_eq!(shown(window, "form.z"), "5.000 m");
        for (length, text) in [(LengthUnit::Centimetres, "500.0 cm"), (LengthUnit::Feet, "16.404 ft")] {
            app(window).session.preferences.units = Units { length, angle: AngleUnit::Radians, ..Units::default() };
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

/// Returns true if `text` contains a number of seconds.
fn is_in_seconds(text: &str) -> bool {
    let numbers =
        |unit: &str| text.split(unit).next().is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()));
    [" s", " 秒"].iter().any(|unit| text.ends_with(unit) && numbers(unit))
}

#[test]
fn with_times_in_frames_seconds_appear_only_next_to_a_frame_number() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            app(window).session.preferences.units = Units { time: TimeUnit::Frames, ..Units::default() };
            let before = app(window).session.document.clone();
            let (mut wrong_texts, mut in_frames) = (Vec::new(), 0);
            for take in before.takes.iter().map(|take| take.id) {
                app(window).session.selection.show(Shown::Take(take));
                window.run_steps(8);
                let words = super::layout::words(window);
                in_frames += words.iter().filter(|text| text.ends_with(" f")).count();
                let playhead = format!("{:.3} s", app(window).session.playback.time);
                wrong_texts.extend(words.into_iter().filter(|text| is_in_seconds(text) && *text != playhead));
            }
            assert!(wrong_texts.is_empty() && in_frames > 20, "{language}: {wrong_texts:?}, {in_frames}");
            assert_eq!(app(window).session.document, before);
        });
    }
}

#[test]
fn colors_change_immediately_and_can_be_reset() {
    in_window("en", |window| {
        let seen = || (*theme::tokens(true), *theme::view());
        let at_first = seen();
        app(window).dialogs.preferences = true;
        let appearance =
            Appearance { theme: ThemeChoice::Light, highlights: Highlights::OkabeIto, background: Background::Paper };
        app(window).session.preferences.appearance = appearance;
        // Waits until the dialog stops moving.
        window.run_steps(10);
        assert_eq!(window.ctx.theme(), egui::Theme::Light);
        assert_ne!(seen(), at_first);
        assert!(!theme::over_view().dark, "what lies over a light view is dark");
        window.get_by_label(&tr("colors.reset")).click();
        window.run_steps(4);
        assert_eq!((app(window).session.preferences.appearance, seen()), (Appearance::default(), at_first));
        assert_eq!(window.ctx.theme(), egui::Theme::Dark);
    });
}

#[test]
fn toggling_the_system_theme_selects_the_opposite_theme() {
    in_window("en", |window| {
        app(window).session.preferences.appearance.theme = ThemeChoice::System;
        window.run_steps(2);
        // If the system reports no theme, the dark theme is used.
        app(window).session.perform(Command::Window(WindowCommand::ToggleTheme));
        window.run_steps(2);
        assert_eq!(app(window).session.preferences.appearance.theme, ThemeChoice::Light);
    });
}

#[test]
fn the_preferences_fit_into_small_windows() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            app(window).dialogs.preferences = true;
            for scale in [1.0, 1.5, 1.75] {
                window.set_size(egui::vec2(1280.0, 800.0) / scale);
                window.run_steps(6);
                let close = window.get_by_label(&tr("dialog.close")).rect();
                assert!(window.ctx.content_rect().contains_rect(close), "{language} {scale}: {close}");
                let [reset, units] = ["colors.reset", "section.units"].map(|key| window.get_by_label(&tr(key)).rect());
                assert!(units.top() - reset.bottom() < 40.0, "{language} {scale}: no gap after the colours");
            }
        });
    }
}
