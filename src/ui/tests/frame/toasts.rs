//! Toasts over the viewport.

use egui::accesskit::Role;

use crate::i18n::tr_with;
use crate::tests::*;
use portamento_base::message::Message;
use portamento_session::Severity;

#[test]
fn many_messages_do_not_cover_the_figure_and_link_to_the_log() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let said = "A long path of a file that could not be read, and what to do about it now. ".repeat(4);
            for at in 0..12 {
                app(window).session.notices.add(Severity::Error, Message::verbatim(format!("{at} {said}")));
            }
            window.run_steps(4);
            let more = tr_with("toast.more", &[("count", "11".to_owned())]);
            let (close, more) = (window.get_by_label(&tr("toast.close")).rect(), window.get_by_label(&more));
            assert!(more.rect().max.y - close.min.y < 72.0, "{language}: {close} {}", more.rect());
            more.click();
            window.run_steps(4);
            assert!(window.query_by_label(&tr("log.search")).is_some(), "the log is shown");
            window.get_by_role_and_label(Role::Button, &tr("toast.close")).click();
            window.run_steps(4);
            assert!(window.query_by_label(&tr("toast.close")).is_none(), "all are closed at once");
        });
    }
}
