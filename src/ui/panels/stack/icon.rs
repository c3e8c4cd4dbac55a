//! Icons of stages.

use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{
    ICON_ALL_INCLUSIVE, ICON_CLEANING_SERVICES, ICON_CONTENT_CUT, ICON_CYCLE, ICON_FLIP, ICON_HELP, ICON_LAYERS,
    ICON_PIN_DROP, ICON_SPEED, ICON_STRAIGHTEN, ICON_TERRAIN, ICON_WAVES,
};

/// Returns the icon of a stage kind.
pub fn stage_icon(kind: &str) -> MaterialIcon {
    match kind {
        "layer" => ICON_LAYERS,
        "stretch" => ICON_STRAIGHTEN,
        "dynamics" => ICON_WAVES,
        "loop" => ICON_ALL_INCLUSIVE,
        "close" => ICON_CYCLE,
        "ground" => ICON_TERRAIN,
        "mirror" => ICON_FLIP,
        "root" => ICON_PIN_DROP,
        "cleanup" => ICON_CLEANING_SERVICES,
        "retime" => ICON_SPEED,
        "trim" => ICON_CONTENT_CUT,
        _ => ICON_HELP,
    }
}
