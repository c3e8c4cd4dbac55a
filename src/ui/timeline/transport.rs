//! Transport bar of the timeline.

use egui::{Align, ComboBox, Frame, Label, Layout, Margin, RichText, Ui, Vec2};
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{
    ICON_CHEVRON_LEFT, ICON_CHEVRON_RIGHT, ICON_COUNTER_3, ICON_PAUSE, ICON_PLAY_ARROW, ICON_REPEAT, ICON_SKIP_NEXT,
    ICON_SKIP_PREVIOUS, ICON_SYNC_ALT,
};

use crate::i18n::tr;
use crate::menu::label_with_shortcut;
use crate::widgets::form;
use crate::widgets::{list, middle};
use crate::{theme, widgets};
use portamento_session::{Command, LoopMode, Session, TransportCommand};

/// Preview speeds in the list.
const LISTED_SPEEDS: [f64; 7] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0];

/// Draws the bar, with `hint` at its right.
pub fn bar(ui: &mut Ui, session: &mut Session, hint: Option<&str>) {
    let frame = Frame::new().inner_margin(Margin::symmetric(8, 2));
    frame.show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            ui.add_enabled_ui(session.playback.duration > 0.0, |ui| buttons(ui, session));
            ui.add_space(theme::GAP_MEDIUM);
            readout(ui, session);
            ui.add_space(theme::GAP_MEDIUM);
            if let Some(hint) = hint {
                let hint = RichText::new(hint).font(theme::caption()).color(theme::of(ui).dim);
                ui.add(Label::new(hint).truncate());
            }
        });
    });
    let line = theme::of(ui).line;
    let (rect, _) = ui.allocate_exact_size(egui::Vec2::new(ui.available_width(), 1.0), egui::Sense::hover());
    ui.painter().rect_filled(rect, 0.0, line);
}

/// Draws the playback buttons.
fn buttons(ui: &mut Ui, session: &mut Session) {
    let play = if session.playback.playing { ICON_PAUSE } else { ICON_PLAY_ARROW };
    let buttons: [(MaterialIcon, &str, TransportCommand); 5] = [
        (ICON_SKIP_PREVIOUS, "to_start", TransportCommand::ToStart),
        (ICON_CHEVRON_LEFT, "previous_frame", TransportCommand::Step(-1)),
        (play, "play_pause", TransportCommand::PlayPause),
        (ICON_CHEVRON_RIGHT, "next_frame", TransportCommand::Step(1)),
        (ICON_SKIP_NEXT, "to_end", TransportCommand::ToEnd),
    ];
    for (icon, name, command) in buttons {
        let on = name == "play_pause" && session.playback.playing;
        if widgets::toggle_icon(ui, icon, &label_with_shortcut(name), on).clicked() {
            session.perform(Command::Transport(command));
        }
    }
    let (icon, mode) = match session.playback.loop_mode {
        LoopMode::Once => (ICON_REPEAT, "loop.once"),
        LoopMode::Loop => (ICON_REPEAT, "loop.loop"),
        LoopMode::PingPong => (ICON_SYNC_ALT, "loop.ping_pong"),
    };
    let name = format!("{}: {}", label_with_shortcut("toggle_loop"), tr(mode));
    if widgets::toggle_icon(ui, icon, &name, mode != "loop.once").clicked() {
        session.perform(Command::Transport(TransportCommand::ToggleLoop));
    }
    let loops = session
        .frame()
        .and_then(|frame| frame.built.as_ref())
        .is_some_and(|built| built.looped(session.selection.stage_index(&session.document)).is_some());
    if !loops {
        // Reserves the space of the button for loops, so that the readout does not move.
        ui.allocate_exact_size(egui::Vec2::splat(theme::ROW), egui::Sense::hover());
        return;
    }
    if widgets::toggle_icon(ui, ICON_COUNTER_3, &label_with_shortcut("toggle_rounds"), session.playback.rounds > 1)
        .clicked()
    {
        session.perform(Command::Transport(TransportCommand::ToggleRounds));
    }
}

/// Draws current and last frame in fixed columns, so that the text does not move during playback.
fn frames(ui: &mut Ui, frame: i64, last: i64) {
    let (last, font) = (last.to_string(), theme::strong());
    let width = middle::width(ui, &last, &font);
    let gap = ((84.0 - middle::width(ui, " / ", &font)) * 0.5 - width).max(0.0);
    ui.add_space(gap);
    let at = Layout::right_to_left(Align::Center);
    ui.allocate_ui_with_layout(Vec2::new(width, theme::ROW), at, |ui| {
        ui.add(Label::new(RichText::new(frame.to_string()).font(font.clone())).extend());
    });
    ui.add(Label::new(RichText::new(format!(" / {last}")).font(font)).extend());
    ui.add_space(gap);
}

/// Draws the frame, the time in seconds, the frame rate and the choice of the speed.
fn readout(ui: &mut Ui, session: &mut Session) {
    let tokens = theme::of(ui);
    let playback = &session.playback;
    let fixed = |ui: &mut Ui, width: f32, text: RichText| ui.add_sized([width, theme::ROW], Label::new(text));
    frames(ui, playback.frame(), playback.last_frame());
    let seconds = format!("{:.3} s", playback.time);
    fixed(ui, 60.0, RichText::new(seconds).color(tokens.dim));
    let rate = playback.fps;
    // A computed rate is rarely an exact integer.
    let fps = if (rate - rate.round()).abs() < 5e-4 { format!("{rate:.0} fps") } else { format!("{rate:.2} fps") };
    fixed(ui, 60.0, RichText::new(fps).color(tokens.dim));
    let shown = format!("{}×", playback.speed);
    let combo = ComboBox::from_id_salt("speed").width(64.0).selected_text(shown).show_ui(ui, |ui| {
        for speed in LISTED_SPEEDS {
            list::value(ui, &mut session.playback.speed, speed, format!("{speed}×"));
        }
    });
    form::with_name(combo.response, &tr("transport.speed")).on_hover_text(tr("transport.speed"));
}
