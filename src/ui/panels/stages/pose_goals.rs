//! Goals of the pose stage in the inspector: pinned joints and looks.

use egui::{RichText, Ui};
use egui_material_icons::icons::{ICON_DELETE, ICON_PUSH_PIN, ICON_VISIBILITY};
use glam::DVec3;

use crate::i18n::tr;
use crate::theme;
use crate::widgets::joint_choice::joint_choice;
use crate::widgets::number::{Field, Unit};
use crate::widgets::rows::{number_row, vector_fields};
use crate::widgets::{self, form};
use portamento_anim::Skeleton;
use portamento_repair::pose::{Goal, GoalKind, PoseKey};
use portamento_session::posing::{PoseCommand, PoseSite};
use portamento_session::{Command, EditCommand, Session};

/// Draws the goals, and buttons that add a pin or look for the selected joint.
pub(super) fn goals_ui(ui: &mut Ui, session: &mut Session, site: &PoseSite) {
    let character = session.frame().map(|frame| frame.character.clone());
    if let (Some(character), Some(settings)) = (character, session.pose_settings_mut(site)) {
        if settings.goals.is_empty() {
            widgets::caption(ui, tr("goal.none"));
        }
        let mut removed = None;
        for (at, goal) in settings.goals.iter_mut().enumerate() {
            let is_removed = ui.push_id(("goal", at), |ui| goal_ui(ui, goal, &character.model.skeleton)).inner;
            removed = if is_removed { Some(at) } else { removed };
        }
        if let Some(at) = removed {
            settings.goals.remove(at);
        }
    }
    let mut chosen = None;
    ui.add_enabled_ui(session.selection.joint.is_some(), |ui| {
        ui.horizontal_wrapped(|ui| {
            if widgets::text_button(ui, ICON_PUSH_PIN, &tr("command.pose_pin")).clicked() {
                chosen = Some(PoseCommand::Pin);
            }
            if widgets::text_button(ui, ICON_VISIBILITY, &tr("command.pose_look")).clicked() {
                chosen = Some(PoseCommand::Look);
            }
        });
    });
    if let Some(command) = chosen {
        session.perform(Command::Edit(EditCommand::Pose(command)));
    }
}

/// Draws one goal. Returns true if it is to be removed.
fn goal_ui(ui: &mut Ui, goal: &mut Goal, skeleton: &Skeleton) -> bool {
    let usual = Goal::default();
    let is_removed = ui
        .horizontal(|ui| {
            let icon = if goal.kind == GoalKind::Pin { ICON_PUSH_PIN } else { ICON_VISIBILITY };
            ui.label(RichText::new(format!("{}  {}", icon.codepoint, goal.joint)).font(theme::strong()));
            widgets::icon_button(ui, ICON_DELETE, &tr("goal.remove")).clicked()
        })
        .inner;
    if form::named_row(ui, "goal_kind", &mut goal.kind, "goal.{}") {
        goal.kind = usual.kind;
    }
    let mut target = DVec3::from(goal.target);
    form::row(ui, "goal_target", |ui| vector_fields(ui, "goal_target", &mut target, Unit::Metres));
    goal.target = target.to_array();
    let reset = form::row(ui, "goal_of", |ui| {
        let mut of = skeleton.find(&goal.of);
        if joint_choice(ui, "goal_of", &mut of, Some(&tr("goal.world")), skeleton) {
            goal.of = of.and_then(|of| skeleton.joints.get(of)).map_or_else(String::new, |joint| joint.name.clone());
        }
    });
    if reset {
        goal.of.clear();
    }
    let seconds = Field::new(Unit::Seconds).within(0.0, PoseKey::MAX_SECONDS);
    number_row(ui, "goal_start", &mut goal.start, seconds, usual.start);
    number_row(ui, "goal_end", &mut goal.end, seconds, usual.end);
    number_row(ui, "pose_fade_in", &mut goal.fade_in, seconds, usual.fade_in);
    number_row(ui, "pose_fade_out", &mut goal.fade_out, seconds, usual.fade_out);
    let share = Field::new(Unit::Share).within(0.0, 1.0);
    number_row(ui, "pose_influence", &mut goal.influence, share, usual.influence);
    if goal.kind == GoalKind::Look {
        let degrees = Field::new(Unit::Degrees).within(0.0, 180.0);
        number_row(ui, "goal_limit", &mut goal.limit, degrees, usual.limit);
        number_row(ui, "goal_spread", &mut goal.spread, share, usual.spread);
    }
    is_removed
}
