//! Remote control in the window: its dialog, its sign, and pictures for other programs.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use egui::accesskit::Role;
use egui_kittest::kittest::Queryable;

use crate::tests::*;
use portamento_session::remote::ADDRESS_FILE;
use portamento_session::{Command, WindowCommand};

#[test]
fn remote_control_is_off_until_it_is_allowed_and_shown_while_it_is_on() {
    for language in ["en", "zh-CN"] {
        let home = tempfile::tempdir().unwrap();
        in_window(language, |window| {
            app(window).session.remote.home = Some(home.path().to_owned());
            let is_shown = |window: &Harness<'_, Option<App>>| {
                window.query_by_role_and_label(Role::Button, &tr("status.remote")).is_some()
            };
            assert!(app(window).session.remote.port().is_none() && !is_shown(window));
            app(window).session.perform(Command::Window(WindowCommand::RemoteControl));
            window.run_steps(3);
            window.get_by_role_and_label(Role::CheckBox, &tr("remote.on")).click();
            window.run_steps(3);
            let address = home.path().join(ADDRESS_FILE);
            assert!(app(window).session.remote.port().is_some() && address.exists() && is_shown(window));
            window.get_by_role_and_label(Role::CheckBox, &tr("remote.on")).click();
            window.run_steps(3);
            assert!(app(window).session.remote.port().is_none() && !is_shown(window));
            window.get_by_role_and_label(Role::Button, &tr("remote.close")).click();
            window.run_steps(3);
            assert!(!app(window).dialogs.remote);
        });
    }
}

#[test]
fn a_request_is_answered_by_the_window() {
    let home = tempfile::tempdir().unwrap();
    in_window("en", |window| {
        app(window).session.remote.home = Some(home.path().to_owned());
        let ctx = window.ctx.clone();
        crate::remote::begin(&mut app(window).session, &ctx);
        let address = std::fs::read(home.path().join(ADDRESS_FILE)).unwrap();
        let address: serde_json::Value = serde_json::from_slice(&address).unwrap();
        let port = u16::try_from(address["port"].as_u64().unwrap()).unwrap();
        let request = serde_json::json!({ "token": address["token"], "request": "status" });
        let client = std::thread::spawn(move || {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
            stream.write_all(format!("{request}\n").as_bytes()).unwrap();
            let mut line = String::new();
            BufReader::new(stream).read_line(&mut line).unwrap();
            line
        });
        for _ in 0..500 {
            window.run_steps(1);
            if client.is_finished() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let answer = client.join().unwrap();
        assert!(answer.contains("\"ok\":true") && answer.contains("\"program\":\"Portamento\""), "{answer}");
    });
}
