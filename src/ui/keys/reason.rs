//! The reason why a setting cannot be animated.

use egui::Ui;

use super::scope;
use crate::i18n::tr;

/// Returns the translated reason why the setting of form row `key` cannot be animated. `None` without a stage scope.
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
