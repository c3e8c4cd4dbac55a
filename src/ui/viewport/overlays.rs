//! What is drawn over the character, and the menu that chooses it.

use egui::{Align2, Rect, RichText, Ui, UiBuilder};
use egui_material_icons::icons::{ICON_EXPAND_MORE, ICON_VISIBILITY};

use crate::ui::i18n::tr;
use crate::ui::{theme, widgets};

/// Which overlays are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlays {
    /// The ends of source and result.
    pub ghosts: bool,
    /// The motion without the open stage.
    pub before_stage: bool,
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
    /// The camera goes with the character while it plays.
    pub follow: bool,
}

impl Default for Overlays {
    fn default() -> Self {
        Self {
            ghosts: true,
            before_stage: false,
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
            follow: false,
        }
    }
}

/// The line in the upper left corner: the menu, and what is shown.
pub fn bar(ui: &mut Ui, rect: Rect, overlays: &mut Overlays, shown: &str) {
    let at =
        Rect::from_min_size(rect.min + egui::vec2(8.0, 8.0), egui::vec2((rect.width() - 120.0).max(40.0), theme::ROW));
    ui.scope_builder(UiBuilder::new().max_rect(at), |ui| {
        ui.horizontal(|ui| {
            let text =
                format!("{}  {} {}", ICON_VISIBILITY.codepoint, tr("overlays.title"), ICON_EXPAND_MORE.codepoint);
            let button = egui::Button::new(RichText::new(text).color(theme::OVER_VIEW))
                .fill(theme::PLATE)
                .stroke(egui::Stroke::NONE);
            let (response, _) = egui::containers::menu::MenuButton::from_button(button).ui(ui, |ui| menu(ui, overlays));
            widgets::named(response, &tr("overlays.title"));
            let place = ui.cursor().left_center() + egui::vec2(4.0, 0.0);
            ui.painter().text(place, Align2::LEFT_CENTER, shown, theme::strong(), theme::OVER_VIEW);
        });
    });
}

fn menu(ui: &mut Ui, overlays: &mut Overlays) {
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
        (&mut overlays.follow, "overlays.follow"),
    ];
    for (on, key) in rows {
        ui.checkbox(on, tr(key));
    }
}
