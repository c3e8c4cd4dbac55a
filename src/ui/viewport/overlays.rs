//! What is drawn over the character, and the menu that chooses it.

use egui::containers::menu::{MenuButton, MenuConfig};
use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Button, Pos2, Rect, RichText, Stroke, Ui, UiBuilder, Vec2};
use egui_material_icons::icons::{ICON_EXPAND_MORE, ICON_VISIBILITY};

use crate::i18n::tr;
use crate::widgets::number::{Whole, whole_number};
use crate::{theme, widgets};
use portamento_takes::evaluate::overlay::{self, OnionSkins};
use portamento_takes::evaluate::{Frame, FrameContent, Ghost};

/// Room for the axes in the upper right corner, points.
const AXES: f32 = 112.0;

/// Which overlays are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlays {
    /// The ends of source and result.
    pub ghosts: bool,
    /// The motion without the open stage.
    pub before_stage: bool,
    /// Every how many frames the motion is shown before and after the playhead; 0 for never.
    pub onion_every: u32,
    /// How many of these there are on either side.
    pub onion_each_way: u32,
    /// Paths of source and result.
    pub trails: bool,
    /// Joints over the mesh.
    pub joints: bool,
    /// Names of joints.
    pub names: bool,
    /// The figure itself.
    pub mesh: bool,
    /// The grid on the ground.
    pub grid: bool,
    /// What dynamic bones must not enter.
    pub colliders: bool,
    /// How thick dynamic bones are.
    pub radii: bool,
    /// Where they touch.
    pub contacts: bool,
    /// How far they may turn.
    pub limits: bool,
    /// Dynamic bones as animated beside as they swing.
    pub rest: bool,
    /// The wind's arrow.
    pub wind: bool,
    /// The camera goes with the character while it plays; where nobody chose, with those that walk.
    pub follow: Option<bool>,
    /// The camera goes round what it looks at.
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

/// Most frames from one onion skin to the next, and most of them on either side.
const MOST_ONION: [u32; 2] = [60, 12];

impl Overlays {
    /// The motion of `frame`'s take before and after it, where that is wanted and the take is posed.
    pub fn onion_skins(&self, frame: &Frame) -> Vec<Ghost> {
        let built = frame.built.as_ref().filter(|_| self.onion_every > 0 && frame.content == FrameContent::Posed);
        let skins = OnionSkins { every: self.onion_every, ghosts_per_side: self.onion_each_way };
        built.map_or_else(Vec::new, |built| overlay::onion_skins(built, frame.time, skins))
    }
}

/// The line in the upper left corner: the menu, and what is shown.
pub fn bar(ui: &mut Ui, rect: Rect, overlays: &mut Overlays, shown: &Title, has_axes: bool) {
    line(ui, rect, shown, has_axes, |ui| {
        let text = format!("{}  {} {}", ICON_VISIBILITY.codepoint, tr("overlays.title"), ICON_EXPAND_MORE.codepoint);
        // Several are chosen at a time, and numbers are typed.
        let stays = MenuConfig::new().close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
        let (response, _) = MenuButton::from_button(button(text)).config(stays).ui(ui, |ui| menu(ui, overlays));
        widgets::named(response, &tr("overlays.title"));
    });
}

/// A button over the picture.
pub fn button<'a>(text: String) -> Button<'a> {
    Button::new(RichText::new(text).color(theme::view().ink)).fill(theme::view().plate).stroke(Stroke::NONE)
}

/// What is shown, in words over the picture.
#[derive(Debug)]
pub struct Title {
    /// Cut short where there is no room for it.
    pub name: String,
    /// What always follows.
    pub figures: String,
}

/// The line on top of `rect`: what `first` draws, and `title`, up to the axes where those are in that corner.
pub fn line(ui: &mut Ui, rect: Rect, title: &Title, has_axes: bool, first: impl FnOnce(&mut Ui)) {
    let taken = if has_axes { AXES } else { theme::MEDIUM };
    let at = rect.min + Vec2::splat(theme::MEDIUM);
    let at = Rect::from_min_max(at, Pos2::new((rect.max.x - taken).max(at.x + 40.0), at.y + theme::ROW));
    ui.scope_builder(UiBuilder::new().max_rect(at), |ui| {
        ui.horizontal(|ui| {
            first(ui);
            let start = ui.cursor().left_center() + Vec2::new(theme::SMALL, 0.0);
            let words = |text: &str, room: f32| {
                let mut job = LayoutJob::simple_singleline(text.to_owned(), theme::strong(), theme::view().ink);
                job.wrap = TextWrapping::truncate_at_width(room.max(0.0));
                ui.painter().layout_job(job)
            };
            let room = at.max.x - start.x;
            let figures = words(&title.figures, room);
            let name = words(&title.name, room - figures.size().x);
            let next = start + Vec2::new(name.size().x, 0.0);
            for (place, galley) in [(start, name), (next, figures)] {
                let place = Align2::LEFT_CENTER.anchor_size(place, galley.size());
                ui.painter().galley(place.min, galley, theme::view().ink);
            }
        });
    });
}

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
    for ((value, key), most) in onion.into_iter().zip(MOST_ONION) {
        ui.horizontal(|ui| {
            let field = whole_number(ui, value, Whole::new(0.1).within(0..=most).narrow());
            let name = ui.label(tr(key));
            field.labelled_by(name.id);
        });
    }
}
