//! The topic of each stage, source, panel, workspace, dialog, finding and warning: a page, or a page and the English anchor of
//! a heading or row on it.

mod warnings;

use crate::app::App;
use crate::shell::dock::Panel;
use crate::shell::workspace::Workspace;
use portamento_anim::quality::Finding;
use portamento_session::{Session, Shown};
use portamento_takes::document::{StageType, Take, TakeSource};

pub(crate) use warnings::of_warning;

/// Returns the topic of a kind of stage.
pub(crate) const fn of_stage(kind: StageType) -> &'static str {
    match kind {
        StageType::Layer => "layer",
        StageType::Stretch => "stretch",
        StageType::Cleanup => "clean-up",
        StageType::Ground => "ground",
        StageType::Retime => "retime",
        StageType::Trim => "trim",
        StageType::Mirror => "mirror",
        StageType::Root => "root-motion",
        StageType::Dynamics => "dynamics",
        StageType::Loop => "loop",
        StageType::Close => "close",
        StageType::Offset => "cycle-offset",
        StageType::Stride => "stride",
        StageType::Align => "align-poses",
        StageType::Cross => "cross",
        StageType::Additive => "additive",
        StageType::Pose => "pose",
    }
}

/// Returns the topic of the stage kind with this name; that of all stages for an unknown name.
pub(crate) fn of_stage_named(kind: &str) -> &'static str {
    StageType::named(kind).map_or("stages", of_stage)
}

/// Returns the topic of a panel.
pub(crate) const fn of_panel(panel: Panel) -> &'static str {
    match panel {
        Panel::Outliner => "panels#outliner",
        Panel::History => "panels#history",
        Panel::Viewport => "panels#viewport",
        Panel::Plots => "panels#motion",
        Panel::Graph => "blend#the-graph",
        Panel::Seams => "loop#figures",
        Panel::Clips => "library-and-fix",
        Panel::Log => "panels#log",
        Panel::FrameTimes => "window#frame-times",
        Panel::Inspector => "panels#inspector",
        Panel::Timeline => "panels#timeline",
    }
}

/// Returns the topic of a workspace.
pub(crate) const fn of_workspace(workspace: Workspace) -> &'static str {
    match workspace {
        Workspace::Stretch => "stretch",
        Workspace::Blend => "blend",
        Workspace::Dynamics => "dynamics",
        Workspace::Loop => "loop",
        Workspace::Walk => "walk",
        Workspace::Free => "window",
    }
}

/// Returns the topic of a finding.
pub(crate) const fn of_finding(finding: Finding) -> &'static str {
    match finding {
        Finding::FeetSlide => "symptoms#foot-slide",
        Finding::Sinks => "symptoms#ground-penetration",
        Finding::Pops => "symptoms#pops",
        Finding::Jitters => "symptoms#jitter",
        Finding::DoesNotClose => "symptoms#open-loop",
        Finding::StartsOffOrigin => "symptoms#off-origin",
        Finding::BadRotations => "symptoms#bad-rotations",
    }
}

/// Returns the topic of what the window shows: the open dialog, the panel with the focus, the open stage, the source of the
/// take, or the workspace.
pub(super) fn of_shown(app: &App, ctx: &egui::Context) -> &'static str {
    if let Some(topic) = of_dialog(app) {
        return topic;
    }
    if app.session.is_empty() {
        return "index";
    }
    match app.dock.focused_panel(ctx) {
        Some(Panel::Inspector | Panel::Viewport | Panel::Timeline) | None => of_selection(&app.session, app.workspace),
        Some(panel) => of_panel(panel),
    }
}

/// Returns the topic of the open stage or of the source of the shown item.
fn of_selection(session: &Session, workspace: Workspace) -> &'static str {
    let take = session.shown_take();
    let open = session.selection.open_stage(&session.document);
    let stage = take.as_ref().and_then(|take| take.stages.iter().find(|stage| Some(stage.id) == open));
    match (stage, take.as_ref(), &session.selection.shown) {
        (Some(stage), ..) => of_stage_named(stage.kind.name()),
        (None, Some(take), _) => of_source(take).unwrap_or_else(|| of_workspace(workspace)),
        (None, None, Shown::File(_)) => "files",
        _ => of_workspace(workspace),
    }
}

/// Returns the topic of the source of a take; `None` for a plain clip.
fn of_source(take: &Take) -> Option<&'static str> {
    match &take.source {
        TakeSource::Scenario(_) => Some("blend"),
        TakeSource::Retarget(_) => Some("retarget"),
        TakeSource::Walk(_) => Some("walk"),
        TakeSource::Cloth(_) => Some("cloth"),
        _ => None,
    }
}

/// Returns the topic of the dialog in front; `None` without a dialog.
fn of_dialog(app: &App) -> Option<&'static str> {
    let dialogs = &app.dialogs;
    let open = [
        (dialogs.keymap.is_some() || dialogs.help, "window#keyboard"),
        (dialogs.remote, "remote#in-the-window"),
        (dialogs.preferences, "window#preferences"),
        (dialogs.sets.is_some(), "contracts#in-the-window"),
        (dialogs.variants.is_some(), "recipes-and-variants#variants"),
        (dialogs.export, "export"),
        (dialogs.recovery.is_open(), "safety#unsaved-work-comes-back"),
        (dialogs.unsaved.is_some(), "safety#unsaved-work-comes-back"),
    ];
    open.into_iter().find_map(|(is_open, topic)| is_open.then_some(topic))
}

#[cfg(test)]
mod tests;
