//! Inspector of a retarget source: clip, settings, joint mapping and results.

use egui::{Color32, Grid, ScrollArea, Ui};
use egui_material_icons::icons::ICON_MOVE_DOWN;

use crate::focus;
use crate::i18n::{tr, tr_with};
use crate::panels::results::moment::{go_to, of_source};
use crate::panels::rig::rig_ui;
use crate::shell::offer::Offer;
use crate::theme::{self, Tokens};
use crate::widgets::joint_choice::joint_choice;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::{self, Figure, Readout, form};
use portamento_anim::Skeleton;
use portamento_anim::quality::WorstFrame;
use portamento_base::message::Moment;
use portamento_retarget::{Link, Report, Settings};
use portamento_session::{Command, EditCommand, Session, Shown};
use portamento_takes::document::clip_ref::{referred_take, take_ref};
use portamento_takes::document::{FileId, TakeId, TakeSource};
use portamento_takes::evaluate::{BuiltTake, Retargeted};

/// Draws the retarget of take `id`, if its source is one.
pub(crate) fn retarget_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let built = session.frame().and_then(|frame| frame.built.clone());
    let joint = session.selection.joint;
    let clips = clips(session, id);
    let Some(take) = session.document.take_mut(id) else { return };
    let TakeSource::Retarget(retarget) = &mut take.source else { return };
    let rigs = [retarget.file, take.character];
    let retargeted_and_built =
        built.as_ref().and_then(|built| built.retargeted.as_deref().map(|retargeted| (built, retargeted)));
    let mut asked = None;
    form::section(ui, "retarget", true, |ui| {
        asked = retargeted_and_built.and_then(|(_, retargeted)| outcome(ui, &retargeted.built.report));
        clip_row(ui, &mut retarget.clip, &clips);
        rows(ui, &mut retarget.settings, retargeted_and_built.map(|(_, retargeted)| &retargeted.built.report));
    });
    if let Some((built, retargeted)) = retargeted_and_built {
        joints(ui, &mut retarget.settings, built, retargeted, joint);
    }
    form::section(ui, "retarget_rigs", false, |ui| roles(ui, session, rigs));
    go_to(session, asked);
}

/// Draws the rest pose correction of the joint with index `selected`, if any, and the joint mapping.
fn joints(ui: &mut Ui, settings: &mut Settings, built: &BuiltTake, retargeted: &Retargeted, selected: Option<usize>) {
    let skeleton = &built.character.model.skeleton;
    if let Some(joint) = selected.and_then(|joint| skeleton.joints.get(joint)) {
        form::section(ui, "retarget_rest", true, |ui| correction(ui, settings, &joint.name));
    }
    form::section(ui, "retarget_links", false, |ui| links(ui, settings, skeleton, retargeted));
}

/// Draws the rig definitions of the source and the target character, `rigs`. If both are the same, it is drawn once.
fn roles(ui: &mut Ui, session: &mut Session, rigs: [FileId; 2]) {
    let is_one = rigs[0] == rigs[1];
    for (file, key) in rigs.into_iter().zip(["retarget.followed", "retarget.follows"]).take(if is_one { 1 } else { 2 })
    {
        let name = session.library.get(file).map(|loaded| loaded.model.name.clone()).unwrap_or_default();
        widgets::caption(ui, tr_with(key, &[("rig", name)]));
        ui.push_id(key, |ui| rig_ui(ui, session, file));
    }
}

/// Minimum width of the menu, points, so that short names are easy to click.
const MENU_MIN_WIDTH: f32 = 160.0;

/// Draws the menu that retargets `clip` of `file` to another open character; nothing if there is no other one.
pub(crate) fn retarget_menu(ui: &mut Ui, session: &mut Session, file: FileId, clip: &str) {
    let rigs = session.opened().other_characters(file);
    if rigs.is_empty() {
        return;
    }
    let mut chosen = None;
    ui.menu_button(format!("{}  {}", ICON_MOVE_DOWN.codepoint, tr("retarget.onto")), |ui| {
        ui.set_min_width(MENU_MIN_WIDTH);
        for (character, name) in rigs {
            if ui.button(name).clicked() {
                chosen = Some(EditCommand::AddRetarget { character, file, clip: clip.to_owned() });
                ui.close();
            }
        }
    });
    if let Some(command) = chosen {
        session.perform(Command::Edit(command));
    }
}

/// Returns the offers that retarget the shown clip or take to another open character. Empty if it moves no joints.
pub fn offers(session: &Session) -> Vec<Offer> {
    let opened = session.opened();
    let (file, clip) = match &session.selection.shown {
        Shown::Clip { file, clip, .. } => (*file, clip.clone()),
        Shown::Take(id) => match session.document.take(*id).filter(|take| take.moves_joints()) {
            Some(take) => (take.character, take_ref(*id)),
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let offer = |(character, name): (FileId, String)| {
        let edit = EditCommand::AddRetarget { character, file, clip: clip.clone() };
        Offer::new("outliner.retarget_to", tr_with("outliner.retarget_to", &[("character", name)]), Command::Edit(edit))
    };
    opened.other_characters(file).into_iter().map(offer).collect()
}

/// Returns the names of the clips in the source file of take `id`; empty if its source is a take or not a retarget.
fn clips(session: &Session, id: TakeId) -> Vec<String> {
    let Some(TakeSource::Retarget(retarget)) = session.document.take(id).map(|take| &take.source) else {
        return Vec::new();
    };
    let loaded = session.library.get(retarget.file).filter(|_| referred_take(&retarget.clip).is_none());
    loaded.map_or_else(Vec::new, |loaded| loaded.model.clips.iter().map(|clip| clip.name.clone()).collect())
}

/// Draws the choice of the clip; nothing if `clip` is not one of `clips`.
fn clip_row(ui: &mut Ui, clip: &mut String, clips: &[String]) {
    let Some(mut chosen) = clips.iter().position(|known| known == clip) else { return };
    let choices: Vec<(usize, String)> = clips.iter().cloned().enumerate().collect();
    form::row(ui, "source_clip", |ui| {
        if form::choice(ui, "retarget_clip", &mut chosen, &choices) {
            clip.clone_from(&clips[chosen]);
        }
    });
}

/// Foot slide up to which a foot looks planted, cm/s.
const MAX_PLANTED_SLIDE: f64 = 2.0;
/// Ratio to the slide of the source above which the retarget is to blame.
const MAX_SLIDE_RATIO: f64 = 1.1;

/// Returns green for planted feet and the warning colour for feet that slide more than in the source, both in cm/s. A slide that
/// the source has too gets the text colour.
fn slide_color(tokens: &Tokens, slide: f64, slide_of_source: f64) -> Color32 {
    match () {
        () if slide <= MAX_PLANTED_SLIDE => tokens.ok,
        () if slide <= MAX_SLIDE_RATIO * slide_of_source => tokens.text,
        () => tokens.warning,
    }
}

/// Draws the figures of the report. Returns the moment of the clicked one.
fn outcome(ui: &mut Ui, report: &Report) -> Option<Moment> {
    let tokens = theme::of(ui);
    let feet = |value: f64, text: String, limit: f64| match report.stands {
        0 => Figure::unmeasured(tokens),
        _ => Figure::judged(tokens, text, value <= limit, tokens.warning),
    };
    let direction = report.direction.to_degrees();
    let (slide, sinking) = (100.0 * report.feet_after.slide, 1e3 * report.feet_after.sinking);
    let slide_figure = match report.stands {
        0 => Figure::unmeasured(tokens),
        _ => Figure::new(
            Unit::CentimetresPerSecond.text(slide, 1),
            slide_color(tokens, slide, 100.0 * report.slide_of_source),
        ),
    };
    let at = |worst: Option<WorstFrame>| worst.map(|worst| of_source(worst.time, Some(worst.joint)));
    let values = [
        Readout::of(
            "retarget_direction",
            Figure::judged(tokens, Unit::Degrees.text(direction, 2), direction <= 0.1, tokens.warning),
        )
        .at(at(report.direction_at)),
        Readout::of("retarget_slide", slide_figure).at(at(report.feet_after.slides_at)),
        Readout::of("retarget_sinking", feet(sinking, Unit::Millimetres.text(sinking, 1), 5.0))
            .at(at(report.feet_after.sinks_at)),
        Readout::new("retarget_linked", report.linked.to_string(), tokens.text),
    ];
    widgets::readouts(ui, &values)
}

/// Draws the settings of the retarget. Without an own scale, that of the report is shown.
fn rows(ui: &mut Ui, settings: &mut Settings, report: Option<&Report>) {
    form::row(ui, "retarget_align", |ui| {
        form::tick(ui, &mut settings.align);
    });
    form::row(ui, "retarget_hold", |ui| {
        form::tick(ui, &mut settings.hold_feet);
    });
    form::row(ui, "retarget_hands", |ui| {
        form::tick(ui, &mut settings.hold_hands);
        if let Some(report) = report.filter(|report| report.hand_contacts > 0) {
            widgets::caption(ui, hands(report));
        }
    });
    let reset = form::row(ui, "retarget_scale", |ui| {
        let mut on = settings.scale.is_some();
        if form::tick(ui, &mut on).changed() {
            settings.scale = on.then_some(report.map_or(1.0, |report| report.scale));
        }
        match (&mut settings.scale, report) {
            (Some(scale), _) => {
                let field = Field { per_pixel: 0.002, decimals: 3, ..Field::new(Unit::Plain).within(1e-4, 1e4) };
                number(ui, &tr("form.retarget_scale"), scale, field);
            }
            (None, Some(report)) => {
                widgets::caption(ui, format!("{:.3}", report.scale));
            }
            (None, None) => {}
        }
    });
    if reset {
        settings.scale = None;
    }
}

/// Returns the translated number of hand contacts with their mean distance before and after, in millimetres.
fn hands(report: &Report) -> String {
    tr_with(
        "retarget.hands",
        &[
            ("count", report.hand_contacts.to_string()),
            ("before", Unit::Millimetres.number(1e3 * report.hands_before, 0)),
            ("after", Unit::Millimetres.text(1e3 * report.hands_after, 0)),
        ],
    )
}

/// Draws the rest pose rotation of `joint`, degrees.
fn correction(ui: &mut Ui, settings: &mut Settings, joint: &str) {
    let before = settings.turn(joint);
    let mut turn = before;
    form::fact(ui, "name", joint.to_owned());
    let reset = form::row(ui, "retarget_turn", |ui| {
        let width = (ui.available_width() - 2.0 * theme::GAP_SMALL) / 3.0;
        ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
        for (axis, value) in ["X", "Y", "Z"].iter().zip(&mut turn) {
            number(ui, axis, value, Field::new(Unit::Degrees).within(-180.0, 180.0).with_width(width));
        }
    });
    if reset {
        turn = [0.0; 3];
    }
    if turn != before {
        settings.set_turn(joint, turn);
    }
}

/// Draws a row for each joint of `skeleton` that is mapped or explicitly unmapped, with the choice of its source joint. A button
/// removes all edited links.
fn links(ui: &mut Ui, settings: &mut Settings, skeleton: &Skeleton, retargeted: &Retargeted) {
    const MAX_HEIGHT: f32 = 320.0;
    let source = &retargeted.source.model.skeleton;
    let link_of = |joint: usize| retargeted.built.links.iter().find(|link| link.joint == joint);
    let is_listed = |joint: &usize| link_of(*joint).is_some() || settings.link(&skeleton.joints[*joint].name).is_some();
    let listed: Vec<usize> = (0..skeleton.len()).filter(is_listed).collect();
    ScrollArea::vertical().max_height(MAX_HEIGHT).show(ui, |ui| {
        Grid::new("links").num_columns(2).striped(true).show(ui, |ui| {
            for joint in listed {
                let name = &skeleton.joints[joint].name;
                ui.add(egui::Label::new(name.as_str()).truncate());
                let mut from = link_of(joint).map(|link: &Link| link.to);
                if joint_choice(ui, ("link", joint), &mut from, Some(&tr("retarget.nobody")), source) {
                    settings.set_link(name, Some(from.map(|from| source.joints[from].name.clone())));
                }
                ui.end_row();
            }
        });
        focus::scroll_to_focus(ui);
    });
    if !settings.links.is_empty() && ui.button(tr("retarget.as_found")).clicked() {
        settings.links.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slide_of_the_source_is_neither_good_nor_a_fault_of_the_retarget() {
        let tokens = theme::tokens(true);
        assert_eq!(slide_color(tokens, 1.5, 0.0), tokens.ok);
        assert_eq!(slide_color(tokens, 138.4, 138.2), tokens.text);
        assert_eq!(slide_color(tokens, 138.4, 62.8), tokens.warning);
    }
}
