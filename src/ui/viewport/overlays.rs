//! The viewport's overlays and their menu.

use egui::containers::menu::{MenuButton, MenuConfig};
use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Button, Pos2, Rect, RichText, Stroke, Ui, UiBuilder, Vec2};
use egui_material_icons::icons::{ICON_EXPAND_MORE, ICON_VISIBILITY};

use crate::i18n::tr;
use crate::widgets::number::{IntegerField, whole_number};
use crate::{theme, widgets};
use portamento_takes::evaluate::overlay::{self, OnionSkins};
use portamento_takes::evaluate::{Frame, FrameContent, Ghost};

/// Width reserved for the axis gizmo in the upper right corner, points.
const GIZMO_WIDTH: f32 = 112.0;

/// The visibility of overlays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlays {
    /// Ghosts at the ends of source and result.
    pub ghosts: bool,
    /// Ghost of the motion before the open stage.
    pub before_stage: bool,
    /// Interval of onion skins in frames; 0 turns them off.
    pub onion_every: u32,
    /// Number of onion skins on either side of the playhead.
    pub onion_each_way: u32,
    /// Paths of source and result.
    pub trails: bool,
    /// Joints over the mesh.
    pub joints: bool,
    /// Names of joints.
    pub names: bool,
    /// The figure.
    pub mesh: bool,
    /// The grid on the ground.
    pub grid: bool,
    /// Colliders of dynamic bones.
    pub colliders: bool,
    /// Radii of dynamic bones.
    pub radii: bool,
    /// Contacts of dynamic bones.
    pub contacts: bool,
    /// Angle limits of dynamic bones.
    pub limits: bool,
    /// The animated pose of dynamic bones without dynamics.
    pub rest: bool,
    /// The wind's arrow.
    pub wind: bool,
    /// True if the camera follows the character during playback; `None` follows walks only.
    pub follow: Option<bool>,
    /// Turntable: the camera orbits its target.
    pub turntable: bool,
}

impl Default for Overlays {
    fn default() -> Self {
        Self {
            ghosts: true,
            before_stage: false,
            onion_every: 0,
            onion_each_way: 3,
            trails: true,
            joints: false,
            names: false,
            mesh: true,
            grid: true,
            colliders: true,
            radii: false,
            contacts: true,
            limits: false,
            rest: false,
            wind: true,
            follow: None,
            turntable: false,
        }
    }
}

/// Largest interval of onion skins in frames and largest number on either side.
const MAX_ONION: [u32; 2] = [60, 12];

impl Overlays {
    /// Returns the onion skins around `frame`; none if they are off or the take is not posed.
    pub fn onion_skins(&self, frame: &Frame) -> Vec<Ghost> {
        let built = frame.built.as_ref().filter(|_| self.onion_every > 0 && frame.content == FrameContent::Posed);
        let skins = OnionSkins { every: self.onion_every, ghosts_per_side: self.onion_each_way };
        built.map_or_else(Vec::new, |built| overlay::onion_skins(built, frame.time, skins))
    }
}

/// Draws the bar in the upper left corner: overlay menu and the title `shown`. With `has_axes` it leaves room for the gizmo.
pub fn bar(ui: &mut Ui, rect: Rect, overlays: &mut Overlays, shown: &Title, has_axes: bool) {
    line(ui, rect, shown, has_axes, |ui| {
        let text = format!("{}  {} {}", ICON_VISIBILITY.codepoint, tr("overlays.title"), ICON_EXPAND_MORE.codepoint);
        // The menu stays open while several options are changed.
        let menu_config = MenuConfig::new().close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
        let (response, _) = MenuButton::from_button(button(text)).config(menu_config).ui(ui, |ui| menu(ui, overlays));
        widgets::named(response, &tr("overlays.title"));
    });
}

/// Returns a button with the style of viewport overlays.
pub fn button<'a>(text: String) -> Button<'a> {
    Button::new(RichText::new(text).color(theme::view().ink)).fill(theme::view().plate).stroke(Stroke::NONE)
}

/// The title of a viewport.
#[derive(Debug)]
pub struct Title {
    /// The name; shortened if it does not fit.
    pub name: String,
    /// Measurements after the name; never shortened.
    pub figures: String,
}

/// Draws the bar at the top of `rect`: the widgets of `first`, then `title`. With `has_axes` it leaves room for the gizmo.
pub fn line(ui: &mut Ui, rect: Rect, title: &Title, has_axes: bool, first: impl FnOnce(&mut Ui)) {
    let taken = if has_axes { GIZMO_WIDTH } else { theme::GAP_MEDIUM };
    let at = rect.min + Vec2::splat(theme::GAP_MEDIUM);
    let at = Rect::from_min_max(at, Pos2::new((rect.max.x - taken).max(at.x + 40.0), at.y + theme::ROW));
    ui.scope_builder(UiBuilder::new().max_rect(at), |ui| {
        ui.horizontal(|ui| {
            first(ui);
            let start = ui.cursor().left_center() + Vec2::new(theme::GAP_SMALL, 0.0);
            let words = |text: &str, room: f32| {
                let mut job = LayoutJob::simple_singleline(text.to_owned(), theme::strong(), theme::view().ink);
                job.wrap = TextWrapping::truncate_at_width(room.max(0.0));
                ui.painter().layout_job(job)
            };
            let room = at.max.x - start.x;
            let figures = words(&title.figures, room);
            let name = words(&title.name, room - figures.size().x);
            let next = start + Vec2::new(name.size().x, 0.0);
            for (anchor, galley) in [(start, name), (next, figures)] {
                let anchor = Align2::LEFT_CENTER.anchor_size(anchor, galley.size());
                ui.painter().galley(anchor.min, galley, theme::view().ink);
            }
        });
    });
}

/// Draws the check boxes of all overlays and the numbers of ghosts.
fn menu(ui: &mut Ui, overlays: &mut Overlays) {
    let follows = overlays.follow.get_or_insert(false);
    let rows = [
        (&mut overlays.ghosts, "overlays.ghosts"),
        (&mut overlays.before_stage, "overlays.before_stage"),
        (&mut overlays.trails, "overlays.trails"),
        (&mut overlays.joints, "overlays.joints"),
        (&mut overlays.names, "overlays.names"),
        (&mut overlays.mesh, "overlays.mesh"),
        (&mut overlays.grid, "overlays.grid"),
        (&mut overlays.colliders, "overlays.colliders"),
        (&mut overlays.radii, "overlays.radii"),
        (&mut overlays.contacts, "overlays.contacts"),
        (&mut overlays.limits, "overlays.limits"),
        (&mut overlays.rest, "overlays.rest"),
        (&mut overlays.wind, "overlays.wind"),
        (follows, "overlays.follow"),
        (&mut overlays.turntable, "overlays.turntable"),
    ];
    for (on, key) in rows {
        ui.checkbox(on, tr(key));
    }
    ui.separator();
    let onion = [
        (&mut overlays.onion_every, "overlays.onion_every"),
        (&mut overlays.onion_each_way, "overlays.onion_each_way"),
    ];
    for ((value, key), limit) in onion.into_iter().zip(MAX_ONION) {
        ui.horizontal(|ui| {
            let field = whole_number(ui, value, IntegerField::new(0.1).within(0..=limit).narrow());
            let name = ui.label(tr(key));
            field.labelled_by(name.id);
        });
    }
}
