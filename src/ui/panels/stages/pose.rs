//! Inspector of the pose stage: the handles, the correction of the selected joint, the key at the playhead and all keys.

use egui::{RichText, Ui};
use egui_material_icons::icons::{
    ICON_ADD, ICON_CONTENT_COPY, ICON_CONTENT_PASTE, ICON_DELETE, ICON_FLIP, ICON_MY_LOCATION, ICON_RESTART_ALT,
};
use glam::DVec3;

use super::go_to;
use super::pose_goals::goals_ui;
use crate::i18n::{tr, tr_with};
use crate::theme::{self, Tokens};
use crate::viewport::metres_per_unit;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::rows::{number_row, vector_fields};
use crate::widgets::{self, Figure, Readout, SegmentChoice, form};
use portamento_base::message::Moment;
use portamento_repair::pose::{Correction, PoseKey, Report};
use portamento_session::posing::{PoseAxes, PoseCommand, PoseSite, PoseTool};
use portamento_session::{Command, EditCommand, Session};
use portamento_takes::document::TakeId;

/// Returns the numbers of keys and corrected joints. It is a warning if the report warns.
pub(super) fn figure(tokens: &Tokens, report: &Report) -> Figure {
    let part = [("keys", report.keys.to_string()), ("joints", report.joints.to_string())];
    Figure::judged(tokens, tr_with("stack.pose", &part), !report.warns(), tokens.warning)
}

/// Draws the pose stage that is open in the shown take; nothing if no such stage is open.
pub(crate) fn pose_ui(ui: &mut Ui, session: &mut Session, _: TakeId) {
    let Some(site) = session.pose_site() else { return };
    form::section(ui, "pose", true, |ui| {
        outcome(ui, session);
        handle_choice(ui, session);
        match session.selected_joint_name() {
            Some(joint) => joint_ui(ui, session, &site, &joint),
            None => {
                widgets::caption(ui, tr("pose.no_joint"));
            }
        }
    });
    form::section(ui, "pose_key", true, |ui| key_ui(ui, session, &site));
    form::section(ui, "pose_keys", true, |ui| keys_ui(ui, session, &site));
    form::section(ui, "pose_goals", true, |ui| goals_ui(ui, session, &site));
}

/// Draws the figures of the stage; nothing if it is not built.
fn outcome(ui: &mut Ui, session: &Session) {
    let built = session.evaluation.built_for_open_stage(&session.document, &session.selection);
    let at = session.selection.stage_index(&session.document);
    let Some(report) = built.as_ref().and_then(|built| built.result::<Report>(at)) else {
        return;
    };
    let tokens = theme::of(ui);
    let turn = Unit::Degrees.text(report.turn, 1);
    let turn = report.most_turned.as_ref().map_or(turn.clone(), |joint| format!("{turn} · {joint}"));
    let joints = Figure::judged(tokens, report.joints.to_string(), !report.warns(), tokens.warning);
    let mut values = vec![Readout::of("pose_joints", joints), Readout::new("pose_turn", turn, tokens.text)];
    if !report.goals.is_empty() {
        let farthest = report.goals.iter().map(|goal| goal.gap + goal.deviation).fold(0.0, f64::max);
        let text = Unit::Millimetres.text(1e3 * farthest, 2);
        values.push(Readout::of("pose_gap", Figure::judged(tokens, text, farthest <= 1e-4, tokens.warning)));
    }
    widgets::readouts(ui, &values);
}

/// Draws the choice whether the handles in the viewport turn or move a joint, and along which axes.
fn handle_choice(ui: &mut Ui, session: &mut Session) {
    let (tool, axes) = &mut session.selection.posing;
    let tools = [(PoseTool::Turn, "pose.tool_turn"), (PoseTool::Move, "pose.tool_move")];
    widgets::segments(ui, tool, &tools.map(|(tool, key)| SegmentChoice::of_key(tool, key)));
    let choices = [
        (PoseAxes::Local, "pose.axes_local"),
        (PoseAxes::Parent, "pose.axes_parent"),
        (PoseAxes::World, "pose.axes_world"),
    ];
    widgets::segments(ui, axes, &choices.map(|(axes, key)| SegmentChoice::of_key(axes, key)));
}

/// Draws the correction of `joint` at the playhead (degrees, metres), with buttons that copy, paste, mirror and reset it. An edit
/// sets it in the key at the playhead.
fn joint_ui(ui: &mut Ui, session: &mut Session, site: &PoseSite, joint: &str) {
    ui.label(RichText::new(joint).font(theme::strong()));
    let Some(shown) = session.correction_at(site, joint) else { return };
    let keyed = session.keyed_correction(site, joint);
    let mut changed = keyed.clone().unwrap_or_else(|| Correction::of(joint));
    let metres = metres_per_unit(session);
    let mut turn = DVec3::from(shown.turn.unwrap_or_default());
    let reset = form::row(ui, "pose_turn", |ui| vector_fields(ui, "pose_turn", &mut turn, Unit::Degrees));
    if Some(turn.to_array()) != shown.turn {
        changed.turn = Some(turn.to_array());
    }
    if reset {
        changed.turn = None;
    }
    let before = shown.offset() * metres;
    let mut offset = before;
    let reset = form::row(ui, "pose_move", |ui| vector_fields(ui, "pose_move", &mut offset, Unit::Metres));
    if offset != before {
        changed.translation = Some((offset / metres).to_array());
    }
    if reset {
        changed.translation = None;
    }
    if changed != keyed.clone().unwrap_or_else(|| Correction::of(joint)) {
        session.set_correction(site, changed);
    }
    ui.horizontal(|ui| {
        if widgets::icon_button(ui, ICON_CONTENT_COPY, &tr("pose.copy")).clicked() {
            session.copied_correction = Some(shown);
        }
        let copied = session.copied_correction.clone();
        let paste = ui.add_enabled_ui(copied.is_some(), |ui| {
            widgets::icon_button(ui, ICON_CONTENT_PASTE, &tr("pose.paste")).clicked()
        });
        if let Some(copied) = copied.filter(|_| paste.inner) {
            session.set_correction(site, Correction { joint: joint.to_owned(), ..copied });
        }
        let has_key = keyed.is_some();
        ui.add_enabled_ui(has_key, |ui| {
            if widgets::icon_button(ui, ICON_FLIP, &tr("pose.mirror")).clicked() {
                session.mirror_correction(site, joint);
            }
            if widgets::icon_button(ui, ICON_RESTART_ALT, &tr("pose.reset")).clicked() {
                session.set_correction(site, Correction::of(joint));
            }
        });
    });
}

/// Draws the settings of the key at the playhead, and buttons that add, mirror, store or paste one.
fn key_ui(ui: &mut Ui, session: &mut Session, site: &PoseSite) {
    match site.key.zip(session.pose_settings_mut(site)).and_then(|(at, settings)| settings.keys.get_mut(at)) {
        Some(key) => key_rows(ui, key),
        None => {
            widgets::caption(ui, tr("pose.no_key"));
        }
    }
    let mut chosen = None;
    ui.horizontal_wrapped(|ui| {
        let mut button = |icon, key: &str, command| {
            if widgets::text_button(ui, icon, &tr(key)).clicked() {
                chosen = Some(command);
            }
        };
        if site.key.is_none() {
            button(ICON_ADD, "command.pose_key", PoseCommand::AddKey);
        } else {
            button(ICON_FLIP, "command.pose_mirror_key", PoseCommand::MirrorKey);
        }
        button(ICON_CONTENT_COPY, "command.pose_keep", PoseCommand::Keep);
        if session.stored_pose.is_some() {
            button(ICON_CONTENT_PASTE, "command.pose_paste", PoseCommand::Paste);
            button(ICON_CONTENT_PASTE, "command.pose_paste_mirrored", PoseCommand::PasteMirrored);
        }
    });
    if let Some(command) = chosen {
        session.perform(Command::Edit(EditCommand::Pose(command)));
    }
}

/// Draws the settings of a key.
fn key_rows(ui: &mut Ui, key: &mut PoseKey) {
    let usual = PoseKey::default();
    if form::named_row(ui, "pose_mode", &mut key.mode, "pose.{}") {
        key.mode = usual.mode;
    }
    let fade = Field::new(Unit::Seconds).within(0.0, PoseKey::MAX_SECONDS);
    number_row(ui, "pose_fade_in", &mut key.fade_in, fade, usual.fade_in);
    number_row(ui, "pose_fade_out", &mut key.fade_out, fade, usual.fade_out);
    if form::named_row(ui, "pose_easing", &mut key.easing, "easing.{}") {
        key.easing = usual.easing;
    }
    number_row(ui, "pose_influence", &mut key.influence, Field::new(Unit::Share).within(0.0, 1.0), usual.influence);
}

/// Draws one row per key with its time, a button that goes there and one that removes it.
fn keys_ui(ui: &mut Ui, session: &mut Session, site: &PoseSite) {
    let frame = 2.0 * site.tolerance;
    let index = session.selection.stage_index(&session.document).unwrap_or(0);
    let Some(settings) = session.pose_settings_mut(site) else { return };
    if settings.keys.is_empty() {
        widgets::caption(ui, tr("pose.no_keys"));
    }
    let times: Vec<f64> = settings.keys.iter().map(|key| key.time).collect();
    let (mut removed, mut sought) = (None, None);
    for (at, key) in settings.keys.iter_mut().enumerate() {
        let low = at.checked_sub(1).map_or(0.0, |before| times[before] + frame);
        let high = times.get(at + 1).map_or(PoseKey::MAX_SECONDS, |next| next - frame).max(low);
        ui.push_id(at, |ui| {
            ui.horizontal(|ui| {
                let width = ui.available_width() - 3.0 * (theme::ROW + theme::GAP_SMALL) - 64.0;
                let field = Field::new(Unit::Seconds).within(low, high).with_width(width.max(48.0));
                number(ui, &tr("pose.time"), &mut key.time, field);
                let ink = if site.key == Some(at) { theme::of(ui).accent } else { theme::of(ui).dim };
                let count = tr_with("pose.joint_count", &[("count", key.joints.len().to_string())]);
                ui.label(RichText::new(count).font(theme::caption()).color(ink));
                if widgets::icon_button(ui, ICON_MY_LOCATION, &tr("pose.go_to")).clicked() {
                    sought = Some(key.time);
                }
                if widgets::icon_button(ui, ICON_DELETE, &tr("pose.remove")).clicked() {
                    removed = Some(at);
                }
            });
        });
    }
    if let Some(at) = removed {
        settings.keys.remove(at);
    }
    let moment = sought.map(|seconds| Moment { seconds, joint: None, stages: index });
    go_to(session, moment);
}
