//! Why a setting cannot be keyed.

use egui::Ui;

use super::scope;
use crate::i18n::tr;

/// Why the setting of the row `key` cannot be keyed, while the settings of a stage are drawn.
pub fn why_not(ui: &Ui, key: &str) -> Option<String> {
    let scope = scope::current(ui)?;
    let reason = match key {
        "wind_seed" => "seed",
        "wind_period" => "period",
        "pre_roll" | "dynamics_fps" => "time",
        _ if key.starts_with("span") => "time",
        _ if !scope.has_influence => "clock",
        _ => "whole",
    };
    Some(tr(&format!("keys.why_{reason}")))
}
