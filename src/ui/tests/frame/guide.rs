//! The guide: F1 and question marks open the right place, links and search lead on, labels show what they name.

use egui::accesskit::Role;
use portamento_guide::{Address, Language, title};

use crate::dialogs::guide::Guide;
use crate::i18n::tr_with;
use crate::shell::dock::Panel;
use crate::tests::*;
use portamento_session::command::stage::StageCommand;
use portamento_session::{EditCommand, WindowCommand};
use portamento_takes::document::StageType;

/// Returns the place at which the guide is open.
fn place(window: &mut Harness<'_, Option<App>>) -> Option<Address> {
    window.run_steps(4);
    app(window).dialogs.guide.as_ref().map(Guide::address)
}

fn topic(topic: &str) -> Option<Address> {
    Some(Address::of_topic(topic).unwrap())
}

/// Returns the label of the question mark for the thing with the text of this key.
fn about(key: &str) -> String {
    tr_with("guide.about", &[("name", tr(key))])
}

#[test]
fn f1_opens_the_page_of_the_open_stage_and_escape_closes_it() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            window.key_press(Key::F1);
            assert_eq!(place(window), topic("stretch"), "the sample take is a stretch");
            let heading = title("stretch", Language::of_code(language));
            assert!(window.query_by_label(&heading).is_some(), "{heading} is not drawn");
            window.key_press(Key::Escape);
            assert_eq!(place(window), None);
        });
    }
}

#[test]
fn f1_opens_the_page_of_the_dialog_in_front_and_of_the_panel_with_the_focus() {
    in_window("en", |window| {
        app(window).session.perform(Command::Window(WindowCommand::Preferences));
        window.run_steps(4);
        window.key_press(Key::F1);
        assert_eq!(place(window), topic("window#preferences"));
        window.key_press(Key::Escape);
        assert_eq!(place(window), None);
        assert!(app(window).dialogs.preferences, "the dialog behind it stays");
        window.key_press(Key::Escape);
        window.run_steps(4);
        app(window).dock.show_panel(Panel::Clips);
        window.run_steps(2);
        window.get_by_label(&crate::shell::dock::region(Panel::Clips)).focus();
        window.run_steps(2);
        window.key_press(Key::F1);
        assert_eq!(place(window), topic("library-and-fix"));
    });
}

#[test]
fn a_question_mark_on_a_card_and_on_a_panel_opens_its_page() {
    in_window("en", |window| {
        window.get_by_label(&about("stage.stretch")).click();
        assert_eq!(place(window), topic("stretch"));
        window.key_press(Key::Escape);
        window.run_steps(4);
        let add = StageCommand::Add(StageType::Mirror);
        app(window).session.perform(Command::Edit(EditCommand::Stage(add)));
        window.run_steps(4);
        window.get_by_label(&about("stage.mirror")).click();
        assert_eq!(place(window), topic("mirror"));
        window.key_press(Key::Escape);
        window.run_steps(4);
        window.get_by_label(&about("panel.plots")).click();
        assert_eq!(place(window), topic("panels#motion"));
    });
}

#[test]
fn links_lead_on_and_back_and_a_search_finds_a_symptom_in_both_languages() {
    for (language, query) in [("en", "knee flips in every"), ("zh-CN", "膝盖在每一帧")] {
        in_window(language, |window| {
            app(window).dialogs.guide = Some(Guide::at(Address::start()));
            window.run_steps(4);
            let link = if language == "en" { "Blend" } else { "混合" };
            window.get_all_by_role_and_label(Role::Link, link).next().unwrap().click_accesskit();
            assert_eq!(place(window), topic("blend"));
            window.get_by_label(&tr("guide.back")).click_accesskit();
            assert_eq!(place(window), topic("index"));
            window.key_press_modifiers(Modifiers::ALT, Key::ArrowRight);
            assert_eq!(place(window), topic("blend"));
            window.get_by_label(&tr("guide.search")).focus();
            window.run_steps(2);
            window.event(Event::Text(query.into()));
            window.run_steps(4);
            window.get_all_by_role(Role::Link).next().unwrap().click_accesskit();
            assert_eq!(place(window), topic("symptoms#a-knee-flips-in-every-frame"));
            let row = if language == "en" { "a knee flips in every frame" } else { "膝盖在每一帧都是翻的" };
            let rect = window.get_all_by_label(row).next().unwrap().rect();
            assert!(rect.top() > 80.0 && rect.bottom() < 740.0, "the row is in view: {rect}");
        });
    }
}

#[test]
fn a_label_in_the_guide_shows_what_it_names() {
    in_window("en", |window| {
        app(window).dialogs.guide = Some(Guide::at(Address::of_topic("window").unwrap()));
        window.run_steps(4);
        window.get_all_by_role_and_label(Role::Link, &tr("command.film")).next().unwrap().click_accesskit();
        assert_eq!(place(window), None);
        app(window).dialogs.guide = Some(Guide::at(Address::of_topic("symptoms").unwrap()));
        window.run_steps(4);
        window.get_all_by_role_and_label(Role::Link, &tr("panel.log")).next().unwrap().click_accesskit();
        assert_eq!(place(window), None);
        assert!(app(window).dock.is_drawn(Panel::Log));
    });
}

#[test]
fn every_page_is_drawn_in_both_languages_and_small_windows() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            for size in [[1280.0, 800.0], [720.0, 480.0]] {
                window.set_size(size.into());
                for page in portamento_guide::PAGES {
                    app(window).dialogs.guide = Some(Guide::at(Address { page, place: None }));
                    window.run_steps(2);
                    let heading = title(page, Language::of_code(language));
                    let drawn = window.get_all_by_label(&heading).any(|node| node.rect().right() < size[0]);
                    assert!(drawn, "{page} in {language} at {size:?}");
                }
            }
        });
    }
}
